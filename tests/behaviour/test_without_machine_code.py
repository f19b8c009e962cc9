"""What a program does where the extra `jit` is not installed, on arrays that are large enough to ask for it.

The stories run in a process of their own that finds no llvmlite; where PyTorch is installed, beside it.
"""

import importlib.util
import subprocess
import sys

import numpy as np

LARGE = (200, 200)  # more than 1 << 15 elements

OPTIMIZERS = {
    "ASGD": {}, "Adadelta": {}, "Adafactor": {}, "Adagrad": {}, "Adam": {"amsgrad": True}, "AdamW": {}, "Adamax": {},
    "LBFGS": {"max_iter": 3}, "Muon": {}, "NAdam": {}, "RAdam": {}, "RMSprop": {"momentum": 0.9}, "Rprop": {},
    "SGD": {"momentum": 0.9, "nesterov": True},
}  # fmt: skip

LAYERS = {
    "Linear(200, 100)": LARGE, "Conv1d(8, 16, 3)": (16, 8, 300), "Conv2d(8, 16, 3, padding=1)": (8, 8, 32, 32),
    "Conv2d(8, 8, 5, stride=2, groups=8)": (8, 8, 32, 32), "ConvTranspose2d(8, 8, 3, stride=2)": (4, 8, 32, 32),
    "BatchNorm2d(8)": (8, 8, 32, 32), "LayerNorm(200)": LARGE, "GroupNorm(4, 8)": (8, 8, 32, 32),
    "RMSNorm(200)": LARGE, "MaxPool2d(2)": (8, 8, 32, 32), "AvgPool2d(2)": (8, 8, 32, 32),
    "AdaptiveAvgPool2d(5)": (8, 8, 32, 32), "AdaptiveMaxPool2d(5)": (8, 8, 32, 32), "LSTM(32, 32, 2)": (40, 32, 32),
    "GRU(32, 32)": (40, 32, 32), "RNN(32, 32)": (40, 32, 32), "TransformerEncoderLayer(32, 4, 64, 0.0)": (40, 32, 32),
    "Dropout(0.0)": LARGE, "Upsample(scale_factor=2, mode='bilinear')": (4, 4, 48, 48),
    "ReflectionPad2d(3)": (4, 4, 48, 48), "GELU()": LARGE, "SiLU()": LARGE, "Softplus()": LARGE, "PReLU()": LARGE,
    "Softmax(1)": LARGE, "LogSoftmax(0)": LARGE,
}  # fmt: skip

# Of `x` and `y`, both of LARGE, and integers `rows`.
FUNCTIONS = [
    "F.embedding(rows, x)", "F.embedding_bag(rows.reshape(-1, 4), x, mode='max')", "x[rows]",
    "x.gather(0, rows[None])", "F.scaled_dot_product_attention(x[None], y[None], y[None])",
    "torch.cdist(x, y, p=1.0)", "x @ y", "F.mse_loss(x, y)", "F.cross_entropy(x, rows)",
    "F.cross_entropy(x, y.softmax(1))", "F.binary_cross_entropy_with_logits(x, y.sigmoid())",
    "F.smooth_l1_loss(x, y)", "F.kl_div(x.log_softmax(1), y.softmax(1), reduction='sum')", "F.huber_loss(x, y)",
    "x.sum()", "x.mean(0)", "x.std(1)", "x.amax(0)", "x.max(1)[0]", "x.median(1)[0]", "x.logsumexp(0)",
    "(x / 9 + 1).prod(1)", "x.norm()", "x.cumsum(0)", "x.cumsum(1)", "(x / 9 + 1).cumprod(1)", "x.cummax(0)[0]",
    "x.logcumsumexp(1)",
    "x.sort(1)[0]", "x.topk(3, 0)[0]", "x.kthvalue(3, 1)[0]", "x.quantile(0.3, 1)", "torch.where(x > y, x, y)",
    "torch.cat([x, y]).flip(0)", "x.index_add(0, rows, y)", "x.scatter_add(1, rows.expand(200, 200), y)",
    "x.t().contiguous()", "x.half().float()",
]  # fmt: skip
OF_NUMBERS = [
    "argsort(stable=True)", "unique()", "bincount()", "nonzero()", "count_nonzero()", "cumsum(0)", "sum()", "msort()",
]  # fmt: skip


def numbers(torch, *shape):
    return torch.from_numpy(np.random.default_rng(len(shape)).standard_normal(shape, np.float32))


def stepped(torch, name, size, options):
    """A parameter after three steps."""
    param = torch.nn.Parameter(numbers(torch, *size))
    optimizer = getattr(torch.optim, name)([param], lr=0.01, **options)
    for number in range(3):
        param.grad = param.detach().cos() + number

        optimizer.step(lambda: param.detach().sin().sum())
    return param.detach()


def with_gradients(x, found):
    """A result, and the gradients of it times something that differs from element to element."""
    found = found[0] if isinstance(found, tuple) else found
    (found * found.detach().tanh()).sum().backward()
    return [found.detach(), x.grad]


def layer(torch, made, shape):
    module = eval(f"nn.{made}", {"nn": torch.nn})
    for each in module.parameters():
        each.data = numbers(torch, *each.shape) / 9
    x = numbers(torch, *shape).requires_grad_()
    return [*with_gradients(x, module(x)), *(each.grad for each in module.parameters())]


def function(torch, text):
    x = numbers(torch, *LARGE).requires_grad_()
    y, rows = numbers(torch, *LARGE).flip(1), torch.arange(200) * 7 % 50
    return with_gradients(x, eval(text, {"torch": torch, "F": torch.nn.functional, "x": x, "y": y, "rows": rows}))


def of_numbers(torch, text):
    return [eval(f"whole.{text}", {"whole": (numbers(torch, *LARGE).flatten() * 50).long().abs()})]


def results(torch):
    for name, options in OPTIMIZERS.items():
        for size in ((10, 4), LARGE):
            yield f"{name} {size}", [stepped(torch, name, size, options)]
    for made, shape in LAYERS.items():
        yield made, layer(torch, made, shape)
    for text in FUNCTIONS:
        yield text, function(torch, text)
    for name in OF_NUMBERS:
        yield name, of_numbers(torch, name)


def test_all_goes_without_machine_code():
    done = subprocess.run([sys.executable, "-W", "error", __file__], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["kernels:", "False"]


def test_compiled_functions_are_replayed_by_operators():
    program = """
import sys
sys.modules["llvmlite"] = None
import rushlight as torch
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def step(x):
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    return loss.detach()

def losses(step):
    with torch.no_grad():
        [parameter.fill_(0.5) for parameter in model.parameters()]
    return [step(torch.ones(4, 3)).item() for _ in range(5)]

assert losses(torch.compile(step)) == losses(step)
print(torch.compiler.report()["graph_breaks"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


def test_a_compiled_function_whose_guards_take_longer_runs_as_written():
    program = """
import sys
sys.modules["llvmlite"] = None
import rushlight as torch
settings = [{"rate": 1.0} for _ in range(100)]

@torch.compile
def scaled(x):
    for each in settings:
        if each["rate"] != 1.0:
            x = x * each["rate"]
    return x + 1

def replays(calls):
    assert all(scaled(torch.ones(2)).tolist() == [2.0, 2.0] for _ in range(calls))
    return torch.compiler.report()["replays"]

first = replays(100)
print(0 < first < 50, replays(100) == first)
settings[3]["rate"] = 5.0
print(scaled(torch.ones(2)).tolist())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "True True\n[6.0, 6.0]\n"), done.stderr


def compared():
    import rushlight

    theirs = iter(())
    if importlib.util.find_spec("torch"):
        import torch

        theirs = results(torch)
    for name, ours in results(rushlight):
        _, expected = next(theirs, (None, ours))
        for one, other in zip(ours, expected, strict=True):
            # Newton's iterations of Muon are in bfloat16, and enlarge what that rounds.
            close = {"rtol": 0.05, "atol": 0.005} if name.startswith("Muon") else {"rtol": 2e-3, "atol": 2e-4}
            np.testing.assert_allclose(one.numpy(), other.numpy(), **close, err_msg=name)


if __name__ == "__main__":
    sys.modules["llvmlite"] = None  # as if it were not there
    compared()
    print("kernels:", "rushlight.lower.install" in sys.modules)
