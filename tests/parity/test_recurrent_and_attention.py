"""Recurrent layers and transformers from one seed: weights, outputs, gradients, dropout and repr are PyTorch's."""

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")

LAYERS = [
    ("RNN", (4, 3), {}),
    ("RNN", (4, 3), {"nonlinearity": "relu", "num_layers": 2, "bias": False}),
    ("RNN", (4, 3, 2, "tanh", True, True), {"bidirectional": True}),
    ("LSTM", (4, 3), {}),
    ("LSTM", (4, 3), {"num_layers": 3, "dropout": 0.4, "bidirectional": True}),
    ("LSTM", (4, 3), {"num_layers": 2, "proj_size": 2, "batch_first": True, "dtype": "float64"}),
    ("LSTM", (4, 3), {"bias": False, "proj_size": 1, "bidirectional": True, "dtype": "float64"}),
    ("GRU", (4, 3), {}),
    ("GRU", (4, 3), {"num_layers": 2, "dropout": 0.5, "bidirectional": True, "batch_first": True}),
    ("GRU", (4, 3), {"bias": False, "num_layers": 2}),
]
CELLS = [("RNNCell", {}), ("RNNCell", {"nonlinearity": "relu", "bias": False}), ("LSTMCell", {}), ("GRUCell", {})]
SMALL = {"dim_feedforward": 6, "dropout": 0.3}
ATTENTION = [
    ("MultiheadAttention", (4, 2), {}),
    ("MultiheadAttention", (4, 2), {"dropout": 0.5, "bias": False, "batch_first": True}),
    ("MultiheadAttention", (4, 2), {"add_bias_kv": True, "add_zero_attn": True}),
    ("MultiheadAttention", (4, 1), {"kdim": 4, "vdim": 4, "dtype": "float64"}),
    ("TransformerEncoderLayer", (4, 2), SMALL),
    ("TransformerEncoderLayer", (4, 2), {**SMALL, "activation": "gelu", "norm_first": True, "bias": False}),
    ("TransformerDecoderLayer", (4, 2), SMALL),
    ("TransformerDecoderLayer", (4, 2), {**SMALL, "norm_first": True, "batch_first": True}),
    ("Transformer", (4, 2, 2, 2), SMALL),
]


def built(library, name, arguments, options):
    """A layer made after the seed 0."""
    library.manual_seed(0)
    kind = options.get("dtype")
    chosen = {**options, "dtype": getattr(library, kind)} if kind else options
    return getattr(library.nn, name)(*arguments, **chosen)


def drawn(library, dtype, *shape):
    """The same numbers for both libraries."""
    return library.tensor(np.random.default_rng(0).standard_normal(shape), dtype=dtype, requires_grad=True)


def numbers(value):
    """All tensors in a result, as arrays."""
    if isinstance(value, tuple | list):
        return [each for part in value for each in numbers(part)]
    return [] if value is None else [value.detach().numpy()]


def everything(library, name, arguments, options, inputs):
    """What can be seen of a layer: its text, its state, its results, and all gradients."""
    layer = built(library, name, arguments, options)
    dtype = next(iter(layer.parameters())).dtype
    args = [drawn(library, dtype, *shape) for shape in inputs]
    library.manual_seed(1)
    results = layer(*args)
    flat = [each for each in numbers_of_tensors(results) if each.requires_grad]
    library.autograd.backward([(each * each).sum() for each in flat])
    gradients = [each.grad for each in (*args, *layer.parameters()) if each.grad is not None]
    state = [(key, each.detach().numpy()) for key, each in layer.state_dict().items()]
    return repr(layer), state, numbers(results), numbers(gradients)


def numbers_of_tensors(value):
    """All tensors in a result."""
    if isinstance(value, tuple | list):
        return [each for part in value for each in numbers_of_tensors(part)]
    return [] if value is None else [value]


def compared(*call):
    """Compares the two libraries in all of it."""
    (text, state, results, gradients), expected = (everything(library, *call) for library in (rushlight, torch))
    assert text == expected[0]
    assert [key for key, _ in state] == [key for key, _ in expected[1]]
    for (key, result), (_, wanted) in zip(state, expected[1], strict=True):
        np.testing.assert_array_equal(result, wanted, err_msg=key)
    for result, wanted in zip([*results, *gradients], [*expected[2], *expected[3]], strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore:LSTM with projections")
@pytest.mark.parametrize(("name", "arguments", "options"), LAYERS)
def test_recurrent_layers(name, arguments, options):
    compared(name, arguments, options, [(5, 2, 4)])


@pytest.mark.parametrize(("name", "options"), CELLS)
def test_cells(name, options):
    compared(name, (4, 3), options, [(2, 4)])


@pytest.mark.parametrize(("name", "arguments", "options"), ATTENTION)
def test_attention(name, arguments, options):
    count = 3 if name == "MultiheadAttention" else 1 if name == "TransformerEncoderLayer" else 2
    compared(name, arguments, options, [(5, 3, 4)] * count)


def test_keys_and_values_of_other_widths():
    compared("MultiheadAttention", (4, 2), {"kdim": 3, "vdim": 5}, [(5, 2, 4), (6, 2, 3), (6, 2, 5)])


def packed_run(library, name, lengths):
    layer = built(library, name, (4, 3), {"num_layers": 2, "bidirectional": True})
    x = drawn(library, library.float32, 5, 3, 4)
    packed = library.nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
    output, state = layer(packed)
    padded, result = library.nn.utils.rnn.pad_packed_sequence(output)
    library.autograd.backward([(each * each).sum() for each in numbers_of_tensors([padded, state])])
    return numbers([padded, result, state, x.grad, *(each.grad for each in layer.parameters())])


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("lengths", [[3, 5, 1], [5, 5, 5], [2, 2, 1]])
def test_packed_sequences(name, lengths):
    for result, wanted in zip(*(packed_run(library, name, lengths) for library in (rushlight, torch)), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)


def masked_run(library, need_weights, padded, causal):
    layer = built(library, "MultiheadAttention", (4, 2), {"batch_first": True})
    x = drawn(library, library.float32, 3, 5, 4)
    padding = library.tensor([[False] * 5, [False] * 3 + [True] * 2, [False] * 4 + [True]]) if padded else None
    above = library.ones(5, 5, dtype=library.bool).triu(1) if causal else None
    output, weights = layer(
        x, x, x, key_padding_mask=padding, attn_mask=above, need_weights=need_weights, average_attn_weights=False
    )
    output.square().sum().backward()
    return numbers([output, weights, x.grad])


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_masks(need_weights, padded, causal):
    call = need_weights, padded, causal
    for result, wanted in zip(masked_run(rushlight, *call), masked_run(torch, *call), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)
