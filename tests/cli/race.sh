#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# race: arms that search by themselves on target fake, with known truth: `grid` enumerates from the worst corner of the
# space, so ansor and random win; `random` against itself must not be told apart; the shipped experiment runs.
set -u
. tests/lib/tap.bash
root=$(pwd)
cd "$dir" || exit 1
cp -R "$root/experiments" "$root/plots" .
experiment() { # NAME ARM...
    local name=$1
    shift
    printf '%s\n' "# SPDX-License-Identifier: Apache-2.0" "experiment: $name" "title: a race for a test" "report: race" "target: fake" \
        "networks: [resnet18]" "kernels: 3" "seeds: 4" "regime: {number: 1, repeat: 2}" "duels: {max_launches: 5}" \
        "retime_regime: {number: 1, repeat: 1}" "arms:" >"experiments/$name.yaml"
    printf '  - {%s, scheduler: round_robin, batch: 8, trials_per_kernel: 24}\n' "$@" >>"experiments/$name.yaml"
}
rg() { "$bin" "$@" >out 2>err; }

grid="name: grid, searcher: grid, settings: {most: 1000000000000}"
experiment known "$grid" "name: ansor, searcher: ansor, model: random" "name: random, searcher: random"
rg run known --quiet && rg report known --write
ok $? "a race runs and its report is made"
rg report known
[[ $(tr -s '\n ' ' ' <out) =~ ^(ansor|random)" (the best of 2 arms; its intervals hold for all of them at once) against grid: until the best that every run of both comes to, it takes ".*" less wall time".*": clearly less, and" ]]
ok $? "the first line says which arm is sooner"
grep -q "^Kernels: valid" out && grep -q "^Next: " out
ok $? "two lines more say whether to believe it and what to do next"
cp results/known/report.json out
json "ansor and random are sooner than grid in time and trials, with intervals above 1" 'my @r = grep { !defined $_->{network} } @{$d->{tables}{race}};
    2 == @r && !grep { my $r = $_; $r->{over} ne "grid" || $r->{runs} != 4 || grep { $r->{$_}{ratio} < 2 || $r->{$_}{interval}[0] <= 1 || $r->{$_}{over} ne "seeds" }
    qw(sooner_wall sooner_trials) } @r'
json "of one network the ratio is that of the geometric means" '!grep { abs($_->{sooner_trials}{ratio} * $_->{reach_trials} / $_->{base_trials} - 1) > 1e-9
    || abs($_->{sooner_wall}{ratio} * $_->{reach_wall_s} / $_->{base_wall_s} - 1) > 1e-9 } grep { defined $_->{network} } @{$d->{tables}{race}}'
json "ansor and random end with faster kernels than grid" '2 == @{$d->{tables}{means}} && !grep { $_->{kernel_speedup_retimed}{interval}[0] <= 1 } @{$d->{tables}{means}}'
json "the target is the slowest last sum of both arms" 'my %last; $last{$_->{arm}}{$_->{seed}} = $_->{kernel_ms} for @{$d->{tables}{explorer_seeds}};
    !grep { my ($most) = sort { $b <=> $a } values %{$last{grid}}, values %{$last{$_->{arm}}}; abs($_->{target_ms} / $most - 1) > 1e-9 }
    grep { defined $_->{network} } @{$d->{tables}{race}}'
json "duels set every arm against the first" 'my %seen; $seen{"$_->{arm}/$_->{over}"} = $_->{faster} for grep { !defined $_->{network} } @{$d->{tables}{duels}};
    $seen{"ansor/grid"} > 1 && $seen{"random/grid"} > 1 && !exists $seen{"random/ansor"}'
json "every kernel of every arm has GFLOP/s inside their interval" 'my @k = @{$d->{tables}{race_kernels}};
    9 == @k && !grep { !($_->{gflops} > 0 && $_->{gflops_interval}[0] <= $_->{gflops} * (1 + 1e-9) && $_->{gflops} <= $_->{gflops_interval}[1] * (1 + 1e-9) && $_->{seeds} == 4) } @k'
json "GFLOP/s go with one over the time" 'my %f; push @{$f{$_->{kernel}}}, $_->{gflops} * $_->{kernel_ms} for @{$d->{tables}{race_kernels}};
    !grep { my $f = $_; grep { abs($_ / $f->[0] - 1) > 1e-9 } @$f } values %f'
json "every arm has curves over time and over trials, which end at the budget" 'my $t = $d->{tables};
    3 == @{$t->{curves}} && 3 == @{$t->{curves_trials}} && !grep { $_->{curve_trials}[-1] != 72 || $_->{curve_trials}[0] < 3 } @{$t->{curves_trials}}'
json "time to target has trials, too, and the first arm is the base" 'my @r = grep { $_->{q} == 1 } @{$d->{tables}{time_to_target}};
    3 == @r && $r[0]{arm} eq "grid" && !defined $r[0]{p} && !grep { !($_->{expected_trials} > 0) } @r'
json "no arm has seeds of another" '!@{$d->{tables}{pairwise}} && !grep { defined $_->{seed_kernel_ms} || defined $_->{seed_search_wall_s} } @{$d->{tables}{means}}'
if command -v gnuplot >/dev/null; then
    test -s results/known/known.svg -a -s results/known/known-curves.svg
    ok $? "curves over trials and over time are drawn"
else
    skip "curves over trials and over time are drawn" "gnuplot is not installed"
fi
grep -q 'id="race_kernels"' results/known/report.html
ok $? "the page has GFLOP/s by kernel"
rm results/known/records.db*
rg report known && [[ $(tr -s '\n ' ' ' <out) =~ " against grid: ".*": clearly less, and" ]]
ok $? "the report is read back from report.json"

experiment itself "name: random, searcher: random" "name: again, searcher: random"
rg run itself --quiet && rg report itself --json
json "an arm against itself has intervals that hold 1" '!grep { my $r = $_; grep { $r->{$_}{interval}[0] > 1 || $r->{$_}{interval}[1] < 1 } qw(sooner_wall sooner_trials) } @{$d->{tables}{race}}
    and !grep { $_->{kernel_speedup_retimed}{interval}[0] > 1 || $_->{kernel_speedup_retimed}{interval}[1] < 1 } @{$d->{tables}{means}}'
rg report itself
[[ $(tr -s '\n ' ' ' <out) =~ "again against random: ".*": open whether less or more, and" ]]
ok $? "the first line says that it is open which is sooner"
rg run itself --set seeds=1 --results one --quiet && rg report itself --set seeds=1 --results one --json
json "with one seed of one network there is no interval" '!grep { $_->{sooner_wall}{over} ne "none" || !($_->{sooner_wall}{ratio} > 0) } @{$d->{tables}{race}}'

experiment wrong "name: random, searcher: random" "name: descent, explore: random, exploit: droplet, k: [8]"
rg plan wrong
says "a race is for arms that search by themselves, 'descent' explores 'random': report: contest"
experiment alone "name: random, searcher: random"
rg plan alone
says "a race takes two arms or more"

rg run race --tier smoke --set target=fake --set ansor.model=random --quiet && rg report race --tier smoke --set target=fake --set ansor.model=random --write
ok $? "the shipped race runs and reports"
for tier in short judge; do
    rg plan race --tier $tier --set target=fake && grep -q '^resnet18 *ansor ' out
    ok $? "the shipped race has a tier $tier"
done

rg run parity --tier smoke --set target=fake --quiet && rg report parity --tier smoke --set target=fake --write
ok $? "the shipped race to parity runs and reports"
cp results/parity/smoke/report.json out
json "every arm has its search time to parity on every network and over networks" 'my @p = @{$d->{tables}{parity}}; 6 == @p && !grep { $_->{over} ne "ansor" || $_->{runs} != 2
    || $_->{reached} > 2 || !($_->{parity_mean}{ratio} > 0) || !($_->{parity_retimed}{ratio} > 0) || abs($_->{never} - 1 + $_->{reached} / 2) > 1e-9 } @p'
json "over networks every arm has it with each arm before it, too" 'my @p = map { "$_->{arm}/$_->{over}" } @{$d->{tables}{parity_pairs}};
    "@p" eq "pruner/ansor-xgb moa-pruner/ansor-xgb moa-pruner/pruner" && !grep { $_->{networks} != 1 || $_->{runs} != 2 || !($_->{parity_mean}{ratio} > 0) } @{$d->{tables}{parity_pairs}}'
claim() { echo "  - {id: $1, claim: c, where: w, metric: m, clock: wall, machine: v, side: above, tolerance: 0.25, experiment: parity, $2}"; }
{
    printf 'claims: heats\ntitle: made up\nmachines:\n  - {name: v, title: a formula, target: fake, match: ""}\nlist:\n'
    claim mean "networks: 1, column: parity_mean, arm: pruner"
    claim retimed "networks: 1, column: parity_retimed_mean, arm: moa-pruner"
    claim one "column: parity, arm: ansor-xgb, network: resnet18"
    claim pair "networks: 1, column: parity_mean, arm: moa-pruner, over: pruner"
} >experiments/papers/heats.yaml
sed -i 's/^  smoke: .*/&\n    budget: reduced/' experiments/parity.yaml
rg claims heats --json --tier smoke --set target=fake
export PARITY=results/parity/smoke/report.json
json "claims to parity are judged at the common target, beside the ratio as the paper counts it" 'open my $f, "<", $ENV{PARITY} or die; my $t = JSON::PP::decode_json(join "", <$f>)->{tables};
    my ($p, $r) = map { my $k = $_; +{map { ($_->{network} // "") . "/" . $_->{arm} => $_ } @{$t->{$k}}} } qw(parity race); my %c = map { $_->{id} => $_ } @{$d->{claims}};
    my $same = sub { my ($c, $of, $column) = @_; $c->{seeds} == 2 && abs($c->{as_the_paper_counts} / $p->{$of}{$column}{ratio} - 1) < 1e-9
        && abs($c->{value} / $r->{$of}{sooner_wall}{ratio} - 1) < 1e-9 };
    $same->($c{mean}, "/pruner", "parity_mean") && $same->($c{retimed}, "/moa-pruner", "parity_retimed_mean")
        && $same->($c{one}, "resnet18/ansor-xgb", "parity")'
json "claims have those with another arm than the first, too" 'open my $f, "<", $ENV{PARITY} or die; my $r = JSON::PP::decode_json(join "", <$f>)->{tables}{parity_pairs};
    my ($row) = grep { $_->{arm} eq "moa-pruner" && $_->{over} eq "pruner" } @$r; my ($c) = grep { $_->{id} eq "pair" } @{$d->{claims}};
    $c->{seeds} == 2 && abs($c->{as_the_paper_counts} / $row->{parity_mean}{ratio} - 1) < 1e-9 && abs($c->{value} / $row->{sooner_wall}{ratio} - 1) < 1e-9'
json "a claim is doubtful where runs never get there" 'open my $f, "<", $ENV{PARITY} or die; my $r = JSON::PP::decode_json(join "", <$f>)->{tables}{parity};
    my %p = map { ($_->{network} // "") . "/" . $_->{arm} => $_ } @$r; my %c = map { $_->{id} => $_ } @{$d->{claims}}; my $never = 2 - $p{"/pruner"}{reached};
    $never ? $c{mean}{caveat} =~ /^$never of 2 runs never are as good as the first arm in the end; of the first arm.s own, \d of 2 / : !defined $c{mean}{caveat}'
ls results/parity/smoke/pretrained-*.net >out && [ "$(wc -l <out)" = 1 ]
ok $? "the model of both seeds is pre-trained once"
for tier in short judge; do
    rg plan parity --tier $tier --set target=fake && grep -q 'moa-pruner ' out
    ok $? "the race to parity has a tier $tier"
done
finish
