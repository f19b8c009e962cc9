"""Without the extra `distributed` nothing else changes; with it, MPI is loaded when it is needed."""

import importlib.util
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight.distributed import mpi


@pytest.fixture
def no_mpi4py(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "mpi4py" else find(name, *rest)
    )
    mpi.installed.cache_clear()
    yield
    mpi.installed.cache_clear()


@pytest.mark.usefixtures("no_mpi4py")
def test_it_is_not_available_and_says_what_to_install():
    dist = torch.distributed
    assert (dist.is_available(), dist.is_gloo_available(), dist.is_backend_available("gloo")) == (False,) * 3
    with pytest.raises(RuntimeError, match="Distributed package doesn't have MPI built in") as caught:
        dist.init_process_group("gloo", init_method="tcp://127.0.0.1:1", rank=0, world_size=1)
    assert 'pip install "rushlight[distributed]"' in caught.value.__notes__[0]
    with pytest.raises(RuntimeError, match="Requires distributed package to be available"):
        torch.utils.data.DistributedSampler(range(3))


def test_importing_loads_no_mpi_and_starts_no_thread():
    program = """
import sys, threading, rushlight, rushlight.distributed, rushlight.utils.data
rushlight.distributed.is_available()
assert "mpi4py" not in sys.modules and threading.active_count() == 1
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_gpu_backend_is_refused_as_by_a_pytorch_without_it():
    with pytest.raises(RuntimeError, match="Distributed package doesn't have NCCL built in"):
        torch.distributed.init_process_group("nccl", init_method="tcp://127.0.0.1:1", rank=0, world_size=1)
    assert not torch.distributed.is_nccl_available()


def test_what_needs_a_group_says_so():
    for call in (torch.distributed.get_rank, torch.distributed.barrier, torch.distributed.new_group):
        with pytest.raises(ValueError, match="Default process group has not been initialized"):
            call()
