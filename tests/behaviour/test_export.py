"""`rushlight.export`: files that compute what the model does with NumPy alone, and what is refused."""

import ast
import importlib.util

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn

F = nn.functional


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def load(path):
    """The module in an exported file, which may import what is in Python and NumPy."""
    tree = ast.parse(path.read_text("utf-8"))
    imported = {each.names[0].name for each in tree.body if isinstance(each, ast.Import)}
    imported |= {each.module for each in tree.body if isinstance(each, ast.ImportFrom)}
    assert imported <= {"math", "pathlib", "numpy"}
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Convolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.norm = nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.two, self.out = nn.Conv2d(4, 8, 3, stride=2, dilation=1, groups=2), nn.Linear(72, 10)
        self.drop, self.group = nn.Dropout(), nn.GroupNorm(2, 8)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.one(x))), 3, 1, 1)
        x = F.avg_pool2d(F.gelu(self.group(self.two(x))), 1)
        return F.log_softmax(self.out(self.drop(x.view(x.size(0), -1))), 1)


class Recurrent(nn.Module):
    def __init__(self, kind, **keywords):
        super().__init__()
        self.layers = kind(3, 5, batch_first=True, **keywords)
        self.out = nn.Linear(10 if keywords.get("bidirectional") else 5, 1)

    def forward(self, x):
        states, last = self.layers(x)
        return self.out(states[:, -1]), last


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, 8), nn.Embedding(6, 8)
        self.layer, self.out = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.Linear(8, 11)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places(torch.arange(tokens.size(1)))
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.size(1))
        return self.out(self.layer(x, src_mask=mask, is_causal=True))


class Mixed(nn.Module):
    def forward(self, x, y):
        a, b = torch.stack([x, y])
        a, b = torch.cat([a, b], 1).squeeze(1).chunk(2, 1)
        low = torch.where(a > 0, -(a**2), 2 / (1 + b.abs())).clamp(-1, 1)
        rows = low.std(1, keepdim=True) + low.amax(1, keepdim=True) - low.mean()
        values, positions = (rows * -3 + b).max(1)
        return {
            "low": low.transpose(0, 1)[..., :2],
            "rest": [values, positions, b.flatten().unsqueeze(0), F.pad(b, (1, 2))],
        }


MODELS = {
    "mlp": (nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2), nn.Softmax(1)), lambda n: [torch.randn(n, 3)]),
    "activations": (
        nn.Sequential(nn.ELU(), nn.SiLU(), nn.Softplus(), nn.LeakyReLU(), nn.Hardswish(), nn.ReLU6(), nn.Sigmoid(),
                      nn.Mish(), nn.PReLU(), nn.GELU("tanh"), nn.Hardtanh(), nn.LayerNorm(4)),
        lambda n: [3 * torch.randn(n, 4)],
    ),
    "convolutional": (Convolutional(), lambda n: [torch.randn(n, 1, 8, 8)]),
    "lstm": (Recurrent(nn.LSTM, num_layers=2, bidirectional=True), lambda n: [torch.randn(n, 6, 3)]),
    "gru": (Recurrent(nn.GRU), lambda n: [torch.randn(n, 6, 3)]),
    "rnn": (Recurrent(nn.RNN, nonlinearity="relu"), lambda n: [torch.randn(n, 6, 3)]),
    "transformer": (Transformer(), lambda n: [torch.randint(11, (n, 6))]),
    "float64": (nn.Linear(3, 2, dtype=torch.float64), lambda n: [torch.randn(n, 3, dtype=torch.float64)]),
    "two inputs": (Mixed(), lambda n: [torch.randn(n, 4), torch.randn(n, 4)]),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_the_file_gives_the_numbers_of_the_model_for_any_batch(name, tmp_path):
    model, inputs = MODELS[name]
    path = torch.export(model, *inputs(4), path=tmp_path / "net.py")
    exported = load(path)
    assert "(batch, " in exported.__doc__
    for size in (1, 4, 7):
        args = inputs(size)
        with torch.no_grad():
            expected = model.eval()(*args)
        compare(exported.model(*(each.numpy() for each in args)), expected)


def compare(got, expected):
    if isinstance(expected, dict):
        got, expected = [*got.values()], [*expected.values()]
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            compare(one, other)
        return
    assert got.shape == tuple(expected.shape) and got.dtype == expected.numpy().dtype
    np.testing.assert_allclose(got, expected.numpy(), rtol=1e-4, atol=1e-5)


def test_the_file_can_be_read(tmp_path):
    model = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    path = torch.export(model, torch.ones(4, 3), path=tmp_path / "net.py")
    assert path == tmp_path / "net.py"
    assert path.read_text("utf-8").endswith(
        "def model(x):\n"
        '    x1 = x @ WEIGHTS["0.weight"].T + WEIGHTS["0.bias"]\n'
        "    x2 = np.maximum(x1, 0)\n"
        "    return x2\n"
    )
    with np.load(tmp_path / "net.npz") as weights:
        assert sorted(weights) == ["0.bias", "0.weight"]


def test_the_model_is_as_before(tmp_path):
    model = Convolutional()
    model.drop.eval()
    before = [each.training for each in model.modules()], model.norm.running_mean.clone()
    torch.export(model, torch.randn(2, 1, 8, 8), path=tmp_path / "net.py")
    assert [each.training for each in model.modules()] == before[0]
    assert torch.equal(model.norm.running_mean, before[1])
    assert all(type(each) is nn.Parameter for each in model.parameters())


class Fixed(nn.Module):
    def forward(self, x):
        return x + torch.arange(8.0).view(4, 2)


def test_a_model_for_one_size_says_so(tmp_path):
    exported = load(torch.export(Fixed(), torch.ones(4, 2), path=tmp_path / "net.py"))
    assert "`x` of shape (4, 2)" in exported.__doc__
    compare(exported.model(np.ones((4, 2), np.float32)), Fixed()(torch.ones(4, 2)))


class Deciding(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x  # here


def test_a_model_that_looks_at_numbers_is_refused_with_its_line(tmp_path):
    with pytest.raises(
        TypeError, match=r"looks at the numbers .* test_export.py:\d+ \(`return x if x.sum\(\) > 0"
    ) as reported:
        torch.export(Deciding(), torch.ones(2), path=tmp_path / "net.py")
    assert "torch.where()" in reported.value.__notes__[0]
    assert not list(tmp_path.iterdir())


class Unknown(nn.Module):
    def forward(self, x):
        return torch.linalg.inv(x) + torch.linalg.det(x)


def test_operators_without_a_form_in_numpy_are_named_with_their_lines(tmp_path):
    with pytest.raises(NotImplementedError, match=r"test_export.py:\d+ \(`return torch.linalg.inv"):
        torch.export(Unknown(), torch.eye(3), path=tmp_path / "net.py")
    assert not list(tmp_path.iterdir())


class InPlace(nn.Module):
    def forward(self, x):
        y = x * 2
        y.relu_()
        y += 1
        return y


def test_writes_in_place(tmp_path):
    exported = load(torch.export(InPlace(), torch.randn(3, 2), path=tmp_path / "net.py"))
    given = torch.randn(5, 2)
    compare(exported.model(given.numpy()), InPlace()(given.clone()))


class ThroughAView(nn.Module):
    def forward(self, x):
        y = x * 2
        y[0].mul_(5)
        return y


def test_a_file_with_other_numbers_is_not_written(tmp_path):
    with pytest.raises(RuntimeError, match="other numbers than the model"):
        torch.export(ThroughAView(), torch.randn(3, 2), path=tmp_path / "net.py")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["net.txt", "my-net.py", "class.py"])
def test_a_path_that_cannot_be_imported(tmp_path, name):
    with pytest.raises(ValueError, match="a name to import"):
        torch.export(nn.Linear(2, 1), torch.ones(1, 2), path=tmp_path / name)


def test_what_is_no_module():
    with pytest.raises(TypeError, match="expected a module"):
        torch.export(lambda x: x, torch.ones(2), path="net.py")
