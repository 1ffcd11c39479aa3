#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# older: records that the binary of revision 20e4f07 wrote (tests/corpus/records) are shown, continued and timed again by this
# one. tests/unit/record/older.c looks at their tables.
set -u
. tests/lib/tap.bash
command -v sqlite3 >/dev/null || skip_all "no sqlite3"
corpus=$root/tests/corpus/records
older=$corpus/older.yaml
cd "$dir" || exit 1
rg() { "$bin" "$@" --experiments "$root/experiments" >"$out" 2>"$err" </dev/null; }
query() { sqlite3 -readonly "$1/records.db" "$2"; }
make() { # name version dump
    mkdir "$1"
    sqlite3 "$1/records.db" <"$corpus/$3.sql"
    [ "$2" -gt 2 ] || sqlite3 "$1/records.db" "DROP TABLE twin; DROP TABLE twin_reading; DROP TABLE twin_stage; PRAGMA user_version = 2"
    [ "$2" -gt 1 ] || sqlite3 "$1/records.db" "DROP TABLE counter; PRAGMA user_version = 1"
}
TRIALS="SELECT id, cell, task, round, ordinal, steps, hash, outcome, seconds, elapsed_s FROM trial ORDER BY id"

gives 0 "plan of the experiment in today's words" plan "$older" --json
json "the experiment in today's words has the hash of the old records" '$d->{hash} eq "dacf2567e85058282a24dbbc6b92ce3b0c74d764a1b9bd899cb345e963b6397d"'
for version in 3 2 1; do
    make v$version $version retimed
    query v$version "$TRIALS" >trials
    gives 0 "status of records of version $version" status v$version
    prints "finished"
    gives 0 "report of records of version $version" report "$older" --results v$version --json
    json "records of version $version are complete" '$d->{complete}'
    cp "$out" read.json
    gives 0 "resume of records of version $version" run "$older" --results v$version --resume --quiet
    query v$version "$TRIALS" | cmp -s - trials
    ok $? "records of version $version keep their trials when they are continued"
    [ "$(query v$version 'PRAGMA user_version')" = 6 ]
    ok $? "records of version $version are of version 6 when they have been continued"
    gives 0 "report of continued records of version $version" report "$older" --results v$version --json
    [ $version != 3 ] || cmp -s "$out" read.json
    ok $? "continued records of version $version give the same report where nothing lacked"
    gives 0 "run --retime of records of version $version" run "$older" --results v$version --retime --quiet
    [ "$(query v$version 'SELECT max(attempt) FROM retiming_archive')" = 2 ]
    ok $? "the re-timing of version $version is archived beside the one before"
done

make whole 3 retimed
make stopped 3 stopped
gives 0 "report of a run that an old binary did not finish" report "$older" --results stopped --json
json "a run that an old binary did not finish is not complete" '!$d->{complete}'
gives 0 "a run that an old binary did not finish is continued" run "$older" --results stopped --resume --quiet
query whole "$TRIALS" >trials
query stopped "$TRIALS" | cmp - trials
ok $? "a run that the old binary began and this one ends has the trials of one that the old binary ended"
query whole "SELECT trial, launch, regime, outcome, seconds FROM final_aside WHERE attempt = 1 ORDER BY 1, 2" >readings
query stopped "SELECT trial, launch, regime, outcome, seconds FROM retiming ORDER BY 1, 2" | cmp - readings
ok $? "the re-timing of a continued run has the readings of the old binary's"
query whole "SELECT stage, twin, arm, launch, seconds FROM twin_reading WHERE stage IN ('before 1', 'after 1') ORDER BY 1 DESC, 2, 3, 4" | sed 's/ 1|/|/' >readings
query stopped "SELECT stage, program, arm, launch, seconds FROM aa_reading ORDER BY 1 DESC, 2, 3, 4" | cmp - readings
ok $? "the A/A test of a continued run has the readings of the old binary's"
[ "$(query stopped "SELECT group_concat(DISTINCT searcher) FROM cell")" = random,droplet,remeasure ]
ok $? "the cells of a continued run have today's names of searchers"

# formerly finalists
sed 's/retime_top/finalists/' "$older" >older.yaml
gives 2 "plan of a file in the old words" plan older.yaml
says "older.yaml:12:1: key 'finalists' is now called 'retime_top'"
finish
