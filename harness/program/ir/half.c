/* SPDX-License-Identifier: Apache-2.0 */
/* half: conversions by way of the C library, so that no compiler needs a 16-bit type. */
#include "harness/program/ir/half.h"

#include <math.h>

enum { FRACTION = 10, BIAS = 15, EXPONENT_MAX = 31 };

double half_value(uint16_t bits)
{
    int exponent = bits >> FRACTION & EXPONENT_MAX, fraction = bits & ((1 << FRACTION) - 1);
    double sign = bits >> 15 ? -1.0 : 1.0;
    if (exponent == EXPONENT_MAX)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - BIAS - FRACTION);
    return sign * ldexp((1 << FRACTION) + fraction, exponent - BIAS - FRACTION);
}

uint16_t half_bits(double v)
{
    unsigned sign = signbit(v) ? 1u << 15 : 0;
    int exponent;
    if (isnan(v))
        return (uint16_t)(sign | 0x7e00u);
    double magnitude = fabs(v);
    if (isinf(v) || magnitude >= 65520) /* halfway between the greatest and the next power */
        return (uint16_t)(sign | EXPONENT_MAX << FRACTION);
    if (magnitude == 0)
        return (uint16_t)sign;
    (void)frexp(magnitude, &exponent);
    exponent = exponent - 1 < 1 - BIAS ? 1 - BIAS : exponent - 1; /* subnormal numbers share the least one */
    /* Steps of the last place, rounded to even; a carry into the next power comes out right by itself. */
    unsigned steps = (unsigned)nearbyint(ldexp(magnitude, FRACTION - exponent));
    return (uint16_t)(sign | (steps + ((unsigned)(exponent + BIAS - 1) << FRACTION)));
}
