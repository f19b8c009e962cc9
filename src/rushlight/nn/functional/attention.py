"""Multi-head attention: projects the inputs, attends in each head, and projects the result.

Vaswani et al., "Attention is all you need", 2017. Sequences are (time, batch, features), or (time, features).
"""

import math
import warnings

from rushlight._generated import functions
from rushlight.core import dtype as kinds
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros_like


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Returns the attention output, and with `need_weights` the weights, by default averaged over heads.

    A mask of bools is True where a key is excluded; other masks are added to the scores. `key_padding_mask` is (batch,
    source), `attn_mask` (target, source) or (batch * heads, target, source); `is_causal` states that it is the causal
    mask.
    """
    batched = check_ranks(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = as_batch_of_one(query, key, value)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, features = query.shape
    masks, is_causal = masks_of(query, key_padding_mask, attn_mask, is_causal, need_weights)
    check_features(features, embed_dim_to_check, num_heads)
    if use_separate_proj_weight:
        weights = q_proj_weight, k_proj_weight, v_proj_weight
        q, k, v = project_separately(query, key, value, weights, in_proj_bias)
    else:
        q, k, v = project_packed(query, key, value, in_proj_weight, in_proj_bias)
    masks = checked_mask(masks[0], length, key.shape[0], batch * num_heads), masks[1]
    k, v, masks = with_learned_key(k, v, masks, bias_k, bias_v, static_k, static_v, batch)
    q = by_head(q, num_heads)
    k = by_head(k, num_heads) if static_k is None else checked_static("k", static_k, q)
    v = by_head(v, num_heads) if static_v is None else checked_static("v", static_v, q)
    if add_zero_attn:
        k, v = (functions.cat([x, zeros_like(x[:, :1])], 1) for x in (k, v))
        masks = tuple(map(widened, masks))
    mask = merged(masks, batch, num_heads, k.size(1))
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        attended, scores = attend(q, k, v, mask, dropout_p)
        scores = scores.view(batch, num_heads, length, k.size(1))
        scores = scores.mean(1) if average_attn_weights else scores
    else:
        attended, scores = attend_without_weights(q, k, v, mask, dropout_p, is_causal, (batch, num_heads)), None
    output = functions.linear(attended.reshape(length * batch, features), out_proj_weight, out_proj_bias)
    output = output.view(length, batch, output.size(1))
    if batched:
        return output, scores
    return output.squeeze(1), None if scores is None else scores.squeeze(0)


# ---- inputs


def check_ranks(query, key, value, key_padding_mask, attn_mask, num_heads) -> bool:
    """Whether the sequences have a batch dimension. Raises AssertionError for ranks that do not match."""
    rank = query.dim()
    if rank not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor")
    start = f"For {'batched (3-D)' if rank == 3 else 'unbatched (2-D)'} `query`, expected"
    if key.dim() != rank or value.dim() != rank:
        raise AssertionError(
            f"{start} `key` and `value` to be {rank}-D but found {key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != rank - 1:
        raise AssertionError(
            f"{start} `key_padding_mask` to be `None` or {rank - 1}-D but found {key_padding_mask.dim()}-D tensor "
            "instead"
        )
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"{start} `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead"
        )
    if rank == 2 and attn_mask is not None and attn_mask.dim() == 3:
        expected = (num_heads, query.shape[0], key.shape[0])
        if attn_mask.shape != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}")
    return rank == 3


def as_batch_of_one(query, key, value):
    """Adds a batch dimension; one tensor used several times stays one tensor."""
    wide = {id(tensor): tensor.unsqueeze(1) for tensor in (query, key, value)}
    return wide[id(query)], wide[id(key)], wide[id(value)]


def check_features(features, expected, num_heads) -> None:
    """Raises AssertionError unless the queries have the expected size, divisible by the number of heads."""
    if features != expected:
        raise AssertionError(f"was expecting embedding dimension of {expected}, but got {features}")
    if features % num_heads:
        raise AssertionError(f"embed_dim {features} not divisible by num_heads {num_heads}")


# ---- masks


def as_float_mask(mask, name: str, dtype, other=None, other_name: str = ""):
    """Returns a mask to be added to scores: minus infinity where a mask of bools is True."""
    if mask is None:
        return None
    if mask.dtype != kinds.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype != other.dtype:
        warnings.warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
            stacklevel=3,
        )
    if mask.is_floating_point():
        return mask
    return zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf)


def masks_of(query, key_padding_mask, attn_mask, is_causal, need_weights):
    """Returns both masks as floats, and whether the attention op can apply the causal mask."""
    padding = as_float_mask(key_padding_mask, "key_padding_mask", query.dtype, attn_mask, "attn_mask")
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and padding is None and not need_weights:
        return (None, None), True
    return (as_float_mask(attn_mask, "attn_mask", query.dtype), padding), is_causal and padding is None


def checked_mask(mask, length, source, heads):
    """Returns the attention mask as (1 or batch * heads, target, source)."""
    if mask is None:
        return None
    rank = mask.dim()
    expected = (length, source) if rank == 2 else (heads, length, source)
    if mask.shape != expected:
        raise RuntimeError(f"The shape of the {rank}D attn_mask is {mask.shape}, but should be {expected}.")
    return mask.unsqueeze(0) if rank == 2 else mask


def widened(mask):
    """Extends a mask by one more key, not masked."""
    return None if mask is None else functions.pad(mask, (0, 1))


def merged(masks, batch, num_heads, source):
    """Merges both masks into one: (1 or batch * heads, 1 or target, source)."""
    mask, padding = masks
    if padding is None:
        return mask
    for dim, expected in enumerate((batch, source)):
        if padding.shape[dim] != expected:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{dim}] to be {expected}, but got {padding.shape[dim]}"
            )
    padding = padding.view(batch, 1, 1, source).expand(-1, num_heads, -1, -1).reshape(batch * num_heads, 1, source)
    return padding if mask is None else mask + padding


# ---- projections


def project_packed(query, key, value, weight, bias):
    """Projects queries, keys and values by one weight for all three; an input used several times is multiplied once."""
    if key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
    if weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    if key is value and query is key:
        return in_parts(functions.linear(query, weight, bias), 3)
    features = query.size(-1)
    if key is value:
        sizes = [features, 2 * features]
        own, shared = zip(weight.split(sizes), [None, None] if bias is None else bias.split(sizes), strict=True)
        return functions.linear(query, *own), *in_parts(functions.linear(key, *shared), 2)
    biases = [None] * 3 if bias is None else bias.chunk(3)
    return tuple(map(functions.linear, (query, key, value), weight.chunk(3), biases))


def in_parts(product, count):
    """Splits the last dimension into contiguous parts."""
    time, batch, features = product.shape
    return product.view(time, batch, count, features // count).permute(2, 0, 1, 3).contiguous().unbind(0)


def project_separately(query, key, value, weights, bias):
    """Projects queries, keys and values, which may have different sizes, each by its own weight."""
    if key.shape[:2] != value.shape[:2]:
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
    features, results = query.size(-1), []
    biases = [None] * 3 if bias is None else bias.chunk(3)
    for name, input, weight, own_bias in zip(
        ("query", "key", "value"), (query, key, value), weights, biases, strict=True
    ):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name[0]}_proj_weight is None")
        for what, tensor, expected in (
            ("weights", weight, (features, input.size(-1))), ("bias", own_bias, (features,))
        ):  # fmt: skip
            if tensor is not None and tensor.shape != expected:
                raise AssertionError(f"expecting {name} {what} shape of {expected}, but got {tensor.shape}")
        results.append(functions.linear(input, weight, own_bias))
    return results


def with_learned_key(k, v, masks, bias_k, bias_v, static_k, static_v, batch):
    """Appends a learned key and value if there are such parameters."""
    if (bias_k is None) != (bias_v is None):
        present, missing = ("bias_v", "bias_k") if bias_k is None else ("bias_k", "bias_v")
        raise AssertionError(f"{present} is set but {missing} is None")
    if bias_k is None:
        return k, v, masks
    for name, static in (("key", static_k), ("value", static_v)):
        if static is not None:
            raise AssertionError(f"bias cannot be added to static {name}.")
    k, v = (functions.cat([x, bias.repeat(1, batch, 1)]) for x, bias in ((k, bias_k), (v, bias_v)))
    return k, v, tuple(map(widened, masks))


def by_head(projection, heads):
    """Reshapes (time, batch, features) to (batch * heads, time, features of a head)."""
    time, batch, features = projection.shape
    return projection.view(time, batch * heads, features // heads).transpose(0, 1)


def checked_static(name, static, q):
    """Checks keys or values that are passed instead of projected."""
    for dim in (0, 2):
        if static.size(dim) != q.size(dim):
            raise AssertionError(f"expecting static_{name}.size({dim}) of {q.size(dim)}, but got {static.size(dim)}")
    return static


# ---- attention


def attend(q, k, v, mask, dropout_p):
    """Returns the attention output as (target, batch * heads, features of a head), and the weights."""
    scores, keys = q * math.sqrt(1.0 / q.size(-1)), k.transpose(-2, -1)
    scores = functions.bmm(scores, keys) if mask is None else functions.baddbmm(mask, scores, keys)
    weights = functions.softmax(scores, -1)
    if dropout_p > 0.0:
        weights = functions.dropout(weights, dropout_p, True)
    return functions.bmm(weights, v).transpose(0, 1), weights


def attend_without_weights(q, k, v, mask, dropout_p, is_causal, batch_and_heads):
    """Returns the attention output as (target, batch, heads, features of a head)."""
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.size(0) == 1 else mask.view(*batch_and_heads, *mask.shape[1:])
    q, k, v = (x.view(*batch_and_heads, *x.shape[1:]) for x in (q, k, v))
    return functions.scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal).permute(2, 0, 1, 3)
