"""Every operator with a derivative in Taylor mode, on each of its samples, against nested forward mode.

The operands move along x + v s + w s^2. Elementwise operators are compared to order 5, all others to order 3.
"""

import numpy as np
import pytest

import rushlight
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.tensor import wrap
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.func import jet, jvp
from rushlight.testing import declared
from rushlight.transforms.forward_refusals import REFUSED

lazy_modules.load_all()

pytestmark = [
    pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta"),
    pytest.mark.filterwarnings("ignore:torch.(cholesky|lu|qr) is deprecated"),
    pytest.mark.filterwarnings("ignore:var|std"),
]

# Their derivatives raise, in either mode, once or if they are differentiated again.
WITHOUT = {
    "step", "unique_runs", "unique_with_places", "floor_divide", "differentiated_once", "dirichlet_drawn",
    "gamma_drawn", "grid_spread", "native_batch_normalization",
}  # fmt: skip
DIFFERENTIATED = [
    name
    for name, op in sorted(OPS.items())
    if op.derivatives and op.samples is not None and name not in REFUSED | WITHOUT
]


def numbers(tensor):
    return plain(tensor.detach()._array)


def directions(case):
    """Returns a random direction for each tensor that requires grad."""
    return [wrap(case.random_like(numbers(tensor))) for tensor in case.tensors if tensor.requires_grad]


def check_series(case, order):
    case = case.on_its_domain()
    tensors, first, second = [each.detach() for each in case.tensors], directions(case), directions(case)
    positions = [place for place, each in enumerate(case.tensors) if each.requires_grad]

    def function(*moving):
        arguments_of_case = list(tensors)
        for place, each in zip(positions, moving, strict=True):
            arguments_of_case[place] = each
        results = [each for each in case.results(arguments_of_case) if isinstance(each, rushlight.Tensor)]
        return tuple(each for each in results if each.is_floating_point() or each.is_complex())

    def along(s):
        return function(*[tensors[i] + v * s + w * s * s for i, v, w in zip(positions, first, second, strict=True)])

    if not any(each.numel() for each in first):
        return
    curves = tuple([v, 2 * w, *[0.0] * (order - 2)] for v, w in zip(first, second, strict=True))
    _, series = jet(function, tuple(tensors[place] for place in positions), curves)
    s = rushlight.zeros((), dtype=rushlight.float64)
    for k in range(order):
        along = differentiated(along)
        for number, (collected, known) in enumerate(zip(series, along(s), strict=True)):
            compare(numbers(collected[k]), numbers(known), f"{case}, result {number}, order {k + 1}")


def differentiated(function):
    return lambda s: jvp(function, (s,), (rushlight.ones_like(s),))[1]


def compare(collected, known, what):
    scale = max(1, np.abs(known[np.isfinite(known)]).max(initial=0))
    assert np.allclose(collected, known, rtol=1e-6, atol=1e-7 * scale, equal_nan=True), what


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_series_are_those_of_nested_forward_mode(name):
    for case in declared.cases(OPS[name]):
        check_series(case, 5 if OPS[name].kind == "elementwise" else 3)
