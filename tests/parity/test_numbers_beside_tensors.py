"""Numbers that the dtype of the tensors beside them cannot hold are refused where PyTorch makes elements of them."""

import math

import pytest

import rushlight
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules

# By the operator whose declaration says so: calls with a number `n`, of a tensor `x` and a matrix `m` of its dtype.
CALLS = {
    "add": ["t.add(x, x, alpha=n)", "x.add(x, alpha=n)", "x.add_(x + 1, alpha=n)", "x.add(2, alpha=n)"],
    "sub": ["t.sub(x, x, alpha=n)", "x.sub_(x + 1, alpha=n)"],
    "rsub": ["t.rsub(x, x, alpha=n)"],
    "addmv": ["t.addmv(m[0], m, m[1], beta=n)", "t.addmv(m[0], m, m[1], alpha=n)", "m[0].addmv_(m + 1, m[1], beta=n)"],
    "addr": ["t.addr(m, m[0], m[1], beta=n)", "t.addr(m, m[0], m[1], alpha=n)", "m.addr_(m[0] + 1, m[1] + 1, alpha=n)"],
    "clamp_min": ["x.clamp_min(n)", "x.clamp_min_(n)", "x.to(t.int32).clamp_min(n)"],
    "clamp_max": ["x.clamp_max(n)", "x.clamp_max_(n)", "t.clamp_max(x, n)"],
    "clamp_to_numbers": ["x.clamp(n, n)", "x.clamp(max=n)", "x.clamp_(min=n)", "x.clamp_(max=n)", "t.clip(x, n)"],
    "pow": ["x.pow(n)", "x ** n", "t.pow(x, n)", "x.pow_(n)", "t.float_power(x, n)", "t.pow(n, x)"],
    "hardshrink": ["f.hardshrink(x, n)", "x.hardshrink(n)"],
    "hardtanh": ["f.hardtanh(x, 0, n)", "f.hardtanh_(x, 0, n)", "f.hardtanh(x, n, n)"],
    "logit": ["t.logit(x, n)", "x.logit_(n)"],
    "threshold": ["f.threshold(x, 0, n)", "f.threshold_(x, 0, n)", "f.threshold(x, n, 0)"],
    "histc": ["t.histc(x * 1.0, 3, 0, abs(n))"],
    "scatter_value": ["x.scatter(0, t.tensor([1]), n)", "x.scatter_(0, t.tensor([1]), n)"],
    # What takes such numbers, or hands them on.
    "elu": ["f.elu(x, n)", "f.elu_(x, n)"],
    "celu": ["f.celu(x, n)"],
    "leaky_relu": ["f.leaky_relu(x, n)"],
    "addmm": ["t.addmm(m, m, m, alpha=n)"],
    "mul": ["x * n", "x.mul_(n)", "x + n", "x - n", "x / n", "x == n", "x < n"],
    "rrelu": ["f.rrelu(x, 0.1, n)", "f.rrelu(x, n, 0.5)"],
    "multi_margin_loss": ["f.multi_margin_loss(m, t.zeros(len(m), dtype=t.int64), margin=n)"],
    "hinge_embedding_loss": ["f.hinge_embedding_loss(x, x, margin=n)"],
    "normalize": ["f.normalize(m, eps=n)"],
}
NUMBERS = {
    "float16": (1e5, -70000, 65505.0, 65504.0, 1e39),
    "bfloat16": (1e39, -3.39e38, 1e5),
    "float32": (1e39, -1e39, 3e38, 2**63),
    "float64": (1e39,),
    "uint8": (300, 255),
    "int8": (300, -200, 127),
    "int32": (2**40,),
}


def outcome(torch, text, kind, number, size):
    """The type and first line of an error, or the dtype of a result."""
    x = torch.linspace(0, 1, size).to(getattr(torch, kind))
    m = torch.linspace(0, 1, size * 2).to(x.dtype).reshape(2, size) if "mv" not in text and "addr" not in text else None
    m = torch.linspace(0, 1, 4).to(x.dtype).reshape(2, 2) if m is None or "addmm" in text else m
    try:
        return str(eval(text, {"t": torch, "f": torch.nn.functional, "x": x, "m": m, "n": number}).dtype)
    except (RuntimeError, TypeError, ValueError, OverflowError) as error:
        return type(error).__name__, str(error).splitlines()[0]


@pytest.mark.parametrize("size", [4, 5000])
@pytest.mark.parametrize("name", CALLS)
def test_refused_or_taken(name, size, pytorch):
    for text in CALLS[name]:
        for kind, numbers in NUMBERS.items():
            for number in (*numbers, math.inf, 0.5) if "float" in kind else numbers:
                words = f"{text} of {kind}, n = {number}"
                assert outcome(rushlight, text, kind, number, size) == outcome(pytorch, text, kind, number, size), words


def test_every_declaration_is_called():
    lazy_modules.load_all()
    assert {op.name for op in OPS.values() if op.casts_scalar} <= CALLS.keys()


def test_nothing_has_been_written(pytorch):
    for torch in (rushlight, pytorch):
        x = torch.ones(4)
        with pytest.raises(RuntimeError, match="value cannot be converted to type float without overflow"):
            x.clamp_min_(1e39)
        assert x.tolist() == [1.0] * 4 and x._version == 0


ROUNDED = [
    "t.add(x, y, alpha=0.125)", "f.hardshrink(x, n)", "f.threshold(x, n, 0.1234)", "f.hardtanh(x, -n, n)",
    "x.clamp(-n, n)", "x.abs().pow(1.234)", "x.index_add(0, t.arange(len(x)), y, alpha=0.125)",
    # Those that are numbers of float32 beside halves.
    "f.elu(x, 0.1234)", "f.elu_(x.clone(), 0.1234)", "f.softshrink(x, n)", "f.leaky_relu(x, 0.1234)",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("text", ROUNDED)
def test_numbers_beside_halves_have_as_many_digits(text, kind, pytorch):
    for size in (200, 5000):
        for near in (0.3, 0.7001, 1.2345):  # and the halves next to them
            result, expected = (rounded(torch, text, kind, size, near) for torch in (rushlight, pytorch))
            assert result == expected


def rounded(torch, text, kind, size, number):
    x = torch.linspace(-3, 3, size, dtype=torch.float64)
    x[:4] = torch.tensor([number, -number, number * 1.001, number * 0.999], dtype=torch.float64)
    x = x.to(getattr(torch, kind))
    return eval(text, {"t": torch, "f": torch.nn.functional, "x": x, "y": x.flip(0), "n": number}).tolist()
