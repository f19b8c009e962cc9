"""What stands in `_generated` is what the declarations give today, and is never read half written."""

import json
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rushlight.dispatch import generate, generated_files

ROOT = Path(__file__).parents[2]
GENERATED = sorted(path.name for path in generated_files.FOLDER.glob("*.py") if path.stem != "__init__")
IMPORTED = [sys.executable, "-c", "import rushlight; print(rushlight.ones(2).sum().item())"]


def run(checkout, *arguments):
    """Exit status and output of `scripts/generate` in a copy of the sources."""
    command = [sys.executable, "scripts/generate", *arguments]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def generated(checkout):
    return checkout / "src" / "rushlight" / "_generated"


def test_generated_files_are_fresh():
    status, output = run(ROOT, "--check")
    assert status == 0, f"run scripts/generate\n{output}"
    assert generated_files.is_fresh()


def test_git_has_no_generated_code():
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    listed = subprocess.run(["git", "ls-files", generated_files.FOLDER], cwd=ROOT, capture_output=True, text=True)
    assert {Path(line).name for line in listed.stdout.splitlines()} == {"README.md", "__init__.py"}


@pytest.fixture(scope="module")
def sources():
    """What the declarations give, which takes seconds to find; in a process where no kernels have come in."""
    program = "import json; from rushlight.dispatch import generate; print(json.dumps(generate.sources()))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT / "src", capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", GENERATED)
def test_a_stale_file_is_noticed(name, sources, tmp_path, monkeypatch, capsys):
    folder = shutil.copytree(generated_files.FOLDER, tmp_path / "_generated", copy_function=shutil.copyfile)
    monkeypatch.setattr(generated_files, "FOLDER", folder)
    monkeypatch.setattr(generate, "sources", lambda: sources)
    assert generate.main(["--check"]) == 0
    (folder / name).write_text(f"{sources[name]}stale = True\n", "utf-8")
    assert generate.main(["--check"]) == 1
    assert [line.partition(" ")[0] for line in capsys.readouterr().out.splitlines()] == [name]


def test_changed_files_are_the_status_of_the_command(checkout):
    for name in GENERATED:
        with (generated(checkout) / name).open("a", encoding="utf-8") as file:
            file.write("stale = True\n")
    status, output = run(checkout, "--code", "--check")
    assert status != 0
    assert [name for name in GENERATED if name not in output] == []


@pytest.mark.parametrize("content", [None, "", "broken ("])
def test_missing_and_broken_files_are_written_again(checkout, content):
    """All of them at once: none may be imported on the way."""
    for name in GENERATED:
        path = generated(checkout) / name
        path.unlink() if content is None else path.write_text(content, "utf-8")
    assert run(checkout, "--code")[0] == 0
    assert run(checkout, "--code", "--check") == (0, "")
    assert subprocess.run(IMPORTED, cwd=checkout / "src", capture_output=True, text=True).stdout == "2.0\n"


@pytest.mark.parametrize("file", ["declarations/signs.py", "dispatch/templates.py", "arrays/cpu.py", "core/dtype.py"])
def test_a_change_of_what_they_follow_from_makes_them_stale(checkout, file):
    package = checkout / "src" / "rushlight"
    assert generated_files.is_fresh(package)
    with (package / file).open("a", encoding="utf-8") as source:
        source.write("\n# another comment\n")
    assert not generated_files.is_fresh(package)
    assert run(checkout, "--code")[0] == 0
    assert generated_files.is_fresh(package)


def test_a_file_of_a_family_that_is_no_more_is_removed(checkout):
    left = generated(checkout) / "raw_of_yesterday.py"
    left.write_text("", "utf-8")
    generated(checkout).joinpath("raw.py").unlink()
    assert run(checkout, "--code")[0] == 0
    assert not left.exists()


def test_the_package_without_them_gives_one_clear_error(checkout):
    for name in GENERATED:
        (generated(checkout) / name).unlink()
    done = subprocess.run(IMPORTED, cwd=checkout / "src", capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        "ImportError: rushlight's generated code is missing: write it with `python scripts/generate` in the checkout, "
        "or install the package with `python -m pip install -e .`"
    )


def test_several_processes_write_them_at_once_and_others_read(checkout):
    """Every writer succeeds, and every program that starts at the same time finds whole files."""
    generated(checkout).joinpath("digest.txt").unlink()
    with ThreadPoolExecutor() as pool:
        writers = [pool.submit(run, checkout, "--code") for _ in range(3)]
        readers = [
            pool.submit(subprocess.run, IMPORTED, cwd=checkout / "src", capture_output=True, text=True)
            for _ in range(3)
        ]
    assert [writer.result()[0] for writer in writers] == [0, 0, 0]
    assert [reader.result().stdout for reader in readers] == ["2.0\n"] * 3
    assert run(checkout, "--code", "--check") == (0, "")


def test_a_writer_that_is_killed_leaves_nothing_that_passes_for_fresh(checkout):
    folder = generated(checkout)
    for name in GENERATED:
        (folder / name).unlink()
    writer = subprocess.Popen([sys.executable, "scripts/generate", "--code"], cwd=checkout)
    deadline = time.monotonic() + 60
    while not any(path.name in GENERATED for path in folder.glob("*.py")) and time.monotonic() < deadline:
        time.sleep(0.001)
    writer.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    writer.wait()
    assert run(checkout, "--code")[0] == 0
    assert run(checkout, "--code", "--check") == (0, "")
    assert generated_files.is_fresh(checkout / "src" / "rushlight")


@pytest.mark.alone
def test_to_see_that_they_are_fresh_takes_little_time(checkout):
    start = time.perf_counter()
    assert run(checkout, "--code") == (0, "")
    assert time.perf_counter() - start < 2
