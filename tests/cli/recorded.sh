#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# recorded: a recording made on target fake answers as fake did, to the byte; killed with SIGKILL it goes on to the same
# file; damaged ones are refused with their line; searches choose from it; models rank it; the authors' GPU records
# become two recordings.
set -u
. tests/lib/tap.bash
RANDOM=2406
rg() { "$bin" "$@" >"$out" 2>"$err"; }
spec="dense n=4 ci=64 co=64 relu=1"
rows() { sed '1d;$d' "$1"; }

# Collected, and asked again.
gives 0 "random programs are measured" collect "$spec" --target fake,noise=0.1 --count 150 --output "$dir/fake.rec"
prints "150 programs of 1 kernels, 150 of them ran"
gives 0 "the same are asked of the recording" collect "$spec" --target "replay,recording=$dir/fake.rec" --count 150 \
    --regime tvm,number=1,min_repeat_ms=0 --output "$dir/again.rec"
says "of 150 candidates 150 were recorded, 0 got the nearest row, 0 were refused"
gives 0 "with one call a reading" collect "$spec" --target fake,noise=0.1 --count 150 --regime tvm,number=1,min_repeat_ms=0 \
    --output "$dir/one.rec"
gives 0 "the same are asked of that recording" collect "$spec" --target "replay,recording=$dir/one.rec" --count 150 \
    --regime tvm,number=1,min_repeat_ms=0 --output "$dir/two.rec"
# The cost of a row holds the seconds that fake says a build takes.
cmp -s <(rows "$dir/one.rec" | perl -pe 's/\],[\d.e-]+,\[\[/],[[/') <(rows "$dir/two.rec" | perl -pe 's/\],[\d.e-]+,\[\[/],[[/')
ok $? "every program has exactly the seconds that it had"
gives 0 "other programs are refused" collect "$spec" --target "replay,recording=$dir/one.rec" --count 100 --seed 2 \
    --output "$dir/refused.rec"
refused=$(grep -c '"invalid".*not recorded' "$dir/refused.rec")
says ", 0 got the nearest row, $refused were refused"
[ "$refused" -gt 50 ]
ok $? "most are: $refused of 100"
gives 0 "unknown programs get the nearest row" collect "$spec" --target "replay,recording=$dir/one.rec,unknown=nearest" --count 100 \
    --seed 2 --output "$dir/nearest.rec"
near=$(sed -n 's/.* \([0-9]*\) got the nearest row, \([0-9]*\) were.*/\1 \2/p' "$err")
[ $((${near% *} + ${near#* })) = "$refused" ] && [ "${near% *}" -gt 0 ]
ok $? "the same $refused programs are unknown: ${near% *} got the nearest row"

# Several networks, without the kernels of another.
gives 0 "two networks are collected without the kernels of a third" collect squeezenet mobilenet_v1 --without resnet18 --target fake --count 1 \
    --output "$dir/several.rec"
prints "43 programs of 43 kernels"
gives 2 "a network without its own kernels leaves nothing" collect resnet18 --without resnet18 --target fake --output "$dir/none.rec"
says "--without leaves no kernel"

# Killed.
net="--target fake --count 400 --searcher random"
start=$(date +%s%N)
gives 0 "a network, left alone" collect alexnet $net --output "$dir/whole.rec"
whole_ms=$((($(date +%s%N) - start) / 1000000))
lives=0 code=1
while [ $lives -lt 12 ] && [ $code != 0 ]; do
    "$bin" collect alexnet $net --output "$dir/killed.rec" --resume >"$out" 2>"$err" &
    pid=$!
    ms=$((RANDOM % (whole_ms / 4 + 20) * (lives + 1) / 3 + 20))
    (sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"; kill -9 $pid) 2>/dev/null &
    killer=$!
    wait $pid 2>/dev/null
    code=$?
    kill $killer 2>/dev/null
    wait $killer 2>/dev/null
    lives=$((lives + 1))
done
[ $code = 0 ] || gives 0 "a recording that was killed is finished" collect alexnet $net --output "$dir/killed.rec" --resume
cmp -s "$dir/whole.rec" "$dir/killed.rec"
ok $? "killed with SIGKILL $((lives - 1)) times, the recording is the same to the byte"
for cut in 300 7000 90001; do
    head -c $(($(stat -c %s "$dir/whole.rec") - cut * 10)) "$dir/whole.rec" >"$dir/cut.rec"
    gives 0 "cut $((cut * 10)) bytes before its end" collect alexnet $net --output "$dir/cut.rec" --resume
    cmp -s "$dir/whole.rec" "$dir/cut.rec"
    ok $? "gone on with, the recording is the same to the byte"
done
for cut in 0 9 700; do
    head -c $cut "$dir/whole.rec" >"$dir/cut.rec"
    gives 0 "of its first line only $cut bytes were written" collect alexnet $net --output "$dir/cut.rec" --resume
    cmp -s "$dir/whole.rec" "$dir/cut.rec"
    ok $? "begun anew, the recording is the same to the byte"
done
mkdir "$dir/full"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=200k none "$dir/full" 2>/dev/null; then
    gives 2 "a disk that is full ends it" collect alexnet $net --output "$dir/full/x.rec"
    says "what was measured is kept, and --resume goes on: cannot write '$dir/full/x.rec': No space left on device"
    mount -o remount,size=8m "$dir/full"
    gives 0 "with room it goes on" collect alexnet $net --output "$dir/full/x.rec" --resume
    cmp -s "$dir/whole.rec" "$dir/full/x.rec"
    ok $? "after a full disk, the recording is the same to the byte"
    umount "$dir/full"
else
    skip "a disk that is full ends it" "no small disk can be mounted here"
fi
gives 0 "a whole recording is left as it is" collect alexnet $net --output "$dir/whole.rec" --resume
says "is whole"

# Refused.
gives 2 "a file that is there" collect alexnet $net --output "$dir/whole.rec"
says "--resume goes on with it"
head -n 1000 "$dir/whole.rec" >"$dir/cut.rec"
printf 'half a\377 line\n' >>"$dir/cut.rec"
cp "$dir/cut.rec" "$dir/before.rec"
gives 2 "a damaged last line" collect alexnet $net --output "$dir/cut.rec" --resume
says "cannot go on, unless cut before the damaged line: $dir/cut.rec:1001:"
cmp -s "$dir/cut.rec" "$dir/before.rec"
ok $? "a recording that is refused is left as it is"
sed -i '$d' "$dir/cut.rec"
gzip -c "$dir/cut.rec" >"$dir/packed.gz"
cp "$dir/packed.gz" "$dir/before.rec"
gives 2 "a packed file that is not whole" collect alexnet $net --output "$dir/packed.gz" --resume
says "it is packed; unpack it by gunzip first"
cmp -s "$dir/packed.gz" "$dir/before.rec"
ok $? "a packed recording that is refused is left as it is"
if command -v flock >/dev/null; then
    exec 7<"$dir/cut.rec"
    flock -n 7
    gives 7 "two at once" collect alexnet $net --output "$dir/cut.rec" --resume
    says "another raingauge is writing it"
    exec 7<&-
fi
sed '1s/"limits":\[[0-9]*/"limits":[77/' "$dir/cut.rec" >"$dir/cores.rec"
gives 2 "a machine of other cores" collect alexnet $net --output "$dir/cores.rec" --resume
says "its hardware has other limits (77 cores, here "
gives 2 "another task set" collect vgg11 $net --output "$dir/cut.rec" --resume
says "it is of another task set"
gives 2 "candidates of another seed are refused" collect alexnet $net --seed 3 --output "$dir/cut.rec" --resume
says "its candidates are of"
gives 2 "a missing output is refused" collect alexnet --target fake
gives 0 "a searcher that drafts collects" collect "$spec" --target fake --searcher pruner --model random --count 4 --output "$dir/drafted.rec"
gives 2 "an unknown model that drafts" collect "$spec" --target fake --searcher pruner,draft=as --output "$dir/x.rec"
says "unknown model 'as'"
gives 2 "a searcher that refines" collect "$spec" --target fake --searcher droplet --output "$dir/x.rec"
bad() { # name, message, what perl does to the lines
    perl -ne "$3" "$dir/one.rec" >"$dir/bad.rec"
    gives 2 "$1" ranking "$dir/bad.rec" --model random
    says "$2"
}
bad "a damaged line" "bad.rec:7:90: not valid JSON" 'print $. == 7 ? substr($_, 0, 90) . "\n" : $_'
bad "a line without its steps" "bad.rec:9: " 'print $. == 9 ? "[0,\"ok\",[1],2]\n" : $_'
bad "an outcome that does not exist" "bad.rec:3: the second element is no outcome" 's/"ok"/"fine"/ if $. == 3; print'
bad "a time below 0" "bad.rec:5: a time is not a number above 0" 's/"ok",\[/"ok",[-/ if $. == 5; print'
bad "a kernel that is not listed" "bad.rec:4: the number of the task is not 0 to 0" 's/^\[0/[1/ if $. == 4; print'
bad "a changed time" "their digest is another one" 's/"ok",\[\d/"ok",[9/ if $. == 8; print'
bad "a lost line" "bad.rec:151: the last line tells of 150 rows, but there are 149" 'print unless $. == 20'
bad "another version" "bad.rec:1: a recording of version 9; this program reads version 1" 's/"recording":1/"recording":9/; print'
bad "no recording" "bad.rec:1: no recording" 'print "{}\n"'
bad "one that is cut short" "cut short: 99 rows and no last line" 'print if $. <= 100'
gives 3 "one that is no file, for target replay" collect "$spec" --target "replay,recording=$dir/bad.rec" --output "$dir/y.rec"

# Packed, ranked.
gzip -k "$dir/one.rec"
gives 0 "a packed recording is ranked" ranking "$dir/one.rec.gz" --model random --seeds 2
prints "Split: held-out programs"
prints "chance"
cp "$out" "$dir/ranked"
gives 0 "the ranking is a report, too" report ranking "$dir/one.rec.gz" --model random --seeds 2
cmp -s "$out" "$dir/ranked"
ok $? "the ranking and its report are alike"
gives 0 "as a table" ranking "$dir/one.rec" "$dir/fake.rec" --model random --format tsv
[ "$(wc -l <"$out")" = 9 ]
ok $? "with a head, and the kernel, all kernels, a model and chance of two recordings"
gives 0 "recordings are ranked as JSON" ranking "$dir/whole.rec" --model random --split kernels --seeds 2 --json
json "with every kernel but one learned from" '$d->{split} eq "kernels" && @{$d->{devices}[0]{rows}} == 2 * (13 + 1)'
gives 0 "a recording is ranked by what another taught" ranking "$dir/whole.rec" --learn "$dir/one.rec" --model any=random --seeds 1
prints "Split: recordings."
grep -qE "^all +any " "$out"
ok $? "a model bears the name that was given to it"
gives 2 "a recording cannot teach about its own kernels" ranking "$dir/one.rec" --learn "$dir/one.rec" --model random
gives 0 "networks adapt to another device" ranking "$dir/one.rec" --learn "$dir/whole.rec" --adapt 0,10,20 --seeds 1 \
    --pretraining epochs=1 --settings epochs=1 --json
json "in five ways and by chance, for each amount and kernel" '@{$d->{devices}[0]{rows}} == 2 * 3 * 6 && $d->{devices}[0]{rows}[-1]{adapted} == 20 && !grep { $_->{kernel} ne "all" && $_->{programs} != 130 } @{$d->{devices}[0]{rows}}'
json "before any program all ways but the one from scratch rank alike" 'my %s = map { $_->{model} => $_->{spearman}{mean} } grep { $_->{adapted} == 0 && $_->{kernel} ne "all" } @{$d->{devices}[0]{rows}}; $s{moa} == $s{unadapted} && $s{"fine-tuned"} == $s{unadapted} && $s{scratch} != $s{moa}'
gives 2 "adapting needs a recording to pre-train on" ranking "$dir/one.rec" --adapt 0,10
gives 2 "amounts must rise" ranking "$dir/one.rec" --learn "$dir/whole.rec" --adapt 10,0
says "rising whole numbers"
gives 2 "more programs than there are cannot be told" ranking "$dir/one.rec" --learn "$dir/whole.rec" --adapt 100
gives 2 "adapting has its own models" ranking "$dir/one.rec" --learn "$dir/whole.rec" --adapt 0 --model xgb
gives 2 "one kernel cannot be held out" ranking "$dir/one.rec" --model random --split kernels
gives 2 "an unknown model" ranking "$dir/one.rec" --model xbg

# Searched.
cat >"$dir/pooled.yaml" <<END
experiment: pooled
title: choosing from a recording
paper: droplet
report: race
machine: host
target: replay
target_settings: {recording: $dir/whole.rec, unknown: refuse}
networks: [alexnet]
kernels: 2
seeds: 1
regime: tvmc
arms:
  - {name: pool, searcher: pool, settings: {recording: $dir/whole.rec}, model: random, batch: 32, trials_per_kernel: 96}
  - {name: random, searcher: random, batch: 32, trials_per_kernel: 96}
END
gives 0 "searcher pool asks for recorded programs" run "$dir/pooled.yaml" --results "$dir/pooled" --quiet
gives 0 "the report tells what the recording was asked" report "$dir/pooled.yaml" --results "$dir/pooled" --json
answers='my %a = map { $_->{arm} => $_ } @{$d->{tables}{answers}};'
json "of searcher pool all is recorded" "$answers"' $a{pool}{count} == 192 && $a{pool}{recorded} == 192 && $a{pool}{refused} == 0'
json "of random candidates most are refused" "$answers"' $a{random}{refused} > 50 && $a{random}{nearest} == 0 && $a{random}{recorded} + $a{random}{refused} == $a{random}{count}'
gives 0 "the report has them as text" report "$dir/pooled.yaml" --results "$dir/pooled" --format text
prints "What the recorded device was asked, by arm"
prints "Next: raingauge claims droplet"
mkdir "$dir/two"
sed '/^paper/d' "$dir/pooled.yaml" >"$dir/two/pooled.yaml"
rg report "$dir/two/pooled.yaml" --results "$dir/pooled" --format text
prints "$dir/two/pooled.yaml"
sed 's/unknown: refuse/unknown: nearest/; s/^experiment: pooled/experiment: near/' "$dir/pooled.yaml" >"$dir/near.yaml"
gives 0 "unknown programs get the nearest row in a search, too" run "$dir/near.yaml" --results "$dir/near" --quiet
gives 0 "the report counts them" report "$dir/near.yaml" --results "$dir/near" --json
json "nearest rows are told apart" "$answers"' $a{random}{nearest} > 0 && $a{pool}{nearest} == 0'
if command -v sqlite3 >/dev/null; then
    [ "$(sqlite3 -readonly "$dir/pooled/records.db" "SELECT count(*) FROM trial WHERE cell = 0 AND outcome = 'ok'")" = 192 ]
    ok $? "all of them have their time"
fi

# The authors' records.
gpu=${RAINGAUGE_SHARED:-../shared}/data/tvm_logs/gpu
if [ -d "$gpu" ]; then
    gives 0 "the records of an A100" collect --from-records "$gpu" --machine a100-40 --output "$dir/a100.rec"
    prints "4306 programs of 6 kernels on a100-40, 4229 of them ran"
    prints "8658 records: 4287 of other devices, 65 repeat a program, 0 refused"
    gives 0 "those of an RTX 3080" collect --from-records "$gpu" --machine rtx3080 --output "$dir/rtx3080.rec"
    prints "4228 programs of 6 kernels on rtx3080, 4195 of them ran"
    gives 0 "both are ranked" ranking "$dir/a100.rec" "$dir/rtx3080.rec" --model random --seeds 1 --quiet
    gives 2 "those of a machine without records" collect --from-records "$gpu" --machine h100 --output "$dir/h100.rec"
    says "none of 8658 records is of 'h100'"
else
    skip "the authors' records become recordings" "no data/tvm_logs/gpu below RAINGAUGE_SHARED"
fi
finish
