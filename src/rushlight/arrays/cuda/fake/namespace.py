"""Makes the modules of the fake CuPy of the names and signatures that were recorded from CuPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from rushlight.arrays.cuda.fake import graphs, indexing, libraries, memory, pinned, runtime, streams
from rushlight.arrays.cuda.fake.array import DISPATCH, ndarray
from rushlight.arrays.cuda.fake.functions import OWN, WHOLE, Function
from rushlight.arrays.cuda.fake.launch import launch
from rushlight.arrays.cuda.fake.ufuncs import scatter, ufunc

# CuPy's names of functions that NumPy has under another name, or not at all.
COMPUTED: dict[str, Callable] = {
    "conjugate": np.conjugate, "fix": np.fix, "rsqrt": lambda x: 1 / np.sqrt(x), "sinc": np.sinc, "i0": np.i0,
}  # fmt: skip


@cache
def records() -> dict[str, dict[str, str]]:
    """Returns what was recorded of each name, by module."""
    result: dict[str, dict[str, str]] = {}
    for line in files(__package__).joinpath("names.txt").read_text().splitlines():
        if not line.startswith("#"):
            module, name, kind, *rest = line.split(" ", 3)
            result.setdefault(module, {})[name] = " ".join([kind, *rest])
    return result


class Module(ModuleType):
    """A module of the fake, whose names are made when they are first asked for."""

    def __init__(self, name: str, within: Any, **parts: Any):
        super().__init__(name)
        vars(self).update(parts)
        self.__dict__["within"] = within

    def __getattr__(self, name: str) -> Any:
        record = records().get(self.__name__, {}).get(name)
        if record is None:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        value = made_of(name, record, self.within())
        setattr(self, name, value)
        return value

    def __dir__(self):
        return sorted({*vars(self), *records().get(self.__name__, ())})


def made_of(name: str, record: str, space: Any) -> Any:
    """Returns the function, ufunc or object of a record; `space` is where NumPy or SciPy has it."""
    kind, _, rest = record.partition(" ")
    if kind == "numpy":
        return getattr(np, name)
    if kind == "ufunc":
        nin, nout, types, *methods = rest.split()
        compute = COMPUTED.get(name) or getattr(space, name)
        return ufunc(name, compute, int(nin), int(nout), types.split(","), frozenset(methods))
    if name in WHOLE:
        return WHOLE[name]
    compute = OWN.get(name) or getattr(space, name, None)
    if compute is None:
        raise NotImplementedError(f"the fake CuPy does not compute {name}")
    return Function(name, compute, rest)


def special() -> Any:
    import scipy.special

    return scipy.special


def by_numpy(function_: Callable, method: str, inputs: tuple, keywords: dict) -> Any:
    """What a ufunc of NumPy's does with arrays of the fake: CuPy's of that name."""
    if method != "__call__" or function_.__name__ not in records()["cupy"]:
        return NotImplemented
    if "out" in keywords:
        if len(keywords["out"]) != 1:
            raise ValueError("The 'out' parameter must have exactly one array value")
        keywords["out"] = keywords["out"][0]
    return getattr(cupy, function_.__name__)(*inputs, **keywords)


def for_numpy(function_: Callable, arguments: tuple, keywords: dict) -> Any:
    """What a function of NumPy's does with arrays of the fake: CuPy's of that name."""
    path = (function_.__module__ or "numpy").split(".")[1:]
    module: Any = cupy
    for part in path:
        module = getattr(module, part, None)
    ours = getattr(module, function_.__name__, None)
    return NotImplemented if ours is None or ours is function_ else ours(*arguments, **keywords)


class Named(dict):
    """CuPy's functions by name, for methods and operators of arrays."""

    def __missing__(self, name: str) -> Any:
        self[name] = function = getattr(cupy, name)
        return function


def scattering(name: str) -> Callable:
    return lambda a, slices, value: scatter(name, a, slices, value)


SCATTER = {f"scatter_{short}": scattering(full) for short, full in
           {"add": "add", "max": "maximum", "min": "minimum"}.items()}  # fmt: skip
cuda = SimpleNamespace(
    Device=streams.Device, Stream=streams.Stream, Event=streams.Event, get_current_stream=streams.current,
    get_elapsed_time=streams.get_elapsed_time, is_available=lambda: True, runtime=runtime,
    memory=SimpleNamespace(OutOfMemoryError=runtime.OutOfMemoryError),
    MemoryPool=memory.MemoryPool, using_allocator=memory.using_allocator, Graph=graphs.Graph,
    alloc_pinned_memory=pinned.alloc_pinned_memory,
    pinned_memory=SimpleNamespace(is_memory_pinned=pinned.is_memory_pinned),
    cublas=libraries.Library("cupy.cuda.cublas", records), cusolver=libraries.Library("cupy.cuda.cusolver", records),
    device=SimpleNamespace(
        get_cublas_handle=lambda: libraries.HANDLE, get_cusolver_handle=lambda: libraries.HANDLE
    ),
)  # fmt: skip
streams.Stream.null = streams.DEFAULT  # type: ignore[attr-defined]
cupy = Module(
    "cupy", lambda: np, ndarray=ndarray, ufunc=ufunc, cuda=cuda, __version__="14.2.0",
    get_default_memory_pool=memory.get_default_memory_pool,
    linalg=Module("cupy.linalg", lambda: np.linalg, LinAlgError=np.linalg.LinAlgError),
    fft=Module("cupy.fft", lambda: np.fft),
    lib=SimpleNamespace(
        stride_tricks=Module("cupy.lib.stride_tricks", lambda: np.lib.stride_tricks)
    ),
    exceptions=np.exceptions,
)  # fmt: skip
cupyx = Module(
    "cupyx", lambda: np, **SCATTER,
    scipy=SimpleNamespace(special=Module("cupyx.scipy.special", special)),
)  # fmt: skip
DISPATCH.ufunc, DISPATCH.function, DISPATCH.named = by_numpy, for_numpy, Named(SCATTER)
DISPATCH.fetching, DISPATCH.is_pinned = pinned.fetching, pinned.is_memory_pinned
DISPATCH.getitem, DISPATCH.setitem, DISPATCH.launch = indexing.getitem, indexing.setitem, launch
