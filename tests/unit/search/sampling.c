/* SPDX-License-Identifier: Apache-2.0 */
/* sampling: our initial populations are TVM's. data/tvm_oracle/random_states.jsonl holds, for each of 61 kernels, the
 * first ten different valid states of an initial population of TVM v0.16 (seed 1, 8 cores). TVM gives every candidate a
 * 32-bit Mersenne Twister of its own, seeded from the policy's, and draws by modulo (SampleInitPopulation). This
 * program links that generator in place of harness/base/rng.c: then sketches, tile sizes, places, marks, what is
 * invalid and what is new must all come out as in TVM, step by step.
 *
 * Exact shares of each choice are in draw.c; this is the truth from outside. */
#include "harness/base/map.h"
#include "harness/record/tvm/record_task.h"
#include "search/sketch/draw.h"
#include "tests/lib/fixture.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

/* ---- std::mt19937 as base/rng ---- */

enum { WORDS = 624, SHIFT = 397 };
struct twister {
    uint32_t word[WORDS];
    int at;
};
static struct twister twisters[2]; /* [0] the policy's, [1] the candidate's; rng.s[0] says which */

static void twister_seed(struct twister *t, uint32_t seed)
{
    t->word[0] = seed;
    for (int i = 1; i < WORDS; i++)
        t->word[i] = 1812433253u * (t->word[i - 1] ^ t->word[i - 1] >> 30) + (uint32_t)i;
    t->at = WORDS;
}

static void twister_turn(struct twister *t)
{
    for (int i = 0; i < WORDS; i++) {
        uint32_t y = (t->word[i] & 0x80000000u) | (t->word[(i + 1) % WORDS] & 0x7fffffffu);
        t->word[i] = t->word[(i + SHIFT) % WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    t->at = 0;
}

static uint32_t twister_next(struct twister *t)
{
    if (t->at == WORDS)
        twister_turn(t);
    uint32_t y = t->word[t->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

void rng_seed(struct rng *r, uint64_t seed)
{
    r->s[0] = 1;
    twister_seed(&twisters[1], (uint32_t)seed);
}

uint64_t rng_next(struct rng *r)
{
    return twister_next(&twisters[r->s[0]]);
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
    return rng_next(r) % n;
}

double rng_unit(struct rng *r)
{
    return (double)rng_next(r) * 0x1p-32;
}

void rng_shuffle(struct rng *r, int *items, int n)
{
    (void)r, (void)items, (void)n;
    bug("sampling shuffles nothing");
}

/* ---- the populations ---- */

struct sum {
    int kernels, states, equal, drawn, invalid, repeated;
};

static bool same_steps(const struct state *s, const struct tvm_log_entry *e, bool show)
{
    struct text ours = {0}, theirs = {0};
    steps_print(s->steps, s->nsteps, &ours);
    steps_print(e->steps, e->nsteps, &theirs);
    bool same = str_eq(text_str(&ours), text_str(&theirs));
    if (!same && show)
        diag("%s\n  ours %s\n  TVM's %s", e->id, text_str(&ours), text_str(&theirs));
    text_free(&ours);
    text_free(&theirs);
    return same;
}

static const char *spec_of(const struct tvm_log_entry *e)
{
    const char *spec = e->label ? record_task_case(e->label) : e->spec;
    return spec ? spec : "";
}

/* n entries of one kernel against our first n different valid draws. */
static void population(struct arena *a, const struct tvm_log_entry *e, int n, bool gpu, struct sum *sum)
{
    struct space sp;
    struct map seen = {0};
    if (gpu)
        share_test_gpu_space(&sp, a, spec_of(e));
    else
        share_test_space(&sp, a, e->spec, 8);
    twister_seed(&twisters[0], 1);
    sum->kernels++;
    for (int at = 0, tries = 0; at < n && tries < 2048; tries++) {
        struct rng r;
        rng_seed(&r, twister_next(&twisters[0]));
        struct state *s = draw_state(&sp, scratch, &r, NULL, NULL);
        sum->drawn++;
        if (!s) {
            sum->invalid++;
        } else if (!map_put(&seen, state_hash(s), 0)) {
            sum->repeated++;
        } else {
            sum->equal += same_steps(s, &e[at], sum->states == sum->equal);
            sum->states++;
            at++;
        }
        arena_reset(scratch);
    }
    map_free(&seen);
}

/* All populations of one file of the oracle. */
static void populations(const char *name, bool gpu, struct sum *sum)
{
    const char *path = shared_path(name);
    struct tvm_log log;
    struct err err = {0};
    *sum = (struct sum){0};
    if (!path) {
        skip("the published data is not here (RAINGAUGE_SHARED)", "the populations of %s are TVM's", name);
    } else if (ok(tvm_log_read(arena, path, &log, &err), "the populations of TVM can be read from %s %s", name,
                  err.text)) {
        for (int i = 0, n; i < log.n; i += n) {
            for (n = 1; i + n < log.n && str_eq(spec_of(&log.entries[i + n]), spec_of(&log.entries[i]));)
                n++;
            population(arena, &log.entries[i], n, gpu, sum);
        }
        is_int(sum->states, log.n, "of %d kernels every draw is met: %d, of them %d invalid and %d met before",
               sum->kernels, sum->drawn, sum->invalid, sum->repeated);
        is_int(sum->equal, log.n, "%d of %d drawn states are TVM's, in TVM's order", sum->equal, log.n);
    }
}

int main(void)
{
    struct sum sum;
    struct twister t;
    twister_seed(&t, 5489);
    uint32_t last = 0;
    for (int i = 0; i < 10000; i++)
        last = twister_next(&t);
    is_int(last, 4123659995, "the 10000th number of mt19937, as the C++ standard has it");
    populations("data/tvm_oracle/random_states.jsonl", false, &sum);
    if (sum.kernels)
        ok(sum.kernels == 61 && sum.invalid > 10 && sum.repeated > 10,
           "many of the draws for a CPU were invalid or met before");
    populations("data/tvm_oracle/cuda_states.jsonl", true, &sum);
    if (sum.kernels)
        ok(sum.kernels == 14 && sum.invalid > 10 && sum.repeated > 2,
           "many of the draws for a GPU were invalid or met before");
    return done_testing();
}
