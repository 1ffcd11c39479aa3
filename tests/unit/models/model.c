/* SPDX-License-Identifier: Apache-2.0 */
/* model: what every cost model in the table promises (harness/plug/model.h), tried on each. */
#include "harness/base/file.h"
#include "models/models.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"
#include "tests/lib/trainee.h"

#include <math.h>
#include <unistd.h>

static bool scores_finite(const double *s, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(s[i]))
            return false;
    return true;
}

/* The settings of a model of the table: model exec gets a program in Perl, whose score is the first number. */
static const char *settings_of(const struct model *plug)
{
    static const char program[] =
        "use JSON::PP; $| = 1;\n"
        "while (<STDIN>) {\n"
        "    my $m = decode_json($_);\n"
        "    print encode_json($m->{raingauge} ? {raingauge => 1} : !$m->{score} ? {done => 1}\n"
        "        : {scores => [map { $_ ? $_->[0][57] + 1 : undef } @{ $m->{score} }]}), qq(\\n);\n"
        "}\n";
    const char *file = fixture_path("program.pl");
    struct err err = {0};
    if (!str_eq(plug->name, "exec"))
        return "";
    fixture_must(file_write(file, program, sizeof program - 1, &err), &err);
    return arena_printf(arena, "command=\"perl %s\"", file);
}

static void test_save(struct arena *a, struct trainee *m, const struct tiled_matmuls *t, const double *want)
{
    const char *path = fixture_path("model");
    struct err err;
    struct trainee other;
    double *got = ARENA_ARRAY(a, double, t->n);
    ok(m->plug->save(m->self, path, &err), "model %s saves", m->plug->name);
    if (trainee_open(&other, a, m->plug->name, "", 100, NULL)) {
        ok(other.plug->load(other.self, path, &err), "model %s loads", m->plug->name);
        ok(other.plug->score(other.self, t->candidates[0].task, t->states, t->n, got, &err),
           "model %s scores alike after loading from a file", m->plug->name);
        is_mem(got, want, sizeof *got * (size_t)t->n, "%s: the same scores as before saving", m->plug->name);
        ok(!other.plug->load(other.self, "/nonexistent/model", &err) && err.text[0], "model %s refuses a missing file",
           m->plug->name);
        other.plug->close(other.self);
    }
}

static void test_contract(struct arena *a, const struct model *plug, const struct tiled_matmuls *t)
{
    struct trainee m;
    struct err err;
    double *s = ARENA_ARRAY(a, double, t->n);
    const struct task *task = t->candidates[0].task;
    if (!trainee_open(&m, a, plug->name, settings_of(plug), 3, NULL))
        return;
    ok(plug->fit(m.self, &err), "model %s may be trained before any record", plug->name);
    ok(plug->score(m.self, task, t->states, t->n, s, &err) && scores_finite(s, t->n),
       "model %s scores before it is trained", plug->name);
    ok(plug->score(m.self, task, t->states, 0, s, &err), "model %s scores no states without an error", plug->name);
    ok(plug->tell(m.self, t->candidates, t->samples, t->n, &err), "model %s takes records", plug->name);
    struct candidate broken = t->candidates[0];
    struct step nonsense = {.kind = STEP_SP, .stage = 99};
    broken.steps = &nonsense;
    broken.nsteps = 1;
    struct sample failed = {.outcome = OUTCOME_INVALID};
    ok(plug->tell(m.self, &broken, &failed, 1, &err), "model %s takes a record that cannot be replayed", plug->name);
    ok(plug->tell(m.self, t->candidates, &failed, 1, &err), "model %s takes a failed sample", plug->name);
    ok(plug->fit(m.self, &err), "model %s is trained on its records", plug->name);
    ok(plug->score(m.self, task, t->states, t->n, s, &err) && scores_finite(s, t->n),
       "model %s scores after it is trained", plug->name);
    if (plug->save)
        test_save(a, &m, t, s);
    else
        ok(!plug->load, "model %s neither saves nor loads", plug->name);
    m.plug->close(m.self);
}

static void test_random(struct arena *a, const struct model *plug, const struct tiled_matmuls *t)
{
    struct err err;
    double x[2][8];
    for (int i = 0; i < 2; i++) {
        struct trainee m;
        if (!trainee_open(&m, a, plug->name, "", 0, NULL) ||
            !plug->score(m.self, t->candidates[0].task, t->states, 8, x[i], &err))
            return;
        m.plug->close(m.self);
    }
    is_mem(x[0], x[1], sizeof x[0], "random: the same seed gives the same scores");
    ok(x[0][0] != x[0][1], "the scores of model random differ");
}

int main(void)
{
    struct tiled_matmuls t = tiled_matmuls_make(arena, 24, 5);
    for (const struct model *const *m = models_table(); *m; m++) {
        bool complete = (*m)->summary && (*m)->open && (*m)->tell && (*m)->fit && (*m)->score && (*m)->close;
        ok(complete, "the row of model %s is complete", (*m)->name);
        if (!complete)
            continue;
        test_contract(arena, *m, &t);
        if (str_eq((*m)->name, "random"))
            test_random(arena, *m, &t);
    }
    return done_testing();
}
