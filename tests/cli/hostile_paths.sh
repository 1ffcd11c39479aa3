#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hostile_paths: what names, folders, files and signals may do to the command line: a pipe in place of an experiment, paths
# that are commands, too long or outside, files that may not grow, temporary files of a killed run, a closed terminal.
set -u
. tests/lib/tap.bash
cp -R experiments "$dir/experiments"
cp -R plots "$dir/plots"
cat >"$dir/experiments/tiny.yaml" <<'END'
experiment: tiny
title: "a \"quoted\" \t title \n of two lines"
paper: droplet
report: table3
machine: host
target: fake
networks: [alexnet]
kernels: 2
seeds: 1
regime: tvmc
duels: {max_launches: 5}
arms:
  - {name: ansor, searcher: ansor, model: random, scheduler: gradient, batch: 8, trials_per_kernel: 16}
  - {name: "dp\"an'sor&", explore: ansor, exploit: droplet, k: [1, 12], trials_per_kernel: 10, share: true}
END
cd "$dir" || exit 1
rg() { timeout 60 "$bin" "$@" --experiments experiments >"$out" 2>"$err"; }

mkfifo experiments/pipe.yaml
gives 2 "a pipe as an experiment is refused at once" plan pipe
says "pipe"
rm experiments/pipe.yaml
sed 's/^experiment: .*/experiment: "..\/..\/tiny"/' experiments/tiny.yaml >experiments/outside.yaml
gives 2 "an experiment cannot name a folder outside" plan outside
rm experiments/outside.yaml
gives 2 "an empty folder of results is refused" run tiny --quiet --results ""

long=$(printf 'a%.0s' $(seq 200))
gives 2 "a path that a database cannot have is refused" run tiny --quiet --results "$long/$long/$long/$long"
says "characters"

# Whatever a folder is called, it is a name and no command.
folder="it's \"a\" \`touch pwned\` \$(touch pwned); system('touch pwned')"
gives 0 "a folder whose name has quotes and commands takes results" run tiny --quiet --results "$folder"
gives 0 "the report of such a folder is written" report tiny --write --results "$folder"
if command -v gnuplot >/dev/null; then
    [ -s "$folder/tiny.svg" ]
    ok $? "the figure of such a folder is drawn"
else
    skip "the figure of such a folder is drawn" "gnuplot is not installed"
fi
[ -z "$(find . -name 'pwned*')" ]
ok $? "no part of the folder's name was run as a command"
gives 0 "the report of names with quotes is JSON" report tiny --json --results "$folder"
json "the title in JSON is as it was written" '$d->{title} =~ /"quoted" \t title \n of/'
gives 0 "the report of such names is TSV" report tiny --format tsv --results "$folder"
[ "$(awk -F'\t' '{print NF}' "$out" | sort -u | wc -l)" = 1 ]
ok $? "every line of that TSV has as many fields"
gives 0 "the plan of names with quotes, tabs and newlines is JSON" plan tiny --json
json "the plan in JSON holds the name of the experiment" '$d->{experiment} eq "tiny"'
gives 0 "the status is JSON" status "$folder" --json
json "the status in JSON is one value" 'ref $d'

# A writer that was killed has left its temporary file: one of a living process stays.
sleep 0.01 &
gone=$!
wait $gone
echo part >"$folder/.report.json.$gone.tmp"
echo part >"$folder/.report.json.$$.tmp"
gives 0 "a report is written beside temporary files" report tiny --write --results "$folder"
[ ! -e "$folder/.report.json.$gone.tmp" ] && [ -e "$folder/.report.json.$$.tmp" ]
ok $? "the temporary file of a dead writer is removed, that of a living one is not"

(ulimit -f 60 && timeout 60 "$bin" run tiny --quiet --results small --experiments experiments >"$out" 2>"$err")
status=$?
ok "$([ $status = 7 ]; echo $?)" "a file that may not grow ends a run with 7 ($status)"
says "small/records.db"

(exec env --default-signal=HUP "$bin" run tiny --quiet --results closed --experiments experiments >"$out" 2>"$err") &
pid=$!
for _ in $(seq 3000); do
    if [ -e closed/records.db ] || ! kill -0 $pid 2>/dev/null; then break; fi
    sleep 0.01
done
kill -HUP $pid
wait $pid
status=$?
ok "$([ $status = 130 ]; echo $?)" "a run whose terminal closes stops as by Ctrl-C: 130 ($status)"
gives 0 "a run whose terminal closed goes on with --resume" run tiny --quiet --results closed --resume

if command -v sqlite3 >"$out"; then
    sqlite3 closed/records.db "UPDATE cell SET trials = 9223372036854775807;"
    gives 0 "the status of impossible numbers is printed" status closed --json
    json "the number of planned trials did not overflow" '$d->{trials} >= 0'
else
    skip "the status of impossible numbers is printed" "sqlite3 is not installed"
fi
finish
