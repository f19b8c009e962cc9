"""Checks of `norm.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import BY_NUMPY, FLOAT, SCALAR_NAMES
from rushlight.core.errors import noted
from rushlight.declarations.checks.arguments import TO_FLOAT
from rushlight.declarations.dtype_rules import category_of, unimplemented

COMPUTE_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


def check_compute_mode(mode) -> None:
    """The ways to compute distances, of which there is one here, have PyTorch's names."""
    if mode not in COMPUTE_MODES:
        raise noted(
            ValueError(f"{mode} is not a valid value for compute_mode"),
            f"There are {', '.join(COMPUTE_MODES)}, which give the same distances here.",
        )


def check_norm_order(p) -> None:
    if p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")


def check_cosine_similarity_dtype(kind) -> None:
    if kind.category != FLOAT:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {SCALAR_NAMES[kind]}")


def check_pdist(input, p) -> None:
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if input.dtype.kind in "biuc":
        raise noted(RuntimeError("pdist only supports floating-point dtypes"), TO_FLOAT)
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")


def check_dist_dtype(input) -> None:
    if input.dtype.kind not in "fc":
        name = SCALAR_NAMES[BY_NUMPY[input.dtype]]
        raise noted(
            RuntimeError(f"norm(): input dtype should be either floating point or complex. Got {name} instead."),
            TO_FLOAT,
        )


def check_weight_norm(v, dim) -> None:
    """Along the first or the last dimension PyTorch has a kernel, for real floating-point numbers."""
    if dim in (0, v.ndim - 1) and category_of(v) != FLOAT:
        raise unimplemented("weight_norm_kernel")(v.dtype)
