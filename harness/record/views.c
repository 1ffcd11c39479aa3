/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/record/views.h"

/* Which cell a row is of. */
#define CELL                                                                                                           \
    {"cell", "c.cell", "Number of the cell: one arm on one network with one seed."},                                   \
        {"network", "c.network", "Its network."}, {"arm", "c.arm", "Its arm."}, {"seed", "c.seed", "Its seed."}
#define KERNEL                                                                                                         \
    {"kernel", "t.task", "Number of the kernel in its network, from 0."},                                              \
        {"name", "t.name", "The kernel as people read it."}
#define JOINED " JOIN cell c USING(cell) JOIN task t ON t.cell = c.cell AND t.task = "

static const struct view_column arms[] = {
    CELL,
    {"searcher", "c.searcher", "Its searcher."},
    {"model", "c.model", "Its cost model."},
    {"explorer", "(SELECT e.arm FROM cell e WHERE e.cell = c.explore_cell)", "The arm whose records it begins from."},
    {"k", "c.k", "It begins from the best of so many first records of a kernel; 0: of all."},
    {"state", "c.state", "Empty, running or done."},
    {"trials", "(SELECT count(*) FROM trial r WHERE r.cell = c.cell)", "Records so far."},
    {"search_s", "c.elapsed_s", "The search's clock, in s."},
    {NULL, NULL, NULL}};
static const struct view_column kernels[] = {
    CELL,
    KERNEL,
    {"spec", "t.spec", "The kernel as --task takes it."},
    {"weight", "t.weight", "How often the network calls it."},
    {"flops", "t.flops", "Floating point operations of a call."},
    {"trials", "(SELECT count(*) FROM trial r WHERE r.cell = t.cell AND r.task = t.task)", "Records so far."},
    {"best_s", "(SELECT min(mean_s) FROM trial r WHERE r.cell = t.cell AND r.task = t.task)",
     "Least mean time of a call that the search saw, in s: lower than the program's true time."},
    {"best_trial",
     "(SELECT id FROM trial r WHERE r.cell = t.cell AND r.task = t.task AND mean_s IS NOT NULL ORDER BY"
     " mean_s, id LIMIT 1)",
     "The trial that had it."},
    {NULL, NULL, NULL}};
static const struct view_column trials[] = {
    {"trial", "r.id", "Number of the trial."},
    CELL,
    KERNEL,
    {"round", "r.round", "Round of the cell, from 0."},
    {"ordinal", "r.ordinal", "Its place among the trials of the cell, from 0."},
    {"outcome", "r.outcome", "ok, or why it has no time."},
    {"message", "r.message", "What went wrong."},
    {"mean_s", "r.mean_s", "Mean time of a call, in s; NULL unless ok."},
    {"gflops", "t.flops / r.mean_s / 1e9", "GFLOP/s at that time."},
    {"build_s", "r.build_s", "What its build took, in s."},
    {"cached_s", "r.cached_s", "What its build would have taken more, had it not been found, in s."},
    {"run_s", "r.run_s", "What its runs took, in s."},
    {"verify_s", "r.verify_s", "What its verification took, in s."},
    {"cost_s", "r.cost_s", "What the clock of costs has of it, in s."},
    {"elapsed_s", "r.elapsed_s", "The search's clock when it was done, in s."},
    {"score", "r.model_score", "What the cost model had said; greater is faster."},
    {"hash", "r.hash", "Hash of the program."},
    {"steps", "r.steps", "Its schedule, as TVM's steps in JSON."},
    {NULL, NULL, NULL}};
static const struct view_column rounds[] = {
    CELL,
    KERNEL,
    {"round", "r.round", "Round of the cell, from 0."},
    {"asked", "r.asked", "Programs that the searcher proposed."},
    {"begin_s", "r.begin_s", "The search's clock at its beginning, in s."},
    {"end_s", "r.end_s", "The search's clock at its end, in s; NULL while it lasts."},
    {"best_s", "(SELECT min(mean_s) FROM trial x WHERE x.cell = r.cell AND x.round = r.round)",
     "Least mean time of a call among its trials, in s."},
    {NULL, NULL, NULL}};
static const struct view_column retimings[] = {
    {"duel", "l.duel", "Number of the duel: one kernel of a network in one seed."},
    {"network", "d.network", "Its network."},
    {"seed", "d.seed", "Its seed."},
    {"kernel", "d.task", "Number of the kernel in its network, from 0."},
    {"null_pair", "d.null_pair", "1: the duel is of one program with itself."},
    {"launch", "l.launch", "Number of the launch, from 0: one fresh process for each program."},
    {"place", "l.place", "Place of the program in the duel, from 0."},
    {"arms",
     "(SELECT group_concat(DISTINCT c.arm) FROM duel_program p JOIN trial r ON r.id = p.trial JOIN cell c"
     " USING(cell) WHERE p.duel = l.duel AND p.place = l.place)",
     "The arms that found the program."},
    {"outcome", "l.outcome", "ok, or why it has no time."},
    {"mean_s", "(SELECT avg(value) FROM json_each(l.seconds))", "Mean of a call over the slices of the launch, in s."},
    {"slices", "json_array_length(l.seconds)", "How many slices it had."},
    {NULL, NULL, NULL}};

const struct record_view views[] = {
    {"arms", "an arm on a network with a seed", "cell c", arms},
    {"kernels", "a kernel of such a cell", "task t JOIN cell c USING(cell)", kernels},
    {"trials", "a measured candidate", "trial r" JOINED "r.task", trials},
    {"rounds", "a round of a search", "round r" JOINED "r.task", rounds},
    {"retimings", "a program in a launch of the re-timing", "duel_launch l JOIN duel d USING(duel)", retimings},
    {NULL, NULL, NULL, NULL}};

void views_sql(struct text *out)
{
    for (const struct record_view *v = views; v->name; v++) {
        text_printf(out, "CREATE VIEW %s AS SELECT ", v->name);
        for (const struct view_column *c = v->columns; c->name; c++)
            text_printf(out, "%s%s AS %s", c == v->columns ? "" : ", ", c->expression, c->name);
        text_printf(out, " FROM %s;", v->from);
    }
}
