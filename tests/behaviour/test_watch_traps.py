"""Every trap of `rushlight.watch`: its failing program is caught at the line it marks, the repaired one is silent.

The programs run under PyTorch too: a trap is a mistake that PyTorch lets pass.
"""

import importlib
import linecache
import re
import warnings

import pytest

import rushlight
from rushlight.explain.watch.trap import MARK
from rushlight.explain.watch.traps import TRAPS

by_kind = pytest.mark.parametrize("trap", TRAPS, ids=[each.kind for each in TRAPS])


def run(text, library="rushlight", name="program"):
    """Runs the text of a program that imports torch; returns its variables."""
    text = text.lstrip("\n")
    if library == "rushlight":
        text = re.sub(r"(?m)^(import|from) torch\b(?! as)", r"\1 rushlight", text)
        text = re.sub(r"(?m)^import rushlight$", "import rushlight as torch", text)
        text = re.sub(r"(?m)^import rushlight\.([\w.]+) as", r"import rushlight.\1 as", text)
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    importlib.import_module(library).manual_seed(0)
    variables = {"__name__": "program"}
    exec(compile(text, file, "exec"), variables)
    return variables


def watched(text, name="program"):
    with warnings.catch_warnings(), rushlight.watch() as watch:
        warnings.simplefilter("ignore")
        run(text, name=name)
    return watch.findings


def marked_line(text):
    lines = text.lstrip("\n").splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if line.endswith(MARK)]
    return number


@by_kind
def test_the_failing_program_is_caught_once_at_its_line(trap, capsys):
    findings = watched(trap.failing, f"failing {trap.kind}")
    assert [(each.kind, each.line) for each in findings] == [(trap.kind, marked_line(trap.failing))]
    assert findings[0].file == f"<failing {trap.kind}>"
    assert len(findings[0].text) > 40 and len(findings[0].advice) > 10


@by_kind
def test_the_repaired_program_is_silent(trap, capsys):
    assert MARK not in trap.repaired
    assert watched(trap.repaired, f"repaired {trap.kind}") == []


@by_kind
@pytest.mark.parametrize("which", ["failing", "repaired"])
def test_the_programs_run_under_pytorch(trap, which, capsys):
    pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run(getattr(trap, which), "torch", f"{which} {trap.kind} for torch")


@by_kind
def test_the_finding_is_raised_on_request(trap, capsys):
    with warnings.catch_warnings(), pytest.raises(rushlight.watch.Finding) as caught:
        warnings.simplefilter("ignore")
        with rushlight.watch(raises=True):
            run(trap.failing, name=f"failing {trap.kind}")
    assert (caught.value.kind, caught.value.line) == (trap.kind, marked_line(trap.failing))


@by_kind
def test_a_kind_can_be_ignored(trap, capsys):
    with warnings.catch_warnings(), rushlight.watch(ignore=(trap.kind,)) as watch:
        warnings.simplefilter("ignore")
        run(trap.failing, name=f"failing {trap.kind}")
    assert watch.findings == []


@by_kind
def test_its_page_has_a_text(trap):
    assert trap.__doc__ and trap.failing.strip() != trap.repaired.strip()
