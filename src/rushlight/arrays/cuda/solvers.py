"""LAPACK's routines on stacks of matrices, by cuBLAS and cuSOLVER through CuPy.

A stack is (matrices, columns, rows) and contiguous: each matrix is in column-major order, which these libraries take.
A routine works in place. It queues its work and waits for nothing; the codes that LAPACK returns stay on the device.
Many small matrices are one call, others are queued one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
UNITARY = {"orgqr": "ungqr", "ormqr": "unmqr"}  # names of the orthogonal routines for complex dtypes
SIDE = 256  # rows up to which CuPy factors many matrices by one call


class Solvers:
    """The routines, over a CuPy, real or fake."""

    def __init__(self, cupy: Any) -> None:
        self.cupy = cupy

    # ---- layouts

    def columns(self, array: Any) -> Any:
        """Copies matrices to a stack."""
        *batch, rows, columns = array.shape
        return self.cupy.array(array.swapaxes(-1, -2), order="C").reshape(math.prod(batch), columns, rows)

    def rows(self, array: Any) -> Any:
        """Copies matrices to the stack of their transposes."""
        return self.cupy.array(array, order="C").reshape(math.prod(array.shape[:-2]), *array.shape[-2:])

    def matrices(self, stack: Any, batch: tuple) -> Any:
        """Copies a stack back to matrices in row-major order."""
        _, columns, rows = stack.shape
        return self.cupy.ascontiguousarray(stack.swapaxes(1, 2)).reshape(*batch, rows, columns)

    def vectors(self, array: Any) -> Any:
        """Returns vectors as (vectors, elements), contiguous."""
        return self.cupy.ascontiguousarray(array).reshape(math.prod(array.shape[:-1]), array.shape[-1])

    # ---- factors

    def getrf(self, stack: Any) -> tuple:
        """Replaces matrices by L and U; returns the rows exchanged, counted from 1, and first zero pivots."""
        count, columns, rows = stack.shape
        pivots, info = self.integers(count, min(rows, columns)), self.integers(count)
        if count > 1 and rows == columns <= SIDE:
            batched, matrices = self.blas("getrfBatched", stack), self.pointers(stack)
            batched(rows, matrices.data.ptr, rows, pivots.data.ptr, info.data.ptr, count)
            return pivots, info
        factor, work = self.with_workspace("getrf", stack, rows, columns, stack.data.ptr, rows)
        for at in range(count):
            factor(rows, columns, place(stack, at), rows, work.data.ptr, place(pivots, at), place(info, at))
        return pivots, info

    def potrf(self, stack: Any, lower: bool) -> Any:
        """Replaces one triangle of matrices by their Cholesky factor; returns orders of minors that forbid it."""
        count, size, _ = stack.shape
        info, triangle = self.integers(count), self.triangle(lower)
        if count > 1:
            batched, matrices = self.solver("potrfBatched", stack), self.pointers(stack)
            batched(triangle, size, matrices.data.ptr, size, info.data.ptr, count)
            return info
        factor, work = self.with_workspace("potrf", stack, triangle, size, stack.data.ptr, size)
        factor(triangle, size, stack.data.ptr, size, work.data.ptr, work.size, info.data.ptr)
        return info

    def sytrf(self, stack: Any) -> tuple:
        """Replaces the lower triangle of symmetric matrices by L and D; returns pivots and first zeros of D."""
        count, size, _ = stack.shape
        pivots, info = self.integers(count, size), self.integers(count)
        factor, work = self.with_workspace("sytrf", stack, size, stack.data.ptr, size)
        for at in range(count):
            factor(
                self.triangle(True), size, place(stack, at), size, place(pivots, at), work.data.ptr, work.size,
                place(info, at),
            )  # fmt: skip
        return pivots, info

    # ---- reflections

    def orgqr(self, stack: Any, factors: Any) -> None:
        """Replaces the vectors of reflections by the first columns of their product."""
        count, columns, rows = stack.shape
        used, info = factors.shape[1], self.integers(1)
        sizes = rows, columns, used
        multiply, work = self.with_workspace("orgqr", stack, *sizes, stack.data.ptr, rows, factors.data.ptr)
        for at in range(count):
            multiply(
                *sizes, place(stack, at), rows, place(factors, at), work.data.ptr, work.size, info.data.ptr
            )  # fmt: skip

    def ormqr(self, stack: Any, factors: Any, other: Any, left: bool, adjoint: bool) -> None:
        """Multiplies other matrices by the product of reflections, or by its adjoint."""
        count, columns, rows = other.shape
        length, info = stack.shape[2], self.integers(1)
        sizes = self.side(left), self.operation("C" if adjoint else "N", stack), rows, columns, stack.shape[1]
        multiply, work = self.with_workspace(
            "ormqr", stack, *sizes, stack.data.ptr, length, factors.data.ptr, other.data.ptr, rows
        )
        for at in range(count):
            multiply(
                *sizes, place(stack, at), length, place(factors, at), place(other, at), rows, work.data.ptr,
                work.size, info.data.ptr,
            )  # fmt: skip

    # ---- equations

    def getrs(self, stack: Any, pivots: Any, right: Any) -> None:
        """Replaces right sides by the solutions, given L and U from `getrf`."""
        count, columns, size = right.shape
        if count > 1 and size <= SIDE:
            matrices, sides = self.pointers(stack), self.pointers(right)
            code = np.empty(1, np.int32)  # of an argument, on the CPU: that of a matrix is `getrf`'s
            self.blas("getrsBatched", stack)(
                self.operation("N", stack), size, columns, matrices.data.ptr, size, pivots.data.ptr,
                sides.data.ptr, size, code.ctypes.data, count,
            )  # fmt: skip
            return
        substitute, info = self.solver("getrs", stack), self.integers(1)
        for at in range(count):
            substitute(
                self.operation("N", stack), size, columns, place(stack, at), size, place(pivots, at),
                place(right, at), size, info.data.ptr,
            )  # fmt: skip

    def trsm(self, stack: Any, right: Any, left: bool, lower: bool, unit: bool) -> None:
        """Replaces right sides B by X of `A X = B`, or `X A = B` unless `left`; A may be one matrix for all of them."""
        count, columns, rows = right.shape
        size, one = stack.shape[1], np.array(1, right.dtype.char)  # on the CPU
        cublas = self.cupy.cuda.cublas
        settings = (
            self.side(left), self.triangle(lower), self.operation("N", stack),
            cublas.CUBLAS_DIAG_UNIT if unit else cublas.CUBLAS_DIAG_NON_UNIT, rows, columns, one.ctypes.data,
        )  # fmt: skip
        if count == 1:
            self.blas("trsm", stack)(*settings, stack.data.ptr, size, right.data.ptr, rows)
            return
        matrices, sides = self.pointers(stack, count), self.pointers(right)
        self.blas("trsmBatched", stack)(*settings, matrices.data.ptr, size, sides.data.ptr, rows, count)

    # ---- what the libraries take

    def blas(self, name: str, stack: Any) -> Callable:
        """Returns a routine of cuBLAS for the dtype of a stack."""
        cuda = self.cupy.cuda
        return partial(getattr(cuda.cublas, LETTERS[stack.dtype.char] + name), cuda.device.get_cublas_handle())

    def solver(self, name: str, stack: Any) -> Callable:
        """Returns a routine of cuSOLVER for the dtype of a stack."""
        cuda, part = self.cupy.cuda, name.split("_")
        if stack.dtype.kind == "c":
            part[0] = UNITARY.get(part[0], part[0])
        full = LETTERS[stack.dtype.char] + "_".join(part)
        return partial(getattr(cuda.cusolver, full), cuda.device.get_cusolver_handle())

    def with_workspace(self, name: str, stack: Any, *arguments: Any) -> tuple:
        """Returns a routine of cuSOLVER, and memory for what it needs on the way with these arguments."""
        size = self.solver(f"{name}_bufferSize", stack)(*arguments)
        return self.solver(name, stack), self.cupy.empty(size, stack.dtype.char)

    def side(self, left: bool) -> int:
        cublas = self.cupy.cuda.cublas
        return cublas.CUBLAS_SIDE_LEFT if left else cublas.CUBLAS_SIDE_RIGHT

    def triangle(self, lower: bool) -> int:
        cublas = self.cupy.cuda.cublas
        return cublas.CUBLAS_FILL_MODE_LOWER if lower else cublas.CUBLAS_FILL_MODE_UPPER

    def operation(self, letter: str, stack: Any) -> int:
        """Returns the number of an operation: "N" takes a matrix itself, "C" its adjoint, in the dtype of a stack."""
        cublas = self.cupy.cuda.cublas
        if letter == "N":
            return cublas.CUBLAS_OP_N
        return cublas.CUBLAS_OP_C if stack.dtype.kind == "c" else cublas.CUBLAS_OP_T

    def integers(self, *shape: int) -> Any:
        return self.cupy.empty(shape, np.int32)

    def pointers(self, stack: Any, count: int | None = None) -> Any:
        """Returns the addresses of the matrices of a stack; `count` times the same of a single matrix."""
        if len(stack) == 1 and count is not None:
            return self.cupy.full(count, stack.data.ptr, np.uintp)
        start, step = stack.data.ptr, stack.strides[0]
        return self.cupy.arange(start, start + len(stack) * step, step, dtype=np.uintp)


def place(stack: Any, at: int) -> int:
    """Returns the address of one matrix or vector of a stack."""
    return stack.data.ptr + at * stack.strides[0]
