"""Custom functions: inputs that are outputs, and what `forward` marks as written to or without a derivative."""

import importlib

import pytest


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


@pytest.fixture
def function_module(torch):
    return importlib.import_module(f"{torch.__name__}.autograd.function")


def make(torch, forward, backward, **attributes):
    """A custom function out of two functions."""
    members = {"forward": staticmethod(forward), "backward": staticmethod(backward), **attributes}
    return type("Custom", (torch.autograd.Function,), members)


# --- inputs and outputs that are the same -------------------------------------------------------------------------


def test_an_input_returned_as_it_is_acts_as_a_view(torch):
    hidden = leaf(torch, [1.0, 2.0]).clone()
    same, doubled = make(
        torch, lambda ctx, value: (value, value * 2), lambda ctx, first, second: first * 10 + second
    ).apply(hidden)
    assert same is not hidden and same._is_view() and same._base is hidden
    assert same.data_ptr() == hidden.data_ptr()
    assert same.grad_fn is doubled.grad_fn


def test_a_constant_input_returned_beside_a_tracked_one_is_a_tracked_view(torch):
    x, constant = leaf(torch, 1.0), torch.tensor(2.0)
    custom = make(torch, lambda ctx, first, second: (second, first * 1), lambda ctx, first, second: (second, first))
    same, _ = custom.apply(x, constant)
    assert same is not constant and same.requires_grad and not constant.requires_grad


def test_the_same_output_twice_is_one_object(torch):
    received = []

    def forward(ctx, value):
        result = value * 1
        return result, result

    def backward(ctx, first, second):
        received.append((first.item(), second.item()))
        return first + second

    x = leaf(torch, 1.0)
    first, second = make(torch, forward, backward).apply(x)
    (first * 3).backward()
    assert first is second
    assert received == [(0.0, 3.0)]
    assert x.grad.item() == 3.0


def test_an_input_returned_at_two_positions_has_a_gradient_at_each(torch):
    x, received = leaf(torch, 2.0), []

    def backward(ctx, *gradients):
        received.append([each.item() for each in gradients])
        return gradients[0] + gradients[2]

    first, _, last = make(torch, lambda ctx, value: (value, value * 2, value), backward).apply(x)
    (3 * first + 5 * last).backward()
    assert first is not last
    assert received == [[3.0, 0.0, 5.0]]
    assert x.grad.item() == 8.0


def test_without_recording_an_input_returned_as_it_is_does_not_require_grad(torch):
    x = leaf(torch, 2.0) * 1
    with torch.no_grad():
        same, last = make(torch, lambda ctx, value: (value, value), None).apply(x)
        written = mark_and_return(torch).apply(x)
    assert same is not last and not same.requires_grad and not same._is_view()
    assert written is not x and not written.requires_grad
    assert x.requires_grad and same.data_ptr() == x.data_ptr()


def mark_and_return(torch):
    def forward(ctx, value):
        ctx.mark_dirty(value)
        return value.add_(1)

    return make(torch, forward, None)


def test_a_detached_input_is_a_fresh_output(torch):
    x = leaf(torch, 1.0)
    y = make(torch, lambda ctx, value: value.detach(), lambda ctx, gradient: gradient * 3).apply(x)
    assert not y._is_view() and y.requires_grad
    y.backward()
    assert x.grad.item() == 3.0


# --- mark_dirty ---------------------------------------------------------------------------------------------------


def doubled_in_place(torch, mark=True):
    def forward(ctx, value):
        value.mul_(2)
        if mark:
            ctx.mark_dirty(value)
        return value

    return make(torch, forward, lambda ctx, gradient: gradient * 2)


def test_mark_dirty_keeps_identity(torch):
    x = leaf(torch, [1.0, 2.0])
    hidden = x.clone()
    y = doubled_in_place(torch).apply(hidden)
    assert y is hidden and hidden.grad_fn.name() == "CustomBackward"
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_mark_dirty_counts_as_a_write_of_its_own(torch):
    def written_and_marked(ctx, value):
        ctx.mark_dirty(value.mul_(2))
        return value

    def marked(ctx, value):
        ctx.mark_dirty(value)
        return value

    for forward, writes in ((written_and_marked, 2), (marked, 1)):
        assert make(torch, forward, lambda ctx, g: g).apply(leaf(torch, [1.0]).clone())._version == writes
        assert make(torch, forward, lambda ctx, g: g).apply(torch.ones(1))._version == writes


def test_a_dirty_input_that_was_saved_before_is_noticed(torch):
    hidden = leaf(torch, [1.0, 2.0]).clone()
    square = hidden * hidden
    doubled_in_place(torch).apply(hidden)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        square.sum().backward()


def test_dirty_inputs_must_be_returned(torch):
    def forward(ctx, value):
        value.mul_(2)
        ctx.mark_dirty(value)
        return value * 1

    with pytest.raises(
        RuntimeError,
        match="^Some elements marked as dirty during the forward method were not returned as output. The inputs that "
        "are modified inplace must all be outputs of the Function.",
    ):
        make(torch, forward, lambda ctx, gradient: gradient).apply(leaf(torch, 1.0).clone())


def test_a_leaf_cannot_be_dirty(torch):
    with pytest.raises(
        RuntimeError, match="^a leaf Variable that requires grad has been used in an in-place operation."
    ):
        doubled_in_place(torch).apply(leaf(torch, 1.0))


def test_a_dirty_view_rewrites_its_base(torch):
    x = leaf(torch, [1.0, 2.0])
    hidden = x.clone()
    view = hidden[:1]
    assert doubled_in_place(torch).apply(view) is view
    assert hidden.grad_fn.name() == "torch::autograd::CopySlices"
    hidden.sum().backward()
    assert x.grad.tolist() == [2.0, 1.0]


def test_without_mark_dirty_the_written_input_is_only_a_view(torch):
    hidden = leaf(torch, [1.0, 2.0]).clone()
    y = doubled_in_place(torch, mark=False).apply(hidden)
    assert y is not hidden and hidden.grad_fn.name() == "CloneBackward0"
    assert hidden.tolist() == [2.0, 4.0] and hidden._version == 1


# --- mark_non_differentiable and once_differentiable --------------------------------------------------------------


def test_a_non_differentiable_output_receives_zeros(torch):
    received = []

    def forward(ctx, value):
        tripled = value * 3
        ctx.mark_non_differentiable(tripled)
        return value * 2, tripled

    def backward(ctx, first, second):
        received.append(second.tolist())
        return first * 2

    x = leaf(torch, [1.0, 2.0])
    doubled, tripled = make(torch, forward, backward).apply(x)
    assert not tripled.requires_grad and tripled.grad_fn is None
    (doubled * tripled).sum().backward()
    assert received == [[0.0, 0.0]]
    assert x.grad.tolist() == [6.0, 12.0]


def test_an_output_without_a_derivative_receives_zeros_of_its_dtype(torch):
    seen = []

    def forward(ctx, value):
        positive = value > 0
        ctx.mark_non_differentiable(positive)
        return value * 2, positive, value.long(), 5

    def backward(ctx, *gradients):
        seen.extend(gradients)
        return gradients[0] * 2

    make(torch, forward, backward).apply(leaf(torch, [1.5, -2.0]))[0].sum().backward()
    _, positive, whole, number = seen
    assert positive.tolist() == [False, False]
    assert whole.tolist() == [0, 0] and whole.dtype is torch.int64
    assert number is None


def test_once_differentiable_turns_a_double_backward_into_an_error(torch, function_module):
    def forward(ctx, value):
        ctx.save_for_backward(value)
        return value**2

    modes = []

    def backward(ctx, gradient):
        modes.append(torch.is_grad_enabled())
        (value,) = ctx.saved_tensors
        return gradient * 2 * value

    x = leaf(torch, 3.0)
    custom = make(torch, forward, function_module.once_differentiable(backward))
    (first,) = torch.autograd.grad(custom.apply(x) ** 2, x, create_graph=True)
    assert first.item() == 108.0 and first.requires_grad and modes == [False]
    with pytest.raises(
        RuntimeError, match="^trying to differentiate twice a function that was marked with @once_differentiable"
    ):
        first.backward()
    assert x.grad is None


def test_once_differentiable_is_silent_when_nothing_asks_for_more(torch, function_module):
    x = leaf(torch, 3.0)
    backward = function_module.once_differentiable(lambda ctx, gradient: gradient * 5)
    custom = make(torch, lambda ctx, value: value * 5, backward)
    (gradient,) = torch.autograd.grad(custom.apply(x), x, create_graph=True)
    assert gradient.item() == 5.0 and not gradient.requires_grad


def test_a_mark_on_what_is_no_input_warns(torch):
    class Marks(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.mark_dirty(y)
            return y

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    x = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="^ctx.mark_dirty.. received a tensor that was not an input"):
        y = Marks.apply(x)
    assert y.tolist() == [2.0, 2.0]
