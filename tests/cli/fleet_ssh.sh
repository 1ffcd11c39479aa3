#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fleet_ssh: a campaign in shards on two hosts, which are this machine through two sshd of the test's own. One vanishes, the
# gatherer is killed, a run there is killed: the report is byte for byte that of one run.
set -u
. tests/lib/tap.bash
. tests/lib/fleet.bash
. tests/lib/sshd.bash
sshd_more left || skip_all "no second sshd can be had here"
left=$daemon
sshd_more right || skip_all "no third sshd can be had here"
cd "$dir" || exit 1
digest=$(sha256sum bundle/SHA256SUMS | cut -d' ' -f1) # the program is there: remote.sh tests that it is copied
for host in left right; do mkdir -p $host/raingauge && cp -r bundle "$host/raingauge/$digest"; done

settings="config=$dir/config,bundle=$dir/bundle"
fleet() { # folder, hosts, more
    local to=$1 hosts=$2
    shift 2
    "$bin" run "$dir/fleet.yaml" --experiments "$root/experiments" --results "$to" --on "ssh:$hosts,$settings" "$@" >"$out" 2>"$err" </dev/null
}
begun() { # host, folder of the fleet: has it recorded a trial?
    local f
    [ -e "$2/fleet/job.json" ] || return
    for f in "$1/raingauge/fleet/$(fleet_name "$2")"/shards/*/records.db; do
        [ -s "$f" ] && [ "$(sqlite3 -readonly "$f" "SELECT count(*) FROM trial" 2>/dev/null || echo 0)" -gt 2 ] && return
    done
    return 1
}

fleet_whole 1 48
fleet two left,right
ok $? "a fleet of two hosts"
says "2 shards are one campaign"
same two "on two hosts"
fleet three left,right --shards 3
ok $? "three shards on two hosts"
same three "three shards"

# ---- what is killed ----
(exec "$bin" run "$dir/fleet.yaml" --experiments "$root/experiments" --results killed --on "ssh:left,right,$settings" >/dev/null 2>killed.err </dev/null) &
run=$!
for _ in $(seq 600); do begun right killed && break; sleep 0.05; done
kill -9 $run
wait $run 2>/dev/null
fleet killed left,right
[ $? = 2 ]
ok $? "a fleet is not begun twice: exit 2"
fleet killed left,right --resume
ok $? "a fleet whose gatherer was killed goes on"
same killed "the gatherer killed"

(exec "$bin" run "$dir/fleet.yaml" --experiments "$root/experiments" --results gone --on "ssh:left,right,$settings" >/dev/null 2>gone.err </dev/null) &
run=$!
for _ in $(seq 600); do begun left gone && break; sleep 0.05; done
for child in $(ps -o pid= --ppid $left | tr -d ' '); do
    for grandchild in $(ps -o pid= --ppid "$child" | tr -d ' '); do kill -9 "$grandchild" 2>/dev/null; done
    kill -9 "$child" 2>/dev/null
done
kill $left
wait $run
ok $? "a fleet that lost a host comes to its end"
cp gone.err "$err"
says "'ssh:left' cannot be reached any more: its shard 1 goes to another host"
same gone "a host lost"

# ---- what cannot be ----
fleet x left,right
ok $? "a fleet whose first host cannot be had runs on the other"
says "the others run its shards"
same x "one host of two"
fleet y left,nowhere.invalid
[ $? = 7 ]
ok $? "without any host the fleet ends with 7"
says "none of the hosts can be had"
fleet y right,right
[ $? = 2 ]
ok $? "a host that is named twice is refused: exit 2"
says "names 'right' twice"
fleet y left,right --time 2h
[ $? = 2 ]
ok $? "options of Slurm are refused: exit 2"
says "are for --on slurm"
fleet y left,-x
[ $? = 2 ]
ok $? "a host that ssh would take for an option is refused: exit 2"

# ---- an experiment of one's own in this folder, with files that it names ----
mkdir below
rg collect alexnet squeezenet --target fake --count 30 --output below/a.rec
cat >named.yaml <<END
experiment: named
title: choosing from a recording
report: race
machine: host
target: replay
target_settings: {recording: below/a.rec}
networks: [alexnet, squeezenet]
kernels: 2
regime: tvmc
arms:
  - {name: pool, searcher: pool, settings: {recording: below/a.rec}, model: random, batch: 8, trials_per_kernel: 16}
  - {name: eager, searcher: pool, settings: {recording: below/a.rec, eps: 0}, model: random, batch: 8, trials_per_kernel: 16}
END
rg run named.yaml --results named --quiet && rg run named.yaml --results sent --on "ssh:left,right,$settings"
ok $? "an experiment in this folder and the files that it names are sent to the hosts"
rg report named.yaml --results named --json && mv "$out" named.json && rg report named.yaml --results sent --json && cmp "$out" named.json >"$err"
ok $? "the report of a fleet with sent files is byte for byte that of one run"
finish
