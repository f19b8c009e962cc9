"""What the namespace says of itself.

https://data-apis.org/array-api/2024.12/API_specification/inspection.html
"""

from __future__ import annotations

from rushlight import cuda
from rushlight.array_api.dtypes import isdtype
from rushlight.core import dtype as dtypes
from rushlight.core.device import DEFAULT, device
from rushlight.core.dtype import DEFAULTS, dtype

# The dtypes that the standard names; float16, bfloat16 and their like are PyTorch's beside them.
DTYPES = (
    dtypes.bool, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.uint32,
    dtypes.uint64, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128,
)  # fmt: skip
MAX_DIMENSIONS = 64  # NumPy's


class Info:
    """Capabilities, devices and dtypes."""

    def capabilities(self) -> dict:
        """What the standard leaves to choice."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": MAX_DIMENSIONS}

    def default_device(self) -> device:
        """Where new arrays are made."""
        return DEFAULT.get()

    def devices(self) -> list[device]:
        """Where arrays can be, with numbers in them."""
        return [device("cpu"), *(device("cuda", place) for place in range(cuda.device_count()))]

    def default_dtypes(self, *, device=None) -> dict[str, dtype]:
        """The dtypes that arrays get where none is named; they follow `set_default_dtype`."""
        return {
            "real floating": DEFAULTS.floating,
            "complex floating": DEFAULTS.complex,
            "integral": dtypes.int64,
            "indexing": dtypes.int64,
        }

    def dtypes(self, *, device=None, kind=None) -> dict[str, dtype]:
        """The standard's dtypes by name, all or those of a kind, as `isdtype` knows them."""
        return {each.name: each for each in DTYPES if kind is None or isdtype(each, kind)}


def __array_namespace_info__() -> Info:
    """What the namespace says of itself.

    >>> __array_namespace_info__().default_dtypes()["indexing"]
    torch.int64
    """
    return Info()
