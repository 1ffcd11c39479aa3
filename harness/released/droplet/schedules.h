/* SPDX-License-Identifier: Apache-2.0 */
/* schedules: the schedules that the authors published, one JSON record a line (NETWORK.steps.jsonl): whose they are,
 * and under which layouts and threads they were compiled. */
#pragma once
#include "harness/released/droplet/release.h"

enum schedule_origin {
    SCHEDULE_ANSOR, /* its time is the kernel's of Ansor's last best, to the printed digit */
    SCHEDULE_OTHER, /* it is not: most likely a find of Droplet */
    SCHEDULE_OPEN,  /* the file has a kernel twice or one that the network lacks, so no record's kernel is known */
    SCHEDULE_ORIGINS
};
extern const char *const schedule_words[]; /* "ansor", "other", "open" */

struct schedule_count {
    const char *machine, *network; /* network "": all of them */
    enum schedule_origin origin;
    int layout;  /* layout_rewrite of TVM: 1 a stage inside the kernel packs the weights, 2 they come packed */
    int threads; /* cores among TVM's hardware parameters */
    int records;
};
/* Reads the records of a file into r->schedules; how many. One without a member that is needed is a problem. */
int schedules_read(struct release *r, const char *path, const char *machine, const char *text);
/* In a; by machine, network, origin, layout, threads. */
struct schedule_count *schedules_count(struct arena *a, const struct release *r, int *n);
/* "layout_rewrite is 2 in 53 of Ansor's 53 and 1 in 341 of the other 352, on 8 to 16 threads": the most frequent
 * layouts of one network's schedules, of all where it is "". "" unless these layouts differ. */
const char *schedules_apart(struct arena *a, const struct schedule_count *all, int n, const char *machine,
                            const char *network);
