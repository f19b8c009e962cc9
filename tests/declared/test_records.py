"""Every declared operator while lines are recorded: the same results, each with a record of its line.

What is noted of every step that saves something, recorded or not, says the same line.
"""

import numpy as np
import pytest

from rushlight.core.device import host
from rushlight.core.origin import Place
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.explain.recording import lines
from rushlight.explain.records import record_of
from rushlight.testing import declared

lazy_modules.load_all()

# They return their operand, which was made before the recording.
IN_PLACE = {"abs_", "clamp_", "embedding_renorm_", "float_power_", "zero_"}
WITH_SAMPLES = [name for name, op in sorted(OPS.items()) if op.samples is not None and name not in IN_PLACE]

pytestmark = [
    pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta"),
    pytest.mark.filterwarnings("ignore:torch.* is deprecated"),
    pytest.mark.filterwarnings("ignore:`nn.functional.upsample"),
]


def tensors(results):
    return [result for result in results if isinstance(result, Tensor)]


@pytest.mark.parametrize("name", WITH_SAMPLES)
def test_results_are_unchanged_and_have_a_record(name):
    cases = declared.cases(OPS[name])
    expected = [tensors(case.results(case.tensors)) for case in cases]
    with lines():  # once, since it observes all classes of nodes
        results = [tensors(case.results(case.tensors)) for case in cases]
    for case, made, like in zip(cases, results, expected, strict=True):
        for one, other in zip(made, like, strict=True):
            assert np.array_equal(host(one), host(other), equal_nan=one._array.dtype.kind in "fc"), case
            if not any(one is tensor for tensor in case.tensors):
                record = record_of(one)
                assert record.place is not None and record.place.file == __file__, case
                assert record.tracked == (one.grad_fn is not None), case
                check_noted(one.grad_fn, record, case)


def check_noted(node, made, case):
    """Asserts that a node that saves anything has the recorded line."""
    if node is not None and node.saved and not node.takes_tensors:
        assert Place(*node._place[:2]) == made.place, case
