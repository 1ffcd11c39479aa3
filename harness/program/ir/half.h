/* SPDX-License-Identifier: Apache-2.0 */
/* half: float16 as its 16 bits (IEEE 754 binary16), for which C17 has no type. */
#pragma once
#include <stdint.h>

/* Exact. */
double half_value(uint16_t bits);
/* The nearest float16, of two the even one, as hardware rounds; past 65504 infinity; subnormal numbers are kept. */
uint16_t half_bits(double v);
