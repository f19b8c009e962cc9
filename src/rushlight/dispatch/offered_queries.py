"""Attributes and queries that a class with a `__torch_function__` of its own gets to see, as in PyTorch.

Operators offer their calls themselves. What answers without computing, such as `x.shape` or `x.item()`, does not ask:
that would take as long as the answer. So a class that overrides calls has its own versions of these names, which ask
it; plain tensors do not pay for them. Only uses by the program are offered, not those of the package, which looks at
shapes and dtypes all the time.

https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-python-api
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from rushlight.core.origin import is_ours
from rushlight.core.tensor import UNWRAPPED, Tensor
from rushlight.dispatch.override import ABSENT, class_overrides, offered

ATTRIBUTES = """
    H T _backward_hooks _base _cdata _version data device dtype grad grad_dtype grad_fn imag is_cpu
    is_cuda is_leaf is_meta itemsize layout mH mT nbytes ndim output_nr real requires_grad retains_grad shape
""".split()

# Operators that Python calls with other operands first, such as `__rpow__`, offer their calls themselves.
METHODS = """
    __array__ __bool__ __complex__ __deepcopy__ __dlpack__ __dlpack_device__ __float__ __format__ __index__ __int__
    __len__ __reduce_ex__ __repr__ __setstate__
    _indices _is_view _nnz _values apply_ backward bernoulli bernoulli_ bfloat16 bool byte cauchy_ ccol_indices
    cdouble cfloat chalf char coalesce col_indices contiguous cpu crow_indices cuda data_ptr dense_dim detach_ dim
    dim_order double element_size exponential_ fill_diagonal_ float geometric_ get_device half indices int
    is_coalesced is_complex is_conj is_contiguous is_floating_point is_inference is_neg is_nonzero is_pinned
    is_same_size is_set_to is_shared is_signed item log_normal_ long map2_ map_ multinomial ndimension nelement new
    normal_ numel numpy pin_memory random_ register_hook register_post_accumulate_grad_hook requires_grad_ resize
    resize_ resize_as resize_as_ retain_grad row_indices share_memory_ short size smm sparse_dim sparse_mask split
    sspaddmm storage storage_offset storage_type stride to to_dense to_sparse tolist type type_as uniform_
    untyped_storage values
""".split()


def offer_queries(cls: Any, **keywords: Any) -> None:
    """Gives a new subclass of Tensor its versions of these names, if it is the program's and overrides calls."""
    super(Tensor, cls).__init_subclass__(**keywords)
    caller = sys._getframe(1)
    if is_ours(caller.f_code.co_filename) or not class_overrides(cls) or inherits_overrides(cls):
        return
    for name in ATTRIBUTES:
        original = inspect.getattr_static(cls, name)
        if original is inspect.getattr_static(Tensor, name):
            setattr(cls, name, offering_property(original))
    for name in METHODS:
        if inspect.getattr_static(cls, name) is inspect.getattr_static(Tensor, name):
            setattr(cls, name, offering_method(name))


def inherits_overrides(cls: Any) -> bool:
    """Whether calls are overridden as for Tensor itself, which keeps the class of results."""
    default = inspect.getattr_static(Tensor, "__torch_function__").__func__
    return getattr(cls.__torch_function__, "__func__", None) is default


def by_program() -> bool:
    """Whether the program has used a name, whose version calls this."""
    return not is_ours(sys._getframe(2).f_code.co_filename)


def offering_property(original: Any) -> property:
    """Returns a property that offers each access as `__get__` or `__set__` of an attribute of Tensor."""
    getter = original.__get__

    def get(tensor: Tensor) -> Any:
        result = offered(getter, tensor) if by_program() else ABSENT
        return getter(tensor) if result is ABSENT else result

    def set(tensor: Tensor, value: Any) -> None:
        if not by_program() or offered(original.__set__, tensor, value) is ABSENT:
            original.__set__(tensor, value)

    def delete(tensor: Tensor) -> None:
        if not by_program() or offered(original.__delete__, tensor) is ABSENT:
            original.__delete__(tensor)

    return property(get, set, delete, original.__doc__)


def offering_method(name: str) -> Callable:
    """Returns a method that offers each call of a method of Tensor, which may not be made yet."""

    @wraps(inspect.getattr_static(Tensor, name), updated=())
    def method(tensor: Tensor, *arguments: Any, **keywords: Any) -> Any:
        original = getattr(Tensor, name)
        result = offered(original, tensor, *arguments, **keywords) if by_program() else ABSENT
        return original(tensor, *arguments, **keywords) if result is ABSENT else result

    return method


def attach() -> None:
    """Lets Tensor give its subclasses these names; called once by the package root, after all others."""
    UNWRAPPED.update(inspect.getattr_static(Tensor, name).__get__ for name in ("_base", "grad", "_grad"))
    Tensor.__init_subclass__ = classmethod(offer_queries)  # type: ignore[assignment]  # mypy wants a plain function
