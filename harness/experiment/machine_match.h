/* SPDX-License-Identifier: Apache-2.0 */
/* machine_match: is a computer, with one of its GPUs, the machine of a file? A pure function of what is known of it, so
 * that it answers the same for the computer in front of us (doctor) and for the one that old results name (claims). */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/settings.h"

struct machine_traits { /* of a computer and of one GPU; "" or NULL and 0: not known, or not there */
    const char *cpu, *arch;
    double memory_gib;
    int cores;       /* logical processors that are online */
    const char *gpu; /* as the driver names it */
    double gpu_memory_gib;
};
/* The rule of a machine file. A part that is not given holds for all; a part that is given does not hold for what is
 * not known. */
struct machine_match {
    const char *arch;
    struct setting_strings cpu, gpu, without; /* phrases: one of cpu, one of gpu, none of without in the GPU's name */
    struct setting_ints cores, memory_gib, gpu_memory_gib; /* least and most, inclusive */
};
extern const struct setting machine_match_keys[];

/* Can the rule tell any computer from another? */
bool machine_match_given(const struct machine_match *rule);
/* NULL when it is that machine, else why not, in a: "its GPU is called 'A100', this one's 'H200'". A phrase is found in
 * a name as whole words, in any case: 'T4' is not in 'T400', nor 'A100' in 'RTX A1000'. */
const char *machine_mismatch(struct arena *a, const struct machine_match *rule, const struct machine_traits *t);
