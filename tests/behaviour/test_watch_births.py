"""Every kind of kernel, with large arrays and small ones: a NaN or infinity that it makes is told, with its line.

The programs run in one process of their own, for machine code that has come in stays.
"""

import json
import subprocess
import sys

import pytest

pytest.importorskip("llvmlite", reason="without the extra `jit` there is no machine code")

# What is computed, in numbers so large that finite ones overflow: (what stands before it, the expression, its name).
LARGEST = {
    "elementwise": ("x = torch.full((N, N), 100.0)", "torch.exp(x)", "exp(100) is inf"),
    "sum of two": ("x = torch.full((N, N), BIG)", "x + x", "add(3e+38, 3e+38) is inf"),
    "special": ("x = torch.zeros(N, N)", "torch.lgamma(x)", "lgamma(0) is inf"),
    "sum": ("x = torch.full((N, N), BIG)", "x.sum(1)", "sum("),
    "mean": ("x = torch.full((N, N), BIG)", "x.mean()", "mean("),
    "variance": ("x = torch.randn(N, N) * 1e30", "x.var()", "var("),
    "running sum": ("x = torch.full((N, N), BIG)", "x.cumsum(1)", "cumsum("),
    "masked row": ("x = torch.zeros(N, N).masked_fill(torch.ones(N, N) > 0, -INF)", "x.softmax(1)", "softmax("),
    "masked by what was filled": (
        "m = torch.full_like(torch.ones(N, N), -INF)\nx = torch.ones(N, N)",
        "(x + m).softmax(1)",
        "softmax(",
    ),
    "masked column": ("x = torch.zeros(N, N).masked_fill(torch.ones(N, N) > 0, -INF)", "x.log_softmax(0)", "log_soft"),
    "layer norm": ("x = torch.ones(N, N)", "F.layer_norm(x, (N,), eps=0.0)", "layer_norm("),
    "group norm": ("x = torch.ones(8, 16, N, N // 2)", "F.group_norm(x, 4, eps=0.0)", "group_norm("),
    "batch norm": (
        "x = torch.ones(8, 16, N, 9)",
        "F.batch_norm(x, torch.zeros(16), torch.zeros(16), eps=0.0)",
        "batch_norm(",
    ),
    "cross entropy": (
        "x = torch.full((N, N), BIG)\nx[:, 0] = -BIG\ny = torch.zeros(N, dtype=torch.int64)",
        "F.cross_entropy(x, y)",
        "log_softmax(",
    ),
    "squared error": ("x = torch.full((N, N), 1e30)", "F.mse_loss(x, torch.zeros(N, N))", "mse_loss("),
    "product": ("x = torch.full((N, N), 1e30)", "x @ x", "matmul("),
    "batched product": ("x = torch.full((4, N, N), 1e30)", "torch.bmm(x, x)", "bmm("),
    "linear": ("x = torch.full((N, N), 1e30)", "F.linear(x, x, torch.zeros(N))", "linear("),
    "convolution": (
        "x = torch.full((8, 16, N, 9), 1e30)",
        "F.conv2d(x, torch.full((16, 16, 3, 3), 1e30))",
        "convolution(",
    ),
    "attention": ("x = torch.full((2, 4, N, 64), 1e30)", "F.scaled_dot_product_attention(x, x, x)", "is nan"),
    "transform": ("x = torch.full((N, N), BIG)", "torch.fft.rfft(x).real", "fft"),
    "determinant": ("x = torch.diag(torch.full((N,), 1e250, dtype=torch.float64))", "torch.linalg.det(x)", "det("),
    "cast": ("x = torch.full((N, N), 1e5)", "x.half()", "is inf"),
    "small floats": ("x = torch.full((N, N), 6e4, dtype=torch.float16)", "x * x", "mul(6e+04, 6e+04) is inf"),
    "scattered sum": ("x = torch.full((N, N), BIG)", "torch.zeros(N, N).index_add(0, torch.zeros(N).long(), x)", "add"),
    "written in place": ("z = torch.full((N, N), BIG)", "z.mul_(10.0)", "mul"),
}
# What is differentiated, with a gradient so large that its derivatives overflow, and the name of the step.
SLOPES = {
    "elementwise": ("x = torch.full((N, N), 50.0)", "x.exp()", "exp()"),
    "softmax": ("x = torch.zeros(N, N)\ng = torch.full((N, N), -BIG)\ng[:, 0] = BIG", "x.softmax(1)", "softmax()"),
    "log softmax": ("x = torch.zeros(N, N)", "x.log_softmax(1)", "log_softmax()"),
    "log softmax by column": ("x = torch.zeros(N, N)", "x.log_softmax(0)", "log_softmax()"),
    "layer norm": ("x = torch.randn(N, N)", "F.layer_norm(x, (N,))", "layer_norm"),
    "batch norm": (
        "x = torch.randn(8, 16, N, 9) * 1e-3\ng = torch.full((8, 16, N, 9), -BIG)\ng[0] = BIG",
        "F.batch_norm(x, None, None, training=True)",
        "batch_norm",
    ),
    "group norm": ("x = torch.randn(8, 16, N, 9)", "F.group_norm(x, 4)", "group_norm"),
    "cross entropy": (
        "x = torch.randn(N, N)\ny = torch.zeros(N, dtype=torch.int64)\ng = torch.full((N,), BIG)",
        "F.cross_entropy(x * 1e9, y, reduction='none')",
        "mul()",
    ),
    "product": ("x = torch.ones(N, N)", "x @ x", "mm()"),
    "linear": ("x = torch.ones(N, N)", "F.linear(x, torch.ones(N, N), torch.zeros(N))", "linear()"),
    "convolution": ("x = torch.ones(8, 16, N, 9)", "F.conv2d(x, torch.ones(16, 16, 3, 3))", "convolution()"),
    "its weight": ("x = torch.ones(16, 16, 3, 3)", "F.conv2d(torch.ones(8, 16, N + 4, 9), x)", "convolution()"),
    "pooling": ("x = torch.randn(8, 16, N, 9)", "F.max_pool2d(x, 3, stride=1)", "max_pool"),
    "attention": ("x = torch.randn(2, 4, N, 64)", "F.scaled_dot_product_attention(x, x, x)", "is"),
    "LSTM": ("x = torch.randn(16, 32, 64)\nl = nn.LSTM(64, 64)", "l(x)[0]", "lstm"),
    "GRU": ("x = torch.randn(16, 32, 64)\nl = nn.GRU(64, 64)", "l(x)[0]", "gru"),
    "running sum": ("x = torch.ones(N, N)", "x.cumsum(1)", "cumsum()"),
    "embedding": ("x = torch.ones(N, N)", "F.embedding(torch.zeros(N, dtype=torch.int64), x)", "embedding"),
    "gather": ("x = torch.ones(N, N)", "x.gather(0, torch.zeros(N, N, dtype=torch.int64))", "gather()"),
    "sum over what was expanded": ("x = torch.ones(N, 1)", "x + torch.zeros(N, N)", "add()"),
    "sum where two meet": ("x = torch.ones(N, N)", "x + x", "add()"),
    "transform": ("x = torch.zeros(N, N)", "torch.fft.rfft(x).real", "is"),
    "small floats": (
        "x = torch.full((N, N), 10.0, dtype=torch.float16)\ng = torch.full((N, N), 6e4).half()",
        "x * x",
        "mul()",
    ),
}
# Correct programs in which infinities come and go, or kernels overflow and mend it.
SILENT = {
    "a mask": "x.masked_fill(x > 0.5, -INF).softmax(1)",
    "a mask in attention": "F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(N, N).tril() > 0)",
    "large exponents": "torch.logsumexp(x * 1e30, 1) + F.softplus(x * 1e30).sum() + torch.sigmoid(x * -1e30).sum()",
    "what is mended": "torch.nan_to_num(torch.log(x.detach() * 0), neginf=0.0) * x",
    "what is not chosen": "torch.where(x > 2, (x.detach() - x.detach()).log(), x)",
    "a length": "x / x.norm(dim=1, keepdim=True)",
    "a normalized constant": "F.layer_norm(x.detach() * 0 + 1, (N,)) * x",
}
STEPS = {"SGD": "lr=1e38", "Adam": "lr=1e39", "AdamW": "lr=1e39", "RMSprop": "lr=1e39", "Adagrad": "lr=1e39"}

BEFORE = """
import torch
import torch.nn.functional as F
from torch import nn
N, BIG, INF = {size}, 3e38, float("inf")
torch.manual_seed(0)
"""
TRACKED = """
with torch.no_grad():
    {before}
x = globals().get("x", torch.ones(())).requires_grad_(x.is_floating_point() if "x" in globals() else False)
y = {expression}  # born
(y * torch.ones((), requires_grad=True)).sum().backward()
"""
UNTRACKED = """
{before}
y = {expression}  # born
(torch.ones(y.shape, requires_grad=True) * y).sum().backward()
"""
BACKWARD = """
{before}
x.requires_grad_()
y = {expression}  # born
y.backward(globals().get("g", torch.full(y.shape, BIG)))
"""
QUIETLY = """
x = torch.rand(N, N, requires_grad=True)
optimizer = torch.optim.Adam([x], lr=1e-3)
for _ in range(3):
    optimizer.zero_grad()
    ({expression}).sum().backward()
    optimizer.step()
"""
STEP = """
w = torch.ones(N, N, requires_grad=True)
optimizer = torch.optim.{name}([w], {options})
for _ in range(3):
    loss = (w * 1e2).mean() * 1e8
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # born
"""
RUN = """
import json, sys
import rushlight
from rushlight.core.policy import notice
from rushlight.explain.watch.trap_programs import findings_in
found = {}
for name, program in json.load(sys.stdin).items():
    if name.startswith("large"):
        notice()
    if name.startswith("few"):
        sys.modules["rushlight.core.policy"].Warmup.ends = lambda self, size: True
    found[name] = [[each.kind, each.line, each.text] for each in findings_in(program, f"<{name}>")]
json.dump(found, sys.stdout)
"""
SIZES = {"small": 8, "large": 256, "few": 8}


def programs():
    """The programs by name, the small ones first: afterwards there is machine code, in the end for few numbers too."""
    for size, number in SIZES.items():
        before = BEFORE.format(size=number)
        for name, (setup, expression, _) in LARGEST.items():
            yield f"{size} {name}", before + UNTRACKED.format(before=setup, expression=expression)
        for name, (setup, expression, _) in LARGEST.items():
            if name != "written in place":
                inner = setup.replace("\n", "\n    ")
                yield f"{size} {name} recorded", before + TRACKED.format(before=inner, expression=expression)
        for name, (setup, expression, _) in SLOPES.items():
            yield f"{size} {name} backward", before + BACKWARD.format(before=setup, expression=expression)
        for name, expression in SILENT.items():
            yield f"{size} silent {name}", before + QUIETLY.format(expression=expression)
        for name, options in STEPS.items():
            yield f"{size} {name} step", before + STEP.format(name=name, options=options)


PROGRAMS = dict(programs())
# Sums and products of small tensors are computed past NumPy's error state: without a history nothing is left of them.
QUIET = {f"{size} {name}" for size in ("small", "few") for name in ("sum of two", "written in place")}


@pytest.fixture(scope="module")
def findings():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN], input=json.dumps(PROGRAMS), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def born(program):
    (line,) = [number for number, text in enumerate(program.splitlines(), 1) if text.endswith("# born")]
    return line


@pytest.mark.parametrize("name", [each for each in PROGRAMS if " silent " in each])
def test_correct_programs_are_reported_nothing(findings, name):
    assert findings[name] == []


@pytest.mark.parametrize("name", [each for each in PROGRAMS if each not in QUIET and " silent " not in each])
def test_the_operation_and_its_line_are_reported(findings, name):
    ((kind, line, text),) = [each for each in findings[name] if each[0] == "nan"]
    assert line == born(PROGRAMS[name]), text
    _, _, rest = name.partition(" ")
    table = SLOPES if rest.endswith(" backward") else LARGEST
    key = rest.removesuffix(" backward").removesuffix(" recorded")
    if key.endswith(" step"):
        assert f"since the last {key.removesuffix(' step')}.step()" in text
    else:
        assert "It began here: " in text and table[key][2] in text
