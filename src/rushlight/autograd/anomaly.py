"""Anomaly mode: nodes remember the line that made them, and a NaN in backward stops at the node that made it.

https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from rushlight.autograd.grad_mode import restore
from rushlight.core.errors import type_name
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.modes import Anomaly, change, current
from rushlight.core.tensor import Tensor


class set_detect_anomaly:
    """Anomaly mode on or off: at once when called, until the end of a `with` block."""

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        for position, (name, value) in enumerate((("enabled", mode), ("check_nan", check_nan)), 1):
            if not isinstance(value, bool):
                words = f"argument '{name}' (position {position}) must be bool, not {type_name(value)}"
                raise TypeError(f"set_anomaly_enabled(): {words}")
        self._before = current()
        change(anomaly=Anomaly(check_nan) if mode else None)

    def __enter__(self) -> None:
        """Does nothing: the mode is set by the call."""

    def __exit__(self, *exception: Any) -> None:
        restore(current()._replace(anomaly=self._before.anomaly))


class detect_anomaly(set_detect_anomaly):
    """Anomaly mode within a `with` block, announced by a warning, for it is slow.

    >>> import rushlight as torch, warnings
    >>> x = torch.zeros(1, requires_grad=True)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     with torch.autograd.detect_anomaly():
    ...         (x.sqrt() * 0).backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, check_nan: bool = True) -> None:
        self._before = current()
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self._before = current()
        change(anomaly=Anomaly(self.check_nan))


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return current().anomaly is not None


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode stops at NaN; True, the default, if it is off."""
    anomaly = current().anomaly
    return anomaly is None or anomaly.check_nan


def watched(anomaly: Anomaly, node, compute):
    """Runs a step of backward in anomaly mode: warns with the line that made its node if it fails or makes a NaN."""
    before, anomaly.evaluating = anomaly.evaluating, node
    try:
        results = compute()
        if anomaly.check_nan:
            _refuse_nan(node, results)
    except Exception:
        _tell(node)
        raise
    finally:
        anomaly.evaluating = before
    return results


def _refuse_nan(node, results) -> None:
    for number, result in enumerate(results):
        array = plain(result._array) if isinstance(result, Tensor) else result
        if array is not None and np.isnan(array).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {number}th output.")


def _tell(node) -> None:
    """Warns with the traceback of the forward call, and of those that induced it."""
    trace = node.metadata.get("traceback_")
    if trace is None:
        _warn(
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly during "
            "forward pass for more information."
        )
        return
    _warn(f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{''.join(trace)}")
    parent = node.metadata.get("parent_")
    while parent is not None:
        lines = parent.metadata.get("traceback_")
        shown = "".join(lines) if lines else "No forward pass information available.\n"
        _warn(
            f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call that induced the "
            f"previous calculation:\n{shown}"
        )
        parent = parent.metadata.get("parent_")


def _warn(words: str) -> None:
    """Warns; prints the warning instead if warnings are errors, so that the first error is raised."""
    try:
        warnings.warn(words, stacklevel=5)
    except UserWarning:
        print(f"UserWarning: {words}", file=sys.stderr)
