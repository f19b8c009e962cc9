"""PowerSGD: sends a gradient matrix as the product of two thin ones (Vogels, Karimireddy and Jaggi, 2019).

    M (n, m)  ~  P Q^T        P (n, r), Q (m, r):  r (n + m) numbers instead of n m

Each step: P = M Q, added up over processes and orthogonalized; Q = M^T P, averaged. What the product leaves out is
added to the gradient of the next step (`use_error_feedback`), and Q is where the next step begins (`warm_start`).

A hook waits for its communication before it returns. So the order of calls is that of the buckets in every process; a
callback would run whenever it happens to be called, and MPI pairs calls by their order.
https://docs.pytorch.org/docs/stable/ddp_comm_hooks.html#powersgd-communication-hook
"""

# ruff: noqa: N802, N803  # PyTorch's names

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight import distributed as dist
from rushlight import linalg
from rushlight._generated import functions as F
from rushlight.core.dtype import bfloat16, float16
from rushlight.core.generator import Generator
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros
from rushlight.create.random import randn
from rushlight.distributed.algorithms.ddp_comm_hooks.default_hooks import averaged
from rushlight.distributed.buckets import GradBucket, parts
from rushlight.futures import Future

__all__ = ["PowerSGDState", "batched_powerSGD_hook", "powerSGD_hook"]


class PowerSGDState:
    """The settings of PowerSGD, and what it keeps from step to step.

    `matrix_approximation_rank` is r above. Up to step `start_powerSGD_iter`, which is at least 2, gradients are
    averaged as they are. A matrix is compressed if that makes it smaller by more than `min_compression_rate`. With
    `orthogonalization_epsilon` columns of zeros are allowed. Matrices are computed one by one, with
    `batch_tensors_with_same_shape` or without. Raises ValueError for a start before step 2 with
    `use_error_feedback` or `warm_start`: buckets are rebuilt after the first step.
    """

    __slots__ = [
        "batch_tensors_with_same_shape", "compression_stats_logging_frequency", "error_dict", "iter",
        "matrix_approximation_rank", "min_compression_rate", "next_stats_report", "orthogonalization_epsilon",
        "p_memory_dict", "process_group", "q_memory_dict", "rng", "start_powerSGD_iter",
        "total_numel_after_compression", "total_numel_before_compression", "use_error_feedback", "warm_start",
    ]  # fmt: skip

    def __init__(
        self,
        process_group: Any,
        matrix_approximation_rank: int = 1,
        start_powerSGD_iter: int = 1_000,
        min_compression_rate: float = 2,
        use_error_feedback: bool = True,
        warm_start: bool = True,
        orthogonalization_epsilon: float = 0,
        random_seed: int = 0,
        compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ) -> None:
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError(
                "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, because PowerSGD "
                "can only be applied after the first two iterations in DDP."
            )
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.use_error_feedback, self.warm_start = use_error_feedback, warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.rng = np.random.RandomState(random_seed)
        self.error_dict: dict[int, Tensor] = {}
        self.p_memory_dict: dict[int, Tensor] = {}
        self.q_memory_dict: dict[int, Tensor] = {}
        self.iter = self.next_stats_report = 0
        self.total_numel_before_compression = self.total_numel_after_compression = 0
        self.compression_stats_logging_frequency = max(1, compression_stats_logging_frequency)
        self.batch_tensors_with_same_shape = batch_tensors_with_same_shape

    def __getstate__(self) -> dict[str, Any]:
        return {slot: getattr(self, slot) for slot in self.__slots__ if slot != "process_group"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.process_group = dist.group.WORLD
        for slot, value in state.items():
            setattr(self, slot, value)

    def maybe_increase_iter(self, bucket: GradBucket) -> None:
        """Counts a step at its last bucket."""
        if bucket.is_last():
            self.iter += 1

    def compression_stats(self) -> tuple[float, int, int]:
        """Returns how many times fewer numbers were sent, and the numbers before and after compression."""
        before, after = self.total_numel_before_compression, self.total_numel_after_compression
        return (before / after if after > 0 else 0), before, after

    def begins(self, index: int) -> bool:
        """Whether the factors of a bucket have to be drawn, as none are kept."""
        return not self.warm_start or index not in self.q_memory_dict

    def with_error(self, index: int, flat: Tensor) -> Tensor | None:
        """Adds what the last step left out to the gradients, and returns a copy to compare with."""
        if not self.use_error_feedback:
            return None
        if index in self.error_dict:
            flat.add_(self.error_dict[index])
        return flat.clone()

    def end(self, bucket: GradBucket, flat: Tensor, whole: Tensor | None) -> None:
        """Keeps what is needed in the next step."""
        if whole is not None:
            self.error_dict[bucket.index()] = whole - flat
        if not self.warm_start:
            self.p_memory_dict.clear()
            self.q_memory_dict.clear()
        self.maybe_increase_iter(bucket)


def powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future[Tensor]:
    """Averages each gradient matrix by PowerSGD; gradients that it would not make smaller are averaged as they are.

    Gradients with more than two dimensions are matrices with the first dimension as rows.
    """
    flat, index = bucket.buffer(), bucket.index()
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return averaged(state.process_group, flat)
    group = dist.group.WORLD if state.process_group is None else state.process_group
    whole = state.with_error(index, flat)
    matrices, rest = split(state, bucket.gradients())
    ranks = [min(*matrix.shape[1:], state.matrix_approximation_rank) for matrix in matrices]
    draws = state.begins(index)
    ps = kept(state.p_memory_dict, index, flat, [(*m.shape[:2], r) for m, r in zip(matrices, ranks, strict=True)])
    qs = kept(
        state.q_memory_dict, index, flat, [(m.shape[0], m.shape[2], r) for m, r in zip(matrices, ranks, strict=True)]
    )
    if draws:
        draw(state, qs)
    compress_all(state, group, index, matrices, ps, qs, together(rest, flat))
    state.end(bucket, flat, whole)
    return finished(flat)


def split(state: PowerSGDState, gradients: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
    """Returns the gradients that compression makes smaller, as batches of one matrix, and the others. Counts both."""
    matrices, rest = [], []
    for gradient in gradients:
        matrix = gradient.view(gradient.shape[0] if gradient.ndim else 1, -1)
        rows, columns = matrix.shape
        sent = (rows + columns) * min(rows, columns, state.matrix_approximation_rank)
        worth = sent * state.min_compression_rate < rows * columns
        state.total_numel_before_compression += rows * columns
        state.total_numel_after_compression += sent if worth else rows * columns
        if worth:
            matrices.append(matrix.unsqueeze(0))
        else:
            rest.append(gradient)
    shapes = [matrix.shape for matrix in matrices]
    return sorted(matrices, key=lambda matrix: shapes.index(matrix.shape)), rest  # as PyTorch draws their factors


def kept(memory: dict[int, Tensor], index: int, flat: Tensor, shapes: list[tuple[int, ...]]) -> list[Tensor]:
    """Returns factors of these shapes as views of the memory of a bucket, made if there is none."""
    if index not in memory:
        memory[index] = zeros(sum(map(math.prod, shapes)), dtype=flat.dtype, device=flat.device)
    return parts(memory[index], shapes)


def draw(state: PowerSGDState, factors: list[Tensor]) -> None:
    """Fills factors with random numbers, the same in all processes; the program's generator is left alone."""
    generator = Generator().manual_seed(int(state.rng.randint(1_000_000_000)))
    for factor in factors:
        factor.copy_(randn(*factor.shape, dtype=factor.dtype, generator=generator))


def together(tensors: list[Tensor], flat: Tensor) -> tuple[list[Tensor], Tensor]:
    """Returns tensors and one flat tensor with their values."""
    empty = zeros(0, dtype=flat.dtype, device=flat.device)
    return tensors, F.cat([each.reshape(-1) for each in tensors]) if tensors else empty


def compress_all(
    state: PowerSGDState,
    group: Any,
    index: int,
    matrices: list[Tensor],
    ps: list[Tensor],
    qs: list[Tensor],
    rest: tuple[list[Tensor], Tensor],
) -> None:
    """Replaces matrices by the average over processes of their approximations, and `rest` by its plain average."""
    for matrix, p, q in zip(matrices, ps, qs, strict=True):
        orthogonalize(q, state.orthogonalization_epsilon)
        p.copy_(F.bmm(matrix, q))
    tensors, values = rest
    works: list[Any] = [
        dist.all_reduce(each, group=group, async_op=True) for each in (values, state.p_memory_dict[index])
    ]
    works[0].wait()
    values.div_(group.size())
    for each, average in zip(tensors, parts(values, [each.shape for each in tensors]), strict=True):
        each.copy_(average)
    works[1].wait()
    for matrix, p, q in zip(matrices, ps, qs, strict=True):
        orthogonalize(p, state.orthogonalization_epsilon)
        q.copy_(F.bmm(matrix.transpose(1, 2), p))
    dist.all_reduce(state.q_memory_dict[index], group=group)
    state.q_memory_dict[index].div_(group.size())
    for matrix, p, q in zip(matrices, ps, qs, strict=True):
        matrix.copy_(F.bmm(p, q.transpose(1, 2)))


def orthogonalize(matrices: Tensor, epsilon: float = 0) -> None:
    """Makes the columns of matrices (batch, n, r) orthonormal, in place."""
    if matrices.shape[2] > 2 and matrices.dtype not in (float16, bfloat16):
        matrices.copy_(linalg.qr(matrices)[0])
        return
    for number in range(matrices.shape[2]):
        column = matrices[:, :, number : number + 1]
        column /= F.norm(column, dim=1, keepdim=True) + epsilon
        later = matrices[:, :, number + 1 :]
        later -= F.sum(column * later, dim=1, keepdim=True) * column


def batched_powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future[Tensor]:
    """Averages all gradients of a bucket by PowerSGD as one square matrix: faster than by parameter, and coarser."""
    flat, index = bucket.buffer(), bucket.index()
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return averaged(state.process_group, flat)
    group = dist.group.WORLD if state.process_group is None else state.process_group
    side = math.ceil(math.sqrt(flat.numel()))
    rank = state.matrix_approximation_rank
    state.total_numel_before_compression += flat.numel()
    state.total_numel_after_compression += side * rank * 2
    padded = zeros(side * side, dtype=flat.dtype, device=flat.device)
    padded[: flat.numel()] = flat
    whole = state.with_error(index, padded)
    draws = state.begins(index)
    ps, qs = (kept(memory, index, flat, [(1, side, rank)]) for memory in (state.p_memory_dict, state.q_memory_dict))
    if draws:
        draw(state, qs)
    compress_all(state, group, index, [padded.view(1, side, side)], ps, qs, together([], flat))
    flat.copy_(padded[: flat.numel()])
    state.end(bucket, padded, whole)
    return finished(flat)


def finished(flat: Tensor) -> Future[Tensor]:
    """Returns a future that is done."""
    future: Future[Tensor] = Future()
    future.set_result(flat)
    return future
