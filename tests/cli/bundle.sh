#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bundle: the packed program makes the same code as the one it was packed from, finds its own libraries before wrong
# ones, and runs where there is nothing but the C library.
set -u
. tests/lib/tap.bash
case $(ldd "$bin") in *libasan* | *libtsan*) skip_all "a binary with a sanitizer is not bundled" ;; esac
llvm=$(ls /usr/lib/llvm-19/lib/libLLVM.so.19.1 2>/dev/null)
[ "$llvm" ] && command -v strip objdump xz >/dev/null || skip_all "needs LLVM 19 in Debian's place, binutils and xz"

cd "$root" || exit 1
.ci/bundle --no-archive "$bin" "$dir/whole" "$llvm" >"$out" 2>"$err"
ok $? "the program is bundled with LLVM"
.ci/bundle --level 0 --without-llvm --gpu-check "$bin" "$bin" "$dir/gpu" "$llvm" >"$dir/said" 2>>"$err"
ok $? "the program is bundled without LLVM"
grep -qE 'gpu\.tar\.xz [0-9]+ MiB; needs glibc 2\.[0-9]+' "$dir/said"
ok $? "the size of the archive and the oldest C library are printed"
(cd "$dir/gpu" && sha256sum -c SHA256SUMS >"$out" 2>"$err" && [ "$(find . -type f | wc -l)" = $(($(wc -l <SHA256SUMS) + 1)) ])
ok $? "the list of digests names every file of the bundle"
[ -x "$dir/gpu/gpu-check" ] && [ -x "$dir/gpu/bin/gpu-programs" ] && [ -f "$dir/gpu/gpu_check/experiments/gpu_check.yaml" ]
ok $? "the bundle has what gpu-check needs"
grep -q '^  ./gpu-check ' "$dir/gpu/README" && [ -f "$dir/gpu/gpu_check/README.md" ] &&
    grep -q '^  ./run doctor ' "$dir/whole/README" && ! grep -q gpu-check "$dir/whole/README"
ok $? "a page says how to start what is in the bundle, and no more"
mkdir "$dir/unpacked" && tar -C "$dir/unpacked" -xJf "$dir/gpu.tar.xz" && diff -r "$dir/gpu" "$dir/unpacked/gpu" >"$out"
ok $? "the archive holds the bundled folder"
tar --numeric-owner -tvJf "$dir/gpu.tar.xz" | awk '$2 != "0/0" { exit 1 }'
ok $? "the archive names no owner"
! ls "$dir"/gpu/lib/libLLVM* "$dir"/gpu/lib/libomp* 2>/dev/null && [ "$(ls "$dir"/whole/lib/libLLVM* | wc -l)" -ge 1 ]
ok $? "only the bundle with LLVM has LLVM in it"
whole=$(stat -Lc %s "$llvm")
if command -v g++ >/dev/null && ls /usr/lib/llvm-19/lib/libLLVMX86CodeGen.a >/dev/null 2>&1; then
    [ "$(stat -c %s "$dir/whole/lib/${llvm##*/}")" -lt $((whole / 2)) ]
    ok $? "LLVM with this processor's code generator alone has less than half of its size"
else
    skip "the small LLVM is smaller" "no g++, or no archives of LLVM here"
fi

# ---- the same code, and no wrong library ----
mkdir "$dir/wrong"
for lib in "$dir"/whole/lib/*; do echo "no library" >"$dir/wrong/${lib##*/}"; done
code() { # PROGRAM CODEGEN
    "$1" show resnet18:3 --dump llvm,asm --target "cpu,codegen=$2" --experiments "$root/experiments" --quiet
}
for codegen in fast tvm; do
    if ! code "$bin" $codegen >"$dir/plain" 2>"$err"; then
        skip "bundled codegen=$codegen makes the same code" "$(head -c 200 "$err")"
        continue
    fi
    (export -n LD_LIBRARY_PATH && cd / && LD_LIBRARY_PATH=$dir/wrong code "$dir/whole/run" $codegen) >"$dir/packed" 2>"$err"
    [ -s "$dir/plain" ] && cmp -s "$dir/plain" "$dir/packed"
    ok $? "bundled codegen=$codegen makes the same code, in spite of wrong libraries in LD_LIBRARY_PATH"
done

# ---- an empty root: the C library, a shell, and the bundle ----
if [ "$(id -u)" != 0 ] || ! unshare -r true 2>/dev/null; then
    skip "the bundle runs in an empty root" "not root, or no namespaces here"
    finish
fi
empty=$dir/empty
mkdir -p "$empty/bin" "$empty/tmp" "$empty/proc" "$empty/dev"
for file in /bin/sh $(ldd /bin/sh | grep -oE '/[^ ]+') \
    $(ldd "$bin" | grep -oE '/[^ ]*/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so[^ ]*') \
    /lib/*-linux-gnu/libpthread.so.0 /lib/*-linux-gnu/libdl.so.2 /lib/*-linux-gnu/librt.so.1; do
    [ -e "$file" ] && mkdir -p "$empty${file%/*}" && cp -L "$file" "$empty$file"
done
mv "$dir/whole" "$empty/whole" && mv "$dir/gpu" "$empty/gpu"
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin unshare -m chroot "$empty" /bin/sh "$@"; }
inside /whole/run doctor >"$out" 2>"$err"
grep -q '^  cpu  *works' "$out" && grep -q '^  onednn  *works\|^built with:.*-onednn' "$out"
ok $? "the bundle runs where there is nothing but the C library, and target cpu works"
inside /gpu/run doctor >"$out" 2>"$err"
grep -q '^  cpu  *absent: target cpu needs LLVM' "$out" && grep -q '^  fake  *works' "$out"
ok $? "the bundle without LLVM runs there too, and says why target cpu is absent"
inside /whole/run plan table3 --tier smoke >"$out" 2>"$err"
ok $? "the bundle has its experiments with it"
finish
