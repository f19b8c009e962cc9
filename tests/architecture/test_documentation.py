"""The pages of the site: every one is in the navigation, and a translation runs the same examples as its original."""

import importlib
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from rushlight.describe import errors
from rushlight.explain.errors import KINDS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NAVIGATION = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
EXAMPLE = re.compile(r"^```pycon\n(.*?)^```", re.M | re.S)
BLOCK = re.compile(r"^```\w+\n(.*?)^```", re.M | re.S)
HANGUL = re.compile(r"[가-힣]")
TRANSLATED = ("tutorial", "how-to")  # folders of which every page has a translation
TRANSLATIONS = sorted(path for folder in TRANSLATED for path in DOCS.glob(f"ko/{folder}/*.md"))
PACKAGE = ROOT / "src" / "rushlight"
# Folders whose files are parts of one machine; elsewhere a file is a family, under the name of what it holds.
MACHINES = (
    "arrays autograd core describe dispatch explain explain/picture explain/watch kernels lower testing"
).split()
ADDED_BY_HOOK = {"operators.md", "what-differs.md", "README.md", "release.md", "packages.md"}
FOLDERS_OF_HOOK = {"decisions", "benchmarks"}  # all that lies there is added


@pytest.mark.parametrize("folder", TRANSLATED)
def test_every_page_is_translated(folder):
    assert {path.name for path in DOCS.glob(f"ko/{folder}/*.md")} == {path.name for path in DOCS.glob(f"{folder}/*.md")}


def test_every_error_is_translated():
    translation = tomllib.loads((DOCS / "ko" / "errors.toml").read_text("utf-8"))
    assert set(translation) == {"index", "repaired", *(kind.name for kind in KINDS)}
    assert all(set(translation[kind.name]) == {"title", "meaning"} for kind in KINDS)


def test_the_pages_of_a_translation_have_the_programs_and_messages_of_the_original():
    translation = tomllib.loads((DOCS / "ko" / "errors.toml").read_text("utf-8"))
    originals, translated = errors.pages(), errors.pages(translation)
    assert list(translated) == list(originals)
    for name in originals.keys() - {"index.md"}:
        assert BLOCK.findall(translated[name]) == BLOCK.findall(originals[name])
        assert HANGUL.search(translated[name]) and not HANGUL.search(originals[name])


@pytest.mark.parametrize("path", TRANSLATIONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_translation_has_the_examples_of_its_original(path):
    original = (DOCS / path.parent.name / path.name).read_text("utf-8")
    assert EXAMPLE.findall(path.read_text("utf-8")) == EXAMPLE.findall(original)


@pytest.mark.parametrize("folder", MACHINES)
def test_the_page_of_a_machine_names_its_files(folder):
    page = (PACKAGE / folder / "README.md").read_text("utf-8")
    files = {path.name for path in (PACKAGE / folder).glob("*.py")} - {"__init__.py", "__main__.py"}
    assert files - set(re.findall(r"`([a-z_0-9]+\.py)`", page)) == set()


@pytest.mark.parametrize(("page", "language"), [("ko/how-to/watch.md", "ko"), ("how-to/watch.md", "en")])
def test_a_page_says_which_language_it_is_in(page, language, monkeypatch):
    pytest.importorskip("mkdocs", reason="the site is built with the extra `docs`")
    monkeypatch.syspath_prepend(DOCS)
    config = SimpleNamespace(theme={"language": "of the page before"})
    importlib.import_module("hooks").on_page_context({}, SimpleNamespace(file=SimpleNamespace(src_uri=page)), config)
    assert config.theme == {"language": language}  # from which the theme writes `<html lang=...>`


def test_every_page_is_in_the_navigation():
    result = (path for path in DOCS.rglob("*.md") if path.parent.name not in FOLDERS_OF_HOOK)
    pages = {path.relative_to(DOCS).as_posix() for path in result}
    assert pages - ADDED_BY_HOOK == {line.strip("- ") for line in NAVIGATION.splitlines() if line.endswith(".md")}
