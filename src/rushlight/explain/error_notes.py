"""Notes of errors where lines are known: the program's own lines and names, and the repaired line.

Each kind of failure has one function, which gets the objects involved. An empty result keeps the default note.
"""

from __future__ import annotations

import ast
import re
from collections import deque

from rushlight.core.errors import About
from rushlight.core.graph import Leaf, Node
from rushlight.core.history import edge_of
from rushlight.core.modes import recording
from rushlight.core.origin import Made, Place, here
from rushlight.core.tensor import Tensor
from rushlight.core.tracebacks import is_library
from rushlight.explain.graph import nearest_cut
from rushlight.explain.manual_updates import overwritten_in
from rushlight.explain.numbers import numpy_of
from rushlight.explain.old_graphs import changed_by_step, second_backward
from rushlight.explain.records import made_of, record_of, writes_to
from rushlight.explain.source_history import cut_in_text, origin_in_text, program_frame
from rushlight.explain.source_rewriting import (
    as_float,
    assigned,
    at,
    attached,
    in_brackets,
    named,
    out_of_place,
    spoken,
    tracked,
    with_cast_target,
)
from rushlight.explain.source_text import detached_call, loops_around, statement_at, statements_in
from rushlight.explain.transform_notes import NOTES_OF_TRANSFORMS


def tell(about: About) -> str:
    """Returns the note for a failure; empty to keep the default note."""
    teller = TELLERS.get(about.kind)
    return "\n".join(teller(**about.facts)) if teller is not None and about.facts else ""


# ---- a saved value that was overwritten


def modified_in_place(node: Node, position: int, starts: tuple = ()) -> list[str]:
    name = type(node).saves[position]
    saved = "its result" if name in type(node).op.results else f"its operand `{name}`"
    by = next((op for version, _, op in writes_to(node.storages[position]) if version > node.versions[position]), "")
    if by == "step" and (lines := changed_by_step(node, position, starts)):
        return lines
    return overwritten(made_of(node), saved, node.storages[position], node.versions[position])


def kept_modified(node: Node, kept) -> list[str]:
    """Returns the note for a tensor that a custom Function gave to `save_for_backward`."""
    saved = "an operand" if kept.number is None else "its result"
    return overwritten(made_of(node) if node is not None else None, saved, kept.tensor._storage, kept.version)


def overwritten(made: Made | None, saved: str, storage, version: int) -> list[str]:
    """Returns the note about the first write after a version of a storage was saved."""
    write = next((write for write in writes_to(storage) if write[0] > version), None)
    if write is None or made is None or made.place is None:
        return []
    _, place, op = write
    if op == "step":
        return [
            f"{at(made)} saved {saved} for backward, and the optimizer's step() at {place} changed it.",
            "Cure: call backward() before the optimizer's step(), or compute the loss again after it.",
        ]
    cure = out_of_place(place) or "write to a clone() of the tensor, or compute a new tensor."
    return [f"{at(made)} saved {saved} for backward, and {place} changed it in place.", f"Cure: {cure}"]


# ---- nothing to differentiate


def no_grad_fn(tensor) -> list[str]:
    if not isinstance(tensor, Tensor):
        return []
    update = overwritten_in(program_frame())
    if update is not None:
        return _made_anew(*update)
    made = record_of(tensor)
    if not recording() and (switched := switched_off(here())):
        return switched
    if made.place is None:
        return _by_the_text(tensor)
    what = named(made, "This tensor")
    computed = f"{what} was computed at {made.place}"
    cut = nearest_cut(made)
    if cut is not None and cut.cut is not None:
        return [f"{computed}.", f"{cut_off(cut)}.", cure_of(cut.cut, cut.place)]
    origins = [origin for origin in origins_of(made) if origin.place is not None and origin is not made][:3]
    sentences = [f"{computed} from tensors of which none requires grad."]
    sentences += [f"{named(origin, 'One operand')} comes from {at(origin)}." for origin in origins]
    lines = [line for origin in origins if (line := tracked(origin.place)) is not None]
    if len(lines) == 1:
        return [*sentences, f"Cure: {lines[0]}"]
    return [*sentences, "Cure: set requires_grad=True on the tensor that you want the gradient of, where it is made."]


def switched_off(place: Place) -> list[str]:
    """Returns the note for a `set_grad_enabled(False)` in the function; empty if there is none."""
    switches = [statement.lineno for statement in statements_in(place.code) if SWITCH.fullmatch(ast.unparse(statement))]
    if not switches:
        return []
    loops = loops_around(place)
    where = f"above the loop at line {loops[0].lineno}" if loops else "above the line that computes the loss"
    return [
        f"Line {switches[-1]} switches gradients off for all that follows, so the loss has no graph.",
        f"Cure: torch.set_grad_enabled(True)   (a new line {where})",
    ]


SWITCH = re.compile(r"[\w.]*set_grad_enabled\(False\)")


def _made_anew(line: int, name: str, in_place: str) -> list[str]:
    """Returns the note for a parameter that an update replaced by a new tensor without requires_grad."""
    return [
        f"Line {line} makes a new tensor under no_grad and calls it `{name}`. It does not require grad, and what "
        "is computed from it has no graph.",
        f"Cure: {in_place}   (in place of line {line}: the parameter itself is changed, and stays a leaf)",
    ]


def _by_the_text(tensor: Tensor) -> list[str]:
    """Returns the note from the program's source, where nothing was recorded."""
    cut = cut_in_text(tensor)
    if cut is None:
        return []
    (name, place), *rest = ((name if name == "It" else f"`{name}`", place) for name, place in cut.steps)
    steps = "".join(f", from {name} at {place}" for name, place in rest)
    sentence = (
        f"{name} is computed at {place}{steps}. There {LOST[cut.kind].format(cut.by)}, according to the source text."
    )
    return [sentence, cure_of(cut.kind, cut.steps[-1][1])]


LOST = {
    "decorated": "{} switches gradients off",
    "detach": "{} returns the values without the graph",
    "no_grad": "{} is on, and autograd records nothing",
    "not differentiable": "{} returns integers or booleans, which have no gradients",
}


def cut_off(made: Made) -> str:
    """Returns where and why a gradient was lost, as a sentence without its full stop."""
    if made.cut == "detach":
        return f"{at(made)} returns the values without the graph"
    if made.cut == "no_grad":
        return f"{at(made)} ran under no_grad, where autograd records nothing"
    if made.op == "converted":
        return f"{at(made)} casts to an integer dtype: integers and booleans have no gradients"
    return f"{at(made)} returns {made.dtype}: integers and booleans have no gradients"


def cure_of(cut: str, place: Place | None) -> str:
    """Returns what to write where a line cut the graph."""
    if cut == "detach" and place is not None and ".numpy()" in place.text:
        return f"Cure: write line {place.line} with functions of torch on tensors: arrays of NumPy have no gradients."
    if cut == "detach" and (line := attached(place)) is not None:
        return f"Cure: {line}"
    return CURES[cut]


CURES = {
    "decorated": "Cure: leave out that decorator where the result is trained on.",
    "detach": "Cure: remove the detach() or .data there, or call backward() on a loss that was computed before it.",
    "no_grad": "Cure: compute the loss outside `with torch.no_grad():`, or inside `with torch.enable_grad():`.",
    "not differentiable": "Cure: compute the loss from the values before that operation: scores, not their argmax.",
}


def origins_of(made: Made) -> list[Made]:
    """Returns the records without operands behind a record, nearest first."""
    waiting, seen, origins = deque([made]), {id(made)}, []
    while waiting:
        record = waiting.popleft()
        if not record.sources:
            origins.append(record)
        for _, source, _ in record.sources:
            if id(source) not in seen:
                seen.add(id(source))
                waiting.append(source)
    return origins


# ---- tensors that an operation refuses


def not_scalar(tensor) -> list[str]:
    made = record_of(tensor)
    if made.place is None:
        return []
    name = assigned(made.place) or "y"
    return [
        f"{named(made, 'The tensor')}, made at {made.place}, has shape {tuple(tensor.shape)}, and backward() needs a "
        "tensor with one element.",
        f"Cure: {name}.mean().backward() or {name}.sum().backward(), or {name}.backward(gradient) with a tensor of "
        "that shape that says what each element weighs.",
    ]


def numpy_of_tracked(tensor) -> list[str]:
    made, place = record_of(tensor), here()
    line = detached_call(place, "numpy") if numpy_of(tensor) == "numpy()" else None
    if line is None and (collected := with_numbers()) is not None:
        return ["NumPy arrays have no gradients: take the numbers of the tensors in the list.", f"Cure: {collected}"]
    if made.place is None:
        return [] if line is None else ["NumPy arrays have no gradients.", f"Cure: {line}   (it shares the memory)"]
    is_leaf = isinstance(edge_of(tensor), Leaf)
    why = "it is a leaf with requires_grad=True" if is_leaf else f"{at(made)} computed it from one that does"
    name = assigned(made.place) or in_brackets(made.place.expression) or "tensor"
    sentence = f"{named(made, 'The tensor')} requires grad, because {why}. NumPy arrays have no gradients."
    if line is not None:
        return [sentence, f"Cure: {line}   (it shares the memory; add .copy() for a copy)"]
    return [
        sentence,
        f"Cure: {name}.detach().numpy()   (it shares the memory; add .copy() for a copy)"
        if numpy_of(tensor) == "numpy()"
        else f"Cure: {name}.numpy(force=True)   (a copy, with the conjugation resolved)",
    ]


def with_numbers() -> str | None:
    """Returns the current statement with the values of the tensors in its list."""
    frame = program_frame()
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    statement = None if frame is None else statement_at(frame.f_code, frame.f_lineno)
    if frame is None or statement is None:
        return None
    for name in {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}:
        value = frame.f_locals.get(name)
        if isinstance(value, list) and value and all(isinstance(x, Tensor) for x in value):
            method = "detach().numpy()" if any(x.ndim for x in value) else "item()"
            return re.sub(rf"\b{name}\b", f"[each.{method} for each in {name}]", ast.unparse(statement))
    return None


def leaf_in_place(tensor) -> list[str]:
    made, place = record_of(tensor), here()
    if not place.text:
        return []
    origin = f", made at {made.place}" if made.place is not None else ""
    return [
        f"{place} changes a leaf that requires grad in place{origin}. Autograd cannot record that.",
        "Cure: with torch.no_grad():",
        f"          {place.text}",
    ]


# ---- operands that do not fit


def operands(op, tensors: dict) -> list[str]:
    """Returns a sentence for each operand: its shape, dtype and origin."""
    lines = []
    for name, tensor in tensors.items():
        made = record_of(tensor)
        if made.place is not None:
            what = f"`{name}` has shape {tuple(tensor.shape)} and dtype {kind_of(tensor)}"
            lines.append(f"{what}; it comes from {spoken(made.op)} at {made.place}.")
    return lines or [line for tensor in tensors.values() for line in _origin_by_the_text(tensor)]


def _origin_by_the_text(tensor: Tensor) -> list[str]:
    """Returns the origin of a tensor from the program's source; parameters have no line of their own."""
    steps = [] if tensor.requires_grad else origin_in_text(tensor)
    if not steps:
        return []
    cure = as_float([x for x in steps if x.is_tensor][-1].place) if kind_of(tensor) == "float64" else None
    return [_origin_sentence(tensor, steps), *([f"Cure: {cure}"] if cure else [])]


def _origin_sentence(tensor: Tensor, steps: list) -> str:
    """Returns a sentence: where a tensor was made, and from which variables."""
    back = "".join(f", from `{x.name}` at {x.place}" for x in steps[1:])
    return f"`{steps[0].name}` is {kind_of(tensor)}, made at {steps[0].place}{back}, according to the source text."


def target_dtype(cast: str) -> list[str]:
    """Returns the note for a target's dtype: the line of the loss with its target cast."""
    line = with_cast_target(here(), cast)
    why = (
        "Class indices are integers. Probabilities of classes have the shape of the input."
        if cast == "long"
        else "The targets are probabilities, so they must be floating point."
    )
    if line is None:
        return []
    frame, name = program_frame(), re.search(rf"(\w+)\.{cast}\(\)", line)
    target = frame.f_locals.get(name[1]) if frame is not None and name else None
    lines = [why, f"Cure: {line}"]
    if isinstance(target, Tensor) and (steps := origin_in_text(target)):
        lines.insert(0, _origin_sentence(target, steps))
    return lines


def kind_of(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


TELLERS = {
    x.__name__: x
    for x in (
        second_backward, modified_in_place, kept_modified, no_grad_fn, not_scalar, numpy_of_tracked, leaf_in_place,
        operands, target_dtype, *NOTES_OF_TRANSFORMS,
    )
}  # fmt: skip
