/* SPDX-License-Identifier: Apache-2.0 */
/* codegen_options: what a code generator is opened with. */
#pragma once
#include "harness/base/file_cache.h"

#include <stdbool.h>

enum codegen_mode {
    CODEGEN_TVM,  /* as TVM v0.16 emits a schedule: targets/cpu/tvm. 64-byte alignment of arguments is required */
    CODEGEN_FAST, /* register tiles and vectors that the schedule does not ask for: targets/cpu/emit */
    CODEGEN_MODES
};
enum codegen_arch { CODEGEN_HERE, CODEGEN_AARCH64 };
/* Does LLVM know how long the scalable vectors of the A64FX are? USUAL: with CODEGEN_FAST it is; with CODEGEN_TVM it is
 * not. TVM tells a range that begins at 128 bits (src/target/llvm/codegen_aarch64.cc), which is as good as nothing:
 * vectors of fixed length, which is what schedules ask for, then have 128 bits. */
enum codegen_sve { CODEGEN_SVE_USUAL, CODEGEN_SVE_512 };
struct codegen_options {
    enum codegen_mode mode;
    const char *mcpu; /* "native", "generic", or any CPU name LLVM knows */
    int level;        /* LLVM's code generation level, 0..3 */
    bool contract;    /* a*b+c may become one FMA */
    bool reassociate; /* sums may be reordered */
    int llvm; /* of CODEGEN_TVM: the LLVM that makes the code, 17, 16 or this program's; 0: the first there is */
    enum codegen_arch arch;
    enum codegen_sve sve;
    struct file_cache *objects; /* of CODEGEN_TVM: what was made of equal IR is taken from it; NULL: nowhere */
};
