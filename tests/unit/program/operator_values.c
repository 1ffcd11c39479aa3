/* SPDX-License-Identifier: Apache-2.0 */
/* operator_values: operators and activations that no released kernel has. Stages are as TVM v0.16 prints its ComputeDAG
 * for them (typed in from runs of it: relay with extract_tasks, and topi itself); values are those of loops written
 * here from the definitions. */
#include "harness/base/rng.h"
#include "harness/program/interp/interp.h"
#include "harness/program/ir/dag_print.h"
#include "search/sketch/space.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static void stages(const char *spec, const char *want)
{
    struct text text = {0};
    dag_print(fixture_task(arena, spec)->dag, &text);
    is_str(text_str(&text), want, "the stages of '%s' are TVM's", spec);
    text_free(&text);
}

#define DENSE                                                                                                          \
    "p0 = PLACEHOLDER [128, 768]\n"                                                                                    \
    "p1 = PLACEHOLDER [3072, 768]\n"                                                                                   \
    "T_matmul_NT(i0, i1) += (p0[i0, k]*p1[i1, k])\n"                                                                   \
    "p2 = PLACEHOLDER [1, 3072]\n"                                                                                     \
    "T_add(ax0, ax1) = (T_matmul_NT[ax0, ax1] + p2[0, ax1])\n"

static void test_activations(void)
{
    stages("dense n=128 ci=768 co=3072 bias=1 act=gelu",
           DENSE "compile_engine_const() = 0.5f\n"
                 "compile_engine_const() = 0.707107f\n"
                 "T_multiply(ax0, ax1) = (T_add[ax0, ax1]*compile_engine_const[])\n"
                 "T_erf(ax0, ax1) = tir.erf(T_multiply[ax0, ax1])\n"
                 "compile_engine_const() = 0.5f\n"
                 "T_multiply(ax0, ax1) = (T_erf[ax0, ax1]*compile_engine_const[])\n"
                 "T_add(ax0, ax1) = (compile_engine_const[] + T_multiply[ax0, ax1])\n"
                 "T_multiply(ax0, ax1) = (T_add[ax0, ax1]*T_add[ax0, ax1])\n");
    stages("dense n=128 ci=768 co=3072 bias=1 act=gelu_tanh",
           "compile_engine_const() = 0.5f\n" DENSE "T_multiply(ax0, ax1) = (compile_engine_const[]*T_add[ax0, ax1])\n"
           "compile_engine_const() = 1f\n"
           "compile_engine_const() = 0.797885f\n"
           "compile_engine_const() = 0.044715f\n"
           "T_multiply(ax0, ax1) = (compile_engine_const[]*T_add[ax0, ax1])\n"
           "T_multiply(ax0, ax1) = (T_multiply[ax0, ax1]*T_add[ax0, ax1])\n"
           "T_multiply(ax0, ax1) = (T_multiply[ax0, ax1]*T_add[ax0, ax1])\n"
           "T_add(ax0, ax1) = (T_add[ax0, ax1] + T_multiply[ax0, ax1])\n"
           "T_multiply(ax0, ax1) = (compile_engine_const[]*T_add[ax0, ax1])\n"
           "T_tanh(ax0, ax1) = tir.tanh(T_multiply[ax0, ax1])\n"
           "T_add(ax0, ax1) = (compile_engine_const[] + T_tanh[ax0, ax1])\n"
           "T_multiply(ax0, ax1) = (T_multiply[ax0, ax1]*T_add[ax0, ax1])\n");
    stages("dense n=128 ci=768 co=3072 bias=1 act=silu",
           DENSE "T_sigmoid(ax0, ax1) = tir.sigmoid(T_add[ax0, ax1])\n"
                 "T_multiply(ax0, ax1) = (T_add[ax0, ax1]*T_sigmoid[ax0, ax1])\n");
    stages("dense n=128 ci=768 co=3072 bias=1 act=sigmoid",
           DENSE "T_sigmoid(ax0, ax1) = tir.sigmoid(T_add[ax0, ax1])\n");
    stages("dense n=128 ci=768 co=3072 bias=1 act=tanh", DENSE "T_tanh(ax0, ax1) = tir.tanh(T_add[ax0, ax1])\n");
    stages("dense n=128 ci=768 co=3072 bias=1 act=hard_swish",
           DENSE "compile_engine_const() = 0.166667f\n"
                 "T_multiply(ax0, ax1) = (T_add[ax0, ax1]*compile_engine_const[])\n"
                 "compile_engine_const() = 0.5f\n"
                 "T_add(ax0, ax1) = (T_multiply[ax0, ax1] + compile_engine_const[])\n"
                 "compute(i0, i1) = max(min(T_add[i0, i1], 1f), 0f)\n"
                 "T_multiply(ax0, ax1) = (T_add[ax0, ax1]*compute[ax0, ax1])\n");
}

static void test_operators(void)
{
    stages("rms_norm n=128 c=768", "p0 = PLACEHOLDER [128, 768]\n"
                                   "T_cast(ax0, ax1) = p0[ax0, ax1]\n"
                                   "T_multiply(ax0, ax1) = (T_cast[ax0, ax1]*T_cast[ax0, ax1])\n"
                                   "T_multiply_red(ax0) += T_multiply[ax0, k1]\n"
                                   "rsqrt(ax0) = tir.rsqrt(((T_multiply_red[ax0]/768f) + 1e-05f))\n"
                                   "p1 = PLACEHOLDER [768]\n"
                                   "T_cast(ax0) = p1[ax0]\n"
                                   "T_rms_norm(ax0, ax1) = ((rsqrt[ax0]*T_cast[ax0, ax1])*T_cast[ax1])\n"
                                   "T_cast(ax0, ax1) = T_rms_norm[ax0, ax1]\n");
    stages("conv2d_transpose ci=128 hi=8 wi=8 co=64 kh=4 kw=4 sh=2 sw=2 ph=1 pw=1",
           "p0 = PLACEHOLDER [1, 128, 8, 8]\n"
           "data_dilate(i0, i1, i2, i3) = tir.if_then_else(((floormod(i2, 2) == 0) && (floormod(i3, 2) == 0)), p0[i0, "
           "i1, floordiv(i2, 2), floordiv(i3, 2)], 0f)\n"
           "data_pad(i0, i1, i2, i3) = tir.if_then_else(((((i2 >= 2) && (i2 < 17)) && (i3 >= 2)) && (i3 < 17)), "
           "data_dilate[i0, i1, (i2 - 2), (i3 - 2)], 0f)\n"
           "p1 = PLACEHOLDER [128, 64, 4, 4]\n"
           "kernel_transform(o, i, h, w) = p1[i, o, (3 - h), (3 - w)]\n"
           "compute(b, c, h, w) += (data_pad[b, dc, (h + dh), (w + dw)]*kernel_transform[c, dc, dh, dw])\n");
    stages("conv2d_transpose ci=128 hi=8 wi=8 co=64 kh=4 kw=4 sh=2 sw=2 ph=1 pw=1 form=cuda",
           "p0 = PLACEHOLDER [1, 128, 8, 8]\n"
           "data_pad(n, c, y, x) = tir.if_then_else(((((((x >= 2) && (x < 17)) && (floormod((x - 2), 2) == 0)) && (y "
           ">= 2)) && (y < 17)) && (floormod((y - 2), 2) == 0)), p0[n, c, floordiv((y - 2), 2), floordiv((x - 2), 2)], "
           "0f)\n"
           "p1 = PLACEHOLDER [128, 64, 4, 4]\n"
           "compute(b, c, h, w) += (data_pad[b, ((floordiv(c, 64)*128) + dc), (h + dh), (w + dw)]*p1[((floordiv(c, "
           "64)*128) + dc), floormod(c, 64), (3 - dh), (3 - dw)])\n");
    stages("conv2d_transpose ci=128 hi=8 wi=8 co=64 kh=4 kw=4 sh=2 sw=2 ph=1 pw=1 form=x86 cib=16 cob=16",
           "p0 = PLACEHOLDER [1, 128, 8, 8]\n"
           "data_dilate(i0, i1, i2, i3) = tir.if_then_else(((floormod(i2, 2) == 0) && (floormod(i3, 2) == 0)), p0[i0, "
           "i1, floordiv(i2, 2), floordiv(i3, 2)], 0f)\n"
           "data_pad(i0, i1, i2, i3) = tir.if_then_else(((((i2 >= 2) && (i2 < 17)) && (i3 >= 2)) && (i3 < 17)), "
           "data_dilate[i0, i1, (i2 - 2), (i3 - 2)], 0f)\n"
           "data_vec(bs, c, h, w, vc) = data_pad[bs, ((c*16) + vc), h, w]\n"
           "p1 = PLACEHOLDER [128, 64, 4, 4]\n"
           "kernel_transform(o, i, h, w) = p1[i, o, (3 - h), (3 - w)]\n"
           "kernel_vec(occ, icc, k_h, k_w, icb, ocb) = kernel_transform[((occ*16) + ocb), ((icc*16) + icb), k_h, "
           "k_w]\n"
           "conv2d_NCHWc(n, oc_chunk, oh, ow, oc_block) += (data_vec[n, floordiv(ic, 16), (oh + kh), (ow + kw), "
           "floormod(ic, 16)]*kernel_vec[oc_chunk, floordiv(ic, 16), kh, kw, floormod(ic, 16), oc_block])\n"
           "output_unpack(n, c, h, w) = conv2d_NCHWc[n, floordiv(c, 16), h, w, floormod(c, 16)]\n");
    stages("conv3d ci=16 di=8 hi=28 wi=28 co=64 kd=3 kh=3 kw=3 pd=1 ph=1 pw=1",
           "p0 = PLACEHOLDER [1, 16, 8, 28, 28]\n"
           "pad_temp(i0, i1, i2, i3, i4) = tir.if_then_else(((((((i2 >= 1) && (i2 < 9)) && (i3 >= 1)) && (i3 < 29)) && "
           "(i4 >= 1)) && (i4 < 29)), p0[i0, i1, (i2 - 1), (i3 - 1), (i4 - 1)], 0f)\n"
           "p1 = PLACEHOLDER [64, 16, 3, 3, 3]\n"
           "conv3d_ncdhw(nn, ff, yy, xx, zz) += (pad_temp[nn, rc, (yy + ry), (xx + rx), (zz + rz)]*p1[ff, rc, ry, rx, "
           "rz])\n");
    stages("conv3d ci=16 di=8 hi=28 wi=28 co=64 kd=3 kh=3 kw=3 pd=1 ph=1 pw=1 layout=ndhwc",
           "p0 = PLACEHOLDER [1, 8, 28, 28, 16]\n"
           "pad_temp(i0, i1, i2, i3, i4) = tir.if_then_else(((((((i1 >= 1) && (i1 < 9)) && (i2 >= 1)) && (i2 < 29)) && "
           "(i3 >= 1)) && (i3 < 29)), p0[i0, (i1 - 1), (i2 - 1), (i3 - 1), i4], 0f)\n"
           "p1 = PLACEHOLDER [3, 3, 3, 16, 64]\n"
           "conv3d_ndhwc(nn, yy, xx, zz, ff) += (pad_temp[nn, (yy + ry), (xx + rx), (zz + rz), rc]*p1[ry, rx, rz, rc, "
           "ff])\n");
}

/* As the Pruner paper's authors write them (op_im2col.c), given to TVM. */
static void test_im2col_stages(void)
{
    stages("im2col n=64 ci=32 hi=66 wi=66 co=64 kh=3 kw=3 sh=2 sw=2",
           "data = PLACEHOLDER [64, 32, 66, 66]\n"
           "data_pad(ra_fused0, sa_fused0) = tir.if_then_else(((sa_fused0 < 65536) && (ra_fused0 < 288)), "
           "data[floordiv(sa_fused0, 1024), floordiv(ra_fused0, 9), ((floordiv(floormod(sa_fused0, 1024), 32)*2) + "
           "floordiv(floormod(ra_fused0, 9), 3)), ((floormod(floormod(sa_fused0, 1024), 32)*2) + "
           "floormod(floormod(ra_fused0, 9), 3))], 0f)\n"
           "kernel = PLACEHOLDER [64, 32, 3, 3]\n"
           "kernel_pad(f, ra_fused0) = tir.if_then_else(((f < 64) && (ra_fused0 < 288)), kernel[f, floordiv(ra_fused0, "
           "9), floordiv(floormod(ra_fused0, 9), 3), floormod(floormod(ra_fused0, 9), 3)], 0f)\n"
           "conv(f, sa_fused0) += (data_pad[ra_fused0, sa_fused0]*kernel_pad[f, ra_fused0])\n"
           "conv_unpad(f, sa_fused0) = conv[f, sa_fused0]\n");
    stages("im2col n=128 ci=168 hi=42 wi=42 co=168 kh=1 kw=1",
           "data = PLACEHOLDER [128, 168, 42, 42]\n"
           "data_pad(ra_fused0, sa_fused0) = tir.if_then_else(((sa_fused0 < 225792) && (ra_fused0 < 168)), "
           "data[floordiv(sa_fused0, 1764), ra_fused0, floordiv(floormod(sa_fused0, 1764), 42), "
           "floormod(floormod(sa_fused0, 1764), 42)], 0f)\n"
           "kernel = PLACEHOLDER [168, 168, 1, 1]\n"
           "kernel_pad(f, ra_fused0) = tir.if_then_else(((f < 168) && (ra_fused0 < 168)), kernel[f, ra_fused0, 0, 0], "
           "0f)\n"
           "conv(f, sa_fused0) += (data_pad[ra_fused0, sa_fused0]*kernel_pad[f, ra_fused0])\n"
           "conv_unpad(f, sa_fused0) = conv[f, sa_fused0]\n");
    is_near(fixture_task(arena, "im2col n=64 ci=64 hi=18 wi=18 co=128 kh=3 kw=3")->flops, 2415919104.0, 0,
            "TVM counts its FLOP so");
}

/* ---- values ---- */

struct run {
    struct task *t;
    float *args[4];
    double *out, *want;
    int64_t n;
};

static struct run run(const char *spec)
{
    struct run r = {.t = fixture_task(arena, spec)};
    struct rng rng;
    rng_seed(&rng, 11);
    for (int i = 0; i < r.t->nargs - 1; i++) {
        int64_t n = task_arg_elements(r.t, i);
        r.args[i] = ARENA_ARRAY(arena, float, n);
        for (int64_t k = 0; k < n; k++)
            r.args[i][k] = (float)((int)rng_below(&rng, 33) - 16) / 8;
    }
    r.n = task_arg_elements(r.t, r.t->nargs - 1);
    r.out = ARENA_ARRAY(arena, double, r.n);
    r.want = ARENA_ARRAY(arena, double, r.n);
    struct interp *in = interp_open(r.t, (const void *const *)r.args);
    interp_dag(in, r.out);
    interp_close(in);
    return r;
}

static void compare(const struct run *r)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < r->n; i++)
        wrong += !(fabs(r->out[i] - r->want[i]) <= 1e-6 * (1 + fabs(r->want[i])));
    is_int(wrong, 0, "all %d elements of '%s' are those of its definition", (int)r->n, r->t->name);
}

static double gelu(double x)
{
    return 0.5 * x * (1 + erf(x / sqrt(2)));
}
static double gelu_tanh(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}
static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static double silu(double x)
{
    return x * sigmoid(x);
}

static double hard_sigmoid(double x)
{
    return x <= -3 ? 0 : x >= 3 ? 1 : x / 6 + 0.5; /* as PyTorch documents it */
}
static double hard_swish(double x)
{
    return x * hard_sigmoid(x);
}

static void test_activation(const char *act, double (*f)(double))
{
    struct run r = run(arena_printf(arena, "dense n=3 ci=5 co=4 bias=1 act=%s", act));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            double sum = r.args[2][j];
            for (int k = 0; k < 5; k++)
                sum += (double)r.args[0][i * 5 + k] * r.args[1][j * 5 + k];
            r.want[i * 4 + j] = f(sum);
        }
    compare(&r);
}

static void test_rms_norm(void)
{
    struct run r = run("rms_norm n=4 c=9");
    for (int i = 0; i < 4; i++) {
        double squares = 0;
        for (int k = 0; k < 9; k++)
            squares += (double)r.args[0][i * 9 + k] * r.args[0][i * 9 + k];
        for (int k = 0; k < 9; k++)
            r.want[i * 9 + k] = r.args[0][i * 9 + k] / sqrt(squares / 9 + 1e-5) * r.args[1][k];
    }
    compare(&r);
}

/* Every input element scatters the filter over the output. */
static void test_transpose(const char *form)
{
    enum { CI = 3, HI = 4, WI = 3, CO = 2, KH = 4, KW = 3, SH = 2, SW = 3, TOP = 1, LEFT = 2 };
    struct run r = run(arena_printf(
        arena, "conv2d_transpose n=2 ci=3 hi=4 wi=3 co=2 kh=4 kw=3 sh=2 sw=3 ph=1,2 pw=2,0 oh=1 ow=2 %s", form));
    const struct op *out = r.t->dag->ops[r.t->dag->nops - 1];
    int64_t ho = out->axes[2].extent, wo = out->axes[3].extent;
    is_int(ho, (HI - 1) * SH + KH - TOP - 2 + 1, "the height of a transposed convolution (%s)", form);
    is_int(wo, (WI - 1) * SW + KW - LEFT - 0 + 2, "the width of a transposed convolution (%s)", form);
    for (int64_t i = 0; i < 2 * CI * HI * WI * CO * KH * KW; i++) {
        int64_t kw = i % KW, kh = i / KW % KH, co = i / (KW * KH) % CO, at = i / (KW * KH * CO);
        int64_t w = at % WI, h = at / WI % HI, ci = at / (WI * HI) % CI, n = at / (WI * HI * CI);
        int64_t y = h * SH - TOP + kh, x = w * SW - LEFT + kw;
        if (y >= 0 && y < ho && x >= 0 && x < wo)
            r.want[((n * CO + co) * ho + y) * wo + x] +=
                (double)r.args[0][at] * r.args[1][((ci * CO + co) * KH + kh) * KW + kw];
    }
    compare(&r);
}

static void test_conv3d(bool last)
{
    enum { CI = 3, DI = 4, HI = 5, WI = 4, CO = 2, KD = 3, KH = 2, KW = 3, DO = 2, HO = 5, WO = 4 };
    struct run r =
        run(arena_printf(arena, "conv3d ci=3 di=4 hi=5 wi=4 co=2 kd=3 kh=2 kw=3 sd=2 pd=1 ph=0,1 pw=1 layout=%s",
                         last ? "ndhwc" : "ncdhw"));
    is_int(r.n, CO * DO * HO * WO, "a three-dimensional convolution has its size");
    for (int64_t i = 0; i < r.n; i++) {
        int64_t x = i % WO, y = i / WO % HO, z = i / (WO * HO) % DO, co = i / (WO * HO * DO);
        double sum = 0;
        for (int64_t k = 0; k < CI * KD * KH * KW; k++) {
            int64_t kw = k % KW, kh = k / KW % KH, kd = k / (KW * KH) % KD, ci = k / (KW * KH * KD);
            int64_t d = 2 * z - 1 + kd, h = y + kh, w = x - 1 + kw;
            if (d < 0 || d >= DI || h >= HI || w < 0 || w >= WI)
                continue;
            sum += last ? (double)r.args[0][((d * HI + h) * WI + w) * CI + ci] *
                              r.args[1][(((kd * KH + kh) * KW + kw) * CI + ci) * CO + co]
                        : (double)r.args[0][((ci * DI + d) * HI + h) * WI + w] *
                              r.args[1][(((co * CI + ci) * KD + kd) * KH + kh) * KW + kw];
        }
        r.want[last ? ((z * HO + y) * WO + x) * CO + co : i] = sum;
    }
    compare(&r);
}

/* A convolution, whose output lies as filters x (images, rows, columns). */
static void test_im2col(void)
{
    enum { N = 2, CI = 3, HI = 7, WI = 6, CO = 4, KH = 3, KW = 2, SH = 2, HO = 3, WO = 5 };
    struct run r = run("im2col n=2 ci=3 hi=7 wi=6 co=4 kh=3 kw=2 sh=2");
    is_int(r.n, CO * N * HO * WO, "a convolution as a product of matrices has its size");
    for (int64_t i = 0; i < r.n; i++) {
        int64_t x = i % WO, y = i / WO % HO, n = i / (WO * HO) % N, co = i / (WO * HO * N);
        for (int64_t k = 0; k < CI * KH * KW; k++) {
            int64_t kw = k % KW, kh = k / KW % KH, ci = k / (KW * KH);
            r.want[i] += (double)r.args[0][((n * CI + ci) * HI + y * SH + kh) * WI + x + kw] *
                         r.args[1][((co * CI + ci) * KH + kh) * KW + kw];
        }
    }
    compare(&r);
}

/* The position of an output element on the input, clamped, and its two neighbours. */
static double sampled(const double *row, int64_t in, double position)
{
    double low = floor(position), share = position - low;
    int64_t x = low < 0 ? 0 : (int64_t)low, y = (int64_t)low + 1 < in ? (int64_t)low + 1 : in - 1;
    return row[x] * (1 - share) + row[y] * share;
}

static double position(const char *coords, int64_t i, int64_t in, int64_t out)
{
    double x = (double)i, n = (double)in, m = (double)out;
    return str_eq(coords, "half_pixel")   ? (x + 0.5) * n / m - 0.5
           : str_eq(coords, "asymmetric") ? x * n / m
           : out > 1                      ? x * (n - 1) / (m - 1)
                                          : 0;
}

static void test_resize(const char *coords, int64_t hi, int64_t wi, int64_t ho, int64_t wo, bool last)
{
    struct run r = run(arena_printf(arena, "resize2d c=2 hi=%d wi=%d ho=%d wo=%d coords=%s layout=%s", (int)hi, (int)wi,
                                    (int)ho, (int)wo, coords, last ? "nhwc" : "nchw"));
    double rows[16], row[16];
    for (int64_t i = 0; i < 2 * ho * wo; i++) {
        int64_t c = i / (ho * wo), y = i / wo % ho, x = i % wo;
        for (int64_t k = 0; k < hi; k++) {
            for (int64_t l = 0; l < wi; l++)
                row[l] = r.args[0][last ? (k * wi + l) * 2 + c : (c * hi + k) * wi + l];
            rows[k] = sampled(row, wi, position(coords, x, wi, wo));
        }
        r.want[last ? (y * wo + x) * 2 + c : i] = sampled(rows, hi, position(coords, y, hi, ho));
    }
    compare(&r);
}

static void test_resizes(void)
{
    static const char *const coords[] = {"half_pixel", "align_corners", "asymmetric"};
    for (int i = 0; i < 3; i++) {
        test_resize(coords[i], 3, 4, 7, 8, false);
        test_resize(coords[i], 7, 8, 3, 5, true);
        test_resize(coords[i], 5, 1, 5, 4, false);
    }
    test_resize("align_corners", 4, 4, 1, 2, false);
}

/* How many sketches TVM v0.16 makes of them on a CPU (auto_scheduler.SketchPolicy.generate_sketches). */
static void test_sketches(void)
{
    static const struct space_options defaults = {
        .max_vectorize = 16, .cpu_structure = "SSRSRS", .gpu_structure = "SSSRRSRS"};
    static const char *const specs[] = {
        "dense n=128 ci=768 co=3072 bias=1 act=gelu",
        "dense n=128 ci=768 co=3072 bias=1 act=silu",
        "conv2d_transpose ci=128 hi=8 wi=8 co=64 kh=4 kw=4 sh=2 sw=2 ph=1 pw=1",
        "conv3d ci=16 di=8 hi=28 wi=28 co=64 kd=3 kh=3 kw=3 pd=1 ph=1 pw=1",
        "rms_norm n=128 c=768",
        "im2col n=64 ci=64 hi=18 wi=18 co=128 kh=3 kw=3",
    };
    const struct limits limits = limits_cpu(8);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct space space;
        struct err err = {0};
        if (!space_open(&space, arena, fixture_task(arena, specs[i]), &limits, &defaults, &err))
            fail("%s", err.text);
        is_int(space.nsketches, 3, "TVM makes three sketches of '%s'", specs[i]);
    }
}

static void refuses(const char *spec, const char *want)
{
    struct task *t;
    struct err err = {0};
    ok(!task_parse(arena, spec, &t, &err) && strstr(err.text, want), "'%s' is refused: %s (%s)", spec, want, err.text);
}

static void test_refusals(void)
{
    refuses("dense ci=4 co=4 relu=1 act=tanh", "keys 'act' and 'relu' exclude each other");
    refuses("dense ci=4 co=4 act=gel", "gelu");
    refuses("conv2d_transpose ci=1 hi=2 wi=2 co=1 kh=2 kw=2 ph=2", "pads less than its window of 2");
    refuses("conv2d_transpose ci=1 hi=2 wi=2 co=1 kh=2 kw=2 sh=2 oh=2", "must be less than the stride of 2");
    refuses("conv2d_transpose ci=4 hi=2 wi=2 co=4 kh=2 kw=2 form=x86 cib=3 cob=2", "does not divide ci=4");
    refuses("conv2d_transpose ci=4 hi=2 wi=2 co=4 kh=2 kw=2 cib=2", "but the form is 'generic'");
    refuses("conv3d ci=1 di=1 hi=4 wi=4 co=1 kd=3 kh=3 kw=3", "would be less than 1");
    refuses("im2col ci=1 hi=2 wi=4 co=1 kh=3 kw=3", "'ho' would be less than 1");
    refuses("im2col n=1048576 ci=64 hi=8 wi=8 co=1 kh=1 kw=1", "a matrix of more than 1073741824 elements");
    refuses("im2col ci=1 hi=4 wi=4 co=1 kh=3 kw=3 ho=3", "key 'ho' is 3, but the other keys give 2");
    is_str(fixture_task(arena, "dense ci=4 co=4")->spec,
           "dense n=1 ci=4 co=4 bias=0 scale=0 add=0 order=data relu=0 clip=0",
           "the canonical spec without an activation is the one that old records have");
}

int main(void)
{
    test_activations();
    test_operators();
    test_im2col_stages();
    test_activation("gelu", gelu);
    test_activation("gelu_tanh", gelu_tanh);
    test_activation("silu", silu);
    test_activation("sigmoid", sigmoid);
    test_activation("tanh", tanh);
    test_activation("hard_sigmoid", hard_sigmoid);
    test_activation("hard_swish", hard_swish);
    test_rms_norm();
    test_transpose("form=generic");
    test_transpose("form=cuda");
    test_transpose("form=x86 cib=3 cob=1");
    test_conv3d(false);
    test_conv3d(true);
    test_im2col();
    test_resizes();
    test_sketches();
    test_refusals();
    return done_testing();
}
