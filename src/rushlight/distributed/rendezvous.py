"""How processes that were given an address find each other: `env://`, `tcp://`, `file://`, mpiexec, SLURM."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlparse

from rushlight.core.errors import noted
from rushlight.distributed.file_store import FileStore
from rushlight.distributed.stores import Store, TCPStore

__all__ = ["register_rendezvous_handler", "rendezvous"]

# What launchers say of a process, by priority: torchrun, MPICH, Open MPI, SLURM.
RANK = ("RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")
SIZE = ("WORLD_SIZE", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS")
LOCAL_RANK = ("LOCAL_RANK", "MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID")
OF_MPIEXEC = ("PMI_RANK", "OMPI_COMM_WORLD_RANK")
SLURM_PORTS = 20_000, 10_000  # the port of a job without MASTER_PORT: the first, and how many

HANDLERS: dict[str, Callable[..., Any]] = {}


def register_rendezvous_handler(scheme: str, handler: Callable[..., Any]) -> None:
    """Enters a function that makes (store, rank, size) of a URL. Raises RuntimeError if the scheme has one."""
    if scheme in HANDLERS:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    HANDLERS[scheme] = handler


def rendezvous(
    url: str, rank: int = -1, world_size: int = -1, timeout: timedelta = timedelta(seconds=300), **kwargs: Any
) -> Iterator[tuple[Store, int, int]]:
    """Returns an iterator over (store, rank, size) for a URL. Raises RuntimeError if the scheme is unknown."""
    if not isinstance(url, str):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    scheme = urlparse(url).scheme
    if scheme not in HANDLERS:
        raise RuntimeError(f"No rendezvous handler for {scheme}://")
    return HANDLERS[scheme](url, rank, world_size, timeout=timeout, **kwargs)


def asked(url: str) -> tuple[Any, int, int]:
    """Returns a URL in parts, with the rank and the size that it names, else -1."""
    parts = urlparse(url)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    return parts, int(query.get("rank", -1)), int(query.get("world_size", -1))


def by_tcp(url: str, rank: int, size: int, timeout: timedelta, **kwargs: Any) -> Iterator[tuple[Store, int, int]]:
    """`tcp://host:port`: rank 0 serves the store there."""
    parts, url_rank, url_size = asked(url)
    if parts.port is None:
        raise ValueError("Error initializing torch.distributed using tcp:// rendezvous: port number missing")
    rank, size = both("tcp", rank if rank >= 0 else url_rank, size if size >= 0 else url_size)
    store = TCPStore(parts.hostname or "localhost", parts.port, is_master=rank == 0, timeout=timeout)
    yield store, rank, size


def by_file(url: str, rank: int, size: int, timeout: timedelta, **kwargs: Any) -> Iterator[tuple[Store, int, int]]:
    """`file:///path`: the file has the address of the store that rank 0 serves."""
    parts, url_rank, url_size = asked(url)
    path = (parts.netloc + parts.path) if parts.netloc else parts.path
    if not path:
        raise ValueError("Error initializing torch.distributed using file:// rendezvous: path missing")
    rank, size = both("file", rank if rank >= 0 else url_rank, size if size >= 0 else url_size)
    store = FileStore(path, size)
    store.set_timeout(timeout)
    yield store, rank, size


def both(scheme: str, rank: int, size: int) -> tuple[int, int]:
    """Returns rank and size. Raises ValueError if one was not given."""
    for name, value in (("rank", rank), ("world size", size)):
        if value < 0:
            raise ValueError(
                f"Error initializing torch.distributed using {scheme}:// rendezvous: {name} parameter missing"
            )
    return rank, size


def by_environment(
    url: str, rank: int, size: int, timeout: timedelta, **kwargs: Any
) -> Iterator[tuple[Store, int, int]]:
    """`env://`: MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE, or what mpiexec or SLURM say."""
    _, url_rank, url_size = asked(url)
    rank, size = max(rank, url_rank), max(size, url_size)
    rank = rank if rank >= 0 else from_environment(RANK, "RANK")
    size = size if size >= 0 else from_environment(SIZE, "WORLD_SIZE")
    host, port = os.environ.get("MASTER_ADDR") or of_slurm(0), os.environ.get("MASTER_PORT") or of_slurm(1)
    if not host or not port:
        name = "MASTER_PORT" if host else "MASTER_ADDR"
        raise not_set(name)
    served = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"  # torchrun serves it
    yield TCPStore(host, int(port), is_master=rank == 0 and not served, timeout=timeout), rank, size


def from_environment(names: tuple[str, ...], expected: str) -> int:
    """Returns the first number that is in the environment."""
    for name in names:
        if name in os.environ:
            return int(os.environ[name])
    raise not_set(expected)


def not_set(name: str) -> Exception:
    """Returns the error for a missing variable."""
    words = f"Error initializing torch.distributed using env:// rendezvous: environment variable {name} expected, but "
    note = "Start the program with torchrun, mpiexec or srun, or pass init_method, rank and world_size."
    return noted(ValueError(f"{words}not set"), note)


def of_slurm(index: int) -> str | None:
    """Returns the host (0) or the port (1) where the ranks of a SLURM job meet; None outside SLURM."""
    nodes, job = (
        os.environ.get("SLURM_STEP_NODELIST") or os.environ.get("SLURM_NODELIST"),
        os.environ.get("SLURM_JOB_ID"),
    )
    if nodes is None or job is None:
        return None
    return first_host(nodes) if index == 0 else str(SLURM_PORTS[0] + int(job) % SLURM_PORTS[1])


def first_host(nodes: str) -> str:
    """Returns the first host of SLURM's notation.

    >>> first_host("gpu[003-007,9],login"), first_host("a,b")
    ('gpu003', 'a')
    """
    before, bracket, rest = nodes.partition("[")
    if "," in before or not bracket:
        return before.split(",")[0]
    first = rest.split("]")[0].split(",")[0].split("-")[0]
    return before + first + rest.partition("]")[2].split(",")[0]


HANDLERS.update(tcp=by_tcp, file=by_file, env=by_environment)
