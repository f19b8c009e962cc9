"""The short path of calls inside a transform: plain tensors, numbers and shapes, one result.

It leaves out what the operator checks again when the level calls it on the values. A call that fails here, or that is
of another kind, takes the general path, which raises its error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.dtype import dtype
from rushlight.core.fast_new import maker_of
from rushlight.core.formats import memory_format
from rushlight.core.history import edge_of
from rushlight.core.modes import MODE, current
from rushlight.core.size import Size
from rushlight.core.source_lines import NOTING, entered, place_at
from rushlight.core.tables import objects
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.core.traced import TRACED, Level
from rushlight.declarations.declare import OPERANDS, OPS, TENSORS
from rushlight.dispatch.interpreter import mark_view
from rushlight.dispatch.numpy_errors import FAILURES
from rushlight.dispatch.planned import called, defaults_after
from rushlight.dispatch.recording import meta_of, positions_of

FOLLOWED = "fcVW"  # NumPy's kinds of dtypes that have gradients; half precision is of kind V or W to it
PARTS = frozenset((int, slice, type(None), type(...)))
SETTINGS = frozenset((int, float, bool, complex, type(None), str, Size, dtype, memory_format))


class Form:
    """What calls inside transforms need to know of an operator, found out once.

    - `defaults`: of the arguments that must be named.
    - `kind`: the class of its nodes, None if the arguments say which.
    - `operands`, `settings`: the positions of the arguments that are tensors, and of the others.
    - `recipes`: node class -> what makes its nodes, and what `positions_of` says of it.
    - `rest`: the defaults of the arguments after the two operands of an operator.
    - `rules`: the kind of a level -> its rule for the operator.
    """

    __slots__ = (
        "defaults", "elementwise", "function", "kind", "named", "names", "op", "operands", "recipes", "rest", "rules",
        "settings", "single", "taken", "view",
    )  # fmt: skip

    def __init__(self, op):
        self.op = op
        self.function = op.function
        self.kind = op.nodes[0] if len(op.nodes) == 1 else None
        self.names = [argument.name for argument in op.arguments]
        self.operands = [i for i, argument in enumerate(op.arguments) if argument.role in OPERANDS]
        self.settings = [i for i, argument in enumerate(op.arguments) if argument.role not in OPERANDS]
        self.named = sum([argument.keyword_only for argument in op.arguments])
        self.defaults = [argument.default for argument in op.arguments if argument.keyword_only]
        self.taken = not any([argument.role == TENSORS for argument in op.arguments])
        self.single = not op.multi_output and len(op.results) == 1
        self.elementwise, self.view = op.kind == "elementwise", op.view
        self.rest = defaults_after(op)
        self.recipes: dict = {}
        self.rules: dict = {}

    def call(self, arguments: list) -> Any:
        """Calls the operator with all its arguments in order."""
        if not (named := self.named):
            return self.function(*arguments)
        for value, default in zip(arguments[-named:], self.defaults, strict=True):
            if value is not default:
                return called(self.op, arguments)
        return self.function(*arguments[:-named])


FORMS: dict[Any, Form] = {}


def form_of(op) -> Form:
    """Returns the form of an operator, which that of a method or a sign shares with the function."""
    form = FORMS[op] = FORMS.get(OPS[op.name]) or Form(OPS[op.name])
    FORMS[form.op] = form
    return form


def run_operator(op, input, other) -> Any:
    """The same as `run` for an operator, which leaves the arguments after its operands at their defaults."""
    if type(input) not in PLAIN_TYPES or op.composite:
        return None
    rest = (FORMS.get(op) or form_of(op)).rest
    return run(op, (input, other, *rest) if rest else (input, other))


def run_tangent(op, arguments: Sequence) -> Any:
    """Returns the result of a call of which some operand is most likely traced."""
    result = run(op, tuple(arguments))
    return called(op, arguments) if result is None else result


def run(op, arguments: tuple) -> Any:
    """Returns the result of a call with traced tensors, or None if it has none or takes the general path."""
    form = FORMS.get(op) or form_of(op)
    mode = MODE.get()
    if not form.taken or not (mode is True or mode is False):
        return None
    level, own = None, False
    for i in form.operands:
        value = arguments[i]
        if type(value) in PLAIN_TYPES:
            if type(array := value._array) in TRACED:
                if (found := array.level) is not level:
                    if not found.alive:
                        return None
                    if level is None or found.number > level.number:
                        level = found
                if value._edge is not None or value._base is not None:
                    own = True
        elif type(value) not in SETTINGS:
            return None
    if level is None or level.shares_history or not (form.single or not own):
        return None
    for i in form.settings:
        if (kind := type(value := arguments[i])) not in SETTINGS and not is_setting(kind, value):
            return None
    try:
        results = level.compute(form, arguments)
    except FAILURES:
        return None
    if form.view:
        return viewed(form, level, results, arguments)
    if form.single:
        tensor = objects.tensor(None)
        tensor._array = results
        tensor._meta_key = tensor._base = tensor._edge = tensor._generation = tensor._store = None
        if own and mode and form.op.derivatives:
            record(form, arguments, tensor, level)
        return tensor
    tensors = []
    for array in results:
        tensor = objects.tensor(None)
        tensor._array = array
        tensor._meta_key = tensor._base = tensor._edge = tensor._generation = tensor._store = None
        tensors.append(tensor)
    return op.named_tuple(*tensors) if op.named_tuple else tuple(tensors)


def is_setting(kind: type, value) -> bool:
    """Whether a value is a list of whole numbers, a basic index or a NumPy dtype."""
    return PARTS.issuperset(map(type, value)) if kind is tuple or kind is list else isinstance(value, np.dtype)


def viewed(form: Form, level: Level, results, arguments: tuple) -> Any:
    """Returns the tensors on the arrays of views; views of an operand of the level belong to it."""
    source = arguments[0]
    own = type(source._array) in TRACED and source._array.level is level
    tensors = []
    for array in (results,) if form.single else results:
        tensor = objects.tensor(None)
        tensor._array = array
        tensor._meta_key = tensor._base = tensor._edge = tensor._generation = tensor._store = None
        if own:
            tensor._store = source._store or source._storage
            mark_view(tensor, source, (form.function, arguments[1:]), modes := current())
            if form.op.multi_output and tensor._creation is None:
                tensor._creation = "many"
            if form.single and modes.grad and form.op.derivatives and edge_of(source) is not None:
                record(form, arguments, tensor, level)
        tensors.append(tensor)
    return tensors[0] if form.single else tuple(tensors)


def record(form: Form, arguments: tuple, tensor: Tensor, level: Level) -> None:
    """Gives the result of a call its node in the graph of the level, if an operand of the level has an edge."""
    op, result = form.op, tensor._array
    kind = form.kind or op.select_node(*arguments)
    if (recipe := form.recipes.get(kind)) is None:
        recipe = form.recipes[kind] = (maker_of(kind), *positions_of(op, kind))
    make, places, saves, parameters = recipe
    dtype = result.dtype
    if (letter := dtype.kind) not in FOLLOWED:
        return
    # As in generated functions: only the gradients of elementwise operators may have to be summed
    shape = result.shape if form.elementwise and len(form.operands) > 1 else None
    edges: list = []
    fits, followed, is_complex = True, False, letter in "cW"
    for place in places:
        edge = None
        if isinstance(source := arguments[place], Tensor):
            array = source._array
            if type(array) in TRACED and array.level is level:
                edge = source._edge if source._base is None else edge_of(source)
                if edge is not None:
                    followed = True
            if (kept := array.dtype) is not dtype:
                fits = fits and kept == dtype
                is_complex = is_complex or kept.kind in "cW"
            if shape is not None and array.shape != shape:
                fits = False
        edges.append(edge)
    if not followed:
        return
    tensor._edge = node = make(None)
    node.created, node.edges = objects.tick(None), tuple(edges)
    node.off_cpu, node.step = True, kind.traced_step  # gradients travel as Tensors
    if saves:
        save(node, tensor, arguments, saves, level)
    else:
        node.saved = ()
    node.params = tuple([look(arguments[place]) for look, place in parameters]) if parameters else ()
    node.metas = None if fits else tuple([meta_of(arguments[place]) for place in places])
    if is_complex:
        node.backward = kind.backward_complex


def save(node, tensor: Tensor, arguments: tuple, saves: list, level: Level) -> None:
    """Saves what the needed derivatives use; a tensor of a lower level is lifted, so that it keeps its history."""
    saved, storages, versions, edges = [], [], [], node.edges
    for place, wanted_by in saves:
        source = tensor if place is None else arguments[place]
        storage, version = None, 0
        if all([edges[each] is None for each in wanted_by]):
            source = None
        elif isinstance(source, Tensor):
            storage = source._store or source._storage
            version, array = storage.version, source._array
            source = array if type(array) in TRACED and array.level is level else level.lifted(source)
        saved.append(source)
        storages.append(storage)
        versions.append(version)
    node.saved, node.storages, node.versions = tuple(saved), tuple(storages), tuple(versions)
    if NOTING:
        node.noted = entered() or place_at(4)
