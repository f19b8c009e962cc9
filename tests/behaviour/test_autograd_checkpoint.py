"""Checkpointing: forget in forward, compute again in backward; with and without a backward inside the backward."""

import contextlib
import gc
import importlib
import weakref

import pytest


@pytest.fixture
def checkpointing(torch):
    return importlib.import_module(f"{torch.__name__}.utils.checkpoint")


@pytest.fixture
def no_collector():
    """The garbage collector is off, so that only what holds no reference cycle goes away."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


def gradient_of(torch, function, values):
    x = leaf(torch, values)
    (gradient,) = torch.autograd.grad(function(x).sum(), x)
    return gradient.tolist()


# --- both variants ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_gradients_are_those_without_a_checkpoint(torch, checkpointing, use_reentrant):
    runs = []

    def function(x):
        runs.append(torch.is_grad_enabled())
        return x.exp().sin() * x

    x = leaf(torch, [0.5, 1.5])
    y = checkpointing.checkpoint(function, x, use_reentrant=use_reentrant)
    assert len(runs) == 1
    y.sum().backward()
    assert runs == [not use_reentrant, True]
    assert x.grad.tolist() == gradient_of(torch, function, [0.5, 1.5])


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_weights_inside_the_function_get_their_gradients(torch, checkpointing, use_reentrant):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    x = torch.ones(4, 2, requires_grad=True)
    model(x).sum().backward()
    expected = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    checkpointing.checkpoint(model, x, use_reentrant=use_reentrant).sum().backward()
    for parameter, gradient in zip(model.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad, gradient)  # a kernel may have come in between


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_several_inputs_and_outputs(torch, checkpointing, use_reentrant):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    product, number, total = checkpointing.checkpoint(
        lambda first, second, extra: (first * second, extra, first + second), x, w, 7, use_reentrant=use_reentrant
    )
    assert number == 7
    (product * 10 + total).backward()
    assert (x.grad.item(), w.grad.item()) == (31.0, 21.0)


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_dropout_draws_the_same_mask_again_and_leaves_the_stream_alone(torch, checkpointing, use_reentrant):
    masks = []

    def function(x):
        dropped = torch.nn.functional.dropout(x, 0.5)
        masks.append(dropped.tolist())
        return dropped * dropped

    x = torch.ones(50, requires_grad=True)
    torch.manual_seed(0)
    y = checkpointing.checkpoint(function, x, use_reentrant=use_reentrant)
    after_forward = torch.get_rng_state()
    torch.manual_seed(1)
    before_backward = torch.rand(3), torch.get_rng_state()
    y.sum().backward()
    assert masks[0] == masks[1]
    assert torch.equal(torch.get_rng_state(), before_backward[1])
    torch.manual_seed(0)
    torch.nn.functional.dropout(x, 0.5)
    assert torch.equal(torch.get_rng_state(), after_forward)


def test_without_keeping_the_random_state_masks_differ(torch, checkpointing):
    masks = []

    def function(x):
        dropped = torch.nn.functional.dropout(x, 0.5)
        masks.append(dropped.tolist())
        return dropped * dropped

    torch.manual_seed(0)
    x = torch.ones(50, requires_grad=True)
    checkpointing.checkpoint(function, x, use_reentrant=False, preserve_rng_state=False).sum().backward()
    assert masks[0] != masks[1]


def test_the_variant_should_be_named(torch, checkpointing):
    with pytest.warns(
        UserWarning, match="^torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly."
    ):
        checkpointing.checkpoint(torch.exp, leaf(torch, 1.0))


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_an_exception_in_the_forward_comes_out_as_it_is(torch, checkpointing, use_reentrant):
    def function(x):
        raise LookupError("my own")

    with pytest.raises(LookupError, match="^my own$"):
        checkpointing.checkpoint(function, leaf(torch, 1.0), use_reentrant=use_reentrant)
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_an_exception_in_the_recomputation_comes_out_as_it_is(torch, checkpointing, use_reentrant):
    runs = []

    def function(x):
        runs.append(1)
        if len(runs) == 2:
            raise LookupError("my own")
        return x.exp().sin()

    x = leaf(torch, 1.0)
    y = checkpointing.checkpoint(function, x, use_reentrant=use_reentrant)
    with pytest.raises(LookupError, match="^my own$"):
        y.backward()
    assert x.grad is None
    (x * 2).backward()
    assert x.grad.item() == 2.0


@pytest.mark.parametrize("use_reentrant", [False, True])
@pytest.mark.parametrize(("segments", "calls"), [(1, 4), (2, 6), (3, 6)])
def test_a_sequence_in_segments_computes_all_but_the_last_again(torch, checkpointing, use_reentrant, segments, calls):
    torch.manual_seed(0)
    runs = []
    layers = [torch.nn.Linear(2, 2) for _ in range(4)]
    for layer in layers:
        layer.register_forward_pre_hook(lambda *_: runs.append(1))
    model = torch.nn.Sequential(*layers)
    x = torch.ones(1, 2, requires_grad=True)
    (expected,) = torch.autograd.grad(model(x).sum(), x)
    runs.clear()
    checkpointing.checkpoint_sequential(model, segments, x, use_reentrant=use_reentrant).sum().backward()
    assert x.grad.tolist() == expected.tolist()
    assert len(runs) == calls


# --- without reentrance -------------------------------------------------------------------------------------------


def three_steps(log):
    def function(x):
        log.append("first")
        hidden = x.exp()
        log.append("second")
        hidden = hidden.sin()
        log.append("third")
        return hidden + 1

    return function


def test_recomputation_stops_as_soon_as_it_has_what_it_needs(torch, checkpointing):
    log = []
    x = leaf(torch, 1.0)
    y = checkpointing.checkpoint(three_steps(log), x, use_reentrant=False)
    del log[:]
    y.backward()
    assert log == ["first", "second"]


@pytest.mark.parametrize("how", ["argument", "context"])
def test_early_stop_can_be_switched_off(torch, checkpointing, how):
    log = []
    x = leaf(torch, 1.0)
    if how == "argument":
        y = checkpointing.checkpoint(three_steps(log), x, use_reentrant=False, early_stop=False)
    else:
        with checkpointing.set_checkpoint_early_stop(False):
            y = checkpointing.checkpoint(three_steps(log), x, use_reentrant=False)
    del log[:]
    y.backward()
    assert log == ["first", "second", "third"]


def changing(first, again):
    """A function that is `first` in forward and `again` in the recomputation."""
    runs = []

    def function(x):
        runs.append(1)
        return first(x) if len(runs) == 1 else again(x)

    return function


def test_fewer_saved_tensors_in_the_recomputation_are_noticed(torch, checkpointing):
    function = changing(lambda x: x.exp().sin(), lambda x: x.exp())
    y = checkpointing.checkpoint(function, leaf(torch, 1.0), use_reentrant=False)
    with pytest.raises(
        checkpointing.CheckpointError,
        match="^torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
        "recomputation.\nNumber of tensors saved during forward: 2\nNumber of tensors saved during recomputation: 1.",
    ) as failure:
        y.backward()
    assert isinstance(failure.value, RuntimeError)


def test_more_saved_tensors_in_the_recomputation_are_noticed_without_early_stop(torch, checkpointing):
    function = changing(lambda x: x.exp(), lambda x: x.exp().sin())
    y = checkpointing.checkpoint(function, leaf(torch, 1.0), use_reentrant=False, early_stop=False)
    with pytest.raises(
        checkpointing.CheckpointError,
        match="^torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
        "forward pass.",
    ):
        y.backward()


@pytest.mark.parametrize(
    ("again", "metadata"),
    [(lambda x: x[:1].exp(), r"torch.Size\(\[1\]\), 'dtype': torch.float32"), (lambda x: x.double().exp(), "float64")],
    ids=["shape", "dtype"],
)
def test_other_metadata_in_the_recomputation_is_noticed(torch, checkpointing, again, metadata):
    y = checkpointing.checkpoint(changing(lambda x: x.exp(), again), leaf(torch, [1.0, 2.0]), use_reentrant=False)
    with pytest.raises(
        checkpointing.CheckpointError,
        match="^torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
        rf"during the forward pass.\ntensor at position 0:\nsaved metadata: .*\nrecomputed metadata: .*{metadata}",
    ):
        y.sum().backward()


def test_the_check_of_metadata_can_be_switched_off(torch, checkpointing):
    x = leaf(torch, [0.0, 0.0])
    function = changing(lambda x: x.exp(), lambda x: x[:1].exp())
    y = checkpointing.checkpoint(function, x, use_reentrant=False, determinism_check="none")
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_an_unknown_check_is_refused(torch, checkpointing):
    with pytest.raises(ValueError, match=r"^determinism_check should be one of \['default', 'none'\], but got some"):
        checkpointing.checkpoint(torch.exp, leaf(torch, 1.0), use_reentrant=False, determinism_check="some")


def test_every_backward_computes_again(torch, checkpointing):
    runs = []

    def function(x):
        runs.append(1)
        return x.exp().sin()

    x = leaf(torch, 1.0)
    y = checkpointing.checkpoint(function, x, use_reentrant=False)
    y.backward(retain_graph=True)
    y.backward()
    assert len(runs) == 3
    assert x.grad.item() == pytest.approx(2 * gradient_of(torch, lambda x: x.exp().sin(), 1.0))


def test_one_backward_computes_once_for_all_saved_values(torch, checkpointing):
    runs = []

    def function(x):
        runs.append(1)
        return x.exp().sin().cos().tanh() * x

    x = leaf(torch, 1.0)
    checkpointing.checkpoint(function, x, use_reentrant=False).backward()
    assert len(runs) == 2


def test_each_of_two_losses_computes_again(torch, checkpointing):
    runs = []

    def function(x):
        runs.append(1)
        return x.exp(), x.sin()

    x = leaf(torch, 1.0)
    first, second = checkpointing.checkpoint(function, x, use_reentrant=False)
    first.backward()
    second.backward()
    assert len(runs) == 3
    assert x.grad.item() == pytest.approx(gradient_of(torch, lambda x: x.exp() + x.sin(), 1.0))


def test_a_second_backward_without_retain_graph_is_refused(torch, checkpointing):
    y = checkpointing.checkpoint(lambda x: x.exp().sin(), leaf(torch, 1.0), use_reentrant=False)
    y.backward()
    with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
        y.backward()


def test_checkpoints_nest(torch, checkpointing):
    runs = []

    def inner(x):
        runs.append("inner")
        return x.sin().exp()

    def outer(x):
        runs.append("outer")
        return checkpointing.checkpoint(inner, x.exp(), use_reentrant=False) * x

    x = leaf(torch, 1.0)
    y = checkpointing.checkpoint(outer, x, use_reentrant=False)
    assert runs == ["outer", "inner"]
    y.backward()
    assert runs.count("outer") == 2 and runs.count("inner") >= 2
    assert x.grad.item() == pytest.approx(gradient_of(torch, lambda x: x.exp().sin().exp() * x, 1.0))


def test_checkpoints_nest_five_deep(torch, checkpointing):
    def nested(depth):
        def function(x):
            return x.sin() if depth == 0 else checkpointing.checkpoint(nested(depth - 1), x.cos(), use_reentrant=False)

        return function

    def plain(x):
        for _ in range(5):
            x = x.cos()
        return x.sin()

    x = leaf(torch, 1.0)
    nested(5)(x).backward()
    assert x.grad.item() == pytest.approx(gradient_of(torch, plain, 1.0))


def test_higher_derivatives_through_a_checkpoint(torch, checkpointing):
    def derivatives(function):
        x = leaf(torch, 1.0)
        value, result = function(x), []
        for _ in range(3):
            (value,) = torch.autograd.grad(value, x, create_graph=True)
            result.append(value.item())
        return result

    def function(x):
        return x.exp().sin()

    actual = derivatives(lambda x: checkpointing.checkpoint(function, x, use_reentrant=False))
    assert actual == pytest.approx(derivatives(function))  # a kernel may have come in between


def test_a_gradient_inside_a_checkpoint(torch, checkpointing):
    def slope(x):
        (gradient,) = torch.autograd.grad(x.exp().sin(), x, create_graph=True)
        return gradient

    x, y = leaf(torch, 1.0), leaf(torch, 1.0)
    checkpointing.checkpoint(slope, x, use_reentrant=False).backward()
    slope(y).backward()
    assert x.grad.item() == pytest.approx(y.grad.item())


def test_autograd_grad_and_inputs_work(torch, checkpointing):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    y = checkpointing.checkpoint(lambda first: first.square() * w, x, use_reentrant=False)
    assert torch.autograd.grad(y, x, retain_graph=True)[0].item() == 12.0
    y.backward(inputs=[w])
    assert x.grad is None and w.grad.item() == 4.0


def test_inputs_without_gradient_are_fine_when_weights_have_one(torch, checkpointing):
    w = leaf(torch, 3.0)
    checkpointing.checkpoint(lambda x: x * w, torch.tensor(2.0), use_reentrant=False).backward()
    assert w.grad.item() == 2.0


def test_keywords_and_containers_are_passed_on(torch, checkpointing):
    x = leaf(torch, 2.0)
    y = checkpointing.checkpoint(
        lambda values, *, factor: values["x"].square() * factor, {"x": x}, factor=10, use_reentrant=False
    )
    y.backward()
    assert x.grad.item() == 40.0


def test_intermediate_values_are_forgotten_in_forward_and_after_backward(torch, checkpointing, no_collector):
    values = []

    def function(x):
        hidden = x.exp()
        values.append(weakref.ref(hidden))
        return hidden.sin()

    x = torch.ones(3, requires_grad=True)
    y = checkpointing.checkpoint(function, x, use_reentrant=False)
    assert values[0]() is None
    y.sum().backward(retain_graph=True)
    assert [value() for value in values] == [None, None]


def test_a_checkpoint_frees_its_graphs(torch, checkpointing, no_collector):
    class Marker:
        pass

    markers = []

    def function(x):
        marker, hidden = Marker(), x.exp()
        hidden.grad_fn.metadata["marker"] = marker
        markers.append(weakref.ref(marker))
        return hidden.sin()

    y = checkpointing.checkpoint(function, torch.ones(3, requires_grad=True), use_reentrant=False)
    y.sum().backward()
    del y
    assert [marker() for marker in markers] == [None, None]


def test_a_change_of_the_input_after_the_forward_is_noticed(torch, checkpointing):
    hidden = leaf(torch, 2.0) * 1
    y = checkpointing.checkpoint(lambda x: x * x, hidden, use_reentrant=False)
    hidden.add_(1)
    with pytest.raises(RuntimeError, match="^one of the variables needed for gradient computation has been modified"):
        y.backward()


def test_under_no_grad_a_checkpoint_only_computes(torch, checkpointing):
    with torch.no_grad():
        y = checkpointing.checkpoint(lambda x: x * x, leaf(torch, 2.0), use_reentrant=False)
    assert y.item() == 4.0 and not y.requires_grad


def test_contexts_around_forward_and_recomputation(torch, checkpointing):
    log = []

    @contextlib.contextmanager
    def noted(name):
        log.append(f"enter {name}")
        yield
        log.append(f"leave {name}")

    x = leaf(torch, 1.0)
    y = checkpointing.checkpoint(
        lambda x: x.exp() + 1,
        x,
        use_reentrant=False,
        early_stop=False,
        context_fn=lambda: (noted("forward"), noted("recomputation")),
    )
    assert log == ["enter forward", "leave forward"]
    y.backward()
    assert log[2:] == ["enter recomputation", "leave recomputation"]


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_what_ran_under_autocast_runs_under_it_again(torch, checkpointing, use_reentrant):
    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh(), torch.nn.Linear(4, 4))
    x = torch.randn(2, 4, requires_grad=True)

    def gradients(run):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            result = run(layers, run(layers, x))
            assert result.dtype == torch.bfloat16
            loss = result.float().square().sum()
        layers.zero_grad(), loss.backward()
        return [each.grad.clone() for each in layers.parameters()]

    again = gradients(lambda function, x: checkpointing.checkpoint(function, x, use_reentrant=use_reentrant))
    for one, other in zip(again, gradients(lambda function, x: function(x)), strict=True):
        torch.testing.assert_close(one, other, rtol=2**-7, atol=2**-10)  # summed in bfloat16, or not


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_what_ran_without_autocast_does_not_run_under_that_of_backward(torch, checkpointing, use_reentrant):
    seen = []
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    result = checkpointing.checkpoint(lambda x: seen.append((x @ x).dtype) or x @ x, x, use_reentrant=use_reentrant)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        result.sum().backward()
        assert torch.is_autocast_enabled("cpu")
    assert seen == [torch.float32, torch.float32]
    assert x.grad.dtype == torch.float32


def test_unknown_keywords_reach_the_function(torch, checkpointing):
    with pytest.raises(TypeError, match="unexpected keyword argument 'factor'"):
        checkpointing.checkpoint(lambda x: x, leaf(torch, 1.0), factor=3, use_reentrant=False)


# --- with reentrance ----------------------------------------------------------------------------------------------


INCOMPATIBLE = r"^When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad\(\) or passing an `inputs`"


def test_the_reentrant_one_refuses_grad_and_recovers(torch, checkpointing):
    x = leaf(torch, 0.0)
    y = checkpointing.checkpoint(lambda x: x.exp() * 3, x, use_reentrant=True)
    with pytest.raises(RuntimeError, match=INCOMPATIBLE):
        torch.autograd.grad(y, x)
    assert x.grad is None
    y.backward()
    assert x.grad.item() == 3.0


def test_the_reentrant_one_refuses_inputs(torch, checkpointing):
    x = leaf(torch, 1.0)
    y = checkpointing.checkpoint(lambda x: x.exp(), x, use_reentrant=True)
    with pytest.raises(RuntimeError, match=INCOMPATIBLE):
        y.backward(inputs=[x])


def test_the_reentrant_one_takes_no_keywords(torch, checkpointing):
    with pytest.raises(ValueError, match="^Unexpected keyword arguments: factor"):
        checkpointing.checkpoint(lambda x, factor: x * factor, leaf(torch, 1.0), factor=3, use_reentrant=True)


def test_the_reentrant_one_warns_when_no_input_requires_grad(torch, checkpointing):
    w = leaf(torch, 3.0)
    with pytest.warns(UserWarning, match="^None of the inputs have requires_grad=True. Gradients will be None"):
        y = checkpointing.checkpoint(lambda x: x * w, torch.tensor(2.0), use_reentrant=True)
    assert not y.requires_grad


def test_the_reentrant_one_complains_when_nothing_was_to_be_differentiated(torch, checkpointing):
    y = checkpointing.checkpoint(lambda x: x.detach().exp(), leaf(torch, 1.0), use_reentrant=True)
    with pytest.raises(
        RuntimeError, match=r"^none of output has requires_grad=True, this checkpoint\(\) is not necessary"
    ):
        y.backward()


def test_the_reentrant_one_leaves_one_node(torch, checkpointing):
    y = checkpointing.checkpoint(lambda x: x.exp().sin(), leaf(torch, 1.0), use_reentrant=True)
    assert y.grad_fn.name() == "CheckpointFunctionBackward"


def test_states_of_devices(torch):
    module = importlib.import_module(f"{torch.__name__}.utils.checkpoint")
    assert module.get_device_states(torch.ones(2), 3) == ([], [])
    module.set_device_states([], [])
    module.set_device_states([0], [torch.get_rng_state()], device_type="meta")
