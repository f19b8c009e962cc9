"""What stands in `_generated` is what the declarations give today."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rushlight.dispatch import generate

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


@pytest.fixture(scope="module")
def sources():
    """What the declarations give, which takes seconds to find; in a process where no kernels have come in."""
    program = "import json; from rushlight.dispatch import generate; print(json.dumps(generate.sources()))"
    done = subprocess.run([sys.executable, "-c", program], cwd=SOURCE, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", GENERATED)
def test_a_stale_file_is_noticed(name, sources, tmp_path, monkeypatch, capsys):
    folder = shutil.copytree(generate.FOLDER, tmp_path / "_generated", copy_function=shutil.copyfile)
    monkeypatch.setattr(generate, "FOLDER", folder)
    monkeypatch.setattr(generate, "sources", lambda: sources)
    assert generate.main(["--check"]) == 0
    (folder / name).write_text(f"{sources[name]}stale = True\n", "utf-8")
    assert generate.main(["--check"]) == 1
    assert [line.partition(" ")[0] for line in capsys.readouterr().out.splitlines()] == [name]


def test_stale_files_are_the_status_of_the_command(checkout):
    for name in GENERATED:
        with (checkout / "src" / "rushlight" / "_generated" / name).open("a", encoding="utf-8") as file:
            file.write("stale = True\n")
    status, output = check(checkout / "src")
    assert status != 0
    assert [name for name in GENERATED if name not in output] == []


def test_broken_files_are_written_again(checkout):
    """Of all of them at once: none may be imported on the way."""
    for name in GENERATED:
        (checkout / "src" / "rushlight" / "_generated" / name).write_text("broken (", encoding="utf-8")
    done = subprocess.run([sys.executable, "scripts/generate"], cwd=checkout, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert check(checkout / "src") == (0, "")
