"""Notes for a backward pass that reaches a freed graph: which line made that graph, and the repair.

Three mistakes raise the same errors: a loss that is computed before the loop, a state that is carried into the next
iteration, and two losses that share a part. Each needs its own repair. retain_graph=True silences all three, and then
trains on gradients of old values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

from rushlight.autograd.reach import newest_first
from rushlight.core.graph import Leaf, Node, node_of
from rushlight.core.origin import Place, here
from rushlight.explain.carried_state import Carried, carried_over
from rushlight.explain.graph import freed_by
from rushlight.explain.records import kept_by, made_of, writes_to
from rushlight.explain.result import counted, in_bytes
from rushlight.explain.source_rewriting import code_of
from rushlight.explain.source_rewriting import statement as statement_of
from rushlight.explain.source_text import function_at, in_parentheses, innermost_loop, last_assignment, text_at

BACKWARD = re.compile(r"([A-Za-z_][\w.]*(?:\[\w+\])?)\.backward\(|\bbackward\(\s*([A-Za-z_][\w.]*)")
KEEPING = re.compile(r"(, )?retain_graph=True(, )?")


class Line(NamedTuple):
    """A statement of the program that recorded a part of a graph."""

    number: int
    text: str


def second_backward(node: Node, starts: tuple = ()) -> list[str]:
    """Returns the note for a pass that reaches a graph whose values are freed."""
    freed = freed_by(node)
    if freed is None or (made := made_of(node)) is None or made.place is None:
        return []
    now, newest = here(), max((node_of(start).created for start in starts), default=0)
    earlier = freed_before(starts, max(newest, freed.time))
    size = size_of([value for value, time in earlier if time == freed.time])
    lines = [
        f"{loss_at(now)} uses the graph that `{code_of(freed.place) or 'backward()'}` at {freed.place.short} has "
        "already freed.",
        f"That graph was made at {made.place}: {size}.",
    ]
    if newest >= freed.time and (carried := carried_over(starts, freed.time, now)) is not None:
        return [*lines, *_carried(carried, size_of([value for value, _ in earlier]))]
    if newest >= freed.time and (label := _label(starts, freed.time, now)) is not None:
        return [*lines, *label]
    if old := lines_before_the_loop(starts, now):
        return [*lines, *_computed_once(old, now)]
    if is_same_line(freed.place, now) and (outside := made_elsewhere(starts, freed.time, now)):
        return [*lines, *_computed_elsewhere(outside, now)]
    if newest >= freed.time:
        return [*lines, *_shared_part(starts, freed.place, freed.time, now)]
    return [*lines, *_computed_before(starts, freed.place, now)]


def freed_before(starts: tuple, now: int) -> list[tuple[Node, int]]:
    """Returns (node, time of the pass) for nodes that earlier passes have freed."""
    nodes = newest_first(map(node_of, starts))
    freed_nodes = [(node, freed.time) for node in nodes if (freed := freed_by(node)) is not None]
    return [(node, time) for node, time in freed_nodes if time <= now]


def size_of(nodes: list[Node]) -> str:
    """Returns the number of operations, and the size of their saved values if recorded: `3 operations with 1.2 KB`."""
    sizes = [kept_by(node) for node in nodes]
    known = f" with {in_bytes(sum(sizes))}" if None not in sizes else ""  # type: ignore[arg-type]
    return counted(len(nodes), "operation") + known


def changed_by_step(node: Node, position: int, starts: tuple) -> list[str]:
    """Returns the note if an optimizer's step changed a saved value; empty if nothing more is known."""
    now, saved = here(), node.storages[position]
    nodes = newest_first(map(node_of, starts))
    newer = [x.created for x in nodes if x is not node and keeps_new_value(x, saved)]
    write = next((place for _, place, op in writes_to(saved)[::-1] if op == "step"), None)
    what = f"{f'`{write.text}` at line {write.line}' if write else 'a step()'} has changed the parameters since"
    if newer and (carried := carried_over(starts, min(newer), now)) is not None:
        subject = carried.subject[0].upper() + carried.subject[1:]
        return [
            f"{subject} comes from the pass before, at {carried.place}: {what}.",
            carried.cure,
            *_without_keeping(now),
        ]
    if old := lines_before_the_loop(starts, now):
        lines = [f"{loss_at(now)} was computed once, before the loop, and {what}.", *_cure_in_the_loop(old, now)]
        return [*lines, *_without_keeping(now)]
    return []


def _without_keeping(now: Place) -> list[str]:
    """Returns the line of a backward() without `retain_graph=True`."""
    if "retain_graph" not in now.text:
        return []
    return [f"Then line {now.line} need not keep the graph: `{KEEPING.sub('', text_at(now.file, now.line))}`"]


def keeps_new_value(node: Node, storage) -> bool:
    """Whether a node has saved the current version of a storage."""
    pairs = zip(node.storages, node.versions, strict=False)
    return any(value is storage and version == storage.version for value, version in pairs)


# ---- a state that is carried over


def _carried(carried: Carried, size: str) -> list[str]:
    return [
        f"It reaches that graph through {carried.subject}, which was computed before that call.",
        carried.cure,
        f"(retain_graph=True would keep the graph of every pass in memory: {size} so far)",
    ]


# ---- a constant part


def _label(starts: tuple, time: int, now: Place) -> list[str] | None:
    """Returns the note for values, such as labels, that are computed before the loop from unchanged parameters."""
    loop, old = innermost_loop(now), old_part(starts, time)
    lines = statements_of(old, now.code)
    leaves = [x for node in old for x in map(node_of, filter(None, node.edges)) if isinstance(x, Leaf)]
    if loop is None or not lines or any(is_written_in(leaf, now, loop) for leaf in leaves):
        return None
    name = assigned_name(lines[-1].text)
    if name is None or loop.lineno <= lines[-1].number <= (loop.end_lineno or 0):
        return None
    value = lines[-1].text.partition("=")[2].strip()
    return [
        f"It reaches that graph through `{name}`, which was computed once, before the loop, from tensors that the loop "
        "does not change.",
        f"Cure: {name} = {in_parentheses(value)}.detach()   (in place of line {lines[-1].number})",
    ]


def is_written_in(leaf: Leaf, now: Place, loop: ast.stmt) -> bool:
    """Whether the last known write to a leaf is in the loop."""
    writes = writes_to(leaf.variable._storage)
    return any(place.code is not now.code or loop.lineno <= place.line <= (loop.end_lineno or 0)
               for _, place, _ in writes[-1:])  # fmt: skip


# ---- a loss that is computed once


def lines_before_the_loop(starts: tuple, now: Place) -> list[Line]:
    """Returns the statements outside of the current loop that recorded parts of the graph."""
    loop = innermost_loop(now)
    if loop is None:
        return []
    statements = statements_of(newest_first(map(node_of, starts)), now.code)
    return [x for x in statements if not loop.lineno <= x.number <= (loop.end_lineno or 0)]


def statements_of(nodes: list[Node], code: CodeType) -> list[Line]:
    """Returns the statements of a function that recorded some nodes, in source order."""
    places = [made.place for node in nodes if not isinstance(node, Leaf) and (made := made_of(node)) is not None]
    lines = sorted({place.line for place in places if place is not None and place.code is code})
    return [Line(number, text_at(code.co_filename, number)) for number in lines]


def _computed_once(old: list[Line], now: Place) -> list[str]:
    where = " and ".join(f"line {x.number}" for x in old)
    return [
        f"It was computed once, before the loop: {where}.",
        *_cure_in_the_loop(old, now),
        "(retain_graph=True would silence the error, and train on gradients of the parameters as they were then.)",
    ]


def is_same_line(first: Place, second: Place) -> bool:
    return first.code is second.code and first.line == second.line


def made_elsewhere(starts: tuple, time: int, now: Place) -> list[Place]:
    """Returns where other functions recorded parts of a graph before `time`, in source order.

    Empty if one of these lines has run since: what it computes is then a state that goes from pass to pass.
    """
    made = [(node.created, made_of(node)) for node in newest_first(map(node_of, starts)) if not isinstance(node, Leaf)]
    lines = [(created, each.place) for created, each in made if each is not None and each.place is not None]
    old = {(each.code, each.line): each for created, each in lines if created < time and each.code is not now.code}
    if any(created > time and (each.code, each.line) in old for created, each in lines):
        return []
    return sorted(old.values(), key=lambda each: (each.file, each.line))


def _computed_elsewhere(old: list[Place], now: Place) -> list[str]:
    """Returns the note for what was computed before the function that calls backward() again and again was called."""
    loop, function = innermost_loop(now), function_at(now.code)
    where = " and ".join(each.short for each in old)
    line = function.lineno if loop is None and isinstance(function, ast.FunctionDef) else now.line
    repeated = f"{now.code.co_name}() at line {line}" if loop is None else f"the loop at line {loop.lineno}"
    return [
        f"It was computed once, before: {where}.",
        f"Cure: compute it in every pass, as the first line of {repeated}:",
        *(f"          {each.text}" for each in old),
        "(retain_graph=True would silence the error, and train on gradients of the parameters as they were then.)",
    ]


def _cure_in_the_loop(old: list[Line], now: Place) -> list[str]:
    loop = innermost_loop(now)
    first = f", as the first line of the loop at line {loop.lineno}" if loop is not None else ""
    return [f"Cure: compute it in every pass{first}:", *(f"          {x.text}" for x in old)]


def loss_at(now: Place) -> str:
    """Returns the name of the loss in the line of a backward()."""
    match statement_of(now):
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=loss, attr="backward"))):
            return f"`{ast.unparse(loss)}`"
    name = loss_name(now)
    return f"`{name}`" if name else "This loss"


def loss_name(place: Place) -> str | None:
    match = BACKWARD.search(place.text)
    return (match[1] or match[2]) if match else None


# ---- two losses


def _computed_before(starts: tuple, freed: Place, now: Place) -> list[str]:
    """Returns the repair if both losses existed before the first backward()."""
    first, second = loss_name(freed), loss_name(now)
    lines: list[str] = []
    steps = list(statements_of(newest_first(map(node_of, starts)), now.code))
    stepped = step_between(freed, now)
    if first is not None and first == second and stepped is None:
        return [*lines, f"Cure: leave out line {now.line} (`{now.text}`): the gradients are there already."]
    if stepped is not None:
        cure = f"Cure: compute {loss_at(now)} anew below line {stepped.number}, where the parameters have changed:"
        return [*lines, cure, *(f"          {step.text}" for step in steps)]
    return [*lines, *_cure_of_sum(first, second, freed, now)]


def _cure_of_sum(first: str | None, second: str | None, freed: Place, now: Place) -> list[str]:
    if first is None or second is None:
        return ["Cure: add the losses, and call backward() once on the sum."]
    return [
        f"Cure: `({first} + {second}).backward()` in place of line {now.line}, and leave out line {freed.line}: one "
        "pass gives the gradients of both."
    ]


def _shared_part(starts: tuple, freed: Place, time: int, now: Place) -> list[str]:
    """Returns the note for a loss computed after the first backward() from a part that it went through."""
    shared = next((statement for statement in statements_of(old_part(starts, time), now.code)[::-1]), None)
    first, second = loss_name(freed), loss_name(now)
    name = None if shared is None else assigned_name(shared.text)
    line = f" from line {shared.number}" if shared else ""
    lines = [f"It reaches that graph through {f'`{name}`' if name else 'a result'}{line}."]
    if step_between(freed, now) is None:
        return [*lines, *_cure_of_sum(first, second, freed, now)]
    detached = detached_line(first, name, freed) if name and first else None
    if detached is not None:
        why = f"`{first}` is to train what comes after `{name}` only. Detach it there, at line {detached.number}:"
        return [*lines, f"Cure: {why}", f"          {detached.text}"]
    return [*lines, "Cure: detach() the shared part where the first loss uses it."]


def old_part(starts: tuple, time: int) -> list[Node]:
    """Returns the newest nodes of a graph that were created before `time`."""
    old, seen = [], set()
    waiting = [node_of(start) for start in starts]
    while waiting:
        node = waiting.pop()
        if node in seen or isinstance(node, Leaf):
            continue
        seen.add(node)
        if node.created < time:
            old += newest_first([node])
        else:
            waiting += [node_of(edge) for edge in node.edges if edge is not None]
    return old


def assigned_name(text: str) -> str | None:
    match ast.parse(text).body if is_statement(text) else []:
        case [ast.Assign(targets=[ast.Name(id=name)])]:
            return name
    return None


def is_statement(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def step_between(freed: Place, now: Place) -> Line | None:
    """Returns the call of step() between two calls of backward() in the source."""
    function = function_at(now.code)
    if function is None or freed.code is not now.code:
        return None
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Attribute(attr="step")) if freed.line < node.lineno < now.line:
                return Line(node.lineno, text_at(now.file, node.lineno))
    return None


def detached_line(loss: str, name: str, before: Place) -> Line | None:
    """Returns the statement where a loss first uses a variable, with the variable detached."""
    for statement in statements_behind(loss, before):
        if any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement.value)):
            changed = ast.parse(ast.unparse(statement)).body[0]
            return Line(statement.lineno, ast.unparse(Detaching(name).visit(changed)))
    return None


def statements_behind(name: str, before: Place) -> Iterator[ast.Assign]:
    """Yields the assignments in one function that a variable depends on, nearest first."""
    waiting, seen = [(name, before.line)], set()
    while waiting:
        wanted, line = waiting.pop(0)
        statement = last_assignment(before.code, wanted, line)
        if statement is None or statement.lineno in seen:
            continue
        seen.add(statement.lineno)
        yield statement
        names = [node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)]
        waiting += [(name, statement.lineno) for name in names]


class Detaching(ast.NodeTransformer):
    """Replaces reads of a name by `name.detach()`."""

    def __init__(self, name: str):
        self.name = name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self.name or not isinstance(node.ctx, ast.Load):
            return node
        return ast.parse(f"{in_parentheses(node.id)}.detach()", mode="eval").body
