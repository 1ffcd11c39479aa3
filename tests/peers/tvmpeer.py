# SPDX-License-Identifier: Apache-2.0
"""tvmpeer: TVM's auto_scheduler and raingauge on the same kernels, trials and timing regime, side by side.

Started by tvm.sh, which finds a Python with a TVM release that ships the auto_scheduler; `--only raingauge` needs none.
Both sides tune each kernel alone (one task, 64 programs a round, weights re-laid-out), under number, repeat and
min_repeat_ms as given, on the same threads and for the same CPU. A best is the smallest mean over the repeats. Seconds
are those of the search itself (raingauge's with its verification, TVM has none). TVM's calls are those of v0.8 to 0.19.
Equal sketch counts and equal printed states are tests, times are only printed: TAP, the table as its comments.
Not named tvm.py: Python would then import this file as tvm.
"""
import argparse
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

# One product and two layers of a residual network. Any matmul and any conv2d of layout nhwc can be given as task specs
# (harness/program/ops/task.h).
KERNELS = [
    "matmul n=512 m=512 k=512",
    "conv2d ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1",
    "conv2d ci=256 hi=14 wi=14 co=256 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1",
]
CONV_DEFAULTS = {"n": 1, "sh": 1, "sw": 1, "ph": 0, "pw": 0, "dh": 1, "dw": 1, "bias": 0, "relu": 0}
ROUND = 64  # both sides' default number of programs in a round


def fail(message):
    print("tvmpeer: " + message, file=sys.stderr)
    sys.exit(2)


def spec_of(text):
    """'matmul n=8 m=8 k=8' -> ('matmul', {'n': '8', ...})"""
    words = text.split()
    return words[0], dict(w.split("=", 1) for w in words[1:])


def options():
    p = argparse.ArgumentParser(prog="tvm.sh", description=__doc__.splitlines()[0])
    p.add_argument("--kernel", action="append", metavar="SPEC", help="task spec, may be repeated (default: three)")
    p.add_argument("--trials", type=int, default=64)
    p.add_argument("--seeds", type=int, default=1, help="how many; seeds count from 1, medians are printed")
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--number", type=int, default=10)
    p.add_argument("--repeat", type=int, default=3)
    p.add_argument("--min-repeat-ms", type=int, default=0)
    p.add_argument("--mcpu", help="of both sides (default: raingauge native, TVM the CPU that raingauge's LLVM names)")
    p.add_argument("--states", type=int, default=20, help="random TVM states to compare per kernel")
    p.add_argument("--only", choices=["both", "raingauge", "tvm"], default="both")
    o = p.parse_args()
    o.kernels = o.kernel or KERNELS
    o.raingauge = os.environ.get("RAINGAUGE", "build/release/raingauge")
    o.sketches = os.environ.get("RAINGAUGE_SKETCHES", "build/release/peers/sketches")
    if min(o.trials, o.seeds, o.threads, o.number, o.repeat) < 1 or min(o.min_repeat_ms, o.states) < 0:
        fail("--trials, --seeds, --threads, --number and --repeat must be positive")
    return o


# ---- raingauge, through its command line and its records (harness/record/README.md) ----


def write(path, *lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


def experiment(o, folder):
    """An experiment folder in which each kernel is a network of its own: tasks are tuned alone, as TVM's are."""
    for i, text in enumerate(o.kernels):
        op, desc = spec_of(text)
        keys = "".join(", %s: %s" % kv for kv in desc.items())
        write("%s/networks/kernel%d.yaml" % (folder, i), "name: kernel%d" % i, "kernels: 1", "calls: 1",
              "list: [{count: 1, op: %s%s}]" % (op, keys))
    write(folder + "/machines/here.yaml", "name: here", "title: this machine", "target: cpu",
          "settings: {mcpu: %s}" % (o.mcpu or "native"), "threads: %d" % o.threads)
    write(folder + "/peer.yaml", "experiment: peer", "machine: here",
          "networks: [%s]" % ", ".join("kernel%d" % i for i in range(len(o.kernels))),
          "seeds: %d" % o.seeds, "layout: 2",
          "regime: {preset: tvmc, number: %d, repeat: %d, min_repeat_ms: %d}" % (o.number, o.repeat, o.min_repeat_ms),
          "arms:",
          "  - {name: ansor, searcher: ansor, model: xgb, scheduler: gradient, batch: %d, trials_per_kernel: %d}"
          % (ROUND, o.trials))


def raingauge(o, folder):
    """Runs the campaign; {(kernel, seed): {flops, best_s, seconds, trials, failed}}."""
    experiment(o, folder)
    command = [o.raingauge, "run", "peer", "--quiet", "--experiments", folder, "--results", folder + "/results"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    if done.returncode:
        fail("raingauge run: exit status %d" % done.returncode)
    db = sqlite3.connect("file:%s/results/records.db?mode=ro" % folder, uri=True)
    rows = db.execute(
        "SELECT c.network, c.seed, t.flops, c.elapsed_s, count(*), sum(r.outcome <> 'ok'), min(r.mean_s)"
        " FROM cell c JOIN task t USING (cell) JOIN trial r USING (cell, task) GROUP BY c.cell")
    names = ("flops", "seconds", "trials", "failed", "best_s")
    return {(int(network[len("kernel"):]), seed): dict(zip(names, rest)) for network, seed, *rest in rows}


# ---- TVM ----
# The workloads import inside: TVM sends them by value to its build workers, which do not have this file.


def peer_matmul(n, m, k):
    from tvm import te

    a, b = te.placeholder((n, k), name="A"), te.placeholder((k, m), name="B")
    r = te.reduce_axis((0, k), name="k")
    c = te.compute((n, m), lambda i, j: te.sum(a[i, r] * b[r, j], axis=r), name="C",
                   attrs={"layout_free_placeholders": [b]})
    return [a, b, c]


def peer_conv2d(n, ci, hi, wi, co, kh, kw, sh, sw, ph, pw, dh, dw, bias, relu):
    from tvm import te, topi

    x, w = te.placeholder((n, hi, wi, ci), name="p0"), te.placeholder((kh, kw, ci, co), name="p1")
    out, inputs = topi.nn.conv2d_nhwc(x, w, (sh, sw), (ph, pw), (dh, dw), "float32"), [x, w]
    if bias:
        inputs.append(te.placeholder((1, 1, 1, co), name="p2"))
        out = topi.add(out, inputs[2])
    return inputs + [topi.nn.relu(out) if relu else out]


def workload(text):
    """A task spec as a workload function of TVM and its arguments."""
    op, desc = spec_of(text)
    if op == "matmul" and set(desc) == {"n", "m", "k"}:
        return peer_matmul, [int(desc[key]) for key in ("n", "m", "k")]
    if op == "conv2d" and desc.pop("layout", "") == "nhwc":
        keys = ("n", "ci", "hi", "wi", "co", "kh", "kw", "sh", "sw", "ph", "pw", "dh", "dw", "bias", "relu")
        full = {**CONV_DEFAULTS, **desc}
        if set(full) == set(keys) and all(re.fullmatch(r"\d+", str(v)) for v in full.values()):
            return peer_conv2d, [int(full[key]) for key in keys]
    fail("'%s': only matmul (n m k) and conv2d layout=nhwc with bias and relu are written in TVM's terms here" % text)


def cpu_name(o):
    if o.mcpu:
        return o.mcpu
    done = subprocess.run([o.raingauge, "doctor", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)["cpu_target"]["cpu"]


def open_tvm(o):
    """Imports TVM with its threads set; checks that its LLVM knows the CPU, where that release can be asked."""
    os.environ["TVM_NUM_THREADS"] = str(o.threads)
    import tvm
    from tvm import auto_scheduler  # noqa: F401  what this is about; not in 0.20 and later

    target = tvm.target.Target("llvm -mcpu=" + cpu_name(o))
    known = getattr(tvm.target.codegen, "llvm_get_cpu_archlist", None)
    if known and str(target.attrs["mcpu"]) not in [str(name) for name in known(target)]:
        fail("TVM's LLVM does not know '%s': give an older CPU by --mcpu, for both sides" % target.attrs["mcpu"])
    return tvm, target


def task_of(o, auto, target, text):
    func, args = workload(text)
    auto.register_workload(func.__name__, f=func, override=True)
    return auto.SearchTask(func=func, args=args, target=target,
                           hardware_params=auto.HardwareParams(num_cores=o.threads, target=target),
                           layout_rewrite_option=auto.LayoutRewriteOption.REWRITE_FOR_PRE_TRANSFORMED)


def read_log(path):
    """TVM's v0.6 lines: costs and error of each trial."""
    with open(path) as f:
        return [json.loads(line)["r"] for line in f if line[0] not in "# "]


def tune_tvm(o, tvm, target, folder):
    auto, out = tvm.auto_scheduler, {}
    for i, text in enumerate(o.kernels):
        for seed in range(1, o.seeds + 1):
            task, log = task_of(o, auto, target, text), "%s/tvm%d.%d.json" % (folder, i, seed)
            tuning = auto.TuningOptions(
                num_measure_trials=o.trials, num_measures_per_round=ROUND, verbose=0,
                builder=auto.LocalBuilder(timeout=15, n_parallel=o.threads),
                runner=auto.LocalRunner(timeout=100, number=o.number, repeat=o.repeat, min_repeat_ms=o.min_repeat_ms),
                measure_callbacks=[auto.RecordToFile(log)])
            begin = time.perf_counter()
            task.tune(tuning, auto.SketchPolicy(task, auto.XGBModel(seed=seed), seed=seed, verbose=0))
            seconds, log = time.perf_counter() - begin, read_log(log)
            fine = [sum(costs) / len(costs) for costs, error, *_ in log if error == 0]
            out[i, seed] = {"best_s": min(fine, default=None), "seconds": seconds, "trials": len(log),
                            "failed": len(log) - len(fine)}
    return out


# ---- what must be equal ----


def loops(state):
    """A printed state with the extents alone of its ranges: minima may be expressions in TVM's variable names."""
    return re.sub(r" \(.*,([^,]+)\)$", r" (\1)", state.strip(), flags=re.M)


def sample_states(o, auto, task, path):
    """Random states of TVM: records in path, and their printed loop nests."""
    policy = auto.SketchPolicy(task, seed=1, verbose=0)
    states = list(policy.sample_initial_population())[:o.states]
    inputs = [auto.MeasureInput(task, state) for state in states]
    auto.save_records(path, inputs, [auto.MeasureResult([1.0], 0, "", 1.0, int(time.time())) for _ in states])
    return len(policy.generate_sketches()), [str(task.compute_dag.infer_bound_from_state(state)) for state in states]


def replayed(o, path, text):
    done = subprocess.run([o.raingauge, "replay", path, "--quiet", "--dump", "state", "--task", text],
                          stdout=subprocess.PIPE, universal_newlines=True)
    return [json.loads(line)["state"] for line in done.stdout.splitlines()]


def verbs(o):
    return subprocess.run([o.raingauge, "--help"], stdout=subprocess.PIPE, universal_newlines=True).stdout


class Tap:
    def __init__(self):
        self.n = self.failed = 0
        print("TAP version 13")

    def say(self, fine, name, skip=None):
        self.n += 1
        self.failed += not fine and not skip
        print("%s %d - %s%s" % ("ok" if fine or skip else "not ok", self.n, name, " # SKIP " + skip if skip else ""))


def compare(o, tap, tvm, target, folder):
    auto = tvm.auto_scheduler
    ours = subprocess.run([o.sketches] + o.kernels, stdout=subprocess.PIPE, universal_newlines=True).stdout.split()
    for i, text in enumerate(o.kernels):
        path = "%s/states%d.json" % (folder, i)
        count, states = sample_states(o, auto, task_of(o, auto, target, text), path)
        mine = ours[i] if i < len(ours) else "none"
        tap.say(mine == str(count), "%s: %d sketches, ours %s" % (text, count, mine))
        if not re.search(r"^\s*replay\b", verbs(o), flags=re.M):
            tap.say(True, text + ": states", "this raingauge has no verb replay")
            continue
        mine = replayed(o, path, text)
        same = sum(loops(a) == loops(b) for a, b in zip(states, mine))
        tap.say(len(mine) == len(states) == same, "%s: %d of %d random states equal" % (text, same, len(states)))


# ---- the table ----


def median(results, i, key, o):
    values = [results[i, s][key] for s in range(1, o.seeds + 1) if results.get((i, s), {}).get(key) is not None]
    return statistics.median(values) if len(values) == o.seeds else None


def row(o, i, ours, theirs, flops):
    def cell(x, form):
        return "-" if x is None else form % x

    def pair(results):
        best, seconds, trials = (median(results, i, key, o) for key in ("best_s", "seconds", "trials"))
        return flops and best and flops / best / 1e9, seconds and trials and seconds / trials, seconds

    (g, per, s), (tg, tper, ts) = pair(ours), pair(theirs)
    bad = [sum(r["failed"] for (k, _), r in results.items() if k == i) for results in (theirs, ours)]
    return [o.kernels[i], cell(tg, "%.0f"), cell(g, "%.0f"), cell(g and tg and g / tg, "%.2f"), cell(tper, "%.3f"),
            cell(per, "%.4f"), cell(per and tper and tper / per, "%.0f"), cell(ts, "%.1f"), cell(s, "%.2f"),
            "%d/%d" % tuple(bad)]


def table(o, ours, theirs, about):
    head = ["kernel", "TVM GFLOP/s", "ours", "ours/TVM", "TVM s/trial", "ours", "TVM/ours", "TVM total s", "ours",
            "failed"]
    # FLOP as TVM counts them, from our records; without our side there is no GFLOP/s.
    rows = [head] + [row(o, i, ours, theirs, ours.get((i, 1), {}).get("flops")) for i in range(len(o.kernels))]
    wide = [max(len(r[c]) for r in rows) for c in range(len(head))]
    print("# " + about)
    for r in rows:
        print("# " + r[0].ljust(wide[0]) + "  " + "  ".join(x.rjust(w) for x, w in zip(r[1:], wide[1:])))


def main():
    o = options()
    for text in o.kernels:
        workload(text)
    tap, ours, theirs = Tap(), {}, {}
    version = subprocess.run([o.raingauge, "--version"], stdout=subprocess.PIPE, universal_newlines=True).stdout.strip()
    about = "%s, mcpu %s" % (version, o.mcpu or "native (%s)" % cpu_name(o))
    with tempfile.TemporaryDirectory(prefix="raingauge-tvm.") as folder:
        if o.only != "raingauge":
            tvm, target = open_tvm(o)
            about += "; TVM %s, %s" % (tvm.__version__, target)
            compare(o, tap, tvm, target, folder)
            theirs = tune_tvm(o, tvm, target, folder)
        if o.only != "tvm":
            ours = raingauge(o, folder)
    for name, results in (("raingauge", ours), ("TVM", theirs)):
        for i, text in enumerate(o.kernels):
            if results:
                tap.say(median(results, i, "best_s", o) is not None, "%s found a kernel: %s" % (name, text))
    table(o, ours, theirs, "%s; %d trials, seeds 1 to %d, %d threads, number %d, repeat %d, min_repeat_ms %d"
          % (about, o.trials, o.seeds, o.threads, o.number, o.repeat, o.min_repeat_ms))
    print("1..%d" % tap.n)
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
