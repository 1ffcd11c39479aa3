/* SPDX-License-Identifier: Apache-2.0 */
/* search_cost: the clocks of Table 3 side by side (practice.md 3.1: each claim names its clock, the report prints that
 * one and the wall clock). */
#include "harness/report/data/search_cost.h"

#include <math.h>

static double gap(const struct table3_k *k)
{
    return fabs(log(k->search_speedup[CLOCK_WALL] / k->search_speedup[CLOCK_RECORDS]));
}

struct search_cost search_cost_of(const struct table3 *t)
{
    struct search_cost c = {0};
    for (int i = 0; i < t->nnetworks; i++)
        for (int j = 0; j < t->nk; j++) {
            const struct table3_k *k = &t->networks[i].k[j];
            enum table3_clocks clocks = table3_row_clocks(k);
            if (!isfinite(gap(k)))
                continue;
            c.rows++;
            c.size += clocks == CLOCKS_SIZE;
            c.direction += clocks == CLOCKS_DIRECTION;
            if (!c.worst || gap(k) > gap(c.worst)) {
                c.worst = k;
                c.of = &t->networks[i];
            }
        }
    return c;
}

void search_cost_sentence(const struct search_cost *c, struct text *t)
{
    if (c->rows == 0) {
        text_add(t, "No row can be read on both clocks yet.");
        return;
    }
    if (c->size + c->direction == 0)
        text_printf(t, "The paper's clock (records) and the wall clock agree in all %d rows within a factor of %g",
                    c->rows, TABLE3_CLOCKS);
    else
        text_printf(
            t,
            "The paper's clock (records) and the wall clock disagree in %d of %d rows: %d by more than a factor "
            "of %g, %d about which side is faster",
            c->size + c->direction, c->rows, c->size, TABLE3_CLOCKS, c->direction);
    text_printf(t, "; furthest apart at %s, k = %lld: search speedup %.2f on the wall, %.2f of records.", c->of->name,
                (long long)c->worst->k, c->worst->search_speedup[CLOCK_WALL], c->worst->search_speedup[CLOCK_RECORDS]);
}

static void row(const struct arm_result *s, const char *name, const char *note, struct text *t)
{
    text_printf(t, "    %-14s", name);
    for (int i = 0; i < CLOCK_COUNT; i++)
        text_cell(t, 9, 1, s->search_s[i]);
    text_printf(t, " %8lld%s\n", (long long)s->trials, note);
}

static void network(const struct table3 *table, const struct table3_network *n, struct text *t)
{
    if (!n->seeds)
        return;
    text_printf(t, "  %s\n", n->name);
    row(&n->ansor, "ansor", "", t);
    for (int i = 0; i < table->nk; i++) {
        static const char *const notes[] = {"", "  clocks differ in size", "  clocks differ in direction"};
        struct text name = {0};
        if (!n->k[i].nseeds)
            continue;
        text_printf(&name, "k = %lld", (long long)n->k[i].k);
        row(&n->k[i].dpansor, text_str(&name), notes[table3_row_clocks(&n->k[i])], t);
        text_free(&name);
    }
}

void search_cost_text(const struct table3 *table, struct text *t)
{
    struct search_cost c = search_cost_of(table);
    text_add(t, "\nwhat searching cost, in seconds on every clock, and in trials (k = ...: Ansor's first k records and "
                "Droplet together)\n                  ");
    for (int i = 0; i < CLOCK_COUNT; i++)
        text_printf(t, " %9s", search_clock_word((enum search_clock)i));
    text_add(t, "   trials\n");
    for (int i = 0; i < table->nnetworks; i++)
        network(table, &table->networks[i], t);
    for (int i = 0; i < CLOCK_COUNT; i++)
        text_printf(t, "  %-8s %s\n", search_clock_word((enum search_clock)i),
                    search_clock_meaning((enum search_clock)i));
    search_cost_sentence(&c, t);
    text_char(t, '\n');
}
