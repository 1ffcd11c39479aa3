/* SPDX-License-Identifier: Apache-2.0 */
/* example_batch: a GPU program that was lowered for its check is not lowered again for its features. */
#include "models/statement_rows.h"

#include "search/sketch/draw.h"
#include "tests/lib/fixture.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <string.h>

enum { STATES = 24 };

static int draw_states(struct arena *a, const struct space *sp, struct state *out[STATES])
{
    struct rng r;
    int n = 0, kept = 0;
    rng_seed(&r, 7);
    for (int i = 0; i < 100 * STATES && n < STATES; i++) {
        struct state *s = draw_state(sp, a, &r, NULL, NULL);
        if (!s || !space_fits(sp, a, s, NULL))
            continue;
        kept += s->nest != NULL;
        out[n++] = s;
    }
    is_int(kept, STATES, "a program that fits the device keeps the nest of its check");
    return n;
}

static int rows_equal(const struct example_inputs *x, const struct example_inputs *y)
{
    return x->in[0].n == y->in[0].n &&
           memcmp(x->in[0].at, y->in[0].at, sizeof(float) * FEATURE_WIDTH * (size_t)x->in[0].n) == 0;
}

static void test_kept(struct arena *a, const char *spec)
{
    struct space sp;
    struct state *s[STATES], *plain[STATES];
    share_test_gpu_space(&sp, a, spec);
    int n = draw_states(a, &sp, s), equal = 0, other = 0;
    static const struct example_form form = FEATURE_FORM;
    struct model_env env = {0};
    struct example_batch *with = example_batch_open(&form, &env), *without = example_batch_open(&form, &env);
    for (int i = 0; i < n; i++)
        plain[i] = state_copy(a, s[i]);
    struct example_matrix x = example_batch_states(with, s, n), y = example_batch_states(without, plain, n);
    for (int i = 0; i < n; i++)
        equal += !plain[i]->nest && !x.none[i] && rows_equal(&x.shown[i], &y.shown[i]);
    is_int(equal, STATES, "%s: features of a kept nest are those of one made anew; copies have none", spec);
    for (int i = 0; i < n; i++)
        plain[i]->nest = s[(i + 1) % n]->nest;
    y = example_batch_states(without, plain, n);
    for (int i = 0; i < n; i++)
        other += rows_equal(&x.shown[(i + 1) % n], &y.shown[i]);
    is_int(other, STATES, "%s: it is the kept nest that is looked at", spec);
    example_batch_close(with);
    example_batch_close(without);
}

int main(void)
{
    test_kept(arena, "conv2d ci=32 hi=14 wi=14 co=32 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1");
    return done_testing();
}
