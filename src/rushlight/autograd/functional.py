"""torch.autograd.functional: Jacobians, Hessians, and their products with vectors, of functions of tensors.

A product `J v` is made of two backward passes: `u -> u J` is linear in u, so the derivative of that along v is `J v`,
whatever u is. Source of the trick: J. Townsend, "A new trick for calculating Jacobian vector products", 2017,
https://j-towns.github.io/2017/06/12/A-new-trick.html.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight._generated.functions as functions
from rushlight.autograd import strictness
from rushlight.autograd.grad_mode import enable_grad, set_grad_enabled
from rushlight.autograd.gradients import grad
from rushlight.autograd.methods import detached
from rushlight.core.modes import recording
from rushlight.core.tensor import Tensor, alias, wrap
from rushlight.create.filled import zeros_like
from rushlight.transforms.levels import batch_level, batched, dual, dual_level, unbatched, undual

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
STRATEGIES = ("forward-mode", "reverse-mode")


# ---- products with a vector


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """`func(*inputs)`, and `v` times the Jacobian: one backward pass.

    `v` is like the outputs, and may be None for an output of one element. With `create_graph` the results can be
    differentiated; with `strict` an output that does not depend on an input is an error, not a zero.

    >>> import rushlight as torch
    >>> torch.autograd.functional.vjp(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0]))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with enable_grad():
        call = Call("vjp", inputs, create_graph, strict)
        outputs = call.run(func)
        if v is None and (len(outputs) != 1 or outputs[0].numel() != 1):
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single "
                "element."
            )
        v = call.vector(v, outputs, call.returns_tuple)
    with set_grad_enabled(create_graph or recording()):
        result = gradients(outputs, call.inputs, v, create_graph)
        result = strictness.filled(result, call.inputs, strict, create_graph, "back")
    return call.returned(outputs, call.returns_tuple), call.returned(result, call.takes_tuple)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """`func(*inputs)`, and the Jacobian times `v`: two backward passes.

    `v` is like the inputs, and may be None for an input of one element. `create_graph` and `strict` as in `vjp`.

    >>> import rushlight as torch
    >>> torch.autograd.functional.jvp(lambda x: x.sum(), torch.ones(3), torch.tensor([1.0, 2.0, 3.0]))
    (tensor(3.), tensor(6.))
    """
    with enable_grad():
        call = Call("jvp", inputs, create_graph, strict)
        v = call.input_vector(v)
        outputs = call.run(func)
        dual = tuple(zeros_like(output, requires_grad=True) for output in outputs)
        pulled = gradients(outputs, call.inputs, dual, create_graph=True)
        strictness.check(pulled, "grad_inputs", strict)
    with set_grad_enabled(create_graph or recording()):
        result = gradients(pulled, dual, v, create_graph)
        result = strictness.filled(result, outputs, strict, create_graph, "back_trick")
    return call.returned(outputs, call.returns_tuple), call.returned(result, call.returns_tuple)


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """`func(*inputs)`, one element, and `v` times its Hessian: two backward passes.

    `v` is like the inputs. `create_graph` and `strict` as in `vjp`.
    """
    with enable_grad():
        call = Call("vhp", inputs, create_graph, strict)
        v = call.input_vector(v)
        outputs = call.run_to_number(func)
        slope = gradients(outputs, call.inputs, None, create_graph=True)
        strictness.check(slope, "jacobian", strict)
    with set_grad_enabled(create_graph or recording()):
        result = gradients(slope, call.inputs, v, create_graph)
        result = strictness.filled(result, call.inputs, strict, create_graph, "double_back")
    return call.returned(outputs, call.returns_tuple), call.returned(result, call.takes_tuple)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """`func(*inputs)`, one element, and its Hessian times `v`: three backward passes.

    The Hessian of a smooth function is symmetric: `vhp` gives the same for less. Arguments as those of `vhp`.
    """
    with enable_grad():
        call = Call("hvp", inputs, create_graph, strict)
        v = call.input_vector(v)
        outputs = call.run_to_number(func)
        slope = gradients(outputs, call.inputs, None, create_graph=True)
        strictness.check(slope, "jacobian", strict)
        dual = tuple(zeros_like(input_, requires_grad=True) for input_ in call.inputs)
        pulled = gradients(slope, call.inputs, dual, create_graph=True)
        strictness.check(slope, "hessian", strict)
    with set_grad_enabled(create_graph or recording()):
        result = gradients(pulled, dual, v, create_graph)
        result = strictness.filled(result, call.inputs, strict, create_graph, "double_back_trick")
    return call.returned(outputs, call.returns_tuple), call.returned(result, call.takes_tuple)


# ---- whole matrices


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """All derivatives of `func`, of shape (*output, *input): a tuple of them by output, by input, or both.

    One backward pass per element of the outputs; with `vectorize` one for all of them. The strategy "forward-mode" runs
    the function once, with the directions of all elements of the inputs. `create_graph` and `strict` as in `vjp`.

    >>> import rushlight as torch
    >>> torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    check_strategy(strategy, create_graph, strict, vectorize)
    if strategy == "forward-mode":
        return by_directions(func, inputs)
    with enable_grad():
        call = Call("jacobian", inputs, create_graph, strict)
        outputs = call.run(func)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
                "Please either set `strict=False` or `vectorize=False`."
            )
        rows = rows_at_once(outputs, call) if vectorize else each_row(outputs, call)
        result = tuple(tuple(call.kept(row)) for row in rows)
    result = tuple(row if call.takes_tuple else row[0] for row in result)
    return result if call.returns_tuple else result[0]


def check_strategy(strategy: str, create_graph: bool, strict: bool, vectorize: bool) -> None:
    """Raises NotImplementedError or RuntimeError for options that PyTorch's forward mode does not combine with."""
    if strategy not in STRATEGIES:
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "reverse-mode":
        return
    for name, value, error in (("create_graph", create_graph, NotImplementedError), ("strict", strict, RuntimeError)):
        if value:
            raise error(
                f'torch.autograd.functional.jacobian: `{name}=True` and `strategy="forward-mode"` are not supported '
                f'together (yet). Please either set `{name}=False` or `strategy="reverse-mode"`.'
            )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )


def _construct_standard_basis_for(tensors, tensor_numels) -> tuple:
    """The rows of an identity matrix over the elements of all tensors, cut into one part (all, own elements) each.

    >>> import rushlight as torch
    >>> torch.autograd.functional._construct_standard_basis_for((torch.zeros(1), torch.zeros(2)), (1, 2))[1]
    tensor([[0., 0.],
            [1., 0.],
            [0., 1.]])
    """
    if len(tensors) != len(tensor_numels):
        lengths = f"{len(tensors)} and {len(tensor_numels)}"
        raise AssertionError(f"Expected tensors and tensor_numels to have the same length, but got {lengths}")
    if not tensors:
        raise AssertionError("Expected at least one tensor")
    basis, parts, begin = np.eye(sum(tensor_numels)), [], 0
    for tensor, count in zip(tensors, tensor_numels, strict=True):
        parts.append(functions.to_copy(wrap(basis[:, begin : begin + count]), tensor._array.dtype, tensor.device))
        begin += count
    return tuple(parts)


def by_directions(func, inputs):
    """Returns the Jacobian from one run of the function on tensors with all unit vectors as tangents."""
    takes_tuple, inputs = as_tuple(inputs, "inputs", "jacobian")
    counts = [input_.numel() for input_ in inputs]
    with batch_level(sum(counts)) as batch, dual_level() as level:
        units = zip(inputs, _construct_standard_basis_for(inputs, counts), strict=True)
        tangents = [batched(batch, functions.view(unit, (len(unit), *input_.shape)), 0) for input_, unit in units]
        duals = [dual(level, input_, tangent) for input_, tangent in zip(inputs, tangents, strict=True)]
        returns_tuple, outputs = as_tuple(func(*duals), OUTPUTS, "jacobian")
        results = [tangent_or_zeros(level, output) for output in outputs]
        columns = [unbatched(batch, result, 0) for result in results]
    result = []
    for column in columns:
        blocks = functions.split(functions.movedim(column, 0, -1), counts, -1)
        pairs = zip(blocks, inputs, strict=True)
        result.append([functions.reshape(block, (*column.shape[1:], *input_.shape)) for block, input_ in pairs])
    if not takes_tuple:
        result = tuple([row[0] for row in result])
    return result if returns_tuple else result[0]


def tangent_or_zeros(level, output):
    """Returns the derivative of an output."""
    primal, tangent = undual(level, output)
    return zeros_like(primal) if tangent is None else tangent


def rows_at_once(outputs: tuple, call: Call) -> list[list]:
    """Returns the Jacobians by output and input, from one backward pass on all unit vectors."""
    counts = [output.numel() for output in outputs]
    units = _construct_standard_basis_for(outputs, counts)
    recorded = [(output, unit) for output, unit in zip(outputs, units, strict=True) if output.requires_grad]
    rows = [None] * len(call.inputs)
    if recorded:
        vectors = [functions.view(unit, (len(unit), *output.shape)) for output, unit in recorded]
        options = {"create_graph": call.create_graph, "allow_unused": True, "is_grads_batched": True}
        rows = grad([output for output, _ in recorded], call.inputs, vectors, **options)
    columns = []
    for row, input_ in zip(rows, call.inputs, strict=True):
        row = input_.new_zeros((sum(counts), *input_.shape)) if row is None else row
        blocks = zip(functions.split(row, counts), outputs, strict=True)
        columns.append([functions.reshape(block, (*output.shape, *input_.shape)) for block, output in blocks])
    return [list(row) for row in zip(*columns, strict=True)]


def each_row(outputs: tuple, call: Call):
    """Yields the Jacobians of each output, from a backward pass for each element."""
    for number, output in enumerate(outputs):
        yield rows_of(output, number, call)


def rows_of(output, number: int, call: Call):
    """Yields the Jacobians of one output, one for each input."""
    rows: list[list] = [[] for _ in call.inputs]
    flat = functions.reshape(output, (-1,))
    for position in range(flat.numel()):
        result = gradients((flat[position],), call.inputs, None, call.create_graph, retain_graph=True)
        for index, (gradient, input) in enumerate(zip(result, call.inputs, strict=True)):
            if call.strict:
                strictness.check_row(gradient, number, index, call.create_graph)
            rows[index].append(zeros_like(input) if gradient is None else gradient)
    for rows_of_input, input in zip(rows, call.inputs, strict=True):
        shape = (*output.shape, *input.shape)  # (*output, *input)
        yield functions.view(functions.stack(rows_of_input), shape) if rows_of_input else input.new_zeros(shape)


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """All second derivatives of `func`, of one element, of shape (*input, *input): the Jacobian of its gradient.

    For a tuple of inputs, a tuple of tuples. `create_graph` and `strict` as in `vjp`, the others as in `jacobian`.

    >>> import rushlight as torch
    >>> torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    takes_tuple, inputs = as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in STRATEGIES:
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def number(*args):
        returns_tuple, outputs = as_tuple(func(*args), OUTPUTS, "hessian")
        strictness.check(outputs, "outputs", strict)
        check_number("hessian", outputs, returns_tuple)
        return functions.squeeze(outputs[0])

    def slope(*args):
        result = jacobian(number, args, create_graph=True)
        strictness.check(result, "jacobian", strict)
        return result

    result = jacobian(slope, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return result if takes_tuple else result[0][0]


# ---- arguments and results


OUTPUTS = "outputs of the user-provided function"


class Call:
    """One call of a function, on new views of its inputs: other uses of the same tensors inside get no gradient."""

    returns_tuple = False

    def __init__(self, name: str, inputs, create_graph: bool, strict: bool):
        self.name, self.create_graph, self.strict = name, create_graph, strict
        self.takes_tuple, inputs = as_tuple(inputs, "inputs", name)
        self.inputs = self._fresh(inputs, recorded=True)

    def _fresh(self, tensors, *, recorded: bool) -> tuple:
        """Returns views of the tensors that gradients flow through if `create_graph`, else detached leaves."""
        return tuple([self._fresh_one(tensor, recorded) for tensor in tensors])

    def _fresh_one(self, tensor, recorded: bool):
        if not self.create_graph:
            return tensor.detach().requires_grad_(recorded)
        if tensor.requires_grad:
            return functions.view_as(tensor, tensor)
        return alias(tensor).requires_grad_(recorded)  # with its tangent, if it has one

    def run(self, func) -> tuple:
        """Runs the function and returns its outputs."""
        self.returns_tuple, outputs = as_tuple(func(*self.inputs), OUTPUTS, self.name)
        strictness.check(outputs, "outputs", self.strict)
        return outputs

    def run_to_number(self, func) -> tuple:
        """Runs the function and returns its output, one tensor of one element."""
        outputs = self.run(func)
        check_number(self.name, outputs, self.returns_tuple)
        return outputs

    def vector(self, v, like: tuple, like_tuple: bool) -> tuple | None:
        """Returns the vector to multiply by."""
        if v is None:
            return None
        v = self._fresh(as_tuple(v, "v", self.name)[1], recorded=False)
        check_vector(v, like, like_tuple)
        return v

    def input_vector(self, v) -> tuple | None:
        """Returns the vector to multiply by, of the shapes of the inputs."""
        if v is None and (len(self.inputs) != 1 or self.inputs[0].numel() != 1):
            raise RuntimeError(
                "The vector v can only be None if the input to the user-provided function is a single Tensor with a "
                "single element."
            )
        return self.vector(v, self.inputs, self.takes_tuple)

    def kept(self, tensors):
        """Returns tensors with their history if `create_graph`, else without."""
        return tensors if self.create_graph else map(detached, tensors)

    def returned(self, tensors, is_tuple: bool):
        """Returns the result for the user: in the form of the inputs, one tensor or a tuple."""
        result = tuple(self.kept(tensors))
        return result if is_tuple else result[0]


def as_tuple(value, what: str, function: str) -> tuple[bool, tuple]:
    """Returns whether a value is a tuple, and the value as a tuple of tensors."""
    is_tuple = isinstance(value, tuple)
    tensors = value if is_tuple else (value,)
    for index, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            subject = f"value at index {index}" if is_tuple else f"given {what}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the {subject} has "
                f"type {type(tensor)}."
            )
    return is_tuple, tensors


def check_vector(v: tuple, like: tuple, like_tuple: bool) -> None:
    """Raises RuntimeError if a vector does not have the shapes of what it is multiplied with."""
    if len(v) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}."
            if like_tuple
            else "The given v should contain a single Tensor."
        )
    for index, (part, other) in enumerate(zip(v, like, strict=True)):
        if part.shape != other.shape:
            where = f"Entry {index} in " if like_tuple else ""
            raise RuntimeError(f"{where}v has invalid size: should be {other.shape} but got {part.shape}.")


def check_number(function: str, outputs: tuple, is_tuple: bool) -> None:
    """Raises RuntimeError if a function does not return one element: only such a function has a Hessian."""
    if is_tuple:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")


def gradients(outputs, inputs, v, create_graph: bool = False, retain_graph=None) -> tuple:
    """Returns the gradients of the outputs that have history; None for inputs that none of them depends on."""
    weights = (None,) * len(outputs) if v is None else v
    pairs = [(output, weight) for output, weight in zip(outputs, weights, strict=True) if _is_recorded(output)]
    if not pairs:
        return (None,) * len(inputs)
    recorded, weights = zip(*pairs, strict=True)
    return grad(recorded, inputs, weights, retain_graph, create_graph, allow_unused=True)


def _is_recorded(tensor) -> bool:
    return tensor is not None and tensor.requires_grad
