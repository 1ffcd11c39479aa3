# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own exports beside `raingauge import` (onnx_torch.py [NETWORK...]). Needs torch, torchvision and onnx.

Five of torchvision's networks, exported with a softmax behind them, must give the kernels of the committed files, which
are from the authors' records: all keys but blocks, which are the authors' best ones, and the order. With batch
normalisations left unfolded the parameters that folding takes away must be those of the files, too. Of the other networks
99 % of the multiply-adds must be in kernels, and each must be tuned on target fake. Prints TAP. RAINGAUGE is the program.
"""
import json, os, re, shutil, subprocess, sys, tempfile, time, warnings

try:
    import torch, torchvision, onnx  # noqa: F401 (onnx is what torch.onnx needs)
except ImportError as reason:
    print(f"TAP version 13\n1..0 # SKIP {reason}")
    sys.exit(0)

BLOCKS = {"cib", "cob", "cb"}
COMMITTED = {"alexnet": "alexnet", "resnet18": "resnet18", "mobilenet_v2": "mobilenet_v2",
             "squeezenet1_1": "squeezenet", "densenet121": "densenet121"}
# Network, opset: the exporter of TorchScript; with "+" that of torch.export.
OTHERS = """efficientnet_b0 17, convnext_tiny 11, convnext_tiny 17, vit_b_16 17, vit_b_16 18+, swin_t 17, swin_t 18+,
    regnet_y_400mf 17, resnext50_32x4d 17, mobilenet_v3_small 17, deeplabv3_resnet50 17, decoder 17, resnet18 11,
    resnet18 20+, efficientnet_b0 20+"""
program = os.path.abspath(os.environ.get("RAINGAUGE", "build/raingauge"))
points = failed = 0


class Decoder(torch.nn.Module):
    """Two layers of a transformer's decoder, with causal attention and attention to 48 encoded tokens."""

    def __init__(self):
        super().__init__()
        layer = torch.nn.TransformerDecoderLayer(256, 8, 1024, batch_first=True, activation="gelu")
        self.embed, self.layers = torch.nn.Embedding(1000, 256), torch.nn.TransformerDecoder(layer, 2)
        self.head = torch.nn.Linear(256, 1000)

    def forward(self, tokens, memory):
        n = tokens.shape[1]
        mask = torch.triu(torch.full((n, n), float("-inf")), 1)
        return self.head(self.layers(self.embed(tokens), memory, tgt_mask=mask))


def network(name):
    if name == "decoder":
        return Decoder(), (torch.randint(0, 1000, (1, 64)), torch.randn(1, 48, 256))
    image = (torch.randn(1, 3, 224, 224),)
    if name == "deeplabv3_resnet50":
        return torchvision.models.segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None), image
    return getattr(torchvision.models, name)(weights=None), image


def export(name, opset, path, softmax=False, unfolded=False, new=False):
    torch.manual_seed(0)
    model, arguments = network(name)
    model = torch.nn.Sequential(model, torch.nn.Softmax(1)).eval() if softmax else model.eval()
    more = dict(training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False) if unfolded else {}
    torch.onnx.export(model, arguments, path, opset_version=opset, dynamo=new, **more)


def point(held, text, why=""):
    global points, failed
    points, failed = points + 1, failed + (not held)
    print(f"{'ok' if held else 'not ok'} {points} - {text}" + (f"\n# {why}" if why else ""), flush=True)


def kernels(path):
    """The rows of a network's file without blocks, sorted; and its totals."""
    text, rows = open(path).read(), []
    for line in re.findall(r"^ *- \{(.*)\}$", text, re.M):
        row = {k: v for k, v in re.findall(r'(\w+): ("[^"]*"|[^,]+)', line) if k not in BLOCKS}
        if row["op"] == "depthwise_conv2d" and row.get("co") == row["ci"]:
            del row["co"]  # which is its default
        rows.append(sorted(row.items()))
    totals = dict(re.findall(r"^(kernels|calls|macs|params|params_left|input): ([^#\n]*[^# \n])", text, re.M))
    return sorted(rows), totals


def run(*command):
    done = subprocess.run([program, *command], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None, done.stderr.strip()


def compare(name, file, unfolded):
    model = f"{name}-{'un' if unfolded else ''}folded"
    export(name, 17, f"{model}.onnx", softmax=True, unfolded=unfolded)
    start = time.time()
    out, why = run("import", f"{model}.onnx", "--layout", "blocked")
    if out is None:
        return point(False, f"{model} is imported", why)
    seconds = time.time() - start
    got, want = kernels(f"experiments/networks/{model}.yaml"), kernels(f"{root}/experiments/networks/{file}.yaml")
    if not unfolded:  # the exporter folded what it could: there is no telling what it took away
        got[1].pop("params_left", None), want[1].pop("params_left", None)
    differ = [row for row in got[0] + want[0] if (row in got[0]) != (row in want[0])]
    point(got == want, f"{model} has the kernels and totals of {file}.yaml ({seconds:.2f} s)",
          f"{differ} {got[1]} {want[1]}" if got != want else "")


def try_import(name, opset, new):
    model = f"{name}_{opset}{'n' if new else ''}"
    export(name, opset, f"{model}.onnx", new=new)
    start = time.time()
    out, why = run("import", f"{model}.onnx", "--json")
    if out is None:
        return point(False, f"{model} is imported", why)
    n, seconds = json.loads(out), time.time() - start
    point(n["macs_share"] >= 0.99, f"{model}: {n['kernels']} kernels, {n['macs'] / 1e6:.1f} million multiply-adds, "
          f"{100 * n['macs_share']:.2f} % of them and {100 * n['flops_share']:.2f} % of the FLOPs in kernels "
          f"({seconds:.2f} s)", ", ".join(f"{row['operator']} {100 * row['flops_share']:.2f} %" for row in n["left"]
                                          if row["flops_share"] > 0))
    with open("experiments/tuned.yaml", "w") as f:
        f.write(f"experiment: tuned\ntitle: imported\nreport: race\nmachine: host\nnetworks: [{model}]\nseeds: 1\narms:\n")
        for searcher in "random", "ansor":
            f.write(f"  - {{name: {searcher}, searcher: {searcher}, model: random, scheduler: round_robin, "
                    "trials_per_kernel: 4, batch: 4}\n")
    shutil.rmtree("results", ignore_errors=True)
    out, why = run("run", "tuned", "--set", "target=fake")
    point(out is not None, f"{model} is tuned on target fake", "" if out is not None else why)


warnings.filterwarnings("ignore")
root, chosen = os.getcwd(), sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    shutil.copytree("experiments", f"{folder}/experiments")
    shutil.copytree("plots", f"{folder}/plots")
    os.chdir(folder)
    print("TAP version 13")
    for name, file in COMMITTED.items():
        for unfolded in (False, True) if not chosen or name in chosen else ():
            compare(name, file, unfolded)
    for words in (entry.split() for entry in OTHERS.split(",")):
        if not chosen or words[0] in chosen:
            try_import(words[0], int(words[1].rstrip("+")), words[1].endswith("+"))
    os.chdir(root)
print(f"1..{points}")
sys.exit(failed > 0)
