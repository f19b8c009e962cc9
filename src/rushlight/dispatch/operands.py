"""The operands of a call: what is accepted as a tensor, the dtype to compute in, the raw arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.arrays.elementwise import check_size
from rushlight.core import dtype as dtypes
from rushlight.core.device import BACKENDS, CAPTURING
from rushlight.core.history import edge_of
from rushlight.core.lazy_conj_neg import Unresolved
from rushlight.core.numbers import python_number
from rushlight.core.storage import Storage
from rushlight.core.tables import objects, xp
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import CONSTANT, DIFFERENTIABLE, OPTIONAL_CONSTANT, TENSORS
from rushlight.declarations.promote import computed_in, floating, number_dtype, result_type
from rushlight.dispatch import message

NUMBERS = (bool, int, float, complex, np.number, np.bool_, *{dtype.type for dtype in dtypes.REDUCED_NUMPY})
# Operators whose kernels take a number next to half precision as it is, in float32.
WIDE_FACTORS = frozenset(("mul", "true_divide", "rounded_divide", "floor_divide"))
FACTORS = ("beta", "alpha", "value")  # in the order that former PyTorch signatures took them in, between the operands


class Operands:
    """The arguments of one call of an operator, checked and converted."""

    converts = True  # whether arrays are cast to the dtype to compute in before computing
    work: Any  # the dtype to compute in, None where arrays are taken as they are
    rounded: Any  # the dtype that results are rounded to
    resolved: dict[int, Any] | None = None  # materialized operands that were lazily conjugated or negated, by tensor id

    def __init__(self, op, arguments: tuple):
        self.op = op
        self.arguments = arguments
        self.values: dict[str, Any] = {}  # tensors, numbers, lists of them, or parameters
        for position, (argument, value) in enumerate(zip(op.arguments, arguments, strict=True), 1 - op.bound):
            self.values[argument.name] = self._accept(argument, value, position)
        self.tensors = [operand for operand in self._flat() if isinstance(operand, Tensor)]
        if op.all_scalars and not self.tensors:
            self._make_tensor(op.arguments[0].name)
        self.backend = self._backend()
        self.arrays: dict[str, Any] = {}

    def _make_tensor(self, name: str) -> None:
        """Makes a 0-d tensor of the first of several numbers, where there is no tensor among the operands."""
        number = self.values[name]
        if type(number) is int:
            check_size(number)
        self.values[name] = adopted(np.asarray(number, number_dtype(number).numpy))
        self.tensors.append(self.values[name])

    # ---- arguments

    def _accept(self, argument, value, position: int):
        role = argument.role
        if role in DIFFERENTIABLE or role in (CONSTANT, OPTIONAL_CONSTANT):
            if role == TENSORS:
                return self._accept_sequence(argument, value, position)
            if isinstance(value, Tensor) or (value is None and role.endswith("None")):
                return value
            if position and isinstance(value, NUMBERS) and self.op.takes_number(argument.name):
                if type(value) is int:
                    check_size(value)
                return python_number(value)
            raise message.not_a_tensor(self.op, argument, position, value)
        return self._accept_number(argument, value, position) if is_number(argument) else value

    def _accept_number(self, argument, value, position: int):
        """Returns a number; a tensor without dimensions and history counts as one."""
        if isinstance(value, Tensor) and not value._array.ndim and edge_of(value) is None:
            return value.item()
        if type(value) is int:
            check_size(value)
        if argument.name in FACTORS and not isinstance(value, NUMBERS):
            raise message.not_a_number(self.op, argument, position, value)
        return python_number(value)

    def _accept_sequence(self, argument, value, position: int):
        if isinstance(value, Tensor) or not isinstance(value, (tuple, list)):
            raise TypeError(
                f"{self.op.called}(): argument '{argument.name}' (position {position}) must be tuple of Tensors, not "
                f"{message.type_name(value)}"
            )
        for index, item in enumerate(value):
            if not isinstance(item, Tensor):
                raise TypeError(
                    f"expected Tensor as element {index} in argument {position - 1}, but got {message.type_name(item)}"
                )
        return list(value)

    def _flat(self):
        for argument in self.op.operands():
            value = self.values[argument.name]
            if isinstance(value, list):
                yield from value
            elif value is not None:
                yield value

    def _named_operands(self):
        """Yields the operands that are tensors with their names, those in lists with their positions."""
        for name in (argument.name for argument in self.op.operands()):
            value = self.values[name]
            if isinstance(value, Tensor):
                yield name, value
            elif isinstance(value, list):
                yield from ((f"{name}[{position}]", tensor) for position, tensor in enumerate(value))

    def named_tensors(self) -> dict:
        """Returns the operands that are tensors, by name."""
        return {name: value for name, value in self.values.items() if isinstance(value, Tensor)}

    def _backend(self):
        first = self.tensors[0]._array if self.tensors else None
        if first is None:
            raise message.not_a_tensor(self.op, self.op.arguments[0], 1, self.arguments[0])
        kinds = {type(tensor._array) for tensor in self.tensors}
        if len(kinds) == 1 and type(first) is not Unresolved:
            return BACKENDS.of(first)
        return self._common_backend()

    def _common_backend(self):
        """Returns the backend; 0-d operands may stay on the CPU next to operands on another device, as in PyTorch."""
        placed = [tensor for tensor in self.tensors if tensor._array.ndim or not tensor.is_cpu]
        devices = list(dict.fromkeys(tensor.device for tensor in placed or self.tensors[:1]))
        if len(devices) > 1:
            raise message.different_devices(devices, list(self._named_operands()))
        return BACKENDS.on(devices[0])

    # ---- dtypes

    def _common_dtype(self, names: tuple | None = None):
        """Returns the promoted dtype of the differentiable operands, or of those named."""
        pairs: list[tuple[dtypes.dtype, int | None]] = []
        for argument in self.op.operands():
            if argument.role not in DIFFERENTIABLE or (names is not None and argument.name not in names):
                continue
            value = self.values[argument.name]
            for operand in value if isinstance(value, list) else (value,):
                if isinstance(operand, Tensor):
                    pairs.append((operand.dtype, operand._array.ndim))
                elif operand is not None:
                    pairs.append((number_dtype(operand), None))
        return result_type(pairs)

    def _working_dtypes(self):
        """Returns (dtype to compute in, dtype to round results to); None where arrays are taken as they are."""
        op = self.op
        if op.dtype == "keep" or (op.exact and op.dtype != "common"):
            return self._kept_dtypes()
        common = self._common_dtype()
        if op.dtype == "common":
            return common, common
        if op.dtype == "float":
            common = floating(common)
        return computed_in(common), common

    def _kept_dtypes(self):
        if self.op.exact:
            return None, None
        requested = self.values.get("dtype")
        if requested in dtypes.REDUCED:
            return dtypes.float32, requested
        kinds = {tensor.dtype for tensor in self.tensors if tensor.dtype in dtypes.REDUCED}
        if len(kinds) != 1 or (self.op.no_promotion and self._is_mixed()):
            return None, None
        return dtypes.float32, requested or kinds.pop()

    def _is_mixed(self) -> bool:
        """Whether the differentiable operands are of several dtypes."""
        values = [self.values[argument.name] for argument in self.op.arguments if argument.role in DIFFERENTIABLE]
        return len({value.dtype for value in values if isinstance(value, Tensor)}) > 1

    # ---- raw arrays

    def unconverted(self) -> dict[str, Any]:
        """Returns the raw arguments, arrays in their own dtypes."""
        self.converts = False
        arrays = {argument.name: self._raw(argument) for argument in self.op.arguments}
        self.converts = True
        return arrays

    def _raw(self, argument):
        value = self.values[argument.name]
        differentiable = argument.role in DIFFERENTIABLE
        if argument.role == TENSORS:
            return [self._raw_tensor(tensor, differentiable) for tensor in value]
        if isinstance(value, Tensor) and (differentiable or argument.role in (CONSTANT, OPTIONAL_CONSTANT)):
            return self._raw_tensor(value, differentiable)
        if differentiable and value is not None:
            return self._raw_number(value)
        return self._fitted(value) if argument.name in self.op.casts_scalar and type(value) is float else value

    def _fitted(self, number: float) -> float:
        """Rounds a number that has to fit an element of half precision; returns it unchanged for other dtypes."""
        kind = self.rounded or self.tensors[0].dtype
        return float(xp.cast(np.asarray(number, np.float32), kind.numpy)) if kind in dtypes.REDUCED else number

    def _raw_tensor(self, tensor, differentiable: bool):
        array = tensor._array
        if type(array) is not self.backend.array_type:
            array = self._fetched(tensor)
        if differentiable and self.work is not None:
            if self._is_converted(array) and (self.converts or not array.ndim):
                array = self.backend.adopt(self.backend.language.astype(array, self.work.numpy))
            if not array.ndim and tensor.dtype is not self.rounded:
                array = self._as_number(array)
        return array

    def _as_number(self, array):
        """Rounds a number next to half precision to its dtype, except in multiplication and division, as in PyTorch."""
        if self.rounded not in dtypes.REDUCED or array.dtype != dtypes.float32.numpy or self.op.name in WIDE_FACTORS:
            return array
        return xp.cast(xp.cast(array, self.rounded.numpy), array.dtype) if type(array) is np.ndarray else array

    def _fetched(self, tensor):
        """Returns the array of an operand that is lazily conjugated or negated, or on another device."""
        array = tensor._array
        if type(array) is Unresolved:
            array = array.array if self.op.view and tensor is self.tensors[0] else self._numbers(tensor)
        backend = self.backend
        return array if type(array) is backend.array_type else backend.from_cpu(array, backend.place)

    def _numbers(self, tensor):
        """Returns the materialized array of a lazily conjugated or negated operand, computed once."""
        if self.resolved is None:
            self.resolved = {}
        if id(tensor) not in self.resolved:
            self.resolved[id(tensor)] = array = tensor._array.resolved()
            if CAPTURING:
                CAPTURING[-1].computed(array, tensor._array.resolved)
        return self.resolved[id(tensor)]

    def _is_converted(self, array) -> bool:
        if self.op.dtype == "keep":
            return array.dtype in dtypes.REDUCED_NUMPY
        return array.dtype != self.work.numpy

    def _raw_number(self, number):
        kind = self.work or number_dtype(number)
        array = np.asarray(number)
        array = self._as_number(array.astype(kind.numpy) if array.dtype != kind.numpy else array)
        return array if self.backend.kind == "cpu" else self.backend.adopt(array)


def has_history(tensor: Tensor) -> bool:
    """Whether a tensor requires a gradient."""
    return tensor._edge is not None or (tensor._base is not None and edge_of(tensor) is not None)


def is_number(argument) -> bool:
    """Whether a plain parameter is a number."""
    return argument.name in FACTORS or type(argument.default) in (int, float)


def as_operand(value):
    """Returns a NumPy array as a tensor on the same memory; anything else unchanged."""
    return adopted(value) if isinstance(value, np.ndarray) else value


def adopted(array: np.ndarray) -> Tensor:
    dtypes.from_numpy_dtype(array.dtype)
    if type(array) is not np.ndarray or not array.dtype.isnative:
        array = np.asarray(array, array.dtype.newbyteorder("="))
    tensor = objects.tensor(None)
    tensor._array, tensor._store = array, Storage()
    tensor._meta_key = tensor._base = tensor._edge = tensor._generation = None
    return tensor
