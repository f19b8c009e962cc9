"""What optimizers share: groups, names, state, hooks, refusals, steps that are differentiated; and LBFGS."""

import copy
import gc
import importlib
import weakref

import numpy as np
import pytest

NAMES = [
    "ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop", "SGD",
]  # fmt: skip


def parameter(torch, *shape, value=1.0, dtype=None):
    param = torch.full(shape or (2,), value, dtype=dtype or torch.float64).requires_grad_()
    param.grad = torch.full_like(param.detach(), 0.5)
    return param


# ---- groups and names


def test_named_parameters(torch):
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.Adam(model.named_parameters())
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
    assert optimizer.param_groups[0]["params"][0] is model.weight
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["weight", "bias"]
    with pytest.raises(ValueError, match="cannot add param group without names to the optimizer"):
        optimizer.add_param_group({"params": [parameter(torch)]})
    with pytest.raises(ValueError, match="Some param names are missing"):
        torch.optim.Adam([("first", parameter(torch)), parameter(torch)])


LISTS = {"Adam": {"betas": [0.9, 0.99]}, "Rprop": {"etas": [0.5, 1.2], "step_sizes": [1e-6, 50.0]}, "SGD": {}}


@pytest.mark.parametrize("size", [3, 300_000])  # in the second machine code works, which is found by the options
@pytest.mark.parametrize("name", LISTS)
def test_what_else_stands_in_a_group_changes_nothing(torch, name, size):
    results = []
    for options, more, named in (({}, {}, False), (LISTS[name], {}, True), (LISTS[name], {"tags": ["x"]}, False)):
        param = parameter(torch, size, dtype=torch.float32)
        options = options or {key: tuple(value) for key, value in LISTS[name].items()}
        group = {"params": [("weight", param)] if named else [param], "mask": torch.ones(3), "notes": {"a": []}, **more}
        optimizer = getattr(torch.optim, name)([group], lr=0.1, **options)
        for _ in range(4):
            optimizer.step()
        results.append(param.detach())
    assert torch.equal(results[0], results[1]) and torch.equal(results[0], results[2])
    assert results[0][0] < 1


@pytest.mark.parametrize("shape", [(5,), (200, 200)])
@pytest.mark.parametrize("options", [{}, {"momentum": 0.9}])
def test_complex_parameters_take_gradients_with_gaps(torch, shape, options):
    gradient = torch.randn(*shape, 2, dtype=torch.complex64)[..., 0]
    apart, beside = (parameter(torch, *shape, dtype=torch.complex64) for _ in range(2))
    apart.grad, beside.grad = gradient, gradient.clone(memory_format=torch.contiguous_format)
    for param in (apart, beside):
        torch.optim.SGD([param], lr=0.1, **options).step()
        torch.optim.Adam([param]).step()
    torch.testing.assert_close(apart, beside)


def test_names_survive_a_checkpoint_without_any(torch):
    named = torch.optim.SGD([("a", parameter(torch))], lr=0.1)
    named.load_state_dict(torch.optim.SGD([parameter(torch)], lr=0.2).state_dict())
    assert named.param_groups[0]["param_names"] == ["a"] and named.param_groups[0]["lr"] == 0.2


def test_repr(torch):
    optimizer = torch.optim.SGD([{"params": [parameter(torch)]}, {"params": [parameter(torch)], "lr": 0.5}], lr=0.1)
    assert repr(optimizer) == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n    foreach: None\n    fused: None\n"
        "    lr: 0.1\n    maximize: False\n    momentum: 0\n    nesterov: False\n    weight_decay: 0\n\n"
        "Parameter Group 1\n    dampening: 0\n    differentiable: False\n    foreach: None\n    fused: None\n"
        "    lr: 0.5\n    maximize: False\n    momentum: 0\n    nesterov: False\n    weight_decay: 0\n)"
    )


@pytest.mark.parametrize(
    ("group", "error", "text"),
    [
        (lambda torch, p: [p], TypeError, "param_group must be a dict, but got <class 'list'>"),
        (
            lambda torch, p: {"params": {p}},
            TypeError,
            "optimizer parameters need to be organized in ordered collections",
        ),
        (
            lambda torch, p: {"params": [3]},
            TypeError,
            "optimizer can only optimize Tensors, but one of the params is int",
        ),
        (lambda torch, p: {"params": [p * 2]}, ValueError, "can't optimize a non-leaf Tensor"),
    ],
)
def test_groups_that_are_refused(torch, group, error, text):
    optimizer = torch.optim.SGD([parameter(torch)], lr=0.1)
    with pytest.raises(error) as caught:
        optimizer.add_param_group(group(torch, parameter(torch)))
    assert str(caught.value).startswith(text)
    assert len(optimizer.param_groups) == 1


def test_a_required_option(torch):
    class Plain(torch.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": importlib.import_module(torch.__name__ + ".optim.optimizer").required})

    with pytest.raises(ValueError, match="didn't specify a value of required optimization parameter lr"):
        Plain([parameter(torch)])
    assert Plain([{"params": parameter(torch), "lr": 1.0}]).param_groups[0]["lr"] == 1.0


# ---- an optimizer of one's own


def test_a_step_of_ones_own_is_recorded_unless_it_says_otherwise(torch):
    class Own(torch.optim.Optimizer):
        def step(self, closure=None):
            loss = closure()
            with torch.no_grad():
                for param in self.param_groups[0]["params"]:
                    param -= param.grad
            return loss

    param = parameter(torch)
    optimizer = Own([param], {})

    def closure():
        optimizer.zero_grad()
        loss = (param * 2).sum()
        loss.backward()
        return loss

    seen = []
    optimizer.register_step_post_hook(lambda *arguments: seen.append("after"))
    assert optimizer.step(closure).item() == 4.0
    assert param.tolist() == [-1.0, -1.0] and seen == ["after"]


def test_hooks_of_every_optimizer(torch):
    hooks = importlib.import_module(torch.__name__ + ".optim.optimizer")
    seen = []
    before = hooks.register_optimizer_step_pre_hook(
        lambda optimizer, args, kwargs: seen.append(type(optimizer).__name__)
    )
    after = hooks.register_optimizer_step_post_hook(lambda optimizer, args, kwargs: seen.append("after"))
    torch.optim.Adam([parameter(torch)]).step()
    torch.optim.SGD([parameter(torch)]).step()
    before.remove()
    after.remove()
    torch.optim.SGD([parameter(torch)]).step()
    assert seen == ["Adam", "after", "SGD", "after"]


def test_a_hook_may_replace_the_arguments(torch):
    param = parameter(torch)
    optimizer = torch.optim.SGD([param], lr=0.1)
    optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: ((optimizer, lambda: "replaced"), {}))
    assert optimizer.step() == "replaced"
    optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: 3)
    with pytest.raises(RuntimeError, match=r"must return None or a tuple of \(new_args, new_kwargs\), but got 3"):
        optimizer.step()


def test_hooks_around_checkpoints(torch):
    optimizer = torch.optim.SGD([parameter(torch)], lr=0.1)
    seen = []
    optimizer.register_state_dict_pre_hook(lambda optimizer: seen.append("second"))
    optimizer.register_state_dict_pre_hook(lambda optimizer: seen.append("first"), prepend=True)
    optimizer.register_state_dict_post_hook(lambda optimizer, state: {**state, "more": 1})
    optimizer.register_load_state_dict_pre_hook(lambda optimizer, state: seen.append(state.pop("more")))
    optimizer.register_load_state_dict_post_hook(lambda optimizer: seen.append("loaded"))
    state = optimizer.state_dict()
    optimizer.load_state_dict(state)
    assert seen == ["first", "second", 1, "loaded"]
    assert state["more"] == 1


# ---- state


@pytest.mark.parametrize("name", NAMES)
def test_checkpoints_are_those_of_pytorch(name):
    pytest.importorskip("torch")
    results = []
    for library in map(importlib.import_module, ("rushlight", "torch")):
        optimizer = getattr(library.optim, name)([parameter(library), parameter(library, 2, 3)])
        optimizer.step()
        results.append(optimizer.state_dict())
    ours, theirs = results
    assert ours["param_groups"] == theirs["param_groups"]
    for index, state in theirs["state"].items():
        assert list(ours["state"][index]) == list(state)
        for key, value in state.items():
            mine = ours["state"][index][key]
            assert str(mine.dtype) == str(value.dtype) and mine.shape == value.shape
            np.testing.assert_allclose(mine.numpy(), value.numpy(), rtol=1e-6)


def test_loaded_state_takes_the_dtype_of_its_parameter(torch):
    double, single = parameter(torch), parameter(torch, dtype=torch.float32)
    optimizer, other = torch.optim.Adam([double]), torch.optim.Adam([single])
    optimizer.step()
    other.load_state_dict(optimizer.state_dict())
    assert other.state[single]["exp_avg"].dtype == torch.float32
    assert other.state[single]["step"] is optimizer.state[double]["step"]


def test_checkpoints_that_do_not_fit(torch):
    optimizer = torch.optim.SGD([parameter(torch)], lr=0.1)
    state = optimizer.state_dict()
    with pytest.raises(ValueError, match="contains a parameter group that doesn't match the size of optimizer's group"):
        torch.optim.SGD([parameter(torch), parameter(torch)]).load_state_dict(state)
    optimizer.add_param_group({"params": parameter(torch)})
    with pytest.raises(ValueError, match="loaded state dict has a different number of parameter groups"):
        optimizer.load_state_dict(state)


def test_old_checkpoints(torch):
    param = parameter(torch)
    optimizer = torch.optim.Adam([param])
    optimizer.step()
    state = copy.deepcopy(optimizer.state_dict())
    state["state"][0]["step"] = 1
    for option in ("maximize", "foreach", "capturable", "differentiable", "fused", "decoupled_weight_decay"):
        del state["param_groups"][0][option]
    optimizer.load_state_dict(state)
    assert optimizer.state[param]["step"].item() == 1.0 and optimizer.param_groups[0]["maximize"] is False
    optimizer.step()
    assert optimizer.state[param]["step"].item() == 2.0


def test_what_asgd_keeps_follows_the_default_dtype(torch):
    torch.set_default_dtype(torch.float64)
    try:
        param = parameter(torch)
        optimizer = torch.optim.ASGD([param], lr=0.1)
        for _ in range(3):
            optimizer.step()
        state = optimizer.state[param]
        assert {state[name].dtype for name in ("step", "eta", "mu")} == {torch.float64}
        assert state["eta"].item() == pytest.approx(0.1 / (1 + 1e-4 * 0.1 * 3) ** 0.75, rel=1e-12)
    finally:
        torch.set_default_dtype(torch.float32)


def test_the_count_of_steps_follows_the_default_dtype(torch):
    torch.set_default_dtype(torch.float64)
    try:
        param = parameter(torch)
        optimizer = torch.optim.Adam([param])
        optimizer.step()
        assert optimizer.state[param]["step"].dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


# ---- ways of working


@pytest.mark.parametrize(
    ("name", "options", "error", "text"),
    [
        ("Adam", {"fused": True, "foreach": True}, RuntimeError, "`fused` and `foreach` cannot be `True` together."),
        ("SGD", {"fused": True, "differentiable": True}, RuntimeError, "`fused` does not support `differentiable`"),
        (
            "Adam",
            {"capturable": True},
            AssertionError,
            "If capturable=True, params and state_steps must be on supported",
        ),
        (
            "ASGD",
            {"capturable": True},
            AssertionError,
            "If capturable=True, params, mus, etas, and state_steps must be",
        ),
        ("RMSprop", {"foreach": True, "differentiable": True}, AssertionError, "_foreach ops don't support autograd"),
        ("SparseAdam", {}, RuntimeError, "SparseAdam does not support dense gradients, please consider Adam instead"),
    ],
)
def test_refused_ways(torch, name, options, error, text):
    with pytest.raises(error) as caught:
        getattr(torch.optim, name)([parameter(torch)], **options).step()
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("name", ["Adam", "Adagrad", "SGD"])
def test_fused_steps_want_floats(torch, name):
    with pytest.raises(RuntimeError, match="`fused=True` requires all the params to be floating point Tensors"):
        getattr(torch.optim, name)([parameter(torch, dtype=torch.complex64)], fused=True).step()


def test_rates_that_are_tensors(torch):
    for name in NAMES:
        tensor, number = parameter(torch), parameter(torch)
        getattr(torch.optim, name)([tensor], lr=torch.tensor([0.25])).step()
        getattr(torch.optim, name)([number], lr=0.25).step()
        np.testing.assert_allclose(tensor.detach().numpy(), number.detach().numpy(), rtol=1e-6)


# Adafactor and Rprop have no such option or no weight decay; PyTorch's Adamax changes what its second step needs.
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("Adafactor", "Adamax", "Rprop")])
def test_a_step_can_be_differentiated(torch, name):
    def after_two_steps(start, first, second):
        param = start.clone()
        optimizer = getattr(torch.optim, name)([param], lr=0.1, differentiable=True, weight_decay=0.1)
        for gradient in (first, second):
            param.grad = gradient
            optimizer.step()
        return param

    values = [1.0, -2.0], [0.7, 0.4], [0.5, 0.9]
    arguments = [torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in values]
    assert torch.autograd.gradcheck(after_two_steps, arguments, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", ["Adam", "AdamW"])
@pytest.mark.parametrize("amsgrad", [False, True])
def test_a_step_is_differentiated_by_its_state(torch, name, amsgrad):
    def after_a_step(start, gradient, mean, square, largest):
        param = start.clone()
        param.grad = gradient
        optimizer = getattr(torch.optim, name)([param], lr=0.9, differentiable=True, amsgrad=amsgrad)
        state = {"exp_avg": mean.clone(), "exp_avg_sq": square.clone(), "step": torch.tensor(10.0)}
        optimizer.state[param].update(state, **({"max_exp_avg_sq": largest.clone()} if amsgrad else {}))
        optimizer.step()
        return param, *(each for each in optimizer.state[param].values() if each.requires_grad)

    arguments = [
        torch.tensor(each, dtype=torch.float64, requires_grad=True)
        for each in ([1.0, -2.0], [0.7, 0.4], [0.5, 0.9], [0.3, 0.8], [0.6, 0.2])
    ]
    assert torch.autograd.gradcheck(after_a_step, arguments)


def test_the_product_of_nadam_has_a_gradient(torch):
    def after_a_step(start, gradient, product):
        param = start.clone()
        param.grad = gradient
        optimizer = torch.optim.NAdam([param], lr=0.9, differentiable=True)
        zeros = {name: torch.zeros(2, dtype=torch.float64) for name in ("exp_avg", "exp_avg_sq")}
        optimizer.state[param].update(zeros, step=torch.tensor(10.0), mu_product=product.clone())
        optimizer.step()
        return param, optimizer.state[param]["mu_product"]

    values = [1.0, -2.0], [0.7, 0.4], 0.5
    arguments = [torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in values]
    assert torch.autograd.gradcheck(after_a_step, arguments)


def test_a_rate_can_be_learnt(torch):
    rate = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    param = torch.ones(2, dtype=torch.float64, requires_grad=True).clone()
    optimizer = torch.optim.SGD([param], lr=rate, differentiable=True)
    param.grad = torch.tensor([3.0, 4.0], dtype=torch.float64)
    optimizer.step()
    param.sum().backward()
    assert rate.grad.item() == -7.0


# ---- the state of another kind of optimizer


@pytest.mark.parametrize(
    ("name", "other", "missing"),
    [
        ("Adam", "SGD", "betas"),
        ("SGD", "Adam", "momentum"),
        ("RMSprop", "SGD", "alpha"),
        ("Adagrad", "SGD", "lr_decay"),
    ],
)
def test_the_groups_of_another_kind_of_optimizer(torch, name, other, missing):
    param = torch.nn.Parameter(torch.ones(2))
    optimizer = getattr(torch.optim, name)([param])
    optimizer.load_state_dict(getattr(torch.optim, other)([param], lr=1).state_dict())
    param.sum().backward()
    with pytest.raises(KeyError) as caught:
        optimizer.step()
    assert caught.value.args == (missing,)


@pytest.mark.parametrize(
    ("name", "other", "missing"),
    [
        ("SGD", "RMSprop", "dampening"),
        ("Adamax", "Adam", "exp_inf"),
        ("RMSprop", "Adam", "square_avg"),
        ("Adagrad", "Adam", "sum"),
        ("Adadelta", "Adam", "rho"),
        ("Rprop", "RMSprop", "etas"),
        ("RAdam", "Adamax", "exp_avg_sq"),
    ],
)
def test_the_state_of_another_kind_of_optimizer(torch, name, other, missing):
    param = torch.nn.Parameter(torch.ones(2))
    first, second = getattr(torch.optim, other)([param], lr=0.1), getattr(torch.optim, name)([param])
    param.sum().backward()
    first.step()
    second.load_state_dict(first.state_dict())
    with pytest.raises(KeyError) as caught:
        second.step()
    assert caught.value.args == (missing,)


@pytest.mark.parametrize(("name", "option"), [("Adam", "amsgrad"), ("RMSprop", "centered"), ("RMSprop", "momentum")])
def test_an_option_that_is_switched_on_after_a_step(torch, name, option):
    param = torch.nn.Parameter(torch.ones(2))
    optimizer = getattr(torch.optim, name)([param])
    param.sum().backward()
    optimizer.step()
    optimizer.param_groups[0][option] = 0.5
    with pytest.raises(KeyError):
        optimizer.step()


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_a_missing_state_is_explained(torch):
    param = torch.nn.Parameter(torch.ones(2))
    first, second = torch.optim.Adam([param]), torch.optim.RMSprop([param])
    param.sum().backward()
    first.step()
    second.load_state_dict(first.state_dict())
    with pytest.raises(KeyError, match="'square_avg'") as caught:
        second.step()
    (note,) = caught.value.__notes__
    assert note.startswith(
        "The state of a parameter of this RMSprop has no 'square_avg', only step, exp_avg, exp_avg_sq."
    )


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_a_missing_option_is_explained(torch):
    param = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.Muon([torch.nn.Parameter(torch.ones(2, 2))])
    optimizer.load_state_dict(torch.optim.SGD([param], lr=1).state_dict())
    optimizer.param_groups[0]["params"][0].grad = torch.ones(2, 2)
    with pytest.raises(KeyError, match="'ns_coefficients'") as caught:
        optimizer.step()
    (note,) = caught.value.__notes__
    assert note.startswith("A group of this Muon has no option 'ns_coefficients', only lr, momentum, dampening,")
    assert note.endswith("load what Muon has saved, or write optimizer = torch.optim.Muon(...) anew.")


# ---- other parameters for a while


def test_swapped_in_parameters_and_state(torch):
    own, other = parameter(torch), parameter(torch, value=3.0)
    optimizer = torch.optim.Adam([own], lr=0.5)
    optimizer.step()
    state = copy.deepcopy(optimizer.state_dict())
    state["param_groups"][0]["lr"] = 1.0
    own.grad = None
    with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"other": other}, state):
        assert optimizer.param_groups[0]["params"] == [other] and optimizer.param_groups[0]["lr"] == 1.0
        optimizer.step()
    assert other.tolist() == pytest.approx([2.0, 2.0]) and own.tolist() == pytest.approx([0.5, 0.5])
    assert optimizer.param_groups[0]["params"][0] is own and optimizer.param_groups[0]["lr"] == 0.5
    assert optimizer.state[own]["step"].item() == 1 and state["state"][0]["step"].item() == 2


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda state: 3, "swap_in_optimizer_params_and_state requires a DCP-style optimizer state_dict."),
        (
            lambda state: {**state, "state": []},
            r"to be a dict mapping packed parameter ids to per-param state dicts, got",
        ),
        (
            lambda state: {**state, "state": {0: 1}},
            "requires per-parameter optimizer state entries to be dictionaries.",
        ),
        (lambda state: {**state, "state": {5: {}}}, r"got extra keys \[5\]."),
        (lambda state: {**state, "param_groups": {}}, "to be a list of param-group dicts, got dict."),
        (
            lambda state: {**state, "param_groups": []},
            "has a different number of parameter groups than the live optimizer.",
        ),
        (lambda state: {**state, "param_groups": [3]}, "requires each optimizer param group to be a dictionary."),
        (lambda state: {**state, "param_groups": [{"params": ["a"]}]}, "entries keyed by packed parameter ids."),
        (
            lambda state: {**state, "param_groups": [{"params": [0, 1]}]},
            "group 0 has a different number of params than",
        ),
        (lambda state: {**state, "param_groups": [{"params": [0]}]}, r"for group 0. Keys only in swap-in: \[\]."),
    ],
)
def test_state_that_cannot_be_swapped_in(torch, change, text):
    optimizer = torch.optim.SGD([parameter(torch)], lr=0.1, momentum=0.9)
    optimizer.step()
    with pytest.raises(RuntimeError, match=text):
        with torch.optim.swap_in_optimizer_params_and_state(
            optimizer, {"p": parameter(torch)}, change(optimizer.state_dict())
        ):
            pass


# ---- devices: PyTorch has no simulated GPU, so this runs under rushlight alone


@pytest.mark.filterwarnings("ignore:.*simulated")
@pytest.mark.parametrize("options", [{}, {"capturable": True}, {"fused": True}])
def test_steps_on_a_device(options):
    import rushlight as torch

    with torch.cuda.simulate():
        on_device, on_cpu = torch.ones(2, device="cuda", requires_grad=True), torch.ones(2, requires_grad=True)
        optimizers = [torch.optim.Adam([on_device], **options), torch.optim.Adam([on_cpu])]
        for _ in range(3):
            on_device.grad, on_cpu.grad = torch.ones(2, device="cuda"), torch.ones(2)
            for optimizer in optimizers:
                optimizer.step()
        assert torch.equal(on_device.cpu(), on_cpu)
        state = optimizers[0].state[on_device]
        assert state["exp_avg"].device.type == "cuda"
        assert state["step"].device.type == ("cuda" if options else "cpu") and state["step"].item() == 3


def test_steps_without_numbers():
    import rushlight as torch

    param = torch.ones(2, device="meta", requires_grad=True)
    param.grad = torch.ones(2, device="meta")
    optimizer = torch.optim.Adam([param])
    optimizer.step()
    assert optimizer.state[param]["exp_avg"].device.type == "meta"


# ---- LBFGS


def rosenbrock(torch, **options):
    point = torch.tensor([-1.5, 2.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([point], **options)

    def closure():
        optimizer.zero_grad()
        x, y = point
        loss = (1 - x) ** 2 + 100 * (y - x**2) ** 2
        loss.backward()
        return loss

    return point, optimizer, closure


def test_the_valley_of_rosenbrock(torch):
    point, optimizer, closure = rosenbrock(torch, max_iter=100, line_search_fn="strong_wolfe")
    first = optimizer.step(closure)
    assert first.item() == 12.5
    np.testing.assert_allclose(point.detach().numpy(), [1.0, 1.0], atol=1e-5)


@pytest.mark.parametrize(
    "options",
    [{"lr": 0.001, "max_iter": 6}, {"line_search_fn": "strong_wolfe", "max_iter": 6, "history_size": 3}],
)
def test_the_way_is_that_of_pytorch(options):
    pytest.importorskip("torch")
    ways = []
    for library in map(importlib.import_module, ("rushlight", "torch")):
        point, optimizer, closure = rosenbrock(library, **options)
        for _ in range(5):
            optimizer.step(closure)
            state = optimizer.state[point]
            ways.append([*point.tolist(), state["n_iter"], state["func_evals"], float(state["t"])])
    np.testing.assert_allclose(ways[:5], ways[5:], rtol=1e-6)  # every iteration magnifies the rounding of the last


def test_lbfgs_goes_on_from_a_checkpoint(torch):
    point, optimizer, closure = rosenbrock(torch, max_iter=3, line_search_fn="strong_wolfe")
    optimizer.step(closure)
    other_point, other, other_closure = rosenbrock(torch, max_iter=3, line_search_fn="strong_wolfe")
    other_point.data.copy_(point.data)
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    optimizer.step(closure)
    other.step(other_closure)
    assert torch.equal(point, other_point)


def test_what_lbfgs_refuses(torch):
    with pytest.raises(ValueError, match="LBFGS doesn't support per-parameter options"):
        torch.optim.LBFGS([{"params": [parameter(torch)]}, {"params": [parameter(torch)]}])
    _, optimizer, closure = rosenbrock(torch, line_search_fn="golden")
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        optimizer.step(closure)


def test_the_note_of_sparse_adam():
    import rushlight as torch

    with pytest.raises(RuntimeError) as caught:
        torch.optim.SparseAdam([parameter(torch)]).step()
    assert "nn.Embedding(sparse=True)" in caught.value.__notes__[0]


@pytest.mark.parametrize("size", [3, 300_000])  # in the second machine code works
@pytest.mark.parametrize("name", ["Adadelta", "Adam", "SGD"])
def test_an_optimizer_is_let_go_without_a_collection(torch, name, size):
    param = parameter(torch, size, dtype=torch.float32)
    optimizer = getattr(torch.optim, name)([param], lr=0.1)
    gc.collect()
    gc.disable()
    try:
        optimizer.step()
        there = weakref.ref(optimizer)
        del optimizer
        assert there() is None
    finally:
        gc.enable()
