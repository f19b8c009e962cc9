"""What carries the data of a group's collectives between GPUs: CuPy's NCCL. Not yet run on a GPU.

Calls are queued on a stream of NCCL's own, after what the program has queued so far, and their requests are done when
the stream has come to their end. https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from threading import Thread
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.dtype import SCALAR_NAMES, from_numpy_dtype
from rushlight.core.errors import noted
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.tensor import Tensor
from rushlight.distributed.buffers import written
from rushlight.distributed.calls import kind_of
from rushlight.distributed.errors import DistBackendError
from rushlight.distributed.operators import known_operator
from rushlight.distributed.reductions import ReduceOp
from rushlight.distributed.work import Work

__all__ = ["Message", "Nccl"]

TYPES = {
    "bool": "UINT8", "uint8": "UINT8", "int8": "INT8", "int32": "INT32", "uint32": "UINT32", "int64": "INT64",
    "uint64": "UINT64", "float16": "FLOAT16", "bfloat16": "BFLOAT16", "float32": "FLOAT32", "float64": "FLOAT64",
    "complex64": "FLOAT32", "complex128": "FLOAT64",
}  # fmt: skip
OPERATORS = {"SUM": "SUM", "AVG": "AVG", "PRODUCT": "PROD", "MIN": "MIN", "MAX": "MAX", "PREMUL_SUM": "SUM"}
SCALED = frozenset(("float16", "bfloat16", "float32", "float64"))  # dtypes that a factor is multiplied with


class Message(NamedTuple):
    """Memory that is sent to a rank of the group, or received from it."""

    sends: bool
    memory: Any
    rank: int


class Nccl:
    """A communicator of NCCL's: between one GPU of each rank of a group. It is made by the first call."""

    def __init__(self, group: Any, gpu: Any, library: Any) -> None:
        self.group, self.gpu, self.library, self.cupy = group, gpu, library, gpu.cupy
        self.size, self.name = len(group.ranks), f"nccl/{len(group.between_gpus)}"
        self.communicator: Any = None
        self.stream: Any = None
        self.given_up = False
        self.plans: dict[tuple, tuple] = {}  # of all_reduce, by operator and dtype

    # ---- the communicator

    def open(self) -> None:
        """Makes the communicator, for which NCCL waits for all ranks. Raises RuntimeError if they do not come."""
        group = self.group
        if group.mine == 0:
            group.store.set(self.name, self.library.get_unique_id())
        opening = Opening(self)
        Work(group, "the start of NCCL", [opening], [], None, group.key, group.others).wait()
        self.communicator = opening.communicator
        with self.gpu.entered():
            self.stream = self.cupy.cuda.Stream(non_blocking=True)
        group.world.between_gpus.append(self)

    def close(self) -> None:
        """Ends the communicator, after its last call."""
        self.given_up = True
        if self.communicator is not None:
            self.communicator.destroy()

    def give_up(self) -> None:
        """Ends the communicator after a failure, with the calls that wait for other ranks."""
        if not self.given_up:
            self.given_up = True
            self.communicator.abort()

    def queued(self, call: Callable[[Any, int], Any], *memory: Any) -> Queued:
        """Queues a call, which is given the communicator and the stream; `memory` is kept until it is done."""
        if self.communicator is None:
            self.open()
        with self.gpu.entered():
            self.stream.wait_event(self.mark(self.cupy.cuda.get_current_stream()))
            try:
                call(self.communicator, self.stream.ptr)
            except RuntimeError as error:  # NCCL's
                raise self.failed(error) from error
            return Queued(self, self.mark(self.stream), memory)

    def mark(self, stream: Any) -> Any:
        """Returns an event that a stream has recorded."""
        event = self.cupy.cuda.Event(disable_timing=True)
        event.record(stream)
        return event

    def failed(self, error: Exception) -> Exception:
        """Returns the error for one of NCCL's; no call can succeed after it."""
        words = f"NCCL error: {error}"
        self.group.world.fail(words)
        return noted(
            DistBackendError(words),
            "NCCL_DEBUG=WARN shows more. Each process needs a GPU of its own: "
            'torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))',
        )

    # ---- memory

    def flat(self, tensor: Tensor) -> tuple[Any, bool]:
        """Returns a tensor's elements in order, and whether they are in its own memory."""
        array = plain(tensor._array)
        own = array is tensor._array and array.flags.c_contiguous
        return self.cupy.ascontiguousarray(array.view(type=self.cupy.ndarray)).reshape(-1), own

    def packed(self, tensor: Tensor) -> Any:
        """Returns the elements in order, 1-d: the tensor's own memory if it is contiguous, else a copy."""
        return self.to_change(tensor)[0]

    def to_change(self, tensor: Tensor) -> tuple[Any, bool]:
        """Returns a tensor's elements in memory that a call changes, and whether it is the tensor's own."""
        with self.gpu.entered():
            return self.flat(tensor)

    def memory_of(self, tensor: Tensor) -> tuple[Any, bool]:
        """Returns memory for what is received, and whether it is the tensor's own; `written` copies it otherwise."""
        with self.gpu.entered():
            array = tensor._array
            if plain(array) is array and array.flags.c_contiguous:
                return self.flat(tensor)
            return self.cupy.empty(array.size, tensor.dtype.numpy), False

    def empty(self, size: int, alike: Any) -> Any:
        """Returns memory of so many elements, of the dtype of another."""
        with self.gpu.entered():
            return self.cupy.empty(size, alike.dtype)

    def together(self, tensors: Sequence[Tensor]) -> Any:
        """Returns the elements of several tensors, one after the other."""
        with self.gpu.entered():
            return self.cupy.concatenate([self.flat(each)[0] for each in tensors])

    def apart(self, source: Any, memory: Any) -> Any:
        """Returns what is sent, or a copy if it is in the memory that is received to."""
        begin, other = source.data.ptr, memory.data.ptr
        if begin >= other + memory.nbytes or other >= begin + source.nbytes:
            return source
        with self.gpu.entered():
            return source.copy()

    def written(self, tensor: Tensor, memory: Any, own: bool, place: tuple) -> None:
        """Counts a write to a tensor, after copying what was received if that is in other memory."""
        with self.gpu.entered():
            written(tensor, memory, own, place)

    # ---- calls that move numbers

    def broadcast(self, memory: Any, root: int) -> Queued:
        """Sends the memory of one rank into that of the others."""
        at, size = memory.data.ptr, memory.nbytes
        return self.queued(lambda nccl, stream: nccl.broadcast(at, at, size, self.byte, root, stream), memory)

    def all_gather(self, source: Any, memory: Any) -> Queued:
        """Sends what each rank has to all, where it is put one after the other."""
        call = source.data.ptr, memory.data.ptr, source.nbytes, self.byte
        return self.queued(lambda nccl, stream: nccl.allGather(*call, stream), source, memory)

    def gather(self, source: Any, memory: Any, root: int) -> Queued:
        """Sends what each rank has to one, which gives the memory for it."""
        messages = [Message(True, source, root)]
        if memory is not None:
            messages += self.parts(False, memory, [source.size] * self.size)
        return self.exchange(messages)

    def scatter(self, source: Any, memory: Any, root: int) -> Queued:
        """Sends each rank its part of what one has."""
        messages = [Message(False, memory, root)]
        if source is not None:
            messages += self.parts(True, source, [memory.size] * self.size)
        return self.exchange(messages)

    def all_to_all(self, source: Any, sent: list[int], memory: Any, taken: list[int]) -> Queued:
        """Sends parts of these numbers of elements to the ranks, and receives others from them."""
        return self.exchange([*self.parts(True, source, sent), *self.parts(False, memory, taken)])

    def parts(self, sends: bool, memory: Any, sizes: Sequence[int]) -> list[Message]:
        """Returns messages of parts of memory, one after the other, with each rank."""
        ends = list(accumulate(sizes))
        return [
            Message(sends, memory[end - size : end], rank)
            for rank, (size, end) in enumerate(zip(sizes, ends, strict=True))
        ]

    def exchange(self, messages: Sequence[Message]) -> Queued:
        """Sends and receives several messages at once."""

        def call(nccl: Any, stream: int) -> None:
            self.library.groupStart()
            try:
                for sends, memory, rank in messages:
                    (nccl.send if sends else nccl.recv)(memory.data.ptr, memory.nbytes, self.byte, rank, stream)
            finally:
                self.library.groupEnd()

        return self.queued(call, messages)

    @property
    def byte(self) -> int:
        """NCCL's number for bytes."""
        return self.library.NCCL_UINT8

    # ---- calls that combine numbers

    def checked(self, op: Any, dtype: np.dtype, call: str) -> str:
        """Returns the name of an operator. Raises if NCCL does not have it for a dtype, before anything is sent."""
        if isinstance(op, ReduceOp) and op.factor is not None:
            if dtype.name not in SCALED:
                raise TypeError("PreMulSum Data type must be half, float, bfloat16 or double")
            return op.op.name
        name = known_operator(op, dtype, call).name
        if name not in OPERATORS:
            raise ValueError(f"Cannot use ReduceOp.{name} with NCCL")
        if dtype.name not in TYPES:
            kind = SCALAR_NAMES[from_numpy_dtype(dtype)]
            raise TypeError(f"Input tensor data type is not supported for NCCL process group: {kind}")
        if dtype == np.bool_ and name == "AVG":
            raise TypeError("Cannot use ReduceOp.AVG with boolean inputs")
        return name

    def scaled(self, source: Any, factor: Any, in_place: bool = False) -> Any:
        """Returns the numbers of a rank times the factor of its operator: CuPy has no operator of NCCL's with one."""
        with self.gpu.entered():
            if isinstance(factor, Tensor):
                factor = plain(factor._array).view(type=self.cupy.ndarray).reshape(()).astype(source.dtype)
            else:
                factor = source.dtype.type(factor)
            return self.cupy.multiply(source, factor, out=source if in_place else None)

    def planned(self, tensor: Tensor, op: Any) -> tuple:
        """Returns what all_reduce needs for an operator and a dtype: (name, kind)."""
        dtype = tensor.dtype.numpy
        name = self.checked(op, dtype, "all_reduce")
        plan = self.plans[op, dtype] = name, kind_of("all_reduce", tensor.dtype.name, name)
        return plan

    def all_reduce(self, memory: Any, plan: tuple) -> tuple[Queued, None]:
        """Combines the memory of all ranks, in place."""
        call = memory.data.ptr, memory.data.ptr, *self.numbers(memory, plan[0])
        return self.queued(lambda nccl, stream: nccl.allReduce(*call, stream), memory), None

    def reduce(self, source: Any, memory: Any, name: str, root: int) -> tuple[Queued, None]:
        """Combines what all ranks have, in the memory of one."""
        call = source.data.ptr, (source if memory is None else memory).data.ptr, *self.numbers(source, name), root
        return self.queued(lambda nccl, stream: nccl.reduce(*call, stream), source, memory), None

    def reduce_scatter(self, source: Any, memory: Any, name: str) -> tuple[Queued, None]:
        """Combines what all ranks have, and gives each rank its part."""
        call = source.data.ptr, memory.data.ptr, *self.numbers(memory, name)
        return self.queued(lambda nccl, stream: nccl.reduceScatter(*call, stream), source, memory), None

    def numbers(self, memory: Any, name: str) -> tuple[int, int, int]:
        """Returns the count of elements, and NCCL's constants for their type and an operator.

        A complex number counts as two; a sum of booleans, bytes of 0 and 1, is their maximum.
        """
        dtype = memory.dtype
        operator = "MAX" if dtype == np.bool_ and name == "SUM" else OPERATORS[name]
        of_library = vars(self.library)
        count = memory.size * (1 + (dtype.kind == "c"))
        return count, of_library[f"NCCL_{TYPES[dtype.name]}"], of_library[f"NCCL_{operator}"]


class Queued:
    """A request: a call that is queued on a stream."""

    library = "NCCL"

    def __init__(self, carrier: Nccl, event: Any, memory: tuple) -> None:
        self.carrier, self.event, self.memory = carrier, event, memory

    def Test(self) -> bool:
        """Whether the stream has come to the end of the call. Raises RuntimeError if NCCL has failed."""
        if self.carrier.given_up:
            raise RuntimeError("the communicator has been given up")
        if self.event.done:
            return True
        self.carrier.communicator.check_async_error()
        return False

    def follow(self) -> None:
        """Lets the program's stream wait for the end of the call."""
        with self.carrier.gpu.entered():
            self.carrier.cupy.cuda.get_current_stream().wait_event(self.event)


class Opening:
    """A request that is done when NCCL has made a communicator, in a thread: it blocks until all ranks have come."""

    def __init__(self, carrier: Nccl) -> None:
        self.carrier = carrier
        self.thread: Thread | None = None
        self.communicator: Any = None
        self.failure: Exception | None = None

    def Test(self) -> bool:
        """Whether the communicator is there."""
        if self.thread is None:
            store, name = self.carrier.group.store, self.carrier.name
            if not store.check([name]):
                return False
            self.thread = Thread(target=self.make, args=(store.get(name),), name="rushlight-nccl", daemon=True)
            self.thread.start()
        if self.thread.is_alive():
            return False
        if self.failure is not None:
            raise self.carrier.failed(self.failure)
        return True

    def make(self, identity: bytes) -> None:
        """Makes the communicator, with its GPU as the current one."""
        carrier = self.carrier
        try:
            carrier.cupy.cuda.Device(carrier.gpu.index).use()
            self.communicator = carrier.library.NcclCommunicator(carrier.size, identity, carrier.group.mine)
        except RuntimeError as error:
            self.failure = error
