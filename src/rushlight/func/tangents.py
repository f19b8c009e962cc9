"""`torch.func.jvp` and `linearize`: derivatives along a direction.

https://docs.pytorch.org/docs/stable/generated/torch.func.jvp.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.autograd.gradients import grad
from rushlight.autograd.under_transforms import transforming
from rushlight.core.modes import MODE, change, following
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros_like
from rushlight.func.argnums import replaced, selected
from rushlight.func.notes import leaves_derivative
from rushlight.func.reverse import Argnums, check_outputs, checked_aux, split, vjp_of
from rushlight.transforms.levels import dual, dual_level, undual
from rushlight.utils._pytree import tree_flatten, tree_map, tree_unflatten

JVP = "jvp(f, primals, tangents)"


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """`func(*primals)`, and its derivative along `tangents`, which are like the `primals`: tuples of tensors or trees.

    With `has_aux` the function returns `(outputs, aux)`, and `aux` is the third result. With `strict` an output that
    does not depend on the inputs is an error, not zero. Raises RuntimeError if primals and tangents do not match.

    >>> import rushlight as torch
    >>> torch.func.jvp(lambda x: x**2, (torch.tensor([1.0, 3.0]),), (torch.tensor([1.0, 0.5]),))
    (tensor([1., 9.]), tensor([2., 3.]))
    """
    return jvp_of(func, primals, tangents, None, strict=strict, has_aux=has_aux)[: 3 if has_aux else 2]


def jvp_of(
    func: Callable, primals: Any, tangents: Any, argnums: Argnums | None, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, Any, Any]:
    """Returns the outputs, their derivatives for the arguments at `argnums` (None: all), and `aux`."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    chosen = primals if argnums is None else selected(primals, argnums)
    values, spec = tree_flatten(chosen)
    directions, tangents_spec = tree_flatten(tangents)
    if spec != tangents_spec:
        raise RuntimeError(
            f"{JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and tangents with structure "
            f"{tangents_spec}"
        )
    check_tensors(values, "primals")
    check_tensors(directions, "tangents")
    with transforming(), dual_level() as level, Followed():
        duals = [made(level, value, direction) for value, direction in zip(values, directions, strict=True)]
        inputs = tree_unflatten(duals, spec)
        if argnums is not None:
            inputs = replaced(primals, argnums, inputs)
        try:
            result = func(*inputs)
        except Exception as error:
            leaves_derivative(error, "jvp", func, primals, argnums)
            raise
        result, aux = split(result, has_aux, JVP)
        outputs, output_spec = tree_flatten(result)
        check_outputs(outputs, JVP)
        pairs = [parts(level, output, strict) for output in outputs]
        if has_aux:
            aux = tree_map(lambda value: undual(level, checked_aux(value))[0], aux)
    return *[tree_unflatten(part, output_spec) for part in zip(*pairs, strict=True)], aux


class Followed:
    """Has results get tangents inside, whatever the mode outside: a transform does not depend on it."""

    token: Any = None

    def __enter__(self) -> None:
        if not following():
            self.token = change(forward=True)

    def __exit__(self, *exception: Any) -> None:
        if self.token is not None:
            MODE.reset(self.token)


def made(level, primal: Tensor, tangent: Tensor) -> Tensor:
    """Returns a tensor with a tangent. Raises ValueError or RuntimeError if they do not fit."""
    for what, tensor in (("primal", primal), ("tangent", tangent)):
        if not (tensor.is_floating_point() or tensor.is_complex()):
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {tensor.dtype}")
    if primal.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(primal.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )
    return dual(level, primal, tangent)


def parts(level, output: Tensor, strict: bool) -> tuple[Tensor, Tensor]:
    """Returns an output without its tangent, and the tangent, zeros if there is none."""
    primal, tangent = undual(level, output)
    if tangent is None:
        if strict:
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                "allowed with strict=True."
            )
        tangent = zeros_like(primal)
    return primal, tangent


def check_tensors(values: list, name: str) -> None:
    """Raises RuntimeError if there are no primals or tangents, or others than tensors."""
    if not values:
        raise RuntimeError(f"{JVP}: Expected {name} to contain at least one Tensor.")
    for value in values:
        if not isinstance(value, Tensor):
            raise RuntimeError(f"{JVP}: Expected {name} to only contain Tensors, got {type(value)}")


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """`func(*primals)`, and a function of tangents that returns the derivative along them; `func` runs once.

    The derivative is made of two backward passes: the first is linear in the cotangents, and the second is its
    derivative. The function keeps the graph of the first. Raises RuntimeError if tangents do not fit the primals.

    >>> import rushlight as torch
    >>> y, push = torch.func.linearize(torch.sin, torch.zeros(2))
    >>> push(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    values, spec = tree_flatten(primals)
    outputs, pull, *_ = vjp_of(func, primals, None, has_aux=False)
    leaves, output_spec = tree_flatten(outputs)
    cotangents = [zeros_like(leaf.detach(), requires_grad=True) for leaf in leaves]
    pulled = tree_flatten(pull(tree_unflatten(cotangents, output_spec), create_graph=True))[0]
    recorded = [(value, number) for number, value in enumerate(pulled) if value.requires_grad]

    def push(*tangents: Any) -> Any:
        directions, tangents_spec = tree_flatten(tangents)
        if tangents_spec != spec:
            raise RuntimeError(f"Expected the tangents {tangents_spec} to have the same argspec as the primals {spec}")
        for number, (direction, value) in enumerate(zip(directions, values, strict=True)):
            check_tangent(number, direction, value)
        weights = [directions[number] for _, number in recorded]
        results = (
            grad([value for value, _ in recorded], cotangents, weights, retain_graph=True, allow_unused=True)
            if recorded
            else [None] * len(cotangents)
        )
        pairs = zip(results, cotangents, strict=True)
        return tree_unflatten(
            [zeros_like(like.detach()) if result is None else result for result, like in pairs], output_spec
        )

    return outputs, push


def check_tangent(number: int, tangent: Tensor, primal: Tensor) -> None:
    """Raises RuntimeError if a tangent has another shape, device or dtype than its primal."""
    for what in ("shape", "device", "dtype"):
        have, want = getattr(tangent, what), getattr(primal, what)
        if have != want:
            raise RuntimeError(
                f"tangent:{number} with {what} {have} in flattened pytree doesn't match the {what} {want} of the "
                "corresponding primal."
            )
