"""Words: `words.toml` lists those not to use; the counts in `word_counts.txt` may only fall."""

import importlib.machinery
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text("utf-8")

loader = importlib.machinery.SourceFileLoader("scripts_words", str(ROOT / "scripts" / "words"))
words = importlib.util.module_from_spec(importlib.util.spec_from_loader("scripts_words", loader))
loader.exec_module(words)


@pytest.fixture(scope="module")
def counts():
    return words.counts()


def test_no_folder_uses_more_of_these_words(counts):
    allowed = words.allowed()
    over = {
        folder: f"{count}, allowed {allowed.get(folder, 0)}: `scripts/words {folder}` lists them"
        for folder, count in counts.items()
        if count > allowed.get(folder, 0)
    }
    assert not over


def test_the_counts_are_lowered_when_words_are_replaced(counts):
    lower = {
        folder: counts.get(folder, 0) for folder, count in words.allowed().items() if counts.get(folder, 0) < count
    }
    assert not lower, "run `scripts/words --write`"


SOURCE = '''"""Whoever reads
this."""

whoever_else = "whoever in a string"  # nobody
not_found = given = 1
found = other.heart = 2


def halves_of(asked, places):
    """It is worth
    its price."""
    #: a number that comes
    #: by itself
'''


def test_names_docstrings_and_comments_are_read():
    uses = [(line, text) for line, text, _ in sorted(words.in_python(SOURCE))]
    assert uses == [
        (1, "Whoever"),
        (4, "nobody"),
        (4, "whoever_else"),
        (5, "given"),
        (6, "found"),
        (6, "heart"),
        (9, "halves_of"),
        (9, "places"),
        (10, "is worth"),
        (12, "comes by"),
    ]


def test_code_in_pages_is_left_out(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Somebody\n\n```python\nnobody = 1\n```\n\n`twin` and a whole\nnumber\n")
    assert [(line, text) for line, text, _ in words.in_file(page)] == [(1, "Somebody"), (7, "whole number")]


@pytest.mark.parametrize(
    "text", ["a textbook", "heartbeat", "Bernoulli trials", "the negative slope", "twenty numbers"]
)
def test_other_words_are_allowed(text):
    assert not list(words.in_text(text))


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("README.md", "."),
        ("docs/how-to/ship.md", "docs/how-to"),
        ("src/rushlight/nn/modules/conv.py", "src/rushlight/nn"),
    ],
)
def test_files_count_for_their_folder(name, folder):
    assert words.folder_of(name) == folder


def test_the_glossary_is_sorted_and_names_files_that_exist():
    rows = [line.strip("|").split("|") for line in GLOSSARY.splitlines() if line.startswith("|")][2:]
    terms = [row[0].strip(" `").casefold() for row in rows]
    assert terms == sorted(terms)
    files = [path for row in rows for path in re.findall(r"`([^`]+)`", row[2])]
    assert not [path for path in files if not (ROOT / "src" / "rushlight" / path).exists()]
