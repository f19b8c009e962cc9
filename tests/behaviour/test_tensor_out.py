"""`out=`: what may be written to, for its memory and its dtype. What is refused is left as it was."""

import pytest

SHARED = "some elements of the input tensor and the written-to tensor refer to a single memory location"
ITSELF = "more than one element of the written-to tensor refers to a single memory location"

refused = [
    "torch.mul(m[:4], 2, out=m[1:5])",
    "torch.mul(m.view(2, 4), 2, out=m.view(4, 2).t())",
    "torch.add(m[:4], m[4:], out=m[2:6])",
    "torch.exp(m[:4], out=m[1:5])",
    "torch.where(m[:4] > 0, m[:4], m[4:], out=m[1:5])",
    "torch.cumsum(m[:4], 0, out=m[2:6])",
    "torch.sort(m[:4], out=(m[1:5], i))",
    "torch.cat([m[:4], m[4:]], out=m)",
    "torch.stack([m[:4]], out=m[:4].view(1, 4))",
    "torch.gather(m[:4], 0, i, out=m[:4])",
    "torch.take(m[:4], i, out=m[:4])",
    "torch.take_along_dim(m[:4], i, out=m[:4])",
    "torch.index_select(m[:4], 0, i, out=m[:4])",
    "torch.masked_select(m, m > 2, out=m)",
    "torch.kthvalue(m.view(2, 4), 1, out=(m[:2], i[:2]))",
    "torch.cross(m[:3], m[3:6], dim=0, out=m[:3])",
    "torch.linalg.cross(m[:3], m[3:6], out=m[:3])",
    "torch.float_power(d[:4], 2, out=d[1:5])",
    "torch.index_add(m[:4], 0, i, m[4:], out=m[4:])",
    "torch.scatter_add(m[:4], 0, i, m[4:], out=m[4:])",
]
allowed = [
    ("torch.mul(m[:4], 2, out=m[:4])", [0.0, 2.0, 4.0, 6.0]),
    ("torch.mul(m[:4], 2, out=m[4:])", [0.0, 2.0, 4.0, 6.0]),
    ("torch.mul(m[::2], 2, out=m[1::2])", [0.0, 4.0, 8.0, 12.0]),
    ("torch.cumsum(m[:4], 0, out=m[:4])", [0.0, 1.0, 3.0, 6.0]),
    ("torch.sort(m[:4], descending=True, out=(m[:4], i))[0]", [3.0, 2.0, 1.0, 0.0]),
    ("torch.cat([m[:2], m[2:4]], out=m[4:])", [0.0, 1.0, 2.0, 3.0]),
    ("torch.take(m[:4], i, out=m[4:])", [0.0, 0.0, 0.0, 0.0]),
    ("torch.index_add(m[:4], 0, i, m[4:], out=m[:4])", [22.0, 1.0, 2.0, 3.0]),
]


@pytest.fixture
def names(torch):
    return {
        "torch": torch,
        "m": torch.arange(8.0),
        "i": torch.zeros(4, dtype=torch.int64),
        "d": torch.arange(8.0).double(),
    }


@pytest.mark.parametrize("call", refused)
def test_memory_that_is_read_is_not_written_elsewhere(names, call):
    with pytest.raises(RuntimeError, match=SHARED):
        eval(call, names)
    assert names["m"].tolist() == list(range(8))


@pytest.mark.parametrize(("call", "values"), allowed)
def test_memory_that_is_the_same_or_apart_is_written(names, call, values):
    assert eval(call, names).tolist() == values


def test_the_tensor_itself_is_no_place_for_its_parts(torch):
    x, y = torch.zeros(0), torch.ones(4, 6)
    for out in (x, y):
        with pytest.raises(RuntimeError, match=SHARED):
            torch.cat((x, y), dim=0, out=out)


def test_in_place_the_rule_is_the_same(torch):
    m = torch.arange(8.0)
    with pytest.raises(RuntimeError, match=SHARED):
        m[:4].add_(m[1:5])
    assert m.tolist() == list(range(8))
    assert m.add_(m).tolist() == list(range(0, 16, 2))


@pytest.mark.parametrize(
    "call",
    [
        "m.index_add_(0, i, m)",
        "m.index_copy_(0, i, m)",
        "m.scatter_(0, i, m)",
        "m.scatter_add_(0, i, m)",
        "m.scatter_reduce_(0, i, m, 'sum')",
        "m.put_(i, m)",
        "i.scatter_(0, i, 1)",
    ],
)
def test_what_is_scattered_is_not_what_it_is_scattered_to(torch, call):
    names = {"torch": torch, "m": torch.arange(8.0), "i": torch.arange(8)}
    with pytest.raises(RuntimeError, match=SHARED):
        eval(call, names)
    assert names["m"].tolist() == names["i"].tolist() == list(range(8))


def test_tensors_with_gaps_are_not_looked_into(torch):
    m = torch.ones(4, 4)
    m[:, 1:].add_(m[:, :3] * 1)
    m[:, ::2].add_(m[:, 1::2])
    assert m[0].tolist() == [3, 2, 4, 2]


def test_an_expanded_tensor_cannot_be_written(torch):
    with pytest.raises(RuntimeError, match=ITSELF):
        torch.mul(torch.ones(3), 2, out=torch.zeros(1).expand(3))


dtypes = [
    ("torch.mm(x, x, out=d)", "Expected out tensor to have dtype float, but got double instead"),
    ("torch.gather(x, 0, torch.zeros(2, 2).long(), out=d)", "Expected out tensor to have dtype float, but got double"),
    ("torch.sort(x, out=(d, torch.zeros(2, 2).long()))", "Expected out tensor to have dtype float, but got double"),
    ("torch.argmax(x, 0, out=x[0])", "Expected out tensor to have dtype long int, but got float instead"),
    ("torch.index_select(x, 0, torch.tensor([0, 1]), out=d)", r"index_select\(\): self and result must have the same"),
    ("torch.masked_select(x, x > 0, out=d)", r"masked_select\(\): self and result must have the same scalar type"),
    ("torch.take(x, torch.tensor([0]), out=d)", "take.*but got self.dtype = Float and out.dtype = Double"),
    ("torch.kthvalue(x, 1, out=(d[0], torch.tensor([0, 0])))", "output values must be of same type as input"),
    (
        "torch.complex(x, x, out=d.to(torch.complex128))",
        "Expected object of scalar type ComplexFloat but got scalar type",
    ),
    (
        "torch.polar(x, x, out=d.to(torch.complex128))",
        "Expected object of scalar type ComplexFloat but got scalar type",
    ),
    (
        "torch.amax(x, 0, out=d[0])",
        "Expected the dtype for input and out to match, but got Float for input's dtype and",
    ),
    ("torch.where(x > 0, x, x, out=d)", "Expected out type to be Float but got Double"),
    ("torch.floor(x, out=d)", "Found dtype Double but expected Float"),
]


@pytest.mark.parametrize(("call", "message"), dtypes)
def test_kernels_that_do_not_convert_refuse_another_dtype(torch, call, message):
    d = torch.zeros(2, 2, dtype=torch.float64)
    with pytest.raises(RuntimeError, match=message):
        eval(call, {"torch": torch, "x": torch.ones(2, 2), "d": d})
    assert d.tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("call", ["torch.add(x, x, out=d)", "torch.sum(x, 0, out=d[0])", "torch.cat([x], out=d)"])
def test_kernels_that_convert_take_a_wider_dtype(torch, call):
    d = torch.zeros(2, 2, dtype=torch.float64)
    assert eval(call, {"torch": torch, "x": torch.ones(2, 2), "d": d}).dtype is torch.float64
    assert d.any()


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        ("torch.zeros(2, out=x)", (2,)),
        ("torch.linspace(0, 1, 3, out=x)", (3,)),
        ("torch.arange(4, out=x.reshape(3, 1)[:0])", (4,)),
        ("torch.rand(2, 2, out=x)", (2, 2)),
        ("torch.add(x, 1, out=x[:2])", (3,)),
    ],
)
@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
def test_out_on_another_device_keeps_its_device(torch, call, shape):
    result = eval(call, {"torch": torch, "x": torch.ones(3, device="meta")})
    assert (result.device.type, tuple(result.shape)) == ("meta", shape)


@pytest.mark.parametrize("view", [lambda x: x[1:3, 1:3], lambda x: x[::2, ::2], lambda x: x.t()[:2, :2]])
def test_empty_leaves_the_numbers_of_its_out_as_they_are(torch, view):
    x = torch.arange(12.0).reshape(3, 4)[:, :4]
    out = view(x)
    before = x.tolist(), out.stride()
    assert torch.empty(2, 2, out=out) is out
    assert (x.tolist(), out.stride()) == before
    with pytest.raises(RuntimeError, match=r"dtype Long does not match dtype of out parameter \(Float\)"):
        torch.empty(2, 2, out=out, dtype=torch.long)
    with pytest.raises(RuntimeError, match="'memory_format' argument is incompatible with 'out' tensor argument"):
        torch.empty(2, 2, out=out, memory_format=torch.contiguous_format)
    grown = torch.empty(0)
    assert torch.empty(2, 3, out=grown).shape == grown.shape == (2, 3)
