#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# reanalyse of the Pruner paper: broken files are named with file:line:column and the rest is read; the public numbers give what was
# computed from them by another program (typed in from notes on the paper, and search_speedup_check.tsv line by line); its claims.
set -u
. tests/lib/tap.bash
experiments=$PWD/experiments
shared=${RAINGAUGE_SHARED:-../shared}/data/pruner
case $shared in /*) ;; *) shared=$PWD/$shared ;; esac
cd "$dir" || exit 1

rg() { "$bin" "$@" --experiments "$experiments" >out 2>err </dev/null; }

# ---- broken files ----
mkdir -p broken/resnet50_a100
printf 'network\tplatform\tbaseline\tmethod\twhat\tseconds\n' >broken/search_time.tsv
printf 'vit\ta100\tansor\tansor\twhole_run\t100\nvit\ta100\tansor\tpruner\tto_parity\t50\n' >>broken/search_time.tsv
printf 'vit\ta200\tansor\tansor\twhole_run\t100\nvit\ta100\tansor\tmoa_pruner\tto_parity\tsoon\n' >>broken/search_time.tsv
printf 'network\tplatform\tmethod\torigin\nvit\ta100\tansor\tdigitised\n' >broken/final_latency.tsv
printf 'elapsed_s\test_latency_ms\ttrials\n10\t3\t10\n20\t4\t20\n' >broken/resnet50_a100/ansor.tsv
gives 2 "broken rows of the Pruner paper end with 2" reanalyse broken
says "broken/search_time.tsv:4:5: column 'platform' is 'a200', which is unknown"
says "broken/search_time.tsv:5:37: column 'seconds' is 'soon', not a number from 1 on"
says "broken/final_latency.tsv:1: the head has no column 'latency_ms'"
says "broken/resnet50_a100/ansor.tsv:3:4: column 'est_latency_ms' is '4', more than the best of the row before"
prints "2.00"
gives 2 "broken rows of the Pruner paper as JSON end with 2" reanalyse broken --json
json "the rows that are not broken are computed" '(grep { $_->{table} eq "parity" && $_->{column} eq "pruner" } @{$d->{numbers}})[0]{value} == 2
    && @{$d->{problems}} == 4 && $d->{problems}[1]{column} == 37'
gives 2 "a folder of no paper is refused for what all papers would hold" reanalyse .
says "search_time.tsv"
says "ryzen7.tsv"
gives 2 "the files of another paper say nothing of these claims" claims droplet --released broken
says "holds the released files of 'pruner', which no claim of 'droplet' is about"

# ---- the claims, without results ----
gives 4 "the claims of the Pruner paper are not measured" claims pruner --json
json "each of P1 to P22 is a claim" '!grep { my $p = $_; !grep { $_->{id} =~ /^P$p(?:\.|$)/ } @{$d->{claims}} } 1 .. 22'
json "every claim says why it is not measured" '!grep { $_->{verdict} ne "NOT MEASURED" || length $_->{reason} < 20 } @{$d->{claims}}'

# ---- the public numbers ----
names=("the ten means of search speedups come out as the paper prints them" "search_speedup_check.tsv comes out line by line"
    "the public run of ResNet-50 is 3.47 and 5.08 times sooner" "the curves have the latencies of the notes at every trial"
    "the printed tables give the notes' numbers" "latencies, exceptions and gaps are those of the notes"
    "claims of the Pruner paper are reanalysed" "three claims are not what the printed tables give"
    "what is one run or an arithmetic mean is doubtful" "results/FINDINGS.md says what exploration without cost would bring" "every number that a claim names is in the files")
if [ ! -d "$shared" ]; then
    for name in "${names[@]}"; do skip "$name" "$shared is absent"; done
    finish
fi
cat >lib.pl <<'EOT'
our (%n, %curve);
sub load { my ($d) = @_; $n{join "/", map { $_ // "" } @$_{qw(table machine network column)}} = $_->{value} for @{$d->{numbers}};
    $curve{"$_->{method} $_->{trials}"} = sprintf "%.3f @ %d", $_->{ms}, $_->{seconds} for grep { defined $_->{ms} } @{$d->{curves}} }
sub rounds { my ($format, $want, @keys) = @_; my $got = join " ", map { sprintf $format, $n{$_} // -1 } @keys; print STDERR "# $got, not $want\n" if $got ne $want; $got eq $want }
1;
EOT
given() { json "$1" "do './lib.pl' or die; load(\$d); $2"; }
gives 0 "the public numbers of the Pruner paper are read" reanalyse "$shared" --json
given "${names[0]}" '!grep { abs($n{"parity/$$_[0]//$$_[1]"} - $$_[2]) > 0.0225 } ["a100", "pruner", 2.7], ["orin", "pruner", 2.5], ["titanv", "pruner", 2.59],
    ["a100", "moa_pruner", 4.18], ["orin", "moa_pruner", 4.77], ["titanv", "moa_pruner", 5.51], ["a100", "pruner_offline", 4.67],
    ["orin", "pruner_offline", 4.53], ["titanv", "pruner_offline", 5.06], ["a100", "pruner_offline_tlp", 4.05]'
export PRUNER=$shared
given "${names[1]}" 'my ($bad, $rows) = (0, 0); open my $f, "<", "$ENV{PRUNER}/search_speedup_check.tsv" or die; local $/ = "\n"; <$f>;
    while (<$f>) { chomp; my @c = split /\t/, $_, -1; my $column = $c[2] eq "ansor" ? $c[3] : $c[2] eq "tlp_offline" ? "pruner_offline_tlp" : "pruner_offline"; $rows++;
        $bad++ if join("\t", @c[4, 6 .. 8]) ne join("\t", $n{"parity/$c[1]//${column}_networks"}, map { sprintf "%.4f", $n{"parity/$c[1]//$column$_"} } "", "_geomean", "_sums") }
    $rows == 12 && !$bad'
given "${names[2]}" 'rounds("%.2f", "3.47 5.08 5.55 5.27", map { "curve///$_" } qw(pruner moa_pruner pruner_offline pruner_offline_tensetmlp))
    && rounds("%d", "1930 730 1316 540 1206 570 1037", map { "curve///$_" } qw(pruner_s pruner_trials moa_pruner_s moa_pruner_trials pruner_offline_s pruner_offline_trials pruner_offline_tensetmlp_s))
    && $n{"curve///tensetmlp_never"} == 1 && rounds("%.1f", "33.8 28.1 24.9 28.2 21.0", map { "curve///${_}_round_s" } qw(ansor pruner moa_pruner tensetmlp_offline pruner_offline))'
given "${names[3]}" '!grep { my ($k, $v) = split /=/; $curve{$k} ne $v } "ansor 270=3.069 @ 848", "pruner 800=1.576 @ 2114", "moa_pruner 540=1.591 @ 1316", "tensetmlp_offline 1800=1.621 @ 4840",
    "pruner_offline 1400=1.478 @ 2948", "ansor 2000=1.592 @ 6691", "moa_pruner 2000=1.457 @ 4978"'
given "${names[4]}" 'rounds("%.3f", "0.848 0.760 0.852 0.763 3.498", map { "printed///$_" } qw(t7_pruner t7_moa_pruner t7_pruner_mean t7_moa_pruner_mean t9_geomean)) && rounds("%.2f", "4.08 4.71 8.16", map { "printed///$_" } qw(t9_mean t5_cost_least t5_cost_most))
    && rounds("%.2f", "0.41 0.35 0.43", map { "printed_network//$_/exploration_share" } qw(resnet50 detr inception_v3)) && rounds("%.2f", "0.35 0.27 0.30", map { "printed_network//$_/unaccounted_share" } qw(resnet50 detr inception_v3))
    && rounds("%d", "3 4 4 3 3 3", map { "printed///$_" } qw(t5_better t5_over_transfer t5_quicker t6_lowest t8_wins t12_lowest))'
given "${names[5]}" 'rounds("%d", "8 8 7 4 5 8", (map { "latency/$_//moa_over_pruner_wins" } qw(a100 orin titanv)), map { "latency/$_//tensetmlp_wins" } qw(a100 orin titanv)) && rounds("%d", "23 21", "latency/all//printed", "latency/all//printed_agree")
    && rounds("%.2f", "2.73 5.61 1.35 10.92", "parity_network/a100/resnet50/pruner", "parity_network/a100/resnet50/moa_pruner", "parity/a100//pruner_least", "parity/orin//moa_pruner_most")'
FINDINGS=$(tr -s '\n ' ' ' <"$experiments/../results/FINDINGS.md") && export FINDINGS
given "${names[9]}" 'my @e = map { [@n{"printed_network//$_/exploration_share", "printed_network//$_/unaccounted_share"}] } qw(resnet50 detr inception_v3);
    index($ENV{FINDINGS}, sprintf "exploration is %.0f, %.0f and %.0f %% of", map { 100 * $$_[0] } @e) >= 0 &&
    index($ENV{FINDINGS}, sprintf "they would be %.2f, %.2f and %.2f times as fast", map { 1 / (1 - $$_[0] * (1 - $$_[1])) } @e) >= 0'
gives 1 "the claims of the Pruner paper from the public numbers" claims pruner --json --released "$shared"
json "${names[6]}" 'my %c = map { ($_->{id} => $_) } @{$d->{claims}}; !grep { $c{$_}{released_verdict} ne "REANALYSED" } qw(P1.mean P1.a100 P1.orin P1.titanv P2.mean P2.a100 P2.orin P2.titanv P3.mean P4.a100 P5 P6 P7 P9 P16 P20 P22.pruner P22.moa_pruner)'
json "${names[7]}" 'join(" ", map { $_->{id} } grep { ($_->{released_verdict} // "") eq "NOT REPRODUCED" } @{$d->{claims}}) eq "P12.pruner P12.moa P18"'
json "${names[8]}" 'my %c = map { ($_->{id} => $_) } @{$d->{claims}}; $c{"P2.orin"}{released_caveat} =~ /geometric mean 4\.224, of the worst network 1\.87/ && $c{"P22.pruner"}{released_caveat} =~ /gives 2\.73/'
perl -ne 'print $1, "\n" if /^  - id: (\S+)/; print "+\n" if /^    released:/' "$experiments/papers/pruner.yaml" |
    perl -ne 'chomp; if ($_ eq "+") { print "$id\n" } else { $id = $_ }' | sort >named
perl -MJSON::PP -e 'local $/; my $d = decode_json(<STDIN>); print "$_->{id}\n" for sort { $a->{id} cmp $b->{id} } grep { defined $_->{released_verdict} } @{$d->{claims}}' <out | sort >found
cmp -s named found
ok $? "${names[10]}"
finish
