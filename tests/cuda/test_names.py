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


def functions_of_the_device():
    """The functions that run on the device by (file, name), and for each file which names it imports from where."""
    functions, imports = {}, {}
    for path in READ_AGAIN:
        family = ARRAYS / "cuda" / "families" / path.name
        for source in (path, family) if family.exists() else (path,):
            for part in ast.parse(source.read_text("utf-8")).body:
                if isinstance(part, ast.FunctionDef):
                    functions[path.stem, part.name] = part
                elif isinstance(part, ast.ImportFrom) and (part.module or "").startswith("rushlight.arrays."):
                    place = part.module.rpartition(".")[2]
                    imports |= {(path.stem, each.asname or each.name): (place, each.name) for each in part.names}
    for file, names in again.THROUGH_CPU.items():
        for name in names.split():
            del functions[file, name]
    return functions, imports


def reached_from(roots, functions, imports):
    """The functions that some functions call, themselves included, each with the one that calls it."""
    reached, left = dict.fromkeys(roots), list(roots)
    while left:
        file, name = left.pop()
        names = [node for node in ast.walk(functions[file, name]) if isinstance(node, ast.Name)]
        own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        for each in {node.id for node in names} - own:
            target = imports.get((file, each), (file, each))
            if target in functions and target not in reached:
                reached[target] = (file, name)
                left.append(target)
    return reached


def imports_scipy(function):
    imported = [node for node in ast.walk(function) if isinstance(node, ast.Import)]
    return any(
        each.name.startswith("scipy") and each.name != "scipy.special" for node in imported for each in node.names
    )


def test_nothing_on_the_device_calls_scipy():
    """SciPy takes no arrays of the device; it computes special functions, which CuPy has, and what goes by the CPU."""
    functions, imports = functions_of_the_device()
    table = vars(language().table)
    reached = reached_from([each for each in functions if each[1] in table], functions, imports)
    callers = {each: caller for each, caller in reached.items() if imports_scipy(functions[each])}
    assert not callers
    everything = reached_from(list(functions), functions, imports)
    assert ("lapack", "linalg") in everything and imports_scipy(functions["lapack", "linalg"])


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
