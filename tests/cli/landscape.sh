#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# landscape: `raingauge landscape` over reports made by hand (landscape/report.pl), whose numbers make each statement hold
# under both code generators, under one, under neither, or stay open; and what is refused where code generators are mixed:
# by landscape, report, compare, run --resume and by the settings of targets that have none.
set -u
. tests/lib/tap.bash
make=$root/tests/cli/landscape/report.pl
cd "$dir" || exit 1
rg() { "$bin" "$@" --experiments "$root/experiments" >"$out" 2>"$err" </dev/null; }
"$bin" list targets --experiments "$root/experiments" | grep -q "^cpu" || skip_all "target cpu is not in this binary"
hash() { "$bin" plan landscape --tier "$1" --set target_settings.codegen="$2" --json --experiments "$root/experiments" | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p'; }
report() { # folder, tier, codegen, rest
    mkdir -p "$1"
    perl "$make" "$2" "$3" "$(hash "$2" "$3")" "${@:4}" >"$1/report.json"
}

# ---- the table ----
report tvm full tvm 0.01
report fast full fast 0.01
gives 0 "two valid reports are set side by side" landscape tvm fast
[ "$(sed -n 1p "$out")" = "14 statements: 6 hold under both code generators, 4 under one only, 2 under neither, 2 are open." ]
ok $? "the first line says how many statements hold where"
sed -n 2,6p "$out" | tr -s '\n ' ' ' | grep -q "codegen=tvm: Kernels: valid, .* codegen=fast: Kernels: valid, "
ok $? "the second line says of both code generators whether their runs are valid"
grep -q '^  dpansor-10 is not 5 % slower than ansor  *0.97 .* 0.99 .* both$' "$out" && ! grep -q '.\{101\}' "$out"
ok $? "a row has the statement, a value for each code generator and where it holds, in 100 columns"
cp "$out" table
rg landscape fast tvm
cmp -s "$out" table
ok $? "the order of the folders does not matter"
gives 0 "the table as JSON" landscape tvm fast --json
of() { echo "[grep { \$_->{id} eq '$1' && \$_->{arm} eq '$2' } @{\$d->{statements}}]->[0]"; }
survives() { json "$4" "($(of "$1" "$2"))->{survives} eq '$3'"; }
survives beats_random ansor "tvm only" "random is slower under tvm only"
survives random_near_best ansor "fast only" "random is near the best under fast only"
survives wide_spread ansor "tvm only" "random programs are far apart under tvm only"
survives as_fast dpansor-1 neither "one record is not enough under either"
survives as_fast dpansor-10 both "ten records are enough under both"
survives as_fast dpansor-32 open "what is within the noise floor of its limit is open"
survives saves_time dpansor-1 both "time is saved under both"
survives saves_time dpansor-32 open "what the seeds do not agree on is open"
survives descent_gains dpansor-10 "tvm only" "the descent gains under tvm only"
survives more_gain_nothing dpansor-1 neither "more records than one gain under both"
json "a value has its interval over seeds" "my \$s = ($(of beats_random ansor)); abs(\$s->{tvm}{value} - 1.2) < 1e-6 && \$s->{tvm}{interval}[0] > 1.19 && \$s->{tvm}{n} == 5"
json "there is a finding" '!defined $d->{no_finding} && $d->{tvm}{noise_floor} == 0.01'

mkdir spent && sed 's/"trials":297/"trials":150/g' tvm/report.json >spent/report.json
gives 0 "a random searcher with half of the trials" landscape spent fast --json
json "arms with different numbers of trials are not compared" "my \$s = ($(of beats_random ansor)); !defined \$s->{tvm}{value} && \$s->{tvm}{holds} eq 'open' && \$s->{survives} eq 'open'"

# ---- no finding ----
report noisy full fast 0.124 "noise floor 12.4 %"
gives 3 "an invalid run makes no finding" landscape tvm noisy
sed -n 1p "$out" | grep -q "^No finding: INVALID under codegen=fast: noise floor 12.4 %. As measured,"
ok $? "the reason stands first"
[ "$(grep -c '^  dpansor-10 .* no finding$' "$out")" = 3 ] && ! grep '^  dpansor' "$out" | grep -qv "no finding$"
ok $? "each statement of an invalid run says: no finding"
report smoke-tvm smoke tvm 0.01
report smoke-fast smoke fast 0.01
gives 0 "runs of tier smoke make no finding" landscape smoke-tvm smoke-fast --json
json "tier smoke is the reason" '$d->{no_finding} =~ /smoke/ && $d->{statements}[0]{survives} eq "no finding"'
mkdir cut && sed 's/"complete":true/"complete":false,"missing":"3 of 75 cells are done"/' tvm/report.json >cut/report.json
gives 4 "an unfinished run makes no finding" landscape cut fast
says "no finding: the searches under codegen=tvm are not complete: 3 of 75 cells are done"

# ---- refused ----
gives 2 "one folder is refused" landscape tvm
gives 2 "two runs of one code generator are refused" landscape tvm tvm
says "both were searched under codegen=tvm: one of tvm and one of fast are wanted"
gives 2 "runs of two tiers are refused" landscape tvm smoke-fast
says "these are of 'landscape', tier 'full', and 'landscape', tier 'smoke'"
mkdir other && sed 's/"hash":"[0-9a-f]*"/"hash":"0123456789abcdef"/' fast/report.json >other/report.json
gives 2 "a run of another version of the experiment is refused" landscape tvm other
says "'other/report.json' is of another version of 'landscape' (hash 0123456789ab"
gives 2 "a run with other values is refused" landscape tvm fast --set seeds=3
gives 2 "a folder without results is refused" landscape tvm nowhere
mkdir virtual && sed 's/"target":"cpu"/"target":"fake"/' fast/report.json >virtual/report.json
gives 2 "results of a target without code generators are refused" landscape tvm virtual
says "'virtual' was searched on target 'fake': only target 'cpu' has code generators to choose from"
mkdir lacking && sed 's/"searcher":"random"/"searcher":"ansor"/g' fast/report.json >lacking/report.json
gives 2 "results without a random searcher are refused" landscape tvm lacking
says "has no results of an arm of searcher 'random'"

# ---- a report of one code generator is not taken for one of the other ----
gives 2 "a report of another code generator is refused" report landscape --tier full --results fast
says "is of another code generator than 'landscape' asks for: searched with codegen=fast, not codegen=tvm (--set target_settings.codegen=fast reads them)"
gives 0 "a report of codegen=fast is read as such" report landscape --tier full --results fast --set target_settings.codegen=fast
prints "codegen"
for codegen in tvm fast; do
    gives 2 "target fake with codegen=$codegen is refused" plan landscape --set target=fake --set target_settings.codegen=$codegen
    says "settings of 'fake': unknown setting 'codegen'"
done
gives 2 "a run on target fake with a codegen is refused" run landscape --set target=fake --set target_settings.codegen=tvm
says "unknown setting 'codegen'"
gives 2 "an unknown code generator is refused" plan landscape --set target_settings.codegen=slow
says "setting 'codegen' is 'slow', must be one of tvm, fast"
for target in fake onednn; do
    if "$bin" list targets --experiments "$root/experiments" | grep -q "^$target"; then
        gives 2 "--target $target,codegen=tvm is refused" replay x.jsonl --target $target,codegen=tvm
        says "--target $target: unknown setting 'codegen'"
    else
        skip "--target $target,codegen=tvm is refused" "target $target is not in this binary"
    fi
done

# ---- records: a campaign of target fake that says it is one of target cpu ----
small="--set networks=resnet18 --set kernels=1 --set duels.max_launches=0"
gives 0 "the experiment runs on target fake" run landscape $small --set target=fake --results fake --quiet
gives 0 "the report of a run on target fake is made" report landscape $small --set target=fake --results fake --json
json "explorers are told by seed, and how far apart random programs are" 'my @r = @{$d->{tables}{explorer_seeds}}; @r == 4 && !grep { ($_->{searcher} eq "random") != ($_->{time_spread} // 0) > 1 } @r'
gives 2 "records of target fake are refused" landscape fake fake
says "'fake' was searched on target 'fake'"
if command -v sqlite3 >/dev/null; then
    for codegen in tvm fast; do
        rg plan landscape $small --set target_settings.codegen=$codegen --json
        settings= h=$(sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p' "$out")
        [ $codegen = tvm ] || settings=codegen=fast
        mkdir records-$codegen && cp fake/records.db records-$codegen/
        sqlite3 records-$codegen/records.db "UPDATE campaign SET target = 'cpu', target_settings = '$settings', experiment_hash = '$h'"
    done
    gives 0 "records are read as reports are" landscape records-tvm records-fast $small --json
    json "records have the same values under both names" '!grep { ($_->{tvm}{value} // 0) != ($_->{fast}{value} // 0) } @{$d->{statements}}'
    gives 2 "records of another code generator are refused by report" report landscape $small --results records-fast
    says "the records in 'records-fast' are of another code generator than 'landscape' asks for: searched with codegen=fast, not codegen=tvm"
    gives 2 "records of another code generator are not continued" run landscape $small --results records-fast --resume
    says "'records-fast' holds records that were searched with codegen=fast, and this is codegen=tvm"
    gives 2 "records of two code generators are not compared" compare records-tvm records-fast
    says "cannot be compared: they were searched with codegen=tvm and with codegen=fast"
else
    skip "records of two code generators are refused" "sqlite3 is not installed"
fi
finish
