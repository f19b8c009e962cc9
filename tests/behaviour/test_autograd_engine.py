"""Asking for gradients: every argument of `backward`, what flows where and when, and what is refused."""

import re

import pytest


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


# --- backward -----------------------------------------------------------------------------------------------------


def test_backward_of_a_scalar_starts_from_one(torch):
    x = leaf(torch, 3.0)
    (x * x).backward()
    assert x.grad.item() == 6.0


def test_backward_of_one_element_in_any_number_of_dimensions_needs_no_gradient(torch):
    x = leaf(torch, [[3.0]])
    (x * x).backward()
    assert x.grad.tolist() == [[6.0]]


def test_backward_of_a_leaf_itself_gives_one(torch):
    x = leaf(torch, 3.0)
    x.backward()
    assert x.grad.item() == 1.0


def test_the_gradient_argument_weighs_each_output(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    (x * x).backward(torch.tensor([1.0, 10.0, 100.0]))
    assert x.grad.tolist() == [2.0, 40.0, 600.0]


def test_the_gradient_argument_is_cast_to_the_dtype_of_the_output(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * 2).backward(torch.tensor([1, 3]))
    assert x.grad.tolist() == [2.0, 6.0]
    (x * 2).backward(torch.tensor([1.0, 1.0], dtype=torch.float64))
    assert x.grad.dtype == torch.float32
    assert x.grad.tolist() == [4.0, 8.0]


def test_backward_takes_its_arguments_by_position(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * x
    y.backward(torch.tensor([1.0, 1.0]), True)
    y.backward(torch.tensor([1.0, 1.0]), False)
    assert x.grad.tolist() == [4.0, 8.0]


def test_a_vector_without_gradient_argument_is_refused(torch):
    x = leaf(torch, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="^grad can be implicitly created only for scalar outputs"):
        (x * 2).backward()
    assert x.grad is None


def test_a_complex_scalar_without_gradient_argument_is_refused(torch):
    x = leaf(torch, [1.0, 2.0])
    with pytest.raises(
        RuntimeError, match="^grad can be implicitly created only for real scalar outputs but got torch.complex64"
    ):
        (x * 1j).sum().backward()


@pytest.mark.parametrize("shape", [[], [1]])
def test_a_gradient_of_another_shape_is_refused_and_leaves_grad_alone(torch, shape):
    x = leaf(torch, [1.0, 2.0])
    y = (x * 2).sum().reshape(shape)
    message = (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of "
        f"torch.Size({shape})."
    )
    with pytest.raises(RuntimeError, match="^" + re.escape(message)):
        y.backward(torch.tensor([1.0, 1.0, 1.0]))
    assert x.grad is None
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_complex_gradient_for_a_real_output_is_refused(torch):
    x = leaf(torch, [1.0, 2.0])
    with pytest.raises(
        RuntimeError, match="^For complex Tensors, both grad_output and output are required to have the same dtype"
    ):
        (x * 2).backward(torch.tensor([1.0 + 0j, 2.0]))


def test_a_list_of_numbers_is_not_a_gradient(torch):
    x = leaf(torch, [1.0, 2.0])
    with pytest.raises(TypeError, match="^gradients can be either Tensors or None, but got float"):
        (x * 2).backward([1.0, 2.0])


def test_a_result_that_does_not_require_grad_has_no_backward(torch):
    with pytest.raises(RuntimeError, match="^element 0 of tensors does not require grad and does not have a grad_fn"):
        torch.tensor([1.0]).backward()


def test_the_element_without_grad_is_named_by_its_position(torch):
    x = leaf(torch, 1.0)
    with pytest.raises(RuntimeError, match="^element 1 of tensors does not require grad and does not have a grad_fn"):
        torch.autograd.backward([x * 2, torch.tensor(1.0)])


def test_backward_of_several_tensors_adds_up(torch):
    x = leaf(torch, 2.0)
    torch.autograd.backward([x * 3, x * x])
    assert x.grad.item() == 7.0


def test_backward_of_several_tensors_takes_one_gradient_each_and_none_for_scalars(torch):
    x = leaf(torch, [1.0, 2.0])
    torch.autograd.backward([x * 3, x.sum()], [torch.tensor([1.0, 10.0]), None])
    assert x.grad.tolist() == [4.0, 31.0]


def test_gradients_and_tensors_must_be_equally_many(torch):
    x = leaf(torch, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="^got 2 tensors and 1 gradients"):
        torch.autograd.backward([x.sum(), x.sum()], [torch.tensor(1.0)])


def test_backward_of_no_tensors_does_nothing(torch):
    assert torch.autograd.backward([]) is None


def test_the_old_name_of_grad_tensors_still_works_and_warns(torch):
    x = leaf(torch, 2.0)
    with pytest.warns(FutureWarning, match="^`grad_variables` is deprecated. Use `grad_tensors` instead."):
        torch.autograd.backward([x * x], grad_variables=[torch.tensor(10.0)])
    assert x.grad.item() == 40.0


# --- retain_graph and create_graph --------------------------------------------------------------------------------


def test_a_second_backward_through_freed_values_is_refused(torch):
    x = leaf(torch, 2.0)
    y = x * x
    y.backward()
    with pytest.raises(
        RuntimeError,
        match=r"^Trying to backward through the graph a second time \(or directly access saved tensors after they "
        r"have already been freed\)",
    ):
        y.backward()
    assert x.grad.item() == 4.0


def test_retain_graph_allows_a_second_backward_and_gradients_add_up(torch):
    x = leaf(torch, 2.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 8.0


def test_a_second_backward_is_fine_where_nothing_was_saved(torch):
    x = leaf(torch, [1.0, 2.0])
    y = (x + 1).sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_freeing_one_branch_leaves_the_other_usable(torch):
    x = leaf(torch, 2.0)
    square, cube = x * x, x**3
    square.backward()
    cube.backward()
    assert x.grad.item() == 16.0


def test_a_shared_part_is_freed_by_the_first_of_two_losses(torch):
    x = leaf(torch, 2.0)
    shared = x.exp()
    first, second = shared * 2, shared * 3
    first.backward()
    with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
        second.backward()


def test_two_losses_with_retain_graph_equal_their_sum(torch):
    w = leaf(torch, [1.0, -2.0])
    hidden = w * w
    first, second = (hidden * 3).sum(), (hidden * hidden).sum()
    first.backward(retain_graph=True)
    second.backward()
    separately = w.grad.clone()
    w.grad = None
    hidden = w * w
    ((hidden * 3).sum() + (hidden * hidden).sum()).backward()
    assert separately.tolist() == w.grad.tolist() == [10.0, -44.0]


STRAIGHT = ("relu(x)", "relu6(x)", "leaky_relu(x, 0.1)", "hardtanh(x)", "threshold(x, 0.1, 2.0)", "rrelu(x)")
STRAIGHT += ("hardshrink(x)", "softshrink(x)", "relu(x.half())", "prelu(x, slope)", "relu_(x.clone())")


@pytest.mark.parametrize("call", STRAIGHT)
@pytest.mark.parametrize("retained", [False, True])
def test_a_slope_that_changes_in_steps_leads_back_to_where_it_is_flat(torch, leaf, call, retained):
    x = leaf([-1.5, 0.05, 2.0])
    y = eval(f"F.{call}", {"F": torch.nn.functional, "x": x, "slope": torch.tensor([0.25])})
    if retained:
        y.retain_grad()  # the pass looks for more than backward functions
    (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert slope.requires_grad and slope.grad_fn is not None
    (3 * slope).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_create_graph_makes_a_gradient_that_can_be_differentiated(torch):
    x = leaf(torch, 2.0)
    (first,) = torch.autograd.grad(x**3, x, create_graph=True)
    assert first.requires_grad and first.grad_fn is not None
    (second,) = torch.autograd.grad(first, x, create_graph=True)
    (third,) = torch.autograd.grad(second, x)
    assert (first.item(), second.item(), third.item()) == (12.0, 12.0, 6.0)
    assert not third.requires_grad


def test_without_create_graph_the_gradient_is_a_plain_tensor(torch):
    x = leaf(torch, 2.0)
    (gradient,) = torch.autograd.grad(x**3, x)
    assert not gradient.requires_grad and gradient.grad_fn is None


def test_create_graph_keeps_the_graph_unless_told_otherwise(torch):
    x = leaf(torch, 2.0)
    y = x * x
    torch.autograd.grad(y, x, create_graph=True)
    torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
    with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
        torch.autograd.grad(y, x)


def test_backward_with_create_graph_warns_and_leaves_a_gradient_with_history(torch):
    x = leaf(torch, 2.0)
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)  # PyTorch warns once otherwise
    try:
        with pytest.warns(
            UserWarning, match=r"^Using backward\(\) with create_graph=True will create a reference cycle"
        ):
            (x**3).backward(create_graph=True)
    finally:
        torch.set_warn_always(always)
    assert x.grad.requires_grad
    (second,) = torch.autograd.grad(x.grad, x)
    assert second.item() == 12.0
    x.grad = None


def test_the_gradient_argument_takes_part_in_the_graph(torch):
    x, weight = leaf(torch, 3.0), leaf(torch, 5.0)
    (gradient,) = torch.autograd.grad(x * x, x, weight, create_graph=True)
    by_weight, by_x = torch.autograd.grad(gradient, [weight, x])
    assert (by_weight.item(), by_x.item()) == (6.0, 10.0)


def test_the_gradient_argument_may_require_grad_without_create_graph(torch):
    x, weight = leaf(torch, 3.0), leaf(torch, 5.0)
    (gradient,) = torch.autograd.grad(x * x, x, weight)
    assert gradient.item() == 30.0 and not gradient.requires_grad


def test_a_gradient_penalty_reaches_the_weights(torch):
    w = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    x = leaf(torch, [1.0, 1.0])
    score = (w @ x).sum()
    (slope,) = torch.autograd.grad(score, x, create_graph=True)
    (slope.pow(2).sum()).backward()
    assert slope.tolist() == [4.0, 6.0]
    assert w.grad.tolist() == [[8.0, 12.0], [8.0, 12.0]]


def test_a_hessian_vector_product_by_two_gradients(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    vector = torch.tensor([1.0, 0.0, -1.0])
    (slope,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (product,) = torch.autograd.grad(slope @ vector, x)
    assert product.tolist() == [6.0, 0.0, -18.0]


def test_a_whole_hessian_row_by_row(torch):
    x = leaf(torch, [2.0, 3.0])
    (slope,) = torch.autograd.grad(x[0] ** 2 * x[1], x, create_graph=True)
    rows = [torch.autograd.grad(slope[row], x, retain_graph=True)[0].tolist() for row in range(2)]
    assert rows == [[6.0, 4.0], [4.0, 0.0]]


def test_first_order_and_second_order_backward_agree(torch):
    x = leaf(torch, [0.5, -1.5])
    y = (x.sin() * x.exp()).sum()
    (plain,) = torch.autograd.grad(y, x, retain_graph=True)
    (recorded,) = torch.autograd.grad(y, x, create_graph=True)
    assert plain.tolist() == recorded.tolist()


# --- inputs -------------------------------------------------------------------------------------------------------


def test_inputs_restricts_which_leaves_accumulate(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    (x * w).backward(inputs=[w])
    assert x.grad is None
    assert w.grad.item() == 2.0


def test_inputs_may_be_one_tensor(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    (x * w).backward(inputs=w)
    assert x.grad is None and w.grad.item() == 2.0


def test_inputs_may_be_intermediate_results_which_then_get_a_grad(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 3
    (y * 2).sum().backward(inputs=[y])
    assert y.grad.tolist() == [2.0, 2.0]
    assert x.grad is None


def test_inputs_out_of_reach_stay_without_grad(torch):
    x, elsewhere = leaf(torch, 2.0), leaf(torch, 3.0)
    (x * x).backward(inputs=[elsewhere])
    assert elsewhere.grad is None and x.grad is None


def test_empty_inputs_are_refused(torch):
    x = leaf(torch, 2.0)
    with pytest.raises(RuntimeError, match=r"^`inputs` argument to `backward\(\)` cannot be empty."):
        (x * x).backward(inputs=[])
    with pytest.raises(RuntimeError, match=r"^`inputs` argument to `grad\(\)` cannot be empty."):
        torch.autograd.grad(x * x, [])


def test_what_lies_behind_the_inputs_does_not_run(torch):
    x = leaf(torch, 2.0)
    y = x.exp()
    z = y.sin()
    ran = []
    y.grad_fn.register_hook(lambda *_: ran.append("exp"))
    z.grad_fn.register_hook(lambda *_: ran.append("sin"))
    torch.autograd.grad(z, y)
    assert ran == ["sin"]


def test_branches_that_do_not_lead_to_the_inputs_do_not_run(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    wanted, other = x.exp(), w.sin()
    ran = []
    wanted.grad_fn.register_hook(lambda *_: ran.append("exp"))
    other.grad_fn.register_hook(lambda *_: ran.append("sin"))
    torch.autograd.grad(wanted * other, x)
    assert ran == ["exp"]


def test_a_branch_that_did_not_run_keeps_its_saved_values(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    other = w * w
    (x * other).backward(inputs=[x])
    other.backward()
    assert w.grad.item() == 6.0


# --- what flows ---------------------------------------------------------------------------------------------------


def test_a_value_used_twice_receives_the_sum(torch):
    x = leaf(torch, 3.0)
    y = x * 2
    (y * y + y).backward()
    assert x.grad.item() == 26.0


def test_broadcasting_is_undone_in_the_gradient(torch):
    column, row, number = torch.ones(2, 1, requires_grad=True), torch.ones(3, requires_grad=True), leaf(torch, 1.0)
    (column * row + number).sum().backward()
    assert column.grad.tolist() == [[3.0], [3.0]]
    assert row.grad.tolist() == [2.0, 2.0, 2.0]
    assert number.grad.item() == 6.0


def test_gradients_have_the_dtype_of_their_input(torch):
    half = torch.ones(2, dtype=torch.float16, requires_grad=True)
    double = torch.ones(2, dtype=torch.float64, requires_grad=True)
    (half * double).sum().backward()
    assert half.grad.dtype == torch.float16 and double.grad.dtype == torch.float64


def test_integers_take_part_and_receive_nothing(torch):
    x, count = leaf(torch, [1.0, 2.0]), torch.tensor([3, 4])
    (x * count).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0] and count.grad is None


def test_detach_cuts_the_path(torch):
    x = leaf(torch, 3.0)
    (x * x.detach()).backward()
    assert x.grad.item() == 3.0


def test_an_index_that_was_read_twice_collects_twice(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    x[[0, 0, 2]].sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 1.0]


def test_the_gradient_of_a_real_input_under_a_complex_product_is_real(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * torch.tensor([1.0 + 2.0j, 3.0 - 1.0j])
    (y * y.conj()).real.sum().backward()
    assert x.grad.dtype == torch.float32
    assert x.grad.tolist() == [10.0, 40.0]


def test_complex_gradients_are_the_conjugate_ones(torch):
    z = leaf(torch, [1.0 + 2.0j])
    (z * z.conj()).real.sum().backward()
    assert z.grad.tolist() == [2.0 + 4.0j]


def test_the_newest_node_runs_first(torch):
    x = leaf(torch, 2.0)
    ran = []
    older, newer = x.exp(), x.sin()
    for name, result in (("exp", older), ("sin", newer)):
        result.grad_fn.register_hook(lambda *_, name=name: ran.append(name))
    (older + newer).backward()
    assert ran == ["sin", "exp"]


def test_a_leaf_accumulates_as_soon_as_its_gradient_is_complete(torch):
    parameter, x = leaf(torch, 1.0), leaf(torch, 2.0)
    ran = []
    branch = x.exp()
    branch.grad_fn.register_hook(lambda *_: ran.append("exp"))
    parameter.register_post_accumulate_grad_hook(lambda _: ran.append("parameter"))
    (branch + parameter).backward()
    assert ran == ["parameter", "exp"]


def test_a_node_waits_for_all_its_gradients(torch):
    x = leaf(torch, 2.0)
    shared = x * 3
    long_way = shared.exp().log()
    seen = []
    shared.grad_fn.register_prehook(lambda gradients: seen.append(round(gradients[0].item(), 4)))
    (long_way + shared).backward()
    assert seen == [2.0]


def test_an_exception_in_backward_reaches_the_caller_and_the_engine_recovers(torch):
    x = leaf(torch, 2.0)
    y = x.exp()
    handle = y.register_hook(lambda gradient: {}["missing"])
    with pytest.raises(KeyError, match="missing"):
        y.backward(retain_graph=True)
    handle.remove()
    assert x.grad is None
    (x * x).backward()
    assert x.grad.item() == 4.0


# --- the fields a program sets ------------------------------------------------------------------------------------


def test_a_leaf_has_no_grad_fn_and_a_result_has(torch):
    x, constant = leaf(torch, 2.0), torch.tensor(3.0)
    y = x * constant
    assert (x.is_leaf, x.requires_grad, x.grad, x.grad_fn) == (True, True, None, None)
    assert (constant.is_leaf, constant.requires_grad) == (True, False)
    assert (y.is_leaf, y.requires_grad, y.grad_fn.name()) == (False, True, "MulBackward0")
    assert (constant * 2).is_leaf


def test_requires_grad_of_a_result_cannot_be_changed(torch):
    y = leaf(torch, 2.0) * 2
    with pytest.raises(RuntimeError, match="^you can only change requires_grad flags of leaf variables."):
        y.requires_grad = False
    with pytest.raises(RuntimeError, match="^you can only change requires_grad flags of leaf variables."):
        y.requires_grad_(False)


def test_integers_cannot_require_grad(torch):
    with pytest.raises(RuntimeError, match="^Only Tensors of floating point and complex dtype can require gradients"):
        torch.tensor(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="^only Tensors of floating point and complex dtype can require gradients"):
        torch.tensor(1).requires_grad = True
    with pytest.raises(RuntimeError, match="^only Tensors of floating point dtype can require gradients"):
        torch.tensor([1]).requires_grad_()


def test_freezing_and_thawing_a_leaf(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    w.requires_grad = False
    (x * w).backward()
    assert w.grad is None and x.grad.item() == 3.0
    w.requires_grad_()
    (x * w).backward()
    assert w.grad.item() == 2.0


def test_grad_must_have_the_size_of_its_tensor(torch):
    x = leaf(torch, [1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"^attempting to assign a gradient of size '\[1\]' to a tensor of size"):
        x.grad = torch.tensor([1.0])
    assert x.grad is None


def test_grad_must_have_the_dtype_of_its_tensor(torch):
    x = leaf(torch, [1.0, 2.0])
    with pytest.raises(
        RuntimeError, match="^attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype 'Float'"
    ):
        x.grad = torch.tensor([1.0, 2.0], dtype=torch.float64)


def test_grad_must_be_a_tensor_or_none_and_not_the_tensor_itself(torch):
    x = leaf(torch, [1.0, 2.0])
    with pytest.raises(TypeError, match="^assigned grad expected to be a Tensor or None but got grad of type int"):
        x.grad = 3
    with pytest.raises(RuntimeError, match="^can't assign Variable as its own grad"):
        x.grad = x
    x.grad = torch.tensor([5.0, 6.0])
    x.grad = None
    assert x.grad is None


# ---- what programs ask about the pass under way


def test_passes_are_numbered(torch):
    names = getattr(torch, "_C")  # noqa: B009
    numbers = []
    x = torch.ones(2, requires_grad=True)
    for _ in range(2):
        y = x * 2
        y.register_hook(lambda g: numbers.append(names._current_graph_task_id()))
        y.sum().backward()
    assert numbers[1] > numbers[0] >= 0 and names._current_graph_task_id() == -1


def test_a_pass_says_which_nodes_it_runs(torch):
    executes = getattr(torch, "_C")._will_engine_execute_node  # noqa: B009
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    product = a * b
    apart = product.cos()
    leaves = [a.clone().grad_fn.next_functions[0][0], b.clone().grad_fn.next_functions[0][0]]
    seen = []
    product.register_hook(lambda g: seen.append([executes(node) for node in (*leaves, apart.grad_fn)]))
    out = product.sum()
    torch.autograd.backward(out, inputs=(a,), retain_graph=True)
    out.backward()
    assert seen == [[True, False, False], [True, True, False]]
    with pytest.raises(RuntimeError, match="should only be called during the backward pass"):
        executes(out.grad_fn)


def test_disabled_hooks_are_reported(torch):
    names = getattr(torch, "_C")._autograd  # noqa: B009
    assert names._saved_tensors_hooks_is_enabled() is True
    with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        assert names._saved_tensors_hooks_is_enabled() is False
        assert names._saved_tensors_hooks_get_disabled_error_message() == "not here"
    assert names._saved_tensors_hooks_get_disabled_error_message() is None


def test_nodes_of_leaves_have_a_class_of_their_own(torch):
    names = getattr(torch, "_C")  # noqa: B009
    leaf = torch.ones(2, requires_grad=True).clone().grad_fn.next_functions[0][0]
    assert type(leaf) is names._functions.AccumulateGrad
    kept = torch.ones(2)
    weak = names._WeakTensorRef(kept)
    assert weak.expired() is False
    del kept
    assert weak.expired() is True


def test_a_graph_can_be_made_to_end_in_an_error(torch):
    functions = getattr(torch, "_C")._functions  # noqa: B009
    x = torch.ones(2, requires_grad=True)
    y, z = functions.DelayedError("no further", 2)(x, x.detach())
    assert y.tolist() == [1.0, 1.0] and type(y.grad_fn).__name__ == type(z.grad_fn).__name__ == "Error"
    with pytest.raises(RuntimeError, match="^no further$"):
        y.sum().backward()


def test_a_graph_can_be_made_to_send_no_gradient(torch):
    functions = getattr(torch, "_C")._functions  # noqa: B009
    x = torch.ones(2, requires_grad=True)
    functions.UndefinedGrad()(x).sum().backward()
    assert x.grad is None


def test_inputs_of_a_pass_get_what_hooks_on_them_leave(torch):
    a = torch.ones(2, requires_grad=True)
    b = a.clone()
    b.register_hook(lambda g: g * 3)
    b.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    b.sum().backward(inputs=(b,))
    assert b.grad.tolist() == [3.0, 3.0] and a.grad is None
    (gradient,) = torch.autograd.grad((a.clone() * 2).sum(), a)
    assert gradient.tolist() == [2.0, 2.0]


def test_whether_a_tensor_requires_grad_cannot_be_deleted(torch):
    x = torch.ones(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="^requires_grad must be a bool$"):
        del x.requires_grad
    assert all(hasattr(x, name) for name in dir(x) if name != "imag")
