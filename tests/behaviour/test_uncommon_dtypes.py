"""Arithmetic of uncommon dtypes, and of several: the fast path that they have, and what it leaves alone."""

import pytest

from rushlight.autograd.tasks import Task
from rushlight.dispatch import general

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
    result = eval(call, names)
    reported = str(result.dtype), tuple(result.shape), result.stride(), str(result.tolist())
    assert RESULTS.setdefault(call, reported) == reported


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
    for count in (2, 1 << 16):
        z, u, s = (rushlight.ones(count, dtype=each) for each in (rushlight.complex64, rushlight.uint8, rushlight.int8))
        assert (z * z + 1).tolist() == [2] * count
        assert (u << 7).tolist() == [128] * count
        assert (s - 3).tolist() == [-2] * count


HISTORIES = [
    "h + h", "h * 2.5", "h - k", "h @ h.t()", "h.exp()", "h.sum(1)", "torch.nn.functional.silu(h)", "h.clamp(0, 1)",
    "torch.cat([h, h])", "torch.stack([h, h], 1)", "torch.maximum(h, h * 2)", "h.softmax(1)", "x + d", "x * d[0]",
    "d / x", "h + x", "x.t() * d.t()", "h.expand(2, 2, 3) * x", "z * x", "z + z", "torch.where(x > 0, x, x)",
]  # fmt: skip
GRADIENTS: dict = {}


@pytest.mark.parametrize("call", HISTORIES)
@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_a_history_is_the_one_of_pytorch(torch, call, kind):
    x = torch.tensor([[0.5, -1.25, 2.0], [3.0, 0.125, -0.75]], requires_grad=True)
    names = {"torch": torch, "x": x, "h": x.detach().to(getattr(torch, kind)).requires_grad_()}
    names["k"] = names["h"].detach() * 3
    names["d"] = x.detach().double().requires_grad_()
    names["z"] = (x.detach() * (1 + 2j)).requires_grad_()
    result = eval(call, names)
    node = type(result.grad_fn).__name__
    used = call.replace("torch", "").replace("exp", "").replace("where", "")
    leaves = [names[each] for each in ("x", "h", "d", "z") if each in used]
    ones = torch.ones_like(result)
    gradients = torch.autograd.grad(result, leaves, ones, allow_unused=True, retain_graph=True)
    again = torch.autograd.grad(result, leaves, ones, allow_unused=True, create_graph=True)
    reported = [
        node,
        result.stride(),
        *[each is not None and (str(each.dtype), each.shape) for each in (result, *gradients)],
    ]
    numbers = [each.tolist() for each in (result, *gradients, *again) if each is not None]
    expected = GRADIENTS.setdefault((call, kind), (reported, numbers))
    assert reported == expected[0]
    for one, other in zip(numbers, expected[1], strict=True):
        # exp, and what is made of it, differs by a unit in the last of 8 bits; silu's slope is a sum that cancels
        torch.testing.assert_close(torch.tensor(one), torch.tensor(other), rtol=2**-7, atol=2**-10)


def test_histories_are_recorded_on_the_short_way(monkeypatch):
    import rushlight

    monkeypatch.setattr(general, "Call", lambda *given: pytest.fail("the long way was taken"))
    monkeypatch.setattr(Task, "enter", lambda task: pytest.fail("a node was special"))
    h = rushlight.ones(2, 2, dtype=rushlight.bfloat16, requires_grad=True)
    (rushlight.cat([h * h, h @ h]) * rushlight.ones(2)).sum().backward(rushlight.tensor(1.0))
    assert h.grad.tolist() == [[6.0, 6.0], [6.0, 6.0]]
    monkeypatch.setattr(Task, "_start", lambda *given: pytest.fail("a number of half precision was no beginning"))
    (h * h).sum().backward()
    assert h.grad.tolist() == [[8.0, 8.0], [8.0, 8.0]]


def test_what_is_special_about_a_node_of_half_precision_is_seen(torch):
    seen = []
    h = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
    product = h * h
    product.retain_grad()
    product.register_hook(lambda gradient: seen.append(gradient.dtype))
    product.sum().backward()
    assert seen == [torch.bfloat16]
    assert product.grad.tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        product.sum().backward()
    written = torch.ones(2, dtype=torch.bfloat16)
    product = h * written
    written.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_a_result_is_written_out_the_short_way(monkeypatch):
    import rushlight

    monkeypatch.setattr(general, "write_out", lambda *given: pytest.fail("the long way was taken"))
    x, target = rushlight.ones(2, 3), rushlight.zeros(2, 3)
    assert rushlight.add(x, 2, out=target) is target
    assert rushlight.sum(x, 1, out=target[0].clone()[:2].clone()).tolist() == [3, 3]
    assert target.tolist() == [[3.0] * 3] * 2
    assert target._version == 1
    assert rushlight.mul(target, target, out=target).tolist() == [[9.0] * 3] * 2
