#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# contests: the smoke tier of the experiments that compare exploiters, on target fake: they run, every arm has its row
# in every form, the published numbers stand below, the figures are drawn, a wrong report or published row is refused.
set -u
. tests/lib/tap.bash
work=$dir
has() { # file text name
    grep -qF -- "$2" "$1"
    ok $? "$3"
}

for stem in exploiters micro variance threshold speculation metaschedule storm-draft-drop; do
    made=$work/$stem
    fast=ansor.model=random
    case $stem in metaschedule | storm-draft-drop) fast=seeds=1 ;; esac # their models have settings that random has not
    "$bin" run $stem --tier smoke --set target=fake --set $fast --results "$made" --quiet >"$work/log" 2>&1
    ok $? "$stem: the smoke tier runs on fake"
    "$bin" report $stem --tier smoke --set target=fake --set $fast --results "$made" --write >"$work/$stem.txt" 2>"$work/note"
    ok $? "$stem: the reports are made"
    has "$made/report.json" '"complete":true' "$stem: json says it is complete"
    if command -v gnuplot >/dev/null; then
        test -s "$made/$stem.svg" -a -s "$made/$stem.png" -a -s "$made/$stem-curves.svg"
        ok $? "$stem: the figure and the curves are drawn"
    else
        skip "$stem: the figure and the curves are drawn" "gnuplot is not installed"
    fi
    columns=$(awk -F'\t' '{print NF}' "$made/summary.tsv" | sort -u | wc -l)
    [ "$columns" = 1 ]
    ok $? "$stem: every row of the spreadsheet has all columns"
done

for arm in droplet grid random genetic annealing; do
    has "$work/exploiters.txt" "  $arm-10 " "exploiters: a row for $arm"
done
for arm in grid random genetic annealing; do
    has "$work/exploiters.txt" "  $arm-seeded-10 " "exploiters: a row for $arm with the seed inherited"
done
has "$work/exploiters.txt" "networks 14  kernel_ms 4979  search_min 813  records 28616  speedup 0.148" "the published comparison stands below"
has "$work/micro.txt" "matmul 0.00812  conv2d 1.798" "the published micro-kernels stand below"
has "$work/variance.txt" "dpansor_ms 10.317" "the published p-values stand below"
has "$work/threshold.txt" "  p001-16 " "threshold: a row for p = 0.01"
has "$work/metaschedule.txt" "  dpmeta-8 " "metaschedule: a row for k = 8"
has "$work/speculation.txt" "  single-16 " "speculation: a row for single points"

for arm in ansor-droplet pruner-droplet moa-droplet; do
    has "$work/storm-draft-drop.txt" "  $arm-10 " "storm-draft-drop: a row for $arm"
done
cp "$work/storm-draft-drop/report.json" "$out"
json "storm-draft-drop: Droplet after drafts meets its explorer alone and Droplet after Ansor" 'my %c = map { ($_->{arm} // "") . "/" . ($_->{over} // "") => 1 }
    @{$d->{tables}{pairwise}}; my %e = map { $_->{arm} => 1 } @{$d->{tables}{explorers}}; $c{"ansor-droplet-10/pruner-droplet-10"} && $c{"ansor-droplet-10/moa-droplet-10"}
    && 3 == grep { $e{$_} } qw(ansor-mlp pruner moa-pruner)'

# How sure: the same in every form. One seed of one network: none but over kernels; two seeds: over seeds.
for stem in exploiters variance micro; do
    has "$work/$stem.txt" "that one would use, re-timed" "$stem: re-timed programs stand for the kernels"
    has "$work/$stem/report.html" 'id="certainty"' "$stem: the page says how sure"
done
has "$work/exploiters.txt" "one seed: a network's ratio has no interval" "exploiters: one seed says so"
has "$work/micro.txt" "  3 kernels  " "micro: intervals over kernels"
has "$work/variance.txt" "  2 seeds  " "variance: intervals over seeds"
cp "$work/variance/report.json" "$out"
json "variance: both clocks, an interval, the chance to win, p and Holm's" 'my $e = $d->{tables}{means}[0]; my $s = $e->{kernel_speedup_retimed};
    $d->{headline} eq "kernel_speedup_retimed" && $e->{search_speedup_wall}{ratio} > 0 && $e->{clocks} =~ /^(agree|size|direction)$/ && $s->{over} eq "seeds"
    && $s->{n} == 2 && $s->{interval}[0] <= $s->{ratio} && $s->{ratio} <= $s->{interval}[1] && $s->{beats} >= 0 && $s->{p} > 0 && $s->{p_holm} >= $s->{p}
    && 2 == grep { $_->{arm} eq $e->{arm} && $_->{network} eq $d->{tables}{networks}[0]{network} } @{$d->{tables}{seeds}}'
cp "$work/exploiters/report.json" "$out"
json "exploiters: one value has no interval; twelve arms are corrected" '12 == @{$d->{tables}{means}} && !grep { $_->{kernel_speedup}{over} ne "none"
    || defined $_->{kernel_speedup}{interval} || $_->{kernel_geomean}{over} ne "kernels"
    || $_->{kernel_geomean}{p_holm} < $_->{kernel_geomean}{p} } @{$d->{tables}{means}}'
json "exploiters: droplet against each of nine, as the ratios over the explorer say" 'my %e = map { $_->{arm} => $_ } @{$d->{tables}{means}};
    my $mine = $e{"droplet-10"}; my $near = sub { abs($_[0] / $_[1] - 1) < 1e-9 };
    9 == @{$d->{tables}{pairwise}} && !grep { my $o = $e{$_->{over}}; !$near->($_->{kernels_ratio}{ratio}, $mine->{kernel_speedup_retimed}{ratio} / $o->{kernel_speedup_retimed}{ratio})
    || !$near->($_->{kernels_each_ratio}{ratio}, $mine->{kernel_geomean_retimed}{ratio} / $o->{kernel_geomean_retimed}{ratio})
    || !$near->($_->{exploit_records_ratio}{ratio}, $o->{exploit_records_s} / $mine->{exploit_records_s})
    || !$near->($_->{exploit_wall_ratio}{ratio}, $o->{exploit_wall_s} / $mine->{exploit_wall_s}) || $_->{kernels_each_ratio}{over} ne "kernels" } @{$d->{tables}{pairwise}}'
json "exploiters: an arm whose seeds are measured again keeps its own records only" 'my @k = grep { $_->{arm} =~ /^honest/ } @{$d->{tables}{kernels}};
    6 == @k && !grep { $_->{kernel_ms} != $_->{own_kernel_ms} || $_->{trials} < 3 } @k'
json "exploiters: equal quality tells runs and in how many the explorer gets there" 'my @e = grep { !defined $_->{network} } @{$d->{tables}{equal_quality}};
    12 == @e && !grep { $_->{runs} != 1 || $_->{equal_quality_reached} > 1 || !($_->{equal_quality_speedup}{ratio} > 0) } @e'
has "$work/exploiters.txt" "droplet-10 against each of the others" "exploiters: the text sets the first arm against the others"
has "$work/exploiters/report.html" 'id="pairwise"' "exploiters: the page does so, too"
if grep -q 'id="pairwise"' "$work/micro/report.html"; then ok 1 "micro: an arm alone has no table of pairs"; else ok 0 "micro: an arm alone has no table of pairs"; fi
cp "$work/micro/report.json" "$out"
json "micro: published milliseconds give a ratio for each k" 'my ($p) = grep { $_->{k} == 1 } @{$d->{tables}{means}};
    abs($p->{paper_kernel_speedup} - 0.2350) < 5e-4'

# What an inherited seed promises: no rival ends worse than its seed by its own records.
awk -F'\t' 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next} $2 ~ /seeded/ && $at["own_kernel_ms"] + 0 > $at["seed_kernel_ms"] * 1.0000001 {bad = 1}
    END {exit bad}' "$work/exploiters/summary.tsv"
ok $? "exploiters: with the seed inherited, own records are no slower than the seed"

sed 's/report: contest/report: contst/' experiments/threshold.yaml >"$work/threshold.yaml"
"$bin" report "$work/threshold.yaml" --set target=fake --set ansor.model=random --results "$work/threshold" >/dev/null 2>"$err"
[ $? = 2 ] && grep -q "did you mean 'contest'" "$err"
ok $? "an unknown report is refused with a hint"

mkdir "$work/experiments" && cp -r experiments/. "$work/experiments/"
sed 's/matmul: 0.00812, conv2d: 1.694, depthwise: 0.650/matmul: fast, conv2d: 1.694, depthwise: 0.650/' \
    experiments/published/micro.yaml >"$work/experiments/published/micro.yaml"
"$bin" report micro --experiments "$work/experiments" --set target=fake --set ansor.model=random --results "$work/micro" >/dev/null 2>"$err"
[ $? = 2 ] && grep -q "micro.yaml:[0-9]*:[0-9]*: 'matmul' must be a number" "$err"
ok $? "a broken published row is refused with its place"
# An arm is set against the arm that it explores, which need not be the first.
cat >"$work/two.yaml" <<END
experiment: two
title: one explorer that none explores, and two that are explored
report: contest
target: fake
networks: [squeezenet]
kernels: 2
regime: tvmc
arms:
  - {name: alone, searcher: random, trials_per_kernel: 30}
  - {name: first, searcher: random, trials_per_kernel: 30}
  - {name: second, searcher: random, trials_per_kernel: 20}
  - {name: droplet, explore: first, exploit: droplet, k: [10], trials_per_kernel: 20}
END
two() { # MORE: runs and reports, with the arms of MORE, too
    echo "$1" >>"$work/two.yaml"
    rm -rf "$work/two"
    "$bin" run "$work/two.yaml" --results "$work/two" --quiet >"$work/log" 2>&1
    "$bin" report "$work/two.yaml" --results "$work/two" >"$work/two.txt" 2>"$work/note"
}
two ""
has "$work/two.txt" "droplet-10 against the full run of first: " "the summary names the arm that is explored"
has "$work/two.txt" "Each arm starts from first's first k records" "so does the text above the result"
sed -n '/^How sure/,/^Networks/p' "$work/two.txt" >"$work/sure"
grep -q '^  droplet-10 ' "$work/sure" && ! grep -q '^  first ' "$work/sure"
ok $? "each row of how sure the means are bears the name of its own arm"
two "  - {name: other, explore: second, exploit: droplet, k: [10], trials_per_kernel: 20}"
has "$work/two.txt" "Each arm starts from its explorer's first k records" "with two explorers each arm has its own"
tr '\n' ' ' <"$work/two.txt" | grep -qE "^(droplet-10|other-10) \(the best of 2 arms; its intervals hold for all of them at once\) against the full run   of (first|second): "
ok $? "the summary names the explorer of the arm that it tells of"
finish
