#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cli: the command line as a person and as a script meet it: help, hints with their places, exit codes, JSON that parses,
# and a whole small campaign on target fake, resumed and reported. resume.sh has kill -9 and Ctrl-C.
set -u
. tests/lib/tap.bash
experiments=$root/experiments
cd "$dir" || exit 1

rg() { "$bin" "$@" --experiments "$experiments" >out 2>err </dev/null; }
one_line() { [ "$(wc -l <err)" = 1 ]; ok $? "in one line"; }

# ---- help, version, wrong words ----
"$bin" >out 2>err
[ $? = 2 ] && grep -q usage err
ok $? "no verb: exit 2 and usage"
for flag in --help -h help; do
    "$bin" "$flag" >out 2>err
    [ $? = 0 ] && grep -q "^usage:" out && [ ! -s err ]
    ok $? "$flag: usage on stdout"
done
"$bin" --version >out 2>err
[ $? = 0 ] && grep -qE '^raingauge [0-9]+\.[0-9]+\.[0-9]+ \(.+\) [+-]llvm .*[+-]onednn' out
ok $? "--version names version, revision and features"
for verb in doctor list show plan run status report claims replay reanalyse nightly compare bench; do
    gives 0 "$verb --help" "$verb" --help
    prints "--quiet"
    case $verb in
    show | run) gives 2 "$verb prints no JSON" "$verb" --json && says "unknown option '--json'" ;;
    *) prints "--json" ;;
    esac
done
gives 2 "an unknown verb" reprot
says "unknown verb 'reprot': did you mean 'report'?"
gives 2 "an unknown option" plan table3 --teir smoke
says "unknown option '--teir': did you mean '--tier'?"
gives 2 "an option without its value" plan table3 --tier
gives 2 "a flag with a value" list networks --json=yes
gives 2 "one word too many" plan table3 table4
says "unexpected argument 'table4'"
gives 2 "an unknown kind of list" list network
says "did you mean 'networks'?"
gives 2 "list of nothing" list

# ---- lists, doctor, show, plan, status ----
gives 0 "list networks --json" list networks --json
json "the 20 networks, the micro-kernels, six networks more" '@$d >= 27'
json "with name, kernels, calls, gflop, params_m" \
    '!grep { my $n = $_; grep { !defined $n->{$_} } qw(name kernels calls gflop params_m) } @$d'
json "resnet18 has 19 kernels in 24 calls" 'grep { $_->{name} eq "resnet18" && $_->{kernels} == 19 && $_->{calls} == 24 } @$d'
right=$experiments
cp -r "$right" wrong && experiments=$dir/wrong
sed -i '0,/count: 22,/s//count: 21,/' wrong/networks/resnet101.yaml
gives 2 "list networks, one of them wrong" list networks --json
json "lists the others" '@$d >= 26 && !grep { $_->{name} eq "resnet101" } @$d'
says "networks/resnet101.yaml:"
says "as if kernel 2, 'conv2d 1024x14x14 -> 256 1x1/1 +bias +relu', were called 22 times and not 21"
gives 2 "plan with a wrong network" plan table3 --tier full
says "'resnet101' declares 7801405440 multiply-adds"
experiments=$right
for kind in machines searchers models targets collectors operators regimes experiments; do
    gives 0 "list $kind" list $kind
    gives 0 "list $kind --json" list $kind --json
    json "is an array of named things, each with a summary" 'ref $d eq "ARRAY" && @$d && !grep { !$_->{name} || !$_->{summary} } @$d'
done
gives 0 "doctor" doctor
gives 0 "doctor --json" doctor --json
json "doctor: machine, features, versions, devices, counters, experiments" \
    '!grep { !defined $d->{$_} } qw(machine features versions cpu_target devices counters experiments)'
json "doctor: each absent thing has its reason" \
    '!grep { !$_->{works} && !$_->{reason} } @{$d->{devices}}, @{$d->{counters}}, @{$d->{experiments}}'
gives 0 "show a kernel of a network" show resnet18:0
prints "FLOP"
gives 0 "show a task line" show "matmul n=64 m=64 k=64" --dump=dag,state,nest
prints "for i"
echo '[["SP", 2, 0, 64, [4], 1]]' >steps.json
gives 0 "show with steps" show "matmul n=64 m=64 k=64" --steps steps.json --dump state,steps
prints "i.1"
echo '[["SP", 2, 7, 64, [4], 1]]' >steps.json
gives 2 "steps that do not apply" show "matmul n=64 m=64 k=64" --steps steps.json
one_line
echo '[["XX", 1]]' >steps.json
gives 2 "steps that do not exist" show "matmul n=64 m=64 k=64" --steps steps.json
says steps.json
echo '[[' >steps.json
gives 2 "a broken file of steps" show "matmul n=64 m=64 k=64" --steps steps.json
says "steps.json:"
gives 2 "a missing file of steps" show "matmul n=64 m=64 k=64" --steps nowhere.json
says nowhere.json
gives 2 "an unknown dump" show resnet18:0 --dump nset
says "unknown dump 'nset'"
gives 2 "an unknown operator" show "matmull n=64 m=64 k=64"
says matmul
gives 2 "an impossible shape" show "conv2d ci=8 hi=2 wi=2 co=8 kh=5 kw=5"
one_line
gives 2 "a kernel that is not there" show resnet18:99
says "'resnet18' has kernels 0 to 18, not '99'"
gives 2 "an unknown network" show resnet81:0
says "did you mean 'resnet18'?"
gives 0 "plan" plan table3
prints "predicted time left"
gives 0 "plan --json" plan table3 --tier short --json
json "plan: experiment, tier, hash, trials, cells" \
    '$d->{experiment} eq "table3" && $d->{tier} eq "short" && length $d->{hash} == 64 && $d->{trials} > 0 && @{$d->{cells}} == 80'
gives 0 "plan --budget --json" plan table3 --tier short --set seeds=10 --budget 1d --json
json "plan: the interval that seeds buy, and those of a budget" \
    'my $i = $d->{interval}; $i->{spread} == 0.15 && $i->{df} == 0 && abs($i->{network} - 0.15 * 0.7153569) < 1e-6
     && abs($i->{mean} - $i->{network} / sqrt(20)) < 1e-12 && $i->{budget}{seconds} == 86400 && $i->{budget}{seeds} >= 1'
gives 2 "a kernel that does not fit in the runner's memory" plan table3 --set regime.memory_mib=16
says "kernel 7 of 'alexnet': 'dense 1x9216 -> 4096 +bias +relu' needs 144 MiB"
says "more than the regime's memory_mib=16"
gives 2 "nor is it run" run table3 --set regime.memory_mib=16 --results cramped --quiet
[ ! -e cramped ]
ok $? "before anything is recorded"
gives 0 "a virtual target needs none" plan table3 --set regime.memory_mib=16 --set target=fake
gives 2 "a budget that is no time" plan table3 --budget soon
says "--budget 'soon': expected a time like 90m, 2h or 1d"
gives 0 "status without a campaign" status
gives 0 "status --json without a campaign" status --json
json "is an empty array" 'ref $d eq "ARRAY" && !@$d'
gives 2 "status of a folder without records" status nowhere

# ---- a campaign on target fake ----
tiny="--set target=fake --set networks=resnet18 --set kernels=2 --set ansor.trials_per_kernel=16
    --set dpansor.trials_per_kernel=6 --set dpansor.k=1,8"
gives 4 "report before the run" report table3 $tiny
says "nothing is measured yet"
gives 0 "run" run table3 $tiny --quiet
[ ! -s err ] && [ ! -s out ]
ok $? "--quiet is quiet"
gives 2 "run again without --resume" run table3 $tiny --quiet
says --resume
one_line
gives 0 "run --resume" run table3 $tiny --resume --quiet
gives 2 "resume another experiment in its folder" run table3 $tiny --set seeds=2 --resume --quiet
one_line
gives 2 "resume with fewer cells in it" run table3 $tiny --set dpansor.k=1 --resume --quiet
one_line
gives 2 "report with other settings" report table3
says "give the --tier and --set they were made with"
gives 0 "report" report table3 $tiny
prints "geometric mean over 1 networks"
prints "resnet18: K = 2 kernels"
prints "claims of 'droplet': $(sha256sum "$experiments/papers/droplet.yaml" | cut -c1-12)"
gives 0 "report --format tsv" report table3 $tiny --format tsv
[ "$(wc -l <out)" = 3 ] && awk -F'\t' 'NR == 1 { f = NF } NF != f { exit 1 }' out
ok $? "a head and a row for each k, all of one width"
gives 0 "report --json" report table3 $tiny --json
json "report: complete, one network, two k" \
    '$d->{complete} && @{$d->{networks}} == 1 && @{$d->{networks}[0]{k}} == 2 && @{$d->{geomean}} == 2'
json "report: both clocks and both sums for every k" \
    '!grep { my $k = $_; grep { !defined } @{$k->{search_speedup}}{qw(wall records)}, @{$k->{kernel_speedup}}{qw(sum calls)} }
        @{$d->{networks}[0]{k}}, @{$d->{geomean}}'
json "report: one launch of each winner gives no floor by rounds, the twins do" \
    '!defined $d->{noise}{rounds} && $d->{noise}{floor} == 0 && $d->{noise}{gates} eq "passed"'
json "report: trials as planned" \
    '$d->{networks}[0]{ansor}{trials} == 32 && $d->{networks}[0]{k}[0]{k} == 1 && !@{$d->{failures}}'
gives 0 "report --write" report table3 $tiny --write
for file in summary.tsv report.txt report.json host.json; do
    [ -s results/table3/smoke/$file ]
    ok $? "wrote $file"
done
gives 2 "an unknown format" report table3 $tiny --format xml
says "unknown format 'xml'"
gives 0 "run with two seeds and three launches" run table3 $tiny --set seeds=2 --set launches=3 --results three --quiet
gives 0 "its report" report table3 $tiny --set seeds=2 --set launches=3 --results three --json
json "report: an A/A floor of 0 on a target without noise" \
    '$d->{noise}{floor} == 0 && $d->{noise}{pairs} >= 8 && $d->{noise}{gates} eq "passed"'
json "report: intervals over two seeds" \
    'my $k = $d->{networks}[0]{k}[0]; $k->{intervals}{n} == 2 && $k->{intervals}{kernel_speedup}[0] <= $k->{kernel_speedup}{sum}
     && $k->{intervals}{kernel_speedup}[1] >= $k->{kernel_speedup}{sum} && $k->{p_holm} == 0.5'
gives 0 "plan with records" plan table3 $tiny --set seeds=2 --set launches=3 --results three --json
json "plan: the spread comes from them" '$d->{interval}{df} == 2 && $d->{interval}{spread} > 0'
gives 0 "status" status results/table3/smoke
gives 0 "status --json" status results/table3/smoke --json
json "status is an object" 'ref $d eq "HASH"'
gives 0 "status of all folders" status --json
json "an array of one" 'ref $d eq "ARRAY" && @$d == 1'
gives 0 "failed candidates" run table3 $tiny --set target_settings.fail=0.3 --results failing --quiet
gives 0 "are in the report" report table3 $tiny --set target_settings.fail=0.3 --results failing --json
json "with outcome, count and message" '@{$d->{failures}} && !grep { !$_->{count} || !$_->{outcome} } @{$d->{failures}}'
gives 3 "when all fail the run stops" run table3 $tiny --set target_settings.fail=1 --results hopeless --quiet
says "none of the first"

# ---- wrong experiments ----
gives 2 "a network twice" plan table3 --set networks=alexnet,resnet18,alexnet
says "network 'alexnet' is named twice"
gives 2 "a k twice" plan table3 --set dpansor.k=1,10,1
says "k = 1 is named twice"
gives 2 "an unknown experiment" run table4
says "unknown experiment 'table4': did you mean 'table3'?"
gives 2 "no experiment" run
gives 2 "an unknown tier" plan table3 --tier shorter
says "there is no tier 'shorter': did you mean 'short'?"
gives 2 "an unknown machine" plan table3 --set machine=hos
says "unknown machine 'hos': did you mean 'host'?"
gives 2 "a --set without value" plan table3 --set seeds
gives 2 "a fault that does not exist" run table3 $tiny --results faulty --faults crush:1 --quiet
says "did you mean 'crash'?"
{
    echo "experiment: mine"
    echo "report: table3"
    echo "networks: [resnet18]"
    echo "arms:"
    echo "  - {name: a, searcher: ansorr, model: xgb, trials: 99}"
} >mine.yaml
gives 2 "an unknown searcher in a file" plan mine.yaml
says "mine.yaml:5:25: unknown searcher 'ansorr', did you mean 'ansor'?"
sed -i 's/ansorr/ansor/; s/trials/trails/' mine.yaml
gives 2 "an unknown key in a file" plan mine.yaml
says "mine.yaml:5:"
says "unknown key 'trails': did you mean 'trials'?"
sed -i 's/trails/trials/; s/resnet18/resnet/' mine.yaml
gives 2 "an unknown network in a file" plan mine.yaml
says "mine.yaml:3:11: unknown network 'resnet'"
printf 'a: [1\n' >mine.yaml
gives 2 "a file that is no YAML" plan mine.yaml
says "mine.yaml:"
gives 2 "a missing file" plan yours.yaml
says yours.yaml

# ---- damaged and unwritable folders ----
cp -r results/table3/smoke broken
printf 'this is not a database, it only looks so' | dd of=broken/records.db conv=notrunc 2>/dev/null
gives 2 "a corrupted database: run" run table3 $tiny --results broken --resume --quiet
says broken/records.db
one_line
gives 2 "a corrupted database: report" report table3 $tiny --results broken
says broken/records.db
gives 2 "a corrupted database: status" status broken
touch file
gives 2 "a file in place of the folder" run table3 $tiny --results file --quiet
says "file"
one_line
gives 2 "a file on the way to the folder" run table3 $tiny --results file/below --quiet
if [ "$(id -u)" = 0 ]; then
    skip "a read-only folder" "root may write everywhere"
else
    mkdir locked && chmod a-w locked
    gives 2 "a read-only folder" run table3 $tiny --results locked --quiet
    chmod u+w locked
fi
if [ -w /dev/full ]; then
    "$bin" list networks --experiments "$experiments" >/dev/full 2>err
    [ $? = 2 ]
    ok $? "stdout that cannot be written: exit 2"
    says "output could not be written"
else
    skip "stdout that cannot be written" "no /dev/full"
fi

# ---- bench ----
gives 2 "an unknown number" bench --only stare
says "unknown number 'stare'"
gives 2 "a wrong --trials" bench --trials none
gives 0 "bench --only state_us --json" bench --only state_us --json --quiet
json "one number with its spread" \
    '$d->{state_us} > 0 && $d->{spread}{state_us}{min} <= $d->{state_us} && $d->{state_us} <= $d->{spread}{state_us}{max}'
RAINGAUGE_SHARED=$PWD/nowhere gives 4 "bench of what lacks its data" bench --only tvm_replay_geomean --json
json "null, with the reason" \
    'exists $d->{tvm_replay_geomean} && !defined $d->{tvm_replay_geomean} && $d->{reasons}{tvm_replay_geomean}'

finish
