"""What hosts and indexes read beside the code: the citation, the issue templates, the policy for security."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION = re.search(r'^__version__ = "(.+)"$', (ROOT / "src/rushlight/version.py").read_text("utf-8"), re.M)[1]
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[0-9]*.yml"))
INPUTS = {"input", "textarea", "dropdown", "checkboxes"}  # the rest of a form is read


@pytest.fixture
def yaml():
    return pytest.importorskip("yaml", reason="PyYAML comes with the extra `docs`")


def test_the_citation_says_what_the_project_says(yaml):
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)  # what the format asks for
    assert citation["title"] == PROJECT["name"]
    assert str(citation["version"]) == VERSION
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"]
    assert citation["keywords"] == PROJECT["keywords"]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_is_a_form_that_hosts_accept(yaml, path):
    form = yaml.safe_load(path.read_text("utf-8"))
    assert set(form) == {"name", "description", "labels", "body"}
    asked = [each for each in form["body"] if each["type"] in INPUTS]
    assert asked and all(each["attributes"]["label"] for each in asked)
    assert len({each["id"] for each in asked}) == len(asked)
    assert any(each.get("validations", {}).get("required") for each in asked)
    assert all("value" in each["attributes"] for each in form["body"] if each["type"] == "markdown")


def test_there_are_templates():
    assert TEMPLATES


@pytest.mark.parametrize("path", [*TEMPLATES, ROOT / "SECURITY.md"], ids=lambda path: path.stem)
def test_commands_that_are_asked_for_are_there(path):
    asked = set(re.findall(r"`python -m rushlight ([a-z-]+)[ `]", path.read_text("utf-8")))
    commands = (ROOT / "src/rushlight/cli/run.py").read_text("utf-8")
    assert all(f'"{each}"' in commands for each in asked)
