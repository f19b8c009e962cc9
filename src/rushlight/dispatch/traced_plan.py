"""The short path of calls inside a transform: plain tensors, numbers and shapes, one result.

It leaves out what the operator checks again when the level calls it on the values. A call that fails here, or that is
of another kind, takes the general path, which raises its error.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rushlight.core.graph import make_node
from rushlight.core.history import edge_of
from rushlight.core.modes import current
from rushlight.core.size import Size
from rushlight.core.tables import objects
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.core.traced import TRACED, Level
from rushlight.declarations.declare import OPERANDS, OPS, TENSORS
from rushlight.dispatch.interpreter import mark_view
from rushlight.dispatch.numpy_errors import FAILURES
from rushlight.dispatch.recording import FOLLOWED, meta_of, positions_of, save

SETTINGS = frozenset((int, float, bool, complex, type(None), str, Size))


class Form:
    """What the short path needs to know of an operator; `positions` are the positions of its operands."""

    def __init__(self, op):
        self.op = OPS[op.name]  # the function of a method or an operator has fewer arguments
        self.names = [argument.name for argument in op.arguments]
        self.positions = frozenset([i for i, argument in enumerate(op.arguments) if argument.role in OPERANDS])
        self.taken = not any([argument.role == TENSORS for argument in op.arguments])
        self.single = not op.multi_output and len(op.results) == 1


FORMS: dict[Any, Form] = {}


def run(op, arguments: tuple, mode) -> Any:
    """Returns the result of a call with traced tensors, or None if it has none or takes the general path."""
    if (form := FORMS.get(op)) is None:
        form = FORMS[op] = Form(op)
    if not form.taken:
        return None
    level, own, positions = None, False, form.positions
    for i, value in enumerate(arguments):
        if (kind := type(value)) in PLAIN_TYPES:
            if i not in positions:
                return None
            if type(array := value._array) in TRACED:
                if not array.level.alive:
                    return None
                if level is None or array.level.number > level.number:
                    level = array.level
                if value._edge is not None or value._base is not None:
                    own = True
        elif kind in (tuple, list):
            if i in positions or not all([type(each) is int for each in value]):
                return None
        elif kind not in SETTINGS:
            return None
    if level is None or level.shares_history or (not form.single and own):
        return None
    try:
        results = level.interpret(form.op, dict(zip(form.names, arguments, strict=True)))
    except FAILURES:
        return None
    if form.single:
        tensor = wrapped(form, level, results, arguments)
        if own and mode and op.derivatives:
            record(form.op, arguments, tensor, level)
        return tensor
    tensors = [wrapped(form, level, array, arguments) for array in results]
    return op.named_tuple(*tensors) if op.named_tuple else tuple(tensors)


def wrapped(form: Form, level: Level, array, arguments: tuple) -> Tensor:
    """Returns the tensor on a traced array; a view of an operand of the level belongs to it."""
    tensor = objects.tensor(None)
    tensor._array = array
    tensor._meta_key = tensor._base = tensor._edge = tensor._generation = tensor._store = None
    source = arguments[0]
    if form.op.view and is_of(level, source):
        tensor._store = source._store or source._storage
        mark_view(tensor, source, (form.op.function, arguments[1:]), current())
        if form.op.multi_output and tensor._creation is None:
            tensor._creation = "many"
    return tensor


def is_of(level: Level, value) -> bool:
    """Whether a value is a tensor of a level."""
    return isinstance(value, Tensor) and type(value._array) in TRACED and value._array.level is level


def array_at(level: Level, tensor: Tensor) -> Any:
    """Returns the array of a tensor at a level; one of a lower level is lifted, so that it keeps its history."""
    return tensor._array if is_of(level, tensor) else level.lifted(tensor)


def record(op, arguments: tuple, tensor: Tensor, level: Level) -> None:
    """Gives the result of a call its node in the graph of the level, if an operand of the level has an edge."""
    kind, result = op.select_node(*arguments), tensor._array
    positions, saves, parameters = positions_of(op, kind)
    sources = [arguments[place] for place in positions]
    edges = tuple([edge_of(source) if is_of(level, source) else None for source in sources])
    if not any(edges) or result.dtype.kind not in FOLLOWED:
        return
    tensor._edge = node = make_node(kind, edges)
    node.off_cpu, node.step = True, node.general_step  # gradients travel as Tensors
    node.result_metas = ((result.shape, result.dtype),)
    if saves:
        save(node, tensor, arguments, saves, partial(array_at, level))
    if parameters:
        node.params = tuple([look(arguments[place]) for look, place in parameters])
    node.metas = metas = tuple([meta_of(source) for source in sources])
    if result.dtype.kind == "c" or any([meta is not None and meta[1].kind == "c" for meta in metas]):
        node.backward = kind.backward_complex
