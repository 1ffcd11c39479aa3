/* SPDX-License-Identifier: Apache-2.0 */
/* released_text: sections in the order a reader asks: what was read, the headline, its parts, the other tables, what
 * should not be believed, and what differs from the claims. */
#include "harness/released/droplet/released_text.h"

#include <math.h>
#include <stdio.h>

enum { LISTED = 40 };

/* What was read --------------------------------------------------------------------------------------------------- */

static void print_read(const struct reanalysis *x, struct text *t)
{
    const struct release *r = x->release;
    int files[TABLE_COUNT] = {0}, rows[TABLE_COUNT] = {0};
    for (int i = 0; i < r->files.n; i++)
        files[r->files.at[i].table] += !r->files.at[i].listed;
    for (int i = 0; i < r->blocks.n; i++)
        rows[r->blocks.at[i].table] += r->blocks.at[i].rows.n;
    text_printf(t, "released results in %s (%s)\n", r->dir, r->compact ? "compact tables" : "the authors' own files");
    for (int f = 0; f < TABLE_COUNT; f++)
        if (files[f])
            text_printf(t, "  %-11s %4d files, %6d rows\n", release_table_words[f], files[f], rows[f]);
    if (r->unread.n)
        text_printf(t, "  not read    %4d files that later ones replace or no rule names, such as %s\n", r->unread.n,
                    r->unread.at[0]);
    if (r->problems.n)
        text_printf(t, "  broken      %4d rows or files left out, named on stderr\n", r->problems.n);
}

/* k-sweep --------------------------------------------------------------------------------------------------------- */

static void print_sweep(const struct reanalysis *x, struct text *t)
{
    text_heading(t, "k-sweep: Ansor after 10,000 trials / Droplet from the best of its first k records a kernel");
    text_add(t, "geometric means over networks of ratios of kernel sums, each kernel once; above 1 favours Droplet\n"
                "                      kernel          search time                      Ansor-k alone\n"
                "machine          k      speed  wins   authors'    own   wall  records   speed  search   sane\n");
    for (int i = 0; i < x->nsweep; i++) {
        const struct sweep_cell *c = &x->sweep[i];
        if (i && !str_eq(c->machine, x->sweep[i - 1].machine))
            text_char(t, '\n');
        text_printf(t, "%-12s %5lld ", c->machine, (long long)c->k);
        text_cell(t, 9, 6, c->exec);
        text_printf(t, " %2d/%-2d", c->wins, c->counted);
        text_cell(t, 10, 6, c->search[SWEEP_APPORTIONED]);
        text_cell(t, 7, 2, c->search[SWEEP_OWN]);
        text_cell(t, 6, 2, c->search[SWEEP_WALL]);
        text_cell(t, 7, 2, c->search[SWEEP_TRIALS]);
        text_cell(t, 7, 3, c->seed);
        text_cell(t, 7, 2, c->seed_search);
        text_cell(t, 7, 3, c->sane);
        text_char(t, '\n');
    }
    for (int i = 0; i < SWEEP_CLOCKS; i++)
        text_printf(t, "%-9s %s\n",
                    i == SWEEP_APPORTIONED ? "authors'"
                    : i == SWEEP_TRIALS    ? "records"
                                           : sweep_clock_words[i],
                    sweep_clock_titles[i]);
    text_add(t, "sane      kernel speed with each kernel that is 3 times faster than Ansor-10k replaced by its seed\n");
}

static void print_range(const struct interval *i, struct text *t)
{
    char range[40] = "-";
    if (isfinite(i->high))
        snprintf(range, sizeof range, "[%.3f, %.3f]", i->low, i->high);
    text_cell(t, 6, 3, i->ratio);
    text_printf(t, " %-16s", range);
}

static void print_gains(const struct reanalysis *x, struct text *t)
{
    text_heading(t, "start x gain: the seeds alone, and what Droplet adds to them, with its interval over networks");
    text_add(t, "machine          k  speed = start x gain, 95 %             networks  seeds that are Ansor's last best "
                "already\n");
    for (int i = 0; i < x->nsweep; i++) {
        const struct sweep_cell *c = &x->sweep[i];
        text_printf(t, "%-12s %5lld", c->machine, (long long)c->k);
        text_cell(t, 6, 3, c->exec);
        text_cell(t, 7, 3, c->seed);
        print_range(&c->gain, t);
        text_printf(t, " %8d %6d of %d\n", c->gain.n, c->seeds_last, c->kernels);
    }
    text_add(t, "networks: without a failed seed; of those alone are start and gain\n");
}

static void print_repeats(const struct reanalysis *x, struct text *t)
{
    text_heading(t, "Droplet run again: the authors' other runs beside the sweep, kernel by kernel from equal seeds");
    text_add(t,
             "machine  run            networks  speed  wins = start x gain, 95 %             the sweep's gain        "
             "time / the sweep's      kernels at seed  faster  slower\n");
    for (int i = 0; i < x->nrepeats; i++) {
        const struct repeat_run *p = &x->repeats[i];
        text_printf(t, "%-8s %-14s %8d", p->machine, p->title, p->nnetworks);
        text_cell(t, 6, 3, p->exec);
        text_printf(t, "%6d", p->wins);
        text_cell(t, 7, 3, p->start);
        print_range(&p->gain, t);
        print_range(&p->sweep_gain, t);
        print_range(&p->kernel, t);
        text_printf(t, "%7d %7d %7d %7d\n", p->kernels, p->at_seed, p->faster, p->slower);
    }
    text_add(t, "networks: whole in both, without a failed kernel, all kernels from the sweep's seeds; at seed: the "
                "time is the seed's,\nto the last digit. time / the sweep's: over a network's kernels, then over "
                "networks. Tables of exploiters print no\nseed: there a kernel that is slower than the sweep's seed "
                "began at another one.\n");
    for (int i = 0; i < x->nrepeats; i++)
        if (x->repeats[i].other)
            text_printf(t, "  other seeds: %s %s: %d kernels, the first at %s:%d; their networks do not count\n",
                        x->repeats[i].machine, x->repeats[i].title, x->repeats[i].other, x->repeats[i].other_file,
                        x->repeats[i].other_line);
}

static void print_schedules(const struct reanalysis *x, struct text *t)
{
    text_heading(t, "published schedules: whose, and compiled how");
    text_add(t, "ansor: its time is that of Ansor's last best; other: it is not; open: a file with a kernel twice\n"
                "machine      origin  layout_rewrite  threads  records\n");
    for (int i = 0; i < x->nschedules; i++) {
        const struct schedule_count *c = &x->schedules[i];
        if (!*c->network)
            text_printf(t, "%-12s %-6s %15d %8d %8d\n", c->machine, schedule_words[c->origin], c->layout, c->threads,
                        c->records);
    }
    text_add(t, "layout_rewrite 2: weights come packed; 1: the kernel packs them itself, in its own time.\n");
}

static void print_cell(const struct sweep_cell *c, struct text *t)
{
    text_printf(t, "%s, k = %lld: sums over kernels, ms\n", c->machine, (long long)c->k);
    text_add(t, "  network         K      DPAnsor      Ansor-k    Ansor-10k  kernel  search  records\n");
    for (int i = 0; i < c->nnetworks; i++) {
        const struct sweep_network *n = &c->networks[i];
        text_printf(t, "  %-13s %3d", n->network, n->kernels);
        text_cell(t, 12, 5, 1e3 * n->sum[DROPLET_TIME]);
        text_cell(t, 12, 5, 1e3 * n->sum[SEED_TIME]);
        text_cell(t, 12, 5, 1e3 * n->sum[BASE_TIME]);
        text_cell(t, 7, 3, n->exec_x);
        text_cell(t, 7, 2, n->search_x[SWEEP_APPORTIONED]);
        text_cell(t, 8, 2, n->search_x[SWEEP_TRIALS]);
        text_add(t, n->whole ? "\n" : "  partial: in no mean\n");
    }
    if (!c->counted)
        return;
    text_printf(t,
                "  all together: kernel %.3f, search %.2f (%.1f h against %.1f h); %d of %d kernels no slower, "
                "geometric mean %.3f;\n",
                c->pooled_exec, c->pooled_search, c->droplet_hours, c->base_hours, c->not_slower, c->kernels,
                c->kernel_exec);
    text_printf(t,
                "  %.1f Droplet records a kernel at %.2f s; records of the seeds %.0f, of Ansor-10k %.0f; kernel speed "
                "without resnet152 %.3f\n",
                c->droplet_records / c->kernels, c->record_cost_s, c->seed_records, c->base_records, c->distinct);
}

static void print_networks(const struct reanalysis *x, int64_t k, struct text *t)
{
    text_heading(t, "by network");
    bool any = false;
    for (int i = 0; i < x->nsweep; i++)
        if (x->sweep[i].k == k) {
            text_add(t, any ? "\n" : "");
            print_cell(&x->sweep[i], t);
            any = true;
        }
    if (!any)
        text_printf(t, "nothing was released for k = %lld\n", (long long)k);
}

/* Significance ---------------------------------------------------------------------------------------------------- */

static void print_counts(const struct significance *s, struct text *t)
{
    text_printf(t, " %7d %6d %6d %8d", s->better, s->worse, s->none, s->unknown);
    if (s->checked)
        text_printf(t, "   %d of %d", s->agree, s->checked);
    text_char(t, '\n');
}

static void print_significance(const struct reanalysis *x, struct text *t)
{
    text_heading(t, "significance: Droplet's best against Ansor-10k's, t-test over three repeats, p <= 0.05");
    text_add(t,
             "recomputed: printed p that agrees with the printed means and spreads, of those these decide\n"
             "spread: standard deviation over mean of the repeats, median over kernels, of Ansor's and of Droplet's\n"
             "machine   network    run     k  kernel  search  spread, %       better  worse   none  unknown   "
             "recomputed\n");
    for (int i = 0; i < x->nvariance; i++) {
        const struct sweep_network *n = &x->variance[i];
        text_printf(t, "%-9s %-10s %-3s %5lld", n->block->machine, n->network, n->run, (long long)n->block->k);
        text_cell(t, 7, 3, n->exec_x);
        text_cell(t, 7, 2, n->search_x[SWEEP_APPORTIONED]);
        text_cell(t, 7, 2, 100 * n->base_spread_x);
        text_cell(t, 7, 2, 100 * n->spread_x);
        print_counts(&n->significance, t);
    }
    for (int i = 0; i < x->nsweep; i++) {
        const struct sweep_cell *c = &x->sweep[i];
        if (c->significance.better + c->significance.worse + c->significance.none == 0)
            continue;
        text_printf(t, "%-9s %-10s %-3s %5lld", c->machine, "all", "", (long long)c->k);
        text_cell(t, 7, 3, c->exec);
        text_cell(t, 7, 2, c->search[SWEEP_APPORTIONED]);
        text_printf(t, "%16s", "");
        print_counts(&c->significance, t);
    }
    text_add(t, "The test is over repeats of one program: it says nothing about the luck of the search.\n");
}

/* Exploiters, micro-kernels, MetaSchedule ------------------------------------------------------------------------- */

static void print_coverage(const struct reanalysis *x, struct text *t)
{
    const struct coverage *before = NULL;
    for (int i = 0; i < x->ncoverage; i++) {
        const struct coverage *c = &x->coverage[i];
        if (str_eq(c->status, "complete"))
            continue;
        if (!before || !str_eq(before->run, c->run) || !str_eq(before->machine, c->machine))
            text_printf(t, "%s  not complete: %s %s:", before ? "\n" : "", c->machine, c->run);
        else
            text_char(t, ',');
        text_printf(t, " %s", c->network);
        if (c->rows)
            text_printf(t, " (%d of %d)", c->rows, c->kernels);
        else
            text_printf(t, " (%s)", c->status);
        before = c;
    }
    text_add(t, before ? "\n" : "");
}

static void print_exploiters(const struct reanalysis *x, struct text *t)
{
    text_heading(t, "exploiters from the same 300 records, 100 trials a kernel");
    text_add(t, "machine  run        method    networks  usable  failed  kernels ms  tuning min  records  Ansor-10k / "
                "it, range\n");
    for (int i = 0; i < x->nexploiters; i++) {
        const struct exploiter *e = &x->exploiters[i];
        text_printf(t, "%-8s %-10s %-9s %8d %7d %7d", e->machine, e->run, e->method, e->complete, e->usable, e->failed);
        text_cell(t, 11, 2, 1e3 * e->exec_s);
        text_cell(t, 11, 0, e->tuning_s / 60);
        text_cell(t, 8, 0, e->records);
        text_cell(t, 9, 3, e->exec);
        if (isfinite(e->lowest))
            text_printf(t, "  %.2f to %.2f", e->lowest, e->highest);
        text_char(t, '\n');
    }
    text_add(
        t,
        "networks: with all kernels; usable: of these, without a failed kernel (9999 s), and only these are summed.\n"
        "Only Droplet inherits the seed; the rivals start from factors of 1.\n");
    print_coverage(x, t);
}

static void print_micro(const struct reanalysis *x, struct text *t)
{
    text_heading(t, "micro-kernels: ms (Ansor after 1,000 trials / Droplet: kernel, search)");
    for (int i = 0; i < x->nmicro; i++) {
        const struct micro_cell *c = &x->micro[i];
        bool first = i == 0 || x->micro[i - 1].k != c->k || !str_eq(x->micro[i - 1].machine, c->machine);
        if (first)
            text_printf(t, "%s%-8s k=%-5lld", i ? "\n" : "", c->machine, (long long)c->k);
        text_printf(t, " %s %.5f", c->kernel, 1e3 * c->row->v[DROPLET_TIME]);
        if (isfinite(c->exec_x))
            text_printf(t, " (%.2f, %.2f)", c->exec_x, c->search_x);
    }
    text_char(t, '\n');
    const char *tool = "";
    for (int i = 0; i < x->release->blocks.n; i++) {
        const struct release_block *b = &x->release->blocks.at[i];
        if (b->table != TABLE_OTHER || !b->rows.n)
            continue;
        if (!str_eq(tool, b->method))
            text_printf(t, "%s%-16s", *tool ? "\n" : "other tools, as printed (another matmul, of 16 rows):\n",
                        b->method);
        text_printf(t, " %s %.5f", b->network, 1e3 * b->rows.at[0].v[DROPLET_TIME]);
        tool = b->method;
    }
    text_add(t, *tool ? "\n" : "");
}

static void print_meta(const struct reanalysis *x, struct text *t)
{
    text_heading(t, "MetaSchedule: its 10,000 trials / DPMeta from the best of its first k");
    text_add(t,
             "complete: blocks with all their rows; all: partial and mislabelled blocks too, under the name they bear\n"
             "machine        k  complete         wins        all         wins   Meta-k alone  failed  partial  "
             "mislabelled  absent\n");
    for (int i = 0; i < x->nmeta; i++) {
        const struct meta_cell *c = &x->meta[i];
        if (i && !str_eq(c->machine, x->meta[i - 1].machine))
            text_char(t, '\n');
        text_printf(t, "%-10s %5lld", c->machine, (long long)c->k);
        for (int all = 0; all < 2; all++) {
            text_cell(t, 9, 6, c->of[all].exec);
            text_printf(t, " %8d of %-2d", c->of[all].wins, c->of[all].networks);
        }
        text_cell(t, 13, 3, c->of[1].seed);
        text_printf(t, " %7d %8d %12d %7d\n", c->failed, c->partial, c->mislabelled, c->absent);
    }
    text_add(t, "Its tuning times are not used: the authors divide minutes by the lines of a console log.\n");
}

/* Doubts and claims ----------------------------------------------------------------------------------------------- */

static void print_outlier(const struct outlier *s, struct text *t)
{
    const double *v = s->row->v;
    text_printf(t, "    %-8s k=%-5lld %-12s kernel %3d %10.2f us, its seed %10.2f, Ansor-10k %10.2f", s->block->machine,
                (long long)s->block->k, s->block->network, s->row->kernel, 1e6 * v[DROPLET_TIME], 1e6 * v[SEED_TIME],
                1e6 * v[BASE_TIME]);
    if (isfinite(s->bound_s))
        text_printf(t, ", roofline %.2f", 1e6 * s->bound_s);
    text_printf(t, "  (%s:%d)\n", s->block->file, s->row->line);
}

static void print_kind(const struct outliers *s, enum outlier_kind kind, int64_t k, struct text *t)
{
    int shown = 0, here = 0;
    text_printf(t, "  %-16s %4d rows: %s\n", outlier_words[kind], s->count[kind], outlier_titles[kind]);
    for (int i = 0; i < s->all.n && kind != OUTLIER_FAILED; i++) {
        const struct outlier *x = &s->all.at[i];
        if (x->kind != kind || (x->block->k != k && kind != OUTLIER_IMPOSSIBLE))
            continue;
        if (here++ < LISTED && ++shown)
            print_outlier(x, t);
    }
    if (here > shown)
        text_printf(t, "    and %d more%s\n", here - shown, kind == OUTLIER_IMPOSSIBLE ? "" : " at this k");
}

static void print_roofline(const struct outliers *s, struct text *t)
{
    for (int i = 0; i < s->nroofline; i++) {
        const struct roofline_coverage *r = &s->roofline[i];
        if (!r->known)
            text_printf(t, "  roofline: no limits are known for %s\n", r->machine);
        else if (r->without)
            text_printf(t,
                        "  roofline: %s: %d networks held against it, %d not (no network file with as many kernels)\n",
                        r->machine, r->networks, r->without);
        if (r->unfit)
            text_printf(t, "  roofline: %s: in %d networks Ansor's own times are below it\n", r->machine, r->unfit);
    }
}

static void print_doubts(const struct reanalysis *x, const struct outliers *s, int64_t k, struct text *t)
{
    const struct release *r = x->release;
    text_heading(t, "what should not be believed (nothing in the authors' measuring path compares outputs)");
    for (int i = 0; i < OUTLIER_KINDS; i++)
        print_kind(s, (enum outlier_kind)i, k, t);
    print_roofline(s, t);
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        if (b->state != BLOCK_WHOLE)
            text_printf(t, "  %-11s %s %s %s%s%s k=%lld: %s (%s:%d)\n", block_state_words[b->state],
                        release_table_words[b->table], b->machine, b->network, *b->run ? " " : "", b->run,
                        (long long)b->k, b->note, b->file, b->line);
    }
    int empty = 0;
    for (int i = 0; i < r->files.n; i++)
        if (!r->files.at[i].rows && !r->files.at[i].listed && empty++ < LISTED)
            text_printf(t, "  empty       %s\n", r->files.at[i].path);
    if (empty > LISTED)
        text_printf(t, "  empty       and %d more\n", empty - LISTED);
    for (int i = 0; i < r->duplicates.n; i++)
        text_printf(t, "  duplicate   %s and %s have the same ONNX file\n", r->duplicates.at[i].a,
                    r->duplicates.at[i].b);
    if (!r->duplicates.n)
        text_add(
            t,
            "  duplicate   resnet152 is a second run of resnet101: known from the authors' ONNX files, which are not "
            "here\n");
}

static void print_claims(const struct released_claims *c, struct text *t)
{
    text_heading(t, "claims and these files");
    for (int i = 0; i < c->n; i++) {
        const struct released_claim *x = &c->all[i];
        if (i == 0 || !str_eq(x->claim, c->all[i - 1].claim))
            text_printf(t, "%s: %s\n", x->id, x->claim);
        text_printf(t, "   %-9s %-18s %s\n", *x->machine ? x->machine : "all", released_claim_words[x->verdict],
                    x->found);
    }
}

void released_text_print(const struct reanalysis *x, const struct outliers *s, const struct released_claims *c,
                         int64_t k, struct text *t)
{
    print_read(x, t);
    if (x->nsweep) {
        print_sweep(x, t);
        print_gains(x, t);
        print_networks(x, k, t);
    }
    if (x->nrepeats)
        print_repeats(x, t);
    if (x->nschedules)
        print_schedules(x, t);
    if (x->nvariance || x->nsweep)
        print_significance(x, t);
    if (x->nexploiters)
        print_exploiters(x, t);
    if (x->nmicro)
        print_micro(x, t);
    if (x->nmeta)
        print_meta(x, t);
    print_doubts(x, s, k, t);
    print_claims(c, t);
}
