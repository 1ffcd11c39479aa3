#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# claims: `raingauge claims` over results made by hand: a report.json whose numbers are chosen so that the rules of
# practice.md 3.7 give each verdict, on the claimed machine and on another, and every way in which results can be missing.
set -u
. tests/kit.bash
cd "$dir" || exit 1
cp -r "$root/experiments" experiments

gives() { # code, name, then arguments
    local want=$1 name=$2 got
    shift 2
    "$bin" claims "$@" >out 2>err </dev/null
    got=$?
    [ $got = "$want" ]
    ok $? "$name: exit $want (was $got)"
}
json() { perl -MJSON::PP -e 'local $/; my $d = decode_json(<STDIN>); my %c = map { $_->{id} => $_ } @{$d->{claims}}; exit(eval($ARGV[0]) ? 0 : 1)' "$2" <out; ok $? "$1"; }

# ---- a ledger of its own, of few claims ----
claim() { # id machine rest
    echo "  - {id: $1, claim: c$1, where: w, metric: m, clock: none, machine: $2, tolerance: 0.10, $3}"
}
{
    echo "claims: mine"
    echo "title: made up"
    echo "machines:"
    echo "  - {name: ryzen, title: a Ryzen, target: cpu, arch: x86_64, match: Ryzen 7 3700X}"
    echo "  - {name: a100, title: an A100, target: cuda, match: A100}"
    echo "  - {name: a64fx, title: an A64FX, target: cpu, arch: aarch64, match: A64FX}"
    echo "list:"
    at="experiment: table3, k: 300, networks: 3"
    claim same ryzen "side: above, value: 1.198, $at, column: kernel_speedup, headline: true"
    claim big ryzen "side: above, value: 1.6, $at, column: kernel_speedup"
    claim less ryzen "side: below, value: 0.9, $at, column: kernel_speedup"
    claim side any "side: above, $at, column: kernel_speedup_retimed"
    claim wide any "side: above, $at, column: search_speedup_wall"
    claim equal any "side: parity, $at, column: search_speedup_records"
    claim usual any "side: above, $at, column: wins"
    claim three any "side: above, value: 3, $at, column: networks"
    claim twenty any "side: above, value: 1.2, experiment: table3, k: 300, networks: 20, column: kernel_speedup"
    claim gpu a100 "side: above, value: 1.094, $at, column: kernel_speedup"
    claim arm a64fx "side: below, value: 0.953, $at, column: kernel_speedup"
    claim other any "side: above, experiment: table3, k: 7, column: kernel_speedup"
    claim fact any "side: above, untested: a date"
} >experiments/papers/mine.yaml

hash() { "$bin" plan table3 --tier "$1" --json | sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p'; }

# results TIER CPU NOISE [HASH] [TARGET]
results() {
    mkdir -p results/table3/"$1"
    local row='"k": 300, "kernel_speedup": {"sum": 1.22, "calls": 1.2}, "kernel_speedup_retimed": {"sum": 1.05, "calls": 1.0},
      "search_speedup": {"wall": 1.3, "records": 1.01}'
    local ends='"intervals": {"n": 10, "kernel_speedup": [1.15, 1.29], "kernel_speedup_retimed": [1.03, 1.07],
      "search_speedup_wall": [0.8, 2.1125], "search_speedup_records": [0.97, 1.05]}'
    cat >results/table3/"$1"/report.json <<END
{"experiment": "table3", "tier": "$1", "hash": "${4:-$(hash "$1")}", "target": "${5:-cpu}", "regime": "number=10,verify=yes",
 "networks": [{"network": "a", "k": [{$row}]}, {"network": "b", "k": [{$row}]}, {"network": "c", "k": [{$row}]}],
 "geomean": [{$row, $ends, "wins": 3, "counted": 3}]$3}
END
    echo "{\"host\": {\"cpu\": \"$2\", \"arch\": \"x86_64\"}, \"target\": {\"cpu\": \"x\"}}" >results/table3/"$1"/host.json
}
noise=', "noise": {"floor": 0.01, "gates": "passed"}'

gives 4 "no results" mine
prints "TAP version 13"
prints "1..13"
prints "# experiments/papers/mine.yaml, SHA-256 $(sha256sum experiments/papers/mine.yaml | cut -c1-64)"
prints "# SKIP nothing is measured yet: raingauge run table3 --tier full"
prints "ok 13 - fact NOT MEASURED: cfact # SKIP a date"

results full "AMD Ryzen 7 3700X 8-Core Processor" "$noise"
gives 1 "on the claimed machine" mine --json
json "the value meets the band: REPRODUCED" '$c{same}{verdict} eq "REPRODUCED" && $c{same}{value} == 1.22 && $c{same}{interval}[1] == 1.29'
json "beside the paper's value, with a reason" '$c{same}{paper} == 1.198 && $c{same}{reason} =~ /meets/'
json "right side, wrong size: direction" '$c{big}{verdict} eq "REPRODUCED (direction)"'
json "wrong side: NOT REPRODUCED" '$c{less}{verdict} eq "NOT REPRODUCED"'
json "a side only" '$c{side}{verdict} eq "REPRODUCED"'
json "too wide: INCONCLUSIVE, with the seeds it takes" '$c{wide}{verdict} eq "INCONCLUSIVE" && $c{wide}{more_seeds} > 0'
json "parity" '$c{equal}{verdict} eq "REPRODUCED"'
json "the search claim shows the wall clock too" '$c{equal}{wall} == 1.3'
json "three wins of three networks are too few to say usually" '$c{usual}{verdict} eq "INCONCLUSIVE"'
json "three networks" '$c{three}{verdict} eq "REPRODUCED"'
json "three of twenty networks are no average" '$c{twenty}{verdict} eq "NOT MEASURED" && $c{twenty}{reason} =~ /3 of 20/'
json "another target" '$c{gpu}{verdict} eq "NOT MEASURED" && $c{gpu}{reason} =~ /needs target .cuda. \(an A100\)/'
json "another processor" '$c{arm}{verdict} eq "NOT MEASURED" && $c{arm}{reason} =~ /needs aarch64/'
json "another k" '$c{other}{verdict} eq "NOT MEASURED" && $c{other}{reason} =~ /no k = 7/'
json "the worst headline, and the file's hash" '$d->{headline} eq "REPRODUCED" && length $d->{hash} == 64'
"$bin" claims mine >out 2>err
says "13 claims of 'mine': 1 not reproduced, 0 invalid, 2 inconclusive, 5 not measured"
prints "not ok 3 - less NOT REPRODUCED: cless"
prints "interval: [1.15, 1.29]"
if command -v prove >/dev/null; then
    prove -v --exec cat out >proved 2>&1
    grep -q "Failed 1/13 subtests" proved && ! grep -qi "parse error" proved
    ok $? "prove reads it: one of 13 failed"
fi

results full "Some Xeon" "$noise"
gives 1 "on another machine" mine --json
json "TRANSFERRED" '$c{same}{verdict} eq "TRANSFERRED" && $c{side}{verdict} eq "TRANSFERRED"'
json "in direction only" '$c{big}{verdict} eq "TRANSFERRED" && $c{big}{reason} =~ /direction only/'
json "a count, too" '$c{three}{verdict} eq "TRANSFERRED"'

results full "AMD Ryzen 7 3700X" ', "noise": {"floor": 0.01, "gates": "failed", "reason": "drift of 7 %"}'
gives 3 "a failed gate" mine --json
json "INVALID, not slow" '$c{less}{verdict} eq "INVALID" && $c{same}{reason} eq "drift of 7 %"'
results full "AMD Ryzen 7 3700X" ""
gives 4 "no A/A floor" mine --json
json "INCONCLUSIVE" '$c{same}{verdict} eq "INCONCLUSIVE" && $c{same}{reason} =~ /A.A floor/'
results full "AMD Ryzen 7 3700X" "$noise"
sed -i 's/verify=yes/verify=no/' results/table3/full/report.json
gives 3 "unverified candidates" mine --json
json "are INVALID" '$c{same}{reason} =~ /verify=no/'

results full "AMD Ryzen 7 3700X" "$noise" 0123456789abcdef
gives 4 "results of another version" mine --json
json "say so, with their place" '$c{same}{reason} =~ m{results/table3/full/report.json. is of another version .* 0123456789ab}'
json "and the rest is still told" '$c{fact}{reason} eq "a date"'
results short "AMD Ryzen 7 3700X" "$noise"
gives 1 "then the next tier counts" mine --json
json "for the side only" '$c{same}{verdict} eq "REPRODUCED (direction)" && $c{same}{reason} =~ /indicative/ && $c{same}{results} eq "results/table3/short"'
gives 4 "a tier by name" mine --json --tier full
json "which has none" '$c{same}{verdict} eq "NOT MEASURED"'
rm -r results
results smoke "AMD Ryzen 7 3700X" "$noise"
gives 4 "tier smoke" mine --json
json "judges nothing" '$c{same}{verdict} eq "INCONCLUSIVE" && $c{same}{reason} =~ /mechanics/'
rm -r results
results full "AMD Ryzen 7 3700X" "$noise" "" fake
gives 4 "a virtual target" mine --json
json "is not evidence" '$c{same}{reason} =~ /target .fake., which no claim is about/'
echo "{ broken" >results/table3/full/report.json
gives 4 "a broken report" mine --json
json "is named" '$c{same}{reason} =~ m{results/table3/full/report.json:1:}'
gives 4 "an unknown tier" mine --json --tier ful
json "is a reason" '$c{same}{reason} =~ /ful/'

# ---- the authors' released files ----
shared=${RAINGAUGE_SHARED:-../shared}
case $shared in /*) ;; *) shared=$root/$shared ;; esac
if [ -d "$shared/data/droplet" ]; then
    rm -rf results
    gives 1 "the droplet ledger from the released files" droplet --json --released "$shared/data/droplet"
    json "values to the last digit" '$c{"C1.ryzen7"}{verdict} eq "REANALYSED" && abs($c{"C1.ryzen7"}{value} - 1.198) < 0.001
        && $c{"K50.search"}{verdict} eq "REANALYSED" && !grep { $_->{verdict} eq "NOT REPRODUCED" && defined $_->{paper} && $_->{id} ne "C3" } @{$d->{claims}}'
    json "usually faster on two of four machines" 'join(",", map { $c{"C1.$_.usual"}{verdict} } qw(ryzen7 a100 rtx3080 a64fx))
        eq "REANALYSED,REANALYSED,NOT REPRODUCED,NOT REPRODUCED"'
    json "19 models, not 20" '$c{C3}{verdict} eq "NOT REPRODUCED" && $c{C3}{value} == 19'
    json "MetaSchedule: not on the A64FX" '$c{"C5.ryzen7"}{verdict} eq "REANALYSED" && $c{"C5.a64fx"}{verdict} eq "NOT REPRODUCED"'
    json "claims about any machine stay unmeasured" '$c{C1}{verdict} eq "NOT MEASURED" && $c{C2}{verdict} eq "NOT MEASURED"'
else
    n=$((n + 1))
    echo "ok $n - the droplet ledger from the released files # SKIP $shared/data/droplet is absent"
fi
gives 2 "released files that are none" droplet --released .

# ---- ledgers ----
gives 2 "an unknown paper" mien
says "no claims of 'mien' (experiments/papers/mien.yaml): did you mean 'mine'?"
sed -i '8s/experiment: table3/experiment: table4/' experiments/papers/mine.yaml
gives 2 "an unknown experiment" mine
says "experiments/papers/mine.yaml:8:"
says "unknown experiment 'table4': did you mean 'table3'?"
gives 0 "the papers"
prints "droplet"
gives 0 "the papers as JSON" --json
prints "\"mine\"]"

finish
