/* SPDX-License-Identifier: Apache-2.0 */
/* Resume after SIGKILL: a campaign on the fake plug-ins runs in a child that is killed again and again, at chosen calls
 * and at random moments, until it ends. The records must then be, byte for byte, those of a run left alone, and no
 * candidate may have been measured twice but the one in flight. */
#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/tune/campaign.h"
#include "tests/lib/fake_plugins.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/store_text.h"
#include "tests/lib/tap.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIALS = 100, LIVES_MAX = 2000 };

static long *measured; /* shared with the children: candidates built in all lives */

static bool sharing; /* the plan in which a network takes kernels of another */

static const struct plan *plan_of(const char *dir)
{
    return sharing ? fake_sharing_plan(arena, dir, 24) : fake_plan(arena, dir, TRIALS);
}

static _Noreturn void child(const char *dir, long die_at)
{
    struct err err = {0};
    struct campaign_options o = {.resume = true, .revision = "r1"};
    fake_die_at = die_at;
    fake_runs = measured;
    bool fine = campaign_run(&fake_registry, plan_of(dir), &o, &err);
    if (!fine)
        fprintf(stderr, "# %s\n", err.text);
    _exit(fine ? 0 : 1);
}

/* True when the campaign ended; *fine: it ended well. */
static bool live(const char *dir, long die_at, double kill_after, bool *fine)
{
    pid_t pid = fork();
    if (pid == 0)
        child(dir, die_at);
    int status;
    if (pid > 0 && kill_after > 0) {
        clock_sleep(kill_after);
        kill(pid, SIGKILL);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        bug("no child");
    *fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return WIFEXITED(status);
}

static long whole_run; /* candidates measured by the run left alone */

static void compare(const char *dir, const char *whole, int lives, const char *what)
{
    const char *got = store_text_of(dir, store_text);
    ok(got && whole && str_eq(got, whole), "%s: the records are those of a run left alone", what);
    ok(*measured >= whole_run && *measured <= whole_run + lives,
       "only what was in flight was measured again: %ld + %ld", whole_run, *measured - whole_run);
    *measured = 0;
}

/* The lives grow slowly, because at the least everything recorded must be told again before anything new is done. */
static void test_calls(const char *whole, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    const char *dir = fixture_path("%scalls%d", sharing ? "shared" : "", (int)seed);
    bool fine = false;
    int lives = 1;
    for (; lives < LIVES_MAX && !live(dir, 1 + (long)rng_below(&rng, 10 + 4 * (uint64_t)lives), 0, &fine); lives++)
        ;
    ok(fine, "seed %d: done after %d lives killed at calls", (int)seed, lives);
    compare(dir, whole, lives, "killed at calls");
}

static void test_moments(const char *whole, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    const char *dir = fixture_path("%smoments%d", sharing ? "shared" : "", (int)seed);
    bool fine = false;
    int lives = 0;
    double longest = 0.003;
    for (; lives < LIVES_MAX && !live(dir, 0, 0.0002 + longest * rng_unit(&rng), &fine); lives++)
        longest += 50e-6; /* a life must in the end be long enough to get on */
    ok(fine, "seed %d: done after %d lives killed at random moments", (int)seed, lives);
    compare(dir, whole, lives, "killed at moments");
}

static void test_plan(const char *folder, int calls, int moments)
{
    bool fine;
    const char *dir = fixture_path("%s", folder);
    ok(live(dir, 0, 0, &fine) && fine, "%s: a run left alone ends well", folder);
    whole_run = *measured;
    *measured = 0;
    const char *whole = store_text_of(dir, store_text);
    ok(whole && whole_run >= 24, "%s: a run left alone measured %ld candidates", folder, whole_run);
    for (int seed = 1; seed <= calls; seed++)
        test_calls(whole, (uint64_t)seed);
    for (int seed = 1; seed <= moments; seed++)
        test_moments(whole, (uint64_t)seed);
}

int main(void)
{
    log_level_set(LOG_QUIET);
    measured = mmap(NULL, sizeof *measured, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (measured == MAP_FAILED)
        bug("cannot set up");
    test_plan("whole", 6, 4);
    sharing = true;
    test_plan("whole_with_taken_kernels", 3, 2);
    return done_testing();
}
