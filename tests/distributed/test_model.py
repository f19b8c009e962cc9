"""`benchmarks/distributed_model.py`: the time of an all_reduce by two numbers, on this machine and on paper."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import environment

FILE = Path(__file__).parents[2] / "benchmarks" / "distributed_model.py"
MODEL = runpy.run_path(str(FILE))


def test_two_ranks_send_a_half_and_then_the_other():
    assert MODEL["predicted"](2, 1_000_000, 1e-6, 1e9) == pytest.approx(2e-6 + 1e-3)
    assert MODEL["predicted"](2, 1000, 1e-6, 1e9) == pytest.approx(1e-6 + 1e-6)  # short: the whole, once
    assert MODEL["ring"](2, 1_000_000, 1e-6, 1e9) == MODEL["predicted"](2, 1_000_000, 1e-6, 1e9)


def test_many_ranks_take_log_many_messages_and_nearly_twice_the_bytes():
    assert MODEL["predicted"](1024, 1_000_000, 1e-6, 1e9) == pytest.approx(20e-6 + 2e-3 * 1023 / 1024)
    assert MODEL["ring"](1024, 1_000_000, 1e-6, 1e9) == pytest.approx(2046e-6 + 2e-3 * 1023 / 1024)


def test_what_the_model_says_of_two_ranks_is_what_they_took():
    a, b = 5e-6, 2e9
    times = {size: MODEL["predicted"](2, size, a, b) for size in MODEL["SIZES"]}
    times[4] = a  # 4 bytes take no time
    assert MODEL["fitted"](times) == pytest.approx((a, b))


@pytest.mark.nightly
def test_ranks_are_measured(mpi_is_there):
    done = subprocess.run([sys.executable, FILE, "--ranks=2"], capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^ +2 +([\d,]+) +([\d.]+) ms +([\d.]+) ms +([\d.]+)$", done.stdout, re.M)
    assert [row[0] for row in rows] == ["4", "1,024", "65,536", "1,048,576", "16,777,216"], done.stdout
    assert rows[0][3] == rows[-1][3] == "1.00"
    assert "10 Gb/s Ethernet, TCP      2 ranks   23.9   23.9" in done.stdout
