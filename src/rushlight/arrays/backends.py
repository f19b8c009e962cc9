"""The backends for CPU, meta and traced arrays, which are always registered."""

from __future__ import annotations

import numpy as np

from rushlight.arrays import meta
from rushlight.arrays.meta_language import LANGUAGE
from rushlight.core.device import BACKENDS, CPU, META, Backend
from rushlight.core.tables import xp
from rushlight.core.traced import TRACED

PROCESSOR = Backend(
    "cpu", np.ndarray, xp, from_cpu=lambda array, place: array, to_cpu=lambda array: array, adopt=np.asarray, place=CPU
)
NOWHERE = Backend(
    "meta", meta.MetaArray, LANGUAGE, from_cpu=meta.from_cpu, to_cpu=meta.to_cpu, adopt=meta.adopt, place=META
)


class TracedBackend(Backend):
    """What calls of a level ask of a backend; the device is that of the value."""

    def device_of(self, array):
        return array.value.device


def register() -> None:
    """Registers CPU, meta and traced arrays; called once by the package root."""
    BACKENDS.register(PROCESSOR)
    BACKENDS.register(NOWHERE)
    for kind in TRACED:
        BACKENDS.by_array[kind] = TracedBackend(
            "traced", kind, xp, from_cpu=meta.to_cpu, to_cpu=kind.numbers, adopt=meta.adopt, place=CPU
        )
