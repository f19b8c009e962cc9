"""A state that carries its graph from one loop iteration into the next: its name, and how to detach it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, NamedTuple

from rushlight.core.graph import Leaf, Node, node_of
from rushlight.core.history import edge_of
from rushlight.core.origin import Place, is_ours
from rushlight.core.tensor import Tensor
from rushlight.explain.attributes import attributes_of
from rushlight.explain.records import made_of
from rushlight.explain.source_text import innermost_loop, names_read, statements_in, targets_of, text_at
from rushlight.nn.modules.module import Module


class Carried(NamedTuple):
    """A carried-over state: a subject for sentences, the line that made it, and the repair."""

    subject: str
    place: Place
    cure: str


def carried_over(starts: tuple, time: int, now: Place) -> Carried | None:
    """Returns the state that links a graph to one from before `time`, if the same line made both; else None."""
    newer, older = parts_of(starts, time)
    lines = {(id(made.place.code), made.place.line) for x in newer if (made := made_with_line(x)) is not None}
    repeated = [made for x in older if (made := made_with_line(x)) is not None]
    repeated = [made for made in repeated if (id(made.place.code), made.place.line) in lines]
    if not repeated:
        return None
    place = repeated[0].place
    state = state_behind(place)
    if state is None:
        return Carried(f"what line {place.line} computes", place, "Cure: detach() what goes into the next pass.")
    return Carried(f"`{', '.join(state.names)}`", place, cure_of(state, place, now))


def made_with_line(node: Node):
    made = made_of(node)
    return made if made is not None and made.place is not None else None


def parts_of(starts: tuple, time: int) -> tuple[list[Node], list[Node]]:
    """Splits the nodes of a graph into those created after `time`, and those before it, newest first."""
    newer: list[Node] = []
    older: list[Node] = []
    seen: set[Node] = set()
    waiting = [node_of(start) for start in starts]
    while waiting:
        node = waiting.pop()
        if node in seen or isinstance(node, Leaf):
            continue
        seen.add(node)
        (older if node.created < time else newer).append(node)
        waiting += [node_of(edge) for edge in node.edges if edge is not None]
    return newer, sorted(older, key=lambda x: -x.created)


class State(NamedTuple):
    """Variables of a function that are computed from themselves: line, names and current values."""

    code: CodeType
    line: int
    names: list[str]
    values: dict[str, Any]


def state_behind(place: Place) -> State | None:
    """Returns the state that the line at `place` computes, else that of a loop which calls its function."""
    scopes = [(frame.f_code, {**frame.f_globals, **frame.f_locals}) for frame in program_frames()]
    if all(code is not place.code for code, _ in scopes):
        scopes += [(place.code, {"self": x}) for x in objects_with(place.code, scopes)]
    states = [state for scope in scopes for state in states_in(*scope)]
    states.sort(key=lambda x: x.code is not place.code or x.line != place.line)
    return states[0] if states else None


def objects_with(code: CodeType, scopes: list) -> Iterator[Any]:
    """Yields the objects that the program can name, nested modules included, that have `code` as a method."""
    for _, values in scopes:
        for value in list(values.values()):
            for module in value.modules() if isinstance(value, Module) else (value,):
                methods = vars(type(module)).values() if hasattr(module, "__dict__") else ()
                if any(getattr(method, "__code__", None) is code for method in methods):
                    yield module


def program_frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_ours(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def states_in(code: CodeType, values: dict[str, Any]) -> Iterator[State]:
    """Yields the statements of a function that compute a tensor with history from itself."""
    statements = list(statements_in(code))
    for statement in statements:
        reads = list(read_by(statement))
        names = [target for target in (*targets_of(statement), *item_targets(statement)) if target in reads]
        names = names or [x for x in copied_to(targets_of(statement), statements) if x in reads]
        names = [name for name in dict.fromkeys(names) if has_history(value_of(name, values))]
        if names:
            yield State(code, statement.lineno, names, values)


def item_targets(statement: ast.stmt) -> list[str]:
    """Returns the items of containers that a statement assigns: `self.state['h']`."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [ast.unparse(target) for target in targets if is_item(target)]


def is_item(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)


def read_by(statement: ast.stmt) -> Iterator[str]:
    value = getattr(statement, "value", None)
    if isinstance(value, ast.expr):
        yield from names_read(value)
        yield from (ast.unparse(node) for node in ast.walk(value) if is_item(node))
    if isinstance(statement, ast.AugAssign):
        yield ast.unparse(statement.target)


def copied_to(names: list[str], statements: list[ast.stmt]) -> Iterator[str]:
    """Yields variables that are assigned one of `names`: `h` for `h = new`."""
    for statement in statements:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.value) in names:
            yield from targets_of(statement)


def value_of(name: str, values: dict[str, Any]) -> Any:
    """Returns the value of a variable, of an attribute `a.b` or of an item `a['b']`; None if there is none."""
    return evaluated(ast.parse(name, mode="eval").body, values)


def evaluated(node: ast.expr, values: dict[str, Any]) -> Any:
    match node:
        case ast.Name(id=name):
            return values.get(name)
        case ast.Attribute(value=owner, attr=attribute):
            return dict(attributes_of(evaluated(owner, values))).get(attribute)
        case ast.Subscript(value=owner, slice=ast.Constant(value=key)):
            container = evaluated(owner, values)
            if isinstance(container, dict):
                return container.get(key)
            if isinstance(container, list) and isinstance(key, int) and key < len(container):
                return container[key]
    return None


def has_history(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(has_history(x) for x in value)
    return isinstance(value, Tensor) and value.requires_grad and not isinstance(edge_of(value), Leaf)


def cure_of(state: State, place: Place, now: Place) -> str:
    """Returns the line that detaches a state, and where to insert it."""
    line = cut_off(state)
    if state.code is now.code and innermost_loop(now) is not None:
        return f"Cure: {line}   (a new line below line {now.line}, `{text_at(now.file, now.line)}`)"
    return f"Cure: {line}   (a new line above line {place.line}, `{text_at(place.file, place.line)}`)"


def cut_off(state: State) -> str:
    """Returns an assignment that detaches the state's variables."""
    return (
        f"{', '.join(state.names)} = {', '.join(detached(name, value_of(name, state.values)) for name in state.names)}"
    )


def detached(name: str, value: Any) -> str:
    if not isinstance(value, tuple | list):
        return f"{name}.detach()"
    kind = type(value).__name__
    inner = "each.detach()" if all(isinstance(x, Tensor) for x in value) else "tuple(e.detach() for e in each)"
    return f"{kind}({inner} for each in {name})"
