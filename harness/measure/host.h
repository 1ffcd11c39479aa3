/* SPDX-License-Identifier: Apache-2.0 */
/* host: what machine is this: a snapshot for records and doctor. Host and user names are never kept. */
#pragma once
#include "harness/base/text.h"

struct host {
    char cpu[96], arch[16], kernel[64], virtualisation[32], governor[24], microcode[24],
        features[256]; /* features: space separated ISA words */
    int cores_online, threads_per_core;
    double memory_gib;
    long l1d_bytes, l2_bytes, l3_bytes;
    int turbo, smt, thp, aslr; /* -1 unknown; thp: 0 never 1 madvise 2 always */
    double load1;
};
void host_probe(struct host *h);
void host_json(const struct host *h, struct text *out); /* a JSON object */
