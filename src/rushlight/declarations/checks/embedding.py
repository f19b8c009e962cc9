"""Checks of `embedding.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.arrays.embedding import check_rows_of_bags
from rushlight.arrays.meta import MetaArray
from rushlight.core.dtype import FLOAT
from rushlight.core.errors import noted
from rushlight.core.traced import every_sample
from rushlight.declarations.dtype_rules import category_of, raw_dtype, type_of, type_of_array


def check_bags(weight, indices, offsets, include_last_offset) -> None:
    """Bags follow each other from the first row on."""
    if indices.ndim != 1:
        raise RuntimeError(f"input has to be a 1D Tensor, but got Tensor of dimension {indices.ndim}")
    if offsets.ndim != 1:
        raise RuntimeError(f"offsets has to be a 1D Tensor, but got Tensor of dimension {offsets.ndim}")
    if weight.ndim != 2:
        raise RuntimeError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    for each in (indices, offsets):
        if raw_dtype(each).char not in "ilq":
            raise RuntimeError(
                f"Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but "
                f"got {type_of_array(each)} instead (while checking arguments for embedding_bag)"
            )
    if category_of(weight) != FLOAT or weight.dtype.itemsize == 1:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
            f"Float, Double; but got {type_of(weight)} instead (while checking arguments for embedding_bag)"
        )
    if include_last_offset and offsets.shape[0] < 1:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if offsets.shape[0] and not offsets.is_meta:
        begins = every_sample(offsets)
        first, last = (int(each.max()) for each in (begins[..., 0], begins[..., -1]))
        if first != 0:
            raise RuntimeError(
                "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
                f"However, got {first}"
            )
        if last > indices.shape[0]:
            raise RuntimeError(
                f"offsets[-1] can not be greater than input's length {indices.shape[0]} but got offsets[-1] of {last}"
            )
        if begins.min() < 0 or begins.max() > indices.shape[0]:
            raise IndexError("index out of range in self")


def check_rows_beside_padding(weight, indices, padding) -> None:
    """Where one row does not count, PyTorch has other words for a row index out of range."""
    if padding >= 0 and not isinstance(indices, MetaArray):
        check_rows_of_bags(weight, indices)


def check_selected_rows(table, rows) -> None:
    """The rows of a table that are scaled, in order; a negative one counts from the end."""
    count, positions = table.shape[0], rows._array
    wrong = positions[(positions < -count) | (positions >= count)]
    if len(wrong):
        size = list(table.shape)
        raise IndexError(f"select(): index {wrong[0]} out of range for tensor of size {size} at dimension 0")


def check_bag_arguments(input, weight, offsets, mode, scale_grad_by_freq, sparse, per_sample_weights) -> None:
    """Raises the errors of PyTorch's Python function."""
    if per_sample_weights is not None and tuple(input.shape) != tuple(per_sample_weights.shape):
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if input.ndim == 2 and offsets is not None:
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
            f"sequences. However, found offsets of type {type(offsets)}"
        )
    if input.ndim == 1 and offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if input.ndim == 1 and offsets.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    if input.ndim not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )


def check_embedding(weight, indices) -> None:
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices.dtype.char not in "ilq":
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but "
            f"got {type_of_array(indices)} instead (while checking arguments for embedding)"
        )


def check_one_hot(tensor) -> None:
    if raw_dtype(tensor).char not in "lq":
        raise noted(
            RuntimeError("one_hot is only applicable to index tensor of type LongTensor."),
            "Class indices are int64: tensor.long().",
        )


def check_one_hot_num_classes(num_classes) -> None:
    if num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")


def check_batch_of_classes(count: int) -> None:
    """Raises RuntimeError under `vmap` where the number of classes follows from the elements."""
    if count < 0:
        raise RuntimeError(
            "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument."
        )
