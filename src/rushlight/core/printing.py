"""How a tensor prints: the text of `repr` and `format`, and the options that shape it.

The text is built from the inside out: elements become strings, rows of strings become lines, lines become nested
brackets, followed by suffixes for device, size, dtype and gradient.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.device import BACKENDS
from rushlight.core.dtype import DEFAULTS, int64
from rushlight.core.dtype import bool as torch_bool
from rushlight.core.lazy_conj_neg import plain


class PrintOptions(NamedTuple):
    """The options of `set_printoptions`, immutable."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


class CurrentOptions:
    """Holds the current options, which are global to the process, as in PyTorch."""

    __slots__ = ("options",)

    def __init__(self) -> None:
        self.options = PrintOptions()


CURRENT = CurrentOptions()

PROFILES: dict[str | None, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors print, for the whole process.

    An option that is not named keeps its value, except `sci_mode`: every call sets it, to None (automatic) if it is not
    named. `profile` is "default", "short" or "full"; named options override it. As in PyTorch, an unknown profile
    changes nothing.

    >>> import rushlight as torch
    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([1.12345])
    tensor([1.12])
    >>> torch.set_printoptions(profile="default")

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_printoptions.html
    """
    named = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes = PROFILES.get(profile, {}) | {name: value for name, value in named.items() if value is not None}
    CURRENT.options = CURRENT.options._replace(**changes, sci_mode=sci_mode)


def get_printoptions() -> dict[str, Any]:
    """Returns the current options, as keyword arguments for `set_printoptions`."""
    return CURRENT.options._asdict()


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Sets options as `set_printoptions` does, within a `with` block."""
    before = CURRENT.options
    set_printoptions(**options)
    try:
        yield
    finally:
        CURRENT.options = before


def tensor_repr(tensor: Any, *, tensor_contents: str | None = None, name: str = "tensor") -> str:
    """Returns the text that PyTorch prints for `tensor`.

    `tensor_contents` replaces the values if it is given; `name` starts the text: the class name, for a subclass. Prints
    `grad_fn=<Invalid>` if `grad_fn` raises an error.

    >>> import rushlight as torch
    >>> torch.tensor([[1.0, float("nan")], [-2.5, 1e-3]], requires_grad=True)
    tensor([[ 1.0000e+00,         nan],
            [-2.5000e+00,  1.0000e-03]], requires_grad=True)

    Source: https://docs.pytorch.org/docs/stable/tensors.html
    """
    if hasattr(tensor._array, "text"):
        return tensor._array.text()
    options = CURRENT.options
    opening = name + "("
    if tensor_contents is None:
        tensor_contents = contents(tensor, len(opening), options)
    return with_suffixes(opening + tensor_contents, _suffixes(tensor, options), len(opening), options.linewidth)


def tensor_format(tensor: Any, specification: str) -> str:
    """Returns `format(tensor, specification)`: a 0-d tensor is formatted as its value, any other by `str` only.

    Raises TypeError if there is a specification and not exactly one value to apply it to.
    """
    if tensor._array.ndim == 0 and not _is_meta(tensor):
        if hasattr(tensor._array, "check_branch"):
            return format(tensor.item(), specification)
        return format(_values(tensor._array)[0], specification)
    return object_format(tensor, specification)


def object_format(tensor: Any, specification: str) -> str:
    """Returns `format` of tensors that are not formatted as a number, including subclasses of Tensor."""
    try:
        return object.__format__(tensor, specification)
    except TypeError as error:
        error.add_note(_why_not_formatted(tensor, specification))
        raise


def _why_not_formatted(tensor: Any, specification: str) -> str:
    shape = tuple(tensor._array.shape)
    what = f"{specification!r} formats a single number; this is a {type(tensor).__name__} of shape {shape}"
    if _is_meta(tensor):
        return f"{what} on the meta device, which has no numbers."
    element = f"t[{', '.join('0' * len(shape))}]" if shape else "t"
    return (
        f"{what}. Format one element, f'{{{element}.item():{specification}}}', or set how all tensors print, "
        "torch.set_printoptions(precision=...)."
    )


# Contents of the brackets


def contents(tensor: Any, indent: int, options: PrintOptions) -> str:
    """Returns the values in brackets; lines after the first are indented by `indent` spaces."""
    if _is_meta(tensor):
        return "..."
    shape = tuple(tensor._array.shape)
    if math.prod(shape) == 0:
        return "[]"
    summarise = math.prod(shape) > options.threshold
    if summarise and shape and not options.edgeitems:
        return "[...]"
    array = plain(tensor._array)
    if summarise and shape:
        array = array[_edges(shape, options.edgeitems)]
    texts, width = _texts(_values(array), tensor.dtype, options)
    return _brackets(texts, width, shape, indent, summarise, options)


def _is_meta(tensor: Any) -> bool:
    return str(tensor.device) == "meta"


def _is_cut(size: int, edgeitems: int) -> bool:
    return size > 2 * edgeitems


def _edges(shape: tuple[int, ...], edgeitems: int) -> tuple[np.ndarray, ...]:
    """Returns the index of the elements that a summary shows: both ends of every dimension that is too long."""
    kept = [
        [*range(edgeitems), *range(size - edgeitems, size)] if _is_cut(size, edgeitems) else range(size)
        for size in shape
    ]
    return np.ix_(*kept)


def _values(array: Any) -> list[Any]:
    """Returns all elements as Python numbers, from any device."""
    if type(array) is not np.ndarray:
        array = BACKENDS.of(array).to_cpu(plain(array))
    if array.dtype.kind == "V":  # NumPy does not treat bfloat16 and float8 as numbers
        array = array.astype(np.float32)
    return array.ravel().tolist()


def _texts(values: list[Any], dtype: Any, options: PrintOptions) -> tuple[list[str], int]:
    """Returns one aligned text per element, and the width used to wrap lines."""
    if dtype.is_complex:
        real, real_width = _float_texts([value.real for value in values], _is_finite_nonzero, options)
        imaginary, imaginary_width = _float_texts([value.imag for value in values], _is_finite_nonzero, options)
        texts = [
            f"{left}{'' if right.startswith('-') else '+'}{right}j"
            for left, right in zip(_aligned(real, real_width), imaginary, strict=True)
        ]
        return texts, real_width + imaginary_width + len("j")  # PyTorch does not count the sign between them
    if dtype.is_floating_point:
        widens = _is_not_least_float8_e8m0fnu if dtype.name == "float8_e8m0fnu" else _is_finite_nonzero
        texts, width = _float_texts(values, widens, options)
    else:
        texts = [str(value) for value in values]
        width = max(map(len, texts))
    return _aligned(texts, width), width


def _aligned(texts: list[str], width: int) -> list[str]:
    return [text.rjust(width) for text in texts]


# Numbers


def _is_finite_nonzero(value: float) -> bool:
    return value != 0 and math.isfinite(value)


def _is_not_least_float8_e8m0fnu(value: float) -> bool:
    """PyTorch calls every float8_e8m0fnu finite, nan too, and the least one zero, since the type has no zero."""
    return value != 2.0**-127


def _float_texts(values: list[float], widens: Callable[[float], bool], options: PrintOptions) -> tuple[list[str], int]:
    """Returns the text of each value in one common style, and the width of the widest value for which `widens` is true.

    Zeros, infinities and nan take the style of the other values and do not widen the column.
    """
    significant = [value for value in values if widens(value)]
    if significant and _is_scientific(significant, options.sci_mode):
        style, point = f".{options.precision}e", ""
    elif all(value.is_integer() for value in significant):
        style, point = ".0f", "."
    else:
        style, point = f".{options.precision}f", ""
    texts = [format(value, style) + (point if math.isfinite(value) else "") for value in values]
    width = max((len(text) for value, text in zip(values, texts, strict=True) if widens(value)), default=1)
    return texts, width


def _is_scientific(values: list[float], sci_mode: bool | None) -> bool:
    if sci_mode is not None:
        return sci_mode
    magnitudes = np.abs(values)  # NumPy's min and max, unlike Python's, propagate nan
    smallest, largest = float(magnitudes.min()), float(magnitudes.max())
    return largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4


# Brackets and suffixes


def _brackets(
    texts: list[str], width: int, shape: tuple[int, ...], indent: int, summarise: bool, options: PrintOptions
) -> str:
    """Nests the texts dimension by dimension, from the last to the first."""
    blocks = texts
    for dim in reversed(range(len(shape))):
        inner = len(shape) - 1 - dim  # number of dimensions inside this one
        margin = " " * (indent + dim + 1)
        cut = summarise and _is_cut(shape[dim], options.edgeitems)
        size = 2 * options.edgeitems if cut else shape[dim]
        groups = [blocks[start : start + size] for start in range(0, len(blocks), size)]
        if cut:
            for group in groups:
                group.insert(options.edgeitems, "..." if inner else " ...")
        if inner:
            separator = "," + "\n" * inner + margin
            blocks = [f"[{separator.join(group)}]" for group in groups]
        else:
            per_line = max(1, math.floor((options.linewidth - indent - dim) / (width + len(", "))))
            blocks = [f"[{_wrapped(group, per_line, margin)}]" for group in groups]
    return blocks[0]


def _wrapped(texts: list[str], per_line: int, margin: str) -> str:
    lines = [", ".join(texts[start : start + per_line]) for start in range(0, len(texts), per_line)]
    return f",\n{margin}".join(lines)


def _suffixes(tensor: Any, options: PrintOptions) -> list[str]:
    """Returns the suffixes, in PyTorch's order."""
    suffixes = [] if str(tensor.device).startswith("cpu") else [f"device='{tensor.device}'"]
    shape = tuple(tensor._array.shape)
    implied = [DEFAULTS.floating]
    if _is_meta(tensor):
        shows_size = True
    elif math.prod(shape) == 0:
        shows_size = len(shape) != 1
    else:
        shows_size = not options.edgeitems
        implied += [DEFAULTS.complex, int64, torch_bool]  # the printed values imply these dtypes
    if shows_size:
        suffixes.append(f"size={shape}")
    if tensor.dtype not in implied:
        suffixes.append(f"dtype={tensor.dtype}")
    return suffixes + _gradient_suffixes(tensor) + _tangent_suffixes(tensor)


def _gradient_suffixes(tensor: Any) -> list[str]:
    try:
        grad_fn = tensor.grad_fn
    except RuntimeError:  # a view whose history was lost has no grad_fn; printing must not fail
        return ["grad_fn=<Invalid>"]
    if grad_fn is not None:
        return [f"grad_fn=<{type(grad_fn).__name__}>"]
    return ["requires_grad=True"] if tensor.requires_grad else []


def _tangent_suffixes(tensor: Any) -> list[str]:
    tangent = getattr(tensor._array, "tangent", None)  # which arrays in forward mode have
    return [] if tangent is None or not tensor._array.level.alive else [f"tangent={tangent}"]


def with_suffixes(text: str, suffixes: list[str], indent: int, linewidth: int, new_line: bool = False) -> str:
    """Appends the suffixes, each on the last line if it fits, else on a new one; `new_line` forces it for the first."""
    length = len(text) - text.rfind("\n") + 1  # two more than the length of the last line, as PyTorch counts
    for suffix in suffixes:
        if new_line or length + len(suffix) + len(", ") > linewidth:
            new_line = False
            text += ",\n" + " " * indent + suffix
            length = indent + len(suffix)
        else:
            text += ", " + suffix
            length += len(", ") + len(suffix)
    return text + ")"
