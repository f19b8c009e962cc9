"""`python -m rushlight profile SCRIPT`: which lines of a program took the time."""

import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

PROGRAM = """import sys
import torch

x = torch.ones(300, 300, requires_grad=True)
y = x @ x
print("arguments", sys.argv[1:])
for _ in range(3):
    y = y.exp()
y.sum().backward()
"""


def profiled(folder, *arguments, program=PROGRAM):
    """Runs the command in a folder; returns what it did."""
    (folder / "program.py").write_text(program)
    command = [sys.executable, "-m", "rushlight", "profile", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("profile")
    done = profiled(folder, "--trace", "trace.json", "program.py", "--lines", "of the program")
    assert done.returncode == 0, done.stderr
    return done, folder


def test_the_program_gets_its_arguments(done):
    assert "arguments ['--lines', 'of the program']" in done[0].stdout


def test_lines_are_shown_with_what_they_ran(done):
    text = done[0].stderr
    assert re.search(r"^ *[\d.]+\w+ of [\d.]+\w+ in operators, steps and batches \([\d.]+%\)\.$", text, re.MULTILINE)
    assert re.search(r"This machine: memory [\d.]+ GB/s, float32 products \d+ GFLOP/s\.", text)
    line = r"program.py:{}  {}"
    for number, statement in ((5, r"y = x @ x"), (8, r"y = y\.exp\(\)")):
        assert re.search(line.format(number, statement), text)
    product = text[text.index("program.py:5 ") :].partition("\n\n")[0]
    assert re.search(r"\d+\.\dx processor +aten::matmul", product)
    assert "aten::mm" in product  # the line whose gradient it is
    elementwise = text[text.index("program.py:8 ") :].partition("\n\n")[0]
    assert re.search(r"\b3 +[\d.]+x memory +aten::exp", elementwise)


def test_the_timeline_is_a_picture(done):
    picture = ElementTree.parse(done[1] / "program.profile.svg").getroot()
    titles = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert any(title.startswith("aten::exp\n") and "program.py(8): <module>" in title for title in titles)
    width = float(picture.get("width"))
    boxes = [each for each in picture.iter("{http://www.w3.org/2000/svg}rect") if len(each)]
    assert boxes and all(0 <= float(box.get("x")) <= width - float(box.get("width")) for box in boxes)


def test_the_trace_can_be_read(done):
    names = {each["name"] for each in json.loads((done[1] / "trace.json").read_text())["traceEvents"]}
    assert {"aten::matmul", "aten::exp", "ExpBackward0"} <= names


def test_an_error_of_the_program_is_reported_after_what_ran(tmp_path):
    done = profiled(tmp_path, "program.py", program="import torch\ntorch.ones(2).exp()\nraise ValueError('mine')\n")
    assert done.returncode == 1
    assert "program.py:2  torch.ones(2).exp()" in done.stderr
    assert done.stderr.rstrip().endswith("ValueError: mine")


def test_a_program_without_operators_is_profiled_too(tmp_path):
    done = profiled(tmp_path, "--svg", "picture.svg", "program.py", program="print('nothing')\n")
    assert done.returncode == 0, done.stderr
    assert "nothing" in done.stdout and (tmp_path / "picture.svg").exists()


def test_bottleneck_shows_functions_and_operators(tmp_path):
    (tmp_path / "program.py").write_text("import sys, torch\nprint(sys.argv[1:])\ntorch.ones(3).exp()\n")
    command = [sys.executable, "-m", "rushlight.utils.bottleneck", "program.py", "-x"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("['-x']") == 2
    for title in ("Environment Summary", "cProfile output", "autograd profiler output (CPU mode)"):
        assert f"\n  {title}\n" in done.stdout
    assert "function calls" in done.stdout and "aten::exp" in done.stdout
