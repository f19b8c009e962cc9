"""cuBLAS and cuSOLVER, as the fake CuPy has them: routines that are given addresses of the device, by LAPACK.

The parameters of a routine are those that were recorded of CuPy's. An address is looked up when the stream comes to the
routine; what is not in memory of the device there is CUDA's error, as is a matrix that reaches beyond its memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.arrays.cuda.fake import streams
from rushlight.arrays.cuda.fake.array import ELSEWHERE, POINTED
from rushlight.arrays.cuda.fake.runtime import CUDARuntimeError
from rushlight.arrays.lapack import routine

LETTERS = {"s": "f", "d": "d", "c": "F", "z": "D"}
WORK = 64  # numbers that a routine of cuSOLVER needs on the way
OPERATIONS, FILLS, SIDES, DIAGONALS = ("N", "T", "C"), ("lower", "upper"), ("L", "R"), ("number", "unit")
CONSTANTS = {
    "CUBLAS_OP_N": 0, "CUBLAS_OP_T": 1, "CUBLAS_OP_C": 2, "CUBLAS_FILL_MODE_LOWER": 0, "CUBLAS_FILL_MODE_UPPER": 1,
    "CUBLAS_SIDE_LEFT": 0, "CUBLAS_SIDE_RIGHT": 1, "CUBLAS_DIAG_NON_UNIT": 0, "CUBLAS_DIAG_UNIT": 1,
}  # fmt: skip
HANDLE = 1


class Library(ModuleType):
    """One of the libraries: the routines that were recorded, for four dtypes each, and the constants of cuBLAS."""

    def __init__(self, name: str, records: Callable[[], dict[str, dict[str, str]]]) -> None:
        super().__init__(name)
        vars(self).update(CONSTANTS if name.endswith("cublas") else {})
        self.__dict__["records"] = records

    def __getattr__(self, name: str) -> Any:
        record = self.records().get(self.__name__, {}).get(name)
        if record is None:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        _, handle, *parameters = record.split()
        routine_ = Routine(name, parameters)
        setattr(self, name, routine_)
        return routine_


class Routine:
    """A routine for one dtype."""

    def __init__(self, name: str, parameters: list[str]) -> None:
        self.__name__, self.parameters = name, parameters
        self.letter, short = LETTERS[name[0]], name[1:].replace("ung", "org").replace("unm", "orm")
        self.function = None if short.endswith("_bufferSize") else ROUTINES[short]

    def __call__(self, handle: int, *arguments: int) -> int:
        if handle != HANDLE or len(arguments) != len(self.parameters):
            raise TypeError(f"{self.__name__}() takes a handle and {' '.join(self.parameters)}")
        if self.function is None:
            return WORK
        named: dict[str, Any] = dict(zip(self.parameters, arguments, strict=True))
        if "work" in named:
            work, count = named.pop("work"), named.pop("lwork", WORK)
            if count < WORK:
                raise ValueError("the workspace is smaller than the routine needs")
            vector(work, WORK, self.letter)
        if "alpha" in named:
            named["alpha"] = on_cpu(named["alpha"], self.letter)[()]
        if "info" in named:
            on_cpu(named.pop("info"), "i")[...] = 0
        held = list(POINTED.values())  # as memory of a pool is, until the stream has come to here
        function, kind = self.function, np.dtype(self.letter)
        streams.current().queue(lambda: (function(kind, **named), held)[0])
        return 0


# ---- memory by address


def memory_at(address: int, size: int) -> Any:
    """Returns bytes of the device. Raises CUDARuntimeError for what is not the device's."""
    start = address - ELSEWHERE
    for first, owner in list(POINTED.items()):
        if first <= start and start + size <= first + owner.nbytes:
            return (ctypes.c_char * size).from_address(start)
    raise CUDARuntimeError(700)


def matrix(address: int, rows: int, columns: int, step: int, kind: Any) -> np.ndarray:
    """Returns a matrix in column-major order; `step` is the number of elements from one column to the next."""
    if step < max(rows, 1):
        raise ValueError("a column is longer than the step to the next one")
    size = np.dtype(kind).itemsize
    memory = memory_at(address, (step * (columns - 1) + rows) * size)
    return np.ndarray((rows, columns), kind, memory, strides=(size, step * size))


def vector(address: int, count: int, kind: Any) -> np.ndarray:
    return np.ndarray(count, kind, memory_at(address, count * np.dtype(kind).itemsize))


def on_cpu(address: int, kind: str) -> np.ndarray:
    """Returns the number at an address of the CPU, which a routine reads or writes at once."""
    if address >= ELSEWHERE:
        raise CUDARuntimeError(700)
    return np.ndarray((), kind, (ctypes.c_char * np.dtype(kind).itemsize).from_address(address))


def each(Aarray: int, count: int) -> Iterator[int]:
    """The addresses in an array of addresses."""
    return map(int, vector(Aarray, count, np.uintp))


# ---- routines


def getrf(kind, m, n, A, lda, devIpiv, devInfo) -> None:
    array, pivots, info = matrix(A, m, n, lda, kind), vector(devIpiv, min(m, n), "i"), vector(devInfo, 1, "i")
    array[...], rows, info[...] = routine("getrf", kind.char)(array)
    pivots[...] = rows + 1


def getrf_batched(kind, n, Aarray, lda, PivotArray, infoArray, batchSize) -> None:
    for at, A in enumerate(each(Aarray, batchSize)):
        getrf(kind, n, n, A, lda, PivotArray + 4 * n * at, infoArray + 4 * at)


def getrs(kind, trans, n, nrhs, A, lda, devIpiv, B, ldb, devInfo=None) -> None:
    array, right, pivots = matrix(A, n, n, lda, kind), matrix(B, n, nrhs, ldb, kind), vector(devIpiv, n, "i") - 1
    right[...] = routine("getrs", kind.char)(array, pivots, right, trans=trans)[0]
    if devInfo is not None:
        vector(devInfo, 1, "i")[...] = 0


def getrs_batched(kind, trans, n, nrhs, Aarray, lda, devIpiv, Barray, ldb, batchSize) -> None:
    for at, (A, B) in enumerate(zip(each(Aarray, batchSize), each(Barray, batchSize), strict=True)):
        getrs(kind, trans, n, nrhs, A, lda, devIpiv + 4 * n * at, B, ldb)


def potrf(kind, uplo, n, A, lda, devInfo) -> None:
    array, info = matrix(A, n, n, lda, kind), vector(devInfo, 1, "i")
    array[...], info[...] = routine("potrf", kind.char)(array, lower=FILLS[uplo] == "lower", clean=0)


def potrf_batched(kind, uplo, n, Aarray, lda, infoArray, batchSize) -> None:
    for at, A in enumerate(each(Aarray, batchSize)):
        potrf(kind, uplo, n, A, lda, infoArray + 4 * at)


def sytrf(kind, uplo, n, A, lda, ipiv, devInfo) -> None:
    array, pivots, info = matrix(A, n, n, lda, kind), vector(ipiv, n, "i"), vector(devInfo, 1, "i")
    array[...], pivots[...], info[...] = routine("sytrf", kind.char)(array, lower=FILLS[uplo] == "lower")


def orgqr(kind, m, n, k, A, lda, tau, devInfo) -> None:
    if not m >= n >= k:
        raise ValueError("more reflections than columns, or more columns than rows")
    array, factors = matrix(A, m, n, lda, kind), vector(tau, k, kind)
    array[...], _, vector(devInfo, 1, "i")[...] = routine("orgqr", kind.char)(array, factors)


def ormqr(kind, side, trans, m, n, k, A, lda, tau, C, ldc, devInfo) -> None:
    if trans == (1 if kind.kind == "c" else 2):
        raise ValueError("the adjoint is CUBLAS_OP_T of real matrices, CUBLAS_OP_C of complex ones")
    array = matrix(A, m if SIDES[side] == "L" else n, k, lda, kind)
    other, factors = matrix(C, m, n, ldc, kind), vector(tau, k, kind)
    multiply = routine("ormqr", kind.char)
    other[...], _, vector(devInfo, 1, "i")[...] = multiply(
        SIDES[side], OPERATIONS[trans], array, factors, other, WORK * max(m, n)
    )


def trsm(kind, side, uplo, trans, diag, m, n, alpha, Aarray, lda, Barray, ldb) -> None:
    size, right = m if SIDES[side] == "L" else n, matrix(Barray, m, n, ldb, kind)
    right[...] = routine("trsm", kind.char)(
        alpha, matrix(Aarray, size, size, lda, kind), right, side=side, lower=FILLS[uplo] == "lower",
        trans_a=trans, diag=DIAGONALS[diag] == "unit",
    )  # fmt: skip


def trsm_batched(kind, side, uplo, trans, diag, m, n, alpha, Aarray, lda, Barray, ldb, batchCount) -> None:
    for A, B in zip(each(Aarray, batchCount), each(Barray, batchCount), strict=True):
        trsm(kind, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb)


ROUTINES: dict[str, Callable] = {
    "getrf": getrf, "getrfBatched": getrf_batched, "getrs": getrs, "getrsBatched": getrs_batched, "potrf": potrf,
    "potrfBatched": potrf_batched, "sytrf": sytrf, "orgqr": orgqr, "ormqr": ormqr, "trsm": trsm,
    "trsmBatched": trsm_batched,
}  # fmt: skip
