"""Makes `import torch` return rushlight: one module object under both names, also in child processes."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.abc import InspectLoader, Loader
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from multiprocessing import set_forkserver_preload, spawn
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from types import CodeType, ModuleType
from typing import TypeGuard

from rushlight._as_torch.distribution import PyTorch
from rushlight._missing import attach, no_module
from rushlight.core.tensor import Parameter, Tensor

# On the path of child Pythons: a `torch` that installs the finder, and its metadata.
PATH = str(Path(__file__).with_name("path"))

# Other top-level names that come with an alias, as with PyTorch.
WITH = {"torch": {"functorch": "rushlight._functorch.functorch"}}


class Alias(Loader, DistributionFinder):
    """Finder and loader of `alias` and `alias.x.y`; returns the modules of `package`."""

    def __init__(self, alias: str, package: str):
        self.alias, self.package = alias, package
        self.packages = {alias: package, **WITH.get(alias, {})}

    def __reduce__(self) -> tuple:
        return install, (self.alias, self.package)

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in self.packages:
            return None
        original = find_original(self.original_name(name))
        if original is None:
            if asked_by_an_import():
                raise no_module(name, self.original_name(name))
            return None
        spec = ModuleSpec(name, self, origin=original.origin)
        spec.submodule_search_locations = original.submodule_search_locations
        return spec

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> Iterator[Distribution]:
        """Yields the distribution of the alias."""
        if self.alias == "torch" and (context is None or context.name in (None, "torch")):
            yield PyTorch()

    def original_name(self, name: str) -> str:
        first = name.partition(".")[0]
        return self.packages[first] + name.removeprefix(first)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.original_name(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Does not run the module again; restores its own spec, which the import system has replaced."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state
        if module.__name__ == self.package:
            module.__name__ = self.alias  # programs read it to identify the library
        self.name_loaded_modules()
        attach(self.package)

    def name_loaded_modules(self) -> None:
        """Adds loaded modules of `package` under the alias: after `import torch`, `torch.nn` is in `sys.modules`."""
        for name, module in list(sys.modules.items()):
            if name.startswith(f"{self.package}."):
                sys.modules.setdefault(self.alias + name.removeprefix(self.package), module)

    def get_code(self, name: str) -> CodeType | None:
        """Returns the code of a module, for `-m torch.x`."""
        original = find_original(self.original_name(name))
        if original is None or not isinstance(original.loader, InspectLoader):
            return None
        return original.loader.get_code(original.name)


def find_original(name: str) -> ModuleSpec | None:
    """Returns the spec of a module of rushlight; None if it does not exist, or its parent is not a package."""
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
    """Whether an import statement runs the finder; `importlib.util.find_spec` must get None."""
    return sys._getframe(3).f_code.co_name == "_find_and_load_unlocked"


def install(alias: str = "torch", package: str = "rushlight") -> Alias:
    """Makes `import alias` return `package`, in this process and its children.

    Raises ImportError if the real `alias` is loaded already: two libraries under one name would mix in one program.
    """
    for finder in sys.meta_path:
        if is_installed(finder, alias, package):
            return finder
    if alias in sys.modules and sys.modules[alias] is not importlib.import_module(package):
        raise ImportError(f"{alias} is loaded already, so `import {alias}` can no longer give {package}", name=alias)
    finder = Alias(alias, package)
    sys.meta_path.insert(0, finder)
    hand_on_to_children(finder)
    for kind in (Tensor, Parameter):
        ForkingPickler.register(kind, sent)
    return finder


def sent(tensor: Tensor) -> tuple:
    """Pickles a tensor for `multiprocessing` with shared memory, as in a program that has imported PyTorch."""
    return importlib.import_module("rushlight.memory.sharing").reduced_tensor(tensor)


def uninstall(alias: str = "torch", package: str = "rushlight") -> None:
    """Undoes `install`. Modules that are imported already stay."""
    for finder in [finder for finder in sys.meta_path if is_installed(finder, alias, package)]:
        sys.meta_path.remove(finder)
    for name in [name for name in sys.modules if name.partition(".")[0] == alias]:
        if sys.modules[name] is sys.modules.get(package + name.removeprefix(alias)):
            del sys.modules[name]
    if package in sys.modules:
        sys.modules[package].__name__ = package
    told = spawn.get_preparation_data
    if isinstance(told, partial) and told.func is preparation_data and is_installed(told.args[1], alias, package):
        spawn.get_preparation_data = told.args[0]
        set_forkserver_preload(["__main__"])
    if alias == "torch":
        write_python_path([x for x in python_path() if x != PATH])


def is_installed(finder: object, alias: str, package: str) -> TypeGuard[Alias]:
    return isinstance(finder, Alias) and (finder.alias, finder.package) == (alias, package)


def hand_on_to_children(finder: Alias) -> None:
    """Installs the finder in child processes, too.

    Multiprocessing sends data to a new process first: the finder is part of it, and installs itself when unpickled. The
    fork server preloads the package instead of the script, which it would import before it gets any data. Other Pythons
    read PYTHONPATH.
    """
    spawn.get_preparation_data = partial(preparation_data, spawn.get_preparation_data, finder)
    set_forkserver_preload([finder.package])
    if finder.alias == "torch":
        write_python_path([PATH, *(x for x in python_path() if x != PATH)])


def preparation_data(original: Callable[[str], dict], finder: Alias, name: str) -> dict:
    return original(name) | {finder.alias: finder}


def python_path() -> list[str]:
    written = os.environ.get("PYTHONPATH")
    return written.split(os.pathsep) if written else []


def write_python_path(folders: list[str]) -> None:
    if folders:
        os.environ["PYTHONPATH"] = os.pathsep.join(folders)
    else:
        os.environ.pop("PYTHONPATH", None)
