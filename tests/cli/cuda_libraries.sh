#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cuda_libraries: target cuda-libraries calls cuBLAS and cuDNN with the right sizes, layouts and order. Both are
# doubles (tests/doubles) that compute on the host, in the libraries' own layouts, and so is the driver.
set -u
. tests/lib/tap.bash
[ -e "$doubles/math/libcudnn.so.9" ] || skip_all "the doubles of NVIDIA's libraries are not built"
cc=$(command -v cc || command -v gcc) || skip_all "no C compiler for made-up libraries"
cd "$dir" || exit 1
mkdir -p libs experiments/networks experiments/machines
cp "$doubles/libcuda.so.1" "$doubles/math/libcublas.so.13" "$doubles/math/libcudnn.so.9" libs/
cat >experiments/machines/gpu.yaml <<'END'
name: gpu
target: cuda-libraries
END
cat >experiments/networks/made.yaml <<'END'
name: made
kernels: 5
calls: 5
list:
  - {count: 1, op: matmul, n: 16, m: 24, k: 40}
  - {count: 1, op: conv2d, ci: 8, hi: 9, wi: 11, co: 12, kh: 3, kw: 3, sh: 2, sw: 2, ph: 1, pw: 1, layout: nchw}
  - {count: 1, op: conv2d, n: 2, ci: 6, hi: 9, wi: 11, co: 10, kh: 3, kw: 1, ph: 1, pw: 0, layout: nhwc}
  - {count: 1, op: depthwise_conv2d, ci: 8, hi: 12, wi: 10, kh: 3, kw: 3, ph: 1, pw: 1, layout: nchw}
  - {count: 1, op: conv2d, ci: 8, hi: 8, wi: 8, co: 8, kh: 3, kw: 3, ph: 1, pw: 1, layout: nchw, relu: 1}
END
cat >experiments/made.yaml <<'END'
experiment: made
title: made-up libraries
report: micro
networks: [made]
machine: gpu
seeds: 1
regime: {number: 1, repeat: 2, min_repeat_ms: 0}
arms:
  - {name: library, searcher: random, scheduler: round_robin, batch: 1, trials_per_kernel: 1}
END
rg() { LD_LIBRARY_PATH=$dir/libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$bin" "$@" --experiments experiments >"$out" 2>"$err"; }
gives 0 "doctor works with the libraries" doctor
prints "  cuda-libraries works"
gives 0 "the libraries' programs are measured" run made --results r --quiet
command -v sqlite3 >/dev/null || { skip "the libraries give the right results" "no sqlite3 to ask the records"; finish; }
outcomes() { sqlite3 -readonly "$1/records.db" "SELECT outcome || ' ' || message FROM trial ORDER BY task"; }
outcomes r >"$out"
[ "$(grep -c '^ok *$' "$out")" = 4 ]
ok $? "matmul and convolutions in every layout give the right results"
[ "$(tail -n 1 "$out")" = "invalid target cuda-libraries runs convolutions without an epilogue only" ]
ok $? "what the libraries cannot do is said"
sqlite3 -readonly r/records.db "SELECT environment FROM campaign" >"$out"
prints '"gpu":"Double of a GPU'
CUDA_DOUBLE=init=100 gives 2 "a GPU that does not start" run made --results n --quiet
says "the GPU cannot be used: the CUDA driver does not start: the driver finds no device"
echo "int cudnnOther;" >other.c && "$cc" -shared -fPIC -o libs/libcudnn.so.9 other.c
gives 0 "a cuDNN without the functions is no hindrance" run made --results s --quiet
outcomes s >"$out"
[ "$(grep -c '^ok *$' "$out")" = 1 ] && [ "$(grep -c 'cuDNN has no cudnnCreate' "$out")" = 3 ]
ok $? "cuBLAS works without cuDNN, and the convolutions say why they do not"
rm libs/libcuda.so.1 && echo "no library" >libs/libcuda.so.1
gives 7 "without a driver" run made --results t --quiet
says "no CUDA driver"
finish
