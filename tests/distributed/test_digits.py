"""`examples/digits_distributed.py`: two processes have the losses of one, and a run that was cut off goes on."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from rushlight.distributed import mpi

pytest.importorskip("sklearn")
pytest.importorskip("tqdm")
if not mpi.installed():
    pytest.skip("mpi4py or an MPI is not installed: the extra `distributed`", allow_module_level=True)

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "digits_distributed.py"
ALONE = ["-m", "rushlight"]
TWO = ["-m", "rushlight", "torchrun", "--nproc-per-node", "2"]


@pytest.fixture
def losses(tmp_path, monkeypatch):
    """Runs the program; returns the losses of its steps and the printed accuracy."""
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")

    def run(start, *options):
        file = tmp_path / "losses"
        command = [sys.executable, *start, PROGRAM, "--losses", file, *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
        assert done.returncode == 0, done.stderr
        accuracy = re.search(r"test accuracy: ([\d.]+) %", done.stdout)[1]
        return [float(line) for line in file.read_text().split()], float(accuracy)

    return run


def test_two_processes_have_the_losses_of_one(losses):
    (one, accuracy), (two, other) = losses(ALONE, "--quick"), losses(TWO, "--quick")
    assert len(one) == len(two) == 110
    assert two == pytest.approx(one, rel=0, abs=1e-5)
    assert (accuracy, other) == (pytest.approx(91, abs=3), pytest.approx(accuracy, abs=1))


def test_it_follows_the_losses_of_pytorch(losses, pytorch):
    assert losses(ALONE, "--quick")[0] == pytest.approx(losses([], "--quick")[0], rel=0, abs=1e-4)


def test_a_run_that_was_cut_off_goes_on(losses, tmp_path):
    whole, _ = losses(ALONE)
    first, _ = losses(TWO, "--quick", "--checkpoint", tmp_path / "state.pt")
    rest, accuracy = losses(TWO, "--checkpoint", tmp_path / "state.pt")
    assert first + rest == pytest.approx(whole, rel=0, abs=1e-3)
    assert accuracy > 94
