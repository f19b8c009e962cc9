"""One call in several forms: NumPy's `axis` and `keepdims`, and factors where they stood long ago."""

import warnings

import pytest

REDUCTIONS = [
    "sum", "nansum", "mean", "nanmean", "prod", "amax", "amin", "aminmax", "max", "min", "argmax", "argmin", "all",
    "any", "std", "var", "std_mean", "var_mean", "median", "nanmedian", "mode", "logsumexp", "norm", "count_nonzero",
    "kthvalue", "quantile", "nanquantile", "hash_tensor",
]  # fmt: skip
WITHOUT_KEEPDIM = {"count_nonzero"}
IN_PYTHON = {"norm"}  # PyTorch's own front of it takes its own names only
SECOND = {"kthvalue": (1,), "quantile": (0.5,), "nanquantile": (0.5,)}


def values(result):
    """The numbers of one result, or of several."""
    return result.tolist() if hasattr(result, "tolist") else [each.tolist() for each in result]


@pytest.fixture
def x(torch):
    return torch.tensor([[4.0, 1.0, 3.0], [2.0, 5.0, 0.0]])


@pytest.mark.parametrize("name", [each for each in REDUCTIONS if each not in IN_PYTHON])
def test_reductions_take_numpys_names(torch, x, name):
    function, method = getattr(torch, name), getattr(x, name, None)
    second = SECOND.get(name, ())
    keep, keeps = ({}, {}) if name in WITHOUT_KEEPDIM else ({"keepdim": True}, {"keepdims": True})
    expected = values(function(x, *second, dim=1, **keep))
    assert values(function(x, *second, axis=1, **keeps)) == expected
    assert values(function(x, *second, axis=1, **keep)) == expected
    if method is not None:
        assert values(method(*second, axis=1, **keeps)) == expected


@pytest.mark.parametrize(
    ("call", "same"),
    [
        ("torch.cumsum(x, axis=1)", "torch.cumsum(x, 1)"),
        ("x.cumprod(axis=0)", "x.cumprod(0)"),
        ("x.clone().cumsum_(axis=0)", "x.cumsum(0)"),
        ("torch.softmax(x, axis=1)", "torch.softmax(x, 1)"),
        ("torch.cat([x, x], axis=1)", "torch.cat([x, x], 1)"),
        ("torch.stack([x, x], axis=2)", "torch.stack([x, x], 2)"),
        ("torch.unsqueeze(x, axis=0)", "x[None]"),
        ("x.clone().unsqueeze_(axis=0)", "x[None]"),
        ("torch.squeeze(x[:1], axis=0)", "x[0]"),
        ("torch.sort(x, axis=0)", "torch.sort(x, 0)"),
        ("torch.index_select(x, axis=1, index=torch.tensor([2]))", "x[:, 2:]"),
        ("torch.gather(x, axis=1, index=torch.tensor([[0], [1]]))", "torch.tensor([[4.0], [5.0]])"),
        ("torch.swapaxes(x, axis0=0, axis1=1)", "x.T"),
        ("x.clone().swapaxes_(axis0=0, axis1=1)", "x.T"),
        ("torch.swapdims(x, dim0=0, dim1=1)", "x.T"),
        ("torch.cat(torch.unsafe_split(input=x, split_size=1))", "x"),
        ("torch.diff(x, axis=0)", "x[1:] - x[:1]"),
        ("torch.sum(x, axis=None)", "x.sum()"),
        ("torch.sum(x, axis=(0, 1))", "x.sum()"),
    ],
)
def test_other_functions_of_a_dimension_take_axis(torch, x, call, same):
    names = {"torch": torch, "x": x}
    assert values(eval(call, names)) == values(eval(same, names))


@pytest.mark.parametrize(
    "call",
    [
        "torch.tensor_split(x, indices=[1])",
        "torch.tensor_split(x, sections=2)",
        "torch.tensor_split(x, tensor_indices_or_sections=torch.tensor(2))",
        "torch.tensor_split(input=x, indices=(1,), dim=0)",
        "x.tensor_split(indices=[1])",
        "x.tensor_split(sections=2, dim=0)",
        "torch.hsplit(x.T, sections=2)",
        "torch.hsplit(x.T, indices=[1])",
        "torch.vsplit(x, sections=2)",
        "torch.vsplit(x, indices=[1])",
        "torch.dsplit(x.T[None], sections=2)",
    ],
)
def test_where_to_cut_goes_by_the_names_of_two_forms(torch, x, call):
    assert len(eval(call, {"torch": torch, "x": x})) == 2


def test_where_to_cut_is_said_once(torch, x):
    with pytest.raises(TypeError, match=r"^tensor_split\(\)"):
        torch.tensor_split(x, sections=2, indices=[1])


def test_axis_is_part_of_the_history(torch, x):
    x.requires_grad_()
    torch.sum(x * x, axis=0).sum().backward()
    assert x.grad.tolist() == (2 * x).tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("torch.sum(x, axis=0, dim=0)", r"^sum\(\) got an unexpected keyword argument 'axis'$"),
        ("torch.cumsum(x)", r'^cumsum\(\) missing 1 required positional arguments: "dim"$'),
        ("torch.index_select(x)", r'^index_select\(\) missing 2 required positional argument: "dim", "index"$'),
        ("torch.cumsum(x, 0, axes=1)", "^cumsum"),
        ("torch.nn.functional.softmax(x, axes=0)", "unexpected keyword argument 'axes'$"),
        ("torch.cumsum(x, 'rows')", r"^cumsum\(\): argument 'dim' \(position 2\) must be int, not str$"),
        ("torch.cumsum(x, 0.0)", r"^cumsum\(\): argument 'dim' \(position 2\) must be int, not float$"),
        ("torch.sum(x, 0.5)", "^sum"),
    ],
)
def test_what_is_no_form_of_a_call_is_a_type_error(torch, x, call, message):
    with pytest.raises(TypeError, match=message):
        eval(call, {"torch": torch, "x": x})


FACTORS = [
    ("torch.add(x, 2, y)", "torch.add(x, y, alpha=2)"),
    ("x.add(2, y)", "x.add(y, alpha=2)"),
    ("x.clone().add_(-0.5, y)", "x.add(y, alpha=-0.5)"),
    ("x.sub(2, y)", "x.sub(y, alpha=2)"),
    ("x.addcmul(0.5, y, y)", "x.addcmul(y, y, value=0.5)"),
    ("x.clone().addcdiv_(-0.5, x, y)", "x.addcdiv(x, y, value=-0.5)"),
    ("torch.addmm(0.5, x, y, x)", "torch.addmm(x, y, x, beta=0.5)"),
    ("torch.addmm(0.5, x, 2, y, x)", "torch.addmm(x, y, x, beta=0.5, alpha=2)"),
    ("x.addmm(0.5, 2, y, x)", "torch.addmm(x, y, x, beta=0.5, alpha=2)"),
    ("x[0].addmv(0.5, y, x[1])", "x[0].addmv(y, x[1], beta=0.5)"),
    ("x.addr(0.5, 2, x[0], y[0])", "x.addr(x[0], y[0], beta=0.5, alpha=2)"),
    ("x[None].baddbmm(0.5, y[None], x[None])", "x[None].baddbmm(y[None], x[None], beta=0.5)"),
    ("x.addbmm(0.5, 2, y[None], x[None])", "x.addbmm(y[None], x[None], beta=0.5, alpha=2)"),
]


@pytest.mark.parametrize(("old", "new"), FACTORS)
def test_factors_may_stand_between_the_operands(torch, old, new):
    names = {"torch": torch, "x": torch.tensor([[1.0, 2.0], [3.0, 4.0]]), "y": torch.tensor([[2.0, 4.0], [8.0, 5.0]])}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # PyTorch gives it once a process
        result = eval(old, names)
    assert result.tolist() == eval(new, names).tolist()


def test_an_old_optimizer_still_steps(torch):
    p, g = torch.ones(2), torch.tensor([1.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        p.add_(-0.5, g)
    assert p.tolist() == [0.5, 0.0]


@pytest.mark.parametrize(
    "call", ["x.add(2, x, x)", "torch.add(x, x, x)", "torch.add(x, x, x, x)", "x.addmm(1, 2, 3, x, x)"]
)
def test_too_many_operands_are_refused(torch, call):
    with pytest.raises(TypeError):
        eval(call, {"torch": torch, "x": torch.ones(2, 2)})


@pytest.mark.parametrize("name", ["add", "sub"])
def test_a_tensor_without_dimensions_is_a_number(torch, name):
    factor = torch.tensor(2.0, dtype=torch.float64)
    y = torch.ones(3, requires_grad=True)
    out = getattr(torch, name)(torch.ones(3), y, alpha=factor)
    assert out.dtype == torch.float32
    out.sum().backward()
    assert y.grad.abs().tolist() == [2.0] * 3
    x = torch.zeros(3)
    assert getattr(x, f"{name}_")(torch.ones(3), alpha=factor).abs().tolist() == [2.0] * 3


def test_a_tensor_without_dimensions_is_a_number_for_other_factors(torch):
    ones, factor = torch.ones(2, 2), torch.tensor(3)
    assert torch.addcmul(ones, ones, ones, value=factor).tolist() == [[4.0, 4.0]] * 2
    assert torch.addcdiv(ones, ones, ones, value=factor).tolist() == [[4.0, 4.0]] * 2
    assert torch.addmm(ones, ones, ones, beta=factor, alpha=factor).tolist() == [[9.0, 9.0]] * 2
    assert torch.clamp(ones, torch.tensor(0.5), 0.75).tolist() == [[0.75, 0.75]] * 2
    assert ones.clone().clamp_(torch.tensor(2.0), 3).tolist() == [[2.0, 2.0]] * 2


def test_what_is_no_number(torch):
    ones = torch.ones(3)
    for factor, kind in (("a", "str"), ([1], "list"), (None, "NoneType"), (torch.full((1,), 2.0), "Tensor")):
        with pytest.raises(TypeError, match=rf"add\(\): argument 'alpha' must be Number, not {kind}"):
            torch.add(ones, ones, alpha=factor)
    with pytest.raises(TypeError, match=r"add\(\): argument 'alpha' must be Number, not Tensor"):
        torch.add(ones, ones, alpha=torch.tensor(2.0, requires_grad=True))
    with pytest.raises(TypeError, match=r"clamp\(\) received an invalid combination"):
        torch.clamp(ones, torch.tensor([0.5]), 0.75)


def test_dimensions_are_given_one_by_one_where_a_method_takes_nothing_else(torch):
    x = torch.ones(1, 2, 1, 3, requires_grad=True)
    for squeezed in (x.squeeze(0, 2), x.squeeze((0, 2)), (x * 1).squeeze_(0, 2)):
        assert squeezed.shape == (2, 3)
    assert x.squeeze(axis=0).shape == x.squeeze(0).shape == (2, 1, 3)
    assert x.squeeze(0, 2).grad_fn.name() == "SqueezeBackward2"
    assert (x * 1).squeeze_(0, 2).grad_fn.name() == "SqueezeBackward5"
    assert x.count_nonzero(0, 1).tolist() == [[2, 2, 2]]
    with pytest.raises(RuntimeError, match="dim 0 appears multiple times in the list of dims"):
        x.squeeze(0, 0)
    for name in ("squeeze", "count_nonzero"):
        with pytest.raises(TypeError):
            getattr(x, name)(0, axis=2)


def test_positions_in_a_tuple_have_no_out(torch, x):
    with pytest.raises(RuntimeError, match="nonzero does not support the out kwarg when as_tuple is True"):
        torch.nonzero(x, as_tuple=True, out=torch.empty(0, dtype=torch.int64))
    with pytest.raises(TypeError, match=r"nonzero\(\): argument 'out' must be Tensor, not tuple"):
        torch.nonzero(x, as_tuple=True, out=(torch.empty(0, dtype=torch.int64),) * 2)


@pytest.mark.filterwarnings("ignore:This overload")
def test_the_old_order_of_sums_takes_numbers(torch):
    x, three = torch.tensor([1.0, 2.0]), torch.tensor(3)
    assert torch.add(x, three, x).tolist() == [4.0, 8.0]
    assert torch.add(x, 2, 3).tolist() == x.add(2, 3).tolist() == [7.0, 8.0]
    assert torch.add(1, 2, 3).item() == 7 and torch.add(x, three, 2.5).tolist() == [8.5, 9.5]
    assert torch.sub(x, 2, 3).tolist() == [-5.0, -4.0]
    assert torch.add(torch.tensor(True), torch.tensor(True), True).item() is True
    assert x.clone().add_(three, x).tolist() == [4.0, 8.0]
    for middle, last in ((x, 2), (x, x), ("2", x), (2, "x")):
        with pytest.raises(TypeError):
            torch.add(x, middle, last)
