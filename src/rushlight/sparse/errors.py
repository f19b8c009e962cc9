"""What is raised for operators that sparse tensors do not have."""

from __future__ import annotations

from rushlight.core.errors import noted
from rushlight.core.shape_queries import SPARSE_COO
from rushlight.core.tensor import Tensor

# Operators whose schema in PyTorch has several forms: the name in messages goes on with that of the form.
OF_SCALAR_OR_TENSOR = frozenset(
    "eq ne lt le gt ge greater less greater_equal less_equal not_equal remainder fmod floor_divide "
    "bitwise_and bitwise_or bitwise_xor".split()
)
# Functions that PyTorch composes of others: the first of these that does not run is the one that it names.
COMPOSED_OF = {
    **dict.fromkeys("squeeze narrow diagonal chunk split split_evenly tensor_split".split(), "as_strided"),
    **dict.fromkeys("fill_ ones_like full_like".split(), "fill_.Scalar"),
    **dict.fromkeys("allclose isclose".split(), "eq.Tensor"),
    **{"view_as": "view", "softmax": "_softmax", "log_softmax": "_log_softmax", "mean": "mean.dim"},
    **{"isfinite": "ne.Scalar", "dropout": "bernoulli_.float", "var": "var.correction", "std": "std.correction"},
    **{"sort": "sort.stable", "clip": "clamp", "linalg_norm": "linalg_vector_norm", "scatter": "scatter.value"},
    **{"unsqueeze_": "as_strided_", "set_": "set_.source_Tensor"},
}
COMPARED = {"greater": "gt", "less": "lt", "greater_equal": "ge", "less_equal": "le", "not_equal": "ne"}


def first_sparse(arguments) -> Tensor | None:
    """Returns the first sparse tensor among arguments and the lists in them."""
    for value in arguments:
        if isinstance(value, (list, tuple)):
            if (sparse := first_sparse(value)) is not None:
                return sparse
        elif isinstance(value, Tensor) and hasattr(value._array, "entries"):
            return value
    return None


def not_run(name: str, arguments) -> NotImplementedError:
    """Returns PyTorch's error for an operator that does not run on a sparse tensor."""
    sparse = first_sparse(arguments)
    backend = "CPU" if sparse is None else "SparseCPU" if sparse.layout is SPARSE_COO else "SparseCsrCPU"
    name = COMPOSED_OF.get(name := name.removeprefix("__").removesuffix("__"), name)
    if name in OF_SCALAR_OR_TENSOR:
        form = "Tensor" if len(arguments) > 1 and isinstance(arguments[1], Tensor) else "Scalar"
        name = f"{COMPARED.get(name, name)}.{form}"
    error = NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{backend}' backend. This could be because the operator "
        "doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom "
        "build)."
    )
    note = "Compute with the dense tensor, tensor.to_dense(), or with the entries alone, tensor.coalesce().values()."
    return noted(error, note)
