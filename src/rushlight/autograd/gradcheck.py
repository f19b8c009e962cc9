"""`gradcheck` and `gradgradcheck`: derivatives against central differences.

    slow    every column of the Jacobian by moving one element, every row by one backward
    fast    one number in place of the matrix: v·J·u, with J·u by moving the input along u and v·J by one backward

Functions with complex results are checked as two functions, their imaginary and their real part. With respect to a
complex input z = x + iy the derivative of a real function L is dL/dx + i dL/dy.
https://docs.pytorch.org/docs/stable/notes/gradcheck.html
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import numpy as np

import rushlight._generated.functions as functions
from rushlight.arrays import mt19937
from rushlight.autograd.differences import GradcheckError, Settings, against_differences, as_tuple, differentiable
from rushlight.autograd.function import Function
from rushlight.autograd.gradients import grad
from rushlight.core.device import host
from rushlight.core.generator import default_generator
from rushlight.core.tensor import Tensor, alias, wrap
from rushlight.create.construction import from_array

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


def gradcheck(
    func: Callable,
    inputs: Tensor | Iterable[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compares the gradients of `func` with central differences, for every input that requires grad.

    The inputs should be float64 or complex128: `eps` and the tolerances are made for those. Raises GradcheckError where
    a derivative is wrong; with `raise_exception=False` the answer is False then.

    >>> import rushlight as torch
    >>> torch.autograd.gradcheck(torch.exp, torch.ones(2, dtype=torch.float64, requires_grad=True))
    True
    """
    _refuse_combinations(check_backward_ad, check_forward_ad, check_batched_grad, check_batched_forward_grad)
    func, inputs = of_dense(func, as_tuple(inputs), bool(masked))
    settings = Settings(eps, atol, rtol, nondet_tol, check_grad_dtypes)
    try:
        _check_inputs(inputs)
        outputs = against_differences(func, inputs, settings, fast_mode) if check_backward_ad else ()
        if check_forward_ad:
            forward = import_module("rushlight.transforms.forward_checks")  # on first use, as all transforms
            forward.against_differences(func, inputs, settings, fast_mode, check_undefined_grad)
            if check_batched_forward_grad:
                forward.check_batched(func, inputs)
        if check_backward_ad:
            _check_backward(func, inputs, outputs, check_batched_grad, check_undefined_grad, masked)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check_backward(func: Callable, inputs: tuple, outputs: tuple, batched: bool, undefined: bool, masked) -> None:
    """Checks what every backward must do, whatever the derivative."""
    if batched:
        for number, output in enumerate(outputs):
            _check_batched(output, number, inputs)
    _check_zero_gradients(outputs, inputs, masked)
    if undefined:
        _check_undefined_gradients(func, inputs, len(outputs))


def gradgradcheck(
    func: Callable,
    inputs: Tensor | Iterable[Any],
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Compares the gradients of the gradients of `func` with central differences.

    They are taken with respect to the inputs and to the incoming gradients, which are drawn at random unless given as
    `grad_outputs`. Raises GradcheckError as `gradcheck` does.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    for name, asked in (("check_undefined_grad", check_undefined_grad), ("check_batched_grad", check_batched_grad)):
        if asked and not check_rev_over_rev:
            raise AssertionError(f"Setting {name}=True requires check_rev_over_rev to be True")
    func, inputs = of_dense(func, as_tuple(inputs), masked)
    if grad_outputs is None:
        outputs = differentiable(func(*inputs))
        grad_outputs = tuple(_random_gradient(output, gen_non_contig_grad_outputs) for output in outputs)
    grad_outputs = as_tuple(grad_outputs)
    return gradcheck(
        Gradient(func, inputs),
        inputs + grad_outputs,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


class Gradient:
    """The gradient of a function, as a function of its inputs and of the incoming gradients."""

    def __init__(self, function: Callable, inputs: tuple):
        self.function, self.inputs = function, inputs

    def __call__(self, *arguments):
        inputs = tuple(map(self._marked, arguments, self.inputs))
        gradients = arguments[len(self.inputs) :]
        outputs = differentiable(self.function(*inputs))
        gradients_of_inputs = grad(outputs, differentiable(inputs), gradients, create_graph=True, allow_unused=True)
        return tuple(g for g in gradients_of_inputs if g is not None)

    @staticmethod
    def _marked(argument, input_):
        """Returns an argument that requires grad if the input does: one with a tangent is made without history."""
        if isinstance(input_, Tensor) and input_.requires_grad and not argument.requires_grad:
            argument = alias(argument)
            argument._become_leaf()
        return argument


def _random_gradient(output: Tensor, noncontiguous: bool) -> Tensor:
    """Returns random values between -1 and 1 in the shape of an output."""
    array = mt19937.uniform(default_generator, output._array.shape, output._array.dtype, -1, 1)
    gradient = from_array(array, device=output.device)
    if noncontiguous and array.size > 1 and array.ndim:
        gradient = wrap(np.repeat(gradient._array, 2, axis=-1)[..., ::2])
    return gradient._require_grad()


# ---- arguments


def of_dense(func: Callable, inputs: tuple, masked: bool) -> tuple[Callable, tuple]:
    """Returns a function of dense tensors, and these: of sparse inputs, the values."""
    if any(isinstance(each, Tensor) and each._carrier is not None for each in inputs):
        return import_module("rushlight.sparse.gradcheck").on_values(func, inputs, masked)
    return func, inputs


def _refuse_combinations(backward: bool, forward: bool, batched: bool, batched_forward: bool) -> None:
    if not (forward or backward):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if batched and not backward:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if batched_forward and not forward:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")


def _check_inputs(inputs: tuple) -> None:
    """Raises ValueError unless an input requires grad, and RuntimeError if such an input overlaps itself."""
    for number, tensor in enumerate(inputs):
        if not (isinstance(tensor, Tensor) and tensor.requires_grad):
            continue
        if tensor._array.dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{number} requires gradient and is not a double precision floating point or complex. This "
                "check will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=3,
            )
        if any(step == 0 and length > 1 for step, length in zip(tensor.stride(), tensor.shape, strict=True)):
            raise RuntimeError(
                f"The {number}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not differentiable(inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


# ---- rules for every backward


def _check_batched(output: Tensor, number: int, inputs: tuple) -> None:
    """Compares a batch of incoming gradients with the same gradients one by one."""
    leaves = differentiable(inputs)
    gradients = [_random_gradient(output, False).detach() for _ in range(2)]
    options = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
    expected = [
        functions.stack(list(rows))
        for rows in zip(*(grad(output, leaves, g, **options) for g in gradients), strict=True)
    ]
    try:
        result = grad(output, leaves, functions.stack(gradients), is_grads_batched=True, **options)
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}") from error
    for position, (one, other) in enumerate(zip(result, expected, strict=True)):
        if not np.allclose(host(one), host(other), rtol=1e-5, atol=1e-8):
            raise GradcheckError(
                f"For output {number} and input {position}:\n\nbatched gradients differ from single ones.\n\n"
                f"Got:\n{one}\n\nExpected:\n{other}"
            )


def _zeros(output: Tensor) -> Tensor:
    return from_array(np.zeros(output._array.shape, output._array.dtype), device=output.device)


def _check_zero_gradients(outputs: tuple, inputs: tuple, masked) -> None:
    """Compares the gradients from zeros with zeros, since backward is linear; and what kind of tensors they are."""
    leaves = differentiable(inputs)
    result = grad(outputs, leaves, [_zeros(output) for output in outputs], allow_unused=True) if outputs else ()
    for gradient, leaf in zip(result, leaves, strict=bool(outputs)):
        if gradient is None:
            continue
        if gradient.layout is not leaf.layout:
            raise GradcheckError(f"grad is incorrect layout ({gradient.layout} is not {leaf.layout})")
        if not (np.allclose(host(gradient), 0) if masked else (host(gradient) == 0).all()):
            raise GradcheckError("backward not multiplied by grad_output")
        for what, same in (
            ("type", gradient.dtype is leaf.dtype),
            ("device", gradient.device == leaf.device),
            ("size", gradient.shape == leaf.shape),
        ):
            if not same:
                raise GradcheckError(f"grad is incorrect {what}")


class Undefined(Function):
    """Returns its input; its backward returns no gradient."""

    @staticmethod
    def forward(ctx, value):
        return value.clone()

    @staticmethod
    def backward(ctx, gradient):
        return None


def _check_undefined_gradients(function: Callable, inputs: tuple, count: int) -> None:
    """Raises GradcheckError if backward fails on absent gradients: all of them, or one of several."""
    missing = [range(count)] + [[number] for number in range(count) if count > 1]
    for numbers in missing:
        outputs = differentiable(function(*inputs))
        marked = [Undefined.apply(x) if number in numbers else x for number, x in enumerate(outputs)]
        try:
            result = grad(marked, differentiable(inputs), [_zeros(output) for output in outputs], allow_unused=True)
        except RuntimeError as error:
            _warn_about_undefined()
            raise GradcheckError(
                'Expected backward function to handle undefined output grads. Please look at "Notes about undefined '
                'output gradients" in "tools/autograd/derivatives.yaml"'
            ) from error
        if any(g is not None and not (host(g) == 0).all() for g in result):
            _warn_about_undefined()
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero. Please "
                "look at "
                '"Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
            )


def _warn_about_undefined() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may "
        "break existing callers of this function. If this is true for you, you can call this function with "
        '"check_undefined_grad=False" to disable the feature',
        stacklevel=4,
    )
