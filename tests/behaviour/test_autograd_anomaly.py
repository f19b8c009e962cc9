"""Anomaly mode: which node, which output, and which line of the program went wrong."""

import inspect
import warnings

import pytest


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


def forward_pass(x):
    root = x.sqrt()
    return root * 0


LINE_OF_SQRT = inspect.getsourcelines(forward_pass)[1] + 1


def failing(program):
    """The error that `program` raises, and the warnings on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(Exception) as failure:
            program()
    return failure.value, [str(warning.message) for warning in caught if warning.category is UserWarning]


def test_the_node_the_output_and_the_line_of_the_forward_call_are_named(torch):
    def program():
        with torch.autograd.detect_anomaly():
            forward_pass(leaf(torch, 0.0)).backward()

    error, messages = failing(program)
    assert isinstance(error, RuntimeError)
    assert str(error).splitlines()[0] == "Function 'SqrtBackward0' returned nan values in its 0th output."
    assert messages[0].startswith("Anomaly Detection has been enabled. This mode will increase the runtime and should")
    head, *trace = messages[1].splitlines()
    assert head == "Error detected in SqrtBackward0. Traceback of forward call that caused the error:"
    where = [line for line in trace if f"line {LINE_OF_SQRT}, in forward_pass" in line]
    assert len(where) == 1 and __file__ in where[0]
    assert trace[trace.index(where[0]) + 1].strip() == "root = x.sqrt()"


def test_the_index_counts_the_inputs_of_the_operation(torch):
    def program():
        x = leaf(torch, 0.0)
        with torch.autograd.detect_anomaly():
            (torch.tensor(1.0) * (x.detach() / x)).backward()

    error, _ = failing(program)
    assert str(error).startswith("Function 'DivBackward0' returned nan values in its 1th output.")


def test_a_custom_function_is_named(torch):
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx, first, second):
            return first + second

        @staticmethod
        def backward(ctx, gradient):
            return gradient, gradient * float("nan")

    def program():
        with torch.autograd.detect_anomaly():
            Broken.apply(leaf(torch, 1.0), leaf(torch, 2.0)).backward()

    error, messages = failing(program)
    assert str(error).startswith("Function 'BrokenBackward' returned nan values in its 1th output.")
    assert messages[1].startswith("Error detected in BrokenBackward. Traceback of forward call that caused the error:")


def test_an_error_in_a_custom_backward_is_traced_too(torch):
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return value * 1

        @staticmethod
        def backward(ctx, gradient):
            raise LookupError("my own")

    def program():
        with torch.autograd.detect_anomaly():
            Broken.apply(leaf(torch, 1.0)).backward()

    error, messages = failing(program)
    assert isinstance(error, LookupError)
    assert messages[1].startswith("Error detected in BrokenBackward. Traceback of forward call that caused the error:")
    assert "Broken.apply(leaf(torch, 1.0)).backward()" in messages[1]


def test_a_value_changed_in_place_points_to_the_forward_call(torch):
    def program():
        with torch.autograd.detect_anomaly():
            x = leaf(torch, 1.0)
            y = x.exp()
            y.add_(1)
            y.backward()

    error, messages = failing(program)
    assert str(error).startswith("one of the variables needed for gradient computation has been modified by an inplace")
    assert "Hint: the backtrace further above shows the operation that failed to compute its gradient." in str(error)
    assert messages[1].startswith("Error detected in ExpBackward0.") and "y = x.exp()" in messages[1]


def test_a_second_backward_points_to_the_forward_call(torch):
    def program():
        with torch.autograd.detect_anomaly():
            x = leaf(torch, 1.0)
            y = x * x
            y.backward()
            y.backward()

    error, messages = failing(program)
    assert str(error).startswith("Trying to backward through the graph a second time")
    assert messages[1].startswith("Error detected in MulBackward0.") and "y = x * x" in messages[1]


def test_a_forward_outside_the_mode_leaves_no_trace(torch):
    def program():
        y = forward_pass(leaf(torch, 0.0))
        with torch.autograd.detect_anomaly():
            y.backward()

    error, messages = failing(program)
    assert str(error).startswith("Function 'SqrtBackward0' returned nan values in its 0th output.")
    assert messages[1].startswith(
        "Error detected in SqrtBackward0. No forward pass information available. Enable detect anomaly during forward "
        "pass for more information."
    )


def test_without_the_nan_check_a_nan_passes(torch):
    x = leaf(torch, 0.0)
    with (
        pytest.warns(UserWarning, match="^Anomaly Detection has been enabled."),
        torch.autograd.detect_anomaly(check_nan=False),
    ):
        forward_pass(x).backward()
    assert x.grad.isnan().item()


def test_without_the_mode_a_nan_passes(torch):
    x = leaf(torch, 0.0)
    forward_pass(x).backward()
    assert x.grad.isnan().item()


def test_a_nan_in_the_gradient_argument_is_caught_at_the_first_node(torch):
    def program():
        with torch.autograd.detect_anomaly():
            (leaf(torch, [1.0, 2.0]) * 2).backward(torch.tensor([float("nan"), 1.0]))

    error, _ = failing(program)
    assert str(error).startswith("Function 'MulBackward0' returned nan values in its 0th output.")


def test_a_nan_in_a_second_derivative_is_caught(torch):
    def program():
        x = leaf(torch, 0.0)
        with torch.autograd.detect_anomaly():
            (first,) = torch.autograd.grad(x**2 + x.detach(), x, create_graph=True)
            first.sqrt().mul(0).backward()

    error, messages = failing(program)
    assert str(error).startswith("Function 'SqrtBackward0' returned nan values in its 0th output.")
    assert "first.sqrt().mul(0).backward()" in messages[1]


def test_nodes_made_by_a_backward_name_the_forward_call_that_induced_them(torch):
    def program():
        with torch.autograd.detect_anomaly():
            x = leaf(torch, 0.0)
            y = x**1.5
            (first,) = torch.autograd.grad(y, x, create_graph=True)
            (second,) = torch.autograd.grad(first, x, create_graph=True)
            (second * 0).backward()

    error, messages = failing(program)
    assert "returned nan values" in str(error)
    induced = [text for text in messages if text.lstrip().startswith("Previous calculation was induced by ")]
    assert induced and "PowBackward0. Traceback of forward call that induced the previous calculation:" in induced[-1]
    assert "y = x**1.5" in induced[-1]


def test_grad_is_untouched_by_a_caught_nan(torch):
    x = leaf(torch, 0.0)

    def program():
        with torch.autograd.detect_anomaly():
            forward_pass(x).backward()

    failing(program)
    assert x.grad is None
    (x * 2).backward()
    assert x.grad.item() == 2.0


def test_set_detect_anomaly_as_a_call(torch):
    assert not torch.is_anomaly_enabled() and torch.is_anomaly_check_nan_enabled()
    try:
        torch.autograd.set_detect_anomaly(True)
        assert torch.is_anomaly_enabled() and torch.is_anomaly_check_nan_enabled()
        torch.autograd.set_detect_anomaly(True, check_nan=False)
        assert torch.is_anomaly_enabled() and not torch.is_anomaly_check_nan_enabled()
    finally:
        torch.autograd.set_detect_anomaly(False)
    assert not torch.is_anomaly_enabled()


def test_set_detect_anomaly_as_a_context_is_silent_and_restores(torch):
    with torch.autograd.set_detect_anomaly(True):
        assert torch.is_anomaly_enabled()
    assert not torch.is_anomaly_enabled()


def test_an_exception_restores_the_mode(torch):
    def program():
        with torch.autograd.detect_anomaly():
            raise KeyError

    failing(program)
    assert not torch.is_anomaly_enabled()
