/* SPDX-License-Identifier: Apache-2.0 */
/* feature_batch: a GPU program that was lowered for its check is not lowered again for its features. */
#include "models/feature_batch.h"

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

static int rows_equal(const struct feature_batch_rows *x, int i, const struct feature_batch_rows *y, int k)
{
    int n = x->first[i + 1] - x->first[i];
    return n == y->first[k + 1] - y->first[k] &&
           memcmp(x->at + (size_t)x->first[i] * FEATURE_WIDTH, y->at + (size_t)y->first[k] * FEATURE_WIDTH,
                  sizeof(float) * FEATURE_WIDTH * (size_t)n) == 0;
}

static void test_kept(struct arena *a, const char *spec)
{
    struct space sp;
    struct state *s[STATES], *plain[STATES];
    share_test_gpu_space(&sp, a, spec);
    int n = draw_states(a, &sp, s), equal = 0, other = 0;
    struct feature_batch *with = feature_batch_open(NULL, NULL), *without = feature_batch_open(NULL, NULL);
    for (int i = 0; i < n; i++)
        plain[i] = state_copy(a, s[i]);
    struct feature_batch_rows x = feature_batch_states(with, s, n), y = feature_batch_states(without, plain, n);
    for (int i = 0; i < n; i++)
        equal += !plain[i]->nest && !x.none[i] && rows_equal(&x, i, &y, i);
    is_int(equal, STATES, "%s: features of a kept nest are those of one made anew; copies have none", spec);
    for (int i = 0; i < n; i++)
        plain[i]->nest = s[(i + 1) % n]->nest;
    y = feature_batch_states(without, plain, n);
    for (int i = 0; i < n; i++)
        other += rows_equal(&x, (i + 1) % n, &y, i);
    is_int(other, STATES, "%s: it is the kept nest that is looked at", spec);
    feature_batch_close(with);
    feature_batch_close(without);
}

int main(void)
{
    test_kept(arena, "conv2d ci=32 hi=14 wi=14 co=32 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1");
    return done_testing();
}
