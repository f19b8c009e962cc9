"""Arithmetic of complex numbers and of narrow whole numbers: the short way that they have, and what it leaves alone."""

import pytest

from rushlight.dispatch import general, out
from rushlight.ops.declare import OPS

CALLS = [
    "z + z", "z - 2", "z * (1 - 2j)", "z * 0.5", "-z", "z.abs()", "z == z", "2 - z", "torch.add(z, z, alpha=2)",
    "u + u", "u - 1", "u + 300", "u - u", "-u", "u << 7", "u >> 2", "u // 3", "u % 3", "u == 3", "u + 1.5", "u / 2",
    "u * True", "s * s", "s // -2", "s.abs()", "u + s", "u[0] + u", "z[0] * z", "z.conj() * z", "z[::2] + z[1::2]",
    "torch.where(u > 2, u, 0)", "u.clamp(1, 3)", "z.t() * z.t()", "torch.empty(0, dtype=torch.uint8) + 1",
]  # fmt: skip


@pytest.fixture
def names(torch):
    return {
        "torch": torch,
        "z": torch.tensor([[1 + 2j, 0.5, -4], [2 - 1j, 3j, 1e-30]]),
        "u": torch.tensor([0, 1, 3, 127, 128, 255], dtype=torch.uint8),
        "s": torch.tensor([-128, -1, 0, 1, 2, 127], dtype=torch.int8),
    }


RESULTS: dict = {}


@pytest.mark.parametrize("call", CALLS)
def test_results_are_those_of_pytorch(names, call, torch):
    """Runs under both libraries: what one of them gave first is what the other has to give."""
    found = eval(call, names)
    told = str(found.dtype), tuple(found.shape), found.stride(), str(found.tolist())
    assert RESULTS.setdefault(call, told) == told


def test_what_a_dtype_refuses_is_refused(names, torch):
    for call, kind, words in (
        ("z // z", RuntimeError, "not implemented for"),
        ("u // 0", RuntimeError, "ZeroDivisionError"),
        ("z < z", RuntimeError, "not implemented for|not supported"),
        ("z + z[:, :2]", RuntimeError, "must match the size"),
    ):
        with pytest.raises(kind, match=words):
            eval(call, names)


def test_histories_are_recorded(names, torch):
    z = torch.tensor([1 + 1j, 2.0]).requires_grad_()
    (z[:1] * z * 2).abs().sum().backward()
    assert z.grad.shape == (2,)
    assert (z * z).grad_fn is not None
    with torch.no_grad():
        assert (z * z).grad_fn is None


def test_in_inference_mode_results_are_inference_tensors(names, torch):
    with torch.inference_mode():
        assert (names["u"] + names["u"]).is_inference()


def test_the_short_way_is_taken(monkeypatch):
    import rushlight

    monkeypatch.setattr(general, "Call", lambda *given: pytest.fail("the long way was taken"))
    z, u = rushlight.ones(2, dtype=rushlight.complex64), rushlight.ones(2, dtype=rushlight.uint8)
    assert (z * z + 1).tolist() == [2, 2]
    assert (u << 7).tolist() == [128, 128]


def test_a_result_is_written_out_the_short_way(monkeypatch):
    import rushlight

    monkeypatch.setattr(general, "into", lambda *given: pytest.fail("the long way was taken"))
    x, target = rushlight.ones(2, 3), rushlight.zeros(2, 3)
    assert rushlight.add(x, 2, out=target) is target
    assert rushlight.sum(x, 1, out=target[0].clone()[:2].clone()).tolist() == [3, 3]
    assert target.tolist() == [[3.0] * 3] * 2
    assert target._version == 1
    assert rushlight.mul(target, target, out=target).tolist() == [[9.0] * 3] * 2
    assert out.is_written(target[0], x[0].clone(), OPS["add"], (x,)) is False  # a view asks more
