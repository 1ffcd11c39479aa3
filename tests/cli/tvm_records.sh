#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tvm_records: record files of TVM become campaigns and come out again as they were, to the byte; our own trials go out
# as such files and come back with the same programs and times; broken, foreign and torn lines are named with their
# place, and the rest is there.
set -u
. tests/lib/tap.bash
rg() { "$bin" "$@" >"$out" 2>"$err" </dev/null; }
command -v sqlite3 >/dev/null || skip_all "no sqlite3"
shared=${RAINGAUGE_SHARED:-../shared}
case $shared in /*) ;; *) shared=$root/$shared ;; esac
cp -R experiments plots "$dir" && cd "$dir" || exit 1

# Two logs of one kernel, made here in TVM's bytes.
line() { # n, seconds, error, target, version
    local cost=$2
    [ "$3" = 0 ] || cost=1e+10
    printf '{"i": [["[\\"matmul_layer\\", %s, 64, 64]", "%s", [4, 64, 64, 0, 0, 0, 0, 0], "", 1, []], ' "$1" "${4:-llvm -keys=cpu }"
    printf '[[], [["FU", 2, [0, 1]], ["AN", 2, 0, 3]]]], "r": [[%s], %s, 0.25, 1698780740], "v": "%s"}\n' "$cost" "$3" "${5:-v0.6}"
}
{ line 8 0.0002 0; line 8 0.0003 0; line 16 0.0001 0; line 16 0 8; line 8 0.0001 0; } >a.json
{ line 8 0.0001 0; line 16 5e-05 0; } >b.json
gives 0 "two logs are imported" import a.json b.json --name mine
prints "results/mine: 7 of 7 records of target 'llvm -keys=cpu '"
prints "nothing was measured here"
for arm in a b; do
    gives 0 "the trials of arm $arm are exported" export results/mine --arm $arm
    cmp -s "$out" $arm.json
    ok $? "log $arm comes out as it came in, to the byte"
done
[ "$(sqlite3 -readonly results/mine/records.db "SELECT group_concat(best_s, ' ') FROM (SELECT best_s FROM kernels ORDER BY cell, kernel)")" = \
    "0.0001 0.0001 0.0001 5.0e-05" ]
ok $? "each kernel has the least time of its lines"
gives 0 "the campaign is reported" report mine
prints "The times are imported: they were measured elsewhere"
prints "b against a:"
gives 0 "one log alone is imported" import a.json
gives 0 "one log alone is reported" report a
prints "One log was imported: there is nothing to set it against."
gives 2 "an imported campaign measures nothing" run mine --resume
says "were measured elsewhere and imported"
gives 2 "records are never overwritten" import a.json --name mine
says "'results/mine' is there: remove it, or choose another --name"
gives 2 "an experiment that was written by hand is kept" import a.json --name race
says "experiments/race.yaml' is there and was not imported"
gives 2 "a machine that is none" import a.json --name other --machine nowhere
[ ! -e experiments/other.yaml ] && [ ! -e results/other ] && [ ! -e results/other.part ]
ok $? "a refused import leaves nothing behind"

# Lines that are none of the campaign's.
{
    line 8 0.0002 0
    echo '# a comment'
    line 8 0.0002 0 "cuda -keys=cuda,gpu -arch=sm_80"
    line 8 0.0002 0 "llvm -keys=cpu " v0.2
    line 8 0.0002 0 | sed 's/matmul_layer/somebody_s/'
    line 8 0.0002 0 | sed 's/matmul_layer/somebody_s/'
    line 8 0.0002 0 | sed 's/\["AN", 2, 0, 3\]/["AN", 2, 7, 3]/'
    line 8 0.0002 0 | sed 's/\["AN", 2, 0, 3\]/["XX", 2, 0, 3]/'
    line 8 0.0002 9
    line 8 0.0003 0
    line 8 0.0004 0 | head -c 150
} >mixed.json
gives 0 "what is whole is imported" import mixed.json
prints "2 of 10 records"
prints 'Of no known kernel (--task names it), 20 % of the records: ["somebody_s", 8, 64, 64]'
says "mixed.json:3: of target 'cuda"
says "mixed.json:4: version 'v0.2', only v0.6 is read"
says "mixed.json:5: which kernel? give --task"
says "mixed.json:7: kernel 'matmul"
says "mixed.json:8"
says "mixed.json:9: the error number is not 0 to 8"
says "mixed.json:11:"
[ "$(grep -c "which kernel" "$err")" = 1 ]
ok $? "a kernel that is not known is named once"
gives 0 "--task names the kernel of records that do not" import mixed.json --name named --task "matmul n=8 k=64 m=64" --json
says "its kernel is there under the workload key"
json "JSON has what was taken and what was not" '$d->{imported} == 2 && $d->{refused} == 8 && $d->{arms}[0]{name} eq "mixed" && @{$d->{unknown}} == 0'
gives 2 "a file without a record" import /dev/null
gives 2 "a file that holds something else" import experiments/race.yaml
says "is no ONNX model"

# 3,000 lines (RAINGAUGE_PROPERTY) with a byte changed, cut out or put in: none ends the program, each is taken or named.
many=${RAINGAUGE_PROPERTY:-3000}
perl -e 'srand 27; my @l = <STDIN>; for (1 .. shift) { my $s = $l[rand @l]; chomp $s; my $k = 1 + rand(-1 + length $s); my $c = chr(33 + rand 90);
    my $way = int rand 4; substr($s, $k, $way < 3 ? 1 : 1 + rand 40) = $way == 0 ? $c : $way == 1 ? $c . substr($s, $k, 1) : ""; print "$s\n"; }' "$many" <a.json >mutated.json
gives 0 "$many mutated lines" import mutated.json --json
json "each is taken or refused" '$d->{records} == '"$many"' && $d->{imported} + $d->{refused} == $d->{records} && $d->{imported} > 0'
says "further ones are only counted"

# Our own trials.
cat >experiments/own.yaml <<END
experiment: own
report: race
machine: host
networks: [own]
regime: {number: 1, repeat: 2}
arms:
  - {name: random, searcher: random, scheduler: round_robin, trials_per_kernel: 4, batch: 4}
  - {name: grid, searcher: grid, scheduler: round_robin, trials_per_kernel: 4, batch: 4}
END
printf 'name: own\nkernels: 2\ncalls: 2\nlist:\n  - {count: 1, op: matmul, n: 16, m: 16, k: 16}\n  - {count: 1, op: dense, n: 4, ci: 16, co: 16}\n' \
    >experiments/networks/own.yaml
"$bin" list targets 2>/dev/null | grep -q '^ *cpu ' && gives 0 "a campaign is measured" run own --results own
if [ -s own/records.db ]; then
    gives 0 "records of our own are exported" export own
    mv "$out" own.json
    gives 0 "records of our own are imported" import own.json --name again
    all="SELECT spec, steps, hash, outcome, seconds, round(cost_s, 12), CAST(unix_s AS INTEGER) FROM trial JOIN task USING(cell, task) ORDER BY id"
    sqlite3 -readonly own/records.db "$all" >ours
    sqlite3 -readonly results/again/records.db "$all" >theirs
    [ -s ours ] && cmp -s ours theirs
    ok $? "kernels, programs, outcomes and times are the same"
    gives 0 "imported records are exported again" export results/again
    cmp -s "$out" own.json
    ok $? "an export of an import has the same bytes"
    gives 0 "an arm as CSV" export own --format csv --arm grid
    [ "$(wc -l <"$out")" = 9 ]
    ok $? "one arm's trials and a head"
    gives 0 "a campaign as JSON" export own --format json
    json "each trial is an object" '@$d == 16 && $d->[0]{steps} =~ /^\[\[/'
    gives 2 "an arm that is not there" export own --arm gird
    says "did you mean 'grid'?"
else
    skip "our own trials" "target cpu is not built in"
fi
gives 2 "Parquet is not written" export results/mine --format parquet
says "no library that writes it: take csv"
gives 0 "a campaign of a formula" run race --tier smoke --set target=fake --set kernels=1 --results fake
gives 2 "an arm like none is refused" export fake --arm nothing
[[ $(<"$err") == *": there are random, ansor" ]]
ok $? "each arm is named once"
gives 2 "times of a formula are no records of TVM" export fake
says "target 'fake', which TVM has not: --format csv or json"

# Logs of others.
seen=0
for log in "$shared"/data/tvm_logs/*.jsonl "$shared"/data/tvm_logs/gpu/*.jsonl.gz; do
    [ -e "$log" ] || continue
    name=released_$((seen += 1))
    case $log in *.gz) gzip -dc "$log" >plain ;; *) cp "$log" plain ;; esac
    "$bin" import "$log" --name $name >"$out" 2>"$err" && "$bin" export results/$name 2>>"$err" | cmp -s - plain
    ok $? "$(basename "$log") comes out as it came in, to the byte"
done
[ $seen -gt 0 ] || skip "logs of the authors" "no data/tvm_logs in $shared"
finish
