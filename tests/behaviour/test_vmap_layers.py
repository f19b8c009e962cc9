"""Per-sample gradients and ensembles of layers by vmap, against one sample after the other."""

import warnings

import pytest

import rushlight
from rushlight import nn
from rushlight.func import functional_call, grad, vmap
from rushlight.transforms import batching

SIZE = 3


@pytest.fixture(autouse=True)
def warnings_of_loops():
    """Each operator warns once per process."""
    batching.WARNED.clear()


LAYERS = {
    "linear": (lambda: nn.Linear(3, 4), (5, 3)),
    "linear of a vector": (lambda: nn.Linear(3, 4), (3,)),
    "grouped convolution": (lambda: nn.Conv1d(4, 6, 3, groups=2), (2, 4, 7)),
    "convolution of images": (lambda: nn.Conv2d(2, 6, 3, stride=2, padding=1), (2, 2, 5, 5)),
    "transposed convolution": (lambda: nn.ConvTranspose1d(4, 6, 3, stride=2, output_padding=1, groups=2), (2, 4, 5)),
    "layer norm": (lambda: nn.LayerNorm((5, 4)), (2, 5, 4)),
    "group norm": (lambda: nn.GroupNorm(2, 4), (5, 4, 3)),
    "batch norm": (lambda: nn.BatchNorm1d(4, track_running_stats=False), (5, 4, 3)),
    "batch norm in evaluation": (lambda: nn.BatchNorm2d(4).eval(), (5, 4, 2, 2)),
    "instance norm": (lambda: nn.InstanceNorm1d(4, affine=True), (5, 4, 3)),
    "attention": (lambda: nn.TransformerEncoderLayer(4, 2, 8, 0.0), (5, 2, 4)),
    "pooling": (lambda: nn.Sequential(nn.Conv2d(1, 2, 2), nn.MaxPool2d(2)), (2, 1, 5, 5)),
    "interpolation": (lambda: nn.Sequential(nn.Conv2d(1, 2, 2), nn.Upsample(scale_factor=2)), (1, 1, 5, 5)),
}
SEQUENCES = {
    "lstm": (lambda: nn.LSTM(3, 4, 2), (5, 2, 3)),
    "lstm in two directions": (lambda: nn.LSTM(3, 4, bidirectional=True, proj_size=2), (5, 2, 3)),
    "gru": (lambda: nn.GRU(3, 4), (5, 2, 3)),
    "rnn": (lambda: nn.RNN(3, 4), (5, 3)),
}


def gradient_of(module):
    """The gradients of a scalar of the output with respect to the parameters."""

    def scalar(parameters, x):
        result = functional_call(module, parameters, (x,))
        result = result[0] if isinstance(result, tuple) else result
        return (result * result).sum()

    return grad(scalar)


def check(make, shape, dims):
    rushlight.manual_seed(0)
    module = make().double()
    parameters = {name: each.detach() for name, each in module.named_parameters()}
    several = {name: rushlight.stack([each * (1 + i / 8) for i in range(SIZE)]) for name, each in parameters.items()}
    x = rushlight.randn(SIZE, *shape, dtype=rushlight.float64)
    function = gradient_of(module)
    results = vmap(function, dims)(several if dims[0] == 0 else parameters, x if dims[1] == 0 else x[0])
    expected = []
    for i in range(SIZE):
        own = {name: each[i] for name, each in several.items()} if dims[0] == 0 else parameters
        expected.append(function(own, x[i] if dims[1] == 0 else x[0]))
    for name, result in results.items():
        assert rushlight.allclose(result, rushlight.stack([each[name] for each in expected])), name


@pytest.mark.parametrize("dims", [(None, 0), (0, None), (0, 0)], ids=["samples", "ensemble", "both"])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_compute_all_samples_at_once(name, dims):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning tells of samples computed one after the other
        check(*LAYERS[name], dims)


@pytest.mark.parametrize("name", SEQUENCES)
def test_recurrent_layers_compute_all_sequences_at_once(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(*SEQUENCES[name], (None, 0))


def test_running_statistics_that_all_samples_share_are_refused(torch):
    module = torch.nn.BatchNorm1d(4)
    with pytest.raises(RuntimeError, match="Batch norm got a batched tensor as input while the running_mean"):
        torch.vmap(module)(torch.randn(3, 5, 4))


def test_running_statistics_of_each_sample_move(torch):
    x, mean, variance = torch.randn(3, 5, 4), torch.zeros(3, 4), torch.ones(3, 4)

    def normalized(x, mean, variance):
        return torch.nn.functional.batch_norm(x, mean, variance, training=True, momentum=0.5)

    torch.vmap(normalized)(x, mean, variance)
    assert torch.allclose(mean, x.mean(1) / 2)
    assert torch.allclose(variance, 0.5 + x.var(1) / 2)
