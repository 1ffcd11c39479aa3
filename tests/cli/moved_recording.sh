#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# moved_recording: searches of a recording go on and are reported when the recording was moved; when it was changed they
# are refused with the reason. Of one that is gone the records say what was in it.
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
cp "$dir/a.rec" "$dir/kept.rec"
cp "$dir/other.rec" "$dir/a.rec"
gives 2 "a recording that was changed in its place is another experiment" report "$dir/before/moved.yaml" $r
gives 2 "a campaign does not go on with it" run "$dir/before/moved.yaml" $r --resume
says "made with other files"
rm "$dir/a.rec"
gives 0 "without the recording the records say what was in it" report "$dir/before/moved.yaml" $r --json
json "without the recording the hash is the same" "\$d->{hash} eq '$hash'"
gives 2 "another experiment without it is refused" report "$dir/before/moved.yaml" $r --set kernels=1
says "a.rec' cannot be read"
mkdir "$dir/file"
rg report "$dir/before/moved.yaml" $r --json
cp "$out" "$dir/file/report.json"
gives 0 "a report's file says so, too" report "$dir/before/moved.yaml" --results "$dir/file" --json
json "with the same hash" "\$d->{hash} eq '$hash'"
cp "$dir/kept.rec" "$dir/a.rec"

finish
