/* SPDX-License-Identifier: Apache-2.0 */
/* fragment_shim: what stands in for PTX in kernel_shim.h: float16 made float, and the operations on fragments for
 * tensor cores (targets/gpu/gpu_fragment.h). A lane of a warp holds 8 elements of a 16x16 block, in the order of rows:
 * of an accumulator as its 8 registers, of a factor in the first 4, with what it was loaded as in the fifth. Products
 * are made when all lanes of the warp are there, of what each of them holds. What hardware does not take ends the
 * process: places in memory and rows that are not aligned, a factor that was loaded as another. */
#include <stdint.h>

#include "kernel_shim.h"

enum { SHIM_SIDE = 16, SHIM_HELD = 8, SHIM_A = 1, SHIM_B_ROW, SHIM_B_COL };
static const unsigned *shim_held[SHIM_THREADS][2]; /* factors of each thread's product */

struct shim_ushort2 {
    unsigned short x, y;
};
struct shim_ushort4 {
    unsigned short x, y, z, w;
};
#define ushort2 struct shim_ushort2
#define ushort4 struct shim_ushort4
#define make_ushort2(a, b) ((ushort2){a, b})
#define make_ushort4(a, b, c, d) ((ushort4){a, b, c, d})

static float __attribute__((unused)) half_to_float(unsigned short bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float v = exponent == 31 ? (fraction ? NAN : INFINITY)
              : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                             : ldexpf((float)fraction, -24);
    return bits >> 15 ? -v : v;
}

static void shim_aligned(const void *p, int row, int whole)
{
    if ((uintptr_t)p % 32 || row % whole)
        shim_fail("a block for tensor cores does not begin at 32 bytes, or has rows that do not at 16");
}

static void __attribute__((unused)) shim_load(unsigned *f, const unsigned short *p, int row, unsigned as)
{
    int first = shim.now % SHIM_WARP * SHIM_HELD;
    shim_aligned(p, row, 8);
    for (int i = 0; i < SHIM_HELD; i += 2) {
        const unsigned short *at = p + (first + i) / SHIM_SIDE * row + (first + i) % SHIM_SIDE;
        f[i / 2] = at[0] | (unsigned)at[1] << 16;
    }
    f[SHIM_HELD / 2] = as;
}

/* Element (y, x) in memory of factor `which` of the warp whose first thread this is. */
static float shim_element(int warp, int which, int y, int x)
{
    int at = y * SHIM_SIDE + x, held = at % SHIM_HELD;
    const unsigned *f = shim_held[warp + at / SHIM_HELD][which];
    return half_to_float((unsigned short)(f[held / 2] >> held % 2 * 16));
}

static void __attribute__((unused)) shim_multiply(float *c, const unsigned *a, const unsigned *b, unsigned as, int line)
{
    int warp = shim.now / SHIM_WARP * SHIM_WARP, first = shim.now % SHIM_WARP * SHIM_HELD;
    if (a[SHIM_HELD / 2] != SHIM_A || b[SHIM_HELD / 2] != as)
        shim_fail("a factor for tensor cores was loaded as another");
    shim_held[shim.now][0] = a;
    shim_held[shim.now][1] = b;
    shim_wait(~0u, line);
    for (int i = 0; i < SHIM_HELD; i++) {
        int y = (first + i) / SHIM_SIDE, x = (first + i) % SHIM_SIDE;
        for (int k = 0; k < SHIM_SIDE; k++)
            c[i] += shim_element(warp, 0, y, k) *
                    (as == SHIM_B_COL ? shim_element(warp, 1, x, k) : shim_element(warp, 1, k, x));
    }
    shim_wait(~0u, -line);
}

static void __attribute__((unused)) fragment_store(float *p, int row, const float *f)
{
    int first = shim.now % SHIM_WARP * SHIM_HELD;
    shim_aligned(p, row, 4);
    for (int i = 0; i < SHIM_HELD; i++)
        p[(first + i) / SHIM_SIDE * row + (first + i) % SHIM_SIDE] = f[i];
}

static void __attribute__((unused)) fragment_fill(float *f)
{
    for (int i = 0; i < SHIM_HELD; i++)
        f[i] = 0;
}

#define fragment_load_a(f, p, row) shim_load(f, p, row, SHIM_A)
#define fragment_load_b_row(f, p, row) shim_load(f, p, row, SHIM_B_ROW)
#define fragment_load_b_col(f, p, row) shim_load(f, p, row, SHIM_B_COL)
#define fragment_multiply_row(c, a, b) shim_multiply(c, a, b, SHIM_B_ROW, __LINE__)
#define fragment_multiply_col(c, a, b) shim_multiply(c, a, b, SHIM_B_COL, __LINE__)
