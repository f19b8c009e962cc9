"""Attention and transformers: masks, weights, shapes, names of parameters, and what is refused."""

import copy
import math

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")


@pytest.fixture
def nn(torch):
    torch.manual_seed(0)
    return torch.nn


def refused(error, words, call):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(words)


# ---- parameters


def test_parameters_of_attention(nn):
    layer = nn.MultiheadAttention(4, 2)
    assert list(layer.state_dict()) == ["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"]
    assert layer.in_proj_bias.abs().sum().item() == 0 and layer.out_proj.bias.abs().sum().item() == 0
    apart = nn.MultiheadAttention(4, 2, kdim=3, vdim=5, bias=False, add_bias_kv=True)
    assert {name: tuple(each.shape) for name, each in apart.state_dict().items()} == {
        "q_proj_weight": (4, 4), "k_proj_weight": (4, 3), "v_proj_weight": (4, 5), "bias_k": (1, 1, 4),
        "bias_v": (1, 1, 4), "out_proj.weight": (4, 4),
    }  # fmt: skip
    assert apart.in_proj_weight is None and apart.in_proj_bias is None


def test_the_first_weights_of_a_seed(nn):
    result = nn.MultiheadAttention(4, 2).in_proj_weight[0].tolist()
    assert result == pytest.approx([0.222424, 0.508507, -0.126026, 0.458246], abs=2e-6)


def test_stacks_begin_with_copies_of_one_layer(torch, nn):
    layer = nn.TransformerEncoderLayer(4, 2, 6)
    stack = nn.TransformerEncoder(layer, 2)
    assert torch.equal(stack.layers[0].linear1.weight, stack.layers[1].linear1.weight)
    assert stack.layers[0].linear1.weight is not stack.layers[1].linear1.weight
    assert list(stack.state_dict())[0] == "layers.0.self_attn.in_proj_weight"


def test_repr(nn):
    assert repr(nn.MultiheadAttention(4, 2)).splitlines()[1] == (
        "  (out_proj): NonDynamicallyQuantizableLinear(in_features=4, out_features=4, bias=True)"
    )


# ---- what attention returns


def test_weights_are_of_each_query_and_sum_to_one(torch, nn):
    layer = nn.MultiheadAttention(4, 2)
    query, key = torch.randn(3, 2, 4), torch.randn(5, 2, 4)
    output, weights = layer(query, key, key)
    assert output.shape == (3, 2, 4) and weights.shape == (2, 3, 5)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3))
    _, by_head = layer(query, key, key, average_attn_weights=False)
    assert by_head.shape == (2, 2, 3, 5) and torch.allclose(by_head.mean(1), weights)


def test_without_weights_the_values_are_the_same(torch, nn):
    layer = nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True)
    x = torch.randn(3, 2, 4)
    (output, weights), (same, nothing) = layer(x, x, x), layer(x, x, x, need_weights=False)
    assert weights.shape == (2, 3, 5) and nothing is None and torch.allclose(output, same, atol=1e-6)


@pytest.mark.parametrize("masked", [False, True])
def test_a_changed_result_has_no_gradient(torch, masked):
    query, key, value = (torch.ones(1, 2, 3, 8, requires_grad=True) for _ in range(3))
    mask = torch.eye(3) > 0 if masked else None
    result = torch.nn.functional.scaled_dot_product_attention(query, key, value, mask)
    result.mul_(2)
    words = "one of the variables needed for gradient computation has been modified by an inplace operation"
    refused(RuntimeError, words, result.sum().backward)


def test_batch_first_and_no_batch(torch, nn):
    layer = nn.MultiheadAttention(4, 2, batch_first=True)
    x = torch.randn(2, 3, 4)
    output, weights = layer(x, x, x)
    alone, own = layer(x[1], x[1], x[1])
    assert torch.allclose(output[1], alone, atol=1e-6) and torch.allclose(weights[1], own, atol=1e-6)


def test_masked_keys_have_no_weight(torch, nn):
    layer = nn.MultiheadAttention(4, 2, batch_first=True)
    x = torch.randn(2, 3, 4)
    padding = torch.tensor([[False, False, True], [False, False, False]])
    _, weights = layer(x, x, x, key_padding_mask=padding)
    assert weights[0, :, 2].tolist() == [0.0] * 3 and (weights[1] > 0).all()
    _, weights = layer(x, x, x, attn_mask=torch.ones(3, 3, dtype=torch.bool).triu(1))
    assert torch.equal(weights.triu(1), torch.zeros(2, 3, 3))


def test_a_mask_of_numbers_is_added_to_the_scores(torch, nn):
    layer = nn.MultiheadAttention(4, 2)
    x = torch.randn(3, 1, 4)
    hidden = torch.zeros(3, 3).masked_fill(torch.ones(3, 3, dtype=torch.bool).triu(1), -math.inf)
    same = layer(x, x, x, attn_mask=torch.ones(3, 3, dtype=torch.bool).triu(1))
    for result, expected in zip(layer(x, x, x, attn_mask=hidden), same, strict=True):
        assert torch.allclose(result, expected)
    per_head = hidden.expand(2, 3, 3)
    assert torch.allclose(layer(x, x, x, attn_mask=per_head)[0], same[0])


def test_the_causal_hint_stands_for_the_causal_mask(torch, nn):
    layer = nn.MultiheadAttention(4, 2)
    x, mask = torch.randn(3, 2, 4), nn.Transformer.generate_square_subsequent_mask(3)
    with_hint, _ = layer(x, x, x, attn_mask=mask, is_causal=True, need_weights=False)
    assert torch.allclose(with_hint, layer(x, x, x, attn_mask=mask)[0], atol=1e-6)
    refused(RuntimeError, "Need attn_mask if specifying the is_causal hint.", lambda: layer(x, x, x, is_causal=True))


def test_two_kinds_of_masks_are_warned_of(torch, nn):
    layer = nn.MultiheadAttention(4, 2)
    x = torch.randn(3, 2, 4)
    with pytest.warns(UserWarning, match="Support for mismatched key_padding_mask and attn_mask is deprecated."):
        layer(x, x, x, key_padding_mask=torch.zeros(2, 3, dtype=torch.bool), attn_mask=torch.zeros(3, 3))


def test_second_derivatives_of_attention(torch, nn):
    layer = nn.MultiheadAttention(2, 1).double()
    x = torch.randn(2, 1, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda each: layer(each, each, each)[0], x)


# ---- transformers


def test_the_mask_that_hides_what_comes_after(torch, nn):
    mask = nn.Transformer.generate_square_subsequent_mask(2, dtype=torch.float64)
    assert mask.tolist() == [[0.0, -math.inf], [0.0, 0.0]] and mask.dtype == torch.float64


def test_an_encoder_layer_is_its_parts(torch, nn):
    layer = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0)
    x = torch.randn(3, 2, 4)
    h = layer.norm1(x + layer.self_attn(x, x, x)[0])
    expected = layer.norm2(h + layer.linear2(layer.linear1(h).relu()))
    assert torch.allclose(layer(x), expected, atol=1e-6)
    layer.norm_first = True
    h = layer.norm1(x)
    h = x + layer.self_attn(h, h, h)[0]
    assert torch.allclose(layer(x), h + layer.linear2(layer.linear1(layer.norm2(h)).relu()), atol=1e-6)


@pytest.mark.parametrize("activation", ["gelu", "function", "module"])
def test_activations_by_name_and_as_functions(torch, nn, activation):
    chosen = {"gelu": "gelu", "function": torch.nn.functional.gelu, "module": nn.GELU()}[activation]
    layer = nn.TransformerEncoderLayer(4, 2, 6, 0.0, chosen)
    x = torch.randn(3, 2, 4)
    h = layer.norm1(x + layer.self_attn(x, x, x)[0])
    expected = layer.norm2(h + layer.linear2(torch.nn.functional.gelu(layer.linear1(h))))
    assert torch.allclose(layer(x), expected, atol=1e-6)


def test_a_decoder_sees_nothing_after_a_position(torch, nn):
    layer = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6, dropout=0.0), 2, nn.LayerNorm(4))
    target, memory = torch.randn(4, 1, 4), torch.randn(3, 1, 4)
    mask = nn.Transformer.generate_square_subsequent_mask(4)
    whole = layer(target, memory, tgt_mask=mask)
    shorter = layer(target[:2], memory, tgt_mask=mask[:2, :2])
    assert torch.allclose(whole[:2], shorter, atol=1e-6)


def test_padding_changes_no_other_position(torch, nn):
    layer = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0), 2)
    x = torch.randn(4, 1, 4)
    padded = layer(x, src_key_padding_mask=torch.tensor([[False, False, False, True]]))
    assert torch.allclose(padded[:3], layer(x[:3]), atol=1e-6)


def test_a_whole_transformer(torch, nn):
    model = nn.Transformer(4, 2, 1, 2, 6, batch_first=True)
    assert model(torch.randn(3, 5, 4), torch.randn(3, 2, 4)).shape == (3, 2, 4)
    assert len(model.decoder.layers) == 2 and model.encoder.norm.normalized_shape == (4,)
    assert copy.deepcopy(model).d_model == 4
    words = "the batch number of src and tgt must be equal"
    refused(RuntimeError, words, lambda: model(torch.zeros(3, 5, 4), torch.zeros(2, 2, 4)))
    words = "the feature number of src and tgt must be equal to d_model"
    refused(RuntimeError, words, lambda: model(torch.zeros(3, 5, 5), torch.zeros(3, 2, 4)))


def test_shapes_without_numbers(torch, nn):
    model = nn.Transformer(4, 2, 1, 1, 6, device="meta")
    output = model(torch.zeros(5, 3, 4, device="meta"), torch.zeros(2, 3, 4, device="meta"))
    assert output.shape == (2, 3, 4) and output.is_meta


# ---- what is refused


def test_constructors_check_their_arguments(nn):
    words = "embed_dim and num_heads must be greater than 0, got embed_dim=0 and num_heads=2 instead"
    refused(ValueError, words, lambda: nn.MultiheadAttention(0, 2))
    refused(AssertionError, "embed_dim must be divisible by num_heads", lambda: nn.MultiheadAttention(5, 2))
    words = "activation should be relu/gelu, not sin"
    refused(RuntimeError, words, lambda: nn.TransformerEncoderLayer(4, 2, activation="sin"))


CALLS = [
    ([(3,), (3,), (3,)], {}, "query should be unbatched 2D or batched 3D tensor but received 1-D query tensor"),
    ([(3, 2, 4), (3, 4), (3, 4)], {}, "For batched (3-D) `query`, expected `key` and `value` to be 3-D but found 2-D"),
    ([(3, 2, 4), (3, 2, 4), (5, 2, 4)], {}, "key shape torch.Size([3, 2, 4]) does not match value shape"),
    ([(3, 2, 6), (3, 2, 6), (3, 2, 6)], {}, "was expecting embedding dimension of 4, but got 6"),
    ([(3, 2, 4)] * 3, {"key_padding_mask": (3,)}, "For batched (3-D) `query`, expected `key_padding_mask` to be"),
    ([(3, 2, 4)] * 3, {"key_padding_mask": (3, 3)}, "Expected key_padded_mask.shape[0] to be 2, but got 3"),
    ([(3, 2, 4)] * 3, {"attn_mask": (3,)}, "For batched (3-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D"),
    (
        [(3, 4)] * 3,
        {"attn_mask": (1, 3, 3)},
        "Expected `attn_mask` shape to be (2, 3, 3) but got torch.Size([1, 3, 3])",
    ),
]


@pytest.mark.parametrize(("shapes", "masks", "words"), CALLS)
def test_calls_check_their_inputs(torch, nn, shapes, masks, words):
    args = [torch.zeros(shape) for shape in shapes]
    chosen = {name: torch.zeros(shape) for name, shape in masks.items()}
    refused(AssertionError, words, lambda: nn.MultiheadAttention(4, 2)(*args, **chosen))


def test_masks_have_the_sizes_of_queries_and_keys_and_are_no_integers(torch, nn):
    layer, x = nn.MultiheadAttention(4, 2), torch.zeros(3, 2, 4)
    words = "The shape of the 2D attn_mask is torch.Size([3, 4]), but should be (3, 3)."
    refused(RuntimeError, words, lambda: layer(x, x, x, attn_mask=torch.zeros(3, 4)))
    words = "The shape of the 3D attn_mask is torch.Size([2, 3, 3]), but should be (4, 3, 3)."
    refused(RuntimeError, words, lambda: layer(x, x, x, attn_mask=torch.zeros(2, 3, 3)))
    words = "only bool and floating types of attn_mask are supported"
    refused(AssertionError, words, lambda: layer(x, x, x, attn_mask=torch.zeros(3, 3, dtype=torch.int64)))


@pytest.mark.parametrize(("batch", "length"), [(0, 3), (2, 0), (0, 0)])
@pytest.mark.parametrize("need_weights", [True, False])
def test_an_empty_batch_and_empty_sequences(torch, nn, batch, length, need_weights):
    query, memory = torch.randn(length, batch, 4, requires_grad=True), torch.randn(5, batch, 4)
    attended, weights = nn.MultiheadAttention(4, 2)(query, memory, memory, need_weights=need_weights)
    assert attended.shape == (length, batch, 4)
    assert weights is None or weights.shape == (batch, length, 5)
    attended.sum().backward()
    assert query.grad.shape == query.shape


CUTS = {
    "split": lambda z: [part.view(2, 20, 4, 8).transpose(1, 2) for part in z.split(32, dim=2)],
    "chunk": lambda z: [part.view(2, 20, 4, 8).transpose(1, 2) for part in z.chunk(3, -1)],
    "unbind": lambda z: z.view(2, 20, 3, 4, 8).permute(2, 0, 3, 1, 4).unbind(0),
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("recorded", [False, True])
def test_gradients_of_a_projection_and_of_its_parts_share_no_memory(torch, cut, recorded):
    torch.manual_seed(0)
    leaf = torch.randn(2, 20, 96, requires_grad=True)
    projection = leaf * 1 if recorded else leaf
    query, key, value = CUTS[cut](projection)
    result = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True).square().sum()
    of_value, whole = torch.autograd.grad(result, (value, projection), retain_graph=True)
    before = whole.clone()
    parts = [part for part in CUTS[cut](before)]
    assert torch.equal(of_value, parts[2]) and parts[0].abs().sum() > 0 and parts[1].abs().sum() > 0
    of_value.zero_()
    assert torch.equal(whole, before)
    query.retain_grad()
    result.backward()
    assert torch.equal(leaf.grad, before) and torch.equal(query.grad, parts[0])
    query.grad.zero_()
    assert torch.equal(leaf.grad, before)
