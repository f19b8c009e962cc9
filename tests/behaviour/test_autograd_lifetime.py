"""When memory goes: what backward frees, what never forms a cycle, and graphs too deep for recursion."""

import gc
import weakref

import numpy as np
import pytest


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


@pytest.fixture
def no_collector():
    """The garbage collector is off, so that only what holds no reference cycle goes away."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def watched_constant(torch, values):
    """A constant and a weak reference to its memory."""
    memory = np.array(values, dtype=np.float32)
    return torch.from_numpy(memory), weakref.ref(memory)


# --- what backward frees ------------------------------------------------------------------------------------------


def test_saved_values_are_freed_by_backward(torch, no_collector):
    x = leaf(torch, [1.0, 2.0])
    constant, memory = watched_constant(torch, [3.0, 4.0])
    y = (x * constant).sum()
    del constant
    assert memory() is not None
    y.backward()
    assert memory() is None
    assert y.grad_fn is not None


def test_retain_graph_keeps_saved_values_until_the_graph_goes(torch, no_collector):
    x = leaf(torch, [1.0, 2.0])
    constant, memory = watched_constant(torch, [3.0, 4.0])
    y = (x * constant).sum()
    del constant
    y.backward(retain_graph=True)
    assert memory() is not None
    del y
    assert memory() is None


def test_autograd_grad_frees_what_it_ran_through(torch, no_collector):
    x, w = leaf(torch, [1.0, 2.0]), leaf(torch, [1.0, 2.0])
    used, used_memory = watched_constant(torch, [3.0, 4.0])
    other, other_memory = watched_constant(torch, [5.0, 6.0])
    y = (x * used + w * other).sum()
    del used, other
    torch.autograd.grad(y, x)
    assert used_memory() is None and other_memory() is not None


def test_values_saved_by_a_custom_function_are_freed(torch, no_collector):
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value, factor):
            ctx.save_for_backward(factor)
            return value * factor

        @staticmethod
        def backward(ctx, gradient):
            (factor,) = ctx.saved_tensors
            return gradient * factor, None

    x = leaf(torch, [1.0, 2.0])
    constant, memory = watched_constant(torch, [3.0, 4.0])
    y = Product.apply(x, constant).sum()
    del constant
    assert memory() is not None
    y.backward()
    assert memory() is None and x.grad.tolist() == [3.0, 4.0]


def test_a_value_that_is_not_needed_is_not_kept(torch, no_collector):
    x = leaf(torch, [1.0, 2.0])
    constant, memory = watched_constant(torch, [3.0, 4.0])
    y = x + constant
    del constant
    assert memory() is None
    y.sum().backward()


def test_a_second_backward_complains_only_if_something_had_been_saved(torch):
    x = leaf(torch, [1.0, 2.0])
    linear, squared = (x + 1).sum(), (x * x).sum()
    linear.backward()
    linear.backward()
    squared.backward()
    with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
        squared.backward()


def test_a_failed_second_backward_can_be_cured_by_computing_again(torch):
    x = leaf(torch, 3.0)
    for _ in range(3):
        (x * x).backward()
    assert x.grad.item() == 18.0


# --- no cycles ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x.exp(),
        lambda x: x.tanh(),
        lambda x: x.sigmoid(),
        lambda x: x.sqrt(),
        lambda x: x.softmax(0),
        lambda x: x.max(0).values,
        lambda x: (x * 1).mul_(2),
        lambda x: (x * 1).exp_(),
    ],
    ids=["exp", "tanh", "sigmoid", "sqrt", "softmax", "max", "mul_", "exp_"],
)
def test_a_node_that_saves_its_own_output_makes_no_cycle(torch, no_collector, program):
    class Marker:
        pass

    x = leaf(torch, [1.0, 2.0])
    y = program(x)
    marker = Marker()
    y.grad_fn.metadata["marker"] = marker
    tensor, node = weakref.ref(y), weakref.ref(marker)
    del marker
    assert node() is not None
    del y
    assert tensor() is None and node() is None


def test_a_custom_function_that_saves_its_output_makes_no_cycle(torch, no_collector):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            result = value * 2
            ctx.save_for_backward(value, result)
            return result

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    x = leaf(torch, [1.0, 2.0])
    y = Double.apply(x)
    gone = [weakref.ref(y), weakref.ref(y.grad_fn), weakref.ref(x)]
    del x, y
    assert [reference() for reference in gone] == [None, None, None]


def test_hooks_and_retained_gradients_make_no_cycle(torch, no_collector):
    class Marker:
        pass

    x, marker = leaf(torch, [1.0, 2.0]), Marker()
    y = x * 1
    x.register_hook(lambda gradient, marker=marker: None)
    x.register_post_accumulate_grad_hook(lambda tensor: None)
    y.register_hook(lambda gradient: None)
    y.retain_grad()
    y.grad_fn.register_hook(lambda inputs, outputs: None)
    y.sum().backward()
    gone = [weakref.ref(x), weakref.ref(y), weakref.ref(marker)]
    del x, y, marker
    assert [reference() for reference in gone] == [None, None, None]


def test_a_hook_goes_with_its_graph(torch, no_collector):
    class Marker:
        pass

    marker = Marker()
    y = leaf(torch, 1.0) * 2
    y.register_hook(lambda gradient, marker=marker: None)
    gone = weakref.ref(marker)
    del marker
    assert gone() is not None
    del y
    assert gone() is None


def test_views_written_in_place_make_no_cycle(torch, no_collector):
    x = leaf(torch, [1.0, 2.0])
    y = x.clone()
    view, sibling = y[:1], y[1:]
    view.mul_(2)
    assert sibling.grad_fn is not None
    gone = [weakref.ref(tensor) for tensor in (x, y, view, sibling)]
    del x, y, view, sibling
    assert [reference() for reference in gone] == [None] * 4


def test_gradients_with_history_make_no_cycle_when_returned(torch, no_collector):
    x = leaf(torch, [1.0, 2.0])
    (gradient,) = torch.autograd.grad(x.exp().sum(), x, create_graph=True)
    gone = [weakref.ref(x), weakref.ref(gradient)]
    del x, gradient
    assert [reference() for reference in gone] == [None, None]


def test_a_training_loop_leaves_nothing_behind(torch, no_collector):
    w = torch.ones(3, 3, requires_grad=True)
    losses = []
    for _ in range(5):
        hidden = (torch.ones(2, 3) @ w).tanh()
        loss = (hidden * hidden).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
        losses += [weakref.ref(hidden), weakref.ref(loss)]
    del hidden, loss
    assert [reference() for reference in losses] == [None] * 10


def test_an_intermediate_result_goes_with_its_last_reference(torch, no_collector):
    x = leaf(torch, [1.0, 2.0])
    hidden = x + 1
    result = (hidden + 1).sum()
    gone = weakref.ref(hidden)
    del hidden
    assert gone() is None
    result.backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_graph_keeps_its_leaves_alive(torch, no_collector):
    x = leaf(torch, [1.0, 2.0])
    alive = weakref.ref(x)
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    del x
    # Ours keeps the memory and the gradient, and makes the object again when it is needed: docs/what-differs.md
    assert (alive() is not None) == (torch.__name__ == "torch")
    y.sum().backward()
    assert node.variable.grad.tolist() == [2.0, 2.0] and node.variable is node.variable
    alive = weakref.ref(node.variable)
    del y, node
    assert alive() is None


def test_the_leaf_has_one_accumulator_as_long_as_somebody_holds_it(torch):
    x = leaf(torch, 1.0)
    first, second = x * 2, x * 3
    assert first.grad_fn.next_functions[0][0] is second.grad_fn.next_functions[0][0]


# --- depth --------------------------------------------------------------------------------------------------------


def test_deleting_a_chain_of_150_000_nodes_does_not_overflow(torch):
    x = leaf(torch, 1.0)
    y = x
    for _ in range(150_000):
        y = y * 1.0
    node = y.grad_fn
    del y
    assert node.name() == "MulBackward0"
    del node


def test_a_graph_of_a_million_nodes_runs_backward_and_is_freed(torch):
    length = 1_000_000 if torch.__name__ == "rushlight" else 100_000
    x = leaf(torch, 1.0)
    y = x
    for _ in range(length):
        y = y + 1.0
    assert y.item() == length + 1
    y.backward()
    assert x.grad.item() == 1.0
    del y


def test_a_deep_graph_that_saves_values_runs_backward_twice(torch):
    x = leaf(torch, 1.0)
    y = x
    for _ in range(20_000):
        y = y * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 40_002.0


def test_a_deep_second_derivative(torch):
    x = leaf(torch, 1.0)
    y = x
    for _ in range(2_000):
        y = y * x
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (2_001.0, 2_001.0 * 2_000.0)


def test_a_deep_chain_of_views_written_in_place(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x.clone()
    for _ in range(3_000):
        y[:1] += 1.0
    y.sum().backward()
    assert y.tolist() == [3_001.0, 2.0] and x.grad.tolist() == [1.0, 1.0]


def test_a_deep_graph_can_be_printed(torch):
    y = leaf(torch, 1.0)
    for _ in range(20_000):
        y = y * 1.0
    assert repr(y) == "tensor(1., grad_fn=<MulBackward0>)"


# --- backward inside backward -------------------------------------------------------------------------------------


def test_backward_inside_backward_2_000_deep(torch):
    depths = []

    class Countdown(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            ctx.left = value.detach() - 1
            return ctx.left.clone()

        @staticmethod
        def backward(ctx, gradient):
            if ctx.left > 0:
                with torch.enable_grad():
                    Countdown.apply(ctx.left.requires_grad_()).backward()
                depths.append(ctx.left.item())
            return gradient

    x = leaf(torch, 2_000.0)
    Countdown.apply(x).backward()
    assert len(depths) == 1_999 and depths[0] == 1.0 and depths[-1] == 1_999.0
    assert x.grad.item() == 1.0


def test_backward_inside_backward_takes_priority(torch):
    order = []

    class Nested(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return value * 1

        @staticmethod
        def backward(ctx, gradient):
            with torch.enable_grad():
                inner = leaf(torch, 1.0) * 2
                inner.register_hook(lambda _: order.append("inner"))
                (inner * 3).backward()
            order.append("end of inner")
            return gradient

    x = leaf(torch, 1.0)
    older = x * 1
    older.register_hook(lambda _: order.append("older"))
    (older + Nested.apply(x)).backward()
    assert order == ["inner", "end of inner", "older"]


def test_backward_inside_a_hook_accumulates_into_the_same_leaf(torch):
    x = leaf(torch, 2.0)
    y = x * 3

    def train_inside(gradient):
        with torch.enable_grad():
            (x * 10).backward()

    y.register_hook(train_inside)
    y.backward()
    assert x.grad.item() == 13.0


def test_an_error_in_an_inner_backward_stops_the_outer_one(torch):
    x = leaf(torch, 2.0)
    y = x * 3

    def fail_inside(gradient):
        with torch.enable_grad():
            (x * torch.ones(2)).backward()

    handle = y.register_hook(fail_inside)
    with pytest.raises(RuntimeError, match="^grad can be implicitly created only for scalar outputs"):
        y.backward(retain_graph=True)
    handle.remove()
    y.backward()
    assert x.grad.item() == 3.0


def test_a_reshape_that_copies_leaves_no_cycle(torch, no_collector):
    x, memory = watched_constant(torch, np.ones((2, 3)))
    y = x.t().reshape(-1)
    del x
    assert y.shape == (6,)
    assert memory() is None


def test_a_refusal_that_is_over_keeps_no_operand(torch, no_collector):
    x, memory = watched_constant(torch, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="The size of tensor a") as caught:
        x + torch.ones(3)
    del x, caught
    assert memory() is None
