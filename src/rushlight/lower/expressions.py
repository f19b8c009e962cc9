"""The expressions of restricted Python as values in machine code."""

from __future__ import annotations

import ast
import operator
from typing import Any

from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import Element, Type, boolean, pointer, void
from rushlight.lower.machine_values import Values, meeting

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


class Expressions(Values):
    """The value of an expression, found by the name of its node: `of_BinOp`."""

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
            found = self.locals[node.id]
            if node.id in self.fixed:
                return found
            return self.emit(found.type, f"load {found.type.register}, ptr {found.text}")
        return self.literal(self.static(node))

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
        return self.emit(self.masks(left.type), f"{name} {left.type.register} {left.text}, {right.text}")

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
