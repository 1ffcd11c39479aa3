/* SPDX-License-Identifier: Apache-2.0 */
/* machine_match: the parts of a rule, one after the other; the first that does not hold is the reason. */
#include "harness/experiment/machine_match.h"

#include "harness/base/text.h"

#include <ctype.h>
#include <string.h>

const struct setting machine_match_keys[] = {
    STRING_SETTING("arch", struct machine_match, arch, "", "Its instruction set architecture, as `uname -m` says it."),
    STRINGS_SETTING("cpu", struct machine_match, cpu, "Phrases, one of which its processor's name holds."),
    STRINGS_SETTING("gpu", struct machine_match, gpu, "Phrases, one of which its GPU's name holds."),
    STRINGS_SETTING("without", struct machine_match, without, "Phrases that its GPU's name does not hold."),
    INTS_SETTING("cores", struct machine_match, cores, 1, 1 << 20, "Least and most logical processors."),
    INTS_SETTING("memory_gib", struct machine_match, memory_gib, 1, 1 << 20, "Least and most main memory."),
    INTS_SETTING("gpu_memory_gib", struct machine_match, gpu_memory_gib, 1, 1 << 20,
                 "Least and most memory of its GPU."),
    {0},
};

bool machine_match_given(const struct machine_match *r)
{
    return (r->arch && *r->arch) || r->cpu.n || r->gpu.n || r->cores.n || r->memory_gib.n || r->gpu_memory_gib.n;
}

/* Is the phrase in the name, with no letter or digit before or after it? */
static bool has_phrase(const char *name, const char *phrase)
{
    size_t n = strlen(phrase);
    for (const char *at = strcasestr(name, phrase); at; at = strcasestr(at + 1, phrase))
        if ((at == name || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[n]))
            return true;
    return false;
}

static const char *phrase_in(const char *name, const struct setting_strings *phrases)
{
    for (int i = 0; i < phrases->n; i++)
        if (has_phrase(name, phrases->at[i]))
            return phrases->at[i];
    return NULL;
}

/* what: "processor". */
static const char *check_name(struct arena *a, const char *what, const struct setting_strings *phrases,
                              const char *name)
{
    if (phrases->n == 0 || (name && phrase_in(name, phrases)))
        return NULL;
    return name && *name ? arena_printf(a, "its %s is a '%s', here is '%s'", what, phrases->at[0], name)
                         : arena_printf(a, "its %s is a '%s', here none is known", what, phrases->at[0]);
}

static const char *check_range(struct arena *a, const char *what, const struct setting_ints *range, double value)
{
    if (range->n != 2 || (value >= (double)range->at[0] && value <= (double)range->at[1]))
        return NULL;
    if (value > 0)
        return arena_printf(a, "its %s are %lld to %lld, here %.4g", what, (long long)range->at[0],
                            (long long)range->at[1], value);
    return arena_printf(a, "its %s are %lld to %lld, here not known", what, (long long)range->at[0],
                        (long long)range->at[1]);
}

const char *machine_mismatch(struct arena *a, const struct machine_match *r, const struct machine_traits *t)
{
    const char *why = NULL;
    if (r->arch && *r->arch && (!t->arch || !str_eq(r->arch, t->arch)))
        return arena_printf(a, "it is %s, here is %s", r->arch, t->arch && *t->arch ? t->arch : "an unknown one");
    if ((why = check_name(a, "processor", &r->cpu, t->cpu)) || (why = check_name(a, "GPU", &r->gpu, t->gpu)))
        return why;
    const char *other = t->gpu ? phrase_in(t->gpu, &r->without) : NULL;
    if (other)
        return arena_printf(a, "its GPU is no '%s', here is '%s'", other, t->gpu);
    if ((why = check_range(a, "logical processors", &r->cores, t->cores)) ||
        (why = check_range(a, "GiB of memory", &r->memory_gib, t->memory_gib)))
        return why;
    return check_range(a, "GiB of GPU memory", &r->gpu_memory_gib, t->gpu_memory_gib);
}
