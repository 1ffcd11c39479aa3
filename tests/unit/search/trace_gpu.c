/* SPDX-License-Identifier: Apache-2.0 */
/* trace_gpu: MetaSchedule's space on GPUs. Traces of small tasks of every operator, on a device so small that they fill
 * its blocks, replay to programs that compute what the graph computes and are found again from their steps; so are
 * those of the networks' kernels under CUDA's limits. What the design spaces sample is held against TVM's own test. */
#include "search/trace/gpu_decision.h"
#include "search/trace/trace_mutator.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

/* Warps of 4 threads, blocks of 16. */
static const struct limits small = {.cores = -1,
                                    .vector_bytes = 16,
                                    .cache_line = 64,
                                    .shared_bytes = 2048,
                                    .local_bytes = 1 << 20,
                                    .threads_per_block = 16,
                                    .vthread_extent = 8,
                                    .warp_size = 4,
                                    .is_gpu = true};

static void check_operator(const char *spec, uint64_t seed)
{
    enum { DRAWS = 60 };
    struct trace_space tr;
    struct rng r;
    struct err err = {0};
    struct trial_task t;
    int made = 0, wrong = 0, lost = 0, bound = 0;
    rng_seed(&r, seed);
    fixture_must(random_schedule_task(arena, spec, &r, &t, &err), &err);
    share_test_open(&tr, arena, t.task, &small);
    for (int k = 0; k < DRAWS; k++, arena_reset(scratch)) {
        struct trace one = trace_fresh(&tr, scratch, k % tr.space.nsketches);
        struct state *s = trace_replay(&tr, scratch, &one, &r, NULL, &err);
        if (!s)
            continue;
        made++;
        for (int i = 0, found = 0; i < s->nsteps && !found; i++)
            bound += found = s->steps[i].kind == STEP_AN && s->steps[i].value == ANN_THREAD_X;
        bool done;
        if (!(random_schedule_run(scratch, &t, s, LAYOUT_NONE, 4000000, &done, &err) && done) && wrong++ < 2)
            random_schedule_show(s, err.text);
        if (!share_test_found(&tr, scratch, s) && lost++ < 2)
            random_schedule_show(s, "not found again");
    }
    ok(made > 0 && bound == made, "%s: %d of %d traces replay, all with threads", spec, made, DRAWS);
    is_int(wrong, 0, "random traces compute what the graph computes");
    is_int(lost, 0, "the steps of random traces are found to be traces again");
}

/* A few traces of each design space of every distinct kernel. */
static void check_kernels(void)
{
    enum { TRIES = 1000 };
    struct limits limits = limits_cuda();
    struct rng r;
    int networks, kernels, spaces = 0, made = 0, fits = 0, lost = 0, empty = 0;
    const struct task **tasks = fixture_kernels(arena, &kernels, &networks);
    rng_seed(&r, 21);
    for (int i = 0; i < kernels; i++) {
        struct trace_space tr;
        share_test_open(&tr, arena, tasks[i], &limits);
        for (int space = 0; space < tr.space.nsketches; space++, spaces++) {
            int before = made;
            for (int try = 0; try < TRIES && made == before; try++, arena_reset(scratch)) {
                struct trace t = trace_fresh(&tr, scratch, space);
                struct state *s = trace_replay(&tr, scratch, &t, &r, NULL, NULL);
                if (!s)
                    continue;
                made++;
                lost += !share_test_found(&tr, scratch, s);
                fits += space_fits(&tr.space, scratch, s, NULL);
            }
            empty += made == before;
        }
    }
    ok(spaces > 400 && empty < spaces / 20, "%d design spaces: all but %d give a program in %d draws", spaces, empty,
       TRIES);
    is_int(lost, 0, "the programs of the kernels are found to be traces again");
    ok(fits > made / 3, "%d of %d programs fit a block of CUDA", fits, made);
}

/* tests/python/meta_schedule/test_meta_schedule_space_cuda.py, TVM v0.16: what each design space samples. Of softmax
 * the decision that has no effect there is left out. */
static void check_design_spaces(void)
{
    static const struct {
        const char *spec;
        int n, tiles[4], across[4], fetches[4], plain[4]; /* of each of n spaces, in any order */
    } want[] = {
        {"conv2d ci=3 hi=224 wi=224 co=64 kh=7 kw=7 sh=2 sw=2 ph=3 pw=3 layout=nhwc", 1, {7}, {0}, {2}, {0}},
        {"conv2d ci=64 hi=56 wi=56 co=128 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 groups=4 layout=nhwc", 1, {7}, {0}, {2}, {0}},
        {"depthwise_conv2d ci=32 hi=112 wi=112 kh=3 kw=3 ph=1 pw=1 layout=nhwc", 1, {6}, {0}, {2}, {0}},
        {"batch_matmul b=1 n=128 m=128 k=128", 1, {4}, {0}, {2}, {0}},
        {"softmax n=256 c=256", 4, {0, 0, 0, 0}, {0, 1, 1, 1}, {0, 0, 0, 0}, {3, 2, 1, 0}},
    };
    struct limits limits = limits_cuda();
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct trace_space tr;
        bool taken[4] = {false};
        int met = 0;
        share_test_open(&tr, arena, fixture_task(arena, want[i].spec), &limits);
        is_int(tr.space.nsketches, want[i].n, "%s has as many design spaces as in TVM's test", want[i].spec);
        for (int k = 0; k < tr.space.nsketches; k++) {
            const struct trace_layout *o = &tr.layouts[k];
            diag("%d tiles, %d shared reductions, %d fetches, %d plain stages", o->sketch->nsplits, o->nacross,
                 o->nfetch, o->nplain);
            for (int w = 0; w < want[i].n; w++)
                if (!taken[w] && o->nstages == 0 && o->sketch->nsplits == want[i].tiles[w] &&
                    o->nacross == want[i].across[w] && o->nfetch == want[i].fetches[w] &&
                    o->nplain == want[i].plain[w]) {
                    taken[w] = true;
                    met++;
                    break;
                }
        }
        is_int(met, want[i].n, "the design spaces of %s sample what TVM's sample", want[i].spec);
    }
}

/* The choices of TVM, and the mutator changes one of them. */
static void check_choices(void)
{
    struct limits limits = limits_cuda();
    struct trace_space tr;
    struct rng r;
    int64_t lanes[8] = {0}, across[11] = {0}, plain[11] = {0};
    int strange = 0, changed = 0, tried = 0, others = 0;
    rng_seed(&r, 3);
    share_test_open(&tr, arena, fixture_task(arena, "softmax n=256 c=256"), &limits);
    for (int i = 0; i < 2000; i++, arena_reset(scratch)) {
        struct trace t = trace_fresh(&tr, scratch, i % tr.space.nsketches), child;
        const struct trace_layout *o = &tr.layouts[t.layout];
        if (!trace_replay(&tr, scratch, &t, &r, NULL, NULL))
            continue;
        for (int k = 0; k < o->nacross + o->nplain; k++) {
            int64_t v = t.at[k < o->nacross ? o->across + k : o->plain + k - o->nacross];
            int log = 0;
            while (log < 10 && (int64_t)1 << log < v) /* TVM's choices are powers of two */
                log++;
            strange += (int64_t)1 << log != v;
            (k < o->nacross ? across : plain)[log]++;
        }
        tried++;
        if (!trace_mutators[4].apply(&tr, scratch, scratch, &r, &t, &child))
            continue;
        int differ = 0;
        for (int k = 0; k < o->n; k++)
            differ += child.at[k] != t.at[k];
        changed += differ == 1;
        others += differ != 1;
    }
    ok(strange == 0 && across[2] && across[9] && !across[1] && !across[10] && plain[5] && plain[10] && !plain[4],
       "reductions are shared by 4 to 512 threads, blocks of plain stages have 32 to 1024");
    ok(tried > 1000 && changed == tried && others == 0,
       "the mutator of thread bindings changes one decision (%d of %d)", changed, tried);
    share_test_open(&tr, arena, fixture_task(arena, "matmul n=128 m=128 k=128"), &limits);
    for (int i = 0; i < 400; i++, arena_reset(scratch)) {
        struct trace t = trace_fresh(&tr, scratch, 0);
        const struct trace_layout *o = &tr.layouts[0];
        gpu_decision_bind(o, &t, &r);
        for (int k = 0; k < o->nfetch; k++)
            lanes[t.at[o->fetch + k] < 8 ? t.at[o->fetch + k] : 7]++;
    }
    ok(lanes[1] && lanes[2] && lanes[3] && lanes[4] && !lanes[7] && !lanes[0],
       "a fetch of floats has vectors of 1 to 4");
}

int main(void)
{
    check_design_spaces();
    check_choices();
    for (int i = 0; RANDOM_SCHEDULE_SPECS[i]; i++)
        check_operator(RANDOM_SCHEDULE_SPECS[i], (uint64_t)i);
    check_kernels();
    return done_testing();
}
