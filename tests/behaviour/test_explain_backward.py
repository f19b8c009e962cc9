"""`explain_backward(y, gradient)`: the product that backward computes, with its numbers."""

import pytest

import rushlight as torch
from rushlight.explain.backward_product import explain_product


def test_row_by_row(capsys):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    torch.explain_backward(y, torch.tensor([1.0, 10.0]))
    lines = capsys.readouterr().out.split("\n")
    assert lines[0] == "`y.backward(gradient)` with y of shape (2,):"
    assert "v = [1, 10]" in lines[1]
    assert lines[3].split() == ["y[0]", "2", "0", "|", "1"]
    assert lines[4].split() == ["y[1]", "0", "4", "|", "10"]
    assert lines[5].strip() == "x.grad[0] = v[0]*dy[0]/dx[0] + v[1]*dy[1]/dx[0]"
    assert lines[6].strip() == "= 1*2 + 10*0 = 2"
    assert x.grad is None


@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (2, 2)])
def test_the_numbers_are_those_of_backward(shape):
    torch.manual_seed(0)
    x = torch.randn(shape, requires_grad=True)
    y = torch.tanh(x) * x.sum()
    gradient = torch.randn(shape)
    facts = explain_product(y, gradient, {"x": x, "y": y}).facts["leaves"]["x"]
    y.backward(gradient)
    assert torch.allclose(torch.tensor(facts["grad"]), x.grad)
    rows = torch.tensor(facts["jacobian"])
    assert torch.allclose(gradient.reshape(1, -1).double() @ rows.double(), x.grad.reshape(1, -1).double())


def test_large_tensors_are_reported_by_their_lengths():
    w = torch.ones(50, 40, requires_grad=True)
    loss = (w * w).sum()
    text = str(explain_product(loss, None, {"w": w}))
    assert "a matrix of 1 row and 2,000 columns, which is never built" in text
    assert "|w.grad| = 89.44" in text
    assert len(text.split("\n")) < 6


def test_a_scalar_needs_no_gradient_and_several_numbers_do():
    w = torch.ones(3, requires_grad=True)
    assert "it weighs 1" in str(explain_product(w.sum(), None, {}))
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        torch.explain_backward(w * 2)


def test_the_graph_is_kept():
    w = torch.ones(3, requires_grad=True)
    y = w * w
    torch.explain_backward(y, torch.ones(3))
    y.sum().backward()
    assert w.grad.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("dtype", [torch.complex64, torch.bfloat16, torch.float64])
def test_every_dtype_with_gradients_can_be_shown(dtype):
    x = torch.ones(2, dtype=dtype, requires_grad=True)
    text = str(explain_product(x * 2, torch.ones(2, dtype=dtype), {"x": x}))
    assert ("x.grad[0] = " if dtype.is_floating_point else "|x.grad| = 2.828") in text
    (x * 2).backward(torch.ones(2, dtype=dtype))
    assert "of norm 2.828" in str(torch.explain(x))
