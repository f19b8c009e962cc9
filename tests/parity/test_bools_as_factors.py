"""A bool as a factor of a sum: PyTorch takes it only where all operands are bools."""

import pytest

OPERANDS = {
    "bools": ([True, False], [True, True]),
    "integers": ([1, 2], [3, 4]),
    "integers and bools": ([3, 4], [True, False]),
    "floats": ([1.0, 2.0], [3.0, 4.0]),
    "complex": ([1j, 2.0], [3.0, 4.0]),
    "a number": ([1.0, 2.0], 3),
    "bools and a bool": ([True, False], True),
}
REFUSED = "Boolean {} only supported for Boolean results"
NO_BOOLS = "Subtraction, the `-` operator, with (two bool tensors|a bool tensor) is not supported"


@pytest.fixture(params=OPERANDS)
def operands(request, torch):
    one, other = OPERANDS[request.param]
    return torch.tensor(one), torch.tensor(other) if isinstance(other, list) else other


def has_bools(one, other):
    return str(one.dtype) == "torch.bool" or str(getattr(other, "dtype", "")) == "torch.bool" or other is True


@pytest.mark.parametrize("alpha", [True, False])
@pytest.mark.parametrize("form", ["add", "add_", "out"])
def test_sums(torch, operands, alpha, form):
    one, other = operands
    call = {
        "add": lambda: torch.add(one, other, alpha=alpha),
        "add_": lambda: one.add_(other, alpha=alpha),
        "out": lambda: torch.add(one, other, alpha=alpha, out=torch.empty_like(one)),
    }[form]
    if one.dtype is torch.bool and (other is True or other.dtype is torch.bool):
        expected = [True, alpha] if other is True or alpha else [True, False]
        assert call().tolist() == expected
        return
    before = one.tolist()
    with pytest.raises(RuntimeError, match=REFUSED.format("alpha")):
        call()
    assert one.tolist() == before


@pytest.mark.parametrize("alpha", [True, False])
@pytest.mark.parametrize("name", ["sub", "rsub"])
def test_differences(torch, operands, alpha, name):
    one, other = operands
    words = NO_BOOLS if has_bools(one, other) else REFUSED.format("alpha")
    with pytest.raises(RuntimeError, match=words):
        getattr(torch, name)(one, other, alpha=alpha)


def test_numbers_only(torch):
    assert torch.add(True, True, alpha=True).item() is True
    with pytest.raises(RuntimeError, match=REFUSED.format("alpha")):
        torch.add(1, 1, alpha=True)


def test_lists(torch):
    with pytest.raises(RuntimeError, match=REFUSED.format("alpha")):
        torch._foreach_add([torch.ones(2)], [torch.ones(2)], alpha=True)


@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_outer_products(torch, name):
    matrix, vector = torch.ones(2, 2), torch.ones(2)
    with pytest.raises(RuntimeError, match=REFUSED.format(name)):
        torch.addr(matrix, vector, vector, **{name: True})
    with pytest.raises(RuntimeError, match=REFUSED.format(name)):
        torch.addr(matrix.long(), vector.long(), vector.long(), **{name: False})
    assert torch.addr(matrix.bool(), vector.bool(), vector.bool(), **{name: True}).all()


@pytest.mark.parametrize("name", ["addmm", "addcmul"])
def test_others_take_bools(torch, name):
    matrix = torch.ones(2, 2)
    factor = {"addmm": "alpha", "addcmul": "value"}[name]
    assert getattr(torch, name)(matrix, matrix, matrix, **{factor: False}).tolist() == matrix.tolist()
