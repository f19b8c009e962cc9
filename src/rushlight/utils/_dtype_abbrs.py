"""`torch.utils._dtype_abbrs`: short names of dtypes, as in the code of graphs."""

from __future__ import annotations

import re

from rushlight.core.dtype import ALL


def abbreviation(name: str) -> str:
    """Returns `f32` for `float32`, `b8` for `bool`, `f8e5m2` for `float8_e5m2`."""
    return "b8" if name == "bool" else re.sub("float|int|complex", lambda kind: kind[0][0], name).replace("_", "")


dtype_abbrs = {dtype: abbreviation(dtype.name) for dtype in ALL}
