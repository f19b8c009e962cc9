"""Cross products of few vectors and of many, next to PyTorch's."""

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

PAIRS = {
    "a vector": "x[0, 0], y[0, 1]",
    "rows": "x[:, 0], y[:, 1]",
    "broadcast": "x[:, :1], y[:1]",
    "strided": "x[::2, :, :].transpose(0, 1), y[::2].transpose(0, 1)",
    "backwards and expanded": "x.flip(2), y[:1, :1].expand(4, 2, 3)",
    "nothing": "x[:0], y[:0]",
    "many": "x.repeat(150, 1, 1), y.repeat(150, 1, 1)",
    "many, broadcast": "x.repeat(150, 1, 1), y[:1]",
}


def both(call, dtype, recorded=False):
    """What a call gives in either library, with gradients, or what it says."""
    results = []
    for library in (rushlight, torch):
        drawn = np.random.default_rng(3).normal(size=(2, 4, 2, 3)) * 5
        x, y = (library.tensor(each).to(getattr(library, dtype)).requires_grad_(recorded) for each in drawn)
        try:
            result = eval(call, {"x": x, "y": y, "torch": library})
        except (RuntimeError, IndexError, TypeError) as error:
            results.append((type(error).__name__, str(error).partition("\n")[0]))
            continue
        grads = []
        if recorded:
            (result * result).sum().backward()
            grads = [x.grad, y.grad]
        results.append(
            [each.detach().to(library.float64).numpy() for each in (result, *grads)] + [str(result.dtype)[-6:]]
        )
    return results


@pytest.mark.parametrize("pair", PAIRS.values(), ids=list(PAIRS))
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int8", "float16", "bfloat16"])
def test_products_of_vectors(pair, dtype):
    recorded = dtype in ("float32", "float64")
    for call in (f"torch.linalg.cross({pair})", f"torch.cross({pair}, dim=-1)"):
        ours, theirs = both(call, dtype, recorded)
        assert ours[-1] == theirs[-1]
        for one, other in zip(ours[:-1], theirs[:-1], strict=True):
            scale = np.abs(other).max(initial=1)
            units = {"float16": 2e-3, "bfloat16": 2e-2, "float64": 1e-14}.get(dtype, 1e-6)
            np.testing.assert_allclose(one, other, rtol=units, atol=units * scale, strict=True)


@pytest.mark.parametrize("dim", [0, 1, -2])
@pytest.mark.parametrize("count", [2, 400])
def test_products_along_another_dimension(dim, count):
    call = f"torch.cross(*(each.repeat(1, {count}, 1).movedim(-1, {dim}) for each in (x, y)), dim={dim})"
    ours, theirs = both(call, "float32", True)
    for one, other in zip(ours[:-1], theirs[:-1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-4, strict=True)


@pytest.mark.parametrize(
    "call",
    [
        "torch.cross(x, y, dim=0)", "torch.cross(x, y, dim=5)", "torch.cross(x, y[0], dim=-1)", "torch.cross(x, 2, 1)",
        "torch.linalg.cross(x[0, 0, 0], y[0, 0, 0])", "torch.cross(x[:2], y[:3], dim=-1)", "torch.cross(x, y, 1.5)",
        "torch.cross(x > 0, y > 0, dim=-1)", "torch.cross(x, y.double(), dim=-1)", "torch.linalg.cross(x, y, dim=-4)",
    ],
)  # fmt: skip
def test_what_is_refused(call):
    ours, theirs = both(call, "float32")
    assert ours == theirs


def test_the_shape_is_known_without_numbers():
    x = rushlight.empty(4, 1, 3, device="meta")
    assert rushlight.linalg.cross(x, rushlight.empty(1, 2, 3, device="meta")).shape == (4, 2, 3)


def test_few_vectors_are_turned_at_once(monkeypatch):
    """The way of many, which makes six slices and six products, is not taken."""
    monkeypatch.setattr(np, "subtract", None)
    assert rushlight.linalg.cross(rushlight.tensor([1.0, 0, 0]), rushlight.tensor([0, 1.0, 0])).tolist() == [0, 0, 1]
