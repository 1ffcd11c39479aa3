#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gpu_check: the script of `make gpu-check`: its plan, why it ends where there is no GPU, and every step on doubles of NVIDIA's
# libraries, small. A step that is wrong, absent, out of time or stopped leaves its record, too.
set -u
. tests/lib/tap.bash
command -v timeout >/dev/null || skip_all "no program 'timeout'"
programs=$dir/programs

check() { # exit code, name, environment...
    local want=$1 name=$2
    shift 2
    env RAINGAUGE="$bin" GPU_PROGRAMS="$programs" GPU_DOUBLES="$doubles" GPU_CHECK_OUT="$dir/record" "$@" \
        sh tests/gpu_check/gpu_check.sh >"$out" 2>"$err" </dev/null
    local got=$?
    [ $got = "$want" ]
    ok $? "$name: exit $want (was $got)"
}
# recorded NAME EXPRESSION: of the record, $step{NAME} are its steps
recorded() {
    cp "$dir/record/report.json" "$out"
    json "$1" "my %step = map { \$_->{name} => \$_ } @{\$d->{steps}}; $2"
}
check 2 "without the program of GPU programs"
says "there is no program"
printf '#!/bin/sh\necho "1..0 # SKIP not this time"\n' >"$programs"
chmod +x "$programs"
check 2 "another target" GPU_TARGET=cpu
says "must be cuda, opencl or doubles"
check 2 "doubles that are not there" GPU_TARGET=doubles GPU_DOUBLES="$dir"
says "there are no doubles"
if "$bin" doctor 2>/dev/null | grep -q '^  cuda  *works'; then
    skip "a machine without a GPU is told so" "there is one"
else
    check 4 "a machine without a GPU"
    prints "plan, less than 8 minutes:"
    prints "   absent after"
    recorded "the record is JSON with its steps" '$d->{target} eq "cuda" && $d->{status} == 4 && $d->{steps}[0]{outcome} eq "absent"
        && $d->{steps}[0]{about} =~ /^cuda absent: \S/'
fi

# ---- on doubles ----
if [ ! -e "$doubles/math/libcudnn.so.9" ]; then
    skip "every step is tried" "the doubles of NVIDIA's libraries are not built"
    finish
fi
doubled() { # exit code, name, steps, environment...
    check "$1" "$2" GPU_TARGET=doubles GPU_CHECK_STEPS="$3" "${@:4}"
}
printf '#!/bin/sh\necho "ok 1 - 7 programs of 3 sketches give the result"\n' >"$programs"
doubled 0 "every step" "programs events searches tensor libraries"
prints "INVALID for timing: no time below is a GPU's."
prints "   right after"
[ "$(grep -cE '^   (matmul|conv2d_nchw|conv2d_nhwc|depthwise) +[0-9.]+ ms +[0-9.]+ ms +[0-9.]+ ms +[0-9.]+$' "$out")" = 4 ]
ok $? "the times of searches and libraries stand side by side, kernel by kernel"
recorded "every step on doubles is right, in a record that says so" '$d->{on_doubles} && !$d->{is_gpu}
    && $d->{status} == 0 && join(" ", map { "$_->{name}:$_->{outcome}" } @{$d->{steps}}) eq
    "doctor:right programs:right events:right searches:right tensor:right libraries:right" && $step{programs}{right} == 14
    && $step{tensor}{right} > 0 && $step{tensor}{without} > 0 && $step{tensor}{failed} == 0
    && $step{searches}{trials} == 36 && $step{libraries}{report}{tables}{kernels}[0]{explorer_kernel_ms} > 0'
[ -s "$dir/record/report.txt" ] && [ "$(cat "$dir"/record/report.* | wc -c)" -lt 1048576 ]
ok $? "the record has a text, and is short"

doubled 1 "events that CUPTI does not confirm" events CUPTI_DOUBLE=percent=90
recorded "it is told by how much" '$step{events}{outcome} eq "wrong" && $step{events}{about} =~ /events say /'
doubled 4 "records of CUPTI that cannot be had" events CUPTI_DOUBLE=enable=35
recorded "the reason is recorded" '$step{events}{outcome} eq "absent" && $step{events}{about} =~ /35|CUPTI/
    && $step{searches}{about} eq "left out by GPU_CHECK_STEPS"'
printf '#!/bin/sh\necho "not ok 1 - 3 programs"; echo "wrong answer" >&2; exit 1\n' >"$programs"
doubled 1 "programs that are wrong" programs
recorded "the failed checks are counted" '$step{programs}{outcome} eq "wrong" && $step{programs}{failed} == 2'
printf '#!/bin/sh\nexec sleep 120\n' >"$programs"
doubled 4 "a check that is out of time" "programs events" GPU_CHECK_S=12
recorded "each step has what is left of the time" '$step{programs}{outcome} eq "part" && $step{events}{budget_s} == 1 && $d->{seconds} < 110'
env RAINGAUGE="$bin" GPU_PROGRAMS="$programs" GPU_DOUBLES="$doubles" GPU_CHECK_OUT="$dir/record" GPU_TARGET=doubles \
    GPU_CHECK_STEPS=programs sh tests/gpu_check/gpu_check.sh >"$out" 2>"$err" </dev/null &
stopped=$!
for _ in $(seq 1200); do
    grep -q '^== programs' "$out" && break
    sleep 0.1
done
kill -TERM $stopped
wait $stopped
[ $? = 4 ]
ok $? "a check that is stopped"
recorded "it says so" '$d->{steps}[-1]{name} eq "programs" && $d->{steps}[-1]{about} eq "stopped by a signal"'
finish
