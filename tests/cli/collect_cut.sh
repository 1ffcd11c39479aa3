#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# collect_cut: a recording of target fake that was cut within its last two lines, or behind a line, is gone on with to
# the same file, to the byte. A flipped bit is refused with its line; in a recording that is not whole,
# which has no digest yet, a bit that makes another time or another program of a row cannot be told.
set -u
. tests/lib/tap.bash
rg() { "$bin" "$@" >"$out" 2>"$err"; }
damaged() { # HOW NAME: the recording that $collect makes
    (cd "$dir" && perl "$root/tests/cli/collect_cut/damage.pl" "$1" "$bin" "${collect[@]}") >"$out" 2>"$err"
    local status=$?
    ok $status "$2: $(cat "$out")"
}

collect=(collect "dense n=1 ci=8 co=8" --target "fake,noise=0.1" --count 66)
gives 0 "a recording that is left alone" "${collect[@]}" --output "$dir/whole.rec"
damaged bytes "cut within its last two lines, it goes on to the same file"
damaged flip "a flipped bit in a whole recording is refused with its line"
damaged part "a flipped bit in a part of a recording is refused, or taken for what it says"

# A searcher that is told what it found, and a kernel that has fewer programs than are asked for.
rm "$dir/whole.rec"
collect=(collect "dense n=1 ci=1 co=2" "dense n=1 ci=9 co=1" --target "fake,noise=0.1"
    --searcher ansor,evolutionary_search_population=64,evolutionary_search_num_iters=1 --model random --count 140)
gives 0 "a recording by a searcher" "${collect[@]}" --output "$dir/whole.rec"
damaged lines "cut behind its lines, a searcher's recording goes on to the same file"
finish
