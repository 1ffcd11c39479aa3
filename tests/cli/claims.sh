#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# claims: `raingauge claims` over results made by hand: a report.json whose numbers are chosen so that the rules of
# harness/doc/measurement.md give each verdict, on the claimed machine and on another, and every way in which results can be missing.
set -u
. tests/lib/tap.bash
cd "$dir" || exit 1
cp -r "$root/experiments" experiments

rg() { "$bin" claims "$@" >out 2>err </dev/null; }
json() { perl -MJSON::PP -e 'local $/; my $d = decode_json(<STDIN>); my %c = map { $_->{id} => $_ } @{$d->{claims}}; exit(eval($ARGV[0]) ? 0 : 1)' "$2" <out; ok $? "$1"; }

# ---- a list of claims of its own, of few claims ----
claim() { # id machine rest
    local clock=none
    case $3 in *speedup_wall*) clock=wall ;; *speedup_records*) clock=records ;; esac
    echo "  - {id: $1, claim: c$1, where: w, metric: m, clock: $clock, machine: $2, tolerance: 0.10, $3}"
}
{
    echo "claims: mine"
    echo "title: made up"
    echo "machines:"
    echo "  - {name: ryzen, title: a Ryzen, target: cpu, arch: x86_64, match: Ryzen 7 3700X}"
    echo "  - {name: plain, title: a Ryzen, target: cpu, match: Ryzen 7 3700X, mcpu: [generic, x86-64]}"
    echo "  - {name: named, title: a Ryzen, target: cpu, match: Ryzen 7 3700X, mcpu: [x]}"
    echo "  - {name: a100, title: an A100, target: cuda, match: A100}"
    echo "  - {name: a64fx, title: an A64FX, target: cpu, arch: aarch64, match: A64FX}"
    echo "list:"
    at="experiment: table3, k: 300, networks: 3"
    claim same ryzen "side: above, value: 1.198, $at, column: kernel_speedup, headline: true"
    claim big ryzen "side: above, value: 1.6, $at, column: kernel_speedup"
    claim less ryzen "side: below, value: 0.9, $at, column: kernel_speedup"
    claim side any "side: above, $at, column: kernel_speedup_retimed"
    claim wide any "side: above, $at, column: search_speedup_wall"
    claim equal any "side: parity, $at, column: search_speedup_records"
    claim usual any "side: above, $at, column: wins"
    claim three any "side: above, value: 3, $at, column: networks"
    claim twenty any "side: above, value: 1.2, experiment: table3, k: 300, networks: 20, column: kernel_speedup"
    claim gpu a100 "side: above, value: 1.094, $at, column: kernel_speedup"
    claim arm a64fx "side: below, value: 0.953, $at, column: kernel_speedup"
    claim other any "side: above, experiment: table3, k: 7, column: kernel_speedup"
    claim fact any "side: above, untested: a date"
} >experiments/papers/mine.yaml
printf '%s\n' "published: mine" "paper: made up" "explained: [their files say why]" >experiments/published/mine.yaml

hash() { "$bin" plan table3 --tier "$1" --json | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p'; }

# environment CPU: the rows of a report about the machine; $gpu: more of them
gpu=
environment() { echo "[$gpu{\"part\": \"host\", \"name\": \"cpu\", \"text\": \"$1\"}, {\"part\": \"host\", \"name\": \"arch\", \"text\": \"x86_64\"}, {\"part\": \"target\", \"name\": \"cpu\", \"text\": \"x\"}]"; }

# results TIER CPU NOISE [HASH] [TARGET]
results() {
    mkdir -p results/table3/"$1"
    local tuned='{"ratio": 1.22, "over": "seeds", "n": 10, "df": 27, "interval": [1.15, 1.29]}'
    local again='{"ratio": 1.05, "over": "seeds", "n": 10, "df": 27, "interval": [1.03, 1.07]}'
    local row='"k": 300, "kernel_speedup": '$tuned', "kernel_speedup_retimed": '$again',
      "search_speedup_wall": {"ratio": 1.3, "over": "seeds", "n": 10, "df": 27, "interval": [0.8, 2.1125]},
      "search_speedup_records": {"ratio": 1.01, "over": "seeds", "n": 10, "df": 27, "interval": [0.97, 1.05]}'
    cat >results/table3/"$1"/report.json <<END
{"experiment": "table3", "report": "table3", "tier": "$1", "hash": "${4:-$(hash "$1")}", "target": "${5:-cpu}", "target_settings": "codegen=tvm", "regime": "number=10,verify=yes",
 "valid": true, "complete": true,
 "tables": {"means": [{"arm": "droplet-300", $row, "wins": 3, "counted": 3}],
 "networks": [{"network": "a", "arm": "droplet-300", ${row/1.22/0.9}}, {"network": "b", "arm": "droplet-300", ${row/1.22/0.9}},
  {"network": "c", "arm": "droplet-300", ${row/1.05/1.015}}],
 "environment": $(environment "$2")$3}}
END
}
noise=', "noise": [{"noise_floor": 0.01, "state": "passed", "search_state": "passed"}]'

gives 4 "claims without results are not measured" mine
prints "TAP version 13"
prints "1..13"
prints "# experiments/papers/mine.yaml, SHA-256 $(sha256sum experiments/papers/mine.yaml | cut -c1-64)"
prints "# SKIP NOT MEASURED: nothing is measured yet; to measure it on a Ryzen: raingauge run table3 --tier judge"
prints "raingauge run table3 --tier judge --set dpansor.k=7"
prints "to measure it on an A100: raingauge run table3 --tier judge --set machine=a100"
prints "ok 13 - fact: cfact # SKIP NOT MEASURED: a date"

results full "AMD Ryzen 7 3700X 8-Core Processor" "$noise"
gives 1 "results of the claimed machine are judged" mine --json
json "a value within the band is REPRODUCED" '$c{same}{verdict} eq "REPRODUCED" && $c{same}{value} == 1.22 && $c{same}{interval}[1] == 1.29'
json "a verdict has the paper's value and a reason" '$c{same}{paper} == 1.198 && $c{same}{reason} =~ /lies in/ && $c{same}{df} == 27 && abs($c{same}{half_width} - 0.0574) < 1e-3'
json "of a value of the right side and the wrong size the size is excluded" '$c{big}{verdict} eq "REPRODUCED (direction, size excluded)"'
json "a value of the wrong side is NOT REPRODUCED" '$c{less}{verdict} eq "NOT REPRODUCED"'
json "a claim of a side only is REPRODUCED by the side" '$c{side}{verdict} eq "REPRODUCED"'
json "too wide an interval is INCONCLUSIVE and tells the seeds it takes" '$c{wide}{verdict} eq "INCONCLUSIVE" && $c{wide}{more_seeds} > 0'
json "a claim of parity is REPRODUCED by a value near 1" '$c{equal}{verdict} eq "REPRODUCED"'
json "a claim of search time shows the wall clock too" '$c{equal}{wall} == 1.3'
json "two wins, re-timed, and a tie of three networks are too few to say usually" '$c{usual}{verdict} eq "INCONCLUSIVE" && abs($c{usual}{value} - 5 / 3) < 1e-9'
json "a claim of three networks is REPRODUCED" '$c{three}{verdict} eq "REPRODUCED"'
json "three of twenty networks are no average" '$c{twenty}{verdict} eq "NOT MEASURED" && $c{twenty}{reason} =~ /3 of 20/ && $c{twenty}{cure} =~ /raingauge run table3 --tier judge$/'
json "a claim of another target is NOT MEASURED" '$c{gpu}{verdict} eq "NOT MEASURED" && $c{gpu}{reason} =~ /needs target .cuda. \(an A100\)/'
json "a claim of another processor is NOT MEASURED" '$c{arm}{verdict} eq "NOT MEASURED" && $c{arm}{reason} =~ /needs aarch64/'
json "a claim of another k is NOT MEASURED and tells the k there are" '$c{other}{verdict} eq "NOT MEASURED" && $c{other}{reason} =~ /no k = 7 \(they have 300\)/'
json "the list of claims has the worst headline and the file's hash" '$d->{headline} eq "REPRODUCED" && length $d->{hash} == 64'
"$bin" claims mine >out 2>err
says "13 claims of 'mine': 1 not reproduced, 0 invalid, 3 open, 5 not measured"
prints "not ok 3 - less NOT REPRODUCED, doubtful: cless"
prints "doubtful: \"below 1, not above, on 2 of 3 networks: a 0.90, b 0.90\""
prints "not ok 2 - big: cbig # TODO REPRODUCED (direction, size excluded), doubtful: "
prints "interval: [1.15, 1.29]"
if command -v prove >/dev/null; then
    prove -v --exec cat out >proved 2>&1
    grep -q "Failed 1/13 subtests" proved && ! grep -qi "parse error" proved
    ok $? "prove reads the list of claims: one of 13 failed"
fi

sed -i 's/\[1.15, 1.29\]/[1.29, 1.15]/' results/table3/full/report.json
"$bin" claims mine --json >out 2>err
json "an interval that does not hold its estimate judges nothing" '$c{same}{verdict} eq "INCONCLUSIVE" && $c{same}{value} == 1.22'

results full "Some Xeon" "$noise"
gives 1 "results of another machine are judged" mine --json
json "a claim that holds on another machine is TRANSFERRED" '$c{same}{verdict} eq "TRANSFERRED" && $c{side}{verdict} eq "TRANSFERRED (direction)"'
json "a claim that holds in direction only is TRANSFERRED so" '$c{big}{verdict} eq "TRANSFERRED (direction, size excluded)"'
json "a claim whose other side was found is NOT TRANSFERRED" '$c{less}{verdict} eq "NOT TRANSFERRED"'
json "a count that holds on another machine is TRANSFERRED" '$c{three}{verdict} eq "TRANSFERRED"'
gpu='{"part": "shards", "name": "unlike", "text": "processor: A and B"}, '
results full "AMD Ryzen 7 3700X" "$noise"
gives 1 "results of shards of unlike machines are judged" mine --json
json "of unlike machines none is the claimed one" '$c{same}{verdict} eq "TRANSFERRED"'
json "that machines were unlike is a caveat of each verdict" '!grep { $_->{source} eq "measured" && $_->{caveat} !~ /^networks were searched on unlike machines \(processor: A and B\)/ } values %c'
json "that machines were unlike stands before other caveats" '$c{less}{caveat} =~ /A and B\); below 1, not above, on 2 of 3 networks/'
gpu=
results full "Some Xeon" "$noise"
results short "AMD EPYC" "$noise"
gives 1 "a claim with two runs is judged by the better tier" mine
prints "# - **made up**: csame: TRANSFERRED, 1.220 [1.150, 1.290], doubtful, in [table3/full](table3/full/report.txt)."
prints "# - their files say why"
prints "# | same, csame (m) | w | 1.198 | 1.220 [1.150, 1.290] | TRANSFERRED | [table3/full](table3/full/report.txt) |"
prints "# | | | | 1.220 [1.150, 1.290] | TRANSFERRED | [table3/short](table3/short/report.txt) |"
prints "same in \`table3/short\`"
cp experiments/papers/mine.yaml kept.yaml
sed -i '/id: side,/s/}$/, headline: true}/' experiments/papers/mine.yaml
gives 1 "two headline claims are judged" mine
prints "cside: TRANSFERRED (direction), 1.050 [1.030, 1.070]. All are of [table3/full](table3/full/report.txt)."
! grep -q "doubtful, in" out
ok $? "where all headline claims are of one run, it is named once"
mv kept.yaml experiments/papers/mine.yaml
gives 1 "one tier alone is asked for" mine --tier full
! grep -q "table3/short" out
ok $? "where one tier is asked for, other runs are not told"
rm -r results/table3/short

sed -i '1s/{/{"paper": "droplet", /' results/table3/full/report.json # a report names the same commands
"$bin" report table3 --tier full --json >out 2>err
prints "raingauge run table3 --tier judge --set machine=ryzen7-3700x --set dpansor.k=1\""

gated() { # kernels' state, search time's
    echo ", \"noise\": [{\"noise_floor\": 0.01, \"state\": \"$1\", \"reason\": \"drift of 7 %\", \"search_state\": \"$2\", \"search_reason\": \"busy\"}]"
}
results full "AMD Ryzen 7 3700X" "$(gated failed passed)"
gives 3 "results of a failed gate of kernels are judged" mine --json
json "a failed gate is INVALID, not NOT REPRODUCED, and names its cure and command" '$c{less}{verdict} eq "INVALID" && $c{same}{reason} =~ /^drift of 7 %; .*: raingauge run table3 --tier full/'
json "a gate of kernels does not void search time" '$c{wide}{verdict} eq "INCONCLUSIVE" && $c{equal}{verdict} eq "REPRODUCED" && $c{equal}{noise} == 0'
json "coverage is looked at before gates" '$c{twenty}{verdict} eq "NOT MEASURED" && $c{other}{verdict} eq "NOT MEASURED"'
json "networks of an invalid run are not counted" '$c{three}{verdict} eq "INVALID"'
results full "AMD Ryzen 7 3700X" "$(gated passed failed)"
gives 1 "results of a failed gate of search time are judged" mine --json
json "a gate of search time does not void kernels" '$c{same}{verdict} eq "REPRODUCED" && $c{equal}{verdict} eq "INVALID" && $c{equal}{reason} =~ /^busy; .*raingauge run/'
results full "AMD Ryzen 7 3700X" ""
gives 4 "results without a noise floor are judged" mine --json
json "a claim without a noise floor is INCONCLUSIVE" '$c{same}{verdict} eq "INCONCLUSIVE" && $c{same}{reason} =~ /noise floor/'
results full "AMD Ryzen 7 3700X" "$noise"
sed -i 's/verify=yes/verify=no/' results/table3/full/report.json
gives 3 "results of unverified candidates are judged" mine --json
json "a claim of unverified candidates is INVALID" '$c{same}{reason} =~ /verify=no/'

results full "AMD Ryzen 7 3700X" "$noise" 0123456789abcdef
gives 4 "results of another version are not used" mine --json
json "results of another version are named with their place" '$c{same}{reason} =~ m{results/table3/full/report.json. is of another version .* 0123456789ab}'
json "a claim that no run tests is told beside results of another version" '$c{fact}{reason} eq "a date"'
results short "AMD Ryzen 7 3700X" "$noise"
gives 1 "where a tier is of another version the next one counts" mine --json
json "a reduced budget indicates what is against a claim as what is for it" '$c{less}{verdict} eq "NOT REPRODUCED (direction)" && $c{three}{verdict} eq "REPRODUCED (indicative)"'
json "a lower tier judges the side only" '$c{same}{verdict} eq "REPRODUCED (direction)" && $c{same}{reason} =~ /indicative/ && $c{same}{results} eq "results/table3/short"'
gives 4 "a tier may be given by name" mine --json --tier full
json "a tier that has no results is NOT MEASURED" '$c{same}{verdict} eq "NOT MEASURED"'
rm -r results
results smoke "AMD Ryzen 7 3700X" "$noise"
gives 4 "results of tier smoke are judged" mine --json
json "tier smoke measures no claim" '$c{same}{verdict} eq "NOT MEASURED" && $c{same}{reason} =~ /mechanics.*raingauge run table3 --tier judge/'
rm -r results
results full "AMD Ryzen 7 3700X" "$noise" "" fake
gives 4 "results of a virtual target are judged" mine --json
json "a virtual target is no evidence of a claim" '$c{same}{reason} =~ /target .fake., which no claim is about/'
# ---- the rules of machine files tell GPUs apart that the claims' words do not ----
{
    sed -n '1,/^machines:/p' experiments/papers/mine.yaml
    echo "  - {name: a100, title: an A100 with 80 GB, target: cuda, match: A100}"
    echo "  - {name: a100-40, title: an A100 with 40 GB, target: cuda, match: A100}"
    echo "  - {name: h200, title: an H200, target: cuda, match: H200}"
    echo "  - {name: made-up, title: any A100, target: cuda, match: A100}"
    echo "list:"
    at="experiment: table3, k: 300, networks: 3"
    claim large a100 "side: above, value: 1.198, $at, column: kernel_speedup"
    claim small a100-40 "side: above, value: 1.198, $at, column: kernel_speedup"
    claim new h200 "side: above, value: 1.198, $at, column: kernel_speedup"
    claim words made-up "side: above, value: 1.198, $at, column: kernel_speedup"
    claim cpu ryzen7-3700x "side: above, value: 1.198, $at, column: kernel_speedup"
} | sed 's/^list:/  - {name: ryzen7-3700x, title: a Ryzen, target: cpu, arch: x86_64, match: Ryzen 7 3700X}\nlist:/' >experiments/papers/gpus.yaml
# on GPU GIB WANT: the verdicts of large, small, new, words when the results are of that GPU
on() {
    gpu="{\"part\": \"target\", \"name\": \"gpu\", \"text\": \"$1\"}, {\"part\": \"target\", \"name\": \"gpu_memory_gib\", \"text\": \"$2\"}, "
    results full "AMD Ryzen 7 3700X" "$noise" "" cuda
    rg gpus --json
    json "claims of results on '$1' with $2 GiB are $3" "join(', ', map { lc \$c{\$_}{verdict} } qw(large small new words)) eq '$3'"
}
on "NVIDIA A100-SXM4-80GB" 80 "reproduced, transferred, transferred, reproduced"
on "NVIDIA A100-PCIE-40GB" 40 "transferred, reproduced, transferred, reproduced"
on "NVIDIA A100-SXM4-40GB MIG" 40 "transferred, transferred, transferred, reproduced"
on "NVIDIA A100-SXM4-80GB" "not known" "transferred, transferred, transferred, reproduced"
on "NVIDIA H200" 140.4 "transferred, transferred, reproduced, transferred"
on "NVIDIA H200 NVL" 140.4 "transferred, transferred, transferred, transferred"
json "results of a GPU measure no claim of a processor" '$c{cpu}{verdict} eq "NOT MEASURED" && $c{cpu}{reason} =~ /needs target .cpu. \(a Ryzen\)/'
echo "mtach: {}" >>experiments/machines/h200.yaml
on "NVIDIA H200" 140.4 "transferred, transferred, transferred, transferred"
gpu=
results full "AMD Ryzen 7 3700X" "$noise"
rg gpus --json
json "results of a processor measure no claim of a GPU" '$c{cpu}{verdict} eq "REPRODUCED" && !grep { $c{$_}{verdict} ne "NOT MEASURED" } qw(large small new words)'
cp "$root/experiments/machines/h200.yaml" experiments/machines/
results full "AMD Ryzen 7 3700X" "$noise" "" fake
echo "{ broken" >results/table3/full/report.json
gives 4 "a broken report.json is let pass" mine --json
json "a broken report.json is named with its line" '$c{same}{reason} =~ m{results/table3/full/report.json:1:}'
gives 2 "a tier that no experiment has is refused" mine --json --tier ful
says "has a tier 'ful': did you mean 'full'?"

# ---- reports that compare exploiters: ten seeds of two networks, against one rival or two ----
{
    sed '/^list:/q' experiments/papers/mine.yaml
    at="experiment: exploiters, networks: 2"
    claim speed ryzen "side: above, value: 1.22, $at, column: kernel_speedup_retimed, arm: droplet, k: 300, headline: true"
    claim only ryzen "side: above, $at, column: kernel_speedup, arm: droplet"
    claim plain plain "side: above, $at, column: kernel_speedup, arm: droplet"
    claim named named "side: above, $at, column: kernel_speedup, arm: droplet"
    claim own ryzen "side: above, $at, column: own_speedup, arm: droplet"
    claim twice ryzen "side: above, value: 2.2, $at, column: kernel_speedup_retimed, arm: droplet, over: [grid]"
    claim time ryzen "side: above, value: 3, $at, column: exploit_speedup_wall, arm: droplet, over: [grid, random]"
    claim clock ryzen "side: above, $at, column: search_speedup_records, arm: droplet"
    claim one ryzen "side: below, experiment: exploiters, column: kernel_speedup_retimed, arm: grid, network: alexnet"
    claim many ryzen "side: above, $at, column: wins, arm: droplet"
    claim count ryzen "side: above, value: 2, $at, column: networks, arm: droplet"
    claim more ryzen "side: above, value: 3, $at, column: networks, arm: droplet"
    claim absent ryzen "side: above, $at, column: kernel_speedup, arm: genetic"
    claim ks ryzen "side: above, $at, column: kernel_speedup, arm: droplet, k: 50"
    claim gap ryzen "side: above, $at, column: kernel_speedup, arm: droplet, over: [random]"
} >experiments/papers/rivals.yaml

# droplet is 1.2 and 1.25 times as fast as the explorer in turn, grid 0.6 and 0.5 times; exploitation takes 10, 20 and 45 s.
rivals() { # folder with an experiment's report
    mkdir -p "$1"
    perl -MJSON::PP -e 'my ($hash, $environment) = @ARGV; my %of = (droplet => [1.2, 1.25, 10], grid => [0.6, 0.5, 20], random => [0, 0, 45]);
        my $interval = sub { my @l = map { log } @_; my ($n, $m) = (scalar @l, 0); $m += $_ / $n for @l; my $s = 0; $s += ($_ - $m) ** 2 for @l;
            my $h = 2.2621571628 * sqrt($s / ($n - 1)) / sqrt $n; return {over => "seeds", n => $n, df => 18, ratio => exp $m,
            interval => [exp($m - $h), exp($m + $h)], rows => 2, interval_rows => [0.9, 1.6]} };
        my (@means, @networks, @seeds); for my $arm (sort keys %of) { my ($odd, $even, $s) = @{$of{$arm}};
            my @v = map { my $v = $_ % 2 ? $odd : $even; $v || undef } 1 .. 10;
            my %row = (arm => "$arm-300", k => 300, search_speedup_wall => {ratio => 0.5, over => "none", n => 1},
                map { $_ => $v[0] ? $interval->(@v) : undef } qw(kernel_speedup kernel_speedup_retimed search_speedup_records));
            push @means, \%row;
            for my $net (qw(alexnet resnet18)) { push @networks, {%row, network => $net};
                push @seeds, map { +{arm => "$arm-300", network => $net, seed => $_, kernel_speedup => $v[$_ - 1],
                    kernel_speedup_retimed => $v[$_ - 1], exploit_wall_s => $arm eq "droplet" ? $s * ($_ % 2 ? 1.01 : 1 / 1.01) : $s} } 1 .. 10 } }
        print JSON::PP->new->canonical->encode({experiment => "exploiters", report => "contest", tier => "full", hash => $hash, target => "cpu", target_settings => "codegen=tvm", regime => "verify=yes", valid => JSON::PP::true,
            complete => JSON::PP::true, tables => {means => \@means, networks => \@networks, seeds => \@seeds, environment => decode_json($environment),
            noise => [{noise_floor => 0.01, state => "passed", search_state => "passed"}]}})' \
        "$("$bin" plan exploiters --tier full --json | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p')" "$(environment "AMD Ryzen 7 3700X")" >"$1/report.json"
}
# edited CODE: the report after a change of it
edited() { perl -MJSON::PP -i -0777 -pe 'my $d = decode_json($_); my $t = $d->{tables}; '"$1"'; $_ = encode_json($d)' results/exploiters/full/report.json; }
rivals results/exploiters/full
gives 4 "results of a tier that says that its budget is reduced are judged" rivals --json
json "a tier of a reduced budget gives the direction only, whatever its name" '$c{speed}{verdict} eq "REPRODUCED (direction)" && $c{speed}{reason} =~ /reduced budget/'
gives 4 "a budget cannot be set to more than the file says" rivals --json --set budget=whole
json "a budget that is set to more stays reduced" '$c{speed}{reason} =~ /reduced budget/'
sed -i '/^    budget: reduced/d' experiments/exploiters.yaml
gives 4 "results of compared exploiters are judged" rivals --json
json "a claim may be of an arm at its k" '$c{speed}{verdict} eq "REPRODUCED" && abs($c{speed}{value} - sqrt(1.5)) < 1e-9 && $c{speed}{seeds} == 10'
json "a verdict has the interval over seeds, and that over networks beside it" 'abs($c{speed}{interval}[0] - 1.20604) < 1e-4 && $c{speed}{interval_others}[1] == 1.6'
json "k may be left out where there is one" '$c{only}{verdict} eq "REPRODUCED" && $c{only}{arm} eq "droplet"'
json "programs compiled for another processor are of another machine class" '$c{plain}{verdict} eq "TRANSFERRED (direction)" && $c{named}{verdict} eq "REPRODUCED"'
json "a column without a value is NOT MEASURED" '$c{own}{verdict} eq "NOT MEASURED"'
json "a claim against another arm is judged by the ratio of both" 'abs($c{twice}{value} - sqrt(5)) < 1e-9 && abs($c{twice}{interval}[0] - 2.0557) < 1e-3
    && abs($c{twice}{interval}[1] - 2.4323) < 1e-3 && $c{twice}{verdict} eq "REPRODUCED"'
json "a claim against two arms is judged by the geometric mean of both ratios" 'abs($c{time}{value} - 3) < 1e-9 && $c{time}{verdict} eq "REPRODUCED"'
json "a claim of an exploiter's search time shows the wall clock too" '$c{clock}{wall} == 0.5'
json "a claim may be of one network" '$c{one}{verdict} eq "REPRODUCED" && abs($c{one}{value} - sqrt(0.3)) < 1e-9'
json "two of two networks are too few to say usually" '$c{many}{verdict} eq "INCONCLUSIVE" && $c{many}{value} == 2'
json "a claim of two networks is REPRODUCED" '$c{count}{verdict} eq "REPRODUCED"'
json "a claim of three networks is NOT MEASURED by two" '$c{more}{verdict} eq "NOT MEASURED" && $c{more}{reason} =~ /2 networks were searched, the claim is about 3/'
json "an arm that has no results is NOT MEASURED" '$c{absent}{verdict} eq "NOT MEASURED" && $c{absent}{reason} =~ /no arm .genetic./'
json "a k that has no results is NOT MEASURED" '$c{ks}{verdict} eq "NOT MEASURED" && $c{ks}{reason} =~ /no .droplet. at k = 50 \(they have 300\)/'
json "a claim against an arm without kernels is NOT MEASURED" '$c{gap}{verdict} eq "NOT MEASURED" && $c{gap}{reason} =~ /no network where all these arms found kernels/'
edited '$t->{noise}[0]{noise_floor} = 0.9'
gives 1 "results with a wide noise floor are judged" rivals --json
json "a claim of one network is held against the noise floor" '$c{one}{verdict} eq "INCONCLUSIVE" && $c{one}{noise} == 0.9 && $c{one}{reason} =~ /noise floor of 90/'
json "a claim of a mean is held against the noise floor, too" '$c{speed}{verdict} eq "NOT REPRODUCED (no effect)" && $c{speed}{noise} == 0.9'
edited '$t->{noise}[0]{noise_floor} = 0.01'
cp results/exploiters/full/report.json seeds.json
edited '@{$t->{seeds}} = grep { $_->{seed} == 1 } @{$t->{seeds}}; for my $row (@{$t->{means}}, @{$t->{networks}}) {
    $_->{over} = "networks" for grep { ref } values %$row }'
gives 4 "results of one seed are judged" rivals --json
json "one seed is too few for a verdict, however many networks" '$c{speed}{verdict} eq "INCONCLUSIVE" && $c{speed}{seeds} == 1 && !defined $c{speed}{interval}[1]
    && $c{speed}{interval_others}[1] == 1.6'
json "one seed is too few against another arm, too" '$c{twice}{reason} =~ /0 degrees of freedom/ && $c{twice}{seeds} == 1 && !defined $c{twice}{interval}[1]'
mv seeds.json results/exploiters/full/report.json
edited '$t->{seeds} = []; for my $row (@{$t->{means}}, @{$t->{networks}}) { $_ = {ratio => $_->{ratio}} for grep { ref } values %$row }'
gives 4 "a report without seeds and intervals" rivals --json
json "a report without intervals is INCONCLUSIVE" '$c{speed}{verdict} eq "INCONCLUSIVE" && $c{only}{reason} =~ /0 degrees of freedom/'
json "a report without seeds is NOT MEASURED against another arm" '$c{twice}{verdict} eq "NOT MEASURED" && $c{twice}{reason} =~ /have no seeds/'
rm -r results

# ---- the records of a campaign, on target fake, which this list of claims is about ----
sed -i '/^target_settings:/d; s/^machine: host/machine: host\ntarget: fake/; s/model: xgb/model: random/' experiments/variance.yaml
{
    printf 'claims: virtual\ntitle: made up\nmachines:\n  - {name: v, title: a formula, target: fake, match: ""}\nlist:\n'
    at="experiment: variance, arm: dpansor, network: alexnet"
    claim kernels v "side: above, $at, column: kernel_speedup_retimed, k: 10"
    claim search v "side: above, $at, column: search_speedup_records, k: 10"
    claim whole v "side: above, value: 3.63, $at, column: search_speedup_records, k: 300"
} >experiments/papers/virtual.yaml
"$bin" run variance --tier smoke --quiet >log 2>&1
gives 4 "claims of a campaign with records are judged" virtual --json
json "a tier without the claim's k names those that it has" '$c{whole}{verdict} eq "NOT MEASURED" && $c{whole}{reason} =~ /no .dpansor. at k = 300 \(they have 10\)/'
cp out judged
"$bin" report variance --tier smoke --json >reported 2>err
perl -MJSON::PP -e 'local $/; my ($c, $r) = map { open my $f, "<", $_ or die; decode_json(<$f>) } @ARGV; my %c = map { $_->{id} => $_ } @{$c->{claims}};
    my $n = $r->{tables}{networks}[0]; my $same = sub { abs($_[0] - $_[1]) < 1e-12 };
    exit !($same->($c{kernels}{value}, $n->{kernel_speedup_retimed}{ratio}) && $same->($c{kernels}{interval}[1], $n->{kernel_speedup_retimed}{interval}[1])
    && $c{kernels}{seeds} == 2 && $c{kernels}{verdict} eq "NOT MEASURED" && $same->($c{search}{wall}, $n->{search_speedup_wall}{ratio})
    && $same->($c{search}{value}, $n->{search_speedup_records}{ratio}))' judged reported
ok $? "claims are judged by the very numbers of the report"
"$bin" report variance --tier smoke --format html 2>err | grep -q "V.alexnet.search"
ok $? "the page has the verdicts of its experiment"
rm -r results
sed -i 's/^paper: droplet/paper: virtual/' experiments/variance.yaml
"$bin" run variance --tier smoke --quiet >log 2>&1
gives 4 "claims of a run that keeps what they were are judged" virtual --json
json "claims are as they were when the run began" '@{$d->{runs}} == 1 && $d->{runs}[0]{results} eq "results/variance/smoke" && !@{$d->{runs}[0]{changed}}'
sed -i 's/tolerance: 0.10, side: above, experiment: variance, arm: dpansor, network: alexnet, column: kernel/tolerance: 0.20, side: above, experiment: variance, arm: dpansor, network: alexnet, column: kernel/' experiments/papers/virtual.yaml
claim late v "side: above, $at, column: kernel_speedup, k: 10" >>experiments/papers/virtual.yaml
gives 4 "claims that changed after the run are told" virtual
prints "# results/variance/smoke: the file of claims changed since the run began: kernels (changed), late (new)"
gives 4 "a run with another --set is not found without it" virtual --json --set seeds=3
json "a run with another --set is not judged" '$c{kernels}{verdict} eq "NOT MEASURED" && $c{kernels}{reason} =~ /another version/'
rm -r results
"$bin" run variance --tier smoke --set seeds=3 --quiet >log 2>&1
gives 4 "claims --set finds a run that was made with it" virtual --json --tier smoke --set seeds=3
json "claims --set judges by the run that was made so" '$c{kernels}{seeds} == 3 && !@{$d->{runs}[0]{changed}}'
"$bin" report variance --tier smoke --set seeds=3 --write >log 2>&1 && rm results/variance/smoke/records.db*
gives 4 "what the claims were when the run began is in the report that is kept" virtual --json --set seeds=3
json "the kept report tells the claims that it began with" '@{$d->{runs}} == 1 && length $d->{runs}[0]{claims_begun} == 64'
rm -r results

# ---- the authors' released files ----
shared=${RAINGAUGE_SHARED:-../shared}
case $shared in /*) ;; *) shared=$root/$shared ;; esac
if [ -d "$shared/data/droplet" ]; then
    rm -rf results
    gives 1 "the droplet list of claims from the released files" droplet --json --released "$shared/data/droplet"
    json "the released files give the paper's values to the last digit" '$c{"C1.ryzen7"}{released_verdict} eq "REANALYSED" && abs($c{"C1.ryzen7"}{released_value} - 1.198) < 0.001
        && $c{"K50.search"}{released_verdict} eq "REANALYSED" && !grep { ($_->{released_verdict} // "") eq "NOT REPRODUCED" && defined $_->{paper} && $_->{id} ne "C3" } @{$d->{claims}}'
    json "the released files are usually faster on two of four machines" 'join(",", map { $c{"C1.$_.usual"}{released_verdict} } qw(ryzen7 a100 rtx3080 a64fx))
        eq "REANALYSED,REANALYSED,NOT REPRODUCED,NOT REPRODUCED"'
    json "what the released files say by outliers, or not of all networks, is doubtful" '$c{"C1.a100"}{released_caveat} =~ /16 kernels.*0\.987/
        && $c{"C2.ryzen7"}{released_caveat} =~ /densenet201 0\.84/ && $c{"C2.a64fx"}{released_caveat} =~ /densenet161 0\.92/
        && !defined $c{"C1.rtx3080"}{released_caveat} && !defined $c{"C2.a100"}{released_caveat}'
    json "what the authors' further runs say is a doubt of the sweep and of the table by network" '$c{"C1.ryzen7"}{released_caveat} =~ /0\.957 of the seeds times 1\.252 of Droplet, and 684 of 815/
        && 2 == grep { $c{$_}{released_caveat} =~ /1\.203 \(droplet_b, 19 networks\).*1\.034 \(grid_a, 20 networks\).*1\.033 \(random_a/ } qw(C1.ryzen7 C1.ryzen7.usual)
        and $c{"T.ryzen7.densenet161"}{released_caveat} =~ /1\.339 \(droplet_b\).*1\.154 \(grid_a\)/ && !defined $c{"T.ryzen7.densenet161.search"}{released_caveat}
        && $c{"T.ryzen7.resnet34"}{released_caveat} =~ /15 % on resnet34 \(Droplet.s 0\.5 %\)/ && $c{"V.resnet34"}{released_caveat} =~ /15 %/'
    if [ -f "$shared/data/kernels/alexnet.steps.jsonl" ]; then
        json "what the published schedules say is a doubt of the machine's claims of speed" '!grep { $c{$_}{released_caveat} !~ /2 in 53 of Ansor.s 53 and 1 in 341 of the other 352, on 8 to 16 threads/ } qw(C1.ryzen7 K50.kernel)
            and $c{"T.ryzen7.densenet161"}{released_caveat} =~ /1 in 86 of the other 86/ && ($c{"C1.a100"}{released_caveat} // "") !~ /layout/'
    else
        skip "what the published schedules say is a doubt of the machine's claims of speed" "no schedules in $shared/data/kernels"
    fi
    json "the released files have 19 models, not 20" '$c{C3}{released_verdict} eq "NOT REPRODUCED" && $c{C3}{released_value} == 19'
    json "the released files are faster than MetaSchedule on the Ryzen and not on the A64FX" '$c{"C5.ryzen7"}{released_verdict} eq "REANALYSED" && $c{"C5.a64fx"}{released_verdict} eq "NOT REPRODUCED"'
    json "the released micro-kernels and reruns give the paper's values" '!grep { $_ ne "REANALYSED" } map { $c{$_}{released_verdict} } qw(M1 M10 M300.rtx3080 M300.a100 V.alexnet
        V.alexnet.search V.resnet34 V.resnet34.search)'
    json "the sweeps, the table by network and the tests of reruns are in the released files" '250 < @{$d->{claims}} && !grep { ($_->{released_verdict} // "") ne "REANALYSED" }
        grep { $_->{id} =~ /^(K|A|T|D|M1|V)/ && $_->{id} ne "M300" } @{$d->{claims}}'
    count() { perl -MJSON::PP -e 'local $/; print scalar grep { ($_->{released_verdict} // "") eq $ARGV[0] } @{decode_json(<STDIN>)->{claims}}' "$1" <out; }
    tr -s '\n ' ' ' <"$root/README.md" | grep -qF "$(count REANALYSED) claims are consistent with them and $(count "NOT REPRODUCED") are not."
    ok $? "README.md counts the claims that hold in the released files"
    "$bin" claims droplet --released "$shared/data/droplet" 2>err | sed -n "s/^# the authors' files: //p" >judged
    "$root/.ci/committed" committed && tr -s '\n ' ' ' <committed/results/README.md | grep -qF "$(cat judged)."
    ok $? "results/README.md counts what the released files say"
    json "claims about any machine stay NOT MEASURED beside the released files" '$c{C1}{verdict} eq "NOT MEASURED" && !defined $c{C1}{released_verdict} && $c{"C1.ryzen7"}{verdict} eq "NOT MEASURED"'
else
    n=$((n + 1))
    echo "ok $n - the droplet list of claims from the released files # SKIP $shared/data/droplet is absent"
fi
gives 2 "a folder without released files is refused" droplet --released .

# ---- lists of claims ----
gives 2 "an unknown paper is refused" mien
says "no claims of 'mien' (experiments/papers/mien.yaml): did you mean 'mine'?"
sed -i '10s/experiment: table3/experiment: table4/' experiments/papers/mine.yaml
gives 2 "an unknown experiment in a claim is refused" mine
says "experiments/papers/mine.yaml:10:"
says "unknown experiment 'table4': did you mean 'table3'?"
gives 0 "claims without a paper lists the papers"
prints "droplet"
gives 0 "claims --json without a paper lists the papers" --json
prints '"mine","pruner","rivals","virtual"]'

# ---- the command for one network of one machine ----
{
    sed -n '1,/^list:/s/mine$/one/p' experiments/papers/mine.yaml | head -1
    sed -n '2,/^list:/p' experiments/papers/mine.yaml
    claim one a100 "side: above, experiment: table3, k: 300, column: kernel_speedup, network: vgg11"
    claim two plain "side: above, experiment: variance, arm: dpansor, k: 300, column: kernel_speedup, network: alexnet"
} >experiments/papers/one.yaml
"$bin" claims one >out 2>err
prints "raingauge run table3 --tier judge --set machine=a100 --set networks=vgg11 --set seeds=16"
prints "raingauge run variance --tier judge --set machine=plain"
"$bin" plan table3 --tier judge --set machine=ryzen7-3700x --set networks=vgg11 --set seeds=16 >out 2>err
ok $? "the command of a claim of one network is one that plan takes: $(tail -1 err)"
prints "T.ryzen7.vgg11.search: to"

finish
