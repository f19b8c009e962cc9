"""Starting and ending: `init_process_group`, `new_group`, `destroy_process_group`, and what can be asked of groups."""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from rushlight.core.device import BACKENDS
from rushlight.core.errors import noted
from rushlight.distributed import mpi
from rushlight.distributed.constants import default_pg_timeout
from rushlight.distributed.errors import DistBackendError, DistStoreError
from rushlight.distributed.process_group import GroupMember, ProcessGroup, default_group, is_outside
from rushlight.distributed.reductions import Backend
from rushlight.distributed.rendezvous import LOCAL_RANK, OF_MPIEXEC, rendezvous
from rushlight.distributed.stores import SERVERS, PrefixStore, Store, TCPStore
from rushlight.distributed.work import IN_FLIGHT, Work, settle
from rushlight.distributed.world import PROCESS, come_together, nobody_is_lost, reachable_name, wait_for

MEETING = 1e-3  # seconds between two looks at which members have come
LINGERING = 2.0  # seconds that the process with the server waits for the others at its end
NAMES = ("gloo", "mpi", "nccl", "undefined")  # of backends: all are MPI, but for "nccl" between GPUs
GROUPS: dict[str, ProcessGroup] = {}  # by name, without the default group


def is_available() -> bool:
    """Whether torch.distributed works here: mpi4py and an MPI are installed, by the extra `distributed`."""
    return mpi.installed()


def is_initialized() -> bool:
    """Whether there is a default group."""
    return GroupMember.WORLD is not None


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Makes the default group of `world_size` processes, of which this one is number `rank`.

    They meet at `init_method`: `tcp://host:port`, `file:///path`, or `env://`, the default, which reads what torchrun,
    mpiexec or SLURM put into the environment; or in a `store`. Raises ValueError if there is a default group,
    RuntimeError if not all have come within the timeout.
    """
    if GroupMember.WORLD is not None:
        raise ValueError("trying to initialize the default process group twice!")
    name, of_gpus = backends_named(backend)
    timeout = timeout or default_pg_timeout
    if not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    if store is not None and (world_size <= 0 or rank < 0):
        raise AssertionError(
            "world_size must be positive if using store" if world_size <= 0 else "rank must be non-negative"
        )
    if not mpi.installed():
        raise noted(
            RuntimeError("Distributed package doesn't have MPI built in"),
            'python -m pip install "rushlight[distributed]" installs mpi4py and MPICH.',
        )
    if store is None:
        store, rank, world_size = met(init_method or "env://", rank, world_size, timeout)
    if rank >= world_size:
        raise ValueError(f"rank {rank} is not less than world_size {world_size}")
    world = come_together(store, rank, world_size, timeout)
    prefixed = PrefixStore(f"default_pg/{world.line.name}", store)
    GroupMember.WORLD = ProcessGroup(
        world, world.communicator, range(world_size), "0", name, of_gpus, timeout, prefixed, "default_pg"
    )
    GroupMember.WORLD.sums = world.sums
    watch_the_end()


def met(url: str, rank: int, size: int, timeout: timedelta) -> tuple[Store, int, int]:
    """Returns (store, rank, size) where processes meet at a URL, or where mpiexec has put them."""
    placed = url == "env://" and "MASTER_ADDR" not in os.environ
    if placed and any(name in os.environ for name in OF_MPIEXEC):
        return by_mpiexec(timeout)
    return next(iter(rendezvous(url, rank, size, timeout)))


def by_mpiexec(timeout: timedelta) -> tuple[Store, int, int]:
    """Returns the place that mpiexec has given; rank 0 serves a store and tells its address by MPI."""
    world = mpi.start()
    rank = world.Get_rank()
    store = TCPStore(reachable_name(), 0, is_master=True, timeout=timeout) if rank == 0 else None
    address = bytearray((f"{store.host} {store.port}" if store else "").encode().ljust(300))
    wait_for(world.Ibcast((address, 300, mpi.library().BYTE), 0))
    host, port = address.decode().split()
    return store or TCPStore(host, int(port), timeout=timeout), rank, world.Get_size()


def backends_named(backend: str | None) -> tuple[str, str]:
    """Returns the names of the backends for tensors of the CPU and of GPUs, if there may be any of these.

    Raises for one that is not there.
    """
    if backend is None:
        return "gloo", "nccl" if is_nccl_available() else ""
    names = {}
    for each in str(backend).lower().split(","):
        device, colon, name = each.rpartition(":")
        names[device if colon else "cpu"] = name
    name = names.get("cpu", next(iter(names.values())))
    if "nccl" in names.values() and not is_nccl_available():
        raise noted(
            RuntimeError("Distributed package doesn't have NCCL built in"),
            'There is no GPU here. Tensors in the CPU\'s memory need backend="gloo" (or "mpi", or none).',
        )
    if name == "xccl":
        raise RuntimeError("Distributed package doesn't have XCCL built in")
    if name == "ucc":
        raise AssertionError("Unknown c10d backend type UCC")
    if name not in NAMES:
        raise AssertionError(f"Unknown backend type {name}")
    return name, names.get("cuda", name)


# ---- groups


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
) -> ProcessGroup | int:
    """Makes a group of some ranks of the world. All ranks of the world call it, in the same order, also those outside,
    which get `GroupMember.NON_GROUP_MEMBER`; with `use_local_synchronization` only the members do.
    """
    world_group = default_group()
    world = world_group.world
    name, of_gpus = (world_group.backend, world_group.of_gpus) if backend is None else backends_named(backend)
    members = list(range(world.size)) if ranks is None else sorted(ranks)
    check_members(members, world.size)
    world_group.check()
    timeout = timeout or world_group.timeout
    if use_local_synchronization:
        label = f"local/{world.next_local(tuple(members))}"
        if world.rank in members:
            meet(world_group, label, members, timeout)
    else:
        world.groups += 1
        label = str(world.groups)
        agree(world_group, members)
    if world.rank not in members:
        return GroupMember.NON_GROUP_MEMBER
    inside = world.communicator.Get_group().Incl(members)
    communicator = world.communicator.Create_group(inside, tag=1000 + world.groups % 10_000)
    prefixed = PrefixStore(f"group/{label}", world_group.store)
    made = ProcessGroup(world, communicator, members, label, name, of_gpus, timeout, prefixed, group_desc or "")
    GROUPS[label] = made
    return made


def check_members(ranks: list[int], size: int) -> None:
    """Raises ValueError if a rank is there twice, or is not one of the world."""
    if len(set(ranks)) < len(ranks):
        raise ValueError(f"ranks list must not contain duplicate entries, got {ranks}")
    for rank in ranks:
        if not 0 <= rank < size:
            valid = f"Valid ranks are 0 to {size - 1} (world_size={size})"
            raise ValueError(f"Rank {rank} is out of range. {valid}")


def agree(world_group: ProcessGroup, members: list[int]) -> None:
    """Waits until all ranks have come to make the same group: what follows in MPI cannot be waited for with a clock."""
    mask = sum(1 << rank for rank in members) % (1 << 61)
    key = world_group.enter("new_group", "", (len(members),), elements=mask)
    request = world_group.communicator.Ibarrier()
    Work(world_group, "new_group", [request], [], None, key, world_group.others).wait()


def meet(world_group: ProcessGroup, label: str, members: list[int], timeout: timedelta) -> None:
    """Waits until the members have come to make a group of their own. Raises DistStoreError if they do not in time."""
    world, store = world_group.world, world_group.store
    here = [f"group/{label}/{rank}" for rank in members]
    store.set(here[members.index(world.rank)], b"")
    deadline = time.monotonic() + timeout.total_seconds()
    while not store.check(here):
        nobody_is_lost(world.line, world.cards)
        if time.monotonic() > deadline:
            late = [each for each, key in zip(members, here, strict=True) if not store.check([key])]
            milliseconds = round(timeout.total_seconds() * 1000)
            words = f"new_group: {', '.join(map(world.who, late))} did not come within {milliseconds}ms"
            raise DistStoreError(words)
        time.sleep(MEETING)


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Ends a group, or all of them. MPI stays started: a later `init_process_group` of the same processes works."""
    if is_outside(group):
        return
    world_group = GroupMember.WORLD
    target = world_group if group is None else group
    if target is None:
        raise AssertionError("Process group cannot be None")
    if not target.world.failure:
        settle()
    if target is not world_group:
        if GROUPS.pop(target.group_name, None) is None:
            raise ValueError("Invalid process group specified")
        target.destroy()
        return
    for each in list(IN_FLIGHT.values()):
        if not each.test():
            each.abandon()
    IN_FLIGHT.clear()
    for made in [*GROUPS.values(), target]:
        made.destroy()
    GROUPS.clear()
    GroupMember.WORLD = None
    target.world.close()


# ---- the end of the process


class Hooks:
    """Whether the hooks of the end are in place."""

    there = False


def watch_the_end() -> None:
    """Lets the others hear how this process ends."""
    if Hooks.there:
        return
    Hooks.there = True
    atexit.register(say_goodbye)
    before = sys.excepthook

    def tell(kind: type, error: BaseException, trace: Any) -> None:
        if PROCESS.world is not None and not issubclass(kind, (KeyboardInterrupt, DistBackendError)):
            PROCESS.world.line.fail(f"{kind.__name__}: {error}")
        before(kind, error, trace)

    sys.excepthook = tell
    os.register_at_fork(after_in_child=forget)


def say_goodbye() -> None:
    """Says at the end of the process that it has not failed."""
    if PROCESS.world is not None:
        PROCESS.world.leave()
    for server in SERVERS.values():
        server.linger(LINGERING)


def forget() -> None:
    """Leaves the groups to the parent: a forked child is in none of them."""
    world, PROCESS.world = PROCESS.world, None
    if world is not None:
        world.failure = world.failure or "this process was forked from a member of the group, and is none"
        world.line.abandon()
    for server in SERVERS.values():
        server.abandon()
    SERVERS.clear()
    IN_FLIGHT.clear()


# ---- questions


def get_rank(group: ProcessGroup | None = None) -> int:
    """Returns this process's rank in a group; -1 if it is not in it."""
    return -1 if is_outside(group) else (group or default_group()).mine


def get_world_size(group: ProcessGroup | None = None) -> int:
    """Returns the number of processes in a group; -1 if this one is not in it."""
    return -1 if is_outside(group) else len((group or default_group()).ranks)


def get_backend(group: ProcessGroup | None = None) -> str:
    """Returns the name of the backend that the program has asked for."""
    result = member(group)
    return "gloo" if result.backend == "undefined" else result.backend


def get_default_backend_for_device(device: Any) -> str:
    """Returns the name of the backend for a device. Raises ValueError if there is none."""
    kind = str(getattr(device, "type", device)).partition(":")[0]
    if kind not in Backend.default_device_backend_map:
        raise ValueError(f"Default backend not registered for device : {device}")
    return Backend.default_device_backend_map[kind]


def get_backend_config(group: ProcessGroup | None = None) -> str:
    """Returns the backends by device."""
    of_gpus = member(group).of_gpus
    return f"cpu:{get_backend(group)}" + (f",cuda:{of_gpus}" if of_gpus else "")


def member(group: ProcessGroup | None) -> ProcessGroup:
    """Returns a group that this process is in. Raises ValueError if it is in none."""
    if is_outside(group):
        raise ValueError("Invalid process group specified")
    return group or default_group()


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """Returns the ranks in the world of a group's members."""
    return list((group or default_group()).ranks)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """Returns the rank in a group of a rank of the world. Raises ValueError if it is not in it."""
    if global_rank not in group.place:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return group.place[global_rank]


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """Returns the rank in the world of a rank of a group. Raises ValueError if there is none."""
    if not 0 <= group_rank < len(group.ranks):
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return group.ranks[group_rank]


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Returns this process's number on its machine, as its launcher has said. Raises RuntimeError if none has."""
    for name in LOCAL_RANK:
        if name in os.environ:
            return int(os.environ[name])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )


def get_pg_count() -> int:
    """Returns the number of groups."""
    return len(GROUPS) + is_initialized()


def is_torchelastic_launched() -> bool:
    """Whether torchrun has started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def is_gloo_available() -> bool:
    """Whether the backend "gloo" works, which is MPI here."""
    return mpi.installed()


def is_mpi_available() -> bool:
    """Whether the backend "mpi" works."""
    return mpi.installed()


def is_nccl_available() -> bool:
    """Whether backend "nccl" can be chosen: if there is a GPU, real or simulated."""
    return "cuda" in BACKENDS.by_kind


def is_ucc_available() -> bool:
    """Returns False."""
    return False


def is_xccl_available() -> bool:
    """Returns False."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether a backend works."""
    name = Backend(backend)
    return mpi.installed() and (name in ("gloo", "mpi") or (name == "nccl" and is_nccl_available()))
