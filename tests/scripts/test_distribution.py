"""What is published: the wheel and the source distribution, what is in them, and the wheel installed in an environment.

Nothing is fetched: `scripts/release` does the same with what a package index has.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

hatchling = pytest.importorskip("hatchling.build", reason="the build backend is in the extra `test`")

ROOT = Path(__file__).parents[2]
ADDRESS = "https://example.org/rushlight/blob/main/"
RELATIVE_LINK = re.compile(r"\]\((?!https?://|#)")
VERSION = (
    (ROOT / "src" / "rushlight" / "version.py").read_text("utf-8").partition('__version__ = "')[2].partition('"')[0]
)
PATH_OF_CHILDREN = f"rushlight/_as_torch/path/torch-2.13.0+rushlight.{VERSION}.dist-info"


def built(source, folder, kind):
    """The file that the build backend makes of a folder: "wheel" or "sdist"."""
    folder.mkdir(exist_ok=True)
    build = f"from hatchling.build import build_{kind} as build; print(build({str(folder)!r}))"
    finished = subprocess.run([sys.executable, "-c", build], cwd=source, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return folder / finished.stdout.split()[-1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    return built(ROOT, tmp_path_factory.mktemp("sdist"), "sdist")


@pytest.fixture(scope="module")
def unpacked(sdist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / sdist.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(unpacked, tmp_path_factory):
    """Built from the source distribution, as indexes and distributors do."""
    return built(unpacked, tmp_path_factory.mktemp("wheel"), "wheel")


def names_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def metadata_of(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return message_from_string(archive.read(f"rushlight-{VERSION}.dist-info/METADATA").decode())


def test_the_wheel_is_for_every_platform(wheel, sdist):
    assert (wheel.name, sdist.name) == (f"rushlight-{VERSION}-py3-none-any.whl", f"rushlight-{VERSION}.tar.gz")


def test_the_wheel_has_the_package_and_nothing_else(wheel):
    folder = ROOT / "src" / "rushlight"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    left_out = re.compile(r"(^|/)(\.|__pycache__/|ruff\.toml$|NOTES\.md$|digest\.txt$)")
    expected = {f"rushlight/{name}" for name in files if not left_out.search(name)}
    package = {name for name in names_in(wheel) if not name.startswith(f"rushlight-{VERSION}.dist-info/")}
    assert package == expected


@pytest.mark.parametrize(
    "name",
    [
        "rushlight/py.typed",
        "rushlight/__init__.pyi",
        "rushlight/core/tensor.pyi",
        "rushlight/explain/picture/view.js",
        "rushlight/_as_torch/path/torch.py",
        f"{PATH_OF_CHILDREN}/METADATA",
        f"rushlight-{VERSION}.dist-info/licenses/LICENSE",
    ],
)
def test_what_is_no_python_code_is_in_the_wheel_too(wheel, name):
    assert name in names_in(wheel)


def test_nothing_compiled_and_no_test_is_in_the_wheel(wheel):
    assert not [name for name in names_in(wheel) if re.search(r"\.(pyc|so|pyd|nbi|nbc)$|(^|/)tests?/", name)]


def test_the_source_distribution_has_what_it_takes_to_test_and_to_document(sdist):
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
    results = {name.split("/")[1] for name in names}
    assert {
        "CHANGELOG.md",
        "CITATION.cff",
        "LICENSE",
        "README.md",
        "SECURITY.md",
        "docs",
        "scripts",
        "tests",
    } <= results
    assert not [name for name in names if name.endswith(".pyc")]


def test_the_wheel_of_the_checkout_is_that_of_the_source_distribution(wheel, tmp_path):
    direct = built(ROOT, tmp_path, "wheel")
    assert names_in(direct) == names_in(wheel)
    assert metadata_of(direct).as_string() == metadata_of(wheel).as_string()


def test_the_command_is_that_of_the_module(wheel):
    with zipfile.ZipFile(wheel) as archive:
        written = archive.read(f"rushlight-{VERSION}.dist-info/entry_points.txt").decode()
    assert written.split() == ["[console_scripts]", "rushlight", "=", "rushlight.__main__:command"]
    assert EntryPoint("rushlight", "rushlight.__main__:command", "console_scripts").load().__name__ == "command"


def test_addresses_lead_to_pages(wheel):
    addresses = dict(each.split(", ", 1) for each in metadata_of(wheel).get_all("Project-URL"))
    assert {"Documentation", "Changelog", "Security"} <= set(addresses)
    base = addresses["Documentation"].removesuffix("docs/index.md")  # empty until there is a public repository
    assert all(url.startswith(base) and (ROOT / url.removeprefix(base)).is_file() for url in addresses.values())


def test_an_index_shows_no_link_that_leads_nowhere(wheel):
    shown = metadata_of(wheel)
    assert shown["Description-Content-Type"] == "text/markdown"
    text = shown.get_payload()
    assert text.startswith("# rushlight\n")
    assert not RELATIVE_LINK.search(text)
    assert "docs/what-differs.md" in text  # where there is no address, the path is named


def test_links_of_the_readme_get_the_address_of_the_repository(unpacked, tmp_path):
    """The first thing that is written once there is a public repository."""
    project = unpacked / "pyproject.toml"
    before = project.read_text("utf-8")
    (unpacked / "PKG-INFO").rename(tmp_path / "PKG-INFO")  # which has the text already
    try:
        project.write_text(before.replace('= "docs/', f'= "{ADDRESS}docs/'), "utf-8")
        text = metadata_of(built(unpacked, tmp_path / "wheel", "wheel")).get_payload()
    finally:
        project.write_text(before, "utf-8")
        (tmp_path / "PKG-INFO").rename(unpacked / "PKG-INFO")
    assert f"[docs/what-differs.md]({ADDRESS}docs/what-differs.md)" in text
    assert not RELATIVE_LINK.search(text)
    pages = re.findall(rf"\]\({ADDRESS}([^)#]+)", text)
    assert len(pages) > 10 and all((ROOT / page).exists() for page in pages)


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory, make_environment):
    """The programs of a fresh environment in which pip has installed the wheel."""
    python = make_environment(tmp_path_factory.mktemp("fresh") / "environment", with_pip=True)
    run(python, "-m", "pip", "install", "--quiet", "--no-compile", "--no-deps", "--no-index", wheel)
    return python.parent


def run(*command, cwd=None):
    ours = ("PYTHON", "RUSHLIGHT", "PIP_QUIET")  # what pip says is read
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    finished = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


PROGRAM = """import json, subprocess, sys
import torch
child = "import torch; print(torch.__version__)"
print(json.dumps({
    "arguments": sys.argv[1:],
    "file": torch.__file__,
    "gradient": torch.autograd.grad((x := torch.ones(2, requires_grad=True)).sum(), x)[0].tolist(),
    "child": subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout.strip(),
}))
"""


def test_the_installed_command_runs_a_program(environment, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    reported = json.loads(run(environment / "rushlight", "program.py", "--quick", cwd=tmp_path))
    assert Path(reported.pop("file")).is_relative_to(environment.parent)
    assert reported == {"arguments": ["--quick"], "gradient": [1.0, 1.0], "child": f"2.13.0+rushlight.{VERSION}"}


def test_the_installed_command_finds_all_well(environment, tmp_path):
    assert run(environment / "rushlight", "--version") == f"rushlight {VERSION}\n"
    assert "all is well" in run(environment / "rushlight", "doctor", cwd=tmp_path)


def test_pip_takes_the_requirement_torch_for_met(environment):
    install = (environment / "python", "-m", "pip", "install", "--no-index")
    assert subprocess.run([*install, "torch"], capture_output=True, check=False).returncode == 1
    run(environment / "rushlight", "provide-torch")
    assert "Requirement already satisfied: torch>=2.4" in run(*install, "--no-deps", "torch>=2.4", "torch!=2.12.0")
    assert "Summary: PyTorch's names, by rushlight." in run(environment / "python", "-m", "pip", "show", "torch")
    run(environment / "rushlight", "provide-torch", "--remove")
    assert subprocess.run([*install, "torch"], capture_output=True, check=False).returncode == 1


def test_a_program_that_fails_shows_its_own_lines_only(environment, tmp_path):
    (tmp_path / "program.py").write_text("import torch\ntorch.ones(2) @ torch.ones(3)\n")
    finished = subprocess.run(
        [environment / "rushlight", "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 1
    assert re.findall(r'File "([^"]+)"', finished.stderr) == [str(tmp_path / "program.py")]
