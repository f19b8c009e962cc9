"""Each declaration in a captured graph of a GPU: a replay on other values gives what running the operator gives."""

from functools import partial

import pytest

import rushlight as torch
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared

# Their results depend on values that the program has to wait for: as many elements as a mask selects, a bool of Python.
# PyTorch refuses all but `nonzero_static`, and indices that are a list or an array.
REFUSED = frozenset(
    "allclose equal masked_select nonzero nonzero_rows argwhere nonzero_static combinations contains".split()
)
# These read values in a sample at least: sizes of a packed batch, how often a weight counts, lengths, pivots.
REFUSED_AT_TIMES = frozenset(
    """
    cov ctc_loss differentiated_once embedding_bag embedding_renorm_ gru istft linalg_lstsq linalg_lu_solve lstm
    lu_solve multi_margin_loss multilabel_margin_loss rnn_relu rnn_tanh segment_reduce unique unique_elements
    """.split()
)
# Gradients by transforms of numbers that lie elsewhere in memory: their last bit may be another.
ROUNDED = frozenset("fft_ifft fft_ihfft fft_ihfft2 fft_ihfftn".split())
# These refuse lists and arrays of the CPU, which are positions or, in a sample, a statistic.
BY_POSITIONS = frozenset("channel_statistic getitem index index_put placed_at put_indices".split())
lazy_modules.load_all()
ON_A_GPU = [name for name, op in OPS.items() if op.samples is not None]


@pytest.fixture
def device():
    with torch.cuda.simulate():
        yield


def computed(case, tensors):
    """The results of a case and the gradients of its inputs, on the device of the tensors."""
    wanted = [tensor.requires_grad for tensor in case.tensors]
    leaves = [
        tensor.detach().requires_grad_() if each else tensor for tensor, each in zip(tensors, wanted, strict=True)
    ]
    arguments, keywords = case.filled(leaves)
    returned = declared.flat(case.op.function(*arguments, **keywords))
    results = [result for result in returned if isinstance(result, Tensor)]
    losses = [(result.abs() if result.is_complex() else result).sum() for result in results if result.requires_grad]
    inputs = [leaf for leaf, each in zip(leaves, wanted, strict=True) if each]
    gradients = torch.autograd.grad(sum(losses), inputs, allow_unused=True) if losses else ()
    return [result.detach() for result in results] + [gradient for gradient in gradients if gradient is not None]


def check(case):
    values = [tensor.detach().clone().cuda() for tensor in case.tensors]
    torch.cuda.manual_seed(0)
    computed(case, [value.clone() for value in values])  # fails without a capture: not for this test
    static, graph = [value.clone() for value in values], torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = computed(case, static)
    assert all(map(alike, values, static)), f"{case}: the capture has changed an input"
    for target in static:
        if target.is_floating_point() or target.is_complex():
            target.mul_(0.9375)  # stays in the domain
            if target.is_complex():
                target.mul_(complex(0.96, 0.28))  # another direction: what follows from it alone changes too
    now = [value.clone() for value in static]
    torch.cuda.manual_seed(0)
    graph.replay()
    torch.cuda.manual_seed(0)
    expected = computed(case, now)
    assert len(results) == len(expected)
    equal = partial(torch.allclose, rtol=1e-13, atol=1e-13) if case.op.name in ROUNDED else alike
    for one, other in zip(results, expected, strict=True):
        assert equal(one, other), str(case)


def alike(one, other):
    """Whether two tensors are equal, NaN counting as equal to NaN."""
    return one.shape == other.shape and one.dtype is other.dtype and bool(((one == other) | (one != one)).all())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ON_A_GPU)
def test_a_replay_computes_the_operator_on_the_values_of_then(device, name):
    refused = 0
    for case in declared.cases(OPS[name]):
        try:
            check(case)
        except torch.AcceleratorError as error:
            assert "stream is capturing" in str(error.__context__)
            refused += 1
        except (NotImplementedError, RuntimeError):
            assert fails_without_a_capture(case), str(case)
    assert not refused or name in REFUSED | REFUSED_AT_TIMES | BY_POSITIONS, f"{name} is refused"
    assert refused or name not in REFUSED, f"{name} is no longer refused"


def fails_without_a_capture(case):
    try:
        computed(case, [tensor.detach().clone().cuda() for tensor in case.tensors])
    except (NotImplementedError, RuntimeError):
        return True
    return False
