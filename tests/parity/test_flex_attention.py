"""`flex_attention` next to PyTorch's on the CPU: values, masks as they are shown, and errors."""

import importlib
import itertools
import warnings

import numpy as np
import pytest

MODULE = "nn.attention.flex_attention"
B, H, Q, K, E = 2, 4, 5, 7, 8
RANDOM = np.random.default_rng(0)
DOCUMENTS = np.array([0, 0, 1, 1, 2, 2, 2])
BIAS, SLOPES, TABLE = (RANDOM.standard_normal(size).astype(np.float32) for size in ((H, Q, K), (H,), (B, 9)))
LISTS = [f"{each}_{part}" for each in ("kv", "full_kv", "q", "full_q") for part in ("num_blocks", "indices")]


def flex(library):
    return importlib.import_module(f"{library.__name__}.{MODULE}")


def score_mods(t):
    bias, derivatives, table = t.tensor(BIAS), t.tensor(SLOPES), t.tensor(TABLE)
    return {
        "none": None,
        "causal": lambda s, b, h, q, k: t.where(q >= k, s, -float("inf")),
        "alibi": lambda s, b, h, q, k: s + derivatives[h] * (k - q),
        "bias": lambda s, b, h, q, k: s + bias[h, q, k],
        "capped": lambda s, b, h, q, k: 3 * t.tanh(s / 3),
        "two indices": lambda s, b, h, q, k: s + table[b][k] * table[b, q],
        "sums": lambda s, b, h, q, k: s + table[b].mean() + bias[h, q].sum(),
    }


def mask_mods(t):
    documents, module = t.tensor(DOCUMENTS), flex(t)

    def causal(b, h, q, k):
        return q >= k

    def window(b, h, q, k):
        return (q - k).abs() <= 2

    def document(b, h, q, k):
        return documents[q] == documents[k]

    return {
        "none": None,
        "causal": causal,
        "document": document,
        "both": module.and_masks(causal, window),
        "any": module.or_masks(document, window),
        "empty rows": lambda b, h, q, k: (q > 2) & (k <= q),
        "by batch and head": lambda b, h, q, k: (b > 0) | (h > k),
    }


@pytest.fixture(autouse=True)
def without_advice():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "flex_attention called without torch.compile")
        warnings.filterwarnings("ignore", "return_lse is deprecated", FutureWarning)
        yield


def attended(library, arrays, score_mod, mask_mod, **options):
    module = flex(library)
    mask = mask_mods(library)[mask_mod]
    if mask is not None:
        sizes = (B, H) if mask_mod == "by batch and head" else (None, None)
        mask = module.create_block_mask(mask, *sizes, Q, K, device="cpu", BLOCK_SIZE=4)
    tensors = [library.tensor(each) for each in arrays]
    with library.no_grad():
        out, aux = module.flex_attention(
            *tensors, score_mods(library)[score_mod], mask, return_aux=module.AuxRequest(lse=True), **options
        )
    return out.numpy(), aux.lse.numpy()


def drawn(heads, dtype=np.float32):
    sizes = (B, H, Q, E), (B, heads, K, E), (B, heads, K, 6)
    return [np.random.default_rng(1).standard_normal(each).astype(dtype) for each in sizes]


def cases():
    import rushlight

    return list(itertools.product(score_mods(rushlight), mask_mods(rushlight)))


@pytest.mark.parametrize(("score_mod", "mask_mod"), [("bias", "both"), ("none", "empty rows"), ("alibi", "document")])
@pytest.mark.parametrize("heads", [H, 2])
def test_values_of_some(pytorch, score_mod, mask_mod, heads):
    import rushlight

    options = {"enable_gqa": heads != H, "scale": 0.3}
    arrays = drawn(heads)
    for ours, theirs in zip(
        attended(rushlight, arrays, score_mod, mask_mod, **options),
        attended(pytorch, arrays, score_mod, mask_mod, **options),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, atol=2e-6)


@pytest.mark.parametrize(("score_mod", "mask_mod"), cases())
def test_values_are_those_of_scores_computed_one_by_one(score_mod, mask_mod):
    """The functions called for each position, with tensors without dimensions."""
    import rushlight as torch

    query, key, value = (torch.tensor(each) for each in drawn(H, np.float64))
    change, mask = score_mods(torch)[score_mod], mask_mods(torch)[mask_mod]
    scores = query @ key.transpose(-2, -1) / E**0.5
    for place in itertools.product(*map(range, scores.shape)):
        numbers = [torch.tensor(each) for each in place]
        if change is not None:
            scores[place] = change(scores[place].clone(), *numbers)
        if mask is not None and not mask(*numbers):
            scores[place] = -float("inf")
    weights = torch.softmax(scores, -1).nan_to_num()
    out, _ = attended(torch, drawn(H, np.float64), score_mod, mask_mod)
    np.testing.assert_allclose(out, (weights @ value).numpy(), atol=1e-12)


def facts(mask):
    lists = [getattr(mask, each) for each in LISTS]
    shown = str(mask), repr(mask), mask.to_string(3), mask.to_string((2, 3), limit=1)
    reported = mask.shape, mask.BLOCK_SIZE, mask.numel(), mask.sparsity(), mask.seq_lengths, mask.to_dense().tolist()
    return [None if each is None else (str(each.dtype), each.tolist()) for each in lists], shown, reported


def causal(b, h, q, k):
    return q >= k


def near(b, h, q, k):
    return (q - k).abs() <= 20


def by_head(b, h, q, k):
    return (b > 0) | (h > k // 64)


CHANGES = {
    "whole": lambda mask: mask,
    "first batch": lambda mask: mask[0],
    "last head": lambda mask: mask[-1, 0],
    "rows": lambda mask: mask[:, :, 0:1],
    "moved": lambda mask: mask.to("cpu"),
    "rows alone": lambda mask: type(mask).from_kv_blocks(
        mask.kv_num_blocks, mask.kv_indices, BLOCK_SIZE=mask.BLOCK_SIZE, compute_q_blocks=False
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("mask_mod", [causal, near, by_head])
@pytest.mark.parametrize(
    ("sizes", "block"), [((None, None, 100, 130), 32), ((2, 3, 64, 64), (16, 32)), ((None, None, 7, 300), 64)]
)
@pytest.mark.parametrize("separate", [True, False])
def test_masks_are_shown_as_in_pytorch(pytorch, mask_mod, sizes, block, separate, change):
    import rushlight

    ours, theirs = (
        facts(
            CHANGES[change](
                flex(library).create_block_mask(
                    mask_mod, *sizes, device="cpu", BLOCK_SIZE=block, separate_full_blocks=separate
                )
            )
        )
        for library in (rushlight, pytorch)
    )
    assert ours == theirs


def test_a_mask_for_a_shorter_sequence(torch):
    mask = flex(torch).create_block_mask(causal, 1, 1, 256, 256, device="cpu", BLOCK_SIZE=64)
    cropped = mask._adjust(128, 128)
    whole = flex(torch).create_block_mask(causal, 1, 1, 128, 128, device="cpu", BLOCK_SIZE=64)
    assert cropped.to_dense().tolist() == whole.to_dense().tolist() and cropped.shape == (1, 1, 128, 128)


def test_a_mask_from_a_function_of_scores(torch):
    module = flex(torch)
    by_scores = module.create_mask(
        lambda s, b, h, q, k: torch.where(q >= k, s, -float("inf")), 2, None, 3, 4, device="cpu"
    )
    assert by_scores.tolist() == module.create_mask(causal, 2, None, 3, 4, device="cpu").tolist()
    assert by_scores.shape == (2, 1, 3, 4)


def call(*sizes, **options):
    return lambda t, m: m.flex_attention(*(t.ones(*each) for each in sizes), **options)


def masked(*sizes, mask, take=lambda mask: mask):
    return lambda t, m: m.flex_attention(
        *(t.ones(*each) for each in sizes), block_mask=take(m.create_block_mask(causal, *mask, device="cpu"))
    )


ONE = ((1, 1, 2, 3),) * 3
ERRORS = [
    (call((1, 1, 2, 3), (1, 1, 2, 4), (1, 1, 2, 4)), ValueError, "^Expect query and key/value to have the same embedd"),
    (call((2, 3), (2, 3), (2, 3)), NotImplementedError, "^NYI: query, key, and value must be 4D tensors"),
    (call((3,), (2, 3), (2, 3)), ValueError, "^Expected query, key, and value to all be  at least 2 dimensional"),
    (call((1, 4, 2, 3), (1, 2, 2, 3), (1, 2, 2, 3)), ValueError, "^Expect query and key/value to have the same number"),
    (
        call((1, 3, 2, 3), *ONE[:0], (1, 2, 2, 3), (1, 2, 2, 3), enable_gqa=True),
        ValueError,
        "^Expect number of query h",
    ),
    (call((2, 1, 2, 3), *ONE[:2]), ValueError, "^Expect query and key/value to have the same batch size, or non-none"),
    (
        masked((2, 1, 2, 3), *ONE[:2], mask=(None, None, 2, 2)),
        ValueError,
        "^Expect query and key/value to have the sam",
    ),
    (masked(*ONE, mask=(None, None, 2, 3)), ValueError, "^block_mask was created for block_mask.shape=.* larger"),
    (masked(*ONE, mask=(None, None, 1, 3)), ValueError, "^block_mask was created for block_mask.shape=.* smaller"),
    (
        masked(*ONE, mask=(None, None, 2, 2), take=lambda mask: mask[0]),
        RuntimeError,
        "^Cannot use mask_mod from a slic",
    ),
    (lambda t, m: m.create_mask(lambda b, h: b, 1, 1, 2, 2), AssertionError, "^Expected 4 or 5 positional args, got 2"),
    (
        lambda t, m: m.create_block_mask(lambda s, b, h, q, k: s, 1, 1, 2, 2),
        AssertionError,
        "^create-block_mask requir",
    ),
    (lambda t, m: m.and_masks(3), RuntimeError, "^All inputs should be callable mask_mods"),
    (call(*ONE, kernel_options={"BACKEND": "X"}), ValueError, "^Invalid BACKEND value 'X'. Must be one of"),
    (
        lambda t, m: m.BlockMask.from_kv_blocks(t.ones(1), t.ones(1)),
        RuntimeError,
        "^BlockMask must have at least 2 dim",
    ),
    (
        lambda t, m: m.BlockMask.from_kv_blocks(t.ones(1, 1), t.ones(1, 1, 1), t.ones(1, 1)),
        AssertionError,
        "^full_kv_num_blocks and full_kv_indices must be both provided",
    ),
]


@pytest.mark.parametrize(("use", "error", "first_line"), ERRORS)
def test_errors(torch, use, error, first_line):
    with pytest.raises(error, match=first_line):
        use(torch, flex(torch))


# ---- what PyTorch has on a GPU only


@pytest.mark.parametrize("mask_mod", ["none", "causal", "empty rows"])
@pytest.mark.parametrize("score_mod", ["none", "bias", "capped"])
def test_gradients_are_those_of_attention_written_out(score_mod, mask_mod):
    import rushlight as torch

    module, bias = flex(torch), torch.tensor(BIAS, dtype=torch.float64, requires_grad=True)
    tensors = [torch.tensor(each, requires_grad=True) for each in drawn(H, np.float64)]
    query, key, value = tensors
    change = {
        "none": None,
        "bias": lambda s, b, h, q, k: s + bias[h, q, k],
        "capped": lambda s, b, h, q, k: 3 * torch.tanh(s / 3),
    }[score_mod]
    mask = mask_mods(torch)[mask_mod]
    block_mask = None if mask is None else module.create_block_mask(mask, None, None, Q, K)
    out = module.flex_attention(query, key, value, change, block_mask)
    scores = query @ key.transpose(-2, -1) / E**0.5
    scores = {"none": scores, "bias": scores + bias, "capped": 3 * torch.tanh(scores / 3)}[score_mod]
    left_in = torch.ones(1, 1, Q, K, dtype=torch.bool) if mask is None else module.create_mask(mask, None, None, Q, K)
    weights = torch.exp(scores) * left_in
    expected = weights / weights.sum(-1, keepdim=True).clamp(min=1e-30) @ value
    inputs = [*tensors, bias] if score_mod == "bias" else tensors
    torch.testing.assert_close(out, expected)
    grad = torch.randn_like(out)
    for ours, theirs in zip(
        torch.autograd.grad(out, inputs, grad), torch.autograd.grad(expected, inputs, grad), strict=True
    ):
        torch.testing.assert_close(ours, theirs)


def test_the_largest_score_of_each_row():
    import rushlight as torch

    query, key, value = (torch.tensor(each) for each in drawn(H))
    _, aux = flex(torch).flex_attention(query, key, value, return_aux=flex(torch).AuxRequest(max_scores=True))
    assert aux.lse is None
    torch.testing.assert_close(aux.max_scores, (query @ key.transpose(-2, -1) / E**0.5).amax(-1))


@pytest.mark.parametrize(
    ("score_mod", "error", "words"),
    [
        (lambda s, b, h, q, k: s if q > k else -s, RuntimeError, "^vmap: It looks like you're attempting"),
        (lambda s, b, h, q, k: s.unsqueeze(0).matmul(s.unsqueeze(0)), NotImplementedError, "is no function of single"),
        (lambda s, b, h, q, k: 3, ValueError, "a tensor is to be returned"),
    ],
)
def test_what_cannot_be_computed_for_all_positions_at_once_is_refused(score_mod, error, words):
    import rushlight as torch

    with pytest.raises(error, match=words):
        flex(torch).flex_attention(*(torch.ones(1, 1, 2, 3) for _ in range(3)), score_mod)


def test_under_autocast(torch):
    query, key, value = (torch.tensor(each) for each in drawn(H))
    with torch.no_grad(), torch.autocast("cpu"):
        out = flex(torch).flex_attention(query, key, value)
    assert out.dtype == torch.bfloat16
