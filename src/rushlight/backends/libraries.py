"""Which of NVIDIA's libraries a GPU computes with: the settings of `torch.backends.cuda` that choose one.

None of them is there, so a choice other than PyTorch's default raises what PyTorch's CPU build raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.cuda import current_device, device_count
from rushlight.cuda._utils import _get_device_index, need_gpu


class _LinalgBackend(Enum):
    Default, Cusolver, Magma = range(3)


class _BlasBackend(Enum):
    Default, Cublas, Cublaslt, Ck = range(4)


class _ROCmFABackend(Enum):
    Default, AOTriton, Ck = range(3)


LINALG = {"default": _LinalgBackend.Default, "cusolver": _LinalgBackend.Cusolver, "magma": _LinalgBackend.Magma}
BLAS = {
    "default": _BlasBackend.Default, "cublas": _BlasBackend.Cublas, "hipblas": _BlasBackend.Cublas,
    "cublaslt": _BlasBackend.Cublaslt, "hipblaslt": _BlasBackend.Cublaslt, "ck": _BlasBackend.Ck,
}  # fmt: skip
ATTENTION = {
    "default": _ROCmFABackend.Default, "aotriton": _ROCmFABackend.AOTriton, "ck": _ROCmFABackend.Ck,
}  # fmt: skip
ABSENT = {_LinalgBackend.Cusolver: "cuSOLVER", _LinalgBackend.Magma: "MAGMA", _BlasBackend.Cublaslt: "cuBLASLt"}


class Choice:
    """A chosen library. `first` is what PyTorch begins with."""

    def __init__(self, known: dict[str, Any], first: Any) -> None:
        self.known, self.chosen = known, first

    def choose(self, backend: Any) -> Any:
        """Sets a library by name or member of the enumeration, and returns the one that is set; None changes nothing.

        Raises RuntimeError for one that is not known, or not there.
        """
        if isinstance(backend, str):
            if backend not in self.known:
                raise RuntimeError(f"Unknown input value. Choose from: {', '.join(self.known)}.")
            backend = self.known[backend]
        elif backend is not None and not isinstance(backend, type(self.chosen)):
            raise RuntimeError("Unknown input value type.")
        if backend in ABSENT:
            name = ABSENT[backend]
            raise RuntimeError(f"Cannot set preferred backend to {name} if PyTorch has not been compiled with {name}.")
        if backend is not None:
            default = isinstance(backend, _BlasBackend) and backend is _BlasBackend.Default
            self.chosen = _BlasBackend.Cublas if default else backend
        return self.chosen


LINALG_CHOICE, BLAS_CHOICE = Choice(LINALG, _LinalgBackend.Default), Choice(BLAS, _BlasBackend.Cublas)
ATTENTION_CHOICE = Choice(ATTENTION, _ROCmFABackend.Default)


def preferred_linalg_library(backend: Any = None) -> _LinalgBackend:
    """Returns the library of linear algebra, after setting it if one is named. Raises RuntimeError if it is not there.

    >>> preferred_linalg_library("default")
    <_LinalgBackend.Default: 0>
    """
    return LINALG_CHOICE.choose(backend)


def preferred_blas_library(backend: Any = None) -> _BlasBackend:
    """Returns the library of matrix products, after setting it if one is named. Raises RuntimeError if it is absent."""
    return BLAS_CHOICE.choose(backend)


def preferred_rocm_fa_library(backend: Any = None) -> _ROCmFABackend:
    """Returns the library of attention on AMD's GPUs, after setting it if one is named; it has no effect."""
    return ATTENTION_CHOICE.choose(backend)


class cuFFTPlanCache:
    """The plans of Fourier transforms of a GPU: none, since the CPU's transforms need none."""

    def __init__(self, device_index: int) -> None:
        self.device_index = device_index
        self._most = 4096

    @property
    def size(self) -> int:
        """The number of plans: 0. Raises AssertionError if there is no GPU."""
        need_gpu()
        return 0

    @property
    def max_size(self) -> int:
        """The largest number of plans. Raises AssertionError if there is no GPU, ValueError for a negative one."""
        need_gpu()
        return self._most

    @max_size.setter
    def max_size(self, most: int) -> None:
        need_gpu()
        if most < 0:
            raise RuntimeError(f"cuFFT planner cache size must be non-negative, but got {most}")
        self._most = most

    def clear(self) -> None:
        """Removes all plans. Raises AssertionError if there is no GPU."""
        need_gpu()


class cuFFTPlanCacheManager:
    """The plans of all GPUs: those of one by its index, those of the current one by name."""

    def __init__(self) -> None:
        vars(self).update(caches={})

    def __getitem__(self, device: Any) -> cuFFTPlanCache:
        index = _get_device_index(device)
        if index is None or not 0 <= index < device_count():
            raise RuntimeError(
                f"cufft_plan_cache: expected 0 <= device index < {device_count()}, but got device with index {index}"
            )
        return self.caches.setdefault(index, cuFFTPlanCache(index))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self[current_device()], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self[current_device()], name, value)


class SDPAParams:
    """The arguments of a call of attention, for the functions that tell which kernel takes it."""

    def __init__(
        self, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, dropout: float, is_causal: bool,
        enable_gqa: bool,
    ) -> None:  # fmt: skip
        self.query, self.key, self.value, self.attn_mask = query, key, value, attn_mask
        self.dropout, self.is_causal, self.enable_gqa = dropout, is_causal, enable_gqa


def reduced(name: str, allowed: bool | Sequence[bool]) -> bool:
    """Returns the switch for sums in reduced precision, which may be a pair: it, and whether products may be split.

    Raises TypeError for another type, RuntimeError for a pair of (True, False).
    """
    pair = allowed if isinstance(allowed, (tuple, list)) else (allowed, True)
    if not (1 <= len(pair) <= 2 and all(type(each) is bool for each in pair)):
        raise TypeError(f"{name} expects a bool or a tuple/list of bools, but got {type(allowed)}")
    if pair[0] and not pair[-1]:
        raise RuntimeError("allow_splitk=False is not supported when reduced precision reductions are enabled")
    return pair[0]
