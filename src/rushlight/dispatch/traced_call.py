"""Calls with traced tensors: the highest level among the arguments computes them; see `core/traced.py`.

Its rules call operators on the values, which the next lower level takes in turn. What the program sees, shapes, dtypes,
views and the graph inside the level, is made here as for any other call.
"""

from __future__ import annotations

from rushlight.core import traced
from rushlight.core.device import BACKENDS
from rushlight.core.history import edge_of
from rushlight.core.modes import current
from rushlight.core.storage import InferenceStorage, Storage
from rushlight.core.tables import objects
from rushlight.core.tensor import Tensor
from rushlight.dispatch.interpreter import Call


def without_ended(value):
    """Returns an argument, or a list of them, with the values of tensors whose levels have ended."""
    if isinstance(value, Tensor):
        return traced.settled(value)
    return type(value)([without_ended(each) for each in value]) if type(value) in (list, tuple) else value


def call_of(op, arguments: tuple) -> Call:
    """Returns the call of an operator, by its highest level if any argument is traced."""
    level = traced.CLASSES if current().dispatch_modes else None
    for array in traced.traced_arrays(arguments):
        if not array.level.alive:
            return call_of(op, tuple(map(without_ended, arguments)))
        if level is None or array.level.number > level.number:
            level = array.level
    return Call(op, arguments) if level is None else (level.call_type or TracedCall)(op, arguments, level)


def check_out(op, arguments: tuple, out) -> None:
    """Raises RuntimeError if a call with `out=` has a batched tensor in it."""
    if any([type(array) is traced.BatchedArray for array in traced.traced_arrays((*arguments, out))]):
        raise traced.no_batched_out(op.name)


def is_saved_below(arguments: tuple) -> bool:
    """Whether operators on the values of traced tensors may save them: a write to the first must not reach those."""
    tensors = [argument for argument in arguments if isinstance(argument, Tensor)]
    return bool(traced.traced_arrays(tensors)) and any(map(traced.has_history_below, tensors))


class TracedCall(Call):
    """A call that a level computes."""

    def __init__(self, op, arguments: tuple, level: traced.Level):
        self.level = level
        super().__init__(op, arguments)

    def _backend(self):
        return BACKENDS.by_array[self.level.array_type]

    def compute(self):
        if not self.level.refuses_below:
            self._refuse()
        result = self.level.interpret(self.op, self.values)
        return result if self.op.multi_output or len(self.op.results) > 1 else (result,)

    def _as_array(self, value):
        """Returns an argument as it is saved: tensors of lower levels are lifted, so that they keep their history."""
        if isinstance(value, Tensor):
            array = value._array
            return array if self._is_own(value) else self.level.lifted(value)
        return [self._as_array(each) for each in value] if type(value) is list else value

    def _is_own(self, tensor: Tensor) -> bool:
        return type(tensor._array) in traced.TRACED and tensor._array.level is self.level

    def _wrapped(self, array, modes):
        tensor = objects.tensor(None)
        tensor._array = array
        tensor._meta_key = tensor._base = tensor._edge = tensor._generation = tensor._store = None
        if self.op.view and self._is_own(self.tensors[0]):
            self._mark_view(tensor, modes)
        else:
            tensor._storage = InferenceStorage() if modes.inference else Storage()
        return tensor

    def record(self, tensors, modes) -> None:
        if any([tensor._edge is not None or tensor._base is not None for tensor in self.tensors]):
            super().record(tensors, modes)

    def _fill(self, node, tensors, modes) -> None:
        self.work, self.rounded = self._working_dtypes()
        self.arrays = {name: self._as_array(value) for name, value in self.values.items()}
        super()._fill(node, tensors, modes)

    def _edges(self) -> tuple:
        """The edges inside this level; those of tensors of lower levels are followed by the operators on values."""
        edges, any_level = [], self.level.shares_history
        for argument in self.op.arguments:
            if argument.name in self.op.derivatives:
                value = self.values[argument.name]
                for operand in value if isinstance(value, list) else (value,):
                    own = isinstance(operand, Tensor) and (any_level or self._is_own(operand))
                    edges.append(edge_of(operand) if own else None)
        return tuple(edges)
