"""Notes where in a model an error was raised: `net.2 = Linear(...)`, with the actual and the expected shape.

There is no cost until an error. Then each module that the exception leaves prepends its name to the path, and the note
is rewritten, since only the outermost module knows the whole path.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from rushlight.core.origin import PACKAGE
from rushlight.core.tensor import Tensor
from rushlight.core.tracebacks import is_raised_by_us

# Errors about tensors; other types concern the user's own code.
KINDS = (RuntimeError, ValueError, IndexError, TypeError)


class Failure:
    """The path of an exception out of a model: the failing module, its inputs, and its name so far."""

    def __init__(self, module, inputs: tuple):
        self.shown = shown(module)
        self.complaint = complaint(module, inputs)
        self.path = ""
        self.sources: tuple[str, ...] = ()  # in a Sequential: the modules before it, nearest first
        self.innermost = self.outer = module
        self.note: str | None = None

    def __reduce__(self):
        return type(None), ()  # a pickled exception does not keep the model

    def leave(self, module) -> None:
        """Adds a module that the exception leaves, and its name for the previous one."""
        name = next((name for name, child in module._modules.items() if child is self.outer), None)
        if name is None:
            name = f"<{type(self.outer).__name__}>"
        elif self.outer is self.innermost and callable(getattr(module, "append", None)):
            self.sources = tuple(_before(module, name))
        self.path = f"{name}.{self.path}" if self.path else name
        self.outer = module

    def text(self, variable: str | None) -> str:
        """Returns the note, if the outermost module is called `variable`; empty if it adds nothing."""
        if not self.path and ";" not in self.complaint:
            return ""
        root = variable or ("model" if self.path else None)
        path = ".".join(part for part in (root, self.path) if part)
        said = f"in {path} = {self.shown}{self.complaint}" if path else f"in {self.shown}{self.complaint}"
        if self.sources and self.complaint:
            parent = path.rpartition(".")[0]
            said += "\nThe input came from " + " <- ".join(f"{parent}.{part}" for part in self.sources) + "."
        return said


def _before(sequence, name: str) -> Iterator[str]:
    """Yields the modules of a Sequential before one, nearest first, up to the one whose parameters set the shape."""
    names = list(sequence._modules)
    for before in names[: names.index(name)][::-1]:
        module = sequence._modules[before]
        if any(True for _ in module.parameters()):
            yield f"{before} = {shown(module)}"
            return
        yield f"{before} ({type(module).__name__})"


def note_module(error: Exception, module, inputs: tuple) -> None:
    """Notes on an exception that leaves a module where in the model it was raised."""
    failure: Failure | None = vars(error).get("_failure")
    if failure is None:
        if not isinstance(error, KINDS) or not is_raised_by_us(error) or "_modules" not in module.__dict__:
            return
        failure = vars(error)["_failure"] = Failure(module, inputs)
    else:
        failure.leave(module)
    text = failure.text(_variable(module, sys._getframe(2)))
    if not text:
        return
    if failure.note is None:
        error.add_note(text)
    elif failure.note in (notes := error.__notes__):
        notes[notes.index(failure.note)] = text
    failure.note = text


def _variable(module, frame) -> str | None:
    """Returns the name of a module in the calling program; None inside the library."""
    while frame.f_code.co_name == "__call__" and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back  # the frame of a watch
    if frame.f_code.co_filename.startswith(PACKAGE):
        return None
    for variables in (frame.f_locals, frame.f_globals):
        for name, value in variables.items():
            if value is module and name != "self":
                return name
    return None


def shown(module) -> str:
    """Returns a module in one line: its repr if that is one line, else its type."""
    text = repr(module)
    return text if "\n" not in text else type(module).__name__


# ---- actual and expected inputs


def complaint(module, inputs: tuple) -> str:
    """Returns shapes and dtypes of the inputs, and the one that a layer of this type does not accept."""
    tensors = [tensor for tensor in inputs if isinstance(tensor, Tensor)]
    if not tensors:
        return ""
    first = tensors[0]
    came = " and ".join(str(tuple(tensor.shape)) for tensor in tensors[:3])
    said = f": the input is {came}" if len(tensors) == 1 else f": the inputs are {came}"
    wrong = next((tensor for tensor in (*_sizes(module, first), *_rows(module, first), *_dtypes(module, first))), None)
    return said + (f"; {wrong}." if wrong else ".")


# Attribute of a layer -> the dimension of the input that must have this size.
LAST = {"in_features": -1, "input_size": -1, "embed_dim": -1}
SECOND = ("num_features", "num_channels")


def _sizes(module, tensor) -> Iterator[str]:
    shape = tuple(tensor.shape)
    for attribute, dim in LAST.items():
        size = getattr(module, attribute, None)
        if type(size) is int and size > 0 and shape and shape[dim] != size:
            yield f"its last dimension must be {size}"
    for attribute in SECOND:
        size = getattr(module, attribute, None)
        if type(size) is int and len(shape) > 1 and shape[1] != size:
            yield f"its dimension 1 must be {size}, {attribute}"
    channels, kernel = getattr(module, "in_channels", None), getattr(module, "kernel_size", None)
    if type(channels) is int and isinstance(kernel, tuple):
        yield from _channels(shape, channels, len(kernel))
    normalized = getattr(module, "normalized_shape", None)
    if isinstance(normalized, tuple) and shape[-len(normalized) :] != normalized:
        yield f"its last dimensions must be {normalized}"


def _channels(shape: tuple, channels: int, spatial: int) -> Iterator[str]:
    """Checks that a convolution gets (batch, channels, *spatial), or the same without the batch."""
    if len(shape) not in (spatial + 1, spatial + 2):
        yield f"it must have {spatial + 2} dimensions, (batch, channels, ...), and {channels} channels"
    elif shape[-spatial - 1] != channels:
        yield f"its channels, dimension {len(shape) - spatial - 1}, must be {channels}"


def _rows(module, tensor) -> Iterator[str]:
    """Checks that an Embedding gets indices of its rows."""
    rows = getattr(module, "num_embeddings", None)
    if type(rows) is int and tensor._array.size and tensor._array.dtype.kind in "iu":
        low, high = int(tensor.min()), int(tensor.max())
        if low < 0 or high >= rows:
            yield f"its numbers go from {low} to {high}, and the table has the rows 0 to {rows - 1}"


def _dtypes(module, tensor) -> Iterator[str]:
    own: Any = next((param for param in module.parameters(recurse=False)), None)
    if own is None or getattr(module, "num_embeddings", None) is not None or own.dtype is tensor.dtype:
        return
    actual, expected = (x.dtype.name for x in (tensor, own))
    yield f"it holds {actual} and the parameters {expected}: convert it, x.to(torch.{expected})"
