"""Out of a tensor and into another: numbers, lists, arrays, dtypes; what is a copy and what is the same object."""

import math

import numpy as np
import pytest


@pytest.mark.parametrize(
    ("expression", "number"),
    [
        ("torch.tensor(1.5).item()", 1.5),
        ("torch.tensor([[2]]).item()", 2),
        ("torch.tensor(True).item()", True),
        ("torch.tensor(1 + 2j).item()", 1 + 2j),
        ("torch.tensor(1.1).item()", 1.100000023841858),
        ("torch.tensor(1.1, dtype=torch.float64).item()", 1.1),
        ("torch.tensor(1.1, dtype=torch.bfloat16).item()", 1.1015625),
        ("torch.tensor(1.1, dtype=torch.float16).item()", 1.099609375),
        ("torch.tensor(2**63 - 1).item()", 2**63 - 1),
        ("torch.ones(1, requires_grad=True).item()", 1.0),
        ("float(torch.tensor(2))", 2.0),
        ("float(torch.tensor([[2.5]]))", 2.5),
        ("int(torch.tensor(2.7))", 2),
        ("int(torch.tensor([-2.7]))", -2),
        ("complex(torch.tensor(2.5))", 2.5 + 0j),
        ("bool(torch.tensor([0]))", False),
        ("bool(torch.tensor(float('nan')))", True),
        ("[10, 20, 30][torch.tensor(1)]", 20),
        ("[10, 20, 30][torch.tensor([1])]", 20),
        ("[10, 20, 30][torch.tensor(True)]", 20),
        ("list(range(torch.tensor(3)))", [0, 1, 2]),
        ("'%d' % torch.tensor(3)", "3"),
        ("'%.2f' % torch.tensor(3.14159)", "3.14"),
        ("f'{torch.tensor(3.14159):.2f}'", "3.14"),
        ("f'{torch.tensor(3):d}'", "3"),
        ("math.floor(torch.tensor(2.5))", 2),
        ("math.ceil(torch.tensor(2.5))", 3),
        ("math.sqrt(torch.tensor(4.0))", 2.0),
        ("torch.tensor([[1, 2], [3, 4]]).tolist()", [[1, 2], [3, 4]]),
        ("torch.tensor(3).tolist()", 3),
        ("torch.zeros(2, 0).tolist()", [[], []]),
        ("torch.tensor([True]).tolist()", [True]),
        ("torch.tensor([1.5], dtype=torch.bfloat16).tolist()", [1.5]),
        ("torch.tensor([1j]).tolist()", [1j]),
        ("torch.arange(6).reshape(2, 3).t().tolist()", [[0, 3], [1, 4], [2, 5]]),
        ("torch.ones(2, requires_grad=True).tolist()", [1.0, 1.0]),
    ],
)
def test_python_values(torch, expression, number):
    converted = eval(expression, {"torch": torch, "math": math})
    assert converted == number
    assert type(converted) is type(number)


@pytest.mark.parametrize(
    ("expression", "error", "first_line"),
    [
        ("torch.tensor([1, 2]).item()", RuntimeError, "a Tensor with 2 elements cannot be converted to Scalar"),
        ("torch.tensor([]).item()", RuntimeError, "a Tensor with 0 elements cannot be converted to Scalar"),
        ("float(torch.tensor([1, 2]))", ValueError, "only one element tensors can be converted to Python scalars"),
        ("int(torch.tensor([1, 2]))", ValueError, "only one element tensors can be converted to Python scalars"),
        ("int(torch.tensor(float('nan')))", ValueError, "cannot convert float NaN to integer"),
        ("int(torch.tensor(float('inf')))", OverflowError, "cannot convert float infinity to integer"),
        ("float(torch.tensor(1j))", RuntimeError, "value cannot be converted to type double without overflow"),
        (
            "bool(torch.tensor([1, 2]))",
            RuntimeError,
            "Boolean value of Tensor with more than one value is ambiguous",
        ),
        ("bool(torch.tensor([]))", RuntimeError, "Boolean value of Tensor with no values is ambiguous"),
        (
            "[10, 20][torch.tensor(1.0)]",
            TypeError,
            "only integer tensors of a single element can be converted to an index",
        ),
        (
            "[10, 20][torch.tensor([0, 1])]",
            TypeError,
            "only integer tensors of a single element can be converted to an index",
        ),
        ("f'{torch.tensor([1, 2]):.2f}'", TypeError, "unsupported format string passed to Tensor.__format__"),
        (
            "torch.ones(1, requires_grad=True).numpy()",
            RuntimeError,
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        ),
        (
            "(torch.ones(1, requires_grad=True) * 2).numpy()",
            RuntimeError,
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        ),
    ],
)
def test_refused(torch, expression, error, first_line):
    with pytest.raises(error) as caught:
        eval(expression, {"torch": torch})
    assert str(caught.value).splitlines()[0] == first_line


@pytest.mark.parametrize(
    ("shorthand", "dtype"),
    [
        ("float", "float32"),
        ("double", "float64"),
        ("half", "float16"),
        ("bfloat16", "bfloat16"),
        ("cfloat", "complex64"),
        ("cdouble", "complex128"),
        ("byte", "uint8"),
        ("char", "int8"),
        ("short", "int16"),
        ("int", "int32"),
        ("long", "int64"),
        ("bool", "bool"),
    ],
)
def test_shorthands(torch, shorthand, dtype):
    converted = getattr(torch.tensor([0, 1], dtype=torch.int8), shorthand)()
    assert (converted.dtype, converted.tolist()) == (getattr(torch, dtype), [0, 1])
    again = getattr(converted, shorthand)()
    assert again is converted


def test_to_returns_itself_when_nothing_changes(torch):
    x = torch.ones(2)
    for same in [
        x.to("cpu"),
        x.to(torch.device("cpu")),
        x.to(torch.float32),
        x.to(x),
        x.to("cpu", torch.float32),
        x.to("cpu", non_blocking=True, copy=False),
        x.to(device="cpu", dtype=torch.float32),
        x.cpu(),
        x.float(),
        x.type(torch.float32),
        x.contiguous(),
    ]:
        assert same is x
    copied = x.to(torch.float32, copy=True)
    assert copied is not x
    assert copied.data_ptr() != x.data_ptr()


def test_to_spellings(torch):
    x = torch.tensor([1.5, 2.5])
    assert x.to(torch.int64).tolist() == [1, 2]
    assert x.to("cpu", torch.float64).dtype is torch.float64
    assert x.to(dtype=torch.int8).dtype is torch.int8
    assert x.to(device="cpu", dtype=torch.int8, non_blocking=True).dtype is torch.int8
    assert x.to(torch.ones(1, dtype=torch.float64)).dtype is torch.float64
    assert x.to(int).dtype is torch.int64
    assert x.to(torch.float64, memory_format=torch.preserve_format).dtype is torch.float64
    assert torch.ones(2, 3).t().to(torch.float64).stride() == (1, 3)


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("torch.tensor([1.9, -1.9]).to(torch.int32)", [1, -1]),
        ("torch.tensor([2.5]).long()", [2]),
        ("torch.tensor([300]).to(torch.int8)", [44]),
        ("torch.tensor([-1]).to(torch.uint8)", [255]),
        ("torch.tensor([0.0, 2.0, -0.0, float('nan')]).bool()", [False, True, False, True]),
        ("torch.tensor([1e10]).half()", [math.inf]),
        ("torch.tensor([1.00390625, 1.01171875]).bfloat16()", [1.0, 1.015625]),
        ("torch.tensor([2049.0]).half()", [2048.0]),
        ("torch.tensor([True]).float()", [1.0]),
        ("torch.tensor([1]).cfloat()", [1 + 0j]),
        ("torch.tensor([2**24 + 1]).float()", [16777216.0]),
    ],
)
def test_rounding_and_wrapping(torch, expression, values):
    assert eval(expression, {"torch": torch}).tolist() == values


def test_casting_away_the_imaginary_part_warns(torch):
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="Casting complex values to real discards the imaginary part"):
            assert torch.tensor([1 + 2j]).to(torch.float32).tolist() == [1.0]
    finally:
        torch.set_warn_always(False)


def test_history_of_conversions(torch):
    x = torch.ones(2, 2, requires_grad=True)
    assert x.double().grad_fn.name() == "ToCopyBackward0"
    assert x.clone().grad_fn.name() == "CloneBackward0"
    assert x.t().contiguous().grad_fn.name() == "CloneBackward0"
    assert not x.long().requires_grad
    for same in [x.cpu(), x.contiguous(), x.float()]:
        assert same is x
    for without in [x.detach(), x.data]:
        assert (without.requires_grad, without.grad_fn, without.is_leaf) == (False, None, True)


def test_numpy_without_recording(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        assert x.numpy().tolist() == [1.0, 1.0]
    assert x.numpy(force=True).tolist() == [1.0, 1.0]
    assert x.detach().numpy().tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "dtype",
    ["bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]
    + ["float16", "float32", "float64", "complex64", "complex128"],
)
def test_numpy_keeps_dtype_and_strides(torch, dtype):
    array = torch.ones(2, 3, dtype=getattr(torch, dtype)).t().numpy()
    assert array.dtype == np.dtype(dtype)
    assert array.shape == (3, 2)
    assert array.strides == (array.itemsize, 3 * array.itemsize)
    assert array.flags.writeable
    assert torch.from_numpy(array).dtype is getattr(torch, dtype)


def test_clone_and_contiguous(torch):
    x = torch.arange(6.0).reshape(2, 3)
    copied = x.clone()
    copied[0, 0] = 9
    assert x[0, 0] == 0
    assert x.t().clone().stride() == (1, 3)
    assert x.t().clone(memory_format=torch.contiguous_format).stride() == (2, 1)
    assert x.t().contiguous().stride() == (2, 1)
    assert x.expand(2, 2, 3).clone().stride() == (6, 3, 1)
    assert x[:, ::2].clone().stride() == (2, 1)


def test_data_is_a_second_look_without_history(torch):
    x = torch.ones(2, requires_grad=True)
    look = x.data
    assert look is not x
    assert look.data_ptr() == x.data_ptr()
    look[0] = 5
    assert x.tolist() == [5, 1]


def test_data_can_be_replaced(torch):
    x = torch.arange(3.0, requires_grad=True)
    replacement = torch.ones(5)
    x.data = replacement
    assert (x.tolist(), x.shape, x.requires_grad, x.is_leaf) == ([1] * 5, (5,), True, True)
    assert x.data_ptr() == replacement.data_ptr()
    x.sum().backward()
    assert x.grad.tolist() == [1] * 5
    plain = torch.arange(3.0)
    plain.data = torch.ones(2, dtype=torch.int64)
    assert (plain.dtype, plain.tolist()) == (torch.int64, [1, 1])


@pytest.mark.parametrize(
    ("statement", "error", "first_line"),
    [
        ("x.data = [1]", TypeError, "Variable data has to be a tensor, but got list"),
        (
            "x.data = torch.ones(2, dtype=torch.int64)",
            RuntimeError,
            "data set to a tensor that requires gradients must be floating point or complex dtype",
        ),
        ("x.requires_grad = 1", RuntimeError, "requires_grad must be a bool"),
        (
            "(x + 0).requires_grad = False",
            RuntimeError,
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
            "subgraph that doesn't require differentiation use var_no_grad = var.detach().",
        ),
        (
            "torch.zeros(2, dtype=torch.int64).requires_grad = True",
            RuntimeError,
            "only Tensors of floating point and complex dtype can require gradients",
        ),
        (
            "torch.zeros(2, dtype=torch.int64).requires_grad_()",
            RuntimeError,
            "only Tensors of floating point dtype can require gradients",
        ),
        (
            "x.grad = torch.ones(3)",
            RuntimeError,
            "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. "
            "Please ensure that the gradient and the tensor are the same size",
        ),
        ("x.grad = 3", TypeError, "assigned grad expected to be a Tensor or None but got grad of type int"),
        ("x.grad = x", RuntimeError, "can't assign Variable as its own grad"),
    ],
)
def test_attributes_that_refuse_a_value(torch, statement, error, first_line):
    x = torch.zeros(2, requires_grad=True)
    with pytest.raises(error) as caught:
        exec(statement, {"torch": torch, "x": x})
    assert str(caught.value).splitlines()[0] == first_line
    assert (x.tolist(), x.requires_grad, x.grad) == ([0, 0], True, None)


@pytest.mark.parametrize("name", ["shape", "dtype", "device", "is_leaf", "grad_fn", "_version", "ndim", "is_cuda"])
def test_attributes_that_cannot_be_set(torch, name):
    x = torch.zeros(2)
    value = getattr(x, name)
    with pytest.raises(AttributeError):
        setattr(x, name, value)


def test_own_attributes(torch):
    x = torch.zeros(2)
    x.note = "mine"
    assert x.note == "mine"
    with pytest.raises(AttributeError, match="^'Tensor' object has no attribute 'nosuch'$"):
        _ = x.nosuch


def test_requires_grad_switches(torch):
    x = torch.zeros(2)
    assert x.requires_grad_() is x
    assert x.requires_grad
    x.requires_grad = False
    assert not x.requires_grad_(False).requires_grad
    x.grad = torch.ones(2)
    assert x.grad.tolist() == [1, 1]
    x.grad = None
    assert x.grad is None


def test_dtype_objects(torch):
    aliases = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32"}
    aliases |= {"short": "int16", "cfloat": "complex64", "cdouble": "complex128", "chalf": "complex32"}
    for alias, name in aliases.items():
        assert getattr(torch, alias) is getattr(torch, name)
    assert (repr(torch.bfloat16), str(torch.int64)) == ("torch.bfloat16", "torch.int64")
    assert torch.float32.is_floating_point
    assert not torch.int8.is_floating_point
    assert torch.int8.is_signed
    assert not torch.uint8.is_signed
    assert torch.complex64.is_complex
    assert (torch.float32.itemsize, torch.bfloat16.itemsize, torch.complex128.itemsize) == (4, 2, 16)
    assert (torch.float32.to_complex(), torch.complex128.to_real()) == (torch.complex64, torch.float64)
    assert isinstance(torch.float32, torch.dtype)
    assert len({torch.float32, torch.float, torch.float64}) == 2


def test_limits_of_dtypes(torch):
    assert torch.finfo(torch.float32).eps == 2.0**-23
    assert torch.finfo(torch.float16).max == 65504
    assert torch.finfo(torch.bfloat16).max == 3.3895313892515355e38
    assert torch.finfo(torch.float64).tiny == 2.2250738585072014e-308
    assert torch.finfo().dtype == "float32"
    assert torch.finfo(torch.complex128) == torch.finfo(torch.float64) != torch.finfo(torch.float32)
    assert (torch.iinfo(torch.uint8).max, torch.iinfo(torch.int64).min) == (255, -(2**63))
    with pytest.raises(TypeError, match=r"^torch\.finfo\(\) requires a floating point input type"):
        torch.finfo(torch.int32)
    with pytest.raises(TypeError, match=r"^torch\.iinfo\(\) requires an integer input type"):
        torch.iinfo(torch.float32)
    with pytest.raises(TypeError, match=r"^torch\.bool is not supported by torch\.iinfo"):
        torch.iinfo(torch.bool)


def test_sizes(torch):
    x = torch.ones(2, 3)
    assert (x.size(1), x.size(-1), x.numel(), x.nelement()) == (3, 3, 6, 6)
    assert (x.element_size(), x.itemsize, x.nbytes) == (4, 4, 24)
    assert (x.is_floating_point(), x.is_complex(), x.is_signed()) == (True, False, True)
    assert repr(x.shape) == "torch.Size([2, 3])"
    assert x.shape == (2, 3) == tuple(x.shape)
    assert type(x.shape + (1,)) is type(x.shape[:1]) is torch.Size
    assert x.shape.numel() == 6
    rows, columns = x.shape
    assert (rows, columns) == (2, 3)
    with pytest.raises(
        IndexError, match=r"^Dimension out of range \(expected to be in range of \[-2, 1\], but got 2\)"
    ):
        x.size(2)


def test_a_shape_beside_a_list(torch):
    items = [1]
    items += torch.ones(2, 3).shape
    assert items == [1, 2, 3]
    assert type(items) is list
    with pytest.raises(TypeError, match="can only concatenate list"):
        items + torch.ones(2).shape
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+: 'int' and 'torch.Size'"):
        1 + torch.ones(2).shape
    assert torch.ones(2).shape.__radd__([1]) is NotImplemented
