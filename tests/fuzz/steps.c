/* SPDX-License-Identifier: Apache-2.0 */
/* steps: no steps, from a file or not, crash parsing, applying, bounds or lowering; and what does lower passes the nest
 * check and computes what the graph computes. The first byte chooses the small task ('A' the first of
 * random_schedule.c) and, as a small letter, that the rest is not JSON but bytes that are decoded into steps, so that
 * most inputs apply in part: a step that does not apply is left out. */
#include "harness/program/lower/bound.h"
#include "tests/lib/fuzz_bytes.h"
#include "tests/lib/interp_nest.h"
#include "tests/lib/random_schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { TASKS_MAX = 64, STATEMENTS_MAX = 50000 };

static _Noreturn void found(const struct state *s, const char *what, const struct err *err)
{
    struct text t = {0};
    steps_print(s->steps, s->nsteps, &t);
    fprintf(stderr, "%s: %s\n%s\n%s\n", s->task->spec, what, err->text, text_str(&t));
    abort();
}

/* Made at first use; lives as long as the process. */
static const struct trial_task *task_at(int which)
{
    static struct trial_task made[TASKS_MAX];
    static struct arena *kept;
    static int count;
    struct rng r;
    struct err err;
    if (!kept) {
        kept = arena_open("tasks");
        while (count < TASKS_MAX && RANDOM_SCHEDULE_SPECS[count])
            count++;
    }
    if (count == 0)
        abort();
    which %= count;
    rng_seed(&r, 1);
    if (!made[which].task && !random_schedule_task(kept, RANDOM_SCHEDULE_SPECS[which], &r, &made[which], &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return &made[which];
}

static struct step decode(struct arena *a, struct fuzz_bytes *b, const struct state *s)
{
    static const char *const TEXTS[] = {"local", "shared", "global", "auto_unroll_max_step$16"};
    int64_t *list = ARENA_ARRAY(a, int64_t, STEP_LIST_MAX);
    struct step st = {.kind = (enum step_kind)(fuzz_next(b) % STEP_COUNT), .list = list};
    st.stage = fuzz_next(b) % (s->nstages + 1);
    st.iter = fuzz_next(b) % 24;
    int more = fuzz_next(b);
    st.target = more % (s->nstages + 1);
    st.value = st.kind == STEP_AN ? more % 6 : more % 24;
    st.value2 = 1 + more / 64;
    st.flag = more & 1;
    st.text = st.kind == STEP_PR ? TEXTS[3] : TEXTS[more % 3];
    st.n = st.kind == STEP_SP || st.kind == STEP_FFSP || st.kind == STEP_CHR ? 1 + more % 3
           : st.kind == STEP_FU                                              ? more % 5
                                                                             : 0;
    for (int i = 0; i < st.n; i++)
        list[i] = st.kind == STEP_FU ? st.iter + i : fuzz_next(b) % 32;
    if (st.kind == STEP_RE && st.stage < s->nstages) { /* two loops change places */
        st.n = s->stages[st.stage].nleaf;
        for (int i = 0; i < st.n; i++)
            list[i] = i;
        if (st.iter < st.n) {
            int other = more % st.n;
            list[st.iter] = other;
            list[other] = st.iter;
        }
    }
    return st;
}

static struct state *state_from_bytes(struct arena *a, const struct task *t, const uint8_t *data, size_t n)
{
    struct state *s = state_new(a, t);
    struct fuzz_bytes b = {data, n};
    struct err err;
    while (b.left > 0 && s->nsteps < 60) {
        struct state *try = state_copy(a, s);
        struct step st = decode(a, &b, s);
        if (state_apply(try, &st, &err))
            s = try;
    }
    return s;
}

static struct state *state_from_text(struct arena *a, const struct task *t, const uint8_t *data, size_t n)
{
    struct err err = {0};
    struct step *steps;
    struct state *s = NULL;
    int count;
    cJSON *json = json_parse((const char *)data, n, "fuzz", &err);
    if (json && steps_parse(a, json, &steps, &count, &err) && !state_replay(a, t, steps, count, &s, &err))
        s = NULL;
    if (!s && !err.text[0])
        abort();
    cJSON_Delete(json);
    return s;
}

static void run(struct arena *a, const struct trial_task *t, struct state *s, enum layout_mode mode)
{
    struct err err = {0};
    struct nest *nest;
    void *args[32];
    if (!lower(a, s, mode, &nest, &err))
        return;
    if (!nest_check(nest, &err))
        found(s, "the nest is malformed", &err);
    if (nest->local_bytes > 1 << 24)
        return;
    random_schedule_args(a, t, nest, args);
    if (!interp_nest(nest, args, STATEMENTS_MAX, &err)) {
        if (strstr(err.text, "limit"))
            return;
        found(s, "the nest does not run", &err);
    }
    if (!random_schedule_same(t, args[t->task->nargs - 1], &err))
        found(s, "the nest computes something else", &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 2)
        return 0;
    bool coded = data[0] >= 'a';
    const struct trial_task *t = task_at((data[0] - (coded ? 'a' : 'A')) & 63);
    struct arena *a = arena_open("fuzz");
    struct err err;
    struct state *s =
        coded ? state_from_bytes(a, t->task, data + 1, n - 1) : state_from_text(a, t->task, data + 1, n - 1);
    if (s) {
        struct text text = {0};
        state_print(s, &text);
        if (bound_infer(s, &err))
            run(a, t, s, (enum layout_mode)(n % 3));
        text_free(&text);
    }
    arena_close(a);
    return 0;
}
