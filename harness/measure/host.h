/* SPDX-License-Identifier: Apache-2.0 */
/* host: the machine that this is, for records and doctor. Host and user names are never kept: node is a digest of what
 * the machine drew at random when it was installed (/etc/machine-id) and its name, or of the present boot where it has
 * no such number. It tells machines of one processor apart, and nothing else. */
#pragma once
#include "harness/base/json.h"
#include "harness/plug/analyzer.h"

struct host {
    char cpu[96], arch[16], kernel[64], virtualisation[32], governor[24], microcode[24];
    char node[13];                                    /* 12 hex digits; "": not known */
    char features[256];                               /* instruction sets, separated by blanks */
    int cores_online, cores_usable, threads_per_core; /* cores: logical processors; usable: by this process */
    double memory_gib;
    long l1d_bytes, l2_bytes, l3_bytes;
    int turbo, smt, thp, aslr; /* -1 unknown; thp: 0 never 1 madvise 2 always */
    double load1;
};
/* "Fujitsu A64FX", or the two numbers: what /proc/cpuinfo of an Arm processor has in place of a name. */
void host_arm_cpu(unsigned implementer, unsigned part, char *name, size_t n);
void host_probe(struct host *h);
cJSON *host_json(const struct host *h); /* an object of all members; what is not known is null, but node is absent */
/* Vectors, registers and caches of the processor of such an object, as code for all its instruction sets uses them: 0
 * what is not known. The rest of out stays. */
void host_analyzer(const cJSON *host, struct machine_analyzer *out);
