"""Every declared operator as a small program, where there is one: compared with the operators one by one."""

import numpy as np
import pytest

from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import Untraceable
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.graph.program import Program
from rushlight.graph.recording import record
from rushlight.graph.small import compile_small, is_available
from rushlight.testing import declared

lazy_modules.load_all()

WITH_SAMPLES = [name for name, op in sorted(OPS.items()) if op.samples is not None]
ULPS = 16  # eager calls NumPy's functions for few elements, which are other ones
# They must have a small program.
CENTRAL = {
    "add", "sub", "mul", "true_divide", "neg", "pow", "exp", "log", "sin", "cos", "tanh", "sigmoid", "relu", "gelu",
    "where", "clamp", "maximum", "abs", "sqrt", "lerp", "addcmul", "addcdiv", "sum", "mean", "amax", "mm", "mv", "dot",
    "bmm", "addmm", "matmul", "softmax", "log_softmax", "clone", "t", "transpose", "permute", "expand", "view",
    "reshape", "select", "narrow", "diagonal", "unsqueeze", "squeeze", "flatten", "masked_fill", "cat", "stack",
    "var", "std", "logsumexp", "norm", "layer_norm", "argmax", "max_dim", "all", "any", "cumsum", "tril", "flip",
    "repeat", "gather", "scatter_add", "index_select", "embedding", "nll_loss", "cross_entropy", "huber_loss",
    "smooth_l1_loss",
    "chunk", "zeros_like", "ones_like", "full_like", "dropout", "leaky_relu", "elu", "softplus", "silu", "mse_loss",
}  # fmt: skip


pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # of deprecated operators
    pytest.mark.skipif(not is_available(), reason="no machine code"),
]
# Their samples are for float64.
ONLY_FLOAT64 = {"float_power_", "view_dtype"}


def function_of(case):
    """Returns the call of a case as a function from tensors to new tensors."""
    return lambda *tensors: [each.clone() for each in case.results(list(tensors)) if isinstance(each, Tensor)]


def copies(tensors):
    return [each._array.copy("K") for each in tensors]


def largest(array):
    """Returns the largest magnitude of the finite elements."""
    return float(np.abs(array[np.isfinite(array)]).max(initial=0)) if array.dtype.kind == "f" else 0.0


def assert_near(made, wanted, size):
    """Asserts equal layouts, and elements that differ by some units in the last place of `size`, or of the largest."""
    assert (made.shape, made.dtype, made.strides) == (wanted.shape, wanted.dtype, wanted.strides)
    if made.dtype.kind != "f":
        assert np.array_equal(made, wanted)
        return
    unit = np.spacing(np.asarray(max(largest(wanted), size, np.finfo(wanted.dtype).tiny), wanted.dtype))
    np.testing.assert_allclose(made, wanted, rtol=0, atol=float(unit) * ULPS, equal_nan=True)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", WITH_SAMPLES)
def test_a_small_program_agrees_with_the_operator(name, dtype):
    if dtype == np.float32 and name in ONLY_FLOAT64:
        return
    compiled = 0
    for case in declared.cases(OPS[name]):
        tensors = [
            wrap(each._array.astype(dtype)) if each._array.dtype == np.float64 else each.detach()
            for each in case.tensors
        ]
        try:
            trace = record(function_of(case), tensors)
        except Untraceable:
            continue
        run = compile_small(trace, "cold")
        if run is None:
            continue
        compiled += 1
        mine, theirs = copies(tensors), copies(tensors)
        size = max([largest(each) for each in mine], default=0.0)
        made, wanted = run(*mine), Program(trace)(*theirs)
        assert len(made) == len(wanted)
        for one, other in zip([*made, *mine], [*wanted, *theirs], strict=True):
            if other is None:
                assert one is None
            else:
                assert_near(one, other, size)
    assert compiled or name not in CENTRAL
