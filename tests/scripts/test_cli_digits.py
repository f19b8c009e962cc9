"""`examples/digits.py` is a plain PyTorch program: rushlight runs it as it is, and learns as well as PyTorch does."""

import ast
import functools
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn")
pytest.importorskip("tqdm")

EXAMPLE = Path(__file__).parents[2] / "examples" / "digits.py"
SOURCE = str(Path(importlib.util.find_spec("rushlight").submodule_search_locations[0]).parent)
PRINTED = re.compile(r"test accuracy: (\d+\.\d\d) %\n")
COMMANDS = {"rushlight": ["-m", "rushlight"], "torch": []}


@pytest.fixture(params=COMMANDS)
def library(request):
    return installed(request.param)


def installed(library):
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    return library


@functools.cache
def run(library, *options):
    """The run of the example as a user starts it, on two cores, and the seconds that these worked on it.

    The clock on the wall would show how busy the machine is. PyTorch gets one core: its threads wait for each other at
    every step, on a busy machine for minutes.
    """
    threads = "2" if library == "rushlight" else "1"
    environment = {**os.environ, "PYTHONPATH": SOURCE, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
    command = [sys.executable, *COMMANDS[library], str(EXAMPLE), *options]
    before = os.times()
    finished = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env=environment)
    assert finished.returncode == 0, finished.stderr
    after = os.times()
    worked = after.children_user + after.children_system - before.children_user - before.children_system
    return finished, worked


def accuracy(library, *options):
    finished, _ = run(library, *options)
    return float(PRINTED.fullmatch(finished.stdout)[1])


def test_it_learns_the_digits_in_time(library):
    finished, seconds = run(library)
    assert accuracy(library) > 96
    assert seconds < 20 or library == "torch"
    assert "training: 100%" in finished.stderr and "25/25" in finished.stderr and "loss=" in finished.stderr


@pytest.mark.parametrize("options", [(), ("--quick", "--seed", "3")], ids=["whole", "quick"])
def test_the_same_seed_gives_the_same_accuracy_as_pytorch_within_a_point(options):
    assert accuracy("rushlight", *options) == pytest.approx(accuracy(installed("torch"), *options), abs=1)


def test_the_seed_decides_everything(library):
    first, again, other = (run(library, "--quick", "--seed", seed)[0] for seed in ("3", "03", "4"))
    losses = [re.findall(r"loss=([\d.]+)", finished.stderr)[-1] for finished in (first, again, other)]
    assert (first.stdout, losses[0]) == (again.stdout, losses[1])
    assert losses[2] != losses[0]


def test_it_is_a_plain_pytorch_program():
    tree = ast.parse(EXAMPLE.read_text("utf-8"))
    imports = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert "import torch" in imports
    assert not any("rushlight" in line for line in imports)
