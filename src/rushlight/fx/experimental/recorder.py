"""Records a run of a module as calls of aten's operators.

The module runs on tensors of a recording level (`graph/recording.py`), so that nothing reads an element, while a
function mode sees the calls. Parameters and buffers are inputs, which the module may write to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from rushlight._library.calls import overload_of
from rushlight._ops import ops
from rushlight.core.errors import noted
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.core.traced import TRACED, RecordedArray
from rushlight.create.from_data import tensor
from rushlight.dispatch.torch_function import TorchFunctionMode, redispatch_function
from rushlight.graph.recording import RecordingLevel
from rushlight.graph.trace import Ref

Decompositions = dict[Any, Callable]


class Known(NamedTuple):
    """What is known of a tensor."""

    shape: tuple[int, ...]
    dtype: Any


class Entry:
    """A recorded call: `results` is a number, or a tuple of them; `metas` has what is known of each."""

    def __init__(self, target: Any, args: tuple, kwargs: dict, results: Any, metas: dict[int, Known], place: Place):
        self.target, self.args, self.kwargs, self.results = target, args, kwargs, results
        self.metas, self.place = metas, place


def is_transformed(value: Any) -> bool:
    """Whether a tensor inside a transform is among arguments."""
    if isinstance(value, Tensor):
        return type(value._array) in TRACED and type(value._array) is not RecordedArray
    values = tuple(value.values()) if isinstance(value, dict) else value
    return isinstance(values, (tuple, list)) and any(map(is_transformed, values))


def name_of(function: Any) -> str:
    return getattr(function, "__name__", "")


class ExportLevel(RecordingLevel):
    """A level that tells its recorder of writes, which operators in place make of their results."""

    recorder: Recorder | None = None

    def write(self, tensor: Any, source: Tensor, name: str) -> None:
        recorder = self.recorder
        if recorder is None or recorder.muted:
            super().write(tensor, source, name)
            return
        args = recorder.written((tensor, source))
        with recorder.quiet():
            super().write(tensor, source, name)
        recorder.entries.append(Entry(ops.aten.copy_.default, args, {}, *recorder.results(tensor), here()))


class Recorder(TorchFunctionMode):
    """Records the calls of a run."""

    def __init__(self, level: ExportLevel, decompositions: Decompositions):
        super().__init__()
        self.level, self.decompositions = level, decompositions
        level.recorder = self
        self.muted = False  # whether calls are parts of one that is recorded
        self.entries: list[Entry] = []
        self.known: set[int] = set()  # numbers of tensors that entries or inputs have made
        self.constants: dict[int, Tensor] = {}  # tensors that come from elsewhere, by number
        self.same: dict[int, int] = {}  # numbers of tensors that are others

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Runs code whose calls are not recorded."""
        before, self.muted = self.muted, True
        try:
            yield
        finally:
            self.muted = before

    @staticmethod
    def _looks_inside(op: Any) -> bool:
        return False

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if self.muted:
            return func(*args, **kwargs)
        if is_transformed((args, kwargs)):
            with self:  # the calls that the rule of a transform makes on values are recorded
                return redispatch_function(func, types, args, kwargs)
        name = name_of(func)
        if name == "copy_values":  # the write that follows is recorded
            with self.quiet():
                result = func(*args, **kwargs)
            self.same[self.level.number_of(result)] = self.number_of(args[1])
            return result
        if name in SPECIAL and (made := SPECIAL[name](self, *args, **kwargs)) is not NotImplemented:
            return made
        return self.call(func, args, kwargs)

    def call(self, func: Any, args: tuple, kwargs: dict) -> Any:
        """Computes a call and records it."""
        before = [getattr(each, "_version", 0) for each in args[:1] if isinstance(each, Tensor)]
        written_args, written_kwargs = self.written(args), self.written(kwargs)
        target, seen_args, seen_kwargs = overload_of(func, args, kwargs, False)
        decomposition = self.decompositions.get(target)
        if decomposition is not None:
            with self:
                return decomposition(*seen_args, **seen_kwargs)
        with self.quiet():
            result = self.computed(func, args, kwargs)
        in_place = bool(args) and isinstance(args[0], Tensor) and result is args[0] and args[0]._version != before[0]
        target, seen_args, seen_kwargs = overload_of(func, args, kwargs, in_place)
        if target is not func:
            written_args, written_kwargs = self.written(seen_args), self.written(seen_kwargs)
        results, metas = self.results(result)
        if metas or name_of(func).endswith("_"):  # else a query, or a check
            self.entries.append(Entry(target, written_args, written_kwargs, results, metas, here()))
        return result

    def computed(self, func: Any, args: tuple, kwargs: dict) -> Any:
        """Returns the result of a call. Raises NotImplementedError if it takes a tensor out of the level."""
        before = [each for each in args if isinstance(each, Tensor) and type(each._array) is RecordedArray]
        result = func(*args, **kwargs)
        if any([type(each._array) is not RecordedArray for each in before]):
            raise noted(
                NotImplementedError(
                    f"{name_of(func)}: a graph cannot have this call, which gives a tensor other memory"
                ),
                "Make a new tensor instead.",
            )
        return result

    def emit(self, overload: Any, *args: Any) -> Any:
        """Calls an overload and records it."""
        written_args = self.written(args)
        with self.quiet():
            result = overload(*args)
        self.entries.append(Entry(overload, written_args, {}, *self.results(result), here()))
        return result

    def results(self, result: Any) -> tuple[Any, dict[int, Known]]:
        """Returns the numbers of results, and their metas."""
        metas: dict[int, Known] = {}

        def number(value: Any) -> Any:
            if isinstance(value, Tensor):
                at = self.level.number_of(value)
                self.known.add(at)
                metas[at] = Known(tuple(value._array.shape), value.dtype)
                return at
            return tuple([number(each) for each in value]) if isinstance(value, tuple | list) else None

        return number(result), metas

    def written(self, value: Any) -> Any:
        """Returns an argument with a reference for each tensor."""
        if isinstance(value, Tensor):
            return Ref(self.number_of(value))
        if isinstance(value, tuple | list):
            kind = list if isinstance(value, list) else tuple
            return kind([self.written(each) for each in value])
        if isinstance(value, dict):
            return {name: self.written(each) for name, each in value.items()}
        if isinstance(value, slice):
            return slice(*self.written((value.start, value.stop, value.step)))
        return value

    def number_of(self, x: Tensor) -> int:
        """Returns the number of a tensor; one that comes from elsewhere is a constant."""
        number = self.level.number_of(x)
        number = self.same.get(number, number)
        array = x._array
        if number in self.known or number in self.constants:
            return number
        if type(array) is RecordedArray and number not in self.level.trace.constants:
            raise noted(
                NotImplementedError(
                    f"torch.export.export: a tensor is made in a way that is not seen, before {here()}"
                ),
                "Use a public operator there.",
            )
        self.constants[number] = self.level.trace.constants.get(number, x)
        return number


# ---- indexing, which aten has as views and copies

ALL = slice(None)


def basic(index: Any) -> list | None:
    """Returns the items of an index, None if it has other kinds than numbers, slices, None, `...` and tensors."""
    items = list(index) if isinstance(index, tuple) else [index]
    items = [tensor(item) if is_list_of_numbers(item) else item for item in items]
    kinds = (int, slice, type(None), type(...), Tensor)
    return items if all([isinstance(item, kinds) and not isinstance(item, bool) for item in items]) else None


def is_list_of_numbers(item: Any) -> bool:
    return isinstance(item, list) and bool(item) and all([type(each) is int for each in item])


def viewed(recorder: Recorder, x: Tensor, items: list) -> tuple[Tensor, list]:
    """Records the views of an index; returns the view, and the tensors that index its dimensions, None for others."""
    aten = ops.aten
    if not any([item is Ellipsis for item in items]):
        items = [*items, Ellipsis]
    dim = 0
    indices: list[Any] = []
    for number, item in enumerate(items):
        if item is Ellipsis:
            skipped = x.ndim - dim - sum([each is not None for each in items[number + 1 :]])
            dim += skipped
            indices += [None] * skipped
        elif item is None:
            x = recorder.emit(aten.unsqueeze.default, x, dim)
            dim, indices = dim + 1, [*indices, None]
        elif isinstance(item, Tensor):
            dim, indices = dim + 1, [*indices, item]
        elif isinstance(item, slice):
            if item != ALL:
                bounds = (item.start if item.start is not None else 0, item.stop if item.stop is not None else LAST)
                x = recorder.emit(aten.slice.Tensor, x, dim, *bounds, *([] if item.step is None else [item.step]))
            dim, indices = dim + 1, [*indices, None]
        else:
            x = recorder.emit(aten.select.int, x, dim, int(item))
    return x, indices


LAST = (1 << 63) - 1


def getitem(recorder: Recorder, input: Tensor, index: Any) -> Any:
    """Records `input[index]`."""
    with recorder.quiet():
        items = basic(index)
    if items is None or any([isinstance(item, Tensor) and item.dtype.category == 0 for item in items]):
        return NotImplemented
    x, indices = viewed(recorder, input, items)
    while indices and indices[-1] is None:
        indices.pop()
    if indices:
        return recorder.emit(ops.aten.index.Tensor, x, indices)
    return recorder.emit(ops.aten.alias.default, x) if x is input else x


def setitem(recorder: Recorder, input: Tensor, index: Any, value: Any) -> Any:
    """Records `input[index] = value`."""
    with recorder.quiet():
        items = basic(index)
    if items is None:
        return NotImplemented
    x, indices = viewed(recorder, input, items)
    while indices and indices[-1] is None:
        indices.pop()
    if indices:
        source = value if isinstance(value, Tensor) else recorder.emit(ops.aten.scalar_tensor.default, value)
        recorder.emit(
            ops.aten.index_put_.default, x, indices, source.to(x.dtype) if source.dtype != x.dtype else source
        )
    elif isinstance(value, Tensor):
        recorder.emit(ops.aten.copy_.default, x, value)
    else:
        recorder.emit(ops.aten.fill_.Scalar, x, value)
    return None


def iterate(recorder: Recorder, input: Tensor) -> Iterator[Tensor]:
    """Records an iteration over the first dimension."""
    return iter(recorder.emit(ops.aten.unbind.int, input, 0))


def batch_norm(
    recorder: Recorder, input: Tensor, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None,
    training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Records `torch.nn.functional.batch_norm`, whose arguments are in another order than the operator's."""
    settings = training, momentum, eps, False
    return recorder.emit(ops.aten.batch_norm.default, input, weight, bias, running_mean, running_var, *settings)


SPECIAL: dict[str, Callable] = {
    "getitem": getitem, "setitem": setitem, "iterate": iterate, "batch_norm": batch_norm,
}  # fmt: skip
