#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# published: the experiment of the authors' schedules on an invented file of theirs: a pooling of squeezenet whose loops are merely
# fused, a second of the same kernel that is, a kernel of no network, a line without steps and one that is no JSON.
set -u
. tests/lib/tap.bash
"$bin" list targets 2>/dev/null | grep -q '^ *cpu' || { skip "no target cpu"; finish; exit; }
experiments=$root/experiments
cd "$dir" || exit 1
rg() { "$bin" "$@" --experiments "$experiments" >out 2>err </dev/null; }

line() { # steps, kernel, further members
    echo '{"hash":"x","shapes":[],"target":"llvm -keys=cpu ","hw":[8,64,64,0,0,0,0,0],"host":"","layout_rewrite":1,'"$1"'"costs":[4e-06,4e-06],"error":0,"total_cost":0.7,"time":1,"version":"v0.6",'"$2"'}'
}
pool='"kind":"pool2d","desc":"n=1 c=256 hi=27 wi=27 ho=13 wo=13 cb=4 kh=3 kw=3 sh=2 sw=2 ph=0,1 pw=0,1 pool=max"'
{
    line '"steps":[["FU",2,[0,1,2]],["AN",2,0,3]],' "$pool"
    line '"steps":[["FU",2,[0,1,2,3]],["AN",2,0,3]],' "$pool"
    line '"steps":[],' '"kind":"softmax","desc":"n=1 c=7"'
    line '' "$pool"
    echo 'index	hash	shapes'
} >packed.jsonl
gives 0 "a file with broken lines gives a recording of the others" collect --from-records packed.jsonl --machine ryzen7-3700x --output packed.rec
prints "3 programs of 2 kernels"
prints "5 records: 0 of other devices, 0 repeat a program, 2 refused"
says "packed.jsonl:4: no list of steps"
says "packed.jsonl:5"

some=(published --set 'networks=[squeezenet]' --set kernels=2 --set max_kernel_gflop=0.0005 --results r)
gives 2 "without a recording the experiment says what it lacks" run "${some[@]}" --tier packed
says "results/published/packed.jsonl"
rm -rf r
some+=(--set published.settings.recording=packed.rec)
gives 0 "the experiment runs on the kernels that are there" run "${some[@]}" --quiet
[ "$(sqlite3 r/records.db 'SELECT count(*) FROM trial')" = 17 ]
ok $? "one kernel has one schedule, measured once to begin with and once under each of sixteen conditions"
[ "$(sqlite3 r/records.db 'SELECT count(DISTINCT hash) FROM trial')" = 1 ]
ok $? "all of them measure the same schedule"
[ "$(sqlite3 r/records.db 'SELECT max(n) FROM (SELECT count(DISTINCT place) AS n FROM duel_program JOIN duel USING(duel) WHERE NOT null_pair GROUP BY duel)')" = 8 ]
ok $? "layouts, threads and processors are eight programs in the duels, and a regime is none"
gives 0 "the kernel that is not there is named" run "${some[@]}" --resume
gives 0 "the report works" report "${some[@]}" --json
json "each of the four conditions is known from eight pairs of arms" \
    'my @e = @{$d->{tables}{effects}}; @e == 4 && !grep { $_->{pairs} != 8 || !($_->{effect}{ratio} > 0) } @e'
json "re-timed, a regime changes nothing" \
    'my ($r) = grep { $_->{condition} =~ /^regime/ } @{$d->{tables}{effects}}; $r->{effect_retimed}{ratio} == 1'
json "one kernel has no interval" '!grep { defined $_->{effect}{interval} } @{$d->{tables}{effects}}'
gives 0 "the report as text works" report "${some[@]}"
prints "What the conditions do to the same programs"
grep -qE '^(The|INVALID: no finding. As measured, the) same programs under layout=1 take' out
ok $? "the report begins with what a condition does, as a finding or, where the null pairs void it, as measured"
ln -sf "$root/plots" .
gives 0 "the report is written with its figure" report "${some[@]}" --write
[ "$(grep -c ': kernels [0-9.]*"$' r/figure.dat)" = 4 ] && [ -s r/published.svg ]
ok $? "the figure has one point a condition"
finish
