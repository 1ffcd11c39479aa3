#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# moved_recording: searches of a recording go on and are reported when the recording was moved; when it was changed, or
# cannot be read, they are refused with the reason.
set -u
. tests/lib/tap.bash
rg() { "$bin" "$@" >"$out" 2>"$err" </dev/null; }

rg collect alexnet --target fake --count 40 --output "$dir/a.rec"
rg collect alexnet --target fake,noise=0.1 --count 40 --output "$dir/other.rec"
plan() { # RECORDING FILE
    cat >"$dir/$2/moved.yaml" <<END
experiment: moved
title: choosing from a recording
report: race
machine: host
target: replay
target_settings: {recording: $dir/$1}
networks: [alexnet]
kernels: 2
regime: tvmc
arms:
  - {name: pool, searcher: pool, settings: {recording: $dir/$1}, model: random, batch: 8, trials_per_kernel: 16}
  - {name: eager, searcher: pool, settings: {recording: $dir/$1, eps: 0}, model: random, batch: 8, trials_per_kernel: 16}
END
}
mkdir "$dir/before" "$dir/after" "$dir/changed"
plan a.rec before
plan b.rec after
plan other.rec changed
r="--results $dir/r --quiet"
gives 0 "a recording is searched" run "$dir/before/moved.yaml" $r
rg plan "$dir/before/moved.yaml" --json
hash=$(perl -ne 'print $1 if /"hash":"(\w+)"/' "$out")

cp "$dir/a.rec" "$dir/b.rec"
gives 0 "the records are those of the recording at another place" report "$dir/after/moved.yaml" $r --json
json "a moved recording gives the same hash" "\$d->{hash} eq '$hash'"
gives 0 "a campaign goes on with the moved recording" run "$dir/after/moved.yaml" $r --resume
rg plan "$dir/after/moved.yaml" $r --json
json "nothing of it is left to be done" '$d->{done} == $d->{trials}'

gives 2 "records of another recording are not reported" report "$dir/changed/moved.yaml" $r
says "of another version of 'moved'"
cp "$dir/other.rec" "$dir/a.rec"
gives 2 "a recording that was changed in its place is another experiment" report "$dir/before/moved.yaml" $r
gives 2 "a campaign does not go on with it" run "$dir/before/moved.yaml" $r --resume
says "made with other files"
rm "$dir/a.rec"
gives 2 "without the recording nobody knows" report "$dir/before/moved.yaml" $r
says "a.rec' cannot be read"
finish
