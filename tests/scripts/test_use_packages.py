"""What docs/how-to/use_packages.md says, in an environment without PyTorch, of a package that needs torch.

`test_as_torch.py` tells of processes that a program starts and of `pytest -p`, `test_provide_torch.py` of the metadata.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight

SOURCE = str(Path(rushlight.__file__).parents[1])
PACKAGE = '''import torch

def lit():
    """A tensor of the package's own."""
    return torch.ones(2, requires_grad=True)

if __name__ == "__main__":
    print("lamp:", lit().sum().item())
'''
PROGRAM = "import lamp\nprint(type(lamp.lit()).__name__, lamp.lit().sum().item())\n"
INSTALLED = "import rushlight\nrushlight.install()\n"
ASKED_BY_A_CHILD = f"""{INSTALLED}import subprocess, sys
def answer(*options, **more):
    command = [sys.executable, *options, "-c", "import torch; print(torch.__name__)"]
    return subprocess.run(command, capture_output=True, text=True, **more).stdout.strip() or "nothing"
print(answer(), answer("-E"), answer("-I"), answer(env={{}}))
"""
TEST = "import lamp\n\ndef test_it():\n    assert lamp.lit().sum() == 2\n"


@pytest.fixture
def folder(tmp_path):
    files = {
        "lamp.py": PACKAGE,
        "program.py": PROGRAM,
        "installed.py": INSTALLED + PROGRAM,
        "asked.py": ASKED_BY_A_CHILD,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(python, *arguments, folder, **variables):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    return subprocess.run(
        [python, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_without_a_switch_there_is_no_torch(python, folder):
    assert "No module named 'torch'" in run(python, "program.py", folder=folder).stderr


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["-m", "rushlight", "program.py"], "Tensor 2.0\n"),
        (["-m", "rushlight", "-m", "lamp"], "lamp: 2.0\n"),
        (["installed.py"], "Tensor 2.0\n"),
        (["asked.py"], "torch nothing nothing nothing\n"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_each_switch(python, folder, arguments, printed):
    finished = run(python, *arguments, folder=folder)
    assert (finished.stdout, finished.stderr) == (printed, "")


def test_tests_of_your_own(folder):
    """With this Python, which has pytest, and may have PyTorch: it is not the one that is found."""
    (folder / "conftest.py").write_text(INSTALLED)
    (folder / "test_lamp.py").write_text(f"import torch\n{TEST}    assert 'rushlight' in torch.__version__\n")
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_lamp.py"]
    finished = run(sys.executable, *command, folder=folder, PYTHONPATH=SOURCE)
    assert "1 passed" in finished.stdout, finished.stdout + finished.stderr
