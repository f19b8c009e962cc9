"""How weights begin: PyTorch's numbers from PyTorch's seed. The numbers were recorded from PyTorch 2.13."""

import math

import pytest


@pytest.fixture
def nn(torch):
    torch.manual_seed(0)
    return torch.nn


def close(tensor, expected):
    return tensor.detach().flatten().tolist() == pytest.approx(expected, abs=2e-6)


DRAWS = [
    ("uniform_", (2, 2), {}, [0.496257, 0.768222, 0.088477, 0.13203]),
    ("normal_", (2, 2), {"mean": 1.0, "std": 2.0}, [4.081992, 0.413142, -3.357579, 2.136863]),
    ("trunc_normal_", (2, 3), {}, [1.540996, -0.293429, -0.719258, 0.568431, -1.084522, -1.398595]),
    ("trunc_normal_", (2, 3), {"a": 2.0, "b": 3.0}, [2.022326, 2.168859, 2.088477, 2.13203, 2.307423, 2.373417]),
    ("xavier_uniform_", (2, 3), {"gain": 2.0}, [-0.016403, 1.175289, -1.803202, -1.612362, -0.843831, 0.587503]),
    ("xavier_normal_", (2, 3), {}, [0.974612, -0.185581, -1.377987, 0.359508, -0.685912, -0.884549]),
    ("kaiming_uniform_", (2, 3), {}, [-0.010588, 0.758646, -1.163962, -1.040775, -0.54469, 0.379232]),
    (
        "kaiming_normal_",
        (2, 3),
        {"mode": "fan_out", "nonlinearity": "relu"},
        [1.540996, -0.293429, -2.178789, 0.568431, -1.084522, -1.398595],
    ),
    ("orthogonal_", (2, 3), {}, [0.573981, -0.109295, -0.811542, -0.345415, -0.930883, -0.118936]),
    ("sparse_", (3, 2), {"sparsity": 0.5}, [0.0, 0.0, -0.021788, 0.0, 0.0, -0.013986]),
]


@pytest.mark.parametrize(("name", "shape", "arguments", "expected"), DRAWS)
def test_draws(torch, nn, name, shape, arguments, expected):
    weight = nn.Parameter(torch.empty(shape))
    assert getattr(nn.init, name)(weight, **arguments) is weight
    assert close(weight, expected) and weight.is_leaf and weight.requires_grad


LAYERS = [
    ("Linear(3, 2)", [-0.004323, 0.309716, -0.475185, -0.424895, -0.222369, 0.154821, -0.011439, 0.457775]),
    (
        "Conv2d(1, 2, 2)",
        [-0.003743, 0.268222, -0.411523, -0.36797, -0.192577, 0.134079, -0.009907, 0.396445, -0.044372, 0.132306],
    ),
    ("Embedding(4, 2, padding_idx=1)", [1.540996, -0.293429, 0.0, 0.0, -1.084522, -1.398595, 0.403347, 0.838026]),
    ("LayerNorm(2)", [1, 1, 0, 0]),
    ("BatchNorm1d(2)", [1, 1, 0, 0]),
    ("PReLU(2)", [0.25, 0.25]),
    ("Sequential(nn.Linear(2, 2), nn.ReLU())", [-0.005294, 0.379323, -0.581981, -0.520387, -0.272345, 0.189616]),
]


@pytest.mark.parametrize(("layer", "expected"), LAYERS)
def test_layers_begin_as_in_pytorch(torch, nn, layer, expected):
    made = eval(f"nn.{layer}", {"nn": nn})
    assert close(torch.cat([parameter.detach().flatten() for parameter in made.parameters()]), expected)


def test_a_generator_of_its_own_leaves_the_default_one_alone(torch, nn):
    expected = torch.rand(3)
    torch.manual_seed(0)
    drawn = nn.init.uniform_(torch.empty(3), generator=torch.Generator().manual_seed(0))
    assert torch.equal(drawn, expected) and torch.equal(torch.rand(3), expected)


def test_constants(torch, nn):
    init = nn.init
    assert init.constant_(torch.empty(2), 3.0).tolist() == [3, 3]
    assert init.ones_(torch.empty(2)).tolist() == [1, 1] and init.zeros_(torch.empty(2)).tolist() == [0, 0]
    assert init.eye_(torch.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]


def test_dirac_passes_channels_on(torch, nn):
    weight = nn.init.dirac_(torch.empty(4, 2, 3), groups=2)
    assert weight.sum().item() == 4
    assert [weight[0, 0, 1], weight[1, 1, 1], weight[2, 0, 1], weight[3, 1, 1]] == [1, 1, 1, 1]
    assert nn.init.dirac_(torch.empty(2, 2, 3, 3))[1, 1, 1, 1] == 1


def test_orthogonal_rows_and_columns(torch, nn):
    tall = nn.init.orthogonal_(torch.empty(4, 2), gain=2)
    wide = nn.init.orthogonal_(torch.empty(2, 3, 2))
    assert close(tall.T @ tall, [4, 0, 0, 4]) and close(wide.flatten(1) @ wide.flatten(1).T, [1, 0, 0, 1])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("linear",), 1),
        (("sigmoid",), 1),
        (("tanh",), 5 / 3),
        (("relu",), math.sqrt(2)),
        (("leaky_relu", 0.2), math.sqrt(2 / 1.04)),
        (("leaky_relu",), math.sqrt(2 / 1.0001)),
        (("selu",), 0.75),
    ],
)
def test_gains(nn, arguments, expected):
    assert nn.init.calculate_gain(*arguments) == expected


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("init.calculate_gain('cosine')", "Unsupported nonlinearity cosine"),
        ("init.calculate_gain('leaky_relu', 'a')", "negative_slope a not a valid number"),
        ("init.calculate_gain('leaky_relu', True)", "negative_slope True not a valid number"),
        ("init.xavier_uniform_(torch.empty(3))", "Fan in and fan out can not be computed for tensor with fewer than 2"),
        ("init.kaiming_normal_(torch.empty(3, 3), mode='fan')", "Mode fan not supported, please use one of ['fan_in'"),
        ("init.eye_(torch.empty(3))", "Only tensors with 2 dimensions are supported"),
        ("init.sparse_(torch.empty(3), 0.1)", "Only tensors with 2 dimensions are supported"),
        ("init.dirac_(torch.empty(3, 3))", "Only tensors with 3, 4, or 5 dimensions are supported"),
        ("init.dirac_(torch.empty(3, 3, 3), groups=2)", "dim 0 must be divisible by groups"),
        ("init.orthogonal_(torch.empty(3))", "Only tensors with 2 or more dimensions are supported"),
    ],
)
def test_what_is_refused(torch, nn, statement, message):
    with pytest.raises(ValueError) as caught:
        eval(statement, {"init": nn.init, "torch": torch})
    assert message in str(caught.value)


def test_warnings(torch, nn):
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        nn.init.kaiming_uniform_(torch.empty(0, 3))
    with pytest.warns(UserWarning, match="mean is more than 2 std from \\[a, b\\] in nn.init.trunc_normal_"):
        nn.init.trunc_normal_(torch.empty(2), mean=9.0)
    with pytest.warns(
        FutureWarning, match="`nn.init.xavier_normal` is now deprecated in favor of `nn.init.xavier_normal_`"
    ):
        nn.init.xavier_normal(torch.empty(2, 2))


def test_fans(torch, nn):
    assert nn.init._calculate_fan_in_and_fan_out(torch.empty(2, 3, 5, 7)) == (105, 70)
