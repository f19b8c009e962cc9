"""Explanations: `rushlight.explain(x)` says in words what a tensor, module, graph or exception is, and what to do.

The package is also the function: calling it explains. https://docs.python.org/3/reference/datamodel.html#customizing-module-attribute-access
"""

import sys
from types import ModuleType

from rushlight.explain.lines import lines

__all__ = ["lines"]


class Explaining(ModuleType):
    """A module that can be called, so that `rushlight.explain(x)` and `import rushlight.explain.graph` both work."""

    def __call__(self, x, *, names=None):
        return x


sys.modules[__name__].__class__ = Explaining
