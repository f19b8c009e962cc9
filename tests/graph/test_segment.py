"""Segments: what their results are, and what may happen between forward and backward."""

import gc
import warnings
import weakref

import pytest

import rushlight as torch
from rushlight.core.traced import Untraceable
from rushlight.graph.compiled_node import CompiledFunctionBackward
from rushlight.graph.segment import Segment

KERNELS = pytest.mark.parametrize("kernels", [False, True], ids=["calls", "kernels"])


def drawn(*shape, dtype=torch.float32, grad=True):
    return torch.randn(shape, dtype=dtype, requires_grad=grad)


# ---- results


def several(x, w):
    y = (x @ w).tanh()
    z = y.exp()
    return [z.sum(1), z.detach().t(), torch.ones(3), z, y.t(), y[0], z, x, None]


def hidden_base(x):
    y = x * 2
    return [y.t(), y[1:], y.detach()[0]]


def alone(x):
    return [(x * 2).t()]


def of_input(x):
    return [x[0], x.t().unsqueeze(0), x.detach(), x * 2, x]


def under_no_grad(x):
    with torch.no_grad():
        y = x * 3
        v = x[0]
    return [y, v, x * y]


def parts(x):
    a, b = (x * 2).split(1)
    c, d = x.unbind(0)
    return [a, b, c, d]


def integers(x):
    return [x.argmax(1), x > 0, x.long(), x * (x > 0)]


def constants(x):
    zeros = torch.zeros(2)
    return [zeros, torch.arange(3), x + zeros[0], torch.ones(2, 3)]


def in_place(x):
    y = x * 2
    v = y[0]
    v.add_(1)
    y.sub_(x).mul_(3)
    z = torch.empty_like(y)
    z.copy_(y)
    return [y, v, z, torch.nn.functional.relu_(y * 3)]


def filled(x):
    out = torch.zeros(2, 3)
    out[0] = x[1]
    out[1, 1:] = x[0, :2] * 2
    return [out, out.sum()]


def with_gradient(x):
    y = (x.sin() * x).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return [y, g, (g * g).sum()]


def classifier(x):
    y = torch.nn.functional.layer_norm(x.relu(), (3,))
    return [torch.nn.functional.cross_entropy(y, torch.tensor([1, 0])), torch.nn.functional.softmax(y, 1)]


def of_items(x):
    rows = torch.tensor([1, 1, 0])
    return [x[rows], x[rows, torch.tensor([0, 2, 1])], x.index_select(1, rows), torch.nn.functional.embedding(rows, x)]


FUNCTIONS = [
    hidden_base, alone, of_input, under_no_grad, parts, integers, constants, in_place, filled, with_gradient,
    classifier, of_items,
]  # fmt: skip


@KERNELS
@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_and_gradients_agree(function, kernels, agree):
    agree(function, [drawn(2, 3)], kernels=kernels, tolerance=1e-5)


@KERNELS
@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_agree_without_gradients(function, kernels, agree):
    if function is not with_gradient:
        agree(function, [drawn(2, 3, grad=False)], kernels=kernels, tolerance=1e-5)


@KERNELS
def test_several_results_agree(kernels, agree):
    agree(several, [drawn(3, 4), drawn(4, 5)], kernels=kernels, tolerance=1e-5)
    agree(several, [drawn(3, 4), drawn(4, 5, grad=False)], kernels=kernels, tolerance=1e-5)


@KERNELS
@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16, torch.complex64])
def test_dtypes_agree(dtype, kernels, agree):
    tolerance = 1e-2 if dtype.itemsize == 2 else 1e-5
    x, w = drawn(3, 4, dtype=dtype), drawn(4, dtype=dtype)
    agree(lambda x, w: [(x * w).tanh() * 2 + x, x @ w, (x * w).sum()], [x, w], tolerance=tolerance, kernels=kernels)


@KERNELS
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0, 3), (1, 1), (2, 1, 3), (2, 3, 4, 5)])
def test_shapes_agree(shape, kernels, agree):
    agree(lambda x: [(x * 2).exp(), x.sum(), (x * x).mean() if x.numel() else x], [drawn(*shape)], kernels=kernels,
          tolerance=1e-5)  # fmt: skip


@KERNELS
def test_layouts_agree(kernels, agree):
    x = torch.randn(4, 3, 2).permute(2, 0, 1).requires_grad_()
    y = torch.randn(3).expand(2, 4, 3).requires_grad_()
    agree(lambda x, y: [x * y, (x + y).sum(0), x.exp()], [x, y], kernels=kernels, tolerance=1e-5)


def test_a_constant_is_new_at_each_call():
    segment = Segment(lambda x: [torch.zeros(2)], [drawn(2)])
    first = segment(drawn(2))[0].add_(1)
    assert torch.equal(segment(drawn(2))[0], torch.zeros(2))
    assert torch.equal(first, torch.ones(2))


def test_results_of_earlier_calls_stay():
    segment = Segment(lambda x: [x * 2, x.exp().sum()], [drawn(3)])
    inputs = [drawn(3) for _ in range(5)]
    made = [segment(x) for x in inputs]
    for x, (double, total) in zip(inputs, made, strict=True):
        assert torch.equal(double, x * 2)
        assert torch.allclose(total, x.exp().sum())


def test_the_node_has_the_name_of_pytorch():
    (y,) = Segment(lambda x: [x.exp()], [drawn(2)])(drawn(2))
    assert y.grad_fn.name() == "CompiledFunctionBackward"
    assert isinstance(y.grad_fn, CompiledFunctionBackward)


# ---- writes


@KERNELS
def test_writes_to_inputs_agree(kernels, agree):
    def function(x, y):
        x.mul_(2).add_(1)
        y[1:] = x[0]
        y.t()[0].fill_(3)
        return [x.sum(), y]

    agree(function, [drawn(2, 3, grad=False), drawn(3, 3, grad=False)], kernels=kernels, tolerance=1e-5)


@KERNELS
def test_writes_beside_gradients_agree(kernels, agree):
    def function(x, buffer):
        buffer.mul_(0.9).add_(x.detach().mean(0), alpha=0.1)
        return [x * buffer.clone()]

    agree(function, [drawn(2, 3), drawn(3, grad=False)], kernels=kernels, tolerance=1e-5)


def test_a_normalization_in_training_agrees(agree):
    def function(x, mean, variance):
        return [torch.nn.functional.batch_norm(x, mean, variance, None, None, True, 0.1, 1e-5)]

    agree(function, [drawn(4, 3), torch.zeros(3), torch.ones(3)], tolerance=1e-5)


def test_a_write_to_a_view_shows_in_its_base():
    base = torch.zeros(4)
    segment = Segment(lambda x: [x.add_(1).sum()], [base[:2]])
    segment(base[:2])
    assert base.tolist() == [1, 1, 0, 0]
    assert base._version == 1


def test_inputs_that_overlap_are_written_to_in_order():
    def function(x, y):
        x.add_(1)
        return [y * 2]

    segment = Segment(function, [torch.zeros(2), torch.zeros(2)])
    memory = torch.zeros(3)
    (made,) = segment(memory[:2], memory[1:])
    assert made.tolist() == [2, 0]


def test_a_write_that_would_need_a_history_is_refused():
    def function(x, y):
        x.mul_(y)
        return [x]

    with pytest.raises(Untraceable):
        Segment(function, [torch.zeros(2), drawn(2)])
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        Segment(lambda x: [x.add_(1)], [drawn(2)])


def test_construction_writes_to_nothing():
    x = torch.zeros(2)
    Segment(lambda x: [x.add_(1)], [x])
    assert x.tolist() == [0, 0]
    assert x._version == 0


def test_shapes_of_inputs_must_stay():
    with pytest.raises(Untraceable):
        Segment(lambda x: [x.unsqueeze_(0).sum()], [torch.zeros(2)])


# ---- between forward and backward


def eager_and_compiled(function, make):
    """Yields the results of the function and of its segment, each with inputs of its own."""
    segment = Segment(function, make())
    for run in (function, segment):
        inputs = make()
        yield inputs, run(*inputs)


def raised(action):
    try:
        action()
    except RuntimeError as error:
        return str(error).splitlines()[0]
    return None


@pytest.mark.parametrize("function", [lambda x, w: [x * w], lambda x, w: [x.exp() + w], lambda x, w: [x + w]])
@pytest.mark.parametrize("changed", ["input", "other", "result"])
def test_stale_values_are_refused_as_in_eager(function, changed):
    said = []
    for inputs, (y,) in eager_and_compiled(function, lambda: [drawn(2), drawn(2)]):
        with torch.no_grad():
            {"input": inputs[0], "other": inputs[1], "result": y}[changed].add_(1)
        said.append(raised(lambda y=y: y.sum().backward()))
    eager, compiled = said
    assert (eager is None) == (compiled is None)
    if eager is not None:
        assert compiled.startswith("one of the variables needed for gradient computation has been modified by an")
        assert "is at version 1; expected version 0" in compiled


def test_a_value_that_a_result_owns_is_refused_when_it_changed():
    segment = Segment(lambda x: [x.exp(), x.exp().sum()], [drawn(2)])
    result, total = segment(drawn(2))
    result.detach().add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        (result.sum() + total).backward()


@pytest.mark.parametrize("function", [lambda x: [x * x], lambda x: [x.exp()], lambda x: [x + 1], lambda x: [x.sum()]])
def test_a_second_pass_is_refused_as_in_eager(function):
    said = []
    for _, (y,) in eager_and_compiled(function, lambda: [drawn(2)]):
        y.sum().backward(retain_graph=True)
        y.sum().backward()
        said.append(raised(y.sum().backward))
    assert said[0] == said[1]


def test_values_are_let_go_by_backward_and_by_the_end_of_the_graph():
    segment = Segment(lambda x: [x.exp().sin().sum()], [drawn(64)])
    for backward in (True, False):
        middle = drawn(64) * 1
        alive = weakref.ref(middle)
        (y,) = segment(middle)
        del middle
        assert alive() is not None
        if backward:
            y.backward()
            assert y.grad_fn.saved != ()
        else:
            del y
        gc.disable()
        try:
            assert alive() is None
        finally:
            gc.enable()


def test_no_cycles_are_left():
    segment = Segment(lambda x, w: [(x @ w).tanh(), x.exp()], [drawn(3, 4), drawn(4, 5)])

    def run():
        a, b = segment(drawn(3, 4), drawn(4, 5))
        (a.sum() + b.sum()).backward()

    run()
    gc.collect()
    gc.disable()
    try:
        run()
        segment(drawn(3, 4), drawn(4, 5))
        assert gc.collect() == 0
    finally:
        gc.enable()


def some(x, w):
    return [(x * w).exp(), x.sin(), w * 2]


@KERNELS
@pytest.mark.parametrize("positions", [(0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2)])
def test_gradients_of_some_results(positions, kernels):
    segment = Segment(some, [drawn(3), drawn(3)], options={"kernels": kernels})
    for _ in range(2):
        x, w = drawn(3), drawn(3)
        gradients = []
        for results in (some(x, w), segment(x, w)):
            total = sum([results[at].sum() for at in positions])
            gradients.append(torch.autograd.grad(total, [x, w], allow_unused=True))
        for one, other in zip(*gradients, strict=True):
            assert (one is None) == (other is None)
            assert one is None or torch.allclose(one, other)


@KERNELS
def test_gradients_of_some_inputs(kernels):
    segment = Segment(some, [drawn(3), drawn(3)], options={"kernels": kernels})
    x, w = drawn(3), drawn(3)
    for leaf in (x, w):
        gradients = [
            torch.autograd.grad(results[0].sum() + results[2].sum(), [leaf])[0]
            for results in (some(x, w), segment(x, w))
        ]
        assert torch.allclose(*gradients)


@KERNELS
def test_gradients_accumulate_in_memory_of_their_own(kernels):
    segment = Segment(lambda x, y: [x + y], [drawn(3), drawn(3)], options={"kernels": kernels})
    x, y = drawn(3), drawn(3)
    g = torch.ones(3)
    for count in (1, 2):
        segment(x, y)[0].backward(g)
        assert x.grad.tolist() == y.grad.tolist() == [count] * 3
        assert g.tolist() == [1, 1, 1]
    x.grad.add_(1)
    assert y.grad.tolist() == [2] * 3
    segment(x, y)[0].sum().backward()
    assert y.grad.tolist() == [3] * 3


@KERNELS
def test_gradients_arrive_in_any_layout(kernels):
    function = lambda x: [x.exp()]  # noqa: E731
    segment = Segment(function, [drawn(3, 4)], options={"kernels": kernels})
    x = drawn(3, 4)
    for g in (torch.ones(()).expand(3, 4), torch.randn(4, 3).t(), torch.randn(6, 4)[::2], torch.randn(3, 4)):
        gradients = [torch.autograd.grad(run(x)[0], x, g)[0] for run in (function, segment)]
        assert torch.allclose(*gradients)


def test_inputs_with_a_history_get_gradients():
    segment = Segment(lambda h, x: [h * x], [drawn(3) * 1, drawn(3)])
    x = drawn(3)
    h = x.sin()
    gradients = []
    for run in (lambda h, x: [h * x], segment):
        (first,) = torch.autograd.grad(run(h, x)[0].sum(), x, create_graph=True)
        gradients += [first, *torch.autograd.grad(first.sum(), x, retain_graph=True)]
    assert torch.allclose(gradients[0], gradients[2])
    assert torch.allclose(gradients[1], gradients[3])


@KERNELS
def test_second_derivatives_pass_the_check(kernels):
    def function(x, w):
        return [(x @ w).tanh(), (x * x).sum()]

    inputs = [drawn(2, 3, dtype=torch.float64), drawn(3, 2, dtype=torch.float64)]
    segment = Segment(function, inputs, options={"kernels": kernels})
    call = lambda *tensors: tuple(segment(*tensors))  # noqa: E731
    assert torch.autograd.gradcheck(call, inputs)
    assert torch.autograd.gradgradcheck(call, inputs)


@KERNELS
@pytest.mark.parametrize("positions", [(0, 1, 2), (0,), (1, 2)])
def test_draws_are_those_of_eager_calls(positions, kernels):
    def function(x, w):
        return [torch.nn.functional.dropout(x * w), torch.nn.functional.dropout(x, 0.3) * w, w.exp()]

    segment = Segment(function, [drawn(5, 5), drawn(5, 5)], options={"kernels": kernels})
    x, w = drawn(5, 5), drawn(5, 5)
    for create_graph in (False, True):
        outcomes = []
        for run in (function, segment):
            torch.manual_seed(3)
            results = run(x, w)
            total = sum([(results[at] * results[at]).sum() for at in positions])
            after = torch.rand(1)
            outcomes.append([*torch.autograd.grad(total, [x, w], create_graph=create_graph), after])
        for one, other in zip(*outcomes, strict=True):
            assert torch.allclose(one, other)


# ---- hooks and modes


def test_hooks_see_what_they_see_in_eager():
    def function(x):
        return [x.exp(), x * 2]

    seen = []
    for (x,), (y, z) in eager_and_compiled(function, lambda: [torch.ones(2, requires_grad=True)]):
        y.register_hook(lambda g: seen.append(g.tolist()) or g * 2)
        z.retain_grad()
        y.grad_fn.register_hook(lambda inputs, outputs: seen.append(len(inputs)))
        (y.sum() + z.sum()).backward()
        seen.append((x.grad, z.grad))
    assert seen[0] == seen[3] == [1, 1]
    assert torch.allclose(seen[2][0], seen[5][0])
    assert torch.equal(seen[2][1], seen[5][1])


def test_other_modes_run_the_function():
    calls = []

    def function(x):
        calls.append(torch.is_grad_enabled())
        return [x * x]

    segment = Segment(function, [drawn(2)])
    x = drawn(2)
    calls.clear()
    segment(x)
    assert calls == []
    with torch.no_grad():
        assert not segment(x)[0].requires_grad
    with torch.inference_mode():
        assert segment(x)[0].is_inference()
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        segment(x)
    assert len(calls) == 3
    assert packed


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_segments_of_other_modes(mode, agree):
    with mode():
        segment = Segment(lambda x: [x.exp(), x[0]], [drawn(2, 3)])
        x = drawn(2, 3)
        made, view = segment(x)
        assert torch.allclose(made, x.exp())
        assert made.is_inference() == (mode is torch.inference_mode)
        assert view._storage is x._storage


def test_anomalies_are_found():
    (y,) = Segment(lambda x: [x.sqrt() * 0], [drawn(1)])(torch.zeros(1, requires_grad=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="returned nan values"):
            y.backward()


def test_autocast_is_part_of_the_segment(agree):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        agree(lambda x, w: [x @ w], [drawn(2, 3), drawn(3, 2)], tolerance=1e-2, second=False)


# ---- what cannot be compiled


@pytest.mark.parametrize(
    "function",
    [
        lambda x: [x * x.sum().item()],
        lambda x: [x if x.sum() > 0 else -x],
        lambda x: [x[x > 0]],
        lambda x: [torch.rand_like(x)],
        lambda x: [x.nonzero()],
        lambda x: [torch.zeros(2, requires_grad=True)],
    ],
)
def test_what_depends_on_elements_is_refused(function):
    with pytest.raises(RuntimeError):
        Segment(function, [drawn(2)])


def test_a_tensor_with_a_history_must_be_an_input():
    w = drawn(2)
    with pytest.raises(Untraceable, match="not an input"):
        Segment(lambda x: [x * w], [drawn(2)])


# ---- what is saved


def saved_by(function, *inputs, kernels=True):
    """Returns how many values in between a node saves."""
    return len(Segment(function, inputs, options={"kernels": kernels}).derivative.extra)


def test_cheap_values_are_computed_again_where_there_are_kernels():
    pytest.importorskip("llvmlite")
    x = drawn(3)
    assert saved_by(lambda x: [((x * 2 + 1) * x).sum()], x) == 0
    assert saved_by(lambda x: [((x * 2 + 1) * x).sum()], x, kernels=False) == 1
    assert saved_by(lambda x: [(x.exp() * x).sum()], x) == 1  # a function that costs more
    assert saved_by(lambda x, w: [((x + w) * x).sum()], x, drawn(3)) == 1  # `w` is not saved otherwise


@KERNELS
@pytest.mark.parametrize("positions", [(0,), (1,), (0, 1)])
def test_values_that_are_computed_again_agree(positions, kernels):
    def function(x, w):
        y = (x * 2 + w) * w
        z = torch.where(y > 0, y, x * 0.5)
        return [(z * y).sum(0), (y.t() * y).sin()]

    inputs = [drawn(3, 3, dtype=torch.float64), drawn(3, 3, dtype=torch.float64)]
    segment = Segment(function, inputs, options={"kernels": kernels})
    gradients = []
    for run in (function, segment):
        results = run(*inputs)
        total = sum([results[at].sum() for at in positions])
        gradients.append(torch.autograd.grad(total, inputs, retain_graph=True))
    for one, other in zip(*gradients, strict=True):
        assert torch.allclose(one, other)
    assert torch.autograd.gradgradcheck(lambda *tensors: tuple(segment(*tensors)), inputs)


@KERNELS
def test_integers_are_promoted(kernels, agree):
    target = torch.full((2, 3), 2)
    agree(lambda x, y: [torch.nn.functional.mse_loss(x, y), x * y], [drawn(2, 3), target], kernels=kernels,
          tolerance=1e-5)  # fmt: skip


@pytest.mark.parametrize("kernels", [True, False])
def test_constants_among_the_results_beside_a_derivative(kernels):
    """They are numbered alike in the trace of the function and in that of its gradients."""

    def function(x, p):
        first, last = x.new_full((2, 3), 2.0), x.new_zeros(3)
        return [first, x * x + 1, p * 2, last]

    x, p = torch.full((2, 3), 3.0), torch.ones(2, 3, requires_grad=True)
    segment = Segment(function, [x, p], options={"kernels": kernels})
    for _ in range(3):
        results = segment(x, p)
        for result, wanted in zip(results, function(x, p), strict=True):
            assert torch.equal(result, wanted)
        (gradient,) = torch.autograd.grad(results[2].sum(), p)
        assert torch.equal(gradient, torch.full((2, 3), 2.0))
