# SPDX-License-Identifier: Apache-2.0
# fleet: what the tests of fleets share, read with `.` after tap.bash, in $dir: an experiment on target fake, its one
# undisturbed run in `whole`, and that a fleet's report is byte for byte that of this run. Hosts do not get our variables,
# so one that says which code OpenBLAS has, which is in the report, goes here, too.
unset "${!OPENBLAS_@}"
rg() { "$bin" "$@" --experiments "$root/experiments" >"$out" 2>"$err" </dev/null; }
fleet_whole() { # seeds, trials a kernel of the explorer
    cat >fleet.yaml <<END
experiment: fleet
title: shards of a fleet
paper: droplet
report: table3
machine: host
target: fake
target_settings: {noise: 0.05}
networks: [alexnet, resnet18, squeezenet]
kernels: 1
seeds: $1
regime: tvmc
duels: {max_launches: 5}
arms:
  - {name: ansor, searcher: ansor, model: random, scheduler: gradient, batch: 8, trials_per_kernel: $2,
     settings: {evolutionary_search_population: 128}}
  - {name: dpansor, explore: ansor, exploit: droplet, k: [8], trials_per_kernel: 8}
END
    rg run fleet.yaml --results whole --quiet
    rg report fleet.yaml --results whole --json && mv "$out" whole.json
    ok $? "one run, undisturbed"
}
same() { # folder, name
    rg report fleet.yaml --results whole --json && mv "$out" whole.json
    rg report fleet.yaml --results "$1" --json && cmp "$out" whole.json >"$err"
    ok $? "$2: the report is byte for byte that of one run"
}
fleet_name() { sed 's/.*"name":"\([^"]*\)".*/\1/' "$1/fleet/job.json"; } # folder
