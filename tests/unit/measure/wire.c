/* SPDX-License-Identifier: Apache-2.0 */
/* What is sent to another machine and comes back reads as it was written; what is cut or wrong is refused. */
#include "harness/measure/remote/wire.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static const struct sample FINE = {.outcome = OUTCOME_OK,
                                   .nseconds = 3,
                                   .seconds = {1e-3, 2e-3, 1.5e-3},
                                   .build_s = 0.25,
                                   .run_s = 1.5,
                                   .verify_s = 0.5,
                                   .cost_s = 1.75,
                                   .spared_s = -0.125,
                                   .cached_s = 0.375,
                                   .computed_s = 4,
                                   .full_s = 5};

static bool same_seconds(const struct sample *a, const struct sample *b)
{
    for (int i = 0; i < a->nseconds; i++)
        if (a->seconds[i] != b->seconds[i])
            return false;
    return a->nseconds == b->nseconds;
}

static bool same_sample(const struct sample *a, const struct sample *b)
{
    return a->outcome == b->outcome && strcmp(a->message, b->message) == 0 && same_seconds(a, b) &&
           a->build_s == b->build_s && a->run_s == b->run_s && a->verify_s == b->verify_s && a->cost_s == b->cost_s &&
           a->spared_s == b->spared_s && a->cached_s == b->cached_s && a->computed_s == b->computed_s &&
           a->full_s == b->full_s;
}

static void test_samples(void)
{
    struct packet p = {0};
    struct sample back;
    struct err err = {0};
    packet_sample(&p, &FINE);
    ok(wire_get_sample(&p, &back, &err) && same_sample(&FINE, &back), "a sample comes back as it was %s", err.text);
    size_t whole = p.bytes.len, refused = 0;
    for (size_t n = 0; n < whole; n++) {
        p.at = 0;
        p.broken = false;
        p.bytes.len = n;
        refused += !wire_get_sample(&p, &back, &err);
    }
    is_int((int)refused, (int)whole, "a sample that is cut anywhere is refused");
    struct sample wrong[] = {FINE, FINE, FINE, FINE};
    wrong[0].seconds[1] = NAN;
    wrong[1].run_s = -1;
    wrong[2].outcome = OUTCOME_CRASHED; /* has times all the same */
    wrong[3].cost_s = INFINITY;
    for (int i = 0; i < 4; i++) {
        packet_clear(&p);
        packet_sample(&p, &wrong[i]);
        ok(!wire_get_sample(&p, &back, &err), "sample %d, which no measurer gives, is refused: %s", i, err.text);
    }
    packet_clear(&p);
    packet_int(&p, OUTCOME_COUNT);
    ok(!wire_get_sample(&p, &back, &err), "an outcome that there is not is refused");
    packet_free(&p);
}

static void test_limits(void)
{
    struct packet p = {0};
    struct limits back, gpu = limits_cuda(), none = {0};
    struct err err = {0};
    wire_put_limits(&p, &gpu);
    ok(wire_get_limits(&p, &back, &err) && back.shared_bytes == gpu.shared_bytes && back.is_gpu && back.cores == -1 &&
           back.warp_size == 32,
       "the limits of a GPU come back as they were %s", err.text);
    packet_clear(&p);
    wire_put_limits(&p, &none);
    ok(!wire_get_limits(&p, &back, &err), "limits without a core are refused");
    packet_free(&p);
}

static void test_candidates(void)
{
    struct wire_reader r = {.kept = arena, .scratch = arena};
    struct task *t = fixture_task(arena, "matmul m=64 n=64 k=64");
    struct candidate c, back;
    struct packet p = {0};
    struct err err = {0};
    c = (struct candidate){.task = t, .hash = 0xfedcba9876543210U, .score = 0.5};
    wire_put_candidate(&p, &c);
    wire_put_candidate(&p, &c);
    ok(wire_get_candidate(&r, &p, &back, &err) && strcmp(back.task->spec, t->spec) == 0 && back.hash == c.hash &&
           back.nsteps == 0 && back.score == 0.5,
       "a candidate comes back as it was %s", err.text);
    const struct task *first = back.task;
    ok(wire_get_candidate(&r, &p, &back, &err) && back.task == first, "a task is parsed once");
    packet_clear(&p);
    packet_str(&p, "matmul m=64 n=64 k=64");
    packet_bytes(&p, "[[\"XX\"]]", 8);
    packet_int(&p, 1);
    packet_real(&p, 0);
    ok(!wire_get_candidate(&r, &p, &back, &err), "steps that are none are refused: %s", err.text);
    packet_clear(&p);
    packet_str(&p, "matmul m=sixty");
    packet_bytes(&p, "[]", 2);
    packet_int(&p, 1);
    packet_real(&p, 0);
    ok(!wire_get_candidate(&r, &p, &back, &err), "a task that is none is refused: %s", err.text);
    vec_free(&r.tasks);
    packet_free(&p);
}

static void test_counters(void)
{
    struct packet p = {0};
    struct counter_list l = {.n = 2}, back;
    struct err err = {0};
    l.at[0] = (struct counter){.name = "cycles", .present = true, .level = true, .value = 123};
    l.at[1] = (struct counter){.name = "papi", .reason = "not allowed"};
    wire_put_counters(&p, &l);
    ok(wire_get_counters(&p, &back, &err) && back.n == 2 && back.at[0].present && back.at[0].level &&
           !back.at[1].level && back.at[0].value == 123 && strcmp(back.at[1].reason, "not allowed") == 0,
       "counters come back as they were %s", err.text);
    packet_clear(&p);
    packet_int(&p, COUNTED_RUN_COUNTERS + 1);
    ok(!wire_get_counters(&p, &back, &err) && back.n == 0, "more counters than there can be are refused");
    packet_free(&p);
}

int main(void)
{
    test_samples();
    test_limits();
    test_candidates();
    test_counters();
    return done_testing();
}
