"""Functions that are compiled when machine code first calls them."""

import time

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.compiler import deferred as deferring
from rushlight.compiler.deferred import deferred
from rushlight.compiler.kernels import multiplying, products, tile_product
from rushlight.compiler.native import int64, native, pointer
from rushlight.compiler.parallel import parallel_for


def doubling():
    """A function that is not compiled yet, and one that calls it for all elements, on all threads."""

    @deferred
    @native
    def doubled(out: pointer(int64), at: int64) -> int64:
        return 2 * out[at]

    @native
    def double_some(out: pointer(int64), begin: int64, end: int64):
        for i in range(begin, end):
            if out[i] > 0:
                out[i] = doubled(out, i)

    @native
    def double(out: pointer(int64), size: int64):
        parallel_for(double_some, size, 1, out)

    return doubled, double


def test_it_is_compiled_when_it_is_first_called(threads):
    doubled, double = doubling()
    numbers = np.zeros(64, np.int64)
    double.machine()(numbers, 64)
    assert not doubled.plain.addresses and not numbers.any()
    numbers += np.arange(64)
    double.machine()(numbers, 64)
    assert len(doubled.plain.addresses) == 1
    double.machine()(numbers, 64)
    np.testing.assert_array_equal(numbers, 4 * np.arange(64))


def test_plain_python_calls_the_plain_function():
    doubled, double = doubling()
    numbers = np.arange(8)
    double(numbers, 8)
    np.testing.assert_array_equal(numbers, 2 * np.arange(8))
    assert doubled(numbers, 1) == 4 and not doubled.plain.addresses


def test_an_interruption_is_heard_when_machine_code_is_back(monkeypatch):
    """The user presses the keys while it is being compiled: what is being computed is computed, then Python hears."""
    doubled, double = doubling()
    address, calls = doubled.address, []

    def interrupted():
        calls.append(address)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return address()

    monkeypatch.setattr(doubled, "address", interrupted)
    monkeypatch.setattr(deferring, "LATER", 0.05)
    numbers, kernel = np.ones(3, np.int64), double.machine()
    with pytest.raises(KeyboardInterrupt):
        kernel(numbers, 3)
        assert numbers.tolist() == [2, 2, 2] and len(calls) == 2
        time.sleep(5)


def test_a_product_does_not_compile_what_it_does_not_need():
    """Rows of sums, turned matrices, copies of the first one and the edges of tiles are modules of their own."""
    text = multiplying.multiply.written(()).text
    rare = [products.few_rows, products.pack_turned, products.pack_strips, products.pack_rows]
    names = [each.plain.__name__ for each in rare]
    assert not [name for name in names if f"products.{name}" in text] and "@edge_product(" not in text
    assert len(tile_product.GROUPS[0]) == 1
