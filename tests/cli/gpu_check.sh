#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gpu_check: the script of `make gpu-check` says its plan, and where there is no such GPU why, with exit code 4 and a
# record. Whole runs are left to `make gpu-check` (GPU_TARGET=opencl needs minutes).
set -u
. tests/lib/tap.bash
command -v timeout >/dev/null || skip_all "no program 'timeout'"

check() { # exit code, name, environment...
    local want=$1 name=$2
    shift 2
    env RAINGAUGE="$bin" GPU_PROGRAMS="$dir/programs" GPU_CHECK_OUT="$dir/record" "$@" sh tests/gpu_check/gpu_check.sh \
        >"$out" 2>"$err" </dev/null
    local got=$?
    [ $got = "$want" ]
    ok $? "$name: exit $want (was $got)"
}
check 2 "without the program of GPU programs"
says "there is no program"
printf '#!/bin/sh\necho "1..0 # SKIP not this time"\n' >"$dir/programs"
chmod +x "$dir/programs"
check 2 "another target" GPU_TARGET=cpu
says "must be cuda or opencl"
if "$bin" doctor 2>/dev/null | grep -q '^  cuda  *works'; then
    skip "a machine without a GPU is told so" "there is one"
    finish
fi
check 4 "a machine without a GPU"
prints "plan, less than 8 minutes:"
prints "   absent after"
cp "$dir/record/report.json" "$out"
json "the record is JSON with its steps" '$d->{target} eq "cuda" && $d->{status} == 4 && $d->{steps}[0]{outcome} eq "absent" && $d->{steps}[0]{about} =~ /^cuda absent: \S/'
[ -s "$dir/record/report.txt" ] && [ "$(cat "$dir"/record/report.* | wc -c)" -lt 1048576 ]
ok $? "the record has a text, and is short"
finish
