# SPDX-License-Identifier: Apache-2.0
# nightly: what the tests of nights share, read after tap.bash: machine host on target fake and an experiment in $dir/exp,
# which is gone to, binaries to judge, the folder $state of the history.
cd "$dir" || exit 1

rg() { "$bin" "$@" --experiments exp >out 2>err </dev/null; }
# night CODE NAME BINARY FAKE [ARGUMENT...]: one night of a binary, with RAINGAUGE_FAKE
night() {
    local want=$1 name=$2 binary=$3 fake=$4
    shift 4
    RAINGAUGE_FAKE=$fake gives "$want" "$name" nightly --binary "$dir/$binary" "$@"
}
binary() { # name, settings of target fake of its own
    printf '#!/bin/sh\n# %s\nRAINGAUGE_FAKE="${RAINGAUGE_FAKE:+$RAINGAUGE_FAKE,}%s" exec "%s" "$@"\n' "$1" "$2" "$bin" >"$1"
    chmod +x "$1"
}

mkdir -p exp/machines exp/networks && cp "$root/experiments/networks/alexnet.yaml" exp/networks/
cat >exp/machines/host.yaml <<'END'
name: host
title: a formula
target: fake
settings: {noise: 0.01}
nightly: {budget_s: 300, launches: 7}
END
cat >exp/nightly.yaml <<'END'
experiment: nightly
title: a night in a test
report: table3
networks: [alexnet]
kernels: 1
seeds: 7
regime: {number: 1, repeat: 3}
retime_regime: {number: 1, repeat: 5}
arms:
  - {name: random, searcher: random, model: random, scheduler: sequential, batch: 6, trials_per_kernel: 6}
END
export XDG_STATE_HOME=$dir/state
state=$dir/state/raingauge
binary one fail=0
binary two fail=0
binary slow slow=0.12
binary fast slow=-0.12
