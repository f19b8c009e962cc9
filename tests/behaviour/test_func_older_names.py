"""Older addresses of torch.func, and the functions of the former package functorch."""

import importlib

import pytest

NAMES = [
    ("_functorch.apis", "vmap grad grad_and_value"),
    ("_functorch.eager_transforms", "hessian jacfwd jacrev jvp linearize vjp functionalize debug_unwrap"),
    ("_functorch.functional_call", "functional_call stack_module_state"),
    ("_functorch.batch_norm_replacement", "replace_all_batch_norm_modules_"),
    ("_functorch.einops", "rearrange"),
]


@pytest.fixture
def former(torch):
    return importlib.import_module(f"{torch.__name__}._functorch.deprecated")


@pytest.mark.parametrize(("module", "names"), NAMES)
def test_older_addresses_have_the_same_functions(torch, module, names):
    place = importlib.import_module(f"{torch.__name__}.{module}")
    for name in names.split():
        assert getattr(place, name) is getattr(torch.func, name)


@pytest.mark.parametrize("name", ["grad", "jacrev", "functionalize"])
def test_former_functions_say_what_to_use(torch, former, name):
    with pytest.warns(FutureWarning, match=f"`functorch.{name}` is deprecated.*Please use `torch.func.{name}` instead"):
        made = getattr(former, name)(torch.sum)
    assert made(torch.ones(3)).shape == (() if name == "functionalize" else (3,))


def test_an_older_vmap_warns(torch):
    internals = importlib.import_module(f"{torch.__name__}._vmap_internals")
    with pytest.warns(FutureWarning, match="Please use `?torch.vmap"):
        made = internals.vmap(torch.sum)
    assert torch.equal(made(torch.ones(2, 3)), torch.full((2,), 3.0))


@pytest.mark.filterwarnings("ignore:We've integrated functorch:FutureWarning")
def test_a_module_is_taken_apart(torch, former):
    net = torch.nn.Linear(2, 1)
    function, parameters = former.make_functional(net)
    x = torch.ones(3, 2)
    assert torch.equal(function(parameters, x), net(x))
    assert parameters[0] is not net.weight
    assert [each.requires_grad for each in parameters] == [True, True]
    _, frozen = former.make_functional(net, disable_autograd_tracking=True)
    assert [each.requires_grad for each in frozen] == [False, False]


@pytest.mark.filterwarnings("ignore:We've integrated functorch:FutureWarning")
def test_buffers_are_taken_apart_too(torch, former):
    net = torch.nn.BatchNorm1d(2).eval()
    with pytest.raises(RuntimeError, match="`model` has buffers. Please use make_functional_with_buffers"):
        former.make_functional(net)
    function, parameters, buffers = former.make_functional_with_buffers(net)
    x = torch.randn(3, 2)
    assert torch.equal(function(parameters, buffers, x), net(x))


@pytest.mark.filterwarnings("ignore:We've integrated functorch:FutureWarning")
def test_modules_become_one_function(torch, former):
    nets = [torch.nn.Linear(2, 1) for _ in range(3)]
    function, parameters, buffers = former.combine_state_for_ensemble(nets)
    x = torch.ones(3, 2)
    result = torch.vmap(function)(parameters, buffers, x)
    assert torch.allclose(result, torch.stack([net(row) for net, row in zip(nets, x, strict=True)]))
