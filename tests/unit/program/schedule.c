/* SPDX-License-Identifier: Apache-2.0 */
/* schedule: what each step does to the loops (harness/doc/ansor.md, "The fourteen steps"), what is refused and in which
 * words, copies, the state text. TVM's own texts are compared in test_oracle. */
#include "harness/program/schedule/schedule.h"
#include "harness/base/json.h"
#include "harness/program/lower/bound.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <string.h>

static struct task *matmul, *conv, *pool;

/* The state after the steps, or NULL and the message in *message. */
static struct state *apply(const struct task *t, const char *json, const char **message)
{
    struct err err = {0};
    struct step *steps;
    struct state *s = NULL;
    int n;
    cJSON *parsed = json_parse(json, strlen(json), "test", &err);
    bool fine = parsed && steps_parse(arena, parsed, &steps, &n, &err) && state_replay(arena, t, steps, n, &s, &err);
    cJSON_Delete(parsed);
    *message = fine ? "" : arena_str(arena, err.text);
    return fine ? s : NULL;
}

static const char *text_of(const struct state *s)
{
    struct text t = {0};
    state_print(s, &t);
    return fixture_text(&t);
}

/* After the steps and bound inference, the text is this one. */
static void prints(const struct task *t, const char *steps, const char *want, const char *name)
{
    const char *message;
    struct err err = {0};
    struct state *s = apply(t, steps, &message);
    if (s && !bound_infer(s, &err))
        message = err.text;
    is_str(s && !err.text[0] ? text_of(s) : message, want, "%s", name);
}

static void refused(const struct task *t, const char *steps, const char *want)
{
    const char *message;
    apply(t, steps, &message);
    is_str(message, want, "these steps are refused: %s", steps);
}

/* matmul n=6 m=5 k=7: stages A, B, C(i, j; k). */
static void test_loops(void)
{
    prints(matmul, "[]", "Placeholder: A, B\nfor i (0,6)\n  for j (0,5)\n    for k (0,7)\n      C = ...\n",
           "a state without steps prints its loops as they are");
    prints(matmul, "[[\"SP\", 2, 0, 6, [1, 4], 1]]",
           "Placeholder: A, B\nfor i.0 (0,2)\n  for i.2 (0,4)\n    for j (0,5)\n      for k (0,7)\n        C = ...\n",
           "a split from inside keeps the lengths given and rounds the outermost part up");
    prints(matmul, "[[\"SP\", 2, 0, 6, [4, 2], 0]]",
           "Placeholder: A, B\nfor i.0 (0,4)\n  for i.1 (0,2)\n    for j (0,5)\n      for k (0,7)\n        C = ...\n",
           "the lengths of a split from outside are numbers of parts");
    prints(matmul, "[[\"SP\", 2, 0, 6, [100], 1]]",
           "Placeholder: A, B\nfor i.1 (0,6)\n  for j (0,5)\n    for k (0,7)\n      C = ...\n",
           "a split length beyond the extent is cut to it");
    prints(matmul, "[[\"FU\", 2, [0, 1]], [\"AN\", 2, 0, 3], [\"PR\", 2, 0, \"auto_unroll_max_step$16\"]]",
           "Placeholder: A, B\nC auto_unroll: 16\nparallel i@j@ (0,30)\n  for k (0,7)\n    C = ...\n",
           "fused, annotated and unrolled loops print as TVM prints them");
    prints(matmul, "[[\"PR\", 2, 0, \"auto_unroll_max_step$0\"], [\"SA\", 2, 0, 32, 8], [\"RE\", 2, [2, 0, 1]]]",
           "Placeholder: A, B\nC storage_offset: 8\nfor k (0,7)\n  for i (0,6)\n    for j (0,5)\n      C = ...\n",
           "reordering and alignment print, an unroll limit of 0 does not");
    prints(matmul, "[[\"SP\", 2, 0, 6, [1, 3], 1], [\"SP\", 2, 3, 5, [2, 2], 1], [\"FSP\", 2, 6, 0, 1]]",
           "Placeholder: A, B\nfor i.0 (0,2)\n  for i.2 (0,3)\n    for j.0 (0,2)\n      for j.1 (0,2)\n        for j.2 "
           "(0,2)\n"
           "          for k.0 (0,3)\n            for k.1 (0,3)\n              C = ...\n",
           "a follow split into two takes the product of the lengths");
    prints(matmul,
           "[[\"SP\", 2, 0, 6, [1, 3], 1], [\"SP\", 2, 3, 5, [1, 2], 1], [\"FFSP\", 2, 6, [0, 1], 1, 1], [\"FU\", 2, "
           "[0, 1, 2]]]",
           "Placeholder: A, B\nfor i.0@i.1@i.2@ (0,6)\n  for j.0 (0,3)\n    for j.2 (0,2)\n      for k.0 (0,2)\n"
           "        for k.1 (0,6)\n          C = ...\n",
           "a follow fused split takes the product of one level");
}

static void test_places(void)
{
    prints(conv, "[[\"CI\", 1], [\"CI\", 5], [\"CA\", 3, 6, 2]]",
           "Placeholder: p0, p1, p2\nfor ax1 (0,2)\n  for ax2 (0,4)\n    for oc_block (0,2)\n      for ic (0,2)\n"
           "        for kh (0,3)\n          for kw (0,3)\n            conv2d_NCHWc = ...\n    for ax4 (0,2)\n      "
           "T_relu = ...\n",
           "a stage prints at the loop where it is computed, an inlined one not at all");
    prints(conv, "[[\"CHW\", 3, \"local\"], [\"CI\", 6], [\"CI\", 4], [\"CI\", 1], [\"CR\", 3]]",
           "Placeholder: p0, p1, p2\nfor oc_chunk_c (0,2)\n  for oh_c (0,4)\n    for oc_block_c (0,2)\n      for ic "
           "(0,2)\n"
           "        for kh (0,3)\n          for kw (0,3)\n            conv2d_NCHWc.local = ...\n"
           "for ax1 (0,2)\n  for ax2 (0,4)\n    for ax4 (0,2)\n      T_relu = ...\n",
           "a cache write shifts the stages behind it");
    prints(pool, "[[\"FU\", 1, [4, 5]], [\"SP\", 1, 4, 9, [3], 1], [\"RF\", 1, 5, 4]]",
           "Placeholder: p0\nfor ax1 (0,3)\n  for ax2 (0,2)\n    for ax3 (0,2)\n      for rv0_rv1_fused_i (0,3)\n      "
           "  for "
           "rv0_rv1_fused_o (0,3)\n"
           "          pool_max.rf = ...\nfor ax1 (0,3)\n  for ax2 (0,2)\n    for ax3 (0,2)\n      for "
           "rv0_rv1_fused_i_v (0,3)\n"
           "        pool_max.repl = ...\n",
           "reduction factoring adds a partial and a final stage");
    prints(
        pool, "[[\"CHR\", 0, \"shared\", [1]], [\"CA\", 1, 2, 1], [\"SP\", 2, 1, 3, [1], 1]]",
        "Placeholder: p0\nfor ax1.0 (0,3)\n  for ax2 (0,5)\n    for ax3 (0,5)\n      p0.shared = ...\n  for ax2 (0,2)\n"
        "    for ax3 (0,2)\n      for rv0 (0,3)\n        for rv1 (0,3)\n          pool_max = ...\n",
        "an attachment follows the innermost part of a split");
}

static void test_unknown(void)
{
    const char *message;
    struct err err = {0};
    struct state *s = apply(matmul, "[[\"SP\", 2, 0, 6, [0, 2], 1]]", &message);
    if (!ok(s != NULL, "split lengths that are still open apply"))
        return;
    ok(!s->concrete, "a state with open split lengths is not concrete");
    is_str(text_of(s),
           "Placeholder: A, B\nfor i.0 (None)\n  for i.1 (None)\n    for i.2 (0,2)\n      for j (0,5)\n"
           "        for k (0,7)\n          C = ...\n",
           "extents that are unknown print as None");
    ok(!bound_infer(s, &err), "bounds cannot be inferred while split lengths are open");
    s = apply(conv, "[[\"CA\", 3, 5, 2]]", &message);
    is_int(s ? stage_iter(&s->stages[3], 0)->extent : 0, -1, "extents of a stage are unknown after a compute-at");
}

static void test_refused(void)
{
    refused(matmul, "[[\"CI\", 3]]", "step 0 (CI, stage 3): no stage 3, there are 3");
    refused(matmul, "[[\"SP\", 0, 0, 6, [2], 1]]", "step 0 (SP, stage 0): 'A' is a placeholder");
    refused(matmul, "[[\"SP\", 2, 3, 6, [2], 1]]", "step 0 (SP, stage 2): no iterator 3, 'C' has 3");
    refused(matmul, "[[\"SP\", 2, 0, 6, [], 1]]", "step 0 (SP, stage 2): 0 split lengths");
    refused(matmul, "[[\"AN\", 2, 0, 2], [\"AN\", 2, 0, 3]]",
            "step 1 (AN, stage 2): cannot annotate the annotated iterator 'i'");
    refused(matmul, "[[\"AN\", 2, 0, 2], [\"SP\", 2, 0, 6, [2], 1]]",
            "step 1 (SP, stage 2): cannot split the annotated iterator 'i'");
    refused(matmul, "[[\"AN\", 2, 2, 3]]",
            "step 0 (AN, stage 2): the turns of 'k' depend on one another, they cannot run at once");
    refused(matmul, "[[\"AN\", 2, 0, 11]]", "step 0 (AN, stage 2): annotation 11 is tensorize, for loops of 16 only");
    refused(matmul, "[[\"PR\", 2, 0, \"debug_skip_region\"]]",
            "step 0 (PR, stage 2): pragma 'debug_skip_region' is not known, only auto_unroll_max_step$N");
    refused(matmul, "[[\"FU\", 2, [0, 2]]]", "step 0 (FU, stage 2): fused iterators do not follow one another");
    refused(matmul, "[[\"RE\", 2, [0, 1]]]", "step 0 (RE, stage 2): 2 iterators listed, 'C' has 3");
    refused(matmul, "[[\"RE\", 2, [0, 1, 1]]]", "step 0 (RE, stage 2): iterator 1 is listed twice");
    refused(matmul, "[[\"FSP\", 2, 0, 0, 1]]", "step 0 (FSP, stage 2): step 0 is no earlier split");
    refused(matmul, "[[\"SP\", 2, 0, 6, [2], 1], [\"FSP\", 2, 0, 0, 2]]",
            "step 1 (FSP, stage 2): cannot take 2 lengths from a split with 1");
    refused(matmul, "[[\"SP\", 2, 0, 6, [2], 1], [\"FFSP\", 2, 0, [0], 1, 1]]",
            "step 1 (FFSP, stage 2): split step 0 has no level 1");
    refused(matmul, "[[\"CI\", 2]]", "step 0 (CI, stage 2): 'C' is a reduction");
    refused(conv, "[[\"CI\", 6]]", "step 0 (CI, stage 6): 'T_relu' is an output");
    refused(conv, "[[\"CA\", 3, 1, 0]]", "step 0 (CA, stage 3): target stage 1 does not come after it");
    refused(conv, "[[\"CI\", 5], [\"CA\", 3, 5, 0]]", "step 1 (CA, stage 3): target stage 'T_add' is inlined");
    refused(conv, "[[\"CA\", 1, 3, 0], [\"FU\", 3, [0, 1]]]",
            "step 1 (FU, stage 3): a stage is computed at the fused iterator 'n'");
    refused(conv, "[[\"CHR\", 0, \"shared\", [4]]]", "step 0 (CHR, stage 0): stage 4 does not read it");
    refused(conv, "[[\"CHW\", 3, \"texture\"]]",
            "step 0 (CHW, stage 3): scope 'texture' is not known (local, shared, global)");
    refused(conv, "[[\"SP\", 3, 1, 2, [2], 1], [\"CHW\", 3, \"local\"]]",
            "step 1 (CHW, stage 3): 'conv2d_NCHWc' has been split or fused before");
    refused(pool, "[[\"RF\", 1, 5, 5]]", "step 0 (RF, stage 1): the step before is not a split of 'pool_max' in two");
    refused(pool, "[[\"SP\", 1, 1, 3, [2], 1], [\"RF\", 1, 1, 0]]", "step 1 (RF, stage 1): 'ax1' is no reduce axis");
}

/* Names and numbers that grow step by step are stopped before they fill memory. */
static void test_absurd(void)
{
    struct err err = {0};
    struct state *s = state_new(arena, matmul);
    bool fine = true;
    for (int i = 0; i < 200 && fine; i++)
        fine = state_split(s, 2, 0, (int64_t[]){1}, 1, true, &err);
    ok(!fine && strstr(err.text, "more than 64 iterators"), "a stage with too many iterators is refused: %s", err.text);
    s = state_new(arena, matmul);
    fine = true;
    for (int i = 0; i < 2000 && fine; i++) {
        fine = state_split(s, 2, 0, (int64_t[]){1, 1, 1}, 3, true, &err);
        fine = fine && state_fuse(s, 2, 0, 4, &err);
    }
    ok(!fine, "iterator names that quadruple at each step are refused: %s", err.text);
}

static void test_copy(void)
{
    const char *message;
    struct err err = {0};
    struct state *s = apply(conv, "[[\"CI\", 5], [\"SP\", 6, 2, 4, [2], 1], [\"CA\", 3, 6, 2]]", &message);
    if (!ok(s && bound_infer(s, &err), "steps replay to a state with bounds"))
        return;
    struct arena *other = arena_open("other");
    struct state *c = state_copy(other, s), *d = state_copy(arena, s);
    is_str(text_of(c), text_of(s), "a copy of a state in another arena prints alike");
    ok(state_hash(c) == state_hash(s) && state_hash(d) == state_hash(s), "a copy of a state has the same hash");
    ok(c->atoms != s->atoms && c->steps[1].list != s->steps[1].list,
       "a copy in another arena refers to nothing of the first");
    ok(state_annotate(d, 6, 2, ANN_UNROLL, &err) && bound_infer(d, &err), "a step applies to a copy of a state");
    ok(state_hash(d) != state_hash(s), "a step on a copy leaves the first state as it was");
    is_int(s->nsteps, 3, "a step on a copy leaves the first state's history as it was");
    arena_close(other);
}

int main(void)
{
    matmul = fixture_task(arena, "matmul n=6 m=5 k=7");
    conv = fixture_task(arena, "conv2d ci=2 hi=4 wi=1 co=4 kh=3 kw=3 ph=1 pw=1 cib=2 cob=2 bias=1 relu=1");
    pool = fixture_task(arena, "pool2d c=3 hi=5 wi=5 kh=3 kw=3 sh=2 sw=2 pool=max layout=nchw");
    test_loops();
    test_places();
    test_unknown();
    test_refused();
    test_absurd();
    test_copy();
    return done_testing();
}
