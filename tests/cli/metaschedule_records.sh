#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# metaschedule_records: databases of TVM's MetaSchedule as a campaign. metaschedule_records/ has 15 records of three
# kernels that TVM 0.16 tuned here (tests/peers/metaschedule_db.sh): modules.jsonl.gz the saved modules, records.jsonl.gz
# the records, loops.txt.gz the loops that TVM's own replay of each trace has. What is imported has exactly these loops;
# what has no steps here is named. Broken files, and 2,000 records with bytes changed, are refused one by one.
set -u
. tests/lib/tap.bash
rg() { "$bin" "$@" >"$out" 2>"$err" </dev/null; }
command -v sqlite3 >/dev/null || skip_all "no sqlite3"
perl -MMIME::Base64 -MJSON::PP -e 1 2>/dev/null || skip_all "no perl with MIME::Base64 and JSON::PP"
data=$PWD/tests/cli/metaschedule_records
cp -R experiments plots "$dir" && cd "$dir" || exit 1
gzip -dc "$data/records.jsonl.gz" >all
gzip -dc "$data/loops.txt.gz" >loops
# In TVM's bytes: base64 of the length and the text.
gzip -dc "$data/modules.jsonl.gz" |
    perl -MMIME::Base64 -ne 'chomp; print "[\"1000$.\",\"", encode_base64(pack("Q<", length) . $_, ""), "\"]\n"' >modules

# database NAME LINES: a folder with these records ("1,4" or "5,$"), and all workloads.
database() {
    mkdir -p "$1"
    cp modules "$1/database_workload.json"
    sed -n "$2p" all >"$1/database_tuning_record.json"
}
# same_loops NAME FIRST: the records that were imported, from record FIRST of all on, have TVM's loops.
same_loops() {
    sqlite3 -readonly -separator ' ' "results/$1/records.db" "SELECT spec FROM task" >spec
    sqlite3 -readonly "results/$1/records.db" "SELECT steps FROM trial ORDER BY id" >steps
    local taken=0 bad=0 record
    for record in $2; do
        taken=$((taken + 1))
        sed -n "${taken}p" steps >one.json
        "$bin" show "$(cat spec)" --steps one.json --dump=nest 2>&1 | tail -n +4 | perl -ne '
            /^( *)(.*)/; my ($indent, $row) = (length $1, $2);
            pop @around while @around && $around[-1][0] >= $indent;
            my $depth = grep { $_->[1] } @around;
            my $loop = $row =~ /^(for|parallel|vectorize|unroll) .* < (\d+)(?:, auto_unroll (\d+))?$/;
            print " " x $depth, $loop ? "$1 $2" . ($3 ? " unroll $3" : "") : "block", "\n" if $row !~ /^(arg|alloc|if) /;
            push @around, [$indent, $loop];' >ours
        sed -n "/^record $record\$/,/^record /p" loops | grep -v '^record' >theirs
        [ -s theirs ] && cmp -s ours theirs || bad=$((bad + 1))
    done
    [ $bad = 0 ] && [ $taken = "$(wc -l <steps)" ]
    ok $? "$1: $taken programs have the loops that TVM gives them"
}

database matmul 1,4
gives 0 "a folder with a database is imported" import matmul
prints "results/matmul: 4 of 4 records of target 'llvm -keys=cpu -mcpu=core-avx2"
prints "Traces of MetaSchedule: 4 of 4 are steps here (100 %), loop by loop."
prints "matmul 64x96x128"
same_loops matmul "1 2 3 4"
gives 0 "the campaign is reported" report matmul
gives 0 "an imported database is exported as records of auto_scheduler" export results/matmul
prints '"v": "v0.6"}'
grep -q 1000 "$out"
[ $? = 1 ]
ok $? "the key of the kernel is that of auto_scheduler"
cp "$out" exported.json
gives 0 "the exported records are imported" import exported.json
same_loops exported "1 2 3 4"
database dense 5,8
gives 0 "weights in another order are the layout rewrite's" import dense/database_tuning_record.json
prints "4 of 4 are steps here"
same_loops dense "5 6 7 8"
grep -q '^layout: 2$' experiments/dense.yaml
ok $? "the layout mode is that of rewritten weights"
database conv 9,15
gives 0 "a convolution, one of whose records has no steps" import conv --json
json "the share that has steps" '$d->{records} == 7 && $d->{imported} == 6 && abs($d->{mapped_share} - 6 / 7) < 1e-3'
says "conv:2: kernel 'conv2d 16x14x14 -> 32 3x3/2 +bias +relu': its program is none of ours"
says "line 1 of its loops is 'parallel 256 of axis 1 2', ours 'parallel 240 of axis 1 2'"
same_loops conv "9 11 12 13 14 15"
database mixed 1,8
gives 0 "a database with both layout modes" import mixed
prints "results/mixed: 5 of 8 records"
prints "8 of 8 are steps here"
says "mixed:6: of another layout mode"

# Records that are none.
change() { perl -MJSON::PP -e '
    my $json = JSON::PP->new->canonical; my $r = $json->decode(scalar <STDIN>);
    our ($insts, $decisions) = @{ $r->[1][0] }; sub inst { my ($name) = @_; return (grep { $_->[0] eq $name } @$insts)[0] }
    eval $ARGV[0]; die $@ if $@; print $json->encode($r), "\n";' "$1"; }
database broken 1,1
{
    sed -n 1p all | head -c 1500
    echo
    sed -n 1p all | sed 's/"Reorder"/"Rearrange"/'
    sed -n 1p all | change '$r->[0] = 9'
    sed -n 1p all | change 'pop @{ $decisions->[0][1] }'
    sed -n 1p all | change '$decisions->[0][1][0]++'
    sed -n 1p all | change 'shift @$decisions'
    sed -n 1p all | change '$decisions->[3][1] = 4'
    sed -n 1p all | change 'inst("Fuse")->[1] = ["l30", "l32"]'
    sed -n 1p all | change 'inst("Split")->[1][0] = "l999"'
    sed -n 1p all | change '@$insts = grep { $_->[0] ne "Parallel" } @$insts'
    sed -n 1p all | change '@$insts = grep { $_->[0] ne "DecomposeReduction" } @$insts'
    sed -n 1p all | change '$r->[1][2]{kind} = "cuda"'
    sed -n 1p all | change '$r->[1][1] = [-1]'
    echo '[0, [[[], []], [0.1], {"kind": "llvm"}, []]]'
    echo '{"i": [], "r": []}'
    sed -n 1p all | change 'my $order = inst("Reorder")->[1]; @$order[6, 8] = @$order[8, 6]' # two loops of 2 turns
    sed -n 1p all | change '$r->[1][1] = [1e10]'
} >>broken/database_tuning_record.json
gives 0 "what is whole is imported" import broken
prints "results/broken: 2 of 18 records"
prints "Traces of MetaSchedule: 2 of 18 are steps here (11.1 %)"
says "broken:2:"
says "broken:3: kernel 'matmul 64x96x128': instruction 10, 'Rearrange', has no step here"
says "broken:4: no workload of that number, there are 3"
says "broken:5: kernel 'matmul 64x96x128': instruction 4, SamplePerfectTile: its decision"
says "broken:6: kernel 'matmul 64x96x128': instruction 4, SamplePerfectTile: its decision"
says "broken:7: kernel 'matmul 64x96x128': instruction 4, SamplePerfectTile: its decision has 0 lengths"
says "broken:8: kernel 'matmul 64x96x128': instruction 15, SampleCategorical: its decision is none of its choices"
says "broken:9: kernel 'matmul 64x96x128': instruction 24, Fuse: loops that are not directly inside each other"
says "broken:10: kernel 'matmul 64x96x128': instruction 5, Split: input 0 is no loop that was made before"
says "broken:11: kernel 'matmul 64x96x128': its program is none of ours: line 1 of its loops is 'for 16 of axis 0 unroll 512'"
says "broken:12: kernel 'matmul 64x96x128': block 'C' starts its sums inside of their loops"
says "broken:13: of target 'cuda': only traces of CPUs (llvm) are read"
says "broken:14: a time is not a number of seconds above 0"
says "broken:15: kernel 'matmul 64x96x128': block 'C' starts its sums"
says "broken:16: no workload and record"
says "of its loops is 'for 2 of axis 0', ours 'for 2 of axis 1'"
[ "$(sqlite3 -readonly results/broken/records.db "SELECT group_concat(outcome, ' ') FROM (SELECT outcome FROM trial ORDER BY id)")" = "ok unknown error" ]
ok $? "a run that failed has no time"
database packed 6,6
change 'for my $i (grep { $_->[0] eq "TransformLayout" } @$insts) {
    my $map = $json->decode($i->[1][1]); my $at = $map->{nodes}[$map->{root}]{attrs}{final_indices};
    $map->{nodes}[$at]{data} = [reverse @{ $map->{nodes}[$at]{data} }]; $i->[1][1] = $json->encode($map); }' \
    <packed/database_tuning_record.json >>packed/database_tuning_record.json.new
cat packed/database_tuning_record.json.new >>packed/database_tuning_record.json
gives 0 "one with its weight in another order" import packed
says "packed:2: kernel 'dense 16x64 -> 48 +bias +relu': the weight is packed in another order than ours"

# Workloads that are none.
database alone 1,4
rm alone/database_workload.json
gives 2 "records without their workloads" import alone
says "'alone/database_workload.json' is missing"
database other 5,8
sed -n 1p modules >other/database_workload.json
gzip -dc "$data/modules.jsonl.gz" | sed -n '2s/tir\.Max/tir.Min/p' |
    perl -MMIME::Base64 -ne 'chomp; print "[\"7\",\"", encode_base64(pack("Q<", length) . $_, ""), "\"]\n"' >>other/database_workload.json
sed -n 1p all >>other/database_tuning_record.json
gives 0 "a workload that computes something else than the kernel of its shapes" import other
prints "results/other: 1 of 5 records"
prints 'Of no known kernel (--task names it), 80 % of the records: ["7", [16, 64], [48, 64], [1, 48], [16, 48]]'
says "other:1: workload 1: which kernel? block 2 ('T_relu') is not stage 'T_relu'"
[ "$(grep -c "which kernel" "$err")" = 1 ]
ok $? "such a workload is named once"
database unshared 1,4
gzip -dc "$data/modules.jsonl.gz" | sed -n 1p | perl -MJSON::PP -MMIME::Base64 -e '
    my $json = JSON::PP->new->canonical; my $m = $json->decode(scalar <STDIN>);
    for my $load (grep { $_->{type_key} eq "tir.BufferLoad" } @{ $m->{nodes} }) {
        push @{ $m->{nodes} }, { %{ $m->{nodes}[$load->{attrs}{indices}] } }; $load->{attrs}{indices} = "$#{ $m->{nodes} }"; }
    my $text = $json->encode($m); print "[\"8\",\"", encode_base64(pack("Q<", length $text) . $text, ""), "\"]\n"' \
    >unshared/database_workload.json
gives 0 "a module in which every access has a list of its own, as from Relay" import unshared
prints "4 of 4 are steps here"
database cut 1,4
{ head -c 900 modules; printf '"]\n'; } >cut/database_workload.json
gives 2 "a module that is cut short" import cut
says "none of its records can be imported"
gives 2 "a file of something else" import cut/database_workload.json

# 2,000 records (RAINGAUGE_PROPERTY) with a byte changed, cut out or put in: none ends the program, each is taken or named.
database mutated 1,4
many=${RAINGAUGE_PROPERTY:-2000}
perl -e 'srand 27; my @l = <STDIN>; for (1 .. shift) { my $s = $l[rand @l]; chomp $s; for (0 .. rand 2) {
    my $k = 1 + rand(-1 + length $s); my $c = chr(33 + rand 90); $c = int rand 10 if substr($s, $k, 1) =~ /\d/ && rand 2 > 1;
    my $way = int rand 4; substr($s, $k, $way < 3 ? 1 : 1 + rand 40) = $way == 0 ? $c : $way == 1 ? $c . substr($s, $k, 1) : ""; }
    print "$s\n"; }' "$many" <all >mutated/database_tuning_record.json
gives 0 "$many mutated records" import mutated --json
json "each is taken or refused" '$d->{records} == '"$many"' && $d->{imported} + $d->{refused} == $d->{records} && $d->{imported} > 0'
says "further ones are only counted"
finish
