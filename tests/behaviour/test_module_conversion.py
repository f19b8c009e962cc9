"""Moving, casting, freezing and switching whole modules."""

import pytest


@pytest.fixture
def nn(torch):
    return torch.nn


@pytest.fixture
def model(nn):
    return nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))


def dtypes(module):
    return [str(value.dtype).removeprefix("torch.") for value in module.state_dict().values()]


@pytest.mark.parametrize(
    ("convert", "expected"),
    [
        (lambda m, torch: m.double(), "float64"),
        (lambda m, torch: m.half(), "float16"),
        (lambda m, torch: m.bfloat16(), "bfloat16"),
        (lambda m, torch: m.double().float(), "float32"),
        (lambda m, torch: m.to(torch.float64), "float64"),
        (lambda m, torch: m.to("cpu", torch.float64), "float64"),
        (lambda m, torch: m.to(dtype=torch.float16, device=torch.device("cpu"), non_blocking=True), "float16"),
        (lambda m, torch: m.to(torch.ones(1, dtype=torch.float64)), "float64"),
        (lambda m, torch: m.to("cpu"), "float32"),
        (lambda m, torch: m.cpu(), "float32"),
    ],
)
def test_casts_leave_integers_alone(torch, model, convert, expected):
    parameters = list(model.parameters())
    assert convert(model, torch) is model
    assert dtypes(model) == [expected] * 6 + ["int64"]
    assert all(after is before for after, before in zip(model.parameters(), parameters, strict=True))
    assert all(value.is_leaf and value.requires_grad for value in model.parameters())


def test_type_casts_integers_too(torch, model):
    assert dtypes(model.type(torch.float64)) == ["float64"] * 7


def test_gradients_are_converted_too(torch, nn):
    layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    gradient = layer.weight.grad
    layer.double()
    assert layer.weight.grad is gradient and gradient.dtype == torch.float64
    assert layer.weight.grad.tolist() == [[1, 1], [1, 1]]


def test_shared_parameters_stay_shared(torch, nn):
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    model.double()
    assert model[1].weight is model[0].weight and model[0].weight.dtype == torch.float64


def test_attributes_follow_converted_buffers(torch, model):
    model.double()
    assert model[1].running_mean is model[1]._buffers["running_mean"]
    assert model[1].running_mean.dtype == torch.float64


def test_modules_are_not_cast_to_integers(torch, model):
    with pytest.raises(TypeError) as caught:
        model.to(torch.int64)
    assert str(caught.value) == (
        "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int64"
    )


def test_complex_modules_are_warned_of(torch, nn):
    layer = nn.Linear(1, 1, bias=False)
    with pytest.warns(UserWarning, match="Complex modules are a new feature under active development"):
        layer.to(torch.complex64)
    assert layer.weight.dtype == torch.complex64


def test_the_meta_device(torch, nn):
    layer = nn.Linear(2, 3, device="meta")
    weight = layer.weight
    assert weight.is_meta and weight.shape == (3, 2)
    with pytest.raises(
        NotImplementedError, match="Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_"
    ):
        layer.to("cpu")
    layer.to_empty(device="cpu")
    assert layer.weight.device.type == "cpu" and layer.weight is not weight and layer.weight.requires_grad
    layer.reset_parameters()
    assert layer(torch.zeros(2)).shape == (3,)


def test_apply_visits_children_first(nn):
    seen = []
    model = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Tanh()))
    assert model.apply(lambda module: seen.append(type(module).__name__)) is model
    assert seen == ["ReLU", "Tanh", "Sequential", "Sequential"]


def test_own_conversions_use_apply(torch, nn):
    class Cached(nn.Linear):
        def _apply(self, fn, recurse=True):
            super()._apply(fn, recurse)
            self.cache = fn(self.cache)
            return self

    model = nn.Sequential(Cached(1, 1))
    model[0].cache = torch.ones(1)
    assert model.double()[0].cache.dtype == torch.float64


def test_training_mode_is_set_in_the_whole_tree(torch, nn):
    model = nn.Sequential(nn.Dropout(0.5), nn.Sequential(nn.Dropout(0.5)))
    assert model.training and model.eval() is model
    assert [module.training for module in model.modules()] == [False] * 4
    model[1].train()
    assert [module.training for module in model.modules()] == [False, False, True, True]


def test_training_mode_may_be_overridden(nn):
    class Frozen(nn.BatchNorm1d):
        def train(self, mode=True):
            return super().train(False)

    model = nn.Sequential(Frozen(2), nn.Dropout()).train()
    assert not model[0].training and model[1].training


def test_evaluation_mode_does_not_stop_gradients_and_no_grad_does_not_stop_dropout(torch, nn):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
    x = torch.ones(1, 8)
    assert model.eval()(x).requires_grad and torch.equal(model(x), model(x))
    with torch.no_grad():
        result = model.train()(x)
    assert not result.requires_grad and (result == 0).any()


def test_freezing(torch, nn):
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    assert model[0].requires_grad_(False) is model[0]
    model(torch.ones(1, 2)).sum().backward()
    assert model[0].weight.grad is None and model[1].weight.grad is not None


def test_zero_grad(torch, nn):
    layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    gradient = layer.weight.grad
    layer.zero_grad(set_to_none=False)
    assert layer.weight.grad is gradient and not gradient.any()
    layer.zero_grad()
    assert layer.weight.grad is None


def test_zero_grad_cuts_the_graph_of_a_gradient(torch, nn):
    layer = nn.Linear(2, 1)
    layer.weight.grad = (layer.weight * 2).clone()
    layer.zero_grad(set_to_none=False)
    assert layer.weight.grad.grad_fn is None and not layer.weight.grad.requires_grad


def test_share_memory_returns_the_module(nn):
    layer = nn.ReLU()
    assert layer.share_memory() is layer
