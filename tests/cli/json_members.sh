#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# json_members: the JSON of every verb but report against its table of members, as `raingauge doc json` prints it. Each
# form of a verb's JSON is made on target fake, in a folder of its own. Each member that is printed must be in the table,
# and each row of the table must be printed at least once, unless it is marked (sometimes).
set -u
. tests/lib/tap.bash
. tests/lib/onnx.bash
experiments=$root/experiments
shared=${RAINGAUGE_SHARED:-../shared}
case $shared in /*) ;; *) shared=$root/$shared ;; esac
cp -r tests/cli/replay tests/cli/landscape "$dir" && mkdir "$dir/json" && cd "$dir" || exit 1

"$bin" doc json | sed "/^### .means./,\$d" >members.md
ok $? "the reference of JSON members is printed"
# take FORM COMMAND...: keeps one output of a form, and which form it is of.
taken=0
take() {
    local form=$1
    shift
    taken=$((taken + 1))
    "$bin" "$@" --json --experiments "$experiments" >"json/$taken" 2>err </dev/null
    printf '%s\t%s\n' "json/$taken" "$form" >>json/index
}

tiny="--set target=fake --set networks=resnet18 --set kernels=2 --set ansor.trials_per_kernel=16
    --set dpansor.trials_per_kernel=6 --set dpansor.k=1,8"
take "raingauge doctor" doctor
take "raingauge list networks" list networks
for kind in machines searchers models targets collectors operators regimes experiments papers; do
    take "raingauge list KIND" list $kind
done
take "raingauge plan EXPERIMENT" plan table3 $tiny
take "raingauge plan EXPERIMENT" plan table3 $tiny --set seeds=3 --budget 1h
"$bin" run table3 $tiny --set target_settings.fail=0.3 --quiet --experiments "$experiments" 2>err </dev/null
take "raingauge status DIR" status results/table3/smoke
take "raingauge archive DIR" archive results/table3/smoke
take "raingauge status" status
"$bin" run table3 $tiny --set target_settings.fail=0.3 --set machine=ryzen7-3700x --results ryzen --quiet --experiments "$experiments" 2>err </dev/null
take "raingauge report DIR... --machines" report results/table3/smoke ryzen --machines $tiny --set target_settings.fail=0.3
take "raingauge best DIR" best results/table3/smoke
take "raingauge query DIR" query results/table3/smoke
take "raingauge query DIR SQL" query results/table3/smoke "SELECT arm, k FROM arms"
take "raingauge claims PAPER" claims droplet --tier smoke $tiny --set target_settings.fail=0.3
take "raingauge replay FILE" replay replay/bad.jsonl --dry
take "raingauge replay FILE" replay replay/own.jsonl --threads 1 --regime quick
take "raingauge train MODEL" train mlp --data replay/own.jsonl --settings epochs=1 --hold-out conv2d --against resnet18
mkdir -p imported/networks && onnx_tiny >net.onnx
experiments=$dir/imported take "raingauge import FILE" import net.onnx
cp -r "$experiments/machines" imported/ # and a record of a kernel that nobody knows
{ cat replay/own.jsonl; head -n 1 replay/own.jsonl | perl -pe 's/"\[.*?\]\]"/"[\\"0123\\", [3]]"/'; } >log.jsonl
experiments=$dir/imported take "raingauge import FILE... of TVM's records" import log.jsonl --name own
take "raingauge bench" bench --only state_us
RAINGAUGE_SHARED=$dir/nowhere take "raingauge bench" bench --only tvm_replay_geomean
mkdir released
{
    printf 'network\tkernel\tk\tdp_time_s\tdp_total_tuning_s\tansork_time_s\tansor10k_time_s\tansor10k_tuning_s\n'
    printf 'alexnet\t0\t300\t0.1\t1\t0.1\t0.4\t2\nalexnet\t1\tx\t0.1\t1\t0.1\t0.2\t2\n'
} >released/ryzen7.tsv
take "raingauge reanalyse DIR" reanalyse released
mkdir -p pruner/resnet50_a100
{
    printf 'network\tplatform\tbaseline\tmethod\twhat\tseconds\n'
    printf 'vit\ta100\tansor\tansor\twhole_run\t100\nvit\ta100\tansor\tpruner\tto_parity\t50\n'
    printf 'vit\ta100\tansor\tpruner\tto_parity\tx\n'
} >pruner/search_time.tsv
printf 'elapsed_s\test_latency_ms\ttrials\n5\tN/A\t10\n9\t2.5\t20\n' >pruner/resnet50_a100/ansor.tsv
take "raingauge reanalyse DIR of pruner" reanalyse pruner
[ ! -d "$shared/data/droplet" ] || take "raingauge reanalyse DIR" reanalyse "$shared/data/droplet"

# Nights on target fake, the second one slow; and both compared with each other.
. "$root/tests/lib/nightly.bash"
experiments=$dir/exp
take "raingauge nightly" nightly --state state
RAINGAUGE_FAKE=night=2,slow=0.2 take "raingauge nightly" nightly --state state
take "raingauge nightly --history" nightly --history --state state
take "raingauge compare OLD NEW" compare 1 2 --state state
for codegen in tvm fast; do
    mkdir "landscape/$codegen"
    hash=$("$bin" plan landscape --set target_settings.codegen=$codegen --json --experiments "$root/experiments" | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p')
    perl landscape/report.pl smoke $codegen "$hash" 0.01 >"landscape/$codegen/report.json"
done
experiments=$root/experiments
take "raingauge landscape DIR DIR" landscape landscape/tvm landscape/fast
"$bin" collect "dense n=4 ci=16 co=16" --target fake --count 20 --output recording --quiet >out 2>err
take "raingauge ranking FILE" ranking recording --model random --seeds 2
"$bin" replay replay/bad.jsonl --dump state >json/state 2>err
printf 'json/state\traingauge replay FILE --dump state\n' >>json/index

# walk N: TAP from point N + 1 on, two points a form: what is printed and not in its table, what is in its table and
# never printed. The last line tells the number of points.
cat >walk <<'END'
use strict; use warnings; use JSON::PP;
my ($n, $failed, %rows, %sometimes, %list, %seen, %extra, %taken, $form, @forms) = (shift, 0);
open my $in, '<', 'members.md' or die $!;
while (<$in>) {
    if (/^## `(.*) --json`/) { push @forms, $form = $1 }
    $list{$form} = 1 if $form && /^A list of objects/;
    my ($path, $type, $help) = /^\| `([^`]+)` \| ([^|]+) \| (.*) \|$/ or next;
    $rows{$form}{$path} = 1;
    $sometimes{$form}{$path} = 1 if $help =~ /^\(sometimes\)/;
}
sub fits { # the row that tells a printed path, if any
    my ($form, $path) = @_;
    return $path if $rows{$form}{$path};
    for my $row (grep { /\{/ } keys %{ $rows{$form} }) {
        my $pattern = join '[^.\[]+', map { quotemeta } split /\{\w+\}/, $row, -1;
        return $row if $path =~ /^$pattern$/;
    }
    return undef;
}
sub walk {
    my ($form, $path, $value) = @_;
    my $row = $path eq '' ? undef : fits($form, $path);
    $seen{$form}{$row} = 1 if defined $row;
    if (ref $value eq 'HASH') {
        $extra{$form}{$path} = 1 if !%$value && !defined $row;
        walk($form, $path eq '' ? $_ : "$path.$_", $value->{$_}) for keys %$value;
    } elsif (ref $value eq 'ARRAY' && !defined $row) {
        walk($form, "${path}[]", $_) for @$value;
    } elsif (!defined $row) {
        $extra{$form}{$path} = 1;
    }
}
open my $index, '<', 'json/index' or die $!;
while (<$index>) {
    chomp;
    my ($file, $of) = split /\t/;
    open my $f, '<', $file or die $!;
    my @texts = <$f>;
    @texts = (join '', @texts) if $of !~ /--dump/;
    for my $text (@texts) {
        my $d = eval { decode_json($text) };
        if (!defined $d) { $extra{$of}{"no JSON: $@"} = 1; next }
        walk($of, '', $_) for $list{$of} ? @$d : $d;
    }
    $taken{$of} = 1;
}
sub point {
    my ($name, @bad) = @_;
    print @bad ? 'not ' : '', 'ok ', ++$n, " - $name\n";
    print STDERR "#   $_\n" for @bad;
    $failed = 1 if @bad;
}
for my $of (sort @forms) {
    point("`$of --json` prints no member that its table lacks", sort keys %{ $extra{$of} // {} });
    point("`$of --json` prints each member of its table",
        $taken{$of} ? grep { !$seen{$of}{$_} && !$sometimes{$of}{$_} } sort keys %{ $rows{$of} } : 'it was not tried');
}
exit $failed;
END
perl walk $n || failed=1
n=$((n + 2 * $(grep -c '^## ' members.md)))
finish
