"""The programs of a user's first weeks: plain PyTorch text that runs unchanged and prints what its comments say.

A comment behind a `print`, or on the lines that follow it, is what that print must write. So each program states its
own results, reads like a page of a tutorial, and can be run by hand with `python` or with `python -m rushlight`.
"""

import builtins
import contextlib
import importlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
NEEDS_A_DEVICE = "10_leaving_the_device"
PRINT = re.compile(r"\s*print\(.*?\)(?:  # (?P<stated>.*))?$")

# The simulated GPU announces itself once per process.
pytestmark = pytest.mark.filterwarnings("ignore:.*simulated")
every_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)


def stated(source):
    """The lines that the comments of a program say it prints."""
    lines, follows = [], False
    for line in source.splitlines():
        printing = PRINT.match(line)
        if printing and printing["stated"]:
            lines.append(printing["stated"].strip())
        elif follows and line.lstrip().startswith("#"):
            lines.append(line.lstrip(" #").rstrip())
            continue
        follows = bool(printing)
    return lines


def importing(library):
    """An `__import__` for which `torch` is a name of `library`."""

    def answer(name, globals=None, locals=None, fromlist=(), level=0):
        package, dot, rest = name.partition(".")
        ours = f"{library}{dot}{rest}" if package == "torch" else name
        return builtins.__import__(ours, globals, locals, fromlist, level)

    return answer


def run(program, library):
    """Runs a program's text with `import torch` meaning `library`: the printed lines and the names it leaves."""
    namespace = {"__name__": "__main__", "__builtins__": {**vars(builtins), "__import__": importing(library)}}
    with contextlib.redirect_stdout(io.StringIO()) as printed, device_of(program, library):
        exec(compile(program.read_text(), str(program), "exec"), namespace)
    return [line.strip() for line in printed.getvalue().splitlines()], namespace


def device_of(program, library):
    """The simulated GPU for the one program that needs a GPU."""
    if program.stem != NEEDS_A_DEVICE or library == "torch":
        return contextlib.nullcontext()
    return importlib.import_module(library).cuda.simulate()


def skip_without_device(program, torch):
    if program.stem == NEEDS_A_DEVICE and torch.__name__ == "torch" and not torch.cuda.is_available():
        pytest.skip("PyTorch has no simulated GPU: this program needs a real one")


# PyTorch refuses this write only after it has been done; here a refused write changes nothing.
HALF_WRITTEN = {("04_modes_and_training_flag", "inferred")}


def description(tensor):
    """All that a program can see of a tensor except its numbers."""
    node = tensor.grad_fn and tensor.grad_fn.name()
    return str(tensor.dtype), tuple(tensor.shape), str(tensor.device), tensor.requires_grad, tensor.is_leaf, node


def gradient(tensor):
    """The numbers of `.grad`, where a program may ask for it without a warning."""
    kept = (tensor.is_leaf or tensor.retains_grad) and tensor.grad is not None
    return tensor.grad.tolist() if kept else None


@every_program
def test_prints_what_it_says(torch, program):
    skip_without_device(program, torch)
    printed, _ = run(program, torch.__name__)
    assert printed == stated(program.read_text())


@every_program
def test_states_its_results(program):
    source = program.read_text()
    assert len(stated(source)) >= source.count("print(") > 0


@every_program
def test_leaves_the_tensors_that_pytorch_leaves(program):
    pytorch = pytest.importorskip("torch")
    skip_without_device(program, pytorch)
    rushlight = importlib.import_module("rushlight")
    _, theirs = run(program, "torch")
    _, ours = run(program, "rushlight")
    expected = {name: value for name, value in theirs.items() if isinstance(value, pytorch.Tensor)}
    results = {name: value for name, value in ours.items() if isinstance(value, rushlight.Tensor)}
    assert results.keys() == expected.keys() != set()
    for name, tensor in expected.items():
        if (program.stem, name) in HALF_WRITTEN:
            continue
        assert (name, *description(results[name])) == (name, *description(tensor))
        assert close(results[name].tolist(), tensor.tolist()), name
        assert close(gradient(results[name]), gradient(tensor)), name


def close(found, expected):
    """Whether two nests of numbers agree to float32's precision."""
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(close, found, expected))
    return found == (pytest.approx(expected, rel=1e-5, abs=1e-6) if isinstance(expected, float) else expected)


@pytest.mark.parametrize("name", ["06_gradients_of_a_formula", "12_adversarial_training", NEEDS_A_DEVICE])
def test_runs_unchanged_from_the_command_line(name):
    program = next(path for path in PROGRAMS if path.stem == name)
    switch = {"RUSHLIGHT_SIMULATE_CUDA": "1"} if name == NEEDS_A_DEVICE else {}
    finished = subprocess.run(
        [sys.executable, "-m", "rushlight", str(program)],
        env={**os.environ, **switch},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (finished.returncode, finished.stderr if finished.returncode else "") == (0, "")
    assert [line.strip() for line in finished.stdout.splitlines()] == stated(program.read_text())
