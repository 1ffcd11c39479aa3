/* SPDX-License-Identifier: Apache-2.0 */
/* provenance: the queries stand here as text for readers; the report itself asks the same of the store through
 * arm_result.c. A test runs each of them. */
#include "harness/report/render/provenance.h"

#include "harness/report/render/markup.h"

/* ?CELL, ?LOG and ?K are the cell of the row, the cell of its Ansor log, and k. */
static const struct {
    const char *number, *meaning, *query;
} origins[] = {
    {"kernels, sum (Ansor)", "sum over kernels of the best mean of a valid record",
     "SELECT sum(best) FROM (SELECT min(mean_s) AS best FROM trial WHERE cell = ?LOG GROUP BY task)"},
    {"kernels, by calls (Ansor)", "the same, each as often as the network calls it",
     "SELECT sum(best * weight) FROM (SELECT task, min(mean_s) AS best FROM trial WHERE cell = ?LOG GROUP BY task) "
     "JOIN "
     "task USING(task) WHERE task.cell = ?LOG"},
    {"kernels, Ansor-k", "the same within the first k records of each kernel",
     "SELECT sum(best) FROM (SELECT min(mean_s) AS best FROM trial WHERE cell = ?LOG AND task_ordinal < ?K GROUP BY "
     "task)"},
    {"kernels, DPAnsor-k", "best of the descent or its seed; a shared descent lies in shared_cell",
     "SELECT sum(best) FROM (SELECT min(min(s.mean_s), min(t.mean_s)) AS best FROM task JOIN trial AS s ON s.id = "
     "seed_trial "
     "LEFT JOIN trial AS t ON t.cell = CASE WHEN shared_cell < 0 THEN task.cell ELSE shared_cell END AND t.task = "
     "task.task "
     "WHERE task.cell = ?CELL GROUP BY task.task)"},
    {"re-timed", "median over launches of the median of the repeats in a fresh process, of the same winners",
     "SELECT trial, launch, retiming.seconds FROM retiming JOIN trial ON trial.id = retiming.trial WHERE cell IN "
     "(?LOG, ?CELL) "
     "ORDER "
     "BY trial, "
     "launch"},
    {"search, wall clock (Ansor)", "the cell's clock", "SELECT elapsed_s FROM cell WHERE cell = ?LOG"},
    {"search, wall clock (Ansor-k)", "rounds by the share of their records that are among the first k of the kernel",
     "SELECT sum((end_s - begin_s) * part / n) FROM round JOIN (SELECT round, count(*) AS n, sum(task_ordinal < ?K) AS "
     "part "
     "FROM trial WHERE cell = ?LOG GROUP BY round) USING(round) WHERE cell = ?LOG"},
    {"search, wall clock (descent)", "added to that of its seeds",
     "SELECT sum(wall_s) FROM task JOIN trial ON trial.cell = CASE WHEN shared_cell < 0 THEN task.cell ELSE "
     "shared_cell END AND "
     "trial.task = task.task WHERE task.cell = ?CELL"},
    {"search, paper's clock (Ansor)", "records times the mean cost of the whole log",
     "SELECT count(*) * avg(cost_s) FROM trial WHERE cell = ?LOG"},
    {"search, paper's clock (descent)",
     "costs of its records and its seeds' once more, added to records x mean cost of the seeds",
     "SELECT (SELECT sum(cost_s) FROM task JOIN trial ON trial.cell = CASE WHEN shared_cell < 0 THEN task.cell ELSE "
     "shared_cell END AND trial.task = task.task WHERE task.cell = ?CELL) + (SELECT sum(cost_s) FROM task JOIN trial "
     "ON "
     "trial.id = seed_trial WHERE task.cell = ?CELL)"},
    {"device time", "running and verifying", "SELECT sum(run_s + verify_s) FROM trial WHERE cell = ?LOG"},
    {"CPU time", "of the searching process", "SELECT cpu_s FROM cell WHERE cell = ?LOG"},
    {"phases", "of complete rounds",
     "SELECT name, sum(seconds) FROM event WHERE kind = 'phase' GROUP BY name ORDER BY name"},
    {"A/A floor", "readings of the two pretended arms (0 and 1) of each program, before and after",
     "SELECT stage, program, launch, arm, seconds FROM aa_reading ORDER BY stage, program, launch, arm"},
    {"losses", "shoot-out times of all programs that were timed again, by kernel",
     "SELECT spec, trial.id, network, arm, mean_s, launch, retiming.seconds FROM retiming JOIN trial ON trial.id = "
     "retiming.trial JOIN task USING(cell, task) JOIN cell USING(cell) ORDER BY spec, trial.id, launch"},
    {"failures", "by outcome and message",
     "SELECT outcome, message, count(*) FROM trial WHERE outcome <> 'ok' GROUP BY outcome, message ORDER BY 3 DESC"},
};

static void cells(const struct arm_results *m, const char *network, struct text *t)
{
    bool first = true;
    text_add(t, "<tr><td>");
    markup_text(t, network);
    text_add(t, "</td><td class=\"l\">");
    for (int i = 0; i < m->ncells; i++) {
        const struct store_cell *c = &m->cells[i];
        if (!str_eq(c->network, network))
            continue;
        markup_printf(t, "%s%d %s (seed %lld%s%s)", first ? "" : ", ", i, c->arm, (long long)c->seed,
                      str_eq(c->state, "done") ? "" : ", ", str_eq(c->state, "done") ? "" : "not done");
        first = false;
    }
    text_add(t, "</td></tr>\n");
}

bool provenance_html(const struct report *r, struct text *t, struct err *err)
{
    const struct store_campaign *c = store_campaign(r->store);
    struct arm_results m;
    if (!arm_results_open(&m, r->arena, r->store, err))
        return false;
    text_add(t, "<section id=\"origin\"><h2>Where the numbers come from</h2>\n<p>Every number is computed from "
                "<code>records.db</code> in the results folder, one row a measured candidate. Experiment hash <code>");
    markup_text(t, c->experiment_hash);
    text_add(t, "</code>, made by raingauge <code>");
    markup_text(t, c->revision);
    text_add(t,
             "</code>. The query gives what the number is made of for one seed; ratios are Ansor's over the row's, "
             "joined over seeds and networks by geometric means. ?CELL, ?LOG: the cell of the row and of its Ansor log "
             "(below); ?K: its k.</p>\n<dl class=\"queries\">");
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        text_add(t, "<dt>");
        markup_text(t, origins[i].number);
        text_add(t, "</dt><dd>");
        markup_text(t, origins[i].meaning);
        text_add(t, "<br/><code class=\"sql\">");
        markup_text(t, origins[i].query);
        text_add(t, "</code></dd>\n");
    }
    text_add(t, "</dl>\n<div class=\"scroll\"><table><thead><tr><th>network</th><th "
                "class=\"l\">cells</th></tr></thead><tbody>\n");
    for (int i = 0; i < r->experiment->nnetworks; i++)
        cells(&m, r->experiment->networks[i]->name, t);
    markup_table_end(t);
    text_add(t, "</section>\n");
    return true;
}
