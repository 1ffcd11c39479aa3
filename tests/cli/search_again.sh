#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# search_again: searches that other programs disturbed are made again on target fake, where the same search finds the same: with
# the other arms of that network and seed; the records as they were stay beside them; the duels begin anew; the report says so.
set -u
. tests/lib/tap.bash
command -v sqlite3 >/dev/null || skip_all "no sqlite3 to plant what others took"
experiments=$root/experiments
cd "$dir" || exit 1
few="table3 --tier short --set target=fake --set networks=squeezenet --set kernels=4 --set ansor.trials=64 --set dpansor.k=1,8
    --set dpansor.trials_per_kernel=12 --set seeds=2 --set duels.max_launches=10 --set duels.half_width=0.1 --results r"

rg() { "$bin" "$@" --experiments "$experiments" >out 2>err </dev/null; }
query() { sqlite3 "r/${2:-records}.db" "$1"; }
found='SELECT cell, task, ordinal, steps, seconds FROM trial ORDER BY cell, ordinal'
launches='SELECT duel, launch, place, outcome FROM duel_launch ORDER BY 1, 2, 3'
others() { # seconds of a hundred, arm, seed
    query "INSERT INTO event(cell, round, kind, name, seconds, text, unix_s) SELECT cell, 0, 'machine', name, s, '', 0 FROM cell,
        (SELECT 'others' AS name, $1 AS s UNION SELECT 'whole', 100) WHERE arm = '$2' AND seed = $3"
}
same() { # name, query, file of what it gave
    query "$2" | cmp -s - "$3"
    ok $? "$1"
}

gives 0 "a campaign works" run $few --quiet
query "$found" >found && query "$launches" >launches
others 4 ansor 1
others 4 ansor 2
gives 0 "where others took little nothing is made again" run $few --search-again
says "no search lost more than 5 % of its CPU time to others: none is made again"
same "the records stay" "$found" found
[ ! -e r/records-1.db ]
ok $? "where nothing is made again there is no copy"

others 40 ansor 1
query "SELECT min(id), max(id) FROM trial JOIN cell USING(cell) WHERE seed = 2" >second
gives 0 "a disturbed search is made again" run $few --search-again
says "squeezenet, ansor, seed 1: other programs and the machine's host took 22 % of its CPU time"
says "of 1 search others took more than 5 % of the CPU time: with 2 beside them they are made again, after"
says "the records as they were: 'r/records-1.db'"
same "a search that is made again finds the same, and so do the arms beside it" "$found" found
same "searches of another seed are not made again" "SELECT min(id), max(id) FROM trial JOIN cell USING(cell) WHERE seed = 2" second
query "$found" records-1 | cmp -s - found
ok $? "the copy has the trials"
query "$launches" records-1 | cmp -s - launches
ok $? "the copy has the launches"
same "all programs are re-timed anew" "$launches" launches
[ "$(query "SELECT count(*) FROM cell WHERE state <> 'done'")" = 0 ]
ok $? "no search is left open"
gives 0 "a report of searches that were made again works" report $few --json
json "the report is valid, and says that a search was made again" \
    '$d->{valid} && grep { $_->{part} eq "records" && $_->{name} eq "search_again" && $_->{text} =~ /^of 1 search others took/ } @{$d->{tables}{environment}}'

others 40 dpansor-8 2
query "SELECT min(id), max(id) FROM trial JOIN cell USING(cell) WHERE seed = 1" >first
gives 0 "a disturbed search that starts from another is made again" run $few --search-again
says "of 1 search others took more than 5 % of the CPU time: with 2 beside them they are made again, after"
same "searches of the other seed are not" "SELECT min(id), max(id) FROM trial JOIN cell USING(cell) WHERE seed = 1" first
same "what starts from another search finds the same again" "$found" found
[ -e r/records-2.db ]
ok $? "a second copy has a number of its own"
gives 0 "the report of both works" report $few --json
json "the report says of both that they were made again" 'grep { $_->{name} eq "search_again" && $_->{text} =~ /^of 1 search .*; of 1 search / } @{$d->{tables}{environment}}'
gives 2 "run --search-again is not for a fleet" run $few --search-again --on slurm:none,bundle=x
says "--search-again"
finish
