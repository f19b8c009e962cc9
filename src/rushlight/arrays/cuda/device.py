"""The backend of the device `cuda`: its arrays, its language, and the copies to and from the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.arrays.cuda.again import Again
from rushlight.arrays.cuda.copies import fetched, sent
from rushlight.arrays.cuda.meaning import Meaning
from rushlight.core.device import FIRST_CUDA, Backend, device
from rushlight.core.fp_errors import IGNORED
from rushlight.core.marked_dtypes import marked


class Cuda(Backend):
    """The device `cuda`, over a CuPy."""

    has_strides = True

    def __init__(self, cupy: Any, special: Any):
        self.cupy = cupy
        meaning = Meaning(cupy, special)
        again = Again(meaning, special)
        self.language = again.import_module("rushlight.core.tables").xp
        self.language.IGNORED = IGNORED
        again.import_module("rushlight.core.formats")
        again.import_module("rushlight.arrays.cpu")
        super().__init__(
            "cuda", array_class(cupy, meaning), self.language, from_cpu=self.sent, to_cpu=fetched, adopt=self.adopted,
            place=FIRST_CUDA,
        )  # fmt: skip

    def sent(self, array: np.ndarray, place: device) -> Any:
        """Copies an array of the CPU to the device."""
        return sent(self.cupy, array).view(type=self.array_type)

    def adopted(self, result: Any) -> Any:
        """Returns the result of a kernel, or a number, as an array of a tensor."""
        if isinstance(result, self.cupy.ndarray):
            return result.view(type=self.array_type)
        return self.cupy.asarray(result).view(type=self.array_type)


def array_class(cupy: Any, meaning: Meaning) -> type:
    """Returns the class of the arrays of tensors: CuPy's, but for a dtype that the fast paths do not take.

    A function of NumPy's that is called on one means that of the device.
    """
    plain = cupy.ndarray.dtype.__get__

    class DeviceArray(cupy.ndarray):
        __slots__ = ()

        @property
        def dtype(self):
            return marked(plain(self))

        def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
            if any(isinstance(x, np.ndarray) for x in inputs):
                return super().__array_ufunc__(ufunc, method, *inputs, **keywords)
            called = getattr(meaning, ufunc.__name__)
            result = (called if method == "__call__" else getattr(called, method))(*inputs, **keywords)
            return of_tensors(result)

        def __array_function__(self, function, types, arguments, keywords):
            if np.ndarray in types:
                raise TypeError(f"Unsupported type {np.ndarray}")
            return of_tensors(getattr(meaning, function.__name__)(*arguments, **keywords))

    def of_tensors(result):
        return result.view(type=DeviceArray) if type(result) is cupy.ndarray else result

    return DeviceArray
