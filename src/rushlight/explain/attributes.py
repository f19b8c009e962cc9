"""The attributes of an object as its program reads them; a module also has members in tables next to its `__dict__`."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

from rushlight.nn.modules.module import MEMBER_KINDS, Module


def attributes_of(owner: Any) -> Iterator[tuple[str, Any]]:
    """Yields (name, value) of each attribute, including a module's parameters, buffers and submodules."""
    own = getattr(owner, "__dict__", {})
    yield from tuple(own.items())
    if isinstance(owner, Module):
        for kind in MEMBER_KINDS:
            yield from tuple(own.get(kind, {}).items())


def module_with(table: dict, owner: Any) -> Module | None:
    """Returns the module that owns the member table `table`; `owner` is a referrer of the table."""
    if isinstance(owner, Module):
        owners = [owner]
    elif isinstance(owner, dict) and any(owner.get(kind) is table for kind in MEMBER_KINDS):
        owners = [referrer for referrer in gc.get_referrers(owner) if isinstance(referrer, Module)]
    else:
        return None
    return next((owner for owner in owners if any(vars(owner).get(kind) is table for kind in MEMBER_KINDS)), None)
