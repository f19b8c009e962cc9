"""Objects that a program with PyTorch wrote by `pickle`, read where `torch` is rushlight."""

import importlib
import io
import pickle

import pytest

import rushlight


class WithoutPyTorch(pickle.Unpickler):
    """Finds what a pickle names in rushlight, as `import torch` does where rushlight stands in its place."""

    def find_class(self, module, name):
        package, dot, rest = module.partition(".")
        return getattr(importlib.import_module(f"rushlight{dot}{rest}" if package == "torch" else module), name)


def carried_over(value):
    return WithoutPyTorch(io.BytesIO(pickle.dumps(value))).load()


@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "bool", "bfloat16", "complex64"])
def test_tensors(pytorch, kind):
    value = pytorch.arange(6).reshape(2, 3).to(getattr(pytorch, kind))
    result = carried_over({"whole": value, "column": value[:, 1]})
    assert result["whole"].dtype is getattr(rushlight, kind)
    assert result["whole"].tolist() == value.tolist() and result["column"].tolist() == value[:, 1].tolist()
    assert result["column"].stride() == (3,)


def test_a_module_with_its_optimizer(pytorch):
    pytorch.manual_seed(0)
    rows = [
        [0.5, -1.0],
        [1.0, 2.0],
        [-2.0, 0.25],
        [0.0, 3.0],
    ]  # of equal ones, only rounding errors would be normalized
    model = pytorch.nn.Sequential(pytorch.nn.Linear(2, 3), pytorch.nn.BatchNorm1d(3))
    optimizer = pytorch.optim.Adam(model.parameters(), lr=0.1)
    model(pytorch.tensor(rows)).square().sum().backward()
    optimizer.step()
    result, state = carried_over((model, optimizer.state_dict()))
    assert type(result) is rushlight.nn.Sequential and result[0].weight.requires_grad
    expected = model(pytorch.tensor(rows)).flatten().tolist()
    assert result(rushlight.tensor(rows)).flatten().tolist() == pytest.approx(expected, rel=1e-4)
    assert state["state"][0]["exp_avg"].tolist() == optimizer.state_dict()["state"][0]["exp_avg"].tolist()


def test_a_program_moves_what_it_unpickles_to_the_cpu(pytorch):
    """By taking over the one function that such a pickle loads memory with."""

    class OnTheCpu(WithoutPyTorch):
        def find_class(self, module, name):
            if (module, name) == ("torch.storage", "_load_from_bytes"):
                return lambda memory: rushlight.load(io.BytesIO(memory), map_location="cpu", weights_only=False)
            return super().find_class(module, name)

    assert OnTheCpu(io.BytesIO(pickle.dumps(pytorch.ones(2)))).load().tolist() == [1.0, 1.0]
