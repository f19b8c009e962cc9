"""`python -m rushlight doctor` says what is on a machine, and finds what does not work."""

import contextlib
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from rushlight.benchmark import machine
from rushlight.cli import doctor, selftest

ROOT = Path(__file__).parents[2]
SOURCE = str(Path(importlib.util.find_spec("rushlight").submodule_search_locations[0]).parent)
BY_NAME = {check.__name__: check for check in selftest.CHECKS}


def command(*arguments, **environment):
    finished = subprocess.run(
        [sys.executable, "-m", "rushlight", "doctor", *arguments],
        env={**os.environ, "PYTHONPATH": SOURCE, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return finished.returncode, finished.stdout, finished.stderr


def test_the_command_finds_all_well_and_says_what_there_is():
    status, printed, error = command(OMP_NUM_THREADS="1")
    assert (status, error) == (0, "")
    for words in ("Packages", "Extras", "Machine", "Devices", "Environment", "Self-test", machine.processor()):
        assert words in printed
    assert re.search(r"OMP_NUM_THREADS +1\n", printed)
    assert printed.count("  ok      ") == len(selftest.CHECKS)
    assert "all is well" in printed.splitlines()[-1]


def test_it_is_80_columns_wide(capsys):
    assert doctor.main(["--no-test"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]  # after the folder, which may be anywhere
    assert not [line for line in lines if len(line) > 80 and " " in line[doctor.LABEL + 2 :]]
    assert not any(line.startswith("Self-test") for line in lines)


@pytest.mark.parametrize("name", BY_NAME)
def test_a_check_holds(torch, name):
    finding = BY_NAME[name](torch)
    assert 0 < len(finding) <= 40


class Broken:
    """The library with one name that gives something wrong."""

    def __init__(self, torch, name, wrong):
        self.torch, self.name, self.wrong = torch, name, wrong

    def __getattr__(self, name):
        return self.wrong(self.torch) if name == self.name else getattr(self.torch, name)


BREAKS = {
    "small_tensors": ("ones", lambda torch: torch.zeros),
    "matrix_products": ("tensor", lambda torch: lambda data: Products(torch.tensor(data))),
    "memory": ("ones", lambda torch: torch.zeros),
    "large_arrays": ("sin", lambda torch: torch.cos),
    "gradients": ("autograd", lambda torch: type("Autograd", (), {"gradcheck": lambda *arguments: False})),
    "random_stream": ("manual_seed", lambda torch: lambda seed: torch.manual_seed(seed + 1)),
    "training": ("manual_seed", lambda torch: lambda seed: torch.set_grad_enabled(False)),
    "save_and_load": ("load", lambda torch: lambda *arguments, **options: {}),
    "worker_processes": ("arange", lambda torch: torch.ones),
}


class Products:
    """A matrix whose products are wrong."""

    def __init__(self, tensor):
        self.tensor = tensor

    def numpy(self):
        return self.tensor.numpy()

    def __matmul__(self, other):
        return self.tensor + 1


@pytest.mark.parametrize("name", BY_NAME)
def test_a_check_notices_what_is_wrong(torch, name):
    broken = Broken(torch, *BREAKS[name])
    with contextlib.ExitStack() as stack:
        stack.callback(torch.set_grad_enabled, True)
        with pytest.raises((AssertionError, RuntimeError)):
            BY_NAME[name](broken)


def test_a_failed_check_is_shown_with_its_notes_and_in_the_exit_status(monkeypatch, capsys):
    def broken_lamp(torch):
        error = ValueError("no light")
        error.add_note("fill in oil")
        raise error

    def good_lamp(torch):
        return "burns"

    monkeypatch.setattr(doctor, "CHECKS", [broken_lamp, good_lamp])
    assert doctor.main([]) == 1
    printed = capsys.readouterr().out
    assert re.search(r"FAILED  broken lamp +ValueError +\d\.\d\d\n          no light\n          fill in oil\n", printed)
    assert re.search(r"ok      good lamp +burns +\d\.\d\d\n", printed)
    assert "1 of 2 checks failed" in printed


def test_the_extras_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {name: needed for name, needed in project["optional-dependencies"].items() if name in doctor.EXTRAS}
    of_tests = {"examples", "test", "test-cuda", "check", "docs"}
    assert set(project["optional-dependencies"]) - set(extras) == of_tests
    for name, needed in extras.items():
        assert [re.split("[<>=]", each)[0] for each in needed] == list(doctor.EXTRAS[name][0])


def test_a_missing_extra_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(machine, "version_of", lambda name: "1.2" if name == "llvmlite" else None)
    results = dict(doctor.extras())
    assert results["jit"] == "llvmlite 1.2: machine code for large arrays"
    assert results["safetensors"] == 'for files of weights: pip install "rushlight[safetensors]"'


@pytest.mark.parametrize(
    ("jit", "llvmlite", "words"),
    [
        ("0", "0.44", "switched off"),
        ("1", None, 'pip install "rushlight[jit]"'),
        ("1", "0.44", "from the first array of"),
    ],
)
def test_whether_there_are_kernels(jit, llvmlite, words, monkeypatch, tmp_path):
    if llvmlite:
        pytest.importorskip("llvmlite")
    monkeypatch.setenv("RUSHLIGHT_JIT", jit)
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(machine, "version_of", lambda name: llvmlite)
    results = dict(doctor.kernels())
    assert words in results["machine code"]
    assert results["cache"] == f"{tmp_path / 'kept'}: 0 files, 0.0 MB, writable"
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "kernel").write_bytes(b"x" * 200_000)
    assert "1 files, 0.2 MB" in dict(doctor.kernels())["cache"]


def test_a_user_without_a_home_has_no_cache(monkeypatch):
    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(doctor.Path, "home", home)
    for name in ("RUSHLIGHT_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    assert dict(doctor.kernels())["cache"].startswith("nowhere")


def test_more_threads_than_cores_are_advised_against():
    assert doctor.too_many(4, 4) == doctor.too_many(None, 4) == ""
    assert "set OMP_NUM_THREADS=4" in doctor.too_many(64, 4)


def test_the_simulated_device_is_named(torch):
    if torch.__name__ == "torch":
        pytest.skip("PyTorch has no simulated device")
    assert "RUSHLIGHT_SIMULATE_CUDA=1" in dict(doctor.devices(torch))["cuda"]
    with torch.cuda.simulate():
        assert dict(doctor.devices(torch))["cuda"] == torch.cuda.get_device_name()
