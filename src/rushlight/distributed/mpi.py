"""MPI, by mpi4py: the only file that imports it. Whether it is installed, how it starts, its types and operators."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import socket
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rushlight.core.errors import noted

__all__ = ["installed", "library", "start"]

STARTING = 0.05  # seconds between two looks at the other processes while MPI starts
THREADS_OF_ALL_KINDS = 3  # MPI_THREAD_MULTIPLE


@cache
def installed() -> bool:
    """Whether mpi4py and an MPI that it can load are there. Imports neither."""
    spec = importlib.util.find_spec("mpi4py")
    if spec is None or spec.origin is None:
        return False
    if os.environ.get("MPI4PY_LIBMPI") or list(Path(spec.origin).parent.glob("MPI.cpython*")):
        return True  # the user's choice, or built for the MPI of this machine
    return any(list((Path(prefix) / "lib").glob("libmpi*")) for prefix in {sys.prefix, sys.base_prefix, "/usr"})


@cache
def library() -> Any:
    """Returns mpi4py's module MPI, without starting MPI. Raises ImportError if no MPI library can be loaded."""
    import mpi4py

    mpi4py.rc.initialize = mpi4py.rc.finalize = False
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise noted(
            ImportError(f"No MPI library could be loaded: {error}"),
            "python -m pip install mpich installs one; MPI4PY_LIBMPI=/path/to/libmpi.so names the one of a cluster.",
        ) from error
    return MPI


def started() -> bool:
    """Whether this process has started MPI."""
    return "mpi4py.MPI" in sys.modules and library().Is_initialized()


def world_size() -> int:
    """Returns the number of processes with which MPI runs in this one; 0 if it does not."""
    return library().COMM_WORLD.Get_size() if started() else 0


def start(place: tuple[socket.socket, int, int] | None = None, look: Callable[[], None] = lambda: None) -> Any:
    """Starts MPI, once in a process, and returns its world. `place` is (connection to PMI, rank, size).

    Without a place the process is where `mpiexec` has put it. MPI waits for the other processes in a thread of its own;
    this one calls `look` in between, which raises if one of them has ended.
    """
    MPI = library()
    if not MPI.Is_initialized():
        if place is not None:
            _enter(*place)
        starting = threading.Thread(target=_start, args=(MPI.__file__,), name="rushlight-mpi", daemon=True)
        starting.start()
        while starting.is_alive():
            starting.join(STARTING)
            look()
        for communicator in (MPI.COMM_WORLD, MPI.COMM_SELF):
            communicator.Set_errhandler(MPI.ERRORS_RETURN)  # as exceptions
    return MPI.COMM_WORLD


def _start(file: str) -> None:
    # mpi4py's own start holds the interpreter's lock, without which the server in another thread could not answer
    ctypes.CDLL(file).MPI_Init_thread(None, None, THREADS_OF_ALL_KINDS, ctypes.byref(ctypes.c_int()))


def _enter(connection: socket.socket, rank: int, size: int) -> None:
    connection.setblocking(True)
    descriptor = connection.detach()  # it stays open as long as the process
    os.environ.update(PMI_FD=str(descriptor), PMI_RANK=str(rank), PMI_SIZE=str(size))


def forget_place() -> None:
    """Removes what told MPI its place, so that programs started from here do not take it for theirs."""
    for name in ("PMI_FD", "PMI_RANK", "PMI_SIZE"):
        os.environ.pop(name, None)


def unlink_shared_memory() -> None:
    """Removes the names of MPI's shared memory once all have attached to it: nothing is left behind by a kill."""
    if not os.path.exists("/proc/self/maps"):
        return
    with open("/proc/self/maps") as maps:
        paths = {line.split(maxsplit=5)[5].rstrip("\n") for line in maps if "/dev/shm/mpich_shm_" in line}
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)


# ---- types and operators


@cache
def types() -> dict[str, Any]:
    """Returns MPI's type for each NumPy dtype that MPI can reduce, by name."""
    MPI = library()
    result = {
        "float32": MPI.FLOAT, "float64": MPI.DOUBLE, "int8": MPI.INT8_T, "int16": MPI.INT16_T, "int32": MPI.INT32_T,
        "int64": MPI.INT64_T, "uint8": MPI.UINT8_T, "uint16": MPI.UINT16_T, "uint32": MPI.UINT32_T,
        "uint64": MPI.UINT64_T, "complex64": MPI.C_FLOAT_COMPLEX, "complex128": MPI.C_DOUBLE_COMPLEX,
    }  # fmt: skip
    return result


@cache
def operators() -> dict[str, Any]:
    """Returns MPI's operators by PyTorch's names. Of booleans, bytes of 0 and 1, the logical ones are used."""
    MPI = library()
    return {
        "SUM": MPI.SUM, "AVG": MPI.SUM, "PRODUCT": MPI.PROD, "MIN": MPI.MIN, "MAX": MPI.MAX, "BAND": MPI.BAND,
        "BOR": MPI.BOR, "BXOR": MPI.BXOR,
    }  # fmt: skip


BOOLEAN = {"SUM": "BOR", "MAX": "BOR", "PRODUCT": "BAND", "MIN": "BAND"}
IN_FLOAT32: dict[str, Callable] = {
    "SUM": np.add, "AVG": np.add, "PRODUCT": np.multiply, "MIN": np.minimum, "MAX": np.maximum,
}  # fmt: skip


@cache
def reduction(dtype: np.dtype, name: str) -> tuple[Any, Any, np.dtype]:
    """Returns (MPI type, MPI operator, dtype as which the memory is given) for a reduction of elements of a dtype.

    Floats of less than 32 bits, which MPI lacks, are added in float32 and rounded once in each step.
    """
    if dtype == np.bool_:
        return types()["uint8"], operators()[BOOLEAN.get(name, name)], np.dtype(np.uint8)
    if dtype.name in types():
        return types()[dtype.name], operators()[name], dtype
    bits = np.dtype(f"uint{8 * dtype.itemsize}")
    return types()[bits.name], _of_small_floats(dtype, name), bits


def _of_small_floats(dtype: np.dtype, name: str) -> Any:
    compute = IN_FLOAT32[name]

    def combine(incoming: memoryview, result: memoryview, datatype: Any) -> None:
        a, b = np.frombuffer(incoming, dtype), np.frombuffer(result, dtype)
        with np.errstate(all="ignore"):
            b[:] = compute(a.astype(np.float32), b.astype(np.float32)).astype(dtype)

    return library().Op.Create(combine, commute=True)
