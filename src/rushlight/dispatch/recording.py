"""The node of a planned call: what `interpreter.Call` records, for one result in the CPU's memory."""

from __future__ import annotations

from functools import cache

from rushlight.core.graph import make_node
from rushlight.core.history import edge_of
from rushlight.core.source_lines import NOTING, entered, place_at
from rushlight.core.tensor import Tensor

FOLLOWED = "fcV"  # NumPy's kinds of dtypes that have gradients; bfloat16 is of kind V to it


def record(op, arguments: tuple, tensor: Tensor, computes_in) -> None:
    """Gives the result of a call with a history its node; `computes_in` is the wider dtype, if there is one."""
    kind, result = op.select_node(*arguments), tensor._array
    places, saves, parameters = positions_of(op, kind)
    sources: list = []
    for place in places:
        value = arguments[place]
        sources += value if type(value) in (list, tuple) else (value,)
    edges = tuple([edge_of(each) if isinstance(each, Tensor) else None for each in sources])
    tensor._edge = node = make_node(kind, edges)
    node.result_metas = ((result.shape, result.dtype),)
    if saves:
        save(node, tensor, arguments, saves)
    if parameters:
        node.params = tuple([look(arguments[place]) for look, place in parameters])
    node.metas = metas = tuple([meta_of(each) for each in sources])
    if computes_in is not None:
        node.computes_in, node.step = computes_in, node.formula_step
    elif result.dtype.kind == "c" or any([each is not None and each[1].kind == "c" for each in metas]):
        node.backward = kind.backward_complex


@cache
def positions_of(op, kind) -> tuple:
    """Returns the positions of differentiated arguments; of saved ones, with who needs them; and the parameters."""
    names = [each.name for each in op.arguments]
    followed = [name for name in names if name in op.derivatives]
    saves = [
        (
            None if name in op.results else names.index(name),
            [at for at, each in enumerate(followed) if name in op.asks[each]],
        )
        for name in kind.saves
    ]
    return [names.index(each) for each in followed], saves, [parameter(each, names) for each in kind.parameters]


def parameter(name: str, names: list[str]) -> tuple:
    """Returns the function that gives a derivative's parameter from an argument, and the argument's position."""
    for suffix, look in (("_shapes", shapes_of), ("_shape", shape_of), ("_dtype", dtype_of), ("_device", device_of)):
        source = name.removesuffix(suffix)
        if source != name and source in names:
            return look, names.index(source)
    return raw_of, names.index(name)


def save(node, tensor: Tensor, arguments: tuple, saves: list) -> None:
    """Saves what the needed derivatives use, with the versions of its memory."""
    saved, storages, versions = [], [], []
    for place, wanted_by in saves:
        source = tensor if place is None else arguments[place]
        storage = None
        if all([node.edges[each] is None for each in wanted_by]):
            source = None
        if isinstance(source, Tensor):
            storage = source._store or source._storage
            source = source._array
        saved.append(source)
        storages.append(storage)
        versions.append(0 if storage is None else storage.version)
    node.saved, node.storages, node.versions = tuple(saved), tuple(storages), tuple(versions)
    if NOTING:
        node.noted = entered() or place_at(4)


def meta_of(value):
    return (value._array.shape, value._array.dtype) if isinstance(value, Tensor) else None


def shape_of(value):
    return value._array.shape if isinstance(value, Tensor) else ()


def shapes_of(values):
    return tuple([each._array.shape for each in values])


def dtype_of(value):
    return value._array.dtype if isinstance(value, Tensor) else None


def device_of(value):
    return value.device if isinstance(value, Tensor) else None


def raw_of(value):
    return value._array if isinstance(value, Tensor) else value
