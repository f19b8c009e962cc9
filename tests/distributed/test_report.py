"""`python -m rushlight torchrun --report`: how ranks spend their time, as a table and as a picture."""

import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from rushlight.profiler.rank import ObservedRank
from rushlight.profiler.ranks import later, picture_of, report, timed

from .conftest import environment, free_port, started, waited_for

TRAINING = """
import sys, time, torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group()
model = DistributedDataParallel(torch.nn.Linear(8, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    time.sleep(0.05 * dist.get_rank())
    optimizer.zero_grad()
    model(torch.ones(2, 8)).sum().backward()
    optimizer.step()
"""
ROW = re.compile(r" *(\S+) +(\d+) +([\d.]+) ms +([\d.]+) ms +([\d.]+) ms +([\d.]+) ms *(?:rank (\d+))?")


def reported(folder, *options, program=TRAINING):
    """Runs a program in two ranks with a report; returns what was done."""
    (folder / "train.py").write_text(program)
    command = [sys.executable, "-m", "rushlight", "torchrun", "--report", *options, "train.py"]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment(), timeout=60)


def rows_of(text):
    """The rows of the table, as (step, rank, total, compute, communication, waiting, for whom)."""
    return [
        (step, int(rank), *map(float, times), other and int(other))
        for step, rank, *times, other in (match.groups() for match in map(ROW.fullmatch, text.splitlines()) if match)
    ]


def test_a_slow_rank_is_waited_for(mpi_is_there, tmp_path):
    done = reported(tmp_path, "--nproc-per-node=2", "--steps=2")
    assert done.returncode == 0, done.stderr
    rows = rows_of(done.stderr)
    assert "2 ranks, the last 2 of 4 steps:" in done.stderr
    assert [row[:2] for row in rows] == [(step, rank) for step in ("3", "4", "mean") for rank in (0, 1)]
    for _, rank, total, compute, communication, waiting, other in rows:
        assert total == pytest.approx(compute + communication + waiting, abs=0.002)
        if rank == 0:
            assert waiting > 30 and other == 1
        else:
            assert compute > 50 and waiting < 30
    picture = ElementTree.parse(tmp_path / "train.report.svg").getroot()
    texts = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"rank 0", "rank 1", "waiting", "communication", "backward"} <= set(texts)
    titles = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert any(title.startswith("waiting for rank 1 in all_reduce\n") for title in titles), titles
    assert "The timeline of step 4: train.report.svg" in done.stderr


def test_a_program_without_steps_is_one_row_per_rank(mpi_is_there, tmp_path):
    program = (
        "import torch\nimport torch.distributed as dist\ndist.init_process_group()\ndist.all_reduce(torch.ones(3))"
    )
    done = reported(tmp_path, "--nproc-per-node=2", "--svg=all.svg", program=program)
    assert done.returncode == 0, done.stderr
    assert "2 ranks, whose program makes no steps of an optimizer:" in done.stderr
    assert [row[:2] for row in rows_of(done.stderr)] == [("program", 0), ("program", 1)]
    assert (tmp_path / "all.svg").exists()


def test_a_program_that_fails_is_reported_before_its_error(mpi_is_there, tmp_path):
    done = reported(tmp_path, "--nproc-per-node=1", program=f"{TRAINING}\nraise ValueError('mine')")
    assert done.returncode == 1
    assert [row[0] for row in rows_of(done.stderr)] == ["1", "2", "3", "4", "mean"]
    assert done.stderr.index("mean") < done.stderr.index("train.py FAILED")


def test_the_first_machine_reports_of_all(mpi_is_there, tmp_path):
    (tmp_path / "train.py").write_text(TRAINING)
    options = ["--nnodes=2", "--master-addr=127.0.0.1", f"--master-port={free_port()}", "--report", "train.py"]
    ended = waited_for([
        started(["-m", "rushlight", "torchrun", f"--node-rank={machine}", *options], cwd=tmp_path, env=environment())
        for machine in range(2)
    ])  # fmt: skip
    assert [each.code for each in ended] == [0, 0], ended
    last = [row for row in rows_of(ended[0].output) if row[0] == "4"]
    assert [row[1] for row in last] == [0, 1] and last[0][6] == 1 and last[0][5] > 30
    assert not rows_of(ended[1].output)


@pytest.mark.parametrize(
    ("options", "words"),
    [(["--no-python"], "--report needs a program in Python"), (["--steps=0"], "--steps 0: at least one")],
)
def test_options_that_are_refused(options, words, tmp_path):
    done = reported(tmp_path, *options)
    assert done.returncode == 2 and words in done.stderr


def test_a_profile_has_the_calls_of_a_program(outputs):
    outputs("""
        start()
        with torch.profiler.profile() as prof:
            dist.all_reduce(torch.ones(3))
        names = [event.key for event in prof.events()]
        assert names == ["aten::ones", "mpi:all_reduce", "mpi:wait for all_reduce"], names
        dist.barrier()
    """)


# ---- how time is divided: ranks with known times, in milliseconds


def rank_with(rank, entered, blocked, steps=(100,), operators=()):
    ms = 1_000_000
    return {
        "rank": rank, "began": 0, "ended": 100 * ms,
        "steps": [[number, each * ms] for number, each in enumerate(steps, 1)],
        "entered": [[1, sequence, needs, time * ms] for sequence, needs, time in entered],
        "blocked": [[1, sequence, "call", start * ms, end * ms, 7] for sequence, start, end in blocked],
        "calls": [], "operators": [[name, "cpu_op", start * ms, end * ms, 7] for name, start, end in operators],
    }  # fmt: skip


def divided(*ranks):
    """The cells of the table without steps, ranks and times of steps."""
    return [each[3:] for each in rows_of(report(timed(ranks), 9))]


def test_a_rank_waits_until_the_last_has_come():
    early = rank_with(0, [(1, None, 10)], [(1, 10, 60)])
    late = rank_with(1, [(1, None, 50)], [(1, 50, 60)])
    assert divided(late, early) == [(50, 10, 40, 1), (90, 10, 0, None)]


def test_a_broadcast_waits_for_its_root_alone():
    root = rank_with(0, [(1, [0], 20)], [(1, 20, 21)])
    prompt = rank_with(1, [(1, [0], 10)], [(1, 10, 30)])
    late = rank_with(2, [(1, [0], 90)], [(1, 90, 91)])
    assert divided(root, prompt, late) == [(99, 1, 0, None), (80, 10, 10, 0), (99, 1, 0, None)]


def test_a_rank_that_is_not_the_root_of_a_reduce_does_not_wait():
    root = rank_with(0, [(1, None, 10)], [(1, 10, 60)])
    giving = rank_with(1, [(1, [], 20)], [(1, 20, 25)])
    late = rank_with(2, [(1, [], 50)], [(1, 50, 55)])
    assert divided(root, giving, late) == [(50, 10, 40, 2), (95, 5, 0, None), (95, 5, 0, None)]


def test_calls_belong_to_the_step_in_which_they_are():
    rank = rank_with(0, [(1, None, 10), (2, None, 50)], [(1, 10, 12), (2, 50, 60)], steps=(40, 100))
    assert divided(rank) == [(38, 2, 0, None), (50, 10, 0, None)]


def test_other_machines_have_other_clocks():
    early, late = rank_with(0, [(1, None, 10)], [(1, 10, 60)]), rank_with(1, [(1, None, 50)], [(1, 50, 60)])
    assert later(later(late, 12345), -12345) == late
    assert divided(early, later(later(late, 5000), -5000)) == divided(early, late)


def test_steps_that_are_not_kept_any_more_are_not_shown():
    rank = rank_with(0, [(9, None, 60)], [(9, 60, 70)], steps=(40, 100))
    rank["steps"] = [[7, 40_000_000], [8, 100_000_000]]  # where step 7 began is not known
    assert [(row[0], *row[3:]) for row in rows_of(report(timed([rank]), 9))] == [("8", 50, 10, 0, None)]


@pytest.mark.parametrize(
    ("order", "numbers"),
    [("ababab", [1, 0, 2, 0, 3, 0]), ("aabbb", [1, 2, 0, 3, 4]), ("abbabba", [1, 0, 2, 0, 3, 4, 0])],
    ids=["two that take turns", "one after the other", "one more often"],
)
def test_which_optimizer_counts(order, numbers):
    observed, optimizers = ObservedRank(print, print), {"a": object(), "b": object()}
    assert [observed.stepped(optimizers[each]).number for each in order] == numbers


def test_the_last_step_that_all_ranks_have_made_is_drawn():
    operators = [("aten::a", 1, 2), ("aten::b", 41, 42), ("aten::c", 81, 82)]
    ranks = timed([rank_with(0, [], [], (40, 80, 90), operators), rank_with(1, [], [], (40, 80), operators)])
    name, events, bands = picture_of(ranks)
    assert name == "step 2" and [event.name for event in events] == ["aten::b", "aten::b"]
    assert list(bands.values()) == ["rank 0", "rank 1"]
    assert picture_of(timed([rank_with(0, [], []), rank_with(1, [], [])])) is None
