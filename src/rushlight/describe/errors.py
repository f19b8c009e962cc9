"""Pages for the errors of `explain.errors`: meaning, a program that raises it, its message, the repaired program."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from rushlight.explain.error_kind import Kind
from rushlight.explain.errors import KINDS
from rushlight.explain.recording import lines
from rushlight.explain.watch.trap_programs import run

FILE = "train.py"
REPAIRED = "Repaired"
INDEX = """# Errors

The first line of an error is PyTorch's. Below it, a note says what happened in this program. The lines that made,
overwrote and freed values are always recorded (`RUSHLIGHT_LINES=0` switches that off). The line that made any tensor is
recorded at a prompt, in a notebook, with `RUSHLIGHT_LINES=1` and by `python -m rushlight explain train.py`, as here.
Each page shows a program that fails, its message, and the repaired program; the tests run both.

| error | first line |
|---|---|
"""


def pages(translation: Mapping | None = None) -> dict[str, str]:
    """Returns pages by file name: the table of all errors and a page for each error.

    A translation has the keys `index` and `repaired`, and for each error name a `title` and a `meaning`.
    """
    texts = translation or {
        "index": INDEX,
        "repaired": REPAIRED,
        **{kind.name: {"title": kind.title, "meaning": kind.meaning} for kind in KINDS},
    }
    errors = {kind.name: raised(kind) for kind in KINDS}
    rows = [f"| [{texts[kind.name]['title']}]({kind.name}.md) | {_cell(errors[kind.name])} |" for kind in KINDS]
    return {"index.md": texts["index"] + "\n".join(rows) + "\n"} | {
        f"{kind.name}.md": page(kind, errors[kind.name], **texts[kind.name], repaired=texts["repaired"])
        for kind in KINDS
    }


def page(kind: Kind, error: BaseException, title: str, meaning: str, repaired: str) -> str:
    """Returns the page of one error; `error` was raised by a run of the failing program."""
    message = "\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])
    return (
        f"# {title}\n\n{meaning}\n\n```python\n{_program(kind.failing)}```\n\n```text\n{message}\n```\n\n"
        f"## {repaired}\n\n```python\n{_program(kind.repaired)}```\n"
    )


def raised(kind: Kind) -> BaseException:
    """Runs the failing program with lines recorded and returns the error that it raises."""
    try:
        with lines():
            run(_program(kind.failing), FILE)
    except kind.type as error:
        return error
    raise AssertionError(f"the failing program of {kind.name} does not fail")


def _program(text: str) -> str:
    return "import torch\n\n" + textwrap.dedent(text).lstrip("\n")


def _cell(error: BaseException) -> str:
    first = str(error).partition("\n")[0].replace("|", "\\|")
    return f"`{first if len(first) < 90 else first[:87] + '...'}`"
