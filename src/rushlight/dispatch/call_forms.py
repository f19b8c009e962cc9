"""Calls in the other forms that PyTorch's argument parser takes: NumPy's names, and the orders of long ago.

    torch.sum(x, axis=0, keepdims=True)         torch.sum(x, dim=0, keepdim=True)
    x.add_(-0.1, g)                             x.add_(g, alpha=-0.1)                   deprecated, with a warning
    np.mean(x), that is
    x.mean(axis=None, dtype=None, out=None)     x.mean()                                which PyTorch refuses

A generated function of a dimension takes names that it does not know, one of scaled operands positions that it has not;
if there are any, or an argument is missing, the call comes here, is put in order, and made again.
"""

from __future__ import annotations

import warnings

import numpy as np

from rushlight.core.dtype import BY_NUMPY
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import NOTHING, VARIADIC
from rushlight.dispatch.operands import FACTORS, NUMBERS

NAMES_OF_NUMPY = {"axis": "dim", "keepdims": "keepdim"}
NAMES_IN_REDUCTIONS = {**NAMES_OF_NUMPY, "ddof": "correction"}
CALLED_BY_NUMPY = {"axis", "out"}  # what its reductions give to the method of an object that is no array
SPACES = frozenset(("torch", "linalg", "special", "fft"))  # elsewhere PyTorch's functions are written in Python


def takes_names_of_numpy(op) -> bool:
    """Whether an operator's functions take `axis` for `dim`."""
    names = {each.name for each in op.arguments}
    variadic = any(each.role == VARIADIC for each in op.arguments)
    return "dim" in names and not variadic and not SPACES.isdisjoint(op.spaces)


def takes_other_names(op) -> bool:
    """Whether an operator's functions take names for arguments beside those that they show."""
    return takes_names_of_numpy(op) or bool(op.documented_names or op.method_names or op.also_named)


def takes_factors_between(op) -> bool:
    """Whether an operator's functions take the factors of their operands between these, as they once stood."""
    named = [each.name for each in op.arguments if each.keyword_only]
    return bool(named) and op.inplace and set(named) <= set(FACTORS) and not takes_other_names(op)


def renamed(op, function, given: dict, named: dict):
    """The call with NumPy's names replaced, and with those that PyTorch takes beside the documented ones.

    `given` are the arguments under the declaration's names. Raises TypeError for other names, and where one is missing.
    """
    if op.bound and named.keys() >= CALLED_BY_NUMPY and named["out"] is None:
        return reduced(op, given, named)
    defaults = {each.name: each.default for each in op.arguments}
    called = op.called if op.bound else function.__name__
    for name, value in named.items():
        own = op.also_named.get(name) or NAMES_OF_NUMPY.get(name, name)
        if own not in defaults or given[own] is not defaults[own]:
            raise TypeError(f"{called}() got an unexpected keyword argument '{name}'")
        given[own] = value
    missing = [f'"{name}"' for name, value in given.items() if value is NOTHING]
    if missing:
        noun = "arguments" if len(missing) == 1 else "argument"  # so PyTorch counts
        raise TypeError(f"{called}() missing {len(missing)} required positional {noun}: {', '.join(missing)}")
    if op.bound:
        return method_called(op, given)
    return function(**{op.documented_names.get(name, name): value for name, value in given.items()})


def reduced(op, given: dict, named: dict):
    """What a reduction of NumPy, given a tensor, asks of the method of its name: the same in PyTorch's names.

    The gradient is kept, as `np.asarray` cannot keep it. Raises TypeError for what PyTorch's reduction has not.
    """
    (_, tensor), *others = given.items()
    own = {NAMES_IN_REDUCTIONS.get(name, name): value for name, value in (*others, *named.items()) if name != "out"}
    if isinstance(own.get("dtype"), type | np.dtype):
        own["dtype"] = BY_NUMPY[np.dtype(own["dtype"])]
    defaults = {each.name: each.default for each in op.arguments}
    own = {name: value for name, value in own.items() if value is not None and value is not defaults.get(name)}
    name = f"a{op.called}" if op.called in ("max", "min") and own else op.called
    return getattr(tensor, name)(**own)


def method_called(op, given: dict):
    """The method called with the arguments of its function, which has other names for some and takes `out=`."""
    given.pop("out", None)
    first, *rest = given.items()
    return getattr(Tensor, op.called)(first[1], **{op.name_in_method(name): value for name, value in rest})


def reordered(op, function, given: tuple, named: dict):
    """The call with the factors of the operands named. Raises TypeError for anything else that is too much."""
    called = op.called if op.bound else function.__name__
    tensors = [each for each in given if isinstance(each, Tensor)]
    numbers = [each for each in given if not isinstance(each, Tensor)]
    names = [each for each in FACTORS if each in named]
    wanted = [each.name for each in op.arguments if not each.keyword_only]
    fits = len(tensors) == len(wanted) and len(numbers) <= len(names) and isinstance(given[-1], Tensor)
    if not fits or not all(isinstance(n, NUMBERS) for n in numbers):
        count, most = len(given) - op.bound, len(wanted) - op.bound
        raise TypeError(f"{called}() takes {most} positional argument{'s' * (most != 1)} but {count} were given")
    factors = dict(zip(names, numbers, strict=False))
    warnings.warn(deprecated(called, wanted, list(factors), method=bool(op.bound)), UserWarning, stacklevel=3)
    if op.bound:
        return method_called(op, dict(zip(wanted, tensors, strict=True)) | named | factors)
    return function(*tensors, **(named | factors))


def deprecated(name: str, operands: list, factors: list, *, method: bool) -> str:
    """The warning for factors between operands: the form of the call, and the form that it should have."""
    first, *others = [f"Tensor {each}" for each in operands]
    before = [f"Number {each}" for each in factors if each == "beta"]  # the factor of the tensor itself
    between = [f"Number {each}" for each in factors if each != "beta"]
    own, out = ([], []) if method else ([first], ["Tensor out = None"])
    old = [*before, *own, *between, *others, *["*"][: len(out)], *out]
    wanted = [*own, *others, "*", *(f"{each} = 1" for each in (*before, *between)), *out]
    return (
        f"This overload of {name} is deprecated:\n\t{name}({', '.join(old)})\nConsider using one of the following "
        f"signatures instead:\n\t{name}({', '.join(wanted)})"
    )
