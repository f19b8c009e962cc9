"""`examples/digits_distributed.py`: two processes have the losses of one, and a run that was cut off goes on."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from rushlight.distributed import mpi

from .conftest import environment

pytest.importorskip("sklearn")
pytest.importorskip("tqdm")
if not mpi.installed():
    pytest.skip("mpi4py or an MPI is not installed: the extra `distributed`", allow_module_level=True)

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "digits_distributed.py"
ALONE = ["-m", "rushlight"]
TWO = ["-m", "rushlight", "torchrun", "--nproc-per-node", "2"]


@pytest.fixture(scope="module")
def losses(tmp_path_factory):
    """Runs the program; returns the losses of its steps and the printed accuracy."""
    file = tmp_path_factory.mktemp("digits") / "losses"

    def run(start, *options):
        command = [sys.executable, *start, PROGRAM, "--losses", file, *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env=environment())
        assert done.returncode == 0, done.stderr
        accuracy = re.search(r"test accuracy: ([\d.]+) %", done.stdout)[1]
        return [float(line) for line in file.read_text().split()], float(accuracy)

    return run


@pytest.fixture(scope="module")
def alone(losses):
    """The losses and the accuracy of one process."""
    return losses(ALONE, "--quick")


def test_two_processes_have_the_losses_of_one(losses, alone):
    (one, accuracy), (two, other) = alone, losses(TWO, "--quick")
    assert len(one) == len(two) == 110
    assert two == pytest.approx(one, rel=0, abs=1e-5)
    assert (accuracy, other) == (pytest.approx(91, abs=3), pytest.approx(accuracy, abs=1))


@pytest.mark.nightly
def test_it_follows_the_losses_of_pytorch(losses, alone, pytorch):
    assert alone[0] == pytest.approx(losses([], "--quick")[0], rel=0, abs=1e-4)


def test_a_run_that_was_cut_off_goes_on(losses, tmp_path):
    whole, _ = losses(ALONE)
    first, _ = losses(TWO, "--quick", "--checkpoint", tmp_path / "state.pt")
    rest, accuracy = losses(TWO, "--checkpoint", tmp_path / "state.pt")
    assert first + rest == pytest.approx(whole, rel=0, abs=1e-3)
    assert accuracy > 94
