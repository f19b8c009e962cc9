"""`import torch` gives rushlight: one module object under both names, in this process and in its children."""

import importlib
import importlib.util
import sys
from collections.abc import Callable
from functools import partial
from importlib.abc import InspectLoader, Loader
from importlib.machinery import ModuleSpec
from multiprocessing import set_forkserver_preload, spawn
from types import CodeType, ModuleType

from rushlight.missing import attach, no_module


class Alias(Loader):
    """Finder and loader of `alias` and `alias.x.y`: it hands out the modules of `package` as they are."""

    def __init__(self, alias: str, package: str):
        self.alias, self.package = alias, package

    def __reduce__(self) -> tuple:
        return install, (self.alias, self.package)

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name.partition(".")[0] != self.alias:
            return None
        original = find_original(self.original_name(name))
        if original is None:
            if asked_by_an_import():
                raise no_module(name, self.original_name(name))
            return None
        spec = ModuleSpec(name, self, origin=original.origin)
        spec.submodule_search_locations = original.submodule_search_locations
        return spec

    def original_name(self, name: str) -> str:
        return self.package + name.removeprefix(self.alias)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.original_name(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """The module has run already: only give it back its own spec, which the import system has just replaced."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state
        self.name_loaded_modules()
        attach(self.package)

    def name_loaded_modules(self) -> None:
        """Enter what `package` has loaded under the alias too: after `import torch`, `torch.nn` is in `sys.modules`."""
        for name, module in list(sys.modules.items()):
            if name.startswith(f"{self.package}."):
                sys.modules.setdefault(self.alias + name.removeprefix(self.package), module)

    def get_code(self, name: str) -> CodeType | None:
        """The code of a module, for `-m torch.x`."""
        original = find_original(self.original_name(name))
        if original is None or not isinstance(original.loader, InspectLoader):
            return None
        return original.loader.get_code(original.name)


def find_original(name: str) -> ModuleSpec | None:
    """The spec of a module of rushlight; None where there is no such module, or its parent is not a package."""
    if name in sys.modules:
        return getattr(sys.modules[name], "__spec__", None) or ModuleSpec(name, None)
    parent = name.rpartition(".")[0]
    if parent and find_original(parent) is None:
        return None
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None


def asked_by_an_import() -> bool:
    """Whether an import statement runs the finder; `importlib.util.find_spec`, which only asks, must get None."""
    return sys._getframe(3).f_code.co_name == "_find_and_load_unlocked"


def install(alias: str = "torch", package: str = "rushlight") -> Alias:
    """Let `import alias` give `package` from here on, in this process and those that multiprocessing starts from it.

    Raises ImportError when the real `alias` is loaded already: two libraries under one name would mix in one program.
    """
    for finder in sys.meta_path:
        if isinstance(finder, Alias) and (finder.alias, finder.package) == (alias, package):
            return finder
    if alias in sys.modules and sys.modules[alias] is not importlib.import_module(package):
        raise ImportError(f"{alias} is loaded already, so `import {alias}` can no longer give {package}", name=alias)
    finder = Alias(alias, package)
    sys.meta_path.insert(0, finder)
    hand_on_to_children(finder)
    return finder


def hand_on_to_children(finder: Alias) -> None:
    """Put the finder into what a new process is told first: it is installed there by being unpickled.

    The fork server imports the package instead of the script, which it would import before it could be told anything.
    """
    spawn.get_preparation_data = partial(preparation_data, spawn.get_preparation_data, finder)
    set_forkserver_preload([finder.package])


def preparation_data(original: Callable[[str], dict], finder: Alias, name: str) -> dict:
    return original(name) | {finder.alias: finder}
