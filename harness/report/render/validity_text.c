/* SPDX-License-Identifier: Apache-2.0 */
/* validity_text: text, JSON and HTML of calm and regret. What was not measured says so: "floor before: not measured" is
 * what records from before there were twins give. */
#include "harness/report/render/validity_text.h"

#include "harness/base/clock.h"
#include "harness/report/render/markup.h"

#include <math.h>

static const char *const states[] = {"passed", "failed", "unknown"};

const char *validity_invalid(const struct report *r)
{
    return r->calm.gates == VERDICT_GATES_FAILED ? arena_printf(r->arena, "INVALID: %s", r->calm.reason) : NULL;
}

bool validity_text_counts(const struct report *r)
{
    return !str_eq(r->experiment->tier, "smoke");
}

/* ---- words shared by text and HTML ---- */

static char *stage_words(const struct report *r, enum aa_stage s)
{
    const struct validity_stage *c = &r->calm.stages[s];
    if (!c->measured)
        return arena_printf(r->arena, "floor %s: not measured", aa_stage_word(s));
    return arena_printf(r->arena, "floor %s: %.2f %% of a reading, %.2f %% of the mean of %d pairs on %d kernels",
                        aa_stage_word(s), 100 * c->reading, 100 * c->mean, c->pairs, c->twins);
}

static char *rounds_words(const struct report *r)
{
    const struct validity *c = &r->calm;
    if (isnan(c->rounds))
        return arena_str(r->arena, "rounds of the shoot-out: no winner was launched twice");
    return arena_printf(r->arena, "rounds of the shoot-out: %.2f %% of a network's sum (%d pairs), drift %+.2f %%",
                        100 * c->rounds, c->pairs, 100 * (c->drift - 1));
}

/* NULL: it was done once. */
static char *aside_words(const struct report *r)
{
    const struct retiming_archive *a = &r->calm.aside;
    return a->times ? arena_printf(r->arena,
                                   "the shoot-out was done again: %d readings of %d earlier one%s are set aside and "
                                   "nothing here uses them",
                                   a->readings, a->times, a->times == 1 ? "" : "s")
                    : NULL;
}

static char *gate_value(const struct report *r, enum validity_gates g, double v)
{
    if (isnan(v))
        return arena_str(r->arena, "not measured");
    bool is_ratio = g == GATE_SHIFT || g == GATE_PEAK;
    return is_ratio ? arena_printf(r->arena, "%.2f", v) : arena_printf(r->arena, "%.2f %%", 100 * v);
}

/* ---- text ---- */

static void loss_text(const struct report *r, struct text *t)
{
    const struct selection_loss *g = &r->regret;
    if (g->n == 0)
        return;
    text_printf(t,
                "\nwhat the arms lost by the shoot-out (geometric means over kernels; %d finalist%s of each arm and "
                "kernel)\n"
                "  selection: program chosen / best of the arm's own timed again; exploration: that best / best of all "
                "arms\n"
                "  network          arm              kernels  programs  selection  exploration    whole\n",
                plan_retime_top(&r->experiment->plan), plan_retime_top(&r->experiment->plan) == 1 ? "" : "s");
    for (int i = 0; i < g->n; i++) {
        const struct selection_loss_row *w = &g->rows[i];
        text_printf(t, "  %-16s %-16s %7d", w->network ? w->network : "geometric mean", w->arm, w->kernels);
        text_cell(t, 9, 1, w->programs);
        text_cell(t, 10, 4, w->selection);
        text_cell(t, 12, 4, w->exploration);
        text_cell(t, 8, 4, w->whole);
        text_char(t, '\n');
    }
}

void validity_text_text(const struct report *r, struct text *t)
{
    const struct validity *c = &r->calm;
    loss_text(r, t);
    if (isnan(c->floor))
        text_printf(t, "\nA/A floor: none, %s\n", c->reason ? c->reason : "nothing was timed twice");
    else
        text_printf(t,
                    "\nA/A floor: %.2f %% of a mean over networks, %.2f %% of one network: no effect below it gives a "
                    "verdict\n",
                    100 * c->floor, 100 * c->single);
    text_printf(t, "  %s\n", stage_words(r, AA_BEFORE));
    text_printf(t, "  %s\n", stage_words(r, AA_AFTER));
    text_printf(t, "  %s\n", rounds_words(r));
    if (aside_words(r))
        text_printf(t, "  %s\n", aside_words(r));
    text_printf(t, "gates: %s%s%s\n", states[c->gates], c->reason ? ", " : "", c->reason ? c->reason : "");
    for (int g = 0; g < GATE_COUNT; g++)
        text_printf(t, "  %-7s %-7s %12s  limit %-8s %s\n", validity_gate_word((enum validity_gates)g),
                    states[c->gate[g].state], gate_value(r, (enum validity_gates)g, c->gate[g].value),
                    gate_value(r, (enum validity_gates)g, c->gate[g].limit),
                    validity_gate_title((enum validity_gates)g));
}

/* ---- JSON ---- */

static void stage_json(const struct validity_stage *c, enum aa_stage s, struct text *t)
{
    text_printf(t, ", \"%s\": ", aa_stage_word(s));
    if (!c->measured) {
        text_add(t, "null");
        return;
    }
    text_printf(t, "{\"twins\": %d, \"pairs\": %d", c->twins, c->pairs);
    text_member_number(t, "reading", c->reading);
    text_member_number(t, "mean", c->mean);
    text_member_number(t, "peak_flops", c->peak_flops);
    text_member_number(t, "unix_s", c->unix_s);
    text_add(t, "}");
}

static void noise_json(const struct validity *c, struct text *t)
{
    text_printf(t, ", \"noise\": {\"pairs\": %d", c->pairs);
    text_member_number(t, "floor", c->floor);
    text_member_number(t, "single", c->single);
    text_member_number(t, "rounds", c->rounds);
    text_member_number(t, "drift", c->drift);
    text_member_number(t, "twin_drift", c->twin_drift);
    for (int i = 0; i < AA_STAGES; i++)
        stage_json(&c->stages[i], (enum aa_stage)i, t);
    text_printf(t, ", \"readings\": %d, \"failed\": %d, \"gates\": \"%s\"", c->readings, c->failed, states[c->gates]);
    text_member_string(t, "reason", c->reason);
    text_printf(t, ", \"aside\": {\"times\": %d, \"readings\": %d}", c->aside.times, c->aside.readings);
    text_add(t, ", \"gate\": [");
    for (int g = 0; g < GATE_COUNT; g++) {
        text_printf(t, "%s{\"name\": \"%s\", \"state\": \"%s\"", g ? ", " : "",
                    validity_gate_word((enum validity_gates)g), states[c->gate[g].state]);
        text_member_number(t, "value", c->gate[g].value);
        text_member_number(t, "limit", c->gate[g].limit);
        text_add(t, "}");
    }
    text_add(t, "]}");
}

void validity_text_json(const struct report *r, struct text *t)
{
    const struct selection_loss *g = &r->regret;
    noise_json(&r->calm, t);
    text_printf(t, ", \"finalists\": %d, \"loss\": [", plan_retime_top(&r->experiment->plan));
    for (int i = 0; i < g->n; i++) {
        const struct selection_loss_row *w = &g->rows[i];
        text_add(t, i ? ", {\"network\": " : "{\"network\": ");
        if (w->network)
            text_json(t, w->network);
        else
            text_add(t, "null");
        text_member_string(t, "arm", w->arm);
        text_printf(t, ", \"kernels\": %d", w->kernels);
        text_member_number(t, "programs", w->programs);
        text_member_number(t, "selection", w->selection);
        text_member_number(t, "exploration", w->exploration);
        text_member_number(t, "whole", w->whole);
        text_add(t, "}");
    }
    text_add(t, "]");
}

/* ---- HTML ---- */

static void cell(struct text *t, const char *class, const char *words)
{
    text_printf(t, "<td%s>", class);
    markup_text(t, words);
    text_add(t, "</td>");
}

static void gates_html(const struct report *r, struct text *t)
{
    static const char *const heads[] = {"gate", "state", "value", "limit", "what it looks at", NULL};
    markup_table(t, heads);
    for (int g = 0; g < GATE_COUNT; g++) {
        const struct validity_gate *gate = &r->calm.gate[g];
        text_add(t, gate->state == VERDICT_GATES_FAILED ? "<tr class=\"far\">" : "<tr>");
        cell(t, "", validity_gate_word((enum validity_gates)g));
        cell(t, "", gate->state == VERDICT_GATES_UNKNOWN ? "not measured" : states[gate->state]);
        cell(t, "", isnan(gate->value) ? "\xe2\x80\x93" : gate_value(r, (enum validity_gates)g, gate->value));
        cell(t, "", gate_value(r, (enum validity_gates)g, gate->limit));
        cell(t, " class=\"l\"", validity_gate_title((enum validity_gates)g));
        text_add(t, "</tr>\n");
    }
    markup_table_end(t);
}

static void loss_html(const struct report *r, struct text *t)
{
    static const char *const heads[] = {"network and arm", "kernels", "programs each", "selection", "exploration",
                                        "whole",           NULL};
    if (r->regret.n == 0)
        return;
    text_add(t, "<h3>What the arms lost</h3>\n");
    markup_table(t, heads);
    for (int i = 0; i < r->regret.n; i++) {
        const struct selection_loss_row *w = &r->regret.rows[i];
        text_add(t, "<tr><td>");
        markup_printf(t, "%s %s", w->network ? w->network : "geometric mean", w->arm);
        text_printf(t, "</td><td>%d</td>", w->kernels);
        markup_cell(t, 1, w->programs);
        markup_cell(t, 4, w->selection);
        markup_cell(t, 4, w->exploration);
        markup_cell(t, 4, w->whole);
        text_add(t, "</tr>\n");
    }
    markup_table_end(t);
    text_printf(
        t,
        "<p class=\"note\">By the times of the shoot-out. Selection: the program the "
        "arm chose over the best of its own that were timed again (%d finalist%s of each arm and kernel, and "
        "the seeds of descents). Exploration: that best over the best of all arms and seeds on the same kernel. "
        "Geometric means over kernels; less than the A/A floor means nothing.</p>\n",
        plan_retime_top(&r->experiment->plan), plan_retime_top(&r->experiment->plan) == 1 ? "" : "s");
}

static void line(struct text *t, const char *words)
{
    text_add(t, "<li>");
    markup_text(t, words);
    text_add(t, "</li>\n");
}

void validity_text_html(const struct report *r, struct text *t)
{
    const struct validity *c = &r->calm;
    text_add(t, "<section id=\"noise\"><h2>Noise, gates and losses</h2>\n");
    if (isnan(c->floor))
        text_add(t, "<p>A/A floor: not measured.</p>\n");
    else
        text_printf(t,
                    "<p>A/A floor: %.2f %% of a mean over networks, %.2f %% of one network. No effect below it gives a "
                    "verdict.</p>\n",
                    100 * c->floor, 100 * c->single);
    text_add(t, "<ul>");
    line(t, stage_words(r, AA_BEFORE));
    line(t, stage_words(r, AA_AFTER));
    line(t, rounds_words(r));
    if (aside_words(r))
        line(t, aside_words(r));
    text_add(t, "</ul>\n");
    text_printf(t, "<p%s>Gates: %s", c->gates == VERDICT_GATES_FAILED ? " class=\"warn\"" : "", states[c->gates]);
    if (c->reason) {
        text_add(t, ", ");
        markup_text(t, c->reason);
    }
    text_add(t, ".</p>\n");
    gates_html(r, t);
    loss_html(r, t);
    text_add(t, "</section>\n");
}
