"""PyTorch's dtypes, their NumPy counterparts and type promotion."""

from __future__ import annotations

import builtins
import functools
import math
from typing import Any

import ml_dtypes
import numpy as np

from rushlight.core.errors import noted, type_name
from rushlight.core.read_only import ReadOnly

__all__ = ["BY_NAME", "dtype", "finfo", "from_numpy_dtype", "get_default_dtype", "iinfo", "promote_types"]

# The categories of dtypes, in the order in which they win promotion.
BOOL, INTEGER, FLOAT, COMPLEX = range(4)


class dtype(ReadOnly):
    """The element type of a tensor.

    `numpy` is the NumPy dtype of the raw array, `category` one of BOOL, INTEGER, FLOAT, COMPLEX. There is one object
    per dtype, so `is` compares them. See https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-dtype.
    """

    __slots__ = ("category", "is_complex", "is_floating_point", "is_signed", "itemsize", "name", "numpy")
    __module__ = "torch"

    category: builtins.int
    is_complex: builtins.bool
    is_floating_point: builtins.bool
    is_signed: builtins.bool
    itemsize: builtins.int
    name: str
    numpy: Any

    def __init__(self, name: str, numpy_type: Any, category: builtins.int, signed: builtins.bool = True) -> None:
        own = np.dtype(numpy_type)
        self._set(name=name, numpy=own, category=category, is_signed=signed, itemsize=own.itemsize)
        self._set(is_floating_point=category == FLOAT, is_complex=category == COMPLEX)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self):
        return (named, (self.name,))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def to_real(self) -> dtype:
        """Returns the dtype of the real part."""
        return REAL_OF.get(self, self)

    def to_complex(self) -> dtype:
        """Returns the complex dtype whose parts have this dtype."""
        return COMPLEX_OF.get(self, self)


class UnavailableDtype(dtype):
    """complex32 with an ml_dtypes older than 0.6, which lacks the type: it has a name, but no arrays."""

    __slots__ = ()
    __module__ = "torch"

    def __init__(self, name: str, itemsize: builtins.int, category: builtins.int):
        self._set(name=name, category=category, is_signed=True, itemsize=itemsize)
        self._set(is_floating_point=category == FLOAT, is_complex=category == COMPLEX)

    @property
    def numpy(self):
        raise noted(
            RuntimeError(f"torch.{self.name} needs ml_dtypes 0.6 or newer; {ml_dtypes.__version__} is installed"),
            'Install it by: python -m pip install "ml_dtypes>=0.6"',
        )


bool = dtype("bool", np.bool_, BOOL, signed=False)
uint8 = dtype("uint8", np.uint8, INTEGER, signed=False)
uint16 = dtype("uint16", np.uint16, INTEGER, signed=False)
uint32 = dtype("uint32", np.uint32, INTEGER, signed=False)
uint64 = dtype("uint64", np.uint64, INTEGER, signed=False)
int8 = dtype("int8", np.int8, INTEGER)
int16 = short = dtype("int16", np.int16, INTEGER)
int32 = int = dtype("int32", np.int32, INTEGER)
int64 = long = dtype("int64", np.int64, INTEGER)
float16 = half = dtype("float16", np.float16, FLOAT)
bfloat16 = dtype("bfloat16", ml_dtypes.bfloat16, FLOAT)
float32 = float = dtype("float32", np.float32, FLOAT)
float64 = double = dtype("float64", np.float64, FLOAT)
float8_e4m3fn = dtype("float8_e4m3fn", ml_dtypes.float8_e4m3fn, FLOAT)
float8_e5m2 = dtype("float8_e5m2", ml_dtypes.float8_e5m2, FLOAT)
float8_e4m3fnuz = dtype("float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, FLOAT)
float8_e5m2fnuz = dtype("float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, FLOAT)
if hasattr(ml_dtypes, "complex32"):
    complex32 = chalf = dtype("complex32", ml_dtypes.complex32, COMPLEX)
else:
    complex32 = chalf = UnavailableDtype("complex32", 4, COMPLEX)
complex64 = cfloat = dtype("complex64", np.complex64, COMPLEX)
complex128 = cdouble = dtype("complex128", np.complex128, COMPLEX)

ALL = (
    bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64,
    float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz, complex32, complex64, complex128,
)  # fmt: skip
BY_NAME = {dtype_.name: dtype_ for dtype_ in ALL}
ALIASES = {
    "short": int16, "int": int32, "long": int64, "half": float16, "float": float32, "double": float64,
    "chalf": complex32, "cfloat": complex64, "cdouble": complex128,
}  # fmt: skip
BY_NUMPY = {dtype_.numpy: dtype_ for dtype_ in ALL if not isinstance(dtype_, UnavailableDtype)}
FLOAT8 = frozenset((float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz))
# Floating dtypes that are computed in float32 and rounded once, as PyTorch's CPU kernels do.
REDUCED = frozenset((float16, bfloat16, *FLOAT8))
REDUCED_NUMPY = frozenset(dtype_.numpy for dtype_ in REDUCED)
HALVES = frozenset((float16.numpy, bfloat16.numpy))
LIMITED_UNSIGNED = frozenset((uint16, uint32, uint64))
REAL_OF = {complex32: float16, complex64: float32, complex128: float64}
COMPLEX_OF = {float16: complex32, bfloat16: complex64, float32: complex64, float64: complex128}


class Defaults:
    """The default dtype, global to the process as in PyTorch."""

    __slots__ = ("floating",)

    def __init__(self):
        self.floating = float32

    @property
    def complex(self) -> dtype:
        return COMPLEX_OF[self.floating]


DEFAULTS = Defaults()


def named(name: str) -> dtype:
    """Returns the dtype with that name."""
    return BY_NAME[name]


def from_numpy_dtype(numpy_dtype) -> dtype:
    """Returns the dtype for a NumPy dtype; raises TypeError if PyTorch has none."""
    result = BY_NUMPY.get(numpy_dtype) or BY_NUMPY.get(np.dtype(numpy_dtype).newbyteorder("="))
    if result is None:
        cls = np.dtype(numpy_dtype).type
        if issubclass(cls, np.void):  # each record dtype has its own type
            cls = np.void
        raise noted(
            TypeError(
                f"can't convert np.ndarray of type {cls.__module__}.{cls.__name__}. The only supported types are: "
                "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, "
                "uint8, and bool."
            ),
            "Convert the array first, for example with array.astype(np.float32).",
        )
    return result


def get_default_dtype() -> dtype:
    """Returns the default floating-point dtype."""
    return DEFAULTS.floating


def set_default_dtype(d: dtype) -> None:
    """Sets the default dtype to `d`, a floating-point dtype: the dtype of tensors made from Python floats.

    >>> set_default_dtype(float64); get_default_dtype()
    torch.float64
    >>> set_default_dtype(float32)
    """
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point or d in FLOAT8:
        raise TypeError("only floating-point types are supported as the default type")
    DEFAULTS.floating = d


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Returns the smallest dtype that both convert to, by PyTorch's rules.

    >>> promote_types(uint8, int8), promote_types(float16, bfloat16), promote_types(int64, float16)
    (torch.int16, torch.float32, torch.float16)
    """
    if type1 is type2:
        return type1
    try:
        return PROMOTED[type1, type2]
    except (KeyError, TypeError):
        check_dtypes("promote_types", type1=type1, type2=type2)
        raise _refusal(type1, type2) from None


def check_dtypes(name: str, **arguments) -> None:
    """Raises PyTorch's TypeError for arguments that are not dtypes."""
    for position, (argument, value) in enumerate(arguments.items(), 1):
        if not isinstance(value, dtype):
            raise TypeError(
                f"{name}(): argument '{argument}' (position {position}) must be torch.dtype, not {type_name(value)}"
            )


def _refusal(type1: dtype, type2: dtype) -> RuntimeError:
    if type1 in FLOAT8 or type2 in FLOAT8:
        words = f"Promotion for Float8 Types is not supported, attempted to promote {SCALAR_NAMES[type1]} and "
        return RuntimeError(words + SCALAR_NAMES[type2])
    return RuntimeError(
        "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
        f"{SCALAR_NAMES[type1]} and {SCALAR_NAMES[type2]}"
    )


# PyTorch's C++ names of scalar types, used in its messages.
SCALAR_NAMES = {
    bool: "Bool", uint8: "Byte", uint16: "UInt16", uint32: "UInt32", uint64: "UInt64", int8: "Char", int16: "Short",
    int32: "Int", int64: "Long", float16: "Half", bfloat16: "BFloat16", float32: "Float", float64: "Double",
    float8_e4m3fn: "Float8_e4m3fn", float8_e5m2: "Float8_e5m2", float8_e4m3fnuz: "Float8_e4m3fnuz",
    float8_e5m2fnuz: "Float8_e5m2fnuz", complex32: "ComplexHalf", complex64: "ComplexFloat",
    complex128: "ComplexDouble",
}  # fmt: skip

# PyTorch has named storage types for these only; memory of the newer dtypes is stored as bytes.
NEWER_DTYPES = ("float8", "uint16", "uint32", "uint64", "complex32")
STORAGE_NAMES = {dtype_: f"{SCALAR_NAMES[dtype_]}Storage" for dtype_ in ALL if not dtype_.name.startswith(NEWER_DTYPES)}

# The C++ types of dtypes, used in conversion errors.
C_NAMES = {
    uint8: "unsigned char", int8: "signed char", int16: "short int", int32: "int", int64: "long int",
    uint16: "unsigned short", uint32: "unsigned int", uint64: "unsigned long", bool: "bool", float16: "c10::Half",
    bfloat16: "c10::BFloat16", float32: "float", float64: "double", complex32: "c10::complex<c10::Half>",
    complex64: "c10::complex<float>",
    complex128: "c10::complex<double>",
}  # fmt: skip


def _promote(one: dtype, other: dtype) -> dtype | None:
    if one in FLOAT8 or other in FLOAT8:
        return None
    low, high = sorted((one, other), key=lambda dtype_: dtype_.category)
    if low in LIMITED_UNSIGNED or high in LIMITED_UNSIGNED:
        return high if high.category == FLOAT else None
    if high.category == COMPLEX:
        if low.category < FLOAT:
            return high
        return _promote_complex(low, high)
    if low.category < high.category:
        return high
    if high.category == FLOAT:
        if {low, high} == {float16, bfloat16}:
            return float32
        return max(low, high, key=lambda dtype_: dtype_.itemsize)
    return _promote_integers(low, high)


def _promote_complex(low: dtype, high: dtype) -> dtype:
    if float64 in (low, high) or complex128 in (low, high):
        return complex128
    return complex32 if {low, high} <= {float16, complex32} else complex64


def _promote_integers(one: dtype, other: dtype) -> dtype | None:
    small, large = sorted((one, other), key=lambda dtype_: dtype_.itemsize)
    if uint8 in (small, large):
        return int16 if small.itemsize == large.itemsize else large
    return large


PROMOTED = {
    (one, other): promoted for one in ALL for other in ALL if one is not other and (promoted := _promote(one, other))
}


def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """Whether values of `from_` may be written to a tensor of `to`: false if `to` has a lower category.

    >>> can_cast(float64, float32), can_cast(float32, int64)
    (True, False)
    """
    try:
        if from_.category > to.category:
            return False
    except AttributeError:
        check_dtypes("can_cast", from_=from_, to=to)
        raise
    # bool is unsigned, but converts to every dtype
    return to.category != BOOL or from_.category == BOOL


@functools.cache
def _limits(dtype_: dtype) -> dict[str, builtins.int | builtins.float]:
    """Returns the values of `finfo` for a floating-point dtype."""
    info = ml_dtypes.finfo(dtype_.numpy)
    limits = {name: np.float64(getattr(info, name)).item() for name in ("max", "min", "tiny", "smallest_normal", "eps")}
    # PyTorch gives both float8 "fnuz" dtypes the eps of the finer one.
    eps = 0.125 if dtype_ is float8_e5m2fnuz else limits["eps"]
    return limits | {"bits": info.bits, "eps": eps, "resolution": 10.0 ** -math.floor(-math.log10(eps))}


Dtype = dtype  # by another name than that of an attribute


class finfo(ReadOnly):
    """Limits of a floating-point or complex dtype: bits, eps, min, max, tiny, smallest_normal, resolution."""

    __module__ = "torch"

    bits: builtins.int
    dtype: str
    eps: builtins.float
    max: builtins.float
    min: builtins.float
    resolution: builtins.float
    smallest_normal: builtins.float
    tiny: builtins.float

    def __init__(self, type: Dtype | None = None) -> None:
        dtype_ = type or DEFAULTS.floating
        check_dtypes("finfo", type=dtype_)
        if dtype_.category < FLOAT:
            raise noted(
                TypeError(
                    "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
                ),
                f"{dtype_} is not a floating-point dtype; torch.iinfo has the limits of integer dtypes.",
            )
        self._set(dtype=dtype_.to_real().name)
        vars(self).update(_limits(dtype_.to_real()))

    def __eq__(self, other):
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo(ReadOnly):
    """Limits of an integer dtype: bits, min, max."""

    __module__ = "torch"

    bits: builtins.int
    dtype: str
    max: builtins.int
    min: builtins.int

    def __init__(self, type: Dtype):
        check_dtypes("iinfo", type=type)
        if type.category != INTEGER:
            raise noted(
                TypeError(
                    f"{type} is not supported by torch.iinfo"
                    if type.category == BOOL
                    else "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
                ),
                f"{type} is not an integer dtype; torch.finfo has the limits of floating-point dtypes.",
            )
        info = np.iinfo(type.numpy)
        self._set(bits=info.bits, min=info.min, max=info.max, dtype=type.name)

    def __eq__(self, other):
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
