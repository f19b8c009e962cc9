"""`python -m rushlight explain SCRIPT`: the failure explained, or the variables of a line."""

import subprocess
import sys

import pytest

PROGRAM = """\
import sys
import torch

print(sys.argv[1:])
w = torch.ones(3, requires_grad=True)
loss = (w * w).sum()
loss.backward()
if "fail" in sys.argv:
    loss.backward()
if "classes" in sys.argv:
    torch.nn.functional.one_hot(w)
"""


@pytest.fixture
def explain(tmp_path):
    def run(*arguments):
        (tmp_path / "train.py").write_text(PROGRAM)
        command = [sys.executable, "-m", "rushlight", "explain", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)

    return run


def test_a_failure_is_reported_and_then_explained(explain):
    done = explain("train.py", "fail", "--flag")
    assert done.returncode == 1
    assert done.stdout == "['fail', '--flag']\n"
    report, _, explanation = done.stderr.partition("\n\n")
    assert report.startswith("Traceback (most recent call last):")
    assert "made at train.py:6 (`loss = (w * w).sum()`): 1 operation with " in report
    assert "at train.py:7 has already freed" in report
    assert explanation.startswith("RuntimeError: Trying to backward through the graph a second time")
    assert "line     train.py:9 (`loss.backward()`)" in explanation
    assert "meaning  backward() frees the values" in explanation


def test_the_operands_of_the_call_are_reported_although_its_frames_are_hidden(explain):
    report, _, explanation = explain("train.py", "classes").stderr.partition("\n\n")
    assert report.count("File ") == 1
    assert "operands  `tensor` is (3,), float32, from ones() at train.py:5" in explanation


@pytest.mark.parametrize("arguments", [("--at", "6", "train.py", "x"), ("train.py", "--at=6", "x")])
def test_the_variables_of_a_line_are_explained_once_it_has_run(explain, arguments):
    done = explain(*arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("['x']\ntrain.py:6 (`loss = (w * w).sum()`)\n")
    assert "`loss` is a tensor with one number" in done.stdout and "`w` is a tensor of shape (3,)" in done.stdout
    assert "sum() made it at train.py:6" in done.stdout


def test_a_line_without_tensors_says_so(explain):
    assert "No tensor and no module stands on this line." in explain("train.py", "--at", "4").stdout


def test_a_program_that_works_works_as_ever(explain):
    done = explain("train.py", "--at-least")
    assert (done.returncode, done.stdout, done.stderr) == (0, "['--at-least']\n", "")


def test_what_is_missing_is_asked_for(explain):
    assert "required: SCRIPT" in explain().stderr
    assert "can't open file" in explain("nowhere.py").stderr
