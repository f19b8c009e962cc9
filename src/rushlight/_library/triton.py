"""`triton_op` and `wrap_triton`: operators from Triton kernels, which need Triton and a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from rushlight.core.errors import noted


def triton_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    schema: str | None = None,
) -> NoReturn:
    """Raises ModuleNotFoundError: Triton kernels need a GPU."""
    raise absent("torch.library.custom_op makes an operator of a Python function, which may use torch or NumPy.")


def wrap_triton(triton_kernel: Callable[..., Any], /) -> NoReturn:
    """Raises ModuleNotFoundError: Triton kernels need a GPU."""
    raise absent("Compute with torch or NumPy instead of the kernel.")


def absent(instead: str) -> ModuleNotFoundError:
    error = ModuleNotFoundError("No module named 'triton'", name="triton")
    return noted(error, f"Triton's kernels are programs for a GPU, and rushlight runs on the CPU. {instead}")
