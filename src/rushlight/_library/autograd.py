"""Implements `register_autograd`: a `Function` for the operator, and the kernel that applies it.

A `Function` takes tensors, operators also take lists of tensors: lists are flattened on the way in and rebuilt on the
way out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import new_class
from typing import Any, NamedTuple

from rushlight._library.binding import tensors_in
from rushlight._library.dispatching import BelowAutograd, redispatch
from rushlight._library.keys import DispatchKey, DispatchKeySet
from rushlight._library.registry import Operator
from rushlight._library.schema import Argument
from rushlight.autograd.function import Function
from rushlight.core.modes import recording

BELOW = DispatchKeySet(DispatchKey.ADInplaceOrView)


class Formula(NamedTuple):
    """The registered `backward(ctx, *grads)` and `setup_context(ctx, inputs, output)`."""

    backward: Callable[..., Any] | None = None
    setup_context: Callable[..., Any] | None = None


class Layout:
    """One call: its keyword arguments, and the lengths of lists of tensors among inputs and results."""

    def __init__(self, op: Operator, args: Sequence[Any], kwargs: dict[str, Any]):
        self.op, self.named = op, kwargs
        self.inputs = lengths(op.schema.arguments, args)
        self.results: list[int | None] = []

    def call(self, flat: Sequence[Any]) -> tuple[list[Any], Any]:
        """Runs the kernels below; returns all values of the call, and the result."""
        values = self.op.bound(together(self.inputs, flat), self.named)
        with BelowAutograd():
            result = redispatch(self.op, values, BELOW)
        self.results = lengths(self.op.schema.returns, several(self.op, result))
        return values, result


def autograd_kernel(op: Operator) -> Callable[..., Any]:
    """Returns the kernel that records a step with a formula, or an error without one."""

    def record(*args: Any, **kwargs: Any) -> Any:
        recorded = recording() and op.schema.returns
        if not recorded or not any(tensor.requires_grad for tensor in tensors_in((args, kwargs))):
            with BelowAutograd():
                return redispatch(op, op.bound(args, kwargs), BELOW)
        if op.autograd_function is None:
            op.autograd_function = function_for(op)
        layout = Layout(op, args, kwargs)
        results = op.autograd_function.apply(*apart(layout.inputs, args), layout)
        if layout.results == [None]:
            return results
        whole = together(layout.results, results)
        return whole if len(whole) > 1 else whole[0]

    return record


def several(op: Operator, result: Any) -> Sequence[Any]:
    """Returns the results of an operator as a sequence."""
    return (result,) if len(op.schema.returns) == 1 else result


def lengths(declared: Sequence[Argument], values: Sequence[Any]) -> list[int | None]:
    """Returns the length of each list of tensors, and None for other values."""
    return [
        len(value) if item.real_type.kind == "list" and item.real_type.holds_tensors() else None
        for item, value in zip(declared, values, strict=False)
    ]


def apart(counts: Sequence[int | None], values: Sequence[Any]) -> list[Any]:
    """Flattens lists of tensors."""
    result: list[Any] = []
    for count, value in zip(counts, values, strict=True):
        result.extend([value] if count is None else value)
    return result


def together(counts: Sequence[int | None], flat: Sequence[Any]) -> list[Any]:
    """Rebuilds what `apart` flattened."""
    grouped, at = [], 0
    for count in counts:
        grouped.append(flat[at] if count is None else list(flat[at : at + count]))
        at += 1 if count is None else count
    return grouped


def function_for(op: Operator) -> type[Function]:
    """Returns a `Function` that runs the operator without recording, with its formula as backward."""

    class Generated(Function):
        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            layout = args[-1]
            values, result = layout.call(args[:-1])
            formula = op.autograd or Formula()
            if formula.setup_context is not None:
                set_up(op, formula.setup_context, ctx, values, result)
            ctx._layout = layout
            return result if layout.results == [None] else tuple(apart(layout.results, several(op, result)))

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            formula, layout, needed = op.autograd or Formula(), ctx._layout, ctx.needs_input_grad
            if formula.backward is None:
                raise RuntimeError(
                    f"Trying to backward through {op.shown} but no autograd formula was registered. Please use "
                    "register_autograd to add one."
                )
            ctx.needs_input_grad = tuple(together(layout.inputs, needed))
            try:
                gradients_ = formula.backward(ctx, *together(layout.results, gradients))
            finally:
                ctx.needs_input_grad = needed
            return (
                *flat_gradients(layout.inputs, gradients_ if isinstance(gradients_, tuple) else (gradients_,)),
                None,
            )

    name = f"GeneratedBackwardFor_{op.schema.name.replace('::', '_')}_{op.schema.overload_name or 'default'}"
    return new_class(name, (Generated,), {}, lambda body: body.update(__doc__=f"The recorded step of {op.name}."))


def set_up(op: Operator, function: Callable[..., Any], ctx: Any, values: Sequence[Any], result: Any) -> None:
    """Calls the program's `setup_context`."""
    pairs = list(zip(op.schema.arguments, values, strict=True))
    inputs = tuple([value for argument, value in pairs if not argument.kwarg_only])
    named = {argument.name: value for argument, value in pairs if argument.kwarg_only}
    if named:
        function(ctx=ctx, inputs=inputs, keyword_only_inputs=named, output=result)
    else:
        function(ctx=ctx, inputs=inputs, output=result)


def flat_gradients(counts: Sequence[int | None], gradients: tuple[Any, ...]) -> list[Any]:
    """Returns one gradient per tensor. Raises RuntimeError for a list of another length."""
    flat: list[Any] = []
    for position, gradient in enumerate(gradients):
        count = counts[position] if position < len(counts) else None
        if count is None:
            flat.append(gradient)
        elif gradient is None:
            flat.extend([None] * count)
        elif isinstance(gradient, (list, tuple)) and len(gradient) == count:
            flat.extend(gradient)
        else:
            inputs = tuple([None if count is None else [None] * count for count in counts])
            raise RuntimeError(
                "Expected the return from backward to be of the same structure as the inputs. Got: "
                f"{structure((*gradients, None))} (return from backward), {structure((*inputs, None))} (inputs)"
            )
    return flat


def structure(value: Any, indent: int = 2) -> str:
    """Shows nested tuples and lists as PyTorch does; the last item is PyTorch's own context."""
    if not isinstance(value, (list, tuple)):
        return "*"
    within = f",\n{' ' * indent}".join([structure(x, indent + 2) for x in value])
    return f"TreeSpec({type(value).__name__}, None, [{within}])"
