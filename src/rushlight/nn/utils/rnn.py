"""Sequences of different lengths: padded to one tensor, packed without padding, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rushlight._generated import functions
from rushlight.core import dtype as kinds
from rushlight.core.dtype import SCALAR_NAMES
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty_like
from rushlight.create.from_data import as_tensor, tensor
from rushlight.create.ranges import arange
from rushlight.dispatch.message import broadcast_mismatch, type_name

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

MADE_BY_HAND = (
    "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. They should be "
    "instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn. "
    "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
)
UNSORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
    "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
    "need ONNX exportability."
)


class PackedSequence_(NamedTuple):
    """The fields of `PackedSequence`."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(PackedSequence_):
    """Sequences without padding: the first steps of all, then the second steps of those that have one, ...

    `batch_sizes` is the number of sequences with each step; the longest come first. `sorted_indices` are their indices
    in the original order, `unsorted_indices` the inverse. Created by `pack_padded_sequence` and `pack_sequence`.
    """

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, list | tuple) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(MADE_BY_HAND)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def _with(self, data, change):
        indices = (None if x is None else change(x) for x in (self.sorted_indices, self.unsorted_indices))
        return type(self)(data, self.batch_sizes, *indices)

    def pin_memory(self):
        """Copies to page-locked memory."""
        return self._with(self.data.pin_memory(), Tensor.pin_memory)

    def to(self, *args: Any, **kwargs: Any):
        """Converts `data` as `Tensor.to` does; returns itself if nothing changes."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with(data, lambda x: x.to(data.device))

    def _on(self, device_type, args, kwargs):
        is_target = (
            tensor((), dtype=self.data.dtype, device=self.data.device).to(*args, **kwargs).device.type == device_type
        )
        return self.to(*args, **(kwargs if is_target else {**kwargs, "device": device_type}))

    def cuda(self, *args: Any, **kwargs: Any):
        """Copies to the GPU."""
        return self._on("cuda", args, kwargs)

    def cpu(self, *args: Any, **kwargs: Any):
        """Copies to the CPU."""
        return self._on("cpu", args, kwargs)

    def double(self):
        """Converts to float64."""
        return self.to(dtype=kinds.float64)

    def float(self):
        """Converts to float32."""
        return self.to(dtype=kinds.float32)

    def half(self):
        """Converts to float16."""
        return self.to(dtype=kinds.float16)

    def long(self):
        """Converts to int64."""
        return self.to(dtype=kinds.int64)

    def int(self):
        """Converts to int32."""
        return self.to(dtype=kinds.int32)

    def short(self):
        """Converts to int16."""
        return self.to(dtype=kinds.int16)

    def char(self):
        """Converts to int8."""
        return self.to(dtype=kinds.int8)

    def byte(self):
        """Converts to uint8."""
        return self.to(dtype=kinds.uint8)

    @property
    def is_cuda(self) -> bool:
        """Whether `data` is on the GPU."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Whether `data` is in page-locked memory."""
        return self.data.is_pinned()


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Returns the inverse of a permutation; None for None.

    >>> import rushlight as torch
    >>> torch.nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    return empty_like(permutation).scatter_(0, permutation, arange(permutation.numel(), device=permutation.device))


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Packs sequences padded to (time, batch, ...), or (batch, time, ...) with `batch_first`, of the given lengths.

    Unsorted sequences need `enforce_sorted=False`; otherwise RuntimeError is raised unless the longest come first.

    >>> import rushlight as torch
    >>> padded = torch.tensor([[1, 2, 3], [4, 5, 0]])
    >>> torch.nn.utils.rnn.pack_padded_sequence(padded, [3, 2], batch_first=True).data
    tensor([1, 4, 2, 5, 3])
    """
    if isinstance(lengths, Tensor):
        lengths = lengths.to(dtype=kinds.int64)
    else:
        lengths = as_tensor(lengths, dtype=kinds.int64, device="cpu")
    order = None
    if not enforce_sorted:
        lengths, order = functions.sort(lengths, descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    input = input.transpose(0, 1) if batch_first else input
    sizes = check_lengths(input, lengths)
    batch = input.size(1)
    rows = indices_of_steps(tensor(sizes[: len(input)]), batch).to(input.device)
    data = input.reshape(-1, *input.shape[2:]).index_select(0, rows)
    return PackedSequence(data, tensor(sizes), order, None)


def check_lengths(input, lengths) -> list[int]:
    """Returns the number of sequences with each step. Raises RuntimeError unless lengths fit (time, batch, ...)."""
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    if lengths.dim() != 1 or lengths.device.type != "cpu":
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D {lengths.device.type} "
            f"{SCALAR_NAMES[lengths.dtype]} tensor"
        )
    values, batch = lengths.tolist(), input.size(1)
    if len(values) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(values)} (batch_size={batch})"
        )
    if values[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if values != sorted(values, reverse=True):
        raise RuntimeError(UNSORTED)
    return counts_above(values, values[0])


def counts_above(falling: list[int], stop: int) -> list[int]:
    """Returns for a descending list how many entries are more than 0, 1, 2, ... below `stop`."""
    counts, count = [], len(falling)
    for bound in range(stop):
        while count and falling[count - 1] <= bound:
            count -= 1
        counts.append(count)
    return counts


def indices_of_steps(sizes: Tensor, batch: int) -> Tensor:
    """Returns the indices of the actual steps among the (time * batch) padded ones, `sizes[t]` of each time t."""
    return (arange(batch) < sizes.unsqueeze(1)).reshape(-1).nonzero().view(-1)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """The inverse of `pack_padded_sequence`: returns the padded sequences, in the original order, and their lengths.

    They are padded to `total_length` if it is given; ValueError is raised if it is less than the longest length.
    """
    sizes = sequence.batch_sizes.tolist()
    if total_length is not None and total_length < len(sizes):
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {len(sizes)}"
        )
    if not sizes:
        raise RuntimeError("batch_sizes can not be empty")
    data, batch, time = sequence.data, sizes[0], total_length or len(sizes)
    rows = indices_of_steps(sequence.batch_sizes, batch).to(data.device)
    padded = data.new_full((time * batch, *data.shape[1:]), padding_value).index_copy(0, rows, data)
    padded = padded.view(time, batch, *data.shape[1:])
    padded = padded.transpose(0, 1) if batch_first else padded
    lengths = tensor(counts_above(sizes, batch))
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def check_tensors(sequences: Sequence[Any]) -> None:
    for index, sequence in enumerate(sequences):
        if not isinstance(sequence, Tensor):
            raise TypeError(f"expected Tensor as element {index} in argument 0, but got {type_name(sequence)}")


def pad_sequence(
    sequences: Tensor | Sequence[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Pads sequences (length, ...) to the longest: (time, batch, ...), or (batch, time, ...) with `batch_first`.

    >>> import rushlight as torch
    >>> torch.nn.utils.rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    sequences = tuple(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    check_tensors(sequences)
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    first, sizes = sequences[0], [sequence.size(0) for sequence in sequences]
    longest, features = max(sizes), first.shape[1:]
    padding = first.new_full((longest - min(sizes), *features), padding_value)
    pieces: list[Tensor] = []
    for sequence, size in zip(sequences, sizes, strict=True):
        own = (
            sequence
            if sequence.shape[1:] == features and sequence.dtype is first.dtype
            else in_features_of(first, sequence)
        )
        both = own, padding.narrow(0, 0, longest - size)
        pieces += both if padding_side == "right" else reversed(both)
    padded = functions.cat(pieces).view(len(sequences), longest, *features)
    return padded if batch_first else padded.transpose(0, 1).contiguous()


def in_features_of(like, sequence):
    """Expands a sequence to the features and the dtype of another."""
    mismatch = broadcast_mismatch([(sequence.size(0), *like.shape[1:]), tuple(sequence.shape)])
    if mismatch is not None:
        try:
            raise mismatch
        finally:
            del mismatch
    return sequence.to(like.dtype).expand(sequence.size(0), *like.shape[1:])


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The inverse of `pad_sequence`: returns each sequence without its padding.

    Without `batch_first` the first two dimensions of `padded_sequences` are swapped in place, as in PyTorch.
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    steps = arange(padded_sequences.shape[1], device=lengths.device)
    return [sequence[steps < length] for sequence, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs sequences (length, ...), the longest first unless `enforce_sorted=False`.

    >>> import rushlight as torch
    >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])]).data
    tensor([1, 4, 2, 3])
    """
    lengths = as_tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The inverse of `pack_sequence`."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
