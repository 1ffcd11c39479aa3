/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_emit: the text of small kernels in both dialects, line by line: virtual threads that interleave, a cooperative
 * fetch with barriers around it, vectors, guards, reductions across threads, unrolling, 64-bit indices; and what is
 * refused. That such code computes the right thing is in opencl.c, that CUDA takes it in gpu_cuda.c. */
#include "targets/gpu/gpu_emit.h"

#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <stdlib.h>
#include <string.h>

struct emitted {
    struct arena *a;
    struct gpu_program program;
    struct text text;
    struct err err;
    bool fine;
};

static struct emitted emit(const struct dialect *d, const char *spec, const char *steps)
{
    struct emitted e = {.a = arena_open("test")};
    e.fine = gpu_emit(e.a, fixture_nest(e.a, spec, steps), d, &e.program, &e.text, &e.err);
    return e;
}

static void done(struct emitted *e)
{
    text_free(&e->text);
    arena_close(e->a);
}

static int count(const struct emitted *e, const char *what)
{
    int n = 0;
    for (const char *at = text_str(&e->text); (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

static void same_text(const struct emitted *e, const char *want, const char *name)
{
    if (!ok(e->fine && str_eq(text_str(&e->text), want), "%s", name))
        diag("%s\n%s", e->err.text, text_str(&e->text));
}

/* ---- element-wise ---- */

#define BLOCKS(threads) "[\"FU\",1,[0,1]],[\"SP\",1,0,0,[" threads "],1],[\"AN\",1,0,5],[\"AN\",1,1,6]"

static void check_map(void)
{
    struct emitted e = emit(&dialect_opencl, "map n=3 c=7 by=relu", "[" BLOCKS("8") "]");
    same_text(&e,
              "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void kernel_0(__global float * restrict p0_0, "
              "__global float * restrict T_relu_1)\n"
              "{\n"
              "  if (((((int)get_group_id(0) * 8) + (int)get_local_id(0)) / 7) < 3 && "
              "(((int)get_group_id(0) * 8) + (int)get_local_id(0)) < 21) {\n"
              "    T_relu_1[(((int)get_group_id(0) * 8) + (int)get_local_id(0))] = "
              "max(p0_0[(((int)get_group_id(0) * 8) + (int)get_local_id(0))], 0.0f);\n"
              "  }\n"
              "}\n",
              "an element a thread, guarded, in OpenCL C");
    ok(e.program.nkernels == 1 && e.program.kernels[0].blocks[0] == 3 && e.program.kernels[0].threads[0] == 8 &&
           e.program.kernels[0].ntensors == 2 && e.program.ntensors == 2 && e.program.tensors[0].bytes == 84 &&
           e.program.tensors[1].arg == 1,
       "three blocks of eight threads and two tensors of 84 bytes are counted");
    done(&e);
    e = emit(&dialect_cuda, "map n=3 c=7 by=relu", "[" BLOCKS("8") "]");
    same_text(&e,
              "extern \"C\" __global__ void __launch_bounds__(8) kernel_0(float * __restrict__ p0_0, "
              "float * __restrict__ T_relu_1)\n"
              "{\n"
              "  if (((((int)blockIdx.x * 8) + (int)threadIdx.x) / 7) < 3 && "
              "(((int)blockIdx.x * 8) + (int)threadIdx.x) < 21) {\n"
              "    T_relu_1[(((int)blockIdx.x * 8) + (int)threadIdx.x)] = "
              "max(p0_0[(((int)blockIdx.x * 8) + (int)threadIdx.x)], 0.0f);\n"
              "  }\n"
              "}\n",
              "an element a thread, guarded, in CUDA C");
    done(&e);
    e = emit(&dialect_cuda, "map n=128 c=16777213 by=relu", "[" BLOCKS("2000") "]");
    ok(e.fine && count(&e, "((long long)(int)blockIdx.x * 2000)") == 4 && count(&e, "(long long)(int)threadIdx.x") == 4,
       "indices past 32 bits are of 64 bits");
    done(&e);
}

/* ---- a matrix product with a copy of A in shared memory ---- */

/* C in two blocks of two virtual threads of four threads; A comes through shared memory, four elements at a time. The
 * extents of splits are those of the state. */
#define TILED                                                                                                          \
    "[\"SP\",2,0,0,[2,4],1],[\"SP\",2,4,0,[4],1],[\"RE\",2,[0,1,2,4,3,5]],[\"AN\",2,0,5],[\"AN\",2,1,4],[\"AN\",2,2,"  \
    "6],"
#define FETCH                                                                                                          \
    "[\"CHR\",0,\"shared\",[2]],[\"CA\",1,3,3],[\"FU\",1,[0,1]],[\"SP\",1,0,0,[4],1],[\"AN\",1,1,2],[\"SP\",1,0,0,[4]" \
    ",1],[\"AN\",1,1,6]"

static void check_product(void)
{
    struct emitted e = emit(&dialect_cuda, "matmul n=16 m=2 k=8", "[" TILED FETCH "]");
    same_text(&e,
              "extern \"C\" __global__ void __launch_bounds__(4) kernel_0(float * __restrict__ A_0, float * "
              "__restrict__ B_1, float * __restrict__ C_2)\n"
              "{\n"
              "  __shared__ __align__(16) float A_shared_3[32];\n"
              "  for (int j_v9 = 0; j_v9 < 2; ++j_v9) {\n"
              "    C_2[(((int)blockIdx.x * 16) + ((int)threadIdx.x * 2) + j_v9)] = 0.0f;\n"
              "    C_2[(((int)blockIdx.x * 16) + ((int)threadIdx.x * 2) + j_v9 + 8)] = 0.0f;\n"
              "  }\n"
              "  for (int k_0_v3 = 0; k_0_v3 < 2; ++k_0_v3) {\n"
              "    __syncthreads();\n"
              "    for (int ax0_ax1_0_0_v6 = 0; ax0_ax1_0_0_v6 < 2; ++ax0_ax1_0_0_v6) {\n"
              "      *((float4 *)(A_shared_3 + ((ax0_ax1_0_0_v6 * 16) + ((int)threadIdx.x * 4)))) = *((float4 "
              "*)(A_0 + (((int)blockIdx.x * 64) + (k_0_v3 * 4) + (ax0_ax1_0_0_v6 * 32) + ((int)threadIdx.x * "
              "8))));\n"
              "    }\n"
              "    __syncthreads();\n"
              "    for (int j_v4 = 0; j_v4 < 2; ++j_v4) {\n"
              "      for (int k_1_v5 = 0; k_1_v5 < 4; ++k_1_v5) {\n"
              "        C_2[(((int)blockIdx.x * 16) + ((int)threadIdx.x * 2) + j_v4)] = (C_2[(((int)blockIdx.x "
              "* 16) + ((int)threadIdx.x * 2) + j_v4)] + (A_shared_3[(((int)threadIdx.x * 4) + k_1_v5)] * "
              "B_1[((k_0_v3 * 8) + j_v4 + (k_1_v5 * 2))]));\n"
              "        C_2[(((int)blockIdx.x * 16) + ((int)threadIdx.x * 2) + j_v4 + 8)] = "
              "(C_2[(((int)blockIdx.x * 16) + ((int)threadIdx.x * 2) + j_v4 + 8)] + "
              "(A_shared_3[(((int)threadIdx.x * 4) + k_1_v5 + 16)] * B_1[((k_0_v3 * 8) + j_v4 + (k_1_v5 * "
              "2))]));\n"
              "      }\n"
              "    }\n"
              "  }\n"
              "}\n",
              "virtual threads interleave around a fetch of vectors between two barriers");
    ok(e.program.kernels[0].shared_bytes == 128 && e.program.kernels[0].blocks[0] == 2 &&
           e.program.kernels[0].threads[0] == 4,
       "the block's 128 bytes of shared memory are counted");
    done(&e);
    e = emit(&dialect_opencl, "matmul n=16 m=2 k=8", "[" TILED FETCH "]");
    ok(e.fine && count(&e, "*((__local float4 *)(A_shared") == 1 && count(&e, "*((__global float4 *)(A_0") == 1 &&
           count(&e, "barrier(CLK_LOCAL_MEM_FENCE);") == 2,
       "OpenCL C names the memory that vectors are in, and has two barriers");
    done(&e);
    e = emit(&dialect_cuda, "matmul n=16 m=2 k=8", "[" TILED "[\"PR\",2,3,\"auto_unroll_max_step$16\"]," FETCH "]");
    ok(e.fine && count(&e, "for (") == 2 && count(&e, " * B_1[") == 16,
       "with a limit of 16 the loops over columns and depth are unrolled, those outside are not");
    done(&e);
    e = emit(&dialect_cuda, "matmul n=15 m=2 k=6", "[" TILED FETCH "]");
    ok(e.fine && count(&e, "float4") == 0, "elements that are not aligned are copied one by one");
    done(&e);
}

/* ---- barriers ---- */

static void check_one_fetches(void)
{
    struct emitted e = emit(&dialect_cuda, "matmul n=3 m=4 k=8",
                            "[[\"AN\",2,0,5],[\"AN\",2,1,6],[\"CHR\",0,\"shared\",[2]],[\"CA\",1,3,2],[\"FU\",1,[0,1]],"
                            "[\"SP\",1,0,0,[4],1],[\"AN\",1,1,6]]");
    same_text(&e,
              "extern \"C\" __global__ void __launch_bounds__(4) kernel_0(float * __restrict__ A_0, float * "
              "__restrict__ B_1, float * __restrict__ C_2)\n"
              "{\n"
              "  __shared__ __align__(16) float A_shared_3[1];\n"
              "  C_2[(((int)blockIdx.x * 4) + (int)threadIdx.x)] = 0.0f;\n"
              "  for (int k_v2 = 0; k_v2 < 8; ++k_v2) {\n"
              "    __syncthreads();\n"
              "    if ((int)threadIdx.x < 1) {\n"
              "      A_shared_3[0] = A_0[(((int)blockIdx.x * 8) + k_v2)];\n"
              "    }\n"
              "    __syncthreads();\n"
              "    C_2[(((int)blockIdx.x * 4) + (int)threadIdx.x)] = (C_2[(((int)blockIdx.x * 4) + "
              "(int)threadIdx.x)] + (A_shared_3[0] * B_1[((int)threadIdx.x + (k_v2 * 4))]));\n"
              "  }\n"
              "}\n",
              "an element that one thread fetches for all stands between two barriers");
    done(&e);
}

/* ---- reductions across threads ---- */

#define ACROSS(threads) "[\"SP\",1,1,0,[" threads "],1],[\"AN\",1,0,5],[\"AN\",1,2,6]"

/* Lines that are in the forms for more threads than a warp has, and how often. */
static void check_across_warps(void)
{
    struct emitted e = emit(&dialect_cuda, "reduce n=3 m=128 by=sum", "[" ACROSS("64") "]");
    ok(e.fine && count(&e, "__shfl_down_sync(0xffffffffu") == 5 && count(&e, "__shfl_down_sync(0x3u") == 1 &&
           count(&e, "__syncthreads();") == 2 && count(&e, "if ((int)threadIdx.x % 32 == 0) of_warps_0") == 1,
       "two warps add up from lane to lane, then the first one what both have");
    ok(e.program.kernels[0].shared_bytes == 12, "of 64 threads two numbers and the result are in shared memory");
    done(&e);
    e = emit(&dialect_cuda, "reduce n=3 m=98 by=sum", "[" ACROSS("49") "]");
    ok(e.fine && count(&e, "__shfl") == 0 && count(&e, "__syncwarp(0xffffu);") == 10 &&
           count(&e, "__syncthreads();") == 3,
       "49 threads add up by halves, the last ones in one warp without a barrier");
    done(&e);
    e = emit(&dialect_opencl, "reduce n=3 m=128 by=sum", "[" ACROSS("64") "]");
    ok(e.fine && count(&e, "barrier(") == 7 && e.program.kernels[0].shared_bytes == 256,
       "64 threads of OpenCL add up by halves with barriers");
    done(&e);
}

static void check_across(void)
{
    struct emitted e = emit(&dialect_cuda, "reduce n=3 m=24 by=max", "[" ACROSS("8") "]");
    same_text(&e,
              "extern \"C\" __global__ void __launch_bounds__(8) kernel_0(float * __restrict__ A_0, float * "
              "__restrict__ B_1)\n"
              "{\n"
              "  float reduce_temp_3[1];\n"
              "  float normal_reduce_temp_2[1];\n"
              "  normal_reduce_temp_2[0] = -3.40282347e+38f;\n"
              "  for (int k_0_v1 = 0; k_0_v1 < 3; ++k_0_v1) {\n"
              "    normal_reduce_temp_2[0] = max(normal_reduce_temp_2[0], A_0[(((int)blockIdx.x * 24) + "
              "(k_0_v1 * 8) + (int)threadIdx.x)]);\n"
              "  }\n"
              "  reduce_temp_3[0] = normal_reduce_temp_2[0];\n"
              "  reduce_temp_3[0] = max(reduce_temp_3[0], __shfl_down_sync(0xffu, reduce_temp_3[0], 4, 8));\n"
              "  reduce_temp_3[0] = max(reduce_temp_3[0], __shfl_down_sync(0xffu, reduce_temp_3[0], 2, 8));\n"
              "  reduce_temp_3[0] = max(reduce_temp_3[0], __shfl_down_sync(0xffu, reduce_temp_3[0], 1, 8));\n"
              "  reduce_temp_3[0] = __shfl_sync(0xffu, reduce_temp_3[0], 0, 8);\n"
              "  if ((int)threadIdx.x == 0) B_1[(int)blockIdx.x] = reduce_temp_3[0];\n"
              "}\n",
              "eight threads hand their maxima from lane to lane in CUDA C");
    done(&e);
    e = emit(&dialect_opencl, "reduce n=3 m=24 by=sum", "[" ACROSS("12") "]");
    same_text(&e,
              "__kernel __attribute__((reqd_work_group_size(12, 1, 1))) void kernel_0(__global float * "
              "restrict A_0, __global float * restrict B_1)\n"
              "{\n"
              "  __local __attribute__((aligned(16))) float handed_over_0[12];\n"
              "  float reduce_temp_3[1];\n"
              "  float normal_reduce_temp_2[1];\n"
              "  normal_reduce_temp_2[0] = 0.0f;\n"
              "  for (int k_0_v1 = 0; k_0_v1 < 2; ++k_0_v1) {\n"
              "    normal_reduce_temp_2[0] = (normal_reduce_temp_2[0] + A_0[(((int)get_group_id(0) * 24) + "
              "(k_0_v1 * 12) + (int)get_local_id(0))]);\n"
              "  }\n"
              "  reduce_temp_3[0] = normal_reduce_temp_2[0];\n"
              "  handed_over_0[(int)get_local_id(0)] = reduce_temp_3[0];\n"
              "  barrier(CLK_LOCAL_MEM_FENCE);\n"
              "  if ((int)get_local_id(0) < 8 && (int)get_local_id(0) + 8 < 12) "
              "handed_over_0[(int)get_local_id(0)] = handed_over_0[(int)get_local_id(0)] + "
              "handed_over_0[(int)get_local_id(0) + 8];\n"
              "  barrier(CLK_LOCAL_MEM_FENCE);\n"
              "  if ((int)get_local_id(0) < 4) handed_over_0[(int)get_local_id(0)] = "
              "handed_over_0[(int)get_local_id(0)] + handed_over_0[(int)get_local_id(0) + 4];\n"
              "  barrier(CLK_LOCAL_MEM_FENCE);\n"
              "  if ((int)get_local_id(0) < 2) handed_over_0[(int)get_local_id(0)] = "
              "handed_over_0[(int)get_local_id(0)] + handed_over_0[(int)get_local_id(0) + 2];\n"
              "  barrier(CLK_LOCAL_MEM_FENCE);\n"
              "  if ((int)get_local_id(0) < 1) handed_over_0[(int)get_local_id(0)] = "
              "handed_over_0[(int)get_local_id(0)] + handed_over_0[(int)get_local_id(0) + 1];\n"
              "  barrier(CLK_LOCAL_MEM_FENCE);\n"
              "  reduce_temp_3[0] = handed_over_0[0];\n"
              "  if ((int)get_local_id(0) == 0) B_1[(int)get_group_id(0)] = reduce_temp_3[0];\n"
              "}\n",
              "twelve threads add their sums by halves in OpenCL C");
    ok(e.program.kernels[0].shared_bytes == 48, "the room for it counts as shared memory");
    done(&e);
}

/* ---- what is refused ---- */

static void check_refusals(void)
{
    static const struct {
        const char *spec, *steps, *says, *name;
    } CASES[] = {{"map n=8 c=7 by=relu", "[[\"SP\",1,0,0,[4],1],[\"AN\",1,1,6],[\"AN\",1,2,6]]",
                  "loops of 4 and of 7 turns are bound to threadIdx.x", "two lengths of one axis of threads are"},
                 {"reduce n=4 m=16 by=sum", "[[\"SP\",1,1,0,[8],1],[\"AN\",1,2,8]]",
                  "a reduction across threadIdx.y: only threadIdx.x can be", "a reduction across another axis is"},
                 /* a stage inside the loop of the threads: the reduction has not the form that threads can share */
                 {"reduce n=4 m=16 by=sum", "[" ACROSS("8") ",[\"CHR\",0,\"local\",[1]],[\"CA\",1,2,2]]",
                  "threadIdx.x of several numbers would update one element of 'B'",
                  "threads that would add to one element together are"}};
    for (int i = 0; i < 3; i++) {
        struct emitted e = emit(&dialect_cuda, CASES[i].spec, CASES[i].steps);
        ok(!e.fine && strstr(e.err.text, CASES[i].says), "%s refused: %s", CASES[i].name, e.err.text);
        done(&e);
    }
}

/* ---- the piece that travels to the runner ---- */

static void check_pack(void)
{
    struct gpu_program p = {.nkernels = 1, .ntensors = 1}, back;
    p.kernels[0].blocks[1] = 6;
    p.tensors[0].bytes = 28;
    struct err err = {0};
    const void *code;
    size_t size, n;
    char *bytes = gpu_program_pack(&p, "code", 4, &size);
    ok(gpu_program_unpack(bytes, size, &back, &code, &n, &err) && n == 4 && memcmp(code, "code", 4) == 0 &&
           back.nkernels == 1 && back.ntensors == 1 && back.kernels[0].blocks[1] == 6 && back.tensors[0].bytes == 28,
       "a program and its code come back as they were");
    ok(!gpu_program_unpack(bytes, sizeof p, &back, &code, &n, &err), "a piece that is cut short is refused: %s",
       err.text);
    free(bytes);
    p.kernels[0].ntensors = 1;
    p.kernels[0].tensors[0] = 7;
    bytes = gpu_program_pack(&p, "code", 4, &size);
    ok(!gpu_program_unpack(bytes, size, &back, &code, &n, &err), "a parameter that is no tensor is refused: %s",
       err.text);
    free(bytes);
}

int main(void)
{
    check_map();
    check_product();
    check_one_fetches();
    check_across();
    check_across_warps();
    check_refusals();
    check_pack();
    return done_testing();
}
