"""`torch._foreach_add_` and similar, as optimizers and averaged models use them."""

import pytest


def pair(torch):
    return [torch.tensor([1.0, 4.0]), torch.tensor([[9.0]])]


def values(tensors):
    return [each.tolist() for each in tensors]


STORIES = [
    ("torch._foreach_add(x, 1)", tuple, [[2.0, 5.0], [[10.0]]]),
    ("torch._foreach_add_(x, 1)", list, [[2.0, 5.0], [[10.0]]]),
    ("torch._foreach_add(x, x, alpha=-1)", tuple, [[0.0, 0.0], [[0.0]]]),
    ("torch._foreach_mul(x, [2.0, 3])", tuple, [[2.0, 8.0], [[27.0]]]),
    ("torch._foreach_mul_(x, torch.tensor(2.0))", list, [[2.0, 8.0], [[18.0]]]),
    ("torch._foreach_sqrt(x)", tuple, [[1.0, 2.0], [[3.0]]]),
    ("torch._foreach_neg_(x)", list, [[-1.0, -4.0], [[-9.0]]]),
    ("torch._foreach_addcmul(x, x, x, value=2)", tuple, [[3.0, 36.0], [[171.0]]]),
    ("torch._foreach_addcdiv_(x, x, x, [1, 2])", list, [[2.0, 5.0], [[11.0]]]),
    ("torch._foreach_addcdiv(x, x, x, torch.tensor([1.0, 2.0]))", tuple, [[2.0, 5.0], [[11.0]]]),
    ("torch._foreach_lerp_(x, torch._foreach_add(x, 2), 0.5)", list, [[2.0, 5.0], [[10.0]]]),
    ("torch._foreach_norm(x, 1)", tuple, [5.0, 9.0]),
    ("torch._foreach_norm(x, ord=1)", tuple, [5.0, 9.0]),
    ("torch._foreach_norm(x, ord=1, dtype=torch.float64)", tuple, [5.0, 9.0]),
    ("torch._foreach_max(x)", tuple, [4.0, 9.0]),
    ("torch._foreach_pow(2.0, x)", tuple, [[2.0, 16.0], [[512.0]]]),
    ("torch._foreach_pow(x, [1, 2])", tuple, [[1.0, 4.0], [[81.0]]]),
    ("torch._foreach_maximum(x, 3)", tuple, [[3.0, 4.0], [[9.0]]]),
    ("torch._foreach_minimum_(x, 3)", list, [[1.0, 3.0], [[3.0]]]),
    ("torch._foreach_copy_(x, torch._foreach_sign(x))", list, [[1.0, 1.0], [[1.0]]]),
    ("torch._foreach_zero_(x)", list, [[0.0, 0.0], [[0.0]]]),
]


@pytest.mark.parametrize(("call", "kind", "expected"), STORIES, ids=[call for call, _, _ in STORIES])
def test_each_tensor_of_a_list(torch, call, kind, expected):
    x = pair(torch)
    result = eval(call, {"torch": torch, "x": x})
    assert type(result) is kind and values(result) == expected
    assert (result is x) == (kind is list)
    if kind is list:
        assert values(x) == expected


REFUSED = [
    ("torch._foreach_add([], 1)", RuntimeError, "Tensor list must have at least one tensor."),
    ("torch._foreach_add(x, [1])", RuntimeError, "Tensor list must have same number of elements as scalar list."),
    ("torch._foreach_add(x, x[:1])", RuntimeError, "Tensor lists must have the same number of tensors, got 2 and 1"),
    ("torch._foreach_add([1], 1)", TypeError, "expected Tensor as element 0 in argument 0, but got int"),
    (
        "torch._foreach_mul(x, torch.ones(2))",
        RuntimeError,
        "scalar tensor expected to be 0 dim but it has 1 dimensions and 2 elements.",
    ),
    (
        "torch._foreach_add(x[0], 1)",
        TypeError,
        "_foreach_add() received an invalid combination of arguments - got (Tensor, int), but expected one of:",
    ),
]


@pytest.mark.parametrize(("call", "kind", "first_line"), REFUSED, ids=[call for call, _, _ in REFUSED])
def test_what_is_no_list_that_fits_is_refused(torch, call, kind, first_line):
    with pytest.raises(kind) as caught:
        eval(call, {"torch": torch, "x": pair(torch)})
    assert str(caught.value).splitlines()[0] == first_line
    with pytest.raises(TypeError, match="received an invalid combination of arguments"):
        torch._foreach_add(pair(torch), 1, alpha=2)


def test_gradients_pass(torch):
    x = [each.requires_grad_() for each in pair(torch)]
    sum(each.sum() for each in torch._foreach_mul(x, x)).backward()
    assert values(each.grad for each in x) == [[2.0, 8.0], [[18.0]]]
    with pytest.raises(RuntimeError, match="^a leaf Variable that requires grad is being used in an in-place"):
        torch._foreach_add_(x, 1)


@pytest.mark.parametrize(
    ("call", "first_line"),
    [
        *(
            (f"torch._foreach_{call}", "Tensor list must have same number of elements as scalar list.")
            for call in ("add(x, [])", "pow(x, [])", "maximum(x, [])", "lerp(x, x, [])", "addcmul(x, x, x, [])")
        ),
        *(
            (f"torch._foreach_{call}", "Tensor lists must have the same number of tensors, got 2 and 0")
            for call in ("lerp(x, [], 0.5)", "addcmul(x, [], x)", "addcmul(x, x, [])")
        ),
        ("torch._foreach_mul([], x)", "Tensor lists must have the same number of tensors, got 0 and 2"),
        ("torch._foreach_mul([], [])", "Tensor list must have at least one tensor."),
        (
            "torch._foreach_norm([torch.empty(0)], ord=float('inf'))",
            "_foreach_norm cannot compute the infinity norm on an empty tensor because the operation does not have an "
            "identity",
        ),
    ],
)
def test_lists_without_elements(torch, call, first_line):
    with pytest.raises(RuntimeError) as caught:
        eval(call, {"torch": torch, "x": pair(torch)})
    assert str(caught.value).splitlines()[0] == first_line


def test_operands_of_lists_have_names(torch):
    def make(*numbers):
        return [torch.tensor([number]) for number in numbers]

    def values(tensors):
        return [tensor.item() for tensor in tensors]

    x, y = make(1.0, 2.0), make(3.0, 4.0)
    for scalars in ([2.0, 3.0], torch.tensor([2.0, 3.0])):
        assert values(torch._foreach_addcmul(x, y, y, scalars=scalars)) == [19.0, 50.0]
    assert values(torch._foreach_addcmul(x, tensor1=y, tensor2=y)) == [10.0, 18.0]
    assert values(torch._foreach_mul(x, scalars=[2, 3])) == [2.0, 6.0]
    assert values(torch._foreach_mul(x, scalar=2)) == [2.0, 4.0]
    assert values(torch._foreach_add(x, other=y, alpha=2)) == [7.0, 10.0]
    assert values(torch._foreach_pow(x, exponent=2)) == [1.0, 4.0]
    assert values(torch._foreach_lerp(x, tensors1=y, weights=y)) == [7.0, 10.0]
    with pytest.raises(RuntimeError, match="Expected length of scalars to match input of length 2 but got 3 instead."):
        torch._foreach_addcmul(x, y, y, scalars=torch.ones(3))
    with pytest.raises(RuntimeError, match="Expected packed scalar Tensor to be of dimension 1. Got 0 instead."):
        torch._foreach_addcdiv(x, y, y, torch.tensor(2.0))
