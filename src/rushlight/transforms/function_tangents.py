"""Custom functions in forward mode: their results at the primals, and the tangents by their `jvp`."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.function import Application, is_among
from rushlight.core.modes import MODE, change
from rushlight.core.tensor import Tensor, look_at
from rushlight.core.traced import below
from rushlight.create.filled import zeros_like
from rushlight.transforms.forward_writes import become_dual
from rushlight.transforms.levels import DualLevel, dual, is_of, undual


def along_tangents(level: DualLevel, function: Any, arguments: tuple, keywords: dict) -> Any:
    """Computes the results at the primals, and their tangents by the function's own `jvp`."""
    pairs = [undual(level, argument) if isinstance(argument, Tensor) else (argument, None) for argument in arguments]
    primals = tuple([primal for primal, _ in pairs])
    with below(level):
        call = Application(function, primals, keywords)
        call.for_jvp = True
        results = call.run()
        outputs = results if isinstance(results, tuple) else (results,)
        along = Along(level, call, arguments, pairs)
        derivatives = along.derivatives(JvpContext(call), outputs)
    pairs_out = enumerate(zip(outputs, derivatives, strict=True))
    linked = [
        along.joined(position, output, derivative, call.is_constant(output))
        for position, (output, derivative) in pairs_out
    ]
    return tuple(linked) if isinstance(results, tuple) else linked[0]


def give_tangents(level: DualLevel, call: Application, outputs: list) -> list:
    """Gives the results of a `forward` that ran at duals, without tangents, those that `jvp` computes."""
    pairs = [undual(level, each) if isinstance(each, Tensor) else (each, None) for each in call.arguments]
    along = Along(level, call, call.arguments, pairs)
    primals = tuple([undual(level, output)[0] if isinstance(output, Tensor) else output for output in outputs])
    token = change(forward=False)
    try:
        derivatives = along.derivatives(JvpContext(call, level), primals)
    finally:
        MODE.reset(token)
    for position, (output, primal, derivative) in enumerate(zip(outputs, primals, derivatives, strict=True)):
        derivative = undual(level, derivative)[0] if isinstance(derivative, Tensor) else derivative
        joined = along.joined(position, primal, derivative, call.is_constant(output), output)
        if joined is not primal and not is_among(output, call.dirty):
            look_at(output, joined._array)
    return outputs


class Along:
    """The tangents of one call of a custom function: `pairs` are its arguments, each as primal and tangent."""

    def __init__(self, level: DualLevel, call: Application, arguments: tuple, pairs: list):
        self.level, self.call, self.arguments = level, call, arguments
        self.primals = [primal for primal, _ in pairs]
        self.moving = [tangent is not None for _, tangent in pairs]
        self.tangents = [filled(call, *pair) for pair in pairs]
        self.versions = [tangent._version if isinstance(tangent, Tensor) else 0 for tangent in self.tangents]

    def derivatives(self, context: Any, outputs: tuple) -> tuple:
        """Returns what `jvp` does. Raises RuntimeError if that is not one tangent for each output."""
        function = self.call.function
        derivatives = function.jvp(context, *self.tangents)
        derivatives = derivatives if isinstance(derivatives, tuple) else (derivatives,)
        if len(derivatives) != len(outputs):
            raise RuntimeError(
                f"Function's jvp returned an invalid number of forward gradients (expected {len(outputs)} but got "
                f"{len(derivatives)})"
            )
        return derivatives

    def joined(self, position: int, output: Any, derivative: Tensor | None, constant: bool, shown: Any = None) -> Any:
        """Returns an output with its tangent. Raises RuntimeError if it cannot have that one.

        `shown` is the output as the program gets it, if that is another tensor.
        """
        if constant or not is_differentiable(output):
            if derivative is not None:
                raise RuntimeError(
                    f"Function's jvp returned a gradient at position {position}, but  the corresponding forward output "
                    "is not a differentiable Tensor.You should return None at that position instead."
                )
            return output
        if (number := self.dirty_input(output)) is not None:
            return self.written(number, derivative)
        if derivative is None:
            return output
        self.check_view(output if shown is None else shown, derivative)
        return dual(self.level, output, derivative)

    def dirty_input(self, output: Tensor) -> int | None:
        """Returns which argument an output is that `forward` has written to; None if it is not one."""
        for number, primal in enumerate(self.primals):
            if is_among(self.arguments[number], self.call.dirty) or is_among(primal, self.call.dirty):
                if primal is output or self.arguments[number] is output:
                    return number
        return None

    def written(self, number: int, derivative: Tensor | None) -> Tensor:
        """Returns an argument that was written to, whose tangent `jvp` must have written to as well."""
        argument, tangent = self.arguments[number], self.tangents[number]
        if self.moving[number]:
            if derivative is None or derivative._version == self.versions[number]:
                raise RuntimeError(NOT_MODIFYING)
            if derivative is not tangent:
                raise RuntimeError(NOT_AS_IS)
        elif derivative is not None:
            if not is_of(self.level, argument):
                become_dual(self.level, argument)
            argument._array.tangent = derivative
        return argument

    def check_view(self, output: Tensor, derivative: Tensor) -> None:
        """Raises RuntimeError for a view of an argument whose tangent is no view of that of the argument."""
        if not output._is_view():
            return
        roots = zip(self.arguments, self.primals, self.tangents, self.moving, strict=True)
        for argument, primal, tangent, moving in roots:
            if not moving or not is_among(root_of(output), (root_of(argument), root_of(primal))):
                continue
            if not derivative._is_view():
                raise RuntimeError(NO_VIEW)
            if root_of(derivative) is not root_of(tangent):
                raise RuntimeError(OTHER_BASE if tangent._is_view() else OTHER_VIEW)


NOT_MODIFYING = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
    "input inplace, then the jvp function must modify the corresponding gradient inplace."
)
NOT_AS_IS = (
    "An inplace custom Function is not returning the forward mode gradients as-is. If the forward is modifying an "
    "input inplace, then the jvp function must modify the gradient inplace and return it as-is."
)
NO_VIEW = "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
OTHER_BASE = (
    "A custom Function is returning a view but the jvp is not returning a view of the same base as the given grad "
    "input."
)
OTHER_VIEW = "A custom Function is returning a view but the jvp is not returning a view of the given grad input."


def is_differentiable(value: Any) -> bool:
    """Whether a value is a tensor that can have derivatives."""
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def root_of(tensor: Any) -> Any:
    """Returns the tensor that a view is a view of; others as they are."""
    return tensor._base if isinstance(tensor, Tensor) and tensor._base is not None else tensor


def filled(call: Application, primal: Any, tangent: Tensor | None) -> Any:
    """Returns the tangent of an argument for `jvp`: zeros where there is none, unless the function wants None."""
    if tangent is None and is_differentiable(primal) and call.node.attributes.get("materialize_grads", True):
        return zeros_like(primal.detach())
    return tangent


class JvpContext:
    """The `ctx` of a function in its `jvp`: `saved_tensors` are those for it, below `level` if there is one."""

    def __init__(self, call: Application, level: DualLevel | None = None):
        vars(self).update(_call=call, _level=level)

    def __getattr__(self, name):
        return getattr(self._call.context, name)

    def __setattr__(self, name, value):
        setattr(self._call.context, name, value)

    @property
    def saved_tensors(self):
        saved = self._call.context.saved_for_forward or ()
        if self._level is None:
            return saved
        return tuple([undual(self._level, each)[0] if isinstance(each, Tensor) else each for each in saved])
