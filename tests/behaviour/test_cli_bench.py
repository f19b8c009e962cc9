"""`python -m rushlight bench`: every case computes what PyTorch computes, and what is said of the times is true."""

import dataclasses
import importlib
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from rushlight.benchmark import machine, measure, memory, report, run, startup, table, threads
from rushlight.benchmark.case import Case, Floor, Reading, Sides, Speed
from rushlight.benchmark.chart import across, chart
from rushlight.cli import bench

ROOT = Path(__file__).parents[2]
SOURCE = str(Path(importlib.util.find_spec("rushlight").submodule_search_locations[0]).parent)
SPEED = Speed(bytes_per_second=1e9, flops_per_second=1e9, seconds_per_call=1e-6)
ALL = [case for cases in (table.FAMILIES | table.BESIDE).values() for case in cases]
STEPS = [case for case in ALL if isinstance(case, Case)]
SVG = "{http://www.w3.org/2000/svg}"


def command(*arguments, **environment):
    """The exit status of `python -m rushlight bench`, and what it writes."""
    finished = subprocess.run(
        [sys.executable, "-m", "rushlight", "bench", *arguments],
        env={**os.environ, "PYTHONPATH": SOURCE, **environment},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    return finished.returncode, finished.stdout, finished.stderr


def both():
    return [importlib.import_module("rushlight"), pytest.importorskip("torch")]


# ---- the cases


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")  # of PyTorch's forward mode
@pytest.mark.parametrize("case", STEPS, ids=lambda case: case.name)
def test_a_case_computes_what_pytorch_computes(case):
    row = measure.try_once(case, both(), SPEED)
    assert row.ours > 0 and row.theirs > 0
    assert row.ratio is None  # a single run is no measurement


def test_cases_have_names_of_their_own_and_say_what_they_are():
    assert len({case.name for case in ALL}) == len(ALL)
    assert all(re.fullmatch(r"\w{1,19}", case.name) and case.words for case in ALL)


def test_cases_are_chosen_by_name_or_family():
    assert list(table.chosen("^training")) == ["training"]
    assert [case.name for case in table.chosen("matmul_1024$")["products"]] == ["matmul_1024"]
    assert table.chosen("no such case") == {}
    assert "import" not in [case.name for case in table.chosen("import", quick=True).get("startup", [])]
    assert "single calls" in table.chosen("single calls") and "single calls" not in table.chosen("")


# ---- the check


def steps(ours, theirs):
    """A case whose steps give these."""
    results = {"rushlight": ours, "torch": theirs}
    return Case("made_up", lambda torch: lambda: results[torch.__name__], "Made up")


@pytest.mark.parametrize(
    ("ours", "theirs", "reason"),
    [
        (np.ones(3), np.array([1, 1, 1.01]), "differ by 0.01"),
        (np.ones(3), np.ones((3, 1)), "shape"),
        (np.array([np.nan]), np.ones(1), "differ by nan"),
        (np.array([1000000]), np.array([1000001]), "differ by 1"),
        ([np.ones(1), 2.0], [np.ones(1), 3.0], "differ by 1"),
    ],
)
def test_no_time_is_given_for_different_results(ours, theirs, reason):
    for way in (lambda case: measure.try_once(case, both(), SPEED), lambda case: measure.checked_steps(case, both())):
        with pytest.raises(measure.Different, match=reason):
            way(steps(ours, theirs))


def test_what_is_equal_but_for_rounding_is_the_same():
    assert len(measure.checked_steps(steps([np.ones(3), 1], [np.ones(3) + 1e-6, 1]), both())) == 2


def test_where_a_relu_may_flip_arrays_agree_as_a_whole():
    ours, theirs = np.ones(10_000), np.ones(10_000)
    ours[3] = 1.2
    with pytest.raises(measure.Different):
        measure.checked_steps(steps(ours, theirs), both())
    flips = dataclasses.replace(steps(ours, theirs), by_norm=True, tolerance=5e-3)
    assert len(measure.checked_steps(flips, both())) == 2
    with pytest.raises(measure.Different):
        measure.checked_steps(dataclasses.replace(flips, tolerance=1e-3), both())


def test_a_second_step_must_agree_as_well():
    def program(torch):
        results = iter([1.0, 2.0 if torch.__name__ == "torch" else 3.0])
        return lambda: next(results)

    with pytest.raises(measure.Different):
        measure.checked_steps(Case("drifts", program, "Drifts"), both())


# ---- the numbers


def test_the_sides_take_turns_and_take_turns_at_being_first(monkeypatch):
    monkeypatch.setattr(measure, "MIN_ROUNDS", 4)
    order = []
    measure.take_turns([[lambda: order.append("ours"), lambda: order.append("theirs")]], 0, 0)
    runs = [side for side, before in zip(order[1:], order, strict=False) if side != before]
    assert runs[-4:] == ["ours", "theirs", "ours", "theirs"] or runs[-4:] == ["theirs", "ours", "theirs", "ours"]
    assert len(measure.take_turns([[lambda: None]], 0, 0)) == 4


def test_rounds_take_several_placements_of_the_arrays_in_turn(monkeypatch):
    monkeypatch.setattr(measure, "MIN_ROUNDS", 7)
    steps = []

    def program(torch):
        number = len(steps)
        steps.append(0)

        def step():
            steps[number] += 1

        return step

    row = measure.measure(Case("counted", program, "Counted"), [importlib.import_module("rushlight")], SPEED, 0, 1)
    assert (row.rounds, len(steps)) == (7, 5)
    assert min(steps) > 2  # more than what the check runs of each
    assert steps[0] > steps[1] > steps[2]  # the first is timed beforehand, and the first two have a round more


def test_slow_cases_have_fewer_rounds_and_quick_ones_do_not_go_on_for_ever():
    assert [measure.enough(rounds, 0.5, 1.0) for rounds in (3, 100, 101)] == [False, False, True]
    assert [measure.enough(rounds, 1.5, 1.0) for rounds in (2, 8, 9)] == [False, False, True]
    assert [measure.enough(rounds, 4.5, 1.0) for rounds in (2, 3)] == [False, True]


def test_a_row_has_the_median_ratio_of_neighbouring_turns_and_its_quartiles():
    turns = [Sides(1.0, 2.0), Sides(10.0, 20.0), Sides(3.0, 4.0), Sides(1.0, 4.0), Sides(4.0, 4.0)]
    row = measure.row_of(Case("name", print, "words", bound=0.5), turns)
    assert (row.ours, row.theirs, row.ratio, row.rounds) == (3.0, 4.0, 0.5, 5)
    assert row.quartiles == pytest.approx((0.5, 0.75))
    assert not row.is_over
    assert measure.row_of(Case("name", print, "words", bound=0.49), turns).is_over


def test_one_side_alone_has_no_ratio():
    row = measure.row_of(Case("name", print, "words", bound=0.5), [Sides(1.0, None)])
    assert (row.theirs, row.ratio, row.quartiles, row.is_over) == (None, None, None, False)


def test_a_floor_is_the_longest_of_what_cannot_be_avoided():
    assert Floor(bytes=10**9).seconds(SPEED) == 1
    assert Floor(bytes=10**9, flops=3 * 10**9, calls=2 * 10**6).seconds(SPEED) == 3
    assert Floor(flops=10**9, calls=2 * 10**6).seconds(SPEED) == 2


def test_the_speed_of_a_machine_is_in_a_sane_range():
    speed = machine.speed(1)
    assert 1e8 < speed.bytes_per_second < 1e13
    assert 1e8 < speed.flops_per_second < 1e14
    assert 1e-8 < speed.seconds_per_call < 1e-4


def test_the_work_of_others_is_what_this_process_did_not_do():
    before, after = machine.Load(0.5, 100.0, 7.0, 50.0), machine.Load(0.6, 130.0, 17.0, 60.0)
    assert machine.cores_of_others(before, after) == 2
    assert machine.cores_of_others(before._replace(all_seconds=None), after) is None


# ---- sizes and imports


def distribution(folder, name, requires=(), files=()):
    """An installed distribution, as pip leaves it."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    required = "".join(f"Requires-Dist: {each}\n" for each in requires)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{required}")
    for path, size in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(b"x" * size)
    (info / "RECORD").write_text("".join(f"{path},,\n" for path, _ in files))


def test_a_size_is_that_of_the_recorded_files_without_byte_code(tmp_path, monkeypatch):
    files = [("lamp/oil.py", 100), ("lamp/__pycache__/oil.pyc", 40), ("bin/lamp", 3)]
    distribution(tmp_path, "lamp", files=files)
    monkeypatch.syspath_prepend(tmp_path)
    assert startup.size_of_distribution("lamp") == 103
    assert startup.size_of_distribution("no-lamp") == 0
    assert startup.size_of_folder(tmp_path / "lamp") == 100


def test_requirements_are_followed_and_extras_are_not(tmp_path, monkeypatch):
    distribution(tmp_path, "lamp", ["wick>=1", "Brass_Foot; python_version > '3'", "gold; extra == 'rich'"])
    distribution(tmp_path, "wick", ["lamp", "not-installed"])
    distribution(tmp_path, "brass-foot")
    monkeypatch.syspath_prepend(tmp_path)
    assert set(startup.required_by("lamp")) == {"lamp", "wick", "brass-foot", "not-installed"}


def test_what_is_weighed_is_what_pip_installs_with_jit():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    requirements = project["dependencies"] + project["optional-dependencies"]["jit"]
    assert {re.split("[<>=]", each)[0] for each in requirements} == set(startup.REQUIRED)


# ---- what is said


@pytest.fixture(scope="module")
def runs():
    """A run that never was: one case within its bound, one over it, one without bound."""
    rows = [
        (Case("within", print, "Is quick", 1.0), [Sides(1e-3, 2e-3)] * 3),
        (Case("over", print, "Is slow", 1.0), [Sides(3e-6, 2e-6)] * 3),
        (Case("free", print, "Is <free> & easy"), [Sides(2.0, 2.0)] * 3),
        (Reading("bytes", print, "Is large", 0.5, unit="B", other="numpy"), [Sides(5e6, 2e7)] * 3),
    ]
    results = [measure.row_of(case, turns, 1e-6).as_dict() for case, turns in rows]
    return [
        {
            "machine": machine.facts(1) | {"torch": "2.13.0"},
            "speed": SPEED._asdict(),
            "families": {"made up": results},
            "load": {"before": 0.1, "after": 0.2, "cores_of_others": 0.3},
            "profile": {"within": [{"function": "a.py:1 b", "calls": 2.0, "share": 0.5}]},
        }
    ]


def rows_of(runs):
    return [
        measure.Row(**{key: value for key, value in row.items() if key != "is_over"})
        for _, row in report.rows_of(*runs)
    ]


def test_lines_of_the_table(runs):
    assert [report.line(row) for row in rows_of(runs)] == [
        "within                 1.00 ms   2.00 ms   1.00 us   0.50  0.50-0.50    1.00",
        "over                   3.00 us   2.00 us   1.00 us   1.50  1.50-1.50    1.00 !",
        "free                    2.00 s    2.00 s   1.00 us   1.00  1.00-1.00       -",
        "bytes *                   5 MB     20 MB   1.00 us   0.25  0.25-0.25    0.50",
    ]
    assert report.verdict(*runs) == "2 of 3 cases are within their bound; over it: over"


def test_a_busy_machine_is_said(runs):
    assert report.load_line(*runs) == "load 0.10 before, 0.20 after; other programs kept 0.3 cores busy"
    busy = {"load": {"before": 0.1, "after": 0.2, "cores_of_others": 3.0}}
    assert report.load_line(busy).endswith("kept 3.0 cores busy: measure again when they are done")


@pytest.mark.parametrize(
    ("processor", "name"),
    [
        ("AMD EPYC", "amd_epyc"),
        ("Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz", "intel_xeon_gold_6130_cpu"),
        ("Intel(R) Xeon(R) Processor @ 2.1GHz, family 6 model 143", "intel_xeon_processor_family_6_model_143"),
        ("12th Gen Intel(R) Core(TM) i7-1260P", "12th_gen_intel_core_i7_1260p"),
    ],
)
def test_a_processor_has_a_page_of_its_own(processor, name):
    assert report.page_name(processor) == name


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("cpu family\t: 26\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\nmodel\t\t: 9\n", "AMD EPYC, family 26 model 17"),
        ("cpu family\t: 6\nmodel\t: 85\nmodel name\t: Xeon @ 2.7GHz\n", "Xeon @ 2.7GHz, family 6 model 85"),
        ("cpu family\t: 25\nmodel\t: 97\nmodel name\t: AMD Ryzen 9 7950X\n", "AMD Ryzen 9 7950X"),
        ("model name\t: of one's own\n", "of one's own"),
    ],
)
def test_virtual_processors_are_distinguished(told, name):
    """Two machines of which each says "AMD EPYC" would overwrite each other's page."""
    assert machine.named_processor(told) == name


def test_the_page_has_machine_date_and_every_case(runs):
    page = report.page(runs, "picture.svg")
    assert "(picture.svg)" in page
    assert f"## {runs[0]['machine']['date']}, 1 thread" in page
    assert page.startswith(f"# {runs[0]['machine']['processor']}\n")
    assert "| Is slow | 3.00 us | 2.00 us | 1.00 us | **1.50** | 1.50-1.50 | 1.00 |" in page
    assert "| Is large (the other side is numpy) |" in page
    assert "| `a.py:1 b` | 2 | 50 % |" in page


def test_the_picture_shows_every_ratio_as_a_bar(runs):
    picture = ElementTree.fromstring(chart(runs * 2))
    bars = [bar for bar in picture.iter(f"{SVG}rect") if bar.get("class") != "paper"]
    assert [bar.get("class") for bar in bars] == ["within", "over", "free", "within"] * 2
    lengths = [float(bar.get("width")) for bar in bars[:4]]
    assert lengths == pytest.approx(
        [across(1) - across(0.5), across(1.5) - across(1), 0, across(1) - across(0.25)], abs=0.1
    )
    words = [text.text for text in picture.iter(f"{SVG}text")]
    assert {"within", "over", "free", "bytes", "0.50", "1.50"} <= set(words)
    tops = [float(bar.get("y")) for bar in bars[:4]]
    assert all(second - first >= 20 for first, second in zip(tops, tops[1:], strict=False))
    height = float(picture.get("height"))
    assert len([text for text in picture.iter(f"{SVG}text") if not 0 < float(text.get("y")) < height]) == 0


# ---- the command


def test_the_command_with_two_numbers_of_threads_writes_all_that_is_asked_for(tmp_path):
    files = [str(tmp_path / name) for name in ("run.json", "run.svg", "page.md")]
    arguments = ["--only", "tracked_add|matmul_64", "--threads", "1,2", "--seconds", "0.05", "--profile"]
    arguments += ["--json", files[0], "--plot", files[1], "--page", files[2]]
    status, printed, error = command(*arguments)
    assert status == 0, error
    assert printed.count("tracked_add ") == printed.count("matmul_64 ") == 2
    assert all(len(line) <= 80 for line in printed.splitlines())
    result = json.loads(Path(files[0]).read_text("utf-8"))
    assert [each["machine"]["threads"] for each in result] == [1, 2]
    assert [each["machine"]["blas_threads"] for each in result] in ([1, 2], [None, None])
    assert list(result[0]["families"]) == ["small tensors", "products"]
    assert result[0]["profile"]["tracked_add"][0]["share"] > 0
    assert ElementTree.parse(files[1]).getroot().tag == f"{SVG}svg"
    assert (tmp_path / "page.svg").exists() and "page.svg" in Path(files[2]).read_text("utf-8")


def test_the_command_quickly(tmp_path):
    status, printed, error = command("--quick", "--only", "rnn_cell", "--threads", "1")
    assert status == 0, error
    assert "rnn_cell" in printed
    words = "every case agrees with PyTorch" if startup.has_torch() else "PyTorch is not installed"
    assert words in printed


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [(["--only", "no such case"], "no case has 'no such case' in its name"), (["--threads", "0"], "--threads")],
)
def test_a_command_that_cannot_be_followed(arguments, reason, capsys):
    with pytest.raises(SystemExit) as stopped:
        bench.main(arguments)
    assert stopped.value.code == 2
    assert reason in capsys.readouterr().err


@pytest.fixture
def in_this_process(monkeypatch):
    """Runs the command here, with these cases; the threads are what they are."""
    monkeypatch.setattr(bench, "threads_are_set", lambda threads: True)
    monkeypatch.setattr(run, "libraries", lambda threads: both())
    return lambda *cases: monkeypatch.setattr(bench, "chosen", lambda pattern, quick=False: {"made up": list(cases)})


@pytest.mark.parametrize(("bound", "status"), [(1e9, 0), (1e-9, 1)])
def test_check_fails_over_a_bound(in_this_process, bound, status, capsys):
    in_this_process(Case("made_up", lambda torch: lambda: 1.0, "Made up", bound))
    assert bench.main(["--check", "--seconds", "0"]) == status
    assert bench.main(["--seconds", "0"]) == 0
    assert ("over it: made_up" in capsys.readouterr().out) == bool(status)


def test_a_process_that_dies_leaves_what_was_written_before(monkeypatch, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("measured before")
    monkeypatch.setattr(bench, "child_command", lambda *arguments: [sys.executable, "-c", "import os; os.abort()"])
    assert bench.main(["--threads", "1,2", "--page", str(page)]) == 1
    assert page.read_text() == "measured before"


def test_different_results_fail_and_the_other_cases_are_still_run(in_this_process, capsys):
    in_this_process(steps(1.0, 2.0), Case("next", lambda torch: lambda: 1.0, "Next"))
    assert bench.main(["--quick"]) == 1
    printed = capsys.readouterr().out
    assert "DIFFERENT made_up: rushlight and torch differ by 1 in numbers up to 2" in printed
    assert "next " in printed and "1 cases differ from PyTorch" in printed


def test_without_pytorch_there_are_times_and_no_ratios(in_this_process, monkeypatch, capsys):
    in_this_process(Case("made_up", lambda torch: lambda: 1.0, "Made up", 1e-9, Floor(calls=1)))
    monkeypatch.setattr(run, "libraries", lambda threads: both()[:1])
    monkeypatch.setattr(machine, "PACKAGES", ("numpy",))
    assert bench.main(["--check", "--seconds", "0"]) == 0
    printed = capsys.readouterr().out
    assert "PyTorch is not installed: only rushlight's times" in printed
    assert re.search(r"made_up +[\d.]+ [mu]?s +- +[\d.]+ [mu]?s\n", printed)


def test_a_progress_bar_needs_tqdm_and_somebody_who_looks(monkeypatch):
    assert bench.progress_bar(3) is None  # pytest has taken standard error
    monkeypatch.setattr(sys, "stderr", type("Terminal", (), {"isatty": lambda self: True})())
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert bench.progress_bar(3) is None


# ---- memory


@pytest.mark.skipif(not memory.CASES, reason="only Linux says how much memory a process had at most")
def test_the_growth_of_a_process_counts_what_it_allocates():
    program = """
import numpy as np
from rushlight.benchmark import memory
from rushlight.benchmark.case import Case
kept = []
memory.TRAINED["greedy"] = Case("greedy", lambda torch: lambda: kept.append(np.ones(5 * 2**20, np.uint8)), "Keeps all")
memory.tell("rushlight", "greedy")
"""
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert float(done.stdout) == pytest.approx(memory.STEPS * 5 * 2**20, rel=0.1)


# ---- threads


@pytest.mark.parametrize("name", threads.MEASURED)
def test_what_threads_cost_is_reported_by_a_process_of_its_own(name):
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    command = [sys.executable, "-c", threads.CHILD, "rushlight", name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert 0 < float(done.stdout) < math.inf


def test_programs_that_keep_cores_busy_end_with_the_measurement(monkeypatch):
    started = []

    class Noted(subprocess.Popen):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            started.append(self)

    monkeypatch.setattr(threads.subprocess, "Popen", Noted)
    with pytest.raises(ZeroDivisionError), threads.busy(2):
        running = [each.poll() for each in started]
        raise ZeroDivisionError
    assert running == [None, None]
    assert all(each.poll() is not None for each in started)
