#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cuda: what doctor tells of target cuda without NVIDIA's libraries and with doubles of them (tests/doubles), code for a
# GPU that is not here, recorded programs that run on the double, and a campaign there that loses its device, stops with
# the reason, and is resumed.
set -u
. tests/lib/tap.bash
[ -e "$doubles/libcuda.so.1" ] || skip_all "the doubles of NVIDIA's libraries are not built"
rg() { "$bin" "$@" >"$out" 2>"$err" </dev/null; }
double() { LD_LIBRARY_PATH=$doubles "$bin" "$@" >"$out" 2>"$err" </dev/null; }
part() { sed -n '/^parts of target cuda/,/^counters/p' "$out" | grep "^  $1 "; }

if ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
    skip "doctor says why the driver is absent" "there is a driver here"
else
    rg doctor
    part driver | grep -q 'absent: no CUDA driver: libcuda.so.1 cannot be opened'
    ok $? "doctor says why the driver is absent"
    grep -q '^  cuda  *absent: no CUDA driver' "$out"
    ok $? "doctor says why target cuda is absent"
    part nvml | grep -q 'absent: no NVML'
    ok $? "doctor says why clocks are not told"
fi
CUDA_DOUBLE=sm=80,version=13000 double doctor
part driver | grep -q 'works: CUDA 13.0'
ok $? "doctor tells the version of CUDA that the driver speaks"
part gpu | grep -q 'works: Double of a GPU 0, sm_80, 8.0 GiB'
ok $? "doctor tells the GPU"
part nvml | grep -q '1410 of 1755 MHz, held back by: power limit'
ok $? "doctor tells clocks and what holds them back"
CUDA_DOUBLE=version=10020 double doctor
part driver | grep -q 'absent: the driver speaks CUDA 10.2; 11.0 is needed'
ok $? "doctor says that a driver is too old"
CUDA_DOUBLE=init=803 double doctor
part gpu | grep -q 'absent: the CUDA driver does not start: .* of two versions'
ok $? "doctor says that a driver does not start"

code=$doubles/nvrtc/libnvrtc.so.13
rg show "matmul n=32 m=32 k=16" --target "cuda,arch=sm_86,nvrtc=$code" --dump source
grep -q '__global__ void __launch_bounds__(1) kernel_0(' "$out"
ok $? "show prints CUDA C for a GPU that is not here"
rg show "matmul n=32 m=32 k=16" --target "cuda,arch=86,nvrtc=$code" --dump source
says "arch '86' must be like sm_80"

# ---- recorded programs ----
for threads in 8 16 32; do
    echo '{"i": [["[\"made\"]", "cuda", [-1, 16, 64, 49152, 2147483647, 1024, 8, 32], "", 0, []], [[], [["FU", 1, [0, 1]],' \
        "[\"SP\", 1, 0, 1024, [$threads], 1], [\"AN\", 1, 0, 5], [\"AN\", 1, 1, 6]]]], \"r\": [[0.00$threads], 0, 1, 1]}"
done >"$dir/gpu.jsonl"
sed 's/, \["AN", 1, 0, 5\], \["AN", 1, 1, 6\]//' "$dir/gpu.jsonl" | head -n 1 >"$dir/cpu.jsonl"
relu() { double replay "$1" --task "map n=32 c=32 by=relu" --target "$2" --regime quick "${@:3}"; }
relu "$dir/gpu.jsonl" "cuda,nvrtc=$code" --json
ok $? "recorded programs of a GPU are timed on it"
json "replay tells how alike recorded times rank them" '$d->{right} == 3 && @{$d->{likeness}} == 1 && $d->{likeness}[0]{pairs} == 3
    && abs($d->{likeness}[0]{spearman}) <= 1'
relu "$dir/gpu.jsonl" "cuda,nvrtc=$code,max_threads=16"
grep -q '^3 records, 3 applied, 2 right, 1 failed' "$out"
ok $? "a recorded program that the GPU cannot hold is told"
relu "$dir/cpu.jsonl" "cuda,nvrtc=$code"
prints "the schedule is for a CPU, target 'cuda' is a GPU"

cat >"$dir/small.yaml" <<EOF
experiment: small
title: a search on the double of a GPU
paper: droplet
report: table3
machine: host
target: cuda
target_settings: {nvrtc: $code, max_threads: 32}
networks: [micro]
kernels: 1
seeds: 1
regime: quick
duels: {max_launches: 5}
arms:
  - {name: random, searcher: random, batch: 4, trials_per_kernel: 8}
  - {name: dprandom, explore: random, exploit: droplet, k: [4], trials_per_kernel: 4}
EOF
export CUDA_DOUBLE_FAULT=$dir/fault
touch "$dir/fault-lost"
double run "$dir/small.yaml" --results "$dir/r" --quiet
[ $? != 0 ]
ok $? "a campaign does not begin on a device that is lost"
says "the CUDA driver does not start: the driver finds no device (CUDA_ERROR_NO_DEVICE)"
rm "$dir/fault-lost"
command -v sqlite3 >/dev/null || { skip "a campaign stops when its device is lost" "no sqlite3 to watch the records"; finish; }
trials() { sqlite3 -readonly "$dir/r/records.db" "SELECT count(*) FROM trial WHERE $1" 2>/dev/null || echo 0; }
CUDA_DOUBLE=slow=20000 double run "$dir/small.yaml" --results "$dir/r" --quiet &
run=$!
for _ in $(seq 600); do
    [ "$(trials 1)" -ge 3 ] && break
    kill -0 $run 2>/dev/null || break
    sleep 0.2
done
touch "$dir/fault-lost"
wait $run
[ $? != 0 ]
ok $? "a campaign stops when its device is lost"
says "the driver finds no device"
before=$(trials "outcome = 'ok'")
[ "$before" -ge 2 ]
ok $? "what was measured before the device was lost is kept"
rm "$dir/fault-lost"
double run "$dir/small.yaml" --results "$dir/r" --resume --quiet
ok $? "the campaign goes on when the device is back"
[ "$(trials "outcome = 'ok'")" -gt "$before" ] && [ "$(trials "outcome NOT IN ('ok', 'crashed')")" = 0 ]
ok $? "the campaign on the double of a GPU ends with programs that are right"
[ "$(sqlite3 -readonly "$dir/r/records.db" "SELECT json_extract(environment, '$.target.gpu') FROM campaign")" = "Double of a GPU 0" ]
ok $? "records hold the name of the GPU"
[ "$(sqlite3 -readonly "$dir/r/records.db" "SELECT count(*) > 0 FROM counter WHERE name = 'gpu_clock_mhz' AND value = 1410")" = 1 ]
ok $? "records hold the clocks of counted runs"
finish
