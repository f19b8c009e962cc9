"""`torch.fx.annotate`: the type of a proxy's value, which becomes that of its node."""

from __future__ import annotations

from typing import Any

from rushlight.fx.proxy import Proxy

__all__ = ["annotate"]


def annotate(val: Any, type: Any) -> Any:
    """Sets the type of a proxy's node; returns the proxy, or any other value as it is.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: annotate(x + 1, int) * 2)
    >>> print(traced.code.strip().splitlines()[1].strip())
    add : int = x + 1;  x = None
    """
    if not isinstance(val, Proxy):
        return val
    if val.node.type:
        raise RuntimeError(
            f"Tried to annotate a value that already had a type on it! Existing type is {val.node.type} and new "
            f"type is {type}. This could happen if you tried to annotate a function parameter value (in which case you "
            "should use the type slot on the function signature) or you called annotate on the same value twice"
        )
    val.node.type = type
    return val
