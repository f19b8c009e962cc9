"""`torch.nn.attention.bias`: causal masks aligned to the upper left or the lower right corner."""

from __future__ import annotations

import warnings
from enum import IntEnum
from typing import Any

from rushlight._generated import functions as F
from rushlight.core import dtype as dtypes
from rushlight.core.tensor import Tensor
from rushlight.create.filled import ones
from rushlight.nn import functional

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """The corner in which the diagonal of a causal mask begins."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask of bools, passed as `attn_mask` to `scaled_dot_product_attention`.

    >>> causal_lower_right(2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        return triangle(variant, seq_len_q, seq_len_kv, None).as_subclass(cls)

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant is CausalVariant.LOWER_RIGHT:
            warnings.warn(
                "Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!", stacklevel=3
            )

    def _materialize(self, device: Any = None) -> Tensor:
        """Returns the mask as a plain tensor."""
        return triangle(self.variant, self.seq_len_q, self.seq_len_kv, device)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if func is functional.scaled_dot_product_attention:
            if kwargs.get("is_causal") or len(args) > 5 and args[5]:
                raise ValueError("CausalBias should not be used with causal=True")
            device = args[0].device if args else kwargs["query"].device
            args = tuple(arg._materialize(device) if isinstance(arg, CausalBias) else arg for arg in args)
            if isinstance(kwargs.get("attn_mask"), CausalBias):
                kwargs = {**kwargs, "attn_mask": kwargs["attn_mask"]._materialize(device)}
            return func(*args, **kwargs)
        return super().__torch_function__(func, types, args, kwargs)

    def __repr__(self) -> str:  # type: ignore[override]
        return repr(self._materialize())


def triangle(variant: CausalVariant, queries: int, keys: int, device: Any) -> Tensor:
    """Returns the keys that each query may attend to."""
    diagonal = keys - queries if variant is CausalVariant.LOWER_RIGHT else 0
    return F.tril(ones(queries, keys, dtype=dtypes.bool, device=device), diagonal)


def causal_upper_left(*size: int) -> CausalBias:
    """Returns the mask in which the first query attends only to the first key: the meaning of `is_causal=True`.

    Raises AssertionError unless there are two sizes, of queries and of keys.
    """
    if len(size) != 2:
        raise AssertionError("causal_upper_left only supports 2D tensors")
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size: int) -> CausalBias:
    """Returns the mask in which the last query attends to all keys, and each query before it to one key less.

    Raises AssertionError unless there are two sizes, of queries and of keys.
    """
    if len(size) != 2:
        raise AssertionError("causal_lower_right only supports 2D tensors")
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
