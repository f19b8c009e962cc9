"""The random inputs of a declaration's samples: `samples = lambda r: [(r(2, 3), r.positive(3))]`; `r` is a Draw."""

from __future__ import annotations

import math
import zlib

import numpy as np

from rushlight.core.tensor import Tensor, wrap


class Draw:
    """Random tensors, seeded by name. Floating point ones are float64 and require grad."""

    def __init__(self, name: str):
        self.generator = np.random.default_rng(zlib.crc32(name.encode()))

    def __call__(self, *shape: int) -> Tensor:
        """Returns normal values."""
        return self._leaf(self.generator.standard_normal(shape))

    def positive(self, *shape: int) -> Tensor:
        """Returns values from 0.5 to 2."""
        return self._leaf(self.generator.uniform(0.5, 2, shape))

    def distinct(self, *shape: int) -> Tensor:
        """Returns values that differ from each other and from 0 by at least 0.05."""
        size = math.prod(shape)
        steps = self.generator.permutation(np.arange(size) - size // 2) + self.generator.uniform(0.3, 0.7, size)
        return self._leaf(steps.reshape(shape) / 4)

    def invertible(self, *shape: int) -> Tensor:
        """Returns square normal matrices plus a multiple of the identity."""
        return self._leaf(self.generator.standard_normal(shape) + 3 * np.eye(shape[-1]))

    def integers(self, high: int, *shape: int) -> Tensor:
        """Returns integers from 0 to `high` - 1, as int64."""
        return wrap(np.asarray(self.generator.integers(high, size=shape)))

    def booleans(self, *shape: int) -> Tensor:
        """Returns bools."""
        return wrap(np.asarray(self.generator.integers(2, size=shape), np.bool_))

    def packed(self, *sizes: int) -> Tensor:
        """Returns the batch sizes of a packed sequence, as int64."""
        return wrap(np.asarray(sizes))

    def _leaf(self, numbers) -> Tensor:
        return wrap(np.asarray(numbers, np.float64)).requires_grad_()
