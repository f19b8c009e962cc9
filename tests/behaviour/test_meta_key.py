"""Operations remember that two tensors have the same shape and dtype; what becomes of that when one of them changes."""

import numpy as np
import pytest


def to_column(torch, x):
    x.data = torch.arange(3.0).reshape(3, 1)


def to_other_memory(torch, x):
    with torch.no_grad():
        x.set_(torch.arange(3.0).reshape(3, 1))


def to_fewer_elements(torch, x):
    x.resize_(1)


def to_row(torch, x):
    x.unsqueeze_(0)


def to_many_rows(torch, x):
    torch.add(torch.ones(2, 1), torch.arange(3.0), out=x.resize_(0))


def to_another_dtype(torch, x):
    x.data = torch.arange(3, dtype=torch.float64)


WAYS = [to_column, to_other_memory, to_fewer_elements, to_row, to_many_rows, to_another_dtype]


@pytest.mark.parametrize("change", WAYS)
@pytest.mark.parametrize("first", [True, False], ids=["first operand", "second operand"])
def test_a_tensor_that_changed_is_looked_at_anew(torch, change, first):
    w, x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.tensor([4.0, 5.0, 6.0])
    multiplied = (lambda: x * w) if first else (lambda: w * x)
    multiplied().sum().backward()
    multiplied().sum().backward()
    w.grad = None
    change(torch, x)
    result = multiplied()
    result.sum().backward()
    factors = np.broadcast_to(x.numpy(), result.shape)
    assert result.dtype == torch.result_type(x, w) and w.grad.dtype == torch.float32
    assert w.grad.tolist() == factors.reshape(-1, 3).sum(0).tolist()


def test_matrices_transposed_in_place(torch):
    w, x = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3)
    (w + x).sum().backward()
    x.t_()
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(3\) must match the size of tensor b \(2\)"):
        (w + x).sum()


def test_results_and_copies_of_tensors_with_one_meta_key(torch):
    x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    result = x * y
    half = result.detach().half()
    scaled = result * half  # promoted
    (scaled + x[:1]).sum().backward()
    assert x.grad.tolist() == [4.0, 1.0, 1.0] and y.grad.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("change", WAYS)
def test_a_gradient_that_changed_is_looked_at_anew(torch, change):
    parameter, gradient = torch.ones(3, requires_grad=True), torch.tensor([4.0, 5.0, 6.0])
    for _ in range(2):  # the second time the two are known to be alike
        parameter.grad = gradient
    parameter.grad = None
    change(torch, gradient)
    if gradient.shape == (3,) and gradient.dtype == torch.float32:
        parameter.grad = gradient
    else:
        with pytest.raises(RuntimeError, match="attempting to assign a gradient"):
            parameter.grad = gradient
        assert parameter.grad is None


def test_a_parameter_that_changed_is_looked_at_anew(torch):
    parameter, gradient = torch.ones(3, requires_grad=True), torch.ones(3)
    for _ in range(2):
        parameter.grad = gradient
    parameter.grad = None
    parameter.data = torch.ones(3, 1)
    with pytest.raises(RuntimeError, match=r"of size '\[3\]' to a tensor of size '\[3, 1\]'"):
        parameter.grad = gradient
    parameter.grad = torch.ones(3, 1)
    assert (parameter * gradient).shape == (3, 3)
