#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# readme: the numbers in README.md and results/README.md are those of the committed results: the lines that the pages
# must have are made from each run's report.json and from `raingauge claims`. What hangs on the authors' released files is
# in claims.sh.
set -u
. tests/lib/tap.bash
.ci/committed "$dir" && cd "$dir" && cp "$root/README.md" . && ln -s "$root/experiments" "$root/targets" "$root/tests" . || exit 1

# has PAGE NAME TEXT: the page has the text, wherever its lines are broken.
has() { [ -n "$3" ] && tr -s '\n ' ' ' <"$1" | grep -qF -e "$3" || { echo "$1 should say: $3" >"$out"; false; }; ok $? "$1: $2"; }
# made RUN PERL: what the expression makes of the run's report, where %$t are its tables.
made() {
    perl -MJSON::PP -MList::Util=sum,max,uniq -e 'my ($run, $code) = @ARGV; open my $f, "<", "results/$run/report.json" or die "$run: $!";
        local $/; my $d = decode_json(<$f>); my $t = $d->{tables}; my ($n) = @{$t->{noise}};
        my %gate = map { $_->{gate} => $_ } @{$t->{gates}}; my %host = map { $_->{name} => $_->{text} } @{$t->{environment}};
        my $kernels = sum map { $_->{kernels} } @{$t->{explorers}}; my $networks = @{$t->{explorers}}; my $arms = @{$t->{means}};
        my @k = sort { $a <=> $b } uniq map { $_->{k} } @{$t->{means}}; my $trials = sum map { $_->{trials} // 0 } @{$t->{explorers}};
        my $many = sub { scalar reverse(reverse($_[0]) =~ s/(\d{3})(?=\d)/$1,/gr) };
        my $verdict = $d->{valid} ? "valid" : "INVALID"; my $floor = sprintf "noise floor %.1f %%", 100 * $n->{noise_floor};
        $floor .= sprintf "; others took %.1f %% of the CPU time", 100 * $gate{contention}{value} if $gate{contention}{state} eq "failed";
        my $v = eval $code; die $@ if $@; print $v' "$1" "$2"
}

rows=$(made table3/direction 'join "\n", map { sprintf "| %d | %.2f | %.3f | %.3f to %.3f | %s |", $_->{k}, $_->{search_speedup_wall}{ratio},
    $_->{kernel_speedup_retimed}{ratio}, @{$_->{kernel_speedup_retimed}{interval}},
    defined $_->{paper_kernel_speedup} ? sprintf "%.2f", $_->{paper_kernel_speedup} : "not in the files" } @{$t->{means}}')
sed -n '/^| k | search time/,/^$/p' README.md | sed '1,2d; /^$/d' | diff - <(echo "$rows") >"$out"
ok $? "README.md: the table is that of results/table3/direction"
has README.md "the means are over so many networks" "$(made table3/direction '"geometric means over $t->{means}[0]{counted} networks"')"
has README.md "the interval is over what the report says" "$(made table3/direction '"The interval is over $t->{means}[0]{kernel_speedup_retimed}{over}."')"
has README.md "cores, kernels, trials and seeds are those of the run" "$(made table3/direction \
    '"on " . ($host{cores_usable} == 1 ? "one core" : "$host{cores_usable} cores") . " of a shared virtual machine: $kernels kernels, two of each network, "
    . ($d->{seeds} == 2 ? "two" : $d->{seeds}) . " seeds, " . $many->($trials) . " trials of Ansor, "
    . sprintf("%.0f", $trials / $kernels / $d->{seeds}) . " a kernel and seed"')"
has README.md "the run is said to be valid or not as it is" "$(made table3/direction '"This run is $verdict."')"

# How long: what plan says where there are no records.
hours() { "$bin" plan "$1" --tier "$2" --results "$dir/nowhere" --json | perl -MJSON::PP -MPOSIX=ceil -e 'local $/; my $d = decode_json(<STDIN>); print eval shift' "$3"; }
for stem in ablation controls exploiters landscape long metaschedule micro offline operators parity race speculation storm-draft-drop table3 threshold variance; do
    [ "$(hours $stem smoke '$d->{left_s} <= 600 ? "fits" : "long"')" = fits ] && [ "$(hours $stem short '$d->{left_s} <= 7200 ? "fits" : "long"')" = fits ]
    ok $? "$stem: smoke is planned for ten minutes at most and short for two hours"
    has README.md "how long the tiers of $stem take is what plan says" "| \`$stem\` | $(hours $stem smoke 'ceil($d->{left_s} / 60)') min | $(
        hours $stem short 'sprintf "%.1f", $d->{left_s} / 3600') h | $(
        hours $stem short '(grep { $_->{reach} eq "side" } @{$d->{claims}}) . " of " . @{$d->{claims}}') | $(hours $stem judge 'ceil($d->{left_s} / 3600)') h | $(
        hours $stem judge '$d->{nights}') | $(hours $stem judge '(grep { $_->{reach} eq "settles" } @{$d->{claims}}) . " of " . @{$d->{claims}}') |"
done
has README.md "how long table3 takes with shared kernels is what plan says" "takes $(hours table3 shared 'ceil($d->{left_s} / 3600)') h instead of $(
    hours table3 judge 'ceil($d->{left_s} / 3600)') h"
has README.md "what shared kernels can tell is what plan says" "tells the side of $(
    hours table3 shared '(grep { $_->{reach} eq "side" } @{$d->{claims}}) . " claims and settles " . ((grep { $_->{reach} eq "settles" } @{$d->{claims}}) || "none")')"

page=results/README.md
for run in results/*/*/report.json results/*/*/*/report.json; do
    [ -e "$run" ] || continue
    run=${run#results/} run=${run%/report.json}
    grep -qF "| \`$run\` |" results/runs.md
    ok $? "results/runs.md: run $run has a row"
done
# Numbers belong to runs.md, which is made of the reports. Here only the verdicts on claims have some, tested below.
numbers=$(perl -0pe 's/## Verdicts.*?(?=^## )//ms; s/`[^`]*`//g; s/\[.*?\]\(.*?\)//g; s/AVX-512//g' $page | grep -n '[0-9]')
[ -z "$numbers" ]
ok $? "$page has no number of its own${numbers:+: $numbers}"
perl -0ne 'exit !(/\| INVALID \|/ && !/\| valid \|/)' results/runs.md && grep -q "No run here is valid" $page ||
    { grep -q '| valid |' results/runs.md && ! grep -q "No run here is valid" $page; }
ok $? "$page says whether any run is valid as results/runs.md does"
[ "$(grep -c '^- Found:' results/runs.md)" -le "$(grep -c '| valid |' results/runs.md)" ]
ok $? "results/runs.md tells no finding of a run that is not valid"

while IFS=$'\t' read -r _ _ schedules spearman _ _ ratio _ _ _ within _; do
    [ "$schedules" = schedules ] || { grep -qE "^\| .*, $schedules \| $spearman \| $ratio \| $within \|$" targets/cpu/README.md
        ok $? "targets/cpu/README.md: the likeness of $schedules schedules is that of results/landscape"; }
done <results/landscape/shared_logs.tsv
has targets/cpu/README.md "the programs that TVM gets wrong are counted as in results/landscape" \
    "$(awk -F'\t' 'NR > 1 { wrong += $15; n += $3 + $14 + $15 } END { print wrong " of the " n " schedules" }' results/landscape/likeness.tsv)"
has targets/cpu/README.md "the kernels that rank alike are counted as in results/landscape" \
    "$(awk -F'\t' 'NR > 1 { n++; alike += $4 >= 0.95 } END { print alike " of " n " rank at Spearman 0.95" }' results/landscape/likeness.tsv)"

has results/duels/README.md "the duels that are right are counted as in duels.tsv" "$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { n[$1]++; right[$1] += $at["right"] == "yes" } END { printf "%d of %d intervals of equal programs hold 1, and %d of %d find", right["aa_held"], n["aa_held"],
    right["planted_found"], n["planted_found"] }' results/duels/duels.tsv)"
has results/duels/README.md "how sure a hundred kernels are is said as in hundred.tsv" "$(awk -F'\t' 'NR > 1 && !first { first = $2; if ($3 >= 1) exit }
    NR > 1 { last = $3; at = $1 } END { printf "after 2 minutes and %d launches, and %s %% after %d minutes", first, last, at }' results/duels/hundred.tsv)"
"$bin" claims droplet --json >"$dir/claims" 2>"$err"
judged=$(perl tests/lib/verdict_counts.pl opinion <"$dir/claims")
if [ "$judged" = 0 ]; then
    has README.md "no claim of the paper is held or refuted by the committed runs" "No claim of either paper is judged for or against by the runs here yet:"
else
    has README.md "how many claims the committed runs speak for or against is counted" "The runs here speak for or against $judged claims of the paper"
fi
claims_json() { perl -MJSON::PP -e 'local $/; my @c = @{decode_json(<STDIN>)->{claims}}; my %v = map { $_->{id} => $_->{verdict} } @c;
    my %n; $n{$_->{verdict}}++ for @c; print eval shift' "$1" <"$dir/claims"; }
has README.md "claims that hold on another machine and that are open are counted" "$(claims_json '"$n{TRANSFERRED} claims of the Droplet paper are TRANSFERRED: here, too,"')"
has README.md "claims that are open are counted" "$(claims_json '"$n{INCONCLUSIVE} are INCONCLUSIVE, with intervals."')"
has README.md "what became of the two claims of the table is their verdict" "$(claims_json '"takes less search time here, too: the verdict is " . $v{"C2.wall"}
    . ", as the machine is another. Whether its kernels are faster on average stays open: " . $v{"C1.speed"} . "."')"
has $page "the claims are counted by verdict" "$(perl tests/lib/verdict_counts.pl <"$dir/claims")."
"$bin" claims pruner --json >"$dir/claims" 2>"$err"
has README.md "claims of the Pruner paper that hold on another machine are counted" "$(claims_json '"Of the Pruner paper $n{TRANSFERRED} claims are TRANSFERRED"
    . (join(",", sort grep { $v{$_} eq "TRANSFERRED" } keys %v) eq "P1,P2" ? ": Pruner and MoA-Pruner come to Ansor\x27s final latency sooner" : "?")')"
has $page "the claims of the Pruner paper are counted by verdict" "$(perl tests/lib/verdict_counts.pl <"$dir/claims")."
finish
