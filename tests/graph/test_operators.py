"""Every declared operator as a segment: compiled for one sample, called with another of the same shapes."""

import pytest

from rushlight.core.tensor import Tensor
from rushlight.core.traced import Untraceable
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared
from rushlight.testing.draw import Draw

lazy_modules.load_all()

WITH_SAMPLES = [name for name, op in sorted(OPS.items()) if op.samples is not None]
# Their gradients have no derivative.
ONCE = {"dirichlet_drawn", "gamma_drawn"}
# Inside a transform the statistics that they show are computed anew: in another order, and apart in memory.
SHOWN = {"native_batch_norm", "native_layer_norm"}

pytestmark = [
    pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta"),
    pytest.mark.filterwarnings("ignore:torch.* is deprecated"),
    pytest.mark.filterwarnings("ignore:`nn.functional.upsample"),
]


def function_of(case):
    """Returns the call of a case as a function from tensors to tensors."""
    return lambda *tensors: [each for each in case.results(list(tensors)) if isinstance(each, Tensor)]


@pytest.mark.parametrize("kernels", [False, True], ids=["calls", "kernels"])
@pytest.mark.parametrize("name", [name for name in WITH_SAMPLES if name not in SHOWN])
def test_a_segment_agrees_with_the_operator(name, kernels, agree):
    cases = declared.cases(OPS[name])
    others = [each for each in OPS[name].samples(Draw(f"{name} again"))]
    count = 2 if kernels else len(cases)  # kernels take long to compile, and have tests of their own
    for case, other in list(zip(cases, others, strict=True))[:count]:
        tensors = declared.Case(case.op, case.number, other).tensors
        same = [(each.shape, each.dtype, each.stride()) for each in tensors] == [
            (each.shape, each.dtype, each.stride()) for each in case.tensors
        ]
        try:
            agree(function_of(case), case.tensors, tensors if same else None, second=name not in ONCE, kernels=kernels)
        except Untraceable:
            assert name in UNTRACEABLE, case


# Branches on elements, checks of elements, sizes that depend on elements, draws, index arrays that are no tensors.
UNTRACEABLE = {
    "allclose", "argwhere", "bincount", "block_diag", "channel_statistic", "combinations", "contains", "counts",
    "cov", "ctc_loss", "differentiated_once", "embedding_bag", "equal", "getitem", "gru", "index", "inverse",
    "istft", "linalg_cholesky", "linalg_eigvals", "linalg_inv", "linalg_ldl_factor", "linalg_lstsq",
    "linalg_lu_factor", "linalg_lu_solve", "linalg_matrix_power", "linalg_solve", "linalg_tensorinv",
    "linalg_tensorsolve", "lobpcg", "lstm", "lu_solve", "lu_unpack", "masked_select", "matrix_power",
    "multi_margin_loss", "multilabel_margin_loss", "nonzero", "nonzero_rows", "pca_lowrank", "placed_at",
    "put_indices", "repeat_interleave", "repeated_positions", "rnn_relu", "rnn_tanh", "segment_reduce",
    "svd_lowrank", "tril_indices", "triu_indices", "unique", "unique_consecutive", "unique_elements", "weighted_counts",
}  # fmt: skip
