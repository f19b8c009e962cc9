"""How a declaration becomes a fast function: the text of what is generated for one operator.

A generated function handles the common case, plain tensors of one floating dtype, and hands everything else to the
general path, which knows scalars, promotion, devices, subclasses and modes. It checks nothing on the way: if the raw
call fails, the general path runs the operator again and explains.
"""

from __future__ import annotations

import re

from rushlight.dispatch.guards import looked_at, looked_at_first
from rushlight.dispatch.pieces import (
    OTHERS,
    accepts,
    call,
    default_text,
    docstring,
    handed,
    is_one_step,
    is_ufunc_call,
    new_node,
    node_expression,
    node_names,
    other_forms,
    own_name,
    passed,
    signature,
    tuple_text,
    with_looked_up,
)  # fmt: skip
from rushlight.dispatch.twins import variants, written_at_once
from rushlight.ops import autocast
from rushlight.ops.declare import (
    CONSTANT,
    OPS,
    OPTIONAL,
    OPTIONAL_CONSTANT,
    TENSOR,
    TENSORS,
    Direct,
    asked_by,
)  # fmt: skip

# ---- one primitive

# In a `Direct`: what stands for the condition until names have been exchanged, and the arguments that are no names.
WHEN = "WHEN"
CONSTANTS = frozenset(("0", "1", "True"))
# What keeps the line of a step that may be met stale or freed; a step that saves nothing cannot be. It stands in each
# function, for a call would cost half as much again. A thread may start in the function: then there is no frame. The
# two halves of the commonest place are kept apart: a tuple of them takes 0.02 us, and the collector has to look at it.
NOTED = [
    "if NOTING:",
    "    if (_place := ENTRY.place) is None or _place[2] != get_ident():",
    "        try:",
    "            if (_place := (_frame := frame_at(1)).f_code).co_filename in PROGRAM:",
    "                _node.offset = _frame.f_lasti",
    "            else:",
    "                _place = outside(_frame)",
    "        except ValueError:",
    "            _place = NOWHERE",
    "    _node.noted = _place",
]


class Fast:
    """Writes the fast path of one primitive; for an operator, which has positional arguments only."""

    def __init__(self, plan, forward_text, *, operator: bool = False, direct: Direct | None = None):
        self.direct = direct
        self.plan, self.op, self.forward_text = plan, plan.op, forward_text
        self.out = self.op.out and not operator
        fixed = [each for each in self.op.arguments if each.keyword_only] if operator else []
        self.fixed = {each.name: default_text(each.default) for each in fixed}
        if direct is not None:
            self.fixed |= {name: text for name, text in direct.arguments.items() if text in CONSTANTS}
        self.operands = self.op.operands()
        self.tensors = [each for each in self.operands if each.role in (TENSOR, OPTIONAL)]
        self.edges = [each.name for each in self.tensors if each.name in self.op.derivatives]
        # The names that raw results and the tensors on them have in the generated code.
        several = len(self.op.results) > 1
        self.raw = {each: f"_{each}" if several else "_result" for each in self.op.results}
        self.wrapped = {each: f"_{each}_tensor" if several else "_tensor" for each in self.op.results}

    def text(self) -> str:
        if [each.role for each in self.operands] == [TENSORS] and len(self.op.results) == 1:
            return self._sequence(self.operands[0].name)
        if any(each.role == TENSORS for each in self.operands):
            return ""
        if not self.tensors and (self.op.refuses or not self.operands):
            return ""
        if self.op.many:
            return self._parts(self.tensors[0].name) if self.op.view else ""
        return self._tensors() + self._scalar()

    # every operand a plain tensor

    def _tensors(self) -> str:
        lines = [f"    if {' and '.join(self._types())}:"]
        for each in self.operands:
            absent = "None if {0} is None else " if each.role in (OPTIONAL, OPTIONAL_CONSTANT) else ""
            lines.append(f"        {each.name}_array = {absent}{each.name}._array".replace("{0}", each.name))
        lines.append("        _mode = get_mode()")
        lines.append(f"        if {self._dtypes()}(_mode is True or _mode is False or _mode is INFERENCE):")
        if self.direct is not None:
            named = self.direct.arguments.keys() - self.fixed.keys() - {each.name for each in self.operands}
            lines += [f"            {each} = {self.direct.arguments[each]}" for each in sorted(named)]
        lines += self._compute({each.name: f"{each.name}_array" for each in self.operands}, set())
        return "\n".join(lines) + "\n"

    def _types(self) -> list[str]:
        out = ["out is None"] if self.out else []
        if self.direct is not None:
            out.append(WHEN)
        if any(each.name == "dtype" and each.default is None for each in self.op.arguments):
            out.append("dtype is None")  # another dtype for the result means another for the gradient
        return out + [
            # Most tensors are of the first type, and to ask for it alone takes half as long.
            f"(type({each.name}) is Tensor or type({each.name}) in PLAIN_TYPES)"
            if each.role in (TENSOR, CONSTANT)
            else f"({each.name} is None or type({each.name}) in PLAIN_TYPES)"
            for each in self.operands
        ]

    def _dtypes(self) -> str:
        """The condition that all tensors are of one floating dtype; only moving elements, any dtype will do."""
        # An exact operator that is not quiet computes after all: its derivative may differ for complex numbers.
        if self.op.exact and self.op.quiet and len(self.tensors) == 1:
            return "" if self.op.view else f"type({self.tensors[0].name}_array) is ndarray and "
        if not self.tensors:
            return "".join(f"{self._is_easy(each)} and " for each in self.operands)
        first, *others = self.tensors
        kinds = " or ".join(f"_dtype is {each}" for each in ("FLOAT32", "FLOAT64", *self._others()))
        parts = [f"({kinds})".replace("_dtype", f"(_dtype := {first.name}_array.dtype)", 1)]
        for each in others:
            same = f"_dtype is {each.name}_array.dtype"
            parts.append(same if each.role == TENSOR else f"({each.name} is None or {same})")
        return " and ".join(parts) + " and "

    @staticmethod
    def _is_easy(operand) -> str:
        """The condition that a tensor which is never differentiated is an array that needs no conversion."""
        absent = f"{operand.name} is None or " if operand.role == OPTIONAL_CONSTANT else ""
        found = f"type({operand.name}_array) is ndarray and {operand.name}_array.dtype in EASY"
        return f"({absent}{found})" if absent else found

    def _others(self) -> list[str]:
        """The dtypes beside floats of which nothing more has to be thought: the raw call treats them as it should."""
        op = self.op
        if op.common or op.many or op.view or any(each.role == CONSTANT for each in self.operands):
            return []
        if op.dtype not in (("promote", "bool") if op.kind == "elementwise" else ("keep", "bool")):
            return []
        return [name for name, kind in OTHERS.items() if accepts(op, kind)]

    def _compute(self, names: dict, numbers: set, indent: int = 12) -> list[str]:
        pad = " " * indent
        text = self._formula({**names, **self.fixed})
        array = is_ufunc_call(text)
        if array:
            text = with_looked_up(text)[:-1] + ", out=...)"
        lines = []
        quiet = self.op.quiet or (self.direct is not None and self.direct.quiet)
        if not quiet:
            lines.append(f"{pad}_token = set_errors(IGNORED)")
        lines += [f"{pad}try:", f"{pad}    {', '.join(self.raw.values())} = {text}"]
        # Whatever went wrong, the general path below runs into it again, without shortcuts, and explains it.
        lines += [f"{pad}except Exception:", f"{pad}    pass", f"{pad}else:"]
        inner = pad + "    "
        for name, raw in self.raw.items():
            if not array and not self.op.view:
                lines.append(f"{inner}if type({raw}) is not ndarray and isinstance({raw}, np.generic):")
                lines.append(f"{inner}    {raw} = as_array({raw})")
            lines.append(f"{inner}{self.wrapped[name]} = new(Tensor)")
            lines.append(f"{inner}{self.wrapped[name]}._array = {raw}")
            if not self.op.view:
                lines.append(f"{inner}{self.wrapped[name]}._base = None")
        lines += self._memory(inner)
        lines += self._record(inner, names, numbers)
        lines.append(f"{inner}return {self._returned()}")
        if not quiet:
            lines += [f"{pad}finally:", f"{pad}    reset_errors(_token)"]
        return lines

    def _formula(self, names: dict) -> str:
        """The text of `forward`; several steps, which one kernel could do, stand behind a name that can be rebound."""
        if self.direct is not None and self.direct.forward:
            return self.direct.forward
        text = self.forward_text(self.op, names)
        if self.op.kind != "elementwise" or is_one_step(text) or (self.op.exact and self.op.quiet):
            return text
        return f"kernel_{self.op.name}({handed(self.op, names)})"

    def _returned(self) -> str:
        if len(self.op.results) == 1:
            return "_tensor"
        return (
            f"OP_{self.op.name}.returned{tuple_text(self.wrapped.values())}"
            if self.op.returned
            else tuple_text(self.wrapped.values())
        )

    def _memory(self, pad: str) -> list[str]:
        if not self.op.view:
            return [f"{pad}{self.wrapped[each]}._store = None" for each in self.wrapped]
        source = self.tensors[0].name
        rest = [self.fixed.get(each.name, each.name) for each in self.op.arguments if each.name != source]
        step = (self.direct and self.direct.step) or f"({self.op.name}, {tuple_text(rest)})"
        edge = [f"{source}_edge = "] if source in self.edges else []
        return [
            f"{pad}_tensor._store = {source}._store or {source}._storage",
            f"{pad}_base = {source}._base",
            f"{pad}if _base is None:",
            f"{pad}    _tensor._base = {source}",
            f"{pad}    _tensor._steps = {step}",
            *(f"{pad}    {each}{source}._edge" for each in edge),
            f"{pad}    _generation = {source}._generation",
            f"{pad}    if _generation is None:",
            f"{pad}        {source}._generation = _generation = 0",
            f"{pad}    _tensor._generation = _generation",
            f"{pad}else:",
            f"{pad}    _tensor._base = _base",
            f"{pad}    _tensor._steps = {source}._steps + {step}",
            f"{pad}    {''.join(edge)}edge_of({source})",  # which brings it up to date
            f"{pad}    if {source}._creation is not None:",
            f"{pad}        _tensor._creation = {source}._creation",
            f"{pad}    _tensor._generation = _base._generation",
            f"{pad}if not _mode:",
            f'{pad}    _tensor._creation = "no_grad" if _mode is False else "inference"',
        ]

    def _record(self, pad: str, names: dict, numbers: set) -> list[str]:
        if self.operands[0].role == TENSORS:
            return self._record_sequence(pad, self.operands[0].name)
        edges = [each for each in self.edges if each not in numbers]
        if not edges:
            return [each.removeprefix("    ") for each in self._unrecorded(pad)[1:]]
        lines = []
        for name in edges:
            optional = self.plan.roles[name] == OPTIONAL
            found = f"{name}._edge if {name}._base is None else edge_of({name})"
            if self.op.view:
                continue
            lines.append(f"{pad}{name}_edge = " + (f"None if {name} is None else ({found})" if optional else found))
        some = " or ".join(f"{name}_edge is not None" for name in edges)
        lines.append(f"{pad}if _mode and {some if len(edges) == 1 else f'({some})'}:")
        lines += [f"{pad}    {each}" for each in (*self._node(names, numbers, edges), *self._results_edges())]
        return lines + self._unrecorded(pad)

    def _results_edges(self) -> list[str]:
        """The node as the edge of its one result with a gradient, or one of its outputs for each of several."""
        followed = self.op.followed
        if len(followed) == 1:
            return [f"{self.wrapped[followed[0]]}._edge = _node"]
        metas = tuple_text(f"({self.raw[each]}.shape, {self.raw[each]}.dtype)" for each in followed)
        edges = [f"{self.wrapped[each]}._edge = Output(_node, {number})" for number, each in enumerate(followed)]
        return [f"_node.outputs = {len(followed)}", f"_node.result_metas = {metas}", *edges]

    def _unrecorded(self, pad: str) -> list[str]:
        """Else a result has no edge; in inference mode fresh memory is marked."""
        lines = [f"{pad}else:", *(f"{pad}    {each}._edge = None" for each in self.wrapped.values())]
        if not self.op.view:
            lines.append(f"{pad}    if _mode is INFERENCE:")
            lines += [f"{pad}        {each}._store = InferenceStorage()" for each in self.wrapped.values()]
        return lines

    def _node(self, names: dict, numbers: set, edges: list[str]) -> list[str]:
        plan = self.plan
        lines = [f"_node = {new_node(self.op)}()", "_node.created = tick()"]
        lines.append(f"_node.edges = {tuple_text(f'{each}_edge' if each in edges else 'None' for each in self.edges)}")
        if plan.saved:
            kept = [each for each in self.op.results if each in plan.saved and not self.op.view]
            lines += [*NOTED, *(f"{self.wrapped[each]}._storage = Storage()" for each in kept)]
            lines.append(f"_node.saved = {tuple_text(self._saved(each, names, numbers, edges) for each in plan.saved)}")
            storages = [self._storage_of(each, numbers) for each in plan.saved]
            lines += [line for _, _, made in storages for line in made]
            lines.append(f"_node.storages = {tuple_text(name for name, _, _ in storages)}")
            lines.append(f"_node.versions = {tuple_text(version for _, version, _ in storages)}")
        else:
            lines.append("_node.saved = ()")
        lines.append(f"_node.params = {tuple_text(self._param(each, names, numbers) for each in plan.params)}")
        lines.append(f"_node.metas = {self._metas(numbers, edges)}")
        lines.append(f"_node.special = {len(self.op.followed) > 1}")
        return lines

    def _saved(self, name: str, names: dict, numbers: set, edges: list[str]) -> str:
        value = self.raw[name] if name in self.op.results else names.get(name, name)
        wanted = [each for each in self.plan.wanted_by(name) if each in edges]
        if not wanted:
            return "None"
        if set(wanted) == set(edges):
            return value
        return f"None if {' and '.join(f'{each}_edge is None' for each in wanted)} else {value}"

    def _storage_of(self, name: str, numbers: set) -> tuple[str, str, list[str]]:
        """The storage of a saved value, its version, and the lines that find the one, or make it."""
        if name in numbers:
            return "None", "0", []
        storage = f"{name}_storage"
        if name in self.op.results:
            made = f"{self.wrapped[name]}._store = {storage} = Storage()"
            return storage, "0", [made, f"{storage}.version = 0"]
        if self.plan.roles[name] in (OPTIONAL, OPTIONAL_CONSTANT):
            found = f"{storage} = None if {name} is None else {name}._store or {name}._storage"
            return storage, f"0 if {storage} is None else {storage}.version", [found]
        # As `Tensor._storage` does, without the call
        made = f"    {storage} = {name}._store = Storage()"
        lines = [f"if ({storage} := {name}._store) is None:", made, f"    {storage}.version = 0"]
        return storage, f"{storage}.version", lines

    def _param(self, name: str, names: dict, numbers: set) -> str:
        if name.removesuffix("_device") in self.plan.roles and name.endswith("_device"):
            return f"{name.removesuffix('_device')}.device"
        for suffix, attribute in (("_shape", "shape"), ("_dtype", "dtype")):
            source = name.removesuffix(suffix)
            if source != name and source in self.plan.roles:
                if source in numbers:
                    return "()"
                absent = f"None if {source} is None else " if self.plan.roles[source] == OPTIONAL else ""
                return f"{absent}{names[source]}.{attribute}"
        return self.fixed.get(name, name)

    def _metas(self, numbers: set, edges: list[str]) -> str:
        """Broadcasting is looked at only where gradients may have to be summed."""
        if self.op.kind != "elementwise" or len(self.operands) - len(numbers) < 2:
            return "None"
        optional = {each.name for each in self.operands if each.role in (OPTIONAL, OPTIONAL_CONSTANT)}
        shapes = {each: f"{each}_array.shape" for each in edges}
        if optional or len(self.edges) < len(self.operands):
            present = {each: f"{each} is None or " if each in optional else "" for each in self.edges}
            fit = " and ".join(f"({present[each]}{shapes[each]} == _result.shape)" for each in edges)
        else:
            first, *others = shapes.values()
            fit = " and ".join(f"{first} == {each}" for each in others)
        metas = (f"({shapes[each]}, {each}_array.dtype)" if each in edges else "None" for each in self.edges)
        absent = (f"None if {each} is None else " if each in optional else "" for each in self.edges)
        return f"None if {fit} else {tuple_text(map(''.join, zip(absent, metas, strict=True)))}"

    # the results views of parts

    def _parts(self, name: str) -> str:
        rest = tuple_text(each.name for each in self.op.arguments if each.name != name)
        lines = [
            f"    if type({name}) in PLAIN_TYPES:",
            f"        {name}_array = {name}._array",
            "        _mode = get_mode()",
            "        if _mode is True or _mode is False or _mode is INFERENCE:",
            "            try:",
            f"                _arrays = {self.forward_text(self.op, {name: f'{name}_array'})}",
            "            except Exception:",
            "                pass",
            "            else:",
            f"                _parts = parts_of({name}, _arrays, ({self.op.name}, {rest}), _mode)",
            f"                {name}_edge = {name}._edge if {name}._base is None else edge_of({name})",
            f"                if _mode and {name}_edge is not None:",
            *(f"                    {each}" for each in self._node({name: f"{name}_array"}, set(), [name])),
            "                    give_outputs(_node, _parts)",
            "                return _parts",
        ]
        return "\n".join(lines) + "\n"

    # the operand a sequence of plain tensors

    def _sequence(self, name: str) -> str:
        out = "out is None and " if self.out else ""
        return "\n".join(
            [
                f"    if {out}type({name}) in SEQUENCES:",
                f"        _arrays = [each._array for each in {name} if type(each) in PLAIN_TYPES]",
                "        _mode = get_mode()",
                f"        if len(_arrays) == len({name}) > 0 and ((_dtype := _arrays[0].dtype) is FLOAT32 or "
                f"_dtype is FLOAT64{' or _dtype is INT64' if self.op.refuses is None else ''}) and "
                "all_of([each.dtype is _dtype for each in _arrays]) and "
                "(_mode is True or _mode is False or _mode is INFERENCE):",
                *self._compute({name: "_arrays"}, set()),
                "",
            ]
        )

    def _record_sequence(self, pad: str, name: str) -> list[str]:
        shapes = {f"{name}_shapes": "tuple([each.shape for each in _arrays])"}
        params = [shapes.get(each, each) for each in self.plan.params]
        return [
            f"{pad}_edges = tuple([each._edge if each._base is None else edge_of(each) for each in {name}])",
            f"{pad}if _mode and any_of([each is not None for each in _edges]):",
            f"{pad}    _node = {new_node(self.op)}()",
            f"{pad}    _node.created = tick()",
            f"{pad}    _node.edges, _node.saved, _node.metas, _node.special = _edges, (), None, False",
            f"{pad}    _node.params = {tuple_text(params)}",
            f"{pad}    _tensor._edge = _node",
            *self._unrecorded(pad),
        ]

    # one operand a Python number

    def _scalar(self) -> str:
        """Beside it a tensor; of two tensors of a choice, either may be the number."""
        if (
            self.op.kind != "elementwise"
            or len(self.tensors) != 2
            or any(each.role == OPTIONAL for each in self.tensors)
        ):
            return ""
        first, second = (each.name for each in self.tensors)
        if any(each.role not in (TENSOR, CONSTANT) for each in self.operands):
            return ""
        ways = [(tensor, number) for tensor, number in ((first, second), (second, first)) if self._is_common(number)]
        return "".join(self._beside(tensor, number) for tensor, number in ways)

    def _is_common(self, number: str) -> bool:
        """Whether an operand is often a number: the first one, of two tensors, where the declaration names it."""
        first = number == self.operands[0].name and len(self.operands) == 2
        return self.op.takes_number(number) and not (first and self.op.numbers is True)

    def _beside(self, tensor: str, number: str) -> str:
        constants = [each.name for each in self.operands if each.role == CONSTANT]
        out = "out is None and " if self.out else ""
        plain = " and ".join(f"type({each}) in PLAIN_TYPES" for each in (tensor, *constants))
        lines = [f"    elif {out}type({number}) in NUMBERS and {plain}:"]
        lines += [f"        {each}_array = {each}._array" for each in (tensor, *constants)]
        lines.append("        _mode = get_mode()")
        whole = "INT64" in self._others()
        range_of = "SMALL" if accepts(self.op, OTHERS["INT64"], {number: -1}) else "COUNTS"
        small = f"type({number}) is int and {number} in {range_of}"
        integers = f" or ((_dtype is INT64 or _dtype is INT32) and {small})" if whole else ""
        lines.append(f"        if ((_dtype := {tensor}_array.dtype) is FLOAT32 or _dtype is FLOAT64{integers}) and "
                     "(_mode is True or _mode is False or _mode is INFERENCE):")  # fmt: skip
        wide = "NUMBERS_64 if _dtype is FLOAT64 else raw.numbers[_dtype]" if whole else "NUMBERS_64"
        lines.append(f"            _number = (NUMBERS_32 if _dtype is FLOAT32 else {wide})[{number}]")
        arrays = {each: f"{each}_array" for each in (tensor, *constants)}
        lines += self._compute({**arrays, number: "_number"}, {number})
        return "\n".join(lines) + "\n"

    def _general(self) -> str:
        arguments = tuple_text(each.name for each in self.op.arguments)
        return f"general(OP_{self.op.name}, {arguments}{', out' if self.op.out else ''})"


def backward(plan, derivative_text, *, real: bool) -> str:
    """The backward function: one expression per input, for the inputs that need one."""
    op = plan.op
    lines = [f"def {op.name}_backward{'' if real else '_complex'}(F, node, saved, g):"]
    if plan.saved:
        lines.append(f"    {tuple_text(plan.saved)[1:-1]} = saved")
    if plan.params:
        lines.append(f"    {tuple_text(plan.params)[1:-1]} = node.params")
    if len(op.results) > 1 and any(each.startswith("g_") for names in plan.asks.values() for each in names):
        lines += _unpacked_gradients(plan)
    if op.common:
        lines.append(f"    common = common_{op.name}({', '.join(['F', *asked_by(op.common)])})")
    texts = [derivative_text(op, each, real=real) for each in plan.differentiable]
    if [plan.roles[each] for each in plan.differentiable] == [TENSORS]:
        return "\n".join([*lines, f"    return {texts[0]}"]) + "\n"
    if len(texts) > 1:
        edges = [f"{each}_edge" for each in plan.differentiable]
        lines.append(f"    {', '.join(edges)} = node.edges")
        texts = [f"None if {edge} is None else {text}" for edge, text in zip(edges, texts, strict=True)]
    if any("numbers[" in each for each in texts):
        lines.append("    numbers = F.numbers[g.dtype]")
    return "\n".join([*lines, f"    return {tuple_text(texts)}"]) + "\n"


def _unpacked_gradients(plan) -> list[str]:
    asked = plan.op.followed
    if len(asked) == 1:
        return [f"    g_{asked[0]} = g"]
    given = "g" if plan.op.undefined else "F.present(node, g)"
    return [f"    {', '.join(f'g_{each}' for each in asked)} = {given}"]


def primitive(plan, forward_text, derivative_text) -> str:
    """Everything that is generated for one primitive."""
    op = plan.op
    parts = []
    if plan.differentiable:
        real = backward(plan, derivative_text, real=True)
        full = backward(plan, derivative_text, real=False)
        parts.append(real)
        differs = real != full.replace("_complex(", "(")
        if differs:
            parts.append(full)
        complex_name = f"{op.name}_backward{'_complex' if differs else ''}"
        for name in node_names(op):
            parts.append(
                f"class {name}(Node):\n    op = OPS[{op.name!r}]\n    saves = {tuple_text(map(repr, plan.saved))}\n"
                f"    parameters = {tuple_text(map(repr, plan.params))}\n    backward = "
                f"staticmethod({op.name}_backward)\n    backward_complex = staticmethod({complex_name})\n\n\n"
                f"new_{name} = maker_of({name})\n"
            )
        arguments = ", ".join(each.name for each in op.arguments)
        parts.append(f"OP_{op.name}.nodes = {tuple_text(node_names(op))}\n")
        parts.append(f"OP_{op.name}.select_node = lambda {arguments}: {node_expression(op)}\n")
    fast = Fast(plan, forward_text)
    body = fast.text()
    head = f"def {op.name}({signature(op, out=op.out, public=True)}):\n{docstring(op)}"
    forms = other_forms(op, own_name(op), out=op.out)
    parts.append(f"{head}{forms}{looked_at(op, fast=bool(body))}{body}    return {fast._general()}\n")
    parts.append(documented(op))
    parts += [operator(op, Fast(plan, forward_text, operator=True).text()), variants(op, forward_text)]
    return "\n\n".join(each for each in parts if each)


def composite(op, plan_of, forward_text) -> str:
    """The public function of a composite."""
    inner = f"composite_{op.name}(F, {call(op)})"
    first = op.arguments[0].name if op.arguments else None
    lines = [f"def {op.name}({signature(op, out=op.out, public=True)}):", docstring(op).rstrip("\n")]
    lines.append(other_forms(op, own_name(op), out=op.out).rstrip("\n"))
    lines.append(looked_at(op, fast=bool(op.direct)).rstrip("\n"))
    if (op.overwrites or op.writes) and not op.inplace:
        lines.append(written_at_once(op, forward_text).rstrip("\n"))
    keywords = ", ".join(f"{each.name}={each.name}" for each in op.arguments if each.keyword_only)
    positional = tuple_text(passed(each) for each in op.arguments if not each.keyword_only)
    whole = f"(OP_{op.name}, composite_{op.name}, F, {positional}, dict({keywords}))"
    for each in op.direct or ():
        lines.append(directly(each, Fast(plan_of(OPS[each.op]), forward_text, direct=each)))
    if first and op.method:
        lines.append(f"    if type({first}) not in PLAIN_TYPES:")
        lines.append(f"        if hasattr({first}, '__torch_function__'):\n            return composed{whole}")
        lines.append(looked_at_first(op).rstrip("\n"))
    if op.name in autocast.LISTED - autocast.BY_PARTS:
        lines.append(f"    if {'out is None and ' if op.out else ''}type(get_mode()) is Modes:")
        lines.append(f"        return autocasted{whole}")
    if op.refuses_out:
        lines += ["    if out is not None:", f"        OP_{op.name}.refuses_out(out)"]
    if op.out:
        given = tuple_text(passed(each) for each in op.arguments)
        made = f"uncast(composite_{op.name}, F, {call(op)})" if op.name in autocast.LISTED else inner
        lines += ["    if out is not None:", f"        return into(out, {op.name!r}, {made}, OP_{op.name}, {given})"]
    lines += explained(op, f"return {inner}")
    text = "\n".join(each for each in lines if each) + "\n"
    return "\n\n".join(each for each in (text, documented(op), operator(op, ""), variants(op, forward_text)) if each)


def directly(direct: Direct, fast: Fast) -> str:
    """The fast path of a primitive in a composite, whose tensors may have other names there."""
    text = fast.text().rstrip("\n")
    names = {each.name: direct.arguments[each.name] for each in fast.operands if each.name in direct.arguments}
    if names:
        text = re.sub(rf"\b({'|'.join(names)})(?=\b|_array\b|_edge\b)", lambda name: names[name[0]], text)
    return text.replace(WHEN, direct.when)


def explained(op, line: str) -> list[str]:
    """A line of a public function; if it fails, the arguments are looked at."""
    if not (op.spaces or op.method):
        return [f"    {line}"]
    given = tuple_text(passed(each) for each in op.arguments)
    return [
        "    try:",
        f"        {line}",
        "    except Exception:",
        f"        explain_arguments(OP_{op.name}, {given})",
        "        raise",
    ]


def documented(op) -> str:
    """What gives a function the names of arguments that PyTorch documents."""
    return f"{op.name} = documented(OP_{op.name}, {op.name})\n" if op.documented else ""


def operator(op, body: str) -> str:
    """The function behind an operator, which leaves a foreign operand to that operand's own method."""
    if not op.operators:
        return ""
    first, *rest = op.arguments
    given = [each for each in rest if not each.keyword_only]
    end = f"{seen_as(op)}({first.name})"
    if given:
        end = f"operated({seen_as(op)}, {first.name}, {given[0].name})"
    names = ", ".join(each.name for each in (first, *given))
    return f"def operator_{op.name}({names}):\n{body}    return {end}\n"


# The operators that subclasses see under the name of a method, `x + y` as `Tensor.add`; others are seen as themselves.
SEEN_AS_METHODS = frozenset((
    "__add__", "__sub__", "__mul__", "__truediv__", "__mod__", "__matmul__", "__neg__", "__pos__", "__abs__", "__ne__",
    "__lt__", "__le__", "__gt__", "__ge__",
))  # fmt: skip
OTHER_METHODS = {"true_divide": "div", "modulus": "abs"}


def seen_as(op) -> str:
    """The function that an operator runs where it has no short cut, and that `__torch_function__` is told of."""
    if op.operators[0] in SEEN_AS_METHODS:
        return f"Tensor.{OTHER_METHODS.get(op.name, op.name)}"
    return f"Operators.{op.name}"


def is_reflected(special: str) -> bool:
    """Whether a special method is the one of a right operand: `__radd__`, not `__rshift__`."""
    return special.startswith("__r") and special != "__rshift__"
