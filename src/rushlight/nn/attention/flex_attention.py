"""`torch.nn.attention.flex_attention`: attention whose scores a function of the program changes, or leaves out.

All scores are computed; blocks that a mask leaves out save no time. Gradients come back, also to what the functions
use. https://docs.pytorch.org/docs/stable/nn.attention.flex_attention.html
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

from ._block_mask import DEFAULT_SIZE, BlockMask, MaskMod, _sliced_mask_mod_error, in_lists, noop_mask
from ._positions import for_each

__all__ = [
    "AuxOutput", "AuxRequest", "BlockMask", "FlexKernelOptions", "and_masks", "create_block_mask", "create_mask",
    "flex_attention", "noop_mask", "or_masks",
]  # fmt: skip

_DEFAULT_SPARSE_BLOCK_SIZE = DEFAULT_SIZE
_LARGE_SPARSE_BLOCK_SIZE = 1 << 30
BACKENDS = ("AUTO", "TRITON", "FLASH", "TRITON_DECODE")
ScoreMod = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


class AuxRequest(NamedTuple):
    """What `flex_attention` is to return beside its result."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """The logarithm of the sum of the exponentials of each row of scores, and its largest; None if not asked for."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


class FlexKernelOptions(TypedDict, total=False):
    """How PyTorch's kernels on a GPU compute. There are none here: the options are taken and change nothing."""

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
    """Whether a function takes a score and a position, or a position alone. Raises AssertionError for any other."""
    needed = [
        each for each in inspect.signature(function).parameters.values() if each.default is inspect.Parameter.empty
    ]
    if len(needed) not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {len(needed)}")
    return len(needed) == 5


def positions(shape: tuple[int, ...], device: Any) -> list[Tensor]:
    """The numbers of batches, heads, queries and keys, each along its own dimension of four."""
    return [
        arange(length, device=device).view([-1 if at == dim else 1 for at in range(4)])
        for dim, length in enumerate(shape)
    ]


def create_mask(
    mod_fn: ScoreMod | MaskMod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None
) -> Tensor:
    """Which scores a function leaves in: (batch, heads, queries, keys), for batches and heads that are not None.

    >>> create_mask(lambda b, h, q_idx, kv_idx: q_idx >= kv_idx, None, None, 2, 2)
    tensor([[[[ True, False],
              [ True,  True]]]])
    """
    shape = (B or 1, H or 1, Q_LEN, KV_LEN)
    places = positions(shape, device or "cpu")
    if takes_scores(mod_fn):
        scores = for_each(mod_fn, zeros(shape, device=device or "cpu"), *places)
        return ~F.isneginf(scores.expand(shape))
    return for_each(mod_fn, *places).expand(shape).contiguous()


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
    """The blocks in which a function of (batch, head, query, key) leaves scores in.

    Raises AssertionError for another function, NotImplementedError for `compute_dq_write_order`, which is about a
    kernel of a GPU.

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
    full_counts, full_indices = in_lists(full) if separate_full_blocks else (None, None)
    return BlockMask.from_kv_blocks(
        *in_lists(partial), full_counts, full_indices, (rows, columns), mask_mod, (Q_LEN, KV_LEN)
    )


def in_blocks(mask: Tensor, rows: int, columns: int) -> Tensor:
    """A mask cut into blocks, filled up with False: (batch, heads, row, column, row in it, column in it)."""
    if mask.dtype != dtypes.bool:
        raise AssertionError(f"mask.dtype must be torch.bool, got {mask.dtype}")
    batch, heads, queries, keys = mask.shape
    mask = F.pad(mask, (0, -keys % columns, 0, -queries % rows))
    return mask.view(batch, heads, -(-queries // rows), rows, -(-keys // columns), columns).transpose(3, 4)


def or_masks(*mask_mods: MaskMod) -> MaskMod:
    """The function that leaves in what any of these does. Raises RuntimeError for what cannot be called."""
    check_callable(mask_mods)

    def or_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = b.new_zeros((), dtype=dtypes.bool)
        for each in mask_mods:
            result = result | each(b, h, q_idx, kv_idx)
        return result

    return or_mask


def and_masks(*mask_mods: MaskMod) -> MaskMod:
    """The function that leaves in what all of these do. Raises RuntimeError for what cannot be called."""
    check_callable(mask_mods)

    def and_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = b.new_ones((), dtype=dtypes.bool)
        for each in mask_mods:
            result = result & each(b, h, q_idx, kv_idx)
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
    """The means of `value`, weighted by the softmax of the products of queries and keys as `score_mod` changes them.

    `query` is (batch, heads, queries, size), `key` and `value` the same of keys. `score_mod` is called with a score
    and the numbers of its batch, head, query and key; `block_mask.mask_mod`, which says what is left in, with these
    numbers alone. `enable_gqa` lets several heads of queries share one of keys. `return_aux` asks for more results, and
    `return_lse`, deprecated, for one. `kernel_options` change nothing.

    Raises ValueError for sizes that do not fit, and NotImplementedError where one of the functions does anything else
    than compute with single numbers and take elements by indices.

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
    empty = F.all(scores == -math.inf, -1)  # rows in which nothing is left: (batch, heads, queries)
    shown = scores.masked_fill(empty.unsqueeze(-1), 0.0)  # whose gradients would be nan
    weights = F.softmax(shown, -1).masked_fill(empty.unsqueeze(-1), 0.0)
    result = weights.to(query.dtype) @ repeated(value, query).to(query.dtype)
    wanted = AuxRequest(lse=return_lse) if return_aux is None else return_aux
    lse = F.logsumexp(shown, -1).masked_fill(empty, -math.inf) if wanted.lse else None
    if return_aux is None:
        return (result, lse) if return_lse else result
    return result, AuxOutput(lse, F.amax(scores, -1) if wanted.max_scores else None)


def changed_scores(query: Tensor, key: Tensor, factor: float, score_mod: ScoreMod | None, mask_mod: MaskMod) -> Tensor:
    """The scores of all queries and keys, as the two functions change them: (batch, heads, queries, keys)."""
    precision = dtypes.float64 if query.dtype == dtypes.float64 else dtypes.float32
    scores = query.to(precision) @ repeated(key, query).to(precision).transpose(-2, -1) * factor
    places = positions(tuple(scores.shape), scores.device)
    changed = scores if score_mod is None else for_each(score_mod, scores, *places).to(precision)
    if mask_mod is not noop_mask:
        changed = F.where(for_each(mask_mod, *places), changed, -math.inf)
    return changed.expand(scores.shape)


def repeated(tensor: Tensor, query: Tensor) -> Tensor:
    """Keys or values for each head and batch of the queries."""
    times = query.size(1) // tensor.size(1)
    tensor = F.repeat_interleave(tensor, times, 1) if times > 1 else tensor
    return tensor.expand(query.size(0), *tensor.shape[1:])


def as_cast(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The operands in the dtype of autocast, where that is on."""
    state, kind = autocast.state(), tensors[0].device.type
    return tuple(each.to(state.dtype(kind)) for each in tensors) if kind in state.enabled else tensors


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
        larger = any(own > made for own, made in zip(sizes, block_mask.shape[-2:], strict=True))
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
    """The mask of one block that is everything."""
    counts = ones((1, 1, 1), dtype=dtypes.int32, device=query.device)
    indices = zeros((1, 1, 1, 1), dtype=dtypes.int32, device=query.device)
    return BlockMask.from_kv_blocks(counts, indices, BLOCK_SIZE=_LARGE_SPARSE_BLOCK_SIZE, seq_lengths=(1, 1))
