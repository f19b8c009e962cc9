"""`torch.nn.attention.flex_attention`: attention whose scores a user's function changes or masks.

All scores are computed; masked blocks save no time. Gradients also flow to tensors that the functions use.
https://docs.pytorch.org/docs/stable/nn.attention.flex_attention.html
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypedDict

from rushlight._generated import functions as F
from rushlight.core import dtype as dtypes
from rushlight.core.tensor import Tensor
from rushlight.create.filled import ones, zeros
from rushlight.create.ranges import arange
from rushlight.dispatch import autocast

from ._block_mask import DEFAULT_SIZE, BlockMask, MaskMod, _sliced_mask_mod_error, as_lists, noop_mask
from ._positions import over_positions

__all__ = [
    "AuxOutput", "AuxRequest", "BlockMask", "FlexKernelOptions", "and_masks", "create_block_mask", "create_mask",
    "flex_attention", "noop_mask", "or_masks",
]  # fmt: skip

_DEFAULT_SPARSE_BLOCK_SIZE = DEFAULT_SIZE
_LARGE_SPARSE_BLOCK_SIZE = 1 << 30
BACKENDS = ("AUTO", "TRITON", "FLASH", "TRITON_DECODE")
ScoreMod = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


class AuxRequest(NamedTuple):
    """The auxiliary results that `flex_attention` returns."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """The logarithm of the sum of exponentials of each row of scores, and its maximum; None if not requested."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


class FlexKernelOptions(TypedDict, total=False):
    """Options of PyTorch's GPU kernels. They are accepted and have no effect."""

    num_warps: int
    num_stages: int
    BLOCK_M: int
    BLOCK_N: int
    BLOCK_M1: int
    BLOCK_N1: int
    BLOCK_M2: int
    BLOCK_N2: int
    PRESCALE_QK: bool
    ROWS_GUARANTEED_SAFE: bool
    BLOCKS_ARE_CONTIGUOUS: bool
    WRITE_DQ: bool
    FORCE_USE_FLEX_ATTENTION: bool
    USE_TMA: bool
    BACKEND: Literal["AUTO", "TRITON", "FLASH", "TRITON_DECODE"]


# ---- masks


def takes_scores(function: Callable) -> bool:
    """Whether a function takes a score and a position, or only a position. Raises AssertionError for any other."""
    needed = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is inspect.Parameter.empty
    ]
    if len(needed) not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {len(needed)}")
    return len(needed) == 5


def positions(shape: tuple[int, ...], device: Any) -> list[Tensor]:
    """Returns the indices of batches, heads, queries and keys, each along its own dimension of four."""
    return [
        arange(length, device=device).view([-1 if at == dim else 1 for at in range(4)])
        for dim, length in enumerate(shape)
    ]


def create_mask(
    mod_fn: ScoreMod | MaskMod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None
) -> Tensor:
    """Returns which scores a function keeps: (batch, heads, queries, keys); a batch or head of None has size 1.

    >>> create_mask(lambda b, h, q_idx, kv_idx: q_idx >= kv_idx, None, None, 2, 2)
    tensor([[[[ True, False],
              [ True,  True]]]])
    """
    shape = (B or 1, H or 1, Q_LEN, KV_LEN)
    indices = positions(shape, device or "cpu")
    if takes_scores(mod_fn):
        scores = over_positions(mod_fn, zeros(shape, device=device or "cpu"), *indices)
        return ~F.isneginf(scores.expand(shape))
    return over_positions(mod_fn, *indices).expand(shape).contiguous()


def create_block_mask(
    mask_mod: MaskMod,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = DEFAULT_SIZE,
    _compile: bool = False,
    separate_full_blocks: bool = True,
    compute_dq_write_order: bool = False,
    dq_kv_order: bool = True,
) -> BlockMask:
    """Returns the blocks in which a function of (batch, head, query, key) keeps scores.

    Raises AssertionError for another function, NotImplementedError for `compute_dq_write_order`, which concerns a GPU
    kernel.

    >>> create_block_mask(lambda b, h, q_idx, kv_idx: q_idx >= kv_idx, None, None, 256, 256).sparsity()
    25.0
    """
    if takes_scores(mask_mod):
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    if compute_dq_write_order:
        raise NotImplementedError("compute_dq_write_order is for a kernel of a GPU, which rushlight does not have.")
    rows, columns = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    counts = in_blocks(mask, rows, columns).sum([-2, -1])  # (batch, heads, rows of blocks, columns of blocks)
    full = counts == rows * columns
    partial = (counts > 0) & ~full if separate_full_blocks else counts > 0
    full_counts, full_indices = as_lists(full) if separate_full_blocks else (None, None)
    return BlockMask.from_kv_blocks(
        *as_lists(partial), full_counts, full_indices, (rows, columns), mask_mod, (Q_LEN, KV_LEN)
    )


def in_blocks(mask: Tensor, rows: int, columns: int) -> Tensor:
    """Cuts a mask into blocks, padded with False: (batch, heads, row, column, row in block, column in block)."""
    if mask.dtype != dtypes.bool:
        raise AssertionError(f"mask.dtype must be torch.bool, got {mask.dtype}")
    batch, heads, queries, keys = mask.shape
    mask = F.pad(mask, (0, -keys % columns, 0, -queries % rows))
    return mask.view(batch, heads, -(-queries // rows), rows, -(-keys // columns), columns).transpose(3, 4)


def or_masks(*mask_mods: MaskMod) -> MaskMod:
    """Returns the function that keeps what any of the functions keeps. Raises RuntimeError if one is not callable."""
    check_callable(mask_mods)

    def or_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = b.new_zeros((), dtype=dtypes.bool)
        for mask_mod in mask_mods:
            result = result | mask_mod(b, h, q_idx, kv_idx)
        return result

    return or_mask


def and_masks(*mask_mods: MaskMod) -> MaskMod:
    """Returns the function that keeps what all of the functions keep. Raises RuntimeError if one is not callable."""
    check_callable(mask_mods)

    def and_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = b.new_ones((), dtype=dtypes.bool)
        for mask_mod in mask_mods:
            result = result & mask_mod(b, h, q_idx, kv_idx)
        return result

    return and_mask


def check_callable(mask_mods: tuple) -> None:
    if not all(map(callable, mask_mods)):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


# ---- attention


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: ScoreMod | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: FlexKernelOptions | None = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """Returns means of `value`, weighted by the softmax of the products of queries and keys after `score_mod`.

    `query` is (batch, heads, queries, size), `key` and `value` are (batch, heads, keys, size). `score_mod` is called
    with a score and the indices of its batch, head, query and key; `block_mask.mask_mod`, which selects the scores to
    keep, only with the indices. `enable_gqa` lets several query heads share a key head. `return_aux` requests more
    results, the deprecated `return_lse` one. `kernel_options` have no effect.

    Raises ValueError for sizes that do not fit, and NotImplementedError if a function does more than compute with
    scalars and gather elements by indices.

    >>> import rushlight as torch
    >>> q = k = v = torch.ones(1, 1, 2, 4)
    >>> flex_attention(q, k, v, score_mod=lambda score, b, h, q_idx, kv_idx: score - (q_idx - kv_idx).abs())[0, 0, 0]
    tensor([1., 1., 1., 1.])
    """
    check_sizes(query, key, value, block_mask, enable_gqa)
    if block_mask is not None:
        check_mask(block_mask, query, key)
    check_options(kernel_options)
    if return_lse:
        if return_aux is not None:
            raise ValueError(
                "Cannot specify both return_lse and return_aux. return_lse is deprecated, please use "
                "return_aux=AuxRequest(lse=True) instead."
            )
        warnings.warn(
            "return_lse is deprecated and will be removed in v2.10. Please use return_aux=AuxRequest(lse=True) "
            "instead.",
            FutureWarning,
            stacklevel=2,
        )
    query, key, value = as_cast(query, key, value)
    factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    mask_mod = noop_mask if block_mask is None else block_mask.mask_mod
    scores = changed_scores(query, key, factor, score_mod, mask_mod)
    empty = F.all(scores == -math.inf, -1)  # rows without a kept score: (batch, heads, queries)
    shown = scores.masked_fill(empty.unsqueeze(-1), 0.0)  # their gradients would be nan
    weights = F.softmax(shown, -1).masked_fill(empty.unsqueeze(-1), 0.0)
    result = weights.to(query.dtype) @ repeated(value, query).to(query.dtype)
    requested = AuxRequest(lse=return_lse) if return_aux is None else return_aux
    lse = F.logsumexp(shown, -1).masked_fill(empty, -math.inf) if requested.lse else None
    if return_aux is None:
        return (result, lse) if return_lse else result
    return result, AuxOutput(lse, F.amax(scores, -1) if requested.max_scores else None)


def changed_scores(query: Tensor, key: Tensor, factor: float, score_mod: ScoreMod | None, mask_mod: MaskMod) -> Tensor:
    """Returns the scores of all queries and keys after both functions: (batch, heads, queries, keys)."""
    precision = dtypes.float64 if query.dtype == dtypes.float64 else dtypes.float32
    scores = query.to(precision) @ repeated(key, query).to(precision).transpose(-2, -1) * factor
    indices = positions(tuple(scores.shape), scores.device)
    changed = scores if score_mod is None else over_positions(score_mod, scores, *indices).to(precision)
    if mask_mod is not noop_mask:
        changed = F.where(over_positions(mask_mod, *indices), changed, -math.inf)
    return changed.expand(scores.shape)


def repeated(tensor: Tensor, query: Tensor) -> Tensor:
    """Repeats keys or values for each head and batch of the queries."""
    times = query.size(1) // tensor.size(1)
    tensor = F.repeat_interleave(tensor, times, 1) if times > 1 else tensor
    return tensor.expand(query.size(0), *tensor.shape[1:])


def as_cast(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Casts the operands to autocast's dtype if autocast is enabled."""
    state, device_type = autocast.state(), tensors[0].device.type
    return tuple(tensor.to(state.dtype(device_type)) for tensor in tensors) if device_type in state.enabled else tensors


# ---- checks


def check_sizes(query: Tensor, key: Tensor, value: Tensor, block_mask: BlockMask | None, enable_gqa: bool) -> None:
    if query.device != key.device or query.device != value.device:
        raise ValueError(
            f"Expected query, key, and value to have the same device type, but got query.device: {query.device}, "
            f"key.device: {key.device}, and value.device: {value.device} instead."
        )
    if query.dim() < 2 or key.dim() < 2 or value.dim() < 2:
        raise ValueError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.dim()}, key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    if query.size(-1) != key.size(-1):
        raise ValueError(
            "Expect query and key/value to have the same embedding dimension but got "
            f"E={query.size(-1)} and E={key.size(-1)}."
        )
    if query.dim() != 4 or key.dim() != 4 or value.dim() != 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    check_heads(query.size(1), key.size(1), enable_gqa)
    check_batches(query.size(0), key.size(0), block_mask)


def check_heads(of_queries: int, of_keys: int, enable_gqa: bool) -> None:
    if not enable_gqa and of_queries != of_keys:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={of_queries} and Hkv={of_keys}. "
            "Try setting enable_gqa=True for GQA."
        )
    if of_queries % of_keys:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={of_queries} and "
            f"Hkv={of_keys}."
        )


def check_batches(of_queries: int, of_keys: int, block_mask: BlockMask | None) -> None:
    if of_queries == of_keys:
        return
    if block_mask is None:
        raise ValueError(
            "Expect query and key/value to have the same batch size, or non-none block_mask, but got block_mask=None, "
            f"Bq={of_queries}, and Bkv={of_keys}."
        )
    of_mask = block_mask.kv_num_blocks.size(0)
    if of_mask != of_queries:
        raise ValueError(
            "Expect query and key/value to have the same batch size, or block_mask and query to have the same batch "
            f"size, but got Bq={of_queries}, Bkv={of_keys}, B_block_mask={of_mask}."
        )
    if of_keys != 1:
        raise RuntimeError(f"Bq and Bkv must broadcast. Got Bq={of_queries} and Bkv={of_keys}")


def check_mask(block_mask: BlockMask, query: Tensor, key: Tensor) -> None:
    if block_mask.mask_mod is _sliced_mask_mod_error:
        raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")
    sizes = query.size(-2), key.size(-2)
    if min(block_mask.BLOCK_SIZE) < _LARGE_SPARSE_BLOCK_SIZE and sizes != tuple(block_mask.shape[-2:]):
        larger = any(needed > size for needed, size in zip(sizes, block_mask.shape[-2:], strict=True))
        cure = (
            "As the block mask was created for a smaller length than you're using it for, you likely need to create a "
            "new block mask."
            if larger
            else "As the block mask was created for a larger length than you're using it for, you can either 1. create "
            "a new block mask with the correct length, or 2. 'adjust' the existing block mask to the correct length by "
            "calling block_mask._adjust(q_len, kv_len). This essentially 'crops' the block mask to the upper left "
            "corner, which does not work for all mask_mods!"
        )
        raise ValueError(
            f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={sizes[0]} and "
            f"kv_len={sizes[1]}. {cure}"
        )
    if query.device != block_mask.kv_num_blocks.device:
        raise RuntimeError(
            "Expect q/k/v and block_mask to be on the same device but got "
            f"{query.device} and {block_mask.kv_num_blocks.device}."
        )


def check_options(options: FlexKernelOptions | None) -> None:
    if options is None:
        return
    if "BACKEND" in options and options.get("FORCE_USE_FLEX_ATTENTION"):
        raise RuntimeError(
            "BACKEND cannot be combined with legacy FORCE_USE_FLEX_ATTENTION. BACKEND supersedes the legacy knob; "
            "please drop FORCE_USE_FLEX_ATTENTION and only specify the desired BACKEND."
        )
    if options.get("BACKEND", "AUTO") not in BACKENDS:
        raise ValueError(f"Invalid BACKEND value '{options['BACKEND']}'. Must be one of {BACKENDS}")


def _create_empty_block_mask(query: Tensor, key: Tensor) -> BlockMask:
    """Returns the mask of one block with all positions."""
    counts = ones((1, 1, 1), dtype=dtypes.int32, device=query.device)
    indices = zeros((1, 1, 1, 1), dtype=dtypes.int32, device=query.device)
    return BlockMask.from_kv_blocks(counts, indices, BLOCK_SIZE=_LARGE_SPARSE_BLOCK_SIZE, seq_lengths=(1, 1))
