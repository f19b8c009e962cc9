"""`torch._tensor_str`: the text of tensors, for subclasses of other packages that build their own."""

from __future__ import annotations

from typing import Any

from rushlight.core.printing import (
    CURRENT,
    contents,
    get_printoptions,
    printoptions,
    set_printoptions,
    tensor_repr,
    with_suffixes,
)  # fmt: skip

__all__ = ["PRINT_OPTS", "get_printoptions", "printoptions", "set_printoptions"]


class Options:
    """The current print options: a view of `set_printoptions`, with attributes that can be set."""

    def __getattr__(self, name: str) -> Any:
        return getattr(CURRENT.options, name)

    def __setattr__(self, name: str, value: Any) -> None:
        CURRENT.options = CURRENT.options._replace(**{name: value})

    def __repr__(self) -> str:
        return repr(CURRENT.options).replace("PrintOptions", "__PrinterOptions")


PRINT_OPTS = Options()


def _tensor_str(self, indent: int) -> str:
    """Returns the elements of a tensor in brackets; lines after the first are indented by `indent`."""
    return contents(self, indent, CURRENT.options)


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """Appends suffixes and a closing bracket, on a new line if they do not fit or if forced."""
    return with_suffixes(tensor_str, suffixes, indent, CURRENT.options.linewidth, force_newline)


def _str_intern(inp, *, tensor_contents: str | None = None) -> str:
    """Returns `repr` of a tensor; `tensor_contents` replaces its elements."""
    return tensor_repr(inp, tensor_contents=tensor_contents)


def _str(self, *, tensor_contents: str | None = None) -> str:
    """Returns `repr` of a tensor; `tensor_contents` replaces its elements."""
    return tensor_repr(self, tensor_contents=tensor_contents)
