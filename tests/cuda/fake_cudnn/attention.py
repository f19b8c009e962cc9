"""Attention of the stand-in: float16 and bfloat16, rows of sizes that are multiples of 8."""

import math

import rushlight as torch

from .names import cudnnGraphNotSupportedError, data_type
from .operator import COMMON, Operator

MASKS = (
    "use_alibi_mask", "use_padding_mask", "use_causal_mask", "use_causal_mask_bottom_right", "sliding_window_length",
    "diagonal_alignment", "diagonal_band_left_bound", "diagonal_band_right_bound",
)  # fmt: skip
SETTINGS = ("attn_scale", "dropout", "max_total_seq_len_q", "max_total_seq_len_kv", *MASKS, *COMMON)
FORWARD = ("is_inference", "generate_stats", "implementation", "unfuse_fma", "stats_use_log2", *SETTINGS)
BACKWARD = ("use_deterministic_algorithm", *SETTINGS)


def check(io, operands, results, attn_scale, diagonal_band_right_bound=None, **settings):
    query, key, value = (operands[name] for name in "qkv")
    (batch, heads, length, size), (groups, keys) = query.dim, key.dim[1:3]
    if query.kind not in (data_type.HALF, data_type.BFLOAT16) or query.dim[3] % 8 or value.dim[3] % 8:
        raise cudnnGraphNotSupportedError("hidden_dim should be multiple of 8")
    assert type(attn_scale) is float and diagonal_band_right_bound in (None, 0)
    assert key.dim == [batch, groups, keys, size] and value.dim[:3] == key.dim[:3] and heads % groups == 0
    for name, each in (*operands.items(), *((None, each) for each in results)):
        assert each.kind is (data_type.FLOAT if each.dim == [batch, heads, length, 1] else io) and not each.by_value
        assert len(each.dim) == 4 and each.stride[3] == 1 and all(step > 0 for step in each.stride)
        assert name != "bias" or (
            each.dim[2:] == [length, keys] and each.dim[0] in (1, batch) and each.dim[1] in (1, heads)
        )


def check_backward(io, operands, results, use_deterministic_algorithm, **settings):
    check(io, operands, results, **settings)
    assert type(use_deterministic_algorithm) is bool and operands["stats"].stride == contiguous(operands["stats"].dim)
    if operands["q"].dim[3] > 128:
        raise cudnnGraphNotSupportedError("Num hidden_dim should be less than or equal to 128")


def contiguous(dim):
    return [math.prod(dim[place + 1 :]) for place in range(len(dim))]


def has_results(operands, settings):
    return [True, settings["generate_stats"]]


def scores_of(query, key, bias, attn_scale, diagonal_band_right_bound=None, **settings):
    scores = query @ key.repeat_interleave(query.shape[1] // key.shape[1], 1).mT * attn_scale
    if bias is not None:
        scores = scores + bias
    if diagonal_band_right_bound is not None:
        scores = scores.masked_fill(~torch.ones(scores.shape[2:], dtype=torch.bool).tril(), -math.inf)
    return scores


def sdpa(q, k, v, shapes, bias=None, generate_stats=True, **settings):
    scores = scores_of(q, k, bias, **settings)
    most = scores.amax(-1, True)
    stats = most + (scores - most).exp().sum(-1, True).log()  # NaN where all scores are minus infinity
    return [(scores - stats).exp() @ v.repeat_interleave(q.shape[1] // v.shape[1], 1), stats]


def sdpa_backward(q, k, v, o, dO, stats, shapes, bias=None, use_deterministic_algorithm=False, **settings):
    times = q.shape[1] // k.shape[1]
    key, value = (each.repeat_interleave(times, 1) for each in (k, v))
    weights = (scores_of(q, k, bias, **settings) - stats).exp()
    scaled = weights * (dO @ value.mT - (dO * o).sum(-1, True)) * settings["attn_scale"]
    gradients = [scaled @ key, scaled.mT @ q, weights.mT @ dO]
    return [gradients[0], *(each.unflatten(1, (-1, times)).sum(2) for each in gradients[1:])]


LENGTHS = ("seq_len_q", "seq_len_kv")
OPERATORS = [
    Operator("sdpa", ("q", "k", "v", "bias", "block_mask", *LENGTHS), FORWARD, has_results, check, sdpa),
    Operator(
        "sdpa_backward", ("q", "k", "v", "o", "dO", "stats", "bias", "dBias", *LENGTHS), BACKWARD,
        lambda operands, settings: [True, True, True], check_backward, sdpa_backward,
    ),
]  # fmt: skip
