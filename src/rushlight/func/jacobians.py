"""`torch.func.jacrev`, `jacfwd` and `hessian`: all derivatives of a function, by rows or by columns.

https://docs.pytorch.org/docs/stable/generated/torch.func.jacrev.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import rushlight._generated.functions as F
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros
from rushlight.func.argnums import selected
from rushlight.func.reverse import Argnums, vjp_of
from rushlight.func.tangents import jvp_of
from rushlight.func.vmap import sizes, vmap
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

    @wraps(func)
    def jacobian_of(*args: Any) -> Any:
        check_real("jacrev", args, "inputs")
        result, pull, aux = vjp_of(func, args, argnums, has_aux)
        outputs, output_spec = tree_flatten(result)
        check_real("jacrev", outputs, "outputs")
        inputs, input_spec = tree_flatten(selected(args, argnums))
        parts: list[list[Tensor]] = [[] for _ in inputs]
        for basis in unit_vectors(outputs, chunk_size):
            rows = rows_of(pull, tree_unflatten(basis, output_spec), chunk_size == 1)
            for part, row in zip(parts, tree_leaves(rows), strict=True):
                part.append(row)
        whole = [part[0] if len(part) == 1 else F.cat(part) for part in parts]
        columns = [split_rows(each, outputs, value) for each, value in zip(whole, inputs, strict=True)]
        by_output = [tree_unflatten(row, input_spec) for row in zip(*columns, strict=True)]
        jacobian = tree_unflatten(by_output, output_spec)
        return (jacobian, aux) if has_aux else jacobian

    return jacobian_of


def rows_of(pull: Callable, basis: Any, one: bool) -> Any:
    """Returns the gradients for several cotangents, stacked."""
    if not one:
        return vmap(pull)(basis)
    return tree_map(lambda row: F.unsqueeze(row, 0), pull(tree_map(lambda vectors: F.squeeze(vectors, 0), basis)))


def split_rows(rows: Tensor, outputs: list[Tensor], value: Tensor) -> list[Tensor]:
    """Returns the rows of each output, in its shape."""
    blocks = F.split(rows, [output.numel() for output in outputs])
    return [F.reshape(block, (*output.shape, *value.shape)) for block, output in zip(blocks, outputs, strict=True)]


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

    @wraps(func)
    def jacobian_of(*args: Any) -> Any:
        check_real("jacfwd", args, "inputs")
        inputs, input_spec = tree_flatten(selected(args, argnums))
        basis = next(unit_vectors(inputs, None))

        def push(directions: Any) -> tuple[Any, Any]:
            output, derivative, aux = jvp_of(func, args, directions, argnums, has_aux=has_aux)
            check_real("jacfwd", output, "outputs")
            return derivative, (aux if has_aux else ())

        derivatives, aux = vmap(push, randomness=randomness)(tree_unflatten(basis, input_spec))
        columns, output_spec = tree_flatten(derivatives)
        by_output = [tree_unflatten(split_columns(each, inputs), input_spec) for each in columns]
        jacobian = tree_unflatten(by_output, output_spec)
        return (jacobian, tree_map(lambda values: values[0], aux)) if has_aux else jacobian

    return jacobian_of


def split_columns(columns: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    """Returns the columns of each input, in its shape, behind the dimensions of the output."""
    blocks = F.split(F.movedim(columns, 0, -1), [value.numel() for value in inputs], -1)
    shape = columns.shape[1:]
    return [F.reshape(block, (*shape, *value.shape)) for block, value in zip(blocks, inputs, strict=True)]


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
    total, begin = sum(tensor.numel() for tensor in tensors), 0
    for length in sizes(total, chunk_size or total) or [0]:
        parts, ahead = [], begin
        for tensor in tensors:
            part = zeros(length, tensor.numel(), dtype=tensor.dtype, device=tensor.device)
            F.diagonal(part, ahead).fill_(1)
            parts.append(F.view(part, (length, *tensor.shape)))
            ahead -= tensor.numel()
        yield parts
        begin += length


def check_real(name: str, tree: Any, what: str) -> None:
    """Raises RuntimeError if a tensor of a tree is complex: such a function has no Jacobian here."""
    for number, value in enumerate(tree_leaves(tree)):
        if isinstance(value, Tensor) and value.is_complex():
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {number}"
            )
