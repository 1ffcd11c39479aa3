/* SPDX-License-Identifier: Apache-2.0 */
/* power_disk: a disk under SQLite whose power can be cut. What was written and not made safe (xSync) may be lost then:
 * each such write comes through or not, by chance, or only its first sectors. Between two cuts nothing is different. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { POWER_DISK_SECTOR = 512 };
struct power_disk {
    long cut_at;       /* the power is cut at this operation (write, truncation, sync, removal); 0: never */
    const char *image; /* folder that then gets what is left of the databases; it is there */
    uint64_t seed;     /* of what comes through */
    long *operations;  /* counted here, shared memory */
};
/* From now on all databases of this process are on that disk, until it is cut: then the process kills itself with
 * SIGKILL. Files are known by their names without folders. Not for databases that are mapped into memory. */
void power_disk_begin(const struct power_disk *d);
