/* SPDX-License-Identifier: Apache-2.0 */
/* papi: hardware counters through PAPI. Every counter is tried by itself when the collector opens: one that cannot be
 * had keeps PAPI's reason (in most virtual machines: no performance monitoring unit at all).
 *
 * Kernels run on several threads, so counters are inherited by threads made after open; measure opens collectors in a
 * runner before its first kernel call. Where that cannot be, there are no counters: the count of one thread would be
 * taken for all. Inheriting is written from PAPI's manual and was not yet seen on a machine that has counters. */
#include "harness/plug/collector.h"

#include <papi.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int event;
} EVENTS[] = {
    {"cycles", PAPI_TOT_CYC},       {"instructions", PAPI_TOT_INS}, {"l1_misses", PAPI_L1_DCM},
    {"l2_misses", PAPI_L2_TCM},     {"l3_misses", PAPI_L3_TCM},     {"branch_misses", PAPI_BR_MSP},
    {"stall_cycles", PAPI_RES_STL}, {"sp_vector_ops", PAPI_VEC_SP},
};
enum { COUNT = sizeof EVENTS / sizeof *EVENTS };

struct papi {
    int set, order[COUNT], nset; /* the event set, and which counters are in it */
    char reason[COUNT][96];
};

/* Why the CPU component counts nothing, in PAPI's words. */
static void component_reason(char *out, size_t n)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(0);
    if (info && info->disabled && info->disabled_reason[0])
        snprintf(out, n, "%s", info->disabled_reason);
    else
        out[0] = 0;
}

static void set_reason(struct papi *p, int i, int code, const char *component)
{
    snprintf(p->reason[i], sizeof p->reason[i], "%.40s%s%.50s", PAPI_strerror(code), component[0] ? ": " : "",
             component);
}

/* Before events are added, as perf reads inherited counters one by one. */
static int inherit(int set)
{
    PAPI_option_t option = {.inherit = {.eventset = set, .inherit = PAPI_INHERIT_ALL}};
    int code = PAPI_assign_eventset_component(set, 0);
    return code == PAPI_OK ? PAPI_set_opt(PAPI_INHERIT, &option) : code;
}

static bool papi_open(void *self, struct err *err)
{
    struct papi *p = self;
    char component[PAPI_HUGE_STR_LEN];
    memset(p, 0, sizeof *p);
    p->set = PAPI_NULL;
    int want = PAPI_VER_CURRENT, got = PAPI_is_initialized() ? want : PAPI_library_init(want);
    if (got != want)
        return err_set(err, "PAPI does not start: %s",
                       got > 0 ? "the library is of another version" : PAPI_strerror(got));
    component_reason(component, sizeof component);
    int made = PAPI_create_eventset(&p->set), inherited = made == PAPI_OK ? inherit(p->set) : made;
    for (int i = 0; i < COUNT; i++) {
        int code = made != PAPI_OK ? made : PAPI_query_event(EVENTS[i].event);
        if (code == PAPI_OK)
            code = inherited;
        if (code == PAPI_OK)
            code = PAPI_add_event(p->set, EVENTS[i].event);
        if (code == PAPI_OK)
            p->order[p->nset++] = i;
        else
            set_reason(p, i, code, component);
    }
    return true;
}

static bool papi_start(void *self, struct err *err)
{
    struct papi *p = self;
    int code = p->nset ? PAPI_start(p->set) : PAPI_OK;
    return code == PAPI_OK || err_set(err, "PAPI does not count: %s", PAPI_strerror(code));
}

static bool papi_stop(void *self, struct counter *out, int *n, struct err *err)
{
    struct papi *p = self;
    long long values[COUNT] = {0};
    int code = p->nset ? PAPI_stop(p->set, values) : PAPI_OK;
    if (code != PAPI_OK)
        return err_set(err, "PAPI does not stop: %s", PAPI_strerror(code));
    for (int i = 0; i < COUNT; i++) {
        out[i] = counter_of(EVENTS[i].name, 0);
        out[i].present = false;
        snprintf(out[i].reason, sizeof out[i].reason, "%s", p->reason[i]);
    }
    for (int i = 0; i < p->nset; i++) {
        out[p->order[i]].present = true;
        out[p->order[i]].value = (double)values[i];
    }
    *n = COUNT;
    return true;
}

static void papi_close(void *self)
{
    struct papi *p = self;
    if (p->set != PAPI_NULL) {
        PAPI_cleanup_eventset(p->set);
        PAPI_destroy_eventset(&p->set);
    }
}

extern const struct collector collector_papi;
const struct collector collector_papi = {
    .name = "papi",
    .summary = "hardware counters (cycles, misses, vector operations) where the machine has them",
    .state_size = sizeof(struct papi),
    .open = papi_open,
    .start = papi_start,
    .stop = papi_stop,
    .close = papi_close,
};
