/* SPDX-License-Identifier: Apache-2.0 */
/* trainee: see trainee.h. */
#include "tests/lib/trainee.h"

#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

bool trainee_open(struct trainee *t, struct arena *a, const char *model, const char *settings, int warmup,
                  struct pool *pool)
{
    struct err err = {0};
    const struct model *plug = fixture_model(model);
    *t = (struct trainee){.plug = plug, .self = arena_alloc(a, plug->state_size)};
    fixture_must(setting_options(a, plug->settings, plug->options_size, settings, &t->options, &err), &err);
    t->env = (struct model_env){.options = t->options, .limits = limits_cpu(2), .warmup = warmup, .pool = pool};
    rng_seed(&t->env.rng, 3);
    return ok(plug->open(t->self, &t->env, &err), "model %s opens with '%s' %s", model, settings, err.text);
}

void trainee_teach(struct trainee *t, const struct tiled_matmuls *p, int from, int n, bool fit)
{
    struct err err = {0};
    if (!t->plug->tell(t->self, p->candidates + from, p->samples + from, n, &err) ||
        (fit && !t->plug->fit(t->self, &err)))
        bug("%s", err.text);
}

void trainee_score(struct trainee *t, const struct tiled_matmuls *p, int from, int n, double *out)
{
    struct err err = {0};
    fixture_must(t->plug->score(t->self, p->candidates[0].task, p->states + from, n, out, &err), &err);
}

double trainee_order(const double *scores, const struct tiled_matmuls *p, int from, int n)
{
    int right = 0, pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double x = p->samples[from + i].seconds[0], y = p->samples[from + j].seconds[0];
            pairs += x != y;
            right += x != y && (scores[i] > scores[j]) == (x < y);
        }
    return (double)right / pairs;
}

bool trainee_same(const double *x, const double *y, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] != y[i])
            return false;
    return true;
}
