/* SPDX-License-Identifier: Apache-2.0 */
/* programs: calls the programs that `raingauge best RESULTS --format c --output DIR` has written, checks each against
 * its reference, and times it. Nothing of raingauge is linked:
 *
 *   cc -O3 -march=native -ffp-contract=fast -IDIR programs.c DIR/[!w]*.c -lm -o programs        (-fopenmp: threads)
 *   cc -O2 -IDIR programs.c DIR/[!w]*.o DIR/[!w]*_reference.c -lm -o programs                 (--format object)
 *
 * Ends with 1 if a program computes something else. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <programs.h>

enum { ALIGNMENT = 64, REPEATS = 5 };
#define TOLERANCE 1e-4 /* of the largest element: sums are in another order */
#define REPEAT_S 0.02

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *memory(size_t bytes)
{
    void *p = aligned_alloc(ALIGNMENT, (bytes / ALIGNMENT + 1) * ALIGNMENT);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return p;
}

/* Numbers from -1 to 1; whole ones for tensors of integers. */
static void fill(const struct program_tensor *t, void *to)
{
    static unsigned state = 1;
    for (size_t i = 0; i < t->plain; i++) {
        state = state * 1664525u + 1013904223u;
        double x = (double)(state >> 8) / (1 << 23) - 1;
        if (t->type == 'f')
            ((float *)to)[i] = (float)x;
        else if (t->type == 'd')
            ((double *)to)[i] = x;
        else
            memset((char *)to + i * t->bytes, 0, t->bytes);
    }
}

static double element(const struct program_tensor *t, const void *from, size_t i)
{
    return t->type == 'f' ? ((const float *)from)[i] : t->type == 'd' ? ((const double *)from)[i] : 0;
}

/* The largest difference, as a part of the largest element. */
static double difference(const struct program_tensor *t, const void *x, const void *y)
{
    double most = 0, off = 0;
    for (size_t i = 0; i < t->plain; i++) {
        most = fmax(most, fabs(element(t, y, i)));
        off = fmax(off, fabs(element(t, x, i) - element(t, y, i)));
        if (isnan(element(t, x, i)))
            return INFINITY;
    }
    return most > 0 ? off / most : off;
}

/* Seconds of a call: the fastest of some repeats, each of as many calls as fill REPEAT_S. */
static double seconds(const struct program *w, void *const *tensors, void *workspace)
{
    double best = INFINITY, one = now();
    w->call(tensors, workspace);
    one = now() - one;
    int calls = (int)(REPEAT_S / (one + 1e-7)) + 1;
    for (int r = 0; r < REPEATS; r++) {
        double start = now();
        for (int i = 0; i < calls; i++)
            w->call(tensors, workspace);
        best = fmin(best, (now() - start) / calls);
    }
    return best;
}

int main(void)
{
    int wrong = 0;
    printf("%-24s %10s %10s %10s %10s\n", "kernel", "error", "ms", "GFLOP/s", "tuned ms");
    for (int i = 0; i < (int)PROGRAMS; i++) {
        const struct program *w = &programs[i];
        const struct program_tensor *out = &w->tensor[w->tensors - 1];
        void *plain[16], *taken[16], *workspace = w->workspace_bytes ? memory(w->workspace_bytes) : NULL;
        for (int k = 0; k < w->tensors; k++) {
            plain[k] = memory(w->tensor[k].plain * w->tensor[k].bytes);
            taken[k] = memory(w->tensor[k].taken * w->tensor[k].bytes);
            fill(&w->tensor[k], plain[k]);
            if (k < w->tensors - 1)
                w->repack(k, plain[k], taken[k]);
        }
        w->call(taken, workspace);
        void *own = memory(out->plain * out->bytes);
        w->repack(w->tensors - 1, taken[w->tensors - 1], own);
        w->reference(plain);
        double error = difference(out, own, plain[w->tensors - 1]), s = seconds(w, taken, workspace);
        printf("%-24s %10.2g %10.4g %10.2f %10.4g%s\n", w->name, error, 1e3 * s, w->flops / s / 1e9, 1e3 * w->seconds,
               error > TOLERANCE ? "  WRONG" : "");
        wrong += error > TOLERANCE;
        for (int k = 0; k < w->tensors; k++) {
            free(plain[k]);
            free(taken[k]);
        }
        free(own);
        free(workspace);
    }
    return wrong ? 1 : 0;
}
