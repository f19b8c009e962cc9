"""pyright and mypy find nothing in right programs, and every mistake in wrong ones, at its line."""

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"
RIGHT = sorted(path.relative_to(HERE).as_posix() for path in HERE.glob("right/*.py"))
WRONG = sorted(path.relative_to(HERE).as_posix() for path in HERE.glob("wrong/*.py"))
# Modules whose public names editors have to know; what is imported on first use is among them.
MODULES = (
    "", "accelerator", "amp", "autograd", "autograd.functional", "autograd.graph", "backends.cudnn", "backends.mps",
    "compiler", "cpu", "cuda", "cuda.amp", "distributed", "distributions", "distributions.constraints",
    "distributions.transforms", "fft", "func", "jit", "linalg", "masked", "nn", "nn.functional", "nn.init",
    "nn.modules.module", "nn.parameter", "nn.utils", "nn.utils.parametrizations", "nn.utils.parametrize",
    "nn.utils.rnn", "optim", "optim.lr_scheduler", "optim.swa_utils", "quasirandom", "random",
    "return_types", "signal.windows", "special", "testing", "utils", "utils.checkpoint", "utils.data", "utils.hooks",
)  # fmt: skip


def run(*command, cwd):
    """What a module of Python writes, with the package of this checkout on the path."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "MYPYPATH": ""}
    done = subprocess.run([sys.executable, "-m", *command], env=environment, cwd=cwd, capture_output=True, text=True)
    return done.stdout


def pyright(*paths, cwd):
    """The errors that pyright finds in its default mode: messages by file and line."""
    pytest.importorskip("pyright", reason="pyright comes with the extra `check`")
    output = run("pyright", "--outputjson", "--pythonpath", sys.executable, *paths, cwd=cwd)
    report = json.loads(output)
    assert report["summary"]["filesAnalyzed"] >= len(paths), output
    return {
        (Path(each["file"]).relative_to(cwd).as_posix(), each["range"]["start"]["line"] + 1): each["message"]
        for each in report["generalDiagnostics"]
        if each["severity"] == "error"
    }


def mypy(*paths, cwd, cache):
    """The errors that mypy finds without a configuration: messages by file and line."""
    pytest.importorskip("mypy", reason="mypy comes with the extra `check`")
    output = run("mypy", "--config-file=", f"--cache-dir={cache}", *paths, cwd=cwd)
    assert re.search(rf"\(checked {len(paths)} source files\)|in {len(paths)} source files", output), output
    result = re.findall(r"^(.+?\.py):(\d+): error: (.*)$", output, re.MULTILINE)
    return {(file, int(line)): message for file, line, message in result}


@pytest.fixture(scope="module", params=["pyright", "mypy"])
def checker(request):
    return request.param


@pytest.fixture(scope="module")
def found(checker, tmp_path_factory):
    """The errors in all programs, by file and line."""
    if checker == "pyright":
        return pyright(*RIGHT, *WRONG, cwd=HERE)
    return mypy(*RIGHT, *WRONG, cwd=HERE, cache=tmp_path_factory.mktemp("cache"))


def marked(file, checker):
    """The lines of a program that this checker has to report."""
    lines = (HERE / file).read_text("utf-8").splitlines()
    marks = ((number, re.search(r"# error(?:: (.*))?$", line)) for number, line in enumerate(lines, 1))
    return {number for number, mark in marks if mark and checker in (mark[1] or checker)}


def shown(found, places):
    return "".join(f"\n{file}:{line}: {found.get((file, line), 'not reported')}" for file, line in sorted(places))


def test_right_programs_have_no_errors(found):
    false = {place for place in found if place[0] not in WRONG}
    assert not false, shown(found, false)


@pytest.mark.parametrize("file", WRONG)
def test_every_mistake_is_reported_and_nothing_else(file, checker, found):
    expected = {(file, line) for line in marked(file, checker)}
    assert len(expected) > 20
    differing = {place for place in found if place[0] == file} ^ expected
    assert not differing, shown(found, differing)


RUN = """
import runpy, sys, warnings
warnings.simplefilter("ignore")
for path in sys.argv[1:]:
    print(path, flush=True)
    runpy.run_path(path, run_name="__main__")
"""


def test_right_programs_run(tmp_path):
    command = [sys.executable, "-c", RUN, *(str(HERE / file) for file in RIGHT)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout.splitlines()[-1]}\n{done.stderr}"


INSIDE = ("capture", "graph")  # what the package is made of, imported by the first compiled call


def public_names():
    """Every public name of the modules, and every public member of Tensor and Module, as programs write them."""
    for name in MODULES:
        module = importlib.import_module(f"rushlight.{name}" if name else "rushlight")
        for member in getattr(module, "__all__", None) or dir(module):
            foreign = isinstance(getattr(module, member), ModuleType) and not hasattr(module, "__all__") and name
            if not member.startswith("_") and not foreign and not is_borrowed(module, member) and member not in INSIDE:
                yield ".".join(filter(None, ("torch", name, member)))
    torch = importlib.import_module("rushlight")
    for holder, kind in (("torch.ones(2)", torch.Tensor), ("torch.nn.Linear(2, 2)", torch.nn.Module)):
        yield from (f"{holder}.{member}" for member in dir(kind) if not member.startswith("_"))


def is_borrowed(module, member):
    """Whether a name of a module without `__all__` is one that the module itself imports to work with."""
    if hasattr(module, "__all__") or module.__name__ == "rushlight":
        return member == "torch"  # the root itself, which it does not contain
    return not getattr(getattr(module, member), "__module__", "").startswith((module.__name__, "rushlight._generated"))


def test_every_public_name_is_known_to_pyright(tmp_path):
    lines = ["import rushlight as torch", *(f"_ = {name}" for name in public_names())]
    assert len(lines) > 2000
    (tmp_path / "names.py").write_text("\n".join(lines) + "\n", "utf-8")
    errors = pyright("names.py", cwd=tmp_path)
    assert not errors, "".join(f"\n{lines[line - 1]}: {message}" for (_, line), message in sorted(errors.items()))
