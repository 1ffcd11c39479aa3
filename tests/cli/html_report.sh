#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# page: the HTML report of a campaign on target fake. Two runs give the same bytes; the page is balanced, asks nothing of
# a network, runs no script; hostile names stay text; the queries that it names as the source of its numbers give them.
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
launches: 2
arms:
  - {name: "an<b>sor&", searcher: random, batch: 8, trials_per_kernel: 16}
  - {name: "dp\"'><img src=x>", explore: "an<b>sor&", exploit: droplet, k: [1, 6], trials_per_kernel: 8, share: true}
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

has() { grep -qF -e "$1" "$dir/a.html"; ok $? "has ${2:-$1}"; }
lacks() { if grep -qiE -e "$1" "$dir/a.html"; then ok 1 "lacks ${2:-$1}"; else ok 0 "lacks ${2:-$1}"; fi; }
for id in table figures networks curves clocks controls noise verdicts time failures environment origin; do
    has "id=\"$id\"" "section $id"
done
has "&lt;script&gt;alert(1)&lt;/script&gt;" "the title as text"
has "an&lt;b&gt;sor&amp;" "the arm's name as text"
lacks "<script|<img|<b>" "markup of hostile names"
lacks "https?://|(src|href)=\"[^#]|@import|url\(|<link|<iframe|<[^>]* on[a-z]+=" "anything from elsewhere, and handlers"
lacks "\bnan\b|[>\"]-?inf|\(null\)" "numbers that are none"
lacks "$dir" "folders of this run"
has "best so far over the wall clock" "curves"
has "viewport" "a width for phones"
has "@media print" "a form for paper"
has "The paper&#39;s clock (records) and the wall clock" "what the clocks say of each other"
perl -0777 -ne 's/<!DOCTYPE[^>]*>//; s/<style>.*?<\/style>//s; my @open; while (m{<(/?)([a-zA-Z0-9]+)[^>]*?(/?)>}g) {
    next if $3; if (!$1) { push @open, $2; next } my $was = pop @open; $was eq $2 or die "<$was> ends as </$2>\n" }
    exit(@open ? 1 : 0)' "$dir/a.html"
ok $? "every element is closed where it should be"
perl -0777 -ne 'exit(utf8::decode($_) ? 0 : 1)' "$dir/a.html"
ok $? "UTF-8"
[ "$(wc -c <"$dir/a.html")" -lt 200000 ]
ok $? "small: $(wc -c <"$dir/a.html") bytes"

# The queries of the last section, on cell 0 (the log of seed 1) and its descent from k = 6.
if command -v sqlite3 >/dev/null; then
    perl -0777 -ne 'while (m{<code class="sql">(.*?)</code>}gs) { my $q = $1; $q =~ s/&#39;/\x27/g; $q =~ s/&lt;/</g;
        $q =~ s/&gt;/>/g; $q =~ s/&amp;/&/g; $q =~ s/\?LOG/0/g; $q =~ s/\?CELL/2/g; $q =~ s/\?K/6/g; print "$q;\n" }' "$dir/a.html" >"$dir/sql"
    asked=0 answered=0
    while read -r query; do
        asked=$((asked + 1))
        sqlite3 -readonly "$dir/a/records.db" "$query" >"$dir/answer" 2>"$err" && answered=$((answered + 1)) || head -1 "$err" >&2
    done <"$dir/sql"
    [ $asked -gt 10 ] && [ $asked = $answered ]
    ok $? "each of $asked queries runs"
    "$bin" report "$dir/page.yaml" --results "$dir/a" --set seeds=2 --json >"$dir/json"
    one() { sqlite3 -readonly "$dir/a/records.db" "$(sed -n "$1p" "$dir/sql")"; }
    # One seed of two: the page joins both, so the other seed's cells are asked too.
    other() { sqlite3 -readonly "$dir/a/records.db" "$(sed -n "$1p" "$dir/sql" | sed "s/= 0/= $2/g; s/= 2/= $3/g")"; }
    log=$(sqlite3 -readonly "$dir/a/records.db" "SELECT cell FROM cell WHERE network = 'alexnet' AND seed = 2 AND explore_cell < 0")
    for row in "1 kernels of Ansor:\$n->{ansor}{kernel_ms}{sum} / 1e3" "3 kernels of Ansor-6:\$n->{k}[1]{ansor_k}{kernel_ms}{sum} / 1e3" \
        "4 kernels of DPAnsor-6:\$n->{k}[1]{dpansor}{kernel_ms}{sum} / 1e3" "7 wall clock of Ansor-6:\$n->{k}[1]{ansor_k}{search_s}{wall}" \
        "9 records x mean cost:\$n->{ansor}{search_s}{records}" "11 device time:\$n->{ansor}{search_s}{device}"; do
        line=${row%% *} name=${row#* }
        perl -MJSON::PP -e 'local $/; my $n = decode_json(<STDIN>)->{networks}[0]; my $v = eval $ARGV[0]; my $w = ($ARGV[1] + $ARGV[2]) / 2;
            exit(abs($v - $w) <= 1e-9 * abs($w) ? 0 : 1)' "${name#*:}" "$(one "$line")" "$(other "$line" "$log" $((log + 2)))" <"$dir/json"
        ok $? "query $line gives the ${name%%:*}"
    done
fi

"$bin" report "$dir/page.yaml" --results "$dir/a" --write >/dev/null 2>&1
cmp "$dir/a/report.html" "$dir/a.html"
ok $? "--write leaves the page in the results folder"
"$bin" report "$dir/page.yaml" --results "$dir/a" --format htm >/dev/null 2>"$err"
ok "$([ $? = 2 ] && grep -q html "$err"; echo $?)" "an unknown format: exit 2, the names of those there are"

# ---- a contest: its figures hold what gnuplot is handed, point by point ----
cat >"$dir/duel.yaml" <<'END'
experiment: duel
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
"$bin" run "$dir/duel.yaml" --results "$dir/d" --quiet 2>"$err" && "$bin" report "$dir/duel.yaml" --results "$dir/d" --write >/dev/null 2>&1
ok $? "a contest runs $(head -1 "$err")"
perl -0777 -ne 'my ($s) = m{<section id="figures">(.*?)</section>}s or die "no figures\n"; my @f = $s =~ m{<figure>(.*?)</figure>}gs;
    my @points = map { scalar(() = /<circle /g) } @f; my @legend = map { scalar(() = /<li>/g) } @f;
    print STDERR "points @points, arms @legend\n"; exit("@points, @legend" eq "3 3 3, 2 2 2" && $s =~ /w&lt;i&gt;der-1/ && $s =~ /k=6/ ? 0 : 1)' \
    "$dir/d/report.html" 2>"$err"
ok $? "figures of all networks and of each, an arm a colour: $(head -1 "$err")"
perl -0777 -ne 'exit(m{<p>Each exploiter starts.*?</p>}s && !/<pre[^>]*>Each exploiter/ ? 0 : 1)' "$dir/d/report.html"
ok $? "prose wraps, tables do not"

finish
