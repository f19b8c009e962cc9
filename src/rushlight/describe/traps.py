"""A page for each trap of `rushlight.watch`: what happens, a program, what is found in it, and the program repaired."""

from __future__ import annotations

import inspect
import io
from contextlib import redirect_stdout

from rushlight.explain.watch.programs import findings_in
from rushlight.explain.watch.trap import MARK, Trap
from rushlight.explain.watch.traps import TRAPS

INDEX = """# Mistakes that give no error

`rushlight.watch` notices these while a program runs, names the line, and says what to write instead. How to switch it
on: [find mistakes that give no error](../how-to/watch.md). Each page shows a program that makes the mistake, what is
found in it, and the program repaired; both run under PyTorch as well.

| kind | what happens |
|---|---|
"""


def pages() -> dict[str, str]:
    """The pages by file name: the table of all traps, and one for each."""
    rows = [f"| [`{each.kind}`]({each.kind}.md) | {first_paragraph(each)} |" for each in TRAPS]
    return {"index.md": INDEX + "\n".join(rows) + "\n"} | {f"{each.kind}.md": page(each) for each in TRAPS}


def first_paragraph(trap: type[Trap]) -> str:
    """What the table says of a trap: the first paragraph of its page."""
    return " ".join(inspect.cleandoc(trap.__doc__ or "").partition("\n\n")[0].split())


def page(trap: type[Trap]) -> str:
    """The page of one trap; what is found is what a run finds."""
    failing, repaired = trap.failing.strip(), trap.repaired.strip()
    with redirect_stdout(io.StringIO()):
        (finding,) = findings_in(failing + "\n", "train.py")
    said = f"train.py:{finding.line}: Finding: {finding}"
    shown = failing.replace(MARK, "# <-")
    return (
        f"# `{trap.kind}`\n\n{inspect.cleandoc(trap.__doc__ or '')}\n\n"
        f"```python\n{shown}\n```\n\n`python -m rushlight --watch train.py` says:\n\n```text\n{said}\n```\n\n"
        f"## Repaired\n\n```python\n{repaired}\n```\n"
    )
