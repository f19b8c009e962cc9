"""Checks results of operators and of backward steps for NaN and infinity while a watch is on.

Kernels, LAPACK, SciPy and matrix products raise no floating-point flags. So observers are in front of the table entries
that compute (`dispatch/plan.py`), of the backward functions of node classes, and of the few functions that add
gradients. NumPy's own functions report by their error state, which costs nothing: they are not observed, and neither
are functions that only move elements.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import isfinite
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from rushlight.core.lazy_conj_neg import plain
from rushlight.core.policy import FEW
from rushlight.core.tables import FOLLOWERS, Later, fast, forward, names_of, raw, xp
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS, Op
from rushlight.dispatch import lazy_modules, planned
from rushlight.dispatch.interpreter import Call
from rushlight.dispatch.plan import ASSIGNED, WRITING, entry
from rushlight.explain.nan import is_bad
from rushlight.explain.watch.births import GENERATED
from rushlight.explain.watch.taps import Taps

ndarray, vdot = np.ndarray, np.vdot
MOVING = {f"rushlight.arrays.{name}" for name in ("indexing", "concat", "index_put", "strided")}
SILENT = ("_special", "_fourier", "_linalg")  # families that compute nothing by NumPy's functions
SMALL = 1 << 7  # elements: below this NumPy's functions report, and a check costs more than they do


def is_bad_in_product(value) -> bool:
    """Whether an array is not finite: first by its product with itself, which takes a fraction of the time."""
    if type(value) is ndarray and value.dtype.char in "fd":
        return not isfinite(vdot(value, value)) and is_bad(value)
    return is_bad(value)


def any_is_bad(values) -> bool:
    """Whether one of some results, arrays or Tensors, is not finite."""
    for value in values:
        if value is not None and is_bad_in_product(plain(value._array) if isinstance(value, Tensor) else value):
            return True
    return False


def disabled(*arguments):
    """Replaces a path that is not used while a watch is on."""


class Looking:
    """Puts observers that check results in front of what computes, and removes them."""

    def __init__(self, births):
        self.births = births
        self.observed: set[tuple[ModuleType, str]] = set()

    def begin(self, taps: Taps) -> None:
        """Starts checking."""
        self.taps = taps
        for table in (fast, raw, forward):
            self._follow_table(table, names_of(table))
        for op in OPS.values():
            self._observe_nodes(op)
        for name, writing in WRITING.items():
            self._observe_writing(name, writing)
        taps.attribute(Call, "wrap", self._around_wrap)
        taps.attribute(planned, "by_kernel", lambda original: disabled)  # the general path's end is checked
        taps.attribute(xp, "plus", self._around_plus)
        taps.attribute(raw, "fitted", self._around_fitted)
        self._listen(FOLLOWERS, self._follow_table)
        self._listen(ASSIGNED, self._follow_assigned)
        self._listen(lazy_modules.LISTENERS, self._follow_family)

    def _listen(self, listeners: list, listener: Callable) -> None:
        """Registers a listener until the watch ends."""
        listeners.append(listener)
        self.taps.undo(lambda: listeners.remove(listener))

    def _follow_family(self, family: str) -> None:
        """Observes the nodes of a family that has just been loaded."""
        for op in OPS.values():
            if op.function is not None and op.function.__module__.endswith(f"_of_{family}"):
                self._observe_nodes(op)

    # ---- forward

    def _follow_table(self, table: ModuleType, names: list[str]) -> None:
        """Observes functions that have just been entered in a table."""
        for name in names:
            if table in (fast, raw, forward) and (table, name) not in self.observed and computes(entry(table, name)):
                self.observed.add((table, name))
                self.taps.attribute(table, name, self._around(SMALL if table is fast else 0))

    def _follow_assigned(self, owner, name: str) -> None:
        """Observes an entry that has been assigned a kernel, which raises no flags."""
        if isinstance(owner, ModuleType):
            self._follow_table(owner, [name])
        elif name == "converting":
            self._observe_node(owner, FEW)

    def _around(self, least: int) -> Callable:
        births = self.births

        def observer(original: Callable) -> Callable:
            # A kernel processes small arrays too
            smallest = least if isinstance(original, np.ufunc) and is_reported(original) else min(least, FEW)

            def computing(*arguments, **named):
                result = original(*arguments, **named)
                if type(result) is tuple:
                    bad = any_is_bad(result)
                elif type(result) is ndarray and result.dtype.char in "fd":
                    bad = result.size >= smallest and not isfinite(vdot(result, result)) and is_bad(result)
                else:
                    bad = is_bad(result)
                if bad and is_generated(sys._getframe(1)):
                    births.gave((arguments, tuple(named.values())), result)
                return result

            return computing

        return observer

    def _around_wrap(self, wrap):
        """Checks the end of the general path, after results have been rounded to their final dtypes."""

        def wrapping(call, results, modes):
            tensors = wrap(call, results, modes)
            if call.backend.kind == "cpu" and any_is_bad(tensors):
                self.births.computed(call, tensors)
            return tensors

        return wrapping

    def _around_writing(self, writing, op: Op):
        def written(tensor, arguments, keywords):
            array = tensor._array
            was_finite = array.size >= FEW and not is_bad_in_product(array)
            is_written = writing(tensor, arguments, keywords)
            if is_written and was_finite and is_bad_in_product(array):
                self.births.wrote(op, array, [*arguments, *keywords.values()])
            return is_written

        return written

    # ---- backward

    def _observe_writing(self, name: str, writing: Callable) -> None:
        if OPS[name].kind == "elementwise":
            WRITING[name] = self._around_writing(writing, OPS[name])
            self.taps.undo(lambda: WRITING.update({name: writing}))

    def _observe_nodes(self, op: Op) -> None:
        silent = len(op.results) > 1 or (op.function is not None and op.function.__module__.endswith(SILENT))
        for node_class in op.nodes:
            self._observe_node(node_class, 0 if silent else FEW)

    def _observe_node(self, node_class, least: int) -> None:
        for name in ("backward", "backward_complex"):
            if name in vars(node_class) and (node_class, name) not in self.observed:
                self.observed.add((node_class, name))
                self.taps.attribute(node_class, name, lambda original: self._around_backward(original, least))
        if "converting" in vars(node_class) and (node_class, "converting") not in self.observed:
            self.observed.add((node_class, "converting"))
            self.taps.attribute(node_class, "converting", self._around_converting)

    def _around_backward(self, original: staticmethod, least: int) -> staticmethod:
        run, births = original.__func__, self.births

        def sending(F, node, saved, g, edges):
            results = run(F, node, saved, g, edges)
            for result in results:
                if type(result) is not ndarray:
                    bad = isinstance(result, Tensor) and is_bad_in_product(plain(result._array))
                else:
                    bad = result.size >= least and is_bad_in_product(result)
                if bad:
                    births.sent(node, saved, g, results)
                    break
            return results

        return staticmethod(sending)

    def _around_converting(self, original: staticmethod) -> staticmethod:
        run, births = original.__func__, self.births

        def sending(node, saved, g, edges):
            results = run(node, saved, g, edges)
            if results is not None and any_is_bad(results):
                births.sent(node, saved, g, results)
            return results

        return staticmethod(sending)

    def _around_plus(self, plus):
        def adding(first, second):
            result = plus(first, second)
            if result.size >= SMALL and is_bad_in_product(result):
                self.births.met(first, second, result)
            return result

        return adding

    def _around_fitted(self, fit):
        def fitted(F, metas, results):
            result = fit(F, metas, results)
            for gradient in result:
                if type(gradient) is ndarray and (gradient.size >= SMALL or gradient.dtype.char not in "fd"):
                    if is_bad_in_product(gradient):
                        self.births.met(*results, gradient)
            return result

        return fitted


def is_generated(frame: FrameType) -> bool:
    """Whether a call comes from a generated function; the first call of a later entry has a frame in between."""
    if frame.f_code is Later.__call__.__code__ and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename.startswith(GENERATED)


def computes(function: Any) -> bool:
    """Whether a function computes elements without reporting by NumPy's flags."""
    return callable(function) and not is_reported(function)


def is_reported(function: Any) -> bool:
    """Whether NumPy reports errors of a function, or it only moves elements, or it is no function of arrays."""
    if isinstance(function, np.ufunc):
        return getattr(np, function.__name__, None) is function
    return isinstance(function, type) or getattr(function, "__module__", "") in MOVING or function is np.reshape
