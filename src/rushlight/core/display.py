"""How notebooks and `help()` show things: as their `repr`, and beside it what a reader would look up next.

What writes them stands high above this file and is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module

VIEWS = "rushlight.explain.notebook"
DERIVATIVES = "rushlight.explain.derivatives"


def tensor_view(tensor) -> str:
    """HTML for a tensor; `repr`, which programs print, is as it was."""
    return import_module(VIEWS).tensor_html(tensor)


def module_view(module) -> str:
    """HTML for a module."""
    return import_module(VIEWS).module_html(module)


def node_view(node) -> str:
    """SVG for a node: the graph behind it."""
    return import_module(VIEWS).node_svg(node)


class Described:
    """The `__doc__` of a class of nodes and of its nodes: its own, else written from the declaration when it is read.

    It stands in the metaclass too, where `help` looks.
    """

    def __get__(self, node, kind):
        kind = node if isinstance(node, type) else kind
        own = vars(kind)["__doc__"]
        return import_module(DERIVATIVES).docstring_of(kind) if own is self else own

    def __set__(self, node, text):
        raise AttributeError("the __doc__ of nodes is written from their declaration")


DESCRIBED = Described()
