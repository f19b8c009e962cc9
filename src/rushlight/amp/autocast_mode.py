"""Regions in which operators run in lower precision if that is safe."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Self, TypeVar

import numpy as np

from rushlight.core.annotations import Dtype
from rushlight.core.autocast import DEFAULTS, Casts
from rushlight.core.device import BACKENDS, as_device
from rushlight.core.dtype import bfloat16, float16, float64
from rushlight.core.tensor import Tensor
from rushlight.dispatch.autocast import get_autocast_dtype, is_autocast_enabled, set_state, state
from rushlight.dispatch.message import type_name

SUPPORTED = (bfloat16, float16)
F = TypeVar("F", bound=Callable[..., Any])


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast supports a device type."""
    if not isinstance(device_type, str):
        raise TypeError(
            f"_is_autocast_available(): argument 'device_type' (position 1) must be str, not {type_name(device_type)}"
        )
    return as_device(device_type).type in DEFAULTS


class autocast:
    """A context or decorator in which operators choose their dtype by PyTorch's list.

    Products and convolutions run in `dtype` (by default bfloat16 on the CPU), losses, decompositions and transforms in
    float32, everything else in the dtypes of its arguments. float64 is never cast. Backward passes belong outside the
    region: each gradient has the dtype of its forward operator anyway.

    >>> import rushlight as torch
    >>> x = torch.ones(2, 2)
    >>> with torch.autocast("cpu"):
    ...     (x @ x).dtype
    torch.bfloat16
    """

    __module__ = "torch.amp.autocast_mode"

    def __init__(
        self, device_type: str, dtype: Dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        _check_device_type(device_type)
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = state().caching if cache_enabled is None else cache_enabled
        self._enabled = enabled and self._can_be_enabled()
        self._outside: list = []

    def _can_be_enabled(self) -> bool:
        """Whether device and dtype are available; warns if not, as PyTorch does."""
        if self.device == "cuda" and "cuda" not in BACKENDS.by_kind:
            problem = "CUDA is not available or torch_xla is imported. Disabling autocast."
        elif self.fast_dtype not in SUPPORTED:
            problem = (
                f"In {self.device.upper()} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{self.device.upper()} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
            )
        else:
            return True
        warnings.warn(problem, stacklevel=3)
        return False

    def __enter__(self) -> Self:
        outside = state()
        self._outside.append(outside)
        changed = outside.with_enabled(self.device, self._enabled).with_dtype(self.device, self.fast_dtype)
        set_state(
            changed._replace(caching=self._cache_enabled, casts=Casts() if outside.casts is None else outside.casts)
        )
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> Literal[False]:
        set_state(self._outside.pop())
        return False

    def __call__(self, func: F) -> F:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use autocast as "
                "a context manager? For example:\n    with torch.autocast(device_type=...):\n        output = "
                "model(input)"
            )

        @functools.wraps(func)
        def decorated(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return decorated  # type: ignore[return-value]


def _check_device_type(device_type) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Dtype | None = None) -> Any:
    """Decorates the `forward` of an `autograd.Function` to support autocast.

    With `cast_inputs`, a dtype, floating arguments are cast to it in an autocast region, and `forward` runs without
    autocast; else it runs in the region's state, which `custom_bwd` restores for `backward`.
    """
    _check_device_type(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(*args, **kwargs):
        context = args[0]
        context._dtype = get_autocast_dtype(device_type)
        enabled = is_autocast_enabled(device_type)
        context._fwd_used_autocast = enabled and cast_inputs is None
        if not enabled or cast_inputs is None:
            return fwd(*args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return forward


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """Decorates the `backward` of an `autograd.Function`: it runs in the autocast state of `forward`."""
    _check_device_type(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(*args, **kwargs):
        context = args[0]
        with autocast(device_type=device_type, enabled=context._fwd_used_autocast, dtype=context._dtype):
            return bwd(*args, **kwargs)

    return backward


def _cast(value, device_type: str, dtype):
    """Casts floating tensors to `dtype`, also in containers; float64 and other values are unchanged."""
    if isinstance(value, Tensor):
        eligible = value.is_floating_point() and value.device.type == device_type and value.dtype is not float64
        return value.to(dtype) if eligible else value
    if isinstance(value, (str, bytes, np.ndarray)):
        return value
    if isinstance(value, Mapping):
        return {_cast(key, device_type, dtype): _cast(item, device_type, dtype) for key, item in value.items()}
    if isinstance(value, Iterable):
        items = (_cast(item, device_type, dtype) for item in value)
        return type(value)(items) if isinstance(value, (list, tuple)) else items
    return value
