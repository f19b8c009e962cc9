"""Products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.arrays.sampling import affine_points
from rushlight.onnx.elements import add, multiply, reduced, subtract, unary
from rushlight.onnx.table import Call, writes
from rushlight.onnx.writer import INT64, Refused, Value


def product(call: Call, one: Value, other: Value, shape: tuple | None = None) -> Value:
    """Writes a matrix product; small integers are widened, of which runtimes have no products."""
    writer, dtype = call.writer, one.dtype
    if dtype.kind in "iub" and dtype.itemsize < 4:
        one, other = writer.cast(one, np.int32), writer.cast(other, np.int32)
    return writer.cast(writer.op("MatMul", one, other, shape=shape), dtype)


def weighted(call: Call, result: Value, alpha: Any, input: Value | None, beta: Any) -> Value:
    """Writes `beta * input + alpha * result`; an input times 0 is not looked at."""
    if alpha != 1:
        result = multiply(result, call.writer.scalar(alpha, result.dtype))
    if input is None or beta == 0:
        return call.writer.expand(result, call.shape)
    input = call.writer.cast(input, result.dtype)
    return add(result, input if beta == 1 else multiply(input, call.writer.scalar(beta, result.dtype)))


@writes("mm", "bmm", "mv", "dot", "vdot")
def matmul(call: Call, input: Value, mat2=None, vec=None, tensor=None, other=None) -> Value:
    second = next(each for each in (mat2, vec, tensor, other) if each is not None)
    return product(call, input, second, call.shape)


@writes("affine")
def affine(call: Call, input: Value, mat1: Value, mat2: Value, beta=1, alpha=1, flipped=True) -> Value:
    if mat1.dtype.kind == "f" and not any_number(alpha, beta) and beta != 0:
        return call.writer.op(
            "Gemm", mat1, mat2, input, alpha=float(alpha), beta=float(beta), transB=int(flipped), shape=call.shape
        )
    mat2 = call.writer.transpose(mat2, (1, 0)) if flipped else mat2
    return weighted(call, product(call, mat1, mat2, call.shape), alpha, input, beta)


def any_number(*numbers: Any) -> bool:
    """Whether a number depends on sizes."""
    return any([not isinstance(number, int | float) for number in numbers])


@writes("flipped_product")
def flipped_product(call: Call, mat1: Value, mat2: Value, input: Value | None = None) -> Value:
    order = [*range(mat2.ndim - 2), mat2.ndim - 1, mat2.ndim - 2]
    return weighted(call, product(call, mat1, call.writer.transpose(mat2, order), call.shape), 1, input, 1)


@writes("addmv", "baddbmm")
def sum_and_product(call: Call, input: Value, mat=None, vec=None, batch1=None, batch2=None, beta=1, alpha=1) -> Value:
    one, other = (mat, vec) if batch1 is None else (batch1, batch2)
    return weighted(call, product(call, one, other, call.shape), alpha, input, beta)


@writes("addbmm")
def addbmm(call: Call, input: Value, batch1: Value, batch2: Value, beta=1, alpha=1) -> Value:
    each = product(call, batch1, batch2, (batch1.shape[0], batch1.shape[1], batch2.shape[2]))
    return weighted(call, reduced("ReduceSum", each, (0,), False), alpha, input, beta)


@writes("addr")
def addr(call: Call, input: Value, vec1: Value, vec2: Value, beta=1, alpha=1) -> Value:
    column = call.writer.reshape(vec1, (vec1.shape[0], 1))
    return weighted(call, multiply(column, vec2), alpha, input, beta)


@writes("linalg_cross")
def cross(call: Call, input: Value, other: Value, dim=-1) -> Value:
    """Writes the cross product: each of three is a difference of products."""
    writer, axis = call.writer, dim % len(call.shape)

    def turned(value: Value, *order: int) -> Value:
        at = writer.constant(np.array(order), INT64)
        return writer.op("Gather", value, at, axis=axis, shape=value.shape)

    one, two = writer.expand(input, call.shape), writer.expand(other, call.shape)
    return subtract(
        multiply(turned(one, 1, 2, 0), turned(two, 2, 0, 1)), multiply(turned(one, 2, 0, 1), turned(two, 1, 2, 0))
    )


@writes("linalg_det")
def det(call: Call, A: Value) -> Value:
    return call.writer.op("Det", A, shape=call.shape)


@writes("sign_and_log_determinant")
def log_determinant(call: Call, A: Value, name: str) -> list[Value]:
    result = call.writer.op("Det", A, shape=call.shape)
    return [unary("Sign", result), unary("Log", unary("Abs", result))]


@writes("affine_grid")
def affine_grid(call: Call, theta: Value, size, align_corners) -> Value:
    """Writes the points of a grid, which are constant, times a matrix of each sample."""
    if any_number(*size[2:]):
        raise Refused("a grid whose size may change")
    points = call.writer.constant(affine_points(tuple(size[2:]), align_corners, theta.dtype))
    order = call.writer.transpose(theta, (0, 2, 1))
    result = product(call, points, order, (size[0], points.shape[0], len(size) - 2))
    return call.writer.reshape(result, call.shape)
