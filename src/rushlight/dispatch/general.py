"""The general path of an operator: Python numbers, promotion, devices, subclasses and modes, then recording.

The generated functions come here with whatever they do not handle themselves. Nothing here is about one operator: all
is read from the declaration.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np

from rushlight.arrays.meta import MetaArray, NoRule, zeros
from rushlight.core import dtype as dtypes
from rushlight.core.creation import written_outside
from rushlight.core.device import BACKENDS
from rushlight.core.errors import TELLER, about, is_about, noted
from rushlight.core.graph import Node, Output, make_node
from rushlight.core.large import LARGE
from rushlight.core.modes import INFERENCE, MODE, current
from rushlight.core.noting import ENTRY, NOTING, enter, entered, note_write, place_at
from rushlight.core.origin import call_site
from rushlight.core.storage import InferenceStorage, Storage
from rushlight.core.tensor import PLAIN_TYPES, Tensor, edge_of, new, viewed
from rushlight.core.unresolved import Unresolved, beneath, plain, showing, unresolved
from rushlight.dispatch import message
from rushlight.dispatch.autocast import autocasted, cast_arguments, uncast
from rushlight.dispatch.errors_of_numpy import IGNORED, cast, out_of_memory, reset_errors, set_errors
from rushlight.dispatch.overlap import check_out
from rushlight.dispatch.override import ABSENT, overridden
from rushlight.dispatch.saved import pack
from rushlight.ops.declare import CONSTANT, DIFFERENTIABLE, OPTIONAL_CONSTANT, TENSORS
from rushlight.ops.promote import computed_in, floating, number_dtype, result_type

NUMBERS = (bool, int, float, complex, np.generic)
# The operators whose kernels take a number beside small floats as it is, in float32.
WIDE_FACTORS = frozenset(("mul", "true_divide", "rounded_divide", "floor_divide"))
FACTORS = ("beta", "alpha", "value")  # in the order in which they once stood between the operands


def general(op, arguments: tuple, out=None):
    """Runs an operator on any arguments that it can take."""
    computing = None
    try:
        if out is None and op.kind == "elementwise" and (result := with_floats(op, arguments)) is not None:
            return result
        if out is not None:
            return into(out, op.called, uncast(general, op, arguments), op, arguments)
        modes = current()
        taken = overridden(op, arguments, modes)
        if taken is not ABSENT:
            return taken
        if modes.autocast is not None:
            arguments = cast_arguments(op, arguments, modes)
        call = computing = Call(op, arguments)
        results = call.compute()
        computing = None
        tensors = call.wrap(results, modes)
        if modes.grad and op.derivatives and not modes.inference:
            call.record(tensors, modes)
        if len(op.results) > 1:
            return op.returned(*tensors) if op.returned else tuple(tensors)
        return tensors[0] if not op.many else tuple(tensors)
    except Exception as error:
        explain_arguments(op, arguments)
        if computing is not None and (TELLER.operands or (TELLER.tell and is_about(error, "dtypes"))):
            about(error, "operands", op=op, tensors=computing.named_tensors())
        if isinstance(error, MemoryError):
            raise out_of_memory(error) from None
        raise


def with_floats(op, arguments: tuple):
    """The result where whole numbers or masks, small, have only to be made floats; None where more is to be done."""
    mode = MODE.get()
    if op.refuses is not None or op.dtype == "keep" or not (mode is True or mode is False or mode is INFERENCE):
        return None
    floats, whole = None, []
    for place, each in enumerate(arguments):
        if type(each) in PLAIN_TYPES:
            array = each._array
            if type(array) is not np.ndarray or not array.ndim:
                return None
            kind = array.dtype
            if kind.kind in WHOLE and array.size < LARGE:
                whole.append(place)
            elif kind.char in "fd" and (floats is None or floats is kind):
                floats = kind
            else:
                return None
        elif type(each) is not int and type(each) is not float:
            return None
    if floats is None and op.dtype == "float" and dtypes.DEFAULTS.floating.numpy.char in "fd":
        floats = dtypes.DEFAULTS.floating.numpy
    return _called_with(op, arguments, whole, floats) if whole and floats is not None else None


def _called_with(op, arguments: tuple, places: list[int], kind):
    """A call with the tensors in some places brought to a dtype. What is saved of them goes stale as they do."""
    given = list(arguments)
    for place in places:
        given[place] = brought = new(Tensor)
        brought._array, brought._storage = arguments[place]._array.astype(kind), arguments[place]._storage
    if not op.arguments[-1].keyword_only:
        return op.function(*given)
    last = sum([not each.keyword_only for each in op.arguments])
    named = {each.name: value for each, value in zip(op.arguments[last:], given[last:], strict=True)}
    return op.function(*given[:last], **named)


WHOLE = "biu"


def explain_arguments(op, arguments: tuple) -> None:
    """Raises TypeError if a call has failed for the kinds of its arguments, whatever it ran into."""
    import_module("rushlight.dispatch.misuse").check_arguments(op, arguments)


class Call:
    """One call of an operator on its way from arguments to results."""

    converts = True  # whether arrays are brought to the dtype that is computed in before anything is computed
    resolved: dict[int, Any] | None = None  # what was unresolved of the operands, by the id of the tensor

    def __init__(self, op, arguments: tuple):
        self.op = op
        self.arguments = arguments
        self.values: dict[str, Any] = {}  # tensors, numbers, lists of them, or parameters
        for position, (argument, value) in enumerate(zip(op.arguments, arguments, strict=True), 1 - op.bound):
            self.values[argument.name] = self._accept(argument, value, position)
        self.tensors = [each for each in self._flat() if isinstance(each, Tensor)]
        self.backend = self._backend()
        self.arrays: dict[str, Any] = {}

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
                return value.item() if isinstance(value, np.generic) else value
            raise message.not_a_tensor(self.op, argument, position, value)
        return self._accept_number(argument, value, position) if is_number(argument) else value

    def _accept_number(self, argument, value, position: int):
        """Where a number is wanted, a tensor without dimensions and history counts as one."""
        if isinstance(value, Tensor) and not value._array.ndim and edge_of(value) is None:
            return value.item()
        if type(value) is int:
            check_size(value)
        if argument.name in FACTORS and not isinstance(value, NUMBERS):
            raise message.not_a_number(self.op, argument, position, value)
        return value

    def _accept_sequence(self, argument, value, position: int):
        if isinstance(value, Tensor) or not isinstance(value, (tuple, list)):
            raise TypeError(
                f"{self.op.called}(): argument '{argument.name}' (position {position}) must be tuple of Tensors, not "
                f"{message.type_name(value)}"
            )
        for index, each in enumerate(value):
            if not isinstance(each, Tensor):
                raise TypeError(
                    f"expected Tensor as element {index} in argument {position - 1}, but got {message.type_name(each)}"
                )
        return list(value)

    def _flat(self):
        for argument in self.op.operands():
            value = self.values[argument.name]
            if isinstance(value, list):
                yield from value
            elif value is not None:
                yield value

    def named_tensors(self) -> dict:
        """The operands that are tensors, by name."""
        return {name: value for name, value in self.values.items() if isinstance(value, Tensor)}

    def _backend(self):
        first = self.tensors[0]._array if self.tensors else None
        if first is None:
            raise message.not_a_tensor(self.op, self.op.arguments[0], 1, self.arguments[0])
        kinds = {type(each._array) for each in self.tensors}
        if len(kinds) == 1 and type(first) is not Unresolved:
            return BACKENDS.of(first)
        return self._common_backend()

    def _common_backend(self):
        """Operands without dimensions may stay on the CPU beside operands elsewhere, as in PyTorch."""
        placed = [each for each in self.tensors if each._array.ndim or not each.is_cpu]
        places = list(dict.fromkeys(each.device for each in placed or self.tensors[:1]))
        if len(places) > 1:
            raise message.different_devices(places)
        return BACKENDS.on(places[0])

    # ---- dtypes

    def _common_dtype(self):
        """The promoted dtype of the differentiable operands."""
        pairs = []
        for argument in self.op.operands():
            if argument.role not in DIFFERENTIABLE:
                continue
            value = self.values[argument.name]
            for each in value if isinstance(value, list) else (value,):
                if isinstance(each, Tensor):
                    pairs.append((each.dtype, each._array.ndim))
                elif each is not None:
                    pairs.append((number_dtype(each), None))
        return result_type(pairs)

    def _working_dtypes(self):
        """(dtype to compute in, dtype to round results to); None where arrays are taken as they are."""
        op = self.op
        if op.exact or op.dtype == "keep":
            return self._kept_dtypes()
        common = self._common_dtype()
        if op.dtype == "float":
            common = floating(common)
        return computed_in(common), common

    def _kept_dtypes(self):
        if self.op.exact:
            return None, None
        asked = self.values.get("dtype")
        if asked in dtypes.REDUCED:
            return dtypes.float32, asked
        kinds = {each.dtype for each in self.tensors if each.dtype in dtypes.REDUCED}
        if len(kinds) != 1:
            return None, None
        return dtypes.float32, asked or kinds.pop()

    # ---- refusing

    def _refuse(self) -> None:
        """Raises what the declaration refuses, by the dtype, by its category or by a function of the operands."""
        refuses = self.op.refuses
        if refuses is None:
            return
        if callable(refuses):
            error = refuses(*(self.values[each.name] for each in self.op.operands()))
        else:
            kept = self.op.exact or self.op.dtype == "keep"
            kind = self.tensors[0].dtype if kept else self._common_dtype()
            refusal = refuses.get(kind) or refuses.get(kind.category)
            error = refusal(kind) if refusal else None
        if error is not None:
            try:
                raise error
            finally:
                del error

    # ---- computing

    def compute(self) -> tuple:
        """The raw results."""
        self._refuse()
        self.work, self.rounded = self._working_dtypes()
        token = set_errors(IGNORED)
        try:
            found = self._forward_converting()
            if found is None:
                self.arrays = {each.name: self._raw(each) for each in self.op.arguments}
                positional = [self.arrays[each.name] for each in self.op.arguments if not each.keyword_only]
                named = {each.name: self.arrays[each.name] for each in self.op.arguments if each.keyword_only}
                found = self._forward(positional, named)
        except Exception as error:
            translated = message.explained(self.op, error, self.values, self.tensors)
            try:
                if translated is error:
                    raise
                raise translated from None
            finally:
                del translated  # whose traceback leads to this frame: a cycle that would keep the operands
        finally:
            reset_errors(token)
        return found if self.op.many or len(self.op.results) > 1 else (found,)

    def _forward_converting(self):
        """By a kernel that converts what it loads, where there is one for large arrays: None if there is not."""
        op = self.op
        if op.machine.converting is None or self.work is None or self.backend.kind != "cpu":
            return None
        work, arrays = self.work.numpy, [each._array for each in self.tensors]
        if all([each.size < LARGE for each in arrays]) or all([each.dtype == work for each in arrays]):
            return None
        self.arrays = self.unconverted()
        return op.machine.converting(self.arrays, work, self.rounded.numpy)

    def unconverted(self) -> dict[str, Any]:
        """The raw arguments, arrays in their own dtypes."""
        self.converts = False
        found = {each.name: self._raw(each) for each in self.op.arguments}
        self.converts = True
        return found

    def _forward(self, positional, named):
        if self.backend.kind == "meta":
            return self._forward_without_numbers(positional, named)
        return self.op.forward(self.backend.language, *positional, **named)

    def _forward_without_numbers(self, positional, named):
        """By the shape clause, else by the rules of the array language, else by a run on zeros."""
        op, language = self.op, self.backend.language
        if op.shape == "data_dependent":
            raise NotImplementedError(
                f"{op.name}(): the shape of the result depends on numbers that a meta tensor has not"
            )
        if op.shape is not None:
            return op.shape(*positional, **named)
        try:
            return op.forward(language, *positional, **named)
        except NoRule:
            zeroed = {name: _zeroed(value) for name, value in named.items()}
            return op.forward(language, *[_zeroed(each) for each in positional], **zeroed)

    def _raw(self, argument):
        value = self.values[argument.name]
        differentiable = argument.role in DIFFERENTIABLE
        if argument.role == TENSORS:
            return [self._raw_tensor(each, differentiable) for each in value]
        if isinstance(value, Tensor) and (differentiable or argument.role in (CONSTANT, OPTIONAL_CONSTANT)):
            return self._raw_tensor(value, differentiable)
        if differentiable and value is not None:
            return self._raw_number(value)
        if argument.name == "alpha" and type(value) is float and self.work is dtypes.float32:
            return self._as_number(np.asarray(value, np.float32)).item() if self.rounded is not self.work else value
        return value

    def _raw_tensor(self, tensor, differentiable: bool):
        array = tensor._array
        if type(array) is not self.backend.array_type:
            array = self._fetched(tensor)
        if differentiable and self.work is not None:
            if self._is_converted(array) and (self.converts or not array.ndim):
                array = self.backend.language.astype(array, self.work.numpy)
            if not array.ndim and tensor.dtype is not self.rounded:
                array = self._as_number(array)
        return array

    def _as_number(self, array):
        """A number beside small floats: rounded to their dtype, save where it multiplies or divides, as in PyTorch."""
        if self.rounded not in dtypes.REDUCED or array.dtype != dtypes.float32.numpy or self.op.name in WIDE_FACTORS:
            return array
        return cast(cast(array, self.rounded.numpy), array.dtype) if type(array) is np.ndarray else array

    def _fetched(self, tensor):
        """The array of an operand that is unresolved, or elsewhere; a view is taken of what lies beneath."""
        array = tensor._array
        if type(array) is Unresolved:
            array = array.array if self.op.view and tensor is self.tensors[0] else self._numbers(tensor)
        backend = self.backend
        return array if type(array) is backend.array_type else backend.from_cpu(array, backend.place)

    def _numbers(self, tensor):
        """The numbers of an operand that is unresolved, computed once."""
        if self.resolved is None:
            self.resolved = {}
        if id(tensor) not in self.resolved:
            self.resolved[id(tensor)] = tensor._array.resolved()
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

    # ---- results

    def wrap(self, results, modes) -> list:
        """Tensors on the raw results."""
        return [self._wrapped(each, modes) for each in results]

    def _wrapped(self, array, modes):
        tensor = new(Tensor)
        if type(array) is not self.backend.array_type and type(array) is not Unresolved and not self.op.crosses:
            array = self.backend.adopt(array)
        rounded = self.rounded
        if rounded is not None and self.work is not rounded and array.dtype == self.work.numpy:
            array = cast(array, rounded.numpy)
        tensor._array = array
        if self.op.view:
            source = self.tensors[0]._array
            if type(source) is Unresolved:
                tensor._array = unresolved(array, conj=source.conj, neg=source.neg)
            self._mark_view(tensor, modes)
        else:
            tensor._storage = InferenceStorage() if modes.inference else Storage()
        return tensor

    def _mark_view(self, tensor, modes) -> None:
        source = self.tensors[0]
        tensor._storage = source._storage
        rest = tuple(self.values[each.name] for each in self.op.arguments[1:])
        mark_view(tensor, source, (self.op.function, rest), modes)
        if self.op.many and tensor._creation is None:
            tensor._creation = "many"

    # ---- recording

    def record(self, tensors, modes) -> None:
        """Gives the results a node, if any operand's gradient is wanted."""
        edges = self._edges()
        if not any(each is not None for each in edges):
            return
        chosen = self._differentiable_results(tensors)
        if not chosen:
            return
        node = make_node(self.op.select_node(*self.arguments), edges, special=len(chosen) > 1)
        node.outputs = len(chosen)
        node.result_metas = tuple((each._array.shape, each._array.dtype) for each in chosen)
        for number, tensor in enumerate(chosen):
            tensor._edge = node if len(chosen) == 1 else Output(node, number)
        self._fill(node, tensors, modes)

    def _edges(self) -> tuple:
        edges = []
        for argument in self.op.arguments:
            if argument.name not in self.op.derivatives:
                continue
            value = self.values[argument.name]
            for each in value if isinstance(value, list) else (value,):
                edges.append(edge_of(each) if isinstance(each, Tensor) else None)
        return tuple(edges)

    def _differentiable_results(self, tensors) -> list:
        kinds = "fcVW"  # to NumPy, bfloat16 and the 8-bit floats are of kind V, complex32 of kind W
        if not self.op.many and len(tensors) > 1:
            named = zip(self.op.results, tensors, strict=True)
            tensors = [each for name, each in named if name in self.op.followed]
        return [each for each in tensors if each._array.dtype.kind in kinds]

    def _fill(self, node: Node, tensors, modes) -> None:
        self._save(node, tensors, modes)
        node.params = tuple(self._param(name) for name in type(node).parameters)
        node.metas = self._metas()
        if self.backend.kind != "cpu":
            node.off_cpu = node.special = True
        if any(each._array.dtype.kind in "cW" for each in (*tensors, *self.tensors)):
            node.backward = type(node).backward_complex
        if self.rounded is not None and self.work is not self.rounded:
            node.computes_in = self.work.numpy
            node.special = True
        if modes.anomaly is not None:
            modes.anomaly.remember(node, call_site())
        if NOTING and node.saved:
            node.noted = entered() or place_at(4)

    def _save(self, node: Node, tensors, modes) -> None:
        saved, storages, versions, sources = [], [], [], []
        for name in type(node).saves:
            source, array = self._saved(name, tensors, node.edges)
            saved.append(array)
            sources.append(source)
            storages.append(source._storage if isinstance(source, Tensor) and array is not None else None)
            versions.append(storages[-1].version if storages[-1] is not None else 0)
        node.saved, node.storages, node.versions = tuple(saved), tuple(storages), tuple(versions)
        if modes.saved_hooks:
            pack(node, sources, tensors, modes.saved_hooks[-1])

    def _saved(self, name: str, tensors, edges):
        if not self._is_wanted(name, edges):
            return None, None
        if name in self.op.results:
            tensor = tensors[self.op.results.index(name)]
            return tensor, tensor._array
        source, array = self.values[name], self.arrays[name]
        if not isinstance(source, Tensor):
            return source, source
        # The input itself, not what promotion made of it: its gradient is one of its own dtype.
        own = source._array if type(source._array) is not Unresolved else self._numbers(source)
        return source, own if type(own) is type(array) else array

    def _is_wanted(self, name: str, edges) -> bool:
        inputs = [each.name for each in self.op.arguments if each.name in self.op.derivatives]
        if len(inputs) != len(edges):
            return True
        return any(edge is not None and name in self.op.asks[each] for each, edge in zip(inputs, edges, strict=True))

    def _param(self, name: str):
        for suffix, found in (("_shapes", _shapes), ("_shape", _shape), ("_dtype", _dtype), ("_device", _device)):
            source = name.removesuffix(suffix)
            if source != name and source in self.values:
                return found(self.values[source])
        return self.arrays[name]

    def _metas(self) -> tuple:
        metas = []
        for argument in self.op.arguments:
            if argument.name in self.op.derivatives:
                value = self.values[argument.name]
                for each in value if isinstance(value, list) else (value,):
                    metas.append((each._array.shape, each._array.dtype) if isinstance(each, Tensor) else None)
        return tuple(metas)


def is_number(argument) -> bool:
    """Whether a plain parameter is a number."""
    return argument.name in FACTORS or type(argument.default) in (int, float)


def check_size(number: int) -> None:
    """Raises OverflowError for a whole number that neither a signed nor an unsigned 64-bit integer holds."""
    if not -(2**63) <= number < 2**64:
        raise OverflowError("int too big to convert" if number > 0 else "can't convert negative int to unsigned")


def _zeroed(value):
    """Zeros in the place of arrays without numbers."""
    if isinstance(value, list):
        return [_zeroed(each) for each in value]
    return zeros(value) if isinstance(value, MetaArray) else value


def _shape(value):
    return value._array.shape if isinstance(value, Tensor) else ()


def _shapes(value):
    return tuple(each._array.shape for each in value)


def _dtype(value):
    return value._array.dtype if isinstance(value, Tensor) else None


def _device(value):
    return value.device if isinstance(value, Tensor) else None


def as_operand(value):
    """A NumPy array beside a tensor becomes a tensor on the same memory; anything else stays what it is."""
    return _adopted(value) if isinstance(value, np.ndarray) else value


def _adopted(array: np.ndarray) -> Tensor:
    dtypes.from_numpy_dtype(array.dtype)
    tensor = new(Tensor)
    tensor._array = array
    tensor._storage = Storage()
    return tensor


def mark_view(tensor: Tensor, source: Tensor, step: tuple, modes) -> None:
    """Notes that a tensor is a view: of what, and by which step."""
    base = source._base
    tensor._base = source if base is None else base
    tensor._steps = (*source._steps, *step)
    if source._creation is not None:
        tensor._creation = source._creation
    if not modes.grad:
        tensor._creation = "no_grad"
    if modes.inference:
        tensor._creation = "inference"
    edge_of(source)
    tensor._generation = viewed(tensor._base)


def composed(op, function, language, arguments: tuple, keywords: dict):
    """A composite on a tensor of a subclass, which may want to take the call."""
    modes = current()
    taken = overridden(op, arguments, modes, keywords)
    return autocasted(op, function, language, arguments, keywords) if taken is ABSENT else taken


def operated(function, input, other):
    """An operator between a tensor and anything; NotImplemented lets a foreign object have its say."""
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        if not NOTING or ENTRY.place is not None or input._edge is None is other._edge:
            return function(input, other)
        enter(2)
        try:
            return function(input, other)
        finally:
            ENTRY.place = None
    if not isinstance(input, Tensor):
        raise TypeError(f"descriptor requires a 'torch.Tensor' object but received a '{type(input).__name__}'")
    if function.__name__ in PRODUCTS:
        return _product(function, input, other)
    if isinstance(other, np.ndarray):
        return function(input, _adopted(other))
    if isinstance(other, (Tensor, *NUMBERS)) or hasattr(other, "__torch_function__"):
        return function(input, other)
    return NotImplemented


# Products of matrices take no numbers and do not promote, so NumPy's arrays are brought to the common dtype for them.
PRODUCTS = frozenset(("matmul", "__rmatmul__"))


def _product(function, input, other):
    if isinstance(other, np.ndarray):
        other = _adopted(other)
        common = result_type([(input.dtype, 1), (other.dtype, 1)])
        input, other = input.to(common), other.to(common)
    if type(other) not in PLAIN_TYPES and hasattr(other, "__torch_function__"):
        taken = overridden(function.declaration, (input, other), current())
        return function(input, other) if taken is ABSENT else taken
    return function(input, other) if isinstance(other, Tensor) else NotImplemented


def into(out, name: str, results, op=None, arguments: tuple = ()):
    """Writes results to the tensors given as `out=`, as PyTorch does, and returns those."""
    if isinstance(out, (tuple, list)):
        for target, result in zip(out, results, strict=True):
            into(target, name, result, op, arguments)
        return type(results)(*out) if hasattr(results, "_fields") else tuple(out)
    if not isinstance(out, Tensor) or isinstance(results, tuple):
        kind = "tuple of Tensors" if isinstance(results, tuple) else "Tensor"
        raise TypeError(f"{name}(): argument 'out' must be {kind}, not {message.type_name(out)}")
    if current().grad and (edge_of(results) is not None or edge_of(out) is not None):
        raise noted(
            RuntimeError(
                f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad."
            ),
            "Leave out= away, or compute under torch.no_grad().",
        )
    inplace_check(out)
    check_out(out, op, arguments)
    if op is not None and op.same_dtype and out.dtype is not results.dtype:
        raise message.other_dtype(op.same_dtype, results.dtype, out.dtype)
    _fill_out(out, results)
    return out


def inplace_check(out: Tensor) -> None:
    """An inference tensor is written to in inference mode only."""
    if out._storage.inference and not current().inference:
        raise written_outside()


def _fill_out(out: Tensor, result: Tensor) -> None:
    if not dtypes.can_cast(result.dtype, out.dtype):
        raise RuntimeError(
            f"result type {dtypes.SCALAR_NAMES[result.dtype]} can't be cast to the desired output type "
            f"{dtypes.SCALAR_NAMES[out.dtype]}"
        )
    if out.device != result.device:
        raise message.different_devices((out.device, result.device))
    if out._array.shape != result._array.shape:
        if out._array.size:
            _warn_about_resizing(out, result)
        out._array = showing(plain(result._array).astype(beneath(out._array).dtype), out._array)
    else:
        out._array[...] = plain(result._array)
    out._storage.written()
    if NOTING:
        note_write(out._storage, 1, None)


def _warn_about_resizing(out: Tensor, result: Tensor) -> None:
    warnings.warn(
        f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not match "
        f"the required output shape {list(result.shape)}. This behavior is deprecated, and in a future PyTorch release "
        "outputs will not be resized unless they have zero elements. You can explicitly reuse an out tensor t by "
        "resizing it, inplace, to zero elements with t.resize_(0).",
        UserWarning,
        stacklevel=5,
    )
