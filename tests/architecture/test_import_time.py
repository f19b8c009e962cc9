"""`import rushlight` is NumPy and little else."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from rushlight.arrays import cpu
from rushlight.benchmark import startup
from rushlight.declarations.declare import OPS
from rushlight.declarations.library import lazy_module_of, load_all

ROOT = Path(__file__).parents[2]
SLOW = ["PIL", "cupy", "llvmlite", "mpi4py", "opt_einsum", "safetensors", "scipy", "sklearn", "torch"]


@pytest.fixture(scope="module")
def imported():
    """The names of the modules that are there after `import rushlight`."""
    program = "import sys, rushlight; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_no_slow_module_comes_along(imported):
    assert not set(SLOW) & imported


def test_no_lazy_module_is_loaded_before_it_is_needed(imported):
    modules = {path.stem for path in (ROOT / "src/rushlight/_generated").glob("functions_of_*.py")}
    assert modules
    assert not {f"rushlight._generated.{name}" for name in modules} & imported


def test_what_explains_misuse_and_what_calls_scipy_wait_too(imported):
    assert not {"rushlight.dispatch.argument_errors", "rushlight._near_names", "rushlight.arrays.special"} & imported


def test_what_an_operator_runs_directly_is_loaded_with_it():
    # Until it is loaded, each call would take the general path.
    load_all()
    pairs = {(op, OPS[form.op]) for op in OPS.values() for form in op.direct}
    assert pairs
    assert not [f"{op.name}: {of.name}" for op, of in pairs if lazy_module_of(op) != lazy_module_of(of)]


@pytest.mark.parametrize("file", cpu.LATER)
def test_what_a_file_of_arrays_enters_when_it_is_imported_can_be_called_before(file):
    text = (ROOT / f"src/rushlight/arrays/{file}.py").read_text()
    assert set(re.findall(r"^@primitive\ndef (\w+)", text, re.M)) <= set(cpu.LATER[file].split())


@pytest.mark.alone
def test_it_takes_at_most_twice_the_time_of_numpy():
    # Other programs may keep the machine busy: up to three tries, each with fresh processes in turn, the best counts.
    ratios = []
    for _ in range(3):
        ours, numpys = map(min, zip(*startup.import_times(["rushlight", "numpy"], 10), strict=True))
        ratios.append(ours / numpys)
        if ratios[-1] <= startup.BOUND_TO_NUMPY:
            return
    pytest.fail(f"import rushlight takes {min(ratios):.2f} times as long as import numpy")


# What is to be done beforehand, and what holds afterwards. Python 3.12 has frozen a few objects itself.
COLLECTORS = {
    "on": ("", "gc.get_freeze_count() <= frozen"),
    "off": ("gc.disable()", "gc.get_freeze_count() <= frozen"),
    "on, with something frozen": ("gc.freeze()", "0 < gc.get_freeze_count() <= frozen"),
}


@pytest.mark.parametrize(("before", "after"), COLLECTORS.values(), ids=list(COLLECTORS))
@pytest.mark.parametrize("blocked", ["nothing", "numpy"])
def test_the_garbage_collector_is_left_as_it_was(before, after, blocked):
    program = f"""
import gc, sys
sys.modules[{blocked!r}] = None
{before}
on, frozen = gc.isenabled(), gc.get_freeze_count()
try:
    import rushlight
except ImportError:
    assert {blocked!r} == "numpy"
assert gc.isenabled() is on and {after}
"""
    subprocess.run([sys.executable, "-c", program], check=True)
