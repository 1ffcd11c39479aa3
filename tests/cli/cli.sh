#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cli: the command line as a person and as a script meet it: help, hints with their places, exit codes, JSON that parses,
# and a whole small campaign on target fake, resumed and reported. resume.sh has kill -9 and Ctrl-C.
set -u
. tests/lib/tap.bash
experiments=$root/experiments
cd "$dir" || exit 1

rg() { "$bin" "$@" --experiments "$experiments" >out 2>err </dev/null; }
one_line() { [ "$(wc -l <err)" = 1 ]; ok $? "the error is one line: $(head -c 60 err)"; }

# ---- help, version, wrong words ----
"$bin" >out 2>err
[ $? = 2 ] && grep -q usage err
ok $? "without a verb the exit status is 2 and the usage is on stderr"
for flag in --help -h help; do
    "$bin" "$flag" >out 2>err
    [ $? = 0 ] && grep -q "^usage:" out && [ ! -s err ]
    ok $? "$flag prints the usage on stdout"
done
for flag in --version -V "plan -V"; do
    "$bin" $flag >out 2>err
    [ $? = 0 ] && grep -qE '^raingauge [0-9]+\.[0-9]+\.[0-9]+ \(.+\) [+-]llvm .*[+-]onednn' out
    ok $? "'$flag' names version, revision and features"
done
for verb in doctor list show plan run status report claims replay reanalyse nightly compare bench help doc; do
    gives 0 "$verb --help tells its options" "$verb" --help
    prints "--quiet"
    cp out help
    for words in "$verb -h" "help $verb" "--help $verb"; do
        "$bin" $words >out 2>err
        [ $? = 0 ] && cmp -s out help
        ok $? "'$words' prints the same as '$verb --help'"
    done
    case $verb in
    show | run | help | doc) gives 2 "$verb has no JSON and refuses --json" "$verb" --json && says "unknown option '--json'" ;;
    *) cp help out && prints "--json" ;;
    esac
done
"$bin" --experiments "$experiments" --set target=fake plan --tier smoke table3 >out 2>err </dev/null
ok $? "options before the verb are taken as options after it are"
prints "table3, tier smoke"
"$bin" --json --experiments="$experiments" list models >out 2>err </dev/null
json "an option that all verbs have may stand before the verb" '@$d && $d->[0]{name}'
while IFS='|' read -r words message; do
    gives 2 "refused: $words" $words
    says "$message"
    one_line
done <<'END'
plan table3 --tier|option '--tier' needs a value: smoke|short|judge|full
plan table3 --tier=|option '--tier' needs a value: smoke|short|judge|full
plan table3 --budget soon|option '--budget' is 'soon', must be a time like 90m, 2h or 1d, in seconds from 0.001 to 315360000
plan table3 --budget 1e30h|option '--budget' is '1e30h', must be a time like 90m
nightly --accept=|option '--accept' needs a value: REASON
report table3 --format xml|option '--format' is 'xml', must be one of text, tsv, json, html
show resnet18:0 --layout record|option '--layout' is 'record', must be one of none, insert, rewritten
replay x --dump nests|option '--dump' is 'nests', must be one of none, state, features
replay x --dry --target fale|unknown target 'fale', did you mean 'fake'?
replay x --regime fooo|--regime fooo: unknown regime 'fooo': there are default, tvm
collect resnet18 --output x --count none|option '--count' is 'none', must be a whole number from 1 to 2147483647
collect resnet18 --output x --threads 5000|option '--threads' is '5000', must be a whole number from 0 to 4096
train xgb --seed 0x10|option '--seed' is '0x10', must be a whole number from 0 to 2147483647
ranking x --share 1|option '--share' is '1', must be a number from 0.001 to 0.999
ranking x --split rows|option '--split' is 'rows', must be one of programs, kernels
reanalyse . --k 0|option '--k' is '0', must be a whole number from 1
bench --trials none|option '--trials' is 'none', must be a whole number from 0 to 1000000
--versoin|unknown option '--versoin': did you mean '--version'?
reprot|unknown verb 'reprot': did you mean 'report'?
help paln|unknown verb 'paln': did you mean 'plan'?
plan table3 --teir smoke|unknown option '--teir': did you mean '--tier'?
--teir smoke plan table3|unknown option '--teir': did you mean '--tier'?
plan table3 table4|unexpected argument 'table4': the usage is raingauge plan EXPERIMENT
plan table3 short|did you mean '--tier short'?
plan table3 seeds=3|did you mean '--set seeds=3'?
list network|did you mean 'networks'?
list searchers droplte|there is no 'droplte' among the searchers: did you mean 'droplet'?
show resnet18|'resnet18' is a network of 19 kernels: name one of them, 'resnet18:0' to 'resnet18:18'
show resnet18:0 --dump nset|has no dump 'nset'
show resnet18:99|'resnet18' has kernels 0 to 18, not '99'
show resnet81:0|did you mean 'resnet18'?
plan table3 --set networks=alexnet,resnet18,alexnet|network 'alexnet' is named twice
plan table3 --set dpansor.k=1,10,1|k = 1 is named twice
run table4|unknown experiment 'table4': did you mean 'table3'?
plan table3 --tier shorter|unknown tier 'shorter': did you mean 'short'?
plan table3 --tier weekly|unknown tier 'weekly': there are smoke, short,
status table3|no records in 'table3': name the folder of a run
plan table3 --set machine=hos|unknown machine 'hos': did you mean 'host'?
bench --only stare|unknown number 'stare': there are parent_mib, state_us,
plan table3.yaml|there is no file 'table3.yaml' here: did you mean the experiment 'table3'?
plan experiments/table3|unknown experiment 'experiments/table3': it is named without folder and ending, 'table3'
show experiments/networks/resnet18.yaml:1|unknown network 'experiments/networks/resnet18.yaml': it is named without folder and ending, 'resnet18'
run table3 --set target=fake --results faulty --faults crash|fault 'crash' must be KIND:TRIAL, as in crash:5
run table3 --set target=fake --results /proc/foo|cannot make folder '/proc/foo'
plan table3 --set seeds=-1|--set 'seeds=-1': 'seeds' must be between 1 and 1000, not -1
END
gives 2 "a flag with a value is refused" list networks --json=yes
gives 2 "list without a kind is refused" list
says "list what? networks|machines|searchers|"
"$bin" doctor <&- >&- 2>&-
ok $? "doctor works with stdin, stdout and stderr closed"
if "$bin" list targets --names | grep -qx cpu; then
    head -1 "$root/tests/cli/replay/own.jsonl" >one.jsonl
    "$bin" replay one.jsonl --threads 1 --regime quick --experiments "$experiments" <&- >&- 2>&-
    ok $? "target cpu measures with stdin, stdout and stderr closed"
else
    skip "target cpu measures with stdin, stdout and stderr closed" "no cpu target in this binary"
fi

# ---- lists, doctor, show, plan, status ----
gives 0 "list networks --json works" list networks --json
json "list networks has the 20 networks, the micro-kernels, and six more" '@$d >= 27'
json "each network is listed with name, kernels, calls, gflop and params_m" \
    '!grep { my $n = $_; grep { !defined $n->{$_} } qw(name kernels calls gflop params_m) } @$d'
json "resnet18 has 19 kernels in 24 calls" 'grep { $_->{name} eq "resnet18" && $_->{kernels} == 19 && $_->{calls} == 24 } @$d'
right=$experiments
cp -r "$right" wrong && experiments=$dir/wrong
sed -i '0,/count: 22,/s//count: 21,/' wrong/networks/resnet101.yaml
gives 2 "list networks fails when one of them is wrong" list networks --json
json "a wrong network hides no other from the list" '@$d >= 26 && !grep { $_->{name} eq "resnet101" } @$d'
says "networks/resnet101.yaml:"
says "as if kernel 2, 'conv2d 1024x14x14 -> 256 1x1/1 +bias +relu', were called 22 times and not 21"
gives 2 "plan with a wrong network is refused" plan table3 --tier full
says "'resnet101' declares 7801405440 multiply-adds"
experiments=$right
for kind in machines searchers models targets collectors operators regimes experiments papers; do
    gives 0 "list $kind works" list $kind
    gives 0 "list $kind --json works" list $kind --json
    json "list $kind --json is a list of names with summaries" 'ref $d eq "ARRAY" && @$d && !grep { !$_->{name} || !$_->{summary} } @$d'
done
gives 0 "list searchers NAME works" list searchers droplet
[ "$(grep -c '^[^ ]' out)" = 1 ] && grep -q '^droplet ' out && grep -q '^  *[a-z_]*=\|^  ' out
ok $? "list searchers NAME prints that searcher with its settings"
gives 0 "list --names works" list networks --names
[ "$(grep -cx resnet18 out)" = 1 ] && ! grep -q ' ' out
ok $? "list --names prints names only"
gives 0 "doctor ends well" doctor
gives 0 "doctor --json works" doctor --json
json "doctor tells machine, features, versions, devices, counters, experiments" \
    '!grep { !defined $d->{$_} } qw(machine features versions cpu_target devices counters experiments)'
json "doctor gives a reason for each absent thing" \
    '!grep { !$_->{works} && !$_->{reason} } @{$d->{devices}}, @{$d->{counters}}, @{$d->{experiments}}'
gives 0 "show takes a kernel of a network" show resnet18:0
prints "FLOP"
gives 0 "show takes a task line" show "matmul n=64 m=64 k=64" --dump=dag,state,nest
prints "for i"
echo '[["SP", 2, 0, 64, [4], 1]]' >steps.json
gives 0 "show applies steps" show "matmul n=64 m=64 k=64" --steps steps.json --dump state,steps
prints "i.1"
echo '[["SP", 2, 7, 64, [4], 1]]' >steps.json
gives 2 "steps that do not apply are refused" show "matmul n=64 m=64 k=64" --steps steps.json
one_line
echo '[["XX", 1]]' >steps.json
gives 2 "steps that do not exist are refused" show "matmul n=64 m=64 k=64" --steps steps.json
says steps.json
echo '[[' >steps.json
gives 2 "a broken file of steps is refused" show "matmul n=64 m=64 k=64" --steps steps.json
says "steps.json:"
gives 2 "a missing file of steps is refused" show "matmul n=64 m=64 k=64" --steps nowhere.json
says nowhere.json
gives 2 "an unknown operator is refused" show "matmull n=64 m=64 k=64"
says matmul
gives 2 "an impossible shape is refused" show "conv2d ci=8 hi=2 wi=2 co=8 kh=5 kw=5"
one_line
gives 0 "plan of an experiment works" plan table3
prints "predicted time left, on a quiet machine: "
gives 0 "an experiment on a virtual target is planned" plan table3 --set target=fake
prints "no time passes on this target"
gives 0 "a plan says what more cores take" plan table3 --tier night --set target=cpu
prints "(--set threads=4 --set target_settings.overlap=true)"
gives 0 "a plan whose kernels have 4 threads" plan table3 --tier night --set target=cpu --set threads=4
! grep -q "where kernels have" out
ok $? "a plan whose kernels have 4 threads tells of no other share"
gives 0 "plan --json works" plan table3 --tier short --json
json "plan tells experiment, tier, hash, trials and cells" \
    '$d->{experiment} eq "table3" && $d->{tier} eq "short" && length $d->{hash} == 64 && $d->{trials} > 0 && @{$d->{cells}} == 40'
gives 0 "plan --budget --json works" plan table3 --tier short --set seeds=10 --budget 1d --json
json "plan tells the interval that seeds give, and that of a budget" \
    'my $i = $d->{interval}; $i->{spread} == 0.15 && $i->{df} == 0 && abs($i->{network} - 0.15 * 0.7153569) < 1e-6
     && abs($i->{mean} - $i->{network} / sqrt(10)) < 1e-12 && $i->{budget}{seconds} == 86400 && $i->{budget}{seeds} >= 1'
gives 2 "a kernel that does not fit in the runner's memory is refused" plan table3 --set regime.memory_mib=16
says "kernel 0 of 'resnet18': 'conv2d 3x224x224 -> 64 7x7/2 +bias +relu' needs 20 MiB"
says "more than the regime's memory_mib=16"
gives 2 "a kernel that does not fit is not run" run table3 --set regime.memory_mib=16 --results cramped --quiet
[ ! -e cramped ]
ok $? "a kernel that does not fit is refused before anything is recorded"
gives 0 "a virtual target needs no memory for its kernels" plan table3 --set regime.memory_mib=16 --set target=fake
gives 0 "status works without a campaign" status
gives 0 "status --json works without a campaign" status --json
json "status --json without a campaign is an empty list" 'ref $d eq "ARRAY" && !@$d'
gives 2 "status of a folder without records is refused" status nowhere

# ---- claims, make ----
cp -r "$right" one && rm one/papers/pruner.yaml && experiments=$dir/one
gives 4 "claims without a paper judges the only paper there is" claims
prints "# droplet: "
experiments=$right
gives 0 "claims without a paper lists the papers when there are several" claims
[ "$(cat out)" = "$(printf 'droplet\npruner')" ]
ok $? "claims prints one name a line when there are several papers"
experiments=$right
(cd "$root" && MAKEFLAGS= make --no-print-directory reproduce-foo) >out 2>err
[ $? != 0 ] && grep -q "no experiment 'foo': there are ablation bestk controls decompose exploiters .* variance" err
ok $? "make reproduce-foo names the experiments that there are"

# ---- a campaign on target fake ----
tiny="--set target=fake --set networks=resnet18 --set kernels=2 --set ansor.trials_per_kernel=16
    --set dpansor.trials_per_kernel=6 --set dpansor.k=1,8"
gives 4 "a report before the run ends with 4" report table3 $tiny
says "nothing is measured yet"
gives 0 "a run on target fake ends well" run table3 $tiny --quiet
[ ! -s err ] && [ ! -s out ]
ok $? "run --quiet prints nothing"
gives 2 "a second run without --resume is refused" run table3 $tiny --quiet
says --resume
one_line
LD_DEBUG=files LD_DEBUG_OUTPUT=$dir/linked "$bin" run table3 $tiny --resume --quiet --experiments "$experiments" >out 2>err </dev/null &
wait $!
ok $? "run --resume goes on with a finished run"
[ -s "$dir/linked.$!" ] && ! grep -q "^ *$!:.*libLLVM" "$dir/linked.$!"
ok $? "a run has not loaded LLVM in its own process"
gives 2 "another experiment in the same folder is refused" run table3 $tiny --set layout=0 --resume --quiet
one_line
gives 2 "the same experiment with fewer cells is refused" run table3 $tiny --set dpansor.k=1 --resume --quiet
one_line
gives 2 "a report with other settings is refused" report table3
says "give the --tier and --set they were made with"
gives 0 "report of a finished run works" report table3 $tiny
prints " against the full run of ansor"
prints " resnet18"
tr -s '\n ' ' ' <out | grep -q "Claims file: SHA-256 $(sha256sum "$experiments/papers/droplet.yaml" | cut -c1-12)\."
ok $? "report tells which version of the claims it is judged by"
gives 0 "a run of two networks ends well" run table3 $tiny --set networks=resnet18,alexnet --results two.run --quiet
if command -v sqlite3 >/dev/null; then
    sqlite3 two.run/records.db "UPDATE cell SET state = 'running' WHERE network = 'alexnet' AND k > 0"
    gives 0 "a report works while a network is searched" report table3 $tiny --set networks=resnet18,alexnet --results two.run --json
    json "the published speedup stands in the row of a network that is not searched yet" \
        '!$d->{complete} && grep { $_->{network} eq "alexnet" && !defined $_->{kernel_speedup} && $_->{paper_kernel_speedup} == 0.45 } @{$d->{tables}{networks}}'
fi
gives 0 "report --format tsv works" report table3 $tiny --format tsv
[ "$(wc -l <out)" = 3 ] && awk -F'\t' 'NR == 1 { f = NF } NF != f { exit 1 }' out
ok $? "report --format tsv has a head and a row for each k, all of one width"
gives 0 "report --json works" report table3 $tiny --json
json "report --json is complete, with one network and two k" \
    'my $t = $d->{tables}; $d->{complete} && @{$t->{explorers}} == 1 && @{$t->{networks}} == 2 && @{$t->{means}} == 2'
json "report --json has both clocks and both sums for every k" \
    '!grep { my $row = $_; grep { !defined $row->{$_}{ratio} } qw(search_speedup_wall search_speedup_records kernel_speedup kernel_speedup_calls) }
        @{$d->{tables}{networks}}, @{$d->{tables}{means}}'
json "a target without noise has a noise floor of 0" 'my $n = $d->{tables}{noise}[0]; $n->{noise_floor} == 0 && $n->{state} eq "passed"'
json "report --json counts the trials that were planned" \
    'my $t = $d->{tables}; $t->{explorers}[0]{trials} == 32 && $t->{networks}[0]{k} == 1 && !@{$t->{failures}}'
trials=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{trials_measured}' <"$out")
for verb in "report table3 $tiny" "status results/table3/smoke" "list experiments"; do
    LD_DEBUG=libs rg $verb
    ! grep -q "init: .*LLVM" "$err"
    ok $? "'${verb%% *}' compiles nothing and does not load LLVM"
done
gives 0 "report --write works" report table3 $tiny --write
for file in summary.tsv kernels.tsv report.txt report.json host.json; do
    [ -s results/table3/smoke/$file ]
    ok $? "report --write writes $file"
done
perl -MJSON::PP -e 'local $/; open my $f, "<", "results/table3/smoke/report.json"; my $k = decode_json(<$f>)->{tables}{kernels};
    print map { "$_->{network}\t$_->{arm}\t$_->{seed}\t$_->{kernel}\n" } @$k' | cmp - <(tail -n +2 results/table3/smoke/kernels.tsv | cut -f1-4)
ok $? "kernels.tsv has a row for every network, arm, seed and kernel"
gives 0 "a run with two seeds ends well" run table3 $tiny --set seeds=2 --results two --quiet
gives 0 "a report of two seeds works" report table3 $tiny --set seeds=2 --results two --json
json "two seeds give intervals and a p-value" \
    'my $k = $d->{tables}{networks}[0]; my $e = $k->{kernel_speedup}; $e->{n} == 2 && $e->{over} eq "seeds" && $e->{interval}[0] <= $e->{ratio}
     && $e->{interval}[1] >= $e->{ratio} && $k->{p_holm} == 0.5'
gives 0 "plan works beside records" plan table3 $tiny --set seeds=2 --results two --json
json "plan takes the spread between seeds from the records" '$d->{interval}{df} == 2 && $d->{interval}{spread} > 0'
gives 0 "status of a folder works" status results/table3/smoke
gives 0 "status --json of a folder works" status results/table3/smoke --json
json "status --json of a folder is an object" 'ref $d eq "HASH"'
json "a report and status count the same trials" "\$d->{trials} == $trials && \$d->{trials} > 32"
gives 0 "status --json of all folders works" status --json
json "status --json of all folders is a list of one" 'ref $d eq "ARRAY" && @$d == 1'
gives 0 "a run with failing candidates ends well" run table3 $tiny --set target_settings.fail=0.3 --results failing --quiet
gives 0 "a report with failed candidates works" report table3 $tiny --set target_settings.fail=0.3 --results failing --json
json "a report tells outcome, count and message of failures" 'my $f = $d->{tables}{failures}; @$f && !grep { !$_->{count} || !$_->{outcome} } @$f'
gives 3 "a run of which all candidates fail ends with 3" run table3 $tiny --set target_settings.fail=1 --results hopeless --quiet
says "none of the first"

# ---- wrong experiments ----
gives 2 "run without an experiment is refused" run
gives 2 "a --set without a value is refused" plan table3 --set seeds
gives 2 "a fault that does not exist is refused with the nearest one" run table3 $tiny --results faulty --faults crush:1 --quiet
says "did you mean 'crash'?"
{
    echo "experiment: mine"
    echo "report: table3"
    echo "networks: [resnet18]"
    echo "arms:"
    echo "  - {name: a, searcher: ansorr, model: xgb, trials: 99}"
} >mine.yaml
gives 2 "an unknown searcher in a file is refused with its place" plan mine.yaml
says "mine.yaml:5:25: unknown searcher 'ansorr', did you mean 'ansor'?"
sed -i 's/ansorr/ansor/; s/trials/trails/' mine.yaml
gives 2 "an unknown key in a file is refused with its place" plan mine.yaml
says "mine.yaml:5:"
says "unknown key 'trails': did you mean 'trials'?"
sed -i 's/trails/trials/; s/resnet18/resnet/' mine.yaml
gives 2 "an unknown network in a file is refused with its place" plan mine.yaml
says "mine.yaml:3:11: unknown network 'resnet'"
printf 'a: [1\n' >mine.yaml
gives 2 "a file that is no YAML is refused" plan mine.yaml
says "mine.yaml:"
gives 2 "a missing file is refused" plan yours.yaml
says yours.yaml
[ ! -e faulty ]
ok $? "a fault that is refused leaves no folder"
gives 0 "a k above the trials of a kernel is planned" plan table3 $tiny --set dpansor.k=8,64
says "in 1 of 3 cells k is above the trials a kernel of the explorer: 'dpansor-64' may see 64 records, 'ansor' has 16 trials a kernel of 'resnet18'"
one_line

# ---- damaged and unwritable folders ----
cp -r results/table3/smoke broken
printf 'this is not a database, it only looks so' | dd of=broken/records.db conv=notrunc 2>/dev/null
gives 2 "run refuses a corrupted database" run table3 $tiny --results broken --resume --quiet
says broken/records.db
one_line
gives 2 "report refuses a corrupted database" report table3 $tiny --results broken
says broken/records.db
gives 2 "status refuses a corrupted database" status broken
touch file
gives 2 "run refuses a file in place of its folder" run table3 $tiny --results file --quiet
says "file"
one_line
gives 2 "run refuses a file on the way to its folder" run table3 $tiny --results file/below --quiet
if [ "$(id -u)" = 0 ]; then
    skip "run refuses a read-only folder" "root may write everywhere"
else
    mkdir locked && chmod a-w locked
    gives 2 "run refuses a read-only folder" run table3 $tiny --results locked --quiet
    chmod u+w locked
fi
if [ -w /dev/full ]; then
    "$bin" list networks --experiments "$experiments" >/dev/full 2>err
    [ $? = 2 ]
    ok $? "a stdout that cannot be written gives exit status 2"
    says "output could not be written"
else
    skip "a stdout that cannot be written gives exit status 2" "no /dev/full"
fi

# ---- bench ----
gives 0 "bench --only state_us --json works" bench --only state_us --json --quiet
json "bench tells a number with its spread" \
    '$d->{state_us} > 0 && $d->{spread}{state_us}{min} <= $d->{state_us} && $d->{state_us} <= $d->{spread}{state_us}{max}'
RAINGAUGE_SHARED=$PWD/nowhere gives 4 "bench of a number that lacks its data ends with 4" bench --only tvm_replay_geomean --json
json "bench tells null and the reason for a number that lacks its data" \
    'exists $d->{tvm_replay_geomean} && !defined $d->{tvm_replay_geomean} && $d->{reasons}{tvm_replay_geomean}'

finish
