#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# import: a network from an ONNX file, on the command line. The kernels are tested in tests/unit/import.
set -u
. tests/lib/tap.bash
. tests/lib/onnx.bash
cp -R experiments plots "$dir" && cd "$dir" || exit 1
onnx_tiny >'my net.onnx'

"$bin" import 'my net.onnx' >out 2>err
ok $? "a model is imported"
grep -q '^experiments/networks/my_net.yaml: 1 kernels, 1 calls,' out && grep -Eq '^Exp +1 +5\.88 %' out
ok $? "the file is named, with what is left out and its share: 8 of 136 FLOPs"
grep -Fq -e '- {count: 1, op: dense, n: 2, ci: 8, co: 4, macs: 64, params: 32}' experiments/networks/my_net.yaml
ok $? "the network's file has its kernel"
"$bin" import 'my net.onnx' >out 2>err
ok $? "what was imported may be imported again"
"$bin" import 'my net.onnx' --name resnet18 >out 2>err
[ $? = 2 ] && grep -q "resnet18.yaml' is there and was not imported" err
ok $? "a file that was written by hand is kept"
cat >experiments/mine.yaml <<END
experiment: mine
title: an imported network
report: race
machine: host
networks: [my_net]
seeds: 1
arms:
  - {name: random, searcher: random, scheduler: round_robin, trials_per_kernel: 8, batch: 8}
  - {name: ansor, searcher: ansor, model: random, scheduler: round_robin, trials_per_kernel: 8, batch: 8}
END
"$bin" run mine --set target=fake >out 2>err
ok $? "an imported network is tuned"
"$bin" import experiments/mine.yaml >out 2>err
[ $? = 2 ] && grep -q '^raingauge: experiments/mine.yaml: is no ONNX model' err
ok $? "another file is refused"
finish
