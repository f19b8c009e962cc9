"""`BlockMask`: the blocks of a matrix of scores that are computed, by rows and by columns.

A list of blocks is a pair of tensors: the number of blocks in each row, and a matrix of column indices. A row of the
matrix starts with the indices of its blocks; the remaining entries are unused.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, NoReturn

from rushlight._generated import functions as F
from rushlight.core import dtype as dtypes
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros
from rushlight.create.ranges import arange

DEFAULT_SIZE = 128
LISTS = ("kv", "full_kv", "q", "full_q")  # blocks by rows, blocks by rows without masked elements, and both by columns
TENSORS = tuple(f"{name}_{part}" for name in LISTS for part in ("num_blocks", "indices"))
MaskMod = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """The mask that masks nothing out."""
    return batch.new_ones(size=(), dtype=dtypes.bool, device=batch.device)


def _sliced_mask_mod_error(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> NoReturn:
    """The `mask_mod` of a slice of a mask, whose positions differ. Raises RuntimeError."""
    raise noted(
        RuntimeError("Cannot use mask_mod from a sliced BlockMask. "),
        "Set the part's mask_mod to a function of its own positions, made from the whole mask's mask_mod.",
    )


class BlockMask:
    """Which blocks of the scores of queries (rows) and keys (columns) are computed; `mask_mod` decides within them.

    `create_block_mask` makes one from a function. https://docs.pytorch.org/docs/stable/nn.attention.flex_attention.html
    """

    # The order in which a GPU kernel of PyTorch accumulates gradients of queries.
    dq_write_order = dq_write_order_full = dq_kv_order = dq_kv_order_spt = None

    def __init__(
        self,
        seq_lengths: tuple[int, int],
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None,
        q_num_blocks: Tensor | None,
        q_indices: Tensor | None,
        full_q_num_blocks: Tensor | None,
        full_q_indices: Tensor | None,
        BLOCK_SIZE: tuple[int, int] = (DEFAULT_SIZE, DEFAULT_SIZE),
        mask_mod: MaskMod = noop_mask,
    ) -> None:
        check_lists(kv_indices, full_kv_num_blocks, full_kv_indices)
        if (full_q_num_blocks is None) != (full_q_indices is None):
            raise AssertionError("full_q_num_blocks and full_q_indices must be both provided or omitted")
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.BLOCK_SIZE = BLOCK_SIZE
        self.mask_mod = mask_mod

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = DEFAULT_SIZE,
        mask_mod: MaskMod | None = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
    ) -> BlockMask:
        """Builds a mask from its lists by rows; computes those by columns.

        Raises RuntimeError for lists of fewer than two dimensions, AssertionError for half of a list.
        """
        check_lists(kv_indices, full_kv_num_blocks, full_kv_indices)
        rows, columns = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
        if seq_lengths is None:
            seq_lengths = kv_indices.shape[-2] * rows, kv_indices.shape[-1] * columns
        full = None if full_kv_num_blocks is None or full_kv_indices is None else (full_kv_num_blocks, full_kv_indices)
        in_columns: tuple = transposed(kv_num_blocks, kv_indices) if compute_q_blocks else (None, None)
        full_in_columns: tuple = transposed(*full) if full and compute_q_blocks else (None, None)
        lists = (kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, *in_columns, *full_in_columns)
        fields: dict[str, Any] = dict(zip(TENSORS, lists, strict=True))
        return cls(
            seq_lengths, **fields, BLOCK_SIZE=(rows, columns), mask_mod=noop_mask if mask_mod is None else mask_mod
        )

    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]:
        """Returns all fields of the mask; lengths and block size flattened, or as pairs."""
        lengths, size = (self.seq_lengths, self.BLOCK_SIZE) if flatten else ((self.seq_lengths,), (self.BLOCK_SIZE,))
        order = self.dq_write_order, self.dq_write_order_full, self.dq_kv_order, self.dq_kv_order_spt
        return (*lengths, *(getattr(self, name) for name in TENSORS), *order, *size, self.mask_mod)

    @property
    def shape(self) -> tuple[int, ...]:
        """(batch, heads, queries, keys), or fewer dimensions."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """Returns the number of scores, computed or not."""
        return math.prod(self.shape)

    def sparsity(self) -> float:
        """Returns the percentage of scores that are not computed."""
        blocks = self.kv_num_blocks.sum().item()
        if self.full_kv_num_blocks is not None:
            blocks += self.full_kv_num_blocks.sum().item()
        return 100 * (1 - blocks * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1] / self.numel())

    def to_dense(self) -> Any:
        """Returns a matrix of blocks: 1 if computed, else 0."""
        dense: Any = as_matrix(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is None or self.full_kv_indices is None:
            return dense
        return dense | as_matrix(self.full_kv_num_blocks, self.full_kv_indices)

    def to(self, device: Any) -> BlockMask:
        """Copies the mask to another device."""
        moved: dict[str, Any] = {}
        for name in TENSORS:
            lists = getattr(self, name)
            moved[name] = None if lists is None else lists.to(device)
        return BlockMask(self.seq_lengths, **moved, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod)

    def __getitem__(self, index: Any) -> BlockMask:
        """Selects batches, heads and rows of blocks. The result needs its own `mask_mod`."""
        index = index if isinstance(index, tuple) else (index,)
        lengths = self.kv_num_blocks.shape[:3]
        full_index = (*index, *(slice(None),) * (3 - len(index)))
        slices = tuple(as_slice(item, length) for item, length in zip(full_index, lengths, strict=True))
        return self._rows(lambda lists: lists[slices], self.seq_lengths, _sliced_mask_mod_error)

    def _rows(self, change: Callable[[Tensor], Tensor], lengths: tuple[int, int], mask_mod: MaskMod) -> BlockMask:
        changed: dict[str, Any] = {}
        for name in TENSORS[:4]:
            lists = getattr(self, name)
            changed[name] = None if lists is None else change(lists)
        return self._of_rows(changed, lengths, mask_mod)

    def _adjust(self, new_q_len: int, new_kv_len: int) -> BlockMask:
        """Returns the upper left corner of the mask, for the given numbers of queries and keys."""
        rows, columns = -(-new_q_len // self.BLOCK_SIZE[0]), -(-new_kv_len // self.BLOCK_SIZE[1])
        lists: list = []
        for counts, indices in ((self.kv_num_blocks, self.kv_indices), (self.full_kv_num_blocks, self.full_kv_indices)):
            lists += [None, None] if counts is None or indices is None else cropped(counts, indices, rows, columns)
        return self._of_rows(dict(zip(TENSORS, lists, strict=False)), (new_q_len, new_kv_len), self.mask_mod)

    def _of_rows(self, lists: dict[str, Any], lengths: tuple[int, int], mask_mod: MaskMod) -> BlockMask:
        """Returns a mask like this one with other lists by rows."""
        return BlockMask.from_kv_blocks(
            **lists,
            BLOCK_SIZE=self.BLOCK_SIZE,
            mask_mod=mask_mod,
            seq_lengths=lengths,
            compute_q_blocks=self.q_indices is not None,
        )

    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str:
        """Draws the mask: computed blocks are full; at most `limit` batches and heads."""
        dense = self.to_dense()
        *leading, height, width = dense.shape
        most_rows, most_columns = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        steps = max(1, -(-height // most_rows)), max(1, -(-width // most_columns))
        shown = []
        for index in itertools.islice(itertools.product(*map(range, leading)), limit):
            shown.append(f"{index}\n{picture(dense[index], steps)}")
        if math.prod(leading) > limit:
            shown += [
                "...", "To print out more, set BlockMask.to_string(limit=N)",
                "You can also index (BlockMask[batch, head]) to choose a specific batch or head",
            ]  # fmt: skip
        return "\n".join(shown)

    def __str__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string().strip()}\n)"

    def __repr__(self) -> str:
        sizes = ((name, getattr(self, name)) for name in TENSORS)
        lines = [f"{name}={None if tensor is None else tensor.shape}" for name, tensor in sizes]
        name = getattr(self.mask_mod, "__name__", self.mask_mod)
        lines += [f"BLOCK_SIZE={self.BLOCK_SIZE}", f"shape={self.shape}", f"sparsity={self.sparsity():.2f}%"]
        return "BlockMask(\n" + "".join(f"    {line},\n" for line in lines) + f"    mask_mod={name}\n)"


def check_lists(kv_indices: Tensor, full_kv_num_blocks: Tensor | None, full_kv_indices: Tensor | None) -> None:
    if kv_indices.dim() < 2:
        raise RuntimeError("BlockMask must have at least 2 dimensions")
    if (full_kv_num_blocks is None) != (full_kv_indices is None):
        raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")


def as_slice(index: Any, length: int) -> Any:
    """Returns an integer index as a slice, so that the dimension stays."""
    if not isinstance(index, int):
        return index
    start = index + length if -length <= index < 0 else index
    return slice(start, start + 1)


def as_matrix(counts: Tensor, indices: Tensor) -> Tensor:
    """Converts lists of blocks to a matrix of 0 and 1: (..., rows, columns)."""
    columns = indices.shape[-1]
    listed = arange(columns, device=indices.device) < counts.unsqueeze(-1)
    beside = F.where(listed, indices, columns).long()  # unused entries go to an extra column
    matrix = zeros((*indices.shape[:-1], columns + 1), dtype=dtypes.int32, device=indices.device)
    return matrix.scatter(-1, beside, 1)[..., :columns].contiguous()


def as_lists(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Converts a matrix of 0 and 1 to lists of blocks."""
    matrix = matrix.to(dtypes.int32)
    order = F.argsort(matrix, dim=-1, descending=True, stable=True)
    return matrix.sum(-1).to(dtypes.int32).contiguous(), order.to(dtypes.int32).contiguous()


def transposed(counts: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
    """Converts lists by rows to lists by columns."""
    return as_lists(as_matrix(counts, indices).transpose(-2, -1))


def cropped(counts: Tensor, indices: Tensor, rows: int, columns: int) -> tuple[Tensor, Tensor]:
    """Returns the lists of the first rows, each with the first columns."""
    indices = indices[:, :, :rows, :columns]
    counts = counts[:, :, :rows].clamp(max=columns)
    return (indices < counts.unsqueeze(-1)).sum(-1).to(dtypes.int32), indices


def picture(dense: Tensor, steps: tuple[int, int]) -> str:
    """Draws a matrix with two characters per piece: computed, partly computed, or not."""
    height, width = dense.shape
    lines = []
    for row in range(0, height, steps[0]):
        pieces = (dense[row : row + steps[0], at : at + steps[1]].float().mean() for at in range(0, width, steps[1]))
        lines.append("".join(("█" if share == 1 else " " if share == 0 else "░") * 2 for share in pieces) + "\n")
    return "".join(lines)
