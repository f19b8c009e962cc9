"""The dtype of a result, over all pairs of dtypes and the three classes of operand: number, 0-d tensor, n-d tensor.

The expected dtypes are stated here, as a table for two operands of one class and as PyTorch's rule for two classes
("Tensor Attributes" in its documentation): an operand of a weaker class counts only if its category (bool, integer,
floating, complex) is higher than the stronger operand's.
"""

import itertools
import operator

import numpy as np
import pytest

# Row and column in this order; each entry is the common dtype.
PROMOTED = """
            bool       uint8      int8       int16      int32      int64      float16    bfloat16   float32    float64    complex64  complex128
bool        bool       uint8      int8       int16      int32      int64      float16    bfloat16   float32    float64    complex64  complex128
uint8       uint8      uint8      int16      int16      int32      int64      float16    bfloat16   float32    float64    complex64  complex128
int8        int8       int16      int8       int16      int32      int64      float16    bfloat16   float32    float64    complex64  complex128
int16       int16      int16      int16      int16      int32      int64      float16    bfloat16   float32    float64    complex64  complex128
int32       int32      int32      int32      int32      int32      int64      float16    bfloat16   float32    float64    complex64  complex128
int64       int64      int64      int64      int64      int64      int64      float16    bfloat16   float32    float64    complex64  complex128
float16     float16    float16    float16    float16    float16    float16    float16    float32    float32    float64    complex64  complex128
bfloat16    bfloat16   bfloat16   bfloat16   bfloat16   bfloat16   bfloat16   float32    bfloat16   float32    float64    complex64  complex128
float32     float32    float32    float32    float32    float32    float32    float32    float32    float32    float64    complex64  complex128
float64     float64    float64    float64    float64    float64    float64    float64    float64    float64    float64    complex128 complex128
complex64   complex64  complex64  complex64  complex64  complex64  complex64  complex64  complex64  complex64  complex128 complex64  complex128
complex128  complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128
"""  # noqa: E501
DTYPES, *rows = [line.split() for line in PROMOTED.strip().splitlines()]
COMMON = {(row[0], column): entry for row in rows for column, entry in zip(DTYPES, row[1:], strict=True)}

NUMBERS = {"bool": True, "int": 3, "float": 3.0, "complex": 3 + 0j}
DTYPE_OF_NUMBER = {"bool": "bool", "int": "int64", "float": "float32", "complex": "complex64"}
STRENGTH = {"number": 0, "0-d": 1, "n-d": 2}


def category(dtype):
    """bool 0, integer 1, floating 2, complex 3."""
    return 3 if "complex" in dtype else 2 if "float" in dtype else 0 if dtype == "bool" else 1


def complex_of(dtype):
    return {"float16": "complex32", "float64": "complex128"}.get(dtype, "complex64")


def expected_dtype(left, right):
    """The result dtype of two operands given as (class, dtype); PyTorch's rule."""
    if left[0] == right[0]:
        return COMMON[left[1], right[1]]
    (_, weak), (_, strong) = sorted([left, right], key=lambda operand: STRENGTH[operand[0]])
    if category(weak) <= category(strong):
        return strong
    return complex_of(strong) if (category(weak), category(strong)) == (3, 2) else COMMON[strong, weak]


def operands(torch, kind, value):
    """All operands of a class, by dtype; a number is listed under the dtype that it stands for."""
    if kind == "number":
        return {DTYPE_OF_NUMBER[name]: type(number)(value) for name, number in NUMBERS.items()}
    shape = () if kind == "0-d" else (2,)
    return {name: torch.full(shape, value, dtype=getattr(torch, name)) for name in DTYPES}


CLASSES = [pair for pair in itertools.product(STRENGTH, STRENGTH) if pair != ("number", "number")]
every_pair_of_classes = pytest.mark.parametrize(("left", "right"), CLASSES, ids=lambda kind: kind)


def pairs(torch, left, right, left_value=3, right_value=2):
    """Every pair of operands of two classes with the dtype that PyTorch's rule gives it."""
    for (a, x), (b, y) in itertools.product(
        operands(torch, left, left_value).items(), operands(torch, right, right_value).items()
    ):
        yield (a, x), (b, y), expected_dtype((left, a), (right, b))


def name_of(dtype):
    return str(dtype).removeprefix("torch.")


@every_pair_of_classes
def test_result_type(torch, left, right):
    result, expected = {}, {}
    for (a, x), (b, y), dtype in pairs(torch, left, right):
        result[a, b], expected[a, b] = name_of(torch.result_type(x, y)), dtype
    assert result == expected


def test_promote_types(torch):
    results = {pair: name_of(torch.promote_types(*(getattr(torch, name) for name in pair))) for pair in COMMON}
    assert results == COMMON


def value_of(answer):
    """The number that a result holds, the same everywhere."""
    values = set(answer.flatten().tolist())
    assert len(values) == 1
    return values.pop()


def number(dtype, value):
    """What a value becomes in a dtype: a bool keeps only whether it is zero."""
    return int(bool(value)) if dtype == "bool" else value


def any_bool(a, b, dtype):
    return "bool" in (a, b)


def bool_or_complex(a, b, dtype):
    return category(dtype) in (0, 3)


def both_bool(a, b, dtype):
    return dtype == "bool"


def complex_numbers(a, b, dtype):
    return category(dtype) == 3


def not_integral(a, b, dtype):
    return category(dtype) > 1


def not_integers(a, b, dtype):
    return category(dtype) != 1


def nothing(a, b, dtype):
    return False


def same(dtype):
    return dtype


def floating(dtype):
    return dtype if category(dtype) > 1 else "float32"


def boolean(dtype):
    return "bool"


OPERATIONS = {
    # operation: the dtype of its result as a function of the promoted one, which operands it refuses, and how
    "add": (same, nothing, None),
    "mul": (same, nothing, None),
    "sub": (same, any_bool, RuntimeError),
    "truediv": (floating, nothing, None),
    "floordiv": (same, bool_or_complex, NotImplementedError),
    "mod": (same, bool_or_complex, NotImplementedError),
    "pow": (same, both_bool, NotImplementedError),
    "eq": (boolean, nothing, None),
    "ne": (boolean, nothing, None),
    "lt": (boolean, complex_numbers, NotImplementedError),
    "le": (boolean, complex_numbers, NotImplementedError),
    "gt": (boolean, complex_numbers, NotImplementedError),
    "ge": (boolean, complex_numbers, NotImplementedError),
    "and_": (same, not_integral, NotImplementedError),
    "or_": (same, not_integral, NotImplementedError),
    "xor": (same, not_integral, NotImplementedError),
    "lshift": (same, not_integers, NotImplementedError),
    "rshift": (same, not_integers, NotImplementedError),
}


@every_pair_of_classes
@pytest.mark.parametrize("name", OPERATIONS)
def test_operator(torch, name, left, right):
    operation, (result, refuses, error) = getattr(operator, name), OPERATIONS[name]
    actual, expected = {}, {}
    for (a, x), (b, y), dtype in pairs(torch, left, right):
        if dtype == "complex32":  # NumPy has none, and PyTorch leaves most operations out of it
            continue
        if (name, right, dtype) == ("pow", "number", "bool"):  # to the power of True: PyTorch copies
            continue
        if refuses(a, b, dtype):
            with pytest.raises(error):
                operation(x, y)
            continue
        answer = operation(x, y)
        right_value = operation(number(a, 3), number(b, 2))
        actual[a, b] = name_of(answer.dtype), value_of(answer)
        expected[a, b] = result(dtype), pytest.approx(number(result(dtype), right_value))
    assert actual == expected


@pytest.mark.parametrize(
    ("expression", "dtype", "values"),
    [
        # a number only lifts the category, never the width
        ("torch.tensor([1, 2], dtype=torch.int8) + 1", "int8", [2, 3]),
        ("torch.tensor([1, 2], dtype=torch.int8) + 2.5", "float32", [3.5, 4.5]),
        ("torch.tensor([1, 2], dtype=torch.float16) * 2", "float16", [2, 4]),
        ("torch.tensor([1, 2], dtype=torch.float16) * 2.5", "float16", [2.5, 5]),
        ("torch.tensor([1, 2], dtype=torch.bfloat16) * 2.5", "bfloat16", [2.5, 5]),
        ("torch.tensor([1, 2], dtype=torch.float64) * 1j", "complex128", [1j, 2j]),
        ("torch.tensor([True, False]) + 1", "int64", [2, 1]),
        ("torch.tensor([True, False]) + True", "bool", [True, True]),
        # so does a 0-d tensor next to one with dimensions
        ("torch.tensor([1, 2], dtype=torch.int8) + torch.tensor(300)", "int8", [45, 46]),
        ("torch.tensor([1.0]) + torch.tensor(2.0, dtype=torch.float64)", "float32", [3]),
        ("torch.tensor([1]) + torch.tensor(2.5, dtype=torch.float64)", "float64", [3.5]),
        ("torch.tensor([1.0]) + torch.tensor([2.0], dtype=torch.float64)", "float64", [3]),
        ("torch.tensor(1.0) + torch.tensor(2.0, dtype=torch.float64)", "float64", 3),
        ("torch.tensor(True) + 2", "int64", 3),
        # integers wrap around
        ("torch.ones(1, dtype=torch.uint8) + 300", "uint8", [45]),
        ("torch.ones(1, dtype=torch.uint8) - 2", "uint8", [255]),
        ("torch.ones(1, dtype=torch.int8) + 200", "int8", [-55]),
        ("torch.ones(1, dtype=torch.int32) * 2**40", "int32", [0]),
        ("-torch.ones(1, dtype=torch.uint8)", "uint8", [255]),
        ("torch.tensor([2**63 - 1]) + 1", "int64", [-(2**63)]),
        # division
        ("torch.tensor(7) / 2", "float32", 3.5),
        ("torch.tensor(-7) // 2", "int64", -4),
        ("torch.tensor(-7.0) // 2", "float32", -4),
        ("torch.tensor(-7) % 3", "int64", 2),
        ("torch.tensor(-7.0) % 3", "float32", 2),
        ("torch.remainder(torch.tensor([-7, 7]), torch.tensor([3, -3]))", "int64", [2, -2]),
        ("torch.fmod(torch.tensor([-7, 7]), torch.tensor([3, -3]))", "int64", [-1, 1]),
        ("torch.tensor(7.0) // 0", "float32", float("inf")),
        ("torch.tensor([7, -7]) / 0", "float32", [float("inf"), -float("inf")]),
        ("torch.div(torch.tensor([-7, 7]), 2, rounding_mode='floor')", "int64", [-4, 3]),
        ("torch.div(torch.tensor([-7, 7]), 2, rounding_mode='trunc')", "int64", [-3, 3]),
        ("torch.div(torch.tensor([-7.0]), 2, rounding_mode='trunc')", "float32", [-3]),
        ("torch.floor_divide(torch.tensor([-7]), 2.0)", "float32", [-4]),
        ("torch.true_divide(torch.tensor([7]), 2)", "float32", [3.5]),
        # powers
        ("2 ** torch.tensor([1, 3])", "int64", [2, 8]),
        ("torch.tensor([4]) ** 0.5", "float32", [2]),
        ("torch.tensor([2, 1, -1]) ** torch.tensor([-1, -1, -1])", "int64", [0, 1, -1]),
        ("torch.pow(2.0, torch.tensor([1, 2]))", "float32", [2, 4]),
        ("torch.tensor([True, False]) ** True", "bool", [True, False]),
        # comparisons happen in the promoted dtype
        ("torch.tensor([1]) > torch.tensor([0.5])", "bool", [True]),
        ("torch.tensor([0.1]) == 0.1", "bool", [True]),
        ("torch.tensor(0.1) == torch.tensor(0.1, dtype=torch.float64)", "bool", False),
        ("torch.tensor([2**24 + 1]) == torch.tensor([2.0**24])", "bool", [True]),
        ("torch.tensor([255], dtype=torch.uint8) == -1", "bool", [True]),
        ("torch.tensor([255], dtype=torch.uint8) > -1", "bool", [False]),
        # half precision rounds after every operation
        ("torch.tensor([2048.0], dtype=torch.float16) + 1", "float16", [2048]),
        ("torch.tensor([256.0], dtype=torch.bfloat16) + 1", "bfloat16", [256]),
        ("torch.tensor([256.0, 258.0], dtype=torch.bfloat16) + 1.0", "bfloat16", [256, 260]),
        ("torch.ones(1, dtype=torch.float16) * 1e6", "float16", [float("inf")]),
        ("torch.tensor([16777216]) + 1.0", "float32", [16777216]),
    ],
)
def test_values(torch, expression, dtype, values):
    answer = eval(expression, {"torch": torch})
    assert (name_of(answer.dtype), answer.tolist()) == (dtype, values)


@pytest.mark.parametrize(
    ("expression", "dtype"),
    [
        ("torch.ones(2, dtype=torch.int8).sum()", "int64"),
        ("torch.ones(2, dtype=torch.bool).sum()", "int64"),
        ("torch.ones(2, dtype=torch.int32).prod()", "int64"),
        ("torch.ones(2, dtype=torch.int32).cumsum(0)", "int64"),
        ("torch.ones(2, dtype=torch.float16).sum()", "float16"),
        ("torch.ones(2, dtype=torch.int32).sum(dtype=torch.float16)", "float16"),
        ("torch.ones(2, dtype=torch.int32).max()", "int32"),
        ("torch.ones(2, dtype=torch.int32).argmax()", "int64"),
        ("torch.ones(2, dtype=torch.int32).sqrt()", "float32"),
        ("torch.ones(2, dtype=torch.bool).exp()", "float32"),
        ("torch.ones(2, dtype=torch.int32).sigmoid()", "float32"),
        ("torch.ones(2, dtype=torch.int32).reciprocal()", "float32"),
        ("torch.ones(2, dtype=torch.int32).abs()", "int32"),
        ("torch.ones(2, dtype=torch.int32).floor()", "int32"),
        ("torch.ones(2, dtype=torch.int32).square()", "int32"),
        ("torch.ones(2, dtype=torch.complex64).abs()", "float32"),
        ("torch.ones(2, dtype=torch.complex128).angle()", "float64"),
        ("torch.ones(2, dtype=torch.bool).all()", "bool"),
        ("torch.ones(2, dtype=torch.uint8).all()", "uint8"),
        ("torch.ones(2, dtype=torch.int64).any()", "bool"),
        ("torch.cat([torch.ones(1), torch.ones(1, dtype=torch.int64)])", "float32"),
        ("torch.cat([torch.ones(1, dtype=torch.float16), torch.ones(1, dtype=torch.bfloat16)])", "float32"),
        ("torch.stack([torch.ones(1), torch.ones(1, dtype=torch.float64)])", "float64"),
        ("torch.where(torch.tensor([True]), torch.ones(1, dtype=torch.int32), 1.5)", "float32"),
        ("torch.where(torch.tensor([True]), 1, 2)", "int64"),
        ("torch.where(torch.tensor([True]), 1, 2.5)", "float32"),
        ("torch.maximum(torch.ones(1), torch.ones(1, dtype=torch.float64))", "float64"),
        ("torch.clamp(torch.tensor([1, 2]), 1.5)", "float32"),
        ("torch.atan2(torch.tensor([1]), torch.tensor([2]))", "float32"),
        ("torch.bitwise_and(torch.tensor([True]), torch.tensor([3]))", "int64"),
        ("torch.logical_and(torch.tensor([1.0]), torch.tensor([3]))", "bool"),
    ],
)
def test_dtype_of_other_operations(torch, expression, dtype):
    assert name_of(eval(expression, {"torch": torch}).dtype) == dtype


@pytest.mark.parametrize(
    ("source", "target", "possible"),
    [
        ("int32", "float16", True),
        ("int64", "int8", True),
        ("int8", "uint8", True),
        ("bool", "int8", True),
        ("float64", "complex64", True),
        ("int8", "bool", False),
        ("float32", "int32", False),
        ("complex64", "float64", False),
    ],
)
def test_can_cast(torch, source, target, possible):
    assert torch.can_cast(getattr(torch, source), getattr(torch, target)) is possible


def test_result_type_of_numbers(torch):
    assert torch.result_type(1, 2.0) is torch.float32
    assert torch.result_type(True, 2) is torch.int64
    assert torch.result_type(1.0, 2j) is torch.complex64


def test_the_bare_unsigned_types_promote_only_to_floating_ones(torch):
    assert torch.promote_types(torch.uint16, torch.uint16) is torch.uint16
    assert torch.promote_types(torch.uint16, torch.float32) is torch.float32
    with pytest.raises(
        RuntimeError, match="^Promotion for uint16, uint32, uint64 types is not supported, attempted to"
    ):
        torch.promote_types(torch.uint16, torch.int16)


@pytest.mark.parametrize(
    ("expression", "error", "first_line"),
    [
        (
            "torch.tensor(True) - torch.tensor(True)",
            RuntimeError,
            "Subtraction, the `-` operator, with two bool tensors is not supported. "
            "Use the `^` or `logical_xor()` operator instead.",
        ),
        (
            "torch.tensor(1) - torch.tensor(True)",
            RuntimeError,
            "Subtraction, the `-` operator, with a bool tensor is not supported. "
            "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
        ),
        (
            "-torch.tensor(True)",
            RuntimeError,
            "Negation, the `-` operator, on a bool tensor is not supported. "
            "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
        ),
        (
            "~torch.tensor(2.0)",
            TypeError,
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
        ),
        ("torch.tensor(5.0) & 3", NotImplementedError, "\"bitwise_and_cpu\" not implemented for 'Float'"),
        ("torch.tensor([1j]) < 1", NotImplementedError, "\"lt_cpu\" not implemented for 'ComplexFloat'"),
        ("torch.tensor(7) // 0", RuntimeError, "ZeroDivisionError"),
        ("torch.tensor(7) % 0", RuntimeError, "ZeroDivisionError"),
        ("torch.tensor(2) ** -1", RuntimeError, "Integers to negative integer powers are not allowed."),
        ("torch.ones(2) * 2**70", OverflowError, "int too big to convert"),
        (
            "torch.div(torch.ones(1), 2, rounding_mode='up')",
            RuntimeError,
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'",
        ),
        (
            "torch.ones(2, dtype=torch.int32).mean()",
            RuntimeError,
            "mean(): could not infer output dtype. "
            "Input dtype must be either a floating point or complex dtype. Got: Int",
        ),
        (
            "torch.ones(2, dtype=torch.int32).std()",
            RuntimeError,
            "std and var only support floating point and complex dtypes",
        ),
        (
            "torch.add(torch.tensor([1]), torch.tensor([1]), alpha=1.5)",
            RuntimeError,
            "For integral input tensors, argument alpha must not be a floating point number.",
        ),
        (
            "torch.mm(torch.ones(1, 1), torch.ones(1, 1, dtype=torch.float64))",
            RuntimeError,
            "expected m1 and m2 to have the same dtype, but got: float != double",
        ),
        (
            "torch.dot(torch.ones(1), torch.ones(1, dtype=torch.float64))",
            RuntimeError,
            "dot : expected both vectors to have same dtype, but found Float and Double",
        ),
        (
            "torch.where(torch.tensor([1]), 1, 2)",
            RuntimeError,
            "where expected condition to be a boolean tensor, but got a tensor with dtype Long",
        ),
        (
            "torch.nextafter(torch.tensor([True]), torch.tensor([2], dtype=torch.uint8))",
            NotImplementedError,
            "\"nextafter_cpu\" not implemented for 'Byte'",
        ),
        (
            "torch.ldexp(torch.ones(2), torch.tensor([True, False]))",
            NotImplementedError,
            "\"ldexp_cpu_exp\" not implemented for 'Bool'",
        ),
        (
            "torch.ldexp(torch.ones(2).half(), torch.tensor(True))",
            NotImplementedError,
            "\"ldexp_cpu_exp\" not implemented for 'Bool'",
        ),
        (
            "torch.pow(torch.ones(2, requires_grad=True), torch.tensor([True, False])).sum().backward()",
            RuntimeError,
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead.",
        ),
    ],
)
def test_refused(torch, expression, error, first_line):
    with pytest.raises(error) as caught:
        eval(expression, {"torch": torch})
    assert str(caught.value).splitlines()[0] == first_line


@pytest.mark.parametrize(
    "one, other, dtype, values",
    [
        (1.0, 0.0, "float32", [1.0, 0.0]), (1, 0, "int64", [1, 0]), (1, 0.5, "float32", [1.0, 0.5]),
        (2**62, -(2**63), "int64", [2**62, -(2**63)]), (True, False, "bool", [True, False]),
    ],
)  # fmt: skip
def test_a_choice_between_two_numbers(torch, one, other, dtype, values):
    result = torch.where(torch.tensor([True, False]), one, other)
    assert result.dtype is getattr(torch, dtype) and result.tolist() == values


@pytest.mark.parametrize(
    "one, other, dtype",
    [
        ("int64", "float32", "float32"), ("float16", "int64", "float16"), ("bool", "bfloat16", "bfloat16"),
        ("float32", "float64", "float64"),
    ],
)  # fmt: skip
def test_the_next_number_is_one_of_the_common_dtype(torch, one, other, dtype):
    result = torch.nextafter(
        torch.tensor([1, 0]).to(getattr(torch, one)), torch.tensor([0, 1]).to(getattr(torch, other))
    )
    limits = torch.finfo(result.dtype)
    assert result.dtype is getattr(torch, dtype) and result[0] == 1 - limits.eps / 2
    assert result[1] == limits.smallest_normal * limits.eps


def test_masks_as_exponents_of_integers_and_the_next_number_towards_one_without_dimensions(torch):
    assert torch.ldexp(torch.tensor([3, 4]), torch.tensor([True, False])).tolist() == [6.0, 4.0]
    assert torch.nextafter(torch.tensor([1.0]), torch.tensor(2.0, dtype=torch.float64)).dtype is torch.float32


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
@pytest.mark.parametrize(
    "text",
    [
        "n * 2.0", "2.0 / n", "m + 0.5", "n.sum(dtype=torch.float32)", "x.cumsum(0, dtype=torch.float64)",
        "x.mean(dtype=k)", "n.to(torch.int8) + n.to(torch.int8)", "x.to(torch.complex64) * x.to(torch.complex64)",
    ],
)  # fmt: skip
def test_what_is_of_one_dtype_takes_the_short_way(torch, text, monkeypatch):
    monkeypatch.setattr("rushlight.dispatch.general.Call", lambda *_: pytest.fail("the long way"))
    x, n = torch.ones(3), torch.arange(3)
    eval(text, {"torch": torch, "x": x, "n": n, "m": n > 1, "k": torch.float64})


@pytest.mark.parametrize("kind", ["uint8", "int8", "int16", "int64", "bool", "float16", "float32"])
@pytest.mark.parametrize("default", ["float32", "float64"])
def test_numbers_beside_tensors_and_dtypes_that_are_asked_for(torch, kind, default):
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, default))
    try:
        x = torch.arange(4).to(getattr(torch, kind))
        results = [x * 2.5, x + 1, 2.5 - x if kind != "bool" else x, x / 2, x * x, x.sum(dtype=torch.float64), x.sum(0)]
    finally:
        torch.set_default_dtype(before)
    numbers = np.arange(4) if kind != "bool" else np.arange(4) > 0
    expected = [
        numbers * 2.5,
        numbers + 1,
        numbers if kind == "bool" else 2.5 - numbers,
        numbers / 2,
        numbers * numbers,
    ]
    expected += [numbers.sum()] * 2
    assert [each.tolist() for each in results] == [each.tolist() for each in expected]
    whole = not x.is_floating_point()
    floating = getattr(torch, default) if whole else x.dtype
    of_sum, of_one = torch.int64 if whole else x.dtype, torch.int64 if kind == "bool" else x.dtype
    kinds = [floating, of_one, x.dtype if kind == "bool" else floating, floating, x.dtype, torch.float64, of_sum]
    assert [each.dtype for each in results] == kinds


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "true_divide", "floor_divide"])
def test_an_operator_between_two_numbers_is_a_tensor(torch, name):
    kinds = {True: torch.bool, 7: torch.int64, 2.5: torch.float32}
    for one, other in itertools.product(kinds, repeat=2):
        if (name == "sub" and True in (one, other)) or (name == "floor_divide" and one is other is True):
            continue  # which is refused of tensors as well
        result = getattr(torch, name)(one, other)
        expected = getattr(torch, name)(torch.tensor(one), torch.tensor(other))
        assert (result.dtype, result.shape, result.item()) == (expected.dtype, (), expected.item())
    assert torch.add(2, 3, alpha=2).item() == 8
    assert torch.add(2, np.float32(3)).dtype is torch.float32
    with pytest.raises(TypeError):
        torch.pow(2, 3)


@pytest.mark.parametrize(("mode", "quotients"), [("floor", [3, -4, 3.0]), ("trunc", [3, -3, 3.0])])
def test_two_numbers_are_divided_and_rounded(torch, mode, quotients):
    results = [torch.div(number, 2, rounding_mode=mode) for number in (7, -7, 7.5)]
    assert [each.item() for each in results] == quotients
    assert [each.dtype for each in results] == [torch.int64, torch.int64, torch.float32]
