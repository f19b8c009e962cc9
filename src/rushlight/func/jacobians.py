"""`torch.func.jacrev`, `jacfwd` and `hessian`: all derivatives of a function, by rows or by columns.

https://docs.pytorch.org/docs/stable/generated/torch.func.jacrev.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import rushlight._generated.functions as F
from rushlight.autograd.under_transforms import transforming
from rushlight.core.device import CPU
from rushlight.core.tensor import Tensor, wrap
from rushlight.create.filled import zeros
from rushlight.func.argnums import selected
from rushlight.func.notes import leaves_vmap
from rushlight.func.repeated import repeated
from rushlight.func.reverse import Argnums, Pullback, vjp_of
from rushlight.func.tangents import jvp_of
from rushlight.func.vmap import check_randomness, sizes, vmap
from rushlight.transforms.levels import batch_level, batched, unbatched
from rushlight.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that returns the Jacobian of `func`, of shape (*output, *input), row by row in reverse mode.

    It is for the argument at `argnums`: a tuple of positions gives a tuple of Jacobians, a tree of outputs or inputs a
    tree. `chunk_size` is the number of rows computed at once; 1 is a loop without vmap. With `has_aux` `func` returns
    `(outputs, aux)`, and the result is `(jacobian, aux)`. Raises RuntimeError for complex inputs or outputs.

    >>> import rushlight as torch
    >>> torch.func.jacrev(lambda x: x**2)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    def jacobian_of(*args: Any) -> Any:
        check_real("jacrev", args, "inputs")
        result, pull, aux, pullback = vjp_of(func, args, argnums, has_aux)
        outputs, output_spec = tree_flatten(result)
        check_real("jacrev", outputs, "outputs")
        inputs, input_spec = tree_flatten(selected(args, argnums))
        direct = not pullback.runs_program  # what would see the batch is our own
        if len(outputs) == 1 and outputs[0]._array.size == 1 and (direct or chunk_size == 1):
            jacobian = tree_unflatten([tree_unflatten(row_of(pullback, outputs, inputs), input_spec)], output_spec)
            return (jacobian, aux) if has_aux else jacobian
        parts: list[list[Tensor]] = [[] for _ in inputs]
        for basis in unit_vectors(outputs, chunk_size):
            if direct and chunk_size != 1:
                rows = rows_of_batch(pullback, basis)
            else:
                rows = tree_leaves(rows_of(pull, tree_unflatten(basis, output_spec), chunk_size == 1))
            for part, row in zip(parts, rows, strict=True):
                part.append(row)
        whole = [part[0] if len(part) == 1 else F.cat(part) for part in parts]
        columns = [split_rows(each, outputs, value) for each, value in zip(whole, inputs, strict=True)]
        by_output = [tree_unflatten(row, input_spec) for row in zip(*columns, strict=True)]
        jacobian = tree_unflatten(by_output, output_spec)
        return (jacobian, aux) if has_aux else jacobian

    return repeated(func, jacobian_of)


def rows_of(pull: Callable, basis: Any, one: bool) -> Any:
    """Returns the gradients for several cotangents, stacked."""
    if not one:
        return vmap(pull)(basis)
    return tree_map(lambda row: F.unsqueeze(row, 0), pull(tree_map(lambda vectors: F.squeeze(vectors, 0), basis)))


def rows_of_batch(pullback: Pullback, basis: list[Tensor]) -> list[Tensor]:
    """The same for a pass in which no code of the program runs, without trees."""
    with transforming(), batch_level(basis[0]._array.shape[0]) as level:
        gradients = pullback.gradients([batched(level, vectors, 0) for vectors in basis])
        return [unbatched(level, each, 0) for each in gradients]


def row_of(pullback: Pullback, outputs: list[Tensor], inputs: list[Tensor]) -> list[Tensor]:
    """Returns the gradients of one output of one element: its Jacobians, for which no batch is needed."""
    if not (shape := tuple(outputs[0].shape)):
        return pullback.gradients([None])
    (basis,) = next(unit_vectors(outputs, None))
    gradients = pullback.gradients([F.reshape(basis, shape)])
    return [F.reshape(each, (*shape, *value.shape)) for each, value in zip(gradients, inputs, strict=True)]


def split_rows(rows: Tensor, outputs: list[Tensor], value: Tensor) -> list[Tensor]:
    """Returns the rows of each output, in its shape."""
    blocks = (rows,) if len(outputs) == 1 else F.split(rows, [output.numel() for output in outputs])
    return [shaped(block, (*output.shape, *value.shape)) for block, output in zip(blocks, outputs, strict=True)]


def shaped(block: Tensor, shape: tuple) -> Tensor:
    """Returns a block in a shape; itself if it has it."""
    return block if block._array.shape == shape else F.reshape(block, shape)


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """A function that returns the Jacobian of `func`, of shape (*output, *input), column by column in forward mode.

    It costs one pass per element of the input, `jacrev` one per element of the output. `randomness` as in `vmap`, the
    other arguments and errors as in `jacrev`.

    >>> import rushlight as torch
    >>> torch.func.jacfwd(lambda x: x**2)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    def jacobian_of(*args: Any) -> Any:
        check_real("jacfwd", args, "inputs")
        inputs, input_spec = tree_flatten(selected(args, argnums))
        basis = next(unit_vectors(inputs, None))

        def push(directions: Any) -> tuple[Any, Any]:
            output, derivative, aux = jvp_of(func, args, directions, argnums, has_aux=has_aux)
            check_real("jacfwd", (output,), "outputs")
            return derivative, (aux if has_aux else ())

        check_randomness(randomness)
        with transforming(), batch_level(basis[0]._array.shape[0], randomness) as level:
            vectors = [batched(level, each, 0) for each in basis]
            try:
                derivatives, aux = push(tree_unflatten(vectors, input_spec))
            except Exception as error:
                leaves_vmap(error, level, push, 0, [0] * len(basis), (tree_unflatten(basis, input_spec),))
                raise
            columns, output_spec = tree_flatten(derivatives)
            columns = [unbatched(level, each, 0) for each in columns]
            aux = tree_map(lambda value: unbatched(level, value, 0), aux)
        by_output = [tree_unflatten(split_columns(each, inputs), input_spec) for each in columns]
        jacobian = tree_unflatten(by_output, output_spec)
        return (jacobian, tree_map(lambda values: values[0], aux)) if has_aux else jacobian

    return repeated(func, jacobian_of)


def split_columns(columns: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    """Returns the columns of each input, in its shape, behind the dimensions of the output."""
    shape = columns.shape[1:]
    columns = F.t(columns) if len(shape) == 1 else F.movedim(columns, 0, -1)
    blocks = (columns,) if len(inputs) == 1 else F.split(columns, [value.numel() for value in inputs], -1)
    return [shaped(block, (*shape, *value.shape)) for block, value in zip(blocks, inputs, strict=True)]


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """A function that returns all second derivatives of `func`, forward over reverse: `jacfwd(jacrev(func))`.

    >>> import rushlight as torch
    >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


def unit_vectors(tensors: list[Tensor], chunk_size: int | None) -> Iterator[list[Tensor]]:
    """Yields rows of the identity over the elements of all tensors, some at a time, in one part like each tensor."""
    if not tensors:
        raise AssertionError("tensors must have at least one element")
    total, begin = sum([tensor._array.size for tensor in tensors]), 0
    for length in sizes(total, chunk_size or total) or [0]:
        parts, ahead = [], begin
        for tensor in tensors:
            parts.append(shaped(identity(tensor, length, ahead), (length, *tensor.shape)))
            ahead -= tensor._array.size
        yield parts
        begin += length


def identity(tensor: Tensor, length: int, ahead: int) -> Tensor:
    """Returns zeros (length, elements), with ones in the diagonal that begins at a column, or at a row if negative."""
    size = tensor._array.size
    if tensor._array.dtype.char in "fd" and tensor.device is CPU:
        rows = np.zeros((length, size), tensor.dtype.numpy)
        first, column = (-ahead, 0) if ahead < 0 else (0, ahead)
        count = max(0, min(length - first, size - column))
        begin = first * size + column
        rows.reshape(-1)[begin : begin + count * (size + 1) : size + 1] = 1
        return wrap(rows)
    part = zeros(length, size, dtype=tensor.dtype, device=tensor.device)
    F.diagonal(part, ahead).fill_(1)
    return part


def check_real(name: str, tree: list | tuple, what: str) -> None:
    """Raises RuntimeError if a tensor of a tree is complex: such a function has no Jacobian here."""
    leaves = tree if all([type(each) is Tensor for each in tree]) else tree_leaves(tree)
    for number, value in enumerate(leaves):
        if isinstance(value, Tensor) and value._array.dtype.kind in "cW":
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {number}"
            )
