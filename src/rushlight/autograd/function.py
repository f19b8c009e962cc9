"""Custom functions: a forward and a backward written by the program, one node in the graph.

https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.Function
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from importlib import import_module
from itertools import compress
from typing import TYPE_CHECKING, Any

from rushlight.autograd.function_context import BackwardCFunction, FunctionCtx
from rushlight.autograd.function_node import FunctionNode, Kept
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.errors import noted, type_name
from rushlight.core.graph import Leaf, Node, Output, make_node
from rushlight.core.history import edge_of, viewed
from rushlight.core.modes import MODE, TRANSFORMS, change, current
from rushlight.core.origin import call_site
from rushlight.core.source_lines import NOTING, entered, place_at
from rushlight.core.tables import objects
from rushlight.core.tensor import Tensor, alias
from rushlight.core.traced import ENTERED, settled, top_level
from rushlight.dispatch import inplace

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "once_differentiable"]


class FunctionMeta(type):
    """Gives every custom function classes of its own for its node and `ctx`, named as PyTorch names the latter."""

    def __init__(cls, name, bases, attributes) -> None:
        super().__init__(name, bases, attributes)
        called, module = f"{name}Backward", FunctionNode.__module__
        doc = f"The recorded step of {name}, a Function of the program."
        own = {"_forward_cls": cls, "__module__": module, "__doc__": doc}
        cls._backward_cls = type(called, (BackwardCFunction,), own)
        cls._node_cls = type(called, (FunctionNode,), {"function": cls, "__module__": module})

    # These take the class as an argument: a program may give its own functions methods of any name.

    def backward_of(cls):
        """Returns the program's backward, under either of its names."""
        has_vjp, has_backward = cls.vjp is not Function.vjp, cls.backward is not Function.backward
        if has_vjp and has_backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return cls.vjp if has_vjp else cls.backward

    def call_backward(cls: Any, ctx: Any, gradients: list) -> Any:
        """Calls the program's backward with gradients as arguments, or as one list that it may empty."""
        backward, boxed = FunctionMeta.backward_of(cls), cls.boxed_grads_call
        if boxed is False:
            return backward(ctx, *gradients)
        if boxed is not True:
            raise RuntimeError(f"boxed_grads_call must be a bool, got {type_name(boxed)}")
        return backward(ctx, gradients)

    def has_setup_context(cls: Any) -> bool:
        """Whether the function saves in `setup_context`, not in `forward`."""
        return cls.setup_context is not Function.setup_context


WITHOUT_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    "the setup_context staticmethod. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html"
)


class Function(metaclass=FunctionMeta):
    """Base of custom functions: define static `forward` and `backward`, call `apply`.

    >>> import rushlight as torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, gradient):
    ...         return gradient * 2
    >>> x = torch.ones(2, requires_grad=True)
    >>> Double.apply(x).sum().backward(); x.grad
    tensor([2., 2.])
    """

    __module__ = "torch.autograd.function"
    generate_vmap_rule = False
    clear_saved_tensors_on_access = False  # whether `ctx.saved_tensors` can be read only once, and drops them then
    boxed_grads_call = False  # whether `backward` gets its gradients as one list, which it may empty to free them

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        raise noted(
            RuntimeError(
                "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
                "function with static forward method. (Example: "
                "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
            ),
            f"Make forward and backward static methods and call {type(self).__name__}.apply(...).",
        )

    @staticmethod
    def forward(*arguments: Any, **keywords: Any) -> Any:
        """Computes the results; nothing inside is recorded."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    if TYPE_CHECKING:  # a program's own `setup_context` may have any parameters that fit its `forward`

        @staticmethod
        def setup_context(*arguments: Any, **keywords: Any) -> Any: ...
        @staticmethod
        def backward(*arguments: Any, **keywords: Any) -> Any: ...
        @staticmethod
        def vjp(*arguments: Any, **keywords: Any) -> Any: ...
        @staticmethod
        def jvp(*arguments: Any, **keywords: Any) -> Any: ...
        @staticmethod
        def vmap(*arguments: Any, **keywords: Any) -> Any: ...

    else:

        @staticmethod
        def setup_context(ctx, inputs, output):
            """Saves what `backward` needs, where `forward` takes no `ctx`."""
            raise NotImplementedError("setup_context is not implemented.")

        @staticmethod
        def backward(ctx, *grad_outputs):
            """Returns the gradients of the inputs, one per argument of `forward`."""
            raise NotImplementedError(
                "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
                "backward mode AD."
            )

        vjp = backward

        @staticmethod
        def jvp(ctx, *grad_inputs):
            """Returns the derivative along a direction, for forward mode."""
            raise NotImplementedError(
                "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
            )

        @staticmethod
        def vmap(info, in_dims, *arguments):
            """Runs on a batch."""
            raise NotImplementedError(
                "To use autograd.Function with vmap, you must either override the vmap static method or set "
                "generate_vmap_rule=True."
            )

    @classmethod
    def apply(cls, *arguments: Any, **keywords: Any) -> Any:
        """Runs `forward` and records one node for it."""
        if FunctionMeta.has_setup_context(cls):
            arguments, keywords = _with_defaults(cls.forward, arguments, keywords)
        elif TRANSFORMS.get():
            raise RuntimeError(WITHOUT_SETUP)
        return Application(cls, arguments, keywords).run()


def _with_defaults(forward, arguments: tuple, keywords: dict) -> tuple[tuple, dict]:
    """Returns the arguments with the defaults of `forward` filled in, since `setup_context` gets them all.

    Those that must be named stay apart, and `setup_context` does not get them.
    """
    bound = inspect.signature(forward).bind(*arguments, **keywords)
    bound.apply_defaults()
    return bound.args, {name: keywords[name] for name in bound.kwargs if name in keywords}


def refuse_sparse(tensors: list[Tensor]) -> None:
    """Raises NotImplementedError for sparse tensors that a custom function would differentiate."""
    if any([x._carrier is not None for x in tensors]):
        raise noted(
            NotImplementedError("A sparse tensor that requires grad is neither input nor output of a custom function"),
            "Its history is that of its values: give the function tensor.values(), and make the sparse tensor anew.",
        )


def transforms(name: str) -> Any:
    """Returns a module of custom functions under transforms: imported on first use, as all transforms."""
    return import_module(f"rushlight.transforms.{name}")


class Application:
    """One call of a custom function."""

    level: Any = None  # of a transform, which computes the results
    runs_at_duals = False  # whether `forward` has run with tensors that have tangents
    for_jvp = False  # whether `jvp` is called afterwards
    constants: tuple = ()
    dirty: tuple = ()

    def __init__(self, function, arguments: tuple, keywords: dict):
        if ENTERED:
            arguments = tuple([settled(x) if isinstance(x, Tensor) else x for x in arguments])
        self.function, self.arguments, self.keywords = function, arguments, keywords
        is_tensor = [isinstance(argument, Tensor) for argument in arguments]
        self.inputs = list(compress(arguments, is_tensor))
        if ENTERED:
            self.level = top_level(self.inputs)
        needed = tuple(
            [known and self._is_needed(argument) for argument, known in zip(arguments, is_tensor, strict=True)]
        )
        self.recorded = current().grad and True in needed
        if self.recorded:
            refuse_sparse([x for x in self.inputs if x.requires_grad])
        edges = tuple([edge_of(x) if self._is_own(x) else None for x in self.inputs]) if self.recorded else ()
        self.node = node = make_node(function._node_cls, edges)
        node._is_tensor, node.attributes = is_tensor, {"needs_input_grad": needed}
        self.context = node.shown

    def run(self):
        """Runs `forward` and returns its results, linked to the node."""
        try:
            raw = self._forward()
            many = isinstance(raw, tuple)
            outputs = list(raw) if many else [raw]
            self._check(outputs)
            if self.recorded:
                refuse_sparse([x for x in outputs if isinstance(x, Tensor)])
            if FunctionMeta.has_setup_context(self.function):
                self._check_saved(outputs)
            linked = self._linked(outputs)
            if self.for_jvp:
                self.dirty, self.constants = self.context.dirty_tensors or (), self.context.non_differentiable or ()
            if self.runs_at_duals:
                linked = transforms("function_tangents").give_tangents(self.level, self, linked)
            if self.recorded:
                self._save(outputs, linked)
                if NOTING and self.node.saved:
                    self.node.noted = entered() or place_at(2)
                if (anomaly := current().anomaly) is not None:
                    anomaly.remember(self.node, call_site())
        finally:
            for mark in MARKS:  # also if a hook on saved tensors raises, since outputs refer to the node
                self.node.attributes.pop(mark, None)
        return tuple(linked) if many else linked[0]

    def _is_own(self, tensor) -> bool:
        """Whether the edges of a tensor belong to the graph of this call: those of lower levels are followed there."""
        return self.level is None or getattr(tensor._array, "level", None) is self.level

    def _is_needed(self, tensor) -> bool:
        return tensor.requires_grad and self._is_own(tensor)

    def is_constant(self, output) -> bool:
        """Whether an output was marked as one without derivatives."""
        return is_among(output, self.constants)

    def _forward(self):
        at_duals = self.level is not None and self.level.shares_history
        transformed = self.level is not None and not self.level.records
        if transformed and (FunctionMeta.has_setup_context(self.function) or not (self.recorded or at_duals)):
            return self._forward_of_level()
        if at_duals:
            self.runs_at_duals = self.for_jvp = True
            token = change(grad=False, forward=False)
        else:
            token = change(grad=False)
        try:
            if FunctionMeta.has_setup_context(self.function):
                raw = self.function.forward(*self.arguments, **self.keywords)
                self.function.setup_context(self.context, self.arguments, raw)
            else:
                raw = self.function.forward(self.context, *self.arguments, **self.keywords)
        finally:
            MODE.reset(token)
        return raw

    def _forward_of_level(self):
        raw = transforms("functions").apply(self.level, self.function, self.arguments, self.keywords)
        if FunctionMeta.has_setup_context(self.function):
            token = change(grad=False)
            try:
                self.function.setup_context(self.context, self.arguments, raw)
            finally:
                MODE.reset(token)
        return raw

    def _check(self, outputs) -> None:
        for tensor in self.context.dirty_tensors or ():
            if not isinstance(tensor, Tensor):
                raise TypeError(
                    f"mark_dirty can only accept variables, but argument 0 is of type {type(tensor).__name__}"
                )
            if self.recorded and not is_among(tensor, self.inputs):
                warnings.warn(NOT_AN_INPUT, stacklevel=4)
            if not is_among(tensor, outputs):
                raise RuntimeError(
                    "Some elements marked as dirty during the forward method were not returned as output. The inputs "
                    "that are modified inplace must all be outputs of the Function."
                )
        for tensor in self.context.to_save or ():
            if not (tensor is None or isinstance(tensor, Tensor)):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument 0 is of type {type(tensor).__name__}"
                )
        if outputs and outputs[0] is None and self.recorded and not any(isinstance(x, Tensor) for x in outputs):
            raise RuntimeError(f"{self.function.__name__}.forward returned no tensor, so there is nothing to record")

    def _linked(self, outputs) -> list:
        """Returns the outputs for the program: an input that is returned unchanged becomes a new view."""
        self.node.outputs = len(outputs)
        self.node.created = objects.tick(None)
        for tensor in self.context.dirty_tensors or ():
            tensor._storage.written()  # the mark counts as a write, whatever `forward` has done
        seen: dict[int, Any] = {}
        linked = []
        for number, output in enumerate(outputs):
            if not isinstance(output, Tensor):
                linked.append(output)
                continue
            if seen.get(id(output)) is not output:
                seen[id(output)] = self._link(output, number)
            elif type(seen[id(output)]._edge) is Output and seen[id(output)]._edge.node is self.node:
                # A tensor has one edge: for the last position where it was returned
                seen[id(output)]._edge = self.node.edge(number)
            linked.append(seen[id(output)])
        self.node.result_metas = tuple([_meta_of(output) for output in outputs])
        self.node._input_metas = tuple([(input_._array.shape, input_._array.dtype) for input_ in self.inputs])
        return linked

    def _link(self, output: Tensor, number: int) -> Tensor:
        tracked = self.recorded and (output.is_floating_point() or output.is_complex())
        if not tracked or is_among(output, self.context.non_differentiable or ()):
            self.node._constant = (*self.node._constant, number)
            return self._without_history(output)
        if is_among(output, self.context.dirty_tensors or ()):
            return self._link_dirty(output, number)
        if self._is_untouched_input(output):
            output = self._view_of_input(output)
        if output._base is not None:
            output._creation = "function" if self.node.outputs == 1 else "many"
            output._generation = viewed(output._base)
        output._edge = self.node.edge(number)
        return output

    def _without_history(self, output: Tensor) -> Tensor:
        """Returns an output without gradient, detached; an input that requires grad is returned unchanged."""
        if output.requires_grad and is_among(output, self.inputs):
            return alias(output)
        if self._is_untouched_input(output):
            return self._view_of_input(output)
        if output._base is not None and not is_among(output, self.context.dirty_tensors or ()):
            output._creation = "function"
        return output

    def _is_untouched_input(self, output: Tensor) -> bool:
        return is_among(output, self.inputs) and not is_among(output, self.context.dirty_tensors or ())

    def _view_of_input(self, source: Tensor) -> Tensor:
        view = alias(source, type(source))
        view._base, view._steps = (source, ()) if source._base is None else (source._base, source._steps)
        view._creation = "function"
        view._generation = viewed(view._base)
        return view

    def _link_dirty(self, output: Tensor, number: int) -> Tensor:
        if isinstance(edge_of(output), Leaf):
            raise noted(
                RuntimeError("a leaf Variable that requires grad has been used in an in-place operation."),
                f"{self.function.__name__}.forward wrote to it and marked it dirty: pass a clone() instead.",
            )
        inplace.check_writable(output, current(), recorded=True)
        if output._base is not None and self.node.outputs > 1:
            raise RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                "return more than one Tensor. This is not supported by the current autograd engine. You should "
                "either make sure the input is not a view (using .clone() for example) or make your Function only "
                "return one Tensor (potentially splitting it into two Functions: one doing the inplace that "
                "returns a single Tensor and a second one that does the other operations). You can ask on the "
                "forum https://discuss.pytorch.org/ if you need help to do this change."
            )
        inplace.rewrite(output, self.node.edge(number), output)
        return output

    def _save(self, outputs, linked) -> None:
        hooks = current().saved_hooks
        kept = []
        for tensor in self.context.to_save or ():
            kept.append(None if tensor is None else Kept(tensor, self._output_number(tensor, outputs, linked), hooks))
        self.node.saved = tuple(kept)

    def _check_saved(self, outputs) -> None:
        """Raises RuntimeError if `setup_context` saved an input that `forward` has returned as it was."""
        for tensor in (*(self.context.to_save or ()), *(self.context.saved_for_forward or ())):
            if tensor is not None and is_among(tensor, outputs) and self._is_untouched_input(tensor):
                raise noted(
                    RuntimeError(
                        "An input that has been returned as-is as output is being saved for backward. This is not "
                        "supported if you override setup_context. You should return and save a view of the input "
                        "instead, e.g. with x.view_as(x) or setup ctx inside the forward function itself."
                    ),
                    f"{self.function.__name__}.forward: return the argument as x.view_as(x).",
                )

    def _output_number(self, tensor, outputs, linked):
        """Returns which output a saved tensor is, None for any other; an input returned unchanged is no output."""
        for number, output in enumerate(outputs):
            if output is tensor:
                return None if linked[number] is not tensor and is_among(tensor, self.inputs) else number
        return None


def is_among(tensor, tensors) -> bool:
    """Whether a tensor is one of several, compared by identity."""
    for other in tensors:  # `any` with a generator takes several times as long
        if other is tensor:
            return True
    return False


NOT_AN_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)
MARKS = ("to_save", "dirty_tensors", "non_differentiable")  # attributes that are only needed until the end of `forward`


def _meta_of(output):
    """Returns shape and dtype of an output: `backward` gets zeros of both, even for outputs without gradient."""
    return (output._array.shape, output._array.dtype) if isinstance(output, Tensor) else None


class Error(FunctionNode):
    """A node that raises when a backward pass comes to it."""

    shown = Node.shown  # type: ignore[assignment]  # it has no function, and no `ctx`
    message = "trying to differentiate twice a function that was marked with @once_differentiable"

    def run(self, gradients):
        raise RuntimeError(self.message)


def refusing(tensors: list[Tensor], sources: tuple, message: str = Error.message) -> list[Tensor]:
    """Returns tensors on the same memory, through which no gradient goes back to `sources`: it raises RuntimeError."""
    node = make_node(Error, tuple([edge_of(source) for source in sources]))
    node.outputs, node.message = len(tensors), message
    node.result_metas = tuple(map(_meta_of, tensors))
    results = [alias(tensor) for tensor in tensors]
    for number, result in enumerate(results):
        result._edge = node.edge(number)
    return results


class InplaceFunction(Function):
    """A custom function with an `inplace` flag on its instances, from when PyTorch's functions were instances."""

    __module__ = "torch.autograd.function"

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a backward whose result cannot be differentiated: doing so later raises."""

    @functools.wraps(function)
    def wrapper(ctx, *gradients):
        with no_grad():
            outputs = function(ctx, *gradients)
        if not current().grad or not any(isinstance(g, Tensor) and g.requires_grad for g in gradients):
            return outputs
        many = isinstance(outputs, tuple)
        values = outputs if many else (outputs,)
        sources = tuple([gradient for gradient in gradients if isinstance(gradient, Tensor)])
        marked = iter(refusing([value for value in values if isinstance(value, Tensor)], sources))
        results = [next(marked) if isinstance(value, Tensor) else value for value in values]
        return tuple(results) if many else results[0]

    return wrapper
