#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# recorded_tables: the tables in results/recorded/README.md are made of the committed files beside it, and the packed
# recordings there are whole and give the rows of their tables that need no training.
set -u
. tests/lib/tap.bash
rg() { "$bin" "$@" >"$out" 2>"$err"; }
.ci/committed "$dir" && ln -s "$root/experiments" "$dir" && cd "$dir/results/recorded" || exit 1

# Lines of a Markdown table from the rows of all kernels. same NAME FILE...: from the head that names it to a blank line.
of_models() { perl -F'\t' -ane 'BEGIN { %split = (kernels => "the same, other kernels", recordings => "the other network") }
    chomp @F; next unless $F[4] eq "all" && $F[5] ne "chance";
    my $set = $ARGV =~ /^(resnet18|mobilenet_v2)/ ? "$1 | $split{$F[1]}" : "$F[0] | $F[1]";
    printf "| %s | %s | %.2f | %.2f | %.2f |\n", $set, @F[5, 9, 12, 15]' "$@"; }
of_ways() { perl -F'\t' -ane 'chomp @F; next unless $F[4] eq "all" && $F[5] ne "chance";
    push @order, "$F[0] | $F[5]" unless $v{"$F[0] | $F[5]"}; push @{$v{"$F[0] | $F[5]"}}, sprintf "%.2f (%.2f)", @F[15, 9];
    END { print "| $_ | ", join(" | ", @{$v{$_}}), " |\n" for @order }' "$@"; }
table() { sed -n "/^| $1/,/^\$/p" README.md | sed '1,2d; /^$/d'; }
diff <(table "machine | held out") <(of_models programs.tsv kernels.tsv) >"$out"
ok $? "the recorded GPUs are as their tables say"
diff <(table "ranked | learned from") <(of_models resnet18.tsv mobilenet_v2.tsv) >"$out"
ok $? "the networks of this machine are as their tables say"
diff <(table "new device | way") <(of_ways momentum.tsv) >"$out"
ok $? "the ways to adapt are as their table says"
diff <(table "arm | candidates") <(sed '1d; s/\t/ | /g; s/^/| /; s/$/ |/' searches.tsv) >"$out"
ok $? "what searches asked is as its table says"
diff <(table "arm | 48") <(sed '1d; s/\t/ | /g; s/^/| /; s/$/ |/' pool.tsv) >"$out"
ok $? "how far models come in a search is as its table says"
[ "$(of_models programs.tsv | wc -l)" -ge 12 ] && [ "$(of_ways momentum.tsv | wc -l)" = 10 ]
ok $? "the tables have a row for each model and way"

cd "$dir" || exit 1
if [ ! -e results/recorded/a100-40.jsonl ]; then
    gives 2 "a search of the A100 needs its recording" plan results/recorded/searches.yaml
    says "results/recorded/a100-40.jsonl"
fi
gpu=${RAINGAUGE_SHARED:-$root/../shared}/data/tvm_logs/gpu
if [ -d "$gpu" ]; then
    rg collect --from-records "$gpu" --machine a100-40 --output "$dir/a100.rec"
    least=$(perl -MJSON::PP -ne 'my $r = decode_json($_); next if ref $r ne "ARRAY" || $r->[1] ne "ok"; my ($k, $s) = ($r->[0], $r->[2][0]);
        $least{$k} = $s if !defined $least{$k} || $s < $least{$k}; END { $sum += $_ for values %least; printf "%.3f", 1e3 * $sum }' "$dir/a100.rec")
    grep -q "^The least recorded times add up to $least ms" results/recorded/README.md
    ok $? "the least recorded times add up to $least ms, as the page says"
else
    skip "the least recorded times add up to what the page says" "no data/tvm_logs/gpu below RAINGAUGE_SHARED"
fi
for f in resnet18 mobilenet_v2; do
    gives 0 "the recording of $f is whole and can be ranked" ranking "results/recorded/$f.jsonl.gz" --model random --seeds 1 \
        --split kernels --format tsv
    diff <(awk -F'\t' '$6 == "random"' "$out" | cut -f5,7,8,10,13,16) \
        <(awk -F'\t' '$6 == "random" && $2 == "kernels"' "results/recorded/$f.tsv" | cut -f5,7,8,10,13,16) >"$err"
    ok $? "model random ranks $f as its table says"
done
finish
