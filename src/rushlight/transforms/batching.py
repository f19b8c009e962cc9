"""How operators compute on batches: by a `batch` clause, a rule of their kind, or a loop over samples.

Rules and clauses get the values of the arguments. Those named in `b.batched` have the batch as their dimension 0, and
so have the results. `b` is what they need to know of the call.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import rushlight._generated.functions as F
from rushlight.core.modes import MODE, change
from rushlight.core.tensor import Tensor
from rushlight.core.traced import BatchedArray, below, check_randomness, has_batch, lowered, with_level_of_draws
from rushlight.declarations.declare import OPS
from rushlight.dispatch.planned import called
from rushlight.transforms.batch_rules import rule_of
from rushlight.transforms.unbatched_writes import refusal


class Batch(NamedTuple):
    """What a rule needs to know of a call: the size of the batch, and the names of the arguments that have it."""

    size: int
    batched: frozenset


def compute(level, form, arguments: tuple) -> Any:
    """Returns the array of the result of a call on the short path, or a list of them."""
    if (rule := RULES.get(form)) is None:
        rule = RULES[form] = short_rule(form)
    return rule(level, form, arguments)


def short_rule(form) -> Callable:
    """Returns the function that computes calls of an operator on the short path."""
    op = form.op
    if op.name in SPECIAL:
        return by_name
    if op.name == "slice_view":
        return of_slice
    return of_elements if form.elementwise and op.batch is None and op.name != "fill_with_tensor" else by_rule


RULES: dict = {}  # of the operators that were called on batches


def by_name(level, form, arguments: tuple) -> Any:
    """Computes a call that takes more than its arguments."""
    return interpret(level, form.op, dict(zip(form.names, arguments, strict=True)))


def of_elements(level, form, arguments: tuple) -> BatchedArray:
    """Computes an elementwise operator, whose operands need no rule if they have one rank."""
    rank, batched, values = None, False, [*arguments]
    for i in form.operands:
        if isinstance(value := arguments[i], Tensor):
            array = value._array
            if type(array) is BatchedArray and array.level is level:
                values[i] = value = array.value
                if array.batched:
                    batched = True
                    ndim = value._array.ndim - 1
                else:
                    ndim = value._array.ndim
            else:
                ndim = array.ndim
            if rank is None:
                rank = ndim
            elif rank != ndim:
                return by_rule(level, form, arguments)
    return BatchedArray(level, form.call(values), batched)


def of_slice(level, form, arguments: tuple) -> BatchedArray:
    """Computes a slice, the most frequent view: what `batch_rules.shift` does."""
    input, dim, start, end, step = arguments
    if not (array := input._array).batched:
        return BatchedArray(level, F.slice_view(array.value, dim, start, end, step), False)
    return BatchedArray(level, F.slice_view(array.value, dim + 1, start, end, step))


def by_rule(level, form, arguments: tuple) -> Any:
    """Computes a call by the clause of the operator, or the rule of its kind."""
    values = [*arguments]
    batched = []
    for i in form.operands:
        if isinstance(value := arguments[i], Tensor):
            array = value._array
            if type(array) is BatchedArray and array.level is level:
                values[i] = array.value
                if array.batched:
                    batched.append(form.names[i])
    if not batched:
        return arrays_of(level, form.call(values), False)
    result = computed(form.op, Batch(level.size, frozenset(batched)), form.names, values)
    if type(result) is Tensor:
        return BatchedArray(level, result)
    if result is NotImplemented:
        return by_name(level, form, arguments)
    return arrays_of(level, result, True)


def computed(op, b: Batch, names: list[str], values: list) -> Any:
    """Returns the results for a batch, NotImplemented if there is only the loop."""
    result: Any = NotImplemented
    if op.batch is not None:
        result = op.batch(F, b, *values)
    if result is NotImplemented and (rule := rule_of(op)) is not None:
        result = rule(op, b, dict(zip(names, values, strict=True)))
    return result


def interpret(level, op, values: dict) -> Any:
    """Returns the array of the result of an operator, or a list of them."""
    op = OPS[op.name]  # the function of a method or an operator has fewer arguments
    arguments: list = []
    batched = []
    for name, value in values.items():
        if isinstance(value, Tensor):
            array = value._array
            if type(array) is BatchedArray and array.level is level:
                value = array.value
                if array.batched:
                    batched.append(name)
        elif type(value) in (list, tuple) and not all([type(each) is int for each in value]):
            if has_any_batch(level, value):
                batched.append(name)
                value = fronted(level, value)
            else:
                value = all_lowered(level, value)
        arguments.append(value)
    b = Batch(level.size, frozenset(batched))
    if op.name in SPECIAL:
        if op.name in DRAWS:
            return drawn(level, op, values, b.batched)
        if batched:
            refuse_dynamic(op, b.batched)
    if not batched:
        return arrays_of(level, called(op, arguments), False)
    result = computed(op, b, [*values], arguments)
    return looped(level, op, values) if result is NotImplemented else arrays_of(level, result, True)


def arrays_of(level, result, batched: bool) -> Any:
    """Returns the traced arrays of a result, or of several."""
    if isinstance(result, Tensor):
        return BatchedArray(level, result, batched)
    return [BatchedArray(level, each, batched) for each in result]


def has_any_batch(level, value) -> bool:
    """Whether a tensor has the batch of the level, or any in a list."""
    if type(value) in (list, tuple):
        return any([has_any_batch(level, each) for each in value])
    return has_batch(level, value)


def all_lowered(level, value):
    """Returns an argument, or a list of them, without the level."""
    if type(value) in (list, tuple):
        return type(value)([all_lowered(level, each) for each in value])
    return lowered(level, value)


def fronted(level, values):
    """Returns the values of a list of tensors of which one has the batch: in front of all."""
    return type(values)(
        [
            F.expand(lowered(level, value), (level.size, *value.shape))
            if is_tensor_without(level, value)
            else lowered(level, value)
            for value in values
        ]
    )


def is_tensor_without(level, value) -> bool:
    """Whether a value is a tensor without the batch of the level."""
    return isinstance(value, Tensor) and not has_batch(level, value)


# ---- refusals

DYNAMIC = {
    "nonzero_rows": "nonzero", "unique_elements": "_unique2", "unique_with_places": "unique_dim",
    "unique_runs": "unique_consecutive", "masked_select": "masked_select",
}  # fmt: skip


def refuse_dynamic(op, batched: frozenset) -> None:
    """Raises RuntimeError for an operator whose results would have a shape of their own for each sample."""
    if op.name != "masked_select":
        raise RuntimeError(
            "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
            f"aten::{DYNAMIC[op.name]}. Please file an issue at https://github.com/pytorch/pytorch/issues if you need "
            "this feature."
        )
    if "mask" in batched:
        raise RuntimeError(
            "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for "
            "each batch this would return a differently shaped Tensor. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues if you need this feature."
        )


# ---- random draws

DRAWS = frozenset(("dropout_mask", "kept_mask", "random_directions"))
SPECIAL = DRAWS | DYNAMIC.keys()


def drawn(level, op, values: dict, batched: frozenset) -> Any:
    """Draws for the input: once for all samples, or for each. The levels below see a draw of the whole batch."""
    check_randomness(level)
    input, *rest = values.values()
    value = lowered(level, input)
    with below(level):
        if level.randomness == "same":
            one = value.new_zeros(input.shape) if batched else value
            return BatchedArray(level, called(op, [with_level_of_draws(one), *rest]), False)
        value = value if batched else F.expand(value, (level.size, *input.shape))
        return BatchedArray(level, drawn_for_each(op, values, with_level_of_draws(value), rest))


def drawn_for_each(op, values: dict, value: Tensor, rest: list) -> Tensor:
    """Draws for samples, which have the batch in front."""
    size, *shape = value.shape
    if op.name == "random_directions":
        *_, rows, length = shape
        directions = called(op, [value.new_empty((rows, size * length)), *rest])
        return F.reshape(directions, (size, length, directions.shape[1]))
    if not values["by_channel"]:
        return called(op, [value.contiguous(), *rest])
    count, *shape = shape
    mask = called(op, [F.reshape(value, (size * count, *shape)), *rest])
    return F.reshape(mask, (size, count, *mask.shape[1:]))


# ---- the loop

WARNED: set = set()
SLOW = (
    "There is a performance drop because we have not yet implemented the batching rule for {}. Please file us an issue "
    "on GitHub so that we can prioritize its implementation."
)


def looped(level, op, values: dict) -> Any:
    """Computes the samples one after the other."""
    if op.name not in WARNED:
        WARNED.add(op.name)
        warnings.warn(SLOW.format(op.called), UserWarning, stacklevel=2)
    samples = [called(op, [sample(level, value, i) for value in values.values()]) for i in range(level.size)]
    if not samples:
        return emptied(level, op, values)
    if isinstance(samples[0], Tensor):
        return BatchedArray(level, F.stack(samples))
    return [BatchedArray(level, F.stack(list(results))) for results in zip(*samples, strict=True)]


def emptied(level, op, values: dict) -> Any:
    """Returns the results of no samples: their shapes are those of a sample of zeros."""

    def zeroed(value):
        if has_batch(level, value) and isinstance(value, Tensor):
            return value._array.value.new_zeros(value.shape)
        return all_lowered(level, value)

    token = change(grad=False)
    try:
        results = called(op, [zeroed(value) for value in values.values()])
    finally:
        MODE.reset(token)
    several = not isinstance(results, Tensor)
    arrays = [BatchedArray(level, each.new_zeros((0, *each.shape))) for each in (results if several else [results])]
    return arrays if several else arrays[0]


def sample(level, value, i: int):
    """Returns an argument as sample `i` has it."""
    if isinstance(value, Tensor):
        array = value._array
        if type(array) is not BatchedArray or array.level is not level:
            return value
        return F.select(array.value, 0, i) if array.batched else array.value
    if type(value) in (list, tuple):
        return type(value)([sample(level, each, i) for each in value])
    return value


# ---- writes


def write(level, tensor: Tensor, source: Tensor, name: str) -> None:
    """Writes the elements of `source` to `tensor`, of which one is of the level; that of a batch only to a batch."""
    target = tensor._array
    own = type(target) is BatchedArray and target.level is level
    if has_batch(level, source) and not (own and target.batched):
        raise refusal(level, tensor, lowered(level, source), name)
    (target.value if own else tensor).copy_(lowered(level, source))
