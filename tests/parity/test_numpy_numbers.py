"""NumPy's numbers, and tensors of one number, as arguments: PyTorch takes the same ones and gives the same."""

import pytest

from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared, numpy_scalars
from rushlight.testing.oracle import counterpart

pytorch = pytest.importorskip("torch")
lazy_modules.load_all()

# PyTorch has these written in Python, which asks for an int, for a length or computes with NumPy's number itself; or
# any sign of a result is right; or what is refused is one of several forms, a truth, or a float on a view's short way.
LEFT_OUT = frozenset((
    "adaptive_avg_pool2d", "adaptive_avg_pool3d", "broadcast_shapes", "cumulative_trapezoid", "expand_variadic",
    "lobpcg", "lp_pool1d", "max_unpool1d", "max_unpool2d", "max_unpool3d", "norm", "pca_lowrank", "svd_lowrank",
    "trapezoid", "unravel_index", "windows",
))  # fmt: skip
# Where tensors of one number are taken by one of the two only.
WITHOUT_TENSORS = frozenset((
    "fold", "histogram", "interpolate", "lp_pool2d", "lp_pool3d", "max", "min", "sliding_blocks", "split",
    "split_of_size", "upsample", "view_variadic",
))  # fmt: skip
PUBLIC = [
    name
    for name, op in sorted(OPS.items())
    if op.samples is not None
    and name not in LEFT_OUT
    and (op.spaces or op.method)
    and not (op.method or "").startswith("__")
    and counterpart(op, pytorch) is not None
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PUBLIC)
def test_the_same_numbers_are_taken(name):
    for case in declared.cases(OPS[name]):
        numpy_scalars.check_beside(case, pytorch, with_tensors=name not in WITHOUT_TENSORS)
