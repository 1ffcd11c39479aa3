# SPDX-License-Identifier: Apache-2.0
"""metaschedule_db: what `raingauge import` makes of a database of MetaSchedule, beside what TVM makes of it.

Started by metaschedule_db.sh. TVM tunes small kernels by MetaSchedule (or takes the folders that are named), and replays
each record's trace, postprocessors included. raingauge imports each record by itself. Of those that it takes, all loops
must be TVM's: their order, turns, marks and pragmas, around every block and every start of a sum. Prints the share that
is taken. What TVM's wheel cannot tune is drawn at random from the design spaces instead.
"""
import argparse
import collections
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import landscape
import tvmpeer

KERNELS = {
    "matmul": "matmul n=64 m=96 k=128",
    "dense": "dense n=16 ci=64 co=48 bias=1 relu=1",
    "conv3x3": "conv2d ci=16 hi=14 wi=14 co=32 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1",
    "conv_nchw": "conv2d ci=16 hi=14 wi=14 co=32 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 layout=nchw bias=1 relu=1",
    "conv1x1": "conv2d ci=32 hi=7 wi=7 co=64 kh=1 kw=1 layout=nhwc",
    "depthwise": "depthwise_conv2d ci=32 hi=14 wi=14 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1",
    "softmax": "softmax n=64 h=1 c=128",
}


def options():
    p = argparse.ArgumentParser(prog="metaschedule_db.sh", description=__doc__.splitlines()[0])
    p.add_argument("folders", nargs="*", help="databases (default: small kernels are tuned)")
    p.add_argument("--kernel", action="append", choices=list(KERNELS), help="tune these, may be repeated (default: all)")
    p.add_argument("--trials", type=int, default=32, help="records of each kernel")
    p.add_argument("--cores", type=int, default=4, help="num-cores of TVM's target")
    p.add_argument("--mcpu", default="core-avx2")
    p.add_argument("--keep", metavar="DIR", help="keep the databases there")
    o = p.parse_args()
    o.raingauge = os.path.abspath(os.environ.get("RAINGAUGE", "build/release/raingauge"))
    o.experiments = os.path.abspath("experiments")
    return o


# ---- databases ----


def tune(o, name, folder):
    from tvm import meta_schedule as ms
    from tvm import te
    from tvm.target import Target

    target = Target("llvm -mtriple=%s-unknown-linux-gnu -mcpu=%s -num-cores %d" % (os.uname().machine, o.mcpu, o.cores))
    db = ms.database.JSONDatabase(work_dir=folder)
    func = te.create_prim_func(list(landscape.workload(KERNELS[name])))
    runner = ms.runner.LocalRunner(evaluator_config=ms.runner.EvaluatorConfig(number=1, repeat=1, min_repeat_ms=0))
    try:
        ms.tune_tir(mod=func, target=target, work_dir=folder, max_trials_global=o.trials, num_trials_per_iter=16,
                    database=db, builder=ms.builder.LocalBuilder(max_workers=1), runner=runner, cost_model="random",
                    strategy=ms.search_strategy.EvolutionarySearch(population_size=64, init_min_unmeasured=20,
                                                                   genetic_num_iters=2), seed=1)
    except Exception as e:  # the wheel fails on some padded kernels; its text is long
        print("# %s: TVM's search failed (%s), programs are drawn" % (name, str(e).strip().splitlines()[-1][:90]))
        draw(o, db, func, target)


def draw(o, db, func, target):
    """Random decisions of the design spaces, postprocessors applied; the times are invented."""
    import tvm
    from tvm import meta_schedule as ms

    mod = tvm.IRModule({"main": func.with_attr("global_symbol", "main")})
    context = ms.TuneContext(mod=mod, target=target, space_generator="post-order-apply", task_name="main", rand_state=1,
                             num_threads=1)
    spaces, n = context.generate_design_space(), 0
    workload = db.commit_workload(context.mod)
    for seed in range(8 * o.trials):
        try:
            sch = tvm.tir.Schedule(context.mod, seed=seed + 1)
            trace = spaces[seed % len(spaces)].trace
            tvm.tir.schedule.Trace(trace.insts, {}).apply_to_schedule(sch, remove_postproc=True)
            sch.enter_postproc()
            if not all(p.apply(sch) for p in context.space_generator.postprocs):
                continue
        except Exception:  # as above
            continue
        args = ms.arg_info.ArgInfo.from_prim_func(func)
        db.commit_tuning_record(ms.database.TuningRecord(sch.trace, workload, [1e-3 + 1e-6 * n], target, args))
        n += 1
        if n == o.trials:
            return


# ---- programs as lists of (depth, what) ----


def tvm_program(line, workloads):
    from tvm import meta_schedule as ms
    from tvm import tir

    workload = ms.database.Workload.from_json(workloads[line[0]])
    record = ms.database.TuningRecord.from_json(line[1], workload)
    sch = tir.Schedule(workload.mod)
    record.trace.apply_to_schedule(sch, remove_postproc=False)
    kinds = {0: "for", 1: "parallel", 2: "vectorize", 3: "unroll"}
    out = []

    def walk(stmt, depth):
        if isinstance(stmt, tir.SeqStmt):
            for s in stmt.seq:
                walk(s, depth)
        elif isinstance(stmt, tir.For):
            pragma = int(stmt.annotations.get("pragma_auto_unroll_max_step", 0))
            begin, extent = len(out), int(stmt.extent)
            if extent > 1 or pragma:
                out.append((depth, "%s %d%s" % (kinds[int(stmt.kind)], extent, " unroll %d" % pragma if pragma else "")))
                depth += 1
            walk(stmt.body, depth)
            if len(out) == begin + 1 and out[begin][1] != "block":
                out.pop()  # it held nothing but the copy of a weight
        elif isinstance(stmt, tir.BlockRealize):
            if stmt.block.name_hint == "root":
                walk(stmt.block.body, depth)
            elif "meta_schedule.layout_rewrite_preproc" not in stmt.block.annotations:
                out.append((depth, "block"))
        else:
            raise ValueError(type(stmt))

    walk(sch.mod["main"].body, 0)
    return out


def our_program(o, task, steps):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        f.write(steps)
        f.flush()
        text = landscape.ask_raingauge(o, "show", task, "--steps", f.name, "--dump=nest")[1]
    out, around = [], []  # around: (indent, is it a loop) of what the row is in
    for row in text.splitlines()[3:]:
        indent, row = len(row) - len(row.lstrip()), row.strip()
        around = [x for x in around if x[0] < indent]
        depth = sum(is_loop for _, is_loop in around)
        loop = re.fullmatch(r"(for|parallel|vectorize|unroll) .* < (\d+)(?:, auto_unroll (\d+))?", row)
        if loop:
            kind, extent, pragma = loop.groups()
            out.append((depth, "%s %s%s" % (kind, extent, " unroll " + pragma if int(pragma or 0) else "")))
        elif not re.match(r"(arg|alloc|if) ", row):
            out.append((depth, "block"))
        around.append((indent, bool(loop)))
    return out


def imported(o, folder, line):
    """One record, imported by itself. -> (task, steps), or None and the reason."""
    with tempfile.TemporaryDirectory(prefix="raingauge-metaschedule.") as place:
        shutil.copytree(o.experiments, place + "/experiments")
        os.mkdir(place + "/db")
        shutil.copy(folder + "/database_workload.json", place + "/db")
        tvmpeer.write(place + "/db/database_tuning_record.json", line)
        done = subprocess.run([o.raingauge, "import", "db"], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True)
        if done.returncode:
            return None, re.sub(r"^.*?:1: (kernel '.*?': )?", "", done.stderr.splitlines()[0])
        db = sqlite3.connect("file:%s/results/db/records.db?mode=ro" % place, uri=True)
        return db.execute("SELECT spec, steps FROM trial JOIN task USING(cell, task)").fetchone(), None


def check(o, tap, folder):
    with open(folder + "/database_workload.json") as f:
        workloads = [json.loads(line) for line in f]
    with open(folder + "/database_tuning_record.json") as f:
        lines = f.read().splitlines()
    taken, equal, why = 0, 0, collections.Counter()
    for i, line in enumerate(lines):
        ours, reason = imported(o, folder, line)
        if ours is None:
            why[re.sub(r"\d+", "N", reason)] += 1
            continue
        taken += 1
        theirs, mine = tvm_program(json.loads(line), workloads), our_program(o, *ours)
        equal += theirs == mine
        if theirs != mine:
            print("# %s:%d\n# %s\n# %s" % (folder, i + 1, theirs, mine))
    tap.say(taken > 0 and equal == taken, "%s: of %d records %d are taken, %d with TVM's loops"
            % (os.path.basename(folder), len(lines), taken, equal))
    for reason, n in why.most_common():
        print("# %d left out: %s" % (n, reason[:110]))


def main():
    o = options()
    tap = tvmpeer.Tap()
    with tempfile.TemporaryDirectory(prefix="raingauge-metaschedule.") as scratch:
        keep = o.keep or scratch
        for name in o.kernel or ([] if o.folders else KERNELS):
            os.makedirs(os.path.join(keep, name))
            tune(o, name, os.path.join(keep, name))
            o.folders.append(os.path.join(keep, name))
        for folder in o.folders:
            check(o, tap, folder.rstrip("/"))
    print("1..%d" % tap.n)
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
