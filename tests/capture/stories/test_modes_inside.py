"""Blocks with another grad mode inside a compiled function, in calls with each mode outside."""

import contextlib

import pytest

import rushlight as torch

MODES = {
    "grad": contextlib.nullcontext,
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
    "enable_grad": torch.enable_grad,
    "no inference": lambda: torch.inference_mode(False),
    "set": lambda: torch.set_grad_enabled(True),
}
RESULTS = {
    "computed": lambda p, x: p * 2,
    "from data": lambda p, x: x * 2,
    "both": lambda p, x: (p * x).sum(),
    "view": lambda p, x: p[None],
    "view of computed": lambda p, x: (p * x).unbind()[0],
    "detached": lambda p, x: (p * 2).detach(),
    "itself": lambda p, x: p,
    "constant": lambda p, x: torch.ones(2),
}


def facts(tensor):
    history = tensor.grad_fn is not None and [type(tensor.grad_fn).__name__]
    return tensor.tolist(), tensor.requires_grad, history, tensor.is_inference(), tensor.is_leaf


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("inner", ["enable_grad", "no_grad", "inference", "no inference", "set"])
def test_a_block_inside_decides_what_has_a_history(inner, result):
    def f(p, x):
        before = p * 3
        with MODES[inner]():
            y = RESULTS[result](p, x)
        return before, y, x + 1

    p, x = torch.ones(3, requires_grad=True), torch.tensor([1.0, 2.0, 3.0])
    for outer in ("grad", "no_grad", "inference"):
        compiled = torch.compile(f, options={"trial": False})
        with MODES[outer]():
            wanted = [facts(each) for each in f(p, x)]
            for _ in range(3):
                actual = [facts(each) for each in compiled(p, x)]
                for one, other in zip(actual, wanted, strict=True):
                    assert (one[0], one[1], bool(one[2]), *one[3:]) == (other[0], other[1], bool(other[2]), *other[3:])


@pytest.mark.parametrize(
    "mode", [torch.no_grad(), torch.enable_grad(), torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16)]
)
def test_a_decorated_function_is_one_program(mode):
    f = torch.compile(mode(lambda x: (x @ x).sin() + x), options={"trial": False})
    (program,) = torch.compiler.explain(f)(torch.ones(2, 2)).programs
    assert not program.left
    assert len(program.parts) == 1
