"""torchrun --nnodes MIN:MAX: agents of several machines, all on this one, that come late, get lost or are too few."""

import contextlib
import os
import signal
import subprocess
from datetime import timedelta

import pytest

from rushlight.distributed.stores import connected

from .conftest import environment, free_port, started, waited_for

PROGRAM = """
import os, sys, time
import torch
import torch.distributed as dist

dist.init_process_group()
rank, size = dist.get_rank(), dist.get_world_size()
x = torch.tensor(rank + 1.0)
dist.all_reduce(x)
count, machines = os.environ["TORCHELASTIC_RESTART_COUNT"], os.environ["GROUP_WORLD_SIZE"]
sys.stdout.write(f"rank {rank} of {size}, {machines} machines, restart {count}, sum {x.item()}\\n")
sys.stdout.flush()
"""
UNTIL = """
while size != {size}:  # this round ends from outside
    dist.all_reduce(x.zero_())
    time.sleep(0.01)
"""


@pytest.fixture
def agents(tmp_path, mpi_is_there):
    """Starts agents that meet at one port; each has a session of its own, and ends with the test."""
    processes = []
    port = free_port()
    meeting = f"--rdzv-endpoint=127.0.0.1:{port}"

    def start(program, *options):
        (tmp_path / "train.py").write_text(program)
        command = ["-m", "rushlight", "torchrun", meeting, *options, "train.py"]
        processes.append(started(command, cwd=tmp_path, env=environment(), start_new_session=True))
        if len(processes) == 1:  # it serves the store
            connected("127.0.0.1", port, timedelta(seconds=30)).close()
        return processes[-1]

    yield start
    for process in processes:
        lose(process)


def lose(agent):
    """Ends an agent and its ranks at once, as a machine that loses power."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(agent.pid, signal.SIGKILL)
    agent.wait()
    agent.stdout.close()


def read_until(agent, words):
    """Reads what an agent and its ranks print up to a line with these words."""
    line = None
    while line != "" and words not in (line or ""):
        line = agent.stdout.readline()
    assert line, "the agent has ended"


def test_machines_that_have_come_at_the_last_call_start(agents):
    options = ["--nnodes=1:3", "--nproc-per-node=2", "--rdzv-conf=last_call_timeout=2"]
    ended = waited_for([agents(PROGRAM, *options) for _ in range(2)])
    assert [each.code for each in ended] == [0, 0], ended
    printed = sorted(line for each in ended for line in each.output.splitlines() if line.startswith("rank"))
    assert printed == [f"rank {rank} of 4, 2 machines, restart 0, sum 10.0" for rank in range(4)]


def test_a_fixed_number_of_machines_needs_no_numbers(agents):
    ended = waited_for([agents(PROGRAM, "--nnodes=2", "--rdzv-backend=c10d") for _ in range(2)])
    assert [each.code for each in ended] == [0, 0], ended
    assert "of 2, 2 machines" in ended[0].output and "of 2, 2 machines" in ended[1].output


def test_too_few_machines_do_not_start(agents):
    (ended,) = waited_for([agents(PROGRAM, "--nnodes=2:3", "--rdzv-conf=join_timeout=1,last_call_timeout=1")])
    assert ended.code == 1 and "1 of at least 2 machines have come in 1 seconds" in ended.output
    assert "rank" not in ended.output


def test_two_machines_with_one_number(agents):
    first = agents(PROGRAM, "--nnodes=3", "--node-rank=0")
    others = [agents(PROGRAM, "--nnodes=3", "--node-rank=1") for _ in range(2)]
    ended = waited_for([first, *others])
    assert [each.code for each in ended] == [1, 1, 1]
    assert all("two machines have the same --node-rank: [0, 1, 1]" in each.output for each in ended)


def test_those_that_remain_start_again(agents):
    program = PROGRAM + UNTIL.format(size=2)
    options = ["--nnodes=1:3", "--max-restarts=1", "--rdzv-conf=last_call_timeout=60"]
    first, second, third = (agents(program, *options) for _ in range(3))
    read_until(first, "of 3, 3 machines, restart 0, sum 6.0")
    read_until(third, "of 3, 3 machines")
    lose(third)
    ended = waited_for([first, second])
    assert [each.code for each in ended] == [0, 0], ended
    assert all("of 2, 2 machines, restart 1, sum 3.0" in each.output for each in ended), ended


def test_all_end_with_the_machine_that_serves_the_store(agents):
    program = PROGRAM + UNTIL.format(size=0)
    first, second = (agents(program, "--nnodes=1:2", "--max-restarts=3") for _ in range(2))
    read_until(second, "of 2, 2 machines, restart 0")
    lose(first)
    (ended,) = waited_for([second])
    assert ended.code == 1 and "does not answer" in ended.output and "start again" not in ended.output


def test_fewer_than_the_least_number_do_not_start_again(agents):
    program = PROGRAM + UNTIL.format(size=0)
    options = ["--nnodes=2:3", "--max-restarts=3", "--rdzv-conf=last_call_timeout=1,join_timeout=4"]
    first, second = (agents(program, *options) for _ in range(2))
    read_until(first, "of 2, 2 machines, restart 0")
    lose(second)
    (ended,) = waited_for([first])
    assert ended.code == 1 and "1 of at least 2 machines have come in 4 seconds" in ended.output
    assert "of 1," not in ended.output


def test_a_machine_that_comes_late_takes_part(agents):
    program = PROGRAM + UNTIL.format(size=2)
    options = ["--nnodes=1:2", "--rdzv-conf=last_call_timeout=0.1"]
    first = agents(program, *options)
    read_until(first, "of 1, 1 machines, restart 0, sum 1.0")
    ended = waited_for([first, agents(program, *options)])
    assert [each.code for each in ended] == [0, 0], ended
    assert "one more machine has come; all ranks start again" in ended[0].output
    assert all("of 2, 2 machines, restart 0, sum 3.0" in each.output for each in ended), ended


def test_one_machine_too_many_waits_for_the_end(agents, tmp_path):
    program = PROGRAM + "while not os.path.exists('end'):\n    time.sleep(0.05)\n"
    options = ["--nnodes=1:2", "--rdzv-conf=last_call_timeout=5"]
    both = [agents(program, *options) for _ in range(2)]
    read_until(both[0], "of 2, 2 machines")
    third = agents(program, *options)
    with pytest.raises(subprocess.TimeoutExpired):
        third.wait(1.5)
    (tmp_path / "end").write_text("")
    ended = waited_for([*both, third])
    assert [each.code for each in ended] == [0, 0, 0], ended
    assert "the job has ended without this machine" in ended[2].output
