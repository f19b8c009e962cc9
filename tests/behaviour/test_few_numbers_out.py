"""`out=` of few numbers: what is written and returned, what is warned of and refused, and that nothing else is made."""

import warnings

import pytest

from rushlight.dispatch import out as written

CALLS = [
    ("torch.add(x, y, out=o)", "o"), ("torch.add(x, y, alpha=0.5, out=o)", "o"), ("torch.add(x, 2.5, out=o)", "o"),
    ("torch.sub(x, y[0], out=o)", "o"), ("torch.mul(x, y, out=o)", "o"), ("torch.mul(x, x, out=x)", "x"),
    ("torch.add(x, 1, out=x)", "x"), ("torch.div(x, y, out=o)", "o"), ("torch.div(x, 2, out=o)", "o"),
    ("torch.div(x, y, rounding_mode='floor', out=o)", "o"), ("torch.div(x, 2, rounding_mode='trunc', out=o)", "o"),
    ("torch.exp(x, out=o)", "o"), ("torch.neg(x, out=o)", "o"), ("torch.sigmoid(x, out=o)", "o"),
    ("torch.clamp(x, -1, 1, out=o)", "o"), ("torch.maximum(x, y, out=o)", "o"), ("torch.addcmul(x, x, y, out=o)", "o"),
    ("torch.lerp(x, y, 0.25, out=o)", "o"), ("torch.where(x > 0, x, y, out=o)", "o"), ("torch.pow(x, 2, out=o)", "o"),
    ("torch.gt(x, y, out=b)", "b"), ("torch.eq(k, 3, out=b[0])", "b"), ("torch.isnan(x, out=b)", ""),
    ("torch.add(k, k, out=k)", "k"), ("torch.mm(x, y, out=o)", "o"), ("torch.matmul(x, y, out=o)", "o"),
    ("torch.mv(x, y[0], out=o[1])", "o"), ("torch.addmm(x, x, y, beta=0.5, out=o)", "o"),
    ("torch.sum(x, (0, 1), out=s)", "s"), ("torch.sum(x, 1, out=o[0])", "o"), ("torch.mean(x, 0, out=o[2])", "o"),
    ("torch.amax(x, 0, out=o[1])", "o"), ("torch.argmax(x, 0, out=k)", "k"), ("torch.cumsum(x, 0, out=o)", "o"),
    ("torch.softmax(x, 1, out=o)", "o"), ("torch.cat((x[:1], y[1:]), out=o)", "o"),
    ("torch.stack((y[0], y[1]), out=o[:2])", "o"),
    ("torch.index_select(x, 0, k, out=o)", "o"), ("torch.gather(x, 1, kk, out=o)", "o"),
    ("torch.max(x, 1, out=(o[0], k))", "ok"), ("torch.sort(x, out=(o, kk))", "o"),
    ("torch.topk(x, 2, out=(o[:, :2], kk[:, :2]))", "o"),
    ("torch.ones(3, 3, out=o)", "o"), ("torch.arange(3, out=k)", "k"), ("torch.complex(x, y, out=c)", "c"),
    ("torch.outer(x[0], y[0], out=o)", "o"), ("torch.add(x, y, out=o.t())", "o"),
    ("torch.add(x[:0], y[:0], out=o[:0])", "o"),
    ("torch.add(k, k, out=o[0])", "o"), ("torch.add(x, y, out=d)", "d"), ("torch.add(h, h, out=h)", "h"),
]  # fmt: skip
CALLS = [(call, names) for call, names in CALLS if names]
REFUSED = [
    ("torch.add(x, y, out=k)", RuntimeError, "result type Float can't be cast to the desired output type Long"),
    ("torch.mm(x, y, out=d)", RuntimeError, "Expected out tensor to have dtype float"),
    ("torch.add(x.requires_grad_(), y, out=o)", RuntimeError, "don't support automatic differentiation"),
    ("torch.add(x.requires_grad_()[:], y, out=o)", RuntimeError, "don't support automatic differentiation"),
    ("torch.add(x, y, out=o.requires_grad_())", RuntimeError, "don't support automatic differentiation"),
    ("torch.max(x.requires_grad_(), 1, out=(o[0], k))", RuntimeError, "don't support automatic differentiation"),
    ("torch.sort(x, out=(o, o))", RuntimeError, "Expected out tensor to have dtype long int, but got float instead"),
    ("torch.cat((x.requires_grad_(), y), out=o)", RuntimeError, "don't support automatic differentiation"),
    ("torch.add(x, y, out=o[:1].expand(3, 3))", RuntimeError, "more than one element of the written-to tensor"),
    ("torch.add(x.view(9)[1:], 1, out=x.view(9)[:8])", RuntimeError, "refer to a single memory location"),
    ("torch.mm(x, y[:2], out=o)", RuntimeError, "cannot be multiplied"),
]
SPACE = """
x = torch.tensor([[0.5, -1.0, 2.0], [1.0, float("inf"), float("nan")], [-0.0, 0.25, -float("inf")]])
y = torch.tensor([[0.3, -1.5, 2.0], [1.0, 3.0, -2.0], [0.125, 0.5, -0.75]])
o, b = torch.full((3, 3), 7.0), torch.zeros(3, 3, dtype=torch.bool)
d, c = torch.zeros(3, 3).double(), torch.zeros(3, 3).cfloat()
k, kk = torch.tensor([0, 2, 1]), torch.tensor([[0, 1, 2], [2, 0, 1], [1, 2, 0]])
s, h = torch.tensor(5.0), torch.ones(3).half()
"""


@pytest.fixture
def names(torch):
    space = {"torch": torch}
    exec(SPACE, space)
    return space


WRITTEN: dict = {}


@pytest.mark.parametrize(("call", "places"), CALLS)
def test_what_is_written_is_what_pytorch_writes(torch, names, call, places):
    result = eval(call, names)
    first = result if isinstance(result, torch.Tensor) else result[0]
    reported = (
        type(result).__name__,
        first.numel() and first.data_ptr() - names[places[0]].data_ptr(),
        first.stride(),
        first.grad_fn,
    )
    reported += tuple(names[place]._version for place in places)
    expected, numbers = WRITTEN.setdefault(call, (reported, [names[place].tolist() for place in places]))
    assert reported == expected
    for place, each in zip(places, numbers, strict=True):
        assert torch.allclose(names[place], torch.tensor(each, dtype=names[place].dtype), rtol=1e-6, equal_nan=True)


@pytest.mark.parametrize(("call", "kind", "words"), REFUSED)
def test_what_pytorch_refuses_is_refused_and_nothing_is_written(torch, names, call, kind, words):
    with pytest.raises(kind, match=words):
        eval(call, names)
    assert names["o"].tolist() == [[7.0] * 3] * 3
    assert names["o"]._version == names["x"]._version == 0


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode"])
def test_without_recording_histories_do_not_matter(torch, names, mode):
    x, o = names["x"].requires_grad_(), names["o"]
    with getattr(torch, mode)():
        assert torch.add(names["y"], 1, out=o) is o
        assert torch.mul(x, 1, out=o) is o
    assert o.requires_grad is False
    assert o._version == 2


def test_a_leaf_is_written_without_recording(torch, names):
    weight = names["o"].requires_grad_()
    with torch.no_grad():
        torch.mul(names["y"], 2, out=weight)
    assert weight.is_leaf
    assert weight.requires_grad
    assert weight._version == 1


def test_memory_of_inference_is_written_in_inference_only(torch, names):
    with torch.inference_mode():
        inner = torch.zeros(3, 3)
        assert torch.mul(names["y"], 2, out=inner) is inner
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        torch.mul(names["y"], 2, out=inner)


def test_another_shape_is_warned_of(torch, names):
    o = names["o"]
    with pytest.warns(UserWarning, match="An output with one or more elements was resized since it had shape"):
        torch.add(names["x"][0], 1, out=o)
    assert o.shape == (3,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        empty = torch.empty(0)
        assert torch.add(names["x"], 1, out=empty) is empty
        assert torch.max(names["y"], 1, out=(torch.empty(0), torch.empty(0, dtype=torch.int64)))[1].tolist() == [
            2,
            1,
            1,
        ]
    assert empty.shape == (3, 3)


def test_what_was_saved_of_it_is_stale(torch, names):
    o, y = names["o"], names["y"].requires_grad_()
    z = (y * o).sum()
    torch.add(names["x"], 1, out=o)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_a_subclass_is_asked(torch, names):
    seen = []

    class Named(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            seen.append(function.__name__)
            return super().__torch_function__(function, types, arguments, keywords or {})

    o = names["o"].as_subclass(Named)
    torch.add(names["x"].as_subclass(Named), 1, out=o)
    assert seen[0] == "add"
    assert o.tolist()[0] == [1.5, 0.0, 3.0]


def test_no_tensor_is_made_on_the_way(monkeypatch):
    import rushlight

    space = {"torch": rushlight}
    exec(SPACE, space)
    monkeypatch.setattr(written, "write_out", lambda *given: pytest.fail("the long way was taken"))
    monkeypatch.setattr(written, "_write_checked", written.write_out)
    for call in (
        "torch.add(x, y, out=o)", "torch.add(x, 2.5, out=x)", "torch.div(x, y, out=o)", "torch.mm(x, y, out=o)",
        "torch.sum(x, 1, out=o[0])", "torch.sort(x, out=(o, kk))", "torch.cat((x[:1], y[1:]), out=o)",
        "torch.gt(x, y, out=b)", "torch.clamp(x, -1, 1, out=o)",
    ):  # fmt: skip
        eval(call, space)
