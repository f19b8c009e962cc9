"""The sweep of elementary functions, over few of all numbers: what it compares, and that it notices what is wrong."""

import importlib.machinery
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

SCRIPT = Path(__file__).parents[2] / "scripts" / "sweep"


@pytest.fixture(scope="module")
def sweep():
    loader = importlib.machinery.SourceFileLoader("sweep", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("sweep", loader))
    loader.exec_module(module)
    return module


def test_every_function_is_within_its_bound_on_a_coarse_sweep(sweep):
    for name, function in sweep.FUNCTIONS.items():
        drawn = function.operands > 1
        given = sweep.drawn(np.float32, function.operands, 1) if drawn else sweep.all_numbers(100_003)
        result = sweep.sweep(name, np.float32, given)
        assert result["count"] > 40_000
        assert function.bound is None or result["units"] <= function.bound, sweep.told(result)


def test_float64_is_compared_with_more_digits(sweep):
    for name in ("exp", "tanh", "log1p", "atan2"):
        result = sweep.sweep(name, np.float64, sweep.drawn(np.float64, sweep.FUNCTIONS[name].operands, 1))
        assert 0.5 <= result["units"] <= 2, sweep.told(result)


def test_all_numbers_are_all(sweep):
    """Each of them once: 2^32 divided by the stride, rounded up, from 0 to the last NaN."""
    stride = 1_000_003
    bits = np.concatenate([each.view(np.uint32) for (each,) in sweep.all_numbers(stride)])
    np.testing.assert_array_equal(bits, np.arange(0, 1 << 32, stride, dtype=np.uint64).astype(np.uint32))
    first = next(sweep.all_numbers(1))[0].view(np.uint32)
    np.testing.assert_array_equal(first, np.arange(sweep.CHUNK, dtype=np.uint32))


@pytest.mark.parametrize(
    ("found", "expected", "off"),
    [
        (1.0, 1.0, 0.5),
        (np.float32(1) + np.float32(2**-22), 1.0, 2.0),
        (np.nan, np.nan, 0.5),
        (np.nan, 1.0, np.inf),
        (1.0, np.nan, np.inf),
        (0.0, -0.0, np.inf),
        (np.inf, -np.inf, np.inf),
        (np.inf, 1e39, 0.5),
        (1e-45, 0.0, 1.0),
        (0.0, 3e-45, 3e-45 / 2.0**-149),
    ],
)
def test_units(sweep, found, expected, off):
    with np.errstate(all="ignore"):
        most, where = sweep.units(np.array([7, found], np.float32), np.array([7, expected], np.float64))
    assert most == pytest.approx(off)
    assert where == (0 if most == 0.5 else 1)


def test_a_record_is_gone_on_with(tmp_path):
    record = tmp_path / "found.jsonl"
    command = [sys.executable, str(SCRIPT), "--stride", "1000003", "--record", str(record)]
    first = subprocess.run([*command, "floor"], capture_output=True, text=True, check=True).stdout
    second = subprocess.run([*command, "floor", "ceil"], capture_output=True, text=True, check=True).stdout
    assert first.split()[0] == "floor"
    assert second.split()[0] == "ceil"
    assert [json.loads(line)["name"] for line in record.read_text().splitlines()] == ["floor", "ceil"]
