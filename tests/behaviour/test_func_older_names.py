"""Older addresses of torch.func, and the functions of the former package functorch."""

import importlib
import inspect

import pytest

NAMES = [
    ("_functorch.apis", "vmap grad grad_and_value"),
    ("_functorch.eager_transforms", "hessian jacfwd jacrev jvp linearize vjp functionalize debug_unwrap"),
    ("_functorch.functional_call", "functional_call stack_module_state"),
    ("_functorch.batch_norm_replacement", "replace_all_batch_norm_modules_"),
    ("_functorch.einops", "rearrange"),
    ("_functorch.functorch.experimental", "functionalize hessian jacfwd jvp replace_all_batch_norm_modules_"),
    ("_functorch.functorch.einops", "rearrange"),
]


def address(torch, module):
    """A module by its address in rushlight, which has the package functorch inside, or in PyTorch."""
    if torch.__name__ == "torch" and module.startswith("_functorch.functorch."):
        return importlib.import_module(module.removeprefix("_functorch."))
    return importlib.import_module(f"{torch.__name__}.{module}")


@pytest.fixture
def former(torch):
    return importlib.import_module(f"{torch.__name__}._functorch.deprecated")


@pytest.mark.parametrize(("module", "names"), NAMES)
def test_older_addresses_have_the_same_functions(torch, module, names):
    place = address(torch, module)
    for name in names.split():
        value = getattr(place, name)
        if inspect.ismodule(value):  # PyTorch has a file of this name with a copy; imported, it hides the function
            assert torch.__name__ == "torch"
        else:
            assert value is getattr(torch.func, name)


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


def test_the_package_has_compilers_that_take_one_list(torch):
    compile = address(torch, "_functorch.functorch.compile")
    boxed = compile.make_boxed_func(lambda a, b: a - b)
    assert boxed([5, 3]) == 2 and boxed._boxed_call is True
    compiled = compile.make_boxed_compiler(lambda graph, inputs: graph)(max, None)
    assert compiled([5, 3]) == 5
    assert compile.nop(max, None)([5, 3]) == 5


@pytest.mark.parametrize("argnums", [0, -1, (1, 0), (2,)])
def test_chosen_arguments_are_a_tuple(torch, argnums):
    choose = importlib.import_module(f"{torch.__name__}._functorch.eager_transforms")._slice_argnums
    positions = argnums if isinstance(argnums, tuple) else (argnums,)
    assert choose("abc", argnums) == tuple("abc"[each] for each in positions)


def test_modules_are_made_and_taken_apart(torch):
    former = importlib.import_module(f"{torch.__name__}._functorch.make_functional")
    parameters, function, names = former.functional_init(torch.nn.Linear, (3,))(2, 5)
    assert [tuple(each.shape) for each in parameters] == [(3, 5, 2), (3, 5)] and names == ("weight", "bias")
    x = torch.ones(4, 2)
    results = torch.vmap(function, in_dims=(0, None))(parameters, (x,))
    for i in range(3):
        expected = x @ parameters[0][i].T + parameters[1][i]
        torch.testing.assert_close(results[i], expected)


def test_modules_with_buffers_are_made_and_taken_apart(torch):
    former = importlib.import_module(f"{torch.__name__}._functorch.make_functional")
    made = former.functional_init_with_buffers(torch.nn.BatchNorm1d, (2,))(4)
    parameters, buffers, _, names, buffer_names = made
    assert [tuple(each.shape) for each in parameters] == [(2, 4), (2, 4)] and names == ("weight", "bias")
    assert buffer_names == ("running_mean", "running_var", "num_batches_tracked")
    assert [tuple(each.shape) for each in buffers] == [(2, 4), (2, 4), (2,)]
    with pytest.raises(ValueError, match="num_models 0 should be > 0"):
        former.functional_init(torch.nn.Linear, (0,))(2, 2)
