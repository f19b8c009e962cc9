"""`torch.fx.experimental.refinement_types`: what is known of sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Equality"]


@dataclass(repr=False)
class Equality:
    """Two sizes that are equal."""

    lhs: Any
    rhs: Any

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.lhs} = {self.rhs}"
