"""`torch.backends.opt_einsum`: whether, and by which strategy, opt_einsum chooses the order of a long `einsum`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType

from rushlight.declarations.equation import Search

__all__ = ["flags", "is_available", "set_flags"]


def is_available() -> bool:
    """Whether the package opt_einsum is installed."""
    return find_spec("opt_einsum") is not None


def check(enabled: bool | None, strategy: str | None) -> None:
    if enabled and not is_available():
        raise ValueError(
            f"opt_einsum is not available, so setting `enabled` to {enabled} will not reap the benefits of calculating "
            "an optimal path for einsum. torch.einsum will fall back to contracting from left to right. To enable this "
            "optimal path calculation, please install opt-einsum."
        )
    on = Search.enabled if enabled is None else enabled
    if strategy is not None and not (on and is_available()):
        lacking, cure = ("enabled", "set `enabled` to `True` as well") if is_available() else ("available", None)
        raise ValueError(
            f"opt_einsum is not {lacking}, so setting {'a ' if cure else ''}`strategy` to {strategy} will not be "
            "meaningful. torch.einsum will bypass path calculation and simply contract from left to right. "
            f"Please {cure or 'install opt_einsum'} or unset `strategy`."
        )
    if strategy not in (None, "auto", "greedy", "optimal"):
        raise ValueError(f"`strategy` must be one of the following: [auto, greedy, optimal] but is {strategy}")


def set_flags(_enabled: bool | None = None, _strategy: str | None = None) -> tuple[bool, str | None]:
    """Sets whether opt_einsum is used and its strategy, and returns the previous values; None leaves one unchanged.

    Raises ValueError for settings that need the package, or need it enabled, and for unknown strategies.
    """
    before = Search.enabled, Search.strategy
    check(_enabled, _strategy)
    Search.enabled = Search.enabled if _enabled is None else _enabled
    Search.strategy = Search.strategy if _strategy is None else _strategy
    return before


@contextmanager
def flags(enabled: bool | None = None, strategy: str | None = None) -> Iterator[None]:
    """Sets both in a `with` block."""
    before = set_flags(enabled, strategy)
    try:
        yield
    finally:
        Search.enabled, Search.strategy = before


class Switches(ModuleType):
    """The module: `enabled` and `strategy` are attributes."""

    @property
    def enabled(self) -> bool:
        """Whether opt_einsum chooses the order, if it is installed."""
        return Search.enabled and is_available()

    @enabled.setter
    def enabled(self, value: bool) -> None:
        Search.enabled = value

    @property
    def strategy(self) -> str | None:
        """The strategy: "auto", "greedy" or "optimal"; None leaves it to opt_einsum."""
        return Search.strategy

    @strategy.setter
    def strategy(self, value: str | None) -> None:
        Search.strategy = value


sys.modules[__name__].__class__ = Switches
