"""No module of ours hides a name that PyTorch uses for something else: `torch.tensor` must not become a file."""

import json
import subprocess
import sys
import types
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "rushlight"

# Every public name of the torch namespace, 2.13.0, that is not a module.
PUBLIC_NAMES = set(Path(__file__).with_name("public_names.txt").read_text("utf-8").split())

# Imports every module of the package, then prints for each the public names that are modules now.
MODULES_BY_NAME = """
import importlib, json, pkgutil, types
import rushlight

names = ["rushlight"] + [found.name for found in pkgutil.walk_packages(rushlight.__path__, "rushlight.")]
modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
shown = {
    module.__name__: [name for name, value in vars(module).items() if isinstance(value, types.ModuleType)]
    for module in modules
}
print(json.dumps(shown))
"""


def names_that_are_not_modules(namespace):
    return {name for name in dir(namespace) if not isinstance(getattr(namespace, name, None), types.ModuleType)}


def public(names):
    return {name for name in names if not name.startswith("_")}


@pytest.fixture(scope="module")
def modules_by_name():
    """For every module of the package, its names that are modules once everything has been imported."""
    done = subprocess.run([sys.executable, "-c", MODULES_BY_NAME], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_no_file_or_folder_has_the_name_of_a_public_object():
    ours = {path.stem for path in PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert not ours & PUBLIC_NAMES


def test_importing_everything_replaces_no_public_object_by_a_module(modules_by_name):
    assert not PUBLIC_NAMES & set(modules_by_name["rushlight"])


@pytest.mark.filterwarnings("ignore:`torch.distributed.reduce_op` is deprecated")  # looked at, not used
def test_importing_everything_replaces_no_object_of_any_public_namespace(modules_by_name):
    pytest.importorskip("torch")
    hidden = {
        name: sorted(result)
        for name, modules in modules_by_name.items()
        if (twin := sys.modules.get("torch" + name.removeprefix("rushlight")))
        and (result := public(names_that_are_not_modules(twin)) & set(modules))
    }
    assert not hidden


def test_the_recorded_names_are_those_of_torch():
    torch = pytest.importorskip("torch")
    if not torch.__version__.startswith("2.13."):
        pytest.skip(f"the names were recorded from PyTorch 2.13, this is {torch.__version__}")
    assert public(names_that_are_not_modules(torch)) == PUBLIC_NAMES
