"""`jet`: Taylor mode, derivatives of any order along a curve. PyTorch has none; arguments and results are JAX's.

https://docs.jax.dev/en/latest/jax.experimental.jet.html
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import rushlight._generated.functions as F
from rushlight.autograd.under_transforms import transforming
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros_like
from rushlight.func.reverse import check_outputs
from rushlight.transforms.levels import coefficients, expanded, taylor_level
from rushlight.utils._pytree import tree_flatten, tree_unflatten

JET = "jet(f, primals, series)"


def jet(f: Callable[..., Any], primals: Any, series: Any) -> tuple[Any, Any]:
    """`f(*primals)`, and its derivatives of order 1 to n along curves through the `primals`.

    `series` has for each primal the list of the n derivatives of its curve, of the primal's shape: `[v, 0, 0]` with
    zeros for order 3 along a line. In the result each output has such a list. For elementwise functions and
    products the work grows with a power of n; nested `jvp` doubles it with each order. Raises ValueError if the lists
    do not fit, NotImplementedError for an operator without a derivative.

    >>> import rushlight as torch
    >>> one, zero = torch.tensor(1.0), torch.tensor(0.0)
    >>> torch.func.jet(lambda x: x**3, (torch.tensor(2.0),), ([one, zero, zero],))
    (tensor(8.), [tensor(12.), tensor(12.), tensor(6.)])
    """
    values, spec = tree_flatten(tuple(primals))
    curves = curves_of(tuple(primals), tuple(series))
    order = order_of(curves)
    with transforming(), taylor_level() as level:
        inputs = [made(level, value, curve) for value, curve in zip(values, curves, strict=True)]
        outputs, output_spec = tree_flatten(f(*tree_unflatten(inputs, spec)))
        check_outputs(outputs, JET)
        pairs = [parts(level, output, order) for output in outputs]
    firsts, rest = [value for value, _ in pairs], [terms for _, terms in pairs]
    return tree_unflatten(firsts, output_spec), tree_unflatten(rest, output_spec)


def curves_of(primals: tuple, series: tuple) -> list[list]:
    """Returns the derivatives of each tensor in the primals; where a primal is a tree, so are its derivatives."""
    if len(primals) != len(series):
        raise ValueError(f"{JET}: Expected one list of derivatives per primal, got {len(series)} for {len(primals)}")
    curves: list[list] = []
    for number, (primal, terms) in enumerate(zip(primals, series, strict=True)):
        if not isinstance(terms, (list, tuple)):
            raise ValueError(f"{JET}: Expected a list of derivatives for primal {number}, got {type(terms)}")
        leaves, spec = tree_flatten(primal)
        columns: list[list] = [[] for _ in leaves]
        for term in terms:
            parts_of_term, spec_of_term = tree_flatten(term)
            if spec_of_term != spec:
                raise ValueError(
                    f"{JET}: Expected derivatives with the structure of primal {number}, {spec}, got {spec_of_term}"
                )
            for column, part in zip(columns, parts_of_term, strict=True):
                column.append(part)
        curves += columns
    return curves


def order_of(curves: list[list]) -> int:
    """Returns the number of derivatives, the same for all. Raises ValueError if there are none, or they differ."""
    lengths = sorted({len(curve) for curve in curves})
    if len(lengths) != 1 or not lengths[0]:
        raise ValueError(f"{JET}: Expected as many derivatives, at least one, for each primal, got {lengths}")
    return lengths[0]


def made(level, primal: Any, curve: list) -> Tensor:
    """Returns a tensor with a Taylor series. Raises ValueError if a derivative does not fit."""
    if not isinstance(primal, Tensor) or not (primal.is_floating_point() or primal.is_complex()):
        what = primal.dtype if isinstance(primal, Tensor) else type(primal)
        raise ValueError(f"{JET}: Expected primals to be floating point or complex tensors, but got: {what}")
    terms = []
    for order, derivative in enumerate(curve, 1):
        if isinstance(derivative, (int, float)):
            terms.append(F.add(zeros_like(primal), derivative / factorial(order)) if derivative else None)
        elif derivative.shape != primal.shape:
            raise ValueError(
                f"{JET}: Expected the derivative of order {order} to have the shape of the primal, "
                f"{list(primal.shape)}, got {list(derivative.shape)}"
            )
        else:
            terms.append(F.true_divide(F.cast(derivative, primal.dtype.numpy), factorial(order)))
    return expanded(level, primal, tuple(terms))


def parts(level, output: Tensor, order: int) -> tuple[Tensor, list[Tensor]]:
    """Returns an output without its series, and its derivatives, zeros where they are known to be."""
    value, terms = coefficients(level, output)
    terms = terms or (None,) * order
    return value, [zeros_like(value) if term is None else F.mul(term, factorial(k)) for k, term in enumerate(terms, 1)]
