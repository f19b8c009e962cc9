"""What the files of `arrays/` name of NumPy exists on the device, and the recorded names are CuPy's."""

import ast
import sys
from importlib import util
from pathlib import Path

import numpy as np
import pytest

from rushlight.arrays.cuda import again
from rushlight.arrays.cuda.fake import namespace
from rushlight.arrays.cuda.simulation import language

ARRAYS = Path(again.__file__).parents[1]
READ_AGAIN = sorted(path for path in ARRAYS.glob("*.py") if path.stem not in again.CPU_ONLY | {"__init__"})
FAMILIES = sorted((ARRAYS / "cuda" / "families").glob("*.py"))


def named(path):
    """The names of NumPy that a file uses, as `np.add.reduce`; those inside replaced functions do not count."""
    family = ARRAYS / "cuda" / "families" / path.name
    replaced = set(again.defined_in(family)) if family.exists() and family != path else set()
    replaced |= set(again.THROUGH_CPU.get(path.stem, "").split())
    tree = ast.parse(path.read_text("utf-8"))
    kept = [part for part in tree.body if not (isinstance(part, ast.FunctionDef) and part.name in replaced)]
    for part in kept:
        for node in ast.walk(part):
            if isinstance(node, ast.Attribute) and (text := ast.unparse(node)).startswith("np.") and "(" not in text:
                yield text


def exists(text):
    """Whether the device has a name of NumPy, looked up in what `numpy` means there."""
    value = sys.modules["rushlight.arrays.on_cuda.reduce"].np
    for part in text.split(".")[1:]:
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return True


@pytest.mark.parametrize("path", [*READ_AGAIN, *FAMILIES], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_file_names_nothing_that_the_device_has_not(path):
    language()
    assert [text for text in named(path) if not exists(text)] == []


def test_the_check_sees_a_name_that_cupy_has_not():
    language()
    assert not exists("np.busday_count")
    assert exists("np.maximum.reduce")


def test_every_file_says_whether_it_is_for_the_cpu_only():
    assert again.CPU_ONLY - {path.stem for path in ARRAYS.iterdir()} == set()


def test_what_runs_on_the_cpu_is_there():
    for file, functions in again.THROUGH_CPU.items():
        assert set(functions.split()) <= set(again.defined_in(ARRAYS / f"{file}.py"))


def test_the_names_are_those_that_cupy_has(monkeypatch):
    pytest.importorskip("cupy", reason="CuPy is not installed: `pip install cupy-cuda13x==14.2.0`")
    path = Path(__file__).with_name("record_cupy.py")
    module = util.module_from_spec(specification := util.spec_from_file_location("record_cupy", path))
    specification.loader.exec_module(module)
    recorded = Path(namespace.__file__).with_name("names.txt").read_text("utf-8").splitlines()
    assert list(module.lines(sys.modules["cupy"])) == recorded


def test_the_fake_computes_what_the_files_name():
    """A recorded function that the fake has no numbers for raises NotImplementedError: no file needs one."""
    language()
    numpy = sys.modules["rushlight.arrays.on_cuda.reduce"].np
    names = {text.split(".")[1] for path in READ_AGAIN for text in named(path)}
    for name in names & namespace.records()["cupy"].keys():
        assert getattr(numpy, name) is not None
    assert isinstance(getattr(np, "add", None), np.ufunc)
