"""Recordings: the elements of products are not computed, for nothing reads them."""

import itertools

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.tensor import wrap
from rushlight.declarations.declare import OPS
from rushlight.dispatch.planned import called
from rushlight.graph import recording
from rushlight.graph.recording import PRODUCTS, record, recorded, without_elements
from rushlight.graph.trace import Meta

SHAPES = {
    "mm": [(3, 4), (4, 5)],
    "bmm": [(2, 3, 4), (2, 4, 5)],
    "affine": [(5,), (3, 4), (5, 4)],
}
ORDERS = {
    "as made": lambda array: array,
    "transposed": lambda array: np.ascontiguousarray(array.T).T,
    "every second": lambda array: np.repeat(array, 2, axis=0)[::2],
    "spread": lambda array: np.broadcast_to(array[:1], array.shape),
}


def metas(tensor):
    return Meta(tensor._array.shape, tensor._array.strides, tensor._array.dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", sorted(PRODUCTS))
def test_a_product_has_the_layout_that_is_noted_without_its_elements(name, dtype):
    op = OPS[name]
    numbers = [] if name != "affine" else [1, 1, True]
    for orders in itertools.product(ORDERS.values(), repeat=len(SHAPES[name])):
        arrays = [order(np.ones(shape, dtype)) for order, shape in zip(orders, SHAPES[name], strict=True)]
        arguments = [*map(wrap, arrays), *numbers]
        noted = called(op, [without_elements(each) for each in arguments])
        assert metas(called(op, arguments)) == metas(noted)
        assert noted.is_contiguous()


@pytest.mark.parametrize("name", sorted(PRODUCTS))
@pytest.mark.parametrize("empty", [0, 1, 2])
def test_a_product_of_empty_tensors_is_computed(name, empty, multiplied):
    at = {0: 3, 1: 4, 2: 5}[empty]
    shapes = [tuple([0 if size == at else size for size in shape]) for shape in SHAPES[name]]
    arguments = [*[torch.ones(shape) for shape in shapes], *([1, 1, True] if name == "affine" else [])]
    trace = record(lambda *tensors: [called(OPS[name], [*tensors, *arguments[3:]])], arguments[:3])
    assert trace.metas[-1] == metas(called(OPS[name], arguments)) and multiplied == [name]


@pytest.fixture
def multiplied(monkeypatch):
    """The products that recordings compute."""
    names = []

    def calling(op, arguments):
        if op.name in PRODUCTS and all([each.device.type == "cpu" for each in arguments if torch.is_tensor(each)]):
            names.append(op.name)
        return called(op, arguments)

    monkeypatch.setattr(recording, "called", calling)
    return names


def test_a_training_step_is_recorded_without_its_products(multiplied):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 300), torch.nn.Tanh(), torch.nn.Linear(300, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    x, y = torch.randn(8, 64), torch.randn(8, 1)

    def step(x, y):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    compiled = torch.compile(step)
    losses = [compiled(x, y).item() for _ in range(8)]
    assert torch.compiler.report()["graphs"] and not multiplied
    assert losses == sorted(losses, reverse=True)


def test_products_of_integers_are_computed(multiplied):
    def rows(table, left, right):
        return table[left @ right]

    table = torch.arange(40.0)
    left, right = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 0], [2, 3]])
    trace = record(lambda *tensors: [rows(*tensors)], [table, left, right])
    assert trace.steps and multiplied == ["mm"]


def test_an_operator_that_raises_for_zeros_is_recorded_with_the_elements_of_products(multiplied):
    def shared(count, a, b):
        return [count // torch.mm(a, b).long()]

    count, a, b = torch.tensor(7), torch.ones(2, 3), torch.ones(3, 2)
    trace = record(shared, [count, a, b])
    assert [step.op.name for step in trace.steps][0] == "mm" and multiplied == ["mm"]
    compiled = torch.compile(lambda *arguments: shared(*arguments)[0])
    torch.compiler.reset()
    for _ in range(10):
        assert compiled(count, a, b).tolist() == [[2, 2], [2, 2]]
    assert torch.compiler.report()["graphs"] == 1


def test_the_error_of_a_recorded_function_is_that_of_its_elements():
    calls = []

    def recording(products):
        calls.append(products)
        raise ValueError(f"with products: {products}")

    with pytest.raises(ValueError, match="with products: True"):
        recorded(recording)
    assert calls == [False, True]
