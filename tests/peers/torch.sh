#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# torch: the cost model in PyTorch of harness/doc/examples, for searcher ansor on target fake, twice. TORCH_PYTHON names a
# Python with torch; without one it skips. Equal records are tested, the best times are printed.
set -u
. tests/lib/tap.bash
python=${TORCH_PYTHON:-python3}
"$python" -c 'import torch' 2>/dev/null || skip_all "$python has no torch; TORCH_PYTHON=PYTHON names another"
export RAINGAUGE_DATADIR=$root
mlp="$python $root/harness/doc/examples/torch_mlp.py" rest='scheduler: round_robin, trials_per_kernel: 96, batch: 16'
cat >"$dir/torch.yaml" <<EOF
experiment: torch
title: a cost model in PyTorch
report: race
target: fake
networks: [resnet18]
kernels: 2
seeds: 1
layout: 2
arms:
  - {name: random, searcher: random, $rest}
  - {name: torch, searcher: ansor, settings: {evolutionary_search_population: 256}, model: exec,
     model_settings: {command: "$mlp"}, $rest}
EOF
for run in one two; do
    "$bin" run "$dir/torch.yaml" --results "$dir/$run" >"$out" 2>"$err" </dev/null
    ok $? "a search with the model in PyTorch ends, run $run"
    "$bin" query "$dir/$run" "SELECT arm, kernel, ordinal, mean_s FROM trials" --format csv >"$dir/$run.csv"
done
[ "$(wc -l <"$dir/one.csv")" -gt 300 ] && cmp -s "$dir/one.csv" "$dir/two.csv"
ok $? "the model in PyTorch gives the same records again"
"$bin" query "$dir/one" "SELECT arm, kernel, best_s FROM kernels" --format csv | tr -d '\r' | sed 's/^/# /'
finish
