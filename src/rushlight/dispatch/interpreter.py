"""Runs one call of an operator from its declaration: computes on raw arrays, wraps results as tensors, records them."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.elementwise import element
from rushlight.arrays.meta import MetaArray, NoRule, zeros
from rushlight.core.device import BACKENDS
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.graph import Node, Output, make_node
from rushlight.core.history import edge_of, viewed
from rushlight.core.lazy_conj_neg import Unresolved, unresolved
from rushlight.core.origin import call_site
from rushlight.core.policy import MEDIUM
from rushlight.core.source_lines import NOTING, entered, place_at
from rushlight.core.storage import InferenceStorage, Storage
from rushlight.core.tables import forward, objects, xp
from rushlight.core.tensor import Tensor
from rushlight.dispatch import message
from rushlight.dispatch.operands import Operands
from rushlight.dispatch.plan import CONVERTING
from rushlight.dispatch.recording import device_of, dtype_of, shape_of, shapes_of
from rushlight.dispatch.saved import pack


class Call(Operands):
    """One call of an operator, from arguments to results."""

    # ---- refusing

    def _refuse(self) -> None:
        """Raises what the declaration refuses: by the dtype, its category, the operands or a number."""
        refuses, error = self.op.refuses, None
        if callable(refuses):
            error = refuses(*(self.values[operand.name] for operand in self.op.operands()))
        elif refuses is not None:
            kind = self._own_dtype(self.op.refused_by)
            refusal = refuses.get(kind) or refuses.get(kind.category)
            error = refusal(kind) if refusal else None
        if error is not None:
            if self.op.kind == "elementwise":  # PyTorch reports shapes that do not fit first
                error = message.broadcast_mismatch([tensor.shape for tensor in self.tensors]) or error
            try:
                raise error
            finally:
                del error
        if self.op.casts_scalar:
            self._refuse_numbers()

    def _refuse_numbers(self) -> None:
        """Raises for a number that is out of range of the dtype that it has to fit."""
        kind = self._own_dtype()
        for name, kinds in self.op.casts_scalar.items():
            if (kind in kinds or kind.category in kinds) and isinstance(self.values[name], (int, float)):
                element(self.values[name], kind.numpy)

    def _own_dtype(self, names: tuple | None = None):
        """Returns the dtype of the first operand if that is kept, else the promoted one of all, or of those named."""
        kept = self.op.dtype == "keep" or (self.op.exact and self.op.dtype != "common")
        return self.tensors[0].dtype if kept else self._common_dtype(names)

    # ---- computing

    def _of_one_element(self, positional, named):
        """Computes an elementwise operator on zeros of one element, for the dtypes of its results."""
        arrays = [value for value in (*positional, *named.values()) if isinstance(value, MetaArray)]
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        samples = {name: one_zero(value) for name, value in named.items()}
        results = self.op.forward(self.backend.language, *map(one_zero, positional), **samples)
        many = isinstance(results, tuple | list)
        whole = [MetaArray(shape, result.dtype) for result in (results if many else (results,))]
        return whole if many else whole[0]

    def taking(self, computed, modes) -> list:
        """Returns tensors on the memory of results that an earlier run of the call has computed."""
        self._prepare()
        self.arrays = {argument.name: self._raw(argument) for argument in self.op.arguments}
        sources = computed if isinstance(computed, (tuple, list)) else (computed,)
        tensors = self.wrap([source._array for source in sources], modes)
        for tensor, source in zip(tensors, sources, strict=True):
            tensor._storage = source._storage
        return tensors

    def _prepare(self) -> None:
        self._refuse()
        self.work, self.rounded = self._working_dtypes()

    def compute(self) -> tuple:
        """Returns the raw results."""
        self._prepare()
        token = set_errors(xp.IGNORED)
        try:
            result = self._forward_converting()
            if result is None:
                arguments = self.op.arguments
                self.arrays = arrays = {argument.name: self._raw(argument) for argument in arguments}
                positional = [arrays[argument.name] for argument in arguments if not argument.keyword_only]
                named = {argument.name: arrays[argument.name] for argument in arguments if argument.keyword_only}
                result = self._forward(positional, named)
        except Exception as error:
            translated = message.explained(self.op, error, self.values, self.tensors)
            try:
                if translated is error:
                    raise
                raise translated from None
            finally:
                del translated  # its traceback refers to this frame: a cycle that would keep the operands
        finally:
            reset_errors(token)
        results = result if self.op.multi_output or len(self.op.results) > 1 else (result,)
        return tuple(map(self._laid_out, results)) if self.op.kind == "elementwise" and not self.op.view else results

    def _laid_out(self, result):
        """Returns a result in PyTorch's layout; with few dimensions it already has it."""
        backend, arrays = self.backend, self.arrays
        if type(result) is not np.ndarray and not backend.has_strides:
            return result
        arrays = [x for operand in self.op.operands() if type(x := arrays[operand.name]) is backend.array_type]
        return backend.language.laid_out(result, arrays, self.op.contiguous_result)

    def _forward_converting(self):
        """Runs a kernel that converts what it loads; returns None if there is none for this many elements."""
        op = self.op
        if op.name not in CONVERTING or self.work is None or self.backend.kind != "cpu":
            return None
        work, arrays = self.work.numpy, [tensor._array for tensor in self.tensors]
        if all([array.size < MEDIUM for array in arrays]) or all([array.dtype == work for array in arrays]):
            return None
        self.arrays = self.unconverted()
        return CONVERTING[op.name](self.arrays, work, self.rounded.numpy)

    def _forward(self, positional, named):
        if self.backend.kind == "meta":
            return self._forward_without_numbers(positional, named)
        language = self.backend.language
        function = getattr(forward, self.op.name) if language is xp else self.backend.formula(self.op)
        return function(language, *positional, **named)

    def _forward_without_numbers(self, positional, named):
        """Computes shapes without elements: by the shape clause, the rules of the array language, or a run on zeros."""
        op, language = self.op, self.backend.language
        if op.shape is not None:
            return op.shape(*positional, **named)
        try:
            return op.forward(language, *positional, **named)
        except NoRule:
            if op.kind == "elementwise":
                return self._of_one_element(positional, named)
            zeroed = {name: _zeroed(value) for name, value in named.items()}
            return op.forward(language, *[_zeroed(value) for value in positional], **zeroed)

    # ---- results

    def wrap(self, results, modes) -> list:
        """Returns tensors for the raw results."""
        return [self._wrapped(result, modes) for result in results]

    def _wrapped(self, array, modes):
        tensor = objects.tensor(None)
        if type(array) is not self.backend.array_type and type(array) is not Unresolved:
            stays = not self.op.cross_device or self.values["place"] is None
            if stays or type(array) not in BACKENDS.by_array:
                array = self.backend.adopt(array)
        rounded, language = self.rounded, self.backend.language
        if rounded is not None and self.work is not rounded and array.dtype == self.work.numpy:
            array = self.backend.adopt((xp.cast if language is xp else language.astype)(array, rounded.numpy))
        tensor._array = array
        tensor._meta_key = tensor._base = tensor._edge = tensor._generation = None
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
        rest = tuple(self.values[argument.name] for argument in self.op.arguments[1:])
        mark_view(tensor, source, (self.op.function, rest), modes)
        if self.op.multi_output and tensor._creation is None:
            tensor._creation = "many"

    # ---- recording

    def record(self, tensors, modes) -> None:
        """Gives the results a node, if any operand needs a gradient."""
        edges = self._edges()
        if not any(edge is not None for edge in edges):
            return
        chosen = self._differentiable_results(tensors)
        if not chosen:
            return
        node = make_node(self.op.select_node(*self.arguments), edges)
        node.outputs = len(chosen)
        node.result_metas = tuple((tensor._array.shape, tensor._array.dtype) for tensor in chosen)
        for number, tensor in enumerate(chosen):
            tensor._edge = node if len(chosen) == 1 else Output(node, number)
        self._fill(node, tensors, modes)

    def _edges(self) -> tuple:
        edges = []
        for argument in self.op.arguments:
            if argument.name not in self.op.derivatives:
                continue
            value = self.values[argument.name]
            for operand in value if isinstance(value, list) else (value,):
                edges.append(edge_of(operand) if isinstance(operand, Tensor) else None)
        return tuple(edges)

    def _differentiable_results(self, tensors) -> list:
        kinds = "fcVW"  # to NumPy, bfloat16 and the 8-bit floats are of kind V, complex32 of kind W
        if not self.op.multi_output and len(tensors) > 1:
            named = zip(self.op.results, tensors, strict=True)
            tensors = [tensor for name, tensor in named if name in self.op.differentiable_results]
        return [tensor for tensor in tensors if tensor._array.dtype.kind in kinds]

    def _fill(self, node: Node, tensors, modes) -> None:
        self._save(node, tensors, modes)
        node.params = tuple(self._param(name) for name in type(node).parameters)
        node.metas = self._metas()
        if self.backend.kind != "cpu":
            node.off_cpu, node.step = True, node.general_step
        if any(tensor._array.dtype.kind in "cW" for tensor in (*tensors, *self.tensors)):
            node.backward = type(node).backward_complex
        if self.rounded is not None and self.work is not self.rounded:
            node.computes_in = self.work.numpy
            if node.step is None:
                node.step = node.formula_step
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
        source = self.values[name]
        if not isinstance(source, Tensor):
            return source, source
        array = self.arrays[name]
        # The input itself, before promotion: its gradient is of its own dtype.
        own = source._array if type(source._array) is not Unresolved else self._numbers(source)
        return source, own if type(own) is type(array) else array

    def _is_wanted(self, name: str, edges) -> bool:
        inputs = [argument.name for argument in self.op.arguments if argument.name in self.op.derivatives]
        if len(inputs) != len(edges):
            return True
        return any(edge is not None and name in self.op.asks[input] for input, edge in zip(inputs, edges, strict=True))

    def _param(self, name: str):
        for suffix, result in (
            ("_shapes", shapes_of),
            ("_shape", shape_of),
            ("_dtype", dtype_of),
            ("_device", device_of),
        ):
            source = name.removesuffix(suffix)
            if source != name and source in self.values:
                return result(self.values[source])
        return self.arrays[name]

    def _metas(self) -> tuple:
        metas = []
        for argument in self.op.arguments:
            if argument.name in self.op.derivatives:
                value = self.values[argument.name]
                for operand in value if isinstance(value, list) else (value,):
                    metas.append((operand._array.shape, operand._array.dtype) if isinstance(operand, Tensor) else None)
        return tuple(metas)


def one_zero(value):
    """Returns a zero in as many dimensions for an array without elements."""
    return np.zeros((1,) * value.ndim, value.dtype) if isinstance(value, MetaArray) else value


def _zeroed(value):
    """Returns zeros for arrays without elements."""
    if isinstance(value, list):
        return [_zeroed(element) for element in value]
    return zeros(value) if isinstance(value, MetaArray) else value


def mark_view(tensor: Tensor, source: Tensor, step: tuple, modes) -> None:
    """Records that a tensor is a view: of which source, and by which step."""
    edge_of(source)  # updates it and its base
    base = source._base
    tensor._base = source if base is None else base
    tensor._steps = step if base is None else (*source._steps, *step)
    if source._creation is not None:
        tensor._creation = source._creation
    if not modes.grad:
        tensor._creation = "no_grad"
    if modes.inference:
        tensor._creation = "inference"
    tensor._generation = viewed(tensor._base)
