"""Translates the expressions of restricted Python to machine code values."""

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
    """Translates an expression by the method for its node type, e.g. `of_BinOp`."""

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
            variable = self.locals[node.id]
            if node.id in self.fixed:
                return variable
            return self.emit(variable.type, f"load {variable.type.register}, ptr {variable.text}")
        return self.literal(self.static(node))

    def static(self, node):
        """Returns what a global name refers to: a number, a type, a function."""
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
        operand = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            operand = self.truth(operand)
            if operand.literal is not None:
                return self.literal(not operand.literal)
            return self.emit(boolean, f"xor i1 {operand.text}, true")
        if isinstance(node.op, ast.USub):
            if operand.literal is not None:
                return self.literal(-operand.literal)
            if operand.type.kind == "f":
                return self.emit(operand.type, f"fneg {operand.type.register} {operand.text}")
            return self.emit(operand.type, f"sub {operand.type.register} 0, {operand.text}")
        if isinstance(node.op, ast.Invert) and operand.type.kind in "iu":
            if operand.literal is not None:
                return self.literal(~operand.literal)
            return self.emit(operand.type, f"xor {operand.type.register} {operand.text}, -1")
        raise self.refuse("an operator without machine code")

    def of_BinOp(self, node) -> Value:
        return self.computed(node.op, self.value(node.left), self.value(node.right))

    def computed(self, op, left: Value, right: Value) -> Value:
        operator_type = type(op)
        if operator_type in SHIFTS:
            return self.shifted(operator_type, left, right)
        left, right = self.promoted(left, right)
        constant = left.literal is not None and right.literal is not None
        form = left.type.register
        if operator_type in ARITHMETIC and left.type.kind in "iuf":
            integer, floating, fold = ARITHMETIC[operator_type]
            if constant:
                return self.literal(fold(left.literal, right.literal))
            if left.type.kind == "f":
                return self.emit(left.type, f"{floating} {self.flags} {form} {left.text}, {right.text}")
            wraps = "nsw " if left.type.kind == "i" else ""
            return self.emit(left.type, f"{integer} {wraps}{form} {left.text}, {right.text}")
        if operator_type in BITWISE and left.type.kind in "iubm":
            name, fold = BITWISE[operator_type]
            if constant:
                return self.literal(fold(left.literal, right.literal))
            return self.emit(left.type, f"{name} {form} {left.text}, {right.text}")
        if operator_type is ast.Div and left.type.kind == "f":
            return self.emit(left.type, f"fdiv {self.flags} {form} {left.text}, {right.text}")
        if operator_type in (ast.FloorDiv, ast.Mod) and left.type.kind in "iu":
            return self.divided(operator_type is ast.Mod, left, right)
        raise self.refuse(f"{operator_type.__name__} of {left.type}: write the cast")

    def shifted(self, operator_type, left: Value, right: Value) -> Value:
        signed, unsigned, fold = SHIFTS[operator_type]
        if left.literal is not None and right.literal is not None:
            return self.literal(fold(left.literal, right.literal))
        right = self.converted(right, left.type, explicit=True)
        name = signed if left.type.kind == "i" else unsigned
        return self.emit(left.type, f"{name} {left.type.register} {left.text}, {right.text}")

    def divided(self, remainder: bool, left: Value, right: Value) -> Value:
        """Divides integers, rounded down as in Python."""
        type_, form = left.type, left.type.register
        if left.literal is not None and right.literal is not None:
            return self.literal((operator.mod if remainder else operator.floordiv)(left.literal, right.literal))
        if type_.kind == "u":
            return self.emit(type_, f"{'urem' if remainder else 'udiv'} {form} {left.text}, {right.text}")
        if right.literal is not None and right.literal > 0 and not right.literal & (right.literal - 1):
            if remainder:
                return self.emit(type_, f"and {form} {left.text}, {right.literal - 1}")
            return self.emit(type_, f"ashr {form} {left.text}, {right.literal.bit_length() - 1}")
        rest = self.emit(type_, f"srem {form} {left.text}, {right.text}")
        signs = self.emit(type_, f"xor {form} {rest.text}, {right.text}")
        differ = self.emit(boolean, f"icmp slt {form} {signs.text}, 0")
        left_over = self.emit(boolean, f"icmp ne {form} {rest.text}, 0")
        mend = self.emit(boolean, f"and i1 {differ.text}, {left_over.text}")
        if remainder:
            more = self.emit(type_, f"add {form} {rest.text}, {right.text}")
            return self.emit(type_, f"select i1 {mend.text}, {form} {more.text}, {form} {rest.text}")
        quotient = self.emit(type_, f"sdiv {form} {left.text}, {right.text}")
        less = self.emit(type_, f"sext i1 {mend.text} to {form}")
        return self.emit(type_, f"add {form} {quotient.text}, {less.text}")

    def of_Compare(self, node) -> Value:
        left = self.value(node.left)
        result: Any = None
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value(comparator)
            comparison = self.compared(op, left, right)
            result = comparison if result is None else self.emit(boolean, f"and i1 {result.text}, {comparison.text}")
            left = right
        return result

    def compared(self, op, left: Value, right: Value) -> Value:
        if type(op) not in COMPARISONS:
            raise self.refuse(f"{type(op).__name__} has no machine code")
        left, right = self.promoted(left, right)
        signed, unsigned, ordered, fold = COMPARISONS[type(op)]
        if left.literal is not None and right.literal is not None:
            return self.literal(fold(left.literal, right.literal))
        name = {"i": f"icmp {signed}", "f": f"fcmp {ordered}"}.get(left.type.kind, f"icmp {unsigned}")
        return self.emit(self.mask_type(left.type), f"{name} {left.type.register} {left.text}, {right.text}")

    def of_BoolOp(self, node) -> Value:
        """Evaluates the right side only if the left one does not decide."""
        stop = isinstance(node.op, ast.Or)
        left = self.truth(self.value(node.values[0]))
        for operand in node.values[1:]:
            if left.literal is not None:
                left = left if left.literal is stop else self.truth(self.value(operand))
                continue
            slot, more, end = self.slot(boolean), self.label(), self.label()
            self.line(f"store i1 {left.text}, ptr {slot.text}")
            self.branch(left, *((end, more) if stop else (more, end)))
            self.line(f"{more}:")
            right = self.truth(self.value(operand))
            self.line(f"store i1 {right.text}, ptr {slot.text}")
            self.place(end)
            left = self.emit(boolean, f"load i1, ptr {slot.text}")
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
        type_ = meeting(first, second)
        slot = self.slot(type_)
        self.line(f"store {type_.register} {self.converted(first, type_).text}, ptr {slot.text}")
        self.line(f"br label %{end}")
        self.line(f"{no}:")
        self.lines.extend(after)
        self.line(f"store {type_.register} {self.converted(second, type_).text}, ptr {slot.text}")
        self.place(end)
        return self.emit(type_, f"load {type_.register}, ptr {slot.text}")

    def of_Subscript(self, node) -> Value:
        base = self.value(node.value)
        return self.load(base.type.element, self.address(base, self.value(node.slice)))

    def of_Call(self, node) -> Value:
        if node.keywords:
            raise self.refuse("arguments are given by position")
        if isinstance(node.func, ast.Name) and node.func.id in self.locals:
            return self.called(self.value(node.func), [self.value(argument) for argument in node.args])
        called = self.static(node.func)
        if isinstance(called, (Type, Element)):
            return self.converted(self.value(node.args[0]), self.bound.get(called, called).loaded, explicit=True)
        if not hasattr(called, "call"):
            called = self.unit.builtins.get(called, called)
        if not hasattr(called, "call"):
            raise self.refuse(f"{node.func.id} has no machine code")
        result = called.call(self, node.args)
        self.node = node
        return result

    def called(self, target: Value, arguments) -> Value:
        """Emits a call by address."""
        type_ = target.type
        if type_.kind != "c" or len(type_.parameters) != len(arguments):
            raise self.refuse(f"{type_} does not take {len(arguments)} arguments")
        return self.call_of(target.text, type_.parameters, type_.returns, arguments)

    def call_of(self, symbol: str, parameters, returns: Type, arguments) -> Value:
        values = [self.converted(value, type_.loaded) for value, type_ in zip(arguments, parameters, strict=True)]
        arguments_text = ", ".join(f"{each.type.register} {each.text}" for each in values)
        if returns is void:
            self.line(f"call void {symbol}({arguments_text})")
            return Value(void, "")
        return self.emit(returns.loaded, f"call {returns.register} {symbol}({arguments_text})")
