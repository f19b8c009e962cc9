"""Restricted Python to LLVM's text: the body of one function, for one choice of types.

Every local is a slot on the stack with the type of the first value that it is given; LLVM turns slots into registers.
Whole numbers written out take the type of what they meet; nothing else is converted unless the text says so, but to a
wider type of the same kind.
"""

from __future__ import annotations

import ast
import operator
import struct
from typing import Any, NamedTuple

from rushlight.compiler.machine_types import (
    Element,
    Type,
    bfloat16,
    boolean,
    float16,
    float32,
    float64,
    int32,
    int64,
    mask_of,
    pointer,
    uint32,
    void,
)


class Value(NamedTuple):
    """Something computed: its type, the register or constant that holds it, and the number where it is written out."""

    type: Type
    text: str
    literal: Any = None


class NotTranslated(SyntaxError):
    """A piece of Python that has no translation, with the line where it stands."""


ARITHMETIC = {
    ast.Add: ("add", "fadd", operator.add),
    ast.Sub: ("sub", "fsub", operator.sub),
    ast.Mult: ("mul", "fmul", operator.mul),
}
BITWISE = {
    ast.BitAnd: ("and", operator.and_),
    ast.BitOr: ("or", operator.or_),
    ast.BitXor: ("xor", operator.xor),
}
SHIFTS = {ast.LShift: ("shl", "shl", operator.lshift), ast.RShift: ("ashr", "lshr", operator.rshift)}
COMPARISONS = {
    ast.Eq: ("eq", "eq", "oeq", operator.eq),
    ast.NotEq: ("ne", "ne", "une", operator.ne),
    ast.Lt: ("slt", "ult", "olt", operator.lt),
    ast.LtE: ("sle", "ule", "ole", operator.le),
    ast.Gt: ("sgt", "ugt", "ogt", operator.gt),
    ast.GtE: ("sge", "uge", "oge", operator.ge),
}


class Translation:
    """One function being translated. `unit` is the module it goes into: it names callees and declares what is used."""

    def __init__(self, unit, native, bound: dict, symbol: str):
        self.unit, self.native, self.bound, self.symbol = unit, native, bound, symbol
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.locals: dict[str, Value] = {}
        self.loops: list[tuple[str, str]] = []  # where `continue` and `break` go
        self.count = 0
        self.node: ast.AST = native.tree
        self.names = native.names
        self.flags = " ".join(("contract", *(("reassoc", "nsz") if native.reassociate else ())))

    # ---- the text

    def text(self, parameters, returns: Type, public: bool) -> str:
        """The definition; `parameters` are pairs of name and type."""
        for name, kind in parameters:
            self.locals[name] = self.slot(kind)
            self.line(f"store {kind.register} %{name}, ptr {self.locals[name].text}")
        self.returns = returns
        self.block(self.native.tree.body)
        self.line("ret void" if returns is void else "unreachable")
        heading = ", ".join(
            f"{kind.register}{' noalias' if self.native.separate and kind.kind == 'p' else ''} %{name}"
            for name, kind in parameters
        )
        linkage = "" if public else "internal "
        body = "\n".join(f"  {each}" if not each.endswith(":") else each for each in (*self.slots, *self.lines))
        # What Python calls has its machine code behind a function of its own, which is not to have all of it once more.
        attributes = "#2" if self.native.cold else "#1" if self.native.alone or public else "#0"
        return f"define {linkage}{returns.register} @{self.symbol}({heading}) {attributes} {{\nentry:\n{body}\n}}\n"

    def line(self, text: str) -> None:
        self.lines.append(text)

    def name(self) -> str:
        self.count += 1
        return f"%.{self.count}"

    def emit(self, kind: Type, text: str) -> Value:
        """A line that gives a value."""
        found = self.name()
        self.line(f"{found} = {text}")
        return Value(kind, found)

    def slot(self, kind: Type, many: int = 1) -> Value:
        """Room on the stack."""
        found = self.name()
        if many == 1:
            self.slots.append(f"{found} = alloca {kind.register}")
        else:
            self.slots.append(f"{found} = alloca [{many} x {kind.memory}], align 64")
        return Value(kind, found)

    def label(self) -> str:
        self.count += 1
        return f"L{self.count}"

    def place(self, label: str) -> None:
        """Falls through to a label and goes on there."""
        self.line(f"br label %{label}")
        self.line(f"{label}:")

    def leave(self, label: str) -> None:
        """Goes elsewhere; what follows in the text is never reached."""
        self.line(f"br label %{label}")
        self.line(f"{self.label()}:")

    def branch(self, test: Value, yes: str, no: str) -> None:
        self.line(f"br i1 {test.text}, label %{yes}, label %{no}")

    def refuse(self, what: str) -> NotTranslated:
        line = getattr(self.node, "lineno", self.native.line)
        return NotTranslated(f"{what} ({self.native.file}:{line}, in {self.native.__name__})")

    # ---- statements

    def block(self, statements) -> None:
        for each in statements:
            self.node = each
            translate = getattr(self, f"do_{type(each).__name__}", None)
            if translate is None:
                raise self.refuse(f"{type(each).__name__} has no machine code")
            translate(each)

    def do_Pass(self, node) -> None:
        pass

    def do_Expr(self, node) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def do_Return(self, node) -> None:
        if node.value is None:
            self.line("ret void")
        else:
            found = self.converted(self.value(node.value), self.returns)
            self.line(f"ret {self.returns.register} {found.text}")
        self.line(f"{self.label()}:")

    def do_Assign(self, node) -> None:
        if len(node.targets) != 1:
            raise self.refuse("one target at a time")
        target = node.targets[0]
        if not isinstance(target, ast.Tuple):
            self.assign(target, self.value(node.value))
            return
        if not isinstance(node.value, ast.Tuple) or len(node.value.elts) != len(target.elts):
            raise self.refuse("several targets need as many values beside them")
        values = [self.value(each) for each in node.value.elts]
        for each, value in zip(target.elts, values, strict=True):
            self.assign(each, value)

    def do_AnnAssign(self, node) -> None:
        kind = self.static(node.annotation)
        kind = self.bound.get(kind, kind)
        if not isinstance(kind, Type) or not isinstance(node.target, ast.Name) or node.value is None:
            raise self.refuse("a declaration is `name: type = value`")
        value = self.converted(self.value(node.value), kind.loaded)
        self.assign(node.target, value._replace(literal=None))

    def do_AugAssign(self, node) -> None:
        right = self.value(node.value)
        if isinstance(node.target, ast.Name):
            self.assign(node.target, self.computed(node.op, self.value(node.target), right))
        else:
            base, index = self.value(node.target.value), self.value(node.target.slice)
            place = self.address(base, index)
            found = self.computed(node.op, self.load(base.type.element, place), right)
            self.store(base.type.element, place, found)

    def assign(self, target, value: Value) -> None:
        if isinstance(target, ast.Subscript):
            base = self.value(target.value)
            self.store(base.type.element, self.address(base, self.value(target.slice)), value)
        elif isinstance(target, ast.Name):
            if value.type is void:
                raise self.refuse("a call that gives nothing")
            if target.id not in self.locals:
                self.locals[target.id] = self.slot(value.type)
            found = self.locals[target.id]
            value = self.converted(value, found.type, target.id)
            self.line(f"store {found.type.register} {value.text}, ptr {found.text}")
        else:
            raise self.refuse("a target is a name or an element of a pointer")

    def do_If(self, node) -> None:
        test = self.truth(self.value(node.test))
        if test.literal is not None:  # known while compiling: the other branch need not have a meaning
            self.block(node.body if test.literal else node.orelse)
            return
        yes, no, end = self.label(), self.label(), self.label()
        self.branch(test, yes, no)
        for label, statements in ((yes, node.body), (no, node.orelse)):
            self.line(f"{label}:")
            self.block(statements)
            self.line(f"br label %{end}")
        self.line(f"{end}:")

    def do_While(self, node) -> None:
        self.no_else(node)
        head, body, end = self.label(), self.label(), self.label()
        self.place(head)
        self.branch(self.truth(self.value(node.test), known=False), body, end)
        self.line(f"{body}:")
        self.repeated(node.body, head, end)
        self.line(f"br label %{head}")
        self.line(f"{end}:")

    def do_For(self, node) -> None:
        self.no_else(node)
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
            raise self.refuse("for goes over a range")
        given = [self.value(each) for each in call.args]
        begin = given[0] if len(given) > 1 else Value(int64, "0", 0)
        end, step = given[min(1, len(given) - 1)], given[2] if len(given) > 2 else Value(int64, "1", 1)
        if step.literal is None:
            raise self.refuse("the step of a range is written out")
        kind = end.type if end.literal is None else begin.type
        begin, end = self.converted(begin, kind), self.converted(end, kind)
        counter = self.slot(kind)
        self.line(f"store {kind.register} {begin.text}, ptr {counter.text}")
        head, body, further, out = self.label(), self.label(), self.label(), self.label()
        self.place(head)
        now = self.emit(kind, f"load {kind.register}, ptr {counter.text}")
        self.branch(self.compared(ast.Lt() if step.literal > 0 else ast.Gt(), now, end), body, out)
        self.line(f"{body}:")
        self.assign(node.target, now)
        self.repeated(node.body, further, out)
        self.place(further)
        after = self.emit(kind, f"add {'nsw ' if kind.kind == 'i' else ''}{kind.register} {now.text}, {step.literal}")
        self.line(f"store {kind.register} {after.text}, ptr {counter.text}")
        self.line(f"br label %{head}{self.unit.looped(self.native.looped)}")
        self.line(f"{out}:")

    def repeated(self, statements, further: str, out: str) -> None:
        self.loops.append((further, out))
        self.block(statements)
        self.loops.pop()

    def no_else(self, node) -> None:
        if node.orelse:
            raise self.refuse("a loop has no else")

    def do_Break(self, node) -> None:
        self.leave(self.loops[-1][1])

    def do_Continue(self, node) -> None:
        self.leave(self.loops[-1][0])

    # ---- expressions

    def value(self, node) -> Value:
        self.node = node
        translate = getattr(self, f"of_{type(node).__name__}", None)
        if translate is None:
            raise self.refuse(f"{type(node).__name__} has no machine code")
        return translate(node)

    def of_Constant(self, node) -> Value:
        return self.literal(node.value)

    def of_Name(self, node) -> Value:
        if node.id in self.locals:
            kind, place, _ = self.locals[node.id]
            return self.emit(kind, f"load {kind.register}, ptr {place}")
        return self.literal(self.static(node))

    def literal(self, value) -> Value:
        """A number, or an object that only a call or a conversion can use."""
        if isinstance(value, bool):
            return Value(boolean, str(value).lower(), value)
        if isinstance(value, int):
            return Value(int64, str(value), value)
        if isinstance(value, float):
            return Value(float64, decimal(value), value)
        if hasattr(value, "as_value"):
            return value.as_value(self)
        raise self.refuse(f"{value!r} is no number")

    def static(self, node):
        """What a name means outside: a number, a type, a function."""
        if isinstance(node, ast.Name) and node.id not in self.locals:
            if node.id in self.names:
                return self.names[node.id]
            raise self.refuse(f"{node.id!r} has no value yet, or only in one branch")
        if isinstance(node, ast.Call) and self.static(node.func) is pointer:
            element = self.static(node.args[0])
            return pointer(self.bound.get(element, element))
        raise self.refuse("only a name can stand here")

    def of_Attribute(self, node) -> Value:
        raise self.refuse("an object has no attributes in machine code: import the name")

    def of_UnaryOp(self, node) -> Value:
        found = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            found = self.truth(found)
            if found.literal is not None:
                return self.literal(not found.literal)
            return self.emit(boolean, f"xor i1 {found.text}, true")
        if isinstance(node.op, ast.USub):
            if found.literal is not None:
                return self.literal(-found.literal)
            if found.type.kind == "f":
                return self.emit(found.type, f"fneg {found.type.register} {found.text}")
            return self.emit(found.type, f"sub {found.type.register} 0, {found.text}")
        if isinstance(node.op, ast.Invert) and found.type.kind in "iu":
            if found.literal is not None:
                return self.literal(~found.literal)
            return self.emit(found.type, f"xor {found.type.register} {found.text}, -1")
        raise self.refuse("an operator without machine code")

    def of_BinOp(self, node) -> Value:
        return self.computed(node.op, self.value(node.left), self.value(node.right))

    def computed(self, op, left: Value, right: Value) -> Value:
        kind = type(op)
        if kind in SHIFTS:
            return self.shifted(kind, left, right)
        left, right = self.alike(left, right)
        known = left.literal is not None and right.literal is not None
        form = left.type.register
        if kind in ARITHMETIC and left.type.kind in "iuf":
            whole, floating, fold = ARITHMETIC[kind]
            if known:
                return self.literal(fold(left.literal, right.literal))
            if left.type.kind == "f":
                return self.emit(left.type, f"{floating} {self.flags} {form} {left.text}, {right.text}")
            wraps = "nsw " if left.type.kind == "i" else ""
            return self.emit(left.type, f"{whole} {wraps}{form} {left.text}, {right.text}")
        if kind in BITWISE and left.type.kind in "iubm":
            name, fold = BITWISE[kind]
            if known:
                return self.literal(fold(left.literal, right.literal))
            return self.emit(left.type, f"{name} {form} {left.text}, {right.text}")
        if kind is ast.Div and left.type.kind == "f":
            return self.emit(left.type, f"fdiv {self.flags} {form} {left.text}, {right.text}")
        if kind in (ast.FloorDiv, ast.Mod) and left.type.kind in "iu":
            return self.divided(kind is ast.Mod, left, right)
        raise self.refuse(f"{kind.__name__} of {left.type}: write the cast")

    def shifted(self, kind, left: Value, right: Value) -> Value:
        signed, unsigned, fold = SHIFTS[kind]
        if left.literal is not None and right.literal is not None:
            return self.literal(fold(left.literal, right.literal))
        right = self.converted(right, left.type, explicit=True)
        name = signed if left.type.kind == "i" else unsigned
        return self.emit(left.type, f"{name} {left.type.register} {left.text}, {right.text}")

    def divided(self, remainder: bool, left: Value, right: Value) -> Value:
        """Rounded down, as Python does it."""
        kind, form = left.type, left.type.register
        if left.literal is not None and right.literal is not None:
            return self.literal((operator.mod if remainder else operator.floordiv)(left.literal, right.literal))
        if kind.kind == "u":
            return self.emit(kind, f"{'urem' if remainder else 'udiv'} {form} {left.text}, {right.text}")
        if right.literal is not None and right.literal > 0 and not right.literal & (right.literal - 1):
            if remainder:
                return self.emit(kind, f"and {form} {left.text}, {right.literal - 1}")
            return self.emit(kind, f"ashr {form} {left.text}, {right.literal.bit_length() - 1}")
        rest = self.emit(kind, f"srem {form} {left.text}, {right.text}")
        signs = self.emit(kind, f"xor {form} {rest.text}, {right.text}")
        differ = self.emit(boolean, f"icmp slt {form} {signs.text}, 0")
        left_over = self.emit(boolean, f"icmp ne {form} {rest.text}, 0")
        mend = self.emit(boolean, f"and i1 {differ.text}, {left_over.text}")
        if remainder:
            more = self.emit(kind, f"add {form} {rest.text}, {right.text}")
            return self.emit(kind, f"select i1 {mend.text}, {form} {more.text}, {form} {rest.text}")
        quotient = self.emit(kind, f"sdiv {form} {left.text}, {right.text}")
        less = self.emit(kind, f"sext i1 {mend.text} to {form}")
        return self.emit(kind, f"add {form} {quotient.text}, {less.text}")

    def of_Compare(self, node) -> Value:
        left = self.value(node.left)
        found: Any = None
        for op, each in zip(node.ops, node.comparators, strict=True):
            right = self.value(each)
            now = self.compared(op, left, right)
            found = now if found is None else self.emit(boolean, f"and i1 {found.text}, {now.text}")
            left = right
        return found

    def compared(self, op, left: Value, right: Value) -> Value:
        if type(op) not in COMPARISONS:
            raise self.refuse(f"{type(op).__name__} has no machine code")
        left, right = self.alike(left, right)
        signed, unsigned, ordered, fold = COMPARISONS[type(op)]
        if left.literal is not None and right.literal is not None:
            return self.literal(fold(left.literal, right.literal))
        name = {"i": f"icmp {signed}", "f": f"fcmp {ordered}"}.get(left.type.kind, f"icmp {unsigned}")
        found = mask_of(left.type.lanes) if left.type.lanes else boolean
        return self.emit(found, f"{name} {left.type.register} {left.text}, {right.text}")

    def of_BoolOp(self, node) -> Value:
        """The right side is looked at only where the left one leaves the answer open."""
        stop = isinstance(node.op, ast.Or)
        left = self.truth(self.value(node.values[0]))
        for each in node.values[1:]:
            if left.literal is not None:
                left = left if left.literal is stop else self.truth(self.value(each))
                continue
            place, more, end = self.slot(boolean), self.label(), self.label()
            self.line(f"store i1 {left.text}, ptr {place.text}")
            self.branch(left, *((end, more) if stop else (more, end)))
            self.line(f"{more}:")
            right = self.truth(self.value(each))
            self.line(f"store i1 {right.text}, ptr {place.text}")
            self.place(end)
            left = self.emit(boolean, f"load i1, ptr {place.text}")
        return left

    def of_IfExp(self, node) -> Value:
        test = self.truth(self.value(node.test))
        if test.literal is not None:
            return self.value(node.body if test.literal else node.orelse)
        yes, no, end = self.label(), self.label(), self.label()
        self.branch(test, yes, no)
        self.line(f"{yes}:")
        first = self.value(node.body)
        before, self.lines = self.lines, []
        second = self.value(node.orelse)
        after, self.lines = self.lines, before
        kind = meeting(first, second)
        place = self.slot(kind)
        self.line(f"store {kind.register} {self.converted(first, kind).text}, ptr {place.text}")
        self.line(f"br label %{end}")
        self.line(f"{no}:")
        self.lines.extend(after)
        self.line(f"store {kind.register} {self.converted(second, kind).text}, ptr {place.text}")
        self.place(end)
        return self.emit(kind, f"load {kind.register}, ptr {place.text}")

    def of_Subscript(self, node) -> Value:
        base = self.value(node.value)
        return self.load(base.type.element, self.address(base, self.value(node.slice)))

    def of_Call(self, node) -> Value:
        if node.keywords:
            raise self.refuse("arguments are given by position")
        if isinstance(node.func, ast.Name) and node.func.id in self.locals:
            return self.called(self.value(node.func), [self.value(each) for each in node.args])
        called = self.static(node.func)
        if isinstance(called, (Type, Element)):
            return self.converted(self.value(node.args[0]), self.bound.get(called, called).loaded, explicit=True)
        if not hasattr(called, "call"):
            called = self.unit.builtins.get(called, called)
        if not hasattr(called, "call"):
            raise self.refuse(f"{node.func.id} has no machine code")
        found = called.call(self, node.args)
        self.node = node
        return found

    def called(self, target: Value, arguments) -> Value:
        """A call by address."""
        kind = target.type
        if kind.kind != "c" or len(kind.parameters) != len(arguments):
            raise self.refuse(f"{kind} does not take {len(arguments)} arguments")
        return self.call_of(target.text, kind.parameters, kind.returns, arguments)

    def call_of(self, symbol: str, parameters, returns: Type, arguments) -> Value:
        given = [self.converted(value, kind.loaded) for value, kind in zip(arguments, parameters, strict=True)]
        inside = ", ".join(f"{each.type.register} {each.text}" for each in given)
        if returns is void:
            self.line(f"call void {symbol}({inside})")
            return Value(void, "")
        return self.emit(returns.loaded, f"call {returns.register} {symbol}({inside})")

    # ---- memory and conversion

    def address(self, base: Value, index: Value) -> str:
        """Where an element is."""
        if base.type.kind != "p":
            raise self.refuse(f"{base.type} has no elements")
        if index.type.kind not in "iu":
            raise self.refuse("an index is a whole number")
        index = self.converted(index, int64, explicit=True)
        element = base.type.element.memory
        return self.emit(base.type, f"getelementptr inbounds {element}, ptr {base.text}, i64 {index.text}").text

    def load(self, element: Type, place: str) -> Value:
        raw = self.emit(element, f"load {element.memory}, ptr {place}, align {max(element.size, 1)}")
        if element.kind == "b":
            return self.emit(boolean, f"icmp ne i8 {raw.text}, 0")
        if element is bfloat16:
            return self.widened(raw)
        if element is float16:
            return self.emit(float32, f"fpext half {raw.text} to float")
        return raw

    def widened(self, raw: Value) -> Value:
        """A bfloat16 is the upper half of a float32."""
        wide = self.emit(uint32, f"zext i16 {raw.text} to i32")
        high = self.emit(uint32, f"shl i32 {wide.text}, 16")
        return self.emit(float32, f"bitcast i32 {high.text} to float")

    def halved(self, value: Value) -> str:
        """The upper half of a float32, rounded to even; NaN stays NaN."""
        whole = self.emit(uint32, f"bitcast float {value.text} to i32").text
        high = self.emit(uint32, f"lshr i32 {whole}, 16").text
        odd = self.emit(uint32, f"and i32 {high}, 1").text
        more = self.emit(uint32, f"add i32 {odd}, 32767").text
        total = self.emit(uint32, f"add i32 {whole}, {more}").text
        rounded = self.emit(uint32, f"lshr i32 {total}, 16").text
        quiet = self.emit(uint32, f"or i32 {high}, 64").text
        is_nan = self.emit(boolean, f"fcmp uno float {value.text}, 0.0").text
        found = self.emit(uint32, f"select i1 {is_nan}, i32 {quiet}, i32 {rounded}").text
        return self.emit(uint32, f"trunc i32 {found} to i16").text

    def stored(self, element: Type, value: Value) -> str:
        """The value as it goes into memory."""
        value = self.converted(value, element.loaded)
        if element.kind == "b":
            return self.emit(element, f"zext i1 {value.text} to i8").text
        if element is bfloat16:
            return self.halved(value)
        if element is float16:
            return self.emit(element, f"fptrunc float {value.text} to half").text
        return value.text

    def store(self, element: Type, place: str, value: Value) -> None:
        self.line(f"store {element.memory} {self.stored(element, value)}, ptr {place}, align {max(element.size, 1)}")

    def alike(self, left: Value, right: Value) -> tuple[Value, Value]:
        """Two operands in one type."""
        kind = meeting(left, right)
        if left.literal is right.literal is None and left.type.kind != right.type.kind:
            raise self.refuse(f"{left.type} meets {right.type}: write the cast")
        return self.converted(left, kind), self.converted(right, kind)

    def truth(self, value: Value, known: bool = True) -> Value:
        if value.type is not boolean:
            raise self.refuse(f"a condition is a comparison, not {value.type}")
        return value if known or value.literal is None else value._replace(literal=None)

    def converted(self, value: Value, kind: Type, name: str = "a value", explicit: bool = False) -> Value:
        """The value in another type: any with a cast, else what loses nothing."""
        have = value.type
        if value.literal is not None and not isinstance(value.literal, (int, float)):
            return value.literal.converted(self, kind)
        if value.literal is not None and kind.kind in "iuf":
            return self.literal_as(value.literal, kind, explicit)
        if have == kind or (have.kind == kind.kind == "p" and kind.element is void):
            return value
        if explicit:
            return self.cast(value, kind)
        if have.kind == kind.kind and have.kind in "iuf" and have.bits < kind.bits:
            return self.cast(value, kind)
        raise self.refuse(f"{name} is {kind}, given {have}: write the cast")

    def literal_as(self, number, kind: Type, explicit: bool) -> Value:
        if kind.kind == "f":
            exact = struct.unpack("f", struct.pack("f", number))[0] if kind.bits == 32 else float(number)
            return Value(kind, in_lanes(kind, decimal(exact)), float(number))
        if isinstance(number, float) and not explicit:
            raise self.refuse(f"{number} is no whole number")
        return Value(kind, in_lanes(kind, str(kind(number))), kind(number))

    def cast(self, value: Value, kind: Type) -> Value:
        have, before, after = value.type, value.type.register, kind.register
        if kind is boolean:
            test = f"fcmp une {before} {value.text}, 0.0" if have.kind == "f" else f"icmp ne {before} {value.text}, 0"
            return self.emit(boolean, test)
        if have.kind in "pc" and kind.kind in "pc":
            return Value(kind, value.text)
        if have.kind in "pc" or kind.kind in "pc":
            name = "ptrtoint" if have.kind in "pc" else "inttoptr"
        elif have.kind == "f" and kind.kind == "f":
            name = "fpext" if have.bits < kind.bits else "fptrunc"
        elif have.kind == "f":
            if kind.bits < 32:  # in two steps, as C compilers do it: so what does not fit wraps round
                return self.cast(self.cast(value, int32), kind)
            name = "fptosi" if kind.kind == "i" else "fptoui"
        elif kind.kind == "f":
            name = "sitofp" if have.kind == "i" else "uitofp"
        elif have.bits == kind.bits and have.kind != "b":
            return Value(kind, value.text)
        else:
            wider = "sext" if have.kind == "i" else "zext"
            name = wider if have.bits < kind.bits or have.kind == "b" else "trunc"
        if before == after:
            return Value(kind, value.text)
        return self.emit(kind, f"{name} {before} {value.text} to {after}")


def meeting(left: Value, right: Value) -> Type:
    """The type in which two operands meet: the wider one, numbers written out being no wider than anything."""
    if (left.literal is None) is not (right.literal is None):
        return right.type if left.literal is not None else left.type
    if left.literal is not None:
        return left.type if left.type is right.type else float64
    return left.type if left.type.bits >= right.type.bits else right.type


def in_lanes(kind: Type, number: str) -> str:
    """A constant of a type: of a vector, the number in every lane."""
    if not kind.lanes:
        return number
    single = kind.memory.partition(" x ")[2][:-1]
    return f"<{', '.join([f'{single} {number}'] * kind.lanes)}>"


def decimal(number: float) -> str:
    """A double in LLVM's notation, which is exact."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
