#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# reanalyse: made-up files in the authors' formats (headers, labels and chatter as the files of lac-dcc/bennu have them), broken
# rows with their places, and the released data: every number of expected.tsv, expected_networks.tsv, dpmeta_expected.tsv
# and outliers.tsv to its last printed digit, from the compact tables and once more from the same rows written in the
# authors' own layout. Numbers computed from the authors' files by another program are typed in.
set -u
. tests/lib/tap.bash
experiments=$PWD/experiments
shared=${RAINGAUGE_SHARED:-../shared}/data/droplet
case $shared in /*) ;; *) shared=$PWD/$shared ;; esac
cd "$dir" || exit 1

rg() {
    settle
    "$bin" reanalyse "$@" --experiments "$experiments" >out 2>err </dev/null
}
# check NAME PERL: out is one JSON text, held in $d; the code returns a list of complaints. Shared helpers are written below.
# settle runs the checks noted since, in one perl.
checks=()
check() { checks+=("$1" "$2"); }
settle() {
    [ ${#checks[@]} -gt 0 ] || return
    perl -e 'require "./lib.pl"; our $d = load("out"); my ($n, $failed) = (shift, 0);
        while (@ARGV) { my ($name, $code) = splice @ARGV, 0, 2; my @bad = eval $code; push @bad, $@ if $@; $n++; $failed = 1 if @bad;
            print @bad ? "not " : "", "ok $n - $name\n"; print STDERR "# $_\n" for @bad[0 .. ($#bad > 9 ? 9 : $#bad)] }
        exit $failed' "$n" "${checks[@]}" || failed=1
    n=$((n + ${#checks[@]} / 2))
    checks=()
}
cat >lib.pl <<'EOF'
use strict; use warnings; use JSON::PP;
our ($shared, $d) = $ENV{DROPLET};
sub load { open my $f, "<", $_[0] or die "$_[0]: $!"; local $/; return decode_json(<$f>) }
sub table { # rows of a TSV as hashes
    open my $f, "<", "$shared/$_[0]" or die "$_[0]: $!";
    chomp(my @h = split /\t/, <$f>, -1);
    return map { chomp; my @v = split /\t/, $_, -1; my %r; @r{@h} = @v; \%r } <$f>;
}
sub at { # the one object of a list with these members
    my ($list, %want) = @_;
    my @found = grep { my $o = $_; !grep { ($o->{$_} // "") ne $want{$_} } keys %want } @$list;
    return @found == 1 ? $found[0] : undef;
}
sub digits { # complaints: members of an object, printed, against a row
    my ($name, $o, $row, %format) = @_;
    return "$name: not there" if !$o;
    return map { my ($member, $column) = split /=/; $column //= $member; my $got = sprintf $format{$_}, $o->{$member};
        $got eq $row->{$column} ? () : "$name: $member is $got, not $row->{$column}" } sort keys %format;
}
1;
EOF
export DROPLET=$shared

# ---- usage ----
gives 2 "reanalyse without a folder is refused"
says "which folder?"
gives 2 "a folder that is not there is refused" nowhere
says "cannot list the folder 'nowhere'"
mkdir empty
gives 2 "a folder without results is refused" empty
says "holds no released results"
mkdir -p above/droplet above/pruner
gives 2 "a folder above them is refused" above
says "did you mean 'above/pruner' or 'above/droplet'?"
gives 2 "a --k that is no number is refused" empty --k few

# ---- made-up files in the authors' formats: alexnet, 13 kernels, and others in part ----
root=repo
mkdir -p $root/results $root/perf_stats/{RTX3080/grid,Ryzen3700X/random,a100,a64fx,x86} $root/models
mkdir -p $root/benchmarks/microkernels/DpAnsor/{results,a100/results,a100/log}
head=', Time Droplet (s), Tuning time Droplet (s), Tuning time Droplet+Ansor (s), tasks Droplet, Time Ansor-K (s), tuning time Ansor-K, task Ansor-K, Time Ansor 10k (s), tuning time 10k (s), tasks Ansor, speedup top-K, speedup 10k, speed tuning time top-K, speed tuning time 10k'
heading() { echo "Layer${head//-K/-$1}"; }
# rows K COUNT DROPLET: each kernel 0.002 s by Ansor, 0.004 s at the start, costs 3 + 7 against 40 s
rows() { for ((i = 0; i < $2; i++)); do echo "$i, $3, 3.00, 10.00, 5, 0.00400000, 7.00,  $1, 0.00200000, 40.00, 64, 1.00, 1.00, 1.00, 4.00"; done; }
{ echo "BENCH: alexnet"; echo "SIZE: 1"; heading 1; rows 1 13 0.00100000; echo "SIZE: 300"; heading 300; rows 300 13 0.00400000; } >$root/results/dpansor_x86.csv
{ echo "Thu Jan 4 00:51:49 EST 2024"; echo "worker007"; echo "Greetings from !"; echo " 1) slurm/slurm/19.05.7"; echo "Top 300"; heading 300
  rows 300 13 0.00050000; echo "Completed"; } >$root/perf_stats/a100/cuda_a100_droplet_alexnet.log
# labelled 300 but run with 10 (as two blocks of the A100 were), the network in the label, cut off after the second row
{ echo "Alexnet: Top 25"; heading 10; rows 10 13 0.00200000; echo "Top 50 alexnet"; heading 50; rows 50 2 0.00200000; } >$root/perf_stats/a100/later_single_runs.log
{ echo "Top 300"; heading 300; rows 300 12 0.00400000; } >$root/perf_stats/a64fx/run_alexnet_a64fx_droplet_updated.log
# a second file has the cell whole
{ echo "Top 300"; heading 300; rows 300 13 0.00400000; } >$root/perf_stats/a64fx/run_alexnet_again_a64fx.log
echo "BENCH: vgg11" >$root/perf_stats/RTX3080/grid/vgg11.csv
{ echo "BENCH: alexnet"; echo "layer, droplet-300 exec, droplet-300 std, droplet-300 tuning, droplet-300 trials, random-300 exec, random-300 std, random-300 tuning, random-300 trials, exec speedup, tuning speedup"
  for ((i = 0; i < 13; i++)); do echo "$i, 0.00200000, 0.00000001, 6.00, 11, $([ $i = 4 ] && echo 9999.00000000 || echo 0.00800000), 0.00000000, 12.00, 100, 0.25, 0.50"; done; } >$root/perf_stats/Ryzen3700X/random/alexnet.csv
meta='Layer, DPMeta time(s), DPMeta std(s), DPMeta trials, DPMeta Tuning(min), DPMeta+Meta tuning(min), Meta-K time(s), Meta-K std(s), trials-K, Meta 10k time(s), Meta 10k std(s), trials-10k, speedup-K, speedup-10k'
{ echo "BENCH: alexnet"; echo "TOP: 200"; echo "TOP: 300"; echo "${meta//-K/-300}"
  echo "0, 0.0000500000, 0.0000000100, 10, 0.10, 0.20, 0.0000800000, 0.0000000100, 1, 0.0001000000, 0.0000000100, 9, 1.60, 2.00"
  echo "1, 0.0000500000, 0.0000000100, 10, 0.10, 0.20, 0.0000800000, 0.0000000100, 1, 0.0003000000, 0.0000000100, 9, 0.123, 1.60, 6.00"
  echo "2, 0.0000500000, 0.0000000100, 10, 0.10, 0.20, 10000000000.0000000000, 0.0000000000, 1, 10000000000.0000000000, 0.0000000000, 1, 200000000000000.00, 200000000000000.00"; } >$root/results/dpmeta_x86_new.csv
cp $root/results/dpmeta_x86_new.csv $root/results/dpmeta_x86.csv
printf 'Top-300\nbench, avg (ms), std (ms), trials, time total (min), ansor exec (ms), ansor tuning, speedup\nmatmul, 0.50000000, 0.00000000, 51, 2.00, 1.00000000, 600.00000000, 2.00\n' >$root/benchmarks/microkernels/DpAnsor/results/rtx3080_top300.csv
printf 'Top-300\nbench, avg (ms), std (ms), trials, time total (min), ansor exec (ms), ansor tuning, speedup\nresults: \nrelu, 0.50000000, 0.00000000, 2, 0.50\n' >$root/benchmarks/microkernels/DpAnsor/a100/results/a100_top300.csv
printf '{"i": [], "r": [[0.002, 0.001], 0, 20.0, 1], "v": "v0.6"}\n{"i": [], "r": [[0.001], 0, 40.0, 1], "v": "v0.6"}\n{"i": [], "r": [[1e10], 4, 30.0, 1], "v": "v0.6"}\n' >$root/benchmarks/microkernels/DpAnsor/a100/log/a100_relu.log
for f in resnet101 resnet152; do printf 'version https://git-lfs.github.com/spec/v1\noid sha256:77\nsize 178\n' >$root/models/$f.onnx; done
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:78\nsize 17\n' >$root/models/alexnet.onnx

gives 0 "files in the authors' formats are read" $root
prints "the authors' own files"
prints "resnet101 and resnet152 have the same ONNX file"
prints "mislabelled sweep a100 alexnet k=25: labelled k = 25, its head says 10"
prints "superseded  sweep a64fx alexnet k=300: perf_stats/a64fx/run_alexnet_again_a64fx.log has this block too"
prints "empty       perf_stats/RTX3080/grid/vgg11.csv"
prints "results/dpmeta_x86.csv"
gives 0 "files in the authors' formats are told as JSON" $root --json
check "a row has machine, k, exec_geomean, tuning_geomean and wins" 'my $r = at($d->{rows}, machine => "ryzen7", k => 1);
    abs($r->{exec_geomean} - 2) < 1e-12 && abs($r->{tuning_geomean} - 4) < 1e-12 && $r->{wins} == 1 && $r->{networks} == 1 ? () : encode_json($r)'
check "at k = 300 the made-up Droplet loses" 'my $r = at($d->{rows}, machine => "ryzen7", k => 300);
    abs($r->{exec_geomean} - 0.5) < 1e-12 && $r->{wins} == 0 && abs($r->{tuning}{own} - 40 / 3) < 1e-9 && abs($r->{tuning}{trials} - 64 / 305) < 1e-12 ? () : encode_json($r)'
check "a run called random_a gives no wall clock" 'my $r = at($d->{rows}, machine => "ryzen7", k => 300);
    my $w = $r->{tuning}{wall}; defined $w ? "a run called random_a is no clock of Droplet: $w" : ()'
check "a log with chatter is read, and four times faster is an outlier" 'my $r = at($d->{rows}, machine => "a100", k => 300);
    (abs($r->{exec_geomean} - 4) < 1e-12 ? () : encode_json($r), abs($r->{sane_exec_geomean} - 0.5) < 1e-12 ? () : "sane",
    (grep { $_->{what} eq "fast" && $_->{machine} eq "a100" } @{$d->{outliers}}) == 13 ? () : "13 fast rows")'
check "a cut block is in no mean" 'my $r = at($d->{rows}, machine => "a100", k => 50);
    my $b = at($d->{blocks}, machine => "a100", k => 50); ($r->{networks} == 0 && !defined $r->{exec_geomean} ? () : encode_json($r),
    $b->{state} eq "partial" && $b->{rows} == 2 && $b->{kernels} == 13 ? () : encode_json($b))'
check "the whole block of two counts" 'my $r = at($d->{rows}, machine => "a64fx", k => 300); $r->{networks} == 1 && $r->{kernels} == 13 ? () : encode_json($r)'
check "failed kernels are failures, not numbers" 'my $e = at($d->{exploiters}, machine => "ryzen7", method => "random"); my $g = at($d->{exploiters}, method => "droplet");
    ($e->{failed} == 1 && $e->{usable} == 0 && $e->{complete} == 1 && !defined $e->{exec_geomean} ? () : encode_json($e), abs($g->{exec_geomean} - 1) < 1e-12 ? () : encode_json($g))'
check "coverage tells complete, empty and missing files" 'my %s = map { ("$_->{run} $_->{network}" => $_->{status}) } @{$d->{coverage}};
    $s{"random_a alexnet"} eq "complete" && $s{"grid_a vgg11"} eq "empty" && $s{"grid_a vgg13"} eq "no file" ? () : encode_json(\%s)'
check "the MetaSchedule table takes an unnamed number and leaves out a failed record" 'my $m = at($d->{meta}, blocks => "all");
    abs($m->{exec_geomean} - 4) < 1e-12 && $m->{failed_rows} == 1 && $m->{k} == 300 ? () : encode_json($m)'
check "micro-kernels are in ms and minutes, Ansor's from its log where the table lacks them" 'my ($x, $y) = (at($d->{micro}, kernel => "matmul"), at($d->{micro}, kernel => "relu"));
    (abs($x->{exec_x} - 2) < 1e-12 && abs($x->{tuning_x} - 5) < 1e-12 ? () : encode_json($x),
    abs($y->{exec_x} - 2) < 1e-12 && abs($y->{ansor_tuning_s} - 90) < 1e-9 && abs($y->{tuning_x} - 3) < 1e-12 ? () : encode_json($y))'
check "files in the authors' formats have no problems" 'map { encode_json($_) } @{$d->{problems}}'

# ---- broken rows: named with their place, the rest is processed, exit 2 ----
cp -r $root broken
f=broken/results/dpansor_x86.csv
sed -i -e '5s/0.00100000/fast/' -e '7s/, 4.00$//' -e '9s/^5,/five,/' -e '10s/0.00100000/0.00000000/' -e '11s/^7,/6,/' -e '12s/ 10[.]00/ -1/' $f
printf '{"i": [], "r": [[], 0' >>broken/benchmarks/microkernels/DpAnsor/a100/log/a100_relu.log
gives 2 "broken rows end with 2" broken
says "broken/results/dpansor_x86.csv:5: column 'Time Droplet (s)' is 'fast', not a number"
says "broken/results/dpansor_x86.csv:7: 14 fields, the head names 15"
says "broken/results/dpansor_x86.csv:9: column 'Layer' is 'five', not the number of a kernel"
says "broken/results/dpansor_x86.csv:10: the row of kernel 6 is left out: a time is not above 0"
says "broken/results/dpansor_x86.csv:12: the row of kernel 8 is left out: a cost, a spread or a count is negative"
says "broken/benchmarks/microkernels/DpAnsor/a100/log/a100_relu.log:4: not a record of Ansor"
says "broken rows or files were left out"
prints "partial     sweep ryzen7 alexnet k=1:"
gives 2 "broken rows as JSON end with 2" broken --json
check "the rows that are not broken are processed" '(at($d->{rows}, machine => "ryzen7", k => 300)->{networks} == 1 ? () : "k = 300", at($d->{rows}, machine => "ryzen7", k => 1)->{networks} == 0 ? () : "k = 1",
    @{$d->{problems}} == 6 ? () : "6 problems")'
mkdir tables
printf 'network\tkernel\tk\tdp_time_s\tdp_total_tuning_s\tansork_time_s\tansor10k_time_s\tansor10k_tuning_s\nalexnet\t0\t300\t0.1\t1\t0.1\t0.2\t2\nalexnet\t1\t300\t\t1\t0.1\t0.2\t2\nalexnet\t2\tx\t0.1\t1\t0.1\t0.2\t2\nalexnet\t3\n' >tables/ryzen7.tsv
printf 'run\tnetwork\n' >tables/variance_a100.tsv
gives 2 "a broken table ends with 2" tables
says "tables/ryzen7.tsv:3: the row of kernel 1 is left out: it has no time"
says "tables/ryzen7.tsv:4: column 'k' is 'x', not a whole number"
says "tables/ryzen7.tsv:5: 2 fields, the head names 8"
says "tables/variance_a100.tsv:1: the head names no column of times"
# 13 kernels twice as fast as Ansor; the p of kernel 0 is not that of its means and spreads, kernel 1 is four times as fast and its start failed
mkdir doubt
{ printf 'network\tkernel\tk\tdp_time_s\tdp_total_tuning_s\tansork_time_s\tansor10k_time_s\tansor10k_std_s\tansor10k_tuning_s\tp_value\tdp_std_s\n'
  for ((i = 0; i < 13; i++)); do printf 'alexnet\t%d\t300\t%s\t1\t%s\t0.00200000\t0.00000100\t2\t%s\t0.00000100\n' $i $([ $i = 1 ] && echo 0.00050000 9999 || echo 0.00100000 0.00150000) $([ $i = 0 ] && echo 0.9 || echo 0.00000000); done; } >doubt/rtx3080.tsv
gives 0 "rows that should not be believed are read" doubt --json
check "a printed p-value that its spreads refute is counted" 'my $s = $d->{rows}[0]{significance}; $s->{checked} == 13 && $s->{agree} == 12 && $s->{better} == 12 && $s->{none} == 1 ? () : encode_json($s)'
check "a kernel too fast to believe counts as its start, or as Ansor when that failed" 'my $x = $d->{rows}[0]{sane_exec_geomean}; abs($x - 26 / 14) < 1e-9 ? () : $x'

# ---- further runs of Droplet, published schedules: what is broken is named, the rest is compared ----
mkdir -p again/droplet again/kernels
sweep_head='network\tkernel\tk\tdp_time_s\tdp_total_tuning_s\tansork_time_s\tansor10k_time_s\tansor10k_tuning_s'
each() { for ((i = 0; i < 13; i++)); do printf "$1" $i; done; }
{ printf "$sweep_head\n"; each 'alexnet\t%d\t300\t0.001\t1\t0.002\t0.002\t2\n'; } >again/droplet/ryzen7.tsv
{ printf 'network\tkernel\trun\tmethod\ttime_s\n'; each 'alexnet\t%d\tgrid_a\tdroplet\t0.002\n'; each 'alexnet\t%d\tdroplet_b\tdroplet\t0.001\n'
  printf 'alexnet\t0\tga_a\tdroplet\t0.001\n'; } | sed '17s/0.001/0.003/' >again/droplet/exploiters_ryzen7.tsv
{ printf "run\t$sweep_head\tansor10k_std_s\tdp_std_s\n"; each '2\talexnet\t%d\t300\t0.001\t1\t0.002\t0.002\t2\t0.0001\t0.00001\n'; } | sed '5s/0.002/0.0021/' >again/droplet/variance_ryzen7.tsv
printf 'run\tnetwork\n' >again/droplet/exploiters_rtx3080.tsv
record() { printf '{"index":%s,"hw":[%s,64],"layout_rewrite":%s,"costs":[%s],"error":%s}\n' "$@"; }
{ record 0 8 2 0.001,0.003 0; record 1 16 1 0.001 0; record 2 16 3 0.001 0; echo '{"index":3'; record 4 8 1 '' 0; record 5 8 1 0.001 2; record x 8 1 0.001 0
  record 6 many 1 0.001 0; } >again/kernels/alexnet.steps.jsonl
{ record 0 8 1 0.001 0; } >again/kernels/vgg11.steps.jsonl
gives 2 "further runs and schedules with broken rows end with 2" again/droplet
says "again/droplet/exploiters_rtx3080.tsv:1: the head names no column of times"
says "again/droplet/../kernels/alexnet.steps.jsonl:3: the schedule is left out: 'layout_rewrite' is not a whole number from 0 to 2"
says "again/droplet/../kernels/alexnet.steps.jsonl:4: the schedule is left out: "
says "again/droplet/../kernels/alexnet.steps.jsonl:5: the schedule is left out: 'costs' is not a list of times above 0"
says "again/droplet/../kernels/alexnet.steps.jsonl:7: the schedule is left out: "
says "again/droplet/../kernels/alexnet.steps.jsonl:8: the schedule is left out: "
prints "other seeds: ryzen7 droplet_b: 1 kernels, the first at exploiters_ryzen7.tsv:17"
prints "other seeds: ryzen7 variance run 2: 1 kernels, the first at variance_ryzen7.tsv:5"
prints "partial     exploiters ryzen7 alexnet ga_a k=300"
gives 2 "the same as JSON ends with 2" again/droplet --json
check "a run from the sweep's seeds is compared, one from another seed or with missing kernels is not" 'my %w = (grid_a => "1 13 13 0 1.000 1.000 1.000 2.000 2.000", droplet_b => "0 0 1", ga_a => "0 0 0");
    map { my $p = at($d->{repeats}, run => $_); my $g = join " ", $p->{networks}, $p->{at_seed}, $p->{networks} ? ($p->{slower}, $p->{other_seed}, map { sprintf "%.3f", $p->{$_} } qw(exec_geomean seed_exec_geomean seed_gain sweep_seed_gain kernel_x))
    : $p->{other_seed}; $g eq $w{$_} ? () : "$_: $g" } keys %w'
check "of one network no interval is known" 'my $p = at($d->{repeats}, run => "grid_a"); defined $p->{seed_gain_high} ? encode_json($p) : ()'
check "the spread of repeats is the median of their relative standard deviations" 'my $v = at($d->{variance}, run => 2); abs($v->{ansor10k_spread_x} - 0.05) < 1e-12 && abs($v->{spread_x} - 0.01) < 1e-12 ? () : encode_json($v)'
check "a schedule is Ansor's by its time, and of a network without a table it is open" 'my $g = join ", ", map { join " ", $_->{network} // "all", @$_{qw(origin layout_rewrite threads records)} } @{$d->{schedules}};
    $g eq "all ansor 2 8 1, all other 1 16 1, all open 1 8 1, alexnet ansor 2 8 1, alexnet other 1 16 1, vgg11 open 1 8 1" ? () : $g'

# ---- the released data ----
if [ ! -f "$shared/expected.tsv" ]; then
    settle
    skip "the released data gives the authors' numbers" "none in $shared"
    echo "1..$n"
    exit $failed
fi
gives 0 "the released tables are read" "$shared"
prints "C1: Droplet on the best of Ansor's first 300 kernels usually beats Ansor after 10,000"
gives 0 "the released tables are told as JSON" "$shared" --json
cp out compact.json
expected='my @w = table("expected.tsv"); (@w == @{$d->{rows}} ? () : "rows: " . @{$d->{rows}}, map { my $w = $_; digits("$w->{machine} $w->{k}", at($d->{rows}, machine => $w->{machine}, k => $w->{k}), $w,
    exec_geomean => "%.6f", tuning_geomean => "%.6f", wins => "%d") } @w)'
networks='my %n = map { ("$_->{machine} $_->{network} $_->{k}" => $_) } @{$d->{networks}}; my @w = table("expected_networks.tsv"); (@w == keys %n ? () : "other networks",
    map { my $w = $_; my $key = "$w->{machine} $w->{network} $w->{k}"; digits($key, $n{$key}, $w, kernels => "%d", dp_sum_s => "%.8f", ansork_sum_s => "%.8f", ansor10k_sum_s => "%.8f",
    dp_total_tuning_s => "%.2f", ansor10k_tuning_s => "%.2f", exec_x => "%.6f", tuning_x => "%.6f") } @w)'
meta='my @w = table("dpmeta_expected.tsv"); (@w == @{$d->{meta}} ? () : "rows: " . @{$d->{meta}}, map { my $w = $_; digits("$w->{machine} $w->{k} $w->{blocks}",
    at($d->{meta}, machine => $w->{machine}, k => $w->{k}, blocks => $w->{blocks}), $w, networks => "%d", exec_geomean => "%.6f", wins => "%d") } @w)'
outliers='my %s = map { ("$_->{machine} $_->{network} $_->{kernel} $_->{k} $_->{what}" => $_) } grep { $_->{what} =~ /fast|worse/ } @{$d->{outliers}}; my @w = table("outliers.tsv");
    (@w == keys %s ? () : "other outliers: " . keys %s, map { my $w = $_; my $key = "$w->{machine} $w->{network} $w->{kernel} $w->{k} $w->{what}"; my $s = $s{$key};
    $s = {%$s} if $s; if ($s) { $s->{over_dp} = $s->{ansor10k_time_s} / $s->{dp_time_s}; $s->{seed_over_dp} = $s->{ansork_time_s} / $s->{dp_time_s} }
    digits($key, $s, $w, dp_time_s => "%.8f", ansork_time_s => "%.8f", ansor10k_time_s => "%.8f", "over_dp=ansor10k_over_dp" => "%.4f", "seed_over_dp=ansork_over_dp" => "%.4f") } @w)'
check "the released tables give every digit of expected.tsv" "$expected"
check "the released tables give every digit of expected_networks.tsv" "$networks"
check "the released tables give every digit of dpmeta_expected.tsv" "$meta"
check "the released tables give outliers.tsv, row by row" "$outliers"
check "coverage has the rows and states of exploiters_coverage.tsv" 'map { my $w = $_; my $c = at($d->{coverage}, machine => $w->{machine}, run => $w->{run}, network => $w->{network});
    digits("$w->{machine} $w->{run} $w->{network}", $c, $w, rows => "%d", status => "%s") } table("exploiters_coverage.tsv")'
check "the flags of the MetaSchedule tables are found" 'my %f; for my $m (qw(ryzen7 intel_x86 rtx3080 a100 a64fx)) { $f{"$m $_->{network} $_->{k}"} = $_->{flag} for grep { $_->{flag} } table("dpmeta_$m.tsv") }
    my %g = map { ("$_->{machine} $_->{network} $_->{k}" => $_->{state}) } grep { $_->{table} eq "meta" } @{$d->{blocks}};
    map { ($f{$_} // "") eq ($g{$_} // "") ? () : "$_: " . ($g{$_} // "none") } keys %f, keys %g'
# Of a machine at k = 300: kernels no slower, kernel geomean, gain, records a kernel, cost a record, records of Ansor and seeds
check "sums and means over kernels are those of droplet.md 3.3" 'my %w = (ryzen7 => "751 1.456 1.252 21.3 0.94 200009 115541", a100 => "707 1.062 1.140 17.3 1.80 200766 122318",
    rtx3080 => "697 0.994 1.002 13.1 1.27 199422 121374", a64fx => "698 1.102 1.253 16.8 3.45 200718 122710");
    map { my $r = at($d->{rows}, machine => $_, k => 300); my $g = sprintf "%d %.3f %.3f %.1f %.2f %d %d", $r->{kernels_not_slower}, $r->{kernel_geomean}, $r->{seed_gain},
    $r->{dp_records} / $r->{kernels}, $r->{dp_record_s}, $r->{ansor10k_records}, $r->{seed_records}; $g eq $w{$_} ? () : "$_: $g" } keys %w'
# At k = 300: ratios of sums, hours, Ansor-300 alone, and with fast kernels replaced by their seeds
check "sums over networks, hours, Ansor-300 alone and means without outliers are the known ones" 'my %w = (ryzen7 => "1.081 1.66 39.0 64.7 0.957 1.198 15", a100 => "1.097 1.57 263.4 413.0 0.960 0.987 8",
    rtx3080 => "0.969 1.59 236.4 376.5 0.972 0.974 3", a64fx => "0.914 1.61 151.9 244.4 0.761 0.869 6");
    map { my $r = at($d->{rows}, machine => $_, k => 300); my $g = sprintf "%.3f %.2f %.1f %.1f %.3f %.3f %d", $r->{pooled_exec}, $r->{pooled_tuning}, $r->{dp_hours}, $r->{ansor10k_hours},
    $r->{seed_exec_geomean}, $r->{sane_exec_geomean}, $r->{sane_wins}; $g eq $w{$_} ? () : "$_: $g" } keys %w'
# Of the file itself, by another program: the speed of the start, the gain, and how many kernels end at the sweep's seed
check "start and gain multiply to the speed in every cell where no seed failed" 'map { ($_->{seed_networks} < 20 || abs($_->{seed_exec_geomean} * $_->{seed_gain} / $_->{exec_geomean} - 1) < 1e-9) && $_->{seed_gain_low} < $_->{seed_gain} && $_->{seed_gain} < $_->{seed_gain_high} ? () : encode_json($_) } @{$d->{rows}}'
check "at k = 300 most seeds are Ansor's last best already" 'my %w = (ryzen7 => 684, rtx3080 => 696); map { my $m = $_; my %n; $n{$_->{ansork_time_s} == $_->{ansor10k_time_s}}++ for grep { $_->{k} == 300 } table("$m.tsv");
    my $g = at($d->{rows}, machine => $m, k => 300)->{seeds_last}; $g == $w{$m} && $g == $n{1} ? () : "$m: $g" } keys %w'
check "the authors' further runs of Droplet give the known speeds and gains, kernel by kernel" 'my %w = ("ryzen7 grid_a" => "20 1.034 0.957 1.080 449 0", "ryzen7 random_a" => "20 1.033 0.957 1.080 446 0",
    "ryzen7 droplet_b" => "19 1.203 0.959 1.254 129 0", "rtx3080 droplet_a" => "20 0.973 0.972 1.001 800 0"); map { my ($m, $run) = split / /; my $p = at($d->{repeats}, machine => $m, run => $run);
    my %s = map { ("$_->{network} $_->{kernel}" => $_) } grep { $_->{k} == 300 } table("$m.tsv"); my ($n, $faster, $slower) = (0, 0, 0);
    for (grep { $_->{run} eq $run && $_->{method} eq "droplet" } table("exploiters_$m.tsv")) { my $s = $s{"$_->{network} $_->{kernel}"}; $n += $_->{time_s} == $s->{ansork_time_s}; $faster += $_->{time_s} < $s->{dp_time_s}; $slower += $_->{time_s} > $s->{dp_time_s} }
    my $g = sprintf "%d %.3f %.3f %.3f %d %d", @$p{qw(networks exec_geomean seed_exec_geomean seed_gain at_seed other_seed)}; $g eq $w{"$m $run"} && $n == $p->{at_seed} && $faster == $p->{faster} && $slower == $p->{slower} ? () : "$m $run: $g, $n $faster $slower" } keys %w'
check "the intervals of the sweep's gain and of its further run on the Ryzen do not meet" 'my $p = at($d->{repeats}, run => "grid_a"); $p->{seed_gain_high} < $p->{sweep_seed_gain_low} && $p->{kernel_x_low} > 1 ? () : encode_json($p)'
check "the seeds that the variance files print are the sweep's" 'map { $_->{table} eq "variance" && ($_->{other_seed} || $_->{kernels} != 32) ? encode_json($_) : () } @{$d->{repeats}}'
check "Ansor's repeats on resnet34 spread by 15 %, Droplet's by 0.5 %" 'my $v = at($d->{variance}, machine => "ryzen7", network => "resnet34"); my $g = sprintf "%.3f %.4f", @$v{qw(ansor10k_spread_x spread_x)}; $g eq "0.154 0.0047" ? () : $g'
if [ -f "$shared/../kernels/alexnet.steps.jsonl" ]; then
    check "published schedules that are Ansor's have layout 2, the others 1, on 8 and 16 threads" 'my %c; for (grep { !$_->{network} } @{$d->{schedules}}) { $c{"$_->{origin} $_->{layout_rewrite}"} += $_->{records}; $c{"on $_->{threads}"} += $_->{records} }
        my $g = join ", ", map { "$_: $c{$_}" } sort keys %c; $g eq "ansor 2: 53, on 16: 312, on 8: 123, open 1: 8, open 2: 22, other 1: 341, other 2: 11" ? () : $g'
    check "the network whose file has kernels twice is open" 'map { $_->{origin} eq "open" && ($_->{network} // "resnet18") ne "resnet18" ? encode_json($_) : () } @{$d->{schedules}}'
else
    settle
    skip "published schedules that are Ansor's have layout 2, the others 1" "none beside $shared"
fi
# Variance files: DPAnsor ms, Ansor-300 ms, Ansor-10k ms, exec, tuning, significantly better, worse, not
README=$(tr -s '\n ' ' ' <"$experiments/../README.md") && export README
FINDINGS=$(tr -s '\n ' ' ' <"$experiments/../results/FINDINGS.md") && export FINDINGS
further='my @of = map { at($d->{repeats}, machine => "ryzen7", run => $_) } qw(grid_a random_a droplet_b);'
check "README.md says what the authors' further runs of Droplet give" "$further"' my $says = sprintf "Two of their further runs, in the same files, give %.2f, one %.2f", map { $_->{exec_geomean} } @of[0, 2];
    sprintf("%.2f", $of[1]{exec_geomean}) eq sprintf("%.2f", $of[0]{exec_geomean}) && index($ENV{README}, $says) >= 0 ? () : $says'
check "results/FINDINGS.md says what they give, and what Droplet gains in them" "$further"' my $r = at($d->{rows}, machine => "ryzen7", k => 300); my $gain = sub { sprintf "%.3f [%.3f, %.3f]", @{$_[0]}{qw(seed_gain seed_gain_low seed_gain_high)} };
    my %c; for (grep { !$_->{network} } @{$d->{schedules}}) { $c{"$_->{origin} $_->{layout_rewrite}"} += $_->{records}; $c{$_->{origin}} += $_->{records} }
    grep { index($ENV{FINDINGS}, $_) < 0 } sprintf("table has %.3f at k = 300", $r->{exec_geomean}), sprintf("two give %.3f and %.3f, the third, of %d of the %d networks, %.3f.", (map { $_->{exec_geomean} } @of[0, 1]), $of[2]{networks}, $of[0]{networks}, $of[2]{exec_geomean}),
    sprintf("gains %s in the table, and %s, %s and %s in those runs. %d of the %d seeds", (map { $gain->($_) } $r, @of), $r->{seeds_last}, $r->{kernels}), %c ? sprintf("%d are Ansor\x27s, which re-lay weights out beforehand. %d of the other %d pack", $c{"ansor 2"}, $c{"other 1"}, $c{other}) : ()'
check "the significance files give the numbers of harness/doc/droplet.md, "Rivals"" 'my %w = ("ryzen7 alexnet" => "11.488 11.644 11.429 0.995 3.63 3 1 9", "ryzen7 resnet34" => "10.317 11.282 10.496 1.017 2.20 4 0 15",
    "a100 alexnet" => "0.605 0.606 0.526 0.869 3.47 1 7 5", "a100 resnet34" => "0.560 0.562 0.540 0.965 2.43 2 5 12", "a64fx alexnet" => "5.868 10.078 3.453 0.588 3.75 1 5 7",
    "a64fx resnet34" => "6.115 9.894 4.031 0.659 2.28 2 10 7"); map { my ($m, $net) = split / /; my $v = at($d->{variance}, machine => $m, network => $net, run => 2); my $s = $v->{significance};
    my $g = sprintf "%.3f %.3f %.3f %.3f %.2f %d %d %d", 1e3 * $v->{dp_sum_s}, 1e3 * $v->{ansork_sum_s}, 1e3 * $v->{ansor10k_sum_s}, $v->{exec_x}, $v->{tuning_x}, $s->{better}, $s->{worse}, $s->{none};
    $g eq $w{$_} ? () : "$_: $g" } keys %w'
check "every printed p-value that the printed spreads decide comes out again" 'map { my $s = $_->{significance}; $s->{checked} > 0 && $s->{agree} == $s->{checked} ? () : encode_json($s) }
    @{$d->{variance}}, grep { $_->{machine} eq "rtx3080" } @{$d->{rows}}'
check "reruns have no wall clock, as that of the exploiters is of another run" 'map { defined $_->{tuning}{wall} ? encode_json($_) : () } @{$d->{variance}}'
# Exploiter files: complete networks, ms, minutes (wall clock), records, geomean
check "the exploiters give the numbers of droplet.md 3.6" 'my %w = ("ryzen7 droplet_b droplet" => "19 475.5 727 33351 1.203", "ryzen7 grid_a droplet" => "20 618.0 761 31353 1.034", "ryzen7 grid_b grid" => "14 4978.8 813 28616 0.148",
    "rtx3080 droplet_a droplet" => "20 23.3 1057 39476 0.973", "rtx3080 grid_a grid" => "20 775.2 1890 77472 0.038", "rtx3080 random_a random" => "1 85.0 95 1112 0.006");
    map { my ($m, $r, $x) = split / /; my $e = at($d->{exploiters}, machine => $m, run => $r, method => $x); my $g = sprintf "%d %.1f %.0f %.0f %.3f", $e->{complete}, 1e3 * $e->{exec_s}, $e->{tuning_s} / 60,
    $e->{records}, $e->{exec_geomean}; $g eq $w{$_} ? () : "$_: $g" } keys %w'
check "24 kernels failed, and the rivals of the Ryzen lie between 0.15 and 0.42" 'my $n = 0; $n += $_->{failed} for @{$d->{exploiters}};
    ($n == 24 ? () : "$n failed", map { my $m = $_; my $e = at($d->{exploiters}, machine => "ryzen7", run => "${m}_a", method => $m); $e->{exec_lowest} > 0.14 && $e->{exec_lowest} < 0.2 && $e->{exec_highest} > 0.34 && $e->{exec_highest} < 0.425 ? () : encode_json($e) } qw(random ga xgb))'
check "micro-kernels at k = 300 have the printed ms and minutes" 'my %w = (rtx3080 => "matmul 0.00812 8.0 conv2d 1.79760 19.8 depthwise 0.65306 21.7 pooling 0.97453 21.9 reduce 0.31240 2.7 relu 0.17218 0.2",
    a100 => "matmul 0.01099 11.4 conv2d 2.15147 25.3 depthwise 0.53931 29.6 pooling 0.89181 25.3 reduce 0.15628 2.9 relu 0.19726 0.2");
    map { my $m = $_; my $g = join " ", map { sprintf "%s %.5f %.1f", $_->{kernel}, 1e3 * $_->{dp_s}, $_->{dp_total_tuning_s} / 60 } grep { $_->{machine} eq $m && $_->{k} == 300 } @{$d->{micro}};
    $g eq $w{$m} ? () : "$m: $g" } keys %w'
check "AlexNet fc6 on the A100 at 4.56 us breaks the roofline, nothing of Ansor does" 'my @i = grep { $_->{what} eq "impossible" && $_->{network} eq "alexnet" && $_->{machine} eq "a100" && $_->{k} == 300 } @{$d->{outliers}};
    (@i == 1 && $i[0]{kernel} == 10 && $i[0]{roofline_s} > 70e-6 && $i[0]{roofline_s} < 80e-6 ? () : encode_json(\@i), map { $_->{known} && !$_->{unfit} ? () : encode_json($_) } @{$d->{roofline}})'
check "the claims have the the released files alone hold, doubt or fail each claim as known" 'my %w = ("C1 ryzen7" => "holds", "C1 a100" => "doubtful", "C1 rtx3080" => "fails", "C1 a64fx" => "fails", "C2 ryzen7" => "doubtful", "C2 a64fx" => "doubtful", "C2 a100" => "holds",
    "C2 rtx3080" => "holds", "C3 " => "fails", "C5 a64fx" => "fails", "C5 ryzen7" => "holds"); my %c = map { ("$_->{id} " . ($_->{machine} // "") => $_->{verdict}) } @{$d->{claims}};
    map { ($c{$_} // "") eq $w{$_} ? () : "$_: $c{$_}" } keys %w'

settle
# ---- the same rows in the authors' layout give the same tables ----
cat >authors.pl <<'EOF'
require "./lib.pl";
use File::Path 'make_path';
my %order;
sub put { my ($path, $text, $mode) = @_; (my $d = "authors/$path") =~ s{/[^/]*$}{}; make_path($d); open my $f, $mode // ">>", "authors/$path" or die $!; print $f $text }
sub blocks { my ($rows, @by) = @_; my (@b, %at); for my $r (@$rows) { my $key = join "|", map { $r->{$_} } @by; push @b, $at{$key} = [] if !$at{$key}; push @{$at{$key}}, $r } return @b }
sub dpansor { my ($k, $sd, @rows) = @_;
    my ($d, $s, $b) = $sd ? (", std droplet (s)", ", std Ansor-$k", ", std Ansor 10k") : ("") x 3;
    my $t = "Layer, Time Droplet (s)$d, Tuning time Droplet (s), Tuning time Droplet+Ansor (s), tasks Droplet, Time Ansor-$k (s)$s, tuning time Ansor-$k, task Ansor-$k, Time Ansor 10k (s)$b, tuning time 10k (s), tasks Ansor, speedup top-$k, speedup 10k, speed tuning time top-$k, speed tuning time 10k" . ($sd ? ", p-value" : "") . "\n";
    for my $r (@rows) { $t .= join(", ", $r->{kernel}, $r->{dp_time_s}, ($sd ? $r->{dp_std_s} : ()), @$r{qw(dp_tuning_s dp_total_tuning_s dp_records ansork_time_s)}, ($sd ? $r->{ansork_std_s} : ()),
        $r->{ansork_tuning_s}, " $r->{ansork_records}", $r->{ansor10k_time_s}, ($sd ? $r->{ansor10k_std_s} : ()), $r->{ansor10k_tuning_s}, $r->{ansor10k_records}, "1.00, 1.00, 1.00, 1.00", ($sd ? $r->{p_value} : ())) . "\n" }
    return $t }
my %last = ("", "");
for my $m (qw(ryzen7 rtx3080 a100 a64fx)) {
    for my $b (blocks([table("$m.tsv")], "network", "k")) {
        my ($net, $k) = ($b->[0]{network}, $b->[0]{k}); (my $short = $net) =~ s/_v\d|1_0//;
        my ($path, $first, $label) = $m eq "ryzen7" ? ("results/dpansor_x86.csv", "BENCH: $net\n", "SIZE: $k\n") : $m eq "rtx3080" ? ("perf_stats/RTX3080/$net.csv", "BENCH: $net\n", "")
            : $m eq "a100" ? ("perf_stats/a100/cuda_a100_droplet_$short.log", "Sun Dec 17 00:51:49 EST 2023\nGreetings from !\n", "Top $k\n") : ("perf_stats/a64fx/run_${short}_a64fx_droplet_updated.log", "Loaded Modulefiles:\n 1) slurm/slurm/19.05.7\n\n", "Top $k\n");
        put($path, (($last{$m} // "") ne $net ? $first : "") . $label . dpansor($k, $m eq "rtx3080", @$b)); $last{$m} = $net;
    } }
for my $m (qw(ryzen7 a100 a64fx)) { for my $b (blocks([table("variance_$m.tsv")], "run", "network")) { my ($run, $net) = ($b->[0]{run}, $b->[0]{network});
    put($m eq "ryzen7" ? "perf_stats/x86/run_getvar_x86_droplet_pvalue.log" : "perf_stats/$m/" . ($m eq "a100" ? "cuda_a100_droplet_getvariance" . ($run == 2 ? "_pvalue" : "") : "run_getvar_a64fx_droplet_" . ($run == 2 ? "pvalue" : "updated")) . ".log",
        ($m eq "ryzen7" ? "BENCH: $net\nSIZE: 300\n" : "Top 300 $net\n") . dpansor(300, 1, @$b)) } }
for my $m (qw(ryzen7 rtx3080)) { for my $b (blocks([table("exploiters_$m.tsv")], "run", "network", "method")) { my ($run, $net, $x) = @{$b->[0]}{qw(run network method)}; my ($r, $s) = $run =~ /(.*)_(.)/;
    my $sd = $b->[0]{std_s} ne ""; put("perf_stats/" . ($m eq "rtx3080" ? "RTX3080" : $s eq "a" ? "Ryzen3700X" : "ryzen3700x") . "/$r/$net.csv", "BENCH: $net\nlayer, $x-300 exec, " . ($sd ? "$x-300 std, " : "") . "$x-300 tuning, $x-300 trials\n" .
        join("", map { join(", ", $_->{kernel}, $_->{time_s}, ($sd ? $_->{std_s} : ()), $_->{tuning_s}, $_->{records}) . "\n" } @$b)) } }
my %meta = (ryzen7 => "x86_new", intel_x86 => "x86_intel", rtx3080 => "cuda_rtx3080", a100 => "cuda_a100_part1", a64fx => "arm_a64fx"); my $before = "";
for my $m (sort keys %meta) { for my $b (blocks([table("dpmeta_$m.tsv")], "network", "k")) { my ($net, $k) = @{$b->[0]}{qw(network k)};
    put("results/dpmeta_$meta{$m}.csv", ($before ne "$m $net" ? "BENCH: $net\n" : "") . "TOP: $k\nLayer, DPMeta time(s), DPMeta std(s), DPMeta trials, DPMeta Tuning(min), DPMeta+Meta tuning(min), Meta-$k time(s), Meta-$k std(s), trials-$k, Meta 10k time(s), Meta 10k std(s), trials-10k, speedup-$k, speedup-10k\n" .
        join("", map { join(", ", @$_{qw(kernel dpm_time_s dpm_std_s dpm_records dpm_tuning_min dpm_total_tuning_min metak_time_s metak_std_s metak_records meta10k_time_s meta10k_std_s meta10k_records)}, ($_->{extra_tuning} ne "" ? $_->{extra_tuning} : ()), "1.00, 1.00") . "\n" } @$b)); $before = "$m $net" } }
for my $m (qw(rtx3080 a100)) { for my $r (table("microkernels_$m.tsv")) { my $path = "benchmarks/microkernels/DpAnsor/" . ($m eq "a100" ? "a100/" : "") . "results/${m}_top$r->{k}.csv";
    put($path, "Top-$r->{k}\nbench, avg (ms), std (ms), trials, time total (min), ansor exec (ms), ansor tuning, speedup\nresults: \n" . join(", ", $r->{kernel}, @$r{qw(dp_time_ms dp_std_ms dp_records dp_total_tuning_min ansor_time_ms)}, 60 * $r->{ansor_tuning_min}, "1.00") . "\n") } }
EOF
perl authors.pl >out 2>err
ok $? "the released rows are written in the authors' layout"
gives 0 "the released rows in the authors' layout are read" authors --json
check "the authors' layout gives every digit of expected.tsv" "$expected"
check "the authors' layout gives every digit of expected_networks.tsv" "$networks"
check "the authors' layout gives every digit of dpmeta_expected.tsv" "$meta"
check "the authors' layout gives outliers.tsv, row by row" "$outliers"
check "the authors' layout gives all else as the compact tables do" 'my $c = load("compact.json"); map { my $part = $_; my %strip = map { ($_ => 1) } qw(file line); my $flat = sub { JSON::PP->new->canonical->encode([sort map { my %o = %$_; delete @o{keys %strip};
    delete $o{ansor_tuning_s}; delete $o{tuning_x} if $part eq "micro"; JSON::PP->new->canonical->encode(\%o) } @{$_[0]{$part}}]) }; $flat->($c) eq $flat->($d) ? () : "$part differs" } qw(rows variance repeats repeat_networks exploiters meta micro outliers blocks claims roofline)'
settle
finish
