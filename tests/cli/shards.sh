#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# shards: a campaign in three shards on target fake, each killed at random moments, whose merged report is byte for byte
# that of one run; and shards that do not belong together, named.
set -u
. tests/lib/tap.bash
RANDOM=17
experiments=$root/experiments
cd "$dir" || exit 1
few="--tier short --set target=fake --set target_settings.noise=0.05 --set networks=[squeezenet,resnet18,alexnet]
    --set kernels=2 --set ansor.trials=32 --set dpansor.k=8 --set seeds=2 --set duels.max_launches=12"

rg() { "$bin" "$@" --experiments "$experiments" >out 2>err </dev/null; }
shard() { # number, folder: killed at random moments, so often as it takes
    local kills=0
    while ! timeout -s KILL "0.$((RANDOM % 8 + 2))" "$bin" run table3 $few --experiments "$experiments" --shard "$1/3" \
        --results "$2" --resume --quiet >>out 2>>err; do
        kills=$((kills + 1))
        [ $kills -lt 12 ] || { rg run table3 $few --shard "$1/3" --results "$2" --resume --quiet; return; }
    done
}
both() { # name: reports of the merged and the undivided campaign
    rg report table3 $few --results whole --json && mv out whole.json
    rg report table3 $few --results merged --json && cmp -s out whole.json
    ok $? "$1"
}

rg run table3 $few --results whole --quiet
ok $? "the undivided campaign runs"
for i in 1 2 3; do
    shard $i s$i
    ok $? "shard $i of 3 ends, whatever kills it"
done
gives 0 "three shards are merged" merge s1 s2 s3 --results merged
both "the report is byte for byte that of the undivided campaign"
rg run table3 $few --results merged --resume --quiet
both "a run that goes on with the merged campaign adds nothing"
gives 0 "shards in another order are merged" merge s3 s1 s2 --results other
rg report table3 $few --results other --json && cmp -s out whole.json
ok $? "the order of the folders does not show in the report"

# ---- on which machine a shard ran ----
on() { # folder, shard, RAINGAUGE_FAKE
    RAINGAUGE_FAKE=$3 rg run table3 $few --shard "$2/3" --results "$1" --quiet
    ok $? "shard $2 runs, as $3"
}
on n1 1 node=1
on n2 2 node=1
on n3 3 node=2,noise=0.2
gives 0 "shards of two machines are merged" merge n1 n2 n3 --results nodes
gives 0 "two machines have a report" report table3 $few --results nodes --json
cp out nodes.json
here() { # name, expression of $d, the report of `nodes`, and %node, the null pairs of each machine
    out=nodes.json json "$1" 'my %node = map { $_->{arm} =~ /^null pairs on node (.*)/ ? ($1, $_) : () } @{$d->{tables}{duels}};
        my ($noise, $gate) = ($d->{tables}{noise}[0], grep { $_->{gate} eq "null" } @{$d->{tables}{gates}}); '"$2"
}
here "the null pairs of each machine have a row of their own" 'join(",", sort keys %node) eq "1,2" && !grep { $_->{arm} eq "null pairs" } @{$d->{tables}{duels}}'
here "the noisier machine has the wider interval" '$node{2}{half_width} > 1.5 * $node{1}{half_width} && $node{1}{half_width} > 0'
here "the noise floor is that of the worse machine" 'abs($noise->{noise_floor} - (exp($node{2}{half_width}) - 1)) < 1e-12'
here "so is the gate, with its name" 'abs($gate->{limit} - $node{2}{half_width}) < 1e-12 && $noise->{reason} =~ /^on node 2, the interval of the null pairs/'
here "one line says which machines there were" '$d->{summary}{validity} =~ /, the worst of 2 nodes \(1: [\d.]+ %, 2: [\d.]+ %\)/'
gives 0 "the report for people" report table3 $few --results nodes
grep -q "^  node 2$" out && tr -s '\n ' ' ' <out | grep -qF "the worst of 2 nodes (1: "
ok $? "the report for people has the machines"
gives 0 "two machines have a page" report table3 $few --results nodes --format html
grep -q "the worst of 2 nodes" out
ok $? "the page has the machines"
gives 0 "shards of one machine are merged with those of no name" merge n1 n2 s3 --results half
gives 0 "a machine beside one of no name has a report" report table3 $few --results half --json
json "a machine that is not recorded is told apart" 'my @n = grep { /^null pairs on node/ } map { $_->{arm} } @{$d->{tables}{duels}}; join(",", sort @n) eq "null pairs on node 1,null pairs on node unknown"'
on n3again 3 node=1
gives 0 "shards of one machine are merged" merge n1 n2 n3again --results same
rg report table3 $few --results same --json && cmp -s out whole.json
ok $? "of one machine the report is byte for byte that of the undivided campaign"
cp -r n1 moved && RAINGAUGE_FAKE=node=3 rg run table3 $few --shard 1/3 --results moved --resume --quiet
rg merge moved n2 n3again --results three && rg report table3 $few --results three --json
json "a shard that two machines ran is told apart from one that one of them ran" 'my @n = grep { /^null pairs on node/ } map { $_->{arm} } @{$d->{tables}{duels}}; join(",", sort @n) eq "null pairs on node 1,null pairs on node 1+3"'

gives 2 "a merged campaign is not overwritten" merge s1 s2 s3 --results merged
says "holds records already"
gives 2 "a hole is refused" merge s1 s3 --results x
says "are done in no shard"
gives 2 "a shard given twice is refused" merge s1 s2 s2 --results x
says "is in 's2', too"
gives 2 "a folder without records is refused" merge s1 s2 nothing --results x
says "nothing"
gives 2 "somewhere to write is asked for" merge s1 s2 s3
says "--results"
gives 2 "a shard that cannot be is refused" run table3 $few --shard 4/3
says "write 2/8"
gives 2 "more shards than parts are refused" run table3 $few --shard 1/7
says "a network in one seed stays together"
rg run table3 $few --set seeds=3 --shard 2/3 --results more --quiet
gives 2 "another experiment is refused" merge s1 more s3 --results x
says "is not that of 's1'"
if command -v sqlite3 >/dev/null; then
    spoilt() { # name, SQL, what is said
        rm -rf bad && cp -r s2 bad && sqlite3 bad/records.db "$2"
        gives 2 "$1" merge s1 bad s3 --results x
        says "$3"
    }
    spoilt "another program is refused" "UPDATE campaign SET revision = 'older'" "its program is not that of"
    spoilt "another processor is refused" "UPDATE campaign SET environment = replace(environment, '\"cpu\":\"', '\"cpu\":\"Other ')" \
        "unlike machines"
    gives 0 "by request it is not" merge s1 bad s3 --results unlike --unlike
    rg report table3 $few --results unlike
    tr -s '\n ' ' ' <out | grep -qF "The shards are of unlike machines (processor"
    ok $? "a report of unlike machines says that they are"
    rg report table3 $few --results unlike --json
    json "null pairs of unlike machines are told apart" 'join("|", sort grep { s/^null pairs on node // } map { "$_->{arm}" } @{$d->{tables}{duels}}) =~ /^(\S[^,|]*), ([^,|]+)\|Other \1, Other \2$/'
    json "the report says which searches each machine ran" 'my %s = map { $_->{name}, $_->{text} } grep { $_->{part} eq "shards" } @{$d->{tables}{environment}}; my ($kind) = grep { /Other/ && $_ ne "unlike" } keys %s; keys %s == 3 && $s{unlike} =~ / and / && $s{$kind} =~ /^\w+ seed \d, \w+ seed \d$/'
    spoilt "other claims are refused" "UPDATE event SET text = 'C1 0' WHERE kind = 'claims'" "its claims is not that of"
    spoilt "a cell that is not finished is refused" \
        "UPDATE cell SET state = 'running' WHERE cell = (SELECT min(cell) FROM cell WHERE state = 'done')" "is not finished"
    spoilt "a re-timing that is not over is refused" "DELETE FROM event WHERE kind = 'sitting_end'" "re-timing is not over"
    spoilt "a lost trial is refused" "DELETE FROM trial WHERE id = 3" "lost 1 of its"
    rm -rf grown && cp -r s2 grown && sqlite3 grown/records.db "INSERT INTO event VALUES(0, -1, -1, 'more_duels', '', NULL, '', 0)"
    rg merge s1 grown s3 --results joined && rg report table3 $few --results joined --json && cmp -s out whole.json
    ok $? "a shard to which duels were added before its re-timing ended is merged like any other"
else
    skip "spoilt shards are refused by name" "no sqlite3"
fi
rm -rf packed && cp -r s2 packed && rg archive packed && rm -f packed/records.{db,db-wal,db-shm,lock}
gives 0 "a packed shard is merged" merge s1 packed s3 --results unpacked
rg report table3 $few --results unpacked --json && cmp -s out whole.json
ok $? "with a packed shard the report is byte for byte that of the undivided campaign"
[ ! -e packed/records.db ]
ok $? "nothing is put beside packed records"
gives 0 "shards are merged before the rest is done" merge s1 packed --results part --partial
says "cells are done in none of them: the campaign is not complete"
rg report table3 $few --results part && grep -qE "^NOT COMPLETE: [4-9] of 12 cells are done$" out
ok $? "the report of a merge that is partial says how much is missing"
nets=$("$bin" query s1 "SELECT count(DISTINCT network) FROM arms WHERE state = 'done'" 2>/dev/null | tail -n 1 | tr -dc 0-9)
rg report table3 $few --results s1 && { [ "$nets" = 1 ] && grep -qx "The result" out || grep -qx "Means over $nets networks" out; }
ok $? "a shard's report counts the networks that it has"
rg run table3 $few --results part --resume --quiet && rg report table3 $few --results part --json
json "a run goes on with the rest" '$d->{complete}'
gives 2 "with none missing too a shard given twice is refused" merge s1 s1 s3 --results x --partial
says "is in 's1', too"
rm -rf bad && cp -r s2 bad && truncate -s 20000 bad/records.db
gives 2 "a cut file is refused" merge s1 bad s3 --results x
says "bad"
[ ! -e x/records.db ] && [ ! -e x/merging ]
ok $? "a refused merge leaves nothing"

finish
