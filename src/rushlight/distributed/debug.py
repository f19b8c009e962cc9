"""How carefully calls are compared: TORCH_DISTRIBUTED_DEBUG and `set_debug_level`."""

from __future__ import annotations

import enum
import os

__all__ = ["DebugLevel", "get_debug_level", "set_debug_level", "set_debug_level_from_env"]


class DebugLevel(enum.Enum):
    """OFF and INFO compare calls on one machine; DETAIL compares all calls before they start."""

    OFF = 0
    INFO = 1
    DETAIL = 2


class Chosen:
    """The level of groups that are made from now on."""

    level: DebugLevel | None = None


def get_debug_level() -> DebugLevel:
    """Returns the level: that of `set_debug_level`, else that of the environment at the first question."""
    if Chosen.level is None:
        set_debug_level_from_env()
    assert Chosen.level is not None
    return Chosen.level


def set_debug_level(level: DebugLevel) -> None:
    """Sets the level for groups that are made from now on."""
    Chosen.level = level


def set_debug_level_from_env() -> None:
    """Reads TORCH_DISTRIBUTED_DEBUG. Raises RuntimeError if it is none of OFF, INFO and DETAIL."""
    name = os.environ.get("TORCH_DISTRIBUTED_DEBUG") or "OFF"
    try:
        Chosen.level = DebugLevel[name.upper()]
    except KeyError:
        raise RuntimeError(
            f"The value of TORCH_DISTRIBUTED_DEBUG must be one of OFF, INFO, or DETAIL, and is {name}."
        ) from None
