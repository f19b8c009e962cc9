"""Saved tensors: pack and unpack hooks, and PyTorch's names of what a node saves."""

from __future__ import annotations

from rushlight.core.modes import MODE, change
from rushlight.core.tensor import Tensor, alias


class Packed:
    """A saved value, packed by the user's hook."""

    __slots__ = ("edge", "is_output", "unpack", "value")

    def __init__(self, value, unpack, is_output: bool, edge):
        self.value, self.unpack, self.is_output, self.edge = value, unpack, is_output, edge


def pack(node, sources, results, hooks) -> None:
    """Replaces the saved tensors of a node by the results of the pack hook; numbers stay."""
    packer, unpacker = hooks
    packed: list[Packed | None] = []
    for source, array in zip(sources, node.saved, strict=True):
        if array is None or not isinstance(source, Tensor):
            packed.append(None)
            continue
        is_output = any(source is result for result in results)
        packed.append(pack_one(source, packer, unpacker, is_output=is_output))
    node.packed = tuple(packed)
    if node.step is not node.hooked_step:
        node.step = node.general_step
    node.saved = tuple(None if box is not None else array for box, array in zip(packed, node.saved, strict=True))


def pack_one(source: Tensor, packer, unpacker, *, is_output: bool) -> Packed:
    """Packs one value. Raises RuntimeError if the hook changes it in place."""
    tensor = source
    if is_output:
        tensor = alias(source)
        tensor._edge = source._edge
    version = source._storage.version
    token = change(grad=False)
    try:
        value = packer(tensor)
    finally:
        MODE.reset(token)
    if source._storage.version != version:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
            "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
            "you need to perform in-place operations on the input to a pack hook."
        )
    if value is tensor and is_output:
        value = alias(source)  # without an edge: the node must not refer to itself
    return Packed(value, unpacker, is_output, None if is_output else source._edge)


def unpack(packed: Packed) -> Tensor:
    """Returns the result of the unpack hook. Raises TypeError if it is no tensor."""
    tensor = packed.unpack(packed.value)
    if not isinstance(tensor, Tensor):
        raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                        f"{type(tensor).__name__}")  # fmt: skip
    return tensor


def shown_names(op, saved, parameters) -> dict[str, str]:
    """Returns our names of saved values by PyTorch's: the first argument is `self`, the result `result`."""
    first = op.arguments[0].name
    names = {}
    for name in (*saved, *parameters):
        public = {first: "self", "out": "result"}.get(name, name)
        if name == f"{first}_shape":
            public = "self_sym_sizes"
        names[public] = name
    return names
