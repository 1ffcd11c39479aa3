#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# contests: the smoke tier of the experiments that compare exploiters, on target fake: they run, every arm has its row
# in every form, the published numbers stand below, the figure is drawn, a wrong report or published row is refused.
set -u
. tests/kit.bash
work=$dir
has() { # file text name
    grep -qF -- "$2" "$1"
    ok $? "$3"
}

for stem in exploiters micro variance threshold speculation metaschedule; do
    made=$work/$stem
    fast=ansor.model=random
    [ $stem = metaschedule ] && fast=seeds=1 # its model has settings that random has not
    "$bin" run $stem --tier smoke --set target=fake --set $fast --results "$made" --quiet >"$work/log" 2>&1
    ok $? "$stem: the smoke tier runs on fake"
    "$bin" report $stem --tier smoke --set target=fake --set $fast --results "$made" --write >"$work/$stem.txt" 2>"$work/note"
    ok $? "$stem: reports"
    has "$made/report.json" '"complete": true' "$stem: json says it is complete"
    if command -v gnuplot >/dev/null; then
        test -s "$made/$stem.svg" -a -s "$made/$stem.png"
        ok $? "$stem: the figure is drawn"
    else
        skip "$stem: the figure is drawn" "gnuplot is not installed"
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
has "$work/exploiters.txt" "grid (second file set)        networks 14  kernel_ms 4979" "the published comparison stands below"
has "$work/micro.txt" "dpansor-300                   matmul 0.00812" "the published micro-kernels stand below"
has "$work/variance.txt" "resnet34                      dpansor_ms 10.317" "the published p-values stand below"
has "$work/threshold.txt" "  p001-16 " "threshold: a row for p = 0.01"
has "$work/metaschedule.txt" "  dpmeta-8 " "metaschedule: a row for k = 8"
has "$work/speculation.txt" "  single-16 " "speculation: a row for single points"

# What an inherited seed promises: no rival ends worse than its seed by its own records.
awk -F'\t' 'NR > 1 && $2 ~ /seeded/ && $11 + 0 > $10 * 1.0000001 {bad = 1} END {exit bad}' "$work/exploiters/summary.tsv"
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
finish
