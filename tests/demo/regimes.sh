#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# regimes: does a short timing regime rank programs as a long one does? `make regimes`. Random programs of each kernel of
# two networks are built and timed four times, in the order long, short, short, long, each time in new processes. Compared,
# kernel by kernel: the ranks under the two regimes, and under each regime with itself, which is the noise. Writes
# results/regimes/ranks.tsv; its columns are in results/regimes/README.md. About twenty minutes on one core.
#   LONG, SHORT, NETWORKS, COUNT, OPTIONS: of `raingauge collect`; WRITE: the folder, or empty.
set -euo pipefail
bin=${RAINGAUGE:-build/raingauge}
long=${LONG:-tvmc} short=${SHORT:-tvmc,number=1,min_repeat_ms=2} write=${WRITE-results/regimes}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
read -ra networks <<<"${NETWORKS:-resnet18 mobilenet_v2}"
read -ra options <<<"${OPTIONS:---target cpu,codegen=tvm --threads 1}"
for turn in long1 short1 short2 long2; do
    regime=$long && [[ $turn == long* ]] || regime=$short
    "$bin" collect "${networks[@]}" "${options[@]}" --count "${COUNT:-10}" --regime "$regime" --output "$dir/$turn" >/dev/null
    echo "regimes: $turn ($regime): $(sed -n '$=' "$dir/$turn") lines"
done

# One line a program that all four timed: kernel, its mean time in each turn, what it took to measure.
for turn in long1 short1 short2 long2; do
    awk -v OFS='\t' 'match($0, /^\[[0-9]+,"[a-z_ ]+",\[[^]]*\],[^,]*,/) {
        kernel = substr($0, 2, index($0, ",") - 2); split(substr($0, RSTART, RLENGTH), part, /[][]/)
        n = split(part[3], s, ","); sum = 0; for (i = 1; i <= n; i++) sum += s[i]
        cost = part[4]; gsub(/,/, "", cost)
        print kernel, /^\[[0-9]+,"ok"/ && n ? sum / n : "-", cost }' "$dir/$turn" >"$dir/$turn.tsv"
done
paste "$dir"/{long1,short1,short2,long2}.tsv | awk -v OFS='\t' '
function rank(t, r, i, k) { # midranks of x[t, 1..n]
    for (i = 1; i <= n; i++) { r = 1; for (k = 1; k <= n; k++) r += k != i && (x[t, k] < x[t, i] ? 1 : x[t, k] == x[t, i] ? 0.5 : 0)
        ranks[t, i] = r }
}
function spearman(a, b, i, m, ab, aa, bb) {
    m = (n + 1) / 2; ab = aa = bb = 0
    for (i = 1; i <= n; i++) { ab += (ranks[a, i] - m) * (ranks[b, i] - m); aa += (ranks[a, i] - m) ^ 2; bb += (ranks[b, i] - m) ^ 2 }
    return aa && bb ? ab / sqrt(aa * bb) : 1
}
function winner(t, i, w) { w = 1; for (i = 2; i <= n; i++) if (x[t, i] < x[t, w]) w = i; return w }
# How much slower, by the turn that judges, the program is that turn a would take than the one that turn b would.
function worse(a, b, judge) { return x[judge, winner(a)] / x[judge, winner(b)] }
function ratio(i, sum) { sum = 0; for (i = 1; i <= n; i++) sum += log(x[2, i] * x[3, i] / x[1, i] / x[4, i]) / 2; return exp(sum / n) }
function done(t) {
    if (n < 3) { n = 0; return }
    for (t = 1; t <= 4; t++) rank(t)
    printf "%s\t%d\t%.4f\t%.4f\t%.4f\t%d\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\n", kernel, n,
        (spearman(1, 2) + spearman(4, 3)) / 2, spearman(1, 4), spearman(2, 3),
        (winner(1) == winner(2)) + (winner(4) == winner(3)), 2 * (winner(1) == winner(4)),
        worse(2, 1, 4), worse(3, 4, 1), ratio(), cost[1] / n, cost[2] / n
    n = 0; cost[1] = cost[2] = 0
}
BEGIN { kernel = "none"; print "kernel", "programs", "spearman", "long_again", "short_again", "equal_winners", "long_equal_winners",
    "short_pick", "short_pick_again", "short_over_long", "long_cost_s", "short_cost_s" }
$1 != kernel { done(); kernel = $1 }
$2 != "-" && $5 != "-" && $8 != "-" && $11 != "-" { n++; x[1, n] = $2; x[2, n] = $5; x[3, n] = $8; x[4, n] = $11
    cost[1] += ($3 + $12) / 2; cost[2] += ($6 + $9) / 2 }
END { done() }' >"$dir/ranks.tsv"
[ "$(wc -l <"$dir/ranks.tsv")" -gt 1 ] || { echo "regimes: no kernel has three programs that all four turns timed" >&2; exit 1; }
awk -F'\t' 'NR > 1 { n++; p += $2; s += $3; l += $4; q += $5; e += $6; f += $7; g += log($8) + log($9); r += log($10); a += $11 * $2; b += $12 * $2 }
END { printf "%d programs of %d kernels. Mean Spearman of short and long %.3f; long with itself %.3f, short with itself %.3f.\n", p, n, s / n, l / n, q / n
    printf "The same fastest program in %.0f of 100 pairs of turns; long with itself in %.0f.\n", 50 * e / n, 50 * f / n
    printf "The fastest by short takes %.3f times as long, by long, as the fastest by long. All: %.3f.\n", exp(g / n / 2), exp(r / n)
    printf "A program takes %.3f s under long, %.3f s under short.\n", a / p, b / p }' "$dir/ranks.tsv"
[ -z "$write" ] || { mkdir -p "$write" && cp "$dir/ranks.tsv" "$write/"; }
