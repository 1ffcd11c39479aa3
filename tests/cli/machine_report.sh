#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# machine_report: `raingauge report DIR... --machines` over the committed results of table3, over copies of them that stand
# for other machines (another processor, other numbers, a gate that failed, another claims' file), and over campaigns of
# target fake under several machine files; and what is refused.
set -u
. tests/lib/tap.bash
.ci/committed "$dir"
xeon=$dir/results/table3/direction
cd "$dir" || exit 1
rg() { "$bin" "$@" --experiments "$root/experiments" >"$out" 2>"$err" </dev/null; }
# variant FOLDER PROCESSOR EXPRESSION: the committed report $d, changed. scale(N, column...): ratios of all tables by N.
variant() {
    mkdir -p "$1" && perl -MJSON::PP -e 'local $/; our $d = decode_json(<STDIN>);
        $_->{part} eq "host" && $_->{name} eq "cpu" and $_->{text} = $ARGV[0] for @{ $d->{tables}{environment} };
        sub scale { my ($by, @columns) = @_;
            for my $row (map { @$_ } values %{ $d->{tables} }) { for my $c (grep { defined $row->{$_} } @columns) {
                my $v = $row->{$c};
                if (ref $v) { $_ && ($_ *= $by) for $v->{ratio}, @{ $v->{interval} // [] }, @{ $v->{interval_rows} // [] } }
                else { $row->{$c} *= $by }
            } } }
        eval $ARGV[1]; die $@ if $@; print encode_json($d)' "$2" "$3" <"$xeon/report.json" >"$1/report.json"
}
kernels="qw(kernel_speedup kernel_speedup_retimed)"
variant alike "AMD EPYC 9654" ''
variant faster "Arm Neoverse-V2" "scale(1.3, $kernels)"
variant again "Intel(R) Xeon(R) Processor" "scale(1.01, $kernels)"
variant invalid "AMD EPYC 9654" '$d->{valid} = JSON::PP::false; $d->{invalid} = "made up"; @{ $d->{tables}{noise}[0] }{"state", "reason"} = ("failed", "made up")'
variant later "AMD EPYC 9654" '$d->{claims_begun} =~ s/^C1.speed .*/C1.speed 0123456789abcdef/m; $d->{revision} = "elsewhere"'

# ---- one table ----
gives 0 "two machines are set side by side" report "$xeon" alike --machines
grep -q '^table3 in 2 columns, of 2 machines by name. Claims: [1-9]' "$out"
ok $? "the first line says how many machines there are and on how many claims they agree"
grep -q '^  kernels  1.003 \[0.990, 1.016\]  1.003 \[0.990, 1.016\]$' "$out" && grep -q '^  search   1.244 \[1.211, 1.277\]  1.244 ' "$out"
ok $? "a row has the speedup and its interval on each machine, as its own report has them"
grep -q '^  C1.speed .*agree: against$' "$out" && grep -q '^  C2  *TRANSFERRED (direction),  *TRANSFERRED (direction),  *agree: for, doubtful$' "$out"
ok $? "claims with findings on one side agree, and a doubtful one says so"
! grep -q '.\{101\}' "$out"
ok $? "lines have 100 columns at most"
prints "a reduced budget: of claims the side at most"
cp "$out" table
claim() { echo "(grep { \$_->{claim} eq '$1' } @{\$d->{claims}})[0]"; }

gives 0 "three machines as JSON" report "$xeon" faster alike --machines --json
json "an order is kept, and a machine is named by its processor" 'join("|", map { $_->{name} } @{$d->{machines}}) eq "Intel(R) Xeon(R) Processor|Arm Neoverse-V2|AMD EPYC 9654"'
json "two machines with findings on both sides contradict" "my \$c = $(claim C1.speed); \$c->{agreement} eq 'contradict' && join(',', map { \$_->{side} } @{\$c->{of}}) eq 'against,for,against'"
json "the claims that contradict are named in the first line" '$d->{summary}{found} =~ /contradict: .*C1\.speed/'
json "a finding of all three on one side agrees" "my \$c = $(claim C2); \$c->{agreement} eq 'agree: for' && \$c->{doubtful} && 3 == grep { \$_->{doubt} } @{\$c->{of}}"
json "what none has measured is said" "my \$c = $(claim C1.a100); \$c->{agreement} eq 'not measured'"
json "a ratio is its report's" 'my ($r) = grep { $_->{arm} eq "dpansor-300" && $_->{about} eq "kernels" } @{$d->{rows}}; abs($r->{of}[1]{ratio} - 1.3 * $r->{of}[0]{ratio}) < 1e-9 && $r->{of}[0]{is_finding}'
"$bin" report "$xeon" --json --experiments "$root/experiments" >single
perl -MJSON::PP -e 'local $/; open my $f, "<", "single"; my $one = decode_json(<$f>); my $d = decode_json(<STDIN>);
    my %v = map { $_->{claim} => $_->{verdict} } @{$one->{tables}{verdicts}};
    exit(%v > 50 && !(grep { ($v{$_->{claim}} // "") ne $_->{of}[0]{verdict} } @{$d->{claims}}) ? 0 : 1)' <"$out"
ok $? "each verdict of a column is that of its own report"
variant model "Intel(R) Xeon(R) Processor" '$_->{part} eq "target" && $_->{name} eq "cpu" and $_->{text} = "icelake-server" for @{ $d->{tables}{environment} }'
gives 0 "two models of one name as JSON" report "$xeon" model --machines --json
json "two models of one name are two machines" 'join("|", map { $_->{name} } @{$d->{machines}}) eq "Intel(R) Xeon(R) Processor (rocketlake)|Intel(R) Xeon(R) Processor (icelake-server)" && $d->{machines}[1]{same_as} == 1'
gives 0 "three machines as a spreadsheet" report "$xeon" faster alike --machines --format tsv
perl -ne 'chomp; my @f = split /\t/, $_, -1; exit 1 if @f != 12; $n++ if $f[3] eq "kernels" && $f[1] eq "faster" && $f[5] =~ /^1\.30/; END { exit !($n == 1) }' "$out"
ok $? "each row has twelve fields, one row for an arm on a machine"

# ---- what stands beside a column ----
gives 3 "an INVALID run makes the exit status" report "$xeon" invalid faster --machines
says "INVALID on 'AMD EPYC 9654': its column is no finding"
prints "kernels: INVALID, no finding, made up"
grep -q '^  kernels .*1.003, INVALID' "$out"
ok $? "a number that a gate voids stands without an interval and with the word"
rg report "$xeon" invalid faster --machines --json
json "an INVALID column is no finding on kernels" "my \$c = $(claim K100.kernel); \$c->{of}[1]{verdict} eq 'INVALID' && \$c->{of}[1]{side} eq 'neither' && !\$d->{rows}[0]{of}[1]{is_finding} && \$d->{rows}[1]{of}[1]{is_finding}"
rg report "$xeon" invalid --machines --json
json "a finding beside an INVALID run is open" "($(claim C1.speed))->{agreement} eq 'open' && ($(claim C2))->{agreement} eq 'agree: for'"
rg report "$xeon" again --machines --json
json "a second run on such a machine is called #2, and is no second machine" '$d->{machines}[1]{name} eq "Intel(R) Xeon(R) Processor #2" && $d->{machines}[1]{same_as} == 0 && !grep { $_->{agreement} =~ /agree/ } @{$d->{claims}}'
json "why is said beside it" '$d->{machines}[1]{caveats}[0] =~ /^a machine like that of column 1, or the same one/'
gives 0 "a run with another program and other claims" report "$xeon" later --machines --json
json "another revision and other claims are said" 'my $c = join "; ", @{$d->{machines}[1]{caveats}}; $c =~ /by revision elsewhere of raingauge, not b48688b/ && $c =~ /claims. file was another one when it began/ && $c =~ /were changed: C1\.speed \(changed\)/'
gives 0 "results of two tiers" report "$dir/results/parity/short" "$dir/results/parity/direction" --machines
tr -s '\n ' ' ' <"$out" | grep -q "tier 'direction', not 'short'"
ok $? "another tier is said beside its column"
grep -q "^ moa-pruner$" "$out" && grep -q "^  search .*\[" "$out"
ok $? "of a race the search is that to parity"

# ---- target fake, as several machines ----
few="--tier short --set target=fake --set target_settings.noise=0.02 --set networks=[squeezenet,resnet18] --set kernels=2
    --set ansor.trials=32 --set dpansor.k=8 --set seeds=2 --set duels.max_launches=12"
for machine in host ryzen7-3700x a100-40; do
    RAINGAUGE_FAKE=seed=${#machine} rg run table3 $few --set machine=$machine --results $machine --quiet
    ok $? "a campaign on target fake, as $machine"
done
gives 0 "records of three machine files are read without naming the machines" report host ryzen7-3700x a100-40/records.db --machines $few --json
json "a virtual machine is named by its file, and its verdicts are none" 'join(",", map { $_->{name} } @{$d->{machines}}) eq "host,ryzen7-3700x,a100-40" && !grep { $_->{agreement} ne "not measured" } @{$d->{claims}}'
json "that they say nothing is said" '3 == grep { $_->{caveats}[0] =~ /^the target is virtual/ } @{$d->{machines}}'
cp "$out" records.json
rg archive host && rm -f host/records.{db,db-wal,db-shm,lock}
gives 0 "packed records are read as well" report host ryzen7-3700x a100-40 --machines $few --json
cmp -s "$out" records.json
ok $? "packed records say the same as records"

# ---- refused ----
gives 2 "one folder is refused" report "$xeon" --machines
says "is one folder of results: two or more of one experiment"
gives 2 "several folders without --machines are refused" report "$xeon" alike
says "--machines sets several side by side"
gives 2 "a folder given twice is refused" report "$xeon" "$xeon/" --machines
says "hold the same results"
cp -r alike copy
gives 2 "a copy is refused" report alike copy --machines
says "'alike' and 'copy' hold the same results: each machine's are wanted once"
gives 2 "another experiment is refused by name" report "$xeon" "$dir/results/race/short" --machines
says "is of 'table3', and '$dir/results/race/short' of 'race'"
gives 2 "a folder that is not there is refused" report "$xeon" nowhere --machines
says "no results in 'nowhere': it has neither records.db nor report.json"
mkdir torn && head -c 100000 alike/report.json >torn/report.json
gives 2 "a report.json that is cut is refused" report "$xeon" torn --machines
says "torn/report.json"
mkdir old && sed 's/"hash":"[0-9a-f]*"/"hash":"0123456789abcdef"/' alike/report.json >old/report.json
gives 2 "results of another version of the experiment are refused" report "$xeon" old --machines
says "'old/report.json' is of another version of 'table3'"
gives 2 "--write is refused" report "$xeon" alike --machines --write
says "--write and --format html are for one folder"
gives 2 "a page is refused" report "$xeon" alike --machines --format html
finish
