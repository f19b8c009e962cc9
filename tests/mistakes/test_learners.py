"""Learners' mistakes: each is named at its line, and the repair that the message offers gives the right result.

The programs are files beside this one; README.md says how to read them.
"""

import contextlib
import io
import re
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest
import rushlight
from rushlight.explain.failures import explain_failure, frames_of, is_ours
from rushlight.explain.watch.trap_programs import findings_in, run

FOLDER = Path(__file__).parent
WRONG = sorted((FOLDER / "wrong").glob("*/*.py"))
CORRECT = sorted((FOLDER / "correct").glob("*.py"))
MARK = re.compile(r"\s*# <- (\w+)$")
INSTRUCTION = re.compile(r"(?P<indent>\s*)# (?P<what>instead|also|then|leave out)(?:: (?P<code>.*))?$")
ABOVE = re.compile(r"# (right|said): (.*)")

every_wrong_program = pytest.mark.parametrize("path", WRONG, ids=[f"{each.parent.name}-{each.stem}" for each in WRONG])
every_correct_program = pytest.mark.parametrize("path", CORRECT, ids=[each.stem for each in CORRECT])


class Program(NamedTuple):
    """A wrong program: its text, where what is found, the repaired text, and what the message must have in it."""

    text: str
    line: int
    kind: str
    repaired: str
    said: list[str]
    right: str


def program(path) -> Program:
    lines, said, line, kind, right = [], [], 0, "", ""
    text = path.read_text()
    for number, each in enumerate(text.splitlines(), 1):
        if above := ABOVE.match(each):
            right = above[2] if above[1] == "right" else right
            said += [above[2]] if above[1] == "said" else []
        elif reported := INSTRUCTION.match(each):
            indent = reported["indent"]
            if reported["what"] != "also":
                replaced = lines.pop()
                indent = replaced[: len(replaced) - len(replaced.lstrip())]
            if reported["code"]:
                lines.append(indent + reported["code"])
            said += [reported["code"]] if reported["what"] in ("instead", "also") else []
        else:
            if mark := MARK.search(each):
                line, kind = number, mark[1]
            lines.append(MARK.sub("", each))
    return Program(text, line, kind, "\n".join(lines) + "\n", said, right)


def outcome(text, file, library="rushlight"):
    """The variables that a program leaves, or the error that ends it."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return run(text, file, library)
        except Exception as error:
            return error


def failing_line(error) -> int:
    lines = [frame.f_lineno if tail is None else tail for frame, tail in numbered(error) if not is_ours(frame)]
    return lines[-1]


def numbered(error):
    traceback = error.__traceback__
    for frame, _ in frames_of(traceback):
        yield frame, traceback.tb_lineno
        traceback = traceback.tb_next


@pytest.fixture(autouse=True)
def fresh():
    """The same random numbers for each program, and gradient mode as it was, also after one that switches it off."""
    rushlight.manual_seed(0)
    with rushlight.enable_grad():
        yield


@every_wrong_program
def test_a_mistake_is_named_with_its_repair(path):
    wrong = program(path)
    if wrong.kind == "error":
        error = outcome(wrong.text, str(path))
        assert isinstance(error, Exception) and failing_line(error) == wrong.line
        message = str(explain_failure(error))
    else:
        with contextlib.redirect_stdout(io.StringIO()):
            findings = findings_in(wrong.text, str(path))
        assert [(each.kind, each.line) for each in findings] == [(wrong.kind, wrong.line)], findings
        message = str(findings[0])
    for each in wrong.said:
        assert each in message, message


@every_wrong_program
def test_the_repaired_program_comes_to_the_right_result(path):
    wrong = program(path)
    left = outcome(wrong.repaired, f"{path} repaired")
    assert isinstance(left, dict), left
    assert eval(wrong.right, left), left
    before = outcome(wrong.text, f"{path} wrong")
    assert not isinstance(before, dict) or not eval(wrong.right, before)


@every_wrong_program
def test_nothing_is_found_in_the_repaired_program(path):
    with contextlib.redirect_stdout(io.StringIO()):
        assert findings_in(program(path).repaired, f"{path} repaired") == []


@every_wrong_program
def test_pytorch_agrees(path, pytorch):
    pytorch.manual_seed(0)
    wrong = program(path)
    with pytorch.enable_grad():
        left = outcome(wrong.repaired, f"{path} repaired", "torch")
        assert isinstance(left, dict), left
        assert eval(wrong.right, left)
        before = outcome(wrong.text, f"{path} wrong", "torch")
    assert not isinstance(before, dict) or not eval(wrong.right, before)


@every_correct_program
def test_a_correct_program_is_without_a_finding(path):
    with contextlib.redirect_stdout(io.StringIO()):
        assert findings_in(path.read_text(), str(path)) == []


def test_every_kind_is_written_in_three_ways():
    assert {each.parent.name: len(list(each.parent.glob("*.py"))) for each in WRONG if
            len(list(each.parent.glob("*.py"))) < 3} == {}  # fmt: skip
    assert len(CORRECT) >= 30
