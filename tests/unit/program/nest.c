/* SPDX-License-Identifier: Apache-2.0 */
/* nest: the printed nest of small schedules as golden text, what the check finds in nests that were spoilt on purpose,
 * how the interpreter refuses a wrong access, and packed weights element by element. */
#include "harness/program/lower/layout.h"
#include "harness/program/lower/lower.h"
#include "tests/lib/fixture.h"
#include "tests/lib/interp_nest.h"
#include "tests/lib/tap.h"

static struct nest *lowered(const char *spec, const char *json, enum layout_mode mode)
{
    struct err err = {0};
    struct nest *n = NULL;
    int count;
    const struct step *steps = fixture_steps(arena, json, &count);
    bool fine = lower_steps(arena, fixture_task(arena, spec), steps, count, mode, &n, &err);
    ok(fine, "'%s' with the steps %s %s", spec, json, fine ? "lowers" : err.text);
    return fine ? n : NULL;
}

static void prints(const char *spec, const char *json, enum layout_mode mode, const char *want)
{
    struct nest *n = lowered(spec, json, mode);
    struct text t = {0};
    struct err err = {0};
    if (!n)
        return;
    nest_print(n, &t);
    is_str(text_str(&t), want, "the nest of the steps %s prints as expected", json);
    ok(nest_check(n, &err), "the nest of the steps %s passes the check%s", json, err.text);
    text_free(&t);
}

static void test_print(void)
{
    prints("matmul n=4 m=5 k=6",
           "[[\"SP\", 2, 1, 5, [2], 1], [\"AN\", 2, 0, 3], [\"PR\", 2, 0, \"auto_unroll_max_step$16\"]]", LAYOUT_NONE,
           "arg 0 A: float32[4, 6]\n"
           "arg 1 B: float32[6, 5]\n"
           "arg 2 C: float32[4, 5]\n"
           "parallel i < 4, auto_unroll 16\n"
           "  for j.0 < 3\n"
           "    for j.1 < 2\n"
           "      if j.0*2 + j.1 < 5\n"
           "        C[i, j.0*2 + j.1] = 0\n"
           "      for k < 6\n"
           "        if j.0*2 + j.1 < 5\n"
           "          C[i, j.0*2 + j.1] = (C[i, j.0*2 + j.1] + (A[i, k] * B[k, j.0*2 + j.1]))\n");
    prints("map n=2 c=6 by=relu",
           "[[\"CHR\", 0, \"local\", [1]], [\"SP\", 2, 1, 6, [3], 1], [\"CA\", 1, 2, 1], [\"AN\", 2, 2, 2]]",
           LAYOUT_NONE,
           "arg 0 p0: float32[2, 6]\n"
           "arg 1 T_relu: float32[2, 6]\n"
           "for ax0 < 2\n"
           "  for ax1.0 < 2\n"
           "    alloc p0.local: float32[1, 3] local at [ax0, ax1.0*3]\n"
           "    for ax1 < 3\n"
           "      p0.local[ax0, ax1.0*3 + ax1] = p0[ax0, ax1.0*3 + ax1]\n"
           "    vectorize ax1.1 < 3\n"
           "      T_relu[ax0, ax1.0*3 + ax1.1] = max(p0.local[ax0, ax1.0*3 + ax1.1], 0)\n");
}

/* The last store of the tree. */
static struct stmt *last_store(struct stmt *st)
{
    while (st->kind != STMT_STORE)
        st = st->body[st->nbody - 1];
    return st;
}

static void test_check(void)
{
    static const char STEPS[] = "[[\"CHR\", 0, \"local\", [1]], [\"CA\", 1, 2, 0]]";
    struct err err = {0};
    struct nest *n = lowered("map n=2 c=6", STEPS, LAYOUT_NONE);
    if (!n)
        return;
    struct stmt *store = last_store(n->root), saved = *store;
    struct affine index[2] = {store->index[0], affine_shift(store->index[1], 6)};
    store->index = index;
    ok(!nest_check(n, &err), "the check refuses an index that is always outside: %s", err.text);
    index[1] = affine_atom(n->atoms, atoms_loop(n->atoms, "stray", 2));
    ok(!nest_check(n, &err), "the check refuses the variable of no loop around: %s", err.text);
    *store = saved;
    store->buffer = n->buffers[0];
    ok(!nest_check(n, &err), "the check refuses a store to an input: %s", err.text);
    *store = saved;
    ok(nest_check(n, &err), "the check accepts the nest once it is repaired");
    struct stmt *loop = n->root;
    while (loop->kind != STMT_LOOP)
        loop = loop->body[0];
    loop->extent++;
    ok(!nest_check(n, &err), "the check refuses a loop longer than its variable: %s", err.text);
    loop->extent--;
    loop->loop = ANN_VECTORIZE;
    struct stmt *inner = loop->body[0];
    while (inner->kind != STMT_LOOP)
        inner = inner->body[inner->nbody - 1];
    inner->loop = ANN_PARALLEL;
    ok(!nest_check(n, &err), "the check refuses a parallel loop in a vector loop: %s", err.text);
}

static void test_bounds(void)
{
    struct err err = {0};
    struct nest *n = lowered("map n=2 c=6", "[]", LAYOUT_NONE);
    float in[12] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12}, out[12];
    void *args[2] = {in, out};
    if (!n)
        return;
    ok(interp_nest(n, args, 0, &err), "the interpreter runs the nest of a relu%s", err.text);
    ok(out[0] == 1 && out[1] == 0 && out[10] == 11 && out[11] == 0, "the nest of a relu computes it");
    ok(!interp_nest(n, args, 5, &err), "the interpreter stops at its limit of statements: %s", err.text);
    struct stmt *store = last_store(n->root);
    struct affine index[2] = {store->index[0], affine_shift(store->index[1], 1)};
    store->index = index;
    ok(!interp_nest(n, args, 0, &err), "the interpreter refuses a store outside its buffer");
    is_str(err.text, "store of 'T_relu': index 1 is 6, outside 0..5", "the refused store is named with its index");
}

/* Every element of the original weight is where the packed buffer's map says, and only there. */
static void test_pack(void)
{
    struct nest *n = lowered("dense n=2 ci=6 co=8",
                             "[[\"SP\", 2, 1, 8, [4], 1], [\"SP\", 2, 3, 6, [2], 1], [\"RE\", 2, [0, 1, 3, 4, 2]]]",
                             LAYOUT_REWRITTEN);
    if (!n)
        return;
    const struct buffer *b = n->buffers[1];
    float from[48], to[96];
    bool right = true;
    for (int i = 0; i < 48; i++)
        from[i] = (float)i;
    if (!ok(b->npacked == 4, "the weight of a split dense layer is packed in four dimensions") ||
        !is_int(layout_elements(b), 48, "a packed weight whose splits divide has no holes"))
        return;
    layout_pack(b, from, to);
    for (int i1_0 = 0, at = 0; i1_0 < 2; i1_0++) /* as the loops run: co.0 ci.0 ci.1 co.1 */
        for (int k_0 = 0; k_0 < 3; k_0++)
            for (int k_1 = 0; k_1 < 2; k_1++)
                for (int i1_1 = 0; i1_1 < 4; i1_1++, at++)
                    right = right && to[at] == from[(i1_0 * 4 + i1_1) * 6 + k_0 * 2 + k_1];
    ok(right, "a packed weight lies in the order of the loops");
    struct nest *holes = lowered("dense n=2 ci=6 co=7", "[[\"SP\", 2, 1, 7, [4], 1]]", LAYOUT_REWRITTEN);
    if (!holes || !holes->buffers[1]->npacked)
        return;
    b = holes->buffers[1];
    is_int(layout_elements(b), 48, "a packed weight whose split does not divide has holes");
    for (int i = 0; i < 42; i++)
        from[i] = 1;
    layout_pack(b, from, to);
    int ones = 0, zeros = 0;
    for (int i = 0; i < 48; i++) {
        ones += to[i] == 1;
        zeros += to[i] == 0;
    }
    ok(ones == 42 && zeros == 6, "the holes of a packed weight are zero");
}

int main(void)
{
    test_print();
    test_check();
    test_bounds();
    test_pack();
    return done_testing();
}
