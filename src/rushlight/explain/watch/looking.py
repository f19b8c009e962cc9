"""Where what operations make and what backward sends is looked at, while a watch is on.

Machine code, LAPACK, SciPy and products of matrices tell nobody when they overflow. So the functions that compute the
results of generated functions stand behind ones that look at what comes out, and so do the backward functions of node
classes and the few places where gradients are added up. NumPy's own functions tell by their error state, for nothing:
they are left alone, and so are functions that only move numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from math import isfinite
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.arrays import cpu
from rushlight.autograd.backward import Task
from rushlight.autograd.ordinary import walk
from rushlight.core.large import WAITING
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS, Op
from rushlight.dispatch import lazy_modules, short
from rushlight.dispatch.interpreter import Call
from rushlight.explain.nan import is_bad
from rushlight.explain.watch.taps import Taps
from rushlight.lower.sizes import FEW

ndarray, vdot = np.ndarray, np.vdot
FUNCTIONS = "rushlight._generated.functions"
COMPUTING = ("xp_", "kernel_", "forward_")  # what the names of functions begin with that give results
MOVING = {f"rushlight.arrays.{each}" for each in ("indexing", "joining", "placing", "strided")}
SILENT = ("_special", "_fourier", "_linalg")  # books of which nothing is computed by NumPy's functions
SMALL = 1 << 7  # elements: what NumPy's functions make of fewer is told by these, and a look costs more than they


def is_bad_in_product(value) -> bool:
    """Whether an array is not finite: by the product with itself first, which takes a fraction of the time."""
    if type(value) is ndarray and value.dtype.char in "fd":
        return not isfinite(vdot(value, value)) and is_bad(value)
    return is_bad(value)


def some_are_bad(values) -> bool:
    """Whether one of some results is not finite, arrays or Tensors."""
    for each in values:
        if each is not None and is_bad_in_product(plain(each._array) if isinstance(each, Tensor) else each):
            return True
    return False


def nothing(*arguments):
    """What stands for a way that is not taken while a watch is on."""


class Looking:
    """Puts functions that look in the places of those that compute, and takes them out again."""

    def __init__(self, births):
        self.births = births
        self.taps = Taps()
        self.lay, self.lift, self.follow = self._lay, self.taps.remove, self._follow  # the same objects each time

    on = False

    def begin(self, taps: Taps) -> None:
        """Looks from now on. Kernels of machine code are bound in the places of what was there before us."""
        self.on = True
        self.lay()
        if WAITING:
            WAITING.insert(0, self.lay)  # called last
            WAITING.append(self.lift)
        taps.undo(self._end)

    def _end(self) -> None:
        self.on = False
        for waiting, each in ((WAITING, self.lay), (WAITING, self.lift), (lazy_modules.LISTENERS, self.follow)):
            if each in waiting:
                waiting.remove(each)
        self.lift()

    def _lay(self) -> None:
        self.engaged = "rushlight.lower.engage" in sys.modules
        self.least = FEW if self.engaged else SMALL  # machine code takes arrays from so many elements on
        for path, module in list(sys.modules.items()):
            if path.startswith(FUNCTIONS):
                self._lay_functions(module)
        for op in OPS.values():
            self._lay_op(op)
        self.taps.attribute(Call, "wrap", self._around_wrap)
        self.taps.attribute(short, "by_kernel", lambda original: nothing)  # the general path's end is looked at
        self.taps.attribute(cpu, "plus", self._around_plus)
        for each in (Task, walk):
            self.taps.attribute(sys.modules[each.__module__], "fitted", self._around_fitted)
        if self.follow in lazy_modules.LISTENERS:
            lazy_modules.LISTENERS.remove(self.follow)
        lazy_modules.LISTENERS.append(self.follow)  # after those that bind kernels

    def _follow(self, book: str) -> None:
        """A book of operators has been opened."""
        module = sys.modules.get(f"{FUNCTIONS}_of_{book}")
        if module is None:  # only the language of raw arrays has been asked for it
            return
        self._lay_functions(module)
        for op in OPS.values():
            if op.function is not None and op.function.__module__ == module.__name__:
                self._lay_op(op)

    # ---- forward

    def _lay_functions(self, module: ModuleType) -> None:
        silent = module.__name__.endswith(SILENT)
        for name, value in list(vars(module).items()):
            if name.startswith(COMPUTING) and callable(value) and not is_told(value):
                # What is one step of NumPy's for few numbers tells of these
                least = self.least if name.startswith("xp_") and not silent else 0
                make = partial(self._around, module, name, least)
                self.taps.attribute(module, name, make)

    def _around(self, module: ModuleType, name: str, least: int, original: Callable) -> Callable:
        names, births = vars(module), self.births

        def computing(*arguments, **named):
            found = original(*arguments, **named)
            if type(found) is tuple:
                bad = some_are_bad(found)
            elif type(found) is ndarray and found.dtype.char in "fd":
                bad = found.size >= least and not isfinite(vdot(found, found)) and is_bad(found)
            else:
                bad = is_bad(found)
            if bad:
                births.gave((arguments, tuple(named.values())), found)
            if names[name] is not computing and self.on:  # what waited for a large array has given way to a kernel
                self._lay_functions(module)
            return found

        computing.looks = True  # type: ignore[attr-defined]
        return computing

    def _around_wrap(self, wrap):
        """The end of the general path, after results have been rounded to what they are kept in."""

        def wrapping(call, results, modes):
            tensors = wrap(call, results, modes)
            if call.backend.kind == "cpu" and some_are_bad(tensors):
                self.births.computed(call, tensors)
            return tensors

        return wrapping

    def _around_writing(self, writing, op: Op):
        def written(tensor, arguments, keywords):
            array = tensor._array
            good = array.size >= self.least and not is_bad_in_product(array)
            done = writing(tensor, arguments, keywords)
            if done and good and is_bad_in_product(array):
                self.births.wrote(op, array, [*arguments, *keywords.values()])
            return done

        return written

    # ---- backward

    def _lay_op(self, op: Op) -> None:
        if op.machine.writing is not None and op.kind == "elementwise":
            self.taps.attribute(op.machine, "writing", lambda original: self._around_writing(original, op))
        self._lay_nodes(op)

    def _lay_nodes(self, op: Op) -> None:
        silent = len(op.results) > 1 or (op.function is not None and op.function.__module__.endswith(SILENT))
        if not silent and not self.engaged:
            return
        least = 0 if silent else self.least
        for kind in op.nodes:
            for name in ("backward", "backward_complex"):
                if name in vars(kind):
                    self.taps.attribute(kind, name, lambda original: self._around_backward(original, least))
            if "converting" in vars(kind):
                self.taps.attribute(kind, "converting", self._around_converting)

    def _around_backward(self, original: staticmethod, least: int) -> staticmethod:
        run, births = original.__func__, self.births

        def sending(F, node, saved, g, edges):
            results = run(F, node, saved, g, edges)
            for each in results:
                if type(each) is not ndarray:
                    bad = isinstance(each, Tensor) and is_bad_in_product(plain(each._array))
                else:
                    bad = each.size >= least and is_bad_in_product(each)
                if bad:
                    births.sent(node, saved, g, results)
                    break
            return results

        return staticmethod(sending)

    def _around_converting(self, original: staticmethod) -> staticmethod:
        run, births = original.__func__, self.births

        def sending(node, saved, g, edges):
            results = run(node, saved, g, edges)
            if results is not None and some_are_bad(results):
                births.sent(node, saved, g, results)
            return results

        return staticmethod(sending)

    def _around_plus(self, plus):
        def adding(first, second):
            found = plus(first, second)
            if found.size >= SMALL and is_bad_in_product(found):
                self.births.met(first, second, found)
            return found

        return adding

    def _around_fitted(self, fit):
        def fitted(F, metas, results):
            found = fit(F, metas, results)
            for each in found:
                if type(each) is ndarray and (each.size >= SMALL or each.dtype.char not in "fd"):
                    if is_bad_in_product(each):
                        self.births.met(*results, each)
            return found

        return fitted


def is_told(function: Any) -> bool:
    """Whether NumPy tells what a function makes of numbers, or it leaves them as they are, or is one of ours."""
    if hasattr(function, "looks"):
        return True
    if isinstance(function, np.ufunc):
        return getattr(np, function.__name__, None) is function
    return getattr(function, "__module__", "") in MOVING or function is np.reshape
