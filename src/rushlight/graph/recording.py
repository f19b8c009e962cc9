"""Records what a function does with tensors: its operators as a `Trace`.

The function runs on tensors of a level of its own (`core/traced.py`), with a `RecordedArray` as their array. The level
computes each call on the values, by the ordinary operators, and notes it. Nothing can read an element of such a tensor,
or its memory, without the level: a function whose steps depend on elements raises `Untraceable`. So what the trace does
not have cannot depend on the inputs, and a tensor that is met without the level is a constant. For the same reason the
elements of products, which may take as long as the function itself, need not be computed: `recorded`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.device import CPU, device
from rushlight.core.dtype import dtype
from rushlight.core.formats import memory_format
from rushlight.core.generator import default_generator
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.modes import MODE, current
from rushlight.core.size import Size
from rushlight.core.storage import owner
from rushlight.core.tables import xp
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import STACK, Level, RecordedArray, Untraceable, traced_arrays
from rushlight.declarations.declare import OPS
from rushlight.declarations.normalize import Statistics
from rushlight.dispatch.override import constructors_observed
from rushlight.dispatch.planned import called
from rushlight.graph.trace import DRAWS, Array, Left, Ref, Step, Trace
from rushlight.transforms.levels import entered

DATA_DEPENDENT = frozenset(
    (
        "nonzero_rows", "masked_select", "unique_elements", "unique_with_places", "unique_runs", "counts",
        "weighted_counts", "repeated_positions",
    )
)  # fmt: skip
PRODUCTS = frozenset(("mm", "bmm", "affine"))  # the results are contiguous
FLOATS = frozenset((np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)))
LEAVES_ARRAYS = (Statistics,)  # objects in which an operator leaves arrays for other operators
FIXED = frozenset(
    (
        type(None), bool, int, float, complex, str, slice, type(...), FunctionType, Size, dtype, device, memory_format,
    )
)  # fmt: skip


class RecordingLevel(Level):
    """The level in which calls are noted."""

    array_type = RecordedArray
    randomness = "error"
    records = True

    def __init__(self, number: int, products: bool = True):
        super().__init__(number)
        self.products = products  # whether they are computed, and elements matter
        self.trace = Trace()
        self.random_state: Tensor | None = None  # before the first draw
        self.state_after = np.empty(0, np.uint8)  # after the last draw
        self.known: dict[int, int] = {}  # id of a constant -> its number
        self.raw: dict[int, tuple[int, Any]] = {}  # id of an array that may be an argument -> its number, the array

    def interpret(self, op, values: dict) -> Any:
        """Computes a call on the values of its arguments, and notes it."""
        op = OPS[op.name]  # the function of a method or an operator has fewer arguments
        if op.name == "random_directions":
            raise Untraceable(f"{op.called} draws random numbers")
        if op.name in DRAWS:
            self.check_state()
        if op.name in DATA_DEPENDENT:
            raise Untraceable(f"the shape of the result of {op.called} depends on elements")
        noted = {name: self.noted(value) for name, value in values.items()}
        step = Step(op, noted, ())
        if not self.trace.constants.keys().isdisjoint(step.written()):
            raise Untraceable("a tensor is written to that the function has not made")
        result = self.computed(op, [self.value_of(value) for value in values.values()])
        if op.name in DRAWS:
            self.state_after = default_generator.state_bytes()
        single = isinstance(result, Tensor)
        arrays = [self.result(each) for each in ([result] if single else result)]
        numbers = [array.number for array in arrays]
        for name, value in values.items():
            if type(value) in LEAVES_ARRAYS:
                noted[name] = left = self.left(value)
                numbers += [number for _, number in left.arrays]
        step.results = tuple(numbers)
        self.trace.steps.append(step)
        if op.view:
            source = next(value for value in noted.values() if type(value) is Ref)
            self.trace.views.update({array.number: source.number for array in arrays})
        else:
            self.note_shared(values.values(), arrays)
        return arrays[0] if single else arrays

    def computed(self, op, arguments: list) -> Any:
        """Returns the result of a call; in place of a product, zeros: their pages cost nothing until they are read."""
        if self.products or op.name not in PRODUCTS or not all([is_of_floats(each) for each in arguments]):
            return called(op, arguments)
        array = called(op, [without_elements(each) for each in arguments])._array
        return wrap(np.zeros(array.shape, array.dtype.type))

    def check_state(self) -> None:
        """Raises Untraceable if the generator was set after a draw, as a checkpoint does: a program does not."""
        if self.random_state is None:
            self.random_state = default_generator.get_state()
        elif not np.array_equal(default_generator.state_bytes(), self.state_after):
            raise Untraceable("the state of the generator is set between draws")

    def note_shared(self, values: Iterable, results: list[RecordedArray]) -> None:
        """Enters results as views that share the memory of an operand because there was nothing to compute."""
        operands = [array for array in traced_arrays(values) if array.level is self]
        owners = {id(owner(beneath(array.value._array))): array.number for array in operands}
        for result in results:
            if (number := owners.get(id(owner(beneath(result.value._array))))) is not None and number != result.number:
                self.trace.views[result.number] = number

    def left(self, value) -> Left:
        """Returns what an operator has left in an object."""
        return Left(type(value), tuple([(name, self.kept(array)) for name, array in vars(value).items()]))

    def result(self, value: Any) -> RecordedArray:
        """Returns the array of a result. Raises Untraceable if it is not in the CPU's memory."""
        check_device(value)
        array = value._array
        return RecordedArray(self, value, self.kept(array) if array.dtype.kind in "iu" else self.trace.add(array))

    def kept(self, array) -> int:
        """Returns a number for an array that may become an argument itself; it is known by its identity."""
        number = self.trace.add(array)
        self.raw[id(array)] = number, array
        return number

    def noted(self, value) -> Any:
        """Returns an argument as a step holds it. Raises Untraceable for one that may hold elements."""
        if isinstance(value, Tensor):
            return Ref(self.number_of(value))
        if type(value) in (tuple, list):
            return type(value)([self.noted(each) for each in value])
        if id(value) in self.raw:
            return Array(self.raw[id(value)][0])
        if type(value) in FIXED or isinstance(value, np.dtype) or type(value) in LEAVES_ARRAYS:
            return value
        raise Untraceable(f"an argument is a {type(value).__name__}, which may hold elements")

    def number_of(self, tensor: Any) -> int:
        """Returns the number of a tensor, which is entered as a constant if it is not of this level."""
        array = tensor._array
        if type(array) is RecordedArray and array.level is self:
            return array.number
        if id(array) in self.raw:
            return self.raw[id(array)][0]
        if (number := self.known.get(id(tensor))) is None:
            number = self.known[id(tensor)] = self.kept(array)
            self.trace.constants[number] = tensor
        return number

    def value_of(self, value) -> Any:
        """Returns an argument without the level."""
        if isinstance(value, Tensor):
            array = value._array
            return array.value if type(array) is RecordedArray and array.level is self else value
        if type(value) in (tuple, list):
            return type(value)([self.value_of(each) for each in value])
        return value

    def lifted(self, tensor: Tensor) -> RecordedArray:
        return RecordedArray(self, tensor, self.number_of(tensor))

    def constant(self, tensor: Any) -> Any:
        """Returns a tensor of this level that may be written to; the constant itself keeps its elements."""
        if not isinstance(tensor, Tensor) or type(tensor._array) is RecordedArray:
            return tensor
        check_device(tensor)
        copy, number = xp.in_same_order(tensor._array), self.number_of(tensor)
        self.raw[id(copy)] = number, copy
        made = wrap(RecordedArray(self, wrap(copy), number))
        return made.requires_grad_() if tensor.requires_grad else made

    def check_step(self, optimizer, *, hooked: bool) -> None:
        """Raises Untraceable: a step changes more than tensors. `hooked`: all optimizers have hooks."""
        raise Untraceable("an optimizer makes a step")

    def write(self, tensor: Any, source: Tensor, name: str) -> None:
        """Copies elements, and notes it."""
        array = tensor._array
        if type(array) is not RecordedArray or array.level is not self:
            raise Untraceable("a tensor is written to that the function has not made")
        values = {"target": Ref(array.number), "source": self.noted(source)}
        array.value.copy_(self.value_of(source))
        self.trace.steps.append(Step(None, values, (), name))


def is_of_floats(argument: Any) -> bool:
    """Whether an argument of a product is a tensor of some floating-point numbers in the CPU's memory, or no tensor."""
    if not isinstance(argument, Tensor):
        return True
    array = argument._array
    return type(array) is np.ndarray and array.dtype in FLOATS and array.size > 0


def without_elements(argument: Any) -> Any:
    """Returns a tensor on the device `meta` with the layout of another; an argument that is no tensor as it is."""
    if not isinstance(argument, Tensor):
        return argument
    array: Any = argument._array
    return wrap(MetaArray(array.shape, array.dtype, array.strides))


def check_device(tensor: Tensor) -> None:
    """Raises Untraceable for a tensor that is not in the CPU's memory, where programs compute."""
    if tensor.device is not CPU:
        raise Untraceable(f"a tensor is on the device {tensor.device}")


def input_of(level: RecordingLevel, tensor: Any) -> Tensor:
    """Returns an input of the recorded function on the elements of a tensor, without its history."""
    array = tensor._array
    level.trace.inputs.append(number := level.kept(array))
    return wrap(RecordedArray(level, tensor, number))


def number_in(level: RecordingLevel, result: Any) -> int | None:
    """Returns the number of a result; that of a constant if it does not depend on the inputs."""
    return None if result is None else level.number_of(result)


def level_of_recording() -> RecordingLevel:
    """Returns the innermost level that records."""
    return next(level for level in reversed(STACK.get()) if isinstance(level, RecordingLevel))


def with_constants(level: RecordingLevel, results: Iterable) -> list:
    """Returns results of a recorded function; one that does not depend on the inputs is a constant of the trace."""
    results = list(results)
    constants = {id(each): level.constant(each) for each in results if is_constant(each)}
    return [constants.get(id(each), each) for each in results]


def is_constant(result: Any) -> bool:
    """Whether a result is an array that was not recorded, and whose copies have its layout."""
    if type(result) is not Tensor or result.requires_grad or type(array := result._array) is not np.ndarray:
        return False
    return xp.in_same_order(array).strides == array.strides


@contextmanager
def recording_level(kind: type[RecordingLevel] = RecordingLevel, *arguments):
    """Enters a level that records, outside of any other. What it draws is drawn again afterwards."""
    token = STACK.set(())
    try:
        with constructors_observed("record"), entered(kind, *arguments) as level:
            try:
                yield level
            finally:
                if level.random_state is not None:
                    default_generator.set_state(level.random_state)
    finally:
        STACK.reset(token)


@contextmanager
def made_like(tensor: Tensor):
    """Makes tensors in the block that are none of inference mode if a tensor is none, whatever the mode."""
    if not current().inference or tensor.is_inference():
        yield
        return
    token = MODE.set(True)
    try:
        yield
    finally:
        MODE.reset(token)


Result = TypeVar("Result")


def recorded(recording: Callable[[bool], Result]) -> Result:
    """Returns what a recording returns, which computes products if it is passed True.

    First it does not. It does if an operator then raises an error, as a division of integers by zero does.
    """
    try:
        return recording(False)
    except (Untraceable, MemoryError):
        raise
    except Exception:  # noqa: BLE001  an error that is no fault of the zeros is raised again
        return recording(True)


def record(function: Callable[..., Sequence[Tensor | None]], inputs: Sequence[Tensor]) -> Trace:
    """Returns the trace of a function from tensors to a sequence of tensors, which is called at most twice.

    The function gets tensors like `inputs`, with their elements but for those of products, which it may write to; those
    that require a gradient do. Raises `Untraceable` where a step depends on elements.
    """
    return recorded(lambda products: _record(function, inputs, products))


def _record(function: Callable[..., Sequence[Tensor | None]], inputs: Sequence[Tensor], products: bool) -> Trace:
    """Records once."""
    with recording_level(RecordingLevel, products) as level:
        arguments = []
        for tensor in inputs:
            with made_like(tensor):
                argument = input_of(level, tensor)
                if tensor.requires_grad:
                    argument.requires_grad_()
            arguments.append(argument)
        results = function(*arguments)
        level.trace.outputs = [number_in(level, result) for result in results]
        return level.trace
