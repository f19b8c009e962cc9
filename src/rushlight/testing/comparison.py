"""`torch.testing.assert_close`: compares values up to the rounding of their dtype.

https://docs.pytorch.org/docs/stable/testing.html
"""

from __future__ import annotations

import cmath
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.device import host
from rushlight.core.shape_queries import STRIDED
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import as_tensor, tensor

# (rtol, atol) by dtype; everything else must be equal.
TOLERANCES = {
    dtypes.float16: (1e-3, 1e-5),
    dtypes.bfloat16: (1.6e-2, 1e-5),
    dtypes.float32: (1.3e-6, 1e-5),
    dtypes.float64: (1e-7, 1e-7),
    dtypes.complex64: (1.3e-6, 1e-5),
    dtypes.complex128: (1e-7, 1e-7),
}
NUMBER_DTYPES = {int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}
# The names of the sparse layouts, and the methods that return indices.
STORED = {
    "torch.sparse_coo": ("COO", ("_indices",)),
    "torch.sparse_csr": ("CSR", ("crow_indices", "col_indices")),
    "torch.sparse_csc": ("CSC", ("ccol_indices", "row_indices")),
    "torch.sparse_bsr": ("BSR", ("crow_indices", "col_indices")),
    "torch.sparse_bsc": ("BSC", ("ccol_indices", "row_indices")),
}
WIDE_UNSIGNED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)


class Options(NamedTuple):
    """What a comparison checks, and its tolerances."""

    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool


class Difference(Exception):
    """A failed comparison: the error to raise, and the keys that lead to the item."""

    def __init__(self, kind: type[Exception], message: str, item: tuple):
        super().__init__(message)
        self.kind, self.message, self.item = kind, message, item

    def error(self, msg: str | Callable[[str], str] | None = None) -> Exception:
        """Returns the error for the caller, with the caller's message if there is one."""
        if isinstance(msg, str):
            return self.kind(msg)
        message = self.message
        if self.item:
            message += f"\n\nThe failure occurred for item {''.join(str([key]) for key in self.item)}"
        return self.kind(msg(message) if callable(msg) else message)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raises AssertionError unless `abs(actual - expected) <= atol + rtol * abs(expected)` everywhere.

    Compares tensors, array-likes, numbers, booleans, None, and sequences and mappings of these. The default tolerances
    depend on the dtype. `msg` replaces the message, or is called with it.

    >>> import rushlight as torch
    >>> torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5]))
    Traceback (most recent call last):
    AssertionError: Tensor-likes are not close!
    <BLANKLINE>
    Mismatched elements: 1 / 2 (50.0%)
    Greatest absolute difference: 0.5 at index (1,) (up to 1e-05 allowed)
    Greatest relative difference: 0.20000000298023224 at index (1,) (up to 1.3e-06 allowed)
    """
    options = Options(allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride)
    try:
        pairs = list(pairs_of(actual, expected, (), options))
    except Difference as difference:
        raise difference.error() from None
    for pair in pairs:
        try:
            pair.compare()
        except Difference as difference:
            raise difference.error(msg) from None


# (rtol, atol) of the older comparison, where the larger one counts; other dtypes must be equal.
OLDER_TOLERANCES = {
    dtypes.float16: (1e-3, 1e-3),
    dtypes.float32: (1e-4, 1e-5),
    dtypes.float64: (1e-5, 1e-8),
}


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """The older `assert_close`: converts arguments to tensors, allows different dtypes. Deprecated in PyTorch too."""
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please "
        "use `torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=2,
    )
    actual = actual if isinstance(actual, Tensor) else tensor(actual)
    expected = expected if isinstance(expected, Tensor) else tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        known = [OLDER_TOLERANCES.get(x.dtype, (0.0, 0.0)) for x in (actual, expected)]
        rtol, atol = (max(x) for x in zip(*known, strict=True))
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)


# ---- pairs


def pairs_of(actual, expected, item: tuple, options: Options) -> Iterator[Pair]:
    """Yields the pairs to compare, also inside sequences and mappings. Raises Difference if the structures differ."""
    if _both(actual, expected, Sequence) and not _any(actual, expected, str):
        if len(actual) != len(expected):
            words = f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            raise Difference(AssertionError, words, item)
        for index, (one, other) in enumerate(zip(actual, expected, strict=True)):
            yield from pairs_of(one, other, (*item, index), options)
    elif _both(actual, expected, Mapping):
        _same_keys(actual, expected, item)
        for key in _sorted(actual):
            yield from pairs_of(actual[key], expected[key], (*item, key), options)
    else:
        yield pair_of(actual, expected, item, options)


def pair_of(actual, expected, item: tuple, options: Options) -> Pair:
    """Returns a pair of the right class."""
    if actual is None or expected is None:
        return NonePair(actual, expected, item, options)
    if _both(actual, expected, (bool, np.bool_)):
        return BooleanPair(bool(actual), bool(expected), item, options)
    if _both(actual, expected, (int, float, complex, np.number)):
        one, other = (x.item() if isinstance(x, np.number) else x for x in (actual, expected))
        if _any(one, other, bool):
            raise Difference(RuntimeError, bool_and_number(one, other, item), ())
        return NumberPair(one, other, item, options)
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if related and (options.allow_subclasses or type(actual) is type(expected)):
        one, other = _tensor(actual), _tensor(expected)
        if one is not None and other is not None:
            return TensorPair(one, other, item, options)
    words = f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
    raise Difference(TypeError, words, item)


def _both(actual, expected, kinds) -> bool:
    return isinstance(actual, kinds) and isinstance(expected, kinds)


def _any(actual, expected, kind) -> bool:
    return isinstance(actual, kind) or isinstance(expected, kind)


def _tensor(value) -> Tensor | None:
    if isinstance(value, Tensor):
        return value
    try:
        return as_tensor(value)
    except (TypeError, ValueError, RuntimeError):
        return None


def _same_keys(actual: Mapping, expected: Mapping, item: tuple) -> None:
    missing, additional = set(expected) - set(actual), set(actual) - set(expected)
    if missing or additional:
        raise Difference(
            AssertionError,
            "The keys of the mappings do not match:\nMissing keys in the actual mapping: "
            f"{sorted(missing)}\nAdditional keys in the actual mapping: {sorted(additional)}",
            item,
        )


def _sorted(keys) -> list:
    """Sorts keys if possible, so that the first failure is deterministic."""
    try:
        return sorted(keys)
    except TypeError:
        return list(keys)


class Pair:
    """Two things to compare."""

    def __init__(self, actual, expected, item: tuple, options: Options):
        self.actual, self.expected, self.item, self.options = actual, expected, item, options

    def compare(self) -> None:
        """Raises Difference if the two are not close."""
        raise NotImplementedError

    def fail(self, message: str) -> NoReturn:
        raise Difference(AssertionError, message, self.item)

    def tolerances(self, *kinds) -> tuple[float, float]:
        """Returns (rtol, atol): the arguments, which must be given together, or the loosest of the dtypes'."""
        rtol, atol = self.options.rtol, self.options.atol
        if rtol is not None and atol is not None:
            return as_number(rtol), as_number(atol)
        if rtol is not None or atol is not None:
            absent = "rtol" if rtol is None else "atol"
            words = f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {absent}."
            raise Difference(ValueError, words, self.item)
        pairs = [TOLERANCES.get(kind, (0.0, 0.0)) for kind in kinds]
        return max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)


class NonePair(Pair):
    """None is close to None only."""

    def compare(self) -> None:
        if self.actual is not self.expected:
            self.fail(f"None mismatch: {self.actual} is not {self.expected}")


class BooleanPair(Pair):
    """Booleans are equal or not."""

    def compare(self) -> None:
        if self.actual is not self.expected:
            self.fail(f"Booleans mismatch: {self.actual} is not {self.expected}")


class NumberPair(Pair):
    """Python numbers, with the tolerances of the dtypes that they would become."""

    def __init__(self, actual, expected, item: tuple, options: Options):
        super().__init__(actual, expected, item, options)
        self.rtol, self.atol = self.tolerances(*(_number_dtype(x) for x in (actual, expected)))

    def compare(self) -> None:
        actual, expected = self.actual, self.expected
        if self.options.check_dtype and type(actual) is not type(expected):
            self.fail(f"The (d)types do not match: {type(actual)} != {type(expected)}.")
        if actual == expected or (self.options.equal_nan and cmath.isnan(actual) and cmath.isnan(expected)):
            return
        difference = abs(actual - expected)
        if not (cmath.isfinite(difference) and difference <= self.atol + self.rtol * abs(expected)):
            self.fail(scalar_mismatch(actual, expected, self.rtol, self.atol))


def _number_dtype(number):
    return next(kind for base, kind in NUMBER_DTYPES.items() if isinstance(number, base))


class TensorPair(Pair):
    """Tensors: their attributes first, then their values."""

    def __init__(self, actual: Tensor, expected: Tensor, item: tuple, options: Options):
        super().__init__(actual, expected, item, options)
        self.rtol, self.atol = self.tolerances(actual.dtype, expected.dtype)

    def compare(self) -> None:
        self._compare_attributes()
        if self.actual.is_meta or self.expected.is_meta:
            return
        actual, expected = self.actual.detach(), self.expected.detach()
        if actual.layout == STRIDED or actual.layout != expected.layout:
            self._compare_elements(actual.to_dense(), expected.to_dense(), self.rtol, self.atol)
        else:
            self._compare_stored(actual, expected)

    def _compare_elements(self, actual: Tensor, expected: Tensor, rtol, atol, what: str = "Tensor-likes") -> None:
        one, other = host(actual), host(expected)
        if one.dtype != other.dtype:
            common = dtypes.promote_types(*(_comparable(x.dtype) for x in (actual, expected)))
            one, other = one.astype(common.numpy), other.astype(common.numpy)
        matches = close(one, other, rtol, atol, self.options.equal_nan)
        if matches.all():
            return
        if not one.ndim:
            self.fail(scalar_mismatch(one.item(), other.item(), rtol, atol))
        self.fail(tensor_mismatch(one, other, matches, rtol, atol, what))

    def _compare_stored(self, actual, expected) -> None:
        """Compares what two sparse tensors of one layout store: indices must be equal, values close."""
        name, indices = STORED[str(actual.layout)]
        if name == "COO" and actual.sparse_dim() != expected.sparse_dim():
            self.fail(
                "The number of sparse dimensions in sparse COO tensors does not match: "
                f"{actual.sparse_dim()} != {expected.sparse_dim()}"
            )
        if actual._nnz() != expected._nnz():
            numbers = f"{actual._nnz()} != {expected._nnz()}"
            self.fail(f"The number of specified values in sparse {name} tensors does not match: {numbers}")
        for each in indices:
            one, other = (getattr(x, each)() for x in (actual, expected))
            self._compare_elements(one, other, 0, 0, f"Sparse {name} {each.removeprefix('_')}")
        one, other = (x._values() if name == "COO" else x.values() for x in (actual, expected))
        self._compare_elements(one, other, self.rtol, self.atol, f"Sparse {name} values")

    def _compare_attributes(self) -> None:
        actual, expected, options = self.actual, self.expected, self.options
        pair = actual, expected
        for name, looked_at, one, other in (
            ("shape", True, actual.shape, expected.shape),
            ("layout", options.check_layout, actual.layout, expected.layout),
            ("stride()", options.check_stride, *(x.stride() if options.check_stride else () for x in pair)),
            ("device", options.check_device, actual.device, expected.device),
            ("dtype", options.check_dtype, actual.dtype, expected.dtype),
        ):
            if looked_at and one != other:
                self.fail(f"The values for attribute '{name}' do not match: {one} != {other}.")


def _comparable(kind):
    """Casts unsigned types without promotion to int64 for the comparison."""
    return dtypes.int64 if kind in WIDE_UNSIGNED else kind


def as_number(tolerance):
    """Returns a tolerance as a Python number; it may be a number of NumPy or a tensor of one element."""
    return tolerance.item() if isinstance(tolerance, Tensor | np.generic) else tolerance


def close(actual, expected, rtol: float, atol: float, equal_nan: bool):
    """Returns where two arrays of one dtype are equal, or finite and within the tolerances, computed in their dtype."""
    equal = actual == expected
    if equal_nan:
        equal |= (actual != actual) & (expected != expected)
    if actual.dtype.kind in "biu" and not (rtol or atol):
        return equal
    with np.errstate(all="ignore"):
        actual, expected = _subtractable(actual), _subtractable(expected)
        difference = np.abs(actual - expected)
        return equal | (np.isfinite(difference) & (difference <= atol + np.abs(rtol * expected)))


def _subtractable(array):
    return array.astype(np.int64) if array.dtype.kind in "biu" else array


# ---- words


def bool_and_number(actual, expected, item: tuple) -> str:
    """PyTorch's words about a bool and a number, which it cannot compare."""
    keys = "".join(str([key]) for key in item)
    return (
        f"Originating a NumberPair() at item {keys} with\n\n{type(actual).__name__}(): {actual}\n\nand\n\n"
        f"{type(expected).__name__}(): {expected}\n\nresulted in the unexpected exception above. If you are a user and "
        "see this message during normal operation please file an issue at "
        "https://github.com/pytorch/pytorch/issues. If you are a developer and working on the comparison functions, "
        "please except the previous error and raise an expressive `ErrorMeta` instead."
    )


def scalar_mismatch(actual, expected, rtol: float, atol: float) -> str:
    """Describes the difference of two numbers."""
    absolute = abs(actual - expected)
    relative = float("inf") if expected == 0 else absolute / abs(expected)
    return _mismatch(
        "Scalars",
        f"Expected {expected} but got {actual}.",
        (f"Absolute difference: {absolute}", f"Relative difference: {relative}"),
        rtol,
        atol,
    )


def tensor_mismatch(actual, expected, matches, rtol: float, atol: float, what: str = "Tensor-likes") -> str:
    """Describes how many elements of `what` differ, and the largest difference."""
    wrong = matches.size - int(matches.sum())
    share = f"Mismatched elements: {wrong} / {matches.size} ({wrong / matches.size:.1%})"
    actual, expected = _subtractable(actual), _subtractable(expected)
    with np.errstate(all="ignore"):
        absolute = np.where(matches, 0, np.abs(actual - expected))
        whole = absolute.dtype.kind == "i"  # PyTorch divides integers in single precision
        relative = np.divide(*(x.astype(np.float32) if whole else x for x in (absolute, np.abs(expected))))
        relative = np.where(matches, 0, relative)
    worst = tuple(
        f"Greatest {words} difference: {differences[index].item()} at index {tuple(map(int, index))}"
        for words, differences in (("absolute", absolute), ("relative", relative))
        for index in [np.unravel_index(np.argmax(differences), differences.shape)]
    )
    return _mismatch(what, share, worst, rtol, atol)


def _mismatch(what: str, first: str, differences: tuple, rtol: float, atol: float) -> str:
    if rtol == 0 and atol == 0:
        return "\n".join((f"{what} are not equal!\n", first, *differences))
    allowed = (
        f"{difference} (up to {most} allowed)" for difference, most in zip(differences, (atol, rtol), strict=True)
    )
    return "\n".join((f"{what} are not close!\n", first, *allowed))
