/* SPDX-License-Identifier: Apache-2.0 */
/* released_json: one list a table, in the order of released_text. */
#include "harness/released/droplet/released_json.h"

#include <stdio.h>

/* What cannot be read from a field. */
struct words {
    const char *first, *second;
};
struct printed {
    double ms;
};

#define OF(...) FIELD_MAYBE(__VA_ARGS__)
#define CELL struct sweep_cell, 0
#define NET struct sweep_network, 0
#define EXPLOITER struct exploiter, 0
#define COVERAGE struct coverage, 0
#define META struct meta_cell, 0
#define MICRO struct micro_cell, 0
#define OUTLIER struct outlier, 0
#define ROOFLINE struct roofline_coverage, 0
#define PROBLEM struct release_problem, 0
#define CLAIM struct released_claim, 0
#define BLOCK struct release_block, 1
#define ROW struct release_row, 2
#define WORDS struct words, 3
#define MEANS struct meta_means, 1
#define REPEAT struct repeat_run, 0
#define AGAIN struct repeat_network, 0
#define SCHEDULES struct schedule_count, 0
#define PRINTED struct printed, 0
#define TUNING_FIELDS(list, of, field)                                                                                 \
    OF(list "[].tuning.apportioned", of, field[SWEEP_APPORTIONED], "ratio",                                            \
       "Search time, Ansor over DPAnsor, on the authors' clock."),                                                     \
        OF(list "[].tuning.own", of, field[SWEEP_OWN], "ratio", "The same with Droplet's own cost alone."),            \
        OF(list "[].tuning.wall", of, field[SWEEP_WALL], "ratio",                                                      \
           "The same with Droplet's part by its wall clock; null: none was kept."),                                    \
        OF(list "[].tuning.trials", of, field[SWEEP_TRIALS], "ratio", "The same in records.")
#define INTERVAL_FIELDS(path, of, field, help)                                                                         \
    OF(path, of, field.ratio, "ratio", help),                                                                          \
        OF(path "_low", of, field.low, "ratio", "Low end of its 95 % interval over networks."),                        \
        OF(path "_high", of, field.high, "ratio", "High end; null: not known.")
#define SIGNIFICANCE_FIELDS(list, of)                                                                                  \
    OF(list "[].significance.better", of, significance.better, "count",                                                \
       "Kernels that are significantly faster than Ansor's."),                                                         \
        OF(list "[].significance.worse", of, significance.worse, "count", "Kernels that are significantly slower."),   \
        OF(list "[].significance.none", of, significance.none, "count", "Kernels without a significant difference."),  \
        OF(list "[].significance.unknown", of, significance.unknown, "count", "Kernels without a p-value."),           \
        OF(list "[].significance.checked", of, significance.checked, "count",                                          \
           "Printed p-values that the printed spreads decide."),                                                       \
        OF(list "[].significance.agree", of, significance.agree, "count", "Those of them that come out again.")
#define NETWORK_FIELDS(list)                                                                                           \
    OF(list "[].machine", BLOCK, machine, "text", "Machine."),                                                         \
        OF(list "[].network", NET, network, "text", "Network."),                                                       \
        OF(list "[].run", NET, run, "text", "Which run of several; null: the only one."),                              \
        OF(list "[].k", BLOCK, k, "count", "As in rows."),                                                             \
        OF(list "[].kernels", NET, kernels, "count", "Kernels of the block."),                                         \
        OF(list "[].complete", NET, whole, "true or false", "Whether the block is whole."),                            \
        OF(list "[].dp_sum_s", NET, sum[DROPLET_TIME], "seconds", "Sum of kernel times, DPAnsor."),                    \
        OF(list "[].ansork_sum_s", NET, sum[SEED_TIME], "seconds", "Sum of kernel times, Ansor's first k records."),   \
        OF(list "[].ansor10k_sum_s", NET, sum[BASE_TIME], "seconds", "Sum of kernel times, Ansor."),                   \
        OF(list "[].dp_total_tuning_s", NET, sum[DROPLET_TOTAL], "seconds",                                            \
           "Search time of DPAnsor on the authors' clock."),                                                           \
        OF(list "[].ansor10k_tuning_s", NET, sum[BASE_TUNING], "seconds", "Search time of Ansor."),                    \
        OF(list "[].exec_x", NET, exec_x, "ratio", "Kernel speedup."),                                                 \
        OF(list "[].tuning_x", NET, search_x[SWEEP_APPORTIONED], "ratio", "Search speedup on the authors' clock."),    \
        TUNING_FIELDS(list, NET, search_x),                                                                            \
        OF(list "[].seed_exec_x", NET, seed_x, "ratio", "Kernel speedup of Ansor's first k records alone."),           \
        OF(list "[].seed_gain_x", NET, gain_x, "ratio", "What Droplet adds to its seed."),                             \
        OF(list "[].seeds_last", NET, seeds_last, "count", "As in rows."),                                             \
        OF(list "[].spread_x", NET, spread_x, "ratio",                                                                 \
           "Standard deviation of repeats over their mean, of Droplet's best, median over kernels."),                  \
        OF(list "[].ansor10k_spread_x", NET, base_spread_x, "ratio", "The same of Ansor's."),                          \
        OF(list "[].sane_exec_x", NET, sane_x, "ratio", "As sane_exec_geomean of rows."),                              \
        SIGNIFICANCE_FIELDS(list, NET)
const struct json_member droplet_members[] = {
    MEMBER("dir", "text", "The folder, as it was named."),
    MEMBER("form", "text", "authors: their own files; compact: tables."),
    OF("rows[].machine", CELL, machine, "text", "Machine of the k-sweep."),
    OF("rows[].k", CELL, k, "count", "First records of a kernel that Droplet may see."),
    OF("rows[].exec_geomean", CELL, exec, "ratio", "Kernel speedup, geometric mean over networks."),
    OF("rows[].tuning_geomean", CELL, search[SWEEP_APPORTIONED], "ratio",
       "Search speedup on the authors' clock, geometric mean."),
    OF("rows[].wins", CELL, wins, "count", "Networks with a kernel speedup of at least 1."),
    OF("rows[].networks", CELL, counted, "count", "Networks whose blocks are whole; only these count."),
    TUNING_FIELDS("rows", CELL, search),
    OF("rows[].seed_exec_geomean", CELL, seed, "ratio", "Kernel speedup of Ansor's first k records alone."),
    OF("rows[].seed_tuning_geomean", CELL, seed_search, "ratio", "Search speedup of stopping there."),
    INTERVAL_FIELDS("rows[].seed_gain", CELL, gain, "What Droplet adds to its seed."),
    OF("rows[].seed_networks", CELL, gain.n, "count",
       "Networks without a failed seed: of all, seed_exec_geomean times seed_gain is exec_geomean."),
    OF("rows[].seeds_last", CELL, seeds_last, "count", "Kernels whose seed already is Ansor's last best."),
    OF("rows[].sane_exec_geomean", CELL, sane, "ratio",
       "Kernel speedup with kernels 3 times faster than Ansor replaced by their seeds."),
    OF("rows[].sane_wins", CELL, sane_wins, "count", "Networks of at least 1 then."),
    OF("rows[].distinct_exec_geomean", CELL, distinct, "ratio",
       "Kernel speedup without resnet152, a second run of resnet101."),
    OF("rows[].pooled_exec", CELL, pooled_exec, "ratio", "Ratio of kernel sums over all networks."),
    OF("rows[].pooled_tuning", CELL, pooled_search, "ratio", "Ratio of search sums over all networks."),
    OF("rows[].dp_hours", CELL, droplet_hours, "hours", "Search time of DPAnsor, all networks."),
    OF("rows[].ansor10k_hours", CELL, base_hours, "hours", "Search time of Ansor, all networks."),
    OF("rows[].kernels", CELL, kernels, "count", "Kernels of the counted networks."),
    OF("rows[].kernels_not_slower", CELL, not_slower, "count", "Kernels at least as fast as Ansor's."),
    OF("rows[].kernel_geomean", CELL, kernel_exec, "ratio", "Kernel speedup, geometric mean over kernels."),
    OF("rows[].dp_records", CELL, droplet_records, "count", "Records of Droplet."),
    OF("rows[].dp_record_s", CELL, record_cost_s, "seconds", "Cost of one of them."),
    OF("rows[].seed_records", CELL, seed_records, "count", "Records that the seeds were taken from."),
    OF("rows[].ansor10k_records", CELL, base_records, "count", "Records of Ansor."),
    SIGNIFICANCE_FIELDS("rows", CELL),
    NETWORK_FIELDS("networks"),
    NETWORK_FIELDS("variance"),
    OF("repeats[].table", WORDS, first, "text", "exploiters or variance: table of another run of Droplet."),
    OF("repeats[].machine", REPEAT, machine, "text", "Machine."),
    OF("repeats[].run", REPEAT, run, "text", "Which run."),
    OF("repeats[].k", REPEAT, k, "count", "As in rows."),
    OF("repeats[].networks", REPEAT, nnetworks, "count",
       "Networks that count: whole in both, no failed kernel, all from the sweep's seeds."),
    OF("repeats[].wins", REPEAT, wins, "count", "Those of at least 1."),
    OF("repeats[].kernels", REPEAT, kernels, "count", "Their kernels."),
    OF("repeats[].at_seed", REPEAT, at_seed, "count", "Kernels that end at the sweep's seed, to the last digit."),
    OF("repeats[].faster", REPEAT, faster, "count", "Kernels that are faster than in the sweep."),
    OF("repeats[].slower", REPEAT, slower, "count", "Kernels that are slower than in the sweep."),
    OF("repeats[].other_seed", REPEAT, other, "count", "Kernels from other seeds, in networks that do not count."),
    OF("repeats[].exec_geomean", REPEAT, exec, "ratio", "Kernel speedup, geometric mean over networks."),
    OF("repeats[].sweep_exec_geomean", REPEAT, sweep_exec, "ratio", "That of the sweep, same networks."),
    OF("repeats[].seed_exec_geomean", REPEAT, start, "ratio", "Kernel speedup of the seeds alone."),
    INTERVAL_FIELDS("repeats[].seed_gain", REPEAT, gain, "What Droplet adds to its seed."),
    INTERVAL_FIELDS("repeats[].sweep_seed_gain", REPEAT, sweep_gain, "The same in the sweep."),
    INTERVAL_FIELDS("repeats[].kernel_x", REPEAT, kernel,
                    "Time over that in the sweep: geometric mean over a network's kernels, then over networks."),
    OF("repeat_networks[].table", WORDS, first, "text", "As in repeats."),
    OF("repeat_networks[].machine", BLOCK, machine, "text", "Machine."),
    OF("repeat_networks[].run", BLOCK, run, "text", "Which run."),
    OF("repeat_networks[].network", BLOCK, network, "text", "Network."),
    OF("repeat_networks[].exec_x", AGAIN, exec_x, "ratio", "Kernel speedup."),
    OF("repeat_networks[].seed_exec_x", AGAIN, start_x, "ratio", "Kernel speedup of the seeds alone."),
    OF("repeat_networks[].seed_gain_x", AGAIN, gain_x, "ratio", "What Droplet adds to its seed."),
    OF("repeat_networks[].sweep_seed_gain_x", AGAIN, sweep_gain_x, "ratio", "The same in the sweep."),
    OF("repeat_networks[].kernel_x", AGAIN, kernel_x, "ratio", "As in repeats, over kernels."),
    OF("repeat_networks[].at_seed", AGAIN, at_seed, "count", "As in repeats."),
    OF("repeat_networks[].faster", AGAIN, faster, "count", "As in repeats."),
    OF("repeat_networks[].slower", AGAIN, slower, "count", "As in repeats."),
    OF("schedules[].machine", SCHEDULES, machine, "text", "Machine of published schedules."),
    OF("schedules[].network", SCHEDULES, network, "text", "Network; null: all."),
    OF("schedules[].origin", WORDS, first, "text",
       "ansor: its time is that of Ansor's last best; other: it is not; open: its kernel is not known."),
    OF("schedules[].layout_rewrite", SCHEDULES, layout, "number",
       "TVM's: 1 packs weights inside the kernel, 2 before."),
    OF("schedules[].threads", SCHEDULES, threads, "count", "Cores among TVM's hardware parameters."),
    OF("schedules[].records", SCHEDULES, records, "count", "Schedules of this kind."),
    OF("exploiters[].machine", EXPLOITER, machine, "text", "Machine."),
    OF("exploiters[].run", EXPLOITER, run, "text", "Which run."),
    OF("exploiters[].method", EXPLOITER, method, "text", "Search method."),
    OF("exploiters[].complete", EXPLOITER, complete, "count", "Networks with all rows."),
    OF("exploiters[].usable", EXPLOITER, usable, "count", "Of these, without a failed kernel."),
    OF("exploiters[].rows", EXPLOITER, rows, "count", "Rows."),
    OF("exploiters[].failed", EXPLOITER, failed, "count", "Rows of a failed kernel."),
    OF("exploiters[].exec_s", EXPLOITER, exec_s, "seconds", "Sum of kernel times of usable networks."),
    OF("exploiters[].tuning_s", EXPLOITER, tuning_s, "seconds", "Search time of complete networks."),
    OF("exploiters[].records", EXPLOITER, records, "count", "Records of complete networks."),
    OF("exploiters[].exec_geomean", EXPLOITER, exec, "ratio",
       "Ansor over the method, geometric mean over usable networks."),
    OF("exploiters[].exec_lowest", EXPLOITER, lowest, "ratio", "The lowest of them."),
    OF("exploiters[].exec_highest", EXPLOITER, highest, "ratio", "The highest of them."),
    OF("coverage[].machine", COVERAGE, machine, "text", "Machine of an exploiter's files."),
    OF("coverage[].run", COVERAGE, run, "text", "Which run."),
    OF("coverage[].network", COVERAGE, network, "text", "Network."),
    OF("coverage[].kernels", COVERAGE, kernels, "count", "Kernels of the network."),
    OF("coverage[].rows", COVERAGE, rows, "count", "Kernels that the files have."),
    OF("coverage[].status", COVERAGE, status, "text", "complete, partial, empty, no file or no rows."),
    OF("meta[].machine", META, machine, "text", "Machine of the MetaSchedule tables."),
    OF("meta[].k", META, k, "count", "As in rows."),
    OF("meta[].blocks", WORDS, first, "text", "complete: whole blocks; all: partial and mislabelled ones too."),
    OF("meta[].networks", MEANS, networks, "count", "Networks that count."),
    OF("meta[].exec_geomean", MEANS, exec, "ratio", "Kernel speedup, geometric mean."),
    OF("meta[].wins", MEANS, wins, "count", "Networks of at least 1."),
    OF("meta[].seed_exec_geomean", MEANS, seed, "ratio", "Kernel speedup of the first k records alone."),
    OF("meta[].failed_rows", META, failed, "count", "Rows left out because a record failed."),
    OF("meta[].partial", META, partial, "count", "Partial blocks."),
    OF("meta[].mislabelled", META, mislabelled, "count", "Mislabelled blocks."),
    OF("meta[].absent", META, absent, "count", "Networks of the machine without this k."),
    OF("micro[].machine", MICRO, machine, "text", "Machine of a micro-kernel."),
    OF("micro[].kernel", MICRO, kernel, "text", "Its name."),
    OF("micro[].k", MICRO, k, "count", "As in rows."),
    OF("micro[].dp_s", ROW, v[DROPLET_TIME], "seconds", "Droplet's time."),
    OF("micro[].ansor_s", ROW, v[BASE_TIME], "seconds", "Ansor's time."),
    OF("micro[].dp_total_tuning_s", ROW, v[DROPLET_TOTAL], "seconds", "Search time of Droplet with its seed's."),
    OF("micro[].ansor_tuning_s", ROW, v[BASE_TUNING], "seconds", "Search time of Ansor."),
    OF("micro[].exec_x", MICRO, exec_x, "ratio", "Kernel speedup."),
    OF("micro[].tuning_x", MICRO, search_x, "ratio", "Search speedup."),
    OF("micro_other[].tool", BLOCK, method, "text", "Another tool."),
    OF("micro_other[].kernel", BLOCK, network, "text", "Its micro-kernel."),
    OF("micro_other[].time_as_printed", PRINTED, ms, "ms", "Time as the file prints it."),
    OF("micro_other[].tuning_s", ROW, v[DROPLET_TUNING], "seconds", "Search time."),
    OF("outliers[].what", WORDS, first, "text", "fast, worse_than_seed, impossible or failed."),
    OF("outliers[].table", WORDS, second, "text", "Table of the row."),
    OF("outliers[].machine", BLOCK, machine, "text", "Machine."),
    OF("outliers[].run", BLOCK, run, "text", "Which run; null: the only one."),
    OF("outliers[].method", BLOCK, method, "text", "Search method; null: Droplet."),
    OF("outliers[].network", BLOCK, network, "text", "Network."),
    OF("outliers[].kernel", ROW, kernel, "number", "Number of the kernel in the table."),
    OF("outliers[].k", BLOCK, k, "count", "As in rows."),
    OF("outliers[].dp_time_s", ROW, v[DROPLET_TIME], "seconds", "Droplet's time."),
    OF("outliers[].ansork_time_s", ROW, v[SEED_TIME], "seconds", "Its seed's time."),
    OF("outliers[].ansor10k_time_s", ROW, v[BASE_TIME], "seconds", "Ansor's time."),
    OF("outliers[].roofline_s", OUTLIER, bound_s, "seconds",
       "The shortest time that the hardware allows; null: not asked."),
    OF("roofline[].machine", ROOFLINE, machine, "text", "Machine."),
    OF("roofline[].known", ROOFLINE, known, "true or false", "Whether its limits are known."),
    OF("roofline[].networks", ROOFLINE, networks, "count", "Networks held against them."),
    OF("roofline[].without", ROOFLINE, without, "count", "Networks without a fitting network file."),
    OF("roofline[].unfit", ROOFLINE, unfit, "count", "Networks in which Ansor's own times break them."),
    OF("blocks[].state", WORDS, first, "text", "partial, mislabelled or superseded: why a block does not count."),
    OF("blocks[].table", WORDS, second, "text", "Its table."),
    OF("blocks[].machine", BLOCK, machine, "text", "Machine."),
    OF("blocks[].run", BLOCK, run, "text", "Which run; null: the only one."),
    OF("blocks[].method", BLOCK, method, "text", "Search method; null: Droplet."),
    OF("blocks[].network", BLOCK, network, "text", "Network."),
    OF("blocks[].k", BLOCK, k, "count", "As in rows."),
    OF("blocks[].rows", BLOCK, rows.n, "count", "Rows that it has."),
    OF("blocks[].kernels", BLOCK, kernels, "count", "Rows that a whole one has."),
    OF("blocks[].note", BLOCK, note, "text", "The reason."),
    OF("blocks[].file", BLOCK, file, "text", "File below the folder."),
    OF("blocks[].line", BLOCK, line, "number", "Line of its head."),
    MEMBER_MAYBE("empty[]", "text", "A file without rows."),
    MEMBER_MAYBE("duplicates[]", "[text, text]", "Networks whose ONNX files are the same."),
    OF("problems[].file", PROBLEM, file, "text", "File of a row that was left out."),
    OF("problems[].line", PROBLEM, line, "number", "Its line; 0: the whole file."),
    OF("problems[].reason", PROBLEM, text, "text", "Why."),
    FIELD("claims[].id", CLAIM, id, "text", "Name of a claim."),
    FIELD("claims[].machine", CLAIM, machine, "text", "Machine; null: all."),
    FIELD("claims[].verdict", WORDS, first, "text", "holds, doubtful, fails or not in these files."),
    FIELD("claims[].value", CLAIM, value, "number", "The number that decides; null: none."),
    FIELD("claims[].claim", CLAIM, claim, "text", "The claim."),
    FIELD("claims[].found", CLAIM, found, "text", "What the files give."),
    {0}};

/* A new row of a list, of the structs that its members are of. */
static void put(cJSON *out, const char *list, const void *first, const void *second, const void *row,
                const struct words *words)
{
    char under[40];
    snprintf(under, sizeof under, "%s[].", list);
    cJSON *to = cJSON_GetObjectItemCaseSensitive(out, list);
    json_put_fields(json_put_object(to, NULL), droplet_members, under, (const void *[]){first, second, row, words});
}

static void put_rows(cJSON *out, const char *list, const void *rows, int n, size_t size)
{
    json_put_rows(out, droplet_members, list, rows, n, size);
}

static void put_sweeps(cJSON *out, const struct reanalysis *x)
{
    put_rows(out, "rows", x->sweep, x->nsweep, sizeof *x->sweep);
    json_put_array(out, "networks");
    json_put_array(out, "variance");
    for (int i = 0; i < x->nsweep; i++)
        for (int k = 0; k < x->sweep[i].nnetworks; k++)
            put(out, "networks", &x->sweep[i].networks[k], x->sweep[i].networks[k].block, NULL, NULL);
    for (int i = 0; i < x->nvariance; i++)
        put(out, "variance", &x->variance[i], x->variance[i].block, NULL, NULL);
}

static void put_repeats(cJSON *out, const struct reanalysis *x)
{
    json_put_array(out, "repeats");
    json_put_array(out, "repeat_networks");
    json_put_array(out, "schedules");
    for (int i = 0; i < x->nrepeats; i++) {
        const struct repeat_run *p = &x->repeats[i];
        const struct words table = {.first = release_table_words[p->table]};
        put(out, "repeats", p, NULL, NULL, &table);
        for (int k = 0; k < p->nnetworks; k++)
            put(out, "repeat_networks", &p->networks[k], p->networks[k].block, NULL, &table);
    }
    for (int i = 0; i < x->nschedules; i++)
        put(out, "schedules", &x->schedules[i], NULL, NULL,
            &(struct words){.first = schedule_words[x->schedules[i].origin]});
}

static void put_meta(cJSON *out, const struct reanalysis *x)
{
    static const struct words blocks[] = {{.first = "complete"}, {.first = "all"}};
    json_put_array(out, "meta");
    for (int i = 0; i < 2 * x->nmeta; i++)
        put(out, "meta", &x->meta[i / 2], &x->meta[i / 2].of[i % 2], NULL, &blocks[i % 2]);
}

static void put_micro(cJSON *out, const struct reanalysis *x)
{
    json_put_array(out, "micro");
    json_put_array(out, "micro_other");
    for (int i = 0; i < x->nmicro; i++)
        put(out, "micro", &x->micro[i], NULL, x->micro[i].row, NULL);
    for (int i = 0; i < x->release->blocks.n; i++) {
        const struct release_block *b = &x->release->blocks.at[i];
        if (b->table == TABLE_OTHER && b->rows.n)
            put(out, "micro_other", &(struct printed){1e3 * b->rows.at[0].v[DROPLET_TIME]}, b, &b->rows.at[0], NULL);
    }
}

static void put_doubts(cJSON *out, const struct release *r, const struct outliers *s)
{
    json_put_array(out, "outliers");
    put_rows(out, "roofline", s->roofline, s->nroofline, sizeof *s->roofline);
    json_put_array(out, "blocks");
    for (int i = 0; i < s->all.n; i++) {
        const struct outlier *x = &s->all.at[i];
        const struct words words = {outlier_words[x->kind], release_table_words[x->block->table]};
        put(out, "outliers", x, x->block, x->row, &words);
    }
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        const struct words words = {block_state_words[b->state], release_table_words[b->table]};
        if (b->state != BLOCK_WHOLE)
            put(out, "blocks", NULL, b, NULL, &words);
    }
}

static void put_files(cJSON *out, const struct release *r)
{
    cJSON *empty = json_put_array(out, "empty"), *duplicates = json_put_array(out, "duplicates");
    for (int i = 0; i < r->files.n; i++)
        if (!r->files.at[i].rows && !r->files.at[i].listed)
            json_put_str(empty, NULL, r->files.at[i].path);
    for (int i = 0; i < r->duplicates.n; i++) {
        cJSON *pair = json_put_array(duplicates, NULL);
        json_put_str(pair, NULL, r->duplicates.at[i].a);
        json_put_str(pair, NULL, r->duplicates.at[i].b);
    }
    put_rows(out, "problems", r->problems.at, r->problems.n, sizeof *r->problems.at);
}

cJSON *released_json(const struct reanalysis *x, const struct outliers *s, const struct released_claims *c)
{
    cJSON *out = json_object();
    json_put_str(out, "dir", x->release->dir);
    json_put_str(out, "form", x->release->compact ? "compact" : "authors");
    put_sweeps(out, x);
    put_repeats(out, x);
    put_rows(out, "exploiters", x->exploiters, x->nexploiters, sizeof *x->exploiters);
    put_rows(out, "coverage", x->coverage, x->ncoverage, sizeof *x->coverage);
    put_meta(out, x);
    put_micro(out, x);
    put_doubts(out, x->release, s);
    put_files(out, x->release);
    json_put_array(out, "claims");
    for (int i = 0; i < c->n; i++)
        put(out, "claims", &c->all[i], NULL, NULL, &(struct words){.first = released_claim_words[c->all[i].verdict]});
    return out;
}
