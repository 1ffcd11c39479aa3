# SPDX-License-Identifier: Apache-2.0
"""landscape: do the times of `codegen=tvm` rank as TVM's do?

Started by landscape.sh, which finds a Python with TVM's auto_scheduler. For each kernel TVM draws schedules: half are
random samples of its sketches, half come from its evolutionary search after its model has learnt the times of the first
half. TVM builds and times each, then `raingauge replay` builds, verifies and times the same, one thread each. They take
turns in blocks of a few schedules, several times over, so that noise of the machine meets both. A time is the fastest
of those passes. Prints a table and the schedules that differ most; writes likeness.tsv, worst.txt, README.md.
"""
import argparse
import datetime
import gzip
import json
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
import textwrap
import time

CONV = "conv2d ci=64 hi=28 wi=28 co=64 kh=3 kw=3 ph=1 pw=1"
# name: the task as raingauge writes it. workload() says the same in TVM's terms.
KERNELS = {
    "matmul": "matmul n=256 m=256 k=256",
    "conv3x3": CONV + " layout=nhwc bias=1 relu=1",
    "conv1x1": "conv2d ci=64 hi=28 wi=28 co=128 kh=1 kw=1 layout=nhwc bias=1 relu=1",
    "strided": "conv2d ci=64 hi=28 wi=28 co=128 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 layout=nhwc",
    "depthwise": "depthwise_conv2d ci=128 hi=28 wi=28 co=128 kh=3 kw=3 ph=1 pw=1 layout=nhwc",
    "depthwise-nchwc": "depthwise_conv2d ci=128 hi=28 wi=28 co=128 kh=3 kw=3 ph=1 pw=1 cib=16 cob=16 bias=1 relu=1",
    "maxpool": "pool2d c=64 hi=56 wi=56 cb=16 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=max",
    "softmax": "softmax h=256 c=256",
    "dense": "dense ci=1024 co=1000 bias=1",
    "batch-matmul": "batch_matmul b=12 n=64 m=64 k=64",
    "winograd": "winograd ci=32 hi=28 wi=28 co=32 ph=1 pw=1",
    "nchw": CONV + " layout=nchw bias=1 relu=1",
    "nchwc": CONV + " cib=16 cob=16 bias=1 relu=1",
}
COLUMNS = ["kernel", "task", "schedules", "spearman", "tvm_again_spearman", "ours_again_spearman", "ratio_geomean",
           "ratio_quartile1", "ratio_median", "ratio_quartile3", "within_25_percent", "tvm_fastest_ms",
           "tvm_slowest_ms", "failed", "tvm_wrong"]


def say(text):
    print("landscape: " + text, file=sys.stderr, flush=True)


def options():
    p = argparse.ArgumentParser(prog="landscape.sh", description=__doc__.splitlines()[0])
    p.add_argument("--kernel", action="append", choices=sorted(KERNELS), help="may be repeated (default: all)")
    p.add_argument("--log", nargs=2, action="append", metavar=("FILE", "TASK"),
                   help="the schedules of a record file of auto_scheduler (or .gz), instead of drawn ones; may be repeated")
    p.add_argument("--schedules", type=int, default=100, help="of each kernel")
    p.add_argument("--block", type=int, default=10, help="schedules timed by one side before the other's turn")
    p.add_argument("--passes", type=int, default=3, help="turns over a block; the fastest counts")
    p.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="both sides run on this one")
    p.add_argument("--repeats", type=int, default=15, help="repeats of a timing; the fastest counts")
    p.add_argument("--min-repeat-ms", type=int, default=1, help="a repeat lasts so long")
    p.add_argument("--population", type=int, default=128, help="of TVM's evolutionary search")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--mcpu", help="of both sides (default: what both LLVMs call this CPU)")
    p.add_argument("--minutes", type=float, help="start no further block after so long; kernels share the time")
    p.add_argument("--keep", metavar="DIR", help="keep the schedules, TVM's record lines, and all times there")
    p.add_argument("--write", metavar="DIR", help="write likeness.tsv and README.md there")
    o = p.parse_args()
    o.raingauge = os.environ.get("RAINGAUGE", "build/release/raingauge")
    o.logs = {os.path.basename(path).split(".")[0]: path for path, _ in o.log or []}
    KERNELS.update({name: task for name, (_, task) in zip(o.logs, o.log or [])})
    o.kernels = list(o.logs) or o.kernel or list(KERNELS)
    if min(o.schedules, o.block, o.passes, o.repeats, o.min_repeat_ms) < 1 or o.schedules < 4:
        p.error("--schedules must be at least 4, --block, --passes, --repeats and --min-repeat-ms at least 1")
    return o


# ---- statistics ----


def ranks(values):
    order, out, i = sorted(range(len(values)), key=lambda k: values[k]), [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            out[order[k]] = (i + j) / 2
        i = j + 1
    return out


def spearman(x, y):
    a, b = ranks(x), ranks(y)
    mean = (len(a) - 1) / 2
    norm = math.sqrt(sum((v - mean) ** 2 for v in a) * sum((v - mean) ** 2 for v in b))
    return sum((v - mean) * (w - mean) for v, w in zip(a, b)) / norm if norm else float("nan")


def quantile(values, q):
    """Linear between order statistics, as numpy's default."""
    s = sorted(values)
    at = q * (len(s) - 1)
    low = int(at)
    return s[low] + (at - low) * (s[min(low + 1, len(s) - 1)] - s[low])


# ---- raingauge ----


def ask_raingauge(o, *words):
    done = subprocess.run([o.raingauge, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


def common_cpu(o):
    """What raingauge's LLVM calls this CPU; its x86-64 level, where TVM's LLVM is older than the CPU."""
    os.environ["TVM_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    import tvm

    cpu = json.loads(ask_raingauge(o, "doctor", "--json")[1])["cpu_target"]
    target = tvm.target.Target("llvm -mtriple=%s-unknown-linux-gnu" % platform.machine())
    known = {str(name) for name in tvm.target.codegen.llvm_get_cpu_archlist(target)}
    level = "x86-64-v4" if "+avx512vl" in cpu["features"] else "x86-64-v3"
    return cpu["cpu"] if cpu["cpu"] in known or level not in known else level


def cpu_target(o):
    return "cpu,codegen=tvm,mcpu=" + o.mcpu


def replay(o, path, task):
    """Seconds of each record of path, None where it failed."""
    _, out, err = ask_raingauge(o, "replay", path, "--task", task, "--threads", "1", "--layout", "none", "--target",
                                cpu_target(o), "--regime", "tvm,number=1,repeat=%d,min_repeat_ms=%d" % (o.repeats, o.min_repeat_ms),
                                "--quiet", "--json")
    if not out.startswith("{"):
        sys.exit("landscape: raingauge replay: " + (err.strip() or "no JSON"))
    found = json.loads(out)
    for failure in found["failures"]:
        say("ours: %s" % json.dumps(failure))
    return {t["index"]: t["fastest_s"] for t in found["times"]}


def our_text(o, task, steps, dump):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(steps, f)
        f.flush()
        return ask_raingauge(o, "show", task, "--steps", f.name, "--dump=" + dump, "--layout", "none", "--target",
                             cpu_target(o))[1]


# ---- TVM ----


def keys_of(task):
    words = task.split()
    out = {"n": 1, "sh": 1, "sw": 1, "ph": 0, "pw": 0, "bias": 0, "relu": 0, "layout": "nchwc"}
    out.update((k, int(v) if v.isdigit() else v) for k, v in (w.split("=") for w in words[1:]))
    return words[0], out


def epilogue(out, inputs, k, shape):
    from tvm import te, topi

    if k["bias"]:
        inputs.append(te.placeholder(shape, name="p%d" % len(inputs)))
        out = topi.add(out, inputs[-1])
    return inputs + [topi.cpp.nn.relu(out) if k["relu"] else out]


def conv2d(k):
    import tvm
    from tvm import te, topi

    n, ci, co, layout = k["n"], k["ci"], k["co"], k["layout"]
    space, window, stride, pad = (k["hi"], k["wi"]), (k["kh"], k["kw"]), (k["sh"], k["sw"]), (k["ph"], k["pw"])
    if layout == "nhwc":
        x, w = te.placeholder((n, *space, ci), name="p0"), te.placeholder((*window, ci, co), name="p1")
        return epilogue(topi.nn.conv2d_nhwc(x, w, stride, pad, 1, "float32"), [x, w], k, (1, 1, 1, co))
    if layout == "nchw":
        x, w = te.placeholder((n, ci, *space), name="p0"), te.placeholder((co, ci, *window), name="p1")
        return epilogue(topi.nn.conv2d_nchw(x, w, stride, pad, 1, "float32"), [x, w], k, (1, co, 1, 1))
    ib, ob = k["cib"], k["cob"]
    x = te.placeholder((n, ci // ib, *space, ib), name="p0")
    w = te.placeholder((co // ob, ci // ib, *window, ib, ob), name="p1")
    with tvm.target.Target("llvm"):
        out = topi.nn.conv2d_NCHWc(x, w, stride, pad, 1, "NCHW%dc" % ib, "NCHW%dc" % ob, "float32")
    return epilogue(out, [x, w], k, (1, co // ob, 1, 1, ob))


def depthwise_conv2d(k):
    from tvm import te, topi

    n, c, stride, pad = k["n"], k["ci"], (k["sh"], k["sw"]), (k["ph"], k["pw"])
    if k["layout"] == "nhwc":
        x = te.placeholder((n, k["hi"], k["wi"], c), name="p0")
        w = te.placeholder((k["kh"], k["kw"], c, 1), name="p1")
        return epilogue(topi.nn.depthwise_conv2d_nhwc(x, w, stride, pad, 1), [x, w], k, (1, 1, 1, c))
    b = k["cob"]
    x = te.placeholder((n, c // b, k["hi"], k["wi"], b), name="p0")
    w = te.placeholder((c // b, 1, k["kh"], k["kw"], 1, b), name="p1")
    pad = topi.nn.pad(x, (0, 0, *pad, 0), (0, 0, *pad, 0), name="PaddedInput")
    kh, kw = te.reduce_axis((0, k["kh"]), name="kh"), te.reduce_axis((0, k["kw"]), name="kw")
    ho, wo = (pad.shape[2] - k["kh"]) // stride[0] + 1, (pad.shape[3] - k["kw"]) // stride[1] + 1
    # As topi's x86 depthwise_conv2d_NCHWc, which only a template of AutoTVM can call.
    out = te.compute((n, c // b, ho, wo, b), lambda i, oco, oh, ow, oci: te.sum(
        pad[i, (oco * b + oci) // b, oh * stride[0] + kh, ow * stride[1] + kw, (oco * b + oci) % b]
        * w[oco, 0, kh, kw, 0, oci], axis=[kh, kw]), name="DepthwiseConv2d")
    return epilogue(out, [x, w], k, (1, c // b, 1, 1, b))


def workload(task):
    """A task of KERNELS as tensors of TVM: inputs, then the output."""
    from tvm import te, topi

    op, k = keys_of(task)
    if op == "conv2d":
        return conv2d(k)
    if op == "depthwise_conv2d":
        return depthwise_conv2d(k)
    if op == "matmul":
        a, b = te.placeholder((k["n"], k["k"]), name="A"), te.placeholder((k["k"], k["m"]), name="B")
        r = te.reduce_axis((0, k["k"]), name="k")
        return [a, b, te.compute((k["n"], k["m"]), lambda i, j: te.sum(a[i, r] * b[r, j], axis=r), name="C")]
    if op == "dense":
        x, w = te.placeholder((k["n"], k["ci"]), name="p0"), te.placeholder((k["co"], k["ci"]), name="p1")
        return epilogue(topi.nn.dense(x, w), [x, w], k, (1, k["co"]))
    if op == "batch_matmul":
        x, y = te.placeholder((k["b"], k["n"], k["k"]), name="p0"), te.placeholder((k["b"], k["m"], k["k"]), name="p1")
        return [x, y, topi.nn.batch_matmul(x, y)]
    if op == "softmax":
        x = te.placeholder((k["n"], k["h"], k["c"]), name="p0")
        return [x, topi.nn.softmax(x, axis=-1)]
    if op == "pool2d":
        x = te.placeholder((k["n"], k["c"] // k["cb"], k["hi"], k["wi"], k["cb"]), name="p0")
        pads = (k["ph"], k["pw"]) * 2
        return [x, topi.nn.pool2d(x, (k["kh"], k["kw"]), (k["sh"], k["sw"]), (1, 1), pads, k["pool"],
                                  layout="NCHW%dc" % k["cb"])]
    x = te.placeholder((k["n"], k["hi"], k["wi"], k["ci"]), name="p0")
    w = te.placeholder((6, 6, k["co"], k["ci"]), name="p1")
    out = topi.nn.conv2d_winograd_nhwc_without_weight_transform(x, w, 1, (k["ph"], k["pw"]), 1, "float32")
    return [x, w, out]


class Tvm:
    """One kernel on TVM's side: draws, builds and times schedules of it."""

    def __init__(self, o, name):
        import numpy
        import tvm
        from tvm import auto_scheduler

        self.o, self.tvm, self.auto, task = o, tvm, auto_scheduler, KERNELS[name]
        self.target = tvm.target.Target("llvm -mtriple=%s-unknown-linux-gnu -mcpu=%s" % (platform.machine(), o.mcpu))
        self.func = "raingauge_" + name.replace("-", "_")
        auto_scheduler.register_workload(self.func, f=lambda: workload(task), override=True)
        self.task = auto_scheduler.SearchTask(func=self.func, args=(), target=self.target,
                                              layout_rewrite_option=auto_scheduler.LayoutRewriteOption.NO_REWRITE)
        params = {**auto_scheduler.SketchPolicy.DEFAULT_PARAMS, "evolutionary_search_population": o.population,
                  "evolutionary_search_num_iters": 2}
        self.model = auto_scheduler.XGBModel(seed=o.seed)
        self.policy = auto_scheduler.SketchPolicy(self.task, self.model, params, o.seed, verbose=0)
        self.cpu, random = tvm.cpu(0), numpy.random.default_rng(o.seed)
        self.arrays = [tvm.nd.array(random.uniform(-1, 1, [int(x) for x in t.shape]).astype("float32"), self.cpu)
                       for t in self.task.compute_dag.tensors]
        self.seen = set()
        self.expected = self.output(self.build(self.task.compute_dag.get_init_state()))

    def fresh(self, states, count):
        out = []
        for state in states:
            text = str(state)
            if text not in self.seen and len(out) < count:
                self.seen.add(text)
                out.append(state)
        return out

    def draw_random(self, count):
        out, tries = [], 0
        while len(out) < count and tries < 8:
            out += self.fresh(self.policy.sample_initial_population(), count - len(out))
            tries += 1
        return out

    def draw_searched(self, states, seconds, count):
        """The model learns the times; the search mutates random samples and the fastest half of what was timed."""
        inputs = [self.auto.MeasureInput(self.task, s) for s in states]
        self.model.update(inputs, [self.auto.MeasureResult([s], 0, "", s, int(time.time())) for s in seconds])
        best = [s for _, s in sorted(zip(seconds, states), key=lambda pair: pair[0])][:max(1, len(states) // 2)]
        found = self.policy.evolutionary_search(list(self.policy.sample_initial_population()) + best, 4 * count)
        return self.fresh(found, count)

    def read_log(self, path, folder):
        """States of a record file, whose workload and target are replaced by this kernel's."""
        copy = folder + "/log.json"
        with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f, open(copy, "w") as out:
            for line in f:
                record = json.loads(line)
                record["i"][0][:2] = [json.dumps([self.func]), str(self.target)]
                out.write(json.dumps(record) + "\n")
        inputs = [i for i, _ in self.auto.load_records(copy)]
        return [self.auto.measure.recover_measure_input(i, rebuild_state=True).state for i in inputs]

    def save(self, path, states):
        inputs = [self.auto.MeasureInput(self.task, s) for s in states]
        results = [self.auto.MeasureResult([1.0], 0, "", 1.0, int(time.time())) for _ in states]
        if os.path.exists(path):
            os.remove(path)
        self.auto.save_records(path, inputs, results)

    def build(self, state, more=""):
        """more: to be said to the target. -> None where TVM itself fails on a schedule that it drew."""
        schedule, tensors = self.task.compute_dag.apply_steps_from_state(state)
        try:
            with self.tvm.transform.PassContext(opt_level=3):
                return self.tvm.build(schedule, tensors, self.tvm.target.Target(str(self.target) + more))
        except self.tvm.TVMError:
            return None

    def output(self, module):
        module(*self.arrays)
        return self.arrays[-1].numpy().copy()

    def is_right(self, module):
        """TVM tells LLVM that accesses of a tensor are apart that are not: some of its programs compute other numbers."""
        difference = abs(self.output(module) - self.expected)
        return bool(difference.max() <= 1e-3 * abs(self.expected).max())

    def seconds(self, module):
        timer = module.time_evaluator(module.entry_name, self.cpu, number=1, repeat=self.o.repeats,
                                      min_repeat_ms=self.o.min_repeat_ms)
        return timer(*self.arrays).min


# ---- both ----


def steps_of(line):
    return json.loads(line)["i"][1][1]


def run_block(o, tvm, task, states, path):
    """Times a block in turns. -> rows {line, state, tvm: [seconds of each pass], ours: [...], module, right}"""
    built = [(state, tvm.build(state)) for state in states]
    built = [(state, module) for state, module in built if module]
    tvm.save(path, [state for state, _ in built])
    with open(path) as f:
        rows = [{"line": line.strip(), "state": state, "tvm": [], "ours": [], "module": module, "right": tvm.is_right(module)}
                for line, (state, module) in zip(f, built)]
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [o.cpu])
    for _ in range(o.passes):
        for row in rows:
            row["tvm"].append(tvm.seconds(row["module"]))
        found = replay(o, path, task)
        for i, row in enumerate(rows):
            row["ours"].append(found.get(i))
    os.sched_setaffinity(0, everywhere)
    return rows


class Clock:
    """Says how far a kernel is, and stops it when its share of the minutes is spent."""

    def __init__(self, o):
        self.o, self.start, self.done = o, time.monotonic(), 0.0

    def spent(self):
        return time.monotonic() - self.start

    def over(self, kernels_done):
        limit = self.o.minutes
        return limit is not None and self.spent() > 60 * limit * (kernels_done + 1) / len(self.o.kernels)

    def tell(self, name, kernels_done, share):
        done = (kernels_done + share) / len(self.o.kernels)
        left = self.spent() * (1 - done) / done if done else float("nan")
        say("%s: %.0f %% of it, %.0f %% of all, about %.0f min left" % (name, 100 * share, 100 * done, left / 60))


def run_states(o, tvm, name, states, clock, at, folder):
    """Rows of states, a block at a time, while there is time. at: (done kernels, done and limit of this one as shares)"""
    rows, (index, done, limit) = [], at
    for i in range(0, len(states), o.block):
        if clock.over(index + limit - 1):
            break
        rows += run_block(o, tvm, KERNELS[name], states[i:i + o.block], folder + "/block.json")
        clock.tell(name, index, done + (limit - done) * min(1, (i + o.block) / len(states)))
    return rows


def run_kernel(o, name, clock, index, folder):
    """Rows of one kernel: of its log, or half of them random, half searched."""
    tvm = Tvm(o, name)
    if name in o.logs:
        rows = run_states(o, tvm, name, tvm.read_log(o.logs[name], folder), clock, (index, 0, 1), folder)
        return [dict(row, stage="log") for row in rows]
    states = tvm.draw_random(o.schedules // 2)
    rows = [dict(row, stage="random") for row in run_states(o, tvm, name, states, clock, (index, 0, 0.5), folder)]
    good = [row for row in rows if row["tvm"]]
    states = tvm.draw_searched([row["state"] for row in good], [min(row["tvm"]) for row in good], o.schedules - len(rows))
    return rows + [dict(row, stage="searched")
                   for row in run_states(o, tvm, name, states, clock, (index, 0.5, 1), folder)]


def both_right(rows):
    return [r for r in rows if r["right"] and None not in r["ours"]]


def summary(name, rows):
    good = both_right(rows)
    theirs, ours = [min(r["tvm"]) for r in good], [min(r["ours"]) for r in good]
    logs = [math.log(b / a) for a, b in zip(theirs, ours)]
    q = [math.exp(quantile(logs, x)) for x in (0.25, 0.5, 0.75)]

    def again(side):
        return spearman([r[side][0] for r in good], [r[side][-1] for r in good])

    return dict(zip(COLUMNS, [
        name, KERNELS[name], len(good), spearman(theirs, ours), again("tvm"), again("ours"),
        math.exp(sum(logs) / len(logs)), *q, sum(abs(x) < math.log(1.25) for x in logs) / len(logs),
        1e3 * min(theirs), 1e3 * max(theirs), sum(None in r["ours"] for r in rows), sum(not r["right"] for r in rows)]))


# What an assembly does, in counts. fma: multiply-adds; spill: vectors stored to or loaded from the stack.
COUNTS = [("fma.512", r"\bvfn?madd\w+ps\s.*%zmm"), ("fma.256", r"\bvfn?madd\w+ps\s[^z\n]*%ymm[^z\n]*$"),
          ("fma.128", r"\bvfn?madd\w+ps\s[^zy\n]*%xmm[^zy\n]*$"), ("fma.1", r"\bvfn?madd\w+ss\s"),
          ("mul", r"\bvmul[ps]s\s"), ("max", r"\bvmax[ps]s\s"), ("gather", r"\bvgather"), ("shuffle", r"\bv(perm|unpck|insert|shuf)"),
          ("call", r"\bcall"), ("spill", r"\bvmov[au]p[sd]\s.*\(%r[sb]p\)"), ("jump", r"\bj[a-z]+\s")]


def count_code(text):
    return {name: len(re.findall(pattern, text, flags=re.M)) for name, pattern in COUNTS}


def worst(o, name, rows, count=10):
    """The schedules whose ratio is farthest from 1, and what differs in the two assemblies: TVM's count/ours."""
    good = sorted(both_right(rows), key=lambda r: -abs(math.log(min(r["ours"]) / min(r["tvm"]))))
    out = []
    for row in good[:count]:
        theirs = count_code(row["module"].get_source("asm"))
        ours = count_code(our_text(o, KERNELS[name], steps_of(row["line"]), "asm"))
        differ = ["%s %d/%d" % (k, theirs[k], ours[k]) for k in theirs if theirs[k] != ours[k]]
        out.append("%-16s #%-3d %-8s TVM %9.4f ms, ours %9.4f ms, ours/TVM %5.2f  %s" % (
            name, rows.index(row), row["stage"], 1e3 * min(row["tvm"]), 1e3 * min(row["ours"]),
            min(row["ours"]) / min(row["tvm"]), ", ".join(differ) or "same counts"))
    return out


# ---- what is written ----


def cell(x):
    return x if isinstance(x, str) else "%d" % x if isinstance(x, int) else "%.4g" % x


def tsv(table):
    return "".join("\t".join(cell(row[c]) for c in COLUMNS) + "\n" for row in table)


def print_table(table):
    head = ["kernel", "n", "Spearman", "TVM again", "ours again", "geomean", "quartiles", "", "", "in 25 %", "failed", "TVM wrong"]
    rows = [head] + [[r["kernel"], str(r["schedules"])] + ["%.3f" % r[c] for c in COLUMNS[3:10]]
                     + ["%.2f" % r["within_25_percent"], str(r["failed"]), str(r["tvm_wrong"])] for r in table]
    wide = [max(len(r[c]) for r in rows) for c in range(len(head))]
    for r in rows:
        print(r[0].ljust(wide[0]) + "  " + "  ".join(x.rjust(w) for x, w in zip(r[1:], wide[1:])), flush=True)


def keep(o, name, rows):
    if o.keep:
        os.makedirs(o.keep, exist_ok=True)
        with open("%s/%s.jsonl" % (o.keep, name), "w") as f:
            f.writelines(r["line"] + "\n" for r in rows)
        with open("%s/%s.times.json" % (o.keep, name), "w") as f:
            json.dump([{k: r[k] for k in ("stage", "tvm", "ours", "right")} for r in rows], f)


def cpu_model():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), platform.machine())


def readme(o, load):
    import tvm

    version = ask_raingauge(o, "--version")[1].strip()
    command = textwrap.wrap("tests/peers/landscape.sh " + " ".join(sys.argv[1:]), 90, break_on_hyphens=False)
    facts = ["CPU: %s, compiled for %s" % (cpu_model(), o.mcpu), "Date: %s" % datetime.date.today(),
             "raingauge: %s" % version, "Its target: cpu,codegen=tvm, layout none, 1 thread",
             "TVM: %s with LLVM %s" % (tvm.__version__, tvm.target.codegen.llvm_version_major()),
             "Load of the machine in the minute before and after: %.1f, %.1f" % load,
             "Timing: fastest of %d turns of %d repeats of at least %d ms" % (o.passes, o.repeats, o.min_repeat_ms)]
    text = ["# results/landscape: do our times rank as TVM's do?", "",
            "Written by `tests/peers/landscape.sh`. TVM's auto_scheduler draws schedules, half at random and",
            "half by its search. TVM and raingauge build and time each, in turns, on one thread.", "",
            "`likeness.tsv` has a row a kernel. A ratio is our time over TVM's of one schedule.",
            "`spearman` compares the ranks of the two; `tvm_again_spearman` and `ours_again_spearman` those of",
            "one side's first and last turn, which is the noise. `worst.txt` has the schedules whose times",
            "differ most, with counts of instructions that differ (TVM's/ours).", "",
            "`failed`: schedules that raingauge did not run. `tvm_wrong`: schedules whose program by TVM",
            "gives other numbers than its plain loops do. Both are left out of the rest of the row.", "",
            "`shared_logs.tsv` is of the schedules of two of TVM's own logs (`targets/cpu/README.md`), by",
            "the same script with `--log`, and has the same columns.", ""]
    text += ["- " + fact for fact in facts] + ["", "Command (`make peers` runs one like it):", ""]
    text += ["    " + line for line in command]
    return "\n".join(text) + "\n"


def write(o, load, table, lines):
    if o.write:
        os.makedirs(o.write, exist_ok=True)
        with open(o.write + ("/shared_logs.tsv" if o.logs else "/likeness.tsv"), "w") as f:
            f.write("\t".join(COLUMNS) + "\n" + tsv(table))
        if o.logs:
            return
        with open(o.write + "/README.md", "w") as f:
            f.write(readme(o, load))
        with open(o.write + "/worst.txt", "w") as f:
            f.writelines(line + "\n" for line in lines)


def main():
    o = options()
    o.mcpu = o.mcpu or common_cpu(o)
    clock, table, lines, before = Clock(o), [], [], os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="raingauge-landscape.") as folder:
        for index, name in enumerate(o.kernels):
            rows = run_kernel(o, name, clock, index, folder)
            keep(o, name, rows)
            if len(both_right(rows)) < 3:
                say("%s: fewer than 3 schedules ran on both sides" % name)
                continue
            table.append(summary(name, rows))
            found = worst(o, name, rows)
            lines += found
            print_table(table[-1:])
            print("\n".join("  " + line for line in found), flush=True)
            write(o, (before, os.getloadavg()[0]), table, lines)
    print()
    print_table(table)
    return 0 if table else 1


if __name__ == "__main__":
    sys.exit(main())
