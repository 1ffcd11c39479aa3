#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nightly: nights on target fake, whose mood tonight is RAINGAUGE_FAKE ("slow=0.1,night=3": 10 % slower, other noise). The
# binaries that are judged are scripts around the real one, so a slow binary can be planted. Then what a kill, a second run, a
# broken history and a small budget get, and `compare` of nights and folders.
set -u
. tests/lib/tap.bash
cd "$dir" || exit 1

rg() { "$bin" "$@" --experiments exp >out 2>err </dev/null; }
# night CODE NAME BINARY MOOD [ARGUMENT...]
night() {
    local want=$1 name=$2 binary=$3 mood=$4
    shift 4
    RAINGAUGE_FAKE=$mood gives "$want" "$name" nightly --binary "$dir/$binary" "$@"
}
binary() { # name, mood of its own
    printf '#!/bin/sh\n# %s\nRAINGAUGE_FAKE="${RAINGAUGE_FAKE:+$RAINGAUGE_FAKE,}%s" exec "%s" "$@"\n' "$1" "$2" "$bin" >"$1"
    chmod +x "$1"
}

mkdir -p exp/machines exp/networks && cp "$root/experiments/networks/alexnet.yaml" exp/networks/
cat >exp/machines/host.yaml <<'END'
name: host
title: a formula
target: fake
settings: {noise: 0.01}
nightly: {budget_s: 300, launches: 7}
END
sed 's/name: host/name: other/; s/300/0.5/' exp/machines/host.yaml >exp/machines/bad.yaml
sed 's/name: host/name: other/' exp/machines/host.yaml >exp/machines/other.yaml
cat >exp/nightly.yaml <<'END'
experiment: nightly
title: a night in a test
report: table3
networks: [alexnet]
kernels: 1
seeds: 7
regime: {number: 1, repeat: 3}
retime_regime: {number: 1, repeat: 5}
arms:
  - {name: random, searcher: random, model: random, scheduler: sequential, batch: 6, trials_per_kernel: 6}
END
export XDG_STATE_HOME=$dir/state
state=$dir/state/raingauge
binary one fail=0
binary two fail=0
binary slow slow=0.12
binary fast slow=-0.12

# ---- a first night, noise, a better binary ----
gives 2 "the history before there is one" nightly --history
says "no nights are recorded"
night 0 "the first night" one night=1
prints "nothing to compare with yet"
[ -s "$state/nightly.db" ] && [ ! -e results ] && [ ! -e nights ]
ok $? "the history lies in XDG_STATE_HOME, nothing beside the experiments"
night 0 "the same binary, other noise" one night=2
prints "none slower"
ln -s "$root/plots" plots # where its scripts are found; without, no picture
night 0 "another binary, 2 % slower" two night=4,slow=0.02 --json
rm plots
json "is inside the margin" '$d->{exit} == 0 && $d->{state} eq "good" && @{$d->{series}} == 3 && !grep { $_->{kind} ne "none" } @{$d->{series}}'
if command -v gnuplot >/dev/null; then
    grep -q "</svg>" "$state/trend-host.svg" && [ -s "$state/trend-host.png" ]
    ok $? "the trend is drawn"
else
    skip "the trend is drawn" "gnuplot is not installed"
fi

# ---- a planted regression ----
night 1 "a slow binary" slow night=5
prints "REGRESSION: 1 of 3 series is slower, and was again side by side with the old binary"
prints "since night 3"
prints "program   $(sha256sum two | cut -c1-12) is now $(sha256sum slow | cut -c1-12)"
prints "raingauge compare 3 4 --all"
gives 1 "compare of the two nights finds it too" compare 3 4 --json
json "the program is confirmed, ratio and rerun near 1.12" \
    '1 == grep { $_->{kind} eq "confirmed" && abs($_->{ratio} - 1.12) < 0.03 && abs($_->{again} - 1.12) < 0.03
        && $_->{interval}[0] > 1 && $_->{pairs} == 8 && $_->{p} < 0.002 } @{$d->{series}}'
night 0 "and goes green when it is repaired" two night=7

# ---- the machine ----
night 6 "the same binary on a slower machine" two night=8,slow=0.1
prints "THE MACHINE CHANGED, not the program: 1 of 3 series moved"
prints "the same binary"
night 6 "another binary on a slower machine: the rerun acquits it" one night=9,slow=0.1 --json
json "by the old binary being slow too" \
    '1 == grep { $_->{kind} eq "machine changed" && $_->{pairs} == 8 && abs($_->{again} - 1) < 0.02 } @{$d->{series}}'
gives 2 "accepting needs a reason" nightly --accept ""
gives 0 "accepting it" nightly --accept "new cooling"
night 0 "makes it the normal" one night=10,slow=0.1
prints "compared with 1 good nights"
night 0 "another machine file is another history" one night=1 other
prints "nothing to compare with yet"
night 0 "a faster binary" fast night=11,slow=0.1
prints "faster"
night 1 "whose gain is not lost again unseen" one night=12,slow=0.1
perl -e 'exit !( -s $ARGV[0])' "$state/nightly.db"
sqlite=$(command -v sqlite3)
if [ -n "$sqlite" ]; then
    "$sqlite" "$state/nightly.db" "UPDATE night SET identity = '{\"cpu\": \"an older one\"}' WHERE machine = 'other'"
    night 6 "the hardware is another than the night before" one night=2 other
    prints 'cpu "an older one" is now'
else
    skip "other hardware" "sqlite3 is not installed"
fi
gives 0 "the history" nightly --history --json
json "tells why a night was accepted" '1 == grep { ($_->{accepted} // "") eq "new cooling" } @$d'
gives 0 "the history as text" nightly --history
prints "accepted: new cooling"
gives 0 "the history again" nightly --history --json
json "has every night with its state" '@$d >= 12 && $d->[3]{state} eq "confirmed" && $d->[5]{state} eq "machine changed"'

# ---- little by little ----
sed 's/name: host/name: creep/' exp/machines/host.yaml >exp/machines/creep.yaml
codes=
for i in $(seq 0 13); do # each within the margin of the nights just before it
    printf '#!/bin/sh\n# %s\nRAINGAUGE_FAKE="${RAINGAUGE_FAKE:+$RAINGAUGE_FAKE,}slow=%s" exec "%s" "$@"\n' "$i" \
        "$(perl -e "print 0.006*$i")" "$bin" >creeping && chmod +x creeping
    RAINGAUGE_FAKE=night=$((i + 40)) "$bin" nightly creep --binary "$dir/creeping" --experiments exp --json >out 2>err </dev/null
    codes=$codes$?
done
[ "$codes" = 00000000000001 ]
ok $? "0.6 % slower every night is found in the second week (exits $codes)"
json "by the step fit, from night 8 of this machine on" \
    '1 == grep { $_->{kind} eq "confirmed" && $_->{series} =~ /^program/ && $_->{since} && $_->{pairs} == 8 && $_->{again} > 1.03 } @{$d->{series}}'

# ---- a kill, a second run, a budget, Ctrl-C ----
RAINGAUGE_FAKE=night=13 "$bin" nightly other --binary "$dir/one" --experiments exp >out 2>err </dev/null &
pid=$!
for _ in $(seq 200); do
    [ -n "$("$bin" nightly other --history --experiments exp 2>/dev/null | grep running)" ] && break
    sleep 0.01
done
kill -STOP $pid 2>/dev/null
night 2 "a second run beside the first" one night=13 other
says "a nightly run is under way (process $pid holds"
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
gives 0 "after the kill" nightly other --history
grep -q running out
ok $? "the night is recorded as not whole"
night 0 "the same command goes on" one night=13 other --json
json "with that night" '$d->{resumed} && $d->{exit} == 0 && @{$d->{series}} == 3'
gives 2 "a budget that is no time" nightly --budget soon
night 4 "a budget that is too small" one night=15 other --budget 0.001
says "the budget of"

# ---- wrong input ----
gives 2 "an unknown machine" nightly hst
says "unknown machine 'hst': did you mean 'host'?"
gives 2 "a broken machine file" nightly bad
says "machines/bad.yaml:5:"
gives 2 "a binary that is none" nightly --binary "$dir/nothing"
says "nothing"
printf '#!/bin/sh\nexit 9\n' >broken && chmod +x broken
night 2 "a binary that fails" broken night=16
says "ended with status"
cp -r state damaged
printf 'this is not a database, it only looks so' | dd of=damaged/raingauge/nightly.db conv=notrunc 2>/dev/null
rm -f damaged/raingauge/nightly.db-*
XDG_STATE_HOME=$dir/damaged night 2 "a corrupt history" one night=17
says "the history of nights (move the file away to begin a new one): '$dir/damaged/raingauge/nightly.db' is corrupted"
[ "$(wc -l <err)" = 1 ]
ok $? "in one line"
gives 2 "a state folder that is a file" nightly --state out
gives 2 "compare of a night that is not there" compare 1 99
says "has no night 99"

# ---- compare of folders ----
for f in a b c; do
    "$bin" run nightly --experiments exp --results $f --quiet --set target_settings.noise=0 2>err
done
RAINGAUGE_FAKE=slow=0.5 "$bin" run nightly --experiments exp --results s --quiet --set target_settings.noise=0 \
    --set launches=8 2>err
gives 0 "compare of two equal folders" compare a b
prints "2 series: 0 confirmed slower"
gives 2 "of folders of two experiments" compare a s
says "their experiments differ"
gives 2 "of one folder" compare a
gives 2 "of a folder without records" compare a nowhere
gives 2 "with half a rerun" compare a b --again-old c

finish
