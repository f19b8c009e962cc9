"""NumPy's numbers as arguments: every operator, every argument that is a number, every type of NumPy."""

import pytest

from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared, numpy_scalars

lazy_modules.load_all()
PUBLIC = [
    name
    for name, op in sorted(OPS.items())
    if op.samples is not None and (op.spaces or op.method) and not (op.method or "").startswith("__")
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PUBLIC)
def test_numbers_of_numpy_are_accepted_as_numbers(name):
    for case in declared.cases(OPS[name]):
        numpy_scalars.check(case)
