"""What a custom function and the program see of its node: `ctx`, which is also the `grad_fn` of its results.

https://docs.pytorch.org/docs/stable/autograd.html#context-method-mixins
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.core.graph import RELEASED, Node
from rushlight.core.tensor import Tensor


class FunctionCtx:
    """What `forward` and `backward` share: saved tensors, marks, and the attributes that the program sets."""

    __module__ = "torch.autograd.function"

    if TYPE_CHECKING:  # attributes of the node, and those that the program sets
        needs_input_grad: tuple[bool, ...]

        @property
        def saved_tensors(self) -> tuple[Tensor, ...]: ...

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    to_save: tuple | None = None
    saved_for_forward: tuple | None = None
    dirty_tensors: tuple | None = None
    non_differentiable: tuple | None = None

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps inputs or outputs of `forward` for `backward`; call it once."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors for `jvp`."""
        for tensor in tensors:
            if not (isinstance(tensor, Tensor) or tensor is None):
                raise AssertionError("save_for_forward expects all arguments to be tensors")
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Declares that inputs were changed in place; each must be returned."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Declares that outputs have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether absent gradients reach `backward` as zeros (the default) or as None."""
        self.materialize_grads = value


class BackwardCFunction(FunctionCtx):
    """What programs see of a custom function's node: its `ctx`, and the `grad_fn` of its results.

    The engine's own names stay on the node, so programs may use any name for their attributes: `ctx.edges`,
    `ctx.outputs`. This object refers to its node; the node keeps the attributes, and makes a new object if the last
    reference is gone.
    """

    __module__ = FunctionCtx.__module__
    __slots__ = ("__node",)
    __node: Any  # a `FunctionNode`
    needs_input_grad: tuple[bool, ...]

    @classmethod
    def _of(cls, node: Any):
        shown = object.__new__(cls)
        shown.__node, shown.__dict__ = node, node.attributes
        return shown

    def _behind(self) -> Any:
        return self.__node

    def __dir__(self):
        return [*dir(type(self)), *vars(self)]

    @property  # type: ignore[misc]  # so that it is an instance of `torch.autograd.graph.Node`, as in PyTorch
    def __class__(self):
        return type(self.__node)

    @property
    def saved_tensors(self) -> tuple[Tensor, ...]:
        """The saved tensors. Raises RuntimeError once they have been freed or changed in place."""
        return self.__node.restored()

    @property
    def _raw_saved_tensors(self) -> tuple:
        """An object for each saved tensor, on which hooks can be registered."""
        return self.__node.raw_saved()

    @property
    def saved_variables(self) -> tuple[Tensor, ...]:
        """The saved tensors, under their former name."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @property
    def next_functions(self) -> tuple:
        """The nodes that the gradients of the inputs go to, each with its output number."""
        return self.__node.next_functions

    @property
    def metadata(self) -> dict:
        """A dictionary for programs."""
        return self.__node.metadata

    def maybe_clear_saved_tensors(self) -> None:
        """Frees the saved tensors."""
        self.__node.saved = RELEASED

    def apply(self, *gradients):
        """Calls the program's backward and returns its result unchanged."""
        return type(self.__node.function).call_backward(self.__node.function, self, list(gradients))

    def name(self) -> str:
        """The name of the node."""
        return self.__node.name()

    def register_hook(self, hook: Callable[..., Any]):
        """Calls `hook(grad_inputs, grad_outputs)` after the node has run."""
        return self.__node.register_hook(hook)

    def register_prehook(self, hook: Callable[..., Any]):
        """Calls `hook(grad_outputs)` before the node runs."""
        return self.__node.register_prehook(hook)

    def _sequence_nr(self) -> int:
        return self.__node._sequence_nr()

    def _repr_svg_(self):
        return self.__node._repr_svg_()


def node_behind(shown: Any) -> Node:
    """Returns the node behind an object that programs see."""
    return BackwardCFunction._behind(shown) if issubclass(type(shown), BackwardCFunction) else shown
