#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# shootout: what stands behind the headline numbers, on target fake: finalists, the A/A floor before and after, the loss
# split, and a campaign whose machine changed under it (RAINGAUGE_FAKE): INVALID on top of every form, exit code 3.
set -u
. tests/lib/tap.bash
experiments=$root/experiments
cd "$dir" || exit 1
few="--tier short --set target=fake --set target_settings.noise=0.05 --set networks=squeezenet --set kernels=4
    --set ansor.trials=64 --set dpansor.k=1,8 --set dpansor.trials_per_kernel=12 --set seeds=2 --set retime_top=3
    --set launches=2"

rg() { "$bin" "$@" --experiments "$experiments" >out 2>err </dev/null; }

gives 0 "plan" plan table3 $few --json
json "plan says how many programs are retimed, the launches and the A/A programs" '$d->{retime_top} == 3 && $d->{launches} == 2 && $d->{aa_programs} == 4 && $d->{aa_launches} == 2'
gives 0 "plan of the 815 kernels" plan table3 --tier short --json
json "the A/A test has more launches than the re-timing, for a steadier mean" '$d->{aa_launches} > $d->{launches}'
hash=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{hash}' <out)
gives 0 "plan that re-times one program a kernel" plan table3 ${few/retime_top=3/retime_top=1} --json
json "is another experiment" "\$d->{hash} ne '$hash'"
one=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{hash}' <out)
gives 0 "plan without retime_top" plan table3 ${few/--set retime_top=3/} --json
json "is that with one: older records go on" "\$d->{hash} eq '$one' && \$d->{retime_top} == 1"
gives 2 "plan that re-times no program" plan table3 ${few/retime_top=3/retime_top=0}
says "retime_top"

gives 0 "run" run table3 $few --results r --quiet
gives 0 "report" report table3 $few --results r --json
json "valid" '$d->{valid} && $d->{noise}{gates} eq "passed"'
json "a floor before and after, of 4 kernels in 2 launches" \
    '!grep { my $s = $d->{noise}{$_}; $s->{twins} != 4 || $s->{pairs} != 8 || $s->{mean} != 0 } qw(before after)'
json "seven gates, none failed; the peak of a formula is not known, nor what others took of a virtual machine" \
    '@{$d->{noise}{gate}} == 7 && !(grep { $_->{state} eq "failed" } @{$d->{noise}{gate}})
     && 2 == grep { $_->{name} =~ /^(peak|others)$/ && $_->{state} eq "unknown" } @{$d->{noise}{gate}}'
json "losses of three arms on the network, and the means" \
    '@{$d->{loss}} == 6 && 3 == grep { !defined $_->{network} } @{$d->{loss}}'
json "no loss is below 1, and they multiply" \
    '!grep { $_->{selection} < 1 || $_->{exploration} < 1 || abs($_->{whole} / $_->{selection} / $_->{exploration} - 1) > 1e-9 } @{$d->{loss}}'
json "Ansor had at least three programs of each kernel timed again, over two seeds" \
    'my ($a) = grep { $_->{arm} eq "ansor" && $_->{network} } @{$d->{loss}}; $a->{programs} >= 3 && $a->{kernels} == 8'
json "with noise of 5 % a choice by one's own readings is not always the best" \
    'grep { $_->{selection} > 1 } @{$d->{loss}}'
json "some arm found the best program of some kernel" 'grep { $_->{exploration} < 1.5 } @{$d->{loss}}'
gives 0 "report as text" report table3 $few --results r
prints "floor before: 0.00 % of a reading, 0.00 % of the mean of 8 pairs on 4 kernels"
prints "floor after: 0.00 %"
prints "what the arms lost by the shoot-out"
gives 0 "report as HTML" report table3 $few --results r --format html
prints 'id="noise"'
cp out first.html
gives 0 "the same run again" run table3 $few --results again --quiet
gives 0 "and its page" report table3 $few --results again --format html
cmp -s out first.html
ok $? "byte for byte the same"

# The shoot-out done again: nothing is lost, nothing old is used, the searches are left alone.
cp -r again more
gives 0 "run --retime" run table3 $few --results more --retime
says "readings of an earlier re-timing"
gives 0 "its report" report table3 $few --results more --json
json "as many readings, and as many set aside; a floor before and after" \
    '$d->{noise}{aside}{times} == 1 && $d->{noise}{aside}{readings} == $d->{noise}{readings} && $d->{valid}
     && $d->{noise}{before}{pairs} == 8 && $d->{noise}{after}{pairs} == 8'
gives 0 "as text" report table3 $few --results more
prints "earlier one are set aside and nothing here uses them"
gives 0 "run --resume after it" run table3 $few --results more --resume --quiet
gives 0 "does nothing more" report table3 $few --results more --json
json "no more set aside" '$d->{noise}{aside}{times} == 1'
gives 0 "run --retime twice" run table3 $few --results more --retime --quiet
gives 0 "report" report table3 $few --results more --json
json "both are kept" '$d->{noise}{aside}{times} == 2 && $d->{noise}{aside}{readings} == 2 * $d->{noise}{readings}'
gives 0 "run --retime of what is not begun" run table3 $few --results fresh --retime
says "there is no re-timing to archive"

# A shoot-out of another size over the same searches.
cp -r again wider
three=${few/launches=2/launches=3}
gives 0 "plan of three launches" plan table3 $three --results wider --json
json "finds all trials done" '$d->{done} > 0 && $d->{left_s} == 0'
gives 0 "run --resume with a launch more" run table3 $three --results wider --resume
says "differs in its re-timing only"
gives 0 "its report" report table3 $three --results wider --json
json "no shoot-out set aside, but the A/A floor after: it was in the middle now" \
    '$d->{noise}{aside}{times} == 0 && $d->{noise}{aside}{readings} == 16 && $d->{noise}{after}{pairs} == 12 && $d->{valid}'
readings=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{noise}{pairs}' <out)
gives 0 "report of the two launches" report table3 $few --results again --json
json "twice as many pairs of rounds" "2 * \$d->{noise}{pairs} == $readings"
gives 2 "the records are of the new size" report table3 $few --results wider
says "of another version"
gives 2 "run --resume with fewer launches" run table3 $few --results wider --resume
says "retime"
gives 2 "run --resume with fewer retimed programs" run table3 ${three/retime_top=3/retime_top=2} --results wider --resume
says "retime"
gives 0 "report is as before" report table3 $three --results wider --quiet
gives 0 "run --retime with fewer launches" run table3 $few --results wider --retime --quiet
gives 0 "report" report table3 $few --results wider --json
json "sets three launches aside for two" '$d->{noise}{aside}{times} == 1 && $d->{noise}{aside}{readings} > $d->{noise}{readings}'
gives 2 "run --retime with other searches" run table3 ${few/seeds=2/seeds=1} --results wider --retime
says "another experiment"

if command -v sqlite3 >/dev/null; then
    # Stopped in the shoot-out, or before its last stage: not finished, nothing has passed yet.
    cp -r again stopped
    sqlite3 stopped/records.db "DELETE FROM aa_reading WHERE stage = 'after'; DELETE FROM aa_stage WHERE stage = 'after'"
    gives 0 "status before the floor after" status stopped
    prints "short: stopped"
    prints "now     re-timing, "
    gives 0 "status as JSON" status stopped --json
    json "is not finished, though all cells are done" '!$d->{finished} && $d->{cells_done} == $d->{cells}'
    gives 0 "report" report table3 $few --results stopped
    prints "NOT COMPLETE: the shoot-out is not finished"
    prints "gates: unknown, the shoot-out is not finished"
    gives 0 "report as JSON" report table3 $few --results stopped --json
    json "is not complete, and no gates passed" '!$d->{complete} && $d->{noise}{gates} eq "unknown"'
    gives 0 "run --resume" run table3 $few --results stopped --resume --quiet
    gives 0 "status" status stopped
    prints "short: finished"
    gives 0 "page" report table3 $few --results stopped --format html
    cmp -s out first.html
    ok $? "is byte for byte that of a run left alone"
    # Ctrl-C in a shoot-out done again: the command that is told goes on with it, and does not begin it anew.
    cp -r again long
    (exec "$bin" run table3 ${few/launches=2/launches=100} --results long --retime --experiments "$experiments" >out 2>err </dev/null) &
    pid=$!
    for _ in $(seq 600); do
        [ "$(sqlite3 -readonly -cmd '.timeout 9000' long/records.db 'SELECT min(1, count(*)) FROM retiming JOIN retiming_archive' 2>/dev/null)" = 1 ] && break
        sleep 0.1
    done
    kill -INT $pid
    wait $pid
    ok "$([ $? = 130 ]; echo $?)" "Ctrl-C in the shoot-out: exit 130"
    says "and not --retime"
    had=$(sqlite3 long/records.db "SELECT count(*) FROM retiming")
    told=$(sed -n 's/^go on with: raingauge //p' err)
    ok "$([ "$had" -gt 0 ]; echo $?)" "$had readings so far; told: $told"
    eval "gives 0 'the command that is told' ${told/run/run --quiet}"
    gives 0 "report" report table3 ${few/launches=2/launches=100} --results long --json
    json "one shoot-out was set aside, all launches are there" '$d->{complete} && $d->{noise}{aside}{times} == 1'
    # Stopped in the search, gone on with under another final regime: the floor before is measured anew under that.
    cp -r again regime
    sqlite3 regime/records.db "DELETE FROM retiming; DELETE FROM aa_reading WHERE stage = 'after'; DELETE FROM aa_stage WHERE stage = 'after'"
    gives 0 "another final regime before the shoot-out" run table3 $few --set retime_regime.number=7 --results regime --resume --quiet
    regimes=$(sqlite3 regime/records.db "SELECT DISTINCT substr(regime, 1, 8) FROM aa_reading WHERE stage IN ('before', 'after')
        UNION SELECT substr(regime, 1, 8) FROM retiming; SELECT count(*) FROM aa_reading WHERE stage = 'before, adopted 1'")
    [ "$regimes" = $'number=7\n16' ]
    ok $? "both floors and the winners are of one regime, the floor of the other is kept"
    # A disk that fills up, or a kill, in the middle of taking records over: a trigger stands for it. All or nothing.
    cp -r again half
    sqlite3 half/records.db "CREATE TRIGGER full BEFORE UPDATE ON campaign BEGIN SELECT RAISE(ABORT, 'full'); END"
    gives 2 "run --resume with a launch more, and no room" run table3 $three --results half --resume
    gives 0 "its report" report table3 $few --results half --json
    json "is as before: nothing was set aside" '$d->{noise}{aside}{readings} == 0 && $d->{noise}{after}{pairs} == 8'
    sqlite3 half/records.db "DROP TRIGGER full; CREATE TRIGGER full BEFORE DELETE ON retiming BEGIN SELECT RAISE(ABORT, 'full'); END"
    gives 2 "run --retime with another regime, and no room" run table3 $few --set retime_regime.number=7 --results half --retime
    gives 0 "its report" report table3 $few --results half --json
    json "is as before, and still the first experiment's" '$d->{noise}{aside}{readings} == 0 && $d->{valid}'
    # The floor before comes from older records: not measured, and said so.
    cp -r r old
    sqlite3 old/records.db "DELETE FROM aa_reading; DELETE FROM aa_stage; DELETE FROM aa_program"
    gives 0 "records without twins go on" run table3 $few --results old --resume --quiet
    gives 0 "and are reported" report table3 $few --results old
    prints "floor before: not measured"
    prints "floor after: 0.00 % of a reading"
    # The machine becomes 10 % slower before the last stage.
    sqlite3 r/records.db "DELETE FROM aa_reading WHERE stage = 'after'; DELETE FROM aa_stage WHERE stage = 'after'"
    RAINGAUGE_FAKE=slow=0.1 gives 0 "the floor after, on a slower machine" run table3 $few --results r --resume --quiet
    gives 3 "report" report table3 $few --results r
    says "INVALID: the same programs drifted by +"
    says "from before to after, beyond +2.0 %"
    sed -n 1,8p out | grep -q '^INVALID: '
    ok $? "INVALID stands on top"
    gives 3 "report as JSON" report table3 $few --results r --json
    json "not valid, and the gate" '!$d->{valid} && $d->{noise}{reason} =~ /drifted by/ && $d->{noise}{gates} eq "failed"'
    gives 3 "report as HTML, written" report table3 $few --results r --format html --write
    grep -q '<strong>INVALID' out && [ -s r/report.json ]
    ok $? "says so on top and is written all the same"
else
    skip "records that are changed" "sqlite3 is not installed"
fi
finish
