"""Custom functions: what `forward` and `backward` receive, may return, may keep, and what is refused."""

import gc
import weakref

import pytest


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


def make(torch, forward, backward, **attributes):
    """A custom function out of two functions."""
    members = {"forward": staticmethod(forward), "backward": staticmethod(backward), **attributes}
    return type("Custom", (torch.autograd.Function,), members)


# --- forward and backward -----------------------------------------------------------------------------------------


def test_a_function_with_its_own_derivative(torch):
    class Exponential(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            result = value.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, gradient):
            (result,) = ctx.saved_tensors
            return gradient * result

    x = leaf(torch, [0.0, 1.0])
    y = Exponential.apply(x)
    y.backward(torch.tensor([2.0, 0.0]))
    assert y.grad_fn.name() == "ExponentialBackward"
    assert x.grad.tolist() == [2.0, 0.0]


def test_backward_is_believed(torch):
    x = leaf(torch, 2.0)
    make(torch, lambda ctx, value: value * 2, lambda ctx, gradient: gradient * 100).apply(x).backward()
    assert x.grad.item() == 100.0


def test_forward_is_not_recorded(torch):
    modes = []

    def forward(ctx, value):
        modes.append((torch.is_grad_enabled(), value.requires_grad, (value * 2).requires_grad))
        return value * 2

    make(torch, forward, lambda ctx, gradient: gradient).apply(leaf(torch, 1.0))
    assert modes == [(False, True, False)]


@pytest.mark.parametrize("create_graph", [False, True])
def test_backward_is_recorded_when_the_graph_is_created(torch, create_graph):
    modes = []

    def backward(ctx, gradient):
        modes.append(torch.is_grad_enabled())
        return gradient

    x = leaf(torch, 1.0)
    y = make(torch, lambda ctx, value: value * 2, backward).apply(x)
    torch.autograd.grad(y, x, create_graph=create_graph)
    assert modes == [create_graph]


def test_a_second_derivative_through_a_custom_backward(torch):
    def forward(ctx, value):
        ctx.save_for_backward(value)
        return value**3

    def backward(ctx, gradient):
        (value,) = ctx.saved_tensors
        return gradient * 3 * value**2

    x = leaf(torch, 2.0)
    (first,) = torch.autograd.grad(make(torch, forward, backward).apply(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (12.0, 12.0)


def test_under_no_grad_a_function_leaves_no_trace(torch):
    with torch.no_grad():
        y = make(torch, lambda ctx, value: value * 2, lambda ctx, gradient: gradient).apply(leaf(torch, 1.0))
    assert not y.requires_grad and y.grad_fn is None


def test_inputs_that_are_no_tensors_are_passed_on(torch):
    def forward(ctx, value, factor, word, sequence):
        ctx.factor = factor
        assert (word, sequence) == ("word", [1, 2])
        return value * factor

    x = leaf(torch, [1.0, 2.0])
    custom = make(torch, forward, lambda ctx, gradient: (gradient * ctx.factor, None, None, None))
    custom.apply(x, 3.0, "word", [1, 2]).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_tensors_inside_a_list_are_not_tracked(torch):
    custom = make(torch, lambda ctx, values: values[0] * 1, lambda ctx, gradient: None)
    assert not custom.apply([leaf(torch, 1.0)]).requires_grad


def test_outputs_that_are_no_tensors_are_passed_on(torch):
    received = []

    def backward(ctx, *gradients):
        received.append(gradients)
        return gradients[0]

    x = leaf(torch, 1.0)
    custom = make(torch, lambda ctx, value: (value * 1, 3, None, "word", {"key": 1}), backward)
    y, *rest = custom.apply(x)
    y.backward()
    assert rest == [3, None, "word", {"key": 1}]
    assert received == [(torch.tensor(1.0), None, None, None, None)]


def test_a_tuple_of_one_stays_a_tuple(torch):
    result = make(torch, lambda ctx, value: (value * 1,), lambda ctx, gradient: gradient).apply(leaf(torch, 1.0))
    assert isinstance(result, tuple) and len(result) == 1 and result[0].requires_grad


def test_integer_outputs_do_not_require_grad(torch):
    x = leaf(torch, [1.0, 3.0])
    custom = make(torch, lambda ctx, value: (value * 2, value.argmax()), lambda ctx, gradient, _: gradient * 2)
    doubled, index = custom.apply(x)
    assert doubled.requires_grad and not index.requires_grad and index.item() == 1


def test_a_function_keeps_what_it_likes_on_the_context(torch):
    def forward(ctx, value):
        ctx.remember = "this"
        return value * 2

    y = make(torch, forward, lambda ctx, gradient: gradient).apply(leaf(torch, 1.0))
    assert y.grad_fn.remember == "this"


def test_the_node_is_the_context(torch):
    contexts = []

    def backward(ctx, gradient):
        contexts.append(ctx)
        return gradient

    y = make(torch, lambda ctx, value: value * 2, backward).apply(leaf(torch, 1.0))
    y.backward()
    assert contexts[0] is y.grad_fn


def test_classmethods_work_too(torch):
    class Scaled(torch.autograd.Function):
        factor = 7

        @classmethod
        def forward(cls, ctx, value):
            return value * cls.factor

        @classmethod
        def backward(cls, ctx, gradient):
            return gradient * cls.factor

    x = leaf(torch, 1.0)
    Scaled.apply(x).backward()
    assert x.grad.item() == 7.0


def test_vjp_is_another_name_for_backward(torch):
    class Tripled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return value * 3

        @staticmethod
        def vjp(ctx, gradient):
            return gradient * 3

    x = leaf(torch, 1.0)
    Tripled.apply(x).backward()
    assert x.grad.item() == 3.0


def test_other_static_methods_may_exist(torch):
    class Doubled(torch.autograd.Function):
        generate_vmap_rule = False

        @staticmethod
        def forward(value):
            return value * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

        @staticmethod
        def jvp(ctx, tangent):
            return tangent * 2

        @staticmethod
        def vmap(info, in_dims, value):
            return Doubled.apply(value), in_dims[0]

    x = leaf(torch, 1.0)
    Doubled.apply(x).backward()
    assert x.grad.item() == 2.0


@pytest.mark.parametrize("where", ["forward", "backward"])
def test_an_exception_comes_out_as_it_is(torch, where):
    def fail(ctx, value):
        raise LookupError("my own")

    def succeed(ctx, value):
        return value * 1

    pair = (fail, succeed) if where == "forward" else (succeed, fail)
    x = leaf(torch, 1.0)
    with pytest.raises(LookupError, match="^my own$"):
        make(torch, *pair).apply(x).backward()
    assert x.grad is None


# --- setup_context ------------------------------------------------------------------------------------------------


def test_setup_context_receives_defaults_and_keeps_forward_free_of_context(torch):
    seen = []

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(value, factor=3.0):
            return value * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen.append((len(inputs), output.item(), torch.is_grad_enabled()))
            ctx.factor = inputs[1]

        @staticmethod
        def backward(ctx, gradient):
            return gradient * ctx.factor, None

    x = leaf(torch, 2.0)
    Scaled.apply(x).backward()
    Scaled.apply(x, 5.0).backward()
    Scaled.apply(x, factor=7.0).backward()
    assert seen == [(2, 6.0, False), (2, 10.0, False), (2, 14.0, False)]
    assert x.grad.item() == 15.0


def test_setup_context_with_classmethods(torch):
    class Scaled(torch.autograd.Function):
        factor = 7

        @classmethod
        def forward(cls, value):
            return value * cls.factor

        @classmethod
        def setup_context(cls, ctx, inputs, output):
            ctx.save_for_backward(*inputs, output)

        @classmethod
        def backward(cls, ctx, gradient):
            value, result = ctx.saved_tensors
            return gradient * result / value

    x = leaf(torch, 2.0)
    Scaled.apply(x).backward()
    assert x.grad.item() == 7.0


def test_setup_context_knows_which_inputs_need_a_gradient(torch):
    seen = []

    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(first, second, number):
            return first + second + number

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen.append(ctx.needs_input_grad)

        @staticmethod
        def backward(ctx, gradient):
            seen.append(ctx.needs_input_grad)
            return gradient, None, None

    Sum.apply(leaf(torch, 1.0), torch.tensor(2.0), 3.0).backward()
    assert seen == [(True, False, False)] * 2


def test_setup_context_may_mark_outputs(torch):
    class Sorted(torch.autograd.Function):
        @staticmethod
        def forward(value):
            return value.sort()

        @staticmethod
        def setup_context(ctx, inputs, output):
            _, order = output
            ctx.mark_non_differentiable(order)
            ctx.save_for_backward(order)

        @staticmethod
        def backward(ctx, gradient, _):
            (order,) = ctx.saved_tensors
            return torch.zeros(3).scatter(0, order, gradient)

    x = leaf(torch, [3.0, 1.0, 2.0])
    values, order = Sorted.apply(x)
    values.backward(torch.tensor([1.0, 10.0, 100.0]))
    assert not order.requires_grad
    assert x.grad.tolist() == [100.0, 1.0, 10.0]


# --- gradients in and out -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("materialize", [True, False])
def test_an_undefined_gradient_is_zeros_unless_materialisation_is_off(torch, materialize):
    received = []

    def forward(ctx, value):
        ctx.set_materialize_grads(materialize)
        return value * 1, value * 2

    def backward(ctx, first, second):
        received.append(first if first is None else first.tolist())
        return second

    _, second = make(torch, forward, backward).apply(leaf(torch, [1.0, 2.0]))
    second.sum().backward()
    assert received == [[0.0, 0.0] if materialize else None]


@pytest.mark.parametrize("materialize", [True, False])
def test_an_undefined_gradient_travels_on_through_the_graph(torch, materialize):
    received = []

    def forward(ctx, value):
        ctx.set_materialize_grads(materialize)
        return value * 1

    def backward(ctx, gradient):
        received.append(gradient if gradient is None else gradient.item())
        return gradient

    x = leaf(torch, 1.0)
    early = make(torch, forward, backward).apply(x)
    make(torch, lambda ctx, value: value * 1, lambda ctx, gradient: None).apply(early * 2).backward()
    assert received == [0.0 if materialize else None]
    assert (x.grad is None) != materialize


def test_returning_none_leaves_the_input_without_gradient(torch):
    x, w = leaf(torch, 1.0), leaf(torch, 2.0)
    make(torch, lambda ctx, first, second: first + second, lambda ctx, gradient: (None, gradient)).apply(
        x, w
    ).backward()
    assert x.grad is None and w.grad.item() == 1.0


def test_extra_trailing_nones_are_allowed(torch):
    x = leaf(torch, 1.0)
    make(torch, lambda ctx, value: value * 1, lambda ctx, gradient: (gradient, None, None)).apply(x).backward()
    assert x.grad.item() == 1.0


def test_extra_gradients_and_missing_ones_are_refused(torch):
    x, w = leaf(torch, 1.0), leaf(torch, 2.0)
    twice = make(torch, lambda ctx, value: value * 1, lambda ctx, gradient: (gradient, gradient))
    with pytest.raises(
        RuntimeError, match=r"^function CustomBackward returned an incorrect number of gradients \(expected 1, got 2\)"
    ):
        twice.apply(x).backward()
    once = make(torch, lambda ctx, first, second: first + second, lambda ctx, gradient: gradient)
    with pytest.raises(
        RuntimeError, match=r"^function CustomBackward returned an incorrect number of gradients \(expected 2, got 1\)"
    ):
        once.apply(x, w).backward()
    assert x.grad is None and w.grad is None


@pytest.mark.parametrize("shape", [(3,), (1,)])
def test_a_gradient_of_the_wrong_shape_is_refused(torch, shape):
    x = leaf(torch, [1.0, 2.0])
    custom = make(torch, lambda ctx, value: value * 1, lambda ctx, gradient: torch.ones(shape))
    with pytest.raises(
        RuntimeError,
        match=rf"^Function CustomBackward returned an invalid gradient at index 0 - got \[{shape[0]}\] but expected "
        r"shape compatible with \[2\]",
    ):
        custom.apply(x).sum().backward()
    assert x.grad is None


def test_a_gradient_that_nobody_receives_may_have_any_shape(torch):
    # as the backward of an adjoint solver that returns a column of times for a vector that does not require grad
    x, times = leaf(torch, [1.0, 2.0]), torch.ones(3)
    custom = make(torch, lambda ctx, value, at: value * 1, lambda ctx, gradient: (gradient, torch.ones(3, 2, 1)))
    custom.apply(x, times).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0] and times.grad is None
    with pytest.raises(RuntimeError, match=r"^Function CustomBackward returned an invalid gradient at index 1"):
        custom.apply(x, times.requires_grad_()).sum().backward()


def test_a_gradient_that_broadcast_is_summed_back(torch):
    x = leaf(torch, [1.0, 2.0])
    make(torch, lambda ctx, value: value * 1, lambda ctx, gradient: torch.ones(3, 2)).apply(x).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_gradient_of_another_dtype_is_cast(torch):
    x = leaf(torch, [1.0, 2.0])
    make(torch, lambda ctx, value: value * 1, lambda ctx, gradient: gradient.double()).apply(x).sum().backward()
    assert x.grad.dtype == torch.float32


def test_a_gradient_must_be_a_tensor_or_none(torch):
    custom = make(torch, lambda ctx, value: value * 1, lambda ctx, gradient: 3)
    with pytest.raises(RuntimeError, match=r"^expected Variable or None \(got int\)"):
        custom.apply(leaf(torch, 1.0)).backward()


def test_a_gradient_for_a_constant_tensor_is_dropped(torch):
    x, constant = leaf(torch, 2.0), torch.tensor(3.0)
    custom = make(torch, lambda ctx, first, second: first * second, lambda ctx, gradient: (gradient, gradient))
    custom.apply(x, constant).backward()
    assert x.grad.item() == 1.0 and constant.grad is None


def test_a_gradient_for_something_that_is_no_tensor_is_refused(torch):
    custom = make(torch, lambda ctx, value, number: value * number, lambda ctx, gradient: (gradient, gradient))
    with pytest.raises(
        RuntimeError,
        match="^function CustomBackward returned a gradient different than None at position 2, but the corresponding "
        "forward input was not a Variable",
    ):
        custom.apply(leaf(torch, 1.0), 3.0).backward()


def test_needs_input_grad_tells_what_to_skip(torch):
    seen = []

    def backward(ctx, gradient):
        seen.append(ctx.needs_input_grad)
        return gradient, None, None

    custom = make(torch, lambda ctx, first, second, number: first + second + number, backward)
    custom.apply(leaf(torch, 1.0), torch.tensor(2.0), 3).backward()
    assert seen == [(True, False, False)]


# --- saved tensors ------------------------------------------------------------------------------------------------


def squared(torch):
    def forward(ctx, value):
        result = value * value
        ctx.save_for_backward(value, None, result)
        return result

    def backward(ctx, gradient):
        value, nothing, _ = ctx.saved_tensors
        assert nothing is None
        return gradient * 2 * value

    return make(torch, forward, backward)


def test_saved_inputs_come_back_as_the_same_object_and_outputs_as_equal_ones(torch):
    x = leaf(torch, 3.0)
    y = squared(torch).apply(x)
    value, nothing, result = y.grad_fn.saved_tensors
    assert value is x and nothing is None
    assert result is not y and result.item() == y.item() and result.grad_fn is y.grad_fn


def test_saved_tensors_are_freed_by_backward(torch):
    x = leaf(torch, 3.0)
    y = squared(torch).apply(x)
    y.backward()
    with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
        y.backward()
    with pytest.raises(
        RuntimeError, match=r"^Trying to backward through the graph a second time \(or directly access saved tensors"
    ):
        _ = y.grad_fn.saved_tensors
    assert x.grad.item() == 6.0


def test_a_function_that_saved_nothing_may_run_backward_again(torch):
    x = leaf(torch, 3.0)
    y = make(torch, lambda ctx, value: value * 2, lambda ctx, gradient: gradient * 2).apply(x)
    y.backward()
    y.backward()
    assert x.grad.item() == 4.0


def test_a_change_of_a_saved_input_is_noticed(torch):
    hidden = leaf(torch, [1.0]) + 1
    y = squared(torch).apply(hidden)
    hidden.add_(1)
    with pytest.raises(
        RuntimeError,
        match="^one of the variables needed for gradient computation has been modified by an inplace operation: "
        r"\[torch.FloatTensor \[1\]\], which is output 0 of Add, is at version 1; expected version 0 instead",
    ):
        y.sum().backward()


def test_a_change_of_a_saved_output_is_noticed(torch):
    y = squared(torch).apply(leaf(torch, [1.0]))
    y.add_(1)
    with pytest.raises(RuntimeError, match="which is output 0 of Custom, is at version 1; expected version 0 instead"):
        y.sum().backward()


def test_saving_again_replaces_what_was_saved(torch):
    counts = []

    def forward(ctx, value):
        ctx.save_for_backward(value, value)
        ctx.save_for_backward(value)
        return value * 1

    def backward(ctx, gradient):
        counts.append(len(ctx.saved_tensors))
        return gradient

    make(torch, forward, backward).apply(leaf(torch, 1.0)).backward()
    assert counts == [1]


def test_only_tensors_can_be_saved(torch):
    def forward(ctx, value):
        ctx.save_for_backward(3)
        return value * 1

    with pytest.raises(TypeError, match="^save_for_backward can only save variables, but argument 0 is of type int"):
        make(torch, forward, lambda ctx, gradient: gradient).apply(leaf(torch, 1.0))


# --- what is refused ----------------------------------------------------------------------------------------------


def test_a_function_needs_forward_and_one_of_backward_and_vjp(torch):
    empty = type("Empty", (torch.autograd.Function,), {})
    with pytest.raises(
        NotImplementedError, match="^You must implement the forward function for custom autograd.Function."
    ):
        empty.apply(leaf(torch, 1.0))
    forward_only = type(
        "ForwardOnly", (torch.autograd.Function,), {"forward": staticmethod(lambda ctx, value: value * 1)}
    )
    with pytest.raises(
        NotImplementedError,
        match="^You must implement either the backward or vjp method for your custom autograd.Function to use it",
    ):
        forward_only.apply(leaf(torch, 1.0)).backward()
    both = make(torch, lambda ctx, value: value * 1, lambda ctx, gradient: gradient, vjp=staticmethod(print))
    with pytest.raises(
        RuntimeError, match="^Implementing both 'backward' and 'vjp' for a custom Function is not allowed."
    ):
        both.apply(leaf(torch, 1.0)).backward()


def test_a_function_is_not_to_be_instantiated(torch):
    custom = make(torch, lambda ctx, value: value * 1, lambda ctx, gradient: gradient)
    with (
        pytest.warns(DeprecationWarning, match="should not be instantiated. Methods on autograd functions are all"),
        pytest.raises(RuntimeError, match="^Legacy autograd function with non-static forward method is deprecated."),
    ):
        custom()(leaf(torch, 1.0))


def test_the_node_of_a_function_shows_where_such_nodes_live(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    y = Double.apply(torch.ones(1, requires_grad=True))
    assert repr(y.grad_fn).startswith("<torch.autograd.function.DoubleBackward object at 0x")
    assert (y.grad_fn.name(), repr(y)) == ("DoubleBackward", "tensor([2.], grad_fn=<DoubleBackward>)")


# --- what a program calls its own attributes -----------------------------------------------------------------------

# Of its own step a program may keep what it likes: these are names of ours, of nodes in the graph
NAMES = [
    "edges", "outputs", "saved", "function", "run", "edge", "created", "special", "params", "metas", "retained", "op",
    "result_metas", "tensor_hooks", "pre_hooks", "takes_tensors", "attributes", "shown", "offset", "name", "x",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [None, 3, (4, 5), {"k": 1}])
def test_ctx_has_no_names_of_its_own_that_matter(torch, name, value):
    def forward(ctx, first, second):
        assert name == "name" or not hasattr(ctx, name)
        setattr(ctx, name, value)
        ctx.save_for_backward(first, second)
        return first * second, first + second

    def backward(ctx, gradient, other):
        first, second = ctx.saved_tensors
        assert getattr(ctx, name) == value
        return gradient * second + other, gradient * first + other

    x, y = leaf(torch, 2.0), leaf(torch, 5.0)
    product, total = make(torch, forward, backward).apply(x * 1, y)
    assert getattr(product.grad_fn, name) == value
    (slope,) = torch.autograd.grad(product + total * 3, x, create_graph=True)
    assert slope.item() == 8.0
    (product + slope + repr(product).count("z")).backward()
    assert (x.grad.item(), y.grad.item()) == (5.0, 3.0)


def test_what_a_program_set_is_at_the_grad_fn_when_nobody_has_kept_either(torch):
    def forward(ctx, value):
        ctx.factor = 3
        return value * ctx.factor

    x = leaf(torch, 1.0)
    y = make(torch, forward, lambda ctx, gradient: gradient * ctx.factor).apply(x)
    y.grad_fn.factor = 4
    assert y.grad_fn is y.grad_fn is (y + 1).grad_fn.next_functions[0][0] and y.grad_fn.factor == 4
    assert "factor" in dir(y.grad_fn) and not {"edges", "saved"} & set(dir(y.grad_fn))
    y.backward()
    assert x.grad.item() == 4.0


def test_ctx_is_the_node_of_its_result(torch):
    seen = []
    x = leaf(torch, 1.0)
    y = make(torch, lambda ctx, value: seen.append(ctx) or value * 2, lambda ctx, gradient: gradient * 2).apply(x)
    assert seen[0] is y.grad_fn and isinstance(seen[0], torch.autograd.graph.Node)
    assert isinstance(seen[0], torch.autograd.function.FunctionCtx)
    assert type(seen[0]).__mro__[1] is torch.autograd.function.BackwardCFunction
    del y
    ((function, number),) = seen[0].next_functions
    assert function.variable is x and number == 0


def test_an_edge_at_a_custom_function(torch):
    x = leaf(torch, 3.0)
    y, z = make(torch, lambda ctx, value: (value * 2, value * 3), lambda ctx, g, h: g * 2 + h * 3).apply(x)
    edge = torch.autograd.graph.get_gradient_edge(z)
    assert edge.node is z.grad_fn and edge.output_nr == 1
    (inner,) = torch.autograd.grad(y + z * z, edge, retain_graph=True)
    assert inner.item() == 18.0
    torch.autograd.backward([edge])
    assert x.grad.item() == 3.0


def test_a_graph_with_custom_functions_is_freed_without_the_collector(torch):
    held = []

    def forward(ctx, value):
        held.append(weakref.ref(ctx))
        return value * 2

    y = make(torch, forward, lambda ctx, gradient: gradient * 2).apply(leaf(torch, 1.0))
    held.append(weakref.ref(y.grad_fn))
    gc.disable()
    try:
        del y
        assert [each() for each in held] == [None, None]
    finally:
        gc.enable()


def test_a_context_can_be_made_without_a_call(torch):
    ctx = torch.autograd.function.FunctionCtx()
    x = torch.ones(2)
    ctx.save_for_backward(x)
    ctx.mark_dirty(x)
    ctx.mark_non_differentiable(x)
    ctx.save_for_forward(x)
    ctx.set_materialize_grads(False)
    names = ["dirty_tensors", "materialize_grads", "non_differentiable", "saved_for_forward", "to_save"]
    assert sorted(vars(ctx)) == names and ctx.to_save[0] is x
