"""Switches that programs set and read back; no number depends on them here."""

import pytest


@pytest.fixture(autouse=True)
def as_it_was(torch):
    yield
    torch.use_deterministic_algorithms(False)
    torch.set_float32_matmul_precision("highest")
    torch.set_flush_denormal(False)


def state(torch):
    return (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
        torch.get_deterministic_debug_mode(),
    )


def test_deterministic_algorithms_are_asked_for_in_two_ways(torch):
    assert state(torch) == (False, False, 0)
    torch.use_deterministic_algorithms(True)
    assert state(torch) == (True, False, 2)
    torch.use_deterministic_algorithms(True, warn_only=True)
    assert state(torch) == (True, True, 1)
    for mode, expected in (("default", 0), ("error", 2), ("warn", 1), (0, 0), (2, 2)):
        torch.set_deterministic_debug_mode(mode)
        assert torch.get_deterministic_debug_mode() == expected
        assert torch.are_deterministic_algorithms_enabled() is (expected > 0)


@pytest.mark.parametrize(
    ("mode", "error", "message"),
    [
        (3, RuntimeError, "invalid value of debug_mode, expected 0, 1, or 2, but got 3"),
        ("all", RuntimeError, "expected one of `default`, `warn`, `error`, but got all"),
        (1.5, TypeError, "debug_mode must be str or int, but got <class 'float'>"),
    ],
)
def test_other_debug_modes_are_refused(torch, mode, error, message):
    with pytest.raises(error, match=message):
        torch.set_deterministic_debug_mode(mode)
    assert state(torch) == (False, False, 0)


def test_a_mode_that_is_no_bool_is_refused(torch):
    with pytest.raises(TypeError, match=r"argument 'mode' \(position 1\) must be bool, not int"):
        torch.use_deterministic_algorithms(1)


def test_precision_of_products(torch):
    assert torch.get_float32_matmul_precision() == "highest"
    for name in ("high", "medium", "highest"):
        torch.set_float32_matmul_precision(name)
        assert torch.get_float32_matmul_precision() == name
    with pytest.warns(UserWarning, match="exact is not one of 'highest', 'high', or 'medium'"):
        torch.set_float32_matmul_precision("exact")
    assert torch.get_float32_matmul_precision() == "highest"
    with pytest.raises(RuntimeError, match="set_float32_matmul_precision expects a str, but got int"):
        torch.set_float32_matmul_precision(1)


def test_flushing_denormals_says_whether_it_could(torch):
    could = torch.set_flush_denormal(True)
    smallest = torch.tensor([1e-310], dtype=torch.float64) * 1
    assert (smallest.item() == 0) is could
    with pytest.raises(RuntimeError, match="flush_denormal expects a bool, but got int"):
        torch.set_flush_denormal(1)
