"""The saved tensors of a custom function, one by one: `grad_fn._raw_saved_tensors`, and hooks on each."""

import pytest


def saving_three(torch, x):
    """Returns `sin(x)` by a function that saves its input, None and its output."""

    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = x.sin()
            ctx.save_for_backward(x, None, result)
            return result

        @staticmethod
        def backward(ctx, gradient):
            x, nothing, result = ctx.saved_tensors
            assert nothing is None and result.requires_grad
            return gradient * (x + 100 * result)

    return Sine.apply(x)


def test_hooks_pack_the_saved_tensors_of_a_function(torch):
    x = torch.tensor([0.0, 2.0], requires_grad=True)
    y = saving_three(torch, x)
    saved = y.grad_fn._raw_saved_tensors
    assert len(saved) == 3 and all(isinstance(each, torch.autograd.SavedTensor) for each in saved)
    packed = []
    for position in (0, 2):
        saved[position].register_hooks(lambda tensor: packed.append(tensor.tolist()), lambda _: torch.ones(2))
    y.sum().backward()
    assert packed == [[0.0, 2.0], y.tolist()]
    assert x.grad.tolist() == [101.0, 101.0]


def test_hooks_on_nothing_on_the_same_twice_and_after_backward_are_refused(torch):
    x = torch.tensor([0.0, 2.0], requires_grad=True)
    y = saving_three(torch, x)
    first, nothing, _ = y.grad_fn._raw_saved_tensors
    with pytest.raises(RuntimeError, match="a saved tensor with value None is forbidden"):
        nothing.register_hooks(lambda x: x, lambda x: x)
    first.register_hooks(lambda x: x, lambda x: x)
    with pytest.raises(RuntimeError, match="whose hooks have already been set"):
        first.register_hooks(lambda x: x, lambda x: x)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        _ = y.grad_fn._raw_saved_tensors


@pytest.mark.parametrize("hooks", [(abs,), (1, 1), ()], ids=["one", "numbers", "none"])
def test_anything_but_two_functions_is_refused(torch, hooks):
    x = torch.tensor([0.0, 2.0], requires_grad=True)
    for saved in (saving_three(torch, x).grad_fn._raw_saved_tensors[0], (x * x).grad_fn._raw_saved_self):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            saved.register_hooks(*hooks)
