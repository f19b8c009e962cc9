"""The programs in `examples/` learn what they promise, and follow PyTorch's losses step by step from the same seed.

They run under `--watch`, which finds no mistake in them and leaves their losses as they are.

`test_cli_digits.py` looks at the first of them, `digits.py`, and `tests/distributed` at those with
several processes.
"""

import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn")
pytest.importorskip("tqdm")

EXAMPLES = Path(__file__).parents[2] / "examples"
SOURCE = str(Path(importlib.util.find_spec("rushlight").submodule_search_locations[0]).parent)
COMMANDS = {"rushlight": ["-m", "rushlight", "--watch"], "torch": []}
PROGRAMS = {
    "catch_dqn": r"balls caught: ([\d.]+) %",
    "character_gpt": r"bits per character of unseen text: ([\d.]+)",
    "digits_cnn": r"test accuracy: ([\d.]+) %",
    "digits_gan": r"distance to the nearest real image: ([\d.]+)",
    "digits_vae": r"nats per unseen image: ([\d.]+)",
    "forecast_lstm": r"forecast error: ([\d.]+)",
    "oscillator_pinn": r"stiffness: ([\d.]+)",
    "transfer_digits": r"test accuracy: ([\d.]+) %",
}
# What the printed result must lie between: far better than the untrained model or the plain guess beside it.
GOOD = {
    "catch_dqn": (95, 100),
    "character_gpt": (0, 3.6),
    "digits_cnn": (93, 100),
    "digits_gan": (0, 4.5),
    "digits_vae": (0, 25.5),
    "forecast_lstm": (0, 0.2),
    "oscillator_pinn": (8.5, 9.5),
    "transfer_digits": (92, 100),
}
STEPS = 50
TOLERANCE = 1e-4


def run(library, program, folder):
    """What the program prints in its quick form, and the losses of all its steps."""
    losses = folder / library
    command = [sys.executable, *COMMANDS[library], EXAMPLES / f"{program}.py", "--quick", "--losses", losses]
    environment = {**os.environ, "PYTHONPATH": SOURCE, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    finished = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env=environment)
    assert finished.returncode == 0, finished.stderr
    assert "training: 100%" in finished.stderr
    assert library != "rushlight" or finished.stderr.endswith("rushlight.watch: nothing found.\n")
    return finished.stdout, [float(line) for line in losses.read_text().split()]


def check_quality(program, printed):
    low, high = GOOD[program]
    assert low <= float(re.search(PROGRAMS[program], printed)[1]) <= high, printed


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_learns_and_follows_the_losses_of_pytorch(program, tmp_path):
    printed, losses = run("rushlight", program, tmp_path)
    check_quality(program, printed)
    assert len(losses) >= STEPS
    if importlib.util.find_spec("torch") is None:
        return
    printed_by_torch, losses_of_torch = run("torch", program, tmp_path)
    check_quality(program, printed_by_torch)
    assert len(losses) == len(losses_of_torch)
    assert losses[:STEPS] == pytest.approx(losses_of_torch[:STEPS], rel=0, abs=TOLERANCE)


def test_every_program_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {
        *PROGRAMS,
        "digits",
        "digits_distributed",
        "character_gpt_distributed",
    }


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_is_a_plain_pytorch_program(program):
    tree = ast.parse((EXAMPLES / f"{program}.py").read_text("utf-8"))
    imports = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert "import torch" in imports
    assert not any("rushlight" in line for line in imports)
