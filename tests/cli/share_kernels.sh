#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# share_kernels: two networks on target fake that have seventeen kernels in common: what plan tells, what is refused, that a run
# killed with SIGKILL and resumed is the run left alone, and that the report's numbers are those summed from the records by hand.
set -u
. tests/lib/tap.bash
RANDOM=741

yaml() { # scheduler, trials of ansor
    cat <<END
experiment: sv
title: two networks that share kernels
paper: droplet
report: table3
machine: host
target: fake
networks: [vgg11, vgg13]
seeds: 2
regime: tvmc
duels: {max_launches: 8}
share_kernels: true
arms:
  - name: ansor
    searcher: random
    batch: 8
    scheduler: $1
    $2
  - {name: dpansor, explore: ansor, exploit: droplet, k: [4, 12], trials_per_kernel: 10, share: true}
END
}
rg() { "$bin" "$@" >"$out" 2>"$err"; }
value() { perl -MJSON::PP -e 'local $/; my $d = decode_json(<STDIN>); print eval shift' "$1" <"$out"; }

yaml gradient "trials_per_kernel: 16" >"$dir/sv.yaml"
gives 2 "a gradient scheduler may not share kernels" plan "$dir/sv.yaml"
says "sv.yaml:16:16: share_kernels: under the scheduler gradient"
yaml round_robin "trials: 300" >"$dir/sv.yaml"
gives 2 "trials of a whole network may not be shared" plan "$dir/sv.yaml"
says "sv.yaml:17:13: share_kernels: 'trials' of arm 'ansor' are those of a whole network"

yaml round_robin "trials_per_kernel: 16" >"$dir/sv.yaml"
gives 0 "round robin with trials for each kernel may share" plan "$dir/sv.yaml" --results "$dir/none" --json
ok "$([ "$(value 'join " ", map { $_->{taken} } @{$d->{cells}}')" = "0 0 0 17 17 17 0 0 0 17 17 17" ]; echo $?)" "plan tells the kernels that each cell takes"
ok "$([ "$(value '$d->{trials}')" = $((2 * 19 * 36)) ]; echo $?)" "plan counts each kernel's 16 + 10 + 10 trials once a seed"
ok "$([ "$(value 'my $n = 0; $n += $_->{trials_alone} for @{$d->{cells}}; $n')" = $((2 * 36 * 36)) ]; echo $?)" \
    "plan tells the trials without sharing"
gives 0 "plan for people" plan "$dir/sv.yaml" --results "$dir/none"
prints "share_kernels: 102 of 216 kernels of all cells are taken from an earlier network, which spares 1224 of 2592 trials"
prints "best of the first 4 records of ansor; takes 17 kernels of vgg11"

run() { "$bin" run "$dir/sv.yaml" --results "$dir/$1" --quiet "${@:2}"; }
run whole 2>"$err"
ok $? "a run left alone ends well"
lives=1 status=137
while [ $lives -lt 60 ]; do
    (exec "$bin" run "$dir/sv.yaml" --results "$dir/killed" --quiet --resume 2>>"$dir/killed.err") &
    pid=$!
    ms=$((RANDOM % (100 + 60 * lives) + 20))
    (sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"; kill -9 $pid) 2>/dev/null &
    killer=$!
    wait $pid 2>/dev/null
    status=$?
    wait $killer 2>/dev/null
    [ $status = 137 ] || break
    lives=$((lives + 1))
done
ok $status "a killed run is done in life $lives"
ok "$([ $lives -gt 2 ]; echo $?)" "the run was killed more than once"
for run in whole killed; do rg report "$dir/sv.yaml" --results "$dir/$run" --format tsv && cp "$out" "$dir/$run.tsv"; done
[ -s "$dir/whole.tsv" ] && cmp "$dir/whole.tsv" "$dir/killed.tsv"
ok $? "the report of the killed run is byte for byte that of the whole one"

gives 0 "the report is made" report "$dir/sv.yaml" --results "$dir/whole"
tr -s '\n ' ' ' <"$out" >"$out.words" && mv "$out.words" "$out"
prints "34 of 72 kernels were searched for an earlier network: search times count them as if searched again"
gives 0 "the report as JSON" report "$dir/sv.yaml" --results "$dir/whole" --json
ok "$([ "$(value '$d->{taken_kernels}')" = 34 ]; echo $?)" "the report counts the taken kernels of both seeds"
ok "$(value '($d->{design_effect} > 1.5 && $d->{design_effect} <= 2) ? 0 : 1')" "two networks that share most count as little more than one"
ok "$(value '(grep { $_->{kernel_speedup}{df} > 2 * 2 / $d->{design_effect} + 1e-9 } @{$d->{tables}{means}}) ? 1 : 0')" \
    "the degrees of freedom are not more than the design effect leaves"

if ! command -v sqlite3 >/dev/null; then
    skip "the report's numbers are those summed by hand" "no sqlite3"
    finish
fi
sql() { sqlite3 -readonly "$dir/whole/records.db" "$1"; }
for run in whole killed; do
    for table in task round trial duel_program; do
        sqlite3 -readonly "$dir/$run/records.db" "SELECT * FROM $table" >>"$dir/$run.rows"
    done
done
[ -s "$dir/whole.rows" ] && cmp "$dir/whole.rows" "$dir/killed.rows"
ok $? "the records of the killed run are those of the whole one"
ok "$([ "$(sql 'SELECT count(*) FROM duel WHERE null_pair = 0')" = 38 ]; echo $?)" "the duels of a shared kernel are done once a seed"
ok "$([ "$(sql 'SELECT count(*) FROM (SELECT DISTINCT seed, arm, spec FROM trial JOIN task USING(cell, task) JOIN cell USING(cell))')" = \
    "$(sql 'SELECT count(*) FROM (SELECT DISTINCT cell, task FROM trial)')" ]; echo $?)" "no kernel is searched twice by one arm in one seed"

# By hand: the kernels of vgg13 by their specs, whoever searched them in that seed.
for seed in 1 2; do
    from="FROM task AS kernel JOIN cell AS mine USING(cell) JOIN task AS searched ON searched.spec = kernel.spec JOIN cell AS
        theirs ON theirs.cell = searched.cell AND theirs.arm = mine.arm AND theirs.seed = mine.seed JOIN trial ON trial.cell =
        searched.cell AND trial.task = searched.task WHERE mine.network = 'vgg13' AND mine.arm = 'ansor' AND mine.seed = $seed"
    hand=$(sql "SELECT count(*), total(cost_s) $from")
    best=$(sql "SELECT 1000 * total(best) FROM (SELECT min(trial.mean_s) AS best $from GROUP BY kernel.spec)")
    row="my (\$r) = grep { \$_->{network} eq 'vgg13' && \$_->{seed} == $seed } @{\$d->{tables}{explorer_seeds}}; "
    ok "$(value "$row \$r->{trials} == ${hand%|*} ? 0 : 1")" "seed $seed: the trials are those of all kernels"
    ok "$(value "$row abs(\$r->{search_wall_s} / ${hand#*|} - 1) < 1e-9 ? 0 : 1")" "seed $seed: search time is the sum of what the kernels took"
    ok "$(value "$row abs(\$r->{kernel_ms} / $best - 1) < 1e-9 ? 0 : 1")" "seed $seed: kernel time is the sum of the best of each kernel"
done
rg status "$dir/whole"
ok "$(grep -q '948 of at most 1368' "$out"; echo $?)" "status counts the trials that are made"
finish
