"""Groups of processes: `ProcessGroup`, the default group, and the numbers by which ranks are called in each."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NoReturn

import numpy as np

from rushlight.core.device import BACKENDS, is_on_gpu
from rushlight.core.errors import noted
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.source_lines import NOWHERE, place_at
from rushlight.core.tensor import Tensor
from rushlight.distributed.account import LOGGER, Account, explained
from rushlight.distributed.by_mpi import Mpi
from rushlight.distributed.by_nccl import Nccl
from rushlight.distributed.calls import kind_of
from rushlight.distributed.comparison import exchanged, in_words
from rushlight.distributed.debug import DebugLevel, get_debug_level
from rushlight.distributed.errors import DistBackendError
from rushlight.distributed.monitored import wait_for_all
from rushlight.distributed.pieces import Pieces
from rushlight.distributed.shared_sums import Sums
from rushlight.distributed.stores import Store
from rushlight.distributed.waiting import failed
from rushlight.distributed.work import IN_FLIGHT, Work
from rushlight.distributed.world import World

__all__ = ["GroupMember", "ProcessGroup", "group"]


class ProcessGroup:
    """Some or all processes of the world, which make collective calls together, in the same order.

    `init_process_group` and `new_group` make groups. `communicator` is MPI's; ranks of the world are in `ranks`.
    """

    __module__ = "torch.distributed"

    def __init__(
        self,
        world: World,
        communicator: Any,
        ranks: Sequence[int],
        name: str,
        backend: str,
        of_gpus: str,
        timeout: timedelta,
        store: Store,
        description: str,
    ) -> None:
        self.world, self.communicator, self.ranks, self.timeout = world, communicator, list(ranks), timeout
        self.store, self.group_name, self.group_desc = store, name, description or "undefined"
        self.backend, self.of_gpus = backend, of_gpus  # for tensors of the CPU, and for those of GPUs
        self.place = {rank: k for k, rank in enumerate(ranks)}  # rank of the world: rank of the group
        self.mine = self.place[world.rank]
        self.number = zlib.crc32(name.encode()) + 1
        self.sequence = 0
        self.others = tuple(rank for rank in ranks if rank != world.rank)
        self.kinds: dict[tuple, int] = {}
        self.sums: Sums | None = None  # of large tensors, where the ranks share memory
        self.unstarted: Pieces | None = None  # of a large reduction, which come before the next call
        self.mpi = Mpi(self)
        self.between_gpus: dict[int, Nccl] = {}  # by the index of this rank's GPU
        self.key: tuple | None = None  # of the last collective call
        self.caller: tuple = NOWHERE  # the line of the program that made the last call
        self.bound_device_id = None
        self.account = Account()
        LOGGER.info("%s: rank %d of %d, backend %s", description or f"group {name}", self.mine, len(ranks), backend)
        self.careful = get_debug_level() is DebugLevel.DETAIL

    def rank(self) -> int:
        """Returns this process's rank in the group."""
        return self.mine

    def size(self) -> int:
        """Returns the number of processes in the group."""
        return len(self.ranks)

    def name(self) -> str:
        """Returns the name of the backend."""
        return self.backend

    def monitored_barrier(self, timeout: timedelta | None = None, wait_all_ranks: bool = False) -> None:
        """Waits until all ranks have called it. Rank 0 raises RuntimeError that names a rank that comes too late."""
        wait_for_all(self, timeout, wait_all_ranks)

    def __str__(self) -> str:
        return "the default group" if self is group.WORLD else f"group {self.group_name} (ranks {self.ranks})"

    def check(self) -> None:
        """Raises RuntimeError if no call can succeed any more."""
        if self.world.failure:
            refuse_failed(self.world.failure)
        if self.communicator is None:
            raise ValueError("Invalid process group: it has been destroyed")

    def begin(self) -> None:
        """Notes the line of the program that sends or receives, at least two calls out; raises as `check` does."""
        self.check()
        self.caller = place_at(2)

    def carrier(self, tensor: Tensor, *others: Tensor) -> Any:
        """Returns what carries the data of a tensor: NCCL between GPUs, if it is the backend and there; else MPI.

        Raises ValueError if NCCL would have to carry the others too, and one is not on the same GPU.
        """
        if type(tensor._array) is np.ndarray or self.of_gpus != "nccl" or not is_on_gpu(beneath(tensor._array)):
            return self.mpi
        gpu: Any = BACKENDS.of(tensor._array)
        carrier = self.between_gpus.get(gpu.index)
        if carrier is None:
            library = gpu.load_nccl and gpu.load_nccl()
            if library is None:
                return self.mpi
            carrier = self.between_gpus[gpu.index] = Nccl(self, gpu, library)
        for other in others:
            if other.device != tensor.device:
                words = f"NCCL sends between GPUs: one tensor is on {tensor.device}, another on {other.device}."
                raise noted(ValueError("Tensors must be CUDA and dense"), words)
        return carrier

    def enter(
        self, name: str, dtype: str, shape: tuple, operator: str = "", root: int = -1, elements: int = 0
    ) -> tuple:
        """Notes the next collective call of the group for the others to see; returns its key."""
        what = (name, dtype, operator, root)
        kind = self.kinds.get(what)
        if kind is None:
            kind = self.kinds[what] = kind_of(*what)
        return self.enter_as(kind, shape, elements)

    def enter_as(self, kind: int, shape: tuple, elements: int) -> tuple[int, int, int]:
        """Notes the next call, whose kind is known; the program is at least three calls out."""
        if self.world.failure or self.communicator is None:
            self.check()
        if self.unstarted is not None:
            self.unstarted.start_all()
        self.sequence = sequence = self.sequence + 1
        self.key = key = sequence, kind, elements
        self.caller = caller = place_at(3)
        self.world.calls.note(self.number, key, shape, caller)
        if self.careful:
            self.compare_first(key)
        return key

    def compare_first(self, key: tuple[int, int, int]) -> None:
        """Raises RuntimeError unless all ranks make the same call."""
        request, rows = exchanged(self.communicator, key, len(self.ranks))
        work = Work(self, "the comparison of calls", [request], [], None, key, self.others)
        work.wait()
        for rank, row in zip(self.ranks, rows, strict=True):
            if tuple(row) != key:
                mine = self.world.calls.at(self.world.rank, self.number, key[0])
                words = f"rank {self.world.rank} called #{key[0]} {mine}, and rank {rank} called {in_words(row)}"
                raise failed(work, f"Ranks have made different calls: {words}")

    def _explained_(self) -> tuple[str, dict, list]:
        """Returns what `rushlight.explain` says of it."""
        return explained(self, [work for work in IN_FLIGHT.values() if work.group is self])

    def destroy(self) -> None:
        """Frees the communicators."""
        communicator, self.communicator = self.communicator, None
        if communicator is not None and not self.world.failure:
            for carrier in self.between_gpus.values():
                carrier.close()
            communicator.Free()


def refuse_failed(failure: str) -> NoReturn:
    """Raises the error of calls after a failure."""
    raise noted(
        DistBackendError(f"The process group has failed: {failure}"),
        "End this process; torchrun --max-restarts starts all of them again.",
    )


class GroupMember:
    """`WORLD` is the default group; `NON_GROUP_MEMBER` is what `new_group` returns to processes outside the group."""

    __module__ = "torch.distributed"
    WORLD: ProcessGroup | None = None
    NON_GROUP_MEMBER = -100


class WorldOfGroups(type):
    """Gives `group.WORLD`, which is set by `init_process_group`."""

    @property
    def WORLD(cls) -> ProcessGroup | None:
        """The default group, or None."""
        return GroupMember.WORLD

    @WORLD.setter
    def WORLD(cls, value: ProcessGroup | None) -> None:
        GroupMember.WORLD = value


class group(metaclass=WorldOfGroups):
    """`group.WORLD` is the default group."""


def default_group() -> ProcessGroup:
    """Returns the default group. Raises ValueError if there is none."""
    result = GroupMember.WORLD
    if result is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return result


def is_outside(group: Any) -> bool:
    """Whether this process is not in a group."""
    return group is GroupMember.NON_GROUP_MEMBER


def inside(group: Any, call: str) -> ProcessGroup | None:
    """Returns a group, or the default group; None after a warning if this process is outside: the call does nothing."""
    if is_outside(group):
        rank = -1 if GroupMember.WORLD is None else GroupMember.WORLD.world.rank
        warnings.warn(f"Running {call} on global rank {rank} which does not belong to the given group.", stacklevel=3)
        return None
    return default_group() if group is None else group


def place_in(group: ProcessGroup, rank: int | None, group_rank: int | None, name: str) -> int | None:
    """Returns the rank in a group of a rank that is named by its number in the world or in the group; None if it is
    not in it. `name` is the parameter's. Raises ValueError unless one of the numbers is given.
    """
    if rank is not None and group_rank is not None:
        raise ValueError(f"Can't specify both group_{name} and {name}")
    if group_rank is not None:
        return group_rank
    if rank is None:
        raise ValueError(f"Must specify {name} or group_{name}")
    return group.place.get(rank)
