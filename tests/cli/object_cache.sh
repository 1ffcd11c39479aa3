#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# object_cache: descents for the CPU, and on doubles for a GPU, that meet the same programs. What an earlier one built is
# not built again, and charged as if it had been; a folder that takes no object changes no record; without the cache all
# is built.
set -u
. tests/lib/tap.bash

command -v sqlite3 >/dev/null || skip_all "no sqlite3 to ask the records"
mkdir -p "$dir/networks"
cp -R experiments/machines experiments/published experiments/papers "$dir"
cat >"$dir/networks/small.yaml" <<END
name: small
kernels: 1
calls: 1
list: [{count: 1, op: matmul, n: 32, m: 32, k: 32}]
END
cat >"$dir/twice.yaml" <<END
experiment: twice
title: the same programs twice
report: table3
machine: host
target: cpu
networks: [small]
regime: quick
duels: {max_launches: 0}
arms:
  - {name: ansor, searcher: random, batch: 8, trials_per_kernel: 16}
  - {name: dpansor, explore: ansor, exploit: droplet, k: [13, 14, 15, 16], trials_per_kernel: 12, share: false}
END
run() { # folder options
    "$bin" run twice --experiments "$dir" --results "$dir/$1" --quiet "${@:2}" 2>"$err"
    local status=$?
    ok $status "$1: the campaign runs $(head -1 "$err")"
}
sql() { sqlite3 -readonly "$dir/$1/records.db" "$2"; }
is() { # name got want
    ok "$([ "$2" = "$3" ]; echo $?)" "$1: $2, of $3"
}
programs="SELECT arm, steps, outcome FROM trial JOIN cell USING (cell) WHERE arm = 'ansor' ORDER BY ordinal"
again="FROM trial t WHERE outcome = 'ok' AND EXISTS (SELECT 1 FROM trial o WHERE o.hash = t.hash AND o.id < t.id)"

run kept
again_n=$(sql kept "SELECT count(*) $again")
ok "$([ "$again_n" -gt 5 ]; echo $?)" "descents meet again what was built: $again_n programs"
is "none of them is built again" "$(sql kept "SELECT sum(cached_s > 0) $again")" "$again_n"
ok "$([ ! -e "$dir/kept/objects" ]; echo $?)" "the objects go when the campaign is over"
is "costs have the builds that were found" "$(sql kept "SELECT sum(abs(cost_s - build_s - cached_s - run_s - spared_s) > 1e-9) FROM trial WHERE outcome = 'ok'")" 0
charged=$(sql kept "SELECT total(seconds) FROM event WHERE kind = 'cached'")
is "the clocks are charged for them, and for no more" "$(sql kept "SELECT $charged > 0 AND $charged < total(cached_s) + 1e-6 FROM trial")" 1
near=$(sql kept "SELECT abs((SELECT total(seconds) FROM event WHERE kind = 'phase') - sum(end_s - begin_s)) < 0.05 FROM round")
is "phases and clocks agree" "$near" 1
"$bin" report twice --experiments "$dir" --results "$dir/kept" --format json >"$out" 2>"$err"
is "the report has how many were found" "$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{tables}{object_cache}[0]{cached_trials}' <"$out")" \
    "$(sql kept "SELECT sum(cached_s > 0) FROM trial")"

run built --object-cache 0
is "without a cache all are built" "$(sql built "SELECT sum(cached_s > 0) FROM trial")" 0
is "the first search measures the same programs" "$(sql built "$programs" | md5sum)" "$(sql kept "$programs" | md5sum)"

# What NVRTC made is kept likewise (tests/doubles).
if [ -e "$doubles/libcuda.so.1" ]; then
    LD_LIBRARY_PATH=$doubles run gpu --set target=cuda --set "target_settings={nvrtc: $doubles/nvrtc/libnvrtc.so.13}"
    again_n=$(sql gpu "SELECT count(*) $again")
    ok "$([ "$again_n" -gt 5 ]; echo $?)" "descents on a GPU meet again what was built: $again_n programs"
    is "none of them is compiled again" "$(sql gpu "SELECT sum(cached_s > 0) $again")" "$again_n"
else
    skip "on a GPU nothing is compiled again" "the doubles of NVIDIA's libraries are not built"
fi

mkdir -p "$dir/blocked" && : >"$dir/blocked/objects"
run blocked
is "where no object can be kept all are built" "$(sql blocked "SELECT sum(cached_s > 0) FROM trial")" 0
is "it is said once" "$(grep -c "objects" "$err")" 1
is "the first search goes on as it does" "$(sql blocked "$programs" | md5sum)" "$(sql kept "$programs" | md5sum)"
finish
