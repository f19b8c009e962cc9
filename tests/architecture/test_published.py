"""What hosts and indexes read beside the code: the citation, the issue templates, the policy for security."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION = re.search(r'^__version__ = "(.+)"$', (ROOT / "src/rushlight/version.py").read_text("utf-8"), re.M)[1]
FORMS = ROOT / ".github" / "ISSUE_TEMPLATE"
TEMPLATES = sorted(FORMS.glob("[0-9]*.yml"))


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


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("citation-file-format", [ROOT / "CITATION.cff"]),
        ("github-issue-forms", TEMPLATES),
        ("github-issue-config", [FORMS / "config.yml"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_files_have_the_form_that_their_readers_publish(schema, files):
    pytest.importorskip("check_jsonschema", reason="the schemas come with the extra `check`")
    command = [sys.executable, "-m", "check_jsonschema", "--default-filetype", "yaml"]
    command += ["--builtin-schema", f"vendor.{schema}", *files]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert files and finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_asks_for_something(yaml, path):
    form = yaml.safe_load(path.read_text("utf-8"))
    assert any(each.get("validations", {}).get("required") for each in form["body"])


@pytest.mark.parametrize("path", [*TEMPLATES, ROOT / "SECURITY.md"], ids=lambda path: path.stem)
def test_commands_that_are_asked_for_are_there(path):
    asked = set(re.findall(r"`python -m rushlight ([a-z-]+)[ `]", path.read_text("utf-8")))
    commands = (ROOT / "src/rushlight/cli/run.py").read_text("utf-8")
    assert all(f'"{each}"' in commands for each in asked)
