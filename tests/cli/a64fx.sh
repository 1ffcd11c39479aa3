#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# a64fx: kernels for the A64FX as a user meets them: doctor says whether they can be checked here, `replay --verify-only`
# checks them, and whatever would time them is refused.
set -u
. tests/lib/tap.bash
rg() { "$bin" "$@" --experiments "$root/experiments" >"$out" 2>"$err" </dev/null; }
"$bin" list targets --experiments experiments | grep -q "^a64fx" || skip_all "target a64fx is not in this binary"
sed -n '5p;7p;16p' tests/cli/replay/own.jsonl >"$dir/three.jsonl"

rg doctor --json
json "doctor says of target a64fx whether it works, and why" 'my ($x) = grep { $_->{name} eq "a64fx" } @{$d->{devices}}; $x && length $x->{reason}'
gives 2 "replay does not time an emulated kernel" replay "$dir/three.jsonl" --target a64fx
says "a time would say nothing"
gives 2 "plan does not plan to time emulated kernels" plan table3 --tier smoke --set target=a64fx
says "a time would say nothing"
gives 2 "to verify only and not to verify is refused" replay "$dir/three.jsonl" --verify-only --regime quick,verify=false
PATH=$dir rg show "matmul n=4 m=4 k=4" --target a64fx --dump asm
grep -qE "no qemu-aarch64 in PATH|built without a compiler for AArch64" "$err"
ok $? "without qemu the reason is told"

rg doctor --json
reason=$(perl -MJSON::PP -e 'local $/; my ($x) = grep { $_->{name} eq "a64fx" } @{decode_json(<STDIN>)->{devices}}; print $x->{works} ? "" : $x->{reason}' <"$out")
if [ -n "$reason" ]; then
    skip "kernels are checked under the emulator" "$reason"
else
    slow="--regime quick,build_timeout_s=300,run_timeout_s=300 --threads 2 --json"
    gives 0 "records are checked under the emulator" replay "$dir/three.jsonl" --target a64fx --verify-only $slow
    json "three are right, and none has a time" '$d->{right} == 3 && $d->{verify_only} && !@{$d->{times}} && !defined $d->{recorded_over_ours}'
    gives 0 "the code of codegen=tvm is checked, too" replay "$dir/three.jsonl" --target a64fx,codegen=tvm --verify-only $slow
    json "three of codegen=tvm are right" '$d->{right} == 3'
    printf '[["RE",2,[0,2,1]],["AN",2,2,2]]' >"$dir/steps"
    gives 0 "assembly for the A64FX is shown" show "matmul n=64 m=16 k=64" --steps "$dir/steps" --target a64fx --dump asm
    prints "ptrue"
fi
gives 0 "other targets verify only, too" replay "$dir/three.jsonl" --verify-only --regime quick
prints "not timed"
finish
