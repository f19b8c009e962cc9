"""Pages for the traps of `rushlight.watch`: what happens, a program, the finding, and the repaired program."""

from __future__ import annotations

import inspect
import io
from contextlib import redirect_stdout

from rushlight.explain.watch.trap import MARK, Trap
from rushlight.explain.watch.trap_programs import findings_in
from rushlight.explain.watch.traps import TRAPS

INDEX = """# Mistakes that give no error

`rushlight.watch` finds these while a program runs, names the line, and says what to write instead. How to switch it
on: [find mistakes that give no error](../how-to/watch.md). Each page shows a program that makes the mistake, the
finding, and the repaired program; both programs also run under PyTorch.

| kind | what happens |
|---|---|
"""


def pages() -> dict[str, str]:
    """Returns pages by file name: the table of all traps and a page for each trap."""
    rows = [f"| [`{trap.kind}`]({trap.kind}.md) | {first_paragraph(trap)} |" for trap in TRAPS]
    return {"index.md": INDEX + "\n".join(rows) + "\n"} | {f"{trap.kind}.md": page(trap) for trap in TRAPS}


def first_paragraph(trap: type[Trap]) -> str:
    """Returns the first paragraph of the trap's page, for the table."""
    return " ".join(inspect.cleandoc(trap.__doc__ or "").partition("\n\n")[0].split())


def page(trap: type[Trap]) -> str:
    """Returns the page of one trap, with the finding of a run."""
    failing, repaired = trap.failing.strip(), trap.repaired.strip()
    with redirect_stdout(io.StringIO()):
        (finding,) = findings_in(failing + "\n", "train.py")
    message = f"train.py:{finding.line}: Finding: {finding}"
    shown = failing.replace(MARK, "# <-")
    return (
        f"# `{trap.kind}`\n\n{inspect.cleandoc(trap.__doc__ or '')}\n\n"
        f"```python\n{shown}\n```\n\n`python -m rushlight --watch train.py` says:\n\n```text\n{message}\n```\n\n"
        f"## Repaired\n\n```python\n{repaired}\n```\n"
    )
