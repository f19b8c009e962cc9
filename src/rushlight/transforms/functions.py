"""Custom functions under transforms: their `vmap`, and the rule that `vmap` makes for them.

A level is below the graph inside it. So a custom function with traced arguments is a node of that graph, and its
forward is one call of the function at the lower levels, for which the level needs a rule.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import rushlight._generated.functions as F
from rushlight.autograd.function import Function, FunctionMeta
from rushlight.core.tensor import Tensor
from rushlight.core.traced import below
from rushlight.transforms.function_tangents import along_tangents
from rushlight.transforms.levels import (
    BatchLevel,
    TaylorLevel,
    batch_level,
    batched,
    is_of,
    unbatched,
)  # fmt: skip

NOTES = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


class VmapInfo(NamedTuple):
    """What the `vmap` of a custom function gets to know of the batch."""

    batch_size: int
    randomness: str | None


def apply(level, function: Any, arguments: tuple, keywords: dict) -> Any:
    """Returns the results of a custom function for arguments of a level, without the graph inside it."""
    if isinstance(level, BatchLevel):
        return on_batch(level, function, arguments, keywords)
    if isinstance(level, TaylorLevel):
        raise NotImplementedError(
            f"jet: {function.__name__} is a custom function, which has no Taylor series. Compute the same by operators "
            "of torch, or use nested torch.func.jvp, which calls its jvp."
        )
    return along_tangents(level, function, arguments, keywords)


# ---- vmap


def on_batch(level: BatchLevel, function: Any, arguments: tuple, keywords: dict) -> Any:
    """Computes all samples by the function's own `vmap`, or by the rule made of its forward and backward."""
    if any([isinstance(value, Tensor) for value in keywords.values()]):
        raise NotImplementedError(
            "Run vmap on autograd.Function with kwarg-only Tensor args. Please do not pass kwarg-only Tensors to "
            f"autograd.Function. Got: {keywords}"
        )
    check_rule(function)
    values, dims = taken_off(level, arguments)
    with below(level):
        if not says_where(dims):
            return function.apply(*values, **keywords)
        if function.generate_vmap_rule:
            plan = Plan(function, level, dims)
            results = Vmapped.apply(plan, *values)
            out_dims = tuple(plan.out_dims) if isinstance(results, tuple) else plan.out_dims[0]
        else:
            returned = function.vmap(VmapInfo(level.size, level.randomness), dims, *values, **keywords)
            if not (isinstance(returned, tuple) and len(returned) == 2):
                raise RuntimeError(
                    "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
                    "compatible with the output."
                )
            results, out_dims = returned
            check_out_dims(results, out_dims)
    same = {id(value): argument for value, argument in zip(values, arguments, strict=True)}
    return put_on(level, results, out_dims, same)


def check_out_dims(results: Any, out_dims: Any) -> None:
    """Raises RuntimeError if `out_dims` are not like the results: one for each, in the same structure."""
    if not fits(results, out_dims):
        spec, dims_spec = [pytree().tree_flatten(value)[1] for value in (results, out_dims)]
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure {dims_spec} "
            f"but output has structure {spec}. {NOTES}"
        )


def fits(results: Any, out_dims: Any) -> bool:
    """Whether there is one dimension for all results, or one for each, in the same structure."""
    if not isinstance(out_dims, (tuple, list)):
        return True
    if type(results) is not type(out_dims) or len(results) != len(out_dims):
        return False
    return all([fits(result, dim) for result, dim in zip(results, out_dims, strict=True)])


def pytree() -> Any:
    """Returns the module of trees, which is of a higher level, for words of errors."""
    return import_module("rushlight.utils._pytree")


def says_where(dims: Any) -> bool:
    """Whether any of some dimensions is that of a batch."""
    return any(map(says_where, dims)) if isinstance(dims, (tuple, list)) else dims is not None


def check_rule(function: Any) -> None:
    """Raises RuntimeError if a function has no rule for batches, or two."""
    has_vmap = function.vmap is not Function.vmap
    if function.generate_vmap_rule and has_vmap:
        raise RuntimeError(
            f"You tried to vmap over {function.__name__}, but it has both generate_vmap_rule=True and an overridden "
            "vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to "
            f"avoid ambiguity. {NOTES}"
        )
    if not (function.generate_vmap_rule or has_vmap):
        raise RuntimeError(
            f"You tried to vmap over {function.__name__}, but it does not have vmap support. Please override and "
            f"implement the vmap staticmethod or set generate_vmap_rule=True. {NOTES}"
        )


def taken_off(level, arguments) -> tuple[list, tuple]:
    """Returns arguments as they are below a level, and the dimension of the batch in each, None if it has none."""
    pairs = [taken(level, argument) for argument in arguments]
    return [value for value, _ in pairs], tuple([dim for _, dim in pairs])


def taken(level, argument) -> tuple[Any, Any]:
    """Returns an argument as it is below a level, and the dimension of the batch: for a list of tensors a list."""
    if isinstance(argument, (list, tuple)) and any([isinstance(each, Tensor) for each in argument]):
        pairs = [taken(level, each) for each in argument]
        return type(argument)([value for value, _ in pairs]), type(argument)([dim for _, dim in pairs])
    own = is_of(level, argument)
    return argument._array.value if own else argument, 0 if own and argument._array.batched else None


def put_on(level: BatchLevel, results: Any, dims: Any, same: dict) -> Any:
    """Returns results with the batch at `dims` as tensors of a level; those that are arguments as these."""
    if isinstance(results, (tuple, list)):
        each = dims if isinstance(dims, (tuple, list)) else (dims,) * len(results)
        return type(results)([put_on(level, result, dim, same) for result, dim in zip(results, each, strict=True)])
    if dims is None or not isinstance(results, Tensor):
        return results
    return same[id(results)] if id(results) in same else batched(level, results, dims)


class Plan:
    """One call of a function on a batch: where the batch is in its inputs, its results and what it saves."""

    def __init__(self, function: Any, level: BatchLevel, in_dims: tuple):
        self.function, self.size, self.randomness, self.in_dims = function, level.size, level.randomness, in_dims
        self.out_dims: list = []
        self.saved_dims: tuple = ()
        self.forward_dims: tuple | None = None
        self.attributes: dict = {}  # those that the function sets on its `ctx`

    def level(self):
        return batch_level(self.size, self.randomness)

    def put_on(self, level, values, dims) -> list:
        return [self.one_put_on(level, value, dim) for value, dim in zip(values, dims, strict=True)]

    def one_put_on(self, level, value, dim) -> Any:
        if isinstance(dim, (list, tuple)):
            return type(value)(self.put_on(level, value, dim))
        return value if dim is None or value is None else batched(level, value, 0)


class Vmapped(Function):
    """A custom function on a batch: its forward, backward and jvp, each under vmap."""

    generate_vmap_rule = True

    @staticmethod
    def forward(plan, *values):
        with plan.level() as level:
            results = plan.function.forward(*plan.put_on(level, values, plan.in_dims))
            many = isinstance(results, tuple)
            results, plan.out_dims = taken_off(level, results if many else (results,))
        return tuple(results) if many else results[0]

    @staticmethod
    def setup_context(ctx, inputs, output):
        plan, *values = inputs
        ctx._plan_of_batch = plan
        with plan.level() as level:
            outputs = plan.put_on(level, output if isinstance(output, tuple) else (output,), plan.out_dims)
            shown = tuple(outputs) if isinstance(output, tuple) else outputs[0]
            arguments = tuple(plan.put_on(level, values, plan.in_dims))
            plan.function.setup_context(BatchContext(ctx, plan, level), arguments, shown)

    @staticmethod
    def backward(ctx, *gradients):
        plan = ctx._plan_of_batch
        with plan.level() as level:
            incoming = plan.put_on(level, gradients, plan.out_dims)
            results = FunctionMeta.call_backward(plan.function, BatchContext(ctx, plan, level), incoming)
            results = results if isinstance(results, (tuple, list)) else (results,)
            return None, *[pulled(level, result, dim) for result, dim in zip(results, plan.in_dims, strict=False)]

    @staticmethod
    def jvp(ctx, _, *tangents):
        plan = ctx._plan_of_batch
        with plan.level() as level:
            incoming = plan.put_on(level, tangents, plan.in_dims)
            results = plan.function.jvp(BatchContext(ctx, plan, level, forward=True), *incoming)
            many = isinstance(results, tuple)
            pairs = zip(results if many else (results,), plan.out_dims, strict=True)
            along = [result if result is None or dim is None else unbatched(level, result, 0) for result, dim in pairs]
        return tuple(along) if many else along[0]


def pulled(level: BatchLevel, result: Any, dim: int | None) -> Any:
    """Returns a gradient of an input of all samples: their sum, if they share the input."""
    if not isinstance(result, Tensor):
        return result
    if dim is not None:
        return unbatched(level, result, 0)
    (value,), (own,) = taken_off(level, (result,))
    return value if own is None else F.sum(value, (0,))


class BatchContext:
    """The `ctx` of a function on a batch: it keeps the batches, and shows samples of them."""

    def __init__(self, ctx, plan: Plan, level: BatchLevel, forward: bool = False):
        vars(self).update(_ctx=ctx, _plan=plan, _level=level, _forward=forward)

    def __getattr__(self, name):
        attributes = self._plan.attributes
        return attributes[name] if name in attributes else getattr(self._ctx, name)

    def __setattr__(self, name, value):
        self._plan.attributes[name] = value

    def save_for_backward(self, *tensors):
        values, self._plan.saved_dims = taken_off(self._level, tensors)
        self._ctx.save_for_backward(*values)

    def save_for_forward(self, *tensors):
        values, self._plan.forward_dims = taken_off(self._level, tensors)
        self._ctx.save_for_forward(*values)

    def mark_dirty(self, *tensors):
        self._ctx.mark_dirty(*taken_off(self._level, tensors)[0])

    def mark_non_differentiable(self, *tensors):
        self._ctx.mark_non_differentiable(*taken_off(self._level, tensors)[0])

    def set_materialize_grads(self, value):
        self._ctx.set_materialize_grads(value)

    @property
    def needs_input_grad(self):
        return self._ctx.needs_input_grad[1:]

    @property
    def saved_tensors(self):
        plan = self._plan
        dims = (plan.forward_dims or ()) if self._forward else plan.saved_dims
        return tuple(plan.put_on(self._level, self._ctx.saved_tensors, dims))
