"""The array API standard, 2024.12: functions of `rushlight` where they conform, the standard's where they differ.

`x.__array_namespace__()` returns it. https://data-apis.org/array-api/2024.12/
"""

from rushlight._generated.functions import (
    abs, acos, acosh, asin, asinh, atan, atanh, broadcast_to, ceil, cos, cosh, exp,
    floor, imag, isfinite, isinf, isnan, log, log1p, log2, log10, logical_not, positive, real,
    reciprocal, signbit, sin, sinh, sqrt, square, tan, tanh, tile, trunc,
)  # fmt: skip
from rushlight._generated.functions import bitwise_not as bitwise_invert
from rushlight._generated.functions import movedim as _movedim
from rushlight._generated.functions import neg as _neg
from rushlight.array_api import fft, linalg
from rushlight.array_api.arranging import (
    broadcast_arrays, concat, diff, expand_dims, flip, matrix_transpose, permute_dims, repeat, reshape, roll,
    squeeze, stack, take, take_along_axis, unstack,
)  # fmt: skip
from rushlight.array_api.creation import (
    arange, asarray, empty, eye, full, linspace, meshgrid, ones, tril, triu, zeros,
)  # fmt: skip
from rushlight.array_api.dtypes import astype, finfo, iinfo, isdtype
from rushlight.array_api.elementwise import (
    add, atan2, bitwise_and, bitwise_left_shift, bitwise_or, bitwise_right_shift, bitwise_xor, clip, conj, copysign,
    divide, equal, expm1, floor_divide, greater, greater_equal, hypot, less, less_equal, logaddexp, logical_and,
    logical_or, logical_xor, maximum, minimum, multiply, nextafter, not_equal, pow, remainder, round, sign, subtract,
    where,
)  # fmt: skip
from rushlight.array_api.info import __array_namespace_info__
from rushlight.array_api.linalg import matmul, tensordot, vecdot
from rushlight.array_api.ordering import (
    argmax, argmin, argsort, nonzero, searchsorted, sort, unique_all, unique_counts, unique_inverse, unique_values,
)  # fmt: skip
from rushlight.array_api.promotion import can_cast, result_type
from rushlight.array_api.reductions import (
    all, any, count_nonzero, cumulative_prod, cumulative_sum, max, mean, min, prod, std, sum, var,
)  # fmt: skip
from rushlight.core.constants import e, inf, nan, newaxis, pi
from rushlight.core.dtype import (
    bool, complex64, complex128, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
)  # fmt: skip
from rushlight.create.filled import empty_like, full_like, ones_like, zeros_like
from rushlight.create.from_data import from_dlpack
from rushlight.dispatch.methods import alias as _alias

# Standard names of functions that `rushlight` has under another name.
moveaxis, negative = _alias(_movedim, "moveaxis"), _alias(_neg, "negative")

__array_api_version__ = "2024.12"
