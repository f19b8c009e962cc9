"""Programs with a mistake: PyTorch's exception and first line, gradients left alone, and under rushlight a note."""

import copy
import re

import pytest


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


def vector_without_gradient(torch, x):
    (x * 2).backward()


def gradient_of_another_shape(torch, x):
    (x * 2).sum().backward(torch.ones(3))


def no_history(torch, x):
    torch.ones(1).backward()


def detached_loss(torch, x):
    (x * 2).sum().detach().backward()


def loss_under_no_grad(torch, x):
    with torch.no_grad():
        loss = (x * 2).sum()
    loss.backward()


def second_backward(torch, x):
    loss = (x * x).sum()
    torch.autograd.grad(loss, x)
    loss.backward()


def unused_input(torch, x):
    torch.autograd.grad(torch.ones(1, requires_grad=True).sum(), x)


def saved_result_overwritten(torch, x):
    y = x.exp()
    y += 1
    y.sum().backward()


def saved_input_overwritten(torch, x):
    hidden = x.clone()
    y = hidden * hidden
    hidden[0] = 0.0
    y.sum().backward()


def leaf_written(torch, x):
    x += 1


def element_of_leaf_written(torch, x):
    x[0] = 5.0


def part_written(torch, x):
    first, _ = x.clone().unbind()
    first.add_(1)


def numpy_of_a_leaf(torch, x):
    x.numpy()


def numpy_of_a_result(torch, x):
    (x * 2).numpy()


def frozen_result(torch, x):
    (x * 2).requires_grad = False


def integers_that_require_grad(torch, x):
    torch.tensor([1, 2], requires_grad=True)


def deep_copy_of_a_result(torch, x):
    copy.deepcopy(x * 2)


def grad_of_another_size(torch, x):
    x.grad = torch.ones(5)


def inference_tensor_saved(torch, x):
    with torch.inference_mode():
        y = x * 2
    return x * y


def hook_on_a_constant(torch, x):
    torch.ones(2).register_hook(print)


def missing_gradient_in_a_function(torch, x):
    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx, first, second):
            return first + second

        @staticmethod
        def backward(ctx, gradient):
            return gradient

    Sum.apply(x, x).sum().backward()


MODIFIED = "one of the variables needed for gradient computation has been modified by an inplace operation: "
NO_GRADIENT = "element 0 of tensors does not require grad and does not have a grad_fn"

MISTAKES = {
    vector_without_gradient: (RuntimeError, "grad can be implicitly created only for scalar outputs"),
    gradient_of_another_shape: (
        RuntimeError,
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of torch.Size([]).",
    ),
    no_history: (RuntimeError, NO_GRADIENT),
    detached_loss: (RuntimeError, NO_GRADIENT),
    loss_under_no_grad: (RuntimeError, NO_GRADIENT),
    second_backward: (RuntimeError, "Trying to backward through the graph a second time"),
    unused_input: (
        RuntimeError,
        "The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True if "
        "this is the desired behavior.",
    ),
    saved_result_overwritten: (RuntimeError, MODIFIED + "[torch.FloatTensor [2]], which is output 0 of Exp, is at"),
    saved_input_overwritten: (RuntimeError, MODIFIED + "[torch.FloatTensor [2]], which is output 0 of"),
    leaf_written: (RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation."),
    element_of_leaf_written: (
        RuntimeError,
        "a view of a leaf Variable that requires grad is being used in an in-place operation.",
    ),
    part_written: (RuntimeError, "Output 0 of Unbind is a view and is being modified inplace."),
    numpy_of_a_leaf: (
        RuntimeError,
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    ),
    numpy_of_a_result: (
        RuntimeError,
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    ),
    frozen_result: (RuntimeError, "you can only change requires_grad flags of leaf variables."),
    integers_that_require_grad: (
        RuntimeError,
        "Only Tensors of floating point and complex dtype can require gradients",
    ),
    deep_copy_of_a_result: (
        RuntimeError,
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.",
    ),
    grad_of_another_size: (
        RuntimeError,
        "attempting to assign a gradient of size '[5]' to a tensor of size '[2]'.",
    ),
    inference_tensor_saved: (RuntimeError, "Inference tensors cannot be saved for backward."),
    hook_on_a_constant: (RuntimeError, "cannot register a hook on a tensor that doesn't require gradient"),
    missing_gradient_in_a_function: (
        RuntimeError,
        "function SumBackward returned an incorrect number of gradients (expected 2, got 1)",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_the_error_is_pytorchs_and_nothing_is_broken_by_it(torch, mistake):
    kind, first_line = MISTAKES[mistake]
    x = leaf(torch, [1.0, 2.0])
    x.grad = torch.tensor([7.0, 8.0])
    with pytest.raises(kind, match="^" + re.escape(first_line)) as failure:
        mistake(torch, x)
    assert type(failure.value) is kind
    assert x.tolist() == [1.0, 2.0] and x.grad.tolist() == [7.0, 8.0] and x._version == 0
    (x * 3).sum().backward()
    assert x.grad.tolist() == [10.0, 11.0]
    if torch.__name__ == "rushlight":
        assert "".join(getattr(failure.value, "__notes__", [])).strip()


@pytest.mark.filterwarnings("ignore:index_reduce.. is in beta")
@pytest.mark.parametrize(
    ("reduced", "words"),
    [
        (lambda x, i, y: x.scatter_reduce(0, i, y, "prod"), "scatter_reduce.*for src when >1 zeros in src"),
        (lambda x, i, y: x.index_reduce(0, i, y, "prod"), "index_reduce.*for source when >1 zeros in source"),
    ],
)
def test_products_with_several_zeros_are_differentiated_once(torch, reduced, words):
    """The gradient of a zero among zeros is 0, and what it changes by is not known to its graph."""
    x, index = torch.tensor([1.0], requires_grad=True), torch.tensor([0, 0])
    for factors, several in (([0.0, 0.0], True), ([0.0, 2.0], False)):
        y = torch.tensor(factors, requires_grad=True)
        (first,) = torch.autograd.grad(reduced(x, index, y).sum(), y, create_graph=True)
        assert first.tolist() == ([0.0, 0.0] if several else [2.0, 0.0])
        if several:
            with pytest.raises(RuntimeError, match=f"Double backward is unsupported|{words}"):
                first.sum().backward()
        else:
            assert torch.autograd.grad(first.sum(), y)[0].tolist() == [1.0, 1.0]


INDEXED = {
    "index arrays": lambda torch, x: x[torch.tensor([0, 2])],
    "a list": lambda torch, x: x[[0, 1]],
    "a mask": lambda torch, x: x[x > 1],
    "a 0-d index among others": lambda torch, x: x[None][0, torch.tensor([1])],
    "index_put": lambda torch, x: x.index_put((torch.tensor([0]),), torch.tensor([1.0])),
}


@pytest.mark.parametrize("index", INDEXED.values(), ids=INDEXED)
def test_a_second_backward_through_index_arrays_is_refused(torch, index):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = index(torch, x)
    y.backward(torch.ones_like(y), retain_graph=True)
    y.backward(torch.ones_like(y))
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward(torch.ones_like(y))


@pytest.mark.parametrize("index", [0, slice(1, None), ..., None], ids=str)
def test_a_second_backward_through_a_view_is_not(torch, index):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x[index]
    y.backward(torch.ones_like(y))
    y.backward(torch.ones_like(y))
