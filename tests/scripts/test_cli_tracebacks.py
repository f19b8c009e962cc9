"""`python -m rushlight PROGRAM`: tracebacks without rushlight's frames, and what stands below Python's errors of None.

The expected frames are the program's own: those that `python` shows of a function written in C.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = str(Path(importlib.util.find_spec("rushlight").submodule_search_locations[0]).parent)
FRAME = re.compile(r'File "([^"]+)", line (\d+)')


class Run:
    """A program that has been run: its status, and the (file, line) pairs of its report."""

    def __init__(self, folder, text, *options, **variables):
        (folder / "train.py").write_text(text)
        finished = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "rushlight", *options, "train.py"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**os.environ, "PYTHONPATH": SOURCE, "OMP_NUM_THREADS": "1", **variables},
        )
        self.status, self.out, self.error = finished.returncode, finished.stdout, finished.stderr
        self.frames = [(Path(file).name, int(line)) for file, line in FRAME.findall(self.error)]


@pytest.fixture
def run(tmp_path):
    return lambda text, *options, **variables: Run(tmp_path, text, *options, **variables)


LAYERS = """import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(5, 2))
    def forward(self, x):
        return self.layers(x)
Net()(torch.ones(1, 3))
"""


def test_only_the_lines_of_the_program_are_shown(run):
    done = run(LAYERS)
    assert done.status == 1
    assert done.frames == [("train.py", 8), ("train.py", 7)]
    assert "mat1 and mat2 shapes cannot be multiplied" in done.error


@pytest.mark.parametrize("way", ["option", "variable"])
def test_one_switch_shows_all_frames(run, way):
    done = run(LAYERS, "--full-traceback") if way == "option" else run(LAYERS, RUSHLIGHT_TRACEBACK="full")
    assert ("train.py", 8) in done.frames
    assert any(file == "module.py" for file, _ in done.frames)


def test_what_a_library_raises_within_ours_ends_at_the_line_of_the_program(run):
    done = run("import torch\ntorch.load('absent.pt')\n")
    assert done.frames == [("train.py", 2)]
    assert "FileNotFoundError" in done.error


def test_what_the_program_calls_by_itself_is_shown(run):
    done = run("import json\njson.loads('{')\n")
    assert done.frames[0] == ("train.py", 2)
    assert done.frames[-1][0] == "decoder.py"


def test_a_function_of_the_program_that_we_call_is_shown(run):
    done = run("import torch\ntorch.ones(2, requires_grad=True).mul(2).sum().backward\ndef f(g):\n    1 / 0\n"
               "x = torch.ones(2, requires_grad=True)\nx.register_hook(f)\n(x * 2).sum().backward()\n")  # fmt: skip
    assert done.frames == [("train.py", 7), ("train.py", 4)]


CHAINED = """import torch
try:
    torch.ones(2, 3) @ torch.ones(2, 3)
except RuntimeError as first:
    try:
        torch.ones(3).view(2)
    except RuntimeError:
        raise ValueError("third") from first
"""


def test_chained_exceptions_are_all_cut(run):
    done = run(CHAINED)
    assert done.frames == [("train.py", 3), ("train.py", 8)]
    assert "The above exception was the direct cause" in done.error


GROUP = """import torch
def fails(shape):
    try:
        torch.ones(3).view(shape)
    except RuntimeError as error:
        return error
raise ExceptionGroup("both", [fails(2), fails(4)])
"""


def test_the_members_of_a_group_are_cut(run):
    done = run(GROUP)
    assert done.status == 1
    assert done.frames == [("train.py", 7), ("train.py", 4), ("train.py", 4)]


THREAD = """import threading, torch
def work():
    torch.ones(3).view(2)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print("goes on")
"""


def test_threads_are_reported_likewise(run):
    done = run(THREAD)
    assert (done.status, done.out) == (0, "goes on\n")
    assert "Exception in thread" in done.error
    assert done.frames[-1] == ("train.py", 3)
    assert all(file in ("threading.py", "train.py") for file, _ in done.frames)


def test_a_threading_hook_of_the_program_is_the_one_that_is_called(run):
    own = "import threading\nthreading.excepthook = lambda failed: print('own', failed.exc_type.__name__)\n"
    assert run(own + THREAD).out == "own RuntimeError\ngoes on\n"


def test_a_hook_of_the_program_is_called(run):
    done = run(
        "import sys, torch, traceback\n"
        "sys.excepthook = lambda kind, error, tb: print(kind.__name__, [e.lineno for e in traceback.extract_tb(tb)])\n"
        "torch.ones(3).view(2)\n"
    )
    assert (done.status, done.out, done.error) == (1, "RuntimeError [3]\n", "")


WORKER = """import torch
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return torch.ones(3).view(2)
if __name__ == "__main__":
    for batch in torch.utils.data.DataLoader(Data(), num_workers=1):
        pass
"""


def test_the_traceback_of_a_worker_has_the_lines_of_the_program(run):
    done = run(WORKER)
    assert done.frames == [("train.py", 8), ("train.py", 6)]
    assert "Caught RuntimeError in DataLoader worker process 0." in done.error


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("import torch, sys\nsys.exit(3)\n", 3, ""),
        ("import torch\nraise KeyboardInterrupt\n", -2, "KeyboardInterrupt"),
        ("import torch\nx = (\n", 1, "SyntaxError: '(' was never closed"),
        ("import torch\ndef f(): f()\nf()\n", 1, "RecursionError"),
    ],
)
def test_other_ends_are_as_with_python(run, text, status, said):
    done = run(text)
    assert done.status == status
    assert said in done.error


@pytest.mark.parametrize(("text", "summed_up"), [("x", False), ("print(1)", True)])
def test_after_a_crash_the_watch_does_not_say_that_nothing_was_found(run, text, summed_up):
    assert ("nothing found" in run(f"import torch\n{text}\n", "--watch").error) is summed_up


def test_after_a_crash_the_watch_says_what_it_found(run):
    done = run("import torch\nx = torch.ones(3)\nx.double()\nraise ValueError\n", "--watch")
    assert "discarded_result" in done.error


def test_a_grad_that_is_none_is_reported_below_pythons_error(run):
    done = run(
        "import torch\nw = torch.ones(2, requires_grad=True)\nfor _ in range(3):\n    (w**2).sum().backward()\n"
        "    w = w - 0.1 * w.grad\n"
    )
    assert done.status == 1
    assert "`w.grad` is None: train.py:5 (`w = w - 0.1 * w.grad`) assigns a new tensor to `w`" in done.error
    assert done.error.endswith("    w -= 0.1 * w.grad\n")
