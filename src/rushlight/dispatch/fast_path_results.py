"""The end of a fast path, as text: the storage of the results, their edges, and the node with its saved values."""

from __future__ import annotations

from rushlight.declarations.declare import OPTIONAL, OPTIONAL_CONSTANT, TENSOR, TENSORS, Direct
from rushlight.dispatch.source_pieces import default_text, new_node, tuple_text

CONSTANTS = frozenset(("0", "1", "True"))  # in a `Direct`: the arguments that are not names
# Stores the line of a step that may later be found stale or freed; a step that saves nothing cannot be. It is written
# into each function, since a call would cost half as much again. If a thread starts in the function there is no frame.
# Code and offset of the most common case are stored apart: a tuple of them takes 0.02 us, and the garbage collector has
# to visit it.
NOTED = [
    "if NOTING:",
    "    if (_place := ENTRY.place) is None or _place[2] != get_ident():",
    "        try:",
    "            if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:",
    "                ENTRY.code = _place",
    "                _node.offset = _frame.f_lasti",
    "            else:",
    "                _place = outside(_frame)",
    "        except ValueError:",
    "            _place = NOWHERE",
    "    _node.noted = _place",
]


class Results:
    """Writes the part of a fast path after the raw results; `Fast` writes the part before."""

    def __init__(self, plan, forward_text, *, operator: bool = False, direct: Direct | None = None, called=None):
        self.direct = direct
        self.called = called or plan.op  # the operator that is called, possibly a composite
        self.plan, self.op, self.forward_text = plan, plan.op, forward_text
        self.out = self.called.out and not operator
        fixed = [argument for argument in self.op.arguments if argument.keyword_only] if operator else []
        self.fixed = {argument.name: default_text(argument.default) for argument in fixed}
        if direct is not None:
            self.fixed |= {name: text for name, text in direct.arguments.items() if text in CONSTANTS}
        self.operands = self.op.operands()
        self.tensors = [operand for operand in self.operands if operand.role in (TENSOR, OPTIONAL)]
        self.edges = [tensor.name for tensor in self.tensors if tensor.name in self.op.derivatives]
        # Names of raw results and result tensors in the generated code.
        several = len(self.op.results) > 1
        self.raw = {result: f"_{result}" if several else "_result" for result in self.op.results}
        self.wrapped = {result: f"_{result}_tensor" if several else "_tensor" for result in self.op.results}
        # Whether tensors with equal metadata alone get a shorter path; see `Tensor._meta_key`
        self.alike = self.op.kind == "elementwise" and {operand.role for operand in self.operands} == {TENSOR}

    def _given(self, pad: str, numbers: set) -> list[str]:
        """Returns the lines that write the results to `out`; if that is not possible, the general path starts."""
        if not self.out or self.op.view:
            return []
        operands = [f"*{operand.name}" if operand.role == TENSORS else operand.name for operand in self.operands]
        rest = ", ".join([f"OP_{self.called.name}", *(operand for operand in operands if operand not in numbers)])
        call = f"to_out(out, {self.raw[self.op.results[0]]}, {rest})"
        if len(self.raw) > 1:
            returned = f"OP_{self.op.name}.named_tuple" if self.op.named_tuple else "tuple"
            call = f"all_to_out(out, {tuple_text(self.raw.values())}, {returned}, {rest})"
        return [f"{pad}if out is not None:", f"{pad}    return {call}"]

    def _memory(self, pad: str) -> list[str]:
        if not self.op.view:
            return [f"{pad}{self.wrapped[result]}._store = None" for result in self.wrapped]
        source = self.tensors[0].name
        rest = [
            self.fixed.get(argument.name, argument.name) for argument in self.op.arguments if argument.name != source
        ]
        step = (self.direct and self.direct.step) or f"({self.op.name}, {tuple_text(rest)})"
        edge = [f"{source}_edge = "] if source in self.edges else []
        return [
            f"{pad}_tensor._store = {source}._store or {source}._storage",
            f"{pad}_base = {source}._base",
            f"{pad}if _base is None:",
            f"{pad}    _tensor._base = {source}",
            f"{pad}    _tensor._steps = {step}",
            *(f"{pad}    {part}{source}._edge" for part in edge),
            f"{pad}    _generation = {source}._generation",
            f"{pad}    if _generation is None:",
            f"{pad}        {source}._generation = _generation = 0",
            f"{pad}    _tensor._generation = _generation",
            f"{pad}else:",
            f"{pad}    {''.join(edge)}edge_of({source})",  # which updates it and its base
            f"{pad}    _tensor._base = _base = {source}._base",
            f"{pad}    _tensor._steps = {source}._steps + {step}",
            f"{pad}    if {source}._creation is not None:",
            f"{pad}        _tensor._creation = {source}._creation",
            f"{pad}    _tensor._generation = _base._generation",
        ]

    def _record(self, pad: str, names: dict, numbers: set) -> list[str]:
        if self.operands[0].role == TENSORS:
            return self._record_sequence(pad, self.operands[0].name)
        edges = [edge for edge in self.edges if edge not in numbers]
        if not edges:
            return [line.removeprefix("    ") for line in self._unrecorded(pad)[1:]]
        result = {} if self.op.view else {edge: self._edge_of(edge) for edge in edges}
        if len(result) == 1:
            lines = [f"{pad}if _mode and ({edges[0]}_edge := {result[edges[0]]}) is not None:"]
        else:
            # Where nothing is recorded, nothing reads edges
            lines = [f"{pad}if _mode:"] if result else []
            lines += [f"{pad}    {name}_edge = {text}" for name, text in result.items()]
            some = " or ".join(f"{name}_edge is not None" for name in edges)
            lines.append(f"{pad}if _mode and {some if len(edges) == 1 else f'({some})'}:")
        lines += [f"{pad}    {edge}" for edge in (*self._node(names, numbers, edges), *self._results_edges())]
        return lines + self._unrecorded(pad)

    def _edge_of(self, name: str) -> str:
        """Returns the expression for the edge of an operand."""
        # The second is the first line of `edge_of`, repeated to avoid the call for most views
        newest = f"(_base := {name}._base) is None or {name}._generation == _base._generation"
        result = f"{name}._edge if {newest} else edge_of({name})"
        return f"None if {name} is None else ({result})" if self.plan.roles[name] == OPTIONAL else result

    def _results_edges(self) -> list[str]:
        """Returns the lines that set the edges of the results: the node, or one of its outputs each."""
        followed = self.op.differentiable_results
        ends = [f"{tensor}._edge = None" for name, tensor in self.wrapped.items() if name not in followed]
        if len(followed) == 1:
            return [f"{self.wrapped[followed[0]]}._edge = _node", *ends]
        metas = tuple_text(f"({self.raw[name]}.shape, {self.raw[name]}.dtype)" for name in followed)
        edges = [f"{self.wrapped[name]}._edge = Output(_node, {number})" for number, name in enumerate(followed)]
        return [f"_node.outputs = {len(followed)}", f"_node.result_metas = {metas}", *edges, *ends]

    def _unrecorded(self, pad: str) -> list[str]:
        """Returns the lines for results without an edge; those made without recording are marked."""
        lines = [f"{pad}else:", *(f"{pad}    {tensor}._edge = None" for tensor in self.wrapped.values())]
        if self.op.view:
            lines.append(f"{pad}    if not _mode:")
            lines.append(f'{pad}        _tensor._creation = "no_grad" if _mode is False else "inference"')
        else:
            lines.append(f"{pad}    if _mode is INFERENCE:")
            lines += [f"{pad}        {tensor}._store = InferenceStorage()" for tensor in self.wrapped.values()]
        return lines

    def _node(self, names: dict, numbers: set, edges: list[str]) -> list[str]:
        plan = self.plan
        lines = [f"_node = {new_node(self.op)}(None)", "_node.created = objects.tick(None)"]
        lines.append(f"_node.edges = {tuple_text(f'{edge}_edge' if edge in edges else 'None' for edge in self.edges)}")
        if plan.saved:
            lines += NOTED
            lines.append(
                f"_node.saved = {tuple_text(self._saved(value, names, numbers, edges) for value in plan.saved)}"
            )
            storages = [self._storage_of(value, numbers) for value in plan.saved]
            lines += [line for _, _, made in storages for line in made]
            lines.append(f"_node.storages = {tuple_text(name for name, _, _ in storages)}")
            lines.append(f"_node.versions = {tuple_text(version for _, version, _ in storages)}")
        else:
            lines.append("_node.saved = ()")
        lines.append(f"_node.params = {tuple_text(self._param(param, names, numbers) for param in plan.params)}")
        lines += self._metas(numbers, edges)
        lines.append("_node.step = None")
        return lines

    def _saved(self, name: str, names: dict, numbers: set, edges: list[str]) -> str:
        value = self.raw[name] if name in self.op.results else names.get(name, name)
        wanted = [operand for operand in self.plan.wanted_by(name) if operand in edges]
        if not wanted:
            return "None"
        if set(wanted) == set(edges):
            return value
        return f"None if {' and '.join(f'{operand}_edge is None' for operand in wanted)} else {value}"

    def _storage_of(self, name: str, numbers: set) -> tuple[str, str, list[str]]:
        """Returns the storage of a saved value, its version, and the lines that find or make the storage."""
        if name in numbers or name in self.op.freed_arguments:
            return "None", "0", []
        storage = f"{name}_storage"
        if name in self.op.results:
            made = f"{self.wrapped[name]}._store = {storage} = new_storage(None)"
            return storage, "0", [made, f"{storage}.version = 0"]
        if self.plan.roles[name] in (OPTIONAL, OPTIONAL_CONSTANT):
            result = f"{storage} = None if {name} is None else {name}._store or {name}._storage"
            return storage, f"0 if {storage} is None else {storage}.version", [result]
        # As `Tensor._storage` does, without the call
        made = f"    {storage} = {name}._store = new_storage(None)"
        lines = [f"if ({storage} := {name}._store) is None:", made, f"    {storage}.version = 0"]
        return storage, f"{storage}.version", lines

    def _param(self, name: str, names: dict, numbers: set) -> str:
        if name.removesuffix("_device") in self.plan.roles and name.endswith("_device"):
            return f"{name.removesuffix('_device')}.device"
        for place, attribute in enumerate(("shape", "dtype")):
            source = name.removesuffix(f"_{attribute}")
            if source != name and source in self.plan.roles:
                if source in numbers:
                    return "()"
                if self.plan.roles[source] != TENSOR:
                    absent = f"None if {source} is None else " if self.plan.roles[source] == OPTIONAL else ""
                    return f"{absent}{names[source]}.{attribute}"
                # Tensors with equal metadata share it; NumPy would make it anew
                return f"{names[source]}.{attribute} if {source}._meta_key is None else {source}._meta_key[{place}]"
        return self.fixed.get(name, name)

    def _metas(self, numbers: set, edges: list[str]) -> list[str]:
        """Returns the lines that compare shapes; broadcasting is checked only where gradients may have to be summed."""
        if self.op.kind != "elementwise" or len(self.operands) - len(numbers) < 2:
            return ["_node.metas = None"]
        optional = {operand.name for operand in self.operands if operand.role in (OPTIONAL, OPTIONAL_CONSTANT)}
        shapes = {edge: f"{edge}_array.shape" for edge in edges}
        metas = (f"({shapes[edge]}, {edge}_array.dtype)" if edge in edges else "None" for edge in self.edges)
        absent = (f"None if {edge} is None else " if edge in optional else "" for edge in self.edges)
        unfit = tuple_text(map("".join, zip(absent, metas, strict=True)))
        if optional or len(self.edges) < len(self.operands):
            present = {edge: f"{edge} is None or " if edge in optional else "" for edge in self.edges}
            fit = " and ".join(f"({present[edge]}{shapes[edge]} == _result.shape)" for edge in edges)
            return [f"_node.metas = None if {fit} else {unfit}"]
        first, *others = shapes.values()
        if numbers or len(self.op.results) > 1:
            return [f"_node.metas = None if {' == '.join([first, *others])} else {unfit}"]
        contiguous = " and ".join(f"{edge}_array.flags.c_contiguous" for edge in self.edges)
        return [
            "_node.metas = None",
            "if _meta_key is None:",
            f"    if {' == '.join([f'(_shape := {first})', *others])} and (len(_shape) < 3 or {contiguous}):",
            f"        {' = '.join(f'{edge}._meta_key' for edge in (*edges, '_tensor'))} = (_shape, _dtype)",
            "    else:",
            f"        _node.metas = {unfit}",
        ]

    def _record_sequence(self, pad: str, name: str) -> list[str]:
        shapes = {f"{name}_shapes": "tuple([each.shape for each in _arrays])"}
        params = [shapes.get(param, param) for param in self.plan.params]
        return [
            f"{pad}if _mode and _edges is None:",
            f"{pad}    _edges = tuple([each._edge if each._base is None else edge_of(each) for each in {name}])",
            f"{pad}if _mode and any_of(_edges):",
            f"{pad}    _node = {new_node(self.op)}(None)",
            f"{pad}    _node.created = objects.tick(None)",
            f"{pad}    _node.edges, _node.saved, _node.metas, _node.step = _edges, (), None, None",
            f"{pad}    _node.params = {tuple_text(params)}",
            f"{pad}    _tensor._edge = _node",
            *self._unrecorded(pad),
        ]
