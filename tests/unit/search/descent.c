/* SPDX-License-Identifier: Apache-2.0 */
/* descent: the traces of the authors' own code (harness/doc/droplet.md, "Test traces"), and what `fixed` promises. */
#include "search/exploit/droplet_variant.h"

#include "harness/base/err.h"
#include "harness/base/text.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static const struct descent_rules *rules_of(const char *name)
{
    for (int i = 0; droplet_variant_names[i]; i++)
        if (strcmp(droplet_variants[i].name, name) == 0)
            return &droplet_variants[i].rules;
    bug("no variant '%s'", name);
}

static double bowl(const int *p)
{
    static const int low[] = {1, 2, 3};
    double c = 10;
    for (int i = 0; i < 3; i++)
        c += (p[i] - low[i]) * (p[i] - low[i]);
    return c;
}

/* Runs to the end; out gets the batches as digits. Returns the best cost. */
static double run(const char *name, int n, const int *sizes, const int *origin, double (*cost)(const int *), int batch,
                  int budget, struct text *out, int *measured)
{
    struct descent d;
    double seed = cost(origin), best;
    struct arena *own = arena_open("descent"); /* it frees what d holds */
    descent_open(&d, own, rules_of(name), &(struct descent_grid){n, sizes, origin},
                 &(struct descent_options){batch, 2, 0.05, true}, (struct descent_cost){&seed, 1});
    *measured = 0;
    for (int size; *measured < budget && (size = descent_batch(&d)) > 0;) {
        size = size < budget - *measured ? size : budget - *measured;
        double seconds[512];
        struct descent_cost costs[512];
        if (*measured)
            text_add(out, " |");
        for (int i = 0; i < size; i++) {
            const int *p = d.queue + (size_t)i * (size_t)n;
            seconds[i] = cost(p);
            costs[i] = (struct descent_cost){&seconds[i], 1};
            text_add(out, *measured || i ? " " : "");
            for (int k = 0; k < n; k++)
                text_int(out, p[k]);
        }
        *measured += size;
        descent_tell(&d, costs, size);
    }
    best = cost(d.best);
    arena_close(own);
    return best;
}

static void trace(const char *name, const char *want, double best)
{
    static const int sizes[] = {3, 4, 5}, origin[] = {0, 0, 0};
    struct text got = {0};
    int measured;
    double low = run(name, 3, sizes, origin, bowl, 4, 100, &got, &measured);
    is_str(text_str(&got), want, "variant %s visits the points of the authors' own code", name);
    is_near(low, best, 0, "variant %s finds the best point of the authors' own code", name);
    text_free(&got);
}

static double sum21(const int *p)
{
    double c = 1;
    for (int i = 0; i < 21; i++)
        c += p[i];
    return c;
}

static double far(const int *p)
{
    double c = 1;
    static const int low[] = {5, 1, 6, 0, 3, 7};
    for (int i = 0; i < 6; i++)
        c += fabs((double)(p[i] - low[i]));
    return c;
}

/* b of a space of so many axes on a machine of so many CPUs (harness/doc/droplet.md, "Variants"). */
static int batch_of(const char *name, int axes, int cpus)
{
    static const int sizes[21] = {6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6}, origin[21];
    struct descent d;
    struct arena *own = arena_open("descent");
    descent_open(&d, own, rules_of(name), &(struct descent_grid){axes, sizes, origin},
                 &(struct descent_options){0, cpus, 0.05, true}, (struct descent_cost){0});
    int b = d.batch;
    arena_close(own);
    return b;
}

static void batches(void)
{
    is_int(batch_of("paper", 3, 48), 10, "variant paper measures 10 points a batch");
    is_int(batch_of("pr16499", 3, 2), 16, "variant pr16499 measures 16 points a batch on a small machine");
    is_int(batch_of("pr16499", 3, 48), 48,
           "variant pr16499 measures as many points a batch as there are CPUs on a large machine");
    is_int(batch_of("metaschedule", 3, 2), 3, "variant metaschedule measures as many points a batch as there are axes");
    is_int(batch_of("metaschedule", 3, 48), 48,
           "variant metaschedule takes the CPUs where they are more than the axes");
    is_int(batch_of("metaschedule", 21, 8), 21,
           "variant metaschedule takes the axes where they are more than the CPUs");
}

int main(void)
{
    batches();
    trace("autotvm",
          "000 | 111 110 101 100 | 222 221 001 212 | 033 032 112 023 | 134 012 133 013 | 200 203 003 220 | "
          "020 122 123 022 | 234 233 224 223 | 103 120",
          10);
    trace("autotvm-first",
          "000 | 111 110 101 100 | 222 221 001 212 | 033 032 112 023 | 134 012 133 013 | 200 203 003 220 | "
          "020 122 123 022 | 234 233 224 223 | 103 120",
          10);
    trace("paper", "000 001 010 011 100 | 012 021 022 111 | 023 032 033 122 | 024 013 034 223", 11);
    trace("pr16499", "000 002 020 022 200 | 023 021 032 033 011 | 024 013 034 003 001 223", 11);
    trace("metaschedule", "000 001 010 100 | 003 021 201 031 | 023 203 033 002 103 | 223 013 022 123 | 113 122", 10);

    int sizes[21], origin[21] = {0}, measured;
    for (int i = 0; i < 21; i++)
        sizes[i] = 8;
    struct text out = {0};
    run("paper", 21, sizes, origin, sum21, 10, 100, &out, &measured);
    is_int(measured, 10, "variant paper measures 10 points where the cost of 21 axes rises");
    text_clear(&out);
    int start[] = {3, 3, 3, 3, 3, 3};
    double low = run("fixed", 6, sizes, start, far, 0, 200, &out, &measured);
    is_near(low, 1, 0, "variant fixed reaches the bottom of a separable cost on every axis");
    ok(measured < 200, "variant fixed ends by itself (%d points)", measured);
    low = run("paper", 6, sizes, start, far, 10, 200, &out, &measured);
    ok(low > 1, "variant paper does not move the first axes (cost %g)", low);
    text_free(&out);
    return done_testing();
}
