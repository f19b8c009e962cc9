"""Information about the namespace.

https://data-apis.org/array-api/2024.12/API_specification/inspection.html
"""

from __future__ import annotations

from rushlight import cuda
from rushlight.array_api.dtypes import isdtype
from rushlight.core import dtype as dtypes
from rushlight.core.device import DEFAULT, device
from rushlight.core.dtype import DEFAULTS, dtype

# The dtypes of the standard; float16, bfloat16 and others are only PyTorch's.
DTYPES = (
    dtypes.bool, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.uint32,
    dtypes.uint64, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128,
)  # fmt: skip
MAX_DIMENSIONS = 64  # NumPy's


class Info:
    """Capabilities, devices and dtypes."""

    def capabilities(self) -> dict:
        """Returns the optional features that are supported."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": MAX_DIMENSIONS}

    def default_device(self) -> device:
        """Returns the device of new arrays."""
        return DEFAULT.get()

    def devices(self) -> list[device]:
        """Returns the devices that can hold data."""
        return [device("cpu"), *(device("cuda", index) for index in range(cuda.device_count()))]

    def default_dtypes(self, *, device=None) -> dict[str, dtype]:
        """Returns the default dtypes, which follow `set_default_dtype`."""
        return {
            "real floating": DEFAULTS.floating,
            "complex floating": DEFAULTS.complex,
            "integral": dtypes.int64,
            "indexing": dtypes.int64,
        }

    def dtypes(self, *, device=None, kind=None) -> dict[str, dtype]:
        """Returns the standard's dtypes by name, all or those of a kind as in `isdtype`."""
        return {dtype_.name: dtype_ for dtype_ in DTYPES if kind is None or isdtype(dtype_, kind)}


def __array_namespace_info__() -> Info:
    """Returns information about the namespace.

    >>> __array_namespace_info__().default_dtypes()["indexing"]
    torch.int64
    """
    return Info()
