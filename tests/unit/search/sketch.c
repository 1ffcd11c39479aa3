/* SPDX-License-Identifier: Apache-2.0 */
/* sketch: the numbers of sketches of TVM's own tests (v0.16, test_auto_scheduler_sketch_generation.py, llvm), and TVM
 * v0.16's answers for the published kernels (data/tvm_oracle/random_states.jsonl): the number of sketches, each state's
 * steps begin with one of our sketches, and our rules for parallel, unroll and vectorise put exactly TVM's steps behind
 * them. The same for cuda (cuda_states.jsonl); that all their steps come out is in sampling.c. */
#include "harness/base/file.h"
#include "harness/program/ops/graph.h"
#include "harness/record/tvm/record_task.h"
#include "search/sketch/annotate.h"
#include "search/sketch/space.h"
#include "search/sketch/stage_query.h"
#include "tests/lib/tap.h"

#include <string.h>

static const struct space_options defaults = {
    .max_vectorize = 16, .cpu_structure = "SSRSRS", .gpu_structure = "SSSRRSRS"};
static struct arena *arena;

static int count_under(const struct task *t, struct limits limits, struct space *sp)
{
    struct err err = {0};
    if (!space_open(sp, arena, t, &limits, &defaults, &err)) {
        diag("%s", err.text);
        return -1;
    }
    return sp->nsketches;
}

static int count(const struct task *t, int64_t cores, struct space *sp)
{
    return count_under(t, limits_cpu(cores), sp);
}

static int count_gpu(const struct task *t, struct space *sp)
{
    return count_under(t, limits_cuda(), sp);
}

/* ---- graphs that no operator of the tree is ---- */

static struct graph *graph_new(void)
{
    struct graph *g = ARENA_NEW(arena, struct graph);
    g->arena = arena;
    return g;
}

static const struct expr *ax(int i)
{
    return expr_axis(arena, i);
}

static const struct op *stage(struct graph *g, const char *name, const struct axis *axes, int nspatial, int nreduce,
                              enum reducer reducer, const struct expr *body)
{
    return graph_stage(g, (struct op){.name = name,
                                      .axes = axes,
                                      .nspatial = nspatial,
                                      .nreduce = nreduce,
                                      .reducer = nreduce ? reducer : REDUCE_NONE,
                                      .body = body});
}

static const struct op *matmul(struct graph *g, const struct op *a, const struct op *b, int64_t n, int64_t m, int64_t k)
{
    const struct axis axes[] = {{"i", n}, {"j", m}, {"k", k}};
    return stage(g, "matmul", axes, 2, 1, REDUCE_SUM,
                 expr_make2(arena, EXPR_MUL, graph_read(g, a, ax(0), ax(2)), graph_read(g, b, ax(2), ax(1))));
}

static const struct op *input2(struct graph *g, int64_t n, int64_t m)
{
    return graph_input(g, NULL, 2, (int64_t[]){n, m});
}

static const struct task *finish(struct graph *g)
{
    struct task *t = ARENA_NEW(arena, struct task);
    struct err err = {0};
    *t = (struct task){.spec = "test", .name = "test"};
    if (!graph_finish(g, &t->dag, &err))
        bug("%s", err.text);
    return t;
}

static const struct task *one_matmul(int64_t n, int64_t m, int64_t k)
{
    struct graph *g = graph_new();
    matmul(g, input2(g, n, k), input2(g, k, m), n, m, k);
    return finish(g);
}

static const struct task *two_matmuls(void)
{
    struct graph *g = graph_new();
    const struct op *a = input2(g, 512, 512), *b = input2(g, 512, 512), *c = input2(g, 512, 512);
    matmul(g, matmul(g, a, b, 512, 512, 512), c, 512, 512, 512);
    return finish(g);
}

/* Reduces the last axis of n x m (n 0: no spatial axis). */
static const struct task *reduction(int64_t n, int64_t m, enum reducer reducer)
{
    struct graph *g = graph_new();
    const struct axis axes[] = {{"i", n}, {"k", m}};
    if (n)
        stage(g, "red", axes, 1, 1, reducer, graph_read(g, input2(g, n, m), ax(0), ax(1)));
    else
        stage(g, "red", axes + 1, 0, 1, reducer, graph_read(g, graph_input(g, NULL, 1, &m), ax(0)));
    return finish(g);
}

/* conv2d NCHW 1x512x56x56, 512 filters 3x3 pad 1, then bias, scale and offset per channel, relu. */
static const struct task *conv_bn_relu(void)
{
    struct graph *g = graph_new();
    const struct op *data = graph_input(g, NULL, 4, (int64_t[]){1, 512, 56, 56});
    const struct op *filter = graph_weight(g, NULL, 4, (int64_t[]){512, 512, 3, 3});
    const struct op *vectors[3];
    for (int i = 0; i < 3; i++)
        vectors[i] = graph_weight(g, NULL, 3, (int64_t[]){512, 1, 1});
    const struct expr *one = expr_int(arena, 1), *edge = expr_int(arena, 57);
    const struct expr *inside = expr_make2(
        arena, EXPR_AND,
        expr_make2(arena, EXPR_AND, expr_make2(arena, EXPR_GE, ax(2), one), expr_make2(arena, EXPR_LT, ax(2), edge)),
        expr_make2(arena, EXPR_AND, expr_make2(arena, EXPR_GE, ax(3), one), expr_make2(arena, EXPR_LT, ax(3), edge)));
    const struct expr *read = graph_read(g, data, ax(0), ax(1), expr_make2(arena, EXPR_SUB, ax(2), one),
                                         expr_make2(arena, EXPR_SUB, ax(3), one));
    const struct axis padded[] = {{"i0", 1}, {"i1", 512}, {"i2", 58}, {"i3", 58}};
    const struct op *pad = stage(g, "pad_temp", padded, 4, 0, REDUCE_NONE,
                                 expr_make3(arena, EXPR_IF, inside, read, expr_float(arena, DTYPE_F32, 0)));
    const struct axis axes[] = {{"nn", 1}, {"ff", 512}, {"yy", 56}, {"xx", 56}, {"rc", 512}, {"ry", 3}, {"rx", 3}};
    const struct op *x = stage(g, "compute", axes, 4, 3, REDUCE_SUM,
                               expr_make2(arena, EXPR_MUL,
                                          graph_read(g, pad, ax(0), ax(4), expr_make2(arena, EXPR_ADD, ax(2), ax(5)),
                                                     expr_make2(arena, EXPR_ADD, ax(3), ax(6))),
                                          graph_read(g, filter, ax(1), ax(4), ax(5), ax(6))));
    const struct axis out[] = {{"i", 1}, {"j", 512}, {"k", 56}, {"l", 56}};
    const enum expr_kind kinds[] = {EXPR_ADD, EXPR_MUL, EXPR_ADD};
    for (int i = 0; i < 3; i++)
        x = stage(g, "T_op", out, 4, 0, REDUCE_NONE,
                  expr_make2(arena, kinds[i], graph_read(g, x, ax(0), ax(1), ax(2), ax(3)),
                             graph_read(g, vectors[i], ax(1), expr_int(arena, 0), expr_int(arena, 0))));
    stage(g, "relu", out, 4, 0, REDUCE_NONE,
          expr_make2(arena, EXPR_MAX, graph_read(g, x, ax(0), ax(1), ax(2), ax(3)), expr_float(arena, DTYPE_F32, 0)));
    return finish(g);
}

/* 2x2 stride 1 over 56x56, reduced by max. */
static const struct task *max_pool(void)
{
    struct graph *g = graph_new();
    const struct op *data = graph_input(g, NULL, 4, (int64_t[]){1, 512, 56, 56});
    const struct axis axes[] = {{"n", 1}, {"c", 512}, {"h", 55}, {"w", 55}, {"rv0", 2}, {"rv1", 2}};
    stage(g, "pool_max", axes, 4, 2, REDUCE_MAX,
          graph_read(g, data, ax(0), ax(1), expr_make2(arena, EXPR_ADD, ax(2), ax(4)),
                     expr_make2(arena, EXPR_ADD, ax(3), ax(5))));
    return finish(g);
}

/* Softmax over the last of n dimensions: max, exp, sum, divide, as topi writes it. */
static const struct task *softmax(int n, const int64_t *shape)
{
    struct graph *g = graph_new();
    const struct op *data = graph_input(g, NULL, n, shape);
    struct axis axes[8];
    const struct expr *all[8], *outer[8];
    for (int i = 0; i < n; i++) {
        axes[i] = (struct axis){arena_printf(arena, "i%d", i), shape[i]};
        all[i] = outer[i] = ax(i);
    }
    struct axis reduced[8];
    memcpy(reduced, axes, sizeof reduced);
    reduced[n - 1] = (struct axis){"k", shape[n - 1]};
    const struct op *most = stage(g, "T_softmax_maxelem", reduced, n - 1, 1, REDUCE_MAX, graph_load(g, data, all));
    const struct op *e = stage(
        g, "T_softmax_exp", axes, n, 0, REDUCE_NONE,
        expr_make1(arena, EXPR_EXP, expr_make2(arena, EXPR_SUB, graph_load(g, data, all), graph_load(g, most, outer))));
    const struct op *sum = stage(g, "T_softmax_expsum", reduced, n - 1, 1, REDUCE_SUM, graph_load(g, e, all));
    stage(g, "T_softmax_norm", axes, n, 0, REDUCE_NONE,
          expr_make2(arena, EXPR_DIV, graph_load(g, e, all), graph_load(g, sum, outer)));
    return finish(g);
}

/* Transform of one winograd tile: the indices of the constant matrix are marked. */
static const struct task *winograd_transform(void)
{
    struct graph *g = graph_new();
    const struct op *data = graph_input(g, NULL, 4, (int64_t[]){6, 6, 49, 128}),
                    *b = graph_input(g, NULL, 2, (int64_t[]){6, 6});
    static const char *const marked[] = {"eps", "nu", "r_a", "r_b"};
    const struct axis axes[] = {{"eps", 6}, {"nu", 6}, {"p", 49}, {"ci", 128}, {"r_a", 6}, {"r_b", 6}};
    const struct expr *body =
        expr_make2(arena, EXPR_MUL, graph_read(g, data, ax(4), ax(5), ax(2), ax(3)),
                   expr_make2(arena, EXPR_MUL, graph_read(g, b, ax(4), ax(0)), graph_read(g, b, ax(5), ax(1))));
    graph_stage(g, (struct op){.name = "data_pack",
                               .axes = axes,
                               .nspatial = 4,
                               .nreduce = 2,
                               .reducer = REDUCE_SUM,
                               .body = body,
                               .const_axes = marked,
                               .nconst_axes = 4});
    return finish(g);
}

static bool has_step(const struct sketch *k, enum step_kind kind)
{
    for (int i = 0; i < k->nsteps; i++)
        if (k->steps[i].kind == kind)
            return true;
    return false;
}

static void counts(void)
{
    struct space sp;
    is_int(count(one_matmul(512, 512, 512), 8, &sp), 3, "a matmul of 512^3 has the sketches of TVM's test");
    ok(!has_step(&sp.sketches[0], STEP_CHW) && has_step(&sp.sketches[1], STEP_CHW) &&
           has_step(&sp.sketches[2], STEP_CHW),
       "a matmul is tiled plainly first, then twice with a cache write and fusion");
    is_int(sp.sketches[1].steps[5].value2, 1, "the second sketch of a matmul fuses at level 1");
    is_int(sp.sketches[2].steps[5].value2, 2, "the third sketch of a matmul fuses at level 2");
    struct text order = {0};
    const struct stage *st = &sp.sketches[0].state->stages[2];
    for (int i = 0; i < st->nleaf; i++)
        text_printf(&order, "%s ", stage_iter(st, i)->name);
    is_str(text_str(&order), "i.0 j.0 i.1 j.1 k.0 i.2 j.2 k.1 i.3 j.3 ", "a tiled matmul has TVM's loop order");
    text_free(&order);
    is_int(count(one_matmul(8, 8, 512), 8, &sp), 5, "a matmul of 8x8 over 512 has the sketches of TVM's test");
    ok(has_step(&sp.sketches[0], STEP_RF) && has_step(&sp.sketches[1], STEP_RF) && !has_step(&sp.sketches[2], STEP_RF),
       "a matmul with a long sum gets its rfactor sketches first");
    is_int(sp.sketches[0].nsplits, 1, "the split of an rfactor is left open");
    is_int(count(two_matmuls(), 8, &sp), 9, "two chained matmuls have the sketches of TVM's test");
    is_int(count(conv_bn_relu(), 8, &sp), 3,
           "a convolution with bias, scale, offset and relu has the sketches of TVM's test");
    ok(has_step(&sp.sketches[0], STEP_FSP) && has_step(&sp.sketches[1], STEP_FSP) &&
           !has_step(&sp.sketches[2], STEP_FSP),
       "a convolution with an epilogue is fused at both levels, then tiled plainly");
    is_int(count(max_pool(), 8, &sp), 1, "a max pooling has one sketch");
    is_int(sp.sketches[0].nsteps, 0, "the sketch of a max pooling has no step");
    is_int(count(reduction(10, 1024, REDUCE_MIN), 8, &sp), 3,
           "the minimum of 10 rows of 1024 has the sketches of TVM's test");
    is_int(count(reduction(0, 128, REDUCE_SUM), 8, &sp), 3, "a full reduction of 128 has the sketches of TVM's test");
    is_int(count(softmax(2, (int64_t[]){1, 1024}), 8, &sp), 9, "a softmax of 1x1024 has the sketches of TVM's test");
    is_int(count(softmax(4, (int64_t[]){1, 12, 128, 128}), 8, &sp), 9,
           "a softmax of 1x12x128x128 has the sketches of TVM's test");
    struct task *winograd;
    struct err err = {0};
    if (!task_parse(arena, "winograd n=1 ci=128 hi=28 wi=28 co=128 ph=1 pw=1", &winograd, &err))
        fail("the winograd task is not made: %s", err.text);
    else
        is_int(count(winograd, 8, &sp), 3, "a winograd convolution of 28x28x128 has the sketches of TVM's test");
    is_int(count(winograd_transform(), 8, &sp), 1, "a winograd transform has its own structure");
    is_int(sp.sketches[0].nsplits, 2, "the axes of a winograd transform that are not unrolled are split in two");
}

/* The column for cuda of the same test of TVM. */
static void gpu_counts(void)
{
    struct space sp;
    struct task *winograd;
    struct err err = {0};
    is_int(count_gpu(one_matmul(512, 512, 512), &sp), 1, "on GPUs a matmul of 512^3 has the sketch of TVM's test");
    ok(has_step(&sp.sketches[0], STEP_CHW) && has_step(&sp.sketches[0], STEP_CHR),
       "on GPUs a matmul is cached on both sides");
    is_int(sp.sketches[0].steps[1].n, 4, "on GPUs a spatial axis is split into five parts");
    is_int(count_gpu(one_matmul(8, 8, 1024), &sp), 2,
           "on GPUs a matmul of 8x8 over 1024 has the sketches of TVM's test");
    ok(has_step(&sp.sketches[0], STEP_AN) && !has_step(&sp.sketches[1], STEP_AN),
       "the reduction across threads comes first");
    is_int(count_gpu(two_matmuls(), &sp), 1, "on GPUs two chained matmuls have the sketch of TVM's test");
    is_int(count_gpu(conv_bn_relu(), &sp), 1, "on GPUs a convolution with bias, scale, offset and relu has one sketch");
    is_int(count_gpu(max_pool(), &sp), 1, "on GPUs a max pooling has one sketch");
    is_int(sp.sketches[0].nsteps, 0, "on GPUs the sketch of a max pooling has no step");
    is_int(count_gpu(reduction(10, 1024, REDUCE_MIN), &sp), 2,
           "on GPUs the minimum of 10 rows of 1024 has the sketches of TVM's test");
    is_int(sp.sketches[1].nsteps, 0, "the last sketch of a minimum has no step");
    is_int(count_gpu(reduction(0, 128, REDUCE_SUM), &sp), 2,
           "on GPUs a full reduction of 128 has the sketches of TVM's test");
    is_int(count_gpu(softmax(2, (int64_t[]){2, 1024}), &sp), 4, "on GPUs a softmax of 2x1024 has four sketches");
    is_int(count_gpu(softmax(4, (int64_t[]){1, 12, 128, 128}), &sp), 4,
           "on GPUs a softmax of 1x12x128x128 has four sketches");
    if (ok(task_parse(arena, "winograd n=1 ci=128 hi=28 wi=28 co=128 ph=1 pw=1", &winograd, &err),
           "the winograd task is made %s", err.text))
        is_int(count_gpu(winograd, &sp), 1, "on GPUs a winograd convolution of 28x28x128 has one sketch");
}

/* ---- TVM's answers ---- */

static bool same_step(const struct step *x, const struct step *y, bool lengths_open)
{
    struct text a = {0}, b = {0};
    struct step sx = *x, sy = *y;
    int64_t zeros[STEP_LIST_MAX] = {0};
    if (lengths_open && x->kind == STEP_SP && y->kind == STEP_SP && x->n == y->n)
        sx.list = sy.list = zeros;
    step_print(&sx, &a);
    step_print(&sy, &b);
    bool same = str_eq(text_str(&a), text_str(&b));
    text_free(&a);
    text_free(&b);
    return same;
}

/* The sketch that the steps begin with and that leaves no structural step behind; -1 none. */
static int find_sketch(const struct space *sp, const struct step *steps, int n)
{
    for (int i = 0; i < sp->nsketches; i++) {
        const struct sketch *k = &sp->sketches[i];
        bool same = k->nsteps <= n;
        for (int s = 0; s < k->nsteps && same; s++)
            same = same_step(&k->steps[s], &steps[s], true);
        for (int s = k->nsteps; s < n && same; s++)
            same = steps[s].kind == STEP_CA || steps[s].kind == STEP_CR || steps[s].kind == STEP_CI ||
                   steps[s].kind == STEP_FU || steps[s].kind == STEP_AN || steps[s].kind == STEP_PR;
        if (same)
            return i;
    }
    return -1;
}

/* Whether our marks, on the state up to the first mark, are TVM's. Vector loops may be drawn shorter than ours. */
static bool same_marks(const struct space *sp, const struct step *steps, int n, int from)
{
    struct state *s;
    struct err err = {0};
    int64_t unroll[STAGE_QUERY_MAX] = {0};
    int marks = from, npragmas = 0;
    while (marks < n && steps[marks].kind != STEP_FU && steps[marks].kind != STEP_AN && steps[marks].kind != STEP_PR)
        marks++;
    for (int i = marks; i < n; i++)
        if (steps[i].kind == STEP_PR)
            unroll[npragmas++] = steps[i].value;
    if (!state_replay(arena, sp->task, steps, marks, &s, &err) || !space_bounds(s, NULL, &err) ||
        annotate_unrollable(s) != npragmas || !annotate_parallel(sp, s, &err) ||
        !annotate_unroll(sp, s, NULL, unroll, &err) || !annotate_vectorize(sp, s, NULL, &err)) {
        diag("%s", err.text);
        return false;
    }
    int i = 0, j = 0;
    while (i < n && j < s->nsteps) {
        if (same_step(&s->steps[j], &steps[i], false)) {
            i++, j++;
        } else if (s->steps[j].kind == STEP_FU && s->steps[j].stage == steps[i].stage) {
            /* Ours is the longest vector loop; TVM drew a shorter one on the same stage: one fuse, or none, and a mark.
             */
            i += steps[i].kind == STEP_FU && steps[i].n < s->steps[j].n;
            if (i >= n || steps[i].kind != STEP_AN || steps[i].value != ANN_VECTORIZE)
                return false;
            i++, j += 2;
        } else {
            return false;
        }
    }
    return i == n && j == s->nsteps;
}

struct tally {
    int workloads, unknown, counts_wrong, states, no_sketch, other_marks;
};

static void one_state(const cJSON *line, struct tally *t, char **last, struct space *sp, bool *known)
{
    struct err err = {0};
    /* a residual that is read before the data shows in the shapes: the second has five dimensions */
    const cJSON *second = cJSON_GetArrayItem(json_get(line, "shapes"), 1);
    const char *order =
        strstr(json_str(line, "desc", ""), " add=1") && cJSON_GetArraySize(second) == 5 ? " order=residual" : "";
    const char *spec = arena_printf(arena, "%s %s%s", json_str(line, "kind", ""), json_str(line, "desc", ""), order);
    if (!*last || !str_eq(*last, spec)) {
        struct task *task;
        *last = arena_str(arena, spec);
        t->workloads++;
        *known = task_parse(arena, spec, &task, &err);
        if (!*known) {
            t->unknown++;
            diag("%s: %s", spec, err.text);
        } else if (count(task, 8, sp) != (int)json_num(line, "sketches", -1)) {
            t->counts_wrong++;
            diag("%s: %d sketches", spec, sp->nsketches);
        }
    }
    struct step *steps;
    int n;
    if (!*known)
        return;
    if (!steps_parse(arena, json_get(line, "steps"), &steps, &n, &err))
        bug("%s", err.text);
    t->states++;
    int k = find_sketch(sp, steps, n);
    if (k < 0)
        diag("%s: no sketch of ours", json_str(line, "id", "?"));
    t->no_sketch += k < 0;
    if (k >= 0 && !same_marks(sp, steps, n, sp->sketches[k].nsteps)) {
        t->other_marks++;
        diag("%s: other marks", json_str(line, "id", "?"));
    }
}

static void oracle(void)
{
    const char *path = shared_path("data/tvm_oracle/random_states.jsonl");
    char *text, *last = NULL;
    size_t size;
    struct err err = {0};
    struct tally t = {0};
    struct space sp;
    bool known = false;
    if (!path) {
        skip("no published data", "sketches agree with TVM's random states");
        return;
    }
    if (!ok(file_read(arena, path, 0, &text, &size, &err), "TVM's random states can be read %s", err.text))
        return;
    for (char *line = text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end)
            break;
        cJSON *json = json_parse(line, (size_t)(end - line), "random_states.jsonl", &err);
        if (!json)
            bug("%s", err.text);
        one_state(json, &t, &last, &sp, &known);
        cJSON_Delete(json);
    }
    diag("%d workloads, %d of operators not in this tree; %d states", t.workloads, t.unknown, t.states);
    is_int(t.counts_wrong, 0, "the number of sketches is TVM's for %d workloads", t.workloads - t.unknown);
    is_int(t.no_sketch, 0, "%d random states of TVM begin with one of our sketches", t.states);
    is_int(t.other_marks, 0, "our parallel, unroll and vector marks on TVM's random states are TVM's");
}

/* The 14 cases of the oracle for cuda. */
static void gpu_oracle(void)
{
    const char *path = shared_path("data/tvm_oracle/cuda_states.jsonl");
    char *text;
    size_t size;
    struct err err = {0};
    struct space sp;
    int cases = 0, wrong = 0;
    const char *last = "";
    if (!path) {
        skip("no published data", "on GPUs the numbers of sketches are TVM's");
        return;
    }
    if (!ok(file_read(arena, path, 0, &text, &size, &err), "TVM's random states for cuda can be read %s", err.text))
        return;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        struct task *task;
        cJSON *json = json_parse(line, (size_t)(end - line), "cuda_states.jsonl", &err);
        const char *name = json ? arena_str(arena, json_str(json, "case", "")) : "";
        const char *spec = record_task_case(name);
        if (!json || !spec || !task_parse(arena, spec, &task, &err))
            bug("%s %s", name, err.text);
        if (!str_eq(name, last)) {
            int want = (int)json_num(json, "sketches", -1), got = count_gpu(task, &sp);
            cases++;
            wrong += got != want;
            if (got != want)
                diag("%s: %d sketches, TVM has %d", name, got, want);
        }
        last = name;
        cJSON_Delete(json);
    }
    is_int(cases, 14, "the oracle for cuda has 14 cases");
    is_int(wrong, 0, "on GPUs the number of sketches is TVM's for %d cases", cases);
}

int main(void)
{
    arena = arena_open("test");
    counts();
    gpu_counts();
    oracle();
    gpu_oracle();
    arena_close(arena);
    return done_testing();
}
