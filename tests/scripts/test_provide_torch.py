"""`python -m rushlight provide-torch`: what pip and `importlib.metadata` see of it, and what it leaves alone."""

import os
import subprocess
import sys
import zipfile

import pytest

import rushlight


def run(python, *arguments):
    ours = ("PYTHONPATH", "PIP_QUIET")  # what pip says is read
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(
        [python, *arguments], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


VERSION = "from importlib.metadata import version; print(version('torch'))"


def test_it_is_written_seen_and_taken_away(python):
    done = run(python, "-m", "rushlight", "provide-torch")
    assert (done.returncode, done.stdout[:6]) == (0, "wrote "), done.stderr
    assert "python -m pip install PACKAGE torch==2.13.0\n" in done.stdout
    assert run(python, "-c", VERSION).stdout.startswith("2.13.0+rushlight")
    assert "No module named 'torch'" in run(python, "-c", "import torch").stderr
    assert run(python, "-m", "rushlight", "provide-torch").returncode == 0
    done = run(python, "-m", "rushlight", "provide-torch", "--remove")
    assert (done.returncode, done.stdout[:8]) == (0, "removed ")
    assert "PackageNotFoundError" in run(python, "-c", VERSION).stderr
    done = run(python, "-m", "rushlight", "provide-torch", "--remove")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing of rushlight's" in done.stderr


def test_the_version_that_it_names_keeps_pip_from_a_newer_pytorch(python, tmp_path):
    """Two versions of a package on an index, the newer one for a newer PyTorch, as those of torchvision are."""
    pytest.importorskip("pip")
    for version, needs in ("0.28.0", "2.13.0"), ("0.29.1", "2.14.1"):
        wheel(tmp_path, "lampshade", version, f"Requires-Dist: torch=={needs}\n")
    wheel(tmp_path, "torch", "2.14.1")
    wheel(tmp_path, "rushlight", rushlight.__version__)  # which `python` has on its path only
    for name in ("filelock", "fsspec", "jinja2", "typing_extensions"):  # which the metadata require
        wheel(tmp_path, name, "2100.1")
    pin = run(python, "-m", "rushlight", "provide-torch").stdout.partition("install PACKAGE ")[2].split()[0]
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--dry-run", "--no-index", "-f", tmp_path]
    install = [*pip, "lampshade"]
    assert "lampshade-0.29.1 torch-2.14.1\n" in run(*install).stdout
    chosen = run(*install, pin).stdout.partition("Would install ")[2].split()
    brought = {f"{name}-2100.1" for name in ("filelock", "fsspec", "jinja2", "typing-extensions")}
    assert "lampshade-0.28.0" in chosen and {each.replace("_", "-") for each in chosen} >= brought, chosen


def wheel(folder, name, version, needs=""):
    information = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{information}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
        file.writestr(f"{information}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{information}/RECORD", "")


def test_pytorch_that_is_installed_is_left_alone(python):
    site = next((python.parents[1]).glob("lib/python*/site-packages"), None) or python.parents[1] / "Lib/site-packages"
    metadata = site / "torch-2.13.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\n")
    done = run(python, "-m", "rushlight", "provide-torch")
    assert (done.returncode, done.stdout) == (1, "")
    assert "torch 2.13.0 is installed here" in done.stderr
    assert run(python, "-m", "rushlight", "provide-torch", "--remove").returncode == 1
    assert metadata.is_dir()


def test_modules_of_pytorch_without_metadata_are_installed_too(python):
    site = next((python.parents[1]).glob("lib/python*/site-packages"), None) or python.parents[1] / "Lib/site-packages"
    (site / "torch").mkdir()
    (site / "torch" / "__init__.py").write_text("")
    done = run(python, "-m", "rushlight", "provide-torch")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"torch is installed here: {site / 'torch' / '__init__.py'}")


def test_a_folder_that_cannot_be_written_to(python, tmp_path):
    environment = python.parents[1]
    code = f"import sysconfig; sysconfig.get_path = lambda name: {str(environment / 'no such folder')!r}\n"
    code += "from rushlight.cli.provide import main; print(main([]))"
    done = run(python, "-c", code)
    assert (done.stdout, "cannot be changed: No such file or directory" in done.stderr) == ("1\n", True)
