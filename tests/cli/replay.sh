#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# replay: `raingauge replay` as a script meets it: a file of our own records applied, verified and timed; broken records
# refused one by one; the dumps; all released records, dry; dumps against TVM's own (data/tvm_oracle) by id; Ctrl-C.
# tests/cli/replay/own.jsonl holds random schedules of small kernels as raingauge measured and printed them; bad.jsonl, a
# broken record a line.
set -u
. tests/lib/tap.bash
shared=${RAINGAUGE_SHARED:-../shared}

rg() { "$bin" replay "$@" >"$out" 2>"$err" </dev/null; }

# ---- wrong words ----
gives 2 "replay without a file is refused"
says "which file?"
gives 2 "a file that is not there is refused" "$dir/none.jsonl" --dry
says "none.jsonl: No such file"
gives 2 "a folder without records is refused" "$dir" --dry
says "no records in"
printf '# only a comment\n\n' >"$dir/empty.jsonl"
gives 2 "a file without records is refused" "$dir/empty.jsonl" --dry
says "holds no records"
gives 2 "a file that is no record file is refused at its first lines" README.md --dry
says "README.md:3: no record file"
[ ! -s "$out" ] && [ "$(wc -l <"$err")" = 1 ]
ok $? "a file that is no record file gets one line and no plan"
gives 2 "an unknown regime is refused with the nearest one" tests/cli/replay/own.jsonl --regime tvn
says "did you mean 'tvm'"
gives 2 "a wrong value in a regime is refused" tests/cli/replay/own.jsonl --regime tvm,number=x
gives 2 "a virtual target is refused" tests/cli/replay/own.jsonl --target fake
says "nothing could be verified"
gives 2 "a task that does not parse is refused" tests/cli/replay/own.jsonl --dry --task "conv2e ci=1"
gives 0 "replay --help works" --help
prints "--dump"

# ---- broken records ----
gives 1 "broken records, dry, end with 1" tests/cli/replay/bad.jsonl --dry --json
json "records, applied and failed ones are counted" '$d->{records} == 17 && $d->{applied} == 2 && $d->{failed} == 15 && !defined $d->{right} && $d->{left} == 0'
json "each failure has index, line and reason" '@{$d->{failures}} == 15 && !grep { !defined $_->{index} || !$_->{line} || !$_->{reason} } @{$d->{failures}}'
json "failures stand in the order of the file" 'join(",", map { $_->{index} } @{$d->{failures}}) eq join(",", 1..15)'
json "line numbers count comments and blank lines" '$d->{failures}[0]{line} == 3 && $d->{failures}[-1]{line} == 18'
for reason in "not valid JSON" "unknown step code 'XX'" "no stage 9" "steps of another kernel" "less than 2^31 turns" \
    "more than 2^40" "more than 2^31 elements" "unknown setting" "unknown operator" "which kernel? give --task"; do
    json "a broken record has the reason: $reason" "grep { index(\$_->{reason}, \"$reason\") >= 0 } @{\$d->{failures}}"
done
gives 1 "broken records, as text, end with 1" tests/cli/replay/bad.jsonl --dry --quiet
prints "17 records, 2 applied, 15 failed"
gives 1 "a dump goes on past broken records" tests/cli/replay/bad.jsonl --dump state
[ "$(wc -l <"$out")" = 2 ] && perl -MJSON::PP -ne '$_ = decode_json($_); exit 1 if $_->{id} ne ("good", 16)[$. - 1] || $_->{state} !~ /^Placeholder: /' "$out"
ok $? "a dump of states has two lines, one named by its index"
says "tests/cli/replay/bad.jsonl:4: step 0: unknown step code 'XX'"

# Made here, as they are large: a million steps, thousands of splits and stages, deep nesting, a line past the limit.
perl -e '
    my $head = q({"kind": "dense", "desc": "n=1 ci=16 co=8 bias=1", "steps": [);
    print $head, join(",", (q(["CR", 2])) x 1000000), "]}\n";
    print $head, join(",", (q(["SP", 2, 0, 1, [1], 1])) x 3000), "]}\n";
    print $head, join(",", (q(["CHW", 2, "local"])) x 3000), "]}\n";
    print $head, join(",", (q(["FU", 2, [0, 1]], ["SP", 2, 0, 8, [2], 1])) x 1500), "]}\n";
    print $head, join(",", (q(["CR", 2])) x 5000), "]}\n";
    print "[" x 100000, "]" x 100000, "\n", "{\"a\":" x 60000, "1", "}" x 60000, "\n", "\0\1\2\n", "x" x 3000000, "\n";
    print $head, "]}\n";' >"$dir/large.jsonl"
bound="ulimit -v 4000000" # kilobytes; AddressSanitizer's shadow alone needs more
{ (eval "$bound"; exec "$bin" --version); } >"$out" 2>&1 || bound=:
(eval "$bound"; exec timeout 60 "$bin" replay "$dir/large.jsonl" --dry --json >"$out" 2>"$err")
[ $? = 1 ]
ok $? "large records end with 1, in bounded memory"
json "all large records but the last are refused" '$d->{records} == 10 && $d->{applied} == 1 && $d->{failures}[-1]{index} == 8'
json "deep nesting is a reason" '$d->{failures}[5]{reason} =~ /nested deeper/'
json "too many steps are a reason to refuse a record" '$d->{failures}[0]{reason} =~ /at most 1048576/ && $d->{failures}[4]{reason} =~ /at most 4096/'

# ---- our own records ----
gives 0 "our own records apply" tests/cli/replay/own.jsonl --dry --json
json "all of our own records apply" '$d->{records} == 16 && $d->{applied} == 16 && $d->{failed} == 0 && !@{$d->{failures}} && !@{$d->{times}}'
head -2 tests/cli/replay/own.jsonl >"$dir/two.jsonl"
spec="conv2d ci=8 hi=14 wi=14 co=16 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 cib=4 cob=8 bias=1 clip=1"
gives 0 "--task names the kernel of every record" "$dir/two.jsonl" --dry --task "$spec"
prints "+relu6"
gives 0 "a dump of features works" tests/cli/replay/own.jsonl --dump features
perl -ne 'chomp; my @f = split /\t/, $_, -1; exit 1 if @f != 166; exit 1 if $. == 1 && "$f[0] $f[1] $f[2] $f[165]" ne "id row f0 f163"; $ids{$f[0]}++; END { exit(17 == keys %ids ? 0 : 1) }' "$out"
ok $? "a dump of features has a head and 166 columns for each of 16 records"
gives 0 "a dump of states works" tests/cli/replay/own.jsonl --dump state
perl -MJSON::PP -ne '$_ = decode_json($_); exit 1 if $_->{id} ne $n++ || $_->{state} !~ /^Placeholder: /; END { exit($n == 16 ? 0 : 1) }' "$out"
ok $? "a dump of states has 16 JSON lines {id, state}"

if "$bin" list targets --json 2>/dev/null | grep -q '"cpu"'; then
    gives 0 "our own records are built, verified and timed" tests/cli/replay/own.jsonl --json --threads 2 --regime quick,run_timeout_s=120
    json "all of our own records are right" '$d->{records} == 16 && $d->{applied} == 16 && $d->{right} == 16 && $d->{failed} == 0'
    json "each record is timed beside its recorded time" '@{$d->{times}} == 16 && !grep { !($_->{seconds} > 0 && $_->{recorded_s} > 0) } @{$d->{times}}'
    says "16 records of tests/cli/replay/own.jsonl: about "
    gives 1 "broken records, built, end with 1" tests/cli/replay/bad.jsonl --json --threads 1 --regime quick
    json "the records that are not broken are right" '$d->{right} == 2 && $d->{failed} == 15 && !defined $d->{times}[0]{recorded_s}'
    gives 0 "records are right in another layout too" "$dir/two.jsonl" --layout none --threads 1 --regime quick
    prints "2 records, 2 applied, 2 right, 0 failed"
    for _ in $(seq 40); do cat tests/cli/replay/own.jsonl; done >"$dir/many.jsonl"
    "$bin" replay "$dir/many.jsonl" --json --threads 1 >"$out" 2>"$err" </dev/null &
    sleep 3
    kill -INT $!
    wait $!
    [ $? = 130 ]
    ok $? "Ctrl-C ends with 130"
    json "after Ctrl-C what was done is told" '$d->{left} > 0 && $d->{records} + $d->{left} == 640 && $d->{failed} == 0'
else
    skip "records are built and verified" "no cpu target in this binary"
fi

# ---- released records ----
all() { # file, applied, records; a file's name may stand for another number of records than its lines
    gives "$([ "$2" = "$3" ] && echo 0 || echo 1)" "the released records of $1 are read" "$shared/data/$1" --dry --json --quiet
    json "the records of $1 apply: $2 of $3" "\$d->{applied} == $2 && \$d->{records} == $3"
}
if [ -d "$shared/data/kernels" ]; then
    for f in alexnet:13 densenet121:73 densenet161:93 googlenet:30 inception_v3:56 mobilenet_v2:33 resnet18:30 \
        resnet50:28 shufflenet:20 squeezenet:23 vgg11:17 vgg16:19; do
        all "kernels/${f%:*}.steps.jsonl" "${f#*:}" "${f#*:}"
    done
    all tvm_logs/cpu_conv2d.jsonl 100 100
    all tvm_logs/rtx3080_matmul.jsonl 306 306
    all tvm_logs/rtx3080_matmul_droplet.jsonl 51 51
else
    skip "the released records are read" "no released data in $shared/data"
fi

# same_states FILE: the dump has the file's ids, and TVM's states but for minima that are expressions.
same_states() {
    gives 0 "states of $1 are dumped" "$shared/data/tvm_oracle/$1" --dump state --quiet
    perl -MJSON::PP -e '
        sub mask { my $s = shift; $s =~ s/ \((.*),(\d+)\)$/" (" . ($1 eq "0" ? 0 : "*") . ",$2)"/gme; $s }
        open my $f, "<", $ARGV[0]; open my $g, "<", $ARGV[1];
        my ($same, $n) = (0, 0);
        while (my $want = <$f>) {
            my ($w, $o) = (decode_json($want), decode_json(scalar <$g> // "{}"));
            $n++;
            $same += ($o->{id} // "") eq $w->{id} && mask($o->{state}) eq mask($w->{state});
        }
        exit($n > 0 && $same == $n && eof($g) ? 0 : 1)' "$shared/data/tvm_oracle/$1" "$out"
    ok $? "states of $1 equal those of TVM by id"
}
# same_features NAME: the same ids with the same numbers of rows, zeros for the same; rows in any order.
same_features() {
    gives 0 "features of $1 are dumped" "$shared/data/tvm_oracle/$1_states.jsonl" --dump features --quiet
    gzip -dc "$shared/data/tvm_oracle/$1_features.tsv.gz" | perl -e '
        sub zero { my $t = shift; (grep { $_ != 0 } map { @$_ } @$t) ? 0 : 1 }
        sub table { my ($f, %t) = @_; <$f>; while (<$f>) { chomp; my ($id, $row, @v) = split /\t/; push @{$t{$id}}, \@v } \%t }
        open my $g, "<", $ARGV[0]; my ($theirs, $ours) = (table(\*STDIN), table($g));
        exit 1 if join(" ", sort keys %$ours) ne join(" ", sort keys %$theirs);
        my ($rows, $zeros) = (0, 0);
        for my $id (keys %$theirs) {
            my ($x, $y) = ($theirs->{$id}, $ours->{$id});
            $rows++ if @$x != @$y;
            $zeros++ if zero($x) != zero($y);
        }
        exit($zeros == 0 && $rows <= $ARGV[1] ? 0 : 1)' "$out" "$2"
    ok $? "features of $1 have TVM's ids and zeros, and other numbers of rows for at most $2"
}
if [ -d "$shared/data/tvm_oracle" ]; then
    for f in published random cuda; do same_states "${f}_states.jsonl"; done
    same_features published 0
    same_features random 0
    same_features cuda 0
else
    skip "dumps equal those of TVM" "no released data in $shared/data"
fi

finish
