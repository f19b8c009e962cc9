"""Names under which autograd is reached, the legacy `Variable`, and the smaller tools of `autograd.graph`."""

import importlib

import pytest


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


@pytest.mark.parametrize("name", ["no_grad", "enable_grad", "set_grad_enabled", "inference_mode"])
def test_grad_modes_are_the_same_under_all_their_names(torch, name):
    assert getattr(torch.autograd, name) is getattr(torch, name)
    assert getattr(torch.autograd.grad_mode, name) is getattr(torch, name)


@pytest.mark.parametrize("module", ["autograd", "autograd.function", "autograd.graph", "autograd.grad_mode"])
def test_modules_can_be_imported_by_name(torch, module):
    imported = importlib.import_module(f"{torch.__name__}.{module}")
    assert imported is importlib.import_module(f"{torch.__name__}.{module}")


def test_function_has_one_class(torch):
    module = importlib.import_module(f"{torch.__name__}.autograd.function")
    assert module.Function is torch.autograd.Function


def test_a_variable_is_a_tensor(torch):
    memory = torch.tensor([1.0, 2.0])
    variable = torch.autograd.Variable(memory, requires_grad=True)
    assert isinstance(memory, torch.autograd.Variable) and isinstance(variable, torch.Tensor)
    assert variable.requires_grad and not memory.requires_grad
    assert variable.data_ptr() == memory.data_ptr()
    assert not torch.autograd.Variable(memory).requires_grad


def test_a_program_from_before_tensors_and_variables_were_one(torch):
    x = torch.autograd.Variable(torch.FloatTensor([[1, 2, 3, 4]]), requires_grad=True)
    loss = (2 * x).sum(dim=1)
    loss.backward()
    assert x.grad.data.tolist() == [[2.0, 2.0, 2.0, 2.0]]


def test_a_write_that_the_library_cannot_see_can_be_reported(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x.exp()
    y.detach().numpy()[:] = 0
    torch.autograd.graph.increment_version(y)
    assert y._version == 1
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.sum().backward()


def test_several_writes_can_be_reported_at_once(torch):
    first, second = torch.ones(2), torch.ones(3)
    torch.autograd.graph.increment_version([first, second])
    assert (first._version, second._version) == (1, 1)


def test_saved_tensors_may_be_changed_where_the_program_says_so(torch):
    x = leaf(torch, [1.0, 2.0])
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        hidden = x.clone()
        y = hidden * hidden
        hidden.zero_()
        y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0] and hidden.tolist() == [0.0, 0.0]


def test_contexts_that_allow_changes_do_not_nest(torch):
    allow = torch.autograd.graph.allow_mutation_on_saved_tensors
    with (
        allow(),
        pytest.raises(RuntimeError, match="^allow_mutation_on_saved_tensors contexts cannot be nested"),
        allow(),
    ):
        pass


def test_multithreading_can_be_switched_off(torch):
    x = leaf(torch, 2.0)
    with torch.autograd.set_multithreading_enabled(False):
        (x * x).backward()
    assert x.grad.item() == 4.0
