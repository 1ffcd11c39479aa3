#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# computed_clock: two campaigns on target fake, with and without patience. Without noise a program takes the same time in
# each call, so the computed clock must be the measured one to the last digits. With noise the report's error is SQL's.
set -u
. tests/lib/tap.bash

command -v sqlite3 >/dev/null || skip_all "no sqlite3 to ask the records"
cat >"$dir/computed.yaml" <<END
experiment: computed
title: a computed clock
report: table3
machine: host
target: fake
networks: [alexnet]
kernels: 4
seeds: 2
regime: tvmc
arms:
  - {name: ansor, searcher: random, batch: 8, trials_per_kernel: 40}
  - {name: dpansor, explore: ansor, exploit: droplet, k: [5], trials_per_kernel: 16}
END
for patience in 0 2; do
    "$bin" run "$dir/computed.yaml" --results "$dir/r$patience" --set regime.patience=$patience --quiet 2>"$err"
    ok $? "a campaign with patience $patience runs $(head -1 "$err")"
done
sql() { sqlite3 -readonly "$dir/$1/records.db" "$2"; }
near() { # name got want
    perl -e 'exit(abs($ARGV[0] - $ARGV[1]) <= 1e-9 * abs($ARGV[1]) ? 0 : 1)' "$2" "$3"
    ok $? "$1: $2 against $3"
}
for what in "sum(cost_s)" "sum(wall_s)" "max(elapsed_s)" "sum(run_s + spared_s)" "sum(mean_s)"; do
    near "the computed $what is that of the full timing" "$(sql r2 "SELECT $what FROM trial")" "$(sql r0 "SELECT $what FROM trial")"
done
near "the phases of rounds have what was spared" "$(sql r2 "SELECT total(seconds) FROM event WHERE kind = 'phase'")" \
    "$(sql r2 "SELECT sum(end_s - begin_s) FROM round")"
ok "$([ "$(sql r0 "SELECT count(*) FROM trial WHERE spared_s OR computed_s OR full_s")" = 0 ]; echo $?)" "without patience nothing is computed"
slow=$(sql r2 "SELECT sum(computed_s > 0) FROM trial") checked=$(sql r2 "SELECT sum(full_s > 0) FROM trial")
ok "$([ "$slow" -gt 50 ] && [ "$checked" -gt 0 ] && [ "$checked" -lt $((slow / 5)) ]; echo $?)" \
    "of $slow slow trials a few, $checked, are timed in full as well"
ok "$([ "$(sql r2 "SELECT count(*) FROM trial WHERE full_s > 0 AND abs(computed_s / full_s - 1) > 1e-9")" = 0 ]; echo $?)" \
    "a steady program's full timing is what was computed"
"$bin" report "$dir/computed.yaml" --set regime.patience=2 --results "$dir/r2" >"$out" 2>"$err"
tr -s '\n ' ' ' <"$out" | grep -q "Search times are computed: $slow of "
ok $? "the report says that search times are computed, and of how many trials"
"$bin" report "$dir/computed.yaml" --set regime.patience=0 --results "$dir/r0" | grep -q "Search times are computed"
ok "$([ $? = 1 ]; echo $?)" "a report without patience has nothing computed"

"$bin" run "$dir/computed.yaml" --set regime.patience=2 --results "$dir/noisy" --set target_settings.noise=0.1 --quiet 2>"$err"
"$bin" report "$dir/computed.yaml" --set regime.patience=2 --results "$dir/noisy" --set target_settings.noise=0.1 --json >"$out" 2>"$err"
near "the report's error is that of the records" \
    "$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{tables}{computed_clock}[0]{clock_error}' <"$out")" \
    "$(sql noisy "SELECT sum(computed_s) / sum(full_s) - 1 FROM trial WHERE full_s > 0")"
near "the report's worst error is that of the records" \
    "$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{tables}{computed_clock}[0]{clock_error_worst}' <"$out")" \
    "$(sql noisy "SELECT max(abs(computed_s / full_s - 1)) FROM trial WHERE full_s > 0")"
finish
