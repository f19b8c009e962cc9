"""The state of autocast: on which devices it is on, and in which dtype.

https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rushlight.core.dtype import bfloat16, float16

# The dtype of each kind of device that PyTorch can autocast on; elsewhere there is no autocast.
DEFAULTS = {
    "cpu": bfloat16, "cuda": float16, "xpu": float16, "ipu": float16, "hpu": bfloat16, "xla": bfloat16, "mps": float16,
    "maia": bfloat16, "mtia": float16, "privateuseone": float16,
}  # fmt: skip


class Casts(dict):
    """Leaves that were cast, with their casts: shared by nested regions, compared and hashed by identity."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other):
        return self is other


class Autocast(NamedTuple):
    """What one region of autocast sets."""

    enabled: frozenset[str] = frozenset()  # kinds of devices
    dtypes: tuple[tuple[str, Any], ...] = ()  # by kind of device, where not the default
    caching: bool = True
    casts: Casts | None = None  # there within a region

    def dtype(self, kind: str):
        """The lower precision on a kind of device."""
        return dict(self.dtypes).get(kind, DEFAULTS[kind])

    def with_dtype(self, kind: str, dtype) -> Autocast:
        others = tuple(each for each in self.dtypes if each[0] != kind)
        return self._replace(dtypes=others if dtype is DEFAULTS[kind] else (*others, (kind, dtype)))

    def with_enabled(self, kind: str, enabled: bool) -> Autocast:
        return self._replace(enabled=self.enabled | {kind} if enabled else self.enabled - {kind})


OFF = Autocast()
