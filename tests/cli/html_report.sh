#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# html_report: the page of a campaign on target fake. Two runs give the same bytes; the page is balanced, asks nothing of a
# network, runs its own script alone; hostile names stay text, in figures too; its numbers are those that SQL says; it opens with three
# cards and a table of six columns and folds the rest; without gnuplot it says so.
set -u
. tests/lib/tap.bash

cat >"$dir/page.yaml" <<'END'
experiment: page
title: "</title><script>alert(1)</script> & 'quotes' \"double\""
paper: droplet
report: table3
machine: host
target: fake
networks: [alexnet, resnet18]
kernels: 3
seeds: 2
regime: tvmc
duels: {max_launches: 5}
arms:
  - {name: "an<b>sor&", searcher: random, batch: 8, trials_per_kernel: 16}
  - {name: "dp\"'><img>", explore: "an<b>sor&", exploit: droplet, k: [1, 6], trials_per_kernel: 8, share: true}
END
for run in a b; do
    "$bin" run "$dir/page.yaml" --results "$dir/$run" --quiet 2>"$err"
    ok $? "run $run $(head -1 "$err")"
done
page() { "$bin" report "$dir/page.yaml" --results "$dir/$1" --format html 2>"$err"; }
page a >"$dir/a.html"
ok $? "report --format html $(head -1 "$err")"
TZ=Asia/Tokyo LC_ALL=C page b >"$dir/b.html"
[ -s "$dir/a.html" ] && cmp "$dir/a.html" "$dir/b.html"
ok $? "two runs give the same page byte for byte"

has() { grep -qF -e "$1" "$dir/a.html"; ok $? "the page has ${2:-$1}"; }
lacks() { if grep -qiE -e "$1" "$dir/a.html"; then ok 1 "the page lacks ${2:-$1}"; else ok 0 "the page lacks ${2:-$1}"; fi; }
for id in table figures networks curves cost controls noise verdicts time failures environment origin certainty about; do
    has "id=\"$id\"" "section $id"
done
has "&lt;script&gt;alert(1)&lt;/script&gt;" "the title as text"
has "an&lt;b&gt;sor&amp;" "the arm's name as text"
[ "$(grep -o '<script' "$dir/a.html" | wc -l)" = 1 ]
ok $? "the page has one script"
lacks "<script>alert|<img|<b>" "markup of hostile names"
lacks "https?://|(src|href)=\"[^#]|@import|url\(|<link|<iframe|<[^>]* on[a-z]+=" "anything from elsewhere, and handlers"
lacks "\bnan\b|[>\"]-?inf|\(null\)" "numbers that are none"
lacks "$dir" "folders of this run"
has "Best so far over the wall clock" "curves"
has "viewport" "a width for phones"
has "@media print" "a form for paper"
has "prefers-color-scheme:dark" "a form for the dark"
perl -0777 -ne 'my ($h) = m{<header>(.*?)</header>}s; my @c = $h =~ m{<div class="card[ "]}g; my ($t) = m{<section id="table">(.*?)</section>}s;
    my @th = $t =~ m{<th scope="col"}g; my ($first) = m{</header>\s*<section id="(\w+)"}; print STDERR scalar(@c), " cards, ", scalar(@th), " columns, then $first\n";
    exit(@c == 3 && @th == 6 && $first eq "table" ? 0 : 1)' "$dir/a.html" 2>"$err"
ok $? "the page opens with three cards and a table of six columns: $(head -1 "$err")"
perl -0777 -ne 'my $n = () = m{<details}g; my $m = () = m{<section}g; exit($n > 8 && $m <= 3 && !/<details[^>]* open/ ? 0 : 1)' "$dir/a.html"
ok $? "the page folds the rest"
has "The paper&#39;s clock (records) and the wall clock" "what the clocks say of each other"
perl -0777 -ne 's/<!DOCTYPE[^>]*>//; s/<style>.*?<\/style>//s; s/<script>.*?<\/script>//s; my @open; while (m{<(/?)([a-zA-Z0-9]+)[^>]*?(/?)>}g) {
    next if $3; my $tag = "$1$2"; # HTML lets these end where the next begins
    while (@open && ($tag =~ /^(td|th|tr|.tr|.tbody)$/ && $open[-1] =~ /^t[dh]$/ || $tag =~ /^(tr|.tbody)$/ && $open[-1] eq "tr")) { pop @open }
    if (!$1) { push @open, $2; next } my $was = pop @open; $was eq $2 or die "<$was> ends as </$2>\n" }
    exit(@open ? 1 : 0)' "$dir/a.html"
ok $? "every element is closed where it should be"
perl -0777 -ne 'exit(utf8::decode($_) ? 0 : 1)' "$dir/a.html"
ok $? "the page is valid UTF-8"
[ "$(wc -c <"$dir/a.html")" -lt 200000 ]
ok $? "the page is small: $(wc -c <"$dir/a.html") bytes"

# The numbers of the report, by queries of this test's own, over both seeds: the mean over seeds of what each cell gives.
if command -v sqlite3 >/dev/null; then
    "$bin" report "$dir/page.yaml" --results "$dir/a" --json >"$dir/json"
    sql() { sqlite3 -readonly "$dir/a/records.db" "$1" >"$dir/answer" 2>"$err" || head -1 "$err" >&2; cat "$dir/answer"; }
    logs="SELECT cell FROM cell WHERE network = 'alexnet' AND explore_cell < 0" falls="SELECT cell FROM cell WHERE network = 'alexnet' AND k = 6"
    while IFS='|' read -r name expression query; do
        want=$(sql "$query")
        perl -MJSON::PP -e 'local $/; my $t = decode_json(<STDIN>)->{tables}; my ($e) = grep { $_->{network} eq "alexnet" } @{$t->{explorers}};
            my ($a) = grep { $_->{network} eq "alexnet" && $_->{k} == 6 } @{$t->{networks}}; my $v = eval $ARGV[0];
            exit($ARGV[1] ne "" && abs($v - $ARGV[1]) <= 1e-9 * abs($ARGV[1]) ? 0 : 1)' "$expression" "$want" <"$dir/json"
        ok $? "$name is what SQL says: $want"
    done <<END
kernel time of the explorer|\$e->{kernel_ms} / 1e3|SELECT sum(best) / 2 FROM (SELECT min(mean_s) AS best FROM trial WHERE cell IN ($logs) GROUP BY cell, task)
its kernel time by calls|\$e->{kernel_calls_ms} / 1e3|SELECT sum(best * weight) / 2 FROM (SELECT cell, task, min(mean_s) AS best FROM trial WHERE cell IN ($logs) GROUP BY cell, task) JOIN task USING(cell, task)
kernel time of its first 6 records|\$a->{seed_kernel_ms} / 1e3|SELECT sum(best) / 2 FROM (SELECT min(mean_s) AS best FROM trial WHERE cell IN ($logs) AND task_ordinal < 6 GROUP BY cell, task)
kernel time of the descents from them|\$a->{kernel_ms} / 1e3|SELECT sum(best) / 2 FROM (SELECT min(min(s.mean_s), min(ifnull(t.mean_s, s.mean_s))) AS best FROM task JOIN trial AS s ON s.id = seed_trial LEFT JOIN trial AS t ON t.cell = CASE WHEN shared_cell < 0 THEN task.cell ELSE shared_cell END AND t.task = task.task WHERE task.cell IN ($falls) GROUP BY task.cell, task.task)
wall clock of the explorer|\$e->{search_wall_s}|SELECT sum(elapsed_s) / 2 FROM cell WHERE cell IN ($logs)
wall clock of its first 6 records|\$a->{seed_search_wall_s}|SELECT sum((end_s - begin_s) * part / n) / 2 FROM round JOIN (SELECT cell, round, count(*) AS n, sum(task_ordinal < 6) AS part FROM trial WHERE cell IN ($logs) GROUP BY cell, round) USING(cell, round)
wall clock of the descents alone|\$a->{exploit_wall_s}|SELECT sum(wall_s) / 2 FROM task JOIN trial ON trial.cell = CASE WHEN shared_cell < 0 THEN task.cell ELSE shared_cell END AND trial.task = task.task WHERE task.cell IN ($falls)
records of the explorer at their mean cost|\$e->{search_records_s}|SELECT sum(c) / 2 FROM (SELECT count(*) * avg(cost_s) AS c FROM trial WHERE cell IN ($logs) GROUP BY cell)
cost of descents and their seeds once more|\$a->{search_records_s} - \$a->{seed_search_records_s}|SELECT ((SELECT sum(cost_s) FROM task JOIN trial ON trial.cell = CASE WHEN shared_cell < 0 THEN task.cell ELSE shared_cell END AND trial.task = task.task WHERE task.cell IN ($falls)) + (SELECT sum(cost_s) FROM task JOIN trial ON trial.id = seed_trial WHERE task.cell IN ($falls))) / 2
device time of the explorer|\$e->{search_device_s}|SELECT sum(run_s + verify_s) / 2 FROM trial WHERE cell IN ($logs)
time in phase run|(grep { \$_->{phase} eq "run" } @{\$t->{phases}})[0]{phase_s}|SELECT sum(seconds) FROM event WHERE kind = 'phase' AND name = 'run'
trials of the arms|eval { my \$n = 0; \$n += \$_->{trials} for @{\$t->{explorers}}, @{\$t->{networks}}; \$n } - (grep { \$_->{shared_descents} } @{\$t->{networks}} ? 0 : 0)|SELECT count(*) + (SELECT count(*) FROM task JOIN trial ON trial.cell = shared_cell AND trial.task = task.task WHERE shared_cell >= 0) FROM trial
END
fi

"$bin" report "$dir/page.yaml" --results "$dir/a" --write >/dev/null 2>&1
cmp "$dir/a/report.html" "$dir/a.html"
ok $? "report --write leaves the page in the results folder"
"$bin" report "$dir/page.yaml" --results "$dir/a" --format htm >/dev/null 2>"$err"
ok "$([ $? = 2 ] && grep -q html "$err"; echo $?)" "an unknown format ends with 2 and the names of those there are"

# ---- figures: of a contest, of hostile names and folders, without gnuplot ----
cat >"$dir/rivals.yaml" <<'END'
experiment: rivals
title: two exploiters
paper: droplet
report: contest
machine: host
target: fake
networks: [alexnet, resnet18]
kernels: 2
seeds: 2
regime: tvmc
arms:
  - {name: ansor, searcher: random, batch: 8, trials_per_kernel: 16}
  - {name: fall, explore: ansor, exploit: droplet, k: [1, 6], trials_per_kernel: 8}
  - {name: "w<i>der-1", explore: ansor, exploit: remeasure, k: [6], settings: {times: 2}, trials_per_kernel: 2}
END
hostile="$dir/it's \"x\"; touch y; \`touch z\`"
"$bin" run "$dir/rivals.yaml" --results "$hostile" --quiet 2>"$err" && "$bin" report "$dir/rivals.yaml" --results "$hostile" --write >/dev/null 2>"$err"
ok $? "a contest runs in a folder with a hostile name $(head -1 "$err")"
if command -v gnuplot >/dev/null; then
    [ -s "$hostile/rivals.svg" ] && [ -s "$hostile/rivals.png" ] && [ -s "$hostile/rivals-curves.svg" ] && [ ! -e y ] && [ ! -e z ] && [ ! -e "$dir/y" ]
    ok $? "the figures in a folder with a hostile name are there, and nothing of the name was run"
    standing=$(grep -o 'Whether to believe it: <span class="verdict [a-z]*">[A-Z ]*<' "$hostile/report.html" | sed 's/.*>\(.*\)</\1/')
    [ -n "$standing" ] && [ "$standing" != VALID ] && grep -q "$standing" "$hostile/rivals.svg" && grep -q "$standing" "$hostile/rivals-curves.svg"
    ok $? "each figure of a run that is not valid says so as its page does ($standing)"
    perl -0777 -ne 'my ($s) = m{<section id="figures">(.*?)</section>}s or die "no figures\n"; my $points = () = $s =~ /gpPt/g;
        exit($s =~ m{<svg role="img" aria-labelledby="figure-caption" viewBox} && $s =~ m{<circle class="p"[^>]*><title>alexnet, fall-6: kernels} && $points > 8 && $s =~ /w&lt;i(?:>|&gt;)der-1/ && $s =~ /k=6/ && $s =~ /2 networks/ && $s !~ /gnuplot \d|by gnuplot/i ? 0 : 1)' \
        "$hostile/report.html" 2>"$err"
    ok $? "the page draws each arm, its k, and the networks $(head -1 "$err")"
    # A line or an area of a page is the way from each corner to the next, h, v or l.
    perl -0777 -ne 'my $areas = 0;
        for my $svg (/<svg.*?<\/svg>/gs) { my ($wide, $high) = $svg =~ /viewBox="0 0 (\d+) (\d+)"/;
            for ($svg =~ /<path(?! id=)[^>]* d=\x27(M[^\x27 ]*)\x27/g) { my ($x, $y);
                /^M-?\d+(\.\d)?,-?\d+(\.\d)?([hv]-?\d+(\.\d)?|l-?\d+(\.\d)?,-?\d+(\.\d)?|M\d+(\.\d)?,\d+(\.\d)?)*z?$/ or die "a line is $_\n";
                $areas += /z$/;
                while (/([Mlhv])(-?[\d.]+),?(-?[\d.]+)?/g) { ($x, $y) = $1 eq "M" ? ($2, $3) : $1 eq "h" ? ($x + $2, $y) : $1 eq "v" ? ($x, $y + $2) : ($x + $2, $y + $3);
                    $x >= 0 && $x <= $wide && $y >= 0 && $y <= $high or die "$x,$y is not in $wide x $high: $_\n" } } }
        exit($areas ? 0 : 1)' "$hostile/report.html" 2>"$err"
    ok $? "every line and area of a page's figures is drawn within it $(head -1 "$err")"
    awk '/^"/ {n++} /^[0-9]/ {rows[n]++} END {exit n == 4 && rows[1] == 2 && rows[2] == 1 && rows[3] == 3 && rows[4] == 3 ? 0 : 1}' "$hostile/figure.dat"
    ok $? "gnuplot is handed a block an arm, a row a k, and a block a network"
    perl -0777 -ne 'my @ids = m{ id=["\x27]([^"\x27]+)}g; my %n; $n{$_}++ for @ids; exit((grep { $_ > 1 } values %n) ? 1 : 0)' "$hostile/report.html"
    ok $? "no two elements of a page have the same id"
else
    skip "figures of a contest" "gnuplot is not installed"
fi
mkdir "$dir/empty"
PATH="$dir/empty" "$bin" report "$dir/rivals.yaml" --results "$hostile" --format html >"$dir/plain.html" 2>"$err"
ok "$([ $? = 0 ] && grep -qF "no figure: gnuplot is not installed." "$dir/plain.html" && grep -q 'id="table"' "$dir/plain.html"; echo $?)" \
    "without gnuplot the page says so and has everything else"
rm -f "$hostile/records.db"*
"$bin" report "$dir/rivals.yaml" --results "$hostile" --format html >"$dir/from-file.html" 2>"$err"
ok "$([ $? = 0 ] && grep -q "this is read from report.json" "$dir/from-file.html"; echo $?)" "a folder that has only report.json is shown, and said to be"
"$bin" report "$dir/rivals.yaml" --results "$hostile" --format tsv 2>"$err" | cmp - "$hostile/summary.tsv"
ok $? "the spreadsheet from report.json is the one made from the records"
"$bin" report "$dir/rivals.yaml" --results "$hostile" --json 2>"$err" | cmp - "$hostile/report.json"
ok $? "the JSON from report.json is the file itself"

finish
