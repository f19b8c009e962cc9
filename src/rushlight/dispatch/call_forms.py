"""Calls in other forms that PyTorch's argument parser takes: NumPy's names, deprecated orders of arguments.

    torch.sum(x, axis=0, keepdims=True)         torch.sum(x, dim=0, keepdim=True)
    x.add_(-0.1, g)                             x.add_(g, alpha=-0.1)                   deprecated, with a warning
    np.mean(x), which calls
    x.mean(axis=None, dtype=None, out=None)     x.mean()                                an error in PyTorch

Generated functions collect unknown keywords and surplus positional arguments. If there are any, or an argument is
missing, they call this module, which puts the arguments in order and calls again.
"""

from __future__ import annotations

import warnings

import numpy as np

from rushlight.core.dtype import BY_NUMPY
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import NOTHING, VARIADIC
from rushlight.dispatch.operands import FACTORS, NUMBERS
from rushlight.dispatch.override import SPACES

NAMES_OF_NUMPY = {"axis": "dim", "keepdims": "keepdim"}
NAMES_IN_REDUCTIONS = {**NAMES_OF_NUMPY, "ddof": "correction"}
CALLED_BY_NUMPY = {"axis", "out"}  # keywords that NumPy's reductions pass to the method of an object that is no array


def takes_names_of_numpy(op) -> bool:
    """Returns whether an operator takes `axis` for `dim`."""
    names = {argument.name for argument in op.arguments}
    variadic = any(argument.role == VARIADIC for argument in op.arguments)
    return "dim" in names and not variadic and not SPACES.isdisjoint(op.spaces)


def takes_other_names(op) -> bool:
    """Returns whether an operator takes arguments by other names than those of its signature."""
    return takes_names_of_numpy(op) or bool(op.documented_names or op.method_names or op.also_named)


def takes_factors_between(op) -> bool:
    """Returns whether an operator takes the factors of its operands between them: a deprecated form."""
    named = [argument.name for argument in op.arguments if argument.keyword_only]
    return bool(named) and op.inplace and set(named) <= set(FACTORS) and not takes_other_names(op)


def renamed(op, function, values: dict, named: dict):
    """Makes a call whose keywords `named` are NumPy's names or other names that PyTorch takes.

    `values` has the arguments by the declaration's names. Raises TypeError for unknown names and missing arguments.
    """
    if op.bound and named.keys() >= CALLED_BY_NUMPY and named["out"] is None:
        return reduced(op, values, named)
    defaults = {argument.name: argument.default for argument in op.arguments}
    called = op.called if op.bound else function.__name__
    for name, value in named.items():
        own = op.also_named.get(name) or NAMES_OF_NUMPY.get(name, name)
        if own not in defaults or values[own] is not defaults[own]:
            raise TypeError(f"{called}() got an unexpected keyword argument '{name}'")
        values[own] = value
    missing = [f'"{name}"' for name, value in values.items() if value is NOTHING]
    if missing:
        noun = "arguments" if len(missing) == 1 else "argument"  # as in PyTorch's error
        raise TypeError(f"{called}() missing {len(missing)} required positional {noun}: {', '.join(missing)}")
    if op.bound:
        return method_called(op, values)
    return function(**{op.documented_names.get(name, name): value for name, value in values.items()})


def reduced(op, values: dict, named: dict):
    """Makes the call of a NumPy reduction on a tensor: the method of its name, with PyTorch's keywords.

    The result has a gradient, unlike `np.asarray`. Raises TypeError for keywords that the method does not take.
    """
    (_, tensor), *others = values.items()
    own = {NAMES_IN_REDUCTIONS.get(name, name): value for name, value in (*others, *named.items()) if name != "out"}
    if isinstance(own.get("dtype"), type | np.dtype):
        own["dtype"] = BY_NUMPY[np.dtype(own["dtype"])]
    defaults = {argument.name: argument.default for argument in op.arguments}
    own = {name: value for name, value in own.items() if value is not None and value is not defaults.get(name)}
    name = f"a{op.called}" if op.called in ("max", "min") and own else op.called
    return getattr(tensor, name)(**own)


def method_called(op, values: dict):
    """Calls the method with the arguments of its function, some of which have other names."""
    values.pop("out", None)
    first, *rest = values.items()
    return getattr(Tensor, op.called)(first[1], **{op.name_in_method(name): value for name, value in rest})


def reordered(op, function, args: tuple, named: dict):
    """Makes a call with the factors of the operands by keyword. Raises TypeError for other surplus arguments."""
    called = op.called if op.bound else function.__name__
    names = [name for name in FACTORS if name in named]
    operands = [argument.name for argument in op.arguments if not argument.keyword_only]
    tensors, numbers = divided(op, operands, args)
    fits = len(tensors) == len(operands) and len(numbers) <= len(names) and args[-1] is tensors[-1]
    if not fits or not all(isinstance(n, NUMBERS) for n in numbers):
        count, most = len(args) - op.bound, len(operands) - op.bound
        raise TypeError(f"{called}() takes {most} positional argument{'s' * (most != 1)} but {count} were given")
    factors = dict(zip(names, numbers, strict=False))
    warnings.warn(deprecated(called, operands, list(factors), method=bool(op.bound)), UserWarning, stacklevel=3)
    if op.bound:
        return method_called(op, dict(zip(operands, tensors, strict=True)) | named | factors)
    return function(*tensors, **(named | factors))


def divided(op, operands: list[str], args: tuple) -> tuple[list, list]:
    """Returns the operands and the factors of a call that has factors between its operands.

    A sum has its factor in the middle: it may be a tensor without dimensions, and an operand may be a number.
    """
    if len(args) == len(operands) + 1 == 3 and all(map(op.takes_number, operands)):
        first, factor, last = args
        if isinstance(factor, Tensor) and not factor.ndim:
            factor = factor.item()
        if not isinstance(factor, Tensor) and all(isinstance(x, (Tensor, *NUMBERS)) for x in (first, last)):
            return [first, last], [factor]
    return [x for x in args if isinstance(x, Tensor)], [x for x in args if not isinstance(x, Tensor)]


def deprecated(name: str, operands: list, factors: list, *, method: bool) -> str:
    """Returns the warning for factors between operands: the deprecated form and the present one."""
    first, *others = [f"Tensor {name}" for name in operands]
    before = [f"Number {name}" for name in factors if name == "beta"]  # the factor of the tensor itself
    between = [f"Number {name}" for name in factors if name != "beta"]
    own, out = ([], []) if method else ([first], ["Tensor out = None"])
    old = [*before, *own, *between, *others, *["*"][: len(out)], *out]
    present = [*own, *others, "*", *(f"{factor} = 1" for factor in (*before, *between)), *out]
    return (
        f"This overload of {name} is deprecated:\n\t{name}({', '.join(old)})\nConsider using one of the following "
        f"signatures instead:\n\t{name}({', '.join(present)})"
    )
