/* SPDX-License-Identifier: Apache-2.0 */
/* verify: an output is right if it differs from the reference by rounding only.
 *
 * Two programs that add the same K terms in another order differ by rounding. With unit roundoff u, each addition errs
 * by at most u times the partial sum; over K additions with errors of either sign that grows as sqrt(K), not as K
 * (Higham and Mary, "A new approach to probabilistic rounding error analysis", SIAM J. Sci. Comput. 41, 2019). Partial
 * sums are no larger than some small multiple of the largest output S, since the inputs are random. So
 *
 *     |got - reference| <= u * (8 * sqrt(K) + 32) * S
 *
 * The 8 is two programs times two standard deviations times a partial sum of twice S; the 32 a few units in the last
 * place for exp, tanh and division in the epilogue. S is taken over the whole output and not per element: an element
 * near zero after cancellation has the error of its terms, not of its value. One missing term of K is about S / (4
 * sqrt(K)): visible for K up to some 200,000 in float32. The runner adds what the reference itself was found to err
 * against the double-precision interpreter, which covers outputs clipped far below their sums (relu6).
 *
 * The poison is one NaN with a payload no arithmetic makes, so an element that was not written is no computed NaN. */
#include "harness/measure/verify.h"

#include "harness/program/ir/element.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint16_t POISON16 = 0x7ed5;
static const uint32_t POISON32 = 0x7fc5eed5;
static const uint64_t POISON64 = UINT64_C(0x7ff85eed5eed5eed);

void verify_fill(enum dtype t, void *p, int64_t n, double lo, double hi, struct rng *r)
{
    if (t == DTYPE_BOOL)
        lo = 0, hi = 1;
    else if (!dtype_is_float(t) && hi - lo < 3)
        lo = lo * 4, hi = hi * 4 + 1; /* whole numbers of [-1,1) would be two */
    for (int64_t i = 0; i < n; i++) {
        double v = lo + (hi - lo) * rng_unit(r);
        element_put(t, p, i, dtype_is_float(t) ? v : t == DTYPE_BOOL ? v > 0.5 : floor(v));
    }
}

/* Integers have no NaN: a rare pattern stands for it. */
void verify_poison(enum dtype t, void *p, int64_t n)
{
    if (dtype_bytes(t) == 4)
        for (int64_t i = 0; i < n; i++)
            ((uint32_t *)p)[i] = POISON32;
    else if (dtype_bytes(t) == 8)
        for (int64_t i = 0; i < n; i++)
            ((uint64_t *)p)[i] = POISON64;
    else if (dtype_bytes(t) == 2)
        for (int64_t i = 0; i < n; i++)
            ((uint16_t *)p)[i] = POISON16;
    else
        memset(p, 0xA7, (size_t)n);
}

static bool is_poison(enum dtype t, const void *p, int64_t i)
{
    if (dtype_bytes(t) == 4)
        return memcmp((const char *)p + 4 * i, &POISON32, 4) == 0;
    if (dtype_bytes(t) == 8)
        return memcmp((const char *)p + 8 * i, &POISON64, 8) == 0;
    if (dtype_bytes(t) == 2)
        return memcmp((const char *)p + 2 * i, &POISON16, 2) == 0;
    return ((const unsigned char *)p)[i] == 0xA7;
}

/* How many elements are still poisoned, and the first of them. */
static int64_t count_unwritten(enum dtype t, const void *p, int64_t n, int64_t *first)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (is_poison(t, p, i) && count++ == 0)
            *first = i;
    return count;
}

double verify_tolerance(enum dtype t, int reduction_length, double scale)
{
    if (!dtype_is_float(t))
        return 0;
    double u = t == DTYPE_F32   ? 0x1p-24
               : t == DTYPE_F16 ? 0x1p-11
                                : 0x1p-53,
           k = reduction_length > 1 ? reduction_length : 1;
    return u * (8 * sqrt(k) + 32) * scale;
}

double verify_scale(const double *reference, int64_t n)
{
    double scale = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = fabs(reference[i]);
        if (!(v <= scale)) /* NaN too */
            scale = v;
        if (!isfinite(scale))
            break;
    }
    return scale;
}

/* "[0, 3, 12, 7]" */
static void place_print(const struct op *output, int64_t element, char *out, size_t n)
{
    int64_t at[16];
    int dims = output->nspatial < 16 ? output->nspatial : 16;
    for (int d = dims - 1; d >= 0; d--) {
        at[d] = element % output->axes[d].extent;
        element /= output->axes[d].extent;
    }
    size_t used = 0;
    for (int d = 0; d < dims && used < n; d++)
        used += (size_t)snprintf(out + used, n - used, "%s%lld", d ? ", " : "[", (long long)at[d]);
    if (used < n)
        snprintf(out + used, n - used, dims ? "]" : "[]");
}

/* How many elements are not within tolerance of the reference. A NaN is not. */
static int64_t count_bad(enum dtype t, const void *got, const double *reference, int64_t n, double tolerance)
{
    const float *single = got;
    int64_t bad = 0;
    if (t == DTYPE_F32) /* no call for each element: outputs have up to tens of millions */
        for (int64_t i = 0; i < n; i++)
            bad += !(fabs(single[i] - reference[i]) <= tolerance);
    else
        for (int64_t i = 0; i < n; i++)
            bad += !(fabs(element_get(t, got, i) - reference[i]) <= tolerance);
    return bad;
}

/* The element that is furthest from the reference, the first where several are. */
static int64_t find_worst(enum dtype t, const void *got, const double *reference, int64_t n)
{
    double most = -1;
    int64_t worst = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = fabs(element_get(t, got, i) - reference[i]);
        if (isnan(d))
            d = INFINITY;
        if (d > most)
            most = d, worst = i;
    }
    return worst;
}

bool verify_compare(const struct op *output, const void *got, const double *reference, int64_t n, double tolerance,
                    char message[SAMPLE_MESSAGE])
{
    enum dtype t = output->dtype;
    int64_t first = 0, bad = count_bad(t, got, reference, n, tolerance);
    char place[64];
    if (bad == 0) /* nothing is unwritten: the poison of floats is a NaN */
        return true;
    int64_t unwritten = count_unwritten(t, got, n, &first);
    if (unwritten && dtype_is_float(t)) {
        place_print(output, first, place, sizeof place);
        snprintf(message, SAMPLE_MESSAGE, "left %lld of %lld elements unwritten, first %s", (long long)unwritten,
                 (long long)n, place);
        return false;
    }
    int64_t worst = find_worst(t, got, reference, n);
    place_print(output, worst, place, sizeof place);
    snprintf(message, SAMPLE_MESSAGE, "%lld of %lld elements differ, worst %s: %.7g instead of %.7g, tolerance %.2g",
             (long long)bad, (long long)n, place, element_get(t, got, worst), reference[worst], tolerance);
    return false;
}
