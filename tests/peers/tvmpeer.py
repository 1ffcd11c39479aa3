# SPDX-License-Identifier: Apache-2.0
"""tvmpeer: TVM's auto_scheduler and raingauge on the same kernels, trials and timing regime, side by side.

Started by tvm.sh. Both sides tune each kernel alone (one task, equal rounds, weights re-laid-out) under the same
regime, for the same CPU, by the same search over the code of `codegen: tvm` and TVM's own, on one thread of one CPU. They
take turns, a search each, the other one first from seed to seed. A best is the smallest mean over the repeats. Seconds
are those of the search itself (raingauge's with its verification, TVM has none). Equal sketch counts and equal printed
states are tests, times are only printed and written: TAP, the table as its comments.
Not named tvm.py: Python would then import this file as tvm.
"""
import argparse
import datetime
import json
import math
import os
import re
import shlex
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time

import landscape

# One product and two layers of a residual network, as task specs (harness/program/ops/task.h). landscape.workload() says
# which others it can say in TVM's terms.
KERNELS = [
    "matmul n=512 m=512 k=512",
    "conv2d ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1",
    "conv2d ci=256 hi=14 wi=14 co=256 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1",
]
SIDES = ("tvm", "ours")
COLUMNS = ["kernel", "seed"] + ["%s_%s" % (side, what) for what in ("best_ms", "trials", "failed", "search_s")
                                for side in SIDES]


def fail(message):
    print("tvmpeer: " + message, file=sys.stderr)
    sys.exit(2)


def options():
    p = argparse.ArgumentParser(prog="tvm.sh", description=__doc__.splitlines()[0])
    p.add_argument("--kernel", action="append", metavar="SPEC", help="task spec, may be repeated (default: three)")
    p.add_argument("--trials", type=int, default=64)
    p.add_argument("--round", type=int, default=64, help="programs in a round, of both sides (their default)")
    p.add_argument("--seeds", type=int, default=1, help="how many; seeds count from 1")
    p.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="both sides run on this one")
    p.add_argument("--number", type=int, default=10)
    p.add_argument("--repeat", type=int, default=3)
    p.add_argument("--min-repeat-ms", type=int, default=0)
    p.add_argument("--mcpu", help="of both sides (default: what both LLVMs call this CPU)")
    p.add_argument("--states", type=int, default=20, help="random TVM states to compare per kernel")
    p.add_argument("--write", metavar="DIR", help="write tvm.tsv and README.md there")
    o = p.parse_args()
    o.kernels = o.kernel or KERNELS
    o.raingauge = os.environ.get("RAINGAUGE", "build/release/raingauge")
    o.sketches = os.environ.get("RAINGAUGE_SKETCHES", "build/release/peers/sketches")
    if min(o.trials, o.round, o.seeds, o.number, o.repeat) < 1 or min(o.min_repeat_ms, o.states) < 0:
        fail("--trials, --round, --seeds, --number and --repeat must be positive")
    o.mcpu = o.mcpu or landscape.common_cpu(o)
    return o


# ---- raingauge, through its command line and its records (harness/record/README.md) ----


def write(path, *lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


def experiment(o, folder):
    """An experiment folder in which each kernel is a network of its own: tasks are tuned alone, as TVM's are."""
    for i, text in enumerate(o.kernels):
        op, *keys = text.split()
        write("%s/networks/kernel%d.yaml" % (folder, i), "name: kernel%d" % i, "kernels: 1", "calls: 1",
              "list: [{count: 1, op: %s%s}]" % (op, "".join(", " + key.replace("=", ": ") for key in keys)))
    write(folder + "/machines/here.yaml", "name: here", "title: this machine", "target: cpu",
          "settings: {mcpu: %s, codegen: tvm}" % o.mcpu, "threads: 1")
    write(folder + "/peer.yaml", "experiment: peer", "machine: here", "networks: [kernel0]", "layout: 2", "report: micro",
          "regime: {preset: tvmc, number: %d, repeat: %d, min_repeat_ms: %d}" % (o.number, o.repeat, o.min_repeat_ms),
          "arms:",
          "  - {name: ansor, searcher: ansor, model: xgb, scheduler: gradient, batch: %d, trials_per_kernel: %d}"
          % (o.round, o.trials))


def tune_ours(o, folder, i, seed):
    """One search. -> {best_ms, trials, failed, search_s, flops}"""
    results = "%s/ours%d.%d" % (folder, i, seed)
    done = subprocess.run([o.raingauge, "run", "peer", "--quiet", "--experiments", folder, "--results", results, "--set",
                           "networks=kernel%d" % i, "--set", "first_seed=%d" % seed],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        fail("raingauge run: exit status %d: %s" % (done.returncode, done.stderr.strip()))
    db = sqlite3.connect("file:%s/records.db?mode=ro" % results, uri=True)
    row = db.execute("SELECT 1000 * min(r.mean_s), count(*), sum(r.outcome <> 'ok'), c.elapsed_s, t.flops"
                     " FROM cell c JOIN task t USING (cell) JOIN trial r USING (cell, task)").fetchone()
    return dict(zip(("best_ms", "trials", "failed", "search_s", "flops"), row))


# ---- TVM ----


def open_tvm(o):
    """Imports TVM with its threads set; TVM refuses a CPU that its LLVM does not know."""
    os.environ["TVM_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    import tvm
    from tvm import auto_scheduler  # noqa: F401  what this is about; not in 0.20 and later

    target = tvm.target.Target("llvm -mtriple=%s-unknown-linux-gnu -mcpu=%s" % (os.uname().machine, o.mcpu))
    tvm.target.codegen.llvm_get_cpu_archlist(target)
    return tvm, target


def task_of(auto, target, text):
    func = "raingauge_" + re.sub(r"\W", "_", text)
    auto.register_workload(func, f=lambda: landscape.workload(text), override=True)
    return auto.SearchTask(func=func, args=(), target=target,
                           hardware_params=auto.HardwareParams(num_cores=1, target=target),
                           layout_rewrite_option=auto.LayoutRewriteOption.REWRITE_FOR_PRE_TRANSFORMED)


def read_log(path):
    """TVM's v0.6 lines: costs and error of each trial."""
    with open(path) as f:
        return [json.loads(line)["r"] for line in f if line[0] not in "# "]


def tune_tvm(o, auto, target, folder, i, seed):
    """As tune_ours, without flops."""
    task, log = task_of(auto, target, o.kernels[i]), "%s/tvm%d.%d.json" % (folder, i, seed)
    tuning = auto.TuningOptions(
        num_measure_trials=o.trials, num_measures_per_round=o.round, verbose=0,
        builder=auto.LocalBuilder(timeout=15, n_parallel=1),
        runner=auto.LocalRunner(timeout=100, number=o.number, repeat=o.repeat, min_repeat_ms=o.min_repeat_ms),
        measure_callbacks=[auto.RecordToFile(log)])
    begin = time.perf_counter()
    task.tune(tuning, auto.SketchPolicy(task, auto.XGBModel(seed=seed), seed=seed, verbose=0))
    seconds, log = time.perf_counter() - begin, read_log(log)
    fine = [sum(costs) / len(costs) for costs, error, *_ in log if error == 0]
    return {"best_ms": 1000 * min(fine) if fine else None, "trials": len(log), "failed": len(log) - len(fine),
            "search_s": seconds}


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


class Tap:
    def __init__(self):
        self.n = self.failed = 0
        print("TAP version 13")

    def say(self, fine, name):
        self.n += 1
        self.failed += not fine
        print("%s %d - %s" % ("ok" if fine else "not ok", self.n, name), flush=True)


def compare(o, tap, tvm, target, folder):
    auto = tvm.auto_scheduler
    ours = subprocess.run([o.sketches] + o.kernels, stdout=subprocess.PIPE, universal_newlines=True).stdout.split()
    for i, text in enumerate(o.kernels):
        path = "%s/states%d.json" % (folder, i)
        count, states = sample_states(o, auto, task_of(auto, target, text), path)
        mine = ours[i] if i < len(ours) else "none"
        tap.say(mine == str(count), "%s: %d sketches, ours %s" % (text, count, mine))
        mine = replayed(o, path, text)
        same = sum(loops(a) == loops(b) for a, b in zip(states, mine))
        tap.say(len(mine) == len(states) == same, "%s: %d of %d random states equal" % (text, same, len(states)))


# ---- the table ----


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def ratios(rows):
    """Of each search on both sides: trials a second, ours over TVM's; time of the best kernel, TVM's over ours."""
    return ([r["ours"]["trials"] / r["ours"]["search_s"] * r["tvm"]["search_s"] / r["tvm"]["trials"] for r in rows],
            [r["tvm"]["best_ms"] / r["ours"]["best_ms"] for r in rows])


def spread(values):
    return "%.2f (%.2f to %.2f)" % (geomean(values), min(values), max(values))


def table(o, rows):
    lines = [["kernel", "TVM GFLOP/s", "ours", "ours/TVM", "TVM trials/s", "ours", "ours/TVM"]]
    for i, text in enumerate(o.kernels):
        of = [r for r in rows if r["kernel"] == i]
        rate, speed = ratios(of)
        gflops, trials = ([["%.2f" % geomean([f(r, side) for r in of]) for side in SIDES] for f in (
            lambda r, side: r["ours"]["flops"] / r[side]["best_ms"] / 1e6,
            lambda r, side: r[side]["trials"] / r[side]["search_s"])])
        lines.append([text, *gflops, spread(speed), *trials, spread(rate)])
    return lines


def verdict(rows, others):
    """What the speeds of the kernels are worth, by the seeds' standard error and the load before and after."""
    logs = [math.log(geomean(ratios([r for r in rows if r["seed"] == s])[1])) for s in sorted({r["seed"] for r in rows})]
    if others > 0.02:
        return "Not to be believed: other programs were on this CPU (below)."
    if len(logs) < 3:
        return "The kernels' speeds are not to be believed: fewer than three seeds have no spread worth the name."
    error = statistics.stdev(logs) / math.sqrt(len(logs))
    mean = statistics.mean(logs)
    return ("The kernels' speeds are %s: over %d seeds the standard error is %.1f %%. The trials a second may be believed as far as "
            "their range goes." % ("different" if abs(mean) > 3 * error else "not distinguished", len(logs), 100 * error))


def readme(o, tvm, rows, others):
    rate, speed = ratios(rows)
    found = ("Found: over %d kernels raingauge runs %s times as many trials a second as TVM's auto_scheduler, and its best kernels "
             "are %s times as fast (geometric means; in brackets the least and the most of a search)."
             % (len(o.kernels), spread(rate), spread(speed)))
    how = ("Both search with the same trials and regime for the same CPU, on one thread of one CPU, in turns; ours over the code of "
           "`codegen: tvm`. `tvm.tsv` has a row a search. Each side times its own kernels, so a best is a little too good on both.")
    facts = ["CPU: %s, compiled for %s" % (landscape.cpu_model(), o.mcpu), "Date: %s" % datetime.date.today(),
             "raingauge: " + landscape.ask_raingauge(o, "--version")[1].strip(),
             "TVM: %s with LLVM %s" % (tvm.__version__, tvm.target.codegen.llvm_version_major()),
             "What other programs and the host took of that CPU: %.1f %% of the time" % (100 * others),
             "Timing: number %d, repeat %d, min_repeat_ms %d" % (o.number, o.repeat, o.min_repeat_ms)]
    lines = ["# results/peers: TVM's auto_scheduler beside ours"]
    for text in (found, verdict(rows, others), how):
        lines += [""] + textwrap.wrap(text, 98)
    lines += [""] + ["- " + fact for fact in facts] + ["", "Command:", ""]
    return lines + textwrap.wrap("tests/peers/tvm.sh " + shlex.join(sys.argv[1:]), 94, initial_indent="    ", subsequent_indent="    ")


def write_results(o, tvm, rows, others):
    cells = [[o.kernels[r["kernel"]], str(r["seed"])] + ["%.6g" % r[side][what] for what in
             ("best_ms", "trials", "failed", "search_s") for side in SIDES] for r in rows]
    write(o.write + "/tvm.tsv", *("\t".join(line) for line in [COLUMNS] + cells))
    write(o.write + "/README.md", *readme(o, tvm, rows, others))


def taken_by_others(cpu):
    """Seconds of a CPU that no process of this program has used, nor idled: of other programs, and stolen by the host."""
    ticks = os.sysconf("SC_CLK_TCK")
    with open("/proc/stat") as f:
        user, nice, system, _, _, irq, softirq, steal = map(int, re.search(r"^cpu%d (.*)" % cpu, f.read(), re.M)[1].split()[:8])
    own, alive = sum(os.times()[:4]), {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open("/proc/%s/stat" % entry) as f:
                    alive[int(entry)] = list(map(int, f.read().rpartition(")")[2].split()[1:15]))
            except OSError:
                pass  # it has ended
    family = {os.getpid()}
    while any(stat[0] in family and pid not in family for pid, stat in alive.items()):
        family |= {pid for pid, stat in alive.items() if stat[0] in family}
    own += sum(sum(alive[pid][10:14]) for pid in family - {os.getpid()}) / ticks  # utime, stime and those of its children
    return (user + nice + system + irq + softirq + steal) / ticks - own


def search(o, tap, tvm, target, folder):
    """All searches, in turns. -> rows, and the share of the CPU's time that was not theirs."""
    rows, begin, taken = [], time.perf_counter(), taken_by_others(o.cpu)
    for seed in range(1, o.seeds + 1):
        for i, text in enumerate(o.kernels):
            row = {"kernel": i, "seed": seed}
            for side in SIDES if seed % 2 else SIDES[::-1]:
                row[side] = (tune_tvm(o, tvm.auto_scheduler, target, folder, i, seed) if side == "tvm" else
                             tune_ours(o, folder, i, seed))
            fine = all(row[side]["best_ms"] is not None for side in SIDES)
            tap.say(fine, "both found a kernel, seed %d: %s" % (seed, text))
            rows += [row] if fine else []
    return rows, (taken_by_others(o.cpu) - taken) / (time.perf_counter() - begin)


def main():
    o = options()
    os.sched_setaffinity(0, [o.cpu])
    tap = Tap()
    tvm, target = open_tvm(o)
    with tempfile.TemporaryDirectory(prefix="raingauge-tvm.") as folder:
        experiment(o, folder)
        compare(o, tap, tvm, target, folder)
        rows, others = search(o, tap, tvm, target, folder)
    if len(rows) == o.seeds * len(o.kernels):
        print("# TVM %s, %s; %d trials, seeds 1 to %d; geometric means (least to most)"
              % (tvm.__version__, target, o.trials, o.seeds))
        print("\n".join("# " + "\t".join(line) for line in table(o, rows)))
        if o.write:
            write_results(o, tvm, rows, others)
    print("1..%d" % tap.n)
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
