/* SPDX-License-Identifier: Apache-2.0 */
/* html_sections: each section reads what the other forms of the report read: costs, control, tally, evidence. */
#include "harness/report/render/html_sections.h"

#include "harness/base/json.h"
#include "harness/claims/claim_lookup.h"
#include "harness/record/tally.h"
#include "harness/report/data/search_cost.h"
#include "harness/report/render/html_report.h"
#include "harness/report/render/markup.h"
#include "harness/report/render/validity_text.h"

#include <math.h>
#include <string.h>

static void section(struct text *t, const char *id, const char *title)
{
    text_printf(t, "<section id=\"%s\"><h2>%s</h2>\n", id, title);
}

/* ---- clocks ---- */

static void clock_row(const char *network, const char *what, const struct arm_result *s, bool far, struct text *t)
{
    text_printf(t, "<tr%s><td>", far ? " class=\"far\"" : "");
    markup_printf(t, "%s %s", network, what);
    text_add(t, "</td>");
    for (int i = 0; i < CLOCK_COUNT; i++)
        markup_cell(t, 1, s->search_s[i]);
    text_printf(t, "<td>%lld</td><td>%lld</td></tr>\n", (long long)s->trials, (long long)s->failed);
}

static void clocks(const struct report *r, struct text *t)
{
    static const char *const heads[] = {"search", "wall, s", "records, s", "sum, s", "device, s",
                                        "cpu, s", "trials",  "failed",     NULL};
    struct search_cost c = search_cost_of(&r->table);
    struct text sentence = {0};
    section(t, "clocks", "What searching cost, on every clock");
    search_cost_sentence(&c, &sentence);
    text_add(t, c.size + c.direction ? "<p class=\"warn\">" : "<p>");
    markup_text(t, text_str(&sentence));
    text_free(&sentence);
    text_add(t, "</p>\n");
    markup_table(t, heads);
    for (int i = 0; i < r->table.nnetworks; i++) {
        const struct table3_network *n = &r->table.networks[i];
        if (n->seeds)
            clock_row(n->name, "ansor", &n->ansor, false, t);
        for (int k = 0; k < r->table.nk && n->seeds; k++)
            if (n->k[k].nseeds)
                clock_row(n->name, arena_printf(r->arena, "k = %lld", (long long)n->k[k].k), &n->k[k].dpansor,
                          table3_row_clocks(&n->k[k]) != CLOCKS_AGREE, t);
    }
    markup_table_end(t);
    text_add(t, "<dl>");
    for (int i = 0; i < CLOCK_COUNT; i++) {
        text_printf(t, "<dt>%s</dt><dd>", search_clock_word((enum search_clock)i));
        markup_text(t, search_clock_meaning((enum search_clock)i));
        text_add(t, "</dd>");
    }
    text_add(t, "</dl></section>\n");
}

/* ---- controls ---- */

static void control_arms_row(const struct control_arms_row *r, const double *v, const int *digits, int n,
                             struct text *t)
{
    text_add(t, "<tr><td>");
    markup_printf(t, "%s k = %lld", r->network ? r->network : "geometric mean", (long long)r->k);
    text_add(t, "</td>");
    for (int i = 0; i < n; i++)
        markup_cell(t, digits[i], v[i]);
    text_add(t, "</tr>\n");
}

static void separate(const struct control_arms *c, struct text *t)
{
    static const char *const heads[] = {"",           "kernels, cut, ms", "own run, ms", "cut / own", "search, cut, s",
                                        "own run, s", "cut / own",        "descents",    NULL};
    static const int digits[] = {3, 3, 3, 1, 1, 2, 3};
    text_add(t, "<h3>The first k records of the one long log, beside a run of its own with k trials a kernel</h3>\n");
    markup_table(t, heads);
    for (int i = 0; i < c->n; i++) {
        const struct control_arms_row *r = &c->rows[i];
        const double v[] = {1e3 * r->kernel_s[0],
                            1e3 * r->kernel_s[1],
                            r->ratio[CONTROL_ARMS_OWN_KERNEL].ratio,
                            r->search_s[0],
                            r->search_s[1],
                            r->ratio[CONTROL_ARMS_OWN_SEARCH].ratio,
                            r->ratio[CONTROL_ARMS_OWN_DESCENT].ratio};
        control_arms_row(r, v, digits, 7, t);
    }
    markup_table_end(t);
}

static void again(const struct control_arms *c, struct text *t)
{
    static const char *const heads[] = {
        "", "seed as recorded, ms", "measured again, ms", "winner, ms", "gain of measuring", "gain of searching", NULL};
    static const int digits[] = {3, 3, 3, 3, 3};
    text_add(t, "<h3>The seeds measured again under the same regime</h3>\n");
    markup_table(t, heads);
    for (int i = 0; i < c->n; i++) {
        const struct control_arms_row *r = &c->rows[i];
        const double v[] = {1e3 * r->seed_s, 1e3 * r->again_s, 1e3 * r->winner_s, r->ratio[CONTROL_ARMS_AGAIN].ratio,
                            r->ratio[CONTROL_ARMS_SEARCH].ratio};
        control_arms_row(r, v, digits, 5, t);
    }
    markup_table_end(t);
}

static void compare(const struct control_arms *c, struct text *t)
{
    struct text say = {0};
    control_arms_compare(c, &say);
    if (say.len) {
        text_add(t, "<pre>");
        markup_text(t, text_str(&say));
        text_add(t, "</pre>\n");
    }
    text_free(&say);
}

static void controls(const struct report *r, struct text *t)
{
    static const char *const heads[] = {"k", "timing the seed again", "searching", "as tuned", NULL};
    section(t, "controls", "Measuring or searching, cut or run");
    text_add(t, "<h3>Droplet's gain over its seed by the shoot-out, geometric means</h3>\n");
    markup_table(t, heads);
    for (int i = 0; i < r->table.nk; i++) {
        const struct table3_k *k = &r->table.mean[i];
        text_printf(t, "<tr><td>%lld</td>", (long long)k->k);
        markup_cell(t, 3, k->timing_gain[SUM_PLAIN]);
        markup_cell(t, 3, k->search_gain[SUM_PLAIN]);
        markup_cell(t, 3, k->seed_gain[SUM_PLAIN]);
        text_add(t, "</tr>\n");
    }
    markup_table_end(t);
    if (r->control.separate)
        separate(&r->control, t);
    if (r->control.again)
        again(&r->control, t);
    compare(&r->control, t);
    if (!r->control.separate || !r->control.again)
        text_printf(t, "<p class=\"note\">Not in this experiment: %s%s%s.</p>\n",
                    r->control.separate ? "" : "separate runs with k trials a kernel",
                    !r->control.separate && !r->control.again ? ", and " : "",
                    r->control.again ? "" : "an arm that measures the seeds again");
    text_add(t, "</section>\n");
}

/* ---- verdicts ---- */

static void verdict_row(const struct claim *c, const struct claim_lookup *e, struct text *t)
{
    const struct verdict_measurement *f = &e->found;
    text_add(t, "<tr><td>");
    markup_text(t, c->id);
    text_add(t, "</td><td class=\"l\">");
    markup_text(t, c->claim);
    text_printf(t, "</td><td class=\"v\">%s</td>", verdict_word(e->verdict.kind));
    markup_cell(t, 3, f->ratio);
    if (f->seeds > 1 && isfinite(f->low) && isfinite(f->high))
        text_printf(t, "<td>%.3f&#8211;%.3f</td>", f->low, f->high);
    else if (isfinite(e->across_low) && isfinite(e->across_high))
        text_printf(t, "<td>%.3f&#8211;%.3f (others like these)</td>", e->across_low, e->across_high);
    else
        text_add(t, "<td>&#8211;</td>");
    markup_cell(t, 3, c->about.value);
    text_add(t, "<td>");
    markup_text(t, c->clock);
    text_add(t, "</td>");
    markup_cell(t, 3, e->wall);
    text_add(t, "<td class=\"l\">");
    markup_text(t, e->verdict.reason);
    text_add(t, "</td></tr>\n");
}

/* The claims that this experiment tests, judged by the numbers of this very report. */
static bool verdicts(const struct report *r, const char *folder, struct text *t, struct err *err)
{
    static const char *const heads[] = {"claim",       "says",  "verdict",    "here",    "95 %",
                                        "paper value", "clock", "wall clock", "because", NULL};
    struct claims claims;
    struct err why = {0};
    section(t, "verdicts", "Verdicts");
    if (!*r->claims_hash || !claims_load(r->arena, folder, r->experiment->paper, &claims, &why)) {
        text_add(t, "<p>Not measured: ");
        markup_text(t, *why.text ? why.text : "the experiment's paper has no file of claims");
        text_add(t, ".</p></section>\n");
        return true;
    }
    struct claim_lookup_book *book = claim_lookup_report(r->arena, r, err);
    if (!book)
        return false;
    int n = 0;
    markup_table(t, heads);
    for (int i = 0; i < claims.n; i++) {
        struct claim_lookup e;
        if (!claims.list[i].experiment || !str_eq(claims.list[i].experiment, r->experiment->stem))
            continue;
        claim_lookup_of(book, &claims, &claims.list[i], &e);
        verdict_row(&claims.list[i], &e, t);
        n++;
    }
    markup_table_end(t);
    text_printf(
        t,
        "<p class=\"note\">%d of %d claims are about this experiment. Claims file: SHA-256 <code>%s</code>; values and "
        "tolerances were fixed in it before the run. All: <code>raingauge claims ",
        n, claims.n, r->claims_hash);
    markup_text(t, r->experiment->paper);
    text_add(t, "</code></p></section>\n");
    return true;
}

/* ---- time, failures, environment ---- */

static bool phases(const struct report *r, struct text *t, struct err *err)
{
    static const char *const heads[] = {"phase", "seconds", "share", "", NULL};
    double seconds[PHASE_COUNT], wall, sum = 0;
    if (!tally_phases(r->store, -1, seconds, &wall, err))
        return false;
    section(t, "time", "Where the time went");
    markup_table(t, heads);
    for (int i = 0; i < PHASE_COUNT; i++) {
        double share = wall > 0 ? 100 * seconds[i] / wall : 0;
        sum += seconds[i];
        text_printf(t,
                    "<tr><td>%s</td><td>%.1f</td><td>%.1f %%</td><td class=\"l\"><span class=\"share\" "
                    "style=\"width:%.1f%%\"></span></td></tr>\n",
                    phase_name((enum phase)i), seconds[i], share, share);
    }
    markup_table_end(t);
    text_printf(
        t,
        "<p class=\"note\">Together %.1f s of %.1f s of wall time in rounds, %.2f %% unaccounted for.</p></section>\n",
        sum, wall, wall > 0 ? 100 * fabs(wall - sum) / wall : 0);
    return true;
}

static bool failures(const struct report *r, struct text *t, struct err *err)
{
    static const char *const heads[] = {"outcome", "candidates", "reason", NULL};
    struct tally_failure *f;
    int n;
    if (!tally_failures(r->store, r->arena, -1, -1, &f, &n, err))
        return false;
    section(t, "failures", "Failed candidates, by reason");
    if (n == 0)
        text_add(t, "<p>No candidate failed.</p>\n");
    if (n > 0)
        markup_table(t, heads);
    for (int i = 0; i < n; i++) {
        text_printf(t, "<tr><td>%s</td><td>%lld</td><td class=\"l\">", outcome_word(f[i].outcome),
                    (long long)f[i].count);
        markup_text(t, f[i].message);
        text_add(t, "</td></tr>\n");
    }
    if (n > 0)
        markup_table_end(t);
    text_add(t, "</section>\n");
    return true;
}

/* load1 is of the moment; where no time passes it says nothing and would make equal runs differ. */
static void facts(const cJSON *object, bool is_virtual, struct text *t)
{
    const cJSON *m;
    cJSON_ArrayForEach(m, object)
    {
        if (is_virtual && m->string && strcmp(m->string, "load1") == 0)
            continue;
        text_add(t, "<dt>");
        markup_text(t, m->string ? m->string : "");
        text_add(t, "</dt><dd>");
        if (cJSON_IsObject(m)) {
            text_add(t, "<dl>");
            facts(m, is_virtual, t);
            text_add(t, "</dl>");
        } else if (cJSON_IsString(m)) {
            markup_text(t, m->valuestring);
        } else if (cJSON_IsNumber(m)) {
            markup_printf(t, "%.10g", m->valuedouble);
        } else {
            text_add(t, cJSON_IsTrue(m) ? "yes" : cJSON_IsFalse(m) ? "no" : "not known");
        }
        text_add(t, "</dd>");
    }
}

static void environment(const struct report *r, struct text *t)
{
    const struct store_campaign *c = store_campaign(r->store);
    cJSON *root = json_parse(c->environment, strlen(c->environment), "environment", NULL);
    section(t, "environment", "Environment");
    for (const cJSON *part = root ? root->child : NULL; part; part = part->next) {
        text_add(t, "<h3>");
        markup_text(t, part->string ? part->string : "");
        text_add(t, "</h3><dl>");
        facts(part, c->is_virtual, t);
        text_add(t, "</dl>\n");
    }
    cJSON_Delete(root);
    text_add(t, "</section>\n");
}

bool html_sections_html(const struct report *r, const char *folder, struct text *t, struct err *err)
{
    if (html_report_is_table3(r)) {
        clocks(r, t);
        controls(r, t);
    }
    few_records_html(&r->shortage, t);
    validity_text_html(r, t);
    if (!verdicts(r, folder, t, err) || !phases(r, t, err) || !failures(r, t, err))
        return false;
    environment(r, t);
    return true;
}
