/* SPDX-License-Identifier: Apache-2.0 */
/* released_claims: one row a claim and machine. "Usually" (C1) is read as: more than half of the networks, and a
 * geometric mean of at least 1; both with kernels 3 times faster than Ansor-10k replaced by their seeds, else it is
 * doubtful. */
#include "harness/released/droplet/released_claims.h"
#include "harness/released/droplet/paper_networks.h"

#include <math.h>

enum { MOST = 64, HEADLINE_K = 300 };

const char *const released_claim_words[] = {"holds", "doubtful", "fails", "not in these files"};

static void add(struct released_claims *out, const char *id, const char *claim, const char *machine,
                enum released_claim_verdict verdict, double value, const char *found)
{
    if (out->n < MOST)
        out->all[out->n++] = (struct released_claim){id, claim, machine, verdict, value, found};
}

static void speed(struct arena *a, struct released_claims *out, const struct reanalysis *x, const struct sweep_cell *c,
                  const struct outliers *s)
{
    int fast = outlier_count(s, OUTLIER_FAST, c->machine, c->k);
    struct text found = {0};
    text_printf(&found, "%d of %d networks, geometric mean %.3f", c->wins, c->counted, c->exec);
    if (fast)
        text_printf(&found, "; with the %d kernels that are 3 times faster replaced by their seeds %d, %.3f", fast,
                    c->sane_wins, c->sane);
    text_printf(&found, "; Ansor stopped there without Droplet %.3f", c->seed);
    const char *again = repeats_apart(a, x->repeats, x->nrepeats, c->machine, c->k, NULL);
    if (*again)
        text_printf(&found, "; run again from the same seeds %s", again);
    bool wins = 2 * c->wins > c->counted && c->exec >= 1, sane = 2 * c->sane_wins > c->counted && c->sane >= 1;
    add(out, "C1", "Droplet on the best of Ansor's first 300 kernels usually beats Ansor after 10,000", c->machine,
        wins && sane ? RELEASED_CLAIM_HOLDS
        : wins       ? RELEASED_CLAIM_DOUBTFUL
                     : RELEASED_CLAIM_FAILS,
        c->exec, arena_str(a, text_str(&found)));
    text_free(&found);
}

static void search(struct arena *a, struct released_claims *out, const struct sweep_cell *c)
{
    const char *below = sweep_slower_searches(a, c);
    add(out, "C2", "and does so in less search time", c->machine,
        c->search[SWEEP_APPORTIONED] < 1 ? RELEASED_CLAIM_FAILS
        : *below                         ? RELEASED_CLAIM_DOUBTFUL
                                         : RELEASED_CLAIM_HOLDS,
        c->search[SWEEP_APPORTIONED],
        arena_printf(a, "%.2f times by the authors' clock, %.2f by records%s%s", c->search[SWEEP_APPORTIONED],
                     c->search[SWEEP_TRIALS], *below ? "; more, not less: " : "; less for every network", below));
}

static void models(struct arena *a, struct released_claims *out, const struct reanalysis *x)
{
    bool names[PAPER_NETWORKS] = {false}, duplicate = false;
    int n = 0;
    for (int i = 0; i < x->nsweep; i++)
        for (int k = 0; k < x->sweep[i].nnetworks; k++) {
            int at = paper_network_place(x->sweep[i].networks[k].network);
            if (at >= 0 && x->sweep[i].k == HEADLINE_K && x->sweep[i].networks[k].whole)
                names[at] = true;
        }
    for (int i = 0; i < PAPER_NETWORKS; i++)
        n += names[i];
    duplicate = names[paper_network_place("resnet101")] && names[paper_network_place("resnet152")];
    if (n)
        add(out, "C3", "replicated on 20 models", "", n - duplicate >= 20 ? RELEASED_CLAIM_HOLDS : RELEASED_CLAIM_FAILS,
            n - duplicate,
            arena_printf(a, "%d names%s", n,
                         duplicate ? ", one model less: resnet152 was a second run of resnet101" : ""));
}

static void meta(struct arena *a, struct released_claims *out, const struct meta_cell *c)
{
    add(out, "C5", "equally good results in MetaSchedule", c->machine,
        c->of[1].exec >= 1 ? RELEASED_CLAIM_HOLDS : RELEASED_CLAIM_FAILS, c->of[1].exec,
        arena_printf(a, "%d of %d networks, geometric mean %.3f; %d rows with a failed record left out", c->of[1].wins,
                     c->of[1].networks, c->of[1].exec, c->failed));
}

void released_claim_make(struct arena *a, const struct reanalysis *x, const struct outliers *s,
                         struct released_claims *out)
{
    *out = (struct released_claims){.all = ARENA_ARRAY(a, struct released_claim, MOST)};
    for (int i = 0; i < x->nsweep; i++)
        if (x->sweep[i].k == HEADLINE_K && x->sweep[i].counted)
            speed(a, out, x, &x->sweep[i], s);
    for (int i = 0; i < x->nsweep; i++)
        if (x->sweep[i].k == HEADLINE_K && x->sweep[i].counted)
            search(a, out, &x->sweep[i]);
    models(a, out, x);
    add(out, "C4", "the patch was approved in Ansor", "", RELEASED_CLAIM_SILENT, NAN,
        "a fact of the project's history: the pull request was closed, never merged");
    for (int i = 0; i < x->nmeta; i++)
        if (x->meta[i].k == HEADLINE_K && x->meta[i].of[1].networks)
            meta(a, out, &x->meta[i]);
    add(out, "C6-C9", "of the first Droplet paper: tuning time, network time, p threshold, speculation", "",
        RELEASED_CLAIM_SILENT, NAN, "its figures are no part of these files");
    add(out, "C10", "the patch is small", "", RELEASED_CLAIM_SILENT, NAN, "a count of lines of code");
}
