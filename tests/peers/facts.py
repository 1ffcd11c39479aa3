# SPDX-License-Identifier: Apache-2.0
"""facts: what TVM's LLVM IR of a schedule holds before LLVM's passes, in counts, beside ours.

    TVM_PYTHON tests/peers/facts.py --draw 3 --write tests/corpus/tvm_facts/facts.jsonl
        draws schedules of small kernels and notes the counts in TVM's IR. tests/unit/targets/tvm_facts.c holds ours
        against them, without TVM.
    TVM_PYTHON tests/peers/facts.py --records DIR
        prints which schedules that `landscape.sh --keep DIR` left differ, and in what.

Counted are the functions that hold the loops: TVM's default_function_compute_ and __tvm_parallel_lambda, our compute
and parallelN. Each kind of instruction on floats is counted by its number of vector elements.
"""
import argparse
import collections
import json
import os
import re
import sys

import landscape

# Kernels of the corpus: as landscape's, but small, since TVM unrolls what is small.
SMALL = {
    "matmul": "matmul n=32 m=48 k=24",
    "conv3x3": "conv2d ci=8 hi=10 wi=10 co=16 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1",
    "conv1x1": "conv2d ci=16 hi=7 wi=7 co=24 kh=1 kw=1 layout=nhwc bias=1 relu=1",
    "strided": "conv2d ci=4 hi=12 wi=12 co=8 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 layout=nhwc",
    "depthwise": "depthwise_conv2d ci=16 hi=14 wi=14 co=16 kh=3 kw=3 ph=1 pw=1 layout=nhwc",
    "depthwise-nchwc": "depthwise_conv2d ci=32 hi=9 wi=9 co=32 kh=3 kw=3 ph=1 pw=1 cib=8 cob=8 bias=1 relu=1",
    "maxpool": "pool2d c=16 hi=14 wi=14 cb=8 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=max",
    "softmax": "softmax h=12 c=40",
    "dense": "dense ci=64 co=40 bias=1",
    "batch-matmul": "batch_matmul b=4 n=8 m=12 k=16",
    "winograd": "winograd ci=4 hi=10 wi=10 co=8 ph=1 pw=1",
    "nchw": "conv2d ci=8 hi=10 wi=10 co=8 kh=3 kw=3 ph=1 pw=1 layout=nchw bias=1 relu=1",
    "nchwc": "conv2d ci=8 hi=10 wi=10 co=16 kh=3 kw=3 ph=1 pw=1 cib=4 cob=8 bias=1 relu=1",
}
FUNCTION = re.compile(r"^define [^@]*@(default_function_compute_|__tvm_parallel_lambda|compute|parallel)[.\d]*\(")
FLOATS = r"(?:[a-z]+ )*(?:<(\d+) x float>|float)(?=[ ,])"
VALUE = re.compile(r" = (fadd|fsub|fmul|fdiv|fcmp|load|phi|call) " + FLOATS + r"(?: @llvm\.(fmuladd|exp))?")
STACK = re.compile(r" = alloca " + FLOATS + r"(?:, i32 (\d+))?")
STORE = re.compile(r"^  store " + FLOATS)


def kind_of(line):
    """("load", 4) of a line of IR, or None"""
    if " = phi i32 " in line:
        return "loop", 0
    found = STORE.match(line)
    if found:
        return "store", int(found.group(1) or 1)
    found = STACK.search(line)
    if found:
        return "stack", int(found.group(1) or 1) * int(found.group(2) or 1)
    found = VALUE.search(line)
    if not found:
        return None
    name = found.group(3) if found.group(1) == "call" else found.group(1)
    return name and (name, int(found.group(2) or 1))


def facts(ll):
    """"fmuladd4=1 load4=2 loop0=8": counts in LLVM IR, what is not there left out. phi: an if_then_else.
    stack: a tensor on the stack, by its number of elements."""
    out, inside = collections.Counter(), False
    for line in ll.splitlines():
        if line.startswith("define"):
            inside = bool(FUNCTION.match(line))
        elif inside:
            out[kind_of(line)] += 1
    return " ".join("%s%d=%d" % (*key, n) for key, n in sorted((k, n) for k, n in out.items() if k))


def options():
    p = argparse.ArgumentParser(prog="facts.py", description=__doc__.splitlines()[0])
    p.add_argument("--draw", type=int, metavar="N", help="random schedules of each small kernel")
    p.add_argument("--write", metavar="FILE", help="where the drawn go (default: stdout)")
    p.add_argument("--records", metavar="DIR", help="compare TVM's record lines DIR/KERNEL.jsonl instead")
    p.add_argument("--kernel", action="append", choices=sorted(SMALL))
    p.add_argument("--index", type=int, action="append", help="only these lines of a file of records")
    p.add_argument("--dump", metavar="DIR", help="keep both sides' IR there")
    p.add_argument("--seed", type=int, default=1)
    o = p.parse_args()
    o.raingauge, o.mcpu = os.environ.get("RAINGAUGE", "build/release/raingauge"), "haswell"
    o.kernels, o.population = o.kernel or list(SMALL), 1
    return o


def their_ir(tvm, state):
    """IR of one schedule as TVM's code generator leaves it, no pass of LLVM run."""
    tvm.target = tvm.tvm.target.Target(str(tvm.target).replace(" -opt-level=0", "") + " -opt-level=0")
    return tvm.build(state).get_source("ll")


def compare(o, tvm, name, label, state, steps):
    """-> TVM's facts; says where ours differ."""
    ir = their_ir(tvm, state)
    theirs, mine = facts(ir), landscape.our_text(o, landscape.KERNELS[name], steps, "emitted")
    ours = facts(mine)
    one, other = theirs.split(), ours.split()
    differ = "TVM %s, ours %s" % (" ".join(x for x in one if x not in other), " ".join(x for x in other if x not in one))
    print("%-16s %-5s %s" % (name, label, "same" if one == other else differ), file=sys.stderr, flush=True)
    if o.dump:
        os.makedirs(o.dump, exist_ok=True)
        for side, text in (("tvm.ll", ir), ("ours.ll", mine)):
            with open("%s/%s.%s.%s" % (o.dump, name, label, side), "w") as f:
                f.write(text)
        schedule, tensors = tvm.task.compute_dag.apply_steps_from_state(state)
        with open("%s/%s.%s.tir" % (o.dump, name, label), "w") as f:
            f.write(tvm.tvm.lower(schedule, tensors).script())
    return theirs


def records(o, name):
    """Compares TVM's record lines of one kernel. -> (of how many, how many differ)"""
    path = "%s/%s.jsonl" % (o.records, name)
    if not os.path.exists(path):
        return
    tvm = landscape.Tvm(o, name)
    with open(path) as f:
        lines = f.readlines()
    for at, (found, _) in enumerate(tvm.auto.load_records(path)):
        if not o.index or at in o.index:
            state = tvm.auto.measure.recover_measure_input(found, rebuild_state=True).state
            compare(o, tvm, name, str(at), state, landscape.steps_of(lines[at]))


def draw(o, name, out):
    tvm, path = landscape.Tvm(o, name), "%s.block" % (o.write or "facts")
    states = tvm.draw_random(o.draw)
    tvm.save(path, states)
    with open(path) as f:
        steps = [landscape.steps_of(line) for line in f]
    os.remove(path)
    for at, state in enumerate(states):
        line = {"task": landscape.KERNELS[name], "steps": steps[at],
                "facts": compare(o, tvm, name, str(at), state, steps[at])}
        out.write(json.dumps(line, separators=(",", ":")) + "\n")


def main():
    o = options()
    if o.records:
        for name in o.kernels:
            records(o, name)
        return
    landscape.KERNELS.update(SMALL)
    out = open(o.write, "w") if o.write else sys.stdout
    for name in o.kernels:
        draw(o, name, out)


if __name__ == "__main__":
    main()
