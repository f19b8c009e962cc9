"""Restricted Python to LLVM's text: the body of one function, for one choice of types.

A local is a slot on the stack with the type of the first value that it is given; LLVM turns slots into registers. One
that never changes is no slot but the value itself, which spares LLVM a sixth of the text. Whole numbers written out
take the type of what they meet; nothing else is converted unless the text says so, but to a wider type of the same
kind.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from rushlight.lower.expressions import Expressions
from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import Type, int64, void


class Translation(Expressions):
    """One function being translated, a statement at a time: `do_For`."""

    def text(self, parameters, returns: Type, public: bool) -> str:
        """The definition; `parameters` are pairs of name and type."""
        statements = self.native.tree.body
        self.fixed = fixed([name for name, _ in parameters], statements)
        for name, kind in parameters:
            self.define(name, Value(kind, f"%{name}"))
        self.returns = returns
        self.block(statements)
        self.line("ret void" if returns is void else "unreachable")
        heading = ", ".join(
            f"{kind.register}{' noalias' if self.native.separate and kind.kind == 'p' else ''} %{name}"
            for name, kind in parameters
        )
        linkage = "" if public else "internal "
        body = "\n".join((*self.slots, *self.lines))
        # What Python calls has its machine code behind a function of its own, which is not to have all of it once more.
        native = self.native
        attributes = 2 if native.cold else 1 if native.alone or public else 3 if native.inlined else 0
        return f"define {linkage}{returns.register} @{self.symbol}({heading}) #{attributes} {{\nentry:\n{body}\n}}\n"

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
            self.define(target.id, value)
        else:
            raise self.refuse("a target is a name or an element of a pointer")

    def define(self, name: str, value: Value) -> None:
        """Gives a local a value."""
        kind = self.locals[name].type if name in self.locals else value.type
        value = self.converted(value, kind, name)
        if name in self.fixed:
            self.locals[name] = value._replace(literal=None)
            return
        if name not in self.locals:
            self.locals[name] = self.slot(kind)
        self.line(f"store {kind.register} {value.text}, ptr {self.locals[name].text}")

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


def fixed(parameters: list[str], statements: list) -> set[str]:
    """The names that have one value for good: parameters, and what is assigned once, in no branch and no loop."""
    times = Counter([*parameters, *assigned(statements)])
    outside = {name for each in statements if not hasattr(each, "body") for name in assigned([each])}
    return {name for name in outside.union(parameters) if times[name] == 1}


def assigned(statements: list) -> Iterator[str]:
    """The names that statements assign to, each as often as they do."""
    for each in statements:
        for target in getattr(each, "targets", [getattr(each, "target", None)]):
            for name in getattr(target, "elts", [target]):
                if isinstance(name, ast.Name):
                    yield name.id
        yield from assigned([*getattr(each, "body", ()), *getattr(each, "orelse", ())])
