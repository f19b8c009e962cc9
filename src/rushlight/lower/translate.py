"""Translates the body of a restricted Python function to LLVM text, for one choice of types.

A local is a stack slot with the type of its first value; LLVM turns slots into registers. A local that is assigned once
is the value itself, which saves LLVM a sixth of the text. Literals adapt to the other operand; otherwise only widening
within a kind is implicit.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from rushlight.lower.expressions import Expressions
from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import Type, int64, void


class Translation(Expressions):
    """Translates one function, statement by statement, e.g. `do_For`."""

    def text(self, parameters, returns: Type, public: bool) -> str:
        """Returns the definition; `parameters` are pairs of name and type."""
        statements = self.native.tree.body
        self.fixed = fixed([name for name, _ in parameters], statements)
        for name, type_ in parameters:
            self.define(name, Value(type_, f"%{name}"))
        self.returns = returns
        self.block(statements)
        self.line("ret void" if returns is void else "unreachable")
        heading = ", ".join(
            f"{type_.register}{' noalias' if self.native.separate and type_.kind == 'p' else ''} %{name}"
            for name, type_ in parameters
        )
        linkage = "" if public else "private "  # no symbol in the object code
        body = "\n".join((*self.slots, *self.lines))
        # Public functions are called through a wrapper, which must not inline them.
        native = self.native
        attributes = 2 if native.cold else 1 if native.alone or public else 3 if native.inlined else 0
        return f"define {linkage}{returns.register} @{self.symbol}({heading}) #{attributes} {{\nentry:\n{body}\n}}\n"

    def block(self, statements) -> None:
        for statement in statements:
            self.node = statement
            translate = getattr(self, f"do_{type(statement).__name__}", None)
            if translate is None:
                raise self.refuse(f"{type(statement).__name__} has no machine code")
            translate(statement)

    def do_Pass(self, node) -> None:
        pass

    def do_Expr(self, node) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def do_Return(self, node) -> None:
        if node.value is None:
            self.line("ret void")
        else:
            value = self.converted(self.value(node.value), self.returns)
            self.line(f"ret {self.returns.register} {value.text}")
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
        values = [self.value(item) for item in node.value.elts]
        for item, value in zip(target.elts, values, strict=True):
            self.assign(item, value)

    def do_AnnAssign(self, node) -> None:
        type_ = self.static(node.annotation)
        type_ = self.bound.get(type_, type_)
        if not isinstance(type_, Type) or not isinstance(node.target, ast.Name) or node.value is None:
            raise self.refuse("a declaration is `name: type = value`")
        value = self.converted(self.value(node.value), type_.loaded)
        self.assign(node.target, value._replace(literal=None))

    def do_AugAssign(self, node) -> None:
        right = self.value(node.value)
        if isinstance(node.target, ast.Name):
            self.assign(node.target, self.computed(node.op, self.value(node.target), right))
        else:
            base, index = self.value(node.target.value), self.value(node.target.slice)
            address = self.address(base, index)
            value = self.computed(node.op, self.load(base.type.element, address), right)
            self.store(base.type.element, address, value)

    def assign(self, target, value: Value) -> None:
        if isinstance(target, ast.Subscript):
            base = self.value(target.value)
            self.store(base.type.element, self.address(base, self.value(target.slice)), value)
        elif isinstance(target, ast.Name):
            if value.type is void:
                raise self.refuse("a call that gives nothing")
            self.define(target.id, value)
        else:
            raise self.refuse("a target is a name or an element of a pointer")

    def define(self, name: str, value: Value) -> None:
        """Assigns a local."""
        type_ = self.locals[name].type if name in self.locals else value.type
        value = self.converted(value, type_, name)
        if name in self.fixed:
            self.locals[name] = value._replace(literal=None)
            return
        if name not in self.locals:
            self.locals[name] = self.slot(type_)
        self.line(f"store {type_.register} {value.text}, ptr {self.locals[name].text}")

    def do_If(self, node) -> None:
        test = self.truth(self.value(node.test))
        if test.literal is not None:  # known at compile time: the other branch need not be valid
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
        bounds = [self.value(argument) for argument in call.args]
        begin = bounds[0] if len(bounds) > 1 else Value(int64, "0", 0)
        end, step = bounds[min(1, len(bounds) - 1)], bounds[2] if len(bounds) > 2 else Value(int64, "1", 1)
        if step.literal is None:
            raise self.refuse("the step of a range is written out")
        type_ = end.type if end.literal is None else begin.type
        begin, end = self.converted(begin, type_), self.converted(end, type_)
        counter = self.slot(type_)
        self.line(f"store {type_.register} {begin.text}, ptr {counter.text}")
        head, body, further, out = self.label(), self.label(), self.label(), self.label()
        self.place(head)
        current = self.emit(type_, f"load {type_.register}, ptr {counter.text}")
        self.branch(self.compared(ast.Lt() if step.literal > 0 else ast.Gt(), current, end), body, out)
        self.line(f"{body}:")
        self.assign(node.target, current)
        self.repeated(node.body, further, out)
        self.place(further)
        after = self.emit(
            type_, f"add {'nsw ' if type_.kind == 'i' else ''}{type_.register} {current.text}, {step.literal}"
        )
        self.line(f"store {type_.register} {after.text}, ptr {counter.text}")
        self.line(f"br label %{head}{self.unit.loop_metadata(self.native.loop_metadata)}")
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


def fixed(parameters: list[str], statements: list) -> set[str]:
    """Returns the names with one value: parameters, and locals assigned once, in no branch and no loop."""
    times = Counter([*parameters, *assigned(statements)])
    outside = {name for statement in statements if not hasattr(statement, "body") for name in assigned([statement])}
    return {name for name in outside.union(parameters) if times[name] == 1}


def assigned(statements: list) -> Iterator[str]:
    """Yields the names that statements assign, with repetitions."""
    for statement in statements:
        for target in getattr(statement, "targets", [getattr(statement, "target", None)]):
            for name in getattr(target, "elts", [target]):
                if isinstance(name, ast.Name):
                    yield name.id
        yield from assigned([*getattr(statement, "body", ()), *getattr(statement, "orelse", ())])
