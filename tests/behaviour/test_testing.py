"""`torch.testing`: what `assert_close` accepts, refuses and says, and what `make_tensor` makes."""

import numpy as np
import pytest


@pytest.fixture
def assert_close(torch):
    return torch.testing.assert_close


# --- assert_close: what is close ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        (1, 1),
        (1.0, 1.0 + 1e-9),
        (1j, 1j),
        (True, True),
        (None, None),
        ([1.0, [2, 3]], [1.0, [2, 3]]),
        ({"a": 1}, {"a": 1}),
    ],
    ids=str,
)
def test_python_values(assert_close, values):
    assert_close(*values)


def test_tensors_arrays_and_containers_of_them(torch, assert_close):
    x = torch.tensor([1.0, 2.0])
    assert_close(x, x + 1e-6)
    assert_close(np.ones(3), np.ones(3))
    assert_close([x, {"y": x}], [x.clone(), {"y": x.clone()}])
    assert_close(torch.nn.Parameter(x), x)


@pytest.mark.parametrize(
    ("name", "near", "far"),
    [("float16", 9e-4, 4e-3), ("bfloat16", 1e-2, 4e-2), ("float32", 5e-6, 5e-5), ("float64", 1e-7, 1e-6)],
)
def test_tolerances_are_those_of_the_dtype(torch, assert_close, name, near, far):
    dtype = getattr(torch, name)
    one = torch.ones(2, dtype=torch.float64)
    assert_close((one + near).to(dtype), one.to(dtype))
    with pytest.raises(AssertionError, match="^Tensor-likes are not close!"):
        assert_close((one + far).to(dtype), one.to(dtype))


def test_the_looser_of_two_dtypes_counts(torch, assert_close):
    assert_close(torch.tensor([1.01]).bfloat16(), torch.tensor([1.0]).bfloat16())
    assert_close(torch.tensor([1.01]).bfloat16(), torch.tensor([1.0]), check_dtype=False)


def test_nan_is_equal_only_if_that_is_asked_for(torch, assert_close):
    x = torch.tensor([float("nan"), 1.0])
    assert_close(x, x.clone(), equal_nan=True)
    with pytest.raises(AssertionError):
        assert_close(x, x.clone())


def test_infinities_are_equal_to_themselves(torch, assert_close):
    assert_close(torch.tensor([float("inf")]), torch.tensor([float("inf")]))
    with pytest.raises(AssertionError):
        assert_close(torch.tensor([float("inf")]), torch.tensor([1.0]))


# --- assert_close: what it says -----------------------------------------------------------------------------------


def complaint(torch, actual, expected, **options):
    with pytest.raises(AssertionError) as failure:
        torch.testing.assert_close(actual, expected, **options)
    return str(failure.value)


def test_elements_that_differ(torch):
    actual, expected = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0, 2.5], [3.0, 8.0]])
    assert complaint(torch, actual, expected) == (
        "Tensor-likes are not close!\n\n"
        "Mismatched elements: 2 / 4 (50.0%)\n"
        "Greatest absolute difference: 4.0 at index (1, 1) (up to 1e-05 allowed)\n"
        "Greatest relative difference: 0.5 at index (1, 1) (up to 1.3e-06 allowed)"
    )


def test_integers_that_differ(torch):
    assert complaint(torch, torch.tensor([1, 2, 3]), torch.tensor([1, 3, 3])) == (
        "Tensor-likes are not equal!\n\n"
        "Mismatched elements: 1 / 3 (33.3%)\n"
        "Greatest absolute difference: 1 at index (1,)\n"
        "Greatest relative difference: 0.3333333432674408 at index (1,)"
    )


def test_scalars_that_differ(torch):
    expected = (
        "Scalars are not close!\n\nExpected 2.0 but got 1.0.\nAbsolute difference: 1.0 (up to 1e-07 allowed)\n"
        "Relative difference: 0.5 (up to 1e-07 allowed)"
    )
    assert complaint(torch, 1.0, 2.0) == expected
    assert complaint(torch, torch.tensor(1.0, dtype=torch.float64), torch.tensor(2.0, dtype=torch.float64)) == expected


@pytest.mark.parametrize(
    ("actual", "expected", "message"),
    [
        (True, False, "Booleans mismatch: True is not False"),
        (None, 1, "None mismatch: None is not 1"),
        ([1], [1, 2], "The length of the sequences mismatch: 1 != 2"),
        ([1, [2.0]], [1, [3.0]], "Scalars are not close!\n\nExpected 3.0 but got 2.0.\nAbsolute difference: 1.0"),
        (
            {"a": 1},
            {"b": 1},
            "The keys of the mappings do not match:\nMissing keys in the actual mapping: ['b']\nAdditional keys in the "
            "actual mapping: ['a']",
        ),
    ],
    ids=["booleans", "none", "length", "item", "keys"],
)
def test_python_values_that_differ(torch, actual, expected, message):
    assert complaint(torch, actual, expected).startswith(message)


def test_the_item_at_fault_is_named(torch):
    assert complaint(torch, [1, {"a": 2}], [1, {"a": 3}]).endswith("\n\nThe failure occurred for item [1]['a']")


@pytest.mark.parametrize("name", ["shape", "dtype", "stride()"])
def test_attributes_that_differ(torch, name):
    actual, expected = {
        "shape": (torch.zeros(2), torch.zeros(3)),
        "dtype": (torch.zeros(2), torch.zeros(2, dtype=torch.float64)),
        "stride()": (torch.zeros(2, 3), torch.zeros(3, 2).T),
    }[name]
    one, other = (getattr(each, name.removesuffix("()")) for each in (actual, expected))
    if name == "stride()":
        one, other = one(), other()
    message = complaint(torch, actual, expected, check_stride=True)
    assert message == f"The values for attribute '{name}' do not match: {one} != {other}."


def test_checks_can_be_switched_off(torch, assert_close):
    assert_close(torch.zeros(2), torch.zeros(2, dtype=torch.float64), check_dtype=False)
    assert_close(torch.zeros(2, 3), torch.zeros(3, 2).T)


def test_the_message_can_be_replaced(torch):
    assert complaint(torch, 1.0, 2.0, msg="mine") == "mine"
    assert complaint(torch, 1.0, 2.0, msg=lambda message: "before " + message).startswith(
        "before Scalars are not close!"
    )


def test_one_tolerance_alone_is_refused(torch, assert_close):
    with pytest.raises(
        ValueError, match="^Both 'rtol' and 'atol' must be either specified or omitted, but got no atol."
    ):
        assert_close(1.0, 1.0, rtol=0.0)


@pytest.mark.filterwarnings("ignore:`torch.testing.assert_allclose")
def test_the_older_comparison_is_more_generous(torch):
    torch.testing.assert_allclose(torch.tensor([1.0, float("nan")]), np.array([1.00005, float("nan")]))
    torch.testing.assert_allclose([1.0, 2.0], torch.tensor([1.0, 2.0], dtype=torch.float64))
    with pytest.raises(AssertionError, match="not close"):
        torch.testing.assert_allclose([1.0], [1.01])
    with pytest.raises(AssertionError, match="^so far apart$"):
        torch.testing.assert_allclose([1.0], [2.0], msg="so far apart")


def test_the_older_comparison_says_that_it_is_old(torch):
    with pytest.warns(FutureWarning, match="deprecated since 1.12"):
        torch.testing.assert_allclose(1.0, 1.0)


def test_things_that_cannot_be_compared_are_refused(torch, assert_close):
    with pytest.raises(TypeError, match="^No comparison pair was able to handle inputs of type <class 'str'> and"):
        assert_close("a", "a")
    with pytest.raises(TypeError, match="^No comparison pair was able to handle inputs of type"):
        assert_close(torch.zeros(1), [0.0])


# --- make_tensor --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["bool", "uint8", "int8", "int64", "float16", "bfloat16", "float32", "float64", "complex64"]
)
def test_a_made_tensor_lies_within_its_bounds(torch, name):
    made = torch.testing.make_tensor(50, 3, dtype=getattr(torch, name), device="cpu")
    assert made.shape == (50, 3) and made.dtype is getattr(torch, name) and not made.requires_grad
    parts = torch.view_as_real(made) if made.is_complex() else made
    numbers = parts.double()
    assert -9 <= numbers.min().item() < numbers.max().item() <= 9


def test_bounds_and_gradient_are_the_callers(torch):
    made = torch.testing.make_tensor((200,), dtype=torch.float32, device="cpu", low=2, high=3, requires_grad=True)
    assert made.requires_grad and made.is_leaf
    assert 2 <= made.min().item() <= made.max().item() < 3


def test_gaps_in_memory_on_request(torch):
    made = torch.testing.make_tensor(2, 3, dtype=torch.float32, device="cpu", noncontiguous=True)
    assert made.shape == (2, 3) and not made.is_contiguous() and made.storage_offset() == 1


def test_zero_can_be_left_out(torch):
    made = torch.testing.make_tensor(100, dtype=torch.int64, device="cpu", low=0, high=2, exclude_zero=True)
    assert made.tolist() == [1] * 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"low": 3, "high": 2}, "^`low` must be less than `high`, but got 3 >= 2"),
        ({"low": float("nan")}, "^`low` and `high` cannot be NaN"),
        (
            {"dtype": "uint8", "low": 300, "high": 400},
            r"^The value interval specified by `low` and `high` is \[300, 400\)",
        ),
        (
            {"dtype": "int64", "requires_grad": True},
            "^`requires_grad=True` is not supported for boolean and integral dtypes",
        ),
        ({"noncontiguous": True, "memory_format": "contiguous_format"}, "^The parameters `noncontiguous` and"),
    ],
    ids=["order", "nan", "range", "gradient", "layout"],
)
def test_what_make_tensor_refuses(torch, options, message):
    named = {name: getattr(torch, options[name]) for name in ("dtype", "memory_format") if name in options}
    with pytest.raises(ValueError, match=message):
        torch.testing.make_tensor(2, **{"dtype": torch.float32, "device": "cpu", **options, **named})


def test_tolerances_are_numbers_of_any_kind(torch):
    one, other = torch.tensor([1.0]), torch.tensor([1.1])
    for kind in (np.float16, np.float32, np.float64, torch.tensor):
        torch.testing.assert_close(one, other, rtol=kind(0.5), atol=kind(0.0))
        with pytest.raises(AssertionError):
            torch.testing.assert_close(one, other, rtol=kind(0.0), atol=kind(0.05))
