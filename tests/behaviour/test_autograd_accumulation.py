"""What ends up in `.grad`: whose memory it is, when it is written in place, and which strides it has."""

import pytest

WITH_CREATE_GRAPH = pytest.mark.filterwarnings("ignore:Using backward\\(\\) with create_graph=True:UserWarning")


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


def shares_memory(first, second):
    return first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()


# --- in place or not ----------------------------------------------------------------------------------------------


def test_the_second_backward_adds_in_place(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * 2).sum().backward()
    first, version = x.grad, x.grad._version
    (x * 3).sum().backward()
    assert x.grad is first
    assert first.tolist() == [5.0, 5.0]
    assert first._version == version + 1


@WITH_CREATE_GRAPH
def test_with_create_graph_the_sum_is_a_new_tensor(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * 2).sum().backward()
    first = x.grad
    (x**2).sum().backward(create_graph=True)
    assert x.grad is not first
    assert first.tolist() == [2.0, 2.0]
    assert x.grad.tolist() == [4.0, 6.0] and x.grad.requires_grad
    x.grad = None


@WITH_CREATE_GRAPH
def test_an_ordinary_backward_adds_in_place_even_onto_a_gradient_with_history(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * 2).sum().backward(create_graph=True)
    first = x.grad
    (x**2).sum().backward()
    assert x.grad is first
    assert first.tolist() == [4.0, 6.0]
    x.grad = None


def test_a_grad_set_by_the_program_is_added_to_in_place(torch):
    x = leaf(torch, [1.0, 2.0])
    mine = torch.tensor([10.0, 20.0])
    x.grad = mine
    (x * 2).sum().backward()
    assert x.grad is mine
    assert mine.tolist() == [12.0, 22.0]


def test_grad_set_to_none_starts_anew_and_leaves_the_old_one_alone(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * 2).sum().backward()
    first, x.grad = x.grad, None
    (x * 3).sum().backward()
    assert first.tolist() == [2.0, 2.0]
    assert x.grad.tolist() == [3.0, 3.0]


def test_zeroing_the_gradient_between_steps(torch):
    x = leaf(torch, [[1.0, 2.0, 3.0, 4.0]])
    z = 2 * x
    printed = []
    for weights in ([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]):
        z.backward(torch.tensor([weights]), retain_graph=True)
        printed.append(x.grad.tolist())
        x.grad.data.zero_()
    assert printed == [[[2.0, 0.0, 0.0, 0.0]], [[0.0, 2.0, 0.0, 0.0]], [[2.0, 2.0, 2.0, 2.0]]]


def test_a_gradient_accumulated_without_create_graph_has_no_history(torch):
    x = leaf(torch, [1.0, 2.0])
    (x**3).sum().backward()
    assert not x.grad.requires_grad and x.grad.is_leaf


def test_uses_within_one_backward_are_added_before_they_reach_the_leaf(torch):
    x = leaf(torch, [1.0, 2.0])
    received = []
    x.register_hook(lambda gradient: received.append(gradient.tolist()))
    (x * 2 + x * 3 + x).sum().backward()
    assert received == [[6.0, 6.0]]


def test_autograd_grad_never_touches_the_field(torch):
    x = leaf(torch, [1.0, 2.0])
    x.grad = torch.tensor([7.0, 8.0])
    torch.autograd.grad((x * 2).sum(), x)
    assert x.grad.tolist() == [7.0, 8.0] and x.grad._version == 0


# --- whose memory -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2,), (1, 2)], ids=["as it is", "reshaped"])
def test_a_fresh_gradient_is_taken_over_without_a_copy(torch, shape):
    x = leaf(torch, [1.0, 2.0])
    addresses = []

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return value * 2

        @staticmethod
        def backward(ctx, gradient):
            result = gradient.reshape(shape) * 2
            addresses.append(result.data_ptr())
            return result.reshape(2)

    Double.apply(x).backward(torch.ones(2))
    assert x.grad.data_ptr() == addresses[0]


def test_a_gradient_that_a_function_keeps_is_not_taken_over(torch):
    x = leaf(torch, [1.0, 2.0])
    kept = torch.tensor([5.0, 6.0])

    class Constant(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return value * 2

        @staticmethod
        def backward(ctx, gradient):
            return kept

    Constant.apply(x).sum().backward()
    x.grad.add_(1)
    assert kept.tolist() == [5.0, 6.0]


def test_a_part_of_an_array_is_not_taken_over(torch):
    x = leaf(torch, [1.0, 2.0])

    class Part(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return value * 2

        @staticmethod
        def backward(ctx, gradient):
            return torch.cat([gradient, gradient, gradient]).reshape(3, 2)[1]

    Part.apply(x).sum().backward()
    x.grad.add_(1)
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "program",
    [lambda x: x, lambda x: x + 0, lambda x: x.clone(), lambda x: x.clone() + 0],
    ids=["leaf", "add", "clone", "clone and add"],
)
def test_the_gradient_given_by_the_user_is_never_shared_nor_changed(torch, program):
    x = leaf(torch, [1.0, 2.0])
    given = torch.tensor([3.0, 4.0])
    program(x).backward(given)
    assert x.grad is not given and not shares_memory(x.grad, given)
    program(x).backward(given)
    x.grad.zero_()
    assert given.tolist() == [3.0, 4.0] and given._version == 0


def test_the_users_gradient_is_not_used_as_a_buffer_for_the_sum(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x.clone()
    given = torch.tensor([3.0, 4.0])
    torch.autograd.backward([y, y, y * 2], [given, given, given])
    assert x.grad.tolist() == [12.0, 16.0]
    assert given.tolist() == [3.0, 4.0] and given._version == 0


def test_two_leaves_never_share_a_gradient(torch):
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    (x + y).backward(torch.ones(2))
    assert not shares_memory(x.grad, y.grad)
    x.grad.add_(10)
    assert y.grad.tolist() == [1.0, 1.0]


def test_two_leaves_do_not_share_a_gradient_that_was_computed_for_both(torch):
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    ((x + y) * 2).sum().backward()
    x.grad.zero_()
    assert y.grad.tolist() == [2.0, 2.0]


def test_an_expanded_gradient_becomes_memory_of_its_own(torch):
    x = torch.zeros(2, 3, requires_grad=True)
    x.sum(0).backward(torch.tensor([1.0, 2.0, 3.0]))
    x.grad[0, 0] = 5.0
    assert x.grad.tolist() == [[5.0, 2.0, 3.0], [1.0, 2.0, 3.0]]


def test_a_gradient_seen_by_a_hook_stays_what_it_was(torch):
    x = leaf(torch, [1.0, 2.0])
    seen = []
    first, second = x + 0, x + 0
    for part in (first, second):
        part.register_hook(seen.append)
    x.register_hook(seen.append)
    (first + second).sum().backward()
    x.grad.zero_()
    assert [gradient.tolist() for gradient in seen] == [[1.0, 1.0], [1.0, 1.0], [2.0, 2.0]]


def test_a_saved_tensor_returned_as_gradient_is_not_changed_by_accumulation(torch):
    x, w = leaf(torch, [1.0, 2.0]), torch.tensor([3.0, 4.0])
    (x * w).backward(torch.ones(2))
    (x * w).backward(torch.ones(2))
    x.grad.zero_()
    assert w.tolist() == [3.0, 4.0]


# --- strides ------------------------------------------------------------------------------------------------------


def test_a_gradient_takes_the_strides_of_a_dense_leaf(torch):
    x = torch.zeros(3, 4).t().requires_grad_()
    (x * 2).sum().backward()
    assert x.stride() == x.grad.stride() == (1, 4)


def test_an_expanded_gradient_takes_the_strides_of_a_dense_leaf(torch):
    x = torch.zeros(3, 4).t().requires_grad_()
    x.sum().backward()
    assert x.grad.stride() == (1, 4)


def test_a_transposed_gradient_is_laid_out_as_its_leaf(torch):
    x = torch.zeros(3, 4, requires_grad=True)
    (x.t() * torch.ones(4, 3)).sum().backward()
    assert x.grad.stride() == (4, 1)


def test_a_permuted_leaf_of_four_dimensions_keeps_its_layout(torch):
    x = torch.zeros(2, 5, 4, 3).permute(0, 3, 1, 2).requires_grad_()
    (x * 2).sum().backward()
    assert x.grad.stride() == x.stride() == (60, 1, 12, 3)


@pytest.mark.parametrize("kind", ["strided", "expanded"])
def test_the_gradient_of_a_leaf_with_gaps_is_contiguous(torch, kind):
    memory = torch.zeros(4, 6)[:, ::2] if kind == "strided" else torch.zeros(3).expand(4, 3)
    x = memory.detach().requires_grad_()
    (x * 2).sum().backward()
    assert x.grad.stride() == (3, 1)


# --- what does not reach the field --------------------------------------------------------------------------------


def test_a_failed_backward_leaves_the_sum_so_far(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * 2).sum().backward()
    y = (x * x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
        y.backward()
    assert x.grad.tolist() == [4.0, 6.0]


def test_a_leaf_frozen_between_forward_and_backward_receives_nothing(torch):
    x, w = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    y = (x * w).sum()
    x.requires_grad = False
    y.backward()
    assert x.grad is None
    assert w.grad.tolist() == [1.0, 2.0]


def test_training_the_discriminator_on_detached_samples_leaves_the_generator_alone(torch):
    generator, discriminator = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    sample = generator * 2
    (sample.detach() * discriminator).sum().backward()
    assert generator.grad is None
    assert discriminator.grad.tolist() == [2.0, 4.0]
    (sample * discriminator).sum().backward()
    assert generator.grad.tolist() == [6.0, 8.0]
