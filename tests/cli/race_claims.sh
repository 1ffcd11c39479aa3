#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# race_claims: claims about races, over reports made by hand: arms with k and without, a recorded device as the machine it
# is of, the share of exploration and that of the whole search; claims that name what a race has not are refused.
set -u
. tests/lib/tap.bash
cd "$dir" || exit 1
cp -r "$root/experiments" experiments
sed -i 's/^  short: {}/  short: {budget: whole}/' experiments/bestk.yaml
rg() { "$bin" claims "$@" >out 2>err </dev/null; }
json() { perl -MJSON::PP -e 'local $/; my $d = decode_json(<STDIN>); my %c = map { $_->{id} => $_ } @{$d->{claims}}; exit(eval($ARGV[0]) ? 0 : 1)' "$2" <out; ok $? "$1"; }

paper() { # claims, one a line
    printf '%s\n' "claims: mine" "title: made up" "machines:" "  - {name: a100-40, title: an A100, target: cuda, match: A100}" \
        "  - {name: t4, title: a T4, target: cuda, match: T4}" "  - {name: cpu, title: a CPU, target: cpu, match: Xeon}" "list:"
    cat
}
claim() { echo "  - {id: $1, claim: c$1, where: w, metric: m, machine: $2, tolerance: 0.10, $3}"; }

# A recording of two programs, so that there is a plan.
mkdir -p results/recorded results/bestk/short results/parity/judge
"$bin" collect "dense n=4 ci=64 co=64" --target fake --count 2 --output results/recorded/a100-40.jsonl >out 2>err
ok $? "a recording is made $(head -1 err)"
hash() { "$bin" plan "$1" --tier "$2" --json | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p'; }
ratio() { echo "{\"ratio\": $1, \"over\": \"seeds\", \"n\": 10, \"df\": 27, \"interval\": [$2, $3]}"; }
report() { # EXPERIMENT TIER TARGET ENVIRONMENT TABLES
    cat >"results/$1/$2/report.json" <<END
{"experiment": "$1", "report": "race", "tier": "$2", "hash": "$(hash "$1" "$2")", "target": "$3", "target_settings": "codegen=tvm",
 "regime": "number=10,verify=yes", "valid": true, "complete": true, "tables": {$5,
 "environment": [{"part": "host", "name": "arch", "text": "x86_64"}, $4], "noise": [{"noise_floor": 0.01, "state": "passed", "search_state": "passed"}]}}
END
}
report bestk short replay '{"part": "target", "name": "recorded_machine", "text": "a100-40"}' "\"means\": [
  {\"arm\": \"draft-50\", \"k\": 50, \"kernel_speedup_calls\": $(ratio 0.5 0.49 0.51)},
  {\"arm\": \"draft-512\", \"k\": 512, \"kernel_speedup_calls\": $(ratio 0.99 0.985 0.995)}]"
report parity judge cpu '{"part": "host", "name": "cpu", "text": "Xeon"}' "\"means\": [
  {\"arm\": \"pruner\", \"search_speedup_wall\": $(ratio 1.25 1.2 1.3)}],
 \"time_split\": [{\"arm\": \"ansor\", \"exploration_share\": $(ratio 0.39 0.38 0.4)}, {\"arm\": \"pruner\", \"exploration_share\": $(ratio 0.2 0.19 0.21)},
  {\"network\": \"pruner_vit\", \"arm\": \"ansor\", \"exploration_share\": $(ratio 0.7 0.69 0.71)}]"

best="clock: none, side: number, experiment: bestk, column: kernel_speedup_calls, arm: draft"
share="clock: wall, side: number, experiment: parity, column: exploration_share, arm: ansor"
{
    claim own a100-40 "$best, k: 512, value: 0.995"
    claim small a100-40 "$best, k: 50, value: 0.995"
    claim another t4 "$best, k: 512, value: 0.995"
    claim wrong cpu "$best, k: 512, value: 0.995"
    claim explores cpu "$share, value: 0.4"
    claim vit cpu "$share, value: 0.4, network: pruner_vit"
    claim saved any "clock: wall, side: below, value: 0.8, experiment: parity, column: search_share_wall, arm: pruner"
} | paper >experiments/papers/mine.yaml
rg mine --json
json "a recording speaks for the machine that it is of" '$c{own}{verdict} eq "REPRODUCED" && $c{own}{value} == 0.99'
json "k says which of an arm's searches is meant" '$c{small}{value} == 0.5 && $c{small}{verdict} eq "NOT REPRODUCED"'
json "on a recorded GPU another GPU's claim is transferred" '$c{another}{verdict} eq "TRANSFERRED"'
json "a recorded GPU says nothing of CPUs" '$c{wrong}{verdict} eq "NOT MEASURED" && $c{wrong}{reason} =~ /needs target .cpu/'
json "the first arm has a share of exploration" '$c{explores}{value} == 0.39 && $c{explores}{verdict} eq "REPRODUCED"'
json "a network has its own" '$c{vit}{value} == 0.7 && $c{vit}{verdict} eq "NOT REPRODUCED"'
json "a share of the search time is one over the speedup" 'abs($c{saved}{value} - 0.8) < 1e-9 && abs($c{saved}{interval}[0] - 1 / 1.3) < 1e-9
    && $c{saved}{verdict} eq "REPRODUCED"'

refuses() { # name, word of the message, claim
    claim x any "$3" | paper >experiments/papers/mine.yaml
    rg mine
    [ $? = 2 ] && grep -q -e "$2" err
    ok $? "$1 is refused"
}
refuses "an arm with several k and none named" "has several k" "$best, value: 1"
refuses "a k of an arm that has none" "has no k" "clock: none, side: above, experiment: parity, column: kernel_speedup, arm: pruner, k: 3"
refuses "the first arm against itself" "unknown arm 'ansor'" "clock: none, side: above, experiment: parity, column: kernel_speedup, arm: ansor"
refuses "a share of exploration in a contest" "unknown column" "clock: wall, side: number, value: 1, experiment: exploiters, column: exploration_share, arm: droplet, k: 64"
finish
