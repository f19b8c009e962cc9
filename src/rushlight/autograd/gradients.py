"""`torch.autograd.backward` and `torch.autograd.grad`: roots, targets, and the checks on both.

https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

import rushlight._generated.functions as functions
from rushlight.autograd import accumulate, nesting
from rushlight.autograd.function_context import node_behind
from rushlight.autograd.steps import formula_step
from rushlight.autograd.tasks import Task, run_from_scalar
from rushlight.autograd.under_transforms import refuse_backward
from rushlight.core import formats
from rushlight.core.clock import tick
from rushlight.core.dtype import HALVES
from rushlight.core.errors import about
from rushlight.core.graph import GradientEdge, Leaf, Output, function_and_number
from rushlight.core.history import edge_of
from rushlight.core.modes import MODE
from rushlight.core.source_lines import NOTING, place_at
from rushlight.core.tables import raw, xp
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import DualArray

CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)


def backward(
    tensors: Tensor | Iterable[Any],
    grad_tensors: Tensor | Iterable[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Tensor | Iterable[Any] | None = None,
) -> None:
    """Adds the gradients of `tensors` to the `grad` of the leaves that they depend on.

    `grad_tensors` are the vectors that the Jacobians are multiplied with; without one, a tensor must have one element.
    Raises RuntimeError if a tensor does not require grad or a gradient does not fit it.
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only "
                "use `grad_tensors`."
            )
        grad_tensors = grad_variables
    add_gradients(tensors, grad_tensors, retain_graph, create_graph, inputs, stacklevel=3)


def add_gradients(tensors, grad_tensors, retain_graph, create_graph: bool, inputs, *, stacklevel: int) -> None:
    """Runs `backward`, for the function and the method; `stacklevel` is that of the call in the program."""
    refuse_backward()
    if inputs is not None and len(inputs := as_inputs(inputs, "backward")) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    if create_graph:
        warnings.warn(CYCLE, UserWarning, stacklevel=stacklevel)
    roots = roots_of(tensors, grad_tensors)
    keep = create_graph if retain_graph is None else retain_graph
    targets = None if inputs is None else [_accumulating_target(input_) for input_ in inputs]
    task = Task(roots, keep=keep, create=create_graph, targets=targets)
    nesting.run(task)
    if inputs is not None:
        _accumulate_captured(inputs, targets, task)


def backward_of_scalar(tensor: Tensor, keep: bool | None) -> bool:
    """Runs a pass from a scalar to all leaves. Returns False, and does nothing, for any other tensor."""
    array, edge, mode = tensor._array, tensor._edge, MODE.get()
    if edge is None or tensor._base is not None or not (mode is True or mode is False):
        return False
    if (step := edge.step) is not None and step is not formula_step:
        return False
    if type(array) is not np.ndarray or array.ndim:
        return False
    if not ((dtype := array.dtype) is functions.FLOAT32 or dtype is functions.FLOAT64 or dtype in HALVES):
        return False
    if len(tasks := nesting.NESTING.tasks) >= nesting.DEPTH_PER_THREAD:
        return False
    freed = (place_at(2), tick(None)) if NOTING and not keep else ()
    run_from_scalar(edge, raw.numbers[dtype][1.0], bool(keep), freed, tasks)
    return True


def grad(
    outputs: Tensor | Iterable[Any],
    inputs: Tensor | Iterable[Any],
    grad_outputs: Tensor | Iterable[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of `outputs` with respect to `inputs`, as a tuple of tensors, or a dict if `inputs` is one.

    An input that the outputs do not depend on raises RuntimeError, gives None with `allow_unused`, zeros with
    `materialize_grads`. With `is_grads_batched` the first dimension of each gradient counts vectors.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    if type(inputs) is dict:
        args = grad_outputs, retain_graph, create_graph, only_inputs, allow_unused, is_grads_batched, materialize_grads
        return dict(zip(inputs, grad(outputs, tuple(inputs.values()), *args), strict=True))
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    inputs = as_inputs(inputs, "grad")
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        return _batched(outputs, inputs, grad_outputs, keep, create_graph, allow_unused, materialize_grads)
    roots = roots_of(outputs, grad_outputs)
    targets = [_target(input_) for input_ in inputs]
    task = Task(roots, keep=keep, create=create_graph, targets=targets, accumulates=False)
    nesting.run(task)
    results = [_captured(task, target) for target in targets]
    if not allow_unused and any(result is None for result in results):
        raise _unused(results)
    if materialize_grads:
        pairs = zip(results, inputs, strict=True)
        results = [zeros_like(tensor, create_graph) if g is None else g for g, tensor in pairs]
    return tuple([like_input(g, tensor) for g, tensor in zip(results, inputs, strict=True)])


def like_input(gradient: Tensor | None, tensor) -> Tensor | None:
    """Returns a gradient in the layout of its tensor: that of a sparse one comes as the gradient of its values."""
    if gradient is None or isinstance(tensor, GradientEdge) or tensor._carrier is None:
        return gradient
    return tensor._with_gradient(gradient)


def gradients_of_leaves(outputs: list, leaves: list[Leaf], grad_outputs: list, keep: bool) -> list[Tensor | None]:
    """The gradients of some tensors at all leaves of their graph, which have no hooks; None where none arrives."""
    task = Task(roots_of(outputs, grad_outputs), keep=keep, create=False)
    task.collects = True
    nesting.run(task)
    return [_as_result(task.leaves.get(leaf)) for leaf in leaves]


def zeros_like(tensor, requires_grad: bool = False) -> Tensor:
    """Zeros for an input that has no gradient; a leaf that can be differentiated again if that is wanted."""
    if not isinstance(tensor, Tensor):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    tensor = tensor if tensor._carrier is None else tensor._carrier
    return wrap(np.zeros_like(tensor._array))._require_grad(requires_grad)


def _batched(outputs, inputs, grad_outputs, keep, create, allow_unused, materialize) -> tuple:
    """One pass for all vectors; the results are stacked along a new first dimension."""
    grad_outputs = as_sequence(grad_outputs)
    for number, (output, gradient) in enumerate(zip(as_sequence(outputs), grad_outputs, strict=True)):
        if gradient is not None and isinstance(output, Tensor) and gradient.shape[1:] != output.shape:
            raise _batched_mismatch(number, output, gradient)

    def run(vectors):
        return grad(outputs, inputs, vectors, keep, create, allow_unused=allow_unused, materialize_grads=materialize)

    # Imported on first use: programs without transforms need not wait for them
    return import_module("rushlight.transforms.batched_gradients").gradients_of_batch(run, grad_outputs)


def as_sequence(value) -> tuple:
    """One tensor or edge, or several, as a tuple."""
    if isinstance(value, (Tensor, GradientEdge)):
        return (value,)
    return tuple(value)


def as_inputs(value, name: str) -> tuple:
    """The inputs of a pass, which may be the values of a dictionary."""
    if isinstance(value, Mapping):
        if type(value) is not dict:
            words = f"must be a dict, not {type(value).__name__}. Other Mapping types are not supported."
            raise TypeError(f"`inputs` argument to `{name}()` {words}")
        return tuple(value.values())
    return as_sequence(value)


def roots_of(tensors, gradients):
    """The (edge, gradient) pairs that a pass starts from."""
    if type(tensors) is Tensor and gradients is None:
        edge = edge_of(tensors)
        if edge is None:
            raise _no_grad(0, tensors)
        return ((edge, _implicit(tensors, 0, requires=False)),)
    tensors = as_sequence(tensors)
    gradients = (None,) * len(tensors) if gradients is None else as_sequence(gradients)
    for gradient in gradients:
        if not (gradient is None or isinstance(gradient, Tensor)):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    if len(tensors) != len(gradients):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(gradients)} gradients")
    roots = []
    for number, (tensor, gradient) in enumerate(zip(tensors, gradients, strict=True)):
        if isinstance(tensor, GradientEdge):
            roots.append((edge_from(tensor), _edge_gradient(tensor, gradient)))
            continue
        if isinstance(tensor, Tensor) and tensor._carrier is not None:
            tensor, gradient = tensor._carrier, None if gradient is None else tensor._entries_of(gradient)
        gradient = _gradient(tensor, gradient, number)
        edge = edge_of(tensor)
        if edge is None:
            raise _no_grad(number, tensor)
        roots.append((edge, gradient))
    return roots


def _edge_gradient(edge: GradientEdge, gradient) -> Tensor:
    node, number = node_behind(edge.node), edge.output_nr
    array = node.array if isinstance(node, Leaf) else np.empty(*node.result_metas[number])
    if gradient is not None:
        return _fitting(wrap(array), gradient)
    return _implicit(wrap(array), number, requires=False)


def _gradient(tensor, gradient, number: int) -> Tensor:
    """Returns the gradient of a root, checked against the tensor."""
    if not isinstance(tensor, Tensor):
        raise AssertionError("Expected output to be a torch.Tensor")
    if gradient is None:
        return _implicit(tensor, number)
    if not isinstance(gradient, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    return _fitting(tensor, gradient)


def _fitting(tensor: Tensor, gradient: Tensor) -> Tensor:
    """Casts a gradient to the dtype of a tensor. Raises RuntimeError if its shape differs.

    A sparse one stays so for a leaf, which accumulates it; the backward of an operator computes with a dense one.
    """
    if gradient.shape != tensor.shape:
        raise _mismatch(tensor, gradient)
    if gradient._carrier is not None and not (isinstance(tensor._edge, Leaf) and gradient.dtype is tensor.dtype):
        gradient = gradient.to_dense()
    if gradient.is_complex() != tensor.is_complex():
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[0] has a dtype of {gradient.dtype} and output[0] has a dtype of {tensor.dtype}."
        )
    if gradient.dtype is not tensor.dtype:
        return functions.cast(gradient, tensor._array.dtype)
    return gradient


def _implicit(tensor: Tensor, number: int, *, requires: bool = True):
    if requires and edge_of(tensor) is None:
        raise _no_grad(number, tensor)
    array = tensor._array
    if array.size != 1:
        words = "grad can be implicitly created only for scalar outputs"
        note = (
            f"The output has shape {tuple(tensor.shape)}, and backward() needs a tensor with one element. Reduce it "
            "with tensor.sum() or tensor.mean(), or pass the weight of each element: backward(gradient) with a tensor "
            "of that shape."
        )
        raise about(RuntimeError(words), "not_scalar", note, tensor=tensor)
    if array.dtype.kind == "c":
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {tensor.dtype}")
    if not array.ndim and (type(array) is np.ndarray or type(array) is DualArray):  # a constant needs no tangent
        return raw.numbers[array.dtype][1.0]
    return np.ones(array.shape, array.dtype) if type(array) is np.ndarray else np.ones_like(array)


def _mismatch(tensor: Tensor, gradient: Tensor) -> RuntimeError:
    error = RuntimeError(
        f"Mismatch in shape: grad_output[0] has a shape of {gradient.shape} and output[0] has a shape of "
        f"{tensor.shape}."
    )
    error.add_note("The gradient is the weight of each element of the output, so it has the output's shape.")
    return error


def _batched_mismatch(number: int, output: Tensor, gradient: Tensor) -> RuntimeError:
    return RuntimeError(
        "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
        "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch "
        f"was detected: grad_output[{number}] has a shape of {gradient.shape} and output[{number}] has a shape of "
        f"{output.shape}. If you only want some tensors in `grad_output` to be considered batched, consider using vmap."
    )


def _no_grad(number: int, tensor=None) -> RuntimeError:
    error = RuntimeError(f"element {number} of tensors does not require grad and does not have a grad_fn")
    note = (
        "No tensor that requires grad leads to this one, or the graph was cut: by detach(), .data, .item() or numpy(), "
        "by torch.no_grad(), or by an integer operation. requires_grad_() on the result would hide the error and train "
        "nothing."
    )
    return about(error, "no_grad_fn", note, tensor=tensor)


def _unused(results) -> RuntimeError:
    number = next(position for position, result in enumerate(results) if result is None)
    error = RuntimeError(
        f"The differentiated Tensor at index {number} appears to not have been used in the graph. Set "
        "allow_unused=True if this is the desired behavior."
    )
    error.add_note("The outputs do not depend on that tensor. A copy or a view of it is another tensor.")
    return error


def edge_from(edge: GradientEdge):
    """Returns the edge of a public GradientEdge."""
    node, number = node_behind(edge.node), edge.output_nr
    return Output(node, number) if node.outputs > 1 else node


def _accumulating_target(input):
    """Returns the edge of an input whose `grad` gets the gradient."""
    if isinstance(input, Tensor) and not input.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    return _target(input)


def _target(input):
    if isinstance(input, GradientEdge):
        return edge_from(input)
    if not isinstance(input, Tensor):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(input).__name__}")
    edge = edge_of(input if input._carrier is None else input._carrier)
    if edge is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge


def _captured(task: Task, edge):
    return _as_result(task.captured.get(function_and_number(edge)))


def _as_result(result):
    """Returns a gradient as it is returned to the program."""
    if result is None or isinstance(result, Tensor):
        return result
    return wrap(np.asarray(result) if isinstance(result, np.generic) else _own(result))


def _own(array):
    """Copies a gradient for the program if it is read-only or a view."""
    if array.flags.writeable and (array.base is None or accumulate.is_whole(array)):
        return array
    return xp.in_order(array) if 0 in array.strides else formats.in_format(array, None)


def _accumulate_captured(inputs, targets, task: Task) -> None:
    """`backward(inputs=...)` gives the results among the inputs their `grad` too."""
    for tensor, edge in zip(inputs, targets, strict=True):
        if isinstance(tensor, Tensor) and not isinstance(edge, Leaf) and not tensor.retains_grad:
            result = _captured(task, edge)
            if result is not None:
                tensor._own_grad = result if tensor._own_grad is None else functions.add(tensor._own_grad, result)
