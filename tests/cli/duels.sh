#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# duels: the re-timing by duels on target fake: programs told by their state, null pairs, intervals and gates in the
# report, another sitting, and a campaign that is killed at random moments of its duels and leaves the same records.
set -u
. tests/lib/tap.bash
RANDOM=41
experiments=$root/experiments
cd "$dir" || exit 1
few="--tier short --set target=fake --set target_settings.noise=0.05 --set networks=squeezenet --set kernels=4
    --set ansor.trials=64 --set dpansor.k=1,8 --set dpansor.trials_per_kernel=12 --set seeds=2
    --set duels.max_launches=30 --set duels.half_width=0.02"

rg() { "$bin" "$@" --experiments "$experiments" >out 2>err </dev/null; }
query() { sqlite3 "$1/records.db" "$2"; }
rows() { query "$1" "SELECT * FROM duel; SELECT * FROM duel_program; SELECT * FROM duel_launch"; }
is() { # got want name
    [ "$1" = "$2" ]
    ok $? "$3 ($1, wanted $2)"
}

gives 0 "a plan with duels works" plan table3 $few --json
hash=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{hash}' <out)
gives 0 "a plan with a wider interval works" plan table3 $few --set duels.half_width=0.03 --json
json "another half width is another experiment" "\$d->{hash} ne '$hash'"
gives 2 "an unknown rule of duels is refused" plan table3 $few --set duels.half_widht=0.03
says "half_width"

gives 0 "a run with duels works" run table3 $few --results r --quiet
is "$(query r 'SELECT count(*) FROM duel WHERE NOT null_pair')" 8 "each kernel of each seed has a duel"
is "$(query r 'SELECT count(*) FROM duel WHERE null_pair')" 4 "each seed has two null pairs"
is "$(query r 'SELECT count(*) FROM (SELECT duel, hash FROM duel_program GROUP BY duel, hash HAVING count(DISTINCT place) > 1)
    JOIN duel USING(duel) WHERE NOT null_pair')" 0 "a program stands in one place of its duel, whoever found it"
is "$(query r 'SELECT count(*) FROM (SELECT DISTINCT duel FROM duel_program p JOIN trial t ON t.id = p.trial WHERE p.hash <> t.hash)')" \
    0 "programs are told by the hash of their state"
is "$(query r 'SELECT min(n) FROM (SELECT count(DISTINCT launch) AS n FROM duel_launch GROUP BY duel)')" 5 \
    "each duel has at least five launches"
is "$(query r 'SELECT count(*) FROM (SELECT duel, launch, count(*) AS n FROM duel_launch GROUP BY duel, launch) JOIN
    (SELECT duel, max(place) + 1 AS places FROM duel_program GROUP BY duel) USING(duel) WHERE n <> places')" 0 \
    "every launch has a row for each program"
gives 0 "a report of duels works" report table3 $few --results r --json
json "the run is valid and the null pairs passed" \
    '$d->{valid} && grep { $_->{gate} eq "null" && $_->{state} eq "passed" } @{$d->{tables}{gates}}'
json "each arm has a ratio and an interval as narrow as was asked, over networks and of its network" \
    'my @t = grep { $_->{arm} =~ /^dpansor/ } @{$d->{tables}{duels}};
     @t == 4 && !grep { $_->{half_width} > 0.02 || $_->{faster_interval}[0] > $_->{faster} || $_->{faster_interval}[1] < $_->{faster} } @t'
json "the speedup of re-timed programs is that of the duels" \
    'my %by = map { $_->{arm} => $_->{faster} } grep { !$_->{network} } @{$d->{tables}{duels}};
     !grep { abs($_->{kernel_speedup_retimed}{ratio} / $by{$_->{arm}} - 1) > 1e-6 } @{$d->{tables}{means}}'
json "kernels with one program on both sides are counted" 'grep { $_->{identical} > 0 } @{$d->{tables}{duels}}'
gives 0 "a report of duels as text works" report table3 $few --results r
prints "Duels: faster by paired launches"
prints "null pairs"

# A campaign of one seed goes on with a second one.
gives 0 "a run of one seed works" run table3 $few --set seeds=1 --results grown --quiet
rows grown >one.rows
gives 0 "more seeds go on with the same records" run table3 $few --results grown --resume
says "differs in its re-timing, or has other seeds or networks"
is "$(query grown 'SELECT count(*) FROM duel WHERE NOT null_pair AND seed = 2')" 4 "the kernels of the new seed meet"
is "$(query grown 'SELECT count(*) FROM duel WHERE null_pair')" 4 "the new seed has null pairs of its own"
is "$(query grown 'SELECT count(*) FROM duel_launch WHERE sitting > 0')" 0 "the sitting goes on"
[ "$(rows grown | grep -cxFf one.rows)" = "$(wc -l <one.rows)" ]
ok $? "no row of the first seed is lost or changed"
searched='SELECT cell, task, ordinal, steps, seconds FROM trial ORDER BY id'
[ -n "$(query r "$searched")" ] && [ "$(query grown "$searched")" = "$(query r "$searched")" ]
ok $? "the searches are those of a run that had both seeds from the start"
gives 0 "a report of the grown campaign works" report table3 $few --results grown --json
json "the grown campaign is valid" '$d->{valid}'
rows grown >grown.rows
gives 0 "run --resume of the grown campaign works" run table3 $few --results grown --resume --quiet
rows grown | cmp -s - grown.rows
ok $? "run --resume adds nothing to it"
gives 2 "fewer seeds than on record are refused" run table3 $few --set seeds=1 --results grown --resume --quiet
says "another experiment (squeezenet, ansor, seed 2 is not in this one)"
cp -r grown shrunk
second="(SELECT cell FROM cell WHERE seed = 2)" duels="(SELECT duel FROM duel WHERE seed = 2)"
query shrunk "DELETE FROM trial WHERE cell IN $second; DELETE FROM round WHERE cell IN $second; DELETE FROM event WHERE cell IN $second;
    DELETE FROM duel_launch WHERE duel IN $duels; DELETE FROM duel_program WHERE duel IN $duels; DELETE FROM duel WHERE seed = 2;
    UPDATE cell SET state = 'running' WHERE cell IN (SELECT max(cell) FROM cell)"
gives 2 "fewer seeds than were begun are refused" run table3 $few --set seeds=1 --results shrunk --resume --quiet
query shrunk "UPDATE cell SET state = '' WHERE seed = 2"
rows shrunk >shrunk.rows
gives 0 "a plan without a seed that was not begun works" plan table3 $few --set seeds=1 --results shrunk --json
json "nothing is left to search" '$d->{done} > 0 && $d->{left_s} == 0'
gives 0 "a seed that was not begun can be left out" run table3 $few --set seeds=1 --results shrunk --resume
says "differs in its re-timing, or has other seeds or networks"
is "$(query shrunk "SELECT (SELECT count(*) FROM cell WHERE seed = 2) + (SELECT count(*) FROM task WHERE cell NOT IN (SELECT cell FROM cell))")" 0 \
    "its searches are no longer planned"
[ "$(rows shrunk | grep -cxFf shrunk.rows)" = "$(wc -l <shrunk.rows)" ]
ok $? "what was recorded of the first seed is kept"
gives 0 "a report of what is left works" report table3 $few --set seeds=1 --results shrunk --json
json "a campaign without the seed that was not begun is complete" '$d->{complete} && $d->{seeds} == 1'

# Only one of two networks has both seeds; the other goes on with its second one.
two="${few/networks=squeezenet/networks=squeezenet,alexnet}"
gives 0 "a run that repeats one of two networks works" run table3 $two --set replicated=alexnet --results part --quiet
is "$(query part 'SELECT group_concat(DISTINCT network) FROM cell WHERE seed = 2')" alexnet "only that one has the second seed"
gives 0 "a report of a repeated network works" report table3 $two --set replicated=alexnet --results part --json
json "the mean of two networks rests on the spread of the repeated one" \
    '$d->{valid} && !grep { $_->{kernel_speedup_retimed}{df} != 1 } @{$d->{tables}{means}}'
gives 0 "a report of a repeated network as text works" report table3 $two --set replicated=alexnet --results part
prints "2, of some networks fewer"
gives 0 "the other network's second seed goes on with the same records" run table3 $two --results part --resume
says "differs in its re-timing, or has other seeds or networks"

# A campaign of one network goes on with others, in whatever order they are named.
wide="${few/networks=squeezenet/networks=mobilenet_v1,squeezenet,alexnet}"
gives 0 "more networks go on with the same records" run table3 $wide --results grown --resume
says "differs in its re-timing, or has other seeds or networks"
is "$(query grown 'SELECT group_concat(network || seed) FROM (SELECT DISTINCT network, seed FROM cell ORDER BY cell)')" \
    "squeezenet1,squeezenet2,mobilenet_v11,alexnet1,mobilenet_v12,alexnet2" "what is recorded stays where it is, the others follow"
is "$(query grown 'SELECT count(*) FROM cell c JOIN cell e ON e.cell = c.explore_cell WHERE (c.network, c.seed, e.arm) = (e.network, e.seed, "ansor")')" \
    12 "each arm starts from the search of its network and seed"
[ "$(rows grown | grep -cxFf grown.rows)" = "$(wc -l <grown.rows)" ]
ok $? "no row of the first network is lost or changed"
gives 0 "a run of all networks works" run table3 $wide --results three --quiet
searched='SELECT network, c.arm, c.seed, task, ordinal, steps, seconds FROM trial JOIN cell c USING(cell) ORDER BY 1, 2, 3, 4, 5'
[ -n "$(query three "$searched")" ] && [ "$(query grown "$searched")" = "$(query three "$searched")" ]
ok $? "the searches are those of a run that had all networks from the start"
gives 0 "a report of the wider campaign works" report table3 $wide --results grown --json
json "a campaign that grew by networks is valid, with all of them" '$d->{valid} && $d->{complete} && @{$d->{tables}{explorers}} == 3'
gives 0 "a plan of it works" plan table3 $wide --results grown --json
json "nothing of it is left" '$d->{left_s} == 0 && $d->{done} > 0'
gives 2 "fewer networks than on record are refused" run table3 $few --results grown --resume --quiet
says "another experiment (mobilenet_v1, ansor, seed 1 is not in this one)"
gives 2 "an arm more is refused" run table3 $few --set dpansor.k=1,4,8 --results r --resume --quiet
says "another experiment (squeezenet, dpansor-4, seed 1 is not in that one)"

# Another sitting is pooled with the first.
cp -r r more
before=$(query more 'SELECT count(*) FROM duel_launch')
gives 0 "run --retime of duels works" run table3 $few --results more --retime --quiet
after=$(query more 'SELECT count(*) FROM duel_launch WHERE sitting = 1')
[ "$after" -gt 0 ] && [ "$(query more 'SELECT count(*) FROM duel_launch')" = $((before + after)) ]
ok $? "run --retime adds launches to those on record ($before and $after)"
is "$(query more 'SELECT min(n) FROM (SELECT count(DISTINCT launch) AS n FROM duel_launch WHERE sitting = 1 GROUP BY duel)')" 5 \
    "each duel has at least five launches in the other sitting, too"
rows more >more.rows
gives 0 "run --resume after it works" run table3 $few --results more --resume --quiet
rows more | cmp -s - more.rows
ok $? "run --resume adds nothing to what is narrow enough"
gives 0 "a report of both sittings works" report table3 $few --results more --json
json "the intervals of both sittings together are narrower" \
    '$d->{valid} && !grep { $_->{half_width} > 0.0195 } grep { $_->{arm} =~ /^dpansor/ } @{$d->{tables}{duels}}'
gives 0 "a narrower interval goes on with the same searches" run table3 $few --set duels.half_width=0.012 --results more --resume --quiet
[ "$(query more 'SELECT count(*) FROM duel_launch')" -gt $((before + after)) ]
ok $? "a narrower interval takes more launches"
gives 2 "launches under another protocol are not pooled" run table3 $few --set duels.slice_calls=7 --results more --resume --quiet
says "protocol"

# Killed at random moments of the duels.
gives 0 "the searches alone work" run table3 ${few/duels.max_launches=30/duels.max_launches=0} --results searched --quiet
cp -r searched whole
cp -r searched killed
many="$few --set duels.max_launches=100 --set duels.half_width=0.004"
start=$(date +%s%N)
gives 0 "many launches over the searches work" run table3 $many --results whole --resume --quiet
whole_ms=$((($(date +%s%N) - start) / 1000000))
rows whole >whole.rows
lives=1
while [ $lives -lt 60 ]; do
    (exec "$bin" run table3 $many --results killed --resume --quiet --experiments "$experiments" >out 2>err </dev/null) &
    pid=$!
    ms=$((RANDOM % (whole_ms / 6 + (10 + whole_ms / 30) * lives + 10) + 10))
    (sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"; kill -9 $pid) 2>/dev/null &
    killer=$!
    wait $pid 2>/dev/null
    status=$?
    kill $killer 2>/dev/null
    wait $killer 2>/dev/null
    [ $status = 137 ] || break
    lives=$((lives + 1))
done
[ $lives -gt 2 ] && [ $status = 0 ]
ok $? "a run was killed in its duels and came to its end ($lives lives, $whole_ms ms alone)"
rows killed | cmp -s - whole.rows
ok $? "killed at any moment, the duels are those of a run left alone"
is "$(query killed "SELECT count(*) FROM event WHERE kind = 'sitting_end'")" 1 "a sitting ends once"
gives 0 "status of a run with duels works" status killed --json
json "status says that it is finished" '$d->{finished}'

# A program that fails does not end a duel, and the gate of failures sees it.
gives 0 "a machine that is busy differs" run table3 $few --set target_settings.noise=0.3 --set duels.max_launches=6 --results noisy --quiet
says "every duel that would help has its 6 launches"
gives 0 "a report of it works" report table3 $few --set target_settings.noise=0.3 --set duels.max_launches=6 --results noisy --json
json "what is not narrow enough at the most launches is not judged, and says how wide it is" \
    'my $n = $d->{tables}{noise}[0]; $d->{valid} && $n->{state} eq "unknown" && $n->{reason} =~ /was asked/'
finish
