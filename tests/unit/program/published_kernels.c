/* SPDX-License-Identifier: Apache-2.0 */
/* published_kernels: every kernel of the published sets is a member of our operators. data/kernels/NET.tsv describe the
 * kernels of 18 networks; metaschedule_tasks.tsv lists the tasks of all 20 by name, shapes, stride, padding and window,
 * from which specs are made here. Shapes must come out in order, FLOP counts equal where TVM counted the same
 * expressions (convolutions, dense layers, softmax, maxima without padding), and the graph's own programs must lower.
 */
#include "harness/base/file.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/lower.h"
#include "search/sketch/draw.h"
#include "tests/lib/fixture.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 16, SHAPES = 8, DIMS = 6 };

/* Cuts a line at its tabs, in place; returns the number of cells. */
static int cut(char *line, char *cells[COLUMNS])
{
    int n = 0;
    for (char *s = line; s && n < COLUMNS; n++) {
        cells[n] = s;
        if ((s = strchr(s, '\t')))
            *s++ = 0;
    }
    return n;
}

struct shapes {
    int n, dims[SHAPES];
    int64_t at[SHAPES][DIMS];
};

/* "1x2x3;4x5" */
static bool read_shapes(const char *text, struct shapes *s)
{
    *s = (struct shapes){0};
    for (const char *p = text; *p && s->n < SHAPES; s->n++) {
        for (; s->dims[s->n] < DIMS; p++) {
            char *end;
            s->at[s->n][s->dims[s->n]++] = strtoll(p, &end, 10);
            if (end == p)
                return false;
            p = end;
            if (*p != 'x')
                break;
        }
        p += *p == ';';
    }
    return s->n > 0;
}

/* Placeholders in the graph's order, then the output. mean: the output has lost two dimensions of 1. */
static bool same_shapes(const struct dag *d, const struct shapes *want, bool mean)
{
    int at = 0;
    for (int i = 0; i < d->nops; i++) {
        const struct op *op = d->ops[i];
        if (op->kind == OP_COMPUTE && i < d->nops - 1)
            continue;
        bool drop = mean && i == d->nops - 1;
        if (at == want->n || want->dims[at] != op->nspatial - 2 * drop)
            return false;
        for (int k = 0; k < want->dims[at]; k++)
            if (want->at[at][k] != op->axes[drop && k >= 2 ? k + 2 : k].extent)
                return false;
        at++;
    }
    return at == want->n;
}

struct sum {
    int rows, parsed, shapes, flops, flops_same, lowered, made;
};

static void complain(const struct sum *s, const char *spec, const char *what)
{
    if (s->parsed + s->shapes - 2 * s->rows > -6)
        diag("%s: %s", spec, what);
}

/* A program of the space must lower; NULL draws are drawn again. */
static void check_programs(struct arena *a, const char *spec, struct rng *r, struct sum *s)
{
    struct space sp;
    struct err err = {0};
    share_test_space(&sp, a, spec, 8);
    for (int made = 0, tries = 0; made < 2 && tries < 200; tries++) {
        struct nest *n;
        struct state *state = draw_state(&sp, a, r, NULL, NULL);
        if (!state)
            continue;
        made++;
        s->made++;
        if (lower(a, state, LAYOUT_REWRITTEN, &n, &err) && nest_check(n, &err))
            s->lowered++;
        else
            complain(s, spec, err.text);
    }
}

/* flops: the table's count; NAN where it is not comparable. */
static void check(const char *spec, const struct shapes *shapes, double flops, struct rng *r, struct sum *s)
{
    struct arena *a = arena_open("row");
    struct task *t;
    struct err err = {0};
    s->rows++;
    if (task_parse(a, spec, &t, &err)) {
        s->parsed++;
        bool mean = str_starts(spec, "global") && shapes->dims[shapes->n - 1] == 3;
        bool same = same_shapes(t->dag, shapes, mean);
        s->shapes += same;
        if (!same)
            complain(s, spec, "other shapes");
        s->flops += !isnan(flops);
        s->flops_same += t->flops == flops;
        if (!isnan(flops) && t->flops != flops)
            diag("%s: %.0f FLOP, table %.0f", spec, t->flops, flops);
        check_programs(a, spec, r, s);
    } else {
        complain(s, spec, err.text);
    }
    arena_close(a);
}

static void report(const struct sum *s, const char *what, int least)
{
    ok(s->rows >= least, "the table of %s has %d kernels", what, s->rows);
    is_int(s->parsed, s->rows, "all kernels of %s are tasks", what);
    is_int(s->shapes, s->rows, "all kernels of %s have the shapes given", what);
    is_int(s->lowered, s->made, "the best programs of %s lower, %d of them", what, s->made);
    if (s->flops)
        is_int(s->flops_same, s->flops, "the FLOP counts of %s are the table's, %d of them", what, s->flops);
}

/* ---- NET.tsv: index hash shapes error cost steps records kind desc .. ---- */

static void read_network(struct arena *a, const char *path, struct rng *r, struct sum *s)
{
    char *rest = NULL, *cells[COLUMNS];
    struct shapes shapes;
    for (char *line = strtok_r(fixture_read(path), "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (cut(line, cells) < 9 || line[0] < '0' || line[0] > '9' || !cells[7][0] || !read_shapes(cells[2], &shapes))
            continue;
        bool residual = strstr(cells[8], "add=1") && shapes.dims[1] == 5;
        check(arena_printf(a, "%s %s%s", cells[7], cells[8], residual ? " order=residual" : ""), &shapes, NAN, r, s);
    }
}

static void networks(struct arena *a, const char *dir, struct rng *r)
{
    char **names;
    int n, tables = 0;
    struct err err = {0};
    struct sum s = {0};
    fixture_must(file_list(a, dir, ".tsv", &names, &n, &err), &err);
    for (int i = 0; i < n; i++) {
        if (str_eq(names[i], "summary") || str_eq(names[i], "metaschedule_tasks"))
            continue;
        read_network(a, file_join(a, dir, arena_printf(a, "%s.tsv", names[i])), r, &s);
        tables++;
    }
    is_int(tables, 18, "the tables of all networks are there");
    report(&s, "networks", 600);
}

/* ---- metaschedule_tasks.tsv: network task name flop calls kernel_index shapes stride pad window ---- */

/* top,bottom,left,right */
static const char *sides(struct arena *a, const char *stride, const char *pad)
{
    int sh = 1, sw = 1, p[4] = {0};
    if (*stride && sscanf(stride, "%d,%d", &sh, &sw) != 2)
        return NULL;
    if (*pad && sscanf(pad, "%d,%d,%d,%d", &p[0], &p[1], &p[2], &p[3]) != 4)
        return NULL;
    return arena_printf(a, "sh=%d sw=%d ph=%d,%d pw=%d,%d", sh, sw, p[0], p[1], p[2], p[3]);
}

/* The filter is the tensor of six dimensions, the data stands before it; what comes before that is a residual. */
static const char *conv_spec(struct arena *a, const char *name, const struct shapes *s, const char *side)
{
    int f = 0;
    while (f < s->n && s->dims[f] != 6)
        f++;
    if (f == 0 || f == s->n)
        return NULL;
    const int64_t *x = s->at[f - 1], *w = s->at[f];
    bool depth = strstr(name, "depthwise"), twice = strstr(name, "_add_add");
    bool bias = strstr(name, "_add");
    return arena_printf(a,
                        "%s n=%d ci=%d hi=%d wi=%d co=%d kh=%d kw=%d %s cib=%d cob=%d bias=%d add=%d relu=%d clip=%d%s",
                        depth ? "depthwise_conv2d" : "conv2d", (int)x[0], (int)(x[1] * x[4]), (int)x[2], (int)x[3],
                        (int)(w[0] * w[5]), (int)w[2], (int)w[3], side, (int)x[4], (int)w[5], bias, twice,
                        strstr(name, "_relu") != NULL, strstr(name, "_clip") != NULL, f == 2 ? " order=residual" : "");
}

static const char *task_spec(struct arena *a, char *cells[COLUMNS], const struct shapes *s)
{
    const char *name = cells[2], *side = sides(a, cells[7], cells[8]);
    const int64_t *x = s->at[0];
    int kh, kw;
    if (!side)
        return NULL;
    if (strstr(name, "conv2d_NCHWc"))
        return conv_spec(a, name, s, side);
    if (strstr(name, "max_pool2d") || strstr(name, "nn_avg_pool2d"))
        return sscanf(cells[9], "%d,%d", &kh, &kw) != 2
                   ? NULL
                   : arena_printf(a, "pool2d n=%d c=%d hi=%d wi=%d cb=%d kh=%d kw=%d %s pool=%s", (int)x[0],
                                  (int)(x[1] * x[4]), (int)x[2], (int)x[3], (int)x[4], kh, kw, side,
                                  strstr(name, "max") ? "max" : "avg");
    if (strstr(name, "global_avg") || strstr(name, "mean"))
        return arena_printf(a, "global_pool2d n=%d c=%d hi=%d wi=%d cb=%d", (int)x[0], (int)(x[1] * x[4]), (int)x[2],
                            (int)x[3], (int)x[4]);
    if (strstr(name, "dense"))
        return arena_printf(a, "dense n=%d ci=%d co=%d bias=1 relu=%d", (int)x[0], (int)x[1], (int)s->at[1][0],
                            strstr(name, "_relu") != NULL);
    return strstr(name, "softmax") ? arena_printf(a, "softmax n=%d c=%d", (int)x[0], (int)x[1]) : NULL;
}

/* Data movement, which no searcher gets: it reduces nothing. */
static bool moves_data(const char *name)
{
    return strstr(name, "layout_transform") || strstr(name, "nn_pad");
}

static bool counts_alike(const char *name, const char *pad)
{
    return strstr(name, "conv2d") || strstr(name, "dense") || strstr(name, "softmax") ||
           (strstr(name, "max_pool2d") && str_eq(pad, "0,0,0,0"));
}

static void tasks(struct arena *a, const char *path, struct rng *r)
{
    char *rest = NULL, *cells[COLUMNS];
    struct shapes shapes;
    struct sum s = {0};
    int unread = 0, unknown = 0;
    for (char *line = strtok_r(fixture_read(path), "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (cut(line, cells) < 10 || str_eq(cells[0], "network") || moves_data(cells[2]))
            continue;
        unknown += !cells[6][0]; /* the source has no shapes of these */
        if (!cells[6][0])
            continue;
        const char *spec = read_shapes(cells[6], &shapes) ? task_spec(a, cells, &shapes) : NULL;
        bool flops = spec && cells[3][0] && counts_alike(cells[2], cells[8]);
        if (spec)
            check(spec, &shapes, flops ? atof(cells[3]) : NAN, r, &s);
        else
            diag("no spec for %s: %s", cells[0], cells[2]);
        unread += !spec;
    }
    is_int(unread, 0, "every task with a reduction is an operator of ours (%d without shapes left out)", unknown);
    ok(unknown <= 2, "only a few of the tasks have no reduction");
    report(&s, "tasks", 700);
}

int main(void)
{
    const char *dir = shared_path("data/kernels");
    struct arena *a = arena_open("test");
    struct rng r;
    if (!dir)
        skip_all("the published data is not here (RAINGAUGE_SHARED)");
    dir = arena_str(a, dir);
    rng_seed(&r, 9);
    networks(a, dir, &r);
    tasks(a, file_join(a, dir, "metaschedule_tasks.tsv"), &r);
    arena_close(a);
    return done_testing();
}
