"""Modules of settings, such as `torch._dynamo.config`: attributes that programs read, set and change for a while."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from contextlib import ContextDecorator
from types import ModuleType
from typing import Any


class ConfigModule(ModuleType):
    """A module whose attributes are settings. A name with dots is an attribute of a part: `config.triton.cudagraphs`.

    Raises AttributeError for names that are no settings.
    """

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        name = own.get("_aliases", {}).get(name, name)
        settings = own.get("_settings", {})
        if name in settings:
            return settings[name]
        if name in (elsewhere := own.get("_elsewhere", {})):
            return getattr(elsewhere[name], name)
        if any([each.startswith(f"{name}.") for each in settings]):
            return Part(self, name)
        raise AttributeError(f"{public(self)}.{name} does not exist")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        name = own["_aliases"].get(name, name)
        if name.startswith("__"):
            super().__setattr__(name, value)
            return
        if name in own["_elsewhere"]:
            setattr(own["_elsewhere"][name], name, value)
            return
        if name not in own["_settings"]:
            raise AttributeError(f"{public(self)}.{name} does not exist")
        own["_settings"][name] = value
        for follow in own["_followers"]:
            follow(name, value)

    def __delattr__(self, name: str) -> None:
        setattr(self, name, copy.deepcopy(self._defaults[self._aliases.get(name, name)]))

    def __dir__(self) -> list[str]:
        return sorted([*self._settings, *self._aliases, *super().__dir__()])

    def patch(self, arg1: str | dict[str, Any] | None = None, arg2: Any = None, **kwargs: Any) -> Patch:
        """Changes settings in a `with` block or a decorated function: `patch("name", value)`, `patch(name=value)`."""
        changes = {arg1: arg2} if isinstance(arg1, str) else dict(arg1 or {})
        return Patch(self, {**changes, **kwargs})

    def get_config_copy(self) -> dict[str, Any]:
        """Returns a copy of all settings."""
        return copy.deepcopy(self._settings)

    shallow_copy_dict = to_dict = get_config_copy

    def save_config_portable(self, *, ignore_private_configs: bool = True) -> dict[str, Any]:
        """Returns a copy of the settings, by default without those whose names begin with an underscore."""
        settings = self.get_config_copy()
        return {name: value for name, value in settings.items() if not (ignore_private_configs and name[0] == "_")}

    def load_config(self, maybe_pickled_config: dict[str, Any]) -> None:
        """Sets all settings of a dictionary."""
        for name, value in maybe_pickled_config.items():
            setattr(self, name, value)


class Part:
    """The settings whose names begin with a prefix."""

    def __init__(self, config: ConfigModule, prefix: str):
        object.__setattr__(self, "_config", config)
        object.__setattr__(self, "_prefix", prefix)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._config, f"{self._prefix}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._config, f"{self._prefix}.{name}", value)


class Patch(ContextDecorator):
    """Settings that hold for a while."""

    def __init__(self, config: ConfigModule, changes: dict[str, Any]):
        self.config, self.changes = config, changes
        self.before: list[dict[str, Any]] = []

    def __enter__(self) -> None:
        self.before.append({name: getattr(self.config, name) for name in self.changes})
        self.config.load_config(self.changes)

    def __exit__(self, *error: Any) -> None:
        self.config.load_config(self.before.pop())


def public(config: ModuleType) -> str:
    """Returns the name of a module of settings in PyTorch's messages."""
    return config.__name__.replace("rushlight.", "torch.", 1).replace("_dynamo.compiler_", "compiler.")


def install(
    name: str,
    settings: dict[str, Any],
    aliases: dict[str, str] | None = None,
    follow: Callable[[str, Any], None] | None = None,
    elsewhere: dict[str, ModuleType] | None = None,
) -> None:
    """Makes a module one of settings.

    `follow` is called with the name and value of each that is set. `elsewhere` has the modules that keep some of them.
    """
    module = sys.modules[name]
    module.__dict__.update(
        _settings=copy.deepcopy(settings),
        _defaults=settings,
        _aliases=aliases or {},
        _followers=[follow] if follow else [],
        _elsewhere=elsewhere or {},
    )
    module.__class__ = ConfigModule
