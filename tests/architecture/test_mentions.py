"""The repository speaks of itself only: nothing in it names the machine or the place where it was written."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_OURS = {".git", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv", "__pycache__"}
NOT_OURS |= {"build", "dist", "venv"}

# In brackets, so that this file does not match itself.
FORBIDDEN = re.compile(
    r"""
    (?<![\w.])/wor[k]\b         # where the checkout stood
    | \.\./share[d]\b           # what lay beside it
    | (?<![\w.])/tm[p]/\w       # a file that only one machine has
    | (?<![\w.])/(roo[t]|home/\w+)/
    | --(find-link[s]|index-ur[l]|extra-index-ur[l])
    """,
    re.VERBOSE,
)


def text_files():
    for path in sorted(ROOT.rglob("*")):
        if path.is_file() and not NOT_OURS & set(path.relative_to(ROOT).parts) and b"\0" not in path.read_bytes():
            yield path


def mentions(text):
    return [f"line {number}: {line}" for number, line in enumerate(text.splitlines(), 1) if FORBIDDEN.search(line)]


def test_no_file_mentions_where_it_was_written():
    results = {path.relative_to(ROOT).as_posix(): mentions(path.read_text("utf-8")) for path in text_files()}
    assert not {file: lines for file, lines in results.items() if lines}


@pytest.mark.parametrize("words", [("see /wor", "k/main"), ("../sha", "red"), ("/tm", "p/venv"), ("--index", "-url x")])
def test_a_mention_is_seen(words):
    assert mentions("first\n" + "".join(words))


@pytest.mark.parametrize("line", ["framework/main", "https://example.org/work", "shared memory", "a/tmp/b", "workers"])
def test_other_words_are_left_alone(line):
    assert not mentions(line)
