"""Tensors and NumPy: memory shared both ways, operators with arrays and NumPy scalars on either side, protocols."""

import operator
import warnings

import numpy as np
import pytest

# PyTorch 2.13 has not yet followed NumPy 2 in this protocol, and NumPy says so each time it is used.
pytorch_lags_behind_numpy = pytest.mark.filterwarnings("ignore:__array_wrap__ must accept context")
only_rushlight = pytest.mark.parametrize("torch", ["rushlight"], indirect=True)

ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
COMPARISON = ["lt", "le", "gt", "ge", "eq", "ne"]


def test_numpy_shows_later_changes(torch):
    x = torch.zeros(2, 2)
    array = x.numpy()
    x.add_(1)
    array[0, 0] = 5
    assert x.tolist() == array.tolist() == [[5, 1], [1, 1]]


def test_from_numpy_shows_later_changes(torch):
    array = np.zeros((2, 2))
    x = torch.from_numpy(array)
    array += 1
    x[0, 0] = 5
    assert x.tolist() == array.tolist() == [[5, 1], [1, 1]]
    assert x.data_ptr() == array.ctypes.data
    assert np.shares_memory(x.numpy(), array)


GIVEN = {
    "numpy": lambda torch, x: x.numpy(),
    "numpy by force": lambda torch, x: x.numpy(force=True),
    "asarray": lambda torch, x: np.asarray(x),
    "numpy of a part": lambda torch, x: x[:].numpy(),
}
TAKEN = {
    "from_numpy": lambda torch, array: torch.from_numpy(array),
    "as_tensor": lambda torch, array: torch.as_tensor(array),
    "asarray": lambda torch, array: torch.asarray(array),
}


def use_otherwise(array):
    """What a program may do with an array of its own."""
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # NumPy's, from 2.5 on
        array.shape = (2, 3)
        array.dtype = np.int32


@pytest.mark.parametrize("way", GIVEN)
def test_what_becomes_of_the_array_does_not_show_in_the_tensor(torch, way):
    x = torch.zeros(6)
    use_otherwise(GIVEN[way](torch, x))
    assert x.shape == (6,) and x.dtype == torch.float32
    assert x.add_(1).tolist() == [1.0] * 6


@pytest.mark.parametrize("way", TAKEN)
def test_what_becomes_of_the_array_does_not_show_in_a_tensor_of_it(torch, way):
    array = np.zeros(6, np.float32)
    x = TAKEN[way](torch, array)
    use_otherwise(array)
    assert x.shape == (6,) and x.dtype == torch.float32
    assert x.add_(1).tolist() == [1.0] * 6


@pytest.mark.parametrize(
    ("expression", "shape", "stride"),
    [
        ("np.zeros((2, 3))", (2, 3), (3, 1)),
        ("np.zeros((2, 3)).T", (3, 2), (1, 3)),
        ("np.zeros((4, 6))[::2, ::3]", (2, 2), (12, 3)),
        ("np.zeros((2, 3))[:, 1]", (2,), (3,)),
        ("np.array(3.0)", (), ()),
        ("np.asfortranarray(np.zeros((2, 3)))", (2, 3), (1, 2)),
    ],
)
def test_from_numpy_takes_the_strides(torch, expression, shape, stride):
    array = eval(expression, {"np": np})
    x = torch.from_numpy(array)
    assert (x.shape, x.stride(), x.storage_offset(), x.dtype) == (shape, stride, 0, torch.float64)
    assert x.numpy().strides == array.strides


def test_a_view_of_shared_memory_is_shared_too(torch):
    array = np.zeros((3, 4), np.float32)
    torch.from_numpy(array)[1:, ::2].fill_(1)
    assert array.tolist() == [[0, 0, 0, 0], [1, 0, 1, 0], [1, 0, 1, 0]]
    row = torch.from_numpy(array).t()[0].numpy()
    row[:] = 7
    assert array[:, 0].tolist() == [7, 7, 7]


def test_negative_strides_are_refused(torch):
    message = "^At least one stride in the given numpy array is negative, and tensors with negative strides are not"
    for make in [torch.from_numpy, torch.as_tensor, torch.tensor]:
        with pytest.raises(ValueError, match=message):
            make(np.arange(6)[::-2])
    assert torch.from_numpy(np.arange(6)[::-2].copy()).tolist() == [5, 3, 1]


ODD = {
    "a field of records": lambda: np.zeros(3, [("a", "u1"), ("b", "f4")])["b"],
    "one element": lambda: np.ndarray((1,), np.float32, np.zeros(8, np.uint8), strides=(5,)),
    "halves of complex numbers": lambda: np.ndarray((2,), np.complex64, np.zeros(64, np.uint8), strides=(12,)),
    "the other order of bytes": lambda: np.zeros(3, np.dtype(np.float32).newbyteorder("S")),
    "records": lambda: np.rec.array([(1, 2.0)], [("a", "i4"), ("b", "f4")]),
}
SAID = {
    "records": "can't convert np.ndarray of type numpy.void. The only supported types are: float64,",
    "the other order of bytes": "given numpy array has byte order different from the native byte order. Conversion",
}
STEPS = "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the mem"


@pytest.mark.parametrize("maker", ["from_numpy", "as_tensor", "asarray", "tensor"])
@pytest.mark.parametrize("kind", ODD)
def test_arrays_that_no_tensor_looks_like(torch, maker, kind):
    with pytest.raises(TypeError if kind == "records" else ValueError) as caught:
        getattr(torch, maker)(ODD[kind]())
    assert str(caught.value).startswith(SAID.get(kind, STEPS))


@pytest.mark.filterwarnings("ignore")
def test_arrays_of_other_types_are_read_as_arrays(torch):
    for array in (np.matrix([[1.0, 2.0]]), np.ma.array([1.0, 2.0], mask=[True, False])):
        assert torch.tensor(array).tolist() == np.asarray(array).tolist()
    assert torch.equal(torch.ones(1, 2).double() @ np.matrix([[1.0], [2.0]]), torch.tensor([[3.0]]).double())


@pytest.mark.filterwarnings("ignore")
def test_arrays_in_the_other_order_of_bytes_are_operands(torch):
    x, array = torch.tensor([1.0, 2.0]), np.array([1.5, -2.5], np.dtype(np.float32).newbyteorder("S"))
    assert (x + array).tolist() == [2.5, -0.5]
    assert (x * array[0]).tolist() == [1.5, 3.0]
    assert torch.equal(x + np.longdouble(1), torch.tensor([2.0, 3.0]))


def test_read_only_arrays_warn(torch):
    array = np.zeros(2)
    array.flags.writeable = False
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="The given NumPy array is not writable, and PyTorch does not support"):
            torch.from_numpy(array)
    finally:
        torch.set_warn_always(False)


def test_array_protocol(torch):
    x = torch.arange(3.0)
    array = np.asarray(x)
    assert (array.dtype, array.tolist()) == (np.float32, [0, 1, 2])
    assert np.shares_memory(array, x.numpy())
    assert x.__array__().dtype == np.float32
    converted = np.asarray(x, dtype=np.int32)
    assert (converted.dtype, converted.tolist()) == (np.int32, [0, 1, 2])
    with pytest.raises(RuntimeError, match=r"^Can't call numpy\(\) on Tensor that requires grad\."):
        np.asarray(torch.ones(1, requires_grad=True))


def test_arrays_of_tensors(torch):
    x = torch.ones(3)
    assert np.concatenate([x, x]).tolist() == [1] * 6
    assert np.stack([x, x]).shape == np.array([x, x]).shape == (2, 3)
    assert np.array([torch.tensor(1), torch.tensor(2)]).tolist() == [1, 2]
    assert np.full(2, torch.tensor(3.0)).tolist() == [3, 3]
    array = np.zeros(3)
    array[:] = x
    array[0] = torch.tensor(4.0)
    assert array.tolist() == [4, 1, 1]
    assert np.arange(3)[torch.tensor([2, 0])].tolist() == [2, 0]
    assert np.arange(3)[torch.tensor(1)] == 1
    assert np.allclose(x, 1)
    np.testing.assert_allclose(x, [1, 1, 1])
    assert np.float64(torch.tensor(2.0)) == 2
    assert (np.shape(x), np.ndim(x)) == ((3,), 1)


# NumPy 2 asks for `copy`; PyTorch 2.13 does not know the argument.
@only_rushlight
def test_array_protocol_of_numpy_2(torch):
    x = torch.arange(3.0)
    copied = np.array(x)
    copied[0] = 9
    assert x[0] == 0
    assert np.shares_memory(np.array(x, copy=False), x.numpy())
    assert not np.shares_memory(x.__array__(copy=True), x.numpy())
    assert x.__array__(np.float64, copy=None).dtype == np.float64
    with pytest.raises(ValueError, match="copy"):
        np.array(x, dtype=np.float64, copy=False)


@pytest.mark.parametrize("name", ARITHMETIC + COMPARISON)
@pytest.mark.parametrize("scalar", [np.float64(2), np.float32(2), np.int64(2), np.int8(2)], ids=lambda s: s.dtype.name)
def test_numpy_scalars_are_numbers_on_either_side(torch, name, scalar):
    operation, x = getattr(operator, name), torch.tensor([1.0, 2.0, 3.0])
    for result, expected in [
        (operation(x, scalar), operation(x, 2)),
        (operation(scalar, x), operation(2, x)),
    ]:
        assert type(result) is torch.Tensor
        assert (result.dtype, result.tolist()) == (expected.dtype, expected.tolist())


def test_numpy_scalars_keep_the_history(torch):
    x = torch.ones(2, requires_grad=True)
    (np.float64(3) * x + x / np.float32(2) - np.int64(1)).sum().backward()
    assert x.grad.tolist() == [3.5, 3.5]


def test_numpy_scalars_lift_integers(torch):
    x = torch.tensor([1, 2])
    assert (x + np.float64(0.5)).dtype is torch.float32
    assert (np.float32(0.5) + x).dtype is torch.float32
    assert (x + np.int8(1)).dtype is (np.int8(1) + x).dtype is torch.int64
    assert (torch.tensor([1], dtype=torch.uint8) * np.int64(2)).dtype is torch.uint8


@pytorch_lags_behind_numpy
@pytest.mark.parametrize("name", ARITHMETIC)
def test_an_array_on_the_right(torch, name):
    operation, x, array = getattr(operator, name), torch.tensor([1.0, 2.0]), np.array([2.0, 3.0])
    result = operation(x, array)
    assert isinstance(result, torch.Tensor)
    assert result.dtype is torch.float64
    assert result.tolist() == pytest.approx(operation(np.array([1.0, 2.0]), array).tolist())


@pytorch_lags_behind_numpy
def test_more_arrays_on_the_right(torch):
    x = torch.tensor([1.0, 2.0])
    assert (x @ np.array([2.0, 3.0])).item() == 8
    assert (x == np.array([1.0, 3.0])).tolist() == [True, False]
    assert (np.array([1.0, 3.0]) == x).tolist() == [True, False]
    assert (torch.tensor([1, 2]) & np.array([1, 1])).tolist() == [1, 0]
    assert (x + np.ones(2, np.float32)).dtype is torch.float32
    assert (x - np.array(1.0)).tolist() == [0, 1]
    x += np.array([1.0, 1.0], np.float32)
    assert x.tolist() == [2, 3]


@pytorch_lags_behind_numpy
@pytest.mark.parametrize("kind", ["int64", "int8", "uint8", "bool", "float32", "float64", "complex64"])
@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool", "float16", "float32", "complex64"])
def test_an_array_on_the_right_is_promoted_as_numpy_does(torch, dtype, kind):
    x, array = torch.tensor([1, 2]).to(getattr(torch, dtype)), np.array([1, 1]).astype(kind)
    truths = dtype == kind == "bool"  # of which PyTorch makes uint8
    for operation in (operator.truediv,) if truths else (operator.add, operator.mul, operator.truediv):
        expected = operation(x.numpy(), array)
        for other in (array, np.array(1, kind)):
            result = operation(x, other)
            assert result.numpy().dtype == expected.dtype
            assert result.tolist() == expected.tolist()


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("sign", ["+", "-", "*", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"])
def test_an_array_on_the_left_is_refused(torch, sign, requires_grad):
    x, array = torch.ones(2, requires_grad=requires_grad), np.ones(2, np.float32)
    words = "Concatenation operation is not implemented for NumPy arrays" if sign == "+" else "unsupported operand type"
    with pytest.raises(TypeError, match=f"^{words}"):
        eval(f"array {sign} x", {"array": array, "x": x})


@only_rushlight
def test_an_array_on_the_left_is_reported_the_way_to_the_right(torch):
    with pytest.raises(TypeError) as caught:
        np.ones(2) * torch.ones(2)
    assert caught.value.__notes__[0].endswith("torch.from_numpy(array) * tensor, which keeps the history.")


@pytorch_lags_behind_numpy
def test_division_by_a_tensor_is_the_exception(torch):
    result = np.array([1.0, 3.0]) / torch.tensor([2.0, 2.0])
    assert (result.dtype, result.tolist()) == (torch.float64, [0.5, 1.5])


# PyTorch 2.13 lets NumPy answer for most comparisons, and NumPy gives up with a TypeError.
@only_rushlight
@pytest.mark.parametrize("name", COMPARISON)
def test_comparison_with_an_array_on_the_right(torch, name):
    result = getattr(operator, name)(torch.tensor([1.0, 2.0]), np.array([2.0, 2.0]))
    assert result.dtype is torch.bool
    assert result.tolist() == getattr(operator, name)(np.array([1.0, 2.0]), np.array([2.0, 2.0])).tolist()


# PyTorch 2.13 refuses an array beside a tensor that requires grad, for it would have to become an array itself.
@only_rushlight
def test_arrays_on_the_right_keep_the_history(torch):
    x = torch.ones(2, requires_grad=True)
    array = np.array([2.0, 3.0], np.float32)
    (x * array + x * array - array).sum().backward()
    assert x.grad.tolist() == [4, 6]


# NumPy 2.4 warns about PyTorch's __array_wrap__ and then wraps; without the warning it is what a user expects.
@pytorch_lags_behind_numpy
def test_ufuncs_give_tensors(torch):
    x = torch.tensor([0.0, 1.0])
    for result, expected in [(np.sin(x), torch.sin(x)), (np.add(x, 1), x + 1), (np.add(x, x), x + x)]:
        assert isinstance(result, torch.Tensor)
        assert result.tolist() == pytest.approx(expected.tolist())


@pytest.mark.parametrize(
    ("expression", "first_line"),
    [
        ("torch.exp(array)", "exp(): argument 'input' (position 1) must be Tensor, not numpy.ndarray"),
        ("torch.add(x, array)", "add(): argument 'other' (position 2) must be Tensor, not numpy.ndarray"),
        ("torch.maximum(x, array)", "maximum(): argument 'other' (position 2) must be Tensor, not numpy.ndarray"),
        ("x.add(array)", "add(): argument 'other' (position 1) must be Tensor, not numpy.ndarray"),
        ("x.dot(array)", "dot(): argument 'tensor' (position 1) must be Tensor, not numpy.ndarray"),
    ],
)
def test_functions_take_tensors_only(torch, expression, first_line):
    with pytest.raises(TypeError) as caught:
        eval(expression, {"torch": torch, "x": torch.ones(3), "array": np.ones(3)})
    assert str(caught.value).splitlines()[0] == first_line


def test_dlpack(torch):
    x = torch.arange(3.0)
    array = np.from_dlpack(x)
    assert np.shares_memory(array, x.numpy())
    shared = torch.from_dlpack(np.arange(3))
    assert (shared.dtype, shared.tolist()) == (torch.int64, [0, 1, 2])
    again = torch.from_dlpack(x)
    again[0] = 9
    assert x[0] == 9
    assert tuple(map(int, x.__dlpack_device__())) == (1, 0)
    assert torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x)).tolist() == [9, 1, 2]
    assert torch.from_dlpack(x.reshape(3, 1).t()).shape == (1, 3)


def test_dlpack_writes_reach_the_array(torch):
    array = np.zeros(3)
    torch.from_dlpack(array).add_(1)
    assert array.tolist() == [1, 1, 1]


def test_dlpack_refuses_a_tensor_that_requires_grad(torch):
    with pytest.raises(BufferError, match=r"^Can't export tensors that require gradient, use tensor\.detach\(\)$"):
        torch.ones(1, requires_grad=True).__dlpack__()


def test_buffers(torch):
    buffer = bytearray(8)
    x = torch.frombuffer(buffer, dtype=torch.int32)
    x[0] = 7
    assert buffer == b"\x07\0\0\0\0\0\0\0"
    assert torch.frombuffer(buffer, dtype=torch.uint8, offset=4, count=2).tolist() == [0, 0]
    seen = memoryview(torch.tensor([1.0, 2.0]).numpy())
    assert (seen.format, seen.shape, seen.tolist()) == ("f", (2,), [1, 2])
    assert bytes(torch.tensor([1, 2], dtype=torch.uint8).numpy()) == b"\x01\x02"


@pytest.mark.parametrize(
    ("arguments", "first_line"),
    [
        (
            "bytearray(7), dtype=torch.float32",
            "buffer length (7 bytes) after offset (0 bytes) must be a multiple of element size (4)",
        ),
        ("bytearray(0), dtype=torch.float32", "both buffer length (0) and count (-1) must not be 0"),
        ("'ab', dtype=torch.float32", "object does not implement Python buffer protocol."),
    ],
)
def test_buffers_refused(torch, arguments, first_line):
    with pytest.raises(ValueError) as caught:
        eval(f"torch.frombuffer({arguments})", {"torch": torch})
    assert str(caught.value).splitlines()[0] == first_line


def test_a_tensor_is_no_buffer(torch):
    with pytest.raises(TypeError, match="a bytes-like object is required, not 'Tensor'"):
        memoryview(torch.tensor([1.0, 2.0]))


@pytest.mark.parametrize("name", ["any", "all", "sum", "amax", "argmax"])
def test_a_dim_may_be_an_integer_of_numpy(torch, name):
    x = torch.tensor([[True, False, False], [True, True, False]])
    x = x if name in ("any", "all") else x.int()
    for dim in (0, 1):
        assert getattr(torch, name)(x, np.int64(dim)).tolist() == getattr(torch, name)(x, dim).tolist()
        assert getattr(torch, name)(x, torch.tensor(dim)).tolist() == getattr(torch, name)(x, dim).tolist()


@pytest.mark.parametrize("kind", ["tensor", "array"])
def test_from_dlpack_shares_or_copies_as_asked(torch, kind):
    source = torch.zeros(2) if kind == "tensor" else np.zeros(2)
    results = [torch.from_dlpack(source, copy=copy) for copy in (None, False, True)]
    source[0] = 1
    assert [each.tolist() for each in results] == [[1, 0], [1, 0], [0, 0]]


def test_from_dlpack_on_the_device_it_is_on_shares(torch):
    source = torch.zeros(2)
    assert torch.from_dlpack(source, device="cpu", copy=False).data_ptr() == source.data_ptr()


def test_from_dlpack_refuses_what_has_no_memory_and_what_requires_grad(torch):
    with pytest.raises(BufferError, match="Cannot pack tensors on meta"):
        torch.from_dlpack(torch.zeros(2), device="meta")
    with pytest.raises(BufferError, match="require gradient"):
        torch.from_dlpack(torch.zeros(2, requires_grad=True))


def test_a_dlpack_capsule_can_be_of_a_copy_and_versioned(torch):
    source = torch.zeros(2)
    copy = torch.from_dlpack(source.__dlpack__(copy=True))
    source += 1
    assert copy.tolist() == [0, 0]
    assert "dltensor_versioned" in repr(source.__dlpack__(max_version=(1, 0)))
    with pytest.raises(AssertionError, match="stream should be None on cpu"):
        source.__dlpack__(stream=1)


@pytorch_lags_behind_numpy
def test_bools_of_numpy_are_bytes(torch):
    x = torch.tensor([1.0, float("nan")])
    for result in (np.isnan(x), np.not_equal(x, x), np.less(np.zeros(2), x)):
        assert result.dtype == torch.uint8
    assert np.isnan(x).tolist() == [0, 1]


@pytest.mark.parametrize("shown", [lambda x: x.numpy(), np.asarray, lambda x: x.numpy(force=True)])
def test_memory_that_numpy_shows_does_not_grow(torch, shown):
    x = torch.zeros(2, 2)
    assert x.untyped_storage().resizable()
    shown(x[0])
    assert not x.untyped_storage().resizable()
    assert x.resize_(1, 2).tolist() == [[0, 0]]
    with pytest.raises(RuntimeError, match="^Trying to resize storage that is not resizable"):
        x.resize_(3, 3)
