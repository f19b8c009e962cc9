"""Attributes of Tensor that are operators without arguments: `x.T`, `x.real`."""

from __future__ import annotations

import rushlight._generated.functions as F
from rushlight.core.tensor import Tensor

PARTS = ("real", "imag")  # writable
PROPERTIES = ("T", "mT", "H", "mH", *PARTS)


def _property(name: str) -> property:
    function = getattr(F, f"property_{name}", None) or getattr(F, name)

    def write(self, value):
        function(self).copy_(value)

    return property(lambda self: function(self), write if name in PARTS else None, doc=function.__doc__)


def attach() -> None:
    """Gives Tensor these properties; called once by the package root."""
    for name in PROPERTIES:
        if hasattr(F, name) or hasattr(F, f"property_{name}"):
            setattr(Tensor, name, _property(name))
