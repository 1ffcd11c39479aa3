#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# pruner: a campaign of searcher pruner on target fake as a GPU, whose device settings give: what reports say was scored in a
# round is what the loops are told to score; a device that nothing is known of and a draft that is no model are refused.
set -u
. tests/lib/tap.bash
rg() { "$bin" "$@" >"$out" 2>"$err" </dev/null; }

models=$("$bin" list models --json 2>/dev/null)
case $models in *'"xgb"'*) model=xgb ;; *) model=random ;; esac
yaml() { # name, settings of the draft, setting of arm pruner
    cat <<END
experiment: $1
title: drafts on a GPU
report: race
machine: host
target: fake
target_settings: {gpu: true}
networks: [resnet18]
kernels: 2
seeds: 1
regime: tvmc
arms:
  - {name: ansor, searcher: ansor, model: $model, scheduler: round_robin, batch: 10, trials_per_kernel: 20, settings: {evolutionary_search_population: 256}}
  - name: pruner
    searcher: pruner
    model: $model
    scheduler: round_robin
    batch: 10
    trials_per_kernel: 40
    settings: {evolutionary_search_population: 256, potential_space_size: 40, $3, draft_settings: {$2}}
  - name: published
    searcher: pruner
    model: $model
    scheduler: round_robin
    batch: 10
    trials_per_kernel: 20
    settings: {loop: published, evolutionary_search_population: 256, potential_space_size: 40, random_states: 20, draft_settings: {variant: paper, $2}}
END
}
device="peak_gflops: 19490, memory_gb_s: 1555, multiprocessors: 108"
yaml drafts "$device" "draft_only: true, random_states: 8" >"$dir/drafts.yaml"
gives 0 "a campaign of pruner runs" run "$dir/drafts.yaml" --results "$dir/r" --quiet
gives 0 "the report of drafts is made" report "$dir/drafts.yaml" --results "$dir/r" --json
json "three arms have counted what they had scored" '@{$d->{tables}{evaluations}} == 3'
# counts NAME EXPRESSION: $of->(ARM, COLUMN) is a number of table evaluations.
counts() { json "$1" 'my $of = sub { my ($n, $c) = @_; (map { $_->{$c} } grep { $_->{arm} eq $n } @{$d->{tables}{evaluations}})[0] }; '"$2"; }
counts "the drafted programs and the random ones are all that the model is given" \
    '$of->("pruner", "model_asked") == 48 && $of->("pruner", "model_scored") <= 48'
counts "the published loop counts its own drafted and random ones" '$of->("published", "model_asked") == 60'
counts "the draft works in each round, or in every second" \
    '$of->("published", "draft_asked") > 1.5 * $of->("pruner", "draft_asked") && $of->("pruner", "draft_asked") > 100'
counts "Ansor drafts nothing and has the model score far more" \
    '$of->("ansor", "draft_asked") == 0 && $of->("ansor", "model_asked") > 5 * $of->("pruner", "model_asked")'
counts "rounds are counted by arm" \
    '$of->("pruner", "rounds") == 8 && $of->("published", "rounds") == 4 && $of->("ansor", "rounds") == 4'
json "all trials were made" '$d->{trials_measured} == 160'

yaml unknown "memory_penalties: true" "draft_only: true" >"$dir/unknown.yaml"
gives 2 "a GPU that nothing is known of is refused" run "$dir/unknown.yaml" --results "$dir/u" --quiet
grep -q "peak_gflops, memory_gb_s and multiprocessors" "$err"
ok $? "the refusal says what to give"
yaml wrong "$device" "draft: su" >"$dir/wrong.yaml"
gives 2 "a draft that is no model is refused" plan "$dir/wrong.yaml"
grep -q "did you mean 'sa'" "$err"
ok $? "the nearest model is named"
yaml odd "$device, lanes: 4" "draft: sa" >"$dir/odd.yaml"
gives 2 "a setting that the draft does not have is refused" plan "$dir/odd.yaml"
yaml learned "$device" "draft: random" >"$dir/learned.yaml"
gives 2 "a draft whose scores are chance is refused" run "$dir/learned.yaml" --results "$dir/l" --quiet

hash_of() { rg plan "$dir/trained.yaml" --json && perl -MJSON::PP -0777 -ne 'print decode_json($_)->{hash}' "$out"; }
yaml trained "load: $dir/own.net" "draft: mlp" | sed "/name: published/,\$d" >"$dir/trained.yaml"
gives 2 "a draft trained before whose file is not there is refused" plan "$dir/trained.yaml"
grep -q "trained.yaml:.*own.net" "$err"
ok $? "the refusal names the setting's place and the file"
echo one >"$dir/own.net"
first=$(hash_of)
echo two >"$dir/own.net"
second=$(hash_of)
echo one >"$dir/own.net"
[ ${#first} = 64 ] && [ "$first" != "$second" ] && [ "$first" = "$(hash_of)" ]
ok $? "an experiment's hash is of what is in its draft's file"
finish
