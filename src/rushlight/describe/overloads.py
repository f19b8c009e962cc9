"""What neither declarations nor samples say of a type: several forms of one call, and a few methods of Tensor."""

from __future__ import annotations

VALUES = "dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None"
WHOLE = "*, out: Tensor | None = None"
OTHER = f"other: Tensor, {WHOLE}"

# After the first parameter, each form with its result.
OVERLOADS = {
    "max": [(WHOLE, "Tensor"), (VALUES, "_results.max"), (OTHER, "Tensor")],
    "min": [(WHOLE, "Tensor"), (VALUES, "_results.min"), (OTHER, "Tensor")],
    "median": [("", "Tensor"), (VALUES, "_results.median")],
    "nanmedian": [("", "Tensor"), (VALUES, "_results.nanmedian")],
    "size": [("", "_Size"), ("dim: _int", "_int")],
    "stride": [("", "tuple[_int, ...]"), ("dim: _int", "_int")],
}
PROPERTIES = {
    **dict.fromkeys(("T", "mT", "H", "mH", "real", "imag", "data"), "Tensor"),
    "grad": "Tensor | None",
    "_base": "Tensor | None",
    "layout": "_layout",
    "names": "tuple[None, ...]",
    "retains_grad": "_bool",
    "device": "_device",
    "dtype": "_dtype",
    "shape": "_Size",
}
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
    **dict.fromkeys(("new_empty", "new_empty_strided", "new_full", "new_ones", "new_zeros"), "Tensor"),
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
    "item": "_int | _float",
    "result_type": "_dtype",
}
# Parameters after `self` of methods whose arguments are more than one would guess.
PARAMETERS = {
    **dict.fromkeys(("__eq__", "__ne__"), ["other: Any"]),
    **dict.fromkeys(("__rdiv__", "__rfloordiv__", "__rlshift__", "__rmatmul__"), ["other: Tensor | _Number"]),
    **dict.fromkeys(("__rmod__", "__rpow__", "__rrshift__", "__rtruediv__"), ["other: Tensor | _Number"]),
    "__setitem__": ["index: Any", "value: Any"],
}
