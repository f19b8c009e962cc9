"""Scaled dot-product attention: softmax(query key^T / sqrt(d)) value (Vaswani et al., 2017)."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.device import is_on_gpu
from rushlight.core.dtype import REDUCED_NUMPY
from rushlight.core.tensor import Tensor
from rushlight.core.traced import differentiated
from rushlight.declarations.batches import folded, front, fronts, unfolded
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import cpp_names, raw_dtype, refuse, scalar_names
from rushlight.declarations.normalize import widened
from rushlight.declarations.orders import is_last_order
from rushlight.declarations.shapes import broadcast, length

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


@op(internal=True)
class safe_softmax:
    """The softmax along `dim`; zeros, not nan, if every score is minus infinity."""

    def forward(xp, input: Tensor, dim):
        refuse(input, "c", "softmax_lastdim_kernel_impl")
        result = xp.softmax(input, dim)
        nothing = np.maximum.reduce(input, dim, None, None, True, initial=-np.inf) == -np.inf
        return xp.where(nothing, result.dtype.type(0), result) if nothing.any() else result

    def shape(input, dim):
        return MetaArray(input.shape, input.dtype)

    def d_input(F, g, out, dim):
        scaled = g * out
        return scaled - out * F.sum(scaled, dim, True)

    def jvp(F, input_t, out, dim):
        scaled = input_t * out
        return scaled - out * F.sum(scaled, dim, True)

    samples = lambda r: [(r(2, 3), 1), (r(2, 3), 0)]


@op(internal=True, exact=True, no_fp_errors=False)
class attention:
    """softmax(query key^T * scale + bias) value, and the weights of the values.

    On a GPU operands may have half precision, and several heads of queries one of keys and values. Where cuDNN computes
    it, `weights` are instead the logarithms of the sums of exponentials: (batch, heads, length, 1).
    """

    returns = "out, weights"

    def forward(xp, query: Tensor, key: Tensor, value: Tensor, bias: Constant | None, is_causal, scale):
        if query.dtype.itemsize > 2:
            return xp.attention(query, key, value, bias, is_causal, scale)
        out, weights = attended_widely(xp, query, key, value, bias, is_causal, scale)
        return xp.astype(out, query.dtype), weights

    def shape(query, key, value, bias, is_causal, scale):
        batch, heads, length, _ = query.shape
        sizes = ((batch, heads, length, value.shape[3]), (batch, heads, length, key.shape[2]))
        return [MetaArray(size, query.dtype) for size in sizes]

    def common(F, g, query, key, value, bias, out, weights, is_causal, scale):
        if is_last_order(g, query, key, value, bias):
            return F.attention_gradients(g, query, key, value, bias, out, weights, is_causal, scale)
        turned, shape = lambda each: F.transpose(each, -2, -1), tuple(key.shape)
        if raw_dtype(query) in REDUCED_NUMPY:
            g, query, key, value = (F.cast(each, FLOAT32) for each in (g, query, key, value))
        if shape[1] != query.shape[1]:
            key, value = (shared_heads(F, query, each) for each in (key, value))
        weights = weights_of(F, F.matmul(query * scale, turned(key)), bias, is_causal=is_causal)
        d_scores = F.matmul(g, turned(value)) * weights
        d_scores = (d_scores - weights * F.sum(d_scores, -1, True)) * scale
        d_key, d_value = F.matmul(turned(d_scores), query), F.matmul(turned(weights), g)
        if shape[1] != query.shape[1]:
            d_key, d_value = (F.sum(F.unflatten(each, 1, (shape[1], -1)), 2) for each in (d_key, d_value))
        return F.matmul(d_scores, key), d_key, d_value

    def d_query(F, g, common):
        return common[0]

    def d_key(F, g, common):
        return common[1]

    def d_value(F, g, common):
        return common[2]

    def batch(F, b, query, key, value, bias, is_causal, scale):
        query, key, value = (folded(F, each) for each in fronts(F, b, query=query, key=key, value=value))
        if bias is not None and ("bias" in b.batched or bias.ndim == 4):
            bias = front(F, b, "bias", bias)
            if bias.ndim == 3:
                bias = F.reshape(bias, (b.size, 1, 1, *bias.shape[1:]))
            bias = folded(F, F.expand(bias, (b.size, query.shape[0] // b.size, *bias.shape[2:])))
        return [unfolded(F, each, b.size) for each in F.attention(query, key, value, bias, is_causal, scale)]

    def jvp(F, query_t, key_t, value_t, query, key, value, bias, weights, is_causal, scale):
        turned = lambda each: F.transpose(each, -2, -1)
        if differentiated(query) or differentiated(key):  # `weights` have no history
            weights = weights_of(F, F.matmul(query * scale, turned(key)), bias, is_causal=is_causal)
        moved = None if value_t is None else F.matmul(weights, value_t)
        if query_t is not None or key_t is not None:
            scores_t = None if query_t is None else F.matmul(query_t * scale, turned(key))
            if key_t is not None:
                other = F.matmul(query * scale, turned(key_t))
                scores_t = other if scores_t is None else scores_t + other
            scores_t = weights * scores_t
            by_weights = F.matmul(scores_t - weights * F.sum(scores_t, -1, True), value)
            moved = by_weights if moved is None else moved + by_weights
        return moved, None


face(attention, node="ScaledDotProductFlashAttentionForCpuBackward0")


@op(internal=True, exact=True, no_fp_errors=False)
class attention_gradients:
    """The three gradients of `attention`."""

    returns = "to_query, to_key, to_value"

    def forward(
        xp, grad: Tensor, query: Tensor, key: Tensor, value: Tensor, bias: Constant | None, out: Tensor,
        weights: Tensor, is_causal, scale,
    ):  # fmt: skip
        if query.dtype.itemsize > 2:
            return xp.attention_gradients(grad, query, key, value, weights, is_causal, scale)
        wide, pull = widened(xp, query), widened(xp, grad)
        wide_key, wide_value = (repeated_heads(xp, query, each) for each in (key, value))
        to_query, *others = xp.attention_gradients(pull, wide, wide_key, wide_value, weights, is_causal, scale)
        if wide_key.shape != key.shape:
            others = [each.reshape(*key.shape[:2], -1, *key.shape[2:]).sum(2) for each in others]
        return [xp.astype(each, query.dtype) for each in (to_query, *others)]

    def shape(grad, query, key, value, bias, out, weights, is_causal, scale):
        return [MetaArray(each.shape, each.dtype) for each in (query, key, value)]


@composite(samples=lambda r: [
    (r(2, 3, 4), r(2, 5, 4), r(2, 5, 2)), (r(2, 3, 4), r(2, 3, 4), r(2, 3, 4), None, 0.0, True),
    (r(3, 4), r(5, 4), r(5, 2), r(3, 5)),
    (r(1, 4, 3, 2), r(1, 2, 5, 2), r(1, 2, 5, 2), None, 0.0, False, 0.5, True),
    (r(1, 2, 3, 4), r(1, 2, 5, 4), r(1, 2, 5, 4), None, 0.0, True),
    (r(1, 2, 3, 4), r(1, 2, 5, 4), r(1, 2, 5, 4), r(3, 5).detach()),
    (r(1, 2, 3, 4), r(1, 2, 5, 4), r(1, 2, 5, 4), r(1, 1, 3, 5).detach() > 0),
])  # fmt: skip
def scaled_dot_product_attention(
    F, query, key, value: Tensor, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """softmax(query key^T * scale + attn_mask) value for queries (..., L, E), keys (..., S, E), values (..., S, Ev).

    A mask of bools says which keys count. `is_causal`: no query sees the keys after it. `enable_gqa`: several heads of
    queries share one of keys and values.
    """
    if attn_mask is None and dropout_p == 0 and not enable_gqa and is_plain(query, key, value, None):
        scale = 1 / math.sqrt(raw_shape(query)[3]) if scale is None else scale
        return F.attention(query, key, value, None, is_causal, scale)[0]
    check_attention(query, key, value, attn_mask, dropout_p, is_causal=is_causal)
    if dropout_p == 0 and is_narrow(query, key, value, attn_mask, enable_gqa):
        scale = 1 / math.sqrt(raw_shape(query)[3]) if scale is None else scale
        return F.attention(query, key, value, attn_mask, is_causal, scale)[0]
    if enable_gqa:
        key, value = (shared_heads(F, query, each) for each in (key, value))
    kind = raw_dtype(query)
    if kind in REDUCED_NUMPY:
        query, key, value = (F.cast(each, FLOAT32) for each in (query, key, value))
    scale = 1 / math.sqrt(raw_shape(query)[-1]) if scale is None else scale
    if dropout_p == 0 and is_plain(query, key, value, attn_mask):
        return F.cast(F.attention(query, key, value, attn_mask, is_causal, scale)[0], kind)
    # Each factor takes the root of the scale, so that neither product overflows.
    factor = math.sqrt(abs(scale))
    scores = F.matmul(query * math.copysign(factor, scale), F.transpose(key, -2, -1) * factor)
    weights = weights_of(F, scores, attn_mask, is_causal=is_causal)
    if dropout_p > 0:
        weights = F.dropout(weights, dropout_p, True)
    return F.cast(F.matmul(weights, value), kind)


face(scaled_dot_product_attention, spaces=("nn.functional",))


def is_plain(query, key, value, mask, dtypes=(FLOAT32, FLOAT64), *, grouped: bool = False) -> bool:
    """Whether PyTorch, too, takes its one kernel: four dimensions of equal sizes, and no gradient of the mask.

    With `grouped` several heads of queries may share one of keys and values.
    """
    arrays = [each._array if isinstance(each, Tensor) else each for each in (query, key, value)]
    dtype, (sizes, keys, values) = arrays[0].dtype, [each.shape for each in arrays]
    if dtype not in dtypes or not len(sizes) == len(keys) == len(values) == 4:
        return False
    if not dtype == arrays[1].dtype == arrays[2].dtype:
        return False
    if mask is not None:
        whole = (*sizes[:3], keys[2])
        if differentiated(mask) or mask.ndim not in (2, 4) or raw_dtype(mask) not in (np.bool_, dtype):
            return False
        if any(size not in (1, full) for size, full in zip(mask.shape[::-1], whole[::-1], strict=False)):
            return False
    if 0 in sizes or 0 in keys or (grouped and sizes[1] % keys[1]):
        return False
    # Plain tuples: slicing and comparing a `Size` takes longer.
    return keys == values and sizes[3] == keys[3] and (sizes[0] == keys[0] if grouped else sizes[:2] == keys[:2])


def is_narrow(query, key, value, mask, enable_gqa: bool) -> bool:
    """Whether a GPU computes attention in half precision, with heads that are shared: its kernel widens them itself."""
    operands = [each for each in (query, key, value, mask) if each is not None]
    if not all(is_on_gpu(each._array if isinstance(each, Tensor) else each) for each in operands):
        return False
    return is_plain(query, key, value, mask, REDUCED_NUMPY, grouped=enable_gqa)


def attended_widely(xp, query, key, value, bias, is_causal, scale):
    """`xp.attention` in float32, of operands in half precision, whose heads may be shared."""
    wide_key, wide_value = (repeated_heads(xp, query, each) for each in (key, value))
    return xp.attention(widened(xp, query), wide_key, wide_value, widened(xp, bias), is_causal, scale)


def repeated_heads(xp, query, shared):
    """Raw heads of keys or values in float32, each as often as there are heads of queries to it."""
    times = query.shape[1] // shared.shape[1]
    wide = widened(xp, shared)
    return wide if times == 1 else np.repeat(wide, times, 1)


def raw_shape(value) -> tuple:
    """The shape of a raw array or of a tensor, as a plain tuple."""
    return (value._array if isinstance(value, Tensor) else value).shape


def weights_of(F, scores, bias, *, is_causal: bool):
    """The weight that each query gives to each key."""
    if is_causal:
        bias = F.tril(F.new_zeros_of(scores, tuple(scores.shape[-2:])) == 0)
    if bias is not None:
        if raw_dtype(bias).kind == "b":
            bias = F.where(bias, F.new_zeros_of(scores, ()), -math.inf)
        scores = scores + bias
    return F.safe_softmax(scores, -1)


def shared_heads(F, query, shared):
    """Heads of keys or values, each as often as there are heads of queries to it."""
    heads, groups = query.shape[-3], shared.shape[-3]
    if heads % groups:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    return F.repeat_interleave(shared, heads // groups, -3)


def check_broadcast(query, key, mask) -> None:
    """The scores are not made larger by a mask."""
    (*batch, count, _), (*others, seen, _) = raw_shape(query), raw_shape(key)
    scores = (*(batch if len(batch) >= len(others) else others), count, seen)
    if mask.ndim > len(scores):
        results = [*broadcast((scores, raw_shape(mask)))]
        raise RuntimeError(f"output with shape {[*scores]} doesn't match the broadcast shape {results}")


def check_attention(query, key, value, attn_mask, dropout_p, *, is_causal: bool) -> None:
    """Raises PyTorch's errors for queries, keys, values and mask."""
    dtypes = [raw_dtype(each) for each in (query, key, value)]
    if len(set(dtypes)) > 1:
        one, two, three = cpp_names(query, key, value)
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {one} key.dtype: {two} and "
            f"value.dtype: {three} instead."
        )
    if dtypes[0].kind in "biu":
        raise RuntimeError(f"expected scalar type Float but found {scalar_names(query)[0]}")
    ranks = [each.ndim for each in (query, key, value)]
    if min(ranks) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {ranks[0]} key.dim: "
            f"{ranks[1]} and value.dim: {ranks[2]} instead."
        )
    if attn_mask is not None:
        if raw_dtype(attn_mask) not in (np.bool_, FLOAT32, dtypes[0]):
            mask, kind = cpp_names(attn_mask, query)
            raise RuntimeError(
                "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
                f"{mask} and  query.dtype: {kind} instead."
            )
        if is_causal:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        if dropout_p == 0 and attn_mask.ndim < 2 and ranks == [4, 4, 4]:
            length(attn_mask, -2)
        check_broadcast(query, key, attn_mask)
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
