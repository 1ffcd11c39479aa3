/* SPDX-License-Identifier: Apache-2.0 */
/* turns LIBRARY LIBRARY...: the same programs in several libraries (table.c), timed in turns in one process: for each
 * program its time in the first, and that of each other over it. A round is one slice of each library, forth and back;
 * a ratio is the median over rounds. Ends with a line for each library: on how many programs it is at most 10 % slower,
 * and the geometric mean. */
#include <dlfcn.h>
#include <math.h>
#include <programs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 25, LIBRARIES = 8 };
#define SLICE_S 0.004

static const struct program *tables[LIBRARIES];
static int nlibraries;

/* Of programs with one thread CPU time is taken, which other programs on the core do not lengthen much. */
static bool cpu_time;

static double now(void)
{
    struct timespec t;
    if (cpu_time)
        return (double)clock() / CLOCKS_PER_SEC;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *memory(size_t bytes)
{
    char *p = aligned_alloc(4096, (bytes / 4096 + 1) * 4096);
    for (size_t i = 0; p && i + sizeof(float) <= bytes; i += sizeof(float))
        memcpy(p + i, &(float){(float)(i % 509) / 509}, sizeof(float));
    return p ? p : (exit(2), NULL);
}

static double slice(const struct program *w, void *const *tensors, void *workspace, int calls)
{
    double start = now();
    for (int i = 0; i < calls; i++)
        w->call(tensors, workspace);
    return (now() - start) / calls;
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, ascending);
    return v[n / 2];
}

/* ratio[l]: of library l over the first. Returns seconds of the first. */
static double compare(int program, double *ratio)
{
    double times[LIBRARIES][ROUNDS], seconds[ROUNDS];
    const struct program *first = &tables[0][program];
    cpu_time = first->threads == 1;
    void *tensors[16], *workspace = memory(first->workspace_bytes + 4096);
    for (int k = 0; k < first->tensors; k++)
        tensors[k] = memory(first->tensor[k].taken * first->tensor[k].bytes);
    for (int l = 0; l < nlibraries; l++)
        slice(&tables[l][program], tensors, workspace, 2);
    int calls = (int)(SLICE_S / (slice(first, tensors, workspace, 1) + 1e-8)) + 1;
    for (int r = 0; r < ROUNDS; r++) {
        for (int l = 0; l < nlibraries; l++)
            times[l][r] = slice(&tables[l][program], tensors, workspace, calls);
        for (int l = nlibraries - 1; l >= 0; l--)
            times[l][r] = fmin(times[l][r], slice(&tables[l][program], tensors, workspace, calls));
        seconds[r] = times[0][r];
    }
    for (int l = 0; l < nlibraries; l++) {
        double of[ROUNDS];
        for (int r = 0; r < ROUNDS; r++)
            of[r] = times[l][r] / times[0][r];
        ratio[l] = median(of, ROUNDS);
    }
    for (int k = 0; k < first->tensors; k++)
        free(tensors[k]);
    free(workspace);
    return median(seconds, ROUNDS);
}

static void open_library(const char *path)
{
    const struct program *(*table)(void);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *found = library ? dlsym(library, "program_table") : NULL;
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    memcpy(&table, &found, sizeof table);
    tables[nlibraries++] = table();
}

int main(int argc, char **argv)
{
    int near[LIBRARIES] = {0};
    double logs[LIBRARIES] = {0};
    for (int i = 1; i < argc && i <= LIBRARIES; i++)
        open_library(argv[i]);
    if (nlibraries < 2)
        return fprintf(stderr, "usage: turns LIBRARY LIBRARY...\n"), 2;
    printf("%-24s %10s", "program", "ms");
    for (int l = 1; l < nlibraries; l++)
        printf(" %12s", strrchr(argv[l + 1], '/') ? strrchr(argv[l + 1], '/') + 1 : argv[l + 1]);
    printf("\n");
    for (int i = 0; i < (int)PROGRAMS; i++) {
        double ratio[LIBRARIES], s = compare(i, ratio);
        printf("%-24s %10.4f", tables[0][i].name, 1e3 * s);
        for (int l = 1; l < nlibraries; l++) {
            printf(" %12.3f", ratio[l]);
            near[l] += ratio[l] <= 1.1;
            logs[l] += log(ratio[l]);
        }
        printf("\n");
        fflush(stdout);
    }
    for (int l = 1; l < nlibraries; l++)
        printf("%s: at most 10 %% slower on %d of %d, geometric mean %.3f\n", argv[l + 1], near[l], (int)PROGRAMS,
               exp(logs[l] / (int)PROGRAMS));
    return 0;
}
