"""Tensors of inference mode next to PyTorch: made or used inside and outside, computed with, viewed, written to."""

import importlib
import itertools

import pytest

import rushlight

oracle = pytest.importorskip("torch")

SOURCES = {
    "leaf": lambda torch, requires: torch.ones(1, 2, 3, requires_grad=requires),
    "result": lambda torch, requires: torch.ones(1, 2, 3, requires_grad=requires).clone(),
    "view": lambda torch, requires: torch.ones(1, 2, 3, requires_grad=requires).clone().view(1, 2, 3),
}
USES = {
    "product": lambda torch, x: x * x,
    "view": lambda torch, x: x.view(-1),
    "index": lambda torch, x: x[0],
    "unbind": lambda torch, x: x.unbind(0)[0],
    "split": lambda torch, x: x.split(1)[0],
    "expand": lambda torch, x: x.expand(1, 2, 3),
    "reshape": lambda torch, x: x.reshape(-1),
    "transpose": lambda torch, x: x.transpose(0, 1),
    "cat": lambda torch, x: torch.cat([x, x]),
    "add_": lambda torch, x: x.add_(2),
    "zero_": lambda torch, x: x.zero_(),
    "fill_": lambda torch, x: x.fill_(3),
    "written at an index": lambda torch, x: x.__setitem__(0, 2.0) or x,
    "transpose_": lambda torch, x: x.transpose_(0, 1),
    "squeeze_": lambda torch, x: x.squeeze_(),
    "resize_": lambda torch, x: x.resize_(1, 2),
    "resize_as_": lambda torch, x: x.resize_as_(torch.ones(1, 2)),
    "copy_": lambda torch, x: x.copy_(torch.ones(1, 2, 3)),
    "out": lambda torch, x: torch.sin(torch.ones(1, 2, 3), out=x),
    "detach_": lambda torch, x: x.detach_(),
    "requires_grad_": lambda torch, x: x.requires_grad_(),
}
# An inference leaf that requires grad: what it is told outside depends on which kernel PyTorch comes to first, the one
# that knows of autograd or the one that knows of inference tensors.
UNDECIDED = {"add_", "copy_", "out", "resize_as_"}


def told(torch, x):
    """What a tensor says of itself."""
    version = "none" if x.is_inference() else x._version
    return x.is_inference(), x.requires_grad, x._is_view(), x.is_leaf, x.grad_fn is None, version


def attempt(function):
    try:
        return function()
    except RuntimeError as error:
        return str(error).splitlines()[0]


def found(torch, source, requires, made_inside, use, used_inside):
    """What a use gives, and what it leaves; then what is computed of that outside."""
    with torch.inference_mode(made_inside):
        x = SOURCES[source](torch, requires)

    def used():
        with torch.inference_mode(used_inside):
            y = USES[use](torch, x)
            return y, (told(torch, y), told(torch, x))

    result = attempt(used)
    if isinstance(result, str):
        return result
    y, words = result
    if words[0][0] or not requires:  # a view from inside of what requires grad: see docs/what-differs.md
        words = *words, attempt(lambda: told(torch, y * y)), attempt(lambda: told(torch, y.view(-1)))
    return words


CASES = [
    (source, requires, made, used)
    for source, requires, made, used in itertools.product(SOURCES, (False, True), (False, True), (False, True))
    if made or used
]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(("source", "requires", "made_inside", "used_inside"), CASES)
def test_a_tensor_says_what_it_says_in_pytorch(use, source, requires, made_inside, used_inside):
    if use in UNDECIDED and (source, requires, made_inside, used_inside) == ("leaf", True, True, False):
        pytest.skip("which of two refusals comes first is a matter of PyTorch's kernels")
    case = source, requires, made_inside, use, used_inside
    assert found(rushlight, *case) == found(importlib.import_module("torch"), *case)
