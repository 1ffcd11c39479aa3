#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# slurm: a campaign in shards on a Slurm of the test's own. Tasks, nodes, the controller and the gatherer are killed, and
# the report is byte for byte that of one run (RAINGAUGE_KILLS: how many, 20). What cannot be submitted, or was changed, is
# named.
set -u
. tests/lib/tap.bash
. tests/lib/fleet.bash
. tests/lib/slurm.bash
trap 'slurm_end; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
RANDOM=28
slurm_start
cd "$dir" || exit 1

fleet() { # folder, more
    local to=$1
    shift
    rg run fleet.yaml --results "$to" --on slurm "$@"
}
wait_queued() { # folder: until one of its tasks runs
    for _ in $(seq 600); do
        [ -e "$1/fleet/job.json" ] && [ -n "$(squeue --noheader --name="$(fleet_name "$1")" --states=running 2>/dev/null)" ] && return
        sleep 0.1
    done
    return 1
}

fleet_whole 2 32

rg run fleet.yaml --results dry --on slurm:day --dry-run --shards 3 --time 90m --constraint 'zen&fast'
ok $? "a dry run"
prints "#SBATCH --time=90"
prints "#SBATCH --constraint=zen&fast"
prints "'--array=1-3'"
prints '--one-processor "$fleet/processor"'
sh -n <(sed '/^# the command/,$d' "$out") && [ ! -e dry ] && [ -z "$(squeue --noheader)" ]
ok $? "the script of a dry run can be read by sh, and nothing was submitted or written"

fleet plain
ok $? "a fleet of two nodes, asked for no number of shards"
says "2 shards submitted as"
says "2 shards are one campaign"
says "Next: raingauge report"
same plain "on two nodes"
fleet plain --resume
ok $? "gone on with when all is gathered, it says the same"
gives 2 "what is gathered is not begun again" run fleet.yaml --results plain --on slurm
says "--resume"

# ---- what cannot be ----
mkdir none
PATH=$dir/none gives 7 "a machine without Slurm is told so" run fleet.yaml --results x --on slurm --shards 2
says "there is no program 'sbatch' here"
gives 7 "an unknown partition is refused" run fleet.yaml --results x --on slurm:night --shards 2
says "Invalid partition name specified"
gives 7 "an unknown partition has no nodes" run fleet.yaml --results x --on slurm:night
says "no usable node in partition 'night'"
gives 7 "an unknown feature is refused" run fleet.yaml --results x --on slurm --shards 2 --constraint gpu
says "Invalid feature specification"
gives 2 "a constraint that a shell would run is refused" run fleet.yaml --results x --on slurm --constraint 'zen;reboot'
says "';' stands in no name of Slurm"
gives 2 "a partition that a shell would run is refused" run fleet.yaml --results x --on 'slurm:$(reboot)'
says "'\$' stands in no name"
gives 2 "a time that is none is refused" run fleet.yaml --results x --on slurm --time 'soon'
says "--time"
gives 2 "more shards than parts are refused" run fleet.yaml --results x --on slurm --shards 7
says "more than the 6 parts"
gives 2 "options of a fleet are refused without one" run fleet.yaml --results x --shards 2
says "are for --on slurm"
gives 2 "an unknown setting is refused" run fleet.yaml --results x --on slurm:day,bundel=x
says "did you mean 'bundle'"
gives 2 "a folder that is no bundle is refused" run fleet.yaml --results x --on slurm:day,bundle=none
says "is no bundle"
mkdir full
says_of_sbatch() { # words, reason, name: of a Slurm that refuses every job with these words
    printf '#!/bin/sh\n[ "$1" = --version ] || { echo "sbatch: error: %s" >&2; exit 1; }\n' "$1" >full/sbatch && chmod +x full/sbatch
    PATH=$dir/full:$PATH gives 7 "$3" run fleet.yaml --results x --on slurm --shards 2
    says "$1: $2"
}
says_of_sbatch "Slurm temporarily unable to accept job, sleeping and retrying" "it has as many jobs as it takes" "a Slurm that is full is told so"
says_of_sbatch "Batch job submission failed: Invalid job array specification" "more --shards than its MaxArraySize allows" "more shards than an array may have are told so"
[ ! -e x/fleet/job.json ]
ok $? "what was refused can be begun again"
gives 7 "a run refuses another program than the fleet's" run fleet.yaml --results x/s --shard 1/2 --gate 'raingauge 0.0.1'
says "the shards are run by raingauge 0.0.1"
sed -e 's/^SlurmctldPort=.*/SlurmctldPort=9/' -e 's/^MessageTimeout=.*/MessageTimeout=1/' "$SLURM_CONF" >down.conf
SLURM_CONF=$dir/down.conf gives 7 "a controller that is down is a reason" run fleet.yaml --results y --on slurm --shards 2
says "Unable to contact slurm controller"

# ---- a node that will not do: its shard goes to the other ----
mkdir -p bundle/bin && ln "$bin" bundle/bin/raingauge 2>/dev/null || cp "$bin" bundle/bin/raingauge
cat >bundle/run <<END
#!/bin/sh
[ "\$SLURMD_NODENAME" != n1 ] || { echo "raingauge: no room on n1" >&2; exit 7; }
exec "$bin" "\$@"
END
chmod +x bundle/run && (cd bundle && sha256sum run bin/raingauge >SHA256SUMS)
rg run fleet.yaml --results given --on "slurm:day,bundle=bundle" --shards 2
ok $? "with one node that refuses, the other runs all shards"
grep -qxF "n1 7" given/fleet/[12].ends && ! grep -L "n2 0" given/fleet/[12].ends | grep -q .
ok $? "each shard says where it was"
same given "given back"
sed -i 's/!= n1/= none/' bundle/run && (cd bundle && sha256sum run bin/raingauge >SHA256SUMS)
rg run fleet.yaml --results failed --on "slurm:day,bundle=bundle" --shards 2
[ $? = 7 ]
ok $? "when no node will do, the fleet ends with 7"
says "2 of 2 shards are not done, the first is 1 (its run ended with 7 on 'n"
says "no room on n1"
says "--resume submits them again"
sed -i 's/= none/= n9/; s/"\$SLURMD_NODENAME" =/"$SLURMD_NODENAME" !=/' bundle/run && (cd bundle && sha256sum run bin/raingauge >SHA256SUMS)
rg run fleet.yaml --results failed --on "slurm:day,bundle=bundle" --resume
ok $? "once the cause is gone, --resume submits them again"
same failed "submitted again"

# ---- random kills ----
kills=${RAINGAUGE_KILLS:-20} done=0 fleets=0
mkdir killing && cd killing || exit 1
fleet_whole 2 $((kills + 12))
gather() { (exec "$bin" run fleet.yaml --experiments "$root/experiments" --results $to --on slurm --shards 3 --resume --quiet >>killed.out 2>&1 </dev/null) & gatherer=$!; }
a_task() { squeue --noheader --array --name="$(fleet_name $to)" --states=running --format=%A 2>/dev/null | shuf -n 1 --random-source=<(yes $RANDOM); }
kill_something() { # kind
    local task node pid
    task=$(a_task)
    case $1 in
    0 | 1) [ -z "$task" ] || scancel --signal=KILL "$task" ;;
    2) [ -z "$task" ] || scontrol requeue "$task" ;;
    3)
        node=n$((RANDOM % 2 + 1))
        slurm_kill $node
        for pid in $(slurm_processes SLURMD_NODENAME=$node); do kill -9 "$pid" 2>/dev/null; done
        slurm_daemon $node
        ;;
    4) slurm_kill slurmctld; slurm_daemon slurmctld ;;
    5) kill -9 $gatherer && wait $gatherer ;;
    esac >>killed.out 2>&1
}
while [ $done -lt "$kills" ]; do # a fleet that ends before is followed by another
    to=killed$((++fleets))
    gather
    wait_queued $to
    ok $? "a fleet to be killed runs"
    until [ -e $to/records.db ] || [ $done = "$kills" ]; do
        kill -0 $gatherer 2>/dev/null || gather
        sleep "0.$((RANDOM % 6 + 1))"
        kill_something $((done < 6 ? done : RANDOM % 6)) # each once, then any
        slurm_hurry
        done=$((done + 1))
    done
    for i in $(seq 300); do
        [ -e $to/records.db ] && break
        kill -0 $gatherer 2>/dev/null || gather
        slurm_hurry
        [ $((i % 20)) != 5 ] || for node in n1 n2; do slurm_kill $node; slurm_daemon $node; done # tells a new controller what runs there
        sleep 0.3
    done
    [ -e $to/records.db ] || kill $gatherer
    wait $gatherer 2>/dev/null
    [ -e $to/records.db ]
    ok $? "after $done kills the fleet comes to its end"
    [ -e $to/records.db ] || { sed 's/^/# /' killed.out >&2; break; }
    same $to "after $done kills"
done
cd "$dir" || exit 1

# ---- the gatherer ----
(exec "$bin" run fleet.yaml --experiments "$root/experiments" --results twice --on slurm --shards 2 >first.out 2>&1 </dev/null) &
first=$!
wait_queued twice
gives 7 "a second gatherer is refused" run fleet.yaml --results twice --on slurm --resume
says "the shards are being gathered already"
kill -INT $first
wait $first
[ $? = 130 ]
ok $? "Ctrl-C ends the gatherer with 130"
cp first.out "$err"
says "the job goes on in Slurm, and scancel --name=raingauge-fleet-"
says "go on with: raingauge run fleet.yaml --results twice --on slurm --resume"
gives 2 "another number of shards is refused" run fleet.yaml --results twice --on slurm --resume --shards 3
says "there are 2 shards, not 3"
gives 2 "another experiment is refused" run fleet.yaml --results twice --on slurm --resume --set seeds=1
says "is of another experiment"
scancel --name="$(fleet_name twice)"
gives 0 "a job that vanished is submitted again" run fleet.yaml --results twice --on slurm --resume
same twice "vanished and submitted again"

# ---- files that were changed ----
changed() { # name, what is done in folder bad, what is said
    rm -rf bad && cp -r twice bad && rm -f bad/records.*
    (cd bad && eval "$2")
    rg run fleet.yaml --results bad --on slurm --resume
    [ $? != 0 ]
    ok $? "$1"
    says "$3"
}
changed "a job file that was cut is refused" "truncate -s 40 fleet/job.json" "fleet/job.json:1:"
changed "a job file with another member is refused" "sed -i 's/^{/{\"x\":1,/' fleet/job.json" "it has members that no such file has"
changed "a name that is none is refused" "sed -i 's/\"name\":\"/&-/' fleet/job.json" "is no name of a job"
changed "a number of shards that is none is refused" "sed -i 's/\"shards\":2/\"shards\":2.5/' fleet/job.json" "'shards' is no whole number"
changed "records that were cut are named" "truncate -s 20000 shards/2/records.db" "shards/2"
changed "records that are none are named" "echo none >shards/1/records.db" "move '$dir/bad/shards/1' away"
finish
