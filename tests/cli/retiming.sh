#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# retiming: what stands behind the headline numbers, on target fake: the re-timing, the A/A test before and after, what
# the arms lost, and a campaign whose machine changed under it (RAINGAUGE_FAKE): INVALID on top of every form, exit 3.
set -u
. tests/lib/tap.bash
experiments=$root/experiments
cd "$dir" || exit 1
few="--tier short --set target=fake --set target_settings.noise=0.05 --set networks=squeezenet --set kernels=4
    --set ansor.trials=64 --set dpansor.k=1,8 --set dpansor.trials_per_kernel=12 --set seeds=2 --set retime_top=3
    --set launches=2"

rg() { "$bin" "$@" --experiments "$experiments" >out 2>err </dev/null; }
# tells TEXT: the last command printed it, wherever its lines are broken.
tells() { tr -s '\n ' ' ' <out | grep -qF -e "$1"; ok $? "the output says: $1"; }
# matches PATTERN NAME: a line of what the last command printed matches.
matches() { grep -Eq -e "$1" out; ok $? "$2"; }

gives 0 "plan of a re-timing works" plan table3 $few --json
json "plan says how many programs are retimed, the launches and the A/A programs" '$d->{retime_top} == 3 && $d->{launches} == 2 && $d->{aa_programs} == 4 && $d->{aa_launches} == 2'
gives 0 "plan of all kernels works" plan table3 --tier short --set launches=3 --json
json "the A/A test has more launches than the re-timing, for a steadier mean" '$d->{aa_launches} > $d->{launches}'
hash=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{hash}' <out)
gives 0 "plan with one retimed program a kernel works" plan table3 ${few/retime_top=3/retime_top=1} --json
json "another number of retimed programs is another experiment" "\$d->{hash} ne '$hash'"
one=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{hash}' <out)
gives 0 "plan without retime_top works" plan table3 ${few/--set retime_top=3/} --json
json "without retime_top it is the experiment with one retimed program, so older records go on" "\$d->{hash} eq '$one' && \$d->{retime_top} == 1"
gives 2 "plan refuses to re-time no program" plan table3 ${few/retime_top=3/retime_top=0}
says "retime_top"

gives 0 "run with a re-timing works" run table3 $few --results r --quiet
gives 0 "report --json works" report table3 $few --results r --json
json "the run is valid and its gates passed" '$d->{valid} && $d->{tables}{noise}[0]{state} eq "passed"'
json "the A/A test has a noise floor before and after, of 4 programs in 2 launches" \
    'my $t = $d->{tables}{aa_test}; join(",", map { $_->{stage} } @$t) eq "before,after"
     && !grep { $_->{aa_programs} != 4 || $_->{pairs} != 8 || $_->{floor_mean} != 0 } @$t'
json "none of seven gates failed; a formula has no peak, and a virtual machine no CPU contention" \
    'my $g = $d->{tables}{gates}; @$g == 7 && !(grep { $_->{state} eq "failed" } @$g)
     && 2 == grep { $_->{gate} =~ /^(peak|contention)$/ && $_->{state} eq "unknown" } @$g'
json "there are losses of three arms on the network, and their means" \
    '@{$d->{tables}{selection_loss}} == 6 && 3 == grep { !defined $_->{network} } @{$d->{tables}{selection_loss}}'
json "no loss is below 1, and they multiply" \
    '!grep { $_->{selection_loss} < 1 || $_->{exploration_loss} < 1
        || abs($_->{whole_loss} / $_->{selection_loss} / $_->{exploration_loss} - 1) > 1e-9 } @{$d->{tables}{selection_loss}}'
json "Ansor had at least three programs of each kernel re-timed, over two seeds" \
    'my ($a) = grep { $_->{arm} eq "ansor" && $_->{network} } @{$d->{tables}{selection_loss}}; $a->{programs} >= 3 && $a->{kernels} == 8'
json "with noise of 5 % a choice by one's own readings is not always the best" \
    'grep { $_->{selection_loss} > 1 } @{$d->{tables}{selection_loss}}'
json "some arm found the best program of some kernel" 'grep { $_->{exploration_loss} < 1.5 } @{$d->{tables}{selection_loss}}'
gives 0 "report as text works" report table3 $few --results r
matches '^  before +4 +8 +0\.00 +0\.00 ' "the text has the noise floor before: of a reading and of the mean, 8 pairs on 4 programs"
matches '^  after +4 +8 +0\.00 +0\.00 ' "the text has the noise floor after"
matches '^What the arms lost' "the text has what the arms lost"
gives 0 "report as HTML works" report table3 $few --results r --format html
prints 'id="noise"'
cp out first.html
gives 0 "the same run works in another folder" run table3 $few --results again --quiet
gives 0 "the page of the same run in another folder works" report table3 $few --results again --format html
cmp -s out first.html
ok $? "pages of two equal runs are byte for byte the same"

# The re-timing done again: nothing is lost, nothing old is used, the searches are left alone.
cp -r again more
gives 0 "run --retime works" run table3 $few --results more --retime
says "readings of an earlier re-timing"
gives 0 "report after run --retime works" report table3 $few --results more --json
json "after run --retime there are as many readings as before, and as many archived; the A/A test has both stages" \
    'my $n = $d->{tables}{noise}[0]; $n->{retimings_archived} == 1 && $n->{readings_archived} == $n->{readings} && $d->{valid}
     && 2 == grep { $_->{pairs} == 8 } @{$d->{tables}{aa_test}}'
gives 0 "report as text after run --retime works" report table3 $few --results more
tells "earlier one are archived, and nothing here uses them."
gives 0 "run --resume after run --retime works" run table3 $few --results more --resume --quiet
gives 0 "report after run --resume works" report table3 $few --results more --json
json "run --resume archives nothing more" '$d->{tables}{noise}[0]{retimings_archived} == 1'
gives 0 "a second run --retime works" run table3 $few --results more --retime --quiet
gives 0 "report after a second run --retime works" report table3 $few --results more --json
json "both earlier re-timings are archived" \
    'my $n = $d->{tables}{noise}[0]; $n->{retimings_archived} == 2 && $n->{readings_archived} == 2 * $n->{readings}'
gives 0 "run --retime of what is not begun works" run table3 $few --results fresh --retime
says "there is no re-timing to archive"

# A re-timing of another size over the same searches.
cp -r again wider
three=${few/launches=2/launches=3}
gives 0 "plan of three launches works" plan table3 $three --results wider --json
json "plan of three launches finds all trials done" '$d->{done} > 0 && $d->{left_s} == 0'
gives 0 "run --resume with a launch more works" run table3 $three --results wider --resume
says "differs in its re-timing or its number of seeds only"
gives 0 "report of three launches works" report table3 $three --results wider --json
json "a launch more archives no re-timing, but the A/A test after it, which would be in the middle now" \
    'my $n = $d->{tables}{noise}[0]; $n->{retimings_archived} == 0 && $n->{readings_archived} == 16
     && $d->{tables}{aa_test}[1]{stage} eq "after" && $d->{tables}{aa_test}[1]{pairs} == 12 && $d->{valid}'
readings=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{tables}{noise}[0]{pairs}' <out)
gives 0 "report of two launches works" report table3 $few --results again --json
json "three launches give twice as many pairs of rounds as two" "2 * \$d->{tables}{noise}[0]{pairs} == $readings"
gives 2 "records of three launches are refused as those of two" report table3 $few --results wider
says "of another version"
gives 2 "run --resume with fewer launches is refused" run table3 $few --results wider --resume
says "retime"
gives 2 "run --resume with fewer retimed programs is refused" run table3 ${three/retime_top=3/retime_top=2} --results wider --resume
says "retime"
gives 0 "report of three launches works after that" report table3 $three --results wider --quiet
gives 0 "run --retime with fewer launches works" run table3 $few --results wider --retime --quiet
gives 0 "report after run --retime with fewer launches works" report table3 $few --results wider --json
json "run --retime archives three launches for two" \
    'my $n = $d->{tables}{noise}[0]; $n->{retimings_archived} == 1 && $n->{readings_archived} > $n->{readings}'
gives 2 "run --retime with other searches is refused" run table3 ${few/seeds=2/seeds=1} --results wider --retime
says "another experiment"

if command -v sqlite3 >/dev/null; then
    # Stopped in the re-timing, or before its last stage: not finished, nothing has passed yet.
    cp -r again stopped
    sqlite3 stopped/records.db "DELETE FROM aa_reading WHERE stage = 'after'; DELETE FROM aa_stage WHERE stage = 'after'"
    gives 0 "status before the last stage works" status stopped
    prints "short: stopped"
    prints "now     re-timing, "
    gives 0 "status as JSON works" status stopped --json
    json "a campaign whose re-timing is stopped is not finished, though all cells are done" '!$d->{finished} && $d->{cells_done} == $d->{cells}'
    gives 0 "report of a stopped re-timing works" report table3 $few --results stopped
    prints "NOT COMPLETE: the re-timing is not finished"
    prints "gates of kernels: unknown, the re-timing is not finished"
    gives 0 "report as JSON of a stopped re-timing works" report table3 $few --results stopped --json
    json "a stopped re-timing is not complete, and its gates have not passed" \
        '!$d->{complete} && $d->{tables}{noise}[0]{state} eq "unknown"'
    gives 0 "run --resume of a stopped re-timing works" run table3 $few --results stopped --resume --quiet
    gives 0 "status of the finished re-timing works" status stopped
    prints "short: finished"
    gives 0 "the page of a continued re-timing works" report table3 $few --results stopped --format html
    cmp -s out first.html
    ok $? "the page of a continued re-timing is byte for byte that of a run left alone"
    # Ctrl-C in a re-timing done again: the command that is told goes on with it, and does not begin it anew.
    cp -r again long
    (exec "$bin" run table3 ${few/launches=2/launches=100} --results long --retime --experiments "$experiments" >out 2>err </dev/null) &
    pid=$!
    for _ in $(seq 600); do
        [ "$(sqlite3 -readonly -cmd '.timeout 9000' long/records.db 'SELECT min(1, count(*)) FROM retiming JOIN retiming_archive' 2>/dev/null)" = 1 ] && break
        sleep 0.1
    done
    kill -INT $pid
    wait $pid
    ok "$([ $? = 130 ]; echo $?)" "Ctrl-C in the re-timing gives exit status 130"
    says "and not --retime"
    had=$(sqlite3 long/records.db "SELECT count(*) FROM retiming")
    told=$(sed -n 's/^go on with: raingauge //p' err)
    ok "$([ "$had" -gt 0 ]; echo $?)" "some readings are there at Ctrl-C: $had; the command that is told: $told"
    eval "gives 0 'the command that is told works' ${told/run/run --quiet}"
    gives 0 "the report of a re-timing that Ctrl-C stopped works" report table3 ${few/launches=2/launches=100} --results long --json
    json "one re-timing is archived and all launches are there" '$d->{complete} && $d->{tables}{noise}[0]{retimings_archived} == 1'
    # Stopped in the search, gone on with under another regime of the re-timing: the A/A test before is measured anew.
    cp -r again regime
    sqlite3 regime/records.db "DELETE FROM retiming; DELETE FROM aa_reading WHERE stage = 'after'; DELETE FROM aa_stage WHERE stage = 'after'"
    gives 0 "another regime before the re-timing works" run table3 $few --set retime_regime.number=7 --results regime --resume --quiet
    regimes=$(sqlite3 regime/records.db "SELECT DISTINCT substr(regime, 1, 8) FROM aa_reading WHERE stage IN ('before', 'after')
        UNION SELECT substr(regime, 1, 8) FROM retiming; SELECT count(*) FROM aa_reading WHERE stage = 'before, adopted 1'")
    [ "$regimes" = $'number=7\n16' ]
    ok $? "both A/A tests and the re-timing are of one regime, and the A/A test of the other is kept"
    # A disk that fills up, or a kill, in the middle of taking records over: a trigger stands for it. All or nothing.
    cp -r again half
    sqlite3 half/records.db "CREATE TRIGGER full BEFORE UPDATE ON campaign BEGIN SELECT RAISE(ABORT, 'full'); END"
    gives 2 "run --resume with a launch more fails without room" run table3 $three --results half --resume
    gives 0 "report after a failed run --resume works" report table3 $few --results half --json
    json "a failed run --resume archives nothing" '$d->{tables}{noise}[0]{readings_archived} == 0 && $d->{tables}{aa_test}[1]{pairs} == 8'
    sqlite3 half/records.db "DROP TRIGGER full; CREATE TRIGGER full BEFORE DELETE ON retiming BEGIN SELECT RAISE(ABORT, 'full'); END"
    gives 2 "run --retime with another regime fails without room" run table3 $few --set retime_regime.number=7 --results half --retime
    gives 0 "report after a failed run --retime works" report table3 $few --results half --json
    json "after a failed run --retime the records are still the first experiment's" \
        '$d->{tables}{noise}[0]{readings_archived} == 0 && $d->{valid}'
    # The A/A test before is lacking, as in older records: not measured, and said so.
    cp -r r old
    sqlite3 old/records.db "DELETE FROM aa_reading; DELETE FROM aa_stage; DELETE FROM aa_program"
    gives 0 "records without an A/A test go on" run table3 $few --results old --resume --quiet
    gives 0 "records without an A/A test are reported" report table3 $few --results old
    prints "A/A test before: not measured"
    matches '^  after +4 +8 +0\.00 +0\.00 ' "the noise floor after is told without one before"
    # The machine becomes 30 % slower before the last stage.
    sqlite3 r/records.db "DELETE FROM aa_reading WHERE stage = 'after'; DELETE FROM aa_stage WHERE stage = 'after'"
    RAINGAUGE_FAKE=slow=0.3 gives 0 "a run that ends on a slower machine works" run table3 $few --results r --resume --quiet
    gives 3 "report of a machine that changed ends with 3" report table3 $few --results r
    says "INVALID: the A/A programs drifted by +"
    says "from before to after, beyond +10.0 %"
    sed -n 1,4p out | tr -s '\n ' ' ' | grep -q 'no finding on its kernels (INVALID' && sed -n 1,8p out | grep -q '^Kernels: INVALID, the A/A programs drifted'
    ok $? "INVALID stands on top of the text"
    gives 3 "report as JSON of a machine that changed ends with 3" report table3 $few --results r --json
    json "the JSON of a machine that changed is not valid and names the gate" \
        '!$d->{valid} && $d->{invalid} =~ /drifted by/ && $d->{tables}{noise}[0]{reason} =~ /drifted by/ && $d->{tables}{noise}[0]{state} eq "failed"'
    gives 3 "report as HTML with --write ends with 3" report table3 $few --results r --format html --write
    grep -q 'class="card bad".*Kernels: INVALID, the A/A programs' out && [ -s r/report.json ]
    ok $? "the page says INVALID on top and is written all the same"
else
    skip "records that are changed" "sqlite3 is not installed"
fi
finish
