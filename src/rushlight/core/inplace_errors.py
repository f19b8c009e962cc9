"""How a view was made, where that limits what may be written in place, and what PyTorch says about it."""

from __future__ import annotations

import numpy as np

from rushlight.core.graph import Leaf, Output, short_name
from rushlight.core.lazy_conj_neg import beneath

WRITTEN = "is being modified inplace"
OVERTAKEN = "its base or another view of its base has been modified inplace"

AMBIGUOUS = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {block} block (if you don't want the inplace to be tracked) or "
    "both outside (if you want the inplace to be tracked)."
)
SEVERAL = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
CUSTOM = (
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)
REASONS = {"no_grad": AMBIGUOUS, "inference": AMBIGUOUS, "many": SEVERAL, "function": CUSTOM}
MADE_IN = {"inference": "created in inference mode and {what} in normal mode"}
NOT_RECORDED = "created in no_grad mode and {what} with grad mode enabled"
REPAIRS = {
    "no_grad": "Make the view again outside the block, or write to it inside.",
    "inference": "Make the view again outside the block, or write to it inside.",
    "many": "Write to the whole tensor by index, whole[i] = ..., or work on part.clone().",
    "function": "Return a clone() from forward, or write out of place.",
}


def refusal(tensor, what: str) -> RuntimeError:
    """The error for a view that was made in a way that leaves no history to rewrite."""
    edge = tensor._edge
    node, number = (edge.node, edge.number) if type(edge) is Output else (edge, 0)
    creation = tensor._creation
    made = MADE_IN.get(creation, NOT_RECORDED)
    if node is None or isinstance(node, Leaf):
        begin = f"A view was {made}"
    elif REASONS[creation] is AMBIGUOUS:
        begin = f"Output {number} of {short_name(node)} is a view of a view which was {made}"
    else:
        begin = f"Output {number} of {short_name(node)} is a view and {{what}}"
    block = "no_grad" if creation == "no_grad" else "inference_mode"
    error = RuntimeError(f"{begin}. {REASONS[creation]}".format(what=what, block=block))
    error.add_note(REPAIRS[creation])
    return error


def written_outside() -> RuntimeError:
    """The error for a write to an inference tensor outside inference mode."""
    error = RuntimeError(
        "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
        "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
    )
    error.add_note("Write to it inside `with torch.inference_mode():`, or to its clone().")
    return error


def is_expanded(tensor) -> bool:
    """Whether more than one element lies in one place."""
    array = tensor._array
    if 0 in array.strides and array.size and isinstance(beneath(array), np.ndarray):
        return any(step == 0 and length > 1 for length, step in zip(array.shape, array.strides, strict=True))
    return False


def refuse_expanded(tensor) -> None:
    """More than one element in one place cannot be written element by element."""
    if is_expanded(tensor):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )
