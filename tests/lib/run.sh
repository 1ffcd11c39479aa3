#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run: what tests/lib/run.pl tells of tests that pass, fail, skip, break or are not there.
without_binary=1
. tests/lib/tap.bash

mkdir -p "$dir/tests/cli" "$dir/tests/lib" "$dir/tests/unit/record"
made() { # NAME LINE...: a test that prints the lines
    local file=$dir/tests/$1.sh
    shift
    { printf 'cat <<END\n'; printf '%s\n' "$@"; printf 'END\n'; } >"$file"
}
made cli/good '1..2' 'ok 1 - the first point' 'ok 2 - the second point'
made cli/partly '1..2' 'ok 1 - the first point' 'ok 2 - the second point # SKIP no such device'
made cli/bad '1..2' 'ok 1 - the first point' 'not ok 2 - the second point'
made cli/short '1..2' 'ok 1 - the only point'
made unit/record/store '1..0 # SKIP no data here'
printf 'echo 1..1; echo "ok 1 - all is well"; exit 3\n' >"$dir/tests/cli/exits.sh"

# tally NAME LINE EXIT ARGUMENT...: the last line and the exit status of run.pl
tally() {
    local name=$1 line=$2 want=$3 got
    shift 3
    (cd "$dir" && env -u V -u CI -u T "${settings[@]}" perl "$root/tests/lib/run.pl" "$@") >"$out" 2>"$err"
    got=$?
    [ $got = "$want" ] && [ "$(tail -n 1 "$out")" = "$line" ]
    ok $? "$name"
}
settings=()
tally "tests that pass are counted by point" "2 passed, 0 failed, 0 skipped" 0 tests/cli/good.sh
tally "a skipped point is not a passed one" "1 passed, 0 failed, 1 skipped" 0 tests/cli/partly.sh
tally "a test that skips all counts as one skipped point" "2 passed, 0 failed, 1 skipped" 0 tests/cli/good.sh \
    tests/unit/record/store.sh
tally "a failed point fails the run" "1 passed, 1 failed, 0 skipped" 1 tests/cli/bad.sh
tally "a missing point fails the run" "1 passed, 1 failed, 0 skipped" 1 tests/cli/short.sh
tally "a test that ends with an error fails the run though its points passed" "1 passed, 1 failed, 0 skipped" 1 \
    tests/cli/exits.sh
tally "no tests at all is a failure" "0 passed, 1 failed, 0 skipped" 1

tally "a test that skips all does not hide another that passes" "2 passed, 0 failed, 1 skipped" 0 \
    tests/unit/record/store.sh tests/cli/good.sh
grep -q '\bunit/record/store \.' "$out" && grep -q '\bcli/good \.' "$out" && ! grep -q 'tests/' "$out"
ok $? "a log names a test by its path below tests, without its ending"
settings=(V=1)
tally "V=1 does not change the tally" "2 passed, 0 failed, 0 skipped" 0 tests/cli/good.sh
grep -q 'ok 2 - the second point' "$out"
ok $? "V=1 shows each point"

settings=(T=stor)
tally "an unknown T is a failure" "0 passed, 1 failed, 0 skipped" 1 --none tests/cli/good.sh tests/unit/record/store.sh
grep -q "is called 'stor'" "$err" && sed -n 2p "$err" | grep -q '^ *store '
ok $? "an unknown T names the tests that there are, the nearest first"

printf '# a comment\ncli/good\ncli/partly\n' >"$dir/tests/lib/must_run"
settings=(CI=)
tally "a listed test must be there, and may skip" "1 passed, 1 failed, 1 skipped" 1 tests/cli/partly.sh
settings=(CI=true)
tally "where CI=true a listed test must not skip a point" "3 passed, 1 failed, 1 skipped" 1 tests/cli/good.sh \
    tests/cli/partly.sh
tally "where CI=true a listed test must be there" "1 passed, 2 failed, 1 skipped" 1 tests/cli/partly.sh
grep -q 'must run but did not: cli/good (there is no such test)' "$out"
ok $? "the listed test that is not there is named"
settings=(CI=true T=partly)
tally "a chosen test is not held against the list" "1 passed, 0 failed, 1 skipped" 0 tests/cli/partly.sh
finish
