"""Other forms of common calls on small tensors: PyTorch's values, without the general path."""

import numpy as np
import pytest

from rushlight._generated import functions
from rushlight.create import conversion, random, random_inplace
from rushlight.declarations import getitem
from rushlight.dispatch import general

SPACE = """
torch.manual_seed(3)
x, w, xs, xq = torch.randn(4, 8), torch.randn(8, 8), torch.randn(2, 5, 8), torch.randn(2, 3, 5, 8)
xg, whole, small, m = torch.randn(4, 8).requires_grad_(), torch.arange(8), torch.arange(8).byte(), x > 0
k, probabilities = torch.tensor([0, 3, 1, 1]), torch.rand(4, 8)
"""
BETWEEN = [
    "x.clamp(0.0, 1.0)", "x.clamp(min=1e-8)", "x.clamp(1, -0.5)", "torch.clip(x, -0.5, 0.5)", "xg.clamp(0.0, 0.5)",
    "whole.clamp(max=3)", "whole.clamp(-1, 5)", "small.clamp(2, 200)",
]  # fmt: skip
PRODUCTS = [
    "xs @ xs.mT", "xs @ w", "torch.matmul(xs[:, :0], w)", "xq @ xq.mT", "xq.transpose(1, 2) @ xq.permute(0, 2, 3, 1)",
    "xs.long() @ w.long()",
]  # fmt: skip
COMPARED = ["m == 0", "m != 1", "m[1:, ::2] == 0", "m.t() >= 2", "m < 1", "m == -1", "0 == m", "m.eq(2)"]
TRUTHS = ["m == True", "m != False", "False == m", "m < True"]
BESIDE_NUMPY = [
    "x + np.float32(1.5)", "x * np.float64(0.1)", "x - np.int64(2)", "whole + np.int64(2)", "whole * np.float32(0.5)",
    "xg / np.float32(3)", "x ** np.float64(2)", "x > np.float32(0.1)", "whole // np.int64(3)",
]  # fmt: skip
INDEXED = [
    "x[k, :]", "x[..., k]", "xs[..., k, :]", "xs[k[2:], :, :]", "xq[..., k, k]", "x[k, 0]", "x[-k, -1]", "xg[k, 3]",
    "xg[k, :]", "xg[..., k]",
]  # fmt: skip


def evaluated(call: str, module) -> tuple:
    """What a call gives, and the gradient that it brings."""
    space = {"torch": module, "np": np}
    exec(SPACE, space)
    result = eval(call, space)
    if result.requires_grad:
        result.sum().backward()
    slope = space["xg"].grad
    node = None if result.grad_fn is None else type(result.grad_fn).__name__
    return str(result.dtype), result.stride(), node, result.tolist(), None if slope is None else slope.tolist()


def check(call: str) -> None:
    import rushlight

    *ours, values, slope = evaluated(call, rushlight)
    *theirs, expected, expected_slope = evaluated(call, pytest.importorskip("torch"))
    assert ours == theirs
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)
    assert (slope is None) == (expected_slope is None)
    if slope is not None:
        np.testing.assert_allclose(slope, expected_slope, rtol=1e-5, atol=1e-6)


def refusing(words: str):
    return lambda *given, **named: pytest.fail(words)


@pytest.mark.parametrize("call", BETWEEN)
def test_bounds_of_any_kind_are_taken_at_once(call, monkeypatch):
    monkeypatch.setattr(functions, "composite_clamp", refusing("looked at the bounds"))
    check(call)


@pytest.mark.parametrize("call", PRODUCTS)
def test_batches_that_nothing_records_are_one_product(call, monkeypatch):
    monkeypatch.setattr(functions, "composite_matmul", refusing("took several steps"))
    check(call)


def test_batches_that_are_recorded_leave_what_pytorch_records(torch):
    torch.manual_seed(3)
    batch, weight = torch.randn(2, 5, 8, requires_grad=True), torch.randn(8, 8)
    for result in (batch @ weight, batch @ batch.mT, batch[:, None] @ batch.mT[:, None]):
        assert type(result.grad_fn).__name__ == "UnsafeViewBackward0"
    with torch.no_grad():
        assert (batch @ weight).grad_fn is None


@pytest.mark.parametrize("call", COMPARED)
def test_masks_are_compared_with_integers_at_once(call, monkeypatch):
    monkeypatch.setattr(functions, "general", refusing("the general path was taken"))
    check(call)


@pytest.mark.parametrize("call", TRUTHS)
def test_masks_are_compared_with_bools_by_the_short_way(call, monkeypatch):
    monkeypatch.setattr(general, "Call", refusing("the general path was taken"))
    check(call)


@pytest.mark.parametrize("call", BESIDE_NUMPY)
def test_a_number_of_numpy_counts_as_one_of_python(call, monkeypatch):
    monkeypatch.setattr(general, "Call", refusing("the general path was taken"))
    check(call)


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_a_subclass_sees_the_number_of_numpy_itself(torch):
    seen = []

    class Named(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            seen.append(arguments)
            return super().__torch_function__(function, types, arguments, keywords or {})

    assert (torch.ones(2).as_subclass(Named) + np.float32(1)).tolist() == [2.0, 2.0]
    assert type(seen[0][1]) is np.float32


@pytest.mark.parametrize("call", INDEXED)
def test_positions_beside_whole_dimensions_and_a_number_need_no_selection(call, monkeypatch):
    monkeypatch.setattr(getitem, "Selection", refusing("the index was taken apart"))
    check(call)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("x[k + 9, 0]", "index 9 is out of bounds for dimension 0 with size 4"),
        ("x[k, 99]", "index 99 is out of bounds for dimension 1 with size 8"),
        ("x[k, :, :]", "too many indices for tensor of dimension 2"),
        ("x[..., k + 9]", "index 9 is out of bounds for dimension 0 with size 8"),
        ("w[0][k, 0]", "too many indices for tensor of dimension 1"),
    ],
)
def test_what_is_out_of_bounds_is_told_of_the_whole_index(torch, call, words):
    space = {"torch": torch}
    exec(SPACE, space)
    with pytest.raises(IndexError, match=words):
        eval(call, space)


def test_a_state_is_copied_where_it_came_from(torch, monkeypatch):
    monkeypatch.setattr(conversion.inplace, "write", refusing("the long way was taken"))
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    state, versions = model.state_dict(), [each._version for each in model.parameters()]
    before = {name: value.clone() for name, value in state.items()}
    assert not any(model.load_state_dict(state))
    assert [each._version for each in model.parameters()] == [version + 1 for version in versions]
    assert all(torch.equal(state[name], value) for name, value in before.items())
    alone = torch.arange(4.0)
    assert alone.add_(alone.detach()).mul_(alone.data).tolist() == [0.0, 4.0, 16.0, 36.0]


DRAWN = {
    "torch.randperm(7)": "size_tuple", "torch.randperm(1)": "size_tuple", "torch.randperm(0)": "size_tuple",
    "torch.randperm(400)": "size_tuple", "torch.randperm(401)": "size_tuple",
    "torch.bernoulli(probabilities)": "from_array", "torch.bernoulli(probabilities.t())": "from_array",
    "torch.empty(4, 8).normal_()": "_replaced", "torch.empty(4, 8).normal_(1.0, 2.0)": "_replaced",
    "torch.empty(2, 3).uniform_(-1, 2)": "_replaced",
}  # fmt: skip


@pytest.mark.parametrize("call", DRAWN)
def test_draws_of_small_tensors_are_not_looked_at_twice(call, monkeypatch):
    name = DRAWN[call]
    module = random_inplace if name == "_replaced" else random
    monkeypatch.setattr(module, name, refusing("a longer way was taken"))
    check(call)
