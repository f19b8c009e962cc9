"""The fast path of one primitive, as text: plain tensors of one floating dtype, or a tensor and a Python number."""

from __future__ import annotations

import ast

from rushlight.core.dtype import FLOAT, float32
from rushlight.declarations.declare import CONSTANT, OPTIONAL, OPTIONAL_CONSTANT, TENSOR, TENSORS
from rushlight.dispatch.fast_path_results import Results
from rushlight.dispatch.source_pieces import (
    OTHERS,
    accepts,
    handed,
    is_one_step,
    is_ufunc_call,
    tuple_text,
    with_looked_up,
)

WHEN = "WHEN"  # in a `Direct`: the placeholder for the condition until names are replaced


class Fast(Results):
    """Writes the fast path of one primitive, or of an operator, which has positional arguments only."""

    def text(self) -> str:
        if [operand.role for operand in self.operands] == [TENSORS] and len(self.op.results) == 1:
            return self._sequence(self.operands[0].name)
        if any(operand.role == TENSORS for operand in self.operands):
            return ""
        if not self.tensors and (self.op.refuses or not self.operands):
            return ""
        if self.op.multi_output:
            return self._parts(self.tensors[0].name) if self.op.view else ""
        return self._tensors() + self._scalar()

    # every operand a plain tensor

    def _tensors(self) -> str:
        lines = [f"    if {' and '.join(self._types())}:"]
        for operand in self.operands:
            absent = "None if {0} is None else " if operand.role in (OPTIONAL, OPTIONAL_CONSTANT) else ""
            lines.append(f"        {operand.name}_array = {absent}{operand.name}._array".replace("{0}", operand.name))
        lines.append("        _mode = get_mode()")
        lines += self._alikes()
        lines.append(f"        if {self._dtypes()}(_mode is True or _mode is False or _mode is INFERENCE):")
        if self.direct is not None:
            named = self.direct.arguments.keys() - self.fixed.keys() - {operand.name for operand in self.operands}
            lines += [f"            {name} = {self.direct.arguments[name]}" for name in sorted(named)]
        lines += self._compute({operand.name: f"{operand.name}_array" for operand in self.operands}, set())
        return "\n".join(lines) + "\n"

    def _types(self) -> list[str]:
        out = ["out is None"] if self.out and self.op.view else []
        if self.direct is not None:
            out.append(WHEN)
        if any(argument.name == "dtype" and argument.default is None for argument in self.op.arguments):
            out.append("dtype is None")  # another result dtype means another gradient dtype
        return out + [
            # Most tensors are of the first type; testing for it alone takes half as long.
            f"(type({operand.name}) is Tensor or type({operand.name}) in PLAIN_TYPES)"
            if operand.role in (TENSOR, CONSTANT)
            else f"({operand.name} is None or type({operand.name}) in PLAIN_TYPES)"
            for operand in self.operands
            if not self._is_tested(operand)
        ]

    def _is_tested(self, operand) -> bool:
        """Whether the condition of the direct call has the type of the operand in it."""
        if self.direct is None:
            return False
        condition = ast.parse(self.direct.when, mode="eval").body
        if not (isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And)):
            return False
        name = self.direct.arguments.get(operand.name, operand.name)
        return f"type({name}) is Tensor" in map(ast.unparse, condition.values)

    def _dtypes(self) -> str:
        """Returns the condition that all tensors are of one floating dtype, or of any if elements are only moved."""
        # An exact operator that is not quiet does compute: its derivative may differ for complex numbers.
        if self.op.exact and self.op.no_fp_errors and len(self.tensors) == 1:
            return "" if self.op.view else f"type({self.tensors[0].name}_array) is ndarray and "
        if not self.tensors:
            return "".join(f"{self._is_easy(operand)} and " for operand in self.operands)
        first, *others = self.tensors
        kinds = " or ".join(f"_dtype is {other}" for other in ("FLOAT32", "FLOAT64", *self._others()))
        parts = [f"({kinds})".replace("_dtype", f"(_dtype := {first.name}_array.dtype)", 1)]
        for other in others:
            same = f"_dtype is {other.name}_array.dtype"
            parts.append(same if other.role == TENSOR else f"({other.name} is None or {same})")
        same = " and ".join(parts)
        return f"(_meta_key is not None or {same}) and " if self.alike else f"{same} and "

    def _alikes(self) -> list[str]:
        """Returns the line that tests whether the tensors have equal metadata; if so, their arrays need no tests."""
        if not self.alike:
            return []
        first, *others = (f"{tensor.name}._meta_key" for tensor in self.tensors)
        if not others:
            return [f"        _meta_key = {first}"]
        return [
            f"        if {' or '.join(f'(_meta_key := {first}) is not {other}' for other in others)}:",
            "            _meta_key = None",
        ]

    @staticmethod
    def _is_easy(operand) -> str:
        """Returns the condition that a tensor which is never differentiated is an array that needs no conversion."""
        absent = f"{operand.name} is None or " if operand.role == OPTIONAL_CONSTANT else ""
        result = f"type({operand.name}_array) is ndarray and {operand.name}_array.dtype in EASY"
        return f"({absent}{result})" if absent else result

    def _others(self) -> list[str]:
        """Returns the dtypes besides floats that need no special case: the raw call handles them."""
        op = self.op
        if op.common or op.multi_output or op.view or any(operand.role == CONSTANT for operand in self.operands):
            return []
        if op.dtype not in (("promote", "bool") if op.kind == "elementwise" else ("keep", "bool")):
            return []
        # NumPy sums unsigned integers to unsigned ones, PyTorch to int64.
        signed = op.kind not in ("elementwise", "multilinear")
        return [name for name, kind in OTHERS.items() if accepts(op, kind) and not (signed and kind.kind == "u")]

    def _compute(self, names: dict, numbers: set, indent: int = 12) -> list[str]:
        pad = " " * indent
        text = self._formula({**names, **self.fixed})
        array = is_ufunc_call(text)
        if array:
            text = with_looked_up(text)[:-1] + ", out=...)"
        lines = []
        quiet = self.op.no_fp_errors or (self.direct is not None and self.direct.no_fp_errors)
        if not quiet:
            lines.append(f"{pad}_token = set_errors(xp.IGNORED)")
        lines += [f"{pad}try:", f"{pad}    {', '.join(self.raw.values())} = {text}"]
        lines += self._given(f"{pad}    ", numbers)
        # The general path below repeats any error, without fast paths, and explains it.
        lines += [f"{pad}except Exception:", f"{pad}    pass", f"{pad}else:"]
        inner = pad + "    "
        for name, raw in self.raw.items():
            if not array and not self.op.view:
                lines.append(f"{inner}if type({raw}) is not ndarray and isinstance({raw}, np.generic):")
                lines.append(f"{inner}    {raw} = as_array({raw})")
            lines += self._layout(inner, raw, names, numbers)
            lines.append(f"{inner}{self.wrapped[name]} = objects.tensor(None)")
            lines.append(f"{inner}{self.wrapped[name]}._array = {raw}")
            lines.append(f"{inner}{self.wrapped[name]}._meta_key = {self._alike_of_result(numbers)}")
            if not self.op.view:
                lines.append(f"{inner}{self.wrapped[name]}._base = None")
                lines.append(f"{inner}{self.wrapped[name]}._generation = None")
        lines += self._memory(inner)
        lines += self._record(inner, names, numbers)
        lines.append(f"{inner}return {self._returned()}")
        if not quiet:
            lines += [f"{pad}finally:", f"{pad}    reset_errors(_token)"]
        return lines

    def _layout(self, pad: str, raw: str, names: dict, numbers: set) -> list[str]:
        """Returns the text that lays a result out as PyTorch does; for contiguous operands it does nothing."""
        if self.op.kind != "elementwise" or self.op.view:
            return []
        arrays = [(operand, names[operand.name]) for operand in self.operands if operand.name not in numbers]
        absent = {
            name: f"{name} is None or " if operand.role in (OPTIONAL, OPTIONAL_CONSTANT) else ""
            for operand, name in arrays
        }
        inside = [
            f"({absent[name]}{name}.flags.c_contiguous)" if absent[name] else f"{name}.flags.c_contiguous"
            for _, name in arrays
        ]
        ordered = self.op.contiguous_result  # matrices too, which otherwise have the layout of their operand
        known = "_meta_key is None and " if self.alike and not numbers and not ordered else ""
        contiguous = inside[0] if len(inside) == 1 else f"({' and '.join(inside)})"
        operands = ", ".join([raw, *(names[operand.name] for operand in self.operands)])
        laid_out = f"xp.in_order({raw})" if ordered else f"pointwise({operands})"
        return [
            f"{pad}if {known}{raw}.ndim > {1 if ordered else 2} and not {contiguous}:",
            f"{pad}    {raw} = {laid_out}",
        ]

    def _alike_of_result(self, numbers: set) -> str:
        if self.op.dtype not in ("promote", "float") or len(self.op.results) > 1:
            return "None"
        if self.alike and not numbers:
            return "_meta_key"
        beside = [operand.name for operand in self.operands if operand.name not in numbers]
        return f"{beside[0]}._meta_key" if self.op.kind == "elementwise" and len(beside) == 1 else "None"

    def _formula(self, names: dict) -> str:
        """Returns the text of `forward`; several steps that one kernel can do are an entry of the table `raw`."""
        if self.direct is not None and self.direct.forward:
            return self.direct.forward
        text = self.forward_text(self.op, names)
        if self.op.kind != "elementwise" or is_one_step(text) or (self.op.exact and self.op.no_fp_errors):
            return text
        return f"raw.{self.op.name}({handed(self.op, names)})"

    def _returned(self) -> str:
        if len(self.op.results) == 1:
            return "_tensor"
        return (
            f"OP_{self.op.name}.named_tuple{tuple_text(self.wrapped.values())}"
            if self.op.named_tuple
            else tuple_text(self.wrapped.values())
        )

    # the results are views of parts

    def _parts(self, name: str) -> str:
        rest = tuple_text(argument.name for argument in self.op.arguments if argument.name != name)
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
            *(f"                    {line}" for line in self._node({name: f"{name}_array"}, set(), [name])),
            "                    give_outputs(_node, _parts)",
            "                return _parts",
        ]
        return "\n".join(lines) + "\n"

    # the operand is a sequence of plain tensors

    def _sequence(self, name: str) -> str:
        """Returns one loop over the tensors: a separate comprehension per list costs 0.15 us each."""
        out = f"{WHEN} and " if self.direct is not None else ""
        moved = " or _dtype is INT64 or (_dtype in MOVED and _dtype.metadata is None)" if self.op.exact else ""
        kinds = f"(_dtype is FLOAT32 or _dtype is FLOAT64{moved})"
        return "\n".join(
            [
                f"    if {out}type({name}) in SEQUENCES:",
                "        _arrays, _dtype, _edges, _mode = [], None, (), get_mode()",
                f"        for _each in {name}:",
                "            if type(_each) not in PLAIN_TYPES:",
                "                break",
                "            _arrays.append(_array := _each._array)",
                "            if (_kind := _array.dtype) is not _dtype:",
                "                if _dtype is not None:",
                "                    break",
                "                _dtype = _kind",
                "            if _each._edge is not None or _each._base is not None:",
                "                _edges = None  # to be found",
                "        else:",
                f"            if {kinds} and (_mode is True or _mode is False or _mode is INFERENCE):",
                *self._compute({name: "_arrays"}, set(), 16),
                "",
            ]
        )

    # one operand is a Python number

    def _scalar(self) -> str:
        """Returns the path for a tensor and a number; if the declaration allows either, both orders."""
        if (
            self.op.kind != "elementwise"
            or len(self.tensors) != 2
            or any(tensor.role == OPTIONAL for tensor in self.tensors)
        ):
            return ""
        first, second = (tensor.name for tensor in self.tensors)
        if any(operand.role not in (TENSOR, CONSTANT) for operand in self.operands):
            return ""
        orders = [(tensor, number) for tensor, number in ((first, second), (second, first)) if self._is_common(number)]
        return "".join(self._tensor_and_number(tensor, number) for tensor, number in orders)

    def _is_common(self, number: str) -> bool:
        """Whether an operand is often a number: the first one, of two tensors, where the declaration names it."""
        first = number == self.operands[0].name and len(self.operands) == 2
        return self.op.takes_number(number) and not (first and self.op.scalar_operands is True)

    def _tensor_and_number(self, tensor: str, number: str) -> str:
        constants = [operand.name for operand in self.operands if operand.role == CONSTANT]
        plain = " and ".join(f"type({constant}) in PLAIN_TYPES" for constant in (tensor, *constants))
        when = f"{WHEN} and " if self.direct is not None else ""
        lines = [f"    elif {when}type({number}) in NUMBERS and {plain}:"]
        lines += [f"        {constant}_array = {constant}._array" for constant in (tensor, *constants)]
        lines.append("        _mode = get_mode()")
        integer = "INT64" in self._others()
        range_of = "SMALL" if accepts(self.op, OTHERS["INT64"], {number: -1}) else "COUNTS"
        small = f"type({number}) is int and {number} in {range_of}"
        # Bools are compared as 1 or 0 with any integer.
        compared = self.op.dtype == "bool" and "BOOL" in self._others()
        kinds = "_dtype is INT64 or _dtype is INT32" + " or _dtype is BOOL" * compared
        integers = f" or (({kinds}) and {small})" if integer else ""
        lines.append(f"        if ((_dtype := {tensor}_array.dtype) is FLOAT32 or _dtype is FLOAT64{integers}) and "
                     "(_mode is True or _mode is False or _mode is INFERENCE):")  # fmt: skip
        of_others = "numbers_of[INT64 if _dtype is BOOL else _dtype]" if compared else "numbers_of[_dtype]"
        wide = f"NUMBERS_64 if _dtype is FLOAT64 else {of_others}" if integer else "NUMBERS_64"
        narrow = "FITTING_32" if not {FLOAT, float32}.isdisjoint(self.op.casts_scalar.get(number, ())) else "NUMBERS_32"
        lines.append(f"            _number = ({narrow} if _dtype is FLOAT32 else {wide})[{number}]")
        arrays = {constant: f"{constant}_array" for constant in (tensor, *constants)}
        lines += self._compute({**arrays, number: "_number"}, {number})
        return "\n".join(lines) + "\n"

    def _general(self) -> str:
        arguments = tuple_text(argument.name for argument in self.op.arguments)
        return f"general(OP_{self.op.name}, {arguments}{', out' if self.op.out else ''})"
