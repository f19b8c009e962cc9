"""`arange`, `range`, `linspace` and `logspace` at the edges of their arguments."""

import pytest


@pytest.mark.parametrize("dtype", ["int64", "int32", "int8"])
@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        ((0, 1.2, 4, 5), [1, 1, 2, 5]),
        ((0, 1.9, 4, 5), [1, 1, 2, 5]),
        ((1, -3, 4, 1.1), [1, 0, 0, 0]),
        ((0, 5, 7, 2.5), [1, 2, 4, 9, 21, 45, 97]),
        ((1.9, 5, 1, 2.5), [5]),
        ((0, 3, 0), []),
    ],
)
def test_powers_are_made_whole_after_their_bounds(torch, dtype, arguments, values):
    assert torch.logspace(*arguments, dtype=getattr(torch, dtype)).tolist() == values


def test_the_dtype_of_out_is_that_of_the_result(torch):
    assert torch.logspace(0, 3, 5, out=torch.empty(5, dtype=torch.int64)).tolist() == [1, 5, 31, 177, 1000]
    assert torch.linspace(0, 3, 5, out=torch.empty(5, dtype=torch.int64)).tolist() == [0, 0, 1, 2, 3]


@pytest.mark.parametrize("name", ["linspace", "logspace"])
@pytest.mark.parametrize("arguments", [(0, 3, 1.0), (0, 3, True), (0, 3, None), (0, 3, "a"), ("a", 3, 1)])
def test_steps_are_a_whole_number(torch, name, arguments):
    with pytest.raises(TypeError, match=rf"^{name}\(\) received an invalid combination of arguments"):
        getattr(torch, name)(*arguments)


@pytest.mark.parametrize("name", ["linspace", "logspace"])
def test_bounds_are_single_numbers(torch, name):
    for bounds, label in (((torch.ones(2), 3), "start"), ((0, torch.ones(2)), "end")):
        with pytest.raises(RuntimeError, match=f"^{name} only supports 0-dimensional .* got {label} with 1 dimension"):
            getattr(torch, name)(*bounds, 3)
    with pytest.raises(RuntimeError, match="number of steps must be non-negative"):
        getattr(torch, name)(0, 3, -1)


def test_a_step_that_is_nothing_in_integers_is_refused(torch):
    with pytest.raises(ValueError, match="step must be nonzero"):
        torch.arange(0, 5, 0.5, dtype=torch.int64)
    with pytest.raises(ValueError, match="step must be nonzero"):
        torch.arange(0, 64, 0.5, out=torch.empty(0, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="step must be nonzero"):
        torch.arange(0, 5, 0)


@pytest.mark.parametrize("dtype, name", [("bool", "Bool"), ("complex64", "ComplexFloat")])
def test_neither_bools_nor_complex_numbers_are_counted(torch, dtype, name):
    kind = getattr(torch, dtype)
    for end in (0, 3):
        with pytest.raises(NotImplementedError, match=f"^\"arange_cpu\" not implemented for '{name}'"):
            torch.arange(end, dtype=kind)
    with pytest.raises(NotImplementedError, match=f"^\"arange_cpu\" not implemented for '{name}'"):
        torch.arange(2, out=torch.empty(2, dtype=kind))
    with (
        pytest.warns(UserWarning, match="torch.range"),
        pytest.raises(NotImplementedError, match=f"^\"range_cpu\" not implemented for '{name}'"),
    ):
        torch.range(0, 3, dtype=kind)
    assert torch.arange(3, dtype=kind, device="meta").dtype is kind


def test_bools_are_not_spaced_evenly(torch):
    with pytest.raises(NotImplementedError, match="^\"linspace_cpu\" not implemented for 'Bool'"):
        torch.linspace(0, 1, 3, dtype=torch.bool)
    assert torch.linspace(1, 2, 1, dtype=torch.bool).tolist() == [True]
    assert torch.linspace(0, 1, 3, dtype=torch.bool, device="meta").shape == (3,)


def test_range_includes_its_end(torch):
    with pytest.warns(UserWarning, match="torch.range is deprecated"):
        assert torch.range(0, 1, 0.5).tolist() == [0, 0.5, 1]
    with pytest.warns(UserWarning, match="torch.range is deprecated"):
        assert torch.range(1, 4, dtype=torch.int64).tolist() == [1, 2, 3, 4]
    with (
        pytest.warns(UserWarning, match="torch.range"),
        pytest.raises(RuntimeError, match="inconsistent with step sign"),
    ):
        torch.range(4, 1)


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ((0, 5), r"expected to be between 0 and 1, but got 5 at index 1"),
        ((-1, 0), r"expected to be between 0 and 1, but got -1 at index 0"),
        ((0, 0), "Duplicate dim not allowed"),
    ],
)
def test_a_layout_names_each_dimension_once(torch, layout, message):
    with pytest.raises(RuntimeError, match=message):
        torch.empty_permuted((2, 3), layout)


@pytest.mark.parametrize("name", ["linspace", "logspace"])
@pytest.mark.parametrize("kind", ["float32", "int64"])
def test_complex_bounds_need_a_complex_dtype(torch, name, kind):
    with pytest.raises(
        RuntimeError, match=rf"torch.{name}\(\): inferred dtype c10::complex<float> can't be safely cast"
    ):
        getattr(torch, name)(0, 1j, 3, dtype=getattr(torch, kind))


def test_bounds_below_0_wrap_in_unsigned_dtypes_before_the_steps_are_found(torch):
    assert torch.linspace(-1, 1, 6, dtype=torch.uint8).tolist() == [255, 204, 153, 102, 51, 1]
