"""Writing in place: what backward notices, how writes are counted, and what the gradient becomes."""

import re

import pytest

MODIFIED = "^one of the variables needed for gradient computation has been modified by an inplace operation: "


# --- what is saved, and the check at backward ---------------------------------------------------------------------


def test_an_operand_that_is_not_needed_may_change(torch, result):
    x, hidden = result([1.0, 2.0])
    y = hidden + torch.ones(2)
    hidden.mul_(5)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_exp_keeps_its_result_and_not_its_input(torch, result):
    x, hidden = result([0.0, 0.0])
    y = hidden.exp()
    hidden.add_(1)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_changing_a_result_that_was_saved_is_noticed_in_backward(torch, leaf):
    x = leaf([1.0, 2.0])
    y = x.exp()
    y.add_(1)
    message = "[torch.FloatTensor [2]], which is output 0 of Exp, is at version 1; expected version 0 instead. Hint: "
    with pytest.raises(RuntimeError, match=MODIFIED + re.escape(message)):
        y.sum().backward()
    assert x.grad is None


def test_changing_an_input_that_was_saved_is_noticed_in_backward(torch, leaf):
    x, w = leaf([1.0, 2.0]), torch.tensor([3.0, 4.0], dtype=torch.float64)
    y = x * w
    w.add_(1)
    w.add_(1)
    message = r"\[torch.DoubleTensor \[2\]\] is at version 2; expected version 0 instead"
    with pytest.raises(RuntimeError, match=MODIFIED + message):
        y.sum().backward()


def test_only_the_factor_of_what_requires_grad_is_saved(torch, leaf):
    constant, w = torch.tensor([1.0, 2.0]), leaf([3.0, 4.0])
    hidden = w.clone()
    y = constant * hidden
    hidden.mul_(10)
    y.sum().backward()
    assert w.grad.tolist() == [1.0, 2.0]


def test_the_error_comes_at_backward_and_not_at_the_write(torch, leaf):
    x = leaf([1.0, 2.0])
    y = x.sigmoid()
    y.mul_(2)
    assert y.requires_grad
    with pytest.raises(RuntimeError, match=MODIFIED + ".*which is output 0 of Sigmoid, is at version 1"):
        y.sum().backward()


def test_a_write_before_the_use_is_no_reason_to_complain(torch, result):
    x, hidden = result([1.0, 2.0])
    hidden.mul_(3)
    (hidden * hidden).sum().backward()
    assert x.grad.tolist() == [18.0, 36.0]


def test_writing_to_another_part_of_the_memory_counts_as_a_change(torch, result):
    x, hidden = result([1.0, 2.0])
    first, second = hidden[0], hidden[1]
    y = first * first
    second.mul_(2)
    with pytest.raises(RuntimeError, match=MODIFIED):
        y.backward()


def test_saving_a_view_notices_a_write_to_the_base_and_the_reverse(torch, result):
    for saved, written in ((0, 1), (1, 0)):
        _, hidden = result([1.0, 2.0])
        parts = hidden, hidden[1:]
        y = parts[saved] * parts[saved]
        parts[written].mul_(2)
        with pytest.raises(RuntimeError, match=MODIFIED + r"\[torch.FloatTensor"):
            y.sum().backward()


def test_accumulating_into_a_running_sum_under_autograd(torch, leaf):
    x = leaf([1.0, 2.0])
    total = torch.zeros(2)
    for factor in (1.0, 10.0, 100.0):
        total += x * factor
    total.sum().backward()
    assert x.grad.tolist() == [111.0, 111.0]


# --- versions -----------------------------------------------------------------------------------------------------


def test_views_and_detach_share_the_version_of_their_base(torch):
    x = torch.tensor([1.0, 2.0])
    view, detached, nested = x[:1], x.detach(), x.view(2, 1)[0]
    view.add_(1)
    detached.add_(1)
    assert x._version == view._version == detached._version == nested._version == 2


def test_data_counts_on_its_own(torch):
    x = torch.tensor([1.0, 2.0])
    x.add_(1)
    inner = x.data
    assert inner._version == 0
    inner.add_(1)
    assert (x._version, inner._version) == (1, 1)
    assert x.tolist() == [3.0, 4.0]


def test_assigning_data_keeps_the_version_of_its_own(torch):
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    x.add_(1)
    y.add_(1)
    y.add_(1)
    x.data = y
    assert (x._version, y._version) == (1, 2)
    x.add_(1)
    assert (x._version, y._version) == (2, 2)
    assert y.tolist() == [6.0, 7.0]


def test_assigning_data_keeps_the_leaf_and_its_flags(torch, leaf):
    x = leaf([1.0, 2.0])
    x.data = torch.tensor([3.0, 4.0, 5.0])
    assert x.is_leaf and x.requires_grad and x.shape == (3,)
    with pytest.raises(
        RuntimeError, match="^data set to a tensor that requires gradients must be floating point or complex dtype"
    ):
        x.data = torch.tensor([1, 2])


def test_a_change_through_data_is_silently_wrong(torch, leaf):
    x = leaf([1.0, 2.0])
    y = x * x
    x.data.copy_(torch.tensor([5.0, 6.0]))
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 12.0]


def test_a_change_of_a_results_data_is_silently_wrong(torch, leaf):
    x = leaf([1.0, 2.0])
    y = x.exp()
    y.data.zero_()
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_backward_and_data_that_was_replaced(torch, leaf):
    x = leaf([1.0, 2.0])
    y = x * x
    x.data = torch.tensor([5.0, 6.0])
    y.sum().backward()
    # PyTorch's node holds the tensor, ours the memory that the forward pass has read: docs/what-differs.md
    assert x.grad.tolist() == ([10.0, 12.0] if torch.__name__ == "torch" else [2.0, 4.0])


def test_a_change_through_numpy_is_not_noticed(torch, leaf):
    x = leaf([1.0, 2.0])
    y = x.exp()
    y.detach().numpy()[:] = 0
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("which", ["input", "output"])
def test_the_same_change_through_detach_raises(torch, which, leaf):
    x = leaf([1.0, 2.0])
    y = x * x if which == "input" else x.exp()
    (x if which == "input" else y).detach().zero_()
    with pytest.raises(RuntimeError, match=MODIFIED + r".*is at version 1; expected version 0 instead"):
        y.sum().backward()


def test_every_write_counts_once(torch):
    x = torch.zeros(3)
    x.add_(1)
    x[0] = 5
    x.copy_(torch.ones(3))
    x += 1
    x.zero_()
    x.unsqueeze_(0)
    assert x._version == 6


def test_reading_does_not_count(torch):
    x = torch.zeros(3)
    _ = x + 1, x.view(3, 1), x.tolist(), x.numpy(), x.detach(), x.clone()
    assert x._version == 0


# --- in-place arithmetic on results -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("write", "slope"),
    [
        (lambda y: y.mul_(3), 3.0),
        (lambda y: y.add_(3), 1.0),
        (lambda y: y.neg_(), -1.0),
        (lambda y: y.pow_(2), 4.0),
        (lambda y: y.div_(4), 0.25),
        (lambda y: y.relu_(), 1.0),
        (lambda y: y.clamp_(max=1.0), 0.0),
        (lambda y: y.zero_(), 0.0),
        (lambda y: y.fill_(7.0), 0.0),
        (lambda y: y.sub_(y.detach() * 3), 1.0),
    ],
    ids=["mul", "add", "neg", "pow", "div", "relu", "clamp", "zero", "fill", "sub"],
)
def test_an_in_place_operation_has_the_derivative_of_its_twin(torch, write, slope, result):
    x, y = result(2.0)
    returned = write(y)
    assert returned is y
    y.backward()
    assert x.grad.item() == slope


def test_both_operands_of_an_in_place_product_get_a_gradient(torch, leaf, result):
    x, y = result([1.0, 2.0])
    w = leaf([3.0, 4.0])
    y.mul_(w)
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]
    assert w.grad.tolist() == [1.0, 2.0]


def test_a_tensor_multiplied_into_itself_has_lost_what_backward_needs(torch, result):
    _, y = result([1.0, 2.0])
    y.mul_(y)
    with pytest.raises(RuntimeError, match=MODIFIED + ".*which is output 0 of Mul, is at version 1"):
        y.sum().backward()


def test_an_in_place_result_that_is_saved_may_not_change_again(torch, result):
    _, y = result([1.0, 2.0])
    y.exp_()
    y.mul_(2)
    with pytest.raises(RuntimeError, match=MODIFIED + ".*output 0 of Exp, is at version 2; expected version 1 instead"):
        y.sum().backward()


def test_a_chain_of_in_place_operations(torch, result):
    x, y = result([1.0, 2.0])
    y.mul_(3).add_(1).neg_()
    assert y.tolist() == [-4.0, -7.0] and y.grad_fn.name() == "NegBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [-3.0, -3.0]


def test_a_constant_written_to_starts_to_require_grad(torch, leaf):
    x = leaf([1.0, 2.0])
    y = torch.zeros(2)
    y.add_(x)
    assert y.requires_grad and not y.is_leaf and y.grad_fn.name() == "AddBackward0"


def test_copy_forgets_what_was_there(torch, leaf, result):
    x, y = result([1.0, 2.0])
    w = leaf([3.0, 4.0])
    y.copy_(w)
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]
    assert w.grad.tolist() == [1.0, 1.0]


def test_copy_from_another_dtype_and_shape_gives_the_sources_gradient(torch):
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    y = torch.zeros(3, 2)
    y.copy_(x)
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0] and x.grad.dtype == torch.float64


def test_under_no_grad_a_write_is_counted_and_not_recorded(torch, result):
    _, y = result([1.0, 2.0])
    node = y.grad_fn
    with torch.no_grad():
        y.mul_(3)
    assert y._version == 1 and y.grad_fn is node
