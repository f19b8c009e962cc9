"""Saved values, as programs meet them: hooks through which they go and come back, and their names on a node."""

from __future__ import annotations

from rushlight.core.modes import MODE, change
from rushlight.core.tensor import Tensor, alias


class Packed:
    """A saved value as the user's hook packed it."""

    __slots__ = ("edge", "is_output", "unpack", "value")

    def __init__(self, value, unpack, is_output: bool, edge):
        self.value, self.unpack, self.is_output, self.edge = value, unpack, is_output, edge


def pack(node, sources, results, hooks) -> None:
    """Replaces the saved tensors of a node by what the pack hook makes of them; plain numbers are left alone."""
    packer, unpacker = hooks
    packed: list[Packed | None] = []
    for source, array in zip(sources, node.saved, strict=True):
        if array is None or not isinstance(source, Tensor):
            packed.append(None)
            continue
        is_output = any(source is each for each in results)
        packed.append(pack_one(source, packer, unpacker, is_output=is_output))
    node.packed = tuple(packed)
    if node.step is not node.hooked_step:
        node.step = node.general_step
    node.saved = tuple(None if box is not None else array for box, array in zip(packed, node.saved, strict=True))


def pack_one(source: Tensor, packer, unpacker, *, is_output: bool) -> Packed:
    """One value through the pack hook, which must not change it in place."""
    given = source
    if is_output:
        given = alias(source)
        given._edge = source._edge
    version = source._storage.version
    token = change(grad=False)
    try:
        value = packer(given)
    finally:
        MODE.reset(token)
    if source._storage.version != version:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook can not "
            "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
            "you need to perform in-place operations on the input to a pack hook."
        )
    if value is given and is_output:
        value = alias(source)  # what leads to the node cannot lie in the node
    return Packed(value, unpacker, is_output, None if is_output else source._edge)


def unpack(packed: Packed) -> Tensor:
    """The tensor that the unpack hook gives back."""
    found = packed.unpack(packed.value)
    if not isinstance(found, Tensor):
        raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                        f"{type(found).__name__}")  # fmt: skip
    return found


def shown_names(op, saved, parameters) -> dict[str, str]:
    """PyTorch's names of what a node saved, with ours: the first argument is `self`, the result `result`."""
    first = op.arguments[0].name
    names = {}
    for name in (*saved, *parameters):
        public = {first: "self", "out": "result"}.get(name, name)
        if name == f"{first}_shape":
            public = "self_sym_sizes"
        names[public] = name
    return names
