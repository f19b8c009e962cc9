"""Whole programs with workers: every start method, an interrupt from the keyboard, and the end of the program."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and process groups as POSIX has them")

PROGRAM = """
import importlib, multiprocessing, os, sys, time
torch = importlib.import_module(sys.argv[1])
data = importlib.import_module(sys.argv[1] + ".utils.data")


class Samples(data.Dataset):
    def __init__(self, seconds):
        self.seconds = seconds
        self.values = torch.arange(6)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        time.sleep(self.seconds)
        info = data.get_worker_info()
        return self.values[index].expand(20_000), os.getpid(), info.seed - info.id


def prepare(number):
    assert data.get_worker_info().id == number


def loader(method, seconds=0, **options):
    torch.manual_seed(1)
    return data.DataLoader(
        Samples(seconds), 2, num_workers=1, multiprocessing_context=method, worker_init_fn=prepare, **options
    )


if __name__ == "__main__":
    BODY
"""


@pytest.fixture
def started(torch, tmp_path):
    """Starts a program in a process group of its own; none of its processes may be left at the end."""
    programs = []

    def start(body):
        file = tmp_path / "program.py"
        file.write_text(PROGRAM.replace("BODY", "\n    ".join(body.strip().splitlines())), "utf-8")
        positions = [str(Path(__import__("rushlight").__file__).parents[1]), *sys.path]
        programs.append(
            subprocess.Popen(
                [sys.executable, str(file), torch.__name__],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(positions)},
                start_new_session=True,
            )
        )
        return programs[-1]

    yield start
    for each in programs:
        each.kill()
        each.communicate()


def is_running(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def ends_within(seconds, process):
    deadline = time.monotonic() + seconds
    while is_running(process) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(process)


def is_silent(torch, errors):
    """Nothing was printed, but what Python says of the semaphores that PyTorch's workers sometimes leave behind."""
    return (
        not errors
        or torch.__name__ == "torch"
        and all("resource_tracker" in line for line in errors.split("\n")[::2] if line)
    )


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes in /proc")


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_that_inherit_nothing(torch, started, method):
    program = started(f"""
for _ in range(2):
    for values, processes, seed in loader("{method}"):
        print(values[:, -1].tolist(), seed[0].item())
""")
    output, errors = program.communicate(timeout=60)
    assert program.returncode == 0, errors
    lines = output.splitlines()
    assert [line.rpartition(" ")[0] for line in lines] == ["[0, 1]", "[2, 3]", "[4, 5]"] * 2
    assert len({line.rpartition(" ")[2] for line in lines}) == 1
    assert is_silent(torch, errors)


RUNNING = """
batches = iter(loader("fork", SECONDS, persistent_workers=True))
print(next(batches)[1][0].item(), flush=True)
REST
"""


def running(started, seconds, rest):
    program = started(RUNNING.replace("SECONDS", str(seconds)).replace("REST", rest))
    return program, int(program.stdout.readline())


@needs_proc
@pytest.mark.parametrize("seconds", [0, 0.1], ids=["idle", "busy"])
def test_an_interrupt_from_the_keyboard_ends_program_and_workers(started, seconds):
    program, worker = running(started, seconds, "while True: time.sleep(0.1)")
    os.killpg(program.pid, signal.SIGINT)
    _, errors = program.communicate(timeout=20)
    assert program.returncode == -signal.SIGINT and errors.rstrip().endswith("KeyboardInterrupt")
    assert ends_within(5, worker)


@needs_proc
def test_an_interrupt_while_the_program_waits_for_a_batch(started):
    program, worker = running(started, 0.2, "while True: list(batches); batches = iter(loader('fork', 0.5))")
    time.sleep(1)
    os.killpg(program.pid, signal.SIGINT)
    _, errors = program.communicate(timeout=20)
    assert program.returncode == -signal.SIGINT and errors.rstrip().endswith("KeyboardInterrupt")
    assert ends_within(5, worker)


def test_a_worker_that_is_killed(started):
    program, worker = running(
        started, 0.3, "try: print(flush=True), list(batches)\nexcept RuntimeError as error: print(error)"
    )
    # PyTorch raises wherever the program is when the signal comes: it has to be inside its `try` by then
    program.stdout.readline()
    os.kill(worker, signal.SIGKILL)
    output, errors = program.communicate(timeout=20)
    # The second is PyTorch's if it learns of the death by a signal
    assert re.match(
        rf"DataLoader worker \(pid(\(s\) {worker}\) exited unexpectedly| {worker}\) is killed by signal)", output
    )
    assert program.returncode == 0


@needs_proc
def test_a_program_that_ends_with_workers_at_work(torch, started):
    program, worker = running(started, 0.1, "sys.exit(7)")
    _, errors = program.communicate(timeout=20)
    assert program.returncode == 7 and is_silent(torch, errors)
    assert ends_within(5, worker)


@needs_proc
def test_workers_notice_that_their_program_was_killed(torch, started):
    program, worker = running(started, 0, "time.sleep(60)")
    os.kill(program.pid, signal.SIGKILL)
    assert ends_within(15 if torch.__name__ == "torch" else 2, worker)
