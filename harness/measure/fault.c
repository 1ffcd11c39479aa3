/* SPDX-License-Identifier: Apache-2.0 */
/* fault: nothing is simulated. The crash is a store to a page that may not be written, the hang is an endless loop, and
 * memory is allocated until that is refused. */
#include "harness/measure/fault.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const FAULT_NAMES[FAULT_COUNT] = {
#define X(id) #id,
    FAULTS(X)
#undef X
};

static bool fault_parse_one(const char *item, struct fault_plan *out, struct err *err)
{
    char word[32];
    size_t n = strcspn(item, ":");
    if (item[n] != ':' || n >= sizeof word || out->n == FAULTS_MAX)
        return err_set(err, "fault '%s' must be KIND:TRIAL, as in crash:5, at most %d of them", item, FAULTS_MAX);
    memcpy(word, item, n);
    word[n] = 0;
    int64_t trial;
    if (!str_int(item + n + 1, &trial) || trial < 1)
        return err_set(err, "fault '%s': the trial must be a whole number from 1", item);
    for (int i = 1; i < FAULT_COUNT; i++)
        if (str_eq(word, FAULT_NAMES[i])) {
            out->what[out->n] = (enum fault)i;
            out->trial[out->n++] = trial;
            return true;
        }
    const char *near = str_nearest(word, FAULT_NAMES + 1, FAULT_COUNT - 1);
    return err_set(err, "unknown fault '%s', did you mean '%s'?", word,
                   near ? near : "crash, hang, memory, wrong, buildcrash or buildhang");
}

bool fault_parse(const char *list, struct fault_plan *out, struct err *err)
{
    *out = (struct fault_plan){0};
    if (!list || !*list)
        return true;
    char *copy = strdup(list), *save = NULL;
    bool ok = copy != NULL;
    for (char *item = ok ? strtok_r(copy, ", ", &save) : NULL; item && ok; item = strtok_r(NULL, ", ", &save))
        ok = fault_parse_one(item, out, err);
    free(copy);
    return ok;
}

enum fault fault_at(const struct fault_plan *p, int64_t trial)
{
    for (int i = 0; i < p->n; i++)
        if (p->trial[i] == trial)
            return p->what[i];
    return FAULT_none;
}

bool fault_is_build(enum fault f)
{
    return f == FAULT_buildcrash || f == FAULT_buildhang;
}

static void crash(void)
{
    volatile char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *page = 1;
}

static void hang(void)
{
    for (volatile uint64_t i = 0;; i++)
        ;
}

/* The pages are not touched: the limit is on what is allocated, and other programs use the machine's memory, too. */
static _Noreturn void use_all_memory(void)
{
    while (mmap(NULL, (size_t)64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) !=
           MAP_FAILED)
        ;
    fprintf(stderr, "raingauge: out of memory: a planted fault allocated all that the limit allows\n");
    _exit(EXIT_INTERNAL);
}

void fault_commit(enum fault f)
{
    if (f == FAULT_crash || f == FAULT_buildcrash)
        crash();
    else if (f == FAULT_hang || f == FAULT_buildhang)
        hang();
    else if (f == FAULT_memory)
        use_all_memory();
}
