"""`torch.compile` in programs that have it: the same numbers, the same names, the same refusals.

PyTorch runs these with the backend `eager`, which captures graphs and compiles none.
"""

import copy
from importlib import import_module

import pytest

# Importing PyTorch's side of it warns of what it has in store itself.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")


def test_a_compiled_function_gives_the_same_numbers_and_gradients(torch):
    @torch.compile(backend="eager")
    def energy(x):
        "Half the square."
        return (x * x).sum() / 2

    x = torch.tensor([1.0, -2.0], requires_grad=True)
    energy(x).backward()
    assert x.grad.tolist() == [1.0, -2.0]
    assert (energy.__name__, energy.__doc__) == ("energy", "Half the square.")


def test_a_compiled_module_is_another_face_of_the_module(torch):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    compiled = torch.compile(model, backend="eager")
    assert isinstance(compiled, torch.nn.Module)
    assert compiled._orig_mod is model
    assert list(compiled.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    assert repr(compiled).splitlines()[:2] == ["OptimizedModule(", "  (_orig_mod): Sequential("]
    assert len(compiled) == 2
    compiled.eval()
    assert not model.training and not compiled.training
    model.train()
    assert compiled.training
    x = torch.ones(3, 2)
    assert torch.equal(compiled(x), model(x))


def test_attributes_are_those_of_the_module(torch):
    model = torch.nn.Linear(2, 2)
    compiled = torch.compile(model, backend="eager")
    compiled.note = "kept"
    compiled.scale = torch.nn.Parameter(torch.ones(1))
    assert model.note == "kept"
    assert "scale" in dict(model.named_parameters())
    del compiled.scale
    assert "scale" not in dict(model.named_parameters())
    assert compiled.in_features == 2
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'nothing'"):
        compiled.nothing  # noqa: B018


def test_hooks_of_either_face_run_and_training_goes_on(torch):
    model, seen = torch.nn.Linear(2, 1), []
    compiled = torch.compile(model, backend="eager")
    compiled.register_forward_hook(lambda *_: seen.append("compiled"))
    model.register_forward_hook(lambda *_: seen.append("model"))
    optimizer = torch.optim.SGD(compiled.parameters(), lr=0.1)
    before = model.weight.detach().clone()
    compiled(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert seen == ["model", "compiled"]
    assert torch.allclose(model.weight, before - 0.1)


def test_a_copy_of_a_compiled_module_has_a_module_of_its_own(torch):
    compiled = torch.compile(torch.nn.Linear(2, 2), backend="eager")
    copied = copy.deepcopy(compiled)
    copied.weight.data.zero_()
    assert type(copied) is type(compiled)
    assert compiled.weight.abs().sum() > 0


def test_a_module_compiles_in_place(torch):
    model = torch.nn.Linear(2, 2)
    assert model.compile(backend="eager") is None
    assert model(torch.ones(1, 2)).shape == (1, 2)


def test_what_is_switched_off_is_the_thing_itself(torch):
    model = torch.nn.Linear(2, 2)
    assert torch.compile(model, disable=True) is model
    assert torch.compiler.disable(len) is not None
    assert not torch.compiler.is_compiling()


def test_the_older_address_of_what_marks_functions(torch):
    @torch._dynamo.disable
    def half(x):
        return x / 2

    assert half(torch.ones(1)).item() == 0.5
    assert torch._dynamo.disable(half, recursive=False)(torch.ones(1)).item() == 0.5
    torch._dynamo.reset()


@pytest.mark.parametrize(
    "given, kind, message",
    [
        ({"mode": "fast"}, RuntimeError, "Unrecognized mode=fast, should be one of: default"),
        ({"mode": "default", "options": {"trace.enabled": True}}, RuntimeError, "Either mode or options can be spec"),
        ({"backend": "nope"}, RuntimeError, "Invalid backend: 'nope', see"),
    ],
)
def test_wrong_arguments_are_refused(torch, given, kind, message):
    with pytest.raises(kind, match=message):
        torch.compile(len, **given)


def test_what_cannot_be_called_is_refused(torch):
    with pytest.raises(AssertionError, match="A callable function is expected, but <class 'int'> is provided."):
        torch.compile(3)


def test_tensors_are_marked_by_attributes(torch):
    x = torch.ones(2, 3)
    torch._dynamo.mark_static_address(x)
    assert x._dynamo_static_input_type == "unguarded"
    torch._dynamo.mark_static_address(x, guard=True)
    assert x._dynamo_static_input_type == "guarded"
    torch._dynamo.mark_static(x, 1)
    torch._dynamo.mark_dynamic(x, [0])
    torch._dynamo.maybe_mark_dynamic(x, 0)
    assert (x._dynamo_static_indices, x._dynamo_dynamic_indices, x._dynamo_weak_dynamic_indices) == ({1}, {0}, {0})
    torch._dynamo.mark_static(x)
    assert x._dynamo_static_indices == {0, 1}
    with pytest.raises(TypeError, match="mark_static_address expects a tensor but received <class 'int'>"):
        torch._dynamo.mark_static_address(3)


def test_programs_ask_whether_a_module_is_compiled(torch):
    model = torch.nn.Linear(2, 2)
    compiled = torch.compile(model, backend="eager")
    kinds = [isinstance(each, torch._dynamo.eval_frame.OptimizedModule) for each in (model, compiled)]
    assert kinds == [False, True]
    assert issubclass(torch._dynamo.exc.Unsupported, torch._dynamo.exc.TorchDynamoException)
    assert torch._dynamo.list_backends() == ["cudagraphs", "inductor", "openxla", "tvm"]
    torch._dynamo.graph_break()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_positions_that_are_tensors_are_gathered(torch):
    place = import_module(f"{torch.__name__}._dynamo._trace_wrapped_higher_order_op")
    x = torch.arange(12.0).reshape(3, 4).clone().requires_grad_()
    row = torch.tensor(1)
    with place.TransformGetItemToIndex():
        chosen, sliced = x[row, 2], x[1:]
        assert x[row].tolist() == [4.0, 5.0, 6.0, 7.0]
        assert x[row, torch.tensor([0, 1])].tolist() == [4.0, 5.0]
    assert chosen._base is None
    assert sliced._base is x
    chosen.backward()
    assert x.grad.nonzero().tolist() == [[1, 2]]
