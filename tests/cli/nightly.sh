#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nightly: nights on target fake, whose times tonight RAINGAUGE_FAKE changes ("slow=0.1,night=3": 10 % slower, other
# noise). The binaries that are judged are scripts around the real one, so a slow binary can be planted. Then what a kill, a
# second run, a broken history and a small budget get, and `compare` of nights and folders.
set -u
. tests/lib/tap.bash
. tests/lib/nightly.bash
sed 's/name: host/name: other/; s/300/0.5/' exp/machines/host.yaml >exp/machines/bad.yaml
sed 's/name: host/name: other/' exp/machines/host.yaml >exp/machines/other.yaml
# ---- a first night, noise, a better binary ----
gives 2 "the history before there is one is refused" nightly --history
says "no nights are recorded"
night 0 "the first night is fine" one night=1
prints "nothing to compare with yet"
says "7 launches of pinned programs; at most 5 min 00 s in all"
says "Ctrl-C stops it, and the same command goes on"
[ -s "$state/nightly.db" ] && [ ! -e results ] && [ ! -e nights ]
ok $? "the history lies in XDG_STATE_HOME, and nothing beside the experiments"
night 0 "the same binary with other noise is fine" one night=2
prints "none slower"
night 0 "another binary, 2 % slower, is fine" two night=4,slow=0.02 --json
json "a binary 2 % slower is inside the margin" '$d->{exit} == 0 && $d->{state} eq "good" && @{$d->{series}} == 3 && !grep { $_->{kind} ne "none" } @{$d->{series}}'

# ---- a planted regression ----
night 1 "a slow binary is a regression" slow night=5
prints "REGRESSION: 1 of 3 series is slower, and was again side by side with the old binary"
prints "since night 3"
prints "program   $(sha256sum two | cut -c1-12) is now $(sha256sum slow | cut -c1-12)"
prints "raingauge compare 3 4 --all"
gives 1 "compare of the two nights finds the regression too" compare 3 4 --json
json "the regression is confirmed, ratio and rerun near 1.12" \
    '1 == grep { $_->{kind} eq "confirmed" && abs($_->{ratio} - 1.12) < 0.03 && abs($_->{again} - 1.12) < 0.03
        && $_->{interval}[0] > 1 && $_->{pairs} == 8 && $_->{p} < 0.002 } @{$d->{series}}'
night 0 "a repaired binary is fine again" two night=7

# ---- the machine ----
night 6 "the same binary on a slower machine says that the machine changed" two night=8,slow=0.1
prints "THE MACHINE CHANGED, not the program: 1 of 3 series moved"
prints "the same binary"
night 6 "another binary on a slower machine says that the machine changed" one night=9,slow=0.1 --json
json "the rerun shows the old binary to be slow too" \
    '1 == grep { $_->{kind} eq "machine changed" && $_->{pairs} == 8 && abs($_->{again} - 1) < 0.02 } @{$d->{series}}'
gives 0 "a night is accepted with a reason" nightly --accept "new cooling"
night 0 "after accepting it the slower machine is fine" one night=10,slow=0.1
prints "compared with 1 good nights"
night 0 "another machine file has a history of its own" one night=1 other
prints "nothing to compare with yet"
night 0 "a faster binary is fine" fast night=11,slow=0.1
prints "faster"
night 1 "a gain that is lost again is a regression" one night=12,slow=0.1
perl -e 'exit !( -s $ARGV[0])' "$state/nightly.db"
sqlite=$(command -v sqlite3)
if [ -n "$sqlite" ]; then
    "$sqlite" "$state/nightly.db" "UPDATE night SET identity = '{\"cpu\": \"an older one\"}' WHERE machine = 'other'"
    night 6 "other hardware than the night before is told" one night=2 other
    prints 'cpu "an older one" is now'
else
    skip "other hardware than the night before is told" "sqlite3 is not installed"
fi
gives 0 "the history as JSON works" nightly --history --json
json "the history tells why a night was accepted" '1 == grep { ($_->{accepted} // "") eq "new cooling" } @$d'
gives 0 "the history as a page works" nightly --page page.html
grep -qF "other hardware" page.html && grep -qF "accepted: new cooling" page.html && grep -qF "machine other" page.html
ok $? "the page has every machine, its changes and what was accepted"
grep -qF "machine host" "$state/history-host.html" && ! grep -qE "machine other|<script|https?:" "$state/history-host.html"
ok $? "a night writes the page of its machine, which needs no network"
if command -v xmllint >/dev/null; then
    xmllint --noout page.html
    ok $? "every element of the page is closed where it should be"
else
    skip "every element of the page is closed where it should be" "xmllint is not installed"
fi
gives 2 "a page that cannot be written is refused" nightly --page nowhere/page.html
gives 0 "the history as text works" nightly --history
prints "accepted: new cooling"
gives 0 "the history as JSON works again" nightly --history --json
json "the history has every night with its state" '@$d >= 12 && $d->[3]{state} eq "confirmed" && $d->[5]{state} eq "machine changed"'

# ---- little by little ----
sed 's/name: host/name: drift/' exp/machines/host.yaml >exp/machines/drift.yaml
codes=
for i in $(seq 0 13); do # each within the margin of the nights just before it
    printf '#!/bin/sh\n# %s\nRAINGAUGE_FAKE="${RAINGAUGE_FAKE:+$RAINGAUGE_FAKE,}slow=%s" exec "%s" "$@"\n' "$i" \
        "$(perl -e "print 0.006*$i")" "$bin" >drifting && chmod +x drifting
    RAINGAUGE_FAKE=night=$((i + 40)) "$bin" nightly drift --binary "$dir/drifting" --experiments exp --json >out 2>err </dev/null
    codes=$codes$?
done
[ "$codes" = 00000000000001 ]
ok $? "0.6 % slower every night is found in the second week (exits $codes)"
json "the step fit finds the slow drift, from night 8 of this machine on" \
    '1 == grep { $_->{kind} eq "confirmed" && $_->{series} =~ /^program/ && $_->{since} && $_->{pairs} == 8 && $_->{again} > 1.03 } @{$d->{series}}'

# ---- what is kept ----
sed 's/name: host/name: short/; s/launches: 7/launches: 7, keep: 2/' exp/machines/host.yaml >exp/machines/short.yaml
before=$(ls "$state/nights")
night 0 "a first night is kept" one night=1 short
gives 0 "the first night is accepted" nightly short --accept "a first normal"
for i in 2 3 4; do night 0 "night $i of three is fine" one night=$i short; done
prints "removed: results, and binaries of no other use, of nights "
prints " (nightly.keep of the machine's file)"
gives 0 "the history of that machine is whole" nightly short --history --json
json "nothing is removed from the history itself" '@$d == 4'
[ "$(ls "$state/nights" | wc -l)" = $(($(wc -w <<<"$before") + 3)) ] && [ -x "$state/binaries/$(sha256sum one | cut -c1-16)/raingauge" ]
ok $? "the last two nights, the accepted one, and the binary that they share are kept"

# ---- a kill, a second run, a budget, Ctrl-C ----
RAINGAUGE_FAKE=night=13 "$bin" nightly other --binary "$dir/one" --experiments exp >out 2>err </dev/null &
pid=$!
for _ in $(seq 200); do
    [ -n "$("$bin" nightly other --history --experiments exp 2>/dev/null | grep running)" ] && break
    sleep 0.01
done
kill -STOP $pid 2>/dev/null
night 7 "a second run beside the first is refused" one night=13 other
says "a nightly run is under way (process $pid holds"
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
gives 0 "the history can be read after a kill" nightly other --history
grep -q running out
ok $? "a killed night is recorded as not whole"
night 0 "the same command goes on with a killed night" one night=13 other --json
json "the resumed night is whole" '$d->{resumed} && $d->{exit} == 0 && @{$d->{series}} == 3'
gives 2 "a budget that is no time is refused" nightly --budget soon
night 4 "a budget that is too small ends with 4" one night=15 other --budget 0.001
says "the budget of"
! grep -q -e "--resume" err
ok $? "a night whose budget is used up does not speak of --resume"

# A night that is interrupted while its campaign runs, alone and as Ctrl-C does it, with its whole group.
sed 's/name: host/name: long/' exp/machines/host.yaml >exp/machines/long.yaml
for target in "" -; do
    touch begun && sleep 0.02
    set -m
    "$bin" nightly long --set random.trials_per_kernel=20000 --binary "$dir/one" --experiments exp >out 2>err </dev/null &
    pid=$!
    set +m
    for _ in $(seq 300); do
        [ -n "$(find "$state"/nights -name records.db -newer begun 2>/dev/null)" ] && break
        sleep 0.02
    done
    kill -INT -- $target$pid
    wait $pid
    [ $? = 130 ]
    ok $? "an interrupted night ends with 130${target:+ (its group was interrupted)}"
    says "interrupted: the same command goes on with this night"
    ! grep -q -e "--resume" err
    ok $? "an interrupted night does not speak of --resume, which nightly does not know"
    rm -rf "$state"/nights/* # so that the next campaign is seen to begin
done

# ---- the folder of the history is told in commands ----
RAINGAUGE_FAKE=night=1 gives 0 "a night with --state is fine" nightly --binary "$dir/one" --state "own state"
RAINGAUGE_FAKE=night=2,slow=0.2 gives 6 "a slower machine with --state is told" nightly --binary "$dir/one" --state "own state"
prints "raingauge compare 1 2 --all --state 'own state'"
prints "--accept \"why\" --state 'own state'"
command=$(sed -n "s/^  raingauge \(compare 1 2 .*\)/\1/p" out)
(eval "rg $command")
[ $? = 6 ]
ok $? "the command that a night recommends finds the same history"

# ---- wrong input ----
gives 2 "an unknown machine is refused with the nearest one" nightly hst
says "unknown machine 'hst': did you mean 'host'?"
gives 2 "a broken machine file is refused with its place" nightly bad
says "machines/bad.yaml:5:"
gives 2 "a binary that is none is refused" nightly --binary "$dir/nothing"
says "nothing"
printf '#!/bin/sh\nexit 9\n' >broken && chmod +x broken
night 2 "a binary that fails is refused" broken night=16
says "ended with status"
cp -r state damaged
printf 'this is not a database, it only looks so' | dd of=damaged/raingauge/nightly.db conv=notrunc 2>/dev/null
rm -f damaged/raingauge/nightly.db-*
XDG_STATE_HOME=$dir/damaged night 2 "a corrupt history is refused" one night=17
says "the history of nights (move the file away to begin a new one): '$dir/damaged/raingauge/nightly.db' is corrupted"
[ "$(wc -l <err)" = 1 ]
ok $? "a corrupt history is told in one line"
gives 2 "a state folder that is a file is refused" nightly --state out
gives 2 "compare of a night that is not there is refused" compare 1 99
says "has no night 99"

# ---- compare of folders ----
for f in a b c; do
    "$bin" run nightly --experiments exp --results $f --quiet --set target_settings.noise=0 2>err
done
for f in s t; do
    "$bin" run nightly --experiments exp --results $f --quiet --set target_settings.noise=0 --set duels.max_launches=8 2>err
done
gives 0 "compare of two equal folders is fine" compare a b
prints "2 series: 0 confirmed slower"
gives 2 "compare of folders of two experiments is refused" compare a s
says "their experiments differ"
gives 0 "compare of two folders with a re-timing is fine" compare s t
grep -q "program .*/random-1" out
ok $? "re-timed programs are compared, too"
gives 2 "compare of one folder is refused" compare a
gives 2 "compare of a folder without records is refused" compare a nowhere
gives 2 "compare with half a rerun is refused" compare a b --again-old c

finish
