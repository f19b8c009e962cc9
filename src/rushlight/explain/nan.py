"""Where NaN or infinity first appears: in the values of the forward pass, or in the gradients of the backward pass."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from rushlight.autograd.gradients import grad
from rushlight.core.device import BACKENDS
from rushlight.core.dtype import REDUCED_NUMPY
from rushlight.core.graph import Leaf, Node
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS
from rushlight.explain.derivatives import derivative_text
from rushlight.explain.graph import Graph, Step, graph_of
from rushlight.explain.result import Explanation, listed
from rushlight.explain.source_rewriting import spoken
from rushlight.explain.tensors import name_of


class Passed(NamedTuple):
    """The gradients that a node received and sent in a backward pass."""

    node: Node
    received: list
    sent: list


def explain_nan(loss: Tensor, names: Mapping[str, Any]) -> Explanation:
    """Explains which step turned finite values into NaN or infinity, forward or backward, and at which element."""
    if not isinstance(loss, Tensor):
        raise TypeError(f"explain_nan(): expected the loss, a tensor, not {type(loss).__name__}")
    name = name_of(loss, names)
    explanation = Explanation(
        f"NaN and infinity in the computation of {f'`{name}`' if name else 'the loss'} and its gradients:"
    )
    explanation.facts |= {"kind": "explain_nan", "loss": name, "born": None, "op": None, "file": None, "line": None}
    graph = graph_of(loss, names)
    if not graph.steps:
        explanation.say("forward", f"The loss is {_word(loss._array)} and has no graph to look through.")
    elif any(step.freed for step in graph.steps):
        explanation.say("graph", "backward() has freed it. Compute the loss again, and call this before backward().")
    elif (born := first_non_finite(graph, loss)) is None:
        _backward(explanation, graph, loss)
    elif isinstance(born.step.node, Leaf):
        _explain_leaf(explanation, born.step)
    else:
        _explain_forward(explanation, born)
    return explanation


def _word(array) -> str:
    return "not finite" if array.size and not np.isfinite(plain(array)).all() else "finite"


def is_bad(value) -> bool:
    """Whether an array or scalar contains NaN or infinity."""
    if isinstance(value, np.generic) or (type(value) is np.ndarray and not value.ndim and value.dtype.kind == "f"):
        number = value.item()  # ten times as fast, for losses
        return isinstance(number, (float, complex)) and not cmath.isfinite(number)
    value = plain(value)
    floats = isinstance(value, np.ndarray) and (value.dtype.kind in "fc" or value.dtype in REDUCED_NUMPY)
    return floats and not np.isfinite(value).all()


def is_bad_behind_masks(array) -> bool:
    """Whether an array contains NaN, or an infinity other than the -inf of a mask."""
    return array is not None and array.dtype.kind in "fc" and bool((np.isnan(array) | np.isposinf(array.real)).any())


# ---- forward


class NonFinite(NamedTuple):
    """The oldest step whose result is not finite, with its result and known operands."""

    step: Step
    result: Any
    operands: dict[str, Any]
    suspects: tuple[Step, ...] = ()  # older steps on the path with unknown results

    @property
    def infinite(self) -> str | None:
        """The operand that is not finite although no step computed it."""
        return next((name for name, array in self.operands.items() if is_bad(np.asarray(array))), None)

    @property
    def arrays(self) -> list:
        """The known operands in the order of the operation's arguments."""
        order = [argument.name for argument in type(self.step.node).op.arguments]
        return [np.asarray(self.operands[x]) for x in order if x in self.operands]

    @property
    def unknown(self) -> str | None:
        """An operand that a step computed and nothing saved."""
        computed = (link.operand for link in self.step.links if link.step is not None)
        return next((x for x in computed if x not in self.operands), None)


# Masks of -inf are intended. After one, only NaN and +inf count as failures.
NUMBERS = (bool, int, float)
MASKING = frozenset(("fill_mask_with_number", "fill_mask_with_tensor", "choose"))


def first_non_finite(graph: Graph, loss: Tensor) -> NonFinite | None:
    """Returns the oldest step with a non-finite result, among results that were saved or can be computed again."""
    values: dict[int, Any] = {}
    users = graph.users()
    bad: Callable[[Any], bool] = is_bad
    for step in reversed(graph.steps):
        if isinstance(step.node, Leaf):
            values[step.index] = step.node.array
            if bad(step.node.array):
                return NonFinite(step, step.node.array, {})
            continue
        operands = _operands_of(step, values)
        result = _kept_result(graph, step, users)
        if result is None and step.index in graph.roots:
            result = loss._array
        if result is None:
            result = computed_again(step, operands)
        values[step.index] = result
        if step.op in MASKING and bad(result) and not is_bad_behind_masks(result):
            bad = is_bad_behind_masks
        if bad(result):
            return NonFinite(step, result, operands, _unknown_before(graph, step, values))
    return None


def _unknown_before(graph: Graph, step: Step, values: dict) -> tuple[Step, ...]:
    """Returns the steps with unknown results that lead to a step, oldest first."""
    earlier: dict[int, Step] = {}
    waiting = [step]
    while waiting:
        for link in waiting.pop().links:
            if link.step is not None and values.get(link.step) is None and link.step not in earlier:
                earlier[link.step] = graph.steps[link.step]
                waiting.append(earlier[link.step])
    return tuple(earlier[index] for index in sorted(earlier, reverse=True))


def _operands_of(step: Step, values: dict) -> dict[str, Any]:
    """Returns the known operands of a step: saved ones, else results of the steps that made them."""
    result = {
        value.name: value.array for value in step.saved if value.name not in _results(step) and value.array is not None
    }
    for link in step.links:
        if link.step is not None and not link.output and values.get(link.step) is not None:
            result.setdefault(link.operand, values[link.step])
    return result


def _kept_result(graph: Graph, step: Step, users: dict[int, list[int]]):
    """Returns a step's result if it, or a step that uses it, saved it."""
    kept = [value.array for value in step.saved if value.name in _results(step)[:1]]
    for user in users[step.index]:
        used = {link.operand for link in graph.steps[user].links if link.step == step.index and not link.output}
        kept += [value.array for value in graph.steps[user].saved if value.name in used]
    return next((value for value in kept if value is not None), None)


def computed_again(step: Step, operands: dict[str, Any]):
    """Computes a step's first result from its operands; None if an argument was not saved."""
    op = getattr(type(step.node), "op", None)
    if op is None or op.multi_output or step.node.in_place or not operands:
        return None
    node = step.node
    known = dict(zip(type(node).parameters, node.params, strict=False)) | operands | {"dtype": None}
    known |= {name: value for name, value in zip(type(node).saves, node.saved, strict=False) if type(value) in NUMBERS}
    if any(argument.name not in known for argument in op.arguments):
        return None
    language = BACKENDS.of(next(iter(operands.values()))).language
    positional = [known[argument.name] for argument in op.arguments if not argument.keyword_only]
    named = {argument.name: known[argument.name] for argument in op.arguments if argument.keyword_only}
    with np.errstate(all="ignore"):
        out = op.forward(language, *positional, **named)
        return np.asarray(out[0] if len(op.results) > 1 else out)


def _results(step: Step) -> tuple:
    op = OPS.get(step.op)
    return op.results if op is not None else ()


def _explain_leaf(explanation: Explanation, step: Step) -> None:
    what = f"`{step.variable}`" if step.variable else f"A leaf of shape {step.shape}"
    explanation.facts |= {"born": "leaf", "op": "leaf"}
    explanation.say("forward", f"{what} is not finite before anything is computed.")


def _explain_forward(explanation: Explanation, born: NonFinite) -> None:
    step, result, operands, suspects = born
    where = first_bad(result)
    _note(explanation, step, "forward", where)
    explanation.facts["suspects"] = [
        {"op": suspect.op, "line": suspect.place.line if suspect.place else None} for suspect in suspects
    ]
    origin = "from finite operands"
    if born.infinite:
        origin = f"since its operand `{born.infinite}` is not finite"
    elif born.unknown:
        origin = f"from `{born.unknown}`, which was not kept and may not be finite"
    explanation.say(
        "forward",
        f"{spoken(step.op)}{_place(step)} gives {_number(result, where)} at {_index(where)}, {origin}.",
        _numbers_there(operands.items(), where),
        _suspected(suspects),
    )
    explanation.say("to write", _forward_cure(step.op))


def _suspected(suspects: tuple[Step, ...]) -> str | None:
    if not suspects:
        return None
    names = listed([f"{spoken(suspect.op)}{_place(suspect)}" for suspect in suspects])
    return f"It may have begun earlier, in {names}. Run the program within `with rushlight.watch():` to see where."


def _forward_cure(op: str) -> str:
    return {
        "log": "log of 0 is -inf: `torch.log(x.clamp_min(1e-12))`, or log_softmax in place of log(softmax(x)).",
        "true_divide": "Division by 0: `x / y.clamp_min(1e-12)`, or divide only where y is not 0.",
        "sqrt": "The root of a negative number is nan: `torch.sqrt(x.clamp_min(0))`.",
        "exp": "exp overflows above 88 in float32: subtract the largest first, or use logsumexp or softmax.",
        "pow": "A negative number to a fraction is nan, 0 to a negative number is inf: `x.clamp_min(1e-12) ** p`.",
    }.get(op, "Clamp the operands to the domain of this operation.")


# ---- backward


def _backward(explanation: Explanation, graph: Graph, loss: Tensor) -> None:
    for passed in passes(graph, loss):
        received = [x for x in passed.received if x is not None]
        bad = [(number, item) for number, item in enumerate(passed.sent) if item is not None and is_bad(item._array)]
        if bad and not any(is_bad(x._array) for x in received):
            number, gradient = bad[0]
            _explain_backward(explanation, graph.steps[graph.index[passed.node]], number, received, gradient._array)
            return
    explanation.say("forward", "Every number is finite.")
    explanation.say("backward", "Every gradient is finite.")


def passes(graph: Graph, loss: Tensor) -> Iterator[Passed]:
    """Runs backward with temporary hooks and returns each node's gradients, newest first; `.grad` is untouched."""
    passed: list[Passed] = []
    nodes = [step.node for step in graph.operations]
    handles = [
        node.register_hook(lambda sent, received, node=node: passed.append(Passed(node, list(received), list(sent))))
        for node in nodes
    ]
    kept = [(node, node.step) for node in nodes]
    leaves = [step.node.variable for step in graph.leaves]  # type: ignore[attr-defined]
    weight = None if loss.numel() == 1 else loss.detach() * 0 + 1
    try:
        grad(loss, leaves, weight, retain_graph=True, allow_unused=True)
    finally:
        for handle in handles:
            handle.remove()
        for node, step in kept:
            node.step = step
    return iter(passed)


def _explain_backward(explanation: Explanation, step: Step, number: int, received: list, gradient) -> None:
    where = first_bad(gradient)
    _note(explanation, step, "backward", where)
    operand = step.links[number].operand if number < len(step.links) else f"input {number}"
    arrived = _at(received[0]._array, where) if received else None
    formula = derivative_text(step.op, operand)
    explanation.say(
        "backward",
        f"{spoken(step.op)}{_place(step)} is given finite gradients and sends {_number(gradient, where)} to "
        f"`{operand}` at {_index(where)}.",
        f"The gradient that came to that element is {arrived:.4g}." if arrived is not None else None,
        f"Its derivative: {formula}" if formula else None,
        _numbers_there([(value.name, value.array) for value in step.saved], where),
    )
    explanation.say("to write", *_backward_cures(step.op, arrived))


def _backward_cures(op: str, arrived: float | None) -> Iterator[str]:
    if arrived == 0:
        yield (
            "torch.where did not choose this branch, so its gradient is 0, and 0 times infinity is nan. Replace the "
            "operand before the operation: `safe = torch.where(mask, x, 1.0)`, then use `safe`."
        )
    if op in ("sqrt", "norm", "vector_norm", "linalg_vector_norm", "pow"):
        yield "The derivative at 0 is infinite: `torch.sqrt(x + 1e-12)`."
    elif op in ("log", "true_divide", "reciprocal", "rsqrt"):
        yield "The derivative at 0 is infinite: `x.clamp_min(1e-12)`."
    elif arrived != 0:
        yield "Clamp the operand to the range where the derivative is finite."


# ---- elements


def first_bad(array) -> tuple:
    """Returns the index of the first element that is not finite."""
    return tuple(int(position) for position in np.unravel_index(np.flatnonzero(~np.isfinite(array))[0], array.shape))


def _number(array, where: tuple) -> str:
    return f"{array[where]}"


def _index(where: tuple) -> str:
    return f"[{', '.join(map(str, where))}]" if where else "its one element"


def _at(array, where: tuple) -> float | None:
    """Returns the element of an array that broadcasts to an index; None if there is none."""
    array = np.asarray(plain(array))
    if array.ndim > len(where) or array.dtype.kind not in "fiub":
        return None
    inner = where[len(where) - array.ndim :]
    index = tuple(0 if size == 1 else place for size, place in zip(array.shape, inner, strict=True))
    inside = all(place < size for place, size in zip(index, array.shape, strict=True))
    return float(array[index]) if inside else None


def _numbers_there(values: Iterable[tuple[str, Any]], where: tuple) -> str | None:
    """Lists the saved elements at one index."""
    elements = [(name, _at(array, where)) for name, array in values if array is not None]
    shown = [f"`{name}` = {number:.6g}" for name, number in elements if number is not None]
    return f"There, {listed(shown)}." if shown else None


def _place(step: Step) -> str:
    return f" at {step.place}" if step.place is not None else ""


def _note(explanation: Explanation, step: Step, born: str, where: tuple) -> None:
    place = step.place
    explanation.facts |= {
        "born": born, "op": step.op, "index": where,
        "file": place.file if place else None, "line": place.line if place else None,
    }  # fmt: skip
