"""Global switches: deterministic algorithms, precision of matrix products, denormal numbers.

All kernels are deterministic and multiply float32 in full precision, so the switches do not change results. Operators
without a deterministic implementation in PyTorch raise as they do there, and uninitialized memory is filled.
https://docs.pytorch.org/docs/stable/notes/randomness.html
"""

from __future__ import annotations

import warnings

from rushlight.core.determinism import DETERMINISM
from rushlight.dispatch.message import type_name

DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}
PRECISIONS = ("highest", "high", "medium")


class Switches:
    """The precision that the program has set."""

    def __init__(self):
        self.precision = "highest"


SWITCHES = Switches()


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Makes operators raise that are not deterministic in PyTorch; ours all are.

    Uninitialized tensors are filled with NaN, the largest integer or True.
    """
    for name, value, position in (("mode", mode, 1), ("warn_only", warn_only, 2)):
        if type(value) is not bool:
            where = f" (position {position})" if position == 1 else ""
            raise TypeError(
                f"_set_deterministic_algorithms(): argument '{name}'{where} must be bool, not {type_name(value)}"
            )
    DETERMINISM.wanted, DETERMINISM.only_warns = mode, warn_only


def are_deterministic_algorithms_enabled() -> bool:
    """Returns whether deterministic algorithms are required."""
    return DETERMINISM.wanted


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Returns whether nondeterministic operators warn instead of raising."""
    return DETERMINISM.only_warns


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Calls `use_deterministic_algorithms` by name or number: "default" or 0, "warn" or 1, "error" or 2."""
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in DEBUG_MODES:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
            )
        debug_mode = DEBUG_MODES[debug_mode]
    if debug_mode not in DEBUG_MODES.values():
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    """Returns the number of the mode: see `set_deterministic_debug_mode`."""
    return 0 if not DETERMINISM.wanted else 1 if DETERMINISM.only_warns else 2


def set_float32_matmul_precision(precision: str) -> None:
    """Sets the precision of float32 matrix products: "highest", "high" or "medium". It has no effect on results."""
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type_name(precision)}")
    if precision not in PRECISIONS:
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
            "setFloat32MatmulPrecision call has no effect.",
            UserWarning,
            stacklevel=2,
        )
        return
    SWITCHES.precision = precision


def get_float32_matmul_precision() -> str:
    """Returns what `set_float32_matmul_precision` has set."""
    return SWITCHES.precision


def set_flush_denormal(mode: bool) -> bool:
    """Returns False: Python cannot make the processor flush denormal numbers to zero."""
    if type(mode) is not bool:
        raise RuntimeError(f"flush_denormal expects a bool, but got {type_name(mode)}")
    return False
