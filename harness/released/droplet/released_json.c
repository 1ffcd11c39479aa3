/* SPDX-License-Identifier: Apache-2.0 */
/* released_json: one list a table, in the order of released_text. */
#include "harness/released/droplet/released_json.h"

/* An empty name is null. */
static void put_word(cJSON *in, const char *key, const char *s)
{
    json_put_str(in, key, s && *s ? s : NULL);
}

/* A new object of a list, with its first member. */
static cJSON *row(cJSON *list, const char *key, const char *s)
{
    cJSON *o = json_put_object(list, NULL);
    json_put_str(o, key, s);
    return o;
}

static void put_significance(cJSON *in, const struct significance *s)
{
    cJSON *o = json_put_object(in, "significance");
    json_put_int(o, "better", s->better);
    json_put_int(o, "worse", s->worse);
    json_put_int(o, "none", s->none);
    json_put_int(o, "unknown", s->unknown);
    json_put_int(o, "checked", s->checked);
    json_put_int(o, "agree", s->agree);
}

static void put_clocks(cJSON *in, const char *key, const double *v)
{
    cJSON *o = json_put_object(in, key);
    for (int i = 0; i < SWEEP_CLOCKS; i++)
        json_put_number(o, sweep_clock_word((enum sweep_clock)i), v[i]);
}

static void put_sweep(cJSON *list, const struct sweep_cell *c)
{
    cJSON *o = row(list, "machine", c->machine);
    json_put_int(o, "k", c->k);
    json_put_number(o, "exec_geomean", c->exec);
    json_put_number(o, "tuning_geomean", c->search[SWEEP_APPORTIONED]);
    json_put_int(o, "wins", c->wins);
    json_put_int(o, "networks", c->counted);
    put_clocks(o, "tuning", c->search);
    json_put_number(o, "seed_exec_geomean", c->seed);
    json_put_number(o, "seed_tuning_geomean", c->seed_search);
    json_put_number(o, "seed_gain", c->gain);
    json_put_number(o, "sane_exec_geomean", c->sane);
    json_put_int(o, "sane_wins", c->sane_wins);
    json_put_number(o, "distinct_exec_geomean", c->distinct);
    json_put_number(o, "pooled_exec", c->pooled_exec);
    json_put_number(o, "pooled_tuning", c->pooled_search);
    json_put_number(o, "dp_hours", c->droplet_hours);
    json_put_number(o, "ansor10k_hours", c->base_hours);
    json_put_int(o, "kernels", c->kernels);
    json_put_int(o, "kernels_not_slower", c->not_slower);
    json_put_number(o, "kernel_geomean", c->kernel_exec);
    json_put_number(o, "dp_records", c->droplet_records);
    json_put_number(o, "dp_record_s", c->record_cost_s);
    json_put_number(o, "seed_records", c->seed_records);
    json_put_number(o, "ansor10k_records", c->base_records);
    put_significance(o, &c->significance);
}

static void put_network(cJSON *list, const struct sweep_network *n)
{
    cJSON *o = row(list, "machine", n->block->machine);
    put_word(o, "network", n->network);
    put_word(o, "run", n->run);
    json_put_int(o, "k", n->block->k);
    json_put_int(o, "kernels", n->kernels);
    json_put_bool(o, "complete", n->whole);
    json_put_number(o, "dp_sum_s", n->sum[DROPLET_TIME]);
    json_put_number(o, "ansork_sum_s", n->sum[SEED_TIME]);
    json_put_number(o, "ansor10k_sum_s", n->sum[BASE_TIME]);
    json_put_number(o, "dp_total_tuning_s", n->sum[DROPLET_TOTAL]);
    json_put_number(o, "ansor10k_tuning_s", n->sum[BASE_TUNING]);
    json_put_number(o, "exec_x", n->exec_x);
    json_put_number(o, "tuning_x", n->search_x[SWEEP_APPORTIONED]);
    put_clocks(o, "tuning", n->search_x);
    json_put_number(o, "seed_exec_x", n->seed_x);
    json_put_number(o, "seed_gain_x", n->gain_x);
    json_put_number(o, "sane_exec_x", n->sane_x);
    put_significance(o, &n->significance);
}

static void put_sweeps(cJSON *out, const struct reanalysis *x)
{
    cJSON *rows = json_put_array(out, "rows"), *networks = json_put_array(out, "networks"),
          *variance = json_put_array(out, "variance");
    for (int i = 0; i < x->nsweep; i++) {
        put_sweep(rows, &x->sweep[i]);
        for (int k = 0; k < x->sweep[i].nnetworks; k++)
            put_network(networks, &x->sweep[i].networks[k]);
    }
    for (int i = 0; i < x->nvariance; i++)
        put_network(variance, &x->variance[i]);
}

static void put_exploiters(cJSON *out, const struct reanalysis *x)
{
    cJSON *list = json_put_array(out, "exploiters");
    for (int i = 0; i < x->nexploiters; i++) {
        const struct exploiter *e = &x->exploiters[i];
        cJSON *o = row(list, "machine", e->machine);
        put_word(o, "run", e->run);
        put_word(o, "method", e->method);
        json_put_int(o, "complete", e->complete);
        json_put_int(o, "usable", e->usable);
        json_put_int(o, "rows", e->rows);
        json_put_int(o, "failed", e->failed);
        json_put_number(o, "exec_s", e->exec_s);
        json_put_number(o, "tuning_s", e->tuning_s);
        json_put_number(o, "records", e->records);
        json_put_number(o, "exec_geomean", e->exec);
        json_put_number(o, "exec_lowest", e->lowest);
        json_put_number(o, "exec_highest", e->highest);
    }
}

static void put_coverage(cJSON *out, const struct reanalysis *x)
{
    cJSON *list = json_put_array(out, "coverage");
    for (int i = 0; i < x->ncoverage; i++) {
        const struct coverage *c = &x->coverage[i];
        cJSON *o = row(list, "machine", c->machine);
        put_word(o, "run", c->run);
        put_word(o, "network", c->network);
        json_put_int(o, "kernels", c->kernels);
        json_put_int(o, "rows", c->rows);
        put_word(o, "status", c->status);
    }
}

static void put_meta(cJSON *out, const struct reanalysis *x)
{
    static const char *const blocks[] = {"complete", "all"};
    cJSON *list = json_put_array(out, "meta");
    for (int i = 0; i < 2 * x->nmeta; i++) {
        const struct meta_cell *c = &x->meta[i / 2];
        cJSON *o = row(list, "machine", c->machine);
        json_put_int(o, "k", c->k);
        put_word(o, "blocks", blocks[i % 2]);
        json_put_int(o, "networks", c->networks[i % 2]);
        json_put_number(o, "exec_geomean", c->exec[i % 2]);
        json_put_int(o, "wins", c->wins[i % 2]);
        json_put_number(o, "seed_exec_geomean", c->seed[i % 2]);
        json_put_int(o, "failed_rows", c->failed);
        json_put_int(o, "partial", c->partial);
        json_put_int(o, "mislabelled", c->mislabelled);
        json_put_int(o, "absent", c->absent);
    }
}

static void put_micro(cJSON *out, const struct reanalysis *x)
{
    const struct release *r = x->release;
    cJSON *list = json_put_array(out, "micro"), *others = json_put_array(out, "micro_other");
    for (int i = 0; i < x->nmicro; i++) {
        const struct micro_cell *c = &x->micro[i];
        cJSON *o = row(list, "machine", c->machine);
        put_word(o, "kernel", c->kernel);
        json_put_int(o, "k", c->k);
        json_put_number(o, "dp_s", c->row->v[DROPLET_TIME]);
        json_put_number(o, "ansor_s", c->row->v[BASE_TIME]);
        json_put_number(o, "dp_total_tuning_s", c->row->v[DROPLET_TOTAL]);
        json_put_number(o, "ansor_tuning_s", c->row->v[BASE_TUNING]);
        json_put_number(o, "exec_x", c->exec_x);
        json_put_number(o, "tuning_x", c->search_x);
    }
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        if (b->table != TABLE_OTHER || !b->rows.n)
            continue;
        cJSON *o = row(others, "tool", b->method);
        put_word(o, "kernel", b->network);
        json_put_number(o, "time_as_printed", 1e3 * b->rows.at[0].v[DROPLET_TIME]);
        json_put_number(o, "tuning_s", b->rows.at[0].v[DROPLET_TUNING]);
    }
}

static void put_outliers(cJSON *out, const struct outliers *s)
{
    cJSON *list = json_put_array(out, "outliers"), *limits = json_put_array(out, "roofline");
    for (int i = 0; i < s->all.n; i++) {
        const struct outlier *x = &s->all.at[i];
        cJSON *o = row(list, "what", outlier_word(x->kind));
        put_word(o, "table", release_table_word(x->block->table));
        put_word(o, "machine", x->block->machine);
        put_word(o, "run", x->block->run);
        put_word(o, "method", x->block->method);
        put_word(o, "network", x->block->network);
        json_put_int(o, "kernel", x->row->kernel);
        json_put_int(o, "k", x->block->k);
        json_put_number(o, "dp_time_s", x->row->v[DROPLET_TIME]);
        json_put_number(o, "ansork_time_s", x->row->v[SEED_TIME]);
        json_put_number(o, "ansor10k_time_s", x->row->v[BASE_TIME]);
        json_put_number(o, "roofline_s", x->bound_s);
    }
    for (int i = 0; i < s->nroofline; i++) {
        const struct roofline_coverage *r = &s->roofline[i];
        cJSON *o = row(limits, "machine", r->machine);
        json_put_bool(o, "known", r->known);
        json_put_int(o, "networks", r->networks);
        json_put_int(o, "without", r->without);
        json_put_int(o, "unfit", r->unfit);
    }
}

static void put_blocks(cJSON *out, const struct release *r)
{
    cJSON *list = json_put_array(out, "blocks");
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        if (b->state == BLOCK_WHOLE)
            continue;
        cJSON *o = row(list, "state", block_state_word(b->state));
        put_word(o, "table", release_table_word(b->table));
        put_word(o, "machine", b->machine);
        put_word(o, "run", b->run);
        put_word(o, "method", b->method);
        put_word(o, "network", b->network);
        json_put_int(o, "k", b->k);
        json_put_int(o, "rows", b->rows.n);
        json_put_int(o, "kernels", b->kernels);
        put_word(o, "note", b->note);
        put_word(o, "file", b->file);
        json_put_int(o, "line", b->line);
    }
}

static void put_files(cJSON *out, const struct release *r)
{
    cJSON *empty = json_put_array(out, "empty"), *duplicates = json_put_array(out, "duplicates"),
          *problems = json_put_array(out, "problems");
    for (int i = 0; i < r->files.n; i++)
        if (!r->files.at[i].rows && !r->files.at[i].listed)
            json_put_str(empty, NULL, r->files.at[i].path);
    for (int i = 0; i < r->duplicates.n; i++) {
        cJSON *pair = json_put_array(duplicates, NULL);
        json_put_str(pair, NULL, r->duplicates.at[i].a);
        json_put_str(pair, NULL, r->duplicates.at[i].b);
    }
    for (int i = 0; i < r->problems.n; i++) {
        cJSON *o = row(problems, "file", r->problems.at[i].file);
        json_put_int(o, "line", r->problems.at[i].line);
        put_word(o, "reason", r->problems.at[i].text);
    }
}

static void put_claims(cJSON *out, const struct released_claims *c)
{
    cJSON *list = json_put_array(out, "claims");
    for (int i = 0; i < c->n; i++) {
        cJSON *o = row(list, "id", c->all[i].id);
        put_word(o, "machine", c->all[i].machine);
        put_word(o, "verdict", released_claim_word(c->all[i].verdict));
        json_put_number(o, "value", c->all[i].value);
        put_word(o, "claim", c->all[i].claim);
        put_word(o, "found", c->all[i].found);
    }
}

cJSON *released_json(const struct reanalysis *x, const struct outliers *s, const struct released_claims *c)
{
    cJSON *out = json_object();
    json_put_str(out, "dir", x->release->dir);
    json_put_str(out, "form", x->release->compact ? "compact" : "authors");
    put_sweeps(out, x);
    put_exploiters(out, x);
    put_coverage(out, x);
    put_meta(out, x);
    put_micro(out, x);
    put_outliers(out, s);
    put_blocks(out, x->release);
    put_files(out, x->release);
    put_claims(out, c);
    return out;
}
