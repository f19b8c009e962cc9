"""Two machines: two network namespaces with a cable between them, other host names and no common shared memory."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import textwrap
import time

import pytest

from .conftest import BY_TCP, environment, started, waited_for

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(300)]
ADDRESSES = ("10.77.0.1", "10.77.0.2")
PREAMBLE = """
import os, socket, sys, time
import torch
import torch.distributed as dist

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
"""


def ip(*arguments):
    """Runs the command `ip`; returns what it prints. Raises OSError with its words if it fails."""
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if done.returncode:
        raise OSError(done.stderr)
    return done.stdout


class Machines:
    """Two machines by their names, and the cable between them."""

    def __init__(self, folder):
        self.folder = folder
        self.names = [f"rushlight{os.getpid()}m{number}" for number in range(2)]

    def build(self):
        """Makes them. Raises OSError with what `ip` says if it cannot."""
        first, second = self.names
        for name in self.names:
            ip("netns", "add", name)
        ip("link", "add", "lan", "netns", first, "type", "veth", "peer", "name", "lan", "netns", second)
        for name, address in zip(self.names, ADDRESSES, strict=True):
            ip("-n", name, "addr", "add", f"{address}/24", "dev", "lan")
            for device in ("lan", "lo"):
                ip("-n", name, "link", "set", device, "up")
        while not all("state UP" in ip("-n", name, "link", "show", "lan") for name in self.names):
            time.sleep(0.05)  # Linux notes a carrier up to a second late, and UCX leaves out a link without one

    def remove(self):
        for name in self.names:
            with contextlib.suppress(OSError):  # it has not been made
                ip("netns", "del", name)

    def cut(self):
        """Pulls the plug of the cable."""
        ip("-n", self.names[1], "link", "set", "lan", "down")

    def start(self, program, *options):
        """Starts two ranks on each machine."""
        (self.folder / "train.py").write_text(PREAMBLE + textwrap.dedent(program))
        return [self.torchrun(number, *options) for number in range(2)]

    def torchrun(self, number, *options):
        """Starts the launcher of one machine."""
        own = f'mount -t tmpfs none /dev/shm; hostname machine{number}; exec "$@"'
        inside = ["ip", "netns", "exec", self.names[number], "unshare", "--mount", "--uts", "sh", "-c", own, "sh"]
        meeting = [f"--node-rank={number}", f"--master-addr={ADDRESSES[0]}", "--master-port=29500", "--nnodes=2"]
        torchrun = ["-m", "rushlight", "torchrun", *meeting, "--nproc-per-node=2", *options, "train.py"]
        return started(torchrun, before=inside, cwd=self.folder, env=environment() | BY_TCP)

    def run(self, program, *options, seconds=120):
        """Runs a program in two ranks on each machine; returns how the launchers have ended."""
        return waited_for(self.start(program, *options), seconds)


@pytest.fixture
def machines(tmp_path, mpi_is_there):
    if sys.platform != "linux" or not all(map(shutil.which, ("ip", "unshare"))):
        pytest.skip("network namespaces are Linux's, and made by iproute2 and util-linux")
    if os.geteuid():
        pytest.skip("only root may make network namespaces")
    result = Machines(tmp_path)
    try:
        try:
            result.build()
        except OSError as error:
            if "not permitted" not in str(error):
                raise
            pytest.skip(f"network namespaces are not allowed here: {error}")
        yield result
    finally:
        result.remove()


def test_ranks_of_two_machines_compute_together(machines):
    ended = machines.run("""
        dist.init_process_group()
        for count in (1, 1000, 1_500_000):
            x = torch.full((count,), rank + 1.0)
            dist.all_reduce(x)
            assert x[0] == x[-1] == 10
        with open("/sys/class/net/lan/statistics/tx_bytes") as file:
            assert int(file.read()) > 4 * 1_500_000  # what rank 0 or 1 has sent went through the cable
        hosts = [None] * world
        dist.all_gather_object(hosts, socket.gethostname())
        assert hosts == ["machine0", "machine0", "machine1", "machine1"], hosts
        near = dist.new_group([0, 1]), dist.new_group([2, 3])
        x = torch.tensor(float(rank))
        dist.all_reduce(x, group=near[rank // 2])
        assert x == (1, 5)[rank // 2]
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2))
        model(torch.full((1, 3), float(rank))).sum().backward()
        assert torch.equal(model.module.weight.grad, torch.full((2, 3), 1.5))
        dist.destroy_process_group()
    """)
    assert [each.code for each in ended] == [0, 0], ended


def test_a_rank_that_is_killed_is_heard_of_on_the_other_machine(machines):
    ended = machines.run("""
        import signal
        dist.init_process_group()
        dist.barrier()
        since = time.monotonic()
        if rank == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            dist.barrier()
        except RuntimeError as error:
            os.write(1, f"rank {rank} after {time.monotonic() - since:.2f} s: {error}\\n".encode())
            time.sleep(1)  # so that the launchers do not end the others
            raise
    """)
    assert all(each.code == 1 for each in ended), ended
    output = "".join(each.output for each in ended)
    for rank in range(3):
        seconds, words = re.search(rf"rank {rank} after ([\d.]+) s: (.*)", output).groups()
        assert float(seconds) < 1 and "rank 3 (pid" in words and "host machine1) has ended" in words, words
    assert "rank 3" in ended[0].output and "signal SIGKILL" in ended[0].output


def test_different_calls_on_two_machines_are_named(machines):
    ended = machines.run("""
        dist.init_process_group()
        dist.all_reduce(torch.ones(3)) if rank < 2 else dist.broadcast(torch.ones(4), 0)
    """)
    assert all(each.code == 1 for each in ended), ended
    assert "Ranks have made different calls" in ended[0].output + ended[1].output


def test_the_report_has_the_ranks_of_both_machines(machines):
    ended = machines.run(
        """
        dist.init_process_group()
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2))
        optimizer = torch.optim.SGD(model.parameters())
        for _ in range(4):
            time.sleep(0.1 if rank == 3 else 0)
            model(torch.ones(1, 3)).sum().backward()
            optimizer.step()
        """,
        "--report",
    )
    assert [each.code for each in ended] == [0, 0], ended
    rows = re.findall(r"^ *4 +(\d) .*?([\d.]+) ms *(?:rank (\d))?$", ended[0].output, re.M)
    assert [row[0] for row in rows] == list("0123"), ended[0].output
    assert all(float(row[1]) > 50 and row[2] == "3" for row in rows[:3]), rows


def test_a_cable_that_is_cut_ends_all(machines):
    processes = machines.start("""
        dist.init_process_group()
        dist.barrier()
        os.write(1, b"ready\\n")
        while True:
            dist.all_reduce(torch.ones(1000))
            time.sleep(0.05)
    """)
    assert processes[0].stdout.readline() == "ready\n"
    time.sleep(1)
    machines.cut()
    since = time.monotonic()
    ended = waited_for(processes, 90)
    assert all(each.code == 1 for each in ended), ended
    assert time.monotonic() - since < 60
    # A rank says the first, and the launcher of the second machine the other, if it is first to notice.
    assert all(re.search("has ended|does not answer", each.output) for each in ended), ended
