"""Every trap of `rushlight.watch`: its failing program is caught at the line it marks, the repaired one is silent.

The programs run under PyTorch too: a trap is a mistake that PyTorch lets pass.
"""

import warnings

import pytest

import rushlight
from rushlight.explain.watch.trap import MARK
from rushlight.explain.watch.trap_programs import findings_in, run
from rushlight.explain.watch.traps import TRAPS

pytestmark = pytest.mark.usefixtures("functions_of_numpy")

by_kind = pytest.mark.parametrize("trap", TRAPS, ids=[each.kind for each in TRAPS])


@pytest.fixture(autouse=True)
def seeded():
    rushlight.manual_seed(0)


def marked_line(text):
    lines = text.splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if line.endswith(MARK)]
    return number


@by_kind
def test_the_failing_program_is_caught_once_at_its_line(trap, capsys):
    findings = findings_in(trap.failing, f"<failing {trap.kind}>")
    assert [(each.kind, each.line) for each in findings] == [(trap.kind, marked_line(trap.failing))]
    assert findings[0].file == f"<failing {trap.kind}>"
    assert len(findings[0].text) > 40 and len(findings[0].advice) > 10


def inside(text, before, after):
    """A program as the body of a function or a method, its imports before that."""
    lines = text.strip("\n").splitlines()
    imports = [each for each in lines if each.startswith(("import ", "from "))]
    body = [each for each in lines if each not in imports]
    indent = " " * (4 * len(before))
    return "\n".join([*imports, *before, *(indent + each if each else each for each in body), *after, ""])


WAYS = {
    "function": (["def main():"], ["main()"]),
    "method": (["class Trainer:", "    def fit(self):"], ["Trainer().fit()"]),
}


@by_kind
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("which", ["failing", "repaired"])
def test_inside_of_functions_and_methods_it_is_the_same(trap, way, which, capsys):
    text = inside(getattr(trap, which), *WAYS[way])
    expected = [(trap.kind, marked_line(text))] if which == "failing" else []
    assert [(each.kind, each.line) for each in findings_in(text, f"<{which} {trap.kind} {way}>")] == expected


@by_kind
def test_a_cell_of_a_notebook_is_named_with_its_line(trap, capsys):
    text = trap.failing.strip("\n") + "\n"
    cell = f"/cells/ipykernel_17/{trap.kind}.py"
    ((kind, file, line),) = [(each.kind, each.file, each.line) for each in findings_in(text, cell)]
    assert (kind, file, line) == (trap.kind, cell, marked_line(text))


@by_kind
def test_the_repaired_program_is_silent(trap, capsys):
    assert MARK not in trap.repaired
    assert findings_in(trap.repaired, f"<repaired {trap.kind}>") == []


@by_kind
@pytest.mark.parametrize("which", ["failing", "repaired"])
def test_the_programs_run_under_pytorch(trap, which, capsys):
    pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run(getattr(trap, which), f"<{which} {trap.kind} for torch>", "torch")


@by_kind
def test_the_finding_is_raised_on_request(trap, capsys):
    with warnings.catch_warnings(), pytest.raises(rushlight.watch.Finding) as caught:
        warnings.simplefilter("ignore")
        with rushlight.watch(raises=True):
            run(trap.failing, f"<failing {trap.kind}>")
    assert (caught.value.kind, caught.value.line) == (trap.kind, marked_line(trap.failing))


@by_kind
def test_a_kind_can_be_ignored(trap, capsys):
    with warnings.catch_warnings(), rushlight.watch(ignore=(trap.kind,)) as watch:
        warnings.simplefilter("ignore")
        run(trap.failing, f"<failing {trap.kind}>")
    assert watch.findings == []


@by_kind
def test_its_page_has_a_text(trap):
    assert trap.__doc__ and trap.failing.strip() != trap.repaired.strip()


def test_a_file_that_was_edited_is_read_anew():
    for trap in [each for each in TRAPS if each.kind in ("leaf_overwritten", "gradient_weights", "kept_on_ctx")]:
        assert [each.kind for each in findings_in(trap.failing, "<train.py>")] == [trap.kind]
