#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clocks: a campaign on target fake with the control arms of Table 3 (separate runs with k trials a kernel, descents from
# these, seeds measured again). What the report says of clocks, phases and controls must be what SQL says of the records.
set -u
. tests/lib/tap.bash

command -v sqlite3 >/dev/null || skip_all "no sqlite3 to ask the records"
cat >"$dir/clocks.yaml" <<END
experiment: clocks
title: control arms
paper: droplet
report: table3
machine: host
target: fake
networks: [alexnet]
kernels: 3
seeds: 2
regime: tvmc
duels: {max_launches: 5}
arms:
  - {name: ansor, searcher: random, batch: 8, trials_per_kernel: 16}
  - {name: dpansor, explore: ansor, exploit: droplet, k: [1, 5], trials_per_kernel: 8, share: true}
  - {name: own, searcher: random, batch: 8, k: [1, 5]}
  - {name: dpown, explore: own, exploit: droplet, k: [1, 5], trials_per_kernel: 8}
  - {name: again, explore: ansor, exploit: remeasure, k: [1, 5], settings: {times: 2}, trials_per_kernel: 2}
END
"$bin" run "$dir/clocks.yaml" --results "$dir/r" --quiet 2>"$err"
ok $? "a campaign with control arms runs $(head -1 "$err")"
"$bin" report "$dir/clocks.yaml" --results "$dir/r" --json >"$dir/json" 2>"$err"
ok $? "report --json of control arms works $(head -1 "$err")"
"$bin" report "$dir/clocks.yaml" --results "$dir/r" >"$dir/text" 2>>"$err"
ok $? "report of control arms works"

sql() { sqlite3 -readonly "$dir/r/records.db" "$1"; }
value() { perl -MJSON::PP -e 'local $/; my $d = decode_json(<STDIN>); my $t = $d->{tables}; my ($ansor) = grep { $_->{arm} eq "ansor" } @{$t->{explorers}};
    my ($k5) = grep { $_->{k} == 5 } @{$t->{networks}}; my ($mean) = grep { $_->{k} == 5 } @{$t->{means}};
    my ($cut) = grep { $_->{k} == 5 && $_->{network} } @{$t->{separate_runs}}; my ($cuts) = grep { $_->{k} == 5 && !$_->{network} } @{$t->{separate_runs}};
    my ($again) = grep { $_->{k} == 5 && $_->{network} } @{$t->{remeasured_seeds}};
    my $v = eval($ARGV[0]); die $@ if $@; print $v // "null"' "$1" <"$dir/json"; }
near() { # name got want
    perl -e 'exit(abs($ARGV[0] - $ARGV[1]) <= 1e-9 * abs($ARGV[1]) ? 0 : 1)' "$2" "$3"
    ok $? "$1: $2, SQL says $3"
}
# The mean over both seeds of the sum over kernels of the best of some records.
best() { # arm, more of the condition
    sql "SELECT 1e3 * sum(b) / 2 FROM (SELECT min(mean_s) AS b FROM trial JOIN cell USING(cell) WHERE arm = '$1' $2 GROUP BY cell, task)"
}

near "phases add up to the wall time" "$(value 'my $s = 0; $s += $_->{phase_s} for grep { $_->{phase} ne "wall" } @{$t->{phases}}; $s')" \
    "$(sql 'SELECT sum(end_s - begin_s) FROM round')"
near "the report's wall time is that of the rounds" "$(value '(grep { $_->{phase} eq "wall" } @{$t->{phases}})[0]{phase_s}')" "$(sql 'SELECT sum(end_s - begin_s) FROM round')"
near "Ansor's wall time is that of its cells" "$(value '$ansor->{search_wall_s}')" "$(sql "SELECT sum(elapsed_s) / 2 FROM cell WHERE arm = 'ansor'")"
near "Ansor's summed cost is that of its records" "$(value '$ansor->{search_sum_s}')" "$(sql "SELECT sum(cost_s) / 2 FROM trial JOIN cell USING(cell) WHERE arm = 'ansor'")"
near "Ansor's device time is that of its records" "$(value '$ansor->{search_device_s}')" \
    "$(sql "SELECT sum(run_s + verify_s) / 2 FROM trial JOIN cell USING(cell) WHERE arm = 'ansor'")"
ok "$([ "$(value '$ansor->{search_cpu_s}')" = null ]; echo $?)" "a virtual target has no CPU time"
near "the first 5 records have their part of the cost" "$(value '$k5->{seed_search_records_s}')" \
    "$(sql "SELECT sum(c) / 2 FROM (SELECT avg(cost_s) * sum(task_ordinal < 5) AS c FROM trial JOIN cell USING(cell) WHERE arm = 'ansor' GROUP BY cell)")"
near "the first 5 records have their summed cost" "$(value '$k5->{seed_search_sum_s}')" \
    "$(sql "SELECT sum(cost_s) / 2 FROM trial JOIN cell USING(cell) WHERE arm = 'ansor' AND task_ordinal < 5")"

ok "$([ "$(value 'scalar @{$t->{separate_runs}}')" = 4 ]; echo $?)" "separate runs have two rows and two means"
ok "$([ "$(sql "SELECT group_concat(DISTINCT n) FROM (SELECT count(*) AS n FROM trial JOIN cell USING(cell) WHERE arm = 'own-5' GROUP BY cell, task)")" = 5 ]; echo $?)" \
    "each kernel of a separate run has exactly k trials"
ok "$([ "$(sql "SELECT count(*) FROM task JOIN cell USING(cell) JOIN trial ON trial.id = seed_trial JOIN cell AS home ON home.cell = trial.cell WHERE cell.arm = 'dpown-5' AND home.arm <> 'own-5'")" = 0 ]; echo $?)" \
    "descents of the separate run start from its own records"
near "the cut run has the kernel time of its first records" "$(value '$cut->{cut_kernel_ms}')" "$(best ansor 'AND task_ordinal < 5')"
near "the separate run has its own kernel time" "$(value '$cut->{separate_kernel_ms}')" "$(best own-5 '')"
near "the separate run has its own wall time" "$(value '$cut->{separate_search_s}')" "$(sql "SELECT sum(elapsed_s) / 2 FROM cell WHERE arm = 'own-5'")"

# Each seed's kernel time of the cut over that of its own run; the interval of two by t = 12.706 on half their distance in logs.
ratios=$(sql "SELECT a.s / b.s FROM (SELECT seed, sum(m) AS s FROM (SELECT seed, task, min(mean_s) AS m FROM trial JOIN cell USING(cell)
    WHERE arm = 'ansor' AND task_ordinal < 5 GROUP BY seed, task) GROUP BY seed) AS a JOIN (SELECT seed, sum(m) AS s FROM (SELECT seed, task,
    min(mean_s) AS m FROM trial JOIN cell USING(cell) WHERE arm = 'own-5' GROUP BY seed, task) GROUP BY seed) AS b USING(seed)")
near "the cut run over the separate one is a geometric mean" "$(value '$cuts->{separate_kernel_ratio}{ratio}')" "$(perl -e 'print sqrt($ARGV[0] * $ARGV[1])' $ratios)"
near "the ratio of cut and separate runs has its interval over two seeds" "$(value '$cuts->{separate_kernel_ratio}{interval}[1]')" \
    "$(perl -e 'print sqrt($ARGV[0] * $ARGV[1]) * exp(12.706204736174698 * abs(log($ARGV[0] / $ARGV[1])) / 2)' $ratios)"
perl -0777 -ne 'exit(/Cut over own run\n.*?\n kernels\n.*?\n  k = 5 .*\[.*\].*2 seeds/s ? 0 : 1)' "$dir/text"
ok $? "a line compares the cut run and the separate one"

near "the interval of a mean is the same by two ways" "$(value '$mean->{kernel_speedup}{interval}[1]')" \
    "$(value 'my @v = map { $_->{kernel_speedup}{ratio} } grep { $_->{arm} eq "dpansor-5" } @{$t->{seeds}}; sqrt($v[0] * $v[1]) * exp(12.706204736174698 * abs(log($v[0] / $v[1])) / 2)')"
ok "$([ "$(value 'my $e = $mean->{search_speedup_wall}; join ",", @$e{qw(over n wins df)}, abs($e->{p_holm} - ($e->{p} > 0.5 ? 1 : 2 * $e->{p})) < 1e-12 || 0')" = seeds,2,2,1,1 ]; echo $?)" \
    "two seeds, both searched for less time: one degree of freedom, Holm's correction over two k"
grep -q "How sure these means are" "$dir/text"
ok $? "the text says how sure the means are"

# Time to target, worked again from the records: each seed's sum of best kernels over the explorer's clock; for a descent from its
# seeds' share of the explorer's rounds on, trial by trial. Of each arm: runs that reached 1.05 times the median of the explorer's
# last sums, and the time of all runs over those.
sql "SELECT c.seed, t.task, t.mean_s, t.elapsed_s FROM trial t JOIN cell c ON c.cell = t.cell WHERE c.arm = 'ansor' ORDER BY c.seed, t.ordinal" >"$dir/log"
sql "SELECT c.seed, max(c.elapsed_s) FROM cell c WHERE c.arm = 'ansor' GROUP BY c.seed" >"$dir/ends"
sql "SELECT c.seed, r.task, r.end_s - r.begin_s, (SELECT count(*) FROM trial t WHERE t.cell = r.cell AND t.round = r.round) FROM round r JOIN cell c ON
    c.cell = r.cell WHERE c.arm = 'ansor' ORDER BY c.seed, r.round" >"$dir/rounds"
sql "SELECT c.seed, c.k, k.task, s.mean_s, t.mean_s, t.wall_s FROM cell c JOIN task k ON k.cell = c.cell JOIN trial s ON s.id = k.seed_trial LEFT JOIN trial t
    ON t.task = k.task AND t.cell = CASE WHEN k.shared_cell >= 0 THEN k.shared_cell ELSE c.cell END WHERE c.arm LIKE 'dpansor-%'
    ORDER BY c.seed, c.k, k.task, t.task_ordinal" >"$dir/descents"
worked=$(perl -e 'my $dir = shift; my (%end, %curve, %best, %sum, %left, %begin, %done, %of, %clock);
    my $rows = sub { open my $f, "<", "$dir/$_[0]" or die; map { chomp; [split /\|/] } <$f> };
    $end{$_->[0]} = $_->[1] for $rows->("ends");
    for ($rows->("log")) { my ($s, $t, $m, $at) = @$_; $best{$s}{$t} = $m if length $m && (!defined $best{$s}{$t} || $m < $best{$s}{$t});
        if (keys %{$best{$s}} == 3) { my $v = 0; $v += $_ for values %{$best{$s}}; push @{$of{ansor}{$s}}, [$at, $v] } }
    my @last = sort { $a <=> $b } map { $of{ansor}{$_}[-1][1] } keys %end; my $target = 1.05 * ($last[0] + $last[1]) / 2;
    for my $k (1, 5) { my %left; for ($rows->("rounds")) { my ($s, $t, $w, $n) = @$_; $left{$s}{$t} //= $k; my $take = $n < $left{$s}{$t} ? $n : $left{$s}{$t};
        $clock{$s}{$k} += $w * $take / $n if $n; $left{$s}{$t} -= $take } }
    my %seed; $seed{"$_->[0] $_->[1]"}{$_->[2]} = $_->[3] for $rows->("descents");
    for (keys %seed) { my ($s, $k) = split; my $v = 0; $v += $_ for values %{$seed{$_}}; $sum{$_} = $v; push @{$of{"dpansor-$k"}{$s}}, [$clock{$s}{$k}, $v] }
    for ($rows->("descents")) { my ($s, $k, $t, undef, $m, $w) = @$_; my $at = "$s $k"; next unless length $w; $clock{$s}{$k} += $w;
        if (length $m && $m < $seed{$at}{$t}) { $sum{$at} += $m - $seed{$at}{$t}; $seed{$at}{$t} = $m }
        push @{$of{"dpansor-$k"}{$s}}, [$clock{$s}{$k}, $sum{$at}] }
    for my $arm (qw(ansor dpansor-1 dpansor-5)) { my ($reached, $spent) = (0, 0);
        for my $s (keys %end) { my ($hit) = grep { $_->[1] <= $target * (1 + 1e-9) } @{$of{$arm}{$s}};
            my $stop = $arm eq "ansor" ? $end{$s} : $of{$arm}{$s}[-1][0]; $reached++ if $hit; $spent += $hit ? $hit->[0] : $stop }
        printf "%s:%d:%s ", $arm, $reached, $reached ? sprintf("%.6f", $spent / $reached) : "null" }' "$dir")
told=$(perl -MJSON::PP -e 'local $/; my $d = decode_json(<STDIN>);
    printf "%s:%d:%s ", $_->{arm}, $_->{reached}, defined $_->{expected_s} ? sprintf("%.6f", $_->{expected_s}) : "null"
    for grep { abs($_->{q} - 1.05) < 1e-9 } @{$d->{tables}{time_to_target}}' <"$dir/json")
ok "$([ "$told" = "$worked" ]; echo $?)" "time to target: $told, worked again $worked"
grep -q "^Time to target" "$dir/text" && "$bin" report "$dir/clocks.yaml" --results "$dir/r" --format html 2>"$err" >"$dir/html" &&
    grep -q 'id="targets"' "$dir/html" && grep -q 'of several seeds the median, from when most of them' "$dir/html"
ok $? "text and page have the time to target, and the page has the curves"
cp "$dir/json" "$out"
json "curves of two seeds have their range" '@{$d->{tables}{curves}} && !grep { @{$_->{low_ms}} != @{$_->{ms}} || $_->{low_ms}[0] > $_->{ms}[0] || $_->{high_ms}[0] < $_->{ms}[0] } @{$d->{tables}{curves}}'
if command -v gnuplot >/dev/null; then
    perl -0777 -ne 'exit(m{id="curves">.*?fill-opacity.*?</details>}s ? 0 : 1)' "$dir/html"
    ok $? "the curves are drawn with their band"
else
    skip "the curves are drawn with their band" "gnuplot is not installed"
fi

ok "$([ "$(sql "SELECT count(*) FROM trial JOIN cell USING(cell) JOIN task USING(cell, task) JOIN trial AS s ON s.id = seed_trial WHERE arm LIKE 'again-%' AND trial.hash = s.hash")" = 24 ]; echo $?)" \
    "the arm of searcher remeasure measures nothing but its seeds, twice each"
near "seeds measured again have their best kernel time" "$(value '$again->{remeasured_ms}')" "$(best again-5 '')"
near "the gains of measuring again and of searching multiply to the whole" "$(value '$again->{remeasure_gain}{ratio} * $again->{remeasured_search_gain}{ratio}')" "$(value '$k5->{seed_gain}{ratio}')"
tr -s '\n ' ' ' <"$dir/text" >"$dir/line"
grep -q "The paper's clock (records) and the wall clock" "$dir/line"
ok $? "the text says whether the clocks agree"
grep -q "beside a run of its own with k trials a kernel" "$dir/line" && grep -q "The seeds measured again under the same regime" "$dir/line"
ok $? "the text has both controls"

# Where the time of each arm went. On a virtual target nobody explores, so phases are planted: those of the second seed
# are four times as long.
cp -r "$dir/r" "$dir/planted"
sqlite3 "$dir/planted/records.db" "INSERT INTO event(cell, round, kind, name, seconds, text, unix_s) SELECT cell, round, 'phase', name,
    seconds * (CASE seed WHEN 2 THEN 4 ELSE 1 END), '', 0
    FROM round JOIN cell USING(cell) JOIN (SELECT 'sample' AS name, 3.0 AS seconds UNION SELECT 'draft', 1 UNION SELECT 'score', 2 UNION SELECT 'train', 5) WHERE arm = 'ansor'"
"$bin" report "$dir/clocks.yaml" --results "$dir/planted" --json >"$dir/json" 2>"$err"
ok $? "a report of records with planted phases is made $(head -1 "$err")"
split() { value "(grep { \$_->{arm} eq q($1) && \$_->{network} } @{\$t->{time_split}})[0]$2"; }
rounds=$(sql "SELECT count(*) FROM round JOIN cell USING(cell) WHERE arm = 'ansor' AND seed = 1")
near "exploration is drawing, drafting and scoring" "$(split ansor '{exploration_s}')" "$(perl -e 'print $ARGV[0] * 6 * 5 / 2' "$rounds")"
near "training is told by itself" "$(split ansor '{training_s}')" "$(perl -e 'print $ARGV[0] * 5 * 5 / 2' "$rounds")"
measured() { sql "SELECT total(seconds) FROM event JOIN cell USING(cell) WHERE kind = 'phase' AND name IN ('build', 'run', 'verify') AND arm = 'ansor' ${1-}"; }
near "measurement is building, running and verifying" "$(split ansor '{measurement_s}')" "$(perl -e 'print $ARGV[0] / 2' "$(measured)")"
near "the share of exploration is a geometric mean over seeds" "$(split ansor '{exploration_share}{ratio}')" "$(perl -e '
    my ($n, @m) = @ARGV; print sqrt(6 * $n / (11 * $n + $m[0]) * 24 * $n / (44 * $n + $m[1]))' "$rounds" "$(measured 'AND seed = 1')" "$(measured 'AND seed = 2')")"
near "one network is all there is" "$(value '(grep { $_->{arm} eq "ansor" && !$_->{network} } @{$t->{time_split}})[0]{exploration_share}{ratio}')" \
    "$(split ansor '{exploration_share}{ratio}')"
ok "$([ "$(split own-5 '{exploration_share}')" = null ]; echo $?)" "an arm that spent no time exploring has no share"
finish
