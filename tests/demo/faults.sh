#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# faults: `make demo-faults`. A small real campaign on target cpu: killed with SIGKILL and resumed, then with faults planted
# in it: a candidate that crashes, one that hangs, one that uses too much memory, one that computes wrong, and one whose
# build crashes. Then kernels that cheat or do harm, a line each. Nothing is simulated: the kernel process really
# dies. Status 0 only when the report shows each of them and no record was lost or made twice; the report itself may call
# the comparison invalid. Takes about a minute.
set -u
bin=${RAINGAUGE:-build/raingauge}
case $bin in /*) ;; *) bin=$PWD/$bin ;; esac
case ${HOSTILE:-/} in /*) ;; *) HOSTILE=$PWD/$HOSTILE ;; esac
[ -x "$bin" ] || { echo "demo-faults: no binary at $bin, build it first: make" >&2; exit 2; }
dir=$(mktemp -d) || exit 2
pid=
trap 'test -n "$pid" && kill -9 "$pid" 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
missing=0

step() { printf '\n== %s\n' "$*"; }
show() { printf '$ raingauge %s\n' "$*"; }
seen() { # status what
    if [ "$1" = 0 ]; then echo "   seen: $2"; else echo "   NOT SEEN: $2"; missing=$((missing + 1)); fi
}
member() { sed -n "s/.*\"$1\": *\([0-9][0-9]*\).*/\1/p" | head -1; } # first number of that name on stdin
recorded() { "$bin" status "$dir/results" --json 2>/dev/null | member trials; }

step "a campaign of two small kernels, target cpu, in a temporary folder"
mkdir -p "$dir/experiments/networks" "$dir/experiments/machines" "$dir/experiments/published"
cat >"$dir/experiments/machines/host.yaml" <<'END'
name: host
target: cpu
END
cat >"$dir/experiments/networks/small.yaml" <<'END'
name: small
kernels: 2
calls: 3
list:
  - {count: 2, op: dense, ci: 256, co: 512, bias: 1, relu: 1}
  - {count: 1, op: conv2d, ci: 16, hi: 28, wi: 28, co: 16, kh: 3, kw: 3, ph: 1, pw: 1, cib: 16, cob: 16, relu: 1}
END
cat >"$dir/experiments/demo.yaml" <<'END'
experiment: demo
title: faults on purpose
report: table3
networks: [small]
regime: {preset: quick, number: 3, min_repeat_ms: 20, run_timeout_s: 3, memory_mib: 1024}
arms:
  - {name: ansor, searcher: random, scheduler: round_robin, batch: 8, trials_per_kernel: 20}
  - {name: dpansor, explore: ansor, exploit: droplet, k: [10], trials_per_kernel: 8}
END
cd "$dir" || exit 2
common="demo --experiments experiments --results results"
show "plan $common"
"$bin" plan $common || exit 2

step "run it, and kill it with SIGKILL in the middle"
show "run $common &"
"$bin" run $common --quiet 2>run.err &
pid=$!
tries=0
while [ "$(recorded || echo 0)0" -lt 70 ] && kill -0 $pid 2>/dev/null && [ $tries -lt 300 ]; do
    sleep 0.2
    tries=$((tries + 1))
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
died=$?
pid=
cat run.err
before=$(recorded)
echo "   kill -9: exit status $died, ${before:-0} trials are recorded"
[ "$died" = 137 ] && [ "${before:-0}" -gt 0 ]
seen $? "the run was killed in the middle"
show "run $common"
"$bin" run $common --quiet 2>run.err
refused=$?
sed 's/^/   /' run.err
[ $refused = 2 ]
seen $? "without --resume it is refused, nothing is overwritten"

step "resume it with faults planted in trials 2 (crash), 4 (hang), 6 (memory), 8 (wrong result), 10 (compiler crash)"
faults=crash:2,hang:4,memory:6,wrong:8,buildcrash:10
show "run $common --resume --faults $faults"
"$bin" run $common --resume --faults $faults || { echo "demo-faults: the resumed run failed" >&2; exit 1; }
after=$(recorded)
echo "   ${before:-0} trials before the kill, ${after:-0} at the end; planned: at most 56"
[ "${after:-0}" -gt "${before:-0}" ] && [ "${after:-0}" -le 56 ]
seen $? "it went on where it was"

# Status 3 says that the machine was too busy for a valid comparison. The faults are there all the same.
reported() { [ "$1" = 0 ] || [ "$1" = 3 ] || { echo "demo-faults: the report failed" >&2; exit 1; }; }
step "the report"
show "report $common"
"$bin" report $common >report.txt
reported $?
cat report.txt
"$bin" report $common --json 2>/dev/null >report.json
reported $?
step "what became of each"
for word in crashed "run timeout" "out of memory" "wrong answer" "build failed"; do
    grep -q "^  $word  *[0-9]" report.txt && grep -q "\"outcome\": *\"$word\"" report.json
    seen $? "$word: $(sed -n "s/^  $word  *[0-9][0-9]*  //p" report.txt | head -1)"
done
grep -q '"complete": *true' report.json
seen $? "the campaign is complete all the same"

# The same trunk, on a target of tests whose kernels cheat or do harm. After each, an honest kernel must be right.
if [ -x "${HOSTILE:-}" ]; then
    step "kernels that cheat or do harm: what each does, what became of it, what caught it"
    "$HOSTILE" show
    seen $? "every one is caught or does no harm, and the honest kernel after each is right"
fi
echo
[ $missing = 0 ] && echo "demo-faults: all seen" || echo "demo-faults: $missing not seen"
[ $missing = 0 ]
