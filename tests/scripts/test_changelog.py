"""`scripts/changelog`: one file for each change becomes the section of a release."""

import importlib.machinery
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST_SECTION = 40  # lines: a reader should see what a release is about

loader = importlib.machinery.SourceFileLoader("changelog", str(ROOT / "scripts" / "changelog"))
changelog = importlib.util.module_from_spec(importlib.util.spec_from_loader("changelog", loader))
loader.exec_module(changelog)


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d" / "README.md").touch()
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\nWhat changed.\n\n## 0.1.0\n\n- **Tensors.** All of them.\n")
    return tmp_path


def add(repository, name, text):
    (repository / "changelog.d" / name).write_text(text)


def test_the_section_of_a_release(repository, capsys):
    add(repository, "nn.linear.md", "Linear layers\nare quicker.\n")
    add(repository, "tensors.views.md", "Views keep " + "their strides and " * 8 + "names.\n")
    assert changelog.main(["0.2.0"], repository) == 0
    text = (repository / "CHANGELOG.md").read_text()
    assert text.startswith("# Changelog\n\nWhat changed.\n\n## 0.2.0\n\n- **Tensors.** Views keep their")
    assert "\n- **`nn`.** Linear layers are quicker.\n\n## 0.1.0\n\n- **Tensors.** All of them.\n" in text
    assert max(map(len, text.splitlines())) <= 120
    assert [path.name for path in (repository / "changelog.d").iterdir()] == ["README.md"]


def test_what_there_is_so_far_is_shown(repository, capsys):
    add(repository, "docs.korean.md", "Korean pages.")
    before = (repository / "CHANGELOG.md").read_text()
    assert changelog.main([], repository) == 0
    assert capsys.readouterr().out == "## next release\n\n- **Docs.** Korean pages.\n"
    assert (repository / "CHANGELOG.md").read_text() == before


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("strange.thing.md", "Something.", "the name is not AREA.SUBJECT.md"),
        ("tensors.md", "Something.", "the name is not AREA.SUBJECT.md"),
        ("tensors.views.txt", "Something.", "the name is not AREA.SUBJECT.md"),
        ("tensors.views.md", "- Something.", "the text is not one entry"),
        ("tensors.views.md", "One.\n\nTwo.", "the text is not one entry"),
        ("tensors.views.md", "", "the text is not one entry"),
        ("tensors.views.md", "word " * 100, "499 characters, of at most 400"),
    ],
)
def test_what_is_not_in_the_form_is_reported_and_nothing_is_written(repository, capsys, name, text, said):
    add(repository, name, text)
    before = (repository / "CHANGELOG.md").read_text()
    assert changelog.main(["0.2.0"], repository) == 1
    assert capsys.readouterr().out.startswith(f"{name}: {said}")
    assert (repository / "CHANGELOG.md").read_text() == before


def test_a_release_has_one_section(repository):
    with pytest.raises(SystemExit, match="has a section 0.1.0 already"):
        changelog.main(["0.1.0"], repository)


def test_the_entries_of_this_repository_are_in_the_form(capsys):
    assert changelog.main(["--check"]) == 0, capsys.readouterr().out


def test_a_reader_sees_at_a_glance_what_a_release_is_about():
    sections = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.M)[1:]
    assert sections
    assert {
        each.split()[0]: len(each.splitlines()) for each in sections if len(each.splitlines()) > LONGEST_SECTION
    } == {}
