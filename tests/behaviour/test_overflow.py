"""Overflow and NaN, silently: a PyTorch program does not get NumPy's warnings."""

import subprocess
import sys

import numpy as np
import pytest

PROGRAM = """
import {name} as torch
big, inf = torch.tensor([3e38], requires_grad=True), torch.tensor([float("inf")])
sums = [big + big, big - -big, big * 10, big * big, inf - inf, inf * 0]
torch.stack(sums).sum().backward()
sums.append(torch.tensor([3e38]))
sums[-1].add_(sums[-1])
sums.append(torch.tensor([3e38]).mul_(10))
weight, bias = torch.full((1, 2), 10.0), torch.tensor([-inf.item()])
sums.append(torch.nn.functional.linear(torch.tensor([[3e38, 3e38]]), weight, bias))
print([each.item() for each in sums], big.grad)
"""
NUMPY = """
import {name}, numpy
numpy.float32(3e38) * numpy.ones(1, "float32") * 10
"""


def run(torch, program, *options):
    command = [sys.executable, *options, "-c", program.format(name=torch.__name__)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("options", [(), ("-W", "error")], ids=["warnings", "errors"])
def test_nothing_is_said_of_overflow(torch, options):
    result = run(torch, PROGRAM, *options)
    assert result.stderr == ""
    assert result.stdout == "[inf, inf, inf, inf, nan, nan, inf, inf, nan] tensor([inf])\n"


def test_the_programs_own_numpy_still_speaks(torch):
    assert "overflow encountered in multiply" in run(torch, NUMPY).stderr


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_small_tensors_ignore_flags_without_asking_numpy_each_time(torch, monkeypatch):
    torch.rand(1)  # NumPy loads what it draws with
    monkeypatch.setattr(np, "errstate", lambda **settings: pytest.fail("1 us for what takes 0.13"))
    x = torch.tensor([1e30, 1.0])
    assert x.half().tolist() == [float("inf"), 1.0]
    assert (x * 1e300).tolist() == (x + 2e300).tolist() == [float("inf")] * 2
    assert torch.rand(3, dtype=torch.float16).dtype is torch.float16


def test_the_programs_own_state_of_flags_stays(torch):
    with np.errstate(over="raise"):
        assert torch.tensor([1e30]).half().item() == float("inf")
        with pytest.raises(FloatingPointError):
            np.float32(3e38) * np.ones(1, "float32") * 10
