"""`torch._subclasses.meta_utils`: whether two tensors differ in anything but their device and elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.shape_queries import STRIDED as DENSE
from rushlight.core.tensor import Tensor

ALWAYS = (
    lambda x: x.dtype,
    lambda x: x.requires_grad,
    lambda x: x.is_inference(),
    lambda x: x.is_conj(),
    lambda x: x.is_neg(),
    lambda x: x.layout,
    lambda x: x._grad is not None,
)
STRIDED: tuple[Callable[[Any], Any], ...] = (lambda x: x._is_view(),)
SIZES = (lambda x: x.stride(), lambda x: x.storage_offset())
SPARSE = (lambda x: x.dense_dim(), lambda x: x.sparse_dim())


def assert_metadata_eq(
    assert_eq: Callable[[Any, Any], Any],
    m1: Tensor,
    m2: Tensor,
    *,
    skip_symbolic: bool = False,
    skip_leaf: bool = False,
) -> None:
    """Calls `assert_eq` with each property of two tensors, of their gradients, and of what they are views of.

    `skip_symbolic` leaves out shapes and strides, `skip_leaf` whether they are leaves.

    >>> import rushlight as torch
    >>> pairs = []
    >>> assert_metadata_eq(lambda a, b: pairs.append((a, b)), torch.ones(2, 3), torch.ones(2, 3, device="meta"))
    >>> all(a == b for a, b in pairs), (torch.Size([2, 3]), torch.Size([2, 3])) in pairs
    (True, True)
    """
    questions = list(ALWAYS)
    if not skip_symbolic:
        questions.append(lambda x: x.shape)
    if not skip_leaf:
        questions.append(lambda x: x.is_leaf)
    if m1.layout is DENSE:
        questions += STRIDED if skip_symbolic else (*STRIDED, *SIZES)
    else:
        questions += SPARSE
    for question in questions:
        assert_eq(question(m1), question(m2))
    for first, second in ((m1._grad, m2._grad), (m1._base, m2._base)):
        if first is not None and second is not None:
            assert_metadata_eq(assert_eq, first, second, skip_symbolic=skip_symbolic, skip_leaf=skip_leaf)
