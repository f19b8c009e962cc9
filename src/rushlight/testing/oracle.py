"""Runs a declaration's samples in PyTorch as well. The module is an argument: nothing here imports it."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.device import device as Device
from rushlight.core.dtype import dtype as Dtype
from rushlight.core.formats import memory_format as MemoryFormat
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.declare import Op
from rushlight.nn import functional
from rushlight.testing.comparison import assert_close
from rushlight.testing.declared import (
    Case,
    check_first_derivative,
    check_second_derivative,
    flat,
    is_smooth,
    vector_jacobian,
)

FUNCTIONAL = "nn.functional"
REDUCED = frozenset(("float16", "bfloat16"))
DIGITS = {"float32": 1e-5, "float16": 1e-2, "bfloat16": 5e-2}
REFUSALS = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError)


def counterpart(op: Op, torch) -> Any:
    """Returns PyTorch's counterpart of an operator: its public function, else its method or property, else None.

    Also None if `nn/functional` has a wrapper: the declaration then takes other arguments than PyTorch's function.
    """
    if getattr(functional, op.name, op.function) is not op.function:
        return None
    for space in op.spaces:
        place = torch if space == "torch" else attrgetter(space)(torch)
        for name in op.names_in(space):
            # Functional poolings return the indices of the maxima under another name.
            for attribute in (f"{name}_with_indices", name) if space == FUNCTIONAL else (name,):
                if hasattr(place, attribute):
                    return getattr(place, attribute)
    method = getattr(torch.Tensor, op.method or "", None)
    return method if method is None or callable(method) else method.__get__


def to_torch(value, torch):
    """Converts an argument to PyTorch; tensors keep their strides."""
    if isinstance(value, Tensor):
        array = value._array
        if array.dtype == dtypes.bfloat16.numpy:
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        # NumPy's strides of an empty array are all 0, which PyTorch would take literally.
        return (
            torch.from_numpy(np.asarray(array))
            if array.size
            else torch.zeros(array.shape, dtype=to_torch(value.dtype, torch))
        )
    if isinstance(value, (tuple, list)):
        return type(value)(to_torch(x, torch) for x in value)
    if isinstance(value, dict):
        return {name: to_torch(value, torch) for name, value in value.items()}
    if isinstance(value, Dtype):
        return getattr(torch, value.name)
    if isinstance(value, Device):
        return torch.device(str(value))
    if isinstance(value, MemoryFormat):
        return getattr(torch, str(value).removeprefix("torch."))
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value


def from_torch(value, torch):
    """Converts a result of PyTorch to ours; tensors by value."""
    if not isinstance(value, torch.Tensor):
        return value
    value = value.detach().resolve_conj().resolve_neg()
    if value.dtype == torch.bfloat16:
        return wrap(value.float().numpy().astype(dtypes.bfloat16.numpy))
    return wrap(value.numpy(force=True))


def run(case: Case, torch, tensors) -> list:
    """Returns PyTorch's results for the tensors of a case."""
    arguments, keywords = to_torch(case.filled(tensors), torch)
    if case.op.spaces == (FUNCTIONAL,):
        # These have another order of parameters, with deprecated ones between.
        names = [argument.name for argument in case.op.arguments[1 : len(arguments)]]
        keywords |= dict(zip(names, arguments[1:], strict=True))
        arguments = arguments[:1]
    torch.manual_seed(0)
    return flat(counterpart(case.op, torch)(*arguments, **keywords))


def check_value(case: Case, torch) -> None:
    """Checks number, dtype, shape and values of the results."""
    tensors = [tensor.detach() for tensor in case.tensors]
    expected = [from_torch(x, torch) for x in run(case, torch, tensors)]
    assert_close(case.results(tensors), expected, equal_nan=True, msg=lambda message: f"{case}:\n{message}")


def check_gradient(case: Case, torch) -> None:
    """Checks gradients, also where a derivative is a convention."""
    points = case.arrays()
    smooth = [result for result in case.results([tensor.detach() for tensor in case.tensors]) if is_smooth(result)]
    if not points or not smooth:
        return
    weights = [case.random_like(x._array) for x in smooth]
    expected = _outcome(lambda: _gradients(case, torch, points, weights))
    if isinstance(expected, Exception):
        # PyTorch has no derivative here, or its own fails.
        return
    actual = [wrap(x) for x in vector_jacobian(case, points, weights)]
    assert_close(actual, expected, equal_nan=True, msg=lambda message: f"{case}: the gradients\n{message}")


def _gradients(case: Case, torch, points, weights) -> list[Tensor]:
    """Returns PyTorch's gradients of <weights, results>; zeros where there is none."""
    leaves = [to_torch(wrap(point), torch).requires_grad_() for point in points]
    fresh = iter(leaves)
    results = run(case, torch, [next(fresh) if tensor.requires_grad else tensor.detach() for tensor in case.tensors])
    smooth = [
        result
        for result in results
        if isinstance(result, torch.Tensor) and (result.is_floating_point() or result.is_complex())
    ]
    pairs = [
        (value, to_torch(wrap(weight), torch))
        for value, weight in zip(smooth, weights, strict=True)
        if value.requires_grad
    ]
    gradients: tuple = (None,) * len(leaves)
    if pairs:
        outputs, vectors = zip(*pairs, strict=True)
        gradients = torch.autograd.grad(outputs, leaves, vectors, allow_unused=True)
    return [
        wrap(np.zeros_like(point)) if value is None else from_torch(value, torch)
        for value, point in zip(gradients, points, strict=True)
    ]


def check_gradient_dtype(case: Case, torch, name: str) -> None:
    """Checks that gradients have their inputs' dtypes, and PyTorch's values within a narrow dtype's precision."""
    if not case.arrays():
        return
    narrow = case.with_leaves(_cast(array, name).requires_grad_() for array in case.arrays())
    arguments, keywords = case.filled(narrow)
    case = Case(case.op, case.number, (*arguments, keywords))
    tensors = [tensor.detach() for tensor in case.tensors]
    expected = _outcome(lambda: [from_torch(x, torch) for x in run(case, torch, tensors)])
    if isinstance(expected, Exception):
        return
    points = case.arrays()
    weights = [case.random_like(x._array) for x in expected if is_smooth(x)]
    expected = _outcome(lambda: _gradients(case, torch, points, weights))
    if isinstance(expected, Exception):
        return
    actual = _outcome(lambda: [wrap(x) for x in vector_jacobian(case, points, weights)])
    if isinstance(actual, Exception):
        if has_numbers(points):
            raise actual
        return
    largest = max((float(np.abs(np.nan_to_num(x.double()._array)).max(initial=0)) for x in expected), default=0.0)
    words = f"{case} in {name}: the gradients"
    options: dict[str, Any] = {"rtol": 0, "atol": DIGITS[name] * (1 + largest), "equal_nan": True}
    try:
        assert_close(actual, expected, **options)
    except AssertionError:  # PyTorch may be less accurate: its LAPACK differs by machine
        exact = _gradients(case, torch, *map(_doubled, (points, weights)))
        nearer = [_nearer(*x) for x in zip(actual, expected, exact, strict=True)]
        assert_close(nearer, expected, **options, msg=lambda message: f"{words}\n{message}")


def check_complex_derivatives(case: Case, torch) -> None:
    """Checks derivatives at complex inputs, if PyTorch has them."""
    if not case.arrays():
        return
    turned = case.turned_complex()
    tensors = [tensor.detach() for tensor in turned.tensors]
    expected = _outcome(lambda: [from_torch(x, torch) for x in run(turned, torch, tensors)])
    if isinstance(expected, Exception):
        return
    weights = [turned.random_like(x._array) for x in expected if is_smooth(x)]
    if isinstance(_outcome(lambda: _gradients(turned, torch, turned.arrays(), weights)), Exception):
        return
    check_gradient(turned, torch)
    check_first_derivative(turned)
    check_second_derivative(turned)


def check_dtype(case: Case, torch, name: str) -> None:
    """Checks the results, or the refusal, in another dtype."""
    if not case.arrays():
        return
    tensors = case.with_leaves(_cast(array, name) for array in case.arrays())
    expected = _outcome(lambda: [from_torch(x, torch) for x in run(case, torch, tensors)])
    actual = _outcome(lambda: case.results(tensors))
    words = f"{case} in {name}"
    if isinstance(expected, Exception) or isinstance(actual, Exception):
        if isinstance(expected, Exception) or has_numbers([tensor._array for tensor in tensors]):
            _same_refusal(words, actual, expected)
        return
    if name in REDUCED:
        actual = [_nearer(*x) for x in zip(actual, expected, _exactly(case, tensors), strict=True)]
    assert_close(actual, expected, equal_nan=True, msg=lambda message: f"{words}:\n{message}")


def has_numbers(arrays) -> bool:
    """Whether there are elements: for empty inputs PyTorch may not notice an unsupported dtype."""
    return all(array.size and array.ndim for array in arrays)


def _same_refusal(words: str, actual, expected) -> None:
    if not isinstance(expected, Exception):
        raise AssertionError(f"{words}: PyTorch accepts it") from actual
    if not isinstance(actual, Exception):
        raise AssertionError(f"{words}: PyTorch refuses it, {type(expected).__name__}: {_line(expected)}")
    # By name: our exception classes are not PyTorch's.
    if type(expected).__name__ not in [cls.__name__ for cls in type(actual).__mro__]:
        raise AssertionError(f"{words}: PyTorch raises {type(expected).__name__}: {_line(expected)}") from actual


def _doubled(arrays) -> list:
    """Converts floating point tensors to double precision."""
    return [array.astype(np.float64) if array.dtype.kind not in "biuc" else array for array in arrays]


def _exactly(case: Case, tensors) -> list:
    """Returns the results for the same values in double precision."""
    return case.results([tensor.double() if is_smooth(tensor) else tensor for tensor in tensors])


def _nearer(actual, expected, exact):
    """If two low-precision results differ, returns PyTorch's unless it is closer to the exact one."""
    if not is_smooth(actual) or actual.shape != expected.shape or actual.dtype is not expected.dtype:
        return actual
    ours, theirs, truth = (np.asarray(plain(x._array), np.float64) for x in (actual, expected, exact))
    finite = np.isfinite(truth) & np.isfinite(theirs)
    if not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True):
        return actual
    error = np.abs(theirs[finite] - truth[finite]).max(initial=0)
    return expected if (np.abs(ours[finite] - truth[finite]) <= error).all() else actual


def _cast(array, name: str) -> Tensor:
    """Converts a sample's values to another dtype: integers from -9 to 9, bools from signs, complex off the real
    axis.
    """
    kind = getattr(dtypes, name)
    if kind is dtypes.bool:
        return wrap(np.asarray(array > 0))
    if kind.category < dtypes.FLOAT:
        return wrap(np.asarray(np.clip(np.rint(3 * array), -9, 9), kind.numpy))
    if kind.is_complex:
        return wrap(np.asarray(array + 1j * np.roll(array, 1) / 2, kind.numpy))
    return wrap(np.asarray(array, kind.numpy))


def _outcome(function: Callable):
    """Returns a function's result, or the error that it raises."""
    try:
        return function()
    except REFUSALS as error:
        return error


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0]
