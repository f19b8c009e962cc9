"""Types that neither declarations nor samples give: overloads, and some methods of Tensor."""

from __future__ import annotations

VALUES = "dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None"
AXIS = "*, axis: _int, keepdim: _bool = False, keepdims: _bool = False, out: Sequence[Tensor] | None = None"
WHOLE = "*, out: Tensor | None = None"
OTHER = f"other: Tensor, {WHOLE}"

MOVED = "non_blocking: _bool = False, copy: _bool = False, *, memory_format: _memory_format | None = None"
PLACED = "dtype: _Dtype | None = None, device: _Device | None = None, requires_grad: _bool = False"
MADE = f"*, {PLACED}, layout: _layout = ..., pin_memory: _bool = False"

# After the first parameter: each overload with its result.
OVERLOADS = {
    "to": [
        (f"device: _Device | None = None, dtype: _Dtype | None = None, {MOVED}", "Tensor"),
        (f"dtype: _Dtype, {MOVED}", "Tensor"),
        (f"other: Tensor, {MOVED}", "Tensor"),
    ],
    **dict.fromkeys(
        ("new_empty", "new_ones", "new_zeros"),
        [(f"size: Sequence[_Int], {MADE}", "Tensor"), (f"*size: _Int, {MADE[3:]}", "Tensor")],
    ),
    "nonzero": [
        ("*, as_tuple: Literal[False] = False", "Tensor"),
        ("*, as_tuple: Literal[True]", "tuple[Tensor, ...]"),
    ],
    "max": [(WHOLE, "Tensor"), (VALUES, "_results.max"), (AXIS, "_results.max"), (OTHER, "Tensor")],
    "min": [(WHOLE, "Tensor"), (VALUES, "_results.min"), (AXIS, "_results.min"), (OTHER, "Tensor")],
    "median": [("", "Tensor"), (VALUES, "_results.median"), (AXIS, "_results.median")],
    "nanmedian": [("", "Tensor"), (VALUES, "_results.nanmedian"), (AXIS, "_results.nanmedian")],
    "size": [("", "_Size"), ("dim: _int", "_int")],
    "stride": [("", "tuple[_int, ...]"), ("dim: _int", "_int")],
}
PROPERTIES = {
    **dict.fromkeys(("T", "mT", "H", "mH", "real", "imag", "data"), "Tensor"),
    "grad": "Tensor | Any",  # None before the first backward; `Any` so that programs need no check
    "_grad": "Tensor | Any",
    "_base": "Tensor | None",
    "layout": "_layout",
    "names": "tuple[None, ...]",
    "retains_grad": "_bool",
    "device": "_device",
    "dtype": "_dtype",
    "shape": "_Size",
}
SETTERS = {"grad": "Tensor | None", "_grad": "Tensor | None"}
RETURNS = {
    **dict.fromkeys(("__len__", "__int__", "__index__", "__hash__", "get_device"), "_int"),
    **dict.fromkeys(("__bool__", "__contains__"), "_bool"),
    **dict.fromkeys(("__repr__", "__format__"), "str"),
    **dict.fromkeys(("__setitem__", "__delitem__"), "None"),
    **dict.fromkeys(("numpy", "__array__"), "numpy.ndarray[Any, Any]"),
    **dict.fromkeys(("__dlpack_device__",), "tuple[_int, _int]"),
    **dict.fromkeys(("detach", "detach_", "requires_grad_", "rand_like", "randn_like", "__reversed__"), "Tensor"),
    **dict.fromkeys(("is_conj", "is_neg", "is_inference", "is_signed"), "_bool"),
    **dict.fromkeys(("bool", "byte", "char", "short", "int", "long", "half", "bfloat16", "float", "double"), "Tensor"),
    **dict.fromkeys(("chalf", "cfloat", "cdouble", "to", "cpu", "cuda", "contiguous", "type_as", "copy_"), "Tensor"),
    **dict.fromkeys(("new_empty_strided", "new_full"), "Tensor"),
    **dict.fromkeys(("resize_", "resize_as_", "set_", "share_memory_", "pin_memory"), "Tensor"),
    **dict.fromkeys(("__rdiv__", "__rfloordiv__", "__rlshift__", "__rmatmul__", "__rmod__"), "Tensor"),
    **dict.fromkeys(("__rpow__", "__rrshift__", "__rtruediv__"), "Tensor"),
    **dict.fromkeys(("ctc_loss", "detach_copy", "max_unpool1d", "max_unpool2d", "max_unpool3d"), "Tensor"),
    "broadcast_shapes": "_Size",
    "__complex__": "_complex",
    "__float__": "_float",
    "__init__": "None",
    "__iter__": "Iterator[Tensor]",
    "backward": "None",
    "item": "_int | Any",  # a Python number of the dtype, which may be an index or a float
    "result_type": "_dtype",
}
# Parameters after `self` of methods with special arguments.
PARAMETERS = {
    **dict.fromkeys(("__eq__", "__ne__"), ["other: Any"]),
    **dict.fromkeys(("__rdiv__", "__rfloordiv__", "__rlshift__", "__rmatmul__"), ["other: _Operand"]),
    **dict.fromkeys(("__rmod__", "__rpow__", "__rrshift__", "__rtruediv__"), ["other: _Operand"]),
    "__contains__": ["element: Any"],
    "__setitem__": ["index: Any", "value: Any"],
}
# Members of Tensor that are not its functions.
SPELLED_OUT = {
    "__new__": "def __new__(cls, *arguments: Any, **keywords: Any) -> Self: ...",
    "__torch_function__": """@classmethod
def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any: ...""",
    "_backward_hooks": "_backward_hooks: Any",
    "_make_subclass": """@staticmethod
def _make_subclass(cls: Any, data: Tensor, require_grad: _bool = False) -> Any: ...""",
}
