#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# retiming: what stands behind the headline numbers, on target fake: how many programs are timed again, what the arms
# lost, a re-timing that is stopped, and null pairs that differ: INVALID on top of every form, exit 3.
set -u
. tests/lib/tap.bash
experiments=$root/experiments
cd "$dir" || exit 1
few="--tier short --set target=fake --set target_settings.noise=0.05 --set networks=squeezenet --set kernels=4
    --set ansor.trials=64 --set dpansor.k=1,8 --set dpansor.trials_per_kernel=12 --set seeds=2 --set retime_top=3
    --set duels.max_launches=10 --set duels.half_width=0.1"

rg() { "$bin" "$@" --experiments "$experiments" >out 2>err </dev/null; }

gives 0 "plan of a re-timing works" plan table3 $few --json
json "plan says how many programs are retimed, and the launches" '$d->{retime_top} == 3 && $d->{duel_min_launches} == 5 && $d->{duel_max_launches} == 10'
hash=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{hash}' <out)
gives 0 "plan with one retimed program a kernel works" plan table3 ${few/retime_top=3/retime_top=1} --json
json "another number of retimed programs is another experiment" "\$d->{hash} ne '$hash'"
gives 0 "plan without retime_top works" plan table3 ${few/--set retime_top=3/} --json
json "without retime_top there is one retimed program" '$d->{retime_top} == 1'
gives 2 "plan refuses to re-time no program" plan table3 ${few/retime_top=3/retime_top=0}
says "retime_top"

gives 0 "run with a re-timing works" run table3 $few --results r --quiet
gives 0 "report --json works" report table3 $few --results r --json
json "the run is valid, its gates passed and there is a noise floor" \
    '$d->{valid} && $d->{tables}{noise}[0]{state} eq "passed" && $d->{tables}{noise}[0]{noise_floor} > 0'
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
grep -q '^What the arms lost' out
ok $? "the text has what the arms lost"
gives 0 "report as HTML works" report table3 $few --results r --format html
prints 'id="noise"'
cp out first.html
gives 0 "the same run works in another folder" run table3 $few --results again --quiet
gives 0 "the page of the same run in another folder works" report table3 $few --results again --format html
cmp -s out first.html
ok $? "pages of two equal runs are byte for byte the same"

gives 2 "run --retime with other searches is refused" run table3 ${few/seeds=2/seeds=1} --results again --retime
says "another experiment"
gives 0 "run --retime of what is not begun works" run table3 $few --results fresh --retime --quiet
gives 0 "the page of it works" report table3 $few --results fresh --format html
cmp -s out first.html
ok $? "run --retime of what is not begun is a run"

if command -v sqlite3 >/dev/null; then
    # Stopped in the re-timing: not finished, nothing has passed yet.
    cp -r again stopped
    sqlite3 stopped/records.db "DELETE FROM duel_launch WHERE duel > 3; DELETE FROM event WHERE kind = 'sitting_end'"
    gives 0 "status of a stopped re-timing works" status stopped
    prints "short: stopped"
    prints "now     duels, "
    gives 0 "status as JSON works" status stopped --json
    json "a campaign whose re-timing is stopped is not finished, though all cells are done" \
        '!$d->{finished} && $d->{phase} eq "retiming" && $d->{cells_done} == $d->{cells}'
    gives 0 "report of a stopped re-timing works" report table3 $few --results stopped
    prints "NOT COMPLETE: the re-timing is not finished"
    prints "gates of kernels: unknown, the duels are not finished"
    gives 0 "report as JSON of a stopped re-timing works" report table3 $few --results stopped --json
    json "a stopped re-timing is not complete, and its gates have not passed" \
        '!$d->{complete} && $d->{tables}{noise}[0]{state} eq "unknown"'
    gives 0 "run --resume of a stopped re-timing works" run table3 $few --results stopped --resume --quiet
    gives 0 "status of the finished re-timing works" status stopped
    prints "short: finished"
    gives 0 "the page of a continued re-timing works" report table3 $few --results stopped --format html
    cmp -s out first.html
    ok $? "the page of a continued re-timing is byte for byte that of a run left alone"
    # Ctrl-C in another sitting: the command that is told goes on with it, and does not begin a third.
    cp -r again long
    long=${few/max_launches=10 --set duels.half_width=0.1/max_launches=1000 --set duels.half_width=0.0001}
    (exec "$bin" run table3 $long --results long --retime --experiments "$experiments" >out 2>err </dev/null) &
    pid=$!
    for _ in $(seq 600); do
        [ "$(sqlite3 -readonly -cmd '.timeout 9000' long/records.db 'SELECT max(sitting) FROM duel_launch' 2>/dev/null)" = 1 ] && break
        sleep 0.1
    done
    kill -INT $pid
    wait $pid
    ok "$([ $? = 130 ]; echo $?)" "Ctrl-C in the re-timing gives exit status 130"
    says "and not --retime"
    had=$(sqlite3 long/records.db "SELECT count(*) FROM duel_launch WHERE sitting = 1")
    told=$(sed -n 's/^go on with: raingauge //p' err)
    ok "$([ "$had" -gt 0 ]; echo $?)" "some launches of it are there at Ctrl-C: $had; the command that is told: $told"
    eval "gives 0 'the command that is told works, with a wider interval' ${told/run/run --quiet} --set duels.half_width=0.1"
    [ "$(sqlite3 long/records.db 'SELECT max(sitting) FROM duel_launch')" = 1 ]
    ok $? "no third sitting has begun"
    # A disk that fills up, or a kill, in the middle of taking records over: a trigger stands for it. All or nothing.
    cp -r again half
    sqlite3 half/records.db "CREATE TRIGGER full BEFORE UPDATE ON campaign BEGIN SELECT RAISE(ABORT, 'full'); END"
    gives 2 "run --resume with more launches fails without room" run table3 ${few/launches=10/launches=11} --results half --resume
    gives 0 "after a failed run --resume the records are still the first experiment's" report table3 $few --results half --json
    # A machine on which programs differ from themselves.
    sqlite3 r/records.db "UPDATE duel_launch SET seconds = '[1]' WHERE place = 1 AND duel IN (SELECT duel FROM duel WHERE null_pair)"
    gives 3 "report of null pairs that differ ends with 3" report table3 $few --results r
    says "INVALID: programs against themselves differ by"
    sed -n 1,4p out | tr -s '\n ' ' ' | grep -q 'no finding on its kernels (INVALID' && sed -n 1,8p out | grep -q '^Kernels: INVALID, programs against themselves'
    ok $? "INVALID stands on top of the text"
    gives 0 "a run that is over ends with 0, though its report is INVALID" run table3 $few --results r --resume
    gives 3 "run --strict of an INVALID report ends with 3" run table3 $few --results r --resume --strict
    says "INVALID: programs against themselves differ by"
    gives 3 "report as JSON of it ends with 3" report table3 $few --results r --json
    json "the JSON is not valid and names the gate" \
        '!$d->{valid} && $d->{invalid} =~ /themselves/ && $d->{tables}{noise}[0]{reason} =~ /themselves/ && $d->{tables}{noise}[0]{state} eq "failed"'
    gives 3 "report as HTML with --write ends with 3" report table3 $few --results r --format html --write
    grep -q 'class="card bad".*Kernels: INVALID, programs against themselves' out && [ -s r/report.json ]
    ok $? "the page says INVALID on top and is written all the same"
else
    skip "records that are changed" "sqlite3 is not installed"
fi
finish
