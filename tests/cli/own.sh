#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# own: the worked example of harness/doc/own.md, typed out of the page: its network and its experiment are saved under
# the names that it says, and its commands run on target fake.
set -u
. tests/lib/tap.bash
root=$(pwd) page=harness/doc/own.md
cd "$dir" || exit 1
cp -R "$root/experiments" "$root/plots" .
# The n-th block of a kind of code on the page.
block() { awk -v want="$2" -v kind="$1" '$0 == "```" kind {n++; on = n == want; next} /^```/ {on = 0} on' "$root/$page"; }

block yaml 1 >experiments/networks/mynet.yaml
block yaml 2 >experiments/mine.yaml
[ "$(block sh 1)" = "build/raingauge plan mine" ]
ok $? "the page plans before it runs"
"$bin" plan mine --set target=fake >out 2>err && grep -q '^mynet .*droplet-16' out
ok $? "the page's experiment plans, with its network and arms"
while read -r command; do
    $bin ${command#build/raingauge } --set target=fake >out 2>err </dev/null
    ok $? "the page's command works: $command"
done < <(block sh 2)
grep -q 'droplet-16' results/mine/report.txt && grep -q 'random-16' results/mine/report.txt
ok $? "the report has the page's exploiters"
grep -q '^experiment: myrace' <(block yaml 3) && block yaml 3 >experiments/myrace.yaml
while read -r command; do
    $bin ${command#build/raingauge } --set target=fake >out 2>err </dev/null
    ok $? "the page's race works: $command"
done < <(block sh 3)
grep -q ' against random: until the best that every run' <(tr -s '\n ' ' ' <results/myrace/report.txt)
ok $? "the report says how the race ended"
finish
