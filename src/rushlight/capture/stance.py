"""How compiled functions behave from now on: `torch.compiler.set_stance`, and settings of `torch._dynamo.config`."""

from __future__ import annotations

from typing import Any

NAMES = (
    "default", "eager_then_compile", "aot_eager_then_compile", "force_eager", "eager_on_recompile", "fail_on_recompile",
)  # fmt: skip
LIMIT = 8  # programs of one function, as in PyTorch


class Stance:
    """The stance, by name, and settings. `eager` has an item if nothing is replayed."""

    def __init__(self):
        self.eager: list[bool] = []
        self._disable = False
        self.name = "default"
        self.backend: Any = None  # of all functions compiled from now on, whatever they ask for
        self.recompile_limit = LIMIT  # of functions that give none
        self.fail_on_recompile_limit_hit = False
        self.error_on_recompile = False
        self.suppress_errors = False  # of backends: then operators run one by one

    @property
    def name(self) -> str:
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name
        self.set_eager()

    @property
    def disable(self) -> bool:
        """Whether all functions run as written."""
        return self._disable

    @disable.setter
    def disable(self, disable: bool) -> None:
        self._disable = disable
        self.set_eager()

    @property
    def refuses(self) -> bool:
        """Whether a call that needs another program may be an error."""
        return self.error_on_recompile or self.fail_on_recompile_limit_hit or self._name == "fail_on_recompile"

    def set_eager(self) -> None:
        """Says whether anything is replayed."""
        self.eager[:] = [True] * (self._name == "force_eager" or self._disable)


STANCE = Stance()
