#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gpu_search: a whole campaign on target fake as a GPU: Ansor, random programs and Droplet make programs that are bound to
# blocks and threads and fit the device, records hold them, a finished campaign is left as it is.
set -u
. tests/lib/tap.bash

cat >"$dir/gpu.yaml" <<EOF
experiment: gpu
title: a search for a GPU
paper: droplet
report: table3
machine: host
target: fake
target_settings: {gpu: true}
networks: [resnet18]
kernels: 3
seeds: 1
regime: tvmc
duels: {max_launches: 5}
arms:
  - {name: ansor, searcher: ansor, model: random, batch: 8, trials_per_kernel: 24, settings: {evolutionary_search_population: 128}}
  - {name: dpansor, explore: ansor, exploit: droplet, k: [8], trials_per_kernel: 16}
  - {name: random, searcher: random, batch: 8, trials_per_kernel: 24}
EOF
rg() { "$bin" "$@" >"$out" 2>"$err" </dev/null; }
gives 0 "a campaign for a GPU runs" run "$dir/gpu.yaml" --results "$dir/r" --quiet
gives 0 "the report of a campaign for a GPU is made" report "$dir/gpu.yaml" --results "$dir/r" --json
command -v sqlite3 >/dev/null || { skip "records hold programs for GPUs" "no sqlite3 to ask the records"; finish; }
sql() { sqlite3 -readonly "$dir/r/records.db" "$1"; }
answers() { # name, query, what it gives
    local got
    got=$(sql "$2")
    [ "$got" = "$3" ]
    ok $? "$1: $3 (was $got)"
}
of="FROM trial JOIN cell USING(cell) WHERE"
answers "Ansor makes as many trials as asked for" "SELECT count(*) $of arm = 'ansor'" 72
answers "Ansor and random programs all fit the device" "SELECT count(*) $of arm IN ('ansor', 'random') AND outcome <> 'ok'" 0
answers "all programs bind threads" "SELECT count(*) $of steps NOT LIKE '%, 6]%'" 0
answers "most programs fetch into shared memory" "SELECT count(*) > 100 $of steps LIKE '%\"shared\"%'" 1
answers "what does not fit says why" "SELECT count(*) $of outcome <> 'ok' AND message NOT LIKE '%possible' AND message NOT LIKE '%at most%'" 0
answers "Droplet ends no slower than the first eight programs of Ansor" \
    "SELECT (SELECT min(mean_s) $of arm = 'dpansor-8' AND task = 0) <= (SELECT min(mean_s) FROM (SELECT mean_s $of arm = 'ansor' AND task = 0 ORDER BY ordinal LIMIT 8))" 1
before=$(sql "SELECT count(*) FROM trial")
gives 0 "the finished campaign can be resumed" run "$dir/gpu.yaml" --results "$dir/r" --resume --quiet
answers "resuming measures nothing" "SELECT count(*) FROM trial" "$before"
finish
