"""Tracebacks in IPython: the program's frames, and below the error its notes, also where IPython shows none itself.

The cells run in a process of its own, in the IPython that is installed. `scripts/ipython` runs this file with several
versions of it.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("IPython", reason="IPython is not installed")
SOURCE = str(Path(importlib.util.find_spec("rushlight").submodule_search_locations[0]).parent)

# What IPython prints of cells. Without support its printer sees exceptions that have no notes, as before version 9.
RUN = """
import json, sys, warnings
from IPython.core.interactiveshell import InteractiveShell
from IPython.core import ultratb

warnings.simplefilter("ignore")
cells, mode, supported = json.loads(sys.argv[1])

def blind(form):
    def without(self, etype, evalue, *others, **named):
        notes = vars(evalue).pop("__notes__", None)
        try:
            return form(self, etype, evalue, *others, **named)
        finally:
            if notes is not None:
                evalue.__notes__ = notes
    return without

if not supported:
    ultratb.VerboseTB.format_exception = blind(ultratb.VerboseTB.format_exception)
    ultratb.ListTB._format_exception_only = blind(ultratb.ListTB._format_exception_only)
shell = InteractiveShell.instance()
shell.run_line_magic("colors", "NoColor")
shell.run_line_magic("xmode", mode)
for cell in cells:
    shell.run_cell(cell)
"""


@pytest.fixture
def shown():
    """What IPython prints when cells are run."""

    def run(*cells, mode="Context", supported=True, **variables):
        finished = subprocess.run(
            [sys.executable, "-c", RUN, json.dumps([["import rushlight as torch", *cells], mode, supported])],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
            env={**os.environ, "PYTHONPATH": SOURCE, "OMP_NUM_THREADS": "1", **variables},
        )
        return finished.stdout

    return run


SECOND = "w = torch.ones(3, requires_grad=True)\nloss = (w * w).sum()\nloss.backward()\nloss.backward()"


SUPPORT = pytest.mark.parametrize("supported", [True, False], ids=["as installed", "without support"])


@SUPPORT
@pytest.mark.parametrize("mode", ["Plain", "Context", "Verbose", "Minimal"])
def test_notes_stand_below_the_error_once(shown, mode, supported):
    printed = shown(SECOND, mode=mode, supported=supported)
    error = printed.index("Trying to backward through the graph a second time")
    note = printed.index("has already freed", error)
    assert "loss.backward()" in printed[note:]
    assert printed.count("has already freed") == 1


def test_each_exception_of_a_chain_has_its_notes(shown):
    printed = shown(
        "try:\n    torch.ones(3).view(2)\nexcept RuntimeError as error:\n    raise ValueError('x') from error"
    )
    assert (
        printed.index("shape '[2]' is invalid") < printed.index("must multiply to 3") < printed.index("ValueError: x")
    )


def test_the_frames_of_rushlight_are_left_out(shown):
    printed = shown("net = torch.nn.Linear(3, 2)\nnet(torch.ones(4))", mode="Plain")
    assert "net(torch.ones(4))" in printed
    assert "rushlight" not in printed.split("RuntimeError")[0].replace("import rushlight", "")


def test_one_switch_shows_them(shown):
    cell = "net = torch.nn.Linear(3, 2)\nnet(torch.ones(4))"
    assert "module.py" in shown("%env RUSHLIGHT_TRACEBACK=full", cell, mode="Plain")


def test_a_debugger_finds_all_frames_afterwards(shown):
    printed = shown(
        "torch.nn.Linear(3, 2)(torch.ones(4))",
        "import sys, traceback\nprint('module.py' in str(traceback.extract_tb(sys.last_value.__traceback__)))",
    )
    assert printed.splitlines()[-1] == "True"


def test_a_grad_that_is_none_is_reported(shown):
    printed = shown("w = torch.ones(3, requires_grad=True)\n0.1 * w.grad", supported=False)
    assert "`w.grad` is None: backward() has not been called." in printed


def test_errors_of_other_programs_are_as_ever(shown):
    printed = shown("def f():\n    return 1 / 0\nf()", mode="Plain")
    assert "return 1 / 0" in printed
    assert "ZeroDivisionError: division by zero" in printed
