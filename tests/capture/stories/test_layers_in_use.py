"""Layers as programs use them: with hooks and parametrizations, packed sequences, standard containers."""

import collections
import contextvars

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from rushlight.nn.utils import parametrizations, parametrize, rnn

SCALE = contextvars.ContextVar("SCALE", default=2)


def ones():
    return torch.ones(2)


def hooks_that_replace(compile):
    torch.manual_seed(0)
    m, log = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2)), []
    f = compile(m)
    x = torch.tensor([[1.0, -2.0]])
    seen = [f(x), f(x)]
    handles = []
    for add in (
        lambda: m[0].register_forward_hook(lambda module, args, result: result * 2),
        lambda: m[0].register_forward_hook(lambda module, args, result: None, prepend=True),
        lambda: m[1].register_forward_pre_hook(lambda module, args: args[0] + 1),
        lambda: m[2].register_forward_pre_hook(lambda module, args, kw: (args, kw), with_kwargs=True),
        lambda: m[2].register_forward_hook(lambda module, args, kw, result: result + len(kw), with_kwargs=True),
        lambda: m[2].register_forward_hook(lambda module, args, result: result - 1, always_call=True),
        lambda: m[1].register_forward_hook(lambda module, args, result: log.append(result.shape)),
        lambda: m.register_forward_hook(lambda module, args, result: (result, args[0])),
        lambda: m[0].register_full_backward_hook(lambda module, grads, back: log.append(len(grads))),
    ):
        handles.append(add())
        seen += [f(x) for _ in range(3)]
    for handle in handles[::2]:
        handle.remove()
        seen += [f(x) for _ in range(3)]
    return seen, log


def training_with_hooks(compile):
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    optimizer, kept = torch.optim.SGD(m.parameters(), lr=0.1), {}
    m[1].register_forward_hook(lambda module, args, result: result * 1.5)
    m[0].register_forward_hook(lambda module, args, result: kept.update(hidden=result.detach()))

    def step(x):
        optimizer.zero_grad()
        loss = m(x).square().sum()
        loss.backward()
        optimizer.step()
        return loss

    f = compile(step)
    return [(f(torch.full((1, 2), 1.0 + n)), kept["hidden"]) for n in range(5)], m.state_dict()


def parametrized(compile):
    class Symmetric(nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).T

    torch.manual_seed(0)
    m = nn.Linear(3, 3)
    parametrize.register_parametrization(m, "weight", Symmetric())
    f = compile(m)
    x = torch.ones(1, 3)
    seen = [f(x) for _ in range(3)]
    with torch.no_grad():
        m.parametrizations.weight.original.mul_(2)
    seen += [f(x) for _ in range(3)]
    with parametrize.cached():
        seen += [f(x) for _ in range(3)]
    parametrize.register_parametrization(m, "bias", nn.Softplus(), unsafe=True)
    seen += [f(x) for _ in range(3)]
    parametrize.remove_parametrizations(m, "weight")
    return [*seen, *[f(x) for _ in range(3)]]


def normalized_weights(compile):
    seen = []
    for normalize in (parametrizations.weight_norm, parametrizations.spectral_norm, parametrizations.orthogonal):
        torch.manual_seed(0)
        m = normalize(nn.Linear(3, 3))
        optimizer = torch.optim.SGD(m.parameters(), lr=0.01)

        def step(x, m=m, optimizer=optimizer):
            optimizer.zero_grad()
            loss = m(x).square().sum()
            loss.backward()
            optimizer.step()
            return loss

        f = compile(step)
        seen.append([f(torch.full((2, 3), 1.0 + n)) for n in range(5)])
        seen.append(dict(m.state_dict()))
        seen.append([compile(m.eval())(torch.ones(1, 3)) for _ in range(3)])
    return seen


def packed(compile):
    torch.manual_seed(0)
    m = nn.GRU(2, 3, batch_first=True)

    def run(x, lengths):
        sequences = rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        results, last = m(sequences)
        padded, sizes = rnn.pad_packed_sequence(results, batch_first=True)
        return padded, sizes, last, rnn.pad_sequence([x[0], x[1, :2]])

    f = compile(run)
    x = torch.arange(16.0).reshape(2, 4, 2)
    return [f(x * n, lengths) for lengths in ([4, 2], [4, 2], [2, 4], [3, 3]) for n in (1, 2)]


def standard_containers(compile):
    m = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Identity()})

    def run(x):
        results = collections.OrderedDict((name, layer(x)) for name, layer in m.items())
        results["c"] = x * 2
        results.move_to_end("a")
        last = collections.deque(maxlen=2)
        for n in range(3):
            last.append(x * n)
        return results, last, collections.OrderedDict(), collections.deque([1])

    torch.manual_seed(0)
    f = compile(run)
    seen = [f(ones() * n) for n in range(4)]
    seen[1][0]["new"] = 1
    seen[2][1].append(5)
    return [*seen, f(ones())]


def named_results(compile):
    f = compile(lambda x: (x.max(1).values + x.sort(1).indices, torch.linalg.qr(x).R, x.median(0).values))
    return [f(torch.arange(4.0).reshape(2, 2) + n) for n in range(4)]


def context_variables(compile):
    f = compile(lambda x: x * SCALE.get())
    seen = [f(ones()), f(ones())]
    token = SCALE.set(3)
    seen += [f(ones()), f(ones())]
    SCALE.reset(token)
    return [*seen, f(ones())]


def functions_in_place(compile):
    """Functions that write to their first argument if `inplace` is true, by position or by name."""
    seen = []
    for function, *args in (
        (F.relu,), (F.relu6,), (F.leaky_relu, 0.1), (F.elu, 1.5), (F.selu,), (F.celu, 1.5), (F.hardtanh, -1.0, 0.5),
        (F.silu,), (F.mish,), (F.hardswish,), (F.hardsigmoid,), (F.threshold, 0.5, 2.0), (F.dropout, 0.5, False),
    ):  # fmt: skip
        for place in ({"inplace": True}, {"inplace": False}, {"inplace": 1}, {}):
            f = compile(
                lambda x, y, function=function, args=args, place=place: (function(x * 1, *args, **place), x + y)
            )
            g = compile(lambda x, function=function, args=args: (function(x, *args, True), x.sum(), x))
            x = torch.tensor([-1.0, 0.25, 2.0])
            seen += [f(x, x) for _ in range(3)]
            seen += [(g(x), x.clone()) for _ in range(3)]
    return seen


def a_residual_network(compile):
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2)

        def forward(self, x):
            y = F.relu(self.norm(self.conv(x)), inplace=True)
            y += x
            return F.leaky_relu(y, 0.1, True)

    torch.manual_seed(0)
    m = nn.Sequential(Block(), nn.ReLU(inplace=True), Block(), nn.Flatten(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(m.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        loss = m(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    f = compile(step)
    return [f(torch.randn(3, 2, 4, 4)) for _ in range(5)], m.state_dict()


def test_layers_in_use(agree, story):
    agree(story)


def no_break(function, *args):
    return not torch.compiler.explain(torch.compile(function))(*args).break_reasons


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("train", [False, True])
def test_transformers_have_no_break(batch_first, train):
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=batch_first)
    assert no_break(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).train(train), torch.ones(3, 3, 8))


def test_layers_with_hooks_and_parametrizations_have_no_break():
    hooked = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    hooked[0].register_forward_hook(lambda module, args, result: result * 2)
    hooked[1].register_forward_pre_hook(lambda module, args: args[0] + 1)
    assert no_break(hooked, ones())
    for normalize in (parametrizations.weight_norm, parametrizations.spectral_norm, parametrizations.orthogonal):
        assert no_break(normalize(nn.Linear(2, 2)).eval(), torch.ones(1, 2))


def test_containers_and_results_have_no_break():
    assert no_break(lambda x: collections.OrderedDict(a=x.max(0).values), torch.ones(2, 2))
    assert no_break(lambda x: rnn.pack_padded_sequence(x, [2, 1]).data + SCALE.get(), torch.ones(2, 2, 1))


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), InPlace(), nn.Flatten()), (2, 1, 4, 4)),
        (lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), (2, 3, 8)),
        (lambda: nn.LSTM(3, 4), (5, 2, 3)),
        (lambda: parametrizations.weight_norm(nn.Linear(3, 4)), (2, 3)),
    ],
)
def test_a_training_step_is_one_program(make, shape):
    torch.manual_seed(0)
    model = make()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        result = model(x)
        loss = (result[0] if isinstance(result, tuple) else result).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    compiled, x = torch.compile(step, options={"trial": False}), torch.randn(shape)
    compiled(x), compiled(x)
    (program,) = torch.compiler.explain(compiled)(x).programs
    (part,) = [text for _, text in program.parts]
    assert "one training step" in part


class InPlace(nn.Module):
    """ReLU in place, by name."""

    def forward(self, x):
        return F.relu(x, inplace=True)


@pytest.mark.parametrize("enabled", [False, True])
def test_a_step_with_a_scaler_of_gradients_agrees(enabled, agree):
    def story(compile):
        torch.manual_seed(0)
        model = nn.Linear(3, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", enabled=enabled, growth_interval=3)

        def step(x):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            return loss.detach()

        compiled = compile(step)
        return [compiled(torch.randn(5, 3)) for _ in range(8)], [*model.parameters()], scaler.get_scale()

    agree(story, replays=0 if enabled else 4)
