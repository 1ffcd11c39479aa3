/* SPDX-License-Identifier: Apache-2.0 */
/* dialect: CUDA's functions are those of TVM v0.16 (src/target/source/intrin_rule_cuda.cc): the fast exp and log of
 * float, exact ones of double. OpenCL's are generic in their type. */
#include "targets/gpu/dialect.h"

#include "harness/base/err.h"

static void cuda_kernel(struct text *out, const int64_t threads[3])
{
    long long all = threads[0] * threads[1] * threads[2];
    text_printf(out, "extern \"C\" __global__ void __launch_bounds__(%lld) ", all);
}

static void opencl_kernel(struct text *out, const int64_t threads[3])
{
    text_printf(out, "__kernel __attribute__((reqd_work_group_size(%lld, %lld, %lld))) void ", (long long)threads[0],
                (long long)threads[1], (long long)threads[2]);
}

static void cuda_vector(struct text *out, const char *type, int n)
{
    text_printf(out, "make_%s%d(", type, n);
}

static void opencl_vector(struct text *out, const char *type, int n)
{
    text_printf(out, "((%s%d)(", type, n);
}

/* Fragments by PTX: each thread of a warp holds 8 registers of a 16x16 block. */
static const char CUDA_FRAGMENTS[] =
    "static __device__ __forceinline__ void fragment_fill(float *f)\n"
    "{\n"
    "  for (int i = 0; i < 8; ++i) f[i] = 0.0f;\n"
    "}\n"
    "static __device__ __forceinline__ void fragment_load_a(unsigned *f, const ushort *p, int row)\n"
    "{\n"
    "  asm volatile(\"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;\"\n"
    "    : \"=r\"(f[0]), \"=r\"(f[1]), \"=r\"(f[2]), \"=r\"(f[3]), \"=r\"(f[4]), \"=r\"(f[5]), \"=r\"(f[6]), "
    "\"=r\"(f[7]) : \"l\"(p), \"r\"(row) : \"memory\");\n"
    "}\n"
    "static __device__ __forceinline__ void fragment_load_b_row(unsigned *f, const ushort *p, int row)\n"
    "{\n"
    "  asm volatile(\"wmma.load.b.sync.aligned.row.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;\"\n"
    "    : \"=r\"(f[0]), \"=r\"(f[1]), \"=r\"(f[2]), \"=r\"(f[3]), \"=r\"(f[4]), \"=r\"(f[5]), \"=r\"(f[6]), "
    "\"=r\"(f[7]) : \"l\"(p), \"r\"(row) : \"memory\");\n"
    "}\n"
    "static __device__ __forceinline__ void fragment_load_b_col(unsigned *f, const ushort *p, int row)\n"
    "{\n"
    "  asm volatile(\"wmma.load.b.sync.aligned.col.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;\"\n"
    "    : \"=r\"(f[0]), \"=r\"(f[1]), \"=r\"(f[2]), \"=r\"(f[3]), \"=r\"(f[4]), \"=r\"(f[5]), \"=r\"(f[6]), "
    "\"=r\"(f[7]) : \"l\"(p), \"r\"(row) : \"memory\");\n"
    "}\n"
    "static __device__ __forceinline__ void fragment_store(float *p, int row, const float *f)\n"
    "{\n"
    "  asm volatile(\"wmma.store.d.sync.aligned.row.m16n16k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;\"\n"
    "    : : \"l\"(p), \"f\"(f[0]), \"f\"(f[1]), \"f\"(f[2]), \"f\"(f[3]), \"f\"(f[4]), \"f\"(f[5]), "
    "\"f\"(f[6]), \"f\"(f[7]), \"r\"(row) : \"memory\");\n"
    "}\n"
    "static __device__ __forceinline__ void fragment_multiply_row(float *c, const unsigned *a, const unsigned *b)\n"
    "{\n"
    "  asm volatile(\"wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, "
    "%9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, "
    "%7};\"\n"
    "    : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3]), \"+f\"(c[4]), \"+f\"(c[5]), \"+f\"(c[6]), "
    "\"+f\"(c[7])\n"
    "    : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(a[4]), \"r\"(a[5]), \"r\"(a[6]), "
    "\"r\"(a[7]), \"r\"(b[0]), \"r\"(b[1]), \"r\"(b[2]), \"r\"(b[3]), \"r\"(b[4]), \"r\"(b[5]), \"r\"(b[6]), "
    "\"r\"(b[7]));\n"
    "}\n"
    "static __device__ __forceinline__ void fragment_multiply_col(float *c, const unsigned *a, const unsigned *b)\n"
    "{\n"
    "  asm volatile(\"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, "
    "%9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, "
    "%7};\"\n"
    "    : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3]), \"+f\"(c[4]), \"+f\"(c[5]), \"+f\"(c[6]), "
    "\"+f\"(c[7])\n"
    "    : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(a[4]), \"r\"(a[5]), \"r\"(a[6]), "
    "\"r\"(a[7]), \"r\"(b[0]), \"r\"(b[1]), \"r\"(b[2]), \"r\"(b[3]), \"r\"(b[4]), \"r\"(b[5]), \"r\"(b[6]), "
    "\"r\"(b[7]));\n"
    "}\n";

const struct dialect dialect_cuda = {
    .fragments = CUDA_FRAGMENTS,
    .name = "cuda",
    .half_prologue =
        "typedef unsigned short ushort;\nstatic __device__ __forceinline__ float half_to_float(unsigned short "
        "bits)\n{\n"
        "  float value;\n  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(value) : \"h\"(bits));\n  return value;\n}\n",
    .prologue = "",
    .kernel = cuda_kernel,
    .global = "",
    .restricted = " __restrict__",
    .shared = "__shared__ ",
    .aligned = "__align__(16) ",
    .fragment_aligned = "__align__(32) ",
    .barrier = "__syncthreads();",
    .block = {"(int)blockIdx.x", "(int)blockIdx.y", "(int)blockIdx.z"},
    .thread = {"(int)threadIdx.x", "(int)threadIdx.y", "(int)threadIdx.z"},
    .int64 = "long long",
    .vector = cuda_vector,
    .vector_end = ")",
    .shuffles = true,
    .function = {[EXPR_EXP] = {"__expf", "exp"},
                 [EXPR_LOG] = {"__logf", "log"},
                 [EXPR_SQRT] = {"sqrtf", "sqrt"},
                 [EXPR_TANH] = {"tanhf", "tanh"},
                 [EXPR_ERF] = {"erff", "erf"}},
};

const struct dialect dialect_opencl = {
    .name = "opencl",
    .half_prologue = "static inline float half_to_float(ushort bits)\n{\n"
                     "  return vload_half(0, (const __private half *)&bits);\n}\n",
    .prologue = "",
    .kernel = opencl_kernel,
    .global = "__global ",
    .restricted = " restrict",
    .shared = "__local ",
    .aligned = "__attribute__((aligned(16))) ",
    .barrier = "barrier(CLK_LOCAL_MEM_FENCE);",
    .block = {"(int)get_group_id(0)", "(int)get_group_id(1)", "(int)get_group_id(2)"},
    .thread = {"(int)get_local_id(0)", "(int)get_local_id(1)", "(int)get_local_id(2)"},
    .int64 = "long",
    .vector = opencl_vector,
    .vector_end = "))",
    .space_of_pointer = true,
    .function = {[EXPR_EXP] = {"exp", "exp"},
                 [EXPR_LOG] = {"log", "log"},
                 [EXPR_SQRT] = {"sqrt", "sqrt"},
                 [EXPR_TANH] = {"tanh", "tanh"},
                 [EXPR_ERF] = {"erf", "erf"}},
};

const char *dialect_type(const struct dialect *d, enum dtype t)
{
    switch (t) {
    case DTYPE_F32:
        return "float";
    case DTYPE_F64:
        return "double";
    case DTYPE_I32:
        return "int";
    case DTYPE_I64:
        return d->int64;
    case DTYPE_BOOL:
        return "signed char";
    case DTYPE_F16:
        return "ushort";
    default:
        bug("dtype %d", (int)t);
    }
}
