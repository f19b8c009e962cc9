"""How a program is started: by addresses, files, spawn, torchrun; and that it can end and start again."""

import os
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from .conftest import BY_TCP, environment, free_port, started, waited_for

SUM = r"""
x = torch.tensor([float(dist.get_rank() + 1)])
dist.all_reduce(x)
os.write(1, f"sum {x.item()} rank {dist.get_rank()} of {dist.get_world_size()}\n".encode())  # in one piece
"""
PROGRAM = f"""
import os, sys
import torch
import torch.distributed as dist
dist.init_process_group()
{SUM}
dist.destroy_process_group()
"""


def test_by_a_file_and_by_a_store(outputs, tmp_path):
    texts = outputs(f"""
dist.init_process_group("gloo", init_method="file://{tmp_path}/meeting", rank=rank, world_size=world)
{SUM}
dist.destroy_process_group()
store = dist.FileStore("{tmp_path}/store", world)
dist.init_process_group(store=store, rank=rank, world_size=world)
{SUM}
""")
    assert [text.count(f"sum 3.0 rank {rank} of 2") for rank, text in enumerate(texts)] == [2, 2]


def test_a_file_serves_one_run_after_the_other(outputs, tmp_path):
    for _ in range(2):
        outputs(f"""
            if rank == 0:
                time.sleep(1)  # the other reads the file first
            meeting = "file://{tmp_path}/meeting"
            dist.init_process_group(init_method=meeting, rank=rank, world_size=2, timeout=timedelta(seconds=10))
            dist.barrier()
        """)
        assert not (tmp_path / "meeting").exists()


def test_initialised_again_after_the_end_and_never_twice(outputs):
    outputs("""
        for turn in range(2):
            start()
            assert "twice" in of(start)
            x = torch.ones(3)
            dist.all_reduce(x)
            assert x.tolist() == [2, 2, 2]
            dist.destroy_process_group()
            assert not dist.is_initialized()
            assert "not been initialized" in of(dist.barrier)
    """)


def test_some_processes_of_a_world_make_a_smaller_one(outputs):
    outputs(
        """
        start()
        dist.destroy_process_group()
        if rank < 2:
            dist.init_process_group(init_method=f"file://{sys.argv[0]}.meeting", rank=1 - rank, world_size=2)
            x = torch.tensor([rank + 1.0])
            dist.broadcast(x, 0)
            assert x.item() == 2
        """,
        size=3,
    )


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="Linux alone tells which files a process has mapped")
def test_nothing_is_left_behind_by_a_killed_world(ranks):
    ended = ranks("""
        start()
        dist.barrier()
        with open("/proc/self/maps") as file:
            print(*{line.split()[5] for line in file if "/dev/shm" in line or ".calls" in line})
        dist.barrier()
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    mapped = [path for each in ended for path in each.output.split()]
    assert any("rushlight" in path for path in mapped) and any("mpich" in path for path in mapped), mapped
    assert not [path for path in mapped if os.path.exists(path)]


def test_spawned_functions(mpi_is_there, tmp_path):
    path = tmp_path / "spawning.py"
    path.write_text(f"""
import os
import rushlight as torch
import rushlight.distributed as dist
import rushlight.multiprocessing as mp

def work(rank, port):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{{port}}", rank=rank, world_size=2)
    {SUM.strip().replace(chr(10), chr(10) + "    ")}

if __name__ == "__main__":
    mp.spawn(work, args=({free_port()},), nprocs=2)
""")
    (ended,) = waited_for([started([path], env=environment())])
    assert ended.code == 0 and ended.output.count("sum 3.0") == 2, ended.output


# ---- torchrun


@pytest.fixture
def torchrun(mpi_is_there, tmp_path):
    """Runs a program by the launcher."""

    def run(program, *options, command=("-m", "rushlight", "torchrun"), arguments=()):
        path = tmp_path / "train.py"
        path.write_text(program)
        return waited_for([started([*command, *options, path, *arguments], env=environment())])[0]

    return run


@pytest.mark.parametrize(
    "command",
    [
        ("-m", "rushlight", "torchrun"),
        ("-m", "rushlight.distributed.run"),
        ("-m", "rushlight", "-m", "torch.distributed.run"),
    ],
    ids=" ".join,
)
def test_the_launcher_has_several_names(torchrun, command):
    ended = torchrun(PROGRAM, "--nproc_per_node=2", "--standalone", command=command)
    assert ended.code == 0, ended.output
    assert all(f"sum 3.0 rank {rank} of 2" in ended.output for rank in range(2))


def test_two_machines(mpi_is_there, tmp_path):
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    options = ["-m", "rushlight", "torchrun", "--nnodes=2", "--nproc-per-node=1", "--master-addr=127.0.0.1"]
    options.append(f"--master-port={free_port()}")
    agents = [started([*options, f"--node-rank={k}", path], env=environment()) for k in range(2)]
    ended = waited_for(agents)
    assert [each.code for each in ended] == [0, 0], ended
    assert ["sum 3.0 rank 0 of 2" in ended[0].output, "sum 3.0 rank 1 of 2" in ended[1].output] == [True, True]


def test_a_failure_starts_all_again_and_the_second_time_goes_well(torchrun):
    program = (
        PROGRAM
        + """
if dist.get_pg_count() == 0 and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0" and os.environ["RANK"] == "1":
    sys.exit(7)
"""
    )
    ended = torchrun(program, "--nproc-per-node=2", "--max-restarts=1")
    assert ended.code == 0, ended.output
    assert "rank 1 (pid " in ended.output and "exit status 7; all ranks start again" in ended.output
    assert ended.output.count("sum 3.0") == 4


def test_what_a_rank_raises_is_recorded_and_shown(torchrun):
    program = """
import os, time
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record

@record
def main():
    dist.init_process_group()
    if dist.get_rank() == 1:
        raise ValueError("bad batch")
    time.sleep(30)

main()
"""
    since = time.monotonic()
    ended = torchrun(program, "--nproc-per-node=2")
    assert ended.code == 1 and time.monotonic() - since < 25
    last = ended.output[ended.output.index("torchrun: ") :]
    assert "train.py FAILED" in last and "has failed: ValueError: bad batch" in last and "in main" in last


def test_an_interrupt_ends_all(mpi_is_there, tmp_path):
    path = tmp_path / "train.py"
    path.write_text("import os, time\nos.write(1, b'pid %d\\n' % os.getpid())\ntime.sleep(60)\n")
    process = started(["-m", "rushlight", "torchrun", "--nproc-per-node=2", path], env=environment())
    pids = [int(process.stdout.readline().split()[1]) for _ in range(2)]
    process.send_signal(signal.SIGTERM)
    (ended,) = waited_for([process])
    assert ended.code == 128 + signal.SIGTERM
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--nnodes=2"], "several machines need --master-addr"),
        (["--nnodes=1:4"], "several machines need --master-addr"),
        (["--nnodes=4:1"], "--nnodes 4:1: at least one machine, and MIN at most MAX"),
        (["--nnodes=1:many"], 'nnodes=1:many is not in "MIN:MAX" format'),
        (["--rdzv-conf=join_timeout"], "option 'join_timeout' must have a value specified"),
        (["--nproc-per-node=many"], "Unsupported nproc_per_node value: many"),
        (["--nproc-per-node=0"], "Unsupported nproc_per_node value: 0"),
        (["--redirects=3"], "--redirects needs --log-dir"),
        (["--nnodes=2", "--node-rank=2", "--master-addr=localhost"], "--node-rank 2 is not less than --nnodes 2"),
    ],
)
def test_options_that_contradict_each_other(options, words, capsys):
    from rushlight.distributed import run

    with pytest.raises(SystemExit):
        run.main([*options, "train.py"])
    assert words in capsys.readouterr().err


def test_mpiexec(mpi_is_there, tmp_path):
    mpiexec = shutil.which("mpiexec", path=os.path.dirname(sys.executable))
    if mpiexec is None:
        pytest.skip("no mpiexec next to this Python")
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    command = [mpiexec, "-n", "2", sys.executable, "-m", "rushlight", str(path)]
    (ended,) = waited_for(
        [started(["-c", f"import subprocess; exit(subprocess.call({command!r}))"], env=environment())]
    )
    assert ended.code == 0, ended.output
    assert all(f"sum 3.0 rank {rank} of 2" in ended.output for rank in range(2))


def test_the_program_of_the_documentation(torchrun):
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "several_processes.md").read_text("utf-8")
    program = page.split("```python\n")[1].split("```")[0]
    ended = torchrun(program, "--nproc-per-node=2")
    assert ended.code == 0 and ended.output.count("of 2: 499999500000") == 2, ended.output


def test_by_the_variables_of_slurm(mpi_is_there, tmp_path):
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    job = {"SLURM_JOB_ID": str(free_port()), "SLURM_STEP_NODELIST": "localhost", "SLURM_NTASKS": "2"}
    ranks = [
        started(["-m", "rushlight", path], env=environment() | job | {"SLURM_PROCID": str(rank)}) for rank in range(2)
    ]
    ended = waited_for(ranks)
    assert all(f"sum 3.0 rank {rank} of 2" in each.output for rank, each in enumerate(ended)), ended


def test_ranks_on_two_machines_use_the_network(outputs):
    outputs(
        """
        import socket
        host = f"machine{rank // 2}"
        socket.gethostname = lambda: host  # what MPI is told, which then uses no shared memory between them
        start(timeout=timedelta(seconds=20))
        for count in (1, 1000, 1_500_000):
            x = torch.full((count,), rank + 1.0)
            dist.all_reduce(x)
            assert x[0] == x[-1] == 10
        objects = [None] * world
        dist.all_gather_object(objects, rank)
        assert objects == [0, 1, 2, 3]
        if rank == 3:
            os._exit(0)
        words = of(dist.barrier)
        time.sleep(1 if rank == 0 else 0)  # it serves the store
        assert "rank 3 (pid " in words and "host machine1) has ended" in words, words
        os._exit(0)
        """,
        size=4,
    )


SCALE = """
    since = time.monotonic()
    start(timeout=timedelta(seconds=300))
    print("started", time.monotonic() - since)
    for count in (1, 65_536):
        x = torch.full((count,), float(rank))
        dist.all_reduce(x)
        assert x[0] == x[-1] == world * (world - 1) / 2
    objects = [None] * world
    dist.all_gather_object(objects, rank)
    assert objects == list(range(world))
    group = dist.new_group([0, world - 1])
    if rank in (0, world - 1):
        dist.barrier(group=group)
"""


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("size", "more"), [(16, {}), (64, BY_TCP | {"MPIR_CVAR_NOLOCAL": "1"})], ids=["16", "64 by TCP"]
)
def test_many_ranks(outputs, size, more):
    outputs(SCALE, size=size, seconds=500, **more)


def test_another_size_after_a_wrong_one(outputs):
    texts = outputs("""
        from pathlib import Path
        Path(f"{sys.argv[0]}.{rank}").touch()
        while not all(Path(f"{sys.argv[0]}.{each}").exists() for each in range(world)):
            time.sleep(0.01)  # a process may take seconds to start
        meeting = {"init_method": f"tcp://127.0.0.1:{port}", "rank": rank, "world_size": 3}
        seconds = 2 if rank == 0 else 1  # rank 0 serves the store that answers rank 1
        print(of(lambda: dist.init_process_group(**meeting, timeout=timedelta(seconds=seconds))))
        time.sleep(0 if rank == 0 else 1.5)
        start(timeout=timedelta(seconds=10))
        dist.barrier()
    """)
    assert "1/3 clients joined" in texts[0], texts
    assert "2/3 clients joined" in texts[1], texts


def test_who_has_waited_in_vain_meets_the_others_the_next_time(outputs):
    texts = outputs("""
        if rank == 0:
            assert "1/2 clients joined" in of(lambda: start(timeout=timedelta(seconds=0.5)))
        else:
            time.sleep(1.5)
        start(timeout=timedelta(seconds=30))
        dist.barrier()
        print("met")
    """)
    assert texts == ["met\n", "met\n"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such setting")
def test_pauses_of_ranks_end_in_time(outputs):
    program = """
    start()
    print(open("/proc/self/timerslack_ns").read().strip())
    dist.destroy_process_group()
    """
    assert outputs(program) == ["1\n"] * 2


@pytest.mark.parametrize("backend", [None, "gloo", "nccl", "cpu:gloo,cuda:nccl"])
def test_backends_without_a_gpu_are_those_of_pytorch(pytorch, outputs, backend):
    program = f"""
    import importlib
    dist = importlib.import_module(os.environ["LIBRARY"]).distributed
    place = dict(init_method=f"tcp://127.0.0.1:{{port}}", rank=rank, world_size=world)
    print(of(lambda: (dist.init_process_group({backend!r}, **place), dist.get_backend_config())[1]))
    """
    (ours,), (theirs,) = (outputs(program, size=1, LIBRARY=library) for library in ("rushlight", "torch"))
    *_, answer = theirs.splitlines()  # above it PyTorch warns that it has no timeout for "nccl"
    assert ours == f"{answer}\n" and (backend == "gloo") == ("cuda:gloo" in ours)
