"""Second derivatives of elementwise operators in forward mode, with kernels: those of many elements and of few."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight as torch
from rushlight.core import policy
from rushlight.declarations.declare import NOTHING, OPS
from rushlight.dispatch.lazy_modules import load_all
from rushlight.lower import is_ready, llvm
from rushlight.testing.declared import cases
from rushlight.transforms.forward_refusals import REFUSED

load_all()
pytestmark = pytest.mark.skipif(not llvm.host().fit, reason="there are no kernels for this machine")
TIMES = 500  # so often a sample is repeated, which gives arrays that are large enough for a kernel
# One takes a single number, and some refuse forward mode, as in PyTorch.
LEFT_OUT = {"fill_with_tensor", *REFUSED}
ELEMENTWISE = [
    name
    for name, op in sorted(OPS.items())
    if op.kind == "elementwise" and op.derivatives and name not in LEFT_OUT and any(case.leaves() for case in cases(op))
]


@pytest.fixture(autouse=True)
def kernels(monkeypatch):
    """Kernels are compiled at once."""
    monkeypatch.setattr(policy, "WARMUP", 0)
    assert is_ready()


def second_derivatives(case, tensors):
    """Returns the gradient's derivatives along a direction, and along three at once."""
    indices = [place for place, tensor in enumerate(case.tensors) if tensor.requires_grad]

    def loss(*leaves):
        results = case.results([leaves[indices.index(at)] if at in indices else x for at, x in enumerate(tensors)])
        return sum((each * each).sum() for each in results if each.is_floating_point())

    def product(*directions):
        return torch.func.jvp(torch.func.grad(loss, tuple(range(len(indices)))), leaves, directions)[1]

    leaves = tuple(tensors[place] for place in indices)
    directions = [each.detach().cos() for each in leaves]
    alone = product(*directions)
    return alone, torch.func.vmap(product)(*[torch.stack([each, 2 * each, -each]) for each in directions])


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_second_derivatives_of_many_elements_are_those_of_few(name):
    for case in cases(OPS[name]):
        few = torch.broadcast_tensors(*[tensor.detach() for tensor in case.tensors])
        if not case.leaves() or not all(each.is_floating_point() for each in few):
            continue
        many = [each.expand(TIMES, *each.shape).clone() for each in few]
        alone, together = second_derivatives(case, [each.clone() for each in few])
        repeated, repeated_together = second_derivatives(case, many)
        for result, expected in zip(repeated, alone, strict=True):
            torch.testing.assert_close(result, expected.expand_as(result), rtol=1e-9, atol=1e-12, equal_nan=True)
        for result, expected in zip(repeated_together, together, strict=True):
            expected = expected.unsqueeze(1).expand_as(result)
            torch.testing.assert_close(result, expected, rtol=1e-9, atol=1e-12, equal_nan=True)


# Each is called in a process in which nothing was: what its derivatives call may not be loaded yet.
FRESH = """
import os, sys, traceback
import rushlight as torch
import rushlight._generated.functions as F
from rushlight._generated.lazy_names import MODULE_OF

def second(function):
    x = torch.linspace(0.3, 0.7, 5)
    torch.func.jvp(torch.func.grad(lambda v: function(v).sum()), (x,), (x,))
    torch.func.hessian(lambda v: function(v).sum())(x)

for name in sys.argv[1:]:
    if not (child := os.fork()):
        try:
            second(getattr(F, name))
        except Exception:
            traceback.print_exc()
            print(name, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
def test_a_second_derivative_loads_what_it_calls():
    alone = [name for name in ELEMENTWISE if all(x.default is not NOTHING for x in OPS[name].arguments[1:])]
    assert len(alone) > 60
    done = subprocess.run([sys.executable, "-c", FRESH, *alone], capture_output=True, text=True, check=True)
    assert not done.stdout, done.stderr
