# SPDX-License-Identifier: Apache-2.0
"""exported: TVM reads what `raingauge export` writes, applies, builds and runs it.

Started by exported.sh. raingauge searches five kernels and exports its records. TVM's own graph of each kernel must have
the workload key of the exported lines. TVM then loads the file as it is, rebuilds each state, builds it, and compares
its output with that of the unscheduled program; both are tests. What TVM tells LLVM of aliases is wrong for some programs
(targets/cpu/README.md, "codegen=tvm"): these must be right where LLVM does not optimise. Times are only compared: TVM's
over the recorded ones.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import landscape
import tvmpeer

NAMES = ("matmul", "conv3x3", "depthwise", "softmax", "dense")


def options():
    p = argparse.ArgumentParser(prog="exported.sh", description=__doc__.splitlines()[0])
    p.add_argument("--trials", type=int, default=40, help="records of each kernel")
    p.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="both sides run on this one")
    o = p.parse_args()
    o.raingauge = os.environ.get("RAINGAUGE", "build/release/raingauge")
    o.kernels = [landscape.KERNELS[name] for name in NAMES]
    o.mcpu = landscape.common_cpu(o)
    o.round, o.number, o.repeat, o.min_repeat_ms = o.trials, 3, 3, 0
    o.population, o.seed, o.repeats = 128, 1, 5
    return o


def ours(o, folder, i):
    """A search of kernel i. -> the path of its exported records."""
    results, path = "%s/results%d" % (folder, i), "%s/%s.json" % (folder, NAMES[i])
    subprocess.run([o.raingauge, "run", "peer", "--quiet", "--experiments", folder, "--results", results, "--set",
                    "networks=kernel%d" % i, "--set", "layout=0"], stdout=subprocess.DEVNULL, check=True)
    with open(path, "w") as f:
        subprocess.run([o.raingauge, "export", results, "--quiet"], stdout=f, check=True)
    return path


def theirs(tap, name, path, side):
    """-> (recorded, TVM's) seconds of each program that is right."""
    key = side.task.compute_dag.workload_key()
    with open(path) as f:
        keys = {json.loads(line)["i"][0][0] for line in f}
    tap.say(keys == {key}, "%s: the workload key is TVM's, %s" % (name, key))
    side.auto.workload_registry.register_workload_tensors(key, side.task.compute_dag.tensors)
    records, pairs, right, plain = list(side.auto.load_records(path)), [], 0, 0
    for i, result in records:
        state = side.auto.measure.recover_measure_input(i, rebuild_state=True).state
        module = side.build(state)
        if module is not None and side.is_right(module):
            right += 1
        elif module is not None:
            plain += side.is_right(side.build(state, " -opt-level=0"))
        if module is not None and result.error_no == 0:
            pairs.append((sum(c.value for c in result.costs) / len(result.costs), side.seconds(module)))
    tap.say(right + plain == len(records) > 0, "%s: TVM applies, builds and runs %d of %d records, right, %d only "
            "without LLVM's optimisations" % (name, right + plain, len(records), plain))
    return pairs


def main():
    o = options()
    os.sched_setaffinity(0, [o.cpu])
    tap, rows = tvmpeer.Tap(), []
    with tempfile.TemporaryDirectory(prefix="raingauge-exported.") as folder:
        tvmpeer.experiment(o, folder)
        paths = [ours(o, folder, i) for i in range(len(NAMES))]
        tvmpeer.open_tvm(o)
        for name, path in zip(NAMES, paths):
            pairs = theirs(tap, name, path, landscape.Tvm(o, name))
            rows += [(name, len(pairs), landscape.spearman(*zip(*pairs)), tvmpeer.geomean([b / a for a, b in pairs]))]
    print("# kernel\trecords\tspearman\ttvm_over_recorded")
    print("\n".join("# %s\t%d\t%.3f\t%.3f" % row for row in rows))
    print("1..%d" % tap.n)
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
