#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# train: `raingauge train` as a script meets it: our own records (tests/cli/replay/own.jsonl) train a model that is kept
# in a file and loaded again; kernels are held out and leaks are named; wrong words are refused.
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

gives 0 "kernels can be held out" mlp --data $own --settings epochs=3 --hold-out conv2d --json
json "held-out kernels are tested and not trained on" '@{$d->{held_out}} > 0 && $d->{records} < '"$trained"' && !grep { $_->{kernel} !~ /\d/ || $_->{records} < 1 || $_->{top1} <= 0 || $_->{top1} > 1 || $_->{top5} < $_->{top1} } @{$d->{held_out}}'
gives 0 "kernels of a network that are trained on are counted" mlp --data $own --settings epochs=1 --against resnet18
prints "0 kernels of resnet18 are trained on"
finish
