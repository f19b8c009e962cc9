"""The program for a GPU itself, on the simulated device, so that it works when there is one."""

import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight

from .on_gpu import against_torch, speed

SCRIPT = Path(__file__).with_name("run_on_gpu")


def run(*arguments, folder):
    file = folder / "gpu.json"
    command = [sys.executable, str(SCRIPT), "--out", str(file), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return done, json.loads(file.read_text()) if file.exists() else None


@pytest.mark.timeout(600)
def test_the_stages_that_need_no_gpu_pass_on_the_simulated_device(tmp_path):
    done, report = run("--fake", "--quick", "--minutes", "40", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert report["device"] == "simulated on the CPU"
    assert [stage["name"] for stage in report["stages"]] == ["smoke", "fake = real", "async", "memory"]
    for stage in report["stages"]:
        assert stage["status"] == "passed" and not stage["failures"] and stage["passed"] == stage["counted"] > 0, stage
    counted = [stage["counted"] for stage in report["stages"]]
    assert counted[0] == 25 and counted[1] > 700 and counted[2] == 54 and counted[3] == 3
    assert report["summary"]["all"] == {"pass": sum(counted), "counted": sum(counted)}
    assert len(done.stdout.splitlines()) <= 40


@pytest.mark.timeout(600)
def test_a_thousand_programs_on_several_streams_do_what_they_do_on_one(tmp_path):
    done, report = run("--fake", "--minutes", "40", "--stages", "6", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert report["summary"]["all"] == {"pass": 1004, "counted": 1004}


@pytest.mark.timeout(300)
def test_what_measures_a_gpu_is_skipped_without_one(tmp_path):
    done, report = run("--fake", "--quick", "--minutes", "40", "--stages", "4", "8", "9", "10", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [stage["status"] for stage in report["stages"]] == ["skipped"] * 4
    assert report["timings"] == [] and report["summary"]["all"] == {"pass": 0, "counted": 0}


@pytest.mark.timeout(300)
def test_kernels_are_compared_on_the_host_where_that_is_asked_for(tmp_path):
    done, report = run("--fake", "--quick", "--minutes", "40", "--stages", "5", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert report["stages"][0]["counted"] > 50


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is installed: there may be a GPU")
def test_without_a_gpu_the_first_stage_fails_and_no_other_runs(tmp_path):
    done, report = run("--minutes", "5", folder=tmp_path)
    assert done.returncode == 1
    (stage,) = report["stages"]
    assert stage["name"] == "look" and stage["status"] == "failed" and "cupy" in stage["failures"][0]
    assert report["versions"]["numpy"] and report["device"] is None


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    from on_gpu.report import Stage

    return lambda seconds=5: Stage("a stage", seconds, tmp_path / "stage.json")


def test_a_stage_that_checks_nothing_has_failed(stage):
    one = stage()
    one.end()
    assert one.data()["status"] == "failed" and one.failures == ["nothing was checked"]


def test_a_stage_tells_failures_and_what_it_left_out(stage):
    one = stage(0.2)
    with one.checking("bad"):
        raise KeyError("x")
    with one.checking("good"):
        pass
    seen = []
    for item in one.each(range(10)):
        seen.append(item)
        time.sleep(0.15)
    one.end()
    assert one.failures == ["bad: KeyError: 'x'"] and (one.passed, one.counted) == (1, 2)
    assert one.notes["left out"] == 10 - len(seen) > 0
    assert json.loads(one.file.read_text())["status"] == "failed"


def test_what_a_killed_stage_had_is_there(stage):
    one = stage()
    one.saved -= 5
    one.check("first", True)
    assert json.loads(one.file.read_text())["status"] == "cut off"


@pytest.fixture
def device():
    with rushlight.cuda.simulate():
        yield


@pytest.mark.parametrize("name", against_torch.DRAWS)
def test_draws_that_are_compared_with_those_of_torch(device, name):
    against_torch.same_draws(rushlight, against_torch.DRAWS[name])  # with itself: the program runs


def test_other_draws_are_found(device):
    added = iter(range(9))
    with pytest.raises(AssertionError, match="5 of 5 numbers differ"):
        against_torch.same_draws(rushlight, lambda t: t.rand(5, device="cuda") + next(added))
    steps = iter((0, 0, 4, 4))
    with pytest.raises(AssertionError, match="the state is"):
        against_torch.same_draws(rushlight, lambda t: t.rand(4 * next(steps), device="cuda")[:0])


MEASURED = {
    "cross entropy": speed.cross_entropy(8, 64), "convolution": speed.convolution(4, 5, 2, "float32"),
    "batch norm": speed.batch_norm(3, 4, 2), "attention": speed.attention(5, batch=1, heads=2, size=4),
    "small CNN": speed.small_convolutions, "chain, captured": speed.captured(speed.chain),
    "perceptron, captured": speed.captured(speed.perceptron), "CNN, captured": speed.captured(speed.small_convolutions),
}  # fmt: skip


@pytest.mark.parametrize("name", MEASURED)
def test_what_is_measured_runs(device, name):
    """In a small size: the sizes that are measured are those of a GPU."""
    step = MEASURED[name](rushlight)
    step()
    step()
