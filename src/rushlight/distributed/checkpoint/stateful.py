"""Objects that are saved by their `state_dict`."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

__all__ = ["Stateful"]


@runtime_checkable
class Stateful(Protocol):
    """An object with a state that `save` takes and `load` gives back; modules and optimizers are such objects."""

    def state_dict(self) -> dict[str, Any]:
        """Returns the state."""

    def load_state_dict(self, state_dict: dict[str, Any]) -> Any:
        """Takes over a state."""
