/* SPDX-License-Identifier: Apache-2.0 */
/* history: which nights may be compared, what goes on after a kill, what accepting changes; and how a finding is worded
 * out of a window, tonight and a rerun. */
#include "harness/nightly/history.h"
#include "harness/nightly/nightly_compare.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

static struct history *h;
static struct err err;

static struct night tonight(const char *identity, const char *hash, const char *binary)
{
    return (struct night){.machine = "host",
                          .identity = identity,
                          .experiment = "nightly",
                          .experiment_hash = hash,
                          .binary = binary,
                          .revision = "r",
                          .environment = "{}"};
}

/* A whole night of one series with 8 values near level. */
static struct night whole(const char *identity, const char *hash, const char *binary, double level, const char *state)
{
    struct night n = tonight(identity, hash, binary);
    bool resumed, fine = history_begin(h, &n, &resumed, &err);
    for (int i = 0; fine && i < 8; i++)
        fine = history_put(h, &(struct night_series){n.number, "program 01 x", ""}, i,
                           level * (1 + 0.001 * ((i * 5) % 8)), &err);
    fine = fine && (!state || history_end(h, n.number, state, &err));
    ok(fine && !resumed, "a new night of binary %s is recorded %s", binary, err.text);
    return n;
}

static int before(const struct night *n, bool good)
{
    struct night *all;
    int count = -1;
    ok(history_before(h, arena, n, good, &all, &count, &err), "the nights before night %d are read %s", (int)n->number,
       err.text);
    return count;
}

static void test_kinds(void)
{
    struct night one = whole("m", "e", "b1", 1, NIGHT_GOOD);
    is_int(one.number, 1, "the first night has number 1");
    whole("m", "e", "b2", 1, NIGHT_GOOD);
    whole("m", "other experiment", "b2", 1, NIGHT_GOOD);
    whole("other machine", "e", "b2", 1, NIGHT_GOOD);
    whole("m", "e", "b3", 1.2, "confirmed");
    struct night last = whole("m", "e", "b4", 1, NIGHT_GOOD);
    is_int(before(&last, true), 2, "only good nights of the same machine and experiment are compared with");
    is_int(before(&last, false), 3, "nights with a finding are found when they are asked for too");
}

static void test_kill(void)
{
    struct night cut = whole("m", "e", "b5", 1, NULL), same = tonight("m", "e", "b5"), other = tonight("m", "e", "b6"),
                 old;
    bool resumed;
    double *v;
    int n;
    ok(history_begin(h, &same, &resumed, &err) && resumed && same.number == cut.number,
       "a night that was killed goes on with the same binary");
    ok(history_values(h, arena, &(struct night_series){same.number, "program 01 x", ""}, &v, &n, &err) && n == 8,
       "a resumed night still has its values");
    ok(history_begin(h, &other, &resumed, &err) && !resumed && other.number == cut.number + 1,
       "another binary begins a new night");
    ok(history_night(h, arena, cut.number, &old, &err), "a night that was cut short can be read");
    is_str(old.state, NIGHT_STOPPED, "a night that another binary overtook is given up");
    ok(history_end(h, other.number, "confirmed", &err), "the overtaking night ends");
    ok(!history_night(h, arena, 99, &old, &err), "a night that is not there is refused: %s", err.text);
}

/* Earlier versions wrote the same facts with blanks. */
static void test_identity(void)
{
    struct night one = whole("{\"cpu\": \"x\", \"cores\": 2}", "i", "b1", 1, NIGHT_GOOD);
    struct night two = whole("{\"cpu\":\"x\",\"cores\":2}", "i", "b2", 1, NIGHT_GOOD);
    struct night three = whole("{\"cpu\":\"x\",\"cores\":3}", "i", "b3", 1, NIGHT_GOOD);
    is_str(two.identity, one.identity, "the same machine written with other blanks has the identity on record");
    is_int(before(&two, true), 1, "nights of the same machine written with other blanks are compared");
    is_int(before(&three, true), 0, "nights of a machine with more cores are not compared");
}

static void test_accept(void)
{
    struct night red = whole("m", "e", "b7", 1.5, "confirmed"), next;
    ok(history_accept(h, &red, "wanted", &err), "a night is accepted as the normal");
    next = whole("m", "e", "b8", 1.5, NIGHT_GOOD);
    is_int(before(&next, true), 1, "after an acceptance only the accepted night is compared with");
}

/* Tonight at level with a binary against one good night at 1; sides of a rerun, 0: none. */
static const char *kind_of(double level, const char *binary, double old, double new)
{
    static int experiment;
    const char *hash = arena_printf(arena, "finding %d", experiment++);
    struct findings f = {0};
    struct night good = whole("m", hash, "good", 1, NIGHT_GOOD), n = whole("m", hash, binary, level, NULL);
    for (int i = 0; old > 0 && i < 8; i++) {
        double wobble = 1 + 0.001 * ((i * 3) % 8);
        ok(history_put(h, &(struct night_series){n.number, "program 01 x", "old"}, i, old, &err) &&
               history_put(h, &(struct night_series){n.number, "program 01 x", "new"}, i, new *wobble, &err),
           "pair %d of a rerun is recorded", i);
    }
    ok(nightly_compare(&(struct tonight){arena, h, &n, &good, 1}, &f, &err) && f.all.n == 1,
       "a night is compared with the one before %s", err.text);
    const char *kind = f.all.n ? f.all.at[0].v.kind : "";
    vec_free(&f.all);
    return kind;
}

static void test_findings(void)
{
    is_str(kind_of(1.001, "new", 0, 0), "none", "a night at the same speed has no finding");
    is_str(kind_of(0.8, "new", 0, 0), "faster", "a night 20 %% faster is found faster");
    is_str(kind_of(1.2, "new", 0, 0), "suspect", "a slower binary is suspect before the rerun");
    is_str(kind_of(1.2, "new", 1, 1.2), "confirmed", "a binary that is slower in the rerun too is confirmed");
    is_str(kind_of(1.2, "new", 1, 1), "not confirmed", "a binary that is not slower in the rerun is not confirmed");
    is_str(kind_of(1.2, "new", 1.2, 1.2), "machine changed",
           "where the old binary is slow in the rerun too, the machine changed");
    is_str(kind_of(1.2, "good", 0, 0), "suspect", "the same binary, slower, is suspect before the rerun");
    is_str(kind_of(1.2, "good", 1.2, 1.2), "machine changed",
           "the same binary, slower in the rerun both times, says that the machine changed");
    is_str(kind_of(1.2, "good", 1, 1), "not confirmed", "the same binary, not slower in the rerun, is not confirmed");
    is_str(kind_of(0.8, "good", 0.8, 0.8), "machine changed",
           "the same binary, faster twice, says that the machine changed");
    is_str(kind_of(0.8, "good", 1.2, 1.2), "not confirmed",
           "the same binary, first faster and then slower, is not confirmed");
}

int main(void)
{
    const char *dir = fixture_path("state/raingauge");
    struct history *second;
    ok(!history_open_read(dir, &second, &err), "a history that is not there is refused: %s", err.text);
    if (!ok(history_open(dir, &h, &err), "a history makes its folder %s", err.text))
        return done_testing();
    test_kinds();
    test_kill();
    test_identity();
    test_accept();
    test_findings();
    ok(history_open_read(dir, &second, &err), "a history can be read while it is written %s", err.text);
    history_close(second);
    history_close(h);
    ok(history_open(dir, &h, &err), "a history opens again after it was closed %s", err.text);
    history_close(h);
    return done_testing();
}
