"""The constructors of old scripts: `torch.Tensor(...)`, `FloatTensor` and its kin, `Variable`, and `.type()`."""

import numpy as np
import pytest

typed = [
    ("FloatTensor", "float32"),
    ("DoubleTensor", "float64"),
    ("HalfTensor", "float16"),
    ("BFloat16Tensor", "bfloat16"),
    ("ByteTensor", "uint8"),
    ("CharTensor", "int8"),
    ("ShortTensor", "int16"),
    ("IntTensor", "int32"),
    ("LongTensor", "int64"),
    ("BoolTensor", "bool"),
]


@pytest.mark.parametrize(("name", "dtype"), typed)
def test_typed_constructor(torch, name, dtype):
    constructor, expected = getattr(torch, name), getattr(torch, dtype)
    from_list, from_sizes = constructor([1, 0]), constructor(2, 3)
    assert (from_list.dtype, from_list.tolist()) == (expected, [1, 0])
    assert (from_sizes.dtype, from_sizes.shape) == (expected, (2, 3))
    assert type(from_list) is torch.Tensor
    assert constructor.dtype is expected


@pytest.mark.parametrize(("name", "dtype"), typed)
def test_type_names_the_constructor(torch, name, dtype):
    tensor = torch.ones(2, dtype=getattr(torch, dtype))
    assert tensor.type() == f"torch.{name}"
    assert isinstance(tensor, getattr(torch, name))
    assert not isinstance(tensor, torch.FloatTensor if name != "FloatTensor" else torch.LongTensor)
    converted = torch.zeros(2).type(getattr(torch, name))
    assert converted.dtype is torch.zeros(2).type(f"torch.{name}").dtype is getattr(torch, dtype)


def test_complex_types_have_names_too(torch):
    assert torch.ones(1, dtype=torch.complex64).type() == "torch.ComplexFloatTensor"
    assert torch.ones(1, dtype=torch.complex128).type() == "torch.ComplexDoubleTensor"


@pytest.mark.parametrize(
    ("expression", "dtype", "values"),
    [
        ("torch.Tensor([1, 2])", "float32", [1, 2]),
        ("torch.Tensor((1, 2))", "float32", [1, 2]),
        ("torch.Tensor([[1], [2]])", "float32", [[1], [2]]),
        ("torch.Tensor([True])", "float32", [1]),
        ("torch.Tensor()", "float32", []),
        ("torch.Tensor(0)", "float32", []),
        ("torch.Tensor(np.ones((2, 2)))", "float32", [[1, 1], [1, 1]]),
        ("torch.Tensor(torch.tensor([1, 2]))", "int64", [1, 2]),
        ("torch.LongTensor([1.7, 2])", "int64", [1, 2]),
        ("torch.LongTensor(np.array([1.0, 2]))", "int64", [1, 2]),
        ("torch.LongTensor(torch.tensor([1, 2]))", "int64", [1, 2]),
        ("torch.FloatTensor(np.array([1, 2]))", "float32", [1, 2]),
        ("torch.BoolTensor([True, 0, 2])", "bool", [True, False, True]),
        ("torch.FloatTensor([1], device='cpu')", "float32", [1]),
    ],
)
def test_values(torch, expression, dtype, values):
    made = eval(expression, {"torch": torch, "np": np})
    assert (made.dtype, made.tolist()) == (getattr(torch, dtype), values)
    assert not made.requires_grad


def test_numbers_are_sizes(torch):
    assert torch.Tensor(2, 3).shape == (2, 3)
    assert torch.Tensor(5).shape == (5,)
    assert torch.Tensor(2, 0).shape == (2, 0)
    assert torch.Tensor(torch.Size([2, 1])).shape == (2, 1)


def test_a_tensor_is_taken_as_it_is(torch):
    source = torch.ones(2, requires_grad=True)
    again = torch.Tensor(source)
    assert again.data_ptr() == source.data_ptr()
    assert again.requires_grad


def test_tensor_types_are_not_subclasses(torch):
    assert isinstance(torch.ones(1), torch.Tensor)
    assert not issubclass(torch.FloatTensor, torch.Tensor)
    assert torch.is_tensor(torch.ones(1))
    assert not torch.is_tensor(np.ones(1))
    assert not torch.is_tensor([1])


def test_type_converts(torch):
    x = torch.tensor([1.5, -1.5])
    assert x.type(torch.float32) is x
    assert x.type(torch.int64).tolist() == [1, -1]
    assert x.type("torch.LongTensor").dtype is torch.int64
    assert x.type_as(torch.ones(1, dtype=torch.float64)).dtype is torch.float64


def test_variable_is_a_tensor(torch):
    from_tensor = torch.autograd.Variable(torch.ones(2), requires_grad=True)
    assert type(from_tensor) is torch.Tensor
    assert (from_tensor.requires_grad, from_tensor.is_leaf) == (True, True)
    assert not torch.autograd.Variable(torch.ones(2)).requires_grad
    assert torch.autograd.Variable(torch.ones(2), True).requires_grad
    assert isinstance(torch.ones(1), torch.autograd.Variable)
    assert not isinstance([1], torch.autograd.Variable)


def test_variable_shares_its_tensors_memory(torch):
    source = torch.zeros(2)
    variable = torch.autograd.Variable(source)
    variable.data[0] = 5
    assert source.tolist() == [5, 0]


def test_volatile_warns(torch):
    with pytest.warns(
        UserWarning, match=r"volatile was removed and now has no effect\. Use `with torch\.no_grad\(\):`"
    ):
        variable = torch.autograd.Variable(torch.ones(2), volatile=True)
    assert not variable.requires_grad


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")
def test_set_default_tensor_type(torch):
    try:
        with pytest.warns(UserWarning, match=r"torch\.set_default_tensor_type\(\) is deprecated"):
            torch.set_default_tensor_type(torch.DoubleTensor)
        assert torch.Tensor([1]).dtype is torch.tensor(1.5).dtype is torch.float64
        for kind in ("torch.sparse.FloatTensor", torch.sparse.FloatTensor):
            with pytest.raises(TypeError, match="only dense types are supported as the default type"):
                torch.set_default_tensor_type(kind)
        assert torch.get_default_dtype() is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.Tensor([1]).dtype is torch.float32


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")
@pytest.mark.parametrize(
    ("kind", "error", "first_line"),
    [
        *(
            (kind, TypeError, "invalid type object: only floating-point types are supported as the default type")
            for kind in ("torch.float32", "'torch.float32'", "torch.Tensor", "int", "3", "None", "torch.FloatStorage")
        ),
        ("torch.IntTensor", TypeError, "only floating-point types are supported as the default type"),
        ("'torch.nn.absent'", AttributeError, "module 'torch.nn' has no attribute 'absent'"),
        ("'absent.FloatTensor'", ModuleNotFoundError, "No module named 'absent'"),
        *(
            (name, TypeError, "type torch.cuda.FloatTensor not available. Torch not compiled with CUDA enabled.")
            for name in ("torch.cuda.FloatTensor", "'torch.cuda.FloatTensor'")
        ),
    ],
)
def test_default_tensor_type_is_refused(torch, kind, error, first_line):
    with pytest.raises(error) as caught:
        torch.set_default_tensor_type(eval(kind, {"torch": torch}))
    assert str(caught.value) == first_line
    assert torch.get_default_dtype() is torch.float32


@pytest.mark.parametrize(
    ("expression", "error", "first_line"),
    [
        ("torch.Tensor(3.5)", TypeError, "new(): data must be a sequence (got float)"),
        ("torch.Tensor(None)", TypeError, "new(): data must be a sequence (got NoneType)"),
        ("torch.Tensor('a')", TypeError, "new(): invalid data type 'str'"),
        ("torch.Tensor([1 + 1j])", TypeError, "must be real number, not complex"),
        ("torch.Tensor(-1)", RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
        ("torch.Tensor([[1, 2], [3]])", ValueError, "expected sequence of length 2 at dim 1 (got 1)"),
        (
            "torch.Tensor([1], requires_grad=True)",
            TypeError,
            "new() received an invalid combination of arguments - got (list, requires_grad=bool), but expected one of:",
        ),
        ("torch.FloatTensor(3.0)", TypeError, "new(): data must be a sequence (got float)"),
        ("torch.ByteTensor([300])", RuntimeError, "value cannot be converted to type uint8 without overflow"),
        ("torch.autograd.Variable([1])", TypeError, "Variable data has to be a tensor, but got list"),
        (
            "torch.autograd.Variable(torch.tensor([1]), requires_grad=True)",
            RuntimeError,
            "Only Tensors of floating point and complex dtype can require gradients",
        ),
        ("torch.ones(1).type('torch.Foo')", ValueError, "invalid type: 'torch.Foo'"),
        ("torch.ones(1).type(int)", ValueError, "invalid type: 'int'"),
    ],
)
def test_refused(torch, expression, error, first_line):
    with pytest.raises(error) as caught:
        eval(expression, {"torch": torch})
    assert str(caught.value).splitlines()[0] == first_line


def test_a_typed_constructor_refuses_a_tensor_of_another_dtype(torch):
    with pytest.raises(TypeError, match=r"^expected TensorOptions\(dtype=float,.*\(got TensorOptions\(dtype=long int,"):
        torch.FloatTensor(torch.tensor([1, 2]))


def test_a_tensor_with_a_device_is_no_argument_of_old_constructors(torch):
    i = torch.tensor([1])
    for device in ("cpu", "cuda"):
        for make in (torch.Tensor, torch.LongTensor):
            with pytest.raises(RuntimeError, match=r"^Legacy tensor constructor of the form torch.Tensor\(tensor, dev"):
                make(i, device=device)
        with pytest.raises(RuntimeError, match=r"^Legacy tensor new of the form tensor.new\(tensor, device=device\)"):
            i.new(i, device=device)
    assert torch.Tensor(other=i).tolist() == i.new(other=i).tolist() == [1]


@pytest.mark.parametrize("name", ["FloatTensor", "ByteTensor", "LongTensor"])
def test_a_legacy_type_is_no_base_class(torch, name):
    with pytest.raises(TypeError, match=f"type 'torch.{name}' is not an acceptable base type"):
        type("Mine", (getattr(torch, name),), {})
