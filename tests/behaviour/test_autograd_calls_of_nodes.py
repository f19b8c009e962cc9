"""A node that is called, what programs ask of the running pass, and what the engine says of both."""

import io
import warnings
from collections import OrderedDict
from contextlib import redirect_stderr

import pytest

# ---- a node is a function


def test_a_node_gives_the_gradients_of_its_inputs(torch, leaf):
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    z = x * y
    result = z.grad_fn(torch.tensor([1.0, 10.0]))
    assert [each.tolist() for each in result] == [[3.0, 40.0], [1.0, 20.0]]
    assert x.grad is None and y.grad is None
    z.sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]


def test_under_grad_mode_they_can_be_differentiated(torch, leaf):
    x = leaf([3.0])
    node = (x * x).grad_fn
    first = sum(node(torch.ones(1)))
    assert torch.autograd.grad(first, x)[0].tolist() == [2.0]
    with torch.no_grad():
        assert not node(torch.ones(1))[0].requires_grad


def test_a_node_of_several_outputs(torch, leaf):
    first, _ = leaf([1.0, 2.0]).unbind()
    assert first.grad_fn(torch.tensor(3.0), None).tolist() == [3.0, 0.0]


def test_the_node_of_a_leaf_accumulates(torch, leaf):
    x = leaf([1.0, 2.0])
    accumulate = x.view(2).grad_fn.next_functions[0][0]
    assert accumulate(torch.ones(2)) == ()
    assert x.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("count", [0, 2])
def test_another_number_of_gradients_is_refused(torch, leaf, count):
    node = leaf([1.0]).exp().grad_fn
    with pytest.raises(TypeError, match=f"^expected 1 arguments, got {count} instead"):
        node(*[torch.ones(1)] * count)
    with pytest.raises(TypeError, match="^argument 0 is not a Variable"):
        node(3)


def test_what_was_freed_cannot_be_called(torch, leaf):
    y = leaf([1.0]).exp()
    y.backward()
    with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
        y.grad_fn(torch.ones(1))


def test_the_step_of_a_function_is_applied(torch, leaf):
    class Triple(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 3

        @staticmethod
        def backward(ctx, g):
            return g * 3

    assert Triple.apply(leaf([1.0])).grad_fn.apply(torch.tensor([2.0])).tolist() == [6.0]


# ---- when a pass is over


@pytest.fixture
def queue(torch):
    return torch.autograd.Variable._execution_engine.queue_callback


def test_callbacks_run_when_gradients_are_accumulated(torch, leaf, queue):
    x, seen = leaf([1.0, 2.0]), []
    y = x * 2
    y.register_hook(lambda g: queue(lambda: seen.append((x.grad.tolist(), torch.is_grad_enabled()))))
    y.sum().backward()
    assert seen == [([2.0, 2.0], False)]


def test_a_callback_may_queue_another(torch, leaf, queue):
    y, seen = leaf([1.0]) * 2, []

    def first():
        seen.append("first")
        queue(lambda: seen.append("second"))

    y.register_hook(lambda g: queue(first))
    y.backward()
    assert seen == ["first", "second"]


def test_an_inner_pass_has_its_own(torch, leaf, queue):
    seen = []

    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            queue(lambda: seen.append("outer"))
            with torch.enable_grad():
                z = leaf([1.0]) * 2
            z.register_hook(lambda g: queue(lambda: seen.append("inner")))
            z.backward()
            seen.append("after the inner pass")
            return g

    Inner.apply(leaf([1.0])).backward()
    assert seen == ["inner", "after the inner pass", "outer"]


def test_a_callback_that_fails(torch, leaf, queue):
    x = leaf([1.0])
    y = x * 2
    y.register_hook(lambda g: queue(lambda: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        y.backward()
    assert x.grad.tolist() == [2.0]


def test_a_pass_that_fails_calls_none(torch, leaf, queue):
    x, seen = leaf([1.0]), []
    y = x * 2
    z = y * 3
    z.register_hook(lambda g: queue(lambda: seen.append("called")))
    y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        z.backward()
    assert seen == []


def test_outside_of_a_pass_there_is_nothing_to_wait_for(queue):
    with pytest.raises(RuntimeError, match="^Final callbacks can only be installed during backward pass"):
        queue(lambda: None)


# ---- what hooks may return


@pytest.mark.parametrize(
    ("returned", "error", "words"),
    [
        (lambda p: 3, TypeError, "expected Variable, but hook returned 'int'"),
        (lambda p: p.grad, RuntimeError, "Tensor post accumulate grad hooks should return None."),
        (lambda p: p.grad[:1], RuntimeError, "has changed the size of value"),
    ],
)
def test_a_hook_after_accumulation_returns_none(torch, leaf, returned, error, words):
    x = leaf([1.0, 2.0])
    x.register_post_accumulate_grad_hook(returned)
    with pytest.raises(error, match=words):
        x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_it_may_return_what_it_was_given(torch, leaf):
    x = leaf([1.0])
    x.register_post_accumulate_grad_hook(lambda p: p)
    x.sum().backward()
    assert x.grad.tolist() == [1.0]


@pytest.mark.parametrize(
    ("returned", "error", "words"),
    [
        (lambda g: 3, TypeError, "expected tuple, but hook returned 'int'"),
        (lambda g: (g[0][:1],), RuntimeError, "has changed the size of value"),
        (lambda g: (g[0].double(),), RuntimeError, "has changed the type of value"),
        (lambda g: (g[0], g[0]), RuntimeError, "returned an incorrect number of values .got 2, but expected 1"),
        (lambda g: (3,), TypeError, "expected Variable, but hook returned 'int'"),
    ],
)
@pytest.mark.parametrize("at", ["node", "leaf"])
def test_a_hook_before_a_node_replaces_like_by_like(torch, leaf, returned, error, words, at):
    x = leaf([1.0, 2.0])
    y = x.exp()
    (y.grad_fn if at == "node" else y.grad_fn.next_functions[0][0]).register_prehook(returned)
    with pytest.raises(error, match=words):
        y.sum().backward()


def test_a_leaf_has_no_inputs_whose_gradients_could_be_replaced(torch, leaf):
    x = leaf([1.0])
    y = x.view(1)
    y.grad_fn.next_functions[0][0].register_hook(lambda inputs, outputs: (1,))
    with pytest.raises(RuntimeError, match="incorrect number of values .got 1, but expected 0"):
        y.sum().backward()


# ---- edges, and dictionaries of inputs


def test_gradients_that_do_not_fit_an_edge(torch, leaf):
    x = leaf([1.0, 2.0])
    edge = torch.autograd.graph.get_gradient_edge(x.sin().sum())
    for call in (
        lambda g: torch.autograd.grad(edge, x, grad_outputs=g),
        lambda g: torch.autograd.backward(edge, grad_tensors=g),
    ):
        with pytest.raises(RuntimeError, match="^Mismatch in shape: grad_output"):
            call(torch.ones(4))
        with pytest.raises(RuntimeError, match="required to have the same dtype"):
            call(torch.tensor(1 + 0j))


def test_an_edge_made_of_a_node_is_a_start(torch, leaf):
    x = leaf([1.0, 2.0])
    y = (x * 3).sum()
    edge = torch.autograd.graph.GradientEdge(y.grad_fn, y.output_nr)
    assert torch.autograd.grad(edge, x)[0].tolist() == [3.0, 3.0]


def test_inputs_may_be_a_dictionary(torch, leaf):
    x, y = leaf([1.0]), leaf([2.0])
    result = torch.autograd.grad((x * y).sum(), {"x": x, 0: y})
    assert {name: each.tolist() for name, each in result.items()} == {"x": [2.0], 0: [1.0]}
    (x * y).sum().backward(inputs={"x": x})
    assert x.grad.tolist() == [2.0] and y.grad is None
    for inputs, error, words in (
        ({}, RuntimeError, "cannot be empty"),
        (OrderedDict(x=x), TypeError, "must be a dict, not OrderedDict"),
    ):
        with pytest.raises(error, match=words):
            torch.autograd.grad((x * y).sum(), inputs)


# ---- warnings


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_the_traceback_of_an_anomaly_is_printed_where_warnings_are_errors(torch, leaf):
    printed = io.StringIO()
    with torch.autograd.detect_anomaly():
        y = leaf([1.0]) + 1
        z = y**2
        y += 1
        with redirect_stderr(printed), warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                z.backward()
    assert printed.getvalue().startswith("UserWarning: Error detected in PowBackward0.")


def test_a_backward_with_a_graph_warns_of_the_cycle_that_it_makes(torch, leaf):
    x = leaf([1.0])
    torch.set_warn_always(True)
    try:
        for call in (lambda y: y.backward(create_graph=True), lambda y: torch.autograd.backward(y, create_graph=True)):
            with pytest.warns(UserWarning, match="^Using backward.. with create_graph=True will create a reference cy"):
                call((x * x).sum())
    finally:
        torch.set_warn_always(False)
    torch.autograd.grad((x * x).sum(), x, create_graph=True)


@pytest.mark.filterwarnings("ignore:Using backward")
def test_the_gradient_with_a_graph_is_a_copy(torch, leaf):
    """It lies like its leaf, in memory of its own, and the copy is part of the graph."""
    x, g = leaf([[1.0, 2.0], [3.0, 4.0]]), torch.ones(2, 2, requires_grad=True)
    x.backward(g, create_graph=True)
    assert x.grad is not g and x.grad.grad_fn.name() == "torch::autograd::CopyBackwards"
    x.grad.sum().backward()
    assert g.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_classes_should_not_be_decorated(torch):
    with pytest.warns(FutureWarning, match="^Decorating classes is deprecated"):

        @torch.no_grad()
        class Made:
            def __init__(self):
                self.recording = torch.is_grad_enabled()

            def asked(self):
                return torch.is_grad_enabled()

    assert not Made().recording and Made().asked()


def test_whether_a_pass_may_use_several_threads(torch):
    asked = torch.autograd.is_multithreading_enabled
    with torch.autograd.set_multithreading_enabled(False):
        assert not asked()
    assert asked()
    torch.autograd.set_multithreading_enabled(False)
    assert not asked()
    torch.autograd.set_multithreading_enabled(True)
    assert asked() and torch.autograd.set_multithreading_enabled(True)(asked)()


def test_saved_tensors_are_made_by_nodes(torch, leaf):
    with pytest.raises(RuntimeError, match="^Trying to create a SavedTensor object from Python is forbidden"):
        torch.autograd.SavedTensor()
    assert isinstance(leaf([1.0]).exp().grad_fn._raw_saved_result, torch.autograd.SavedTensor)
