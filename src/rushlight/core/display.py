"""How notebooks and `help()` show objects: their `repr`, with further details.

The code that writes them is in a higher layer and is imported on first use.
"""

from __future__ import annotations

from importlib import import_module

VIEWS = "rushlight.explain.notebook"
DERIVATIVES = "rushlight.explain.derivatives"


def tensor_view(tensor) -> str:
    """Returns HTML for a tensor; `repr` does not change."""
    return import_module(VIEWS).tensor_html(tensor)


def module_view(module) -> str:
    """Returns HTML for a module."""
    return import_module(VIEWS).module_html(module)


def node_view(node) -> str:
    """Returns SVG of the graph behind a node."""
    return import_module(VIEWS).node_svg(node)


class Described:
    """The `__doc__` of node classes and nodes: their own, else written from the declaration when it is read.

    The metaclass has it too, because `help` looks there.
    """

    def __get__(self, node, cls):
        cls = node if isinstance(node, type) else cls
        own = vars(cls)["__doc__"]
        return import_module(DERIVATIVES).docstring_of(cls) if own is self else own

    def __set__(self, node, text):
        raise AttributeError("the __doc__ of nodes is written from their declaration")


DESCRIBED = Described()
