"""Types shared by the signatures of public functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from rushlight.core.device import device
from rushlight.core.dtype import dtype
from rushlight.core.tensor import Tensor

Device: TypeAlias = device | str | int | None
Dtype: TypeAlias = dtype | type[bool] | type[int] | type[float] | type[complex]
Number: TypeAlias = int | float | complex | np.number[Any]
Ints: TypeAlias = int | Sequence[int]  # a size, the same along all dimensions or one for each
Floats: TypeAlias = float | Sequence[float]
Shape: TypeAlias = Sequence[int]
TensorOrFloat: TypeAlias = Tensor | float
Params: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
