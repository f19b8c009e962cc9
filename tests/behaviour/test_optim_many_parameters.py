"""Steps of many parameters at once keep every parameter's memory, state and history its own."""

import copy
import pickle

import numpy as np
import pytest

METHODS = [
    ("SGD", {"momentum": 0.9}),
    ("SGD", {"momentum": 0.9, "weight_decay": 0.1}),
    ("Adam", {}),
    ("Adagrad", {}),
    ("RMSprop", {"centered": True}),
]
SHAPES = [(3,), (2, 2), (), (4, 1, 2)]


def parameters(torch, count=8, seed=0):
    random = np.random.default_rng(seed)
    shapes = [SHAPES[index % len(SHAPES)] for index in range(count)]
    return [torch.tensor(random.normal(size=shape), requires_grad=True) for shape in shapes]


def fill_gradients(torch, params, seed):
    random = np.random.default_rng(seed)
    for param in params:
        param.grad = torch.tensor(random.normal(size=tuple(param.shape)))


def run(torch, optimizer, params, steps, first=0):
    for step in range(first, first + steps):
        fill_gradients(torch, params, 100 + step)
        optimizer.step()


def same(mine, other):
    return all(np.array_equal(a.detach().numpy(), b.detach().numpy()) for a, b in zip(mine, other, strict=True))


def one_by_one(torch, name, options, params, steps):
    """The same steps with an optimizer for each parameter."""
    optimizers = [getattr(torch.optim, name)([param], lr=0.1, **options) for param in params]
    for step in range(steps):
        fill_gradients(torch, params, 100 + step)
        for optimizer in optimizers:
            optimizer.step()


@pytest.mark.parametrize(("name", "options"), METHODS)
@pytest.mark.parametrize("count", [8, 100])
def test_together_is_the_same_as_one_by_one(torch, name, options, count):
    together, alone = parameters(torch, count), parameters(torch, count)
    run(torch, getattr(torch.optim, name)(together, lr=0.1, **options), together, 4)
    one_by_one(torch, name, options, alone, 4)
    for mine, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(mine.detach().numpy(), other.detach().numpy(), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(("name", "options"), METHODS)
def test_memory_stays_where_it_is(torch, name, options):
    params = parameters(torch)
    optimizer = getattr(torch.optim, name)(params, lr=0.1, **options)
    run(torch, optimizer, params, 1)
    positions = [param.data_ptr() for param in params]
    kept = [dict(optimizer.state[param]) for param in params]
    run(torch, optimizer, params, 2, first=1)
    assert [param.data_ptr() for param in params] == positions
    for param, before in zip(params, kept, strict=True):
        assert all(optimizer.state[param][key] is value for key, value in before.items())
        assert all(value.storage_offset() == 0 for value in before.values())


def test_a_step_counts_one_write_of_each(torch):
    params = parameters(torch)
    optimizer = torch.optim.Adam(params, lr=0.1)
    versions = [param._version for param in params]
    run(torch, optimizer, params, 3)
    assert [param._version for param in params] == [version + 3 for version in versions]


@pytest.mark.parametrize("change", ["in place", "replaced"])
def test_state_that_somebody_changes_counts(torch, change):
    changed, reference = parameters(torch), parameters(torch)
    optimizers = [torch.optim.Adam(each, lr=0.1) for each in (changed, reference)]
    for optimizer, params in zip(optimizers, (changed, reference), strict=True):
        run(torch, optimizer, params, 2)
    state = optimizers[0].state[changed[1]]
    if change == "in place":
        state["exp_avg"].zero_()
    else:
        state["exp_avg"] = torch.zeros_like(state["exp_avg"])
    for optimizer, params in zip(optimizers, (changed, reference), strict=True):
        run(torch, optimizer, params, 1, first=2)
    differs = [not torch.equal(mine, other) for mine, other in zip(changed, reference, strict=True)]
    assert differs == [index == 1 for index in range(len(changed))]


@pytest.mark.parametrize(("name", "options"), METHODS)
@pytest.mark.parametrize("way", ["deepcopy", "pickle", "state_dict"])
def test_going_on_in_a_copy(torch, name, options, way):
    params = parameters(torch)
    optimizer = getattr(torch.optim, name)(params, lr=0.1, **options)
    run(torch, optimizer, params, 3)
    if way == "state_dict":
        others = [param.detach().clone().requires_grad_() for param in params]
        other = getattr(torch.optim, name)(others, lr=0.5, **options)
        other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    else:
        for param in params:
            param.grad = None
        other = copy.deepcopy(optimizer) if way == "deepcopy" else pickle.loads(pickle.dumps(optimizer))
        others = other.param_groups[0]["params"]
    run(torch, other, others, 2, first=3)
    assert not same(params, others)
    run(torch, optimizer, params, 2, first=3)
    assert same(params, others)


def test_new_data_and_new_dtype_of_a_parameter(torch):
    params = parameters(torch)
    optimizer = torch.optim.SGD(params, lr=1.0)
    run(torch, optimizer, params, 2)
    params[2].data = torch.tensor(5.0, dtype=torch.float32)
    fill_gradients(torch, [param for param in params if param is not params[2]], 1)
    params[2].grad = torch.tensor(2.0)
    optimizer.step()
    assert params[2].item() == 3.0 and params[2].dtype == torch.float32


def test_parameters_of_any_layout(torch):
    base = torch.zeros(4, 6, dtype=torch.float64)
    column, transposed = base[:, 1].requires_grad_(), torch.ones(2, 3, dtype=torch.float64).t().requires_grad_()
    params = [column, transposed, *parameters(torch, 4)]
    plain = [param.detach().clone().contiguous().requires_grad_() for param in params]
    for each in (params, plain):
        optimizer = torch.optim.Adam(each, lr=0.1)
        run(torch, optimizer, each, 3)
    assert same(params, plain)
    assert base[:, 0].abs().sum() == 0 and torch.equal(base[:, 1], column.detach())


def test_parameters_without_a_gradient_rest(torch):
    params = parameters(torch)
    before = params[3].detach().clone()
    optimizer = torch.optim.Adam(params, lr=0.1)
    for step in range(3):
        fill_gradients(torch, params, step)
        if step < 2:
            params[3].grad = None
        optimizer.step()
        assert torch.equal(params[3].detach(), before) == (step < 2)
    assert [optimizer.state[param]["step"].item() for param in params[2:5]] == [3.0, 1.0, 3.0]


@pytest.mark.filterwarnings("ignore:optimizer contains a parameter group with duplicate parameters")
def test_a_parameter_listed_twice_is_stepped_twice(torch):
    param = torch.zeros(3, requires_grad=True)
    param.grad = torch.ones(3)
    torch.optim.SGD([param, param], lr=1.0).step()
    assert param.tolist() == [-2.0, -2.0, -2.0]


def test_large_parameters_beside_small_ones(torch):
    large = torch.zeros(300, 300, requires_grad=True)
    small = torch.zeros(2, requires_grad=True)
    optimizer = torch.optim.Adam([small, large], lr=0.5)
    small.grad, large.grad = torch.ones(2), torch.ones(300, 300)
    optimizer.step()
    np.testing.assert_allclose(large.detach().numpy(), -0.5, rtol=1e-6)
    assert small.tolist() == [large[0, 0].item()] * 2
