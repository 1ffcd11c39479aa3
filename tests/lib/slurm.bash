# SPDX-License-Identifier: Apache-2.0
# slurm: a cluster of a test's own on this machine, read with `.` after tap.bash: munged, slurmctld and two slurmd, n1 and
# n2, in partition day. slurm_start skips the test where there is no Slurm or it does not start; slurm_end ends it all, and
# whatever its jobs left.
#   $SLURM_CONF   its configuration, by which its processes are found, too
slurm=$dir/slurm
export SLURM_CONF=$slurm/slurm.conf
PATH=$PATH:/usr/sbin:/sbin

slurm_daemon() { # munged, slurmctld, n1 or n2
    case $1 in
    munged)
        munged --force --foreground --key-file="$slurm/key" --socket="$slurm/munge/socket" --log-file="$slurm/munge/log" \
            --pid-file="$slurm/munge/pid" --seed-file="$slurm/munge/seed" --num-threads=1 </dev/null >>"$slurm/out" 2>&1 &
        ;;
    slurmctld) slurmctld -D -i </dev/null >>"$slurm/out" 2>&1 & ;;
    *) slurmd -D -N "$1" </dev/null >>"$slurm/out" 2>&1 & ;;
    esac
    echo $! >"$slurm/pid.$1"
}
slurm_kill() { # name: without a word
    local pid
    pid=$(cat "$slurm/pid.$1")
    kill -9 "$pid" && wait "$pid"
} 2>/dev/null
slurm_processes() { # variable of the environment that they have, besides SLURM_CONF; this shell and its children have not
    grep -lzxF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ | xargs -r grep -lzxF "${1:-SLURM_CONF=$SLURM_CONF}" |
        sed 's/[^0-9]//g' | grep -vx $$
} 2>/dev/null
slurm_up() { # are both nodes idle, and does the controller answer, within 20 s and while it lives?
    local end=$((SECONDS + 20))
    while [ $SECONDS -lt $end ] && kill -0 "$(cat "$slurm/pid.slurmctld")"; do
        [ "$(timeout 5 sinfo --noheader --Node --format=%T | grep -c '^idle$')" = 2 ] && return
        sleep 0.1
    done
    return 1
} 2>/dev/null
slurm_hurry() { # tasks that were put back wait two minutes otherwise; a node that was told of one task twice is drained
    local each
    for each in $(sinfo --noheader --Node --states=drain --format=%N); do scontrol update NodeName="$each" State=RESUME; done
    for each in $(squeue --noheader --array --states=pending --format=%A); do
        scontrol update JobId="$each" StartTime=now
    done
} >/dev/null 2>&1
slurm_start() {
    local program port host name _
    for program in munged slurmctld slurmd sbatch squeue scontrol scancel sinfo; do
        command -v $program >/dev/null || skip_all "no program '$program' (Debian: slurm-wlm, munge)"
    done
    [ "$(id -u)" = 0 ] || skip_all "only root starts a Slurm of its own"
    host=$(hostname)
    mkdir -p "$slurm/munge" "$slurm/state"
    chmod 755 "$dir" # munged's socket lies below
    head -c 1024 /dev/urandom >"$slurm/key" && chmod 600 "$slurm/key"
    for port in 26817 36817 46817 56817; do
        cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool.%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.%n.log
MailProg=/bin/true
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
KillWait=1
SlurmdTimeout=5
MessageTimeout=5
MinJobAge=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 4)) CPUs=1 Feature=zen
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 5)) CPUs=1 Feature=zen,fast
PartitionName=day Nodes=n1,n2 Default=YES State=UP
END
        slurm_daemon munged
        for _ in $(seq 50); do [ -S "$slurm/munge/socket" ] && break; sleep 0.1; done
        for name in slurmctld n1 n2; do slurm_daemon $name; done
        slurm_up && return
        slurm_end
    done
    skip_all "Slurm does not start here: $(grep -h -m 1 -E 'error|fatal' "$slurm"/*.log "$slurm/out" | tail -n 1)"
}
slurm_end() {
    local round
    for round in TERM KILL KILL; do
        for pid in $(cat "$slurm"/pid.* 2>/dev/null) $(slurm_processes); do
            kill -$round "$pid" 2>/dev/null
        done
        sleep 0.2
    done
} 2>/dev/null
