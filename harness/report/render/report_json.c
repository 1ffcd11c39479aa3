/* SPDX-License-Identifier: Apache-2.0 */
/* report_json: Table 3 as one JSON object; the members are documented in HACKING.md and stay as they are. */
#include "harness/report/render/report_json.h"

#include "harness/record/counter.h"
#include "harness/record/tally.h"
#include "harness/report/data/mean_confidence.h"
#include "harness/report/render/validity_text.h"

static void member(struct text *t, const char *name, double v)
{
    text_printf(t, "\"%s\": ", name);
    text_number(t, v);
}

static void pair(struct text *t, const char *name, const char *a, const char *b, const double v[2], double scale)
{
    text_printf(t, "\"%s\": {", name);
    member(t, a, v[0] * scale);
    text_add(t, ", ");
    member(t, b, v[1] * scale);
    text_add(t, "}");
}

static void clocks(struct text *t, const char *name, const double v[CLOCK_COUNT])
{
    text_printf(t, "\"%s\": {", name);
    for (int i = 0; i < CLOCK_COUNT; i++) {
        text_add(t, i ? ", " : "");
        member(t, search_clock_word((enum search_clock)i), v[i]);
    }
    text_add(t, "}");
}

static void side(struct text *t, const char *name, const struct arm_result *s)
{
    text_printf(t, "\"%s\": {\"trials\": %lld, \"failed\": %lld, ", name, (long long)s->trials, (long long)s->failed);
    clocks(t, "search_s", s->search_s);
    text_add(t, ", ");
    pair(t, "kernel_ms", "sum", "calls", s->kernel_s, 1e3);
    text_add(t, ", ");
    pair(t, "kernel_retimed_ms", "sum", "calls", s->retimed_s, 1e3);
    text_add(t, "}");
}

static void ratio_members(struct text *t, const struct table3_k *k)
{
    clocks(t, "search_speedup", k->search_speedup);
    text_printf(t, ", \"clocks\": \"%s\"", table3_clocks_word(table3_row_clocks(k)));
    text_add(t, ", ");
    pair(t, "kernel_speedup", "sum", "calls", k->kernel_speedup, 1);
    text_add(t, ", ");
    pair(t, "kernel_speedup_retimed", "sum", "calls", k->retimed_speedup, 1);
    text_add(t, ", ");
    clocks(t, "ansor_k_search_speedup", k->ansor_k_search);
    text_add(t, ", ");
    pair(t, "ansor_k_kernel_speedup", "sum", "calls", k->ansor_k_kernel, 1);
    text_add(t, ", ");
    pair(t, "seed_gain", "sum", "calls", k->seed_gain, 1);
    text_add(t, ", ");
    pair(t, "timing_gain", "sum", "calls", k->timing_gain, 1);
    text_add(t, ", ");
    pair(t, "search_gain", "sum", "calls", k->search_gain, 1);
}

static void ends(struct text *t, const char *name, double low, double high)
{
    text_printf(t, "\"%s\": [", name);
    text_number(t, low);
    text_add(t, ", ");
    text_number(t, high);
    text_add(t, "]");
}

/* The 95 % intervals of the four headline ratios; null for an end that one seed cannot give. */
static void interval_members(struct text *t, const char *name, const struct table3_k *low, const struct table3_k *high,
                             int n)
{
    if (n < 2)
        return;
    text_printf(t, ", \"%s\": {\"n\": %d, ", name, n);
    ends(t, "search_speedup_wall", low->search_speedup[CLOCK_WALL], high->search_speedup[CLOCK_WALL]);
    text_add(t, ", ");
    ends(t, "search_speedup_records", low->search_speedup[CLOCK_RECORDS], high->search_speedup[CLOCK_RECORDS]);
    text_add(t, ", ");
    ends(t, "kernel_speedup", low->kernel_speedup[SUM_PLAIN], high->kernel_speedup[SUM_PLAIN]);
    text_add(t, ", ");
    ends(t, "kernel_speedup_retimed", low->retimed_speedup[SUM_PLAIN], high->retimed_speedup[SUM_PLAIN]);
    text_add(t, "}");
}

static void network_object(const struct report *r, const struct table3_network *n, struct text *t)
{
    const struct published_network *p = published_network(r->published, n->name);
    text_printf(t, "{\"network\": \"%s\", \"kernels\": %d, \"calls\": %d, \"seeds\": %d, ", n->name, n->kernels,
                n->calls, n->seeds);
    side(t, "ansor", &n->ansor);
    text_add(t, ", \"k\": [");
    for (int i = 0; i < r->table.nk; i++) {
        int at = published_k(r->published, n->k[i].k);
        text_printf(t, "%s{\"k\": %lld, \"shared_descents\": %lld, ", i ? ", " : "", (long long)n->k[i].k,
                    (long long)n->k[i].shared);
        ratio_members(t, &n->k[i]);
        interval_members(t, "intervals", n->k[i].low, n->k[i].high, n->k[i].nseeds);
        if (n->k[i].nseeds > 1) {
            text_add(t, ", ");
            member(t, "p", n->k[i].p);
            text_add(t, ", ");
            member(t, "p_holm", n->k[i].holm);
        }
        text_add(t, ", ");
        side(t, "dpansor", &n->k[i].dpansor);
        text_add(t, ", ");
        side(t, "ansor_k", &n->k[i].ansor_k);
        if (p && at >= 0) {
            text_add(t, ", \"paper\": {");
            member(t, "kernel_speedup", p->kernel[at]);
            if (n->k[i].k == 300) {
                text_add(t, ", ");
                member(t, "search_speedup", p->search);
            }
            text_add(t, "}");
        }
        text_add(t, "}");
    }
    text_add(t, "]}");
}

static void mean_objects(const struct report *r, struct text *t)
{
    for (int i = 0; i < r->table.nk; i++) {
        int at = published_k(r->published, r->table.ks[i]);
        text_printf(t, "%s{\"k\": %lld, \"wins\": %d, \"counted\": %d, ", i ? ", " : "", (long long)r->table.ks[i],
                    r->table.wins[i], r->table.counted[i]);
        ratio_members(t, &r->table.mean[i]);
        interval_members(t, "intervals", r->table.mean[i].low, r->table.mean[i].high, r->table.mean[i].nseeds);
        interval_members(t, "intervals_networks", r->table.mean[i].across_low, r->table.mean[i].across_high,
                         r->table.counted[i]);
        mean_confidence_json(&r->assay[i], t);
        if (at >= 0) {
            text_add(t, ", \"paper\": {");
            member(t, "kernel_speedup", r->published->mean_kernel[at]);
            text_add(t, ", ");
            member(t, "search_speedup", r->published->mean_search[at]);
            text_add(t, "}");
        }
        text_add(t, "}");
    }
}

static bool tail_members(const struct report *r, struct text *t, struct err *err)
{
    struct tally_failure *f;
    double seconds[PHASE_COUNT], wall;
    int n;
    if (!tally_failures(r->store, r->arena, -1, -1, &f, &n, err) || !tally_phases(r->store, -1, seconds, &wall, err))
        return false;
    text_add(t, ", \"shortage\": ");
    few_records_json(&r->shortage, t);
    text_add(t, ", \"failures\": [");
    for (int i = 0; i < n; i++) {
        text_printf(t, "%s{\"outcome\": \"%s\", \"count\": %lld, \"message\": ", i ? ", " : "",
                    outcome_word(f[i].outcome), (long long)f[i].count);
        text_json(t, f[i].message);
        text_add(t, "}");
    }
    text_add(t, "], \"phases_s\": {");
    for (int i = 0; i < PHASE_COUNT; i++) {
        member(t, phase_name((enum phase)i), seconds[i]);
        text_add(t, ", ");
    }
    member(t, "wall", wall);
    text_add(t, "}");
    return true;
}

static bool counter_members(const struct report *r, struct text *t, struct err *err)
{
    struct counter_sum *c;
    int n;
    int64_t counted;
    if (!counters_sum(r->store, r->arena, &c, &n, &counted, err))
        return false;
    text_printf(t, ", \"winners_counted\": %lld, \"counters\": [", (long long)counted);
    for (int i = 0; i < n; i++) {
        text_add(t, i ? ", {\"name\": " : "{\"name\": ");
        text_json(t, c[i].name);
        text_printf(t, ", \"present\": %s, \"winners\": %lld, \"reason\": ", c[i].programs > 0 ? "true" : "false",
                    (long long)c[i].programs);
        text_json(t, c[i].reason);
        text_add(t, "}");
    }
    text_add(t, "]");
    return true;
}

void report_json_table3(const struct report *r, struct text *t)
{
    text_add(t, ", \"networks\": [");
    for (int i = 0; i < r->table.nnetworks; i++) {
        text_add(t, i ? ", " : "");
        network_object(r, &r->table.networks[i], t);
    }
    text_add(t, "], \"geomean\": [");
    mean_objects(r, t);
    text_add(t, "], \"controls\": ");
    control_arms_json(&r->control, t);
}

bool report_json(const struct report *r, struct text *t, struct err *err)
{
    const struct store_campaign *c = store_campaign(r->store);
    text_add(t, "{\"experiment\": ");
    text_json(t, r->experiment->stem);
    text_add(t, ", \"tier\": ");
    text_json(t, r->experiment->tier);
    text_add(t, ", \"hash\": ");
    text_json(t, c->experiment_hash);
    text_add(t, ", \"claims_hash\": ");
    text_json(t, r->claims_hash);
    text_add(t, ", \"machine\": ");
    text_json(t, c->machine);
    text_add(t, ", \"target\": ");
    text_json(t, c->target);
    text_add(t, ", \"target_settings\": ");
    text_json(t, c->target_settings);
    text_add(t, ", \"regime\": ");
    text_json(t, c->regime);
    text_printf(t, ", \"complete\": %s, \"valid\": %s", r->complete ? "true" : "false",
                validity_invalid(r) ? "false" : "true");
    r->kind->json(r, t);
    text_add(t, ", \"time_to_target\": ");
    time_to_target_json(&r->chase, t);
    validity_text_json(r, t);
    if (!tail_members(r, t, err) || !counter_members(r, t, err))
        return false;
    text_add(t, "}\n");
    return true;
}
