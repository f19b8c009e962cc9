"""Collectives in which each rank ends with its part: scatter, gather, reduce_scatter, all_to_all.

https://docs.pytorch.org/docs/stable/distributed.html#collective-functions
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.distributed.buffers import announced, check_tensor, check_tensors
from rushlight.distributed.collectives import check_slots, deprecated, ended, following, into_list, root_in, same_dtype
from rushlight.distributed.process_group import ProcessGroup, inside
from rushlight.distributed.reductions import RedOpType, ReduceOp
from rushlight.distributed.work import Work

__all__ = [
    "all_to_all", "all_to_all_single", "gather", "reduce_scatter", "reduce_scatter_single", "reduce_scatter_tensor",
    "scatter",
]  # fmt: skip


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Writes the tensors of all ranks into `gather_list`, which the rank `dst` gives, in the order of ranks."""
    check_tensor(tensor, "tensor")
    if gather_list:
        check_tensors(gather_list, "gather_list")
        same_dtype(gather_list, tensor)
    group = inside(group, "gather")
    if group is None:
        return None
    root = root_in(group, dst, group_dst, "dst", "gather", default=0)
    mine = group.mine == root
    slots = gather_list or []
    check_given(mine, slots, "gather_list", "destination")
    if mine:
        check_length("gather", "output", slots, len(group.ranks))
        check_slots(slots, tensor, len(group.ranks), "gather", "output tensor list")
    carrier = group.carrier(tensor, *slots)
    source = carrier.packed(tensor)
    key = group.enter("gather", tensor.dtype.name, tensor._array.shape, root=root, elements=source.size)
    memory = carrier.empty(source.size * len(slots), source) if mine else None
    fill = into_list(slots, carrier)
    request = carrier.gather(source, memory, root)
    finish = partial(fill, memory) if mine else None
    return ended(Work(group, "gather", [request], slots, finish, key, group.others, source.nbytes), async_op)


def check_given(mine: bool, values: Sequence[Any] | None, name: str, root: str) -> None:
    """Raises ValueError unless the root, and no other rank, gives a list."""
    if mine != bool(values):
        place, verb = (f"{root} rank", "must") if mine else (f"non-{root} ranks", "must NOT")
        raise ValueError(f"Argument ``{name}`` {verb} be specified on {place}.")


def check_length(call: str, what: str, tensors: Sequence[Tensor], size: int) -> None:
    """Raises RuntimeError unless there is one tensor for each rank."""
    if len(tensors) != size:
        raise RuntimeError(
            f"ProcessGroupGloo::{call}: Incorrect {what} list size {len(tensors)}. {what.capitalize()} list size "
            f"should be {size}, same as size of the process group."
        )


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Writes into `tensor` this rank's element of `scatter_list`, which the rank `src` gives."""
    check_tensor(tensor, "tensor")
    if scatter_list:
        check_tensors(scatter_list, "scatter_list")
        same_dtype(scatter_list, tensor)
    group = inside(group, "scatter")
    if group is None:
        return None
    root = root_in(group, src, group_src, "src", "scatter", default=0)
    mine = group.mine == root
    source = scatter_list or []
    check_given(mine, source, "scatter_list", "source")
    if mine:
        check_length("scatter", "input", source, len(group.ranks))
        check_slots(source, tensor, len(group.ranks), "scatter", "input tensor list")
    array, carrier = tensor._array, group.carrier(tensor, *source)
    key = group.enter("scatter", tensor.dtype.name, array.shape, root=root, elements=array.size)
    memory, own = carrier.memory_of(announced(tensor))
    request = carrier.scatter(carrier.together(source) if mine else None, memory, root)
    finish = partial(carrier.written, tensor, memory, own)
    return ended(Work(group, "scatter", [request], [tensor], finish, key, group.others, memory.nbytes), async_op)


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: RedOpType = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Combines the lists of all ranks elementwise and writes this rank's element into `output`."""
    check_tensor(output, "output")
    check_tensors(input_list, "input_list")
    same_dtype(input_list, output)
    group = inside(group, "reduce_scatter")
    if group is None:
        return None
    check_slots(input_list, output, len(group.ranks), "reduce_scatter", "input tensor list")
    carrier = group.carrier(output, *input_list)
    return ended(scattering_sums(output, carrier.together(input_list), op, group, carrier), async_op)


def reduce_scatter_single(
    output: Tensor,
    input: Tensor,
    op: RedOpType = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Combines the inputs of all ranks elementwise and writes this rank's equal part of the result into `output`."""
    check_tensor(output, "output")
    check_tensor(input, "input")
    same_dtype([input], output)
    group = inside(group, "reduce_scatter_tensor")
    if group is None:
        return None
    if input.numel() != len(group.ranks) * output.numel():
        words = f"Check failed: output elements * world size == input elements ({output.numel()} * {len(group.ranks)} "
        raise RuntimeError(f"{words}vs. {input.numel()})")
    carrier = group.carrier(output, input)
    return ended(scattering_sums(output, carrier.packed(input), op, group, carrier), async_op)


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: RedOpType = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """The older name of `reduce_scatter_single`."""
    deprecated("reduce_scatter_tensor", "reduce_scatter_single")
    return reduce_scatter_single(output, input, op, group, async_op)


def scattering_sums(output: Tensor, source: Any, op: Any, group: ProcessGroup, carrier: Any) -> Work:
    """Starts a reduce_scatter."""
    name = carrier.checked(op, source.dtype, "reduce_scatter")
    array = output._array
    key = group.enter("reduce_scatter", output.dtype.name, array.shape, name, elements=array.size)
    memory, own = carrier.memory_of(announced(output))
    if (factor := getattr(op, "factor", None)) is not None:
        source = carrier.scaled(source, factor)
    request, then = carrier.reduce_scatter(carrier.apart(source, memory), memory, name)
    finish = following(then, partial(carrier.written, output, memory, own))
    return Work(group, "reduce_scatter", [request], [output], finish, key, group.others, source.nbytes)


def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Sends element k of the input list to rank k, and receives one tensor from each rank."""
    check_tensors(output_tensor_list, "output_tensor_list")
    check_tensors(input_tensor_list, "input_tensor_list")
    same_dtype(output_tensor_list, (output_tensor_list + input_tensor_list)[0])
    same_dtype(input_tensor_list, (output_tensor_list + input_tensor_list)[0])
    group = inside(group, "all_to_all")
    if group is None:
        return None
    for name, tensors in (("input", input_tensor_list), ("output", output_tensor_list)):
        if len(tensors) != len(group.ranks):
            raise RuntimeError(f"all_to_all: expected {len(group.ranks)} {name} tensors, got {len(tensors)}")
    carrier = group.carrier(*input_tensor_list, *output_tensor_list)
    source = carrier.together(input_tensor_list)
    sizes = [each.numel() for each in output_tensor_list]
    memory = carrier.empty(sum(sizes), source)
    for each in output_tensor_list:
        announced(each)

    def finish(place: tuple) -> None:
        for tensor, end in zip(output_tensor_list, accumulate(sizes), strict=True):
            carrier.written(tensor, memory[end - tensor.numel() : end], False, place)

    sent = [each.numel() for each in input_tensor_list]
    return ended(exchanging(source, sent, memory, sizes, group, carrier, output_tensor_list, finish), async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Sends the rows of `input` to the ranks in turn, and receives rows of each into `output`.

    Without split sizes every rank gets equally many rows.
    """
    check_tensor(output, "output")
    check_tensor(input, "input")
    same_dtype([input], output)
    group = inside(group, "all_to_all_single")
    if group is None:
        return None
    sent = elements_of(input, input_split_sizes, len(group.ranks))
    taken = elements_of(output, output_split_sizes, len(group.ranks))
    carrier = group.carrier(input, output)
    memory, own = carrier.memory_of(announced(output))
    finish = partial(carrier.written, output, memory, own)
    return ended(exchanging(carrier.packed(input), sent, memory, taken, group, carrier, [output], finish), async_op)


def elements_of(tensor: Tensor, rows: list[int] | None, size: int) -> list[int]:
    """Returns how many elements go to each rank. Raises RuntimeError if the rows do not add up."""
    count = tensor.shape[0] if tensor.dim() else 1
    if not rows:
        if count % size:
            words = f"There are {count} rows and {size} ranks."
            raise noted(RuntimeError("Tensor's dim 0 does not divide equally across group size"), words)
        rows = [count // size] * size
    if len(rows) != size:
        words = f"There are {len(rows)} splits and {size} ranks."
        raise noted(RuntimeError("Number of tensor splits not equal to group size"), words)
    if sum(rows) != count:
        words = f"The splits {rows} have {sum(rows)} rows, and the tensor {count}."
        raise noted(RuntimeError("Split sizes doesn't match total dim 0 size"), words)
    each = tensor.numel() // count if count else 0
    return [n * each for n in rows]


def exchanging(
    source: Any,
    sent: list[int],
    memory: Any,
    taken: list[int],
    group: ProcessGroup,
    carrier: Any,
    results: list[Tensor],
    write: Callable[[tuple], None],
) -> Work:
    """Starts an all_to_all of parts of these sizes. They differ between ranks, so each tells the others its own."""
    key = group.enter("all_to_all", results[0].dtype.name, source.shape)
    mine, expected = np.array(sent, np.int64), np.empty(len(sent), np.int64)
    sizes = group.communicator.Ialltoall(group.mpi.in_bytes(mine, 8), group.mpi.in_bytes(expected, 8))
    data = carrier.all_to_all(carrier.apart(source, memory), sent, memory, taken)

    def finish(place: tuple) -> None:
        if (wrong := different(expected, taken)) is not None:
            rank, words = group.ranks[wrong], f"{expected[wrong]} elements, and {taken[wrong]} are expected from it"
            raise work.refused(f"rank {rank} sends rank {group.world.rank} {words}")
        write(place)

    work = Work(group, "all_to_all", [sizes, data], results, finish, key, group.others, source.nbytes + memory.nbytes)
    return work


def different(came: np.ndarray, expected: Sequence[int]) -> int | None:
    """Returns the first place at which numbers differ, or None."""
    return next((k for k, each in enumerate(expected) if came[k] != each), None)
