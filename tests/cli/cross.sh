#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cross: raingauge built for AArch64, as far as that goes where its libraries are not installed for it: every source
# compiles without a warning, and tests that need no library are linked and pass under qemu.
set -u
without_binary=1
. tests/lib/tap.bash
cc=${AARCH64_CC:-aarch64-linux-gnu-gcc}
echo 'int main(void){return 0;}' | $cc -static -xc - -o "$dir/a.out" 2>"$err" || skip_all "$cc makes no static program (Debian: gcc-aarch64-linux-gnu)"
llvm=$(llvm-config-19 --includedir 2>/dev/null)
[ -n "$llvm" ] || skip_all "no LLVM 19 (Debian: llvm-19-dev)"
# The build makes these four.
protoc-c --proto_path=harness/import --c_out="$dir" harness/import/onnx.proto >"$out" 2>"$err"
echo '#define RAINGAUGE_REVISION "cross"' >"$dir/revision.h"
printf '#define A64FX_PROGRAM "%s"\n' "$dir/a.out" >"$dir/a64fx_program.h"
sh targets/cpu/llvm_functions.sh "$(llvm-config-19 --libfiles)" $(find targets -name '*.[ch]' ! -name tvm_llvm.c ! -name older_llvm.h ! -name reassociate.c) "$llvm/llvm/Config/llvm-config.h" >"$dir/llvm_functions.h"
flags="-std=gnu17 -D_GNU_SOURCE -I. -I$dir -Wall -Wextra -Wpedantic -Werror -pthread -fopenmp -isystem $llvm -idirafter /usr/include"
libraries="-DHAVE_LLVM -DHAVE_A64FX -DHAVE_XGBOOST -DHAVE_PAPI"

$cc $flags $libraries -DRAINGAUGE_VERSION='"0"' -fsyntax-only $(find harness search models targets -name '*.c' ! -name onednn.c ! -path 'harness/doc/*') >"$out" 2>"$err"
ok $? "every source compiles for AArch64 without a warning"

command -v qemu-aarch64 >/dev/null || { skip "tests pass under qemu" "no qemu-aarch64 in PATH (Debian: qemu-user)"; finish; }
mkdir "$dir/obj"
sources=$(find harness/base harness/stats harness/program -name '*.c'; echo tests/lib/tap.c tests/lib/fixture_memory.c)
for s in $sources; do
    echo "$s $dir/obj/$(echo "$s" | tr / _).o"
done | xargs -P "$(nproc)" -n 2 sh -c "$cc $flags -O1 -ffunction-sections -fdata-sections -c \$0 -o \$1" >"$out" 2>"$err"
ok $? "the compiler's rooms become objects for AArch64"
for t in base/rng stats/t_test stats/summary program/affine base/map base/text; do
    $cc $flags -static -Wl,--gc-sections tests/unit/$t.c "$dir"/obj/*.o -lm -o "$dir/test" 2>"$err" && qemu-aarch64 "$dir/test" >"$out" 2>"$err"
    ok $? "test $t passes as an AArch64 program"
done
finish
