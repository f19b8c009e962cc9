"""`examples/character_gpt_distributed.py`: two processes have the losses of one and of PyTorch, and a run goes on."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import environment

pytest.importorskip("tqdm")
ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "character_gpt_distributed.py"
ALONE = ["-m", "rushlight"]
TWO = ["-m", "rushlight", "torchrun", "--nproc-per-node", "2"]
STEPS = ("--steps", "8")


@pytest.fixture
def losses(tmp_path, mpi_is_there):
    """Runs the program; returns the losses of its steps and the bits per character."""

    def run(start, *options):
        file = tmp_path / "losses"
        command = [sys.executable, *start, PROGRAM, *STEPS, "--losses", file, *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env=environment())
        assert done.returncode == 0, done.stderr
        bits = float(re.search(r"unseen text: ([\d.]+)", done.stdout)[1])
        return [float(line) for line in file.read_text().split()], bits

    return run


def test_two_processes_have_the_losses_of_one_and_go_on(losses, tmp_path):
    one, bits = losses(ALONE)
    two, other = losses(TWO)
    assert len(one) == 8 and one[-1] < one[0] - 0.3
    assert two == pytest.approx(one, abs=2e-5) and other == pytest.approx(bits, abs=0.011)
    first, _ = losses(TWO, "--out", tmp_path / "state", "--stop", "5")
    rest, last = losses(TWO, "--out", tmp_path / "state", "--resume")
    assert first + rest == pytest.approx(two, abs=2e-6) and last == other


@pytest.mark.nightly
def test_in_bfloat16(losses):
    half, _ = losses(TWO, "--bfloat16")
    whole, _ = losses(TWO)
    assert half != whole and half == pytest.approx(whole, abs=0.05)


@pytest.mark.nightly
def test_it_follows_the_losses_of_pytorch(losses, pytorch):
    assert losses(TWO)[0] == pytest.approx(
        losses(["-m", "torch.distributed.run", "--nproc-per-node", "2"])[0], abs=1e-4
    )
