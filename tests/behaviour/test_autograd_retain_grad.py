"""`retain_grad`: the gradient of an intermediate result, as the program sees it."""

import gc
import weakref

import pytest


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


def test_an_intermediate_result_keeps_no_gradient_and_says_so(torch):
    y = leaf(torch, 2.0) * 3
    y.backward()
    with pytest.warns(UserWarning, match="^The .grad attribute of a Tensor that is not a leaf Tensor is being"):
        assert y.grad is None


def test_retain_grad_keeps_the_gradient_and_silences_the_warning(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.retain_grad()
    assert y.retains_grad and y.grad is None
    (y * 5).backward()
    assert y.grad.item() == 5.0 and x.grad.item() == 15.0


def test_retain_grad_of_a_leaf_does_nothing(torch):
    x = leaf(torch, 2.0)
    x.retain_grad()
    (x * 3).backward()
    assert not x.retains_grad and x.grad.item() == 3.0


def test_retain_grad_needs_a_gradient(torch):
    with pytest.raises(RuntimeError, match="^can't retain_grad on Tensor that has requires_grad=False"):
        torch.tensor(1.0).retain_grad()


def test_asking_twice_counts_once_and_backwards_add_up(torch):
    y = leaf(torch, 2.0) * 2
    y.retain_grad()
    y.retain_grad()
    z = y * 3
    z.backward(retain_graph=True)
    z.backward()
    assert y.grad.item() == 6.0


def test_the_root_of_a_backward_may_retain(torch):
    y = leaf(torch, [2.0, 3.0]) * 2
    y.retain_grad()
    given = torch.tensor([1.0, 10.0])
    y.backward(given)
    assert y.grad.tolist() == [1.0, 10.0]
    y.grad.add_(1)
    assert given.tolist() == [1.0, 10.0]


def test_it_sees_what_tensor_hooks_made_of_the_gradient_later_ones_too(torch):
    y = leaf(torch, 2.0) * 2
    y.register_hook(lambda gradient: gradient + 1)
    y.retain_grad()
    y.register_hook(lambda gradient: gradient * 10)
    (y * 3).backward()
    assert y.grad.item() == 40.0


def test_it_does_not_see_node_prehooks(torch):
    x = leaf(torch, 2.0)
    y = x * 2
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 100,))
    y.retain_grad()
    y.backward()
    assert (y.grad.item(), x.grad.item()) == (1.0, 200.0)


def test_it_follows_the_tensor_to_its_newest_grad_fn(torch):
    x = leaf(torch, 2.0)
    y = x * 2
    y.retain_grad()
    before = y * 3
    y.mul_(7)
    after = y * 11
    (before + after).backward()
    assert y.retains_grad
    assert (y.grad.item(), x.grad.item()) == (11.0, 160.0)


def test_it_follows_a_base_that_is_written_through_a_view(torch):
    y = leaf(torch, [2.0, 3.0]) * 2
    y.retain_grad()
    view = y[:1]
    view.mul_(7)
    (y * 5).sum().backward()
    assert y.grad.tolist() == [5.0, 5.0]
    assert not view.retains_grad


@pytest.mark.parametrize("write", ["view", "base"])
def test_it_follows_a_view_that_is_rewritten(torch, write):
    y = leaf(torch, [2.0, 3.0]) * 2
    view = y[:1]
    view.retain_grad()
    (view if write == "view" else y).mul_(7)
    (view * 5).sum().backward()
    assert view.retains_grad and view.grad.tolist() == [5.0]


def test_hooks_and_retained_gradient_part_ways_after_an_in_place_write(torch):
    y = leaf(torch, 2.0) * 2
    seen = []
    y.register_hook(lambda gradient: seen.append(gradient.item()))
    y.retain_grad()
    y.mul_(7)
    y.backward()
    assert y.grad.item() == 1.0 and seen == [7.0]


def test_autograd_grad_fills_retained_gradients_on_its_way(torch):
    x = leaf(torch, 2.0)
    y = x * 2
    y.retain_grad()
    by_x, by_y = torch.autograd.grad(y * 3, [x, y])
    assert (by_x.item(), by_y.item(), y.grad.item()) == (6.0, 3.0, 3.0)
    assert x.grad is None


def test_an_input_of_backward_that_retains_is_counted_once(torch):
    y = leaf(torch, 2.0) * 2
    y.retain_grad()
    (y * 3).backward(inputs=[y])
    assert y.grad.item() == 3.0


def test_with_create_graph_the_retained_gradient_has_history(torch):
    x = leaf(torch, 2.0)
    y = x * 2
    y.retain_grad()
    torch.autograd.grad(y**3, x, create_graph=True)
    retained, y.grad = y.grad, None
    (second,) = torch.autograd.grad(retained, x)
    assert (retained.item(), second.item()) == (48.0, 48.0)


def test_retaining_does_not_keep_the_tensor_alive(torch):
    x = leaf(torch, 2.0)
    y = x * 2
    y.retain_grad()
    z = y * 3
    gone = weakref.ref(y)
    enabled = gc.isenabled()
    gc.disable()
    try:
        del y
        assert gone() is None
    finally:
        if enabled:
            gc.enable()
    z.backward()
    assert x.grad.item() == 6.0


def test_every_layer_of_a_chain_may_retain(torch):
    values = [leaf(torch, 1.0)]
    for _ in range(4):
        values.append(values[-1] * 2)
        values[-1].retain_grad()
    values[-1].backward()
    assert [value.grad.item() for value in values] == [16.0, 8.0, 4.0, 2.0, 1.0]
