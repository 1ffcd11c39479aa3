#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# readme: the numbers in README.md and results/README.md are those of the committed results: the lines that the pages
# must have are made from each run's report.json and from `raingauge claims`. What hangs on the authors' released files is
# in claims.sh.
set -u
. tests/lib/tap.bash
.ci/committed "$dir" && cd "$dir" && cp "$root/README.md" . && ln -s "$root/experiments" "$root/harness" "$root/targets" "$root/tests" . || exit 1

# has PAGE NAME TEXT: the page has the text, wherever its lines are broken.
has() { [ -n "$3" ] && tr -s '\n ' ' ' <"$1" | grep -qF -e "$3" || { echo "$1 should say: $3" >"$out"; false; }; ok $? "$1: $2"; }
# made RUN PERL: what the expression makes of the run's report, where %$t are its tables.
made() {
    perl -MJSON::PP -MList::Util=sum,max,uniq -e 'my ($run, $code) = @ARGV; open my $f, "<", "results/$run/report.json" or die "$run: $!";
        local $/; my $d = decode_json(<$f>); my $t = $d->{tables}; my ($n) = @{$t->{noise}};
        my %gate = map { $_->{gate} => $_ } @{$t->{gates}}; my %host = map { $_->{name} => $_->{text} } @{$t->{environment}};
        my $kernels = sum map { $_->{kernels} } @{$t->{explorers}}; my $networks = @{$t->{explorers}}; my ($at300) = grep { ($_->{k} // 0) == 300 } @{$t->{means}}; my $arms = @{$t->{means}};
        my @k = sort { $a <=> $b } uniq map { $_->{k} } @{$t->{means}}; my $trials = sum map { $_->{trials} // 0 } @{$t->{explorers}};
        my $many = sub { scalar reverse(reverse($_[0]) =~ s/(\d{3})(?=\d)/$1,/gr) };
        my $verdict = $d->{valid} ? "valid" : "INVALID"; my $floor = sprintf "noise floor %.1f %%", 100 * $n->{noise_floor};
        $floor .= sprintf "; others took %.1f %% of the CPU time", 100 * $gate{contention}{value} if $gate{contention}{state} eq "failed";
        my $v = eval $code; die $@ if $@; print $v' "$1" "$2"
}

change='my $change = sub { my $p = 100 * abs(1 / $_[0] - 1); my $s = $_[0] > 1 ? "less" : "more"; $p < 10 ? sprintf("%.1f %% %s", $p, $s) : sprintf("%.0f %% %s", $p, $s) };'
rows=$(made table3/night "$change"' join "\n", map { my $e = $_->{kernel_speedup_retimed}; sprintf "| %d | %.2f of Ansor\x27s time | %s time | %s to %s | %s |", $_->{k},
    1 / $_->{search_speedup_wall}{ratio}, $change->($e->{ratio}), $change->($e->{interval}[1]), $change->($e->{interval}[0]), $change->($_->{paper_kernel_speedup}) } @{$t->{means}}')
sed -n '/^| k | Droplet/,/^$/p' README.md | sed '1,2d; /^$/d' | diff - <(echo "$rows") >"$out"
ok $? "README.md: the table is that of results/table3/night"
has README.md "the same program in both arms is counted" "$(made table3/night 'my ($w) = grep { !defined $_->{network} && $_->{arm} eq "dpansor-300" } @{$t->{duels}};
    "Of " . $many->($w->{kernels}) . " winners at k = 300, of each kernel and seed, $w->{identical} are Ansor\x27s very program."')"
has README.md "networks on which the search takes more time are counted" "$(made table3/night 'my @n = grep { $_->{arm} eq "dpansor-300" } @{$t->{networks}};
    my $more = grep { $_->{search_speedup_wall}{ratio} < 1 } @n; "On " . ($more || "none") . " of the " . @n . " networks its search takes more time."')"
has README.md "the means are over so many networks" "$(made table3/night '"geometric means over $t->{means}[0]{counted} networks"')"
has README.md "the interval is over what the report says" "$(made table3/night '"The interval is over $t->{means}[0]{kernel_speedup_retimed}{over}."')"
[ "$(wc -l <README.md)" -le 110 ]
ok $? "README.md has 110 lines at most"
has README.md "cores, kernels, trials and seeds are those of the run" "$(made table3/night 'my $two = grep { $_->{seeds} == 2 } @{$t->{explorers}};
    "on " . ($host{cores_usable} == 1 ? "one core" : "$host{cores_usable} cores") . " of shared virtual machines: $kernels kernels, all of $networks networks, two seeds of $two of them, "
    . $many->($trials) . " trials of Ansor, " . $many->(sprintf "%.0f", $trials / sum map { $_->{seeds} } @{$t->{explorers}}) . " a network and seed"')"
has README.md "the run is said to be valid or not as it is" "$(made table3/night '"The measurement is $verdict:"')"
has README.md "how sure it is stands in the report" "$(made table3/night 'sprintf "with short timings and %d degrees of freedom", $at300->{kernel_speedup_retimed}{df}')"
has README.md "how much of the search time it takes stands in the report" "$(made table3/night 'sprintf "in %.2f of its search time", 1 / $at300->{search_speedup_wall}{ratio}')"

# How long: what plan says where there are no records, on the core that its constants are of.
hours() { local plan="$dir/plan-$1-$2${4:+-set}.json"
    [ -s "$plan" ] || "$bin" plan "$1" --tier "$2" --pace 1 ${4:-} --results "$dir/nowhere" --json >"$plan"
    perl -MJSON::PP -MPOSIX=ceil -e 'local $/; my $d = decode_json(<STDIN>);
    my ($one, $two, $eight) = @{$d->{on_cores}}; print eval shift' "$3" <"$plan"; }
for stem in ablation controls exploiters landscape long metaschedule micro offline operators parity race speculation storm-draft-drop table3 threshold variance; do
    [ "$(hours $stem smoke '$two->{left_s} <= 600 ? "fits" : "long"')" = fits ] && [ "$(hours $stem short '$two->{left_s} <= 7200 ? "fits" : "long"')" = fits ]
    ok $? "$stem: smoke is planned for ten minutes at most and short for two hours"
    has harness/doc/hours.md "how long the tiers of $stem take is what plan says" "| \`$stem\` | $(hours $stem smoke 'ceil($two->{left_s} / 60)') min | $(
        hours $stem short 'sprintf "%.1f", $two->{left_s} / 3600') h | $(
        hours $stem short '(grep { $_->{reach} eq "side" } @{$d->{claims}}) . " of " . @{$d->{claims}}') | $(hours $stem judge 'ceil($two->{left_s} / 3600)') h | $(
        hours $stem judge 'ceil($two->{left_s} / 32400)') | $(hours $stem judge '(grep { $_->{reach} eq "settles" } @{$d->{claims}}) . " of " . @{$d->{claims}}') |"
done
has harness/doc/hours.md "how long a night of table3 takes is what plan says" "takes $(hours table3 night 'ceil($two->{left_s} / 3600)') h on two cores and $(
    hours table3 night 'ceil($eight->{left_s} / 3600)') h on eight, instead of $(hours table3 judge 'ceil($two->{left_s} / 3600)') h"
split="--set threads=4 --set target_settings.overlap=true"
has harness/doc/hours.md "how long it takes with cores for builds is what plan says" "on eight $(
    hours table3 night 'ceil($eight->{left_s} / 3600)' "$split") h where kernels have four of them and builds go on beside runs on the others (\`$split\`)"
[ "$(hours table3 night '$two->{left_s} <= 36000 && $eight->{half_s} <= 14400 ? "fits" : "long"')" = fits ]
ok $? "table3: a night is planned for ten hours at most on two cores, and four on eight"
has harness/doc/hours.md "how long three networks of a night take is what plan says" "night and takes $(hours table3 three-networks 'sprintf "%.1f", $two->{left_s} / 3600') h."
has harness/doc/hours.md "what a night can tell is what plan says" "indicates $(
    hours table3 night '(grep { $_->{reach} eq "side" } @{$d->{claims}}) . " claims and settles " . ((grep { $_->{reach} eq "settles" } @{$d->{claims}}) || "none")')"
has harness/doc/decisions.md "how often two kernels of a network err alike is counted" "$(made table3/direction 'my (%e, $alike, $all);
    $e{"$_->{network} $_->{arm}"}{$_->{kernel}} += ($_->{seed} == 1 ? 1 : -1) * log($_->{explorer_kernel_retimed_ms} / $_->{kernel_retimed_ms}) for @{$t->{kernels}};
    for (values %e) { my ($x, $y) = values %$_; next unless $x * $y; $all++; $alike += $x * $y > 0 } "same side in $alike of $all pairs"')"
# Recorded on one core, before objects were kept, which spares descents some builds.
for run in table3/direction parity/direction race/short; do
    took=$(made $run '(grep { $_->{phase} eq "wall" } @{$t->{phases}})[0]{phase_s}')
    [ "$(hours "${run%/*}" "${run#*/}" '(map { $_ > 0.8 && $_ < 1.2 } ($one->{left_s} - $one->{retiming_s}) / '"$took"')[0] ? "near" : "far"')" = near ]
    ok $? "$run: plan expects the searches to take what they took, within a fifth"
done
has harness/doc/hours.md "how long a tier of decompose takes is what plan says" "the longest takes $(for tier in x86 threads packed; do
    hours decompose $tier 'sprintf "%.1f h\n", $two->{left_s} / 3600'; done | sort | tail -1)"
has harness/doc/hours.md "how long the short tiers of decompose take is what plan says" "\`-short\` $(for tier in x86-short threads-short packed-short; do
    hours decompose $tier 'sprintf "%.1f h\n", $two->{left_s} / 3600'; done | sort | tail -1) at"
has harness/doc/hours.md "how long the tiers of published take is what plan says" "\`packed\` takes $(hours published packed 'sprintf "%.1f", $two->{left_s} / 3600') h and \`rewritten\` $(
    hours published rewritten 'sprintf "%.1f", $two->{left_s} / 3600') h"
for stem in table3 exploiters race; do
    has harness/doc/review.md "how long $stem takes a reviewer at most is what plan says" "reproduce-$stem TIER=short\` | $(hours $stem short 'sprintf "%.1f", $d->{most_s} / 3600') h |"
done
has harness/doc/hours.md "how long parity-null takes is what plan says" "its \`direction\` takes $(hours parity-null direction 'sprintf "%.1f", $two->{left_s} / 3600') h"

page=results/README.md
for run in results/*/*/report.json results/*/*/*/report.json; do
    [ -e "$run" ] || continue
    run=${run#results/} run=${run%/report.json}
    grep -qF "| \`$run\` |" results/runs.md
    ok $? "results/runs.md: run $run has a row"
done
# Whoever has the records can make the report anew.
for packed in results/*/*/records.db.xz results/*/*/*/records.db.xz; do
    [ -e "$packed" ] || continue
    "$bin" report "${packed%/*}" --json 2>"$err" | cmp -s - "${packed%/*}/report.json" && [ "$(stat -c %s "$packed")" -le 10485760 ]
    ok $? "$packed is within 10 MiB and gives the committed report, byte for byte"
done
# Shards of one campaign belong together and are within the gates. Those of a campaign that is over are its records.
for shards in results/*/*/shards; do
    [ -e "$shards" ] || continue
    whole=${shards%/shards}/report.json part=
    [ -e "$whole" ] || part=--partial
    { "$bin" merge "$shards"/* $part --unlike --results "$dir/shards" --quiet && "$bin" report "$dir/shards" --json; } >"$out" 2>"$err"
    json "$shards are one valid campaign" '$d->{valid}'
    if [ -n "$part" ]; then
        has $page "$page names the shards that $shards has" "\`${shards#results/}\` has $(ls -v "$shards" | sed 's/.*/`&`/' | paste -sd' ' | sed 's/ /, /g; s/\(.*\), /\1 and /')"
    else
        cmp -s "$out" "$whole"
        ok $? "$shards give the committed report, byte for byte"
        while IFS='|' read -r _ cpu list seen; do
            { "$bin" merge $(printf "$shards/%s " $list) --partial --results results/part && "$bin" report results/part --json >results/part/report.json; } 2>"$err"
            [ "$seen" = " $(made part 'my $e = $at300->{kernel_speedup_retimed};
                sprintf "%d | %.2f | %.3f | [%.3f, %.3f] | %.1f %%", $at300->{counted}, 1 / $at300->{search_speedup_wall}{ratio}, $e->{ratio}, @{$e->{interval}}, 100 * $n->{noise_floor}') |" ]
            ok $? "${shards%/*}/README.md: the row of$cpu is what its shards give"
            rm -rf results/part
        done < <(grep '^| `' "${shards%/*}/README.md")
    fi
    [ -z "$(find "$shards" -size +4096k)" ]
    ok $? "$shards are within 4 MiB each"
    rm -rf "$dir/shards"
done
# Numbers belong to runs.md, which is made of the reports. Here only the verdicts on claims have some, tested below.
numbers=$(perl -0pe 's/## Verdicts.*?(?=^## )//ms; s/`[^`]*`//g; s/\[.*?\]\(.*?\)//g; s/AVX-512//g' $page | grep -n '[0-9]')
[ -z "$numbers" ]
ok $? "$page has no number of its own${numbers:+: $numbers}"
perl -0ne 'exit !(/\| INVALID \|/ && !/\| valid \|/)' results/runs.md && grep -q "No run here is valid" $page ||
    { grep -q '| valid |' results/runs.md && ! grep -q "No run here is valid" $page; }
ok $? "$page says whether any run is valid as results/runs.md does"
[ "$(grep -c '^- Found:' results/runs.md)" -le "$(grep -cE '\| valid( for kernels)? \|' results/runs.md)" ]
ok $? "results/runs.md tells no finding of a run that is not valid"

linked() { grep -o "$1\[[a-z0-9_/-]*\](" results/FINDINGS.md | sed 's/.*\[//; s/..$//' | sort -u; }
runs=$(linked '^- ')
[ -n "$runs" ]
ok $? "results/FINDINGS.md names runs"
for run in $runs; do
    made "$run" '$d->{valid} && $d->{complete} ? "fine" : "not"' | grep -qx fine
    ok $? "results/FINDINGS.md: run $run, which it has findings of, is valid and complete"
done
for run in $(linked '^| '); do # those that ask why: of kernels alone
    made "$run" '$n->{state} eq "passed" && $d->{complete} ? "fine" : "not"' | grep -qx fine
    ok $? "results/FINDINGS.md: the kernels of run $run, which it has findings of, are valid and complete"
done
while IFS=$'\t' read -r _ _ schedules spearman _ _ ratio _ _ _ within _; do
    [ "$schedules" = schedules ] || { grep -qE "^\| .*, $schedules \| $spearman \| $ratio \| $within \|$" targets/cpu/README.md
        ok $? "targets/cpu/README.md: the likeness of $schedules schedules is that of results/landscape"; }
done <results/landscape/shared_logs.tsv
has results/regimes/README.md "how a short regime ranks is what ranks.tsv has" "$(awk -F'\t' 'NR > 1 { n++; p += $2; s += $3; l += $4; q += $5; e += $6; f += $7; a += $11 * $2; b += $12 * $2 }
    END { printf "Over %d programs of %d kernels the mean rank correlation of short and long is %.3f. Long with itself has %.3f, and short with itself %.3f. Both call the same program the fastest in %.0f of 100 pairs of turns; long and long again do in %.0f. A program takes %.3f s to build and run under short, and %.3f s under long.", p, n, s / n, l / n, q / n, 50 * e / n, 50 * f / n, b / p, a / p }' results/regimes/ranks.tsv)"
has results/peers/README.md "how many trials a second the searches run is what tvm.tsv has" "over 3 kernels raingauge runs $(head -1 results/peers/tvm.tsv | grep -q tvm_search_s && awk -F'\t' '
    NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { r = $c["ours_trials"] / $c["ours_search_s"] * $c["tvm_search_s"] / $c["tvm_trials"]; l += log(r); n++; if (!low || r < low) low = r; if (r > high) high = r }
    END { printf "%.2f (%.2f to %.2f) times as many trials a second", exp(l / n), low, high }' results/peers/tvm.tsv)"
page=results/gpu/README.md
while IFS= read -r row; do
    grep -qF "$row" $page
    ok $? "$page: the row '$row' is what replayed.tsv has"
done < <(perl -F'\t' -lane 'next if $. == 1; push @{$p{"$F[0] | $F[1]"}}, [@F[3, 4]];
    sub ranks { my @v = @_; my @at = sort { $v[$a] <=> $v[$b] } 0 .. $#v; my @r;
        for (my $i = 0, my $j; $i <= $#at; $i = $j) { for ($j = $i; $j <= $#at && $v[$at[$j]] == $v[$at[$i]]; $j++) {} $r[$at[$_]] = ($i + $j - 1) / 2 for $i .. $j - 1 } @r }
    sub dot { my ($x, $y) = @_; my $s = 0; $s += ($x->[$_] - $#$x / 2) * ($y->[$_] - $#$y / 2) for 0 .. $#$x; $s }
    END { for (sort keys %p) { my @x = ranks(map { $_->[0] } @{$p{$_}}); my @y = ranks(map { $_->[1] } @{$p{$_}}); my $l = 0; $l += log($_->[0] / $_->[1]) for @{$p{$_}};
        printf "| %s | %d | %.2f | %.2f |\n", $_, scalar @x, dot(\@x, \@y) / sqrt(dot(\@x, \@x) * dot(\@y, \@y)), exp($l / @x) } }' results/gpu/replayed.tsv)
has $page "what the libraries take is the record of the check" "$(awk '/^   kernel .*library/ { on = 1; next } on && /ms/ { printf "%s%s", n++ ? (n == 4 ? " and " : ", ") : "take ", $NF } on && !/ms/ { on = 0 }' results/gpu/h200.txt) times as long"
has $page "the programs and trials are counted as in the record" "all $(sed -n 's/.*right after .*: \([0-9]*\) programs give .*/\1/p' results/gpu/h200.txt) GPU programs"
has $page "the trials are counted as in the record" "$(sed -n 's/^ *trials  \([0-9]*\) of .* \([0-9]*\) failed/Of \1 trials of four kernels \2 failed/p' results/gpu/h200.txt)"
has $page "programs for tensor cores are counted as in the record" "all $(sed -n 's/.*: \([0-9]*\) programs for tensor cores give the right result.*; 0 are wrong or crash;.*/\1/p' results/gpu/tensor.txt) programs for tensor cores"
has $page "those tried and those that failed are counted as in the record" "$(sed -n 's/^ *trials  \([0-9]*\) of .* \([0-9]*\) failed/Of \1 programs with and without tensor cores \2 failed; none was wrong/p' results/gpu/tensor.txt)"
has targets/cpu/README.md "the programs that TVM gets wrong are counted as in results/landscape" \
    "$(awk -F'\t' 'NR > 1 { wrong += $15; n += $3 + $14 + $15 } END { print wrong " of the " n " schedules" }' results/landscape/likeness.tsv)"
has targets/cpu/README.md "the kernels that rank alike are counted as in results/landscape" \
    "$(awk -F'\t' 'NR > 1 { n++; alike += $4 >= 0.95 } END { print alike " of " n " rank at Spearman 0.95" }' results/landscape/likeness.tsv)"

has results/duels/README.md "the duels that are right are counted as in duels.tsv" "$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { n[$1]++; right[$1] += $at["right"] == "yes" } END { printf "%d of %d intervals of equal programs hold 1, and %d of %d find", right["aa_held"], n["aa_held"],
    right["planted_found"], n["planted_found"] }' results/duels/duels.tsv)"
has results/duels/README.md "how sure a hundred kernels are is said as in hundred.tsv" "$(awk -F'\t' 'NR > 1 && !first { first = $2; if ($3 >= 1) exit }
    NR > 1 { last = $3; at = $1 } END { printf "after 2 minutes and %d launches, and %s %% after %d minutes", first, last, at }' results/duels/hundred.tsv)"
counted() { "$bin" claims "$1" 2>"$err" | sed -n 's/^# measured: //p'; }
for paper in droplet pruner; do
    title=$(perl -ne 'print ucfirst if s/^claims: //' experiments/papers/$paper.yaml)
    has README.md "the verdicts on the claims of $title are counted" "- $title: $(counted $paper)."
done
"$bin" claims droplet --json >"$dir/claims" 2>"$err"
verdict() { perl -MJSON::PP -e 'local $/; my ($c) = grep { $_->{id} eq $ARGV[0] } @{decode_json(<STDIN>)->{claims}}; print $c->{verdict}' "$1" <"$dir/claims"; }
[ "$(verdict C1.speed) $(verdict C1.ryzen7)" = "NOT TRANSFERRED (no effect) NOT TRANSFERRED (no effect)" ] && [ "$(verdict K100.kernel)" = "NOT TRANSFERRED" ] &&
    [ "$(verdict C2.wall)" = "TRANSFERRED (direction)" ]
ok $? "README.md: what it says of the kernels at k = 300 and 100 and of the search is what the claims say"
"$bin" claims pruner --json >"$dir/claims" 2>"$err"
[ "$(verdict P1)" = "TRANSFERRED (direction)" ] && [ "$(verdict P2)" = INCONCLUSIVE ]
ok $? "README.md: what it says of Pruner and MoA-Pruner is what the claims say"
# Those of shards that were merged are of other runs, too.
cpus=$(perl -MJSON::PP -e 'local $/; my %c; while (my $h = <>) { $h = decode_json($h); $c{"$h->{host}{cpu} $h->{host}{features}"} = 1 if !$h->{shards} }
    print((qw(no one two three four five six seven))[scalar keys %c])' results/*/*/host.json)
has README.md "the CPUs of the runs for the record are counted" "The runs for the record, on $cpus CPUs and a GPU, have"
has README.md "how much sooner Pruner is stands in the report" "$(made parity/direction '(grep { $_->{arm} eq "pruner" && !defined $_->{network} } @{$t->{race}})[0]{sooner_wall}{ratio} =~ /(.*)/
    && sprintf "Pruner comes to Ansor\x27s quality in %.0f %% less search time", 100 - 100 / $1')"
has README.md "and on the GPU" "$(made parity/gpu '(grep { $_->{arm} eq "pruner" && !defined $_->{network} } @{$t->{race}})[0]{sooner_wall}{ratio} =~ /(.*)/
    && sprintf "and on the GPU, an H200, in %.0f %% less", 100 - 100 / $1')"
finish
