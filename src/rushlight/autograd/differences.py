"""Compares derivatives from backward with central differences, for `gradcheck`."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

import rushlight._generated.functions as functions
from rushlight.autograd.gradients import grad
from rushlight.core.device import BACKENDS, host
from rushlight.core.tensor import Tensor, wrap
from rushlight.create.construction import from_array


class GradcheckError(RuntimeError):
    """Raised if a derivative differs from finite differences, or a backward breaks a rule."""

    __module__ = "torch.autograd.gradcheck"


class Settings(NamedTuple):
    """Step size and tolerances."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool


def as_tuple(value) -> tuple:
    """Returns one tensor or several as a tuple."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def differentiable(values) -> tuple:
    """Returns the tensors among `values` that require grad."""
    return tuple(value for value in as_tuple(values) if isinstance(value, Tensor) and value.requires_grad)


def against_differences(function: Callable, inputs: tuple, settings: Settings, fast: bool) -> tuple:
    """Checks a function, in two parts if a result is complex; returns its differentiable results."""
    results = as_tuple(function(*inputs))
    compare = Comparison.fast if fast else Comparison.slow
    if any(isinstance(result, Tensor) and result.is_complex() for result in results):
        for words, part in (("imaginary", functions.imag), ("real", functions.real)):
            compare(Comparison(_part_of(function, part), inputs, settings, words, differentiable(results)))
    else:
        compare(Comparison(function, inputs, settings))
    return differentiable(results)


def _part_of(function: Callable, part: Callable) -> Callable:
    return lambda *inputs: tuple(
        part(output) if output.is_complex() else output for output in as_tuple(function(*inputs))
    )


class Comparison:
    """A function of real results at fixed inputs: its Jacobians from backward and from differences."""

    def __init__(self, function: Callable, inputs: tuple, settings: Settings, part: str = "", whole: tuple = ()):
        self.function, self.inputs, self.settings = function, inputs, settings
        self.leaves = differentiable(inputs)
        self.results = as_tuple(function(*inputs))
        self.outputs = differentiable(self.results)
        self.part = part
        self.complex_outputs = {number for number, result in enumerate(whole) if result.is_complex()}

    def slow(self) -> None:
        """Compares the Jacobians element by element."""
        numerical = [self.jacobian_by_differences(leaf) for leaf in self.leaves]
        if not self.outputs:
            return self._refuse_derivative(numerical, 0.0)
        for number, output in enumerate(self.outputs):
            analytical = self.jacobians_by_backward(output)
            for position, result in enumerate(analytical):
                expected = self._differentiable(numerical[position])[number]
                if not self._is_close(result, expected, self.settings.atol):
                    raise self._mismatch(number, position, result, expected)

    def fast(self) -> None:
        """Compares v·J·u for fixed random v and u."""
        generator = np.random.default_rng(0)
        directions = [self._direction(leaf, generator) for leaf in self.leaves]
        derivatives = [
            self.derivatives_along(leaf, *direction) for leaf, direction in zip(self.leaves, directions, strict=True)
        ]
        if not self.outputs:
            return self._refuse_derivative(derivatives, self.settings.nondet_tol)
        for number, output in enumerate(self.outputs):
            weights = unit_vector(output._array.shape, generator)
            rows = self.twice(output, [weights])
            for position, (real, imaginary) in enumerate(directions):
                row, scale = rows[position][:, 0], real.sum() * weights.sum()
                result = np.asarray(row.real @ real.ravel())
                if row.dtype.kind == "c":
                    result = result + 1j * (row.imag @ imaginary.ravel())
                    scale += imaginary.sum() * weights.sum()
                expected = np.asarray(weights.ravel() @ self._differentiable(derivatives[position])[number])
                if not self._is_close(result, expected, self.settings.atol * scale):
                    raise self._mismatch(number, position, result, expected, self._slow_words(number, position))

    # by differences

    def jacobian_by_differences(self, leaf: Tensor) -> list:
        """Returns one matrix per result, (elements of the input, elements of the result)."""
        columns: list[list] = [[] for _ in self.results]
        for index in product(*map(range, leaf.shape)):
            direction = np.zeros(leaf._array.shape)
            direction[index] = 1.0
            for matrix, derivative in zip(columns, self.derivatives_along(leaf, direction, direction), strict=True):
                matrix.append(derivative)
        pairs, size = zip(columns, self.results, strict=True), leaf._array.size
        return [np.array(matrix).reshape(size, result._array.size) for matrix, result in pairs]

    def derivatives_along(self, leaf: Tensor, real, imaginary) -> list:
        """Returns the derivative of each result along a direction; for complex inputs, along both parts of it."""
        derivatives = self._differences_along(leaf, real)
        if leaf._array.dtype.kind == "c":
            imaginary_part = self._differences_along(leaf, 1j * imaginary)
            return [a + 1j * b for a, b in zip(derivatives, imaginary_part, strict=True)]
        return derivatives

    def _differences_along(self, leaf: Tensor, direction) -> list:
        eps, array = self.settings.eps, leaf._array
        original, step = host(leaf).copy(), (eps * direction).astype(array.dtype)
        try:
            before = self._values_at(array, original - step)
            after = self._values_at(array, original + step)
        finally:
            BACKENDS.of(array).write(array, original)
        for low, high in zip(before, after, strict=True):
            self._refuse_other_kind(low, high)
        return [((high - low) / (2 * eps)).ravel() for low, high in zip(before, after, strict=True)]

    def _values_at(self, array, values) -> list:
        BACKENDS.of(array).write(array, values)
        results = [host(output.detach()) for output in as_tuple(self.function(*self.inputs))]
        return [result.astype(np.float64) if result.dtype.kind in "biu" else result.copy() for result in results]

    def _refuse_other_kind(self, low, high) -> None:
        for what in ("shape", "dtype"):
            first, second = getattr(low, what), getattr(high, what)
            if first != second:
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when inputs are perturbed by "
                    f"{self.settings.eps}, but got: {what}s {first} and {second}."
                )

    # by backward

    def jacobians_by_backward(self, output: Tensor) -> list:
        """Returns one matrix per input, (elements of the input, elements of the result)."""
        return self.twice(output, unit_gradients(output._array.shape))

    def twice(self, output: Tensor, gradients) -> list:
        """Returns the gradients for each of several incoming ones, as columns. Raises if two backward passes differ."""
        gradients = list(gradients)
        first, second = (self._rows(output, gradients) for _ in range(2))
        for one, other in zip(first, second, strict=True):
            if one.size and np.abs(one - other).max() > self.settings.nondet_tol:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                    "gives different values, although analytical gradient matches numerical gradient.The tolerance "
                    f"for nondeterminism was {self.settings.nondet_tol}.\n\nIf the backward may differ from run to "
                    "run, say by how much with `nondet_tol`."
                )
        return first

    def _rows(self, output: Tensor, gradients: list) -> list:
        columns = [np.zeros((leaf._array.size, len(gradients)), leaf._array.dtype) for leaf in self.leaves]
        for number, gradient in enumerate(gradients):
            incoming = from_array(gradient.astype(output._array.dtype), device=output.device)
            gradients_of_leaves = grad(output, self.leaves, incoming, retain_graph=True, allow_unused=True)
            for leaf, matrix, g in zip(self.leaves, columns, gradients_of_leaves, strict=True):
                if g is not None:
                    self._check_kind(g, leaf)
                    matrix[:, number] = host(g if g._carrier is None else g.to_dense()).ravel()
        return columns

    def _check_kind(self, gradient: Tensor, leaf: Tensor) -> None:
        if gradient.shape != leaf.shape:
            raise GradcheckError("Analytical gradient has incorrect size")
        if self.settings.check_grad_dtypes and gradient.dtype is not leaf.dtype:
            raise GradcheckError("Gradient has dtype mismatch")

    # results

    def _differentiable(self, per_result: list) -> list:
        return [x for x, result in zip(per_result, self.results, strict=True) if result.requires_grad]

    def _direction(self, leaf: Tensor, generator) -> tuple:
        return unit_vector(leaf._array.shape, generator), unit_vector(leaf._array.shape, generator)

    def _is_close(self, actual, expected, atol: float) -> bool:
        return bool(np.isclose(actual, expected, rtol=self.settings.rtol, atol=atol).all())

    def _refuse_derivative(self, per_input: list, tolerance: float) -> None:
        """Raises if results without gradient depend on the inputs."""
        for derivative in (x for per_result in per_input for x in per_result):
            if derivative.size and np.abs(derivative).max() > tolerance:
                raise GradcheckError("Numerical gradient for function expected to be zero")

    def _mismatch(self, output: int, input: int, actual, expected, more: str = "") -> GradcheckError:
        prefix = (
            f"While considering the {self.part} part of complex outputs only, "
            if output in self.complex_outputs
            else ""
        )
        return GradcheckError(
            f"{prefix}Jacobian mismatch for output {output} with respect to input {input},\n"
            f"numerical:{wrap(expected)}\nanalytical:{wrap(actual)}\n{more}"
        )

    def _slow_words(self, output: int, input: int) -> str:
        """Returns the end of the fast mode's error message: both Jacobians in full."""
        expected = self._differentiable(self.jacobian_by_differences(self.leaves[input]))[output]
        result = self.jacobians_by_backward(self.outputs[output])[input]
        words = (
            "\nThe above quantities relating the numerical and analytical jacobians are computed \nin fast mode. In "
            f"slow mode they are:\n\nNumerical:\n {wrap(expected)}\nAnalytical:\n{wrap(result)}\n\nThe max per-element "
            f"difference (slow mode) is: {np.abs(expected - result).max()}.\n"
        )
        close = self._is_close(result, expected, self.settings.atol)
        return words + ("Element by element they agree: try fast_mode=False.\n" if close else "")


def unit_vector(shape: tuple, generator):
    """Returns a random vector of norm 1 without negative elements."""
    vector = np.asarray(generator.random(shape))
    norm = np.linalg.norm(vector)
    return np.asarray(vector / norm) if norm else vector


def unit_gradients(shape: tuple) -> Iterator:
    """Yields for each element of a result the gradient that is one there and zero elsewhere."""
    for index in product(*map(range, shape)):
        gradient = np.zeros(shape)
        gradient[index] = 1.0
        yield gradient
