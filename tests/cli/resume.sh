#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# resume: a campaign of the real searchers and models on target fake, killed with SIGKILL at random moments until it is done,
# must leave the records and the report of a run left alone. Then what a second writer, Ctrl-C and a damaged file get.
# tests/unit/tune/tune_resume.c does the same in one process with arithmetic for plug-ins, much faster and more often.
set -u
. tests/lib/tap.bash
RANDOM=20406

models=$("$bin" list models --json 2>/dev/null)
case $models in *'"xgb"'*) model=xgb ;; *) model=random ;; esac
yaml() { # name, report: all of an experiment but its arms
    cat <<END
experiment: $1
title: killed and resumed
paper: droplet
report: $2
machine: host
target: fake
networks: [alexnet]
kernels: 2
seeds: 1
regime: tvmc
duels: {max_launches: 5}
arms:
END
}
{
    yaml kill table3
    echo "  - {name: ansor, searcher: ansor, model: $model, scheduler: gradient, batch: 8, trials_per_kernel: 16}"
    echo "  - {name: dpansor, explore: ansor, exploit: droplet, k: [1, 12], trials_per_kernel: 10, share: true}"
    echo "  - {name: honest, explore: ansor, exploit: droplet, settings: {seed: retimed}, k: [6, 12], trials_per_kernel: 10}"
} >"$dir/kill.yaml"
{
    yaml meta contest
    echo "  - {name: meta, searcher: metaschedule, model: $model, scheduler: gradient, batch: 8, trials_per_kernel: 16}"
    echo "  - {name: dpmeta, explore: meta, exploit: droplet, settings: {variant: metaschedule}, k: [1, 12], trials_per_kernel: 20,"
    echo "     share: true}"
    echo "  - {name: pruner, searcher: pruner, model: $model, scheduler: gradient, batch: 4, trials_per_kernel: 16,"
    echo "     settings: {evolutionary_search_population: 128, potential_space_size: 32}}"
} >"$dir/meta.yaml"

run() { # folder, more
    local to=$1
    shift
    "$bin" run "$dir/$file.yaml" --results "$dir/$to" --quiet "$@"
}

killed() { # the experiment $file, left alone in 'whole' and killed until it is done in 'killed': is all the same?
    start=$(date +%s%N)
    run whole 2>"$dir/whole.err"
    ok $? "$file: a run left alone ends well"
    whole_ms=$((($(date +%s%N) - start) / 1000000))

    lives=1
    while [ $lives -lt 60 ]; do
        (exec "$bin" run "$dir/$file.yaml" --results "$dir/killed" --quiet --resume 2>>"$dir/killed.err") &
        pid=$!
        ms=$((RANDOM % (whole_ms / 5 + (30 + whole_ms / 50) * lives + 20) + 20))
        (sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"; kill -9 $pid) 2>/dev/null &
        killer=$!
        wait $pid 2>/dev/null
        status=$?
        wait $killer 2>/dev/null
        [ $status = 137 ] || break
        lives=$((lives + 1))
    done
    [ $status = 0 ] || sed "s/^/# /" "$dir/killed.err" >&2
    ok $status "$file: killed and resumed: done in life $lives"
    ok "$([ $lives -gt 2 ]; echo $?)" "$file: the run was killed more than once"

    "$bin" report "$dir/$file.yaml" --results "$dir/whole" --format tsv >"$dir/whole.tsv" 2>&1
    "$bin" report "$dir/$file.yaml" --results "$dir/killed" --format tsv >"$dir/killed.tsv" 2>&1
    [ -s "$dir/whole.tsv" ] && cmp "$dir/whole.tsv" "$dir/killed.tsv"
    ok $? "$file: the report is byte for byte the same"

    if command -v sqlite3 >/dev/null; then
        for table in cell task round trial duel_launch; do
            for run in whole killed; do
                sqlite3 -readonly "$dir/$run/records.db" "SELECT * FROM $table" >"$dir/$run.$table"
            done
            [ -s "$dir/whole.$table" ] && cmp "$dir/whole.$table" "$dir/killed.$table"
            ok $? "$file: table $table is the same"
        done
    fi
}

file=meta
killed
rm -r "$dir/whole" "$dir/killed"
file=kill
killed

run whole 2>"$dir/err"
ok "$([ $? = 2 ]; echo $?)" "records are not continued without --resume: exit 2"
grep -q -e --resume "$dir/err"
ok $? "the refusal names --resume"

(exec "$bin" run "$dir/kill.yaml" --results "$dir/stopped" --quiet 2>"$dir/err") &
pid=$!
for _ in $(seq 3000); do
    if [ -e "$dir/stopped/records.db" ] || ! kill -0 $pid 2>/dev/null; then break; fi
    sleep 0.01
done
kill -INT $pid
wait $pid
status=$?
ok "$([ $status = 130 ]; echo $?)" "Ctrl-C when the records are there ends with 130 ($status)"
run stopped --resume 2>"$dir/err"
ok $? "a run that Ctrl-C stopped goes on"
"$bin" report "$dir/kill.yaml" --results "$dir/stopped" --format tsv 2>&1 | cmp - "$dir/whole.tsv"
ok $? "a run that Ctrl-C stopped ends with the same report"

(exec "$bin" run "$dir/kill.yaml" --results "$dir/lost" --quiet 2>"$dir/err") &
pid=$!
for _ in $(seq 3000); do
    if [ -s "$dir/lost/records.lock" ] || ! kill -0 $pid 2>/dev/null; then break; fi
    sleep 0.01
done
mv "$dir/lost" "$dir/elsewhere"
wait $pid
status=$?
ok "$([ $status = 2 ]; echo $?)" "a run whose folder is moved away ends with 2 ($status)"
says "was removed"
: >"$dir/whole/records.db"
run whole --resume 2>"$dir/err"
ok "$([ $? = 2 ]; echo $?)" "a database cut to nothing is not taken for a new one: exit 2"
says "is empty"

if command -v sqlite3 >/dev/null; then
    cp -r "$dir/killed" "$dir/deleted"
    sqlite3 "$dir/deleted/records.db" "DELETE FROM trial WHERE cell = 1 AND ordinal = 5"
    "$bin" report "$dir/kill.yaml" --results "$dir/deleted" >"$out" 2>"$err"
    ok "$([ $? = 2 ] && [ ! -s "$out" ]; echo $?)" "of records that lost a trial there is no report: exit 2"
    says "the records are damaged: cell 1 (alexnet, dpansor-1, seed 1) lost 1 of its "
    run deleted --resume 2>"$err"
    ok "$([ $? = 2 ]; echo $?)" "records that lost a trial are not continued: exit 2"
    says "lost 1 of its "
else
    skip "records that lost a trial are refused" "no sqlite3"
fi
truncate -s 20000 "$dir/stopped/records.db"
run stopped --resume 2>"$dir/err"
ok "$([ $? = 2 ]; echo $?)" "a truncated database is refused: exit 2"
grep -q corrupted "$dir/err"
ok $? "a truncated database is said to be corrupted"

finish
