#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# llvm_functions LIBRARY SOURCE...: the header llvm_functions.h, which targets/cpu/llvm.h includes. It names each function
# of LLVM's shared library that the sources use: as a member of struct llvm_functions, as a macro that calls through the
# member, and in the list of names that llvm.c looks up once the library is loaded.
set -eu
library=$1
shift
# LLVM_NATIVE_TARGET and its like stand for functions named after this machine's processor.
used=$(grep -ohE '\bLLVM[A-Z][A-Za-z0-9]*' "$@" | sort -u)
names=$( (nm -D --defined-only "$library" && echo && echo "$used") | awk '
    NF == 0 { all = 1 }
    !all { sub(/@.*/, "", $3); exported[$3] = 1 }
    all && ($1 in exported)')
soname=$(LC_ALL=C readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ -n "$names" ] && [ -n "$soname" ] || { echo "llvm_functions: '$library' is no shared library of LLVM" >&2; exit 1; }
echo "#define LLVM_LIBRARY \"$soname\""
echo "struct llvm_functions {"
for f in $names; do echo "    __typeof__($f) *$f;"; done
echo "};"
echo "#define LLVM_NAMES \\"
for f in $names; do echo "    \"$f\", \\"; done
echo
for f in $names; do echo "#define $f (*llvm_functions.$f)"; done
