/* SPDX-License-Identifier: Apache-2.0 */
/* The printed loop nests of TVM v0.16 for the authors' schedules and for random states (data/tvm_oracle): ours must be
 * the same, non-zero loop minima aside (they are expressions in TVM's variable names). RAINGAUGE_ORACLE_SHOW=n shows
 * the first n that differ. */
#include "harness/program/lower/bound.h"
#include "tests/lib/fixture.h"
#include "tests/lib/oracle.h"
#include "tests/lib/tap.h"

#include <stdlib.h>
#include <string.h>

struct tally {
    int records, applied, equal, lowered, shown;
};

/* "(expression,27)" -> "(*,27)" unless the minimum is the number 0. */
static char *mask(const char *s)
{
    char *out = malloc(strlen(s) + 8), *w = out;
    while (*s) {
        if (*s != '(' || s[-1] != ' ') {
            *w++ = *s++;
            continue;
        }
        const char *end = strchr(s, '\n'), *comma = end;
        while (comma > s && *comma != ',')
            comma--;
        *w++ = '(';
        *w++ = comma - s == 2 && s[1] == '0' ? '0' : '*';
        while (comma < end)
            *w++ = *comma++;
        s = end;
    }
    *w = 0;
    return out;
}

static void one(const struct oracle *o, const char *name, struct tally *t)
{
    struct arena *a = arena_open("oracle");
    struct err err = {0};
    const struct task *task = fixture_task(a, o->spec);
    struct state *s;
    struct nest *n;
    const char *where = arena_printf(a, "%s:%d", name, o->number);
    int show = getenv("RAINGAUGE_ORACLE_SHOW") ? atoi(getenv("RAINGAUGE_ORACLE_SHOW")) : 0;
    const char *want = json_str(o->json, "state", "");
    t->records++;
    bool applied = state_replay(a, task, o->e.steps, o->e.nsteps, &s, &err) && bound_infer(s, &err);
    if (!applied) {
        if (t->shown++ < show)
            diag("%s: does not apply: %s (%s)", where, err.text, o->spec);
        arena_close(a);
        return;
    }
    t->applied++;
    struct text got = {0};
    state_print(s, &got);
    char *x = mask(text_str(&got)), *y = mask(want);
    if (strcmp(x, y) == 0)
        t->equal++;
    else if (t->shown++ < show)
        diag("%s: differs\n--- ours\n%s--- TVM\n%s", where, text_str(&got), want);
    bool lowered = lower(a, s, LAYOUT_REWRITTEN, &n, &err) && nest_check(n, &err);
    t->lowered += lowered;
    if (!lowered && t->shown++ < show)
        diag("%s: does not lower: %s", where, err.text);
    free(x);
    free(y);
    text_free(&got);
    arena_close(a);
}

static void file(const char *name)
{
    struct oracle o;
    struct tally t = {0};
    struct arena *a = arena_open("records");
    if (oracle_open(&o, name))
        for (; oracle_next(&o, a); arena_reset(a))
            one(&o, name, &t);
    arena_close(a);
    if (t.records == 0)
        return;
    ok(t.applied == t.records, "of the schedules in %s, %d of %d apply", name, t.applied, t.records);
    ok(t.equal == t.records, "of the schedules in %s, %d of %d give states that print as TVM prints them", name,
       t.equal, t.records);
    is_int(t.lowered, t.applied, "all schedules in %s that apply can be lowered", name);
}

int main(void)
{
    file("published");
    file("random");
    file("cuda");
    return done_testing();
}
