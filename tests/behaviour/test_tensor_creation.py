"""Making tensors: what dtype, shape and values come out of each way, and what each way refuses."""

import numpy as np
import pytest

from_data = [
    ("torch.tensor(3)", "int64", 3),
    ("torch.tensor(2.5)", "float32", 2.5),
    ("torch.tensor(True)", "bool", True),
    ("torch.tensor(1 + 2j)", "complex64", 1 + 2j),
    ("torch.tensor([1, 2])", "int64", [1, 2]),
    ("torch.tensor([1.0, 2])", "float32", [1.0, 2.0]),
    ("torch.tensor([True, 2])", "int64", [1, 2]),
    ("torch.tensor([True, 2.5])", "float32", [1.0, 2.5]),
    ("torch.tensor([1, 2j])", "complex64", [1 + 0j, 2j]),
    ("torch.tensor([])", "float32", []),
    ("torch.tensor([[], []])", "float32", [[], []]),
    ("torch.tensor((1, (2)))", "int64", [1, 2]),
    ("torch.tensor(range(3))", "int64", [0, 1, 2]),
    ("torch.tensor([[1, 2], [3, 4]], dtype=torch.float64)", "float64", [[1.0, 2.0], [3.0, 4.0]]),
    ("torch.tensor([1.7, -1.7], dtype=torch.int64)", "int64", [1, -1]),
    ("torch.tensor(-1, dtype=torch.uint8)", "uint8", 255),
    ("torch.tensor([0.5, 2], dtype=torch.bfloat16)", "bfloat16", [0.5, 2.0]),
    ("torch.tensor([0, 3], dtype=torch.bool)", "bool", [False, True]),
    ("torch.tensor(np.float64(1.5))", "float64", 1.5),
    ("torch.tensor(np.float32(1.5))", "float32", 1.5),
    ("torch.tensor([np.float64(1.5)])", "float64", [1.5]),
    ("torch.tensor(np.array([1, 2], np.int16))", "int16", [1, 2]),
    ("torch.tensor(np.array(1, np.uint16))", "uint16", 1),
    ("torch.tensor([torch.tensor(1), torch.tensor(2.0)])", "float32", [1.0, 2.0]),
    ("torch.tensor([torch.tensor([1]), torch.tensor([2])])", "int64", [1, 2]),
    ("torch.tensor([np.int8(1), 1.5])", "float32", [1.0, 1.5]),
    ("torch.tensor([2**70], dtype=torch.float64)", "float64", [2.0**70]),
    ("torch.tensor([1, 2], dtype=float)", "float64", [1.0, 2.0]),
    ("torch.as_tensor([1, 2], dtype=torch.float16)", "float16", [1.0, 2.0]),
    ("torch.as_tensor(np.arange(3))", "int64", [0, 1, 2]),
    ("torch.asarray([1, 2])", "int64", [1, 2]),
    ("torch.scalar_tensor(3)", "float32", 3.0),
    ("torch.complex(torch.ones(1), torch.full((1,), 2.0))", "complex64", [1 + 2j]),
]

filled = [
    ("torch.zeros(2, 3)", "float32", [[0.0] * 3] * 2),
    ("torch.zeros((2, 3))", "float32", [[0.0] * 3] * 2),
    ("torch.zeros([2, 3], dtype=torch.int8)", "int8", [[0] * 3] * 2),
    ("torch.zeros(torch.Size([2]))", "float32", [0.0, 0.0]),
    ("torch.zeros(size=(2,))", "float32", [0.0, 0.0]),
    ("torch.zeros(())", "float32", 0.0),
    ("torch.zeros(np.int64(2))", "float32", [0.0, 0.0]),
    ("torch.zeros(torch.tensor(2))", "float32", [0.0, 0.0]),
    ("torch.ones(2, dtype=torch.complex128)", "complex128", [1 + 0j, 1 + 0j]),
    ("torch.ones(0, 3)", "float32", []),
    ("torch.full((2,), 3)", "int64", [3, 3]),
    ("torch.full((2,), 3.0)", "float32", [3.0, 3.0]),
    ("torch.full((2,), True)", "bool", [True, True]),
    ("torch.full((2,), 1j)", "complex64", [1j, 1j]),
    ("torch.full((2,), 3, dtype=torch.float64)", "float64", [3.0, 3.0]),
    ("torch.full((2,), torch.tensor(3.0))", "float32", [3.0, 3.0]),
    ("torch.eye(2)", "float32", [[1.0, 0.0], [0.0, 1.0]]),
    ("torch.eye(2, 3, dtype=torch.int64)", "int64", [[1, 0, 0], [0, 1, 0]]),
    ("torch.zeros_like(torch.ones(2, dtype=torch.int32))", "int32", [0, 0]),
    ("torch.ones_like(torch.zeros(2), dtype=torch.bool)", "bool", [True, True]),
    ("torch.full_like(torch.ones(2, dtype=torch.int32), 2.7)", "int32", [2, 2]),
    ("torch.ones(2, dtype=torch.int16).new_zeros(3)", "int16", [0, 0, 0]),
    ("torch.ones(2, dtype=torch.float64).new_ones((1, 2))", "float64", [[1.0, 1.0]]),
    ("torch.ones(2, dtype=torch.int16).new_full((2,), 7)", "int16", [7, 7]),
    ("torch.ones(2, dtype=torch.int16).new_tensor([1.5])", "int16", [1]),
    ("torch.ones(2, dtype=torch.float64).new_tensor([1])", "float64", [1.0]),
    ("torch.ones(2).new([1, 2])", "float32", [1.0, 2.0]),
]

ranges = [
    ("torch.arange(3)", "int64", [0, 1, 2]),
    ("torch.arange(3.0)", "float32", [0.0, 1.0, 2.0]),
    ("torch.arange(1, 4, 2)", "int64", [1, 3]),
    ("torch.arange(0, 1, 0.25)", "float32", [0.0, 0.25, 0.5, 0.75]),
    ("torch.arange(5, 0, -2)", "int64", [5, 3, 1]),
    ("torch.arange(0)", "int64", []),
    ("torch.arange(end=4, start=2)", "int64", [2, 3]),
    ("torch.arange(3, dtype=torch.float64)", "float64", [0.0, 1.0, 2.0]),
    ("torch.arange(torch.tensor(3))", "int64", [0, 1, 2]),
    ("torch.arange(1, 2.5)", "float32", [1.0, 2.0]),
    ("torch.linspace(0, 1, 5)", "float32", [0.0, 0.25, 0.5, 0.75, 1.0]),
    ("torch.linspace(3, 10, 1)", "float32", [3.0]),
    ("torch.linspace(0, 1, 0)", "float32", []),
    ("torch.linspace(0, 10, 5, dtype=torch.int64)", "int64", [0, 2, 5, 7, 10]),
    ("torch.linspace(start=1, end=-1, steps=3)", "float32", [1.0, 0.0, -1.0]),
    ("torch.logspace(0, 2, 3)", "float32", [1.0, 10.0, 100.0]),
]


@pytest.mark.parametrize(("expression", "dtype", "values"), from_data + filled + ranges)
def test_dtype_and_values(torch, expression, dtype, values):
    made = eval(expression, {"torch": torch, "np": np})
    assert made.dtype is getattr(torch, dtype)
    assert made.tolist() == values
    assert made.is_leaf
    assert not made.requires_grad
    assert made.device == torch.device("cpu")


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("torch.tensor([[], []])", (2, 0)),
        ("torch.tensor(5)", ()),
        ("torch.empty(2, 3)", (2, 3)),
        ("torch.empty((0, 3))", (0, 3)),
        ("torch.empty(())", ()),
        ("torch.ones(2).new_empty(2, 3)", (2, 3)),
        ("torch.ones(2).new(2, 3)", (2, 3)),
        ("torch.eye(0)", (0, 0)),
        ("torch.arange(0, 1, 0.1)", (10,)),
        ("torch.rand(2, 3)", (2, 3)),
        ("torch.randn((4,))", (4,)),
        ("torch.rand_like(torch.ones(2, 3))", (2, 3)),
        ("torch.randint(10, (2, 2))", (2, 2)),
        ("torch.randperm(7)", (7,)),
        ("torch.normal(0.0, 1.0, (3,))", (3,)),
    ],
)
def test_shape(torch, expression, shape):
    made = eval(expression, {"torch": torch})
    assert made.shape == torch.Size(shape)
    assert made.size() == shape
    assert made.ndim == made.dim() == len(shape)


def test_requires_grad_at_creation(torch):
    for made in [
        torch.tensor([1.0], requires_grad=True),
        torch.ones(2, requires_grad=True),
        torch.rand(2, requires_grad=True),
        torch.full((2,), 1.5, requires_grad=True),
        torch.zeros_like(torch.ones(2), requires_grad=True),
        torch.tensor([1j], requires_grad=True),
    ]:
        assert (made.requires_grad, made.is_leaf, made.grad, made.grad_fn) == (True, True, None, None)


def test_tensor_copies_and_as_tensor_shares(torch):
    array = np.zeros(3, np.float32)
    copied, shared, wrapped = torch.tensor(array), torch.as_tensor(array), torch.from_numpy(array)
    array[0] = 5
    assert copied.tolist() == [0, 0, 0]
    assert shared.tolist() == wrapped.tolist() == [5, 0, 0]
    assert torch.as_tensor(wrapped) is wrapped
    assert torch.as_tensor(wrapped, dtype=torch.float64).tolist() == [5, 0, 0]
    converted = torch.as_tensor(array, dtype=torch.float64)
    array[1] = 7
    assert converted.tolist() == [5, 0, 0]


def test_copying_a_tensor_by_its_constructor_is_advised_against(torch):
    source = torch.tensor([1.0], requires_grad=True)
    with pytest.warns(UserWarning, match="To copy construct from a tensor, it is recommended to use"):
        copied = torch.tensor(source)
    assert (copied.requires_grad, copied.tolist()) == (False, [1.0])
    assert copied.data_ptr() != source.data_ptr()


def test_a_list_of_arrays_is_slow_and_says_so(torch):
    torch.set_warn_always(True)  # else it is said once in a process, in a test before this one maybe
    try:
        with pytest.warns(UserWarning, match="Creating a tensor from a list of numpy.ndarrays is extremely slow"):
            made = torch.tensor([np.array([1, 2], np.float64)])
    finally:
        torch.set_warn_always(False)
    assert (made.dtype, made.tolist()) == (torch.float64, [[1.0, 2.0]])


def test_what_has_a_length_and_no_elements(torch):
    class Bad:
        def __len__(self):
            return 3

        def __getitem__(self, place):
            raise TypeError

    with pytest.raises(ValueError, match="could not determine the shape of object type 'Bad'"):
        torch.tensor(Bad())


def test_default_dtype(torch):
    assert torch.get_default_dtype() is torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.get_default_dtype() is torch.float64
        assert torch.tensor(1.5).dtype is torch.float64
        assert torch.tensor(1j).dtype is torch.complex128
        assert torch.zeros(1).dtype is torch.float64
        assert torch.Tensor([1]).dtype is torch.float64
        assert torch.arange(2.0).dtype is torch.float64
        assert (torch.tensor([1]) / 2).dtype is torch.float64
        assert torch.tensor(1).dtype is torch.int64
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.tensor(1.5).dtype is torch.float32


def test_like_keeps_the_layout_in_memory(torch):
    columns_first = torch.ones(2, 3).t()
    assert torch.empty_like(columns_first).stride() == (1, 3)
    assert torch.zeros_like(columns_first).stride() == (1, 3)
    assert torch.zeros_like(columns_first, memory_format=torch.contiguous_format).stride() == (2, 1)
    assert columns_first.new_zeros(3, 2).stride() == (2, 1)
    assert torch.ones_like(torch.ones(1, 3).expand(2, 3)).stride() == (3, 1)
    assert torch.empty_strided((2, 3), (1, 2)).stride() == (1, 2)


SEQUENCES = (
    "The only supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, "
)
NOT_NUMERIC = f"can't convert np.ndarray of type numpy.%s. {SEQUENCES}uint64, uint32, uint16, uint8, and bool."


NOT_A_SIZE = "{}(): argument 'size' (position 1) must be tuple of ints, not int"
NOT_WHOLE = (
    "zeros(): argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got "
    'float"'
)


@pytest.mark.parametrize(
    ("expression", "error", "first_line"),
    [
        ("torch.tensor([[1, 2], [3]])", ValueError, "expected sequence of length 2 at dim 1 (got 1)"),
        ("torch.tensor([1, [2]])", TypeError, "'list' object cannot be interpreted as an integer"),
        ("torch.tensor('abc')", TypeError, "new(): invalid data type 'str'"),
        ("torch.tensor(['abc'])", ValueError, "too many dimensions 'str'"),
        ("torch.tensor(None)", RuntimeError, "Could not infer dtype of NoneType"),
        ("torch.tensor([None])", RuntimeError, "Could not infer dtype of NoneType"),
        ("torch.tensor({1})", RuntimeError, "Could not infer dtype of set"),
        ("torch.tensor(2**63)", ValueError, "Overflow when unpacking long long"),
        (
            "torch.tensor([300], dtype=torch.uint8)",
            RuntimeError,
            "value cannot be converted to type uint8 without overflow",
        ),
        ("torch.tensor([1 + 1j], dtype=torch.float32)", TypeError, "must be real number, not complex"),
        (
            "torch.tensor([torch.tensor([1, 2]), torch.tensor([2, 3])])",
            TypeError,
            "only integer tensors of a single element can be converted to an index",
        ),
        (
            "torch.tensor([1, 2], requires_grad=True)",
            RuntimeError,
            "Only Tensors of floating point and complex dtype can require gradients",
        ),
        (
            "torch.zeros(2, requires_grad=True, dtype=torch.int64)",
            RuntimeError,
            "Only Tensors of floating point and complex dtype can require gradients",
        ),
        ("torch.tensor(np.array(['a']))", TypeError, NOT_NUMERIC % "str_"),
        ("torch.tensor(np.array([1], object))", TypeError, NOT_NUMERIC % "object_"),
        ("torch.from_numpy(np.zeros(2, [('a', 'f4')]))", TypeError, NOT_NUMERIC % "void"),
        ("torch.from_numpy([1])", TypeError, "expected np.ndarray (got list)"),
        ("torch.from_numpy(np.float32(1))", TypeError, "expected np.ndarray (got numpy.float32)"),
        (
            "torch.from_numpy(np.array([1], '>f4'))",
            ValueError,
            "given numpy array has byte order different from the native byte order. "
            "Conversion between byte orders is currently not supported.",
        ),
        ("torch.zeros(-1)", RuntimeError, "zeros: Dimension size must be non-negative."),
        ("torch.rand(-1)", RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
        ("torch.zeros(2.0)", TypeError, "zeros(): argument 'size' (position 1) must be tuple of ints, not float"),
        ("torch.zeros('a')", TypeError, "zeros(): argument 'size' (position 1) must be tuple of ints, not str"),
        ("torch.zeros()", TypeError, 'zeros() missing 1 required positional arguments: "size"'),
        ("torch.zeros((2, 2.0))", TypeError, NOT_WHOLE),
        ("torch.zeros(2, size=(2,))", TypeError, "zeros() got multiple values for argument 'size'"),
        ("torch.zeros(2, dtype=np.float32)", TypeError, "zeros(): argument 'dtype' must be torch.dtype, not type"),
        ("torch.full((2,), 'a')", TypeError, "full(): argument 'fill_value' (position 2) must be Number, not str"),
        ("torch.ones(2).new_full(2, 3)", TypeError, NOT_A_SIZE.format("new_full")),
        ("torch.tensor([[1, 2], 3])", TypeError, "not a sequence"),
        ("torch.tensor([1, 'a'])", TypeError, "new(): invalid data type 'str'"),
        ("torch.tensor(2**64, dtype=torch.uint64)", OverflowError, "int too big to convert"),
        ("torch.zeros_like([1])", TypeError, "zeros_like(): argument 'input' (position 1) must be Tensor, not list"),
        ("torch.full(2, 3)", TypeError, "full(): argument 'size' (position 1) must be tuple of ints, not int"),
        ("torch.arange(0, 5, 0)", RuntimeError, "step must be nonzero"),
        ("torch.arange(0, 5, -1)", RuntimeError, "upper bound and lower bound inconsistent with step sign"),
        ("torch.arange(5, 2)", RuntimeError, "upper bound and lower bound inconsistent with step sign"),
        ("torch.arange(float('nan'))", RuntimeError, "unsupported range: 0 -> nan"),
        ("torch.linspace(0, 1, -1)", RuntimeError, "number of steps must be non-negative"),
        ("torch.eye(-1)", RuntimeError, "n must be greater or equal to 0, got -1"),
        ("torch.randperm(-1)", RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
        (
            "torch.set_default_dtype(torch.int64)",
            TypeError,
            "only floating-point types are supported as the default type",
        ),
    ],
)
def test_refused(torch, expression, error, first_line):
    with pytest.raises(error) as caught:
        eval(expression, {"torch": torch, "np": np})
    assert str(caught.value).splitlines()[0] == first_line


# PyTorch refuses pinned memory where there is no accelerator. A script written for a machine with one must still run,
# so rushlight takes the argument and the method as having nothing to do.
@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_pin_memory_is_accepted_without_a_gpu(torch):
    for made in [
        torch.tensor([1.0], pin_memory=True),
        torch.zeros(1, pin_memory=True),
        torch.empty(1, pin_memory=True),
        torch.ones(1, pin_memory=True),
        torch.full((1,), 2.0, pin_memory=True),
        torch.arange(1, pin_memory=True),
        torch.rand(1, pin_memory=True),
        torch.ones(1).new_zeros(1, pin_memory=True),
        torch.ones(1).pin_memory(),
    ]:
        assert made.shape == (1,)
        assert not made.is_pinned()


def test_the_parts_of_a_complex_number_are_floats(torch):
    with pytest.raises(RuntimeError, match="Expected both inputs to be Half, Float or Double tensors but got Float an"):
        torch.complex(torch.ones(2), torch.ones(2, dtype=torch.int32))


def test_sizes_beyond_the_memory_are_refused_before_any_is_asked_for(torch):
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed with sizes="):
        torch.empty_strided([8, 8, 2**29, 2**29], [2**61, 2**58, 2**29, 1], dtype=torch.float64)
    with pytest.raises(RuntimeError, match="numel: integer multiplication overflow"):
        torch.zeros(2).resize_(8, 8, 2**29, 2**29)


def test_complex_numbers_fill_complex64_where_floats_are_halves(torch):
    torch.set_default_dtype(torch.float16)
    try:
        assert torch.full((2,), 1 + 1j).dtype is torch.complex64
    finally:
        torch.set_default_dtype(torch.float32)
