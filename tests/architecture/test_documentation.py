"""The pages of the site: every one is in the navigation, and a translation runs the same examples as its original."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NAVIGATION = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
EXAMPLE = re.compile(r"^```pycon\n(.*?)^```", re.M | re.S)
TRANSLATIONS = sorted(DOCS.glob("ko/tutorial/*.md"))
PACKAGE = ROOT / "src" / "rushlight"
# Folders whose files are parts of one machine; elsewhere a file is a family, under the name of what it holds.
MACHINES = (
    "arrays autograd core describe dispatch explain explain/picture explain/watch kernels lower testing"
).split()
ADDED_BY_HOOK = {"operators.md", "what-differs.md", "README.md"}
FOLDERS_OF_HOOK = {"decisions", "benchmarks"}  # all that lies there is added


def test_every_tutorial_is_translated():
    assert [path.name for path in TRANSLATIONS] == [path.name for path in sorted(DOCS.glob("tutorial/*.md"))]


@pytest.mark.parametrize("path", TRANSLATIONS, ids=lambda path: path.stem)
def test_a_translation_has_the_examples_of_its_original(path):
    original = (DOCS / "tutorial" / path.name).read_text("utf-8")
    assert EXAMPLE.findall(path.read_text("utf-8")) == EXAMPLE.findall(original)


@pytest.mark.parametrize("folder", MACHINES)
def test_the_page_of_a_machine_names_its_files(folder):
    page = (PACKAGE / folder / "README.md").read_text("utf-8")
    files = {path.name for path in (PACKAGE / folder).glob("*.py")} - {"__init__.py", "__main__.py"}
    assert files - set(re.findall(r"`([a-z_0-9]+\.py)`", page)) == set()


def test_every_page_is_in_the_navigation():
    found = (path for path in DOCS.rglob("*.md") if path.parent.name not in FOLDERS_OF_HOOK)
    pages = {path.relative_to(DOCS).as_posix() for path in found}
    assert pages - ADDED_BY_HOOK == {line.strip("- ") for line in NAVIGATION.splitlines() if line.endswith(".md")}
