"""`out=` as a view of other memory: every function that takes it writes where PyTorch writes, and in the same shape."""

import math
import warnings
from functools import partial

import numpy as np
import pytest

import rushlight
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared, oracle

theirs = pytest.importorskip("torch", reason="compares with PyTorch")
lazy_modules.load_all()


def with_gaps(torch, shape, kind):
    base = torch.zeros((*shape[:-1], 2 * shape[-1]) if shape else (2,), dtype=kind)
    return base, base[..., 1::2] if shape else base[1]


def turned(torch, shape, kind):
    base = torch.zeros(shape[::-1], dtype=kind)
    return base, base.permute(tuple(range(len(shape)))[::-1])


def between_rows(torch, shape, kind):
    base = torch.zeros((shape[0] + 3, *shape[1:]) if shape else (3,), dtype=kind)
    return base, base.narrow(0, 2, shape[0]) if shape else base[1]


def between_columns(torch, shape, kind):
    base = torch.zeros((*shape[:-1], shape[-1] + 3) if shape else (3,), dtype=kind)
    return base, base.narrow(-1, 1, shape[-1]) if shape else base[2]


def smaller(torch, shape, kind):
    base = torch.zeros(math.prod(shape) + 7, dtype=kind)
    return base, base[2:4]


def larger(torch, shape, kind):
    base = torch.zeros(math.prod(shape) + 7, dtype=kind)
    return base, base[1 : math.prod(shape) + 4]


def as_many(torch, shape, kind):
    base = torch.zeros(2 * math.prod(shape) + 7, dtype=kind)
    return base, base[1 : 2 * math.prod(shape) + 1 : 2]


def none(torch, shape, kind):
    base = torch.zeros(0, dtype=kind)
    return base, base


VIEWS = {
    each.__name__: each for each in (with_gaps, turned, between_rows, between_columns, smaller, larger, as_many, none)
}

# PyTorch takes the memory of `out` for contiguous, and writes elsewhere, at times beyond its end.
ELSEWHERE = {"avg_pool3d", "narrow_copy", "linalg_matmul"}
# Parts of several sizes: PyTorch does not resize the tensors in the list.
ELSEWHERE |= {"split_copy", "unbind_copy", "split_with_sizes_copy"}
# PyTorch lets a batch of matrices be resized, or a tensor reshaped, without a warning; here the warning is there.
SILENT = {"addbmm", "logsigmoid", "matmul", "linear", "mode", "kthvalue", "linalg_matmul"}
# LAPACK chooses signs; and PyTorch lays what it makes by itself in columns.
SIGNS = {"linalg_svd", "svd", "linalg_eigh", "linalg_eig", "lobpcg"}
COLUMNS = {"inverse", "cholesky", "lu_solve", "triangular_solve", "qr", "svd", "cholesky_inverse", "lu", "geqrf"}
# Deprecated: PyTorch warns without out= only.
DEPRECATED = {"qr", "cholesky", "lu", "lu_solve", "triangular_solve"}
NAMES = [
    name
    for name, op in OPS.items()
    if op.out and op.spaces and name not in ELSEWHERE and oracle.counterpart(op, theirs)
]


def written(torch, call, shapes, view):
    """What stands in the memory around `out`, the shape of `out`, and whether there was a warning; or the error."""
    pairs = [VIEWS[view](torch, shape, getattr(torch, kind)) for shape, kind in shapes]
    outs = [out for _, out in pairs]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call(tuple(outs) if len(outs) > 1 else outs[0])
        except (RuntimeError, TypeError, NotImplementedError) as error:
            return "error", type(error).__name__
    numbers = [base.resolve_conj().numpy() for base, _ in pairs]
    resized = any("An output with one or more elements was resized" in str(each.message) for each in caught)
    return [tuple(out.shape) for out in outs], numbers, resized


def check(name, view, mine, wanted):
    label = f"{name} {view}"
    assert (mine[0] == "error") == (wanted[0] == "error"), f"{label}: {mine} where PyTorch has {wanted}"
    if wanted[0] == "error":
        assert mine == wanted, label
        return
    assert mine[0] == wanted[0], f"{label}: the shape of out"
    assert name in SILENT | DEPRECATED or mine[2] == wanted[2], f"{label}: the warning"
    if name in SIGNS:
        return
    in_columns = name.startswith("linalg_") or name in COLUMNS
    order = (
        partial(np.sort, axis=None) if in_columns and view in ("smaller", "larger", "as_many", "none") else np.asarray
    )
    for ours, other in zip(mine[1], wanted[1], strict=True):
        np.testing.assert_allclose(
            order(ours), order(other), rtol=1e-5, atol=1e-6, err_msg=f"{label}: the memory around out"
        )


def first_cases(op, count: int = 2):
    """Some samples whose results have elements: NumPy does not say where a view without elements begins."""
    for case in declared.cases(op)[:count]:
        arguments, keywords = case.filled([each.detach() for each in case.tensors])
        other = oracle.to_torch(arguments, theirs), oracle.to_torch(keywords, theirs)
        try:
            expected = oracle.counterpart(op, theirs)(*other[0], **other[1])
        except (RuntimeError, TypeError, NotImplementedError):
            continue
        results = [*expected] if isinstance(expected, (tuple, list)) else [expected]
        if all(each.numel() for each in results):
            shapes = [(tuple(each.shape), str(each.dtype).removeprefix("torch.")) for each in results]
            yield (arguments, keywords), other, shapes


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_operators_write_to_the_memory_of_out(name):
    op = OPS[name]
    for (arguments, keywords), (their_arguments, their_keywords), shapes in first_cases(op):
        mine = partial(op.function, *arguments, **keywords)
        other = partial(oracle.counterpart(op, theirs), *their_arguments, **their_keywords)
        for view in VIEWS:
            wanted = written(theirs, lambda out, call=other: call(out=out), shapes, view)
            if wanted != ("error", "TypeError"):  # PyTorch has no such form with out=
                check(name, view, written(rushlight, lambda out, call=mine: call(out=out), shapes, view), wanted)


def column(torch):
    return torch.linspace(0.1, 0.9, 6).reshape(2, 3)


MAKERS = {
    "arange": lambda t, **given: t.arange(4, **given),
    "arange, in steps": lambda t, **given: t.arange(5, 1, -1, **given),
    "range": lambda t, **given: t.range(0, 3, **given),
    "linspace": lambda t, **given: t.linspace(0, 3, 4, **given),
    "logspace": lambda t, **given: t.logspace(0, 1, 6, **given),
    "zeros": lambda t, **given: t.zeros(2, 3, **given),
    "ones": lambda t, **given: t.ones(2, 3, **given),
    "full": lambda t, **given: t.full((2, 3), 2.5, **given),
    "eye": lambda t, **given: t.eye(2, 3, **given),
    "rand": lambda t, **given: t.rand(5, 4, 7, **given),
    "randn": lambda t, **given: t.randn(5, 4, 7, **given),
    "randn of few": lambda t, **given: t.randn(2, 3, **given),
    "randint": lambda t, **given: t.randint(2, 9, (4, 10), **given),
    "randperm": lambda t, **given: t.randperm(40, **given),
    "normal": lambda t, **given: t.normal(0.5, 2.0, (4, 10), **given),
    "normal around": lambda t, **given: t.normal(column(t), 2.0, **given),
    "normal within": lambda t, **given: t.normal(2.0, column(t), **given),
    "normal of both": lambda t, **given: t.normal(column(t), column(t), **given),
    "bernoulli": lambda t, **given: t.bernoulli(column(t), **given),
    "multinomial": lambda t, **given: t.multinomial(column(t), 3, **given),
    "complex": lambda t, **given: t.complex(column(t), column(t), **given),
}
# In PyTorch numbers around means fill what of `out` they broadcast to, and fail where it is empty.
UNFIT = {("normal around", "none")}


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", MAKERS)
def test_functions_that_make_numbers_write_to_the_memory_of_out(name, view):
    if (name, view) in UNFIT:
        return
    results = []
    for torch in (rushlight, theirs):
        made = MAKERS[name](torch)
        shapes = [(tuple(made.shape), str(made.dtype).removeprefix("torch."))]
        torch.manual_seed(5)
        results.append(written(torch, lambda out, torch=torch: MAKERS[name](torch, out=out), shapes, view))
    check(name, view, *results)


@pytest.mark.parametrize("name", ["arange", "linspace", "logspace"])
def test_as_many_elements_keep_their_shape(name):
    for torch in (rushlight, theirs):
        x = torch.zeros(2, 3)
        call = {"arange": (4,), "linspace": (0, 3, 4), "logspace": (0, 3, 4, 10)}[name]
        out = x.narrow(1, 1, 2)
        assert getattr(torch, name)(*call, out=out) is out
        assert tuple(out.shape) == (2, 2)
        assert x[0].tolist() == ([0, 1, 10] if name == "logspace" else [0, 0, 1])
        assert x[1].tolist() == ([0, 100, 1000] if name == "logspace" else [0, 2, 3])


REFUSED = [
    ("zeros(2, dtype=t.float64, out=x)", "dtype Double does not match dtype of out parameter"),
    ("linspace(0, 1, 2, dtype=t.float64, out=x)", "dtype Double does not match dtype of out parameter"),
    ("arange(3, dtype=t.int64, out=x)", "dtype Long does not match dtype of out parameter"),
    ("randn(2, dtype=t.float64, out=x)", "dtype Double does not match dtype of out parameter"),
    ("eye(2, dtype=t.float64, out=x)", "dtype Double does not match dtype of out parameter"),
    ("zeros(2, device='meta', out=x)", "device type meta does not match device type of out parameter"),
    ("zeros(2, out=x.requires_grad_())", "don't support automatic differentiation"),
    ("linspace(0, 1, 2, out=x.requires_grad_())", "aten::linspace.*don't support automatic differentiation"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_makers_refuse_of_out(call, message):
    for torch in (rushlight, theirs):
        with pytest.raises(RuntimeError, match=message):
            eval(f"t.{call}", {"t": torch, "x": torch.zeros(2)})


def test_a_maker_can_mark_out():
    for torch in (rushlight, theirs):
        assert torch.zeros(2, out=torch.ones(2), requires_grad=True).requires_grad


def test_arange_warns_of_another_count():
    for torch in (rushlight, theirs):
        with pytest.warns(UserWarning, match="The number of elements in the out tensor of shape"):
            assert torch.arange(4, out=torch.zeros(2)).tolist() == [0, 1, 2, 3]


def test_a_view_without_elements_does_not_write_elsewhere():
    """NumPy does not say where it begins, so that the result has memory of its own."""
    x = rushlight.zeros(6)
    out = x[3:3]
    assert rushlight.add(rushlight.ones(2), 1, out=out) is out
    assert (out.tolist(), x.tolist()) == ([2, 2], [0] * 6)
