"""Writing to parts and through views: what the gradient becomes, and what is refused."""

import re

import pytest

MULTIPLE = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
AMBIGUOUS = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the no_grad block"
)
CUSTOM = (
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic "
    "to handle view+inplace would override the custom backward associated with the custom Function, leading to "
    "incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)


# --- index assignment ---------------------------------------------------------------------------------------------


def test_assigning_a_slice_moves_gradients_to_the_value(torch, leaf):
    x = leaf([1.0, 2.0, 3.0])
    y = torch.zeros(3)
    y[1:] = x[:2] * 2
    assert y.requires_grad and y.grad_fn.name() == "torch::autograd::CopySlices"
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 0.0]


def test_an_overwritten_element_gives_no_gradient(torch, result):
    x, y = result([1.0, 2.0, 3.0])
    y[1] = 0.0
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 1.0]


def test_assigning_through_two_indices(torch, result):
    x, y = result([[1.0, 2.0], [3.0, 4.0]])
    y[0][1] = 0.0
    y.sum().backward()
    assert x.grad.tolist() == [[1.0, 0.0], [1.0, 1.0]]


def test_assigning_by_a_list_and_by_a_mask(torch, leaf, result):
    x, y = result([1.0, 2.0, 3.0, 4.0])
    w = leaf([5.0, 6.0])
    y[[0, 2]] = w
    y[y > 5.5] = 0.0
    assert y.tolist() == [5.0, 2.0, 0.0, 4.0] and y.grad_fn.name() == "IndexPutBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 0.0, 1.0]
    assert w.grad.tolist() == [1.0, 0.0]


def test_augmented_assignment_of_an_element(torch, result):
    x, y = result([1.0, 2.0, 3.0])
    y[1] *= 10
    y[2] += y[0].detach()
    y.sum().backward()
    assert y.tolist() == [1.0, 20.0, 4.0]
    assert x.grad.tolist() == [1.0, 10.0, 1.0]


def test_a_row_filled_step_by_step(torch, leaf):
    x = leaf(2.0)
    steps = torch.zeros(4)
    steps[0] = x
    for step in range(1, 4):
        steps[step] = steps[step - 1].clone() * x
    steps[3].backward()
    assert steps.tolist() == [2.0, 4.0, 8.0, 16.0]
    assert x.grad.item() == 32.0


# --- views --------------------------------------------------------------------------------------------------------


def test_the_base_of_a_view_of_a_view_is_the_first_tensor(torch):
    x = torch.ones(2, 3)
    turned = x.t()
    row = turned[0]
    assert turned._base is x and row._base is x and x._base is None
    assert (x._is_view(), row._is_view(), x.clone()._is_view()) == (False, True, False)


def test_a_write_to_a_view_rewrites_the_history_of_the_base(torch, result):
    x, y = result([1.0, 2.0, 3.0])
    y[1:].mul_(10)
    assert y.tolist() == [1.0, 20.0, 30.0] and y.grad_fn.name() == "torch::autograd::CopySlices"
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 10.0, 10.0]


def test_sibling_views_get_a_new_grad_fn_when_next_asked(torch, result):
    x, y = result([1.0, 2.0, 3.0])
    first, overlapping = y[:2], y[1:]
    before = overlapping.grad_fn
    first.mul_(10)
    after = overlapping.grad_fn
    assert after is not before
    assert after.next_functions[0][0] is y.grad_fn
    assert overlapping.grad_fn is after
    overlapping.sum().backward()
    assert x.grad.tolist() == [0.0, 10.0, 1.0]


def test_a_write_to_the_base_gives_its_views_a_new_history(torch, result):
    x, y = result([1.0, 2.0, 3.0])
    view = y[:1]
    before = view.grad_fn
    y.mul_(2)
    assert view.grad_fn is not before
    view.sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 0.0]


def test_writes_through_base_and_view_in_turn(torch, result):
    x, y = result([1.0, 2.0, 3.0])
    view = y[:1]
    y.mul_(2)
    view.mul_(5)
    y.add_(view.detach().clone())
    assert y.tolist() == [20.0, 14.0, 16.0]
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 2.0, 2.0]


def test_overlapping_views_written_one_after_the_other(torch, result):
    x, y = result([1.0, 2.0, 3.0])
    y.narrow(0, 0, 2).mul_(2)
    y.narrow(0, 1, 2).mul_(3)
    y.backward(torch.tensor([1.0, 10.0, 100.0]))
    assert y.tolist() == [2.0, 12.0, 9.0]
    assert x.grad.tolist() == [2.0, 60.0, 300.0]


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (lambda y: y.t()[0], [[10.0, 1.0], [10.0, 1.0]]),
        (lambda y: y.diagonal(), [[10.0, 1.0], [1.0, 10.0]]),
        (lambda y: y.view(4)[1:3], [[1.0, 10.0], [10.0, 1.0]]),
        (lambda y: y.unsqueeze(0)[0, 1], [[1.0, 1.0], [10.0, 10.0]]),
        (lambda y: y.permute(1, 0).select(1, 1), [[1.0, 1.0], [10.0, 10.0]]),
        (lambda y: y.reshape(4).view(2, 2)[:, 1], [[1.0, 10.0], [1.0, 10.0]]),
        (lambda y: y.flatten()[::3], [[10.0, 1.0], [1.0, 10.0]]),
        (lambda y: y.transpose(0, 1).squeeze(), [[10.0, 10.0], [10.0, 10.0]]),
        (lambda y: y[0].expand_as(y[0]), [[10.0, 10.0], [1.0, 1.0]]),
    ],
    ids=["t", "diagonal", "view", "unsqueeze", "permute", "reshape", "flatten", "transpose", "expand"],
)
def test_a_write_to_any_view_reaches_the_right_elements(torch, view, expected, result):
    x, y = result([[1.0, 2.0], [3.0, 4.0]])
    view(y).mul_(10)
    y.sum().backward()
    assert x.grad.tolist() == expected


def test_a_gradient_that_arrives_transposed_passes_a_flat_view_that_was_written_to(torch, result):
    x, y = result([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y.view(6)[1:].mul_(10)
    y.t().backward(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    assert x.grad.tolist() == [[1.0, 30.0, 50.0], [20.0, 40.0, 60.0]]


def test_a_write_to_a_copy_does_not_reach_the_base(torch, result):
    x, y = result([[1.0, 2.0], [3.0, 4.0]])
    copied = y.t().reshape(4)
    assert copied._base is not y
    copied.mul_(10)
    y.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_the_value_written_through_a_view_gets_its_gradient(torch, leaf, result):
    x, y = result([[1.0, 2.0], [3.0, 4.0]])
    w = leaf(5.0)
    y[:, 0].mul_(w)
    (y * y).sum().backward()
    assert x.grad.tolist() == [[50.0, 4.0], [150.0, 8.0]]
    assert w.grad.item() == 100.0


def test_a_second_derivative_through_a_write_to_a_view(torch, result):
    x, y = result([1.0, 2.0, 3.0])
    y[:2].pow_(3)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert first.tolist() == [3.0, 12.0, 1.0]
    assert second.tolist() == [6.0, 12.0, 0.0]


def test_a_base_that_starts_to_require_grad_takes_its_views_along(torch, leaf):
    base, w = torch.ones(3), leaf(2.0)
    view = base[1:]
    assert not view.requires_grad
    base.mul_(w)
    assert view.requires_grad and not view.is_leaf and view.grad_fn is not None
    view.sum().backward()
    assert w.grad.item() == 2.0


def test_a_view_that_starts_to_require_grad_takes_base_and_siblings_along(torch, leaf):
    base, w = torch.ones(3), leaf(2.0)
    view, sibling, nested = base[1:], base[:2], base[1:][:1]
    view.mul_(w)
    assert base.requires_grad and sibling.requires_grad and nested.requires_grad
    (sibling.sum() + nested.sum()).backward()
    assert w.grad.item() == 2.0


def test_views_of_a_leaf_follow_requires_grad_of_the_leaf(torch):
    x = torch.ones(3)
    view = x[:2]
    x.requires_grad_()
    assert view.requires_grad
    with pytest.raises(RuntimeError, match="^a view of a leaf Variable that requires grad is being used in an in-"):
        view.mul_(2)


def test_a_view_keeps_its_base_alive(torch, result):
    x, y = result([1.0, 2.0])
    view = y[:1]
    del y
    view.mul_(3)
    view._base.sum().backward()
    assert x.grad.tolist() == [3.0, 1.0]


def test_a_detached_view_writes_memory_and_no_history(torch, result):
    x, y = result([1.0, 2.0])
    y[:1].detach().mul_(3)
    assert y.tolist() == [3.0, 2.0]
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_shape_change_in_place_leaves_the_base_as_it_is(torch, result):
    x, y = result([[1.0, 2.0], [3.0, 4.0]])
    view = y.view(4)
    view.unsqueeze_(0)
    assert view.shape == (1, 4) and y.shape == (2, 2) and y.grad_fn.name() == "CloneBackward0"
    view.mul_(3)
    y.sum().backward()
    assert x.grad.tolist() == [[3.0, 3.0], [3.0, 3.0]]


# --- what is refused ----------------------------------------------------------------------------------------------


def test_a_leaf_that_requires_grad_may_not_be_written_to(torch, leaf):
    x = leaf([1.0, 2.0])
    with pytest.raises(
        RuntimeError, match="^a leaf Variable that requires grad is being used in an in-place operation."
    ):
        x.add_(1)
    assert x.tolist() == [1.0, 2.0] and x._version == 0


WRITES = pytest.mark.parametrize(
    "write", [lambda x: x[0:1].add_(1), lambda x: x.__setitem__(0, 5.0)], ids=["view", "assignment"]
)


@WRITES
def test_a_view_of_a_leaf_that_requires_grad_may_not_be_written_to(torch, write, leaf):
    x = leaf([1.0, 2.0])
    with pytest.raises(
        RuntimeError, match="^a view of a leaf Variable that requires grad is being used in an in-place operation."
    ):
        write(x)
    assert x.tolist() == [1.0, 2.0] and x._version == 0


@WRITES
def test_a_leaf_that_is_a_view_may_not_be_written_to(torch, write):
    """A part of a buffer as a parameter: the buffer may be written to, the part may not."""
    buffer = torch.zeros(3)
    part = buffer[1:].requires_grad_()
    for each in (write, lambda x: x.fill_(1)):
        with pytest.raises(RuntimeError, match="^a view of a leaf Variable that requires grad is being used"):
            each(part)
    buffer[0].fill_(1)
    assert buffer.tolist() == [1.0, 0.0, 0.0] and part.is_leaf


def test_a_leaf_may_be_written_to_under_no_grad(torch, leaf):
    x = leaf([1.0, 2.0])
    with torch.no_grad():
        x.add_(1)
        x[0] = 7.0
    assert x.tolist() == [7.0, 3.0] and x.is_leaf and x.requires_grad and x._version == 2


@pytest.mark.parametrize(
    ("parts", "name"),
    [(lambda y: y.unbind(0), "Unbind"), (lambda y: y.split(1), "Split"), (lambda y: y.chunk(2), "Split")],
    ids=["unbind", "split", "chunk"],
)
def test_parts_of_a_tensor_may_not_be_written_to(torch, parts, name, result):
    _, y = result([[1.0, 2.0], [3.0, 4.0]])
    _, part = parts(y)
    with pytest.raises(
        RuntimeError, match=re.escape(f"Output 1 of {name} is a view and is being modified inplace. {MULTIPLE}")
    ):
        part.mul_(2)
    assert y.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_parts_of_a_tensor_lose_their_history_when_the_base_is_written(torch, result):
    _, y = result([[1.0, 2.0], [3.0, 4.0]])
    part, _ = y.unbind(0)
    y.mul_(2)
    message = (
        f"Output 0 of Unbind is a view and its base or another view of its base has been modified inplace. {MULTIPLE}"
    )
    with pytest.raises(RuntimeError, match="^" + re.escape(message)):
        _ = part.grad_fn


def test_parts_of_a_tensor_that_does_not_require_grad_may_be_written_to(torch):
    y = torch.ones(4)
    y.split(2)[1].mul_(3)
    assert y.tolist() == [1.0, 1.0, 3.0, 3.0]


def test_a_view_made_under_no_grad_may_not_be_written_to_outside(torch, result):
    _, y = result([1.0, 2.0])
    with torch.no_grad():
        view = y[:1]
    message = f"A view was created in no_grad mode and is being modified inplace with grad mode enabled. {AMBIGUOUS}"
    with pytest.raises(RuntimeError, match="^" + re.escape(message)):
        view.mul_(2)
    assert y.tolist() == [1.0, 2.0]


def test_a_view_made_under_no_grad_complains_after_a_write_to_its_base(torch, result):
    _, y = result([1.0, 2.0])
    with torch.no_grad():
        view = y[:1]
    y.mul_(2)
    message = (
        "A view was created in no_grad mode and its base or another view of its base has been modified inplace with "
        f"grad mode enabled. {AMBIGUOUS}"
    )
    with pytest.raises(RuntimeError, match="^" + re.escape(message)):
        _ = view.grad_fn


def test_a_view_made_and_written_under_no_grad_is_fine(torch, result):
    x, y = result([1.0, 2.0])
    with torch.no_grad():
        y[:1].mul_(2)
    assert y.tolist() == [2.0, 2.0]
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def custom_view(torch, several=False):
    class Part(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return (value[:1], value[1:]) if several else value.view_as(value)

        @staticmethod
        def backward(ctx, *gradients):
            return torch.cat(gradients)

    return Part


def test_a_view_out_of_a_custom_function_may_not_be_written_to(torch, result):
    _, y = result([1.0, 2.0])
    view = custom_view(torch).apply(y)
    message = f"Output 0 of Part is a view and is being modified inplace. {CUSTOM}"
    with pytest.raises(RuntimeError, match="^" + re.escape(message)):
        view.mul_(2)
    assert y.tolist() == [1.0, 2.0]
    view.clone().mul_(2)


def test_a_view_out_of_a_custom_function_complains_after_a_write_to_its_base(torch, result):
    _, y = result([1.0, 2.0])
    view = custom_view(torch).apply(y)
    y.mul_(2)
    message = f"Output 0 of Part is a view and its base or another view of its base has been modified inplace. {CUSTOM}"
    with pytest.raises(RuntimeError, match="^" + re.escape(message)):
        _ = view.grad_fn


def test_several_views_out_of_a_custom_function_may_not_be_written_to(torch, result):
    _, y = result([1.0, 2.0])
    first, _ = custom_view(torch, several=True).apply(y)
    message = f"Output 0 of Part is a view and is being modified inplace. {MULTIPLE}"
    with pytest.raises(RuntimeError, match="^" + re.escape(message)):
        first.mul_(2)


def test_a_custom_view_of_a_constant_may_be_written_to(torch):
    y = torch.tensor([1.0, 2.0])
    custom_view(torch).apply(y).mul_(2)
    assert y.tolist() == [2.0, 4.0]


def test_a_view_cannot_be_detached_in_place(torch, result):
    _, y = result([1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"^Can't detach views in-place. .*/optimizer\.py as the solution\.$"):
        y[:1].detach_()
    y.detach_()
    assert y.grad_fn is None and y.is_leaf and not y.requires_grad


def test_an_in_place_operation_may_not_widen_its_target(torch):
    y = torch.ones(2)
    with pytest.raises(RuntimeError, match=r"^output with shape \[2\] doesn't match the broadcast shape \[3, 2\]"):
        y.add_(torch.ones(3, 2))
    counts = torch.ones(2, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="^result type Float can't be cast to the desired output type Long"):
        counts.add_(1.5)
    assert y.tolist() == [1.0, 1.0] and counts.tolist() == [1, 1]
    assert (y._version, counts._version) == (0, 0)


def test_memory_that_appears_twice_may_not_be_written_to(torch):
    with pytest.raises(
        RuntimeError,
        match="^unsupported operation: more than one element of the written-to tensor refers to a single memory "
        r"location. Please clone\(\) the tensor before performing the operation.",
    ):
        torch.ones(1).expand(3).add_(1)


def test_reading_and_writing_shifted_memory_is_refused(torch):
    y = torch.ones(4)
    with pytest.raises(
        RuntimeError,
        match="^unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
        "memory location",
    ):
        y[1:].add_(y[:-1])
    assert y.tolist() == [1.0] * 4


def test_out_and_gradients_do_not_mix(torch, leaf):
    x = leaf([1.0])
    with pytest.raises(
        RuntimeError, match=r"^add\(\): functions with out=... arguments don't support automatic differentiation"
    ):
        torch.add(x, 1, out=torch.zeros(1))
    with torch.no_grad():
        assert torch.add(x, 1, out=torch.zeros(1)).tolist() == [2.0]


@pytest.mark.parametrize("name", ["squeeze_", "t_", "unsqueeze_", "transpose_", "swapaxes_"])
def test_a_view_of_a_leaf_is_not_reshaped_in_place(torch, name):
    dims = {"unsqueeze_": (0,), "transpose_": (0, 1), "swapaxes_": (0, 1)}.get(name, ())
    leaf = torch.ones(3, 1, requires_grad=True)
    view = leaf[:]
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        getattr(view, name)(*dims)
    assert view.shape == (3, 1)
    part = (leaf * 1).split(2)[0]
    with pytest.raises(RuntimeError, match="Output 0 of Split is a view and is being modified inplace"):
        getattr(part, name)(*dims)
    with torch.no_grad():
        getattr(leaf[:], name)(*dims)


def test_a_leaf_is_refused_before_its_dims_are_looked_at(torch):
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        torch.ones(2, requires_grad=True).transpose_(0, 1)


def test_whether_an_overtaken_view_requires_grad_can_be_asked(torch):
    base = torch.ones(4, requires_grad=True) * 1
    part = base.split(2)[0]
    base.mul_(2)
    assert part.requires_grad
    with pytest.raises(RuntimeError, match="Output 0 of Split is a view and its base"):
        part + 1


def test_one_of_several_views_that_were_made_without_a_history(torch):
    base = torch.ones(4)
    part, other = base.split(2)
    message = "A view was created in no_grad mode and {} with grad mode enabled. This view is the output of a function"
    with pytest.raises(RuntimeError, match=message.format("is being modified inplace")):
        part.mul_(torch.ones(2, requires_grad=True))
    base.mul_(torch.ones(4, requires_grad=True))
    with pytest.raises(
        RuntimeError, match=message.format("its base or another view of its base has been modified inplace")
    ):
        other + 1


@pytest.mark.parametrize("kind", ["int64", "bool", "uint8"])
def test_changing_a_mask_that_was_multiplied_with_is_noticed_in_backward(torch, kind):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    mask = torch.ones(2, dtype=getattr(torch, kind))
    (x * mask).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0] and (mask * x).dtype is torch.float32
    product = (mask * x).sum()
    mask.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_without_a_graph_a_view_that_was_overtaken_is_read(torch):
    base = torch.ones(3, requires_grad=True) * 1
    with torch.no_grad():
        view = base[:2]
    base.mul_(2)
    for read in (
        torch.abs,
        lambda each: each + each,
        lambda each: each * 2,
        lambda each: torch.where(each > 0, each, 0),
    ):
        with torch.no_grad():
            assert not read(view).requires_grad
        with torch.inference_mode():
            assert not read(view).requires_grad
        with pytest.raises(RuntimeError, match="^A view was created in no_grad mode and its base or another view"):
            read(view)


def test_a_view_of_a_result_follows_writes_to_it(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    first, rest = y[0], y[1:][0]
    y.mul_(3)
    (first + rest).backward()
    assert x.grad.tolist() == [6.0, 6.0, 0.0]


def test_a_view_from_under_no_grad_takes_hooks_that_nothing_calls(torch):
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        view = (x * 1).requires_grad_().view(-1)
        part = x[:2]
    for each in (view, part):
        assert each.requires_grad and each.is_leaf
        each.retain_grad()
        assert not each.retains_grad and each.grad is None
        each.register_hook(lambda grad: grad * 2).remove()


def test_one_of_several_views_is_overtaken_though_its_base_lost_its_history(torch):
    base = torch.ones(6, requires_grad=True) * 1
    first, rest = base.split([1, 5])
    base.sub_(1)
    base.detach_()
    with pytest.raises(RuntimeError, match="^Output 1 of SplitWithSizes is a view and its base or another view"):
        rest.is_leaf  # noqa: B018


def test_the_hint_of_a_stale_value_is_to_detect_anomalies(torch):
    x = torch.ones(3, requires_grad=True).exp()
    x.mul_(2)
    with pytest.raises(RuntimeError, match=r"with torch\.autograd\.set_detect_anomaly\(True, check_nan=False\)\."):
        x.sum().backward()


# --- a tensor that is turned in place -----------------------------------------------------------------------------


@pytest.mark.parametrize("turn", ["t_()", "transpose_(0, 1)", "unsqueeze_(0)", "unsqueeze_(-1)", "swapaxes_(1, 0)"])
@pytest.mark.parametrize(
    ("write", "expected"),
    [
        ("row.mul_(2)", [[2.0, 2.0, 2.0], [1.0, 1.0, 1.0]]),
        ("x.mul_(3); row.add_(1)", [[3.0, 3.0, 3.0], [3.0, 3.0, 3.0]]),
        ("part = row[1:]; row.mul_(2); part.mul_(5)", [[2.0, 10.0, 10.0], [1.0, 1.0, 1.0]]),
        ("part = row[1:]; x.mul_(2); part.mul_(5)", [[2.0, 10.0, 10.0], [2.0, 2.0, 2.0]]),
    ],
)
def test_views_from_before_a_tensor_was_turned_see_the_same_elements(torch, turn, write, expected):
    leaf = torch.arange(6.0).reshape(2, 3).requires_grad_()
    x = leaf * 1
    row = x[0]
    exec(f"x.{turn}; {write}", {"x": x, "row": row})
    x.sum().backward()
    assert leaf.grad.tolist() == expected
    assert row.tolist() == torch.as_strided(x, (3,), (1,)).tolist()


def test_views_of_a_tensor_that_was_squeezed(torch):
    leaf = torch.arange(3.0).reshape(1, 3).requires_grad_()
    x = leaf * 1
    end = x[:, 1:]
    x.squeeze_(0)
    x.mul_(2)
    (end * 2).sum().backward()
    assert leaf.grad.tolist() == [[0.0, 4.0, 4.0]]


def test_a_history_that_begins_at_a_view_of_a_tensor_that_was_turned(torch, leaf):
    weight, x = leaf([1.0, 2.0, 3.0]), torch.ones(2, 3)
    row = x[0]
    x.t_()
    row.mul_(weight)
    assert (x.requires_grad, x.tolist()) == (True, [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    (x * torch.arange(6.0).reshape(3, 2)).sum().backward()
    assert weight.grad.tolist() == [0.0, 2.0, 4.0]


def test_a_tensor_that_was_turned_becomes_a_leaf(torch):
    x = torch.ones(2, 3)
    x[0].zero_()
    x.t_().requires_grad_()
    (x * 2).sum().backward()
    assert (x.is_leaf, x.grad.tolist()) == (True, [[2.0, 2.0]] * 3)
