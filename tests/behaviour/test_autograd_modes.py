"""Grad modes: as contexts, as calls, as decorators, around generators and threads; and inference mode."""

import subprocess
import sys
import threading

import pytest


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


# --- contexts and calls -------------------------------------------------------------------------------------------


def test_nothing_is_recorded_under_no_grad(torch):
    x = leaf(torch, 2.0)
    with torch.no_grad():
        y = x * 2
        assert not torch.is_grad_enabled()
    assert not y.requires_grad and y.grad_fn is None and y.is_leaf
    assert torch.is_grad_enabled()


def test_enable_grad_inside_no_grad(torch):
    x = leaf(torch, 2.0)
    with torch.no_grad():
        with torch.enable_grad():
            inner = x * 2
        outer = x * 2
    assert inner.requires_grad and not outer.requires_grad


def test_set_grad_enabled_as_a_context(torch):
    x = leaf(torch, 2.0)
    for enabled in (False, True):
        with torch.set_grad_enabled(enabled):
            assert (x * 2).requires_grad is enabled
        assert torch.is_grad_enabled()


def test_set_grad_enabled_acts_at_once_as_a_call(torch):
    x = leaf(torch, 2.0)
    try:
        torch.set_grad_enabled(False)
        assert not (x * 2).requires_grad
    finally:
        torch.set_grad_enabled(True)
    assert (x * 2).requires_grad


def test_set_grad_enabled_undoes_itself_as_a_decorator(torch):
    @torch.set_grad_enabled(False)
    def evaluate():
        return torch.is_grad_enabled()

    assert torch.is_grad_enabled()
    assert evaluate() is False
    assert torch.is_grad_enabled()


def test_set_grad_enabled_kept_in_a_variable_undoes_itself_when_it_decorates(torch):
    decorator = torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()

    @decorator
    def evaluate():
        return torch.is_grad_enabled()

    assert torch.is_grad_enabled() and evaluate() is False


def test_set_grad_enabled_takes_a_bool(torch):
    with pytest.raises(
        TypeError, match=r"^set_grad_enabled\(\): argument 'enabled' \(position 1\) must be bool, not str"
    ):
        torch.set_grad_enabled("no")
    assert torch.is_grad_enabled()


def test_an_exception_restores_the_mode(torch):
    with pytest.raises(KeyError), torch.no_grad():
        raise KeyError
    assert torch.is_grad_enabled()


def test_a_tensor_made_under_no_grad_may_require_grad(torch):
    with torch.no_grad():
        x = leaf(torch, 2.0)
    assert x.requires_grad and (x * 2).requires_grad


def test_backward_works_under_no_grad(torch):
    x = leaf(torch, 3.0)
    y = x * x
    with torch.no_grad():
        y.backward()
    assert x.grad.item() == 6.0


def test_create_graph_records_under_no_grad(torch):
    x = leaf(torch, 3.0)
    y = x**3
    with torch.no_grad():
        (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert second.item() == 18.0


# --- decorators ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parentheses", [True, False])
def test_no_grad_as_a_decorator(torch, parentheses):
    mode = torch.no_grad() if parentheses else torch.no_grad

    @mode
    def evaluate(x):
        """Twice the input."""
        return x * 2

    assert not evaluate(leaf(torch, 1.0)).requires_grad
    assert torch.is_grad_enabled()
    assert (evaluate.__name__, evaluate.__doc__) == ("evaluate", "Twice the input.")


def test_enable_grad_as_a_decorator(torch):
    @torch.enable_grad()
    def record(x):
        return x * 2

    with torch.no_grad():
        assert record(leaf(torch, 1.0)).requires_grad
        assert not torch.is_grad_enabled()


def test_a_decorated_function_may_recurse_and_raise(torch):
    @torch.no_grad()
    def countdown(number):
        assert not torch.is_grad_enabled()
        if number == 0:
            raise LookupError("bottom")
        countdown(number - 1)

    for _ in range(2):
        with pytest.raises(LookupError):
            countdown(3)
        assert torch.is_grad_enabled()


def test_a_decorated_method(torch):
    class Model:
        @torch.no_grad()
        def evaluate(self, x, *, factor):
            return x * factor

    assert not Model().evaluate(leaf(torch, 1.0), factor=3).requires_grad


# --- generators ---------------------------------------------------------------------------------------------------


def test_a_decorated_generator_swaps_the_mode_at_every_yield(torch):
    @torch.no_grad()
    def batches():
        for number in range(3):
            assert not torch.is_grad_enabled()
            yield number

    collected = []
    for number in batches():
        assert torch.is_grad_enabled()
        collected.append(number)
    assert collected == [0, 1, 2]


def test_send_and_return_of_a_decorated_generator(torch):
    @torch.no_grad()
    def conversation():
        received = yield "first"
        assert not torch.is_grad_enabled()
        received = yield received * 2
        return received + 1

    talk = conversation()
    assert next(talk) == "first"
    assert talk.send(5) == 10
    assert torch.is_grad_enabled()
    with pytest.raises(StopIteration) as stop:
        talk.send(6)
    assert stop.value.value == 7 and torch.is_grad_enabled()


def test_throw_reaches_a_decorated_generator_in_its_own_mode(torch):
    modes = []

    @torch.no_grad()
    def stubborn():
        try:
            yield 1
        except ValueError:
            modes.append(torch.is_grad_enabled())
        yield 2

    numbers = stubborn()
    next(numbers)
    assert numbers.throw(ValueError()) == 2
    assert modes == [False] and torch.is_grad_enabled()
    with pytest.raises(KeyError):
        numbers.throw(KeyError())
    assert torch.is_grad_enabled()


def test_close_reaches_a_decorated_generator_in_its_own_mode(torch):
    modes = []

    @torch.no_grad()
    def tidy():
        try:
            yield 1
        finally:
            modes.append(torch.is_grad_enabled())

    numbers = tidy()
    next(numbers)
    numbers.close()
    assert modes == [False] and torch.is_grad_enabled()


def test_the_callers_mode_is_the_one_that_comes_back(torch):
    @torch.enable_grad()
    def numbers():
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()

    generator = numbers()
    assert next(generator) is True
    with torch.no_grad():
        assert next(generator) is True
        assert not torch.is_grad_enabled()


def test_a_decorated_generator_stays_lazy(torch):
    started = []

    @torch.no_grad()
    def lazy():
        started.append(True)
        yield 1

    generator = lazy()
    assert started == []
    assert list(generator) == [1] and started == [True]


def test_inference_mode_wraps_generators_too(torch):
    @torch.inference_mode()
    def batches():
        yield torch.ones(2)
        yield torch.ones(2)

    for batch in batches():
        assert batch.is_inference() and not torch.is_inference_mode_enabled()


# --- threads ------------------------------------------------------------------------------------------------------


def test_each_thread_has_its_own_mode(torch):
    modes = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: modes.append(torch.is_grad_enabled()))
        thread.start()
        thread.join(20)
    assert modes == [True]


# --- inference mode -----------------------------------------------------------------------------------------------


def inference_tensor(torch, values):
    with torch.inference_mode():
        return torch.tensor(values)


def test_inference_mode_records_nothing_and_marks_its_tensors(torch):
    x = leaf(torch, [1.0, 2.0])
    with torch.inference_mode():
        y = x * 2
        assert torch.is_inference_mode_enabled() and not torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled() and torch.is_grad_enabled()
    assert y.is_inference() and not y.requires_grad and y.is_leaf
    assert not x.is_inference()


@pytest.mark.parametrize("parentheses", [True, False])
def test_inference_mode_as_a_decorator(torch, parentheses):
    mode = torch.inference_mode() if parentheses else torch.inference_mode

    @mode
    def evaluate(x):
        return x * 2

    assert evaluate(leaf(torch, 1.0)).is_inference()
    assert not torch.is_inference_mode_enabled()


def test_inference_mode_can_be_switched_off_inside(torch):
    with torch.inference_mode():
        with torch.inference_mode(False):
            assert not torch.is_inference_mode_enabled() and torch.is_grad_enabled()
            assert not torch.ones(2).is_inference()
        assert torch.is_inference_mode_enabled()


def test_enable_grad_does_not_record_inside_inference_mode(torch):
    x = leaf(torch, 1.0)
    with torch.inference_mode(), torch.enable_grad():
        assert not (x * 2).requires_grad


def test_inference_tensors_have_no_version(torch):
    y = inference_tensor(torch, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="^Inference tensors do not track version counter."):
        _ = y._version


def test_inference_tensors_cannot_be_saved_for_backward(torch):
    x, y = leaf(torch, [1.0, 2.0]), inference_tensor(torch, [3.0, 4.0])
    with pytest.raises(
        RuntimeError,
        match="^Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
        "computation tracked by autograd.",
    ):
        _ = x * y


def test_inference_tensors_may_take_part_where_nothing_is_saved(torch):
    x, y = leaf(torch, [1.0, 2.0]), inference_tensor(torch, [3.0, 4.0])
    (x + y).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    with torch.no_grad():
        assert (x * y).tolist() == [3.0, 8.0]


def test_a_clone_of_an_inference_tensor_is_a_normal_one(torch):
    x, y = leaf(torch, [1.0, 2.0]), inference_tensor(torch, [3.0, 4.0])
    normal = y.clone()
    assert not normal.is_inference()
    (x * normal).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]


def test_a_result_of_an_inference_tensor_outside_is_a_normal_one(torch):
    y = inference_tensor(torch, [3.0, 4.0]) + 1
    assert not y.is_inference() and y._version == 0


@pytest.mark.parametrize(
    "write",
    [lambda torch, y: y.add_(1), lambda torch, y: y.view(2, 1).add_(1), lambda torch, y: torch.add(y, 1, out=y)],
    ids=["itself", "view", "out"],
)
def test_inference_tensors_cannot_be_changed_outside(torch, write):
    y = inference_tensor(torch, [3.0, 4.0])
    with pytest.raises(RuntimeError, match="^Inplace update to inference tensor outside InferenceMode is not allowed."):
        write(torch, y)


def test_inference_tensors_can_be_changed_inside(torch):
    y = inference_tensor(torch, [3.0, 4.0])
    with torch.inference_mode():
        y.add_(1)
        y[0] = 0.0
    assert y.tolist() == [0.0, 5.0]


def test_inference_tensors_cannot_start_to_require_grad_outside(torch):
    y = inference_tensor(torch, [3.0, 4.0])
    message = "^Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
    with pytest.raises(RuntimeError, match=message):
        y.requires_grad_()
    with pytest.raises(RuntimeError, match=message):
        y.requires_grad = True


def test_views_and_detached_inference_tensors_are_inference_tensors(torch):
    y = inference_tensor(torch, [3.0, 4.0])
    assert y.view(2, 1).is_inference() and y.detach().is_inference() and y[0].is_inference()


def test_normal_tensors_stay_normal_inside(torch):
    y = torch.ones(2)
    with torch.inference_mode():
        y.add_(1)
        assert not y.view(2, 1).is_inference()
    assert not y.is_inference() and y._version == 1


def test_a_normal_tensor_may_be_updated_with_an_inference_tensor(torch):
    y = inference_tensor(torch, [3.0, 4.0])
    total = torch.zeros(2)
    total += y
    total.copy_(y)
    assert total.tolist() == [3.0, 4.0]


def test_a_view_made_in_inference_mode_may_not_be_written_to_outside(torch):
    hidden = leaf(torch, [1.0, 2.0]) * 1
    with torch.inference_mode():
        view = hidden[:1]
    with pytest.raises(
        RuntimeError,
        match="^A view was created in inference mode and is being modified inplace in normal mode. Given that this use "
        "case is ambiguous and error-prone, it is forbidden.",
    ):
        view.add_(1)


def test_a_parameter_may_be_updated_in_inference_mode(torch):
    x = leaf(torch, [1.0, 2.0])
    with torch.inference_mode():
        x.sub_(1)
    assert x.tolist() == [0.0, 1.0] and x.requires_grad and not x.is_inference()


# --- modes and training mode --------------------------------------------------------------------------------------


def test_eval_changes_layers_and_does_not_stop_gradients(torch):
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.Dropout(0.5))
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    model.eval()
    y = model(x)
    assert y.requires_grad and torch.allclose(y, x, atol=1e-4)


def test_no_grad_stops_gradients_and_does_not_change_layers(torch):
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(2))
    with torch.no_grad():
        y = model(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert not y.requires_grad and model.training
    assert torch.allclose(y, torch.tensor([[-1.0, -1.0], [1.0, 1.0]]), atol=1e-4)
    assert torch.allclose(model[0].running_mean, torch.tensor([0.2, 0.3]))


CONVERTED = """
import math, warnings, {torch} as torch
t = torch.tensor(1.5, requires_grad=True)
with warnings.catch_warnings(record=True) as said:
    for _ in range(2):
        {convert}
    with torch.no_grad():
        {convert}
    t.item(), int(t), bool(t), f"{{t:.2f}}", t.tolist()
print(len(said), str(said[0].message).partition(" may ")[0], said[0].lineno)
"""


@pytest.mark.parametrize("convert", ["float(t)", "complex(t * 2)", "math.sqrt(t)", "torch.tensor([t, 2.0])"])
def test_a_number_made_of_what_is_recorded_is_warned_of(torch, convert):
    """In a process of its own: PyTorch says so once."""
    program = CONVERTED.format(torch=torch.__name__, convert=convert)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert result.stdout == "1 Converting a tensor with requires_grad=True to a scalar 6\n"
