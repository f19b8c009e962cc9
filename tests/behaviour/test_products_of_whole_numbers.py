"""Products of matrices of integers: exact, and wrapping around where the dtype ends."""

import numpy as np
import pytest

KINDS = ["int8", "int16", "int32", "int64", "uint8"]
SIZES = [1, 300, 2**23, 2**31 - 1, 2**40, 2**63 - 1]


def drawn(kind, size, shape):
    """Numbers up to a size, or up to what the dtype holds, the smallest and the largest among them."""
    limits = np.iinfo(kind)
    low, high = max(limits.min, -size - 1), min(limits.max, size)
    result = np.random.default_rng(0).integers(low, high, shape, endpoint=True).astype(kind)
    result.flat[0], result.flat[-1] = low, high
    return result


def check(torch, one, other, multiply="matmul"):
    """Against NumPy's loop, which computes in the dtype itself."""
    result = getattr(torch, multiply)(torch.from_numpy(one), torch.from_numpy(other))
    assert result.dtype is torch.from_numpy(one).dtype and result.is_contiguous()
    np.testing.assert_array_equal(result.numpy(), np.matmul(one, other))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", [(2, 3, 2), (32, 40, 30), (7, 1500, 9), (3, 70_000, 2), (200, 1, 200)], ids=str)
def test_they_wrap_around(torch, kind, size, shape):
    rows, depth, columns = shape
    one, other = drawn(kind, size, (rows, depth)), drawn(kind, size, (depth, columns))
    check(torch, one, other)
    check(torch, np.asfortranarray(one), other, "mm")


@pytest.mark.parametrize("kind", KINDS)
def test_a_large_number_beside_small_ones(torch, kind):
    small, large = drawn(kind, 1, (40, 40)), drawn(kind, 2**63 - 1, (40, 40))
    check(torch, small, large)
    check(torch, large, small[:, ::2])


@pytest.mark.parametrize("kind", KINDS)
def test_of_batches_of_vectors_and_of_nothing(torch, kind):
    batch = drawn(kind, 2**63 - 1, (5, 30, 30))
    check(torch, batch, batch, "bmm")
    check(torch, batch, batch[0])
    check(torch, batch[0], batch[1, 0])
    check(torch, batch[0], np.empty((30, 0), kind))
    check(torch, np.empty((100, 0), kind), np.empty((0, 100), kind))
    added = torch.addmm(*map(torch.from_numpy, batch[:3]), beta=2, alpha=3)
    np.testing.assert_array_equal(added.numpy(), batch[0] * 2 + 3 * (batch[1] @ batch[2]))
