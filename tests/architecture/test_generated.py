"""What stands in `_generated` is what the declarations give today."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
GENERATED = sorted(path.name for path in (SOURCE / "rushlight" / "_generated").glob("*.py") if path.stem != "__init__")


def check(source):
    """Exit status and output of the generator in check mode, run on the package in a folder."""
    command = [sys.executable, "-m", "rushlight.dispatch.generate", "--check"]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(command, env=environment, cwd=source, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_generated_files_are_fresh():
    status, output = check(SOURCE)
    assert status == 0, f"run scripts/generate\n{output}"


@pytest.mark.parametrize("name", GENERATED)
def test_a_stale_file_is_noticed(checkout, name):
    with (checkout / "src" / "rushlight" / "_generated" / name).open("a", encoding="utf-8") as file:
        file.write("stale = True\n")
    status, output = check(checkout / "src")
    assert status != 0
    assert name in output


@pytest.mark.parametrize("name", GENERATED)
def test_a_broken_file_is_written_again(checkout, name):
    (checkout / "src" / "rushlight" / "_generated" / name).write_text("broken (", encoding="utf-8")
    done = subprocess.run([sys.executable, "scripts/generate"], cwd=checkout, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert check(checkout / "src") == (0, "")
