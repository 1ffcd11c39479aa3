#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# train: `raingauge train` as a script meets it: our own records (tests/cli/replay/own.jsonl) and a recording of target
# fake, packed and not, train a model that is kept in a file and loaded again; kernels are held out and leaks are named;
# wrong words and damaged lines are refused with their place.
set -u
. tests/lib/tap.bash
rg() { "$bin" train "$@" >"$out" 2>"$err" </dev/null; }
own=tests/cli/replay/own.jsonl

gives 2 "train without a model is refused"
says "which model?"
gives 2 "an unknown model is refused with the nearest one" pacn --data $own
says "did you mean 'pacm'"
gives 2 "train without records is refused" mlp
says "--data"
gives 2 "a model that cannot be kept is refused" random --data $own
says "cannot be trained"
gives 2 "an unknown setting of the model is refused" mlp --data $own --settings epoch=3
says "did you mean 'epochs'"
gives 2 "a file that is not there is refused" mlp --data "$dir/none.jsonl"
gives 2 "a network that is no kernel either is refused" mlp --data $own --hold-out resnet19
says "called 'resnet19'"
gives 2 "records without a kernel are refused with the reason" mlp --data $own --task "softmax n=4 c=7"
says "no record is left to train on"
gives 2 "two task lines for three files are refused" mlp --data $own --data $own --data $own --task a --task b
says "one for all, or one for each"

gives 0 "a model is trained and kept" mlp --data $own --settings epochs=3 --output "$dir/mlp" --json
json "records and kernels are counted" '$d->{model} eq "mlp" && $d->{records} > 5 && $d->{kernels} > 1 && $d->{fit_s} > 0'
json "no kernel is held out and no leak is named" '!@{$d->{held_out}} && !@{$d->{leaks}}'
trained=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{records}' <"$out")
head -c 17 "$dir/mlp" | grep -q "raingauge network"
ok $? "the file says what it is"
cp "$dir/mlp" "$dir/first"
gives 0 "the same records train the same model" mlp --data $own --settings epochs=3 --output "$dir/mlp" --quiet
cmp -s "$dir/mlp" "$dir/first"
ok $? "two files of the same training are equal"
gives 0 "another seed trains another model" mlp --data $own --settings epochs=3 --output "$dir/mlp" --quiet --seed 2
cmp -s "$dir/mlp" "$dir/first"
[ $? = 1 ]
ok $? "two files of different seeds differ"
gives 0 "training goes on from a file" mlp --data $own --settings "epochs=2,update=tune,load=$dir/first"
says "epoch 2, loss"
gives 2 "a file of another model is refused" tlp --data $own --settings "load=$dir/first"
says "it holds a 'mlp', not a 'tlp'"

gives 0 "model moa goes on from the network of pacm" pacm --data $own --settings epochs=1 --output "$dir/pacm" --quiet
gives 0 "a fit that is due at every fourth call is done at once" moa --data $own --settings "epochs=1,load=$dir/pacm" --output "$dir/moa"
says "moa: epoch 1, loss"
cmp -s "$dir/pacm" "$dir/moa"
[ $? = 1 ]
ok $? "what is kept is not the file that it began with"
gives 2 "a training that would train nothing is refused" pacm --data $own --settings "update=never,load=$dir/pacm"
says "trains nothing"
gives 2 "an empty text holds nothing out" mlp --data $own --hold-out ""
says "option '--hold-out' needs a value: NETWORK|TEXT"
sed 8d $own >"$dir/one"
gives 0 "a held-out kernel of one record has no pairs" mlp --data "$dir/one" --settings epochs=1 --hold-out dense --json
json "such a kernel has no share of right pairs" 'grep { $_->{records} == 1 && !defined $_->{pairs_right} } @{$d->{held_out}}'
gives 0 "kernels can be held out" mlp --data $own --settings epochs=3 --hold-out conv2d --json
json "held-out kernels are tested and not trained on" '@{$d->{held_out}} > 0 && $d->{records} < '"$trained"' && !grep { $_->{kernel} !~ /\d/ || $_->{records} < 1 || $_->{top1} <= 0 || $_->{top1} > 1 || $_->{top5} < $_->{top1} } @{$d->{held_out}}'
gives 0 "kernels of a network that are trained on are counted" mlp --data $own --settings epochs=1 --against resnet18
prints "0 kernels of resnet18 are trained on"

# Recordings, and files packed by gzip.
"$bin" collect alexnet --target fake --count 12 --output "$dir/fake.rec" >"$out" 2>"$err"
ok $? "a recording is collected"
gzip -kc "$dir/fake.rec" >"$dir/fake.gz"
gzip -kc $own >"$dir/own.gz"
for m in mlp:epochs=3 pacm:epochs=3 tlp:epochs=1; do
    model=${m%%:*}
    gives 0 "$model is trained on a recording" "$model" --data "$dir/fake.rec" --settings "${m#*:}" --output "$dir/a" --json
    json "$model: every program of the recording is trained on" '$d->{kernels} > 3 && $d->{records} == 12 * $d->{kernels}'
    gives 0 "$model is trained on the packed one" "$model" --data "$dir/fake.gz" --settings "${m#*:}" --output "$dir/b" --quiet
    cmp -s "$dir/a" "$dir/b"
    ok $? "$model: packed or not, the network is the same"
    gives 0 "$model tests a held-out kernel" "$model" --data "$dir/fake.gz" --settings "${m#*:},validation=0.25,patience=2" \
        --hold-out "dense" --against alexnet --json
    json "$model: held-out kernels are no leak, the others are" '@{$d->{held_out}} > 0 && @{$d->{leaks}} == $d->{kernels} && !grep { $_->{kernel} =~ /^dense/ } @{$d->{leaks}}'
done
gives 0 "lines and a recording train one model" mlp --data "$dir/own.gz" --data "$dir/fake.rec" --settings epochs=1 --json
json "the records of both are told" '$d->{records} > '"$trained"
gives 2 "a recording names its kernels itself" mlp --data "$dir/fake.rec" --task "dense n=4 ci=64 co=64"
says "fake.rec: a recording names its kernels"
sed '7s/\[\[/[{/' "$dir/fake.rec" >"$dir/broken.rec"
gives 2 "a broken line of a recording is refused" mlp --data "$dir/broken.rec"
grep -qE "broken.rec:7:[0-9]+: not valid JSON" "$err"
ok $? "with file, line and column"
head -c 3000 "$dir/fake.rec" >"$dir/cut.rec"
gives 2 "a recording that was cut short is refused" mlp --data "$dir/cut.rec"
says "cut short"
head -c 900 "$dir/fake.gz" >"$dir/cut.gz"
gives 2 "a packed file that was cut short is refused" mlp --data "$dir/cut.gz"
{ head -3 $own; echo '{"i":[[3'; tail -n +4 $own; } >"$dir/lines"
gives 0 "a broken line costs that line only" mlp --data "$dir/lines" --settings epochs=1
says "lines:4:8: not valid JSON"
finish
