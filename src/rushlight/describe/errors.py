"""A page for each error of `explain.errors`: what it means, a program that raises it, what it says, the repair."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from rushlight.explain.errors import KINDS, Kind
from rushlight.explain.recording import lines
from rushlight.explain.watch.programs import run

FILE = "train.py"
REPAIRED = "Repaired"
INDEX = """# Errors

The first line of an error is PyTorch's. Below it stands a note on what happened in this program. The lines that made,
overwrote and freed something are always known (`RUSHLIGHT_LINES=0` switches that off). Where any tensor came from is
known at a prompt, in a notebook, with `RUSHLIGHT_LINES=1` and by `python -m rushlight explain train.py`, as here.
Each page shows a program that fails, what is said, and the program repaired; the tests run both.

| error | first line |
|---|---|
"""


def pages(translation: Mapping | None = None) -> dict[str, str]:
    """The pages by file name: the table of all errors, and one for each.

    A translation has `index` and `repaired`, and under the name of each error a `title` and a `meaning`.
    """
    texts = translation or {
        "index": INDEX,
        "repaired": REPAIRED,
        **{kind.name: {"title": kind.title, "meaning": kind.meaning} for kind in KINDS},
    }
    said = {kind.name: raised(kind) for kind in KINDS}
    rows = [f"| [{texts[kind.name]['title']}]({kind.name}.md) | {_cell(said[kind.name])} |" for kind in KINDS]
    return {"index.md": texts["index"] + "\n".join(rows) + "\n"} | {
        f"{kind.name}.md": page(kind, said[kind.name], **texts[kind.name], repaired=texts["repaired"]) for kind in KINDS
    }


def page(kind: Kind, error: BaseException, title: str, meaning: str, repaired: str) -> str:
    """The page of one error; what is said is what a run says."""
    said = "\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])
    return (
        f"# {title}\n\n{meaning}\n\n```python\n{_program(kind.failing)}```\n\n```text\n{said}\n```\n\n"
        f"## {repaired}\n\n```python\n{_program(kind.repaired)}```\n"
    )


def raised(kind: Kind) -> BaseException:
    """What the failing program raises, with lines recorded."""
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
