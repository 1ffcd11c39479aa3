#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# pruner_tables: the experiments of the Pruner paper's tables run on target fake, smoke tier, one kernel: every arm of the
# tables has its row, models that do not learn while searching are asked and never trained, and the best k of a recording
# are what the recording says.
set -u
. tests/lib/tap.bash
root=$(pwd)
cd "$dir" || exit 1
cp -R "$root/experiments" "$root/plots" .
rg() { "$bin" "$@" >out 2>err </dev/null; }
models=$("$bin" list models --json 2>/dev/null)
case $models in *'"pacm"'*) ;; *) skip_all "built without the models that are networks" ;; esac

ran() { # NAME ARMS SETS...
    local name=$1 arms=$2
    shift 2
    sets=$*
    rg run "$name" --tier smoke --set target=fake --set kernels=1 "$@" --results "r/$name" --quiet &&
        rg report "$name" --tier smoke --set target=fake --set kernels=1 "$@" --results "r/$name" --json
    ok $? "$name: the smoke tier runs on fake $(head -1 err)"
    json "$name: every arm is set against the first" "\$d->{complete} && $arms == @{\$d->{tables}{means}}"
    json "$name: every arm's time is split, by network and over networks" "2 * ($arms + 1) == @{\$d->{tables}{time_split}}"
}
few() { for arm in $2; do printf -- '--set %s.model_settings.epochs=1 ' "$arm"; done; for arm in $1; do printf -- '--set %s.trials=10 ' "$arm"; done; }
out=out err=err
ran ablation 10 $(few "ansor moa-pruner no-draft no-statements no-dataflow no-moa finetune no-compute no-memory published drafts" \
    "moa-pruner no-draft no-statements no-dataflow finetune")
json "ablation: a model that sees the drafted programs only scores the fewest" 'my %n = map { $_->{arm} => $_ } @{$d->{tables}{evaluations}};
    my ($least) = sort { $n{$a}{model_asked} <=> $n{$b}{model_asked} } keys %n; $least =~ /^(drafts|published)$/ && $n{"no-draft"}{draft_asked} == 0'
if command -v gnuplot >/dev/null; then
    rg report ablation --tier smoke --set target=fake --set kernels=1 $sets --results r/ablation --write
    grep -q stroke-dasharray r/ablation/ablation.svg
    ok $? "ablation: more arms than colours are told apart by dashes"
else
    skip "ablation: more arms than colours are told apart by dashes" "gnuplot is not installed"
fi
ran offline 3 $(few "mlp tlp pruner no-draft" "mlp tlp pruner no-draft")
ran long 2 $(few "ansor pruner moa-pruner" moa-pruner)
ran operators 1 --set ansor.trials_per_kernel=10 --set pruner.trials_per_kernel=10

# bestk, of a recording of the fake device: k programs by chance keep no more than all, and all of them keep the best.
sed -e 's/networks: \[micro\]/networks: [squeezenet]/; s/machine: a100-40/machine: host/; s/a100-40.jsonl/own.jsonl/; s/^layout: 0/layout: 2/' \
    -e 's/k: \[50, 128, 256, 512\]/k: [4, 30]/' experiments/bestk.yaml >experiments/own.yaml
sed -i 's/^experiment: bestk/experiment: own/; s/^layout: 2 .*/&\nkernels: 2/' experiments/own.yaml
mkdir -p results/recorded
rg collect squeezenet --target fake --count 30 --output results/recorded/own.jsonl
ok $? "a recording is made $(tail -1 err)"
rg run own --tier smoke --results r/own --quiet && rg report own --tier smoke --results r/own --json
ok $? "bestk: the smoke tier runs on a recording $(head -1 err)"
json "bestk: all programs of a kernel keep the best, by whatever order" '5 == grep { $_->{k} == 30 && abs($_->{kernel_speedup}{ratio} - 1) < 1e-12 } @{$d->{tables}{means}}'
json "bestk: four keep no more, and not all of them so much" 'my @four = map { $_->{kernel_speedup}{ratio} } grep { $_->{k} == 4 } @{$d->{tables}{means}};
    5 == @four && !(grep { $_ > 1 + 1e-12 } @four) && grep { $_ < 0.999 } @four'
finish
