/* SPDX-License-Identifier: Apache-2.0 */
/* released_json: every table whole, one list each. */
#include "harness/released/released_json.h"

#include <math.h>

static void comma(struct text *t, int i)
{
    text_add(t, i ? ",\n  " : "\n  ");
}

static void whole(struct text *t, const char *name, int64_t v)
{
    text_printf(t, ", \"%s\": ", name);
    text_int(t, v);
}

static void word(struct text *t, const char *name, const char *s)
{
    text_member_string(t, name, s && *s ? s : NULL);
}

static void begin(struct text *t, const char *name, const char *s)
{
    text_printf(t, "{\"%s\": ", name);
    text_json(t, s);
}

static void significance(struct text *t, const struct significance *s)
{
    text_printf(t,
                ", \"significance\": {\"better\": %d, \"worse\": %d, \"none\": %d, \"unknown\": %d, \"checked\": %d, "
                "\"agree\": %d}",
                s->better, s->worse, s->none, s->unknown, s->checked, s->agree);
}

static void clocks(struct text *t, const char *name, const double *v)
{
    text_printf(t, ", \"%s\": {", name);
    for (int i = 0; i < SWEEP_CLOCKS; i++) {
        text_printf(t, "%s\"%s\": ", i ? ", " : "", sweep_clock_word((enum sweep_clock)i));
        text_number(t, v[i]);
    }
    text_char(t, '}');
}

static void sweep(struct text *t, const struct sweep_cell *c)
{
    begin(t, "machine", c->machine);
    whole(t, "k", c->k);
    text_member_number(t, "exec_geomean", c->exec);
    text_member_number(t, "tuning_geomean", c->search[SWEEP_APPORTIONED]);
    whole(t, "wins", c->wins);
    whole(t, "networks", c->counted);
    clocks(t, "tuning", c->search);
    text_member_number(t, "seed_exec_geomean", c->seed);
    text_member_number(t, "seed_tuning_geomean", c->seed_search);
    text_member_number(t, "seed_gain", c->gain);
    text_member_number(t, "sane_exec_geomean", c->sane);
    whole(t, "sane_wins", c->sane_wins);
    text_member_number(t, "distinct_exec_geomean", c->distinct);
    text_member_number(t, "pooled_exec", c->pooled_exec);
    text_member_number(t, "pooled_tuning", c->pooled_search);
    text_member_number(t, "dp_hours", c->droplet_hours);
    text_member_number(t, "ansor10k_hours", c->base_hours);
    whole(t, "kernels", c->kernels);
    whole(t, "kernels_not_slower", c->not_slower);
    text_member_number(t, "kernel_geomean", c->kernel_exec);
    text_member_number(t, "dp_records", c->droplet_records);
    text_member_number(t, "dp_record_s", c->record_cost_s);
    text_member_number(t, "seed_records", c->seed_records);
    text_member_number(t, "ansor10k_records", c->base_records);
    significance(t, &c->significance);
    text_char(t, '}');
}

static void network(struct text *t, const struct sweep_network *n)
{
    begin(t, "machine", n->block->machine);
    word(t, "network", n->network);
    word(t, "run", n->run);
    whole(t, "k", n->block->k);
    whole(t, "kernels", n->kernels);
    text_printf(t, ", \"complete\": %s", n->whole ? "true" : "false");
    text_member_number(t, "dp_sum_s", n->sum[DROPLET_TIME]);
    text_member_number(t, "ansork_sum_s", n->sum[SEED_TIME]);
    text_member_number(t, "ansor10k_sum_s", n->sum[BASE_TIME]);
    text_member_number(t, "dp_total_tuning_s", n->sum[DROPLET_TOTAL]);
    text_member_number(t, "ansor10k_tuning_s", n->sum[BASE_TUNING]);
    text_member_number(t, "exec_x", n->exec_x);
    text_member_number(t, "tuning_x", n->search_x[SWEEP_APPORTIONED]);
    clocks(t, "tuning", n->search_x);
    text_member_number(t, "seed_exec_x", n->seed_x);
    text_member_number(t, "seed_gain_x", n->gain_x);
    text_member_number(t, "sane_exec_x", n->sane_x);
    significance(t, &n->significance);
    text_char(t, '}');
}

static void networks(struct text *t, const struct reanalysis *x)
{
    int n = 0;
    text_add(t, ",\n\"networks\": [");
    for (int i = 0; i < x->nsweep; i++)
        for (int k = 0; k < x->sweep[i].nnetworks; k++) {
            comma(t, n++);
            network(t, &x->sweep[i].networks[k]);
        }
    text_add(t, "],\n\"variance\": [");
    for (int i = 0; i < x->nvariance; i++) {
        comma(t, i);
        network(t, &x->variance[i]);
    }
    text_char(t, ']');
}

static void exploiters(struct text *t, const struct reanalysis *x)
{
    text_add(t, ",\n\"exploiters\": [");
    for (int i = 0; i < x->nexploiters; i++) {
        const struct exploiter *e = &x->exploiters[i];
        comma(t, i);
        begin(t, "machine", e->machine);
        word(t, "run", e->run);
        word(t, "method", e->method);
        whole(t, "complete", e->complete);
        whole(t, "usable", e->usable);
        whole(t, "rows", e->rows);
        whole(t, "failed", e->failed);
        text_member_number(t, "exec_s", e->exec_s);
        text_member_number(t, "tuning_s", e->tuning_s);
        text_member_number(t, "records", e->records);
        text_member_number(t, "exec_geomean", e->exec);
        text_member_number(t, "exec_lowest", e->lowest);
        text_member_number(t, "exec_highest", e->highest);
        text_char(t, '}');
    }
    text_add(t, "],\n\"coverage\": [");
    for (int i = 0; i < x->ncoverage; i++) {
        const struct coverage *c = &x->coverage[i];
        comma(t, i);
        begin(t, "machine", c->machine);
        word(t, "run", c->run);
        word(t, "network", c->network);
        whole(t, "kernels", c->kernels);
        whole(t, "rows", c->rows);
        word(t, "status", c->status);
        text_char(t, '}');
    }
    text_char(t, ']');
}

static void meta(struct text *t, const struct reanalysis *x)
{
    static const char *const blocks[] = {"complete", "all"};
    text_add(t, ",\n\"meta\": [");
    for (int i = 0; i < 2 * x->nmeta; i++) {
        const struct meta_cell *c = &x->meta[i / 2];
        comma(t, i);
        begin(t, "machine", c->machine);
        whole(t, "k", c->k);
        word(t, "blocks", blocks[i % 2]);
        whole(t, "networks", c->networks[i % 2]);
        text_member_number(t, "exec_geomean", c->exec[i % 2]);
        whole(t, "wins", c->wins[i % 2]);
        text_member_number(t, "seed_exec_geomean", c->seed[i % 2]);
        whole(t, "failed_rows", c->failed);
        whole(t, "partial", c->partial);
        whole(t, "mislabelled", c->mislabelled);
        whole(t, "absent", c->absent);
        text_char(t, '}');
    }
    text_char(t, ']');
}

static void micro(struct text *t, const struct reanalysis *x)
{
    const struct release *r = x->release;
    int n = 0;
    text_add(t, ",\n\"micro\": [");
    for (int i = 0; i < x->nmicro; i++) {
        const struct micro_cell *c = &x->micro[i];
        comma(t, i);
        begin(t, "machine", c->machine);
        word(t, "kernel", c->kernel);
        whole(t, "k", c->k);
        text_member_number(t, "dp_s", c->row->v[DROPLET_TIME]);
        text_member_number(t, "ansor_s", c->row->v[BASE_TIME]);
        text_member_number(t, "dp_total_tuning_s", c->row->v[DROPLET_TOTAL]);
        text_member_number(t, "ansor_tuning_s", c->row->v[BASE_TUNING]);
        text_member_number(t, "exec_x", c->exec_x);
        text_member_number(t, "tuning_x", c->search_x);
        text_char(t, '}');
    }
    text_add(t, "],\n\"micro_other\": [");
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        if (b->table != TABLE_OTHER || !b->rows.n)
            continue;
        comma(t, n++);
        begin(t, "tool", b->method);
        word(t, "kernel", b->network);
        text_member_number(t, "time_as_printed", 1e3 * b->rows.at[0].v[DROPLET_TIME]);
        text_member_number(t, "tuning_s", b->rows.at[0].v[DROPLET_TUNING]);
        text_char(t, '}');
    }
    text_char(t, ']');
}

static void suspects(struct text *t, const struct outliers *s)
{
    text_add(t, ",\n\"suspects\": [");
    for (int i = 0; i < s->all.n; i++) {
        const struct outlier *x = &s->all.at[i];
        comma(t, i);
        begin(t, "what", outlier_word(x->kind));
        word(t, "table", release_table_word(x->block->table));
        word(t, "machine", x->block->machine);
        word(t, "run", x->block->run);
        word(t, "method", x->block->method);
        word(t, "network", x->block->network);
        whole(t, "kernel", x->row->kernel);
        whole(t, "k", x->block->k);
        text_member_number(t, "dp_time_s", x->row->v[DROPLET_TIME]);
        text_member_number(t, "ansork_time_s", x->row->v[SEED_TIME]);
        text_member_number(t, "ansor10k_time_s", x->row->v[BASE_TIME]);
        text_member_number(t, "roofline_s", x->bound_s);
        text_char(t, '}');
    }
    text_add(t, "],\n\"roofline\": [");
    for (int i = 0; i < s->nroofed; i++) {
        comma(t, i);
        begin(t, "machine", s->roofed[i].machine);
        text_printf(t, ", \"known\": %s", s->roofed[i].known ? "true" : "false");
        whole(t, "networks", s->roofed[i].networks);
        whole(t, "without", s->roofed[i].without);
        whole(t, "unfit", s->roofed[i].unfit);
        text_char(t, '}');
    }
    text_char(t, ']');
}

static void doubts(struct text *t, const struct release *r)
{
    int n = 0;
    text_add(t, ",\n\"blocks\": [");
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        if (b->state == BLOCK_WHOLE)
            continue;
        comma(t, n++);
        begin(t, "state", block_state_word(b->state));
        word(t, "table", release_table_word(b->table));
        word(t, "machine", b->machine);
        word(t, "run", b->run);
        word(t, "method", b->method);
        word(t, "network", b->network);
        whole(t, "k", b->k);
        whole(t, "rows", b->rows.n);
        whole(t, "kernels", b->kernels);
        word(t, "note", b->note);
        word(t, "file", b->file);
        whole(t, "line", b->line);
        text_char(t, '}');
    }
    text_add(t, "],\n\"empty\": [");
    for (int i = n = 0; i < r->files.n; i++)
        if (!r->files.at[i].rows && !r->files.at[i].listed) {
            comma(t, n++);
            text_json(t, r->files.at[i].path);
        }
    text_add(t, "],\n\"duplicates\": [");
    for (int i = 0; i < r->duplicates.n; i++) {
        comma(t, i);
        text_char(t, '[');
        text_json(t, r->duplicates.at[i].a);
        text_add(t, ", ");
        text_json(t, r->duplicates.at[i].b);
        text_char(t, ']');
    }
    text_add(t, "],\n\"problems\": [");
    for (int i = 0; i < r->problems.n; i++) {
        comma(t, i);
        begin(t, "file", r->problems.at[i].file);
        whole(t, "line", r->problems.at[i].line);
        word(t, "reason", r->problems.at[i].text);
        text_char(t, '}');
    }
    text_char(t, ']');
}

static void claims(struct text *t, const struct released_claims *c)
{
    text_add(t, ",\n\"claims\": [");
    for (int i = 0; i < c->n; i++) {
        comma(t, i);
        begin(t, "id", c->all[i].id);
        word(t, "machine", c->all[i].machine);
        word(t, "verdict", released_claim_word(c->all[i].verdict));
        text_member_number(t, "value", c->all[i].value);
        word(t, "claim", c->all[i].claim);
        word(t, "found", c->all[i].found);
        text_char(t, '}');
    }
    text_char(t, ']');
}

void released_json_print(const struct reanalysis *x, const struct outliers *s, const struct released_claims *c,
                         struct text *t)
{
    begin(t, "dir", x->release->dir);
    word(t, "form", x->release->compact ? "compact" : "authors");
    text_add(t, ",\n\"rows\": [");
    for (int i = 0; i < x->nsweep; i++) {
        comma(t, i);
        sweep(t, &x->sweep[i]);
    }
    text_char(t, ']');
    networks(t, x);
    exploiters(t, x);
    meta(t, x);
    micro(t, x);
    suspects(t, s);
    doubts(t, x->release);
    claims(t, c);
    text_add(t, "}\n");
}
