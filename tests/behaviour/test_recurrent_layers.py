"""Recurrent layers: shapes and orders of states, packed sequences, names of parameters, and what is refused."""

import copy
import pickle

import pytest


@pytest.fixture
def nn(torch):
    torch.manual_seed(0)
    return torch.nn


@pytest.fixture
def rnn(torch):
    return torch.nn.utils.rnn


def close(tensor, expected):
    return tensor.detach().flatten().tolist() == pytest.approx(expected, abs=2e-5)


def refused(error, words, call):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(words)


# ---- one seed, one network


def test_weights_are_drawn_layer_by_layer_and_keep_pytorchs_names(torch, nn):
    layer = nn.LSTM(2, 3, num_layers=2, bidirectional=True, proj_size=1)
    kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
    positions = ("l0", "l0_reverse", "l1", "l1_reverse")
    assert list(layer.state_dict()) == [f"{kind}_{place}" for place in positions for kind in kinds]
    assert layer.weight_ih_l1.shape == (12, 2) and layer.weight_hr_l0.shape == (1, 3)
    assert close(layer.weight_ih_l0[0], [-0.00432, 0.309712])
    assert [len(each) for each in layer.all_weights] == [5] * 4


def test_an_lstm_of_known_weights(torch, nn):
    layer = nn.LSTM(1, 1)
    for weight in layer.parameters():
        nn.init.constant_(weight, 0.5)
    output, (hidden, cell) = layer(torch.tensor([[[1.0]], [[-1.0]]]))
    h = c = torch.tensor(0.0)
    for step, x in enumerate((1.0, -1.0)):
        total = torch.tensor(0.5 * x + 1.0) + 0.5 * h  # every gate sees x / 2 + h / 2 and two biases of 1 / 2
        c = total.sigmoid() * c + total.sigmoid() * total.tanh()
        h = total.sigmoid() * c.tanh()
        assert close(output[step], [h.item()])
    assert close(hidden, [h.item()]) and close(cell, [c.item()])


def test_dropout_stands_between_layers_in_training_only(torch, nn):
    layer = nn.GRU(2, 3, num_layers=2, dropout=0.5)
    x = torch.ones(4, 2, 2)
    once, again = layer(x)[0], layer(x)[0]
    assert not torch.equal(once, again)
    layer.eval()
    assert torch.equal(layer(x)[0], layer(x)[0])


# ---- shapes


@pytest.mark.parametrize(("kind", "states"), [("RNN", 1), ("GRU", 1), ("LSTM", 2)])
def test_shapes_of_outputs_and_states(torch, nn, kind, states):
    layer = getattr(nn, kind)(4, 3, num_layers=2, bidirectional=True)
    output, hidden = layer(torch.zeros(5, 2, 4))
    hidden = hidden if states == 2 else (hidden,)
    assert output.shape == (5, 2, 6) and [each.shape for each in hidden] == [(4, 2, 3)] * states
    assert torch.equal(output[-1, :, :3], hidden[0][2]) and torch.equal(output[0, :, 3:], hidden[0][3])


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_a_single_sequence_is_a_batch_of_one(torch, nn, kind):
    layer = getattr(nn, kind)(4, 3)
    x = torch.randn(5, 4)
    output, _ = layer(x)
    assert output.shape == (5, 3) and torch.allclose(output, layer(x.unsqueeze(1))[0].squeeze(1))


def test_batch_first_swaps_sequences_and_not_states(torch, nn):
    layer = nn.GRU(4, 3, batch_first=True)
    x, state = torch.randn(2, 5, 4), torch.randn(1, 2, 3)
    output, last = layer(x, state)
    assert output.shape == (2, 5, 3) and last.shape == (1, 2, 3)
    layer.batch_first = False
    assert torch.allclose(layer(x.transpose(0, 1), state)[0].transpose(0, 1), output)


def test_a_sequence_may_be_continued(torch, nn):
    layer = nn.LSTM(4, 3, num_layers=2)
    x = torch.randn(6, 2, 4)
    whole, _ = layer(x)
    first, state = layer(x[:4])
    second, _ = layer(x[4:], state)
    assert torch.allclose(torch.cat([first, second]), whole, atol=1e-6)


@pytest.mark.parametrize(("layer", "cell"), [("RNN", "RNNCell"), ("GRU", "GRUCell"), ("LSTM", "LSTMCell")])
def test_a_layer_is_its_cell_step_by_step(torch, nn, layer, cell):
    layer, cell = getattr(nn, layer)(4, 3), getattr(nn, cell)(4, 3)
    cell.load_state_dict({name.removesuffix("_l0"): each for name, each in layer.state_dict().items()})
    x, state = torch.randn(5, 2, 4), None
    for step, expected in zip(x, layer(x)[0], strict=True):
        state = cell(step, state)
        assert torch.allclose(state[0] if isinstance(state, tuple) else state, expected, atol=1e-6)


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_shapes_without_numbers(torch, nn, kind):
    layer = getattr(nn, kind)(4, 3, num_layers=2, device="meta")
    output, _ = layer(torch.zeros(5, 2, 4, device="meta"))
    assert output.shape == (5, 2, 3) and output.is_meta
    output.sum().backward()
    assert layer.weight_ih_l1.grad.shape == layer.weight_ih_l1.shape


# ---- derivatives


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_second_derivatives(torch, nn, kind):
    layer = getattr(nn, kind)(2, 2, num_layers=2, bidirectional=True).double()
    x = torch.randn(3, 1, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda each: layer(each)[0], x)
    assert torch.autograd.gradgradcheck(lambda each: layer(each)[0], x)


def test_gradients_of_a_state_that_alone_is_used(torch, nn):
    layer = nn.LSTM(2, 3)
    _, (_, cell) = layer(torch.ones(4, 1, 2))
    cell.sum().backward()
    assert all(each.grad is not None for each in layer.parameters())


def test_a_weight_changed_between_forward_and_backward_is_noticed(torch, nn):
    layer = nn.GRU(2, 3)
    output, _ = layer(torch.ones(4, 1, 2))
    with torch.no_grad():
        layer.weight_hh_l0.add_(1)
    refused(RuntimeError, "one of the variables needed for gradient computation", output.sum().backward)


# ---- packed sequences


def test_packing_puts_steps_side_by_side(torch, rnn):
    packed = rnn.pack_padded_sequence(torch.tensor([[1, 2, 0], [3, 0, 0], [4, 5, 6]]), [2, 1, 3], True, False)
    assert packed.data.tolist() == [4, 1, 3, 5, 2, 6] and packed.batch_sizes.tolist() == [3, 2, 1]
    assert packed.sorted_indices.tolist() == [2, 0, 1] and packed.unsorted_indices.tolist() == [1, 2, 0]
    padded, lengths = rnn.pad_packed_sequence(packed, True, -1, total_length=4)
    assert padded.tolist() == [[1, 2, -1, -1], [3, -1, -1, -1], [4, 5, 6, -1]] and lengths.tolist() == [2, 1, 3]


def test_packing_a_list_and_back(torch, rnn):
    sequences = [torch.arange(float(length)) for length in (2, 4, 1)]
    packed = rnn.pack_sequence(sequences, enforce_sorted=False)
    assert [each.tolist() for each in rnn.unpack_sequence(packed)] == [each.tolist() for each in sequences]
    assert packed.double().data.dtype == torch.float64 and packed.to(torch.float32) is packed


def test_padding_before_and_after(torch, rnn):
    sequences = [torch.tensor([1, 2]), torch.tensor([3])]
    assert rnn.pad_sequence(sequences, True, 9).tolist() == [[1, 2], [3, 9]]
    assert rnn.pad_sequence(sequences, padding_side="left").tolist() == [[1, 0], [2, 3]]


def test_padding_and_packing_have_gradients(torch, rnn):
    long, short = torch.ones(3, requires_grad=True), torch.ones(1, requires_grad=True)
    packed = rnn.pack_sequence([long, short])
    padded, _ = rnn.pad_packed_sequence(packed)
    (padded * torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).sum().backward()
    assert long.grad.tolist() == [1.0, 3.0, 5.0] and short.grad.tolist() == [2.0]


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_a_packed_batch_is_each_sequence_alone(torch, nn, rnn, kind):
    layer = getattr(nn, kind)(2, 3, bidirectional=True)
    sequences = [torch.randn(length, 2) for length in (2, 5, 3)]
    output, hidden = layer(rnn.pack_sequence(sequences, enforce_sorted=False))
    hidden = hidden[1] if kind == "LSTM" else hidden
    for place, (sequence, result) in enumerate(zip(sequences, rnn.unpack_sequence(output), strict=True)):
        expected, state = layer(sequence)
        assert torch.allclose(result, expected, atol=1e-6)
        state = state[1] if kind == "LSTM" else state
        assert torch.allclose(hidden[:, place], state, atol=1e-6)


def test_what_cannot_be_packed(torch, rnn):
    x = torch.ones(3, 2)
    refused(RuntimeError, "`lengths` array must be sorted", lambda: rnn.pack_padded_sequence(x, [1, 3]))
    refused(RuntimeError, "Length of all samples has to be", lambda: rnn.pack_padded_sequence(x, [1, 0]))
    refused(RuntimeError, "Expected `len(lengths)` to be equal", lambda: rnn.pack_padded_sequence(x, [1]))
    refused(RuntimeError, "Cannot pack empty tensors.", lambda: rnn.pack_padded_sequence(x[:0], [1, 1]))
    refused(RuntimeError, "received an empty list of sequences", lambda: rnn.pad_sequence([]))
    refused(RuntimeError, "The size of tensor a (2) must match", lambda: rnn.pad_sequence([x, x[:, :0]]))
    packed = rnn.pack_padded_sequence(x, [3, 1])
    refused(ValueError, "Expected total_length to be at least", lambda: rnn.pad_packed_sequence(packed, total_length=2))


def test_unpad_sequence_swaps_the_dimensions_of_what_it_is_given(torch, rnn):
    padded = torch.tensor([[1, 3], [2, 0], [4, 0]])
    assert [each.tolist() for each in rnn.unpad_sequence(padded, torch.tensor([3, 1]))] == [[1, 2, 4], [3]]
    assert padded.shape == (2, 3)


# ---- what is refused

ARGUMENTS = [
    ("RNN", {"nonlinearity": "sin"}, ValueError, "Unknown nonlinearity 'sin'. Select from 'tanh' or 'relu'."),
    ("GRU", {"proj_size": 1}, ValueError, "proj_size argument is only supported for LSTM, not RNN or GRU"),
    ("LSTM", {"proj_size": 3}, ValueError, "proj_size has to be smaller than hidden_size"),
    ("LSTM", {"proj_size": -1}, ValueError, "proj_size should be a positive integer or zero to disable projections"),
    ("LSTM", {"num_layers": 0}, ValueError, "num_layers must be greater than zero"),
    ("LSTM", {"dropout": 1.5}, ValueError, "dropout should be a number in range [0, 1] representing the probability"),
    ("LSTM", {"bias": 1}, TypeError, "bias should be of type bool, got: int"),
    ("LSTM", {"batch_first": 0}, TypeError, "batch_first should be of type bool, got: int"),
]


@pytest.mark.parametrize(("kind", "options", "error", "words"), ARGUMENTS)
def test_constructors_check_their_arguments(nn, kind, options, error, words):
    refused(error, words, lambda: getattr(nn, kind)(4, 3, **options))


@pytest.mark.parametrize(
    ("sizes", "error", "words"),
    [
        ((0, 3), ValueError, "input_size must be greater than zero"),
        ((4, 0), ValueError, "hidden_size must be greater than zero"),
        ((4.0, 3), TypeError, "input_size should be of type int, got: float"),
        ((4, "3"), TypeError, "hidden_size should be of type int, got: str"),
    ],
)
def test_sizes_are_positive_integers(nn, sizes, error, words):
    refused(error, words, lambda: nn.LSTM(*sizes))


def test_dropout_of_one_layer_is_warned_of(nn):
    with pytest.warns(UserWarning, match="dropout option adds dropout after all but last recurrent layer"):
        nn.LSTM(4, 3, dropout=0.5)


INPUTS = [
    ("LSTM", (5,), None, ValueError, "LSTM: Expected input to be 2D or 3D, got 1D instead"),
    ("RNN", (5,), None, ValueError, "RNN: Expected input to be 2D or 3D, got 1D tensor instead"),
    ("GRU", (5, 2, 3), None, RuntimeError, "input.size(-1) must be equal to input_size. Expected 4, got 3"),
    ("GRU", (5, 2, 4), (1, 3, 3), RuntimeError, "Expected hidden size (1, 2, 3), got [1, 3, 3]"),
    ("GRU", (5, 2, 4), (2, 3), RuntimeError, "For batched 3-D input, hx should also be 3-D but got 2-D tensor"),
    ("RNN", (5, 4), (1, 1, 3), RuntimeError, "For unbatched 2-D input, hx should also be 2-D but got 3-D tensor"),
    ("GRU", (0, 2, 4), None, RuntimeError, "Expected sequence length to be larger than 0 in RNN"),
    ("RNNCell", (1, 2, 4), None, ValueError, "RNNCell: Expected input to be 1D or 2D, got 3D instead"),
    ("GRUCell", (2, 5), None, RuntimeError, "input has inconsistent input_size: got 5 expected 4"),
    ("GRUCell", (2, 4), (3, 3), RuntimeError, "Input batch size 2 doesn't match hidden0 batch size 3"),
    ("GRUCell", (2, 4), (3,), RuntimeError, "Input batch size 2 doesn't match hidden0 batch size 3"),
    ("GRUCell", (4,), (2, 3), RuntimeError, "hidden0 has inconsistent hidden_size: got 2, expected 3"),
    ("RNNCell", (2, 4), (2, 2), RuntimeError, "hidden0 has inconsistent hidden_size: got 2, expected 3"),
]


@pytest.mark.parametrize(("kind", "shape", "state", "error", "words"), INPUTS)
def test_calls_check_their_inputs(torch, nn, kind, shape, state, error, words):
    layer = getattr(nn, kind)(4, 3)
    args = () if state is None else (torch.zeros(state),)
    refused(error, words, lambda: layer(torch.zeros(shape), *args))


def test_lstms_check_both_states(torch, nn):
    x, good, bad = torch.zeros(5, 2, 4), torch.zeros(1, 2, 3), torch.zeros(1, 2, 2)
    refused(RuntimeError, "Expected hidden[0] size (1, 2, 3), got [1, 2, 2]", lambda: nn.LSTM(4, 3)(x, (bad, good)))
    refused(RuntimeError, "Expected hidden[1] size (1, 2, 3), got [1, 2, 2]", lambda: nn.LSTM(4, 3)(x, (good, bad)))
    words = "For batched 3-D input, hx and cx should also be 3-D but got (3-D, 2-D) tensors"
    refused(RuntimeError, words, lambda: nn.LSTM(4, 3)(x, (good, good[0])))
    words = "LSTMCell: Expected hx[1] to be 1D or 2D, got 3D instead"
    refused(ValueError, words, lambda: nn.LSTMCell(4, 3)(x[0], (good[0], good)))


def test_a_dtype_that_the_weights_do_not_have_is_refused(torch, nn):
    words = "RNN input dtype (torch.float64) does not match weight dtype (torch.float32)."
    refused(ValueError, words, lambda: nn.GRU(4, 3)(torch.zeros(5, 2, 4, dtype=torch.float64)))


FUNCTIONS = [
    (1, 3, (1, 2, 3), RuntimeError, "got an incorrect number of RNN parameters"),
    (1, 8, (1, 2, 3), RuntimeError, "Expected more weights in stacked_rnn"),
    (2, 4, (1, 2, 3), RuntimeError, "Expected more hidden states in stacked_rnn"),
    (1, 4, (1, 1, 3), RuntimeError, "output with shape [1, 3] doesn't match the broadcast shape [2, 3]"),
]


@pytest.mark.parametrize(("layers", "weights", "state", "error", "words"), FUNCTIONS)
def test_functions_check_that_layers_weights_and_states_go_together(torch, layers, weights, state, error, words):
    own = [torch.zeros(9, 4), torch.zeros(9, 3), torch.zeros(9), torch.zeros(9)] * 2
    args = torch.zeros(5, 2, 4), torch.zeros(state), own[:weights], True, layers, 0.0, False, False, False
    refused(error, words, lambda: torch.gru(*args))


def test_an_lstm_has_two_states(torch):
    x, weights = torch.zeros(2, 4), (torch.zeros(12, 4), torch.zeros(12, 3))
    refused(RuntimeError, "lstm_cell expects two hidden states", lambda: torch.lstm_cell(x, (x[:, :3],), *weights))


# ---- modules among modules


def test_repr_names_what_is_not_the_default(nn):
    assert repr(nn.LSTM(4, 3)) == "LSTM(4, 3)"
    layer = nn.LSTM(4, 3, num_layers=2, bias=False, batch_first=True, dropout=0.5, bidirectional=True, proj_size=2)
    chosen = "proj_size=2, num_layers=2, bias=False, batch_first=True, dropout=0.5, bidirectional=True"
    assert repr(layer) == f"LSTM(4, 3, {chosen})"
    assert repr(nn.RNNCell(4, 3, bias=False, nonlinearity="relu")) == "RNNCell(4, 3, bias=False, nonlinearity=relu)"


@pytest.mark.parametrize("again", [copy.deepcopy, lambda layer: pickle.loads(pickle.dumps(layer))])
def test_copies_have_weights_of_their_own(torch, nn, again):
    layer = nn.GRU(4, 3, bidirectional=True)
    other = again(layer)
    x = torch.ones(2, 1, 4)
    assert torch.equal(other(x)[0], layer(x)[0])
    torch.nn.init.zeros_(other.weight_ih_l0)
    assert not torch.equal(other(x)[0], layer(x)[0])


def test_a_weight_that_was_exchanged_is_used(torch, nn):
    layer = nn.RNN(2, 2, bias=False)
    layer.weight_ih_l0 = nn.Parameter(torch.zeros(2, 2))
    assert layer(torch.ones(3, 1, 2))[0].abs().sum().item() == 0
    assert layer.double()(torch.ones(3, 1, 2, dtype=torch.float64))[0].dtype == torch.float64
    layer.flatten_parameters()


def test_replaced_weights_are_used_and_the_own_ones_come_back(torch):
    layer = torch.nn.LSTM(2, 3)
    x = torch.ones(4, 1, 2)
    own, before = dict(layer.named_parameters()), layer(x)[0]
    zeros = {name: torch.zeros_like(each) for name, each in own.items()}
    assert not torch.func.functional_call(layer, zeros, x)[0].any()
    assert torch.equal(layer(x)[0], before) and all(
        layer._flat_weights[k] is each for k, each in enumerate(own.values())
    )
    layer.weight_hh_l0 = fresh = torch.nn.Parameter(torch.zeros(12, 3))
    assert layer._flat_weights[1] is fresh and layer._flat_weights_names[1] == "weight_hh_l0"


def test_a_plain_tensor_in_the_place_of_a_weight_is_used(torch):
    layer = torch.nn.GRU(2, 3)
    raw = layer.weight_hh_l0
    del layer._parameters["weight_hh_l0"]
    layer.register_parameter("weight_hh_l0_raw", raw)
    x = torch.ones(4, 1, 2)
    outputs = []
    for factor in (1.0, 0.0):
        layer.weight_hh_l0 = layer.weight_hh_l0_raw * factor
        outputs.append(layer(x)[0])
    assert not torch.equal(*outputs)
    outputs[0].sum().backward()
    assert raw.grad.abs().sum() > 0
    assert not layer.double().weight_hh_l0_raw.dtype.is_complex and layer._flat_weights[0].dtype == torch.float64


def test_the_list_of_weights_may_be_set(torch):
    """What packages do that compute with parameters of their own (`higher`)."""
    rnn = torch.nn.LSTM(2, 3)
    x = torch.ones(4, 1, 2)
    doubled = [2 * weight.detach() for weight in rnn._flat_weights]
    for name, weight in zip(rnn._flat_weights_names, doubled, strict=True):
        del rnn._parameters[name]
        setattr(rnn, name, weight)
    rnn._flat_weights = doubled
    other = torch.nn.LSTM(2, 3)
    other.load_state_dict(dict(zip(other._flat_weights_names, doubled, strict=True)))
    assert torch.allclose(rnn(x)[0], other(x)[0])


def test_the_list_of_weights_may_be_computed_each_time(torch):
    """What packages do whose parameters are drawn anew at each call (`pyro`)."""

    class Computed:
        def __get__(self, instance, owner):
            return self if instance is None else [getattr(instance, name) for name in instance._flat_weights_names]

        def __set__(self, instance, value):
            pass

    class Own(torch.nn.GRU):
        _flat_weights = Computed()

    rnn, x = Own(2, 3), torch.ones(4, 1, 2)
    other = torch.nn.GRU(2, 3)
    other.load_state_dict(rnn.state_dict())
    assert torch.equal(rnn(x)[0], other(x)[0])
    with torch.no_grad():
        rnn.weight_ih_l0.mul_(2)
        other.weight_ih_l0.mul_(2)
    assert torch.equal(rnn(x)[0], other(x)[0])
