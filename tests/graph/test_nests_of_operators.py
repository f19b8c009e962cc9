"""Every declared operator that a nest takes, and its gradient, on its samples: fused, against the operators."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.tensor import Tensor
from rushlight.core.traced import Untraceable
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.graph import nest as nest_module
from rushlight.graph import nest_space, nests
from rushlight.graph.nest import MAKERS
from rushlight.graph.program import Kernel, Program
from rushlight.graph.recording import record
from rushlight.lower import llvm
from rushlight.testing import declared

lazy_modules.load_all()

NAMES = [name for name, op in sorted(OPS.items()) if op.samples and (op.kind == "elementwise" or name in MAKERS)]

pytestmark = pytest.mark.skipif(not llvm.host().fit, reason="formulas are not compiled for this host")


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch):
    """Fuses steps on arrays of two elements, and on rows of one."""
    for module in (nests, nest_module):
        monkeypatch.setattr(module, "LEAST", 2)
    for module in (nest_space, nest_module):
        monkeypatch.setattr(module, "SHORTEST", 1)


def function_of(case):
    """Returns the call of a case, and the gradients of the sum of its squares, as a function of tensors."""

    def function(*tensors):
        results = [each for each in case.results(list(tensors)) if isinstance(each, Tensor)]
        roots = [each for each in results if each.requires_grad and each._array.dtype.kind == "f"]
        leaves = [each for each in tensors if each.requires_grad]
        if not roots or not leaves:
            return results
        return [*results, *torch.autograd.grad([(each * each).sum() for each in roots], leaves, allow_unused=True)]

    return function


@pytest.mark.parametrize("name", NAMES)
def test_a_nest_agrees_with_the_operators(name):
    for case in declared.cases(OPS[name]):
        arrays = [tensor._array for tensor in case.tensors]
        if any([type(array) is not np.ndarray or array.dtype.kind == "c" for array in arrays]):
            continue
        try:
            trace = record(function_of(case), case.tensors)
        except Untraceable:
            continue
        items = nests.fuse(trace)
        if not any([isinstance(item, Kernel) for item in items]):
            continue
        wanted, made = Program(trace)(*arrays), Program(trace, items)(*arrays)
        for one, other in zip(made, wanted, strict=True):
            if other is None:
                continue
            assert (one.shape, one.dtype) == (other.shape, other.dtype), case
            assert one.size < 2 or one.strides == other.strides, case
            if one.dtype.kind == "f":  # small arrays are left to NumPy, whose functions differ in the last digits
                tolerance = 1e-11 if one.dtype == np.float64 else 1e-5
                np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=str(case))
            else:
                np.testing.assert_array_equal(one, other, err_msg=str(case))
