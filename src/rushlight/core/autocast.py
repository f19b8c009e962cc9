"""The state of autocast: on which devices it is enabled, and the dtypes.

https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rushlight.core.dtype import bfloat16, float16

# The default dtype of each device type that PyTorch can autocast on.
DEFAULTS = {
    "cpu": bfloat16, "cuda": float16, "xpu": float16, "ipu": float16, "hpu": bfloat16, "xla": bfloat16, "mps": float16,
    "maia": bfloat16, "mtia": float16, "privateuseone": float16,
}  # fmt: skip


class Casts(dict):
    """Cached casts of leaves: shared by nested regions, compared and hashed by identity."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other):
        return self is other


class Autocast(NamedTuple):
    """The state of one region of autocast."""

    enabled: frozenset[str] = frozenset()  # device types
    dtypes: tuple[tuple[str, Any], ...] = ()  # by device type, if not the default
    caching: bool = True
    casts: Casts | None = None  # set within a region

    def dtype(self, kind: str):
        """Returns the lower-precision dtype on a device type."""
        return dict(self.dtypes).get(kind, DEFAULTS[kind])

    def with_dtype(self, kind: str, dtype) -> Autocast:
        other_dtypes = tuple(pair for pair in self.dtypes if pair[0] != kind)
        return self._replace(dtypes=other_dtypes if dtype is DEFAULTS[kind] else (*other_dtypes, (kind, dtype)))

    def with_enabled(self, kind: str, enabled: bool) -> Autocast:
        return self._replace(enabled=self.enabled | {kind} if enabled else self.enabled - {kind})


OFF = Autocast()
