"""Hooks on tensors, on nodes, after accumulation and over several tensors: when they run, what they see and change."""

import copy
import threading

import pytest


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


def accumulator(torch, tensor):
    return torch.autograd.graph.get_gradient_edge(tensor).node


# --- tensor hooks -------------------------------------------------------------------------------------------------


def test_a_hook_sees_the_gradient(torch):
    x = leaf(torch, [1.0, 2.0])
    seen = []
    y = x * 3
    y.register_hook(lambda gradient: seen.append(gradient.tolist()))
    (y * 2).sum().backward()
    assert seen == [[2.0, 2.0]]
    assert x.grad.tolist() == [6.0, 6.0]


def test_what_a_hook_returns_replaces_the_gradient(torch):
    x = leaf(torch, [1.0, 2.0])
    x.register_hook(lambda gradient: gradient * 10)
    (x * 2).sum().backward()
    assert x.grad.tolist() == [20.0, 20.0]


def test_hooks_run_in_the_order_of_registration_each_on_the_result_of_the_last(torch):
    x = leaf(torch, 1.0)
    x.register_hook(lambda gradient: gradient + 1)
    x.register_hook(lambda gradient: None)
    x.register_hook(lambda gradient: gradient * 10)
    (x * 2).backward()
    assert x.grad.item() == 30.0


def test_a_hook_on_a_result_changes_everything_before_it(torch):
    x = leaf(torch, 2.0)
    y = x * x
    y.register_hook(lambda gradient: gradient * 0)
    (y + x).backward()
    assert x.grad.item() == 1.0


def test_a_hook_sees_the_sum_of_all_uses(torch):
    x = leaf(torch, 2.0)
    seen = []
    y = x * 1
    y.register_hook(lambda gradient: seen.append(gradient.item()))
    (y * 3 + y * 4).backward()
    assert seen == [7.0]


def test_a_hook_on_a_leaf_stays_for_every_backward(torch):
    x = leaf(torch, 2.0)
    seen = []
    x.register_hook(lambda gradient: seen.append(gradient.item()))
    (x * 3).backward()
    (x * 4).backward()
    assert seen == [3.0, 4.0]


def test_a_hook_on_the_root_sees_the_gradient_argument(torch):
    y = leaf(torch, [1.0, 2.0]) * 2
    seen = []
    y.register_hook(lambda gradient: seen.append(gradient.tolist()))
    y.backward(torch.tensor([5.0, 6.0]))
    assert seen == [[5.0, 6.0]]


def test_hooks_stay_with_the_grad_fn_they_were_registered_on(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x.clone()
    seen = []
    y.register_hook(lambda gradient: seen.append(("before", gradient.tolist())))
    y.mul_(2)
    y.register_hook(lambda gradient: seen.append(("after", gradient.tolist())))
    y.sum().backward()
    assert seen == [("after", [1.0, 1.0]), ("before", [2.0, 2.0])]


def test_removing_a_hook(torch):
    x = leaf(torch, 2.0)
    handle = x.register_hook(lambda gradient: gradient * 100)
    (x * 3).backward()
    handle.remove()
    (x * 3).backward()
    assert x.grad.item() == 303.0


def test_removing_a_hook_twice_is_harmless(torch):
    x = leaf(torch, 2.0)
    handle = x.register_hook(lambda gradient: gradient * 100)
    handle.remove()
    handle.remove()
    (x * 3).backward()
    assert x.grad.item() == 3.0


def test_a_handle_is_a_context(torch):
    x = leaf(torch, 2.0)
    with x.register_hook(lambda gradient: gradient * 100):
        (x * 3).backward()
    (x * 3).backward()
    assert x.grad.item() == 303.0


def test_a_hook_may_remove_another_while_backward_runs(torch):
    x = leaf(torch, 2.0)
    y = x * 1
    ran, handles = [], []
    y.register_hook(lambda gradient: handles[0].remove())
    handles.append(x.register_hook(lambda gradient: ran.append("removed")))
    x.register_hook(lambda gradient: ran.append("kept"))
    y.backward()
    handles[0].remove()
    assert ran == ["kept"]


def test_hooks_removed_within_their_own_round_still_finish_it(torch):
    x = leaf(torch, 2.0)
    ran, handles = [], []

    def first(gradient):
        ran.append("first")
        handles[0].remove()

    x.register_hook(first)
    handles.append(x.register_hook(lambda gradient: ran.append("second")))
    (x * 2).backward()
    (x * 2).backward()
    assert ran == ["first", "second", "first"]


def test_a_hook_may_remove_itself(torch):
    x = leaf(torch, 2.0)
    ran, handles = [], []

    def once(gradient):
        ran.append(gradient.item())
        handles[0].remove()

    handles.append(x.register_hook(once))
    (x * 2).backward()
    (x * 3).backward()
    assert ran == [2.0]


def test_a_hook_registered_by_a_hook_waits_for_the_next_backward(torch):
    x = leaf(torch, 2.0)
    ran = []

    def first(gradient):
        ran.append("first")
        if len(ran) == 1:
            x.register_hook(lambda gradient: ran.append("second"))

    x.register_hook(first)
    (x * 2).backward()
    (x * 2).backward()
    assert ran == ["first", "first", "second"]


def test_hooks_run_in_the_grad_mode_of_the_backward(torch):
    x = leaf(torch, 2.0)
    modes = []
    x.register_hook(lambda gradient: modes.append((torch.is_grad_enabled(), gradient.requires_grad)))
    (x**2).backward()
    torch.autograd.grad(x**2, x, create_graph=True)
    assert modes == [(False, False), (True, True)]


def test_a_hook_takes_part_in_higher_derivatives(torch):
    x = leaf(torch, 2.0)
    x.register_hook(lambda gradient: gradient * gradient)
    (first,) = torch.autograd.grad(x**2, x, create_graph=True)
    (second,) = torch.autograd.grad(first, first)
    assert (first.item(), second.item()) == (16.0, 1.0)
    y = x * 1
    y.register_hook(lambda gradient: gradient * gradient)
    (first,) = torch.autograd.grad(y**2, x, create_graph=True)
    assert first.item() == (4.0**2) ** 2


def test_a_tensor_without_gradient_takes_no_hook(torch):
    with pytest.raises(RuntimeError, match="^cannot register a hook on a tensor that doesn't require gradient"):
        torch.tensor(1.0).register_hook(print)


def test_a_hook_must_return_a_tensor_or_none(torch):
    x = leaf(torch, 1.0)
    x.register_hook(lambda gradient: 3)
    with pytest.raises(TypeError, match="^expected Variable, but hook returned 'int'"):
        (x * 2).backward()
    assert x.grad is None


def test_a_hook_may_not_change_the_shape_nor_the_dtype(torch):
    x = leaf(torch, [1.0, 2.0])

    def shorter(gradient):
        return gradient[:1]

    def wider(gradient):
        return gradient.double()

    with x.register_hook(shorter):
        with pytest.raises(RuntimeError, match="^hook 'shorter' has changed the size of value"):
            (x * 2).sum().backward()
    with x.register_hook(wider):
        with pytest.raises(
            RuntimeError,
            match=r"^hook 'wider' has changed the type of value \(was torch.FloatTensor got torch.DoubleTensor\)",
        ):
            (x * 2).sum().backward()
    assert x.grad is None


def test_an_exception_in_a_hook_comes_out_as_it_is(torch):
    x = leaf(torch, 1.0)

    def fail(gradient):
        raise ZeroDivisionError("in the hook")

    with x.register_hook(fail), pytest.raises(ZeroDivisionError, match="^in the hook$"):
        (x * 2).backward()
    assert x.grad is None


def test_register_hook_as_a_decorator(torch):
    x = leaf(torch, 1.0)
    seen = []

    @x.register_hook
    def handle(gradient):
        seen.append(gradient.item())

    (x * 2).backward()
    handle.remove()
    assert seen == [2.0]


# --- node hooks ---------------------------------------------------------------------------------------------------


def test_a_node_hook_sees_gradients_of_inputs_and_outputs(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    seen = []
    y = x * w
    y.grad_fn.register_hook(
        lambda inputs, outputs: seen.append(([part.item() for part in inputs], [part.item() for part in outputs]))
    )
    (y * 5).backward()
    assert seen == [([15.0, 10.0], [5.0])]


def test_a_node_hook_sees_none_where_no_gradient_was_needed(torch):
    x = leaf(torch, 2.0)
    seen = []
    y = x * torch.tensor(3.0)
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append([part is None for part in inputs]))
    y.backward()
    assert seen == [[False, True]]


def test_a_node_hook_may_replace_the_gradients_of_the_inputs(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    y = x * w
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 10, None))
    y.backward()
    assert x.grad.item() == 30.0 and w.grad is None


def test_a_node_prehook_may_replace_the_gradients_of_the_outputs(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 10,))
    y.backward()
    assert x.grad.item() == 30.0


def test_a_node_hook_returning_none_changes_nothing(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    y.grad_fn.register_prehook(lambda outputs: None)
    y.grad_fn.register_hook(lambda inputs, outputs: None)
    y.backward()
    assert x.grad.item() == 3.0


def test_node_hooks_must_return_a_tuple_of_the_right_length(torch):
    y = leaf(torch, 2.0) * 3
    with y.grad_fn.register_prehook(lambda outputs: 3):
        with pytest.raises(TypeError, match="^expected tuple, but hook returned 'int'"):
            y.backward(retain_graph=True)

    def doubled(outputs):
        return outputs * 2

    with y.grad_fn.register_prehook(doubled):
        with pytest.raises(
            RuntimeError,
            match=r"^hook 'doubled' has returned an incorrect number of values \(got 2, but expected 1\)",
        ):
            y.backward(retain_graph=True)


def test_node_hooks_can_be_removed_also_twice(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    before = y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 10,))
    after = y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 10, None))
    for handle in (before, after, before, after):
        handle.remove()
    y.backward()
    assert x.grad.item() == 3.0


def test_tensor_hooks_come_before_node_prehooks_whatever_was_registered_first(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    order = []
    y.grad_fn.register_prehook(lambda outputs: order.append("node before"))
    y.grad_fn.register_hook(lambda inputs, outputs: order.append("node after"))
    y.register_hook(lambda gradient: order.append("tensor"))
    x.register_hook(lambda gradient: order.append("leaf"))
    y.backward()
    assert order == ["tensor", "node before", "node after", "leaf"]


# --- the leaf -----------------------------------------------------------------------------------------------------


def test_the_order_at_a_leaf(torch):
    x = leaf(torch, [1.0, 2.0])
    order = []
    node = accumulator(torch, x)
    node.register_hook(lambda inputs, outputs: order.append(("node after", len(inputs), x.grad.tolist())))
    x.register_post_accumulate_grad_hook(lambda tensor: order.append(("accumulated", tensor.grad.tolist())))
    node.register_prehook(lambda outputs: order.append(("node before", x.grad)))
    x.register_hook(lambda gradient: order.append(("tensor", x.grad)))
    (x * 2).sum().backward()
    assert order == [
        ("tensor", None),
        ("node before", None),
        ("accumulated", [2.0, 2.0]),
        ("node after", 0, [2.0, 2.0]),
    ]


def test_a_prehook_of_the_accumulator_changes_what_is_accumulated(torch):
    x = leaf(torch, 1.0)
    node = accumulator(torch, x)
    node.register_prehook(lambda outputs: (outputs[0] * 10,))
    (x * 2).backward()
    assert x.grad.item() == 20.0


def test_autograd_grad_fires_tensor_hooks_of_its_inputs_and_not_their_nodes(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    ran = []
    for name, tensor in (("leaf", x), ("result", y)):
        node = accumulator(torch, tensor)
        tensor.register_hook(lambda gradient, name=name: ran.append((name, "tensor")) or gradient * 10)
        node.register_prehook(lambda outputs, name=name: ran.append((name, "node before")))
        node.register_hook(lambda inputs, outputs, name=name: ran.append((name, "node after")))
    x.register_post_accumulate_grad_hook(lambda tensor: ran.append(("leaf", "accumulated")))
    (by_result,) = torch.autograd.grad((y * 3).sum(), y, retain_graph=True)
    assert ran == [("result", "tensor")] and by_result.tolist() == [30.0, 30.0]
    ran.clear()
    (by_leaf,) = torch.autograd.grad((x * 3).sum(), x)
    assert ran == [("leaf", "tensor")] and by_leaf.tolist() == [30.0, 30.0]


def test_a_post_accumulate_hook_sees_the_sum_of_all_backwards(torch):
    x = leaf(torch, 1.0)
    seen = []
    handle = x.register_post_accumulate_grad_hook(lambda tensor: seen.append((tensor is x, tensor.grad.item())))
    (x * 2).backward()
    (x * 3).backward()
    handle.remove()
    (x * 4).backward()
    assert seen == [(True, 2.0), (True, 5.0)]


def test_an_optimizer_inside_the_backward(torch):
    weights = [leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])]

    def step(weight):
        with torch.no_grad():
            weight.sub_(weight.grad, alpha=0.5)
        weight.grad = None

    for weight in weights:
        weight.register_post_accumulate_grad_hook(step)
    (weights[0] * 2 + weights[1] * 4).sum().backward()
    assert [weight.tolist() for weight in weights] == [[0.0, 1.0], [1.0, 2.0]]
    assert weights[0].grad is None and weights[1].grad is None


def test_post_accumulate_hooks_belong_to_leaves(torch):
    x = leaf(torch, 1.0)
    with pytest.raises(RuntimeError, match="^post accumulate grad hooks cannot be registered on non-leaf tensors"):
        (x * 1).register_post_accumulate_grad_hook(print)
    with pytest.raises(RuntimeError, match="^cannot register a hook on a tensor that doesn't require gradient"):
        torch.tensor(1.0).register_post_accumulate_grad_hook(print)


# --- several tensors ----------------------------------------------------------------------------------------------


def test_a_multi_grad_hook_runs_once_when_all_gradients_are_there(torch):
    first, second, third = (leaf(torch, [value]) for value in (1.0, 2.0, 3.0))
    seen = []

    def record(gradients):
        seen.append([None if gradient is None else gradient.item() for gradient in gradients])

    handle = torch.autograd.graph.register_multi_grad_hook((first, second, third), record)
    (first * second).sum().backward()
    (first * second * third).sum().backward()
    handle.remove()
    handle.remove()
    (first * second * third).sum().backward()
    assert seen == [[2.0, 1.0, None], [6.0, 3.0, 2.0]]


def test_a_multi_grad_hook_over_intermediate_results(torch):
    x = leaf(torch, [1.0])
    double, triple = x * 2, x * 3
    seen = []
    torch.autograd.graph.register_multi_grad_hook(
        (double, triple), lambda gradients: seen.append([gradient is not None for gradient in gradients])
    )
    double.sum().backward(retain_graph=True)
    (double + triple).sum().backward()
    assert seen == [[True, False], [True, True]]


def test_a_multi_grad_hook_in_any_mode_runs_at_the_first_gradient(torch):
    first, second, third = (leaf(torch, [value]) for value in (1.0, 2.0, 3.0))
    seen = []
    handle = torch.autograd.graph.register_multi_grad_hook(
        (first, second, third), lambda gradient: seen.append(gradient.item()), mode="any"
    )
    third.sum().backward()
    (second * 5 + third * 5).sum().backward()
    handle.remove()
    (first * second).sum().backward()
    assert seen == [1.0, 5.0]


def test_a_multi_grad_hook_counts_anew_after_an_exception(torch):
    first, second = leaf(torch, 1.0), leaf(torch, 2.0)
    rounds = []

    def fail_once(gradients):
        rounds.append(len(gradients))
        if len(rounds) == 1:
            raise ValueError("first round")

    torch.autograd.graph.register_multi_grad_hook((first, second), fail_once)
    with pytest.raises(ValueError, match="^first round$"):
        (first * second).backward()
    (first * second).backward()
    assert rounds == [2, 2]


@pytest.mark.parametrize("mode", ["all", "any"])
def test_a_multi_grad_hook_counts_per_thread(torch, mode):
    first, second = leaf(torch, 1.0), leaf(torch, 2.0)
    calls, failures = [], []
    barrier = threading.Barrier(2, timeout=20)
    torch.autograd.graph.register_multi_grad_hook((first, second), lambda gradients: calls.append(1), mode=mode)

    def meet(gradient):
        barrier.wait()

    def program():
        try:
            product = first * second
            product.register_hook(meet)
            product.backward()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=program) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert failures == [] and len(calls) == 2


def test_an_unknown_mode_is_refused(torch):
    with pytest.raises(ValueError, match=r"^Expects mode to be one of \('all', 'any'\) but got some"):
        torch.autograd.graph.register_multi_grad_hook((leaf(torch, 1.0),), print, mode="some")


def test_hooks_are_called_again_after_a_time_without_gradients(torch):
    x = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    called = []
    x.register_hook(lambda gradient: called.append("of the tensor"))
    handle = x.register_post_accumulate_grad_hook(lambda tensor: called.append("after accumulation"))
    node = accumulator(torch, x)
    x.requires_grad_(False)
    copied = copy.deepcopy(x).requires_grad_()
    copied.sum().backward()
    assert called == []
    x.data = torch.tensor([3.0, 4.0])
    x.requires_grad = True
    assert accumulator(torch, x) is node
    (x * x).sum().backward()
    assert called == ["of the tensor", "after accumulation"]
    assert x.grad.tolist() == [6.0, 8.0]
    x.requires_grad = False
    handle.remove()
    x.requires_grad = True
    (x * x).sum().backward()
    assert called == ["of the tensor", "after accumulation", "of the tensor"]
    assert x.grad.tolist() == [12.0, 16.0]
