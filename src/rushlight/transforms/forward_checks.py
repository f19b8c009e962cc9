"""Compares derivatives from forward mode with central differences, for `gradcheck(check_forward_ad=True)`.

A function of complex inputs is checked along their imaginary and along their real parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import rushlight._generated.functions as functions
from rushlight.autograd import forward_ad
from rushlight.autograd.differences import Comparison, GradcheckError, Settings, as_tuple, differentiable, unit_vector
from rushlight.core.device import host
from rushlight.core.tensor import Tensor
from rushlight.create.construction import from_array
from rushlight.create.filled import zeros_like
from rushlight.dispatch.override import ABSENT
from rushlight.transforms.levels import batch_level, batched, unbatched

BATCHED = "Batched forward gradients, by vmap over the tangents, are not those of a loop over them."


def against_differences(function: Callable, inputs: tuple, settings: Settings, fast: bool, undefined: bool) -> None:
    """Checks the derivatives of a function along directions. Raises GradcheckError where one is wrong."""
    complex_inputs = {number for number, x in enumerate(inputs) if isinstance(x, Tensor) and x.is_complex()}
    for part, unit in (("imaginary", 1j), ("real", 1.0)) if complex_inputs else (("", 1.0),):
        forward = Forward(function, inputs, settings, part, unit)
        (forward.fast if fast else forward.slow)()
    if undefined:
        forward.check_undefined()


class Forward(Comparison):
    """A function at fixed inputs: its derivatives along directions, from tangents and from differences."""

    def __init__(self, function: Callable, inputs: tuple, settings: Settings, part: str, unit: complex):
        super().__init__(function, inputs, settings)
        self.part, self.unit = part, unit

    def slow(self) -> None:
        for position, leaf in enumerate(self.leaves):
            for index in np.ndindex(*leaf.shape):
                direction = np.zeros(leaf._array.shape)
                direction[index] = 1.0
                self._compare(position, direction)

    def fast(self) -> None:
        generator = np.random.default_rng(0)
        for position, leaf in enumerate(self.leaves):
            direction = unit_vector(leaf._array.shape, generator)
            weights = [unit_vector(result._array.shape, generator) for result in self.results]
            self._compare(position, direction, weights)

    def _compare(self, position: int, direction, weights: list | None = None) -> None:
        leaf = self.leaves[position]
        along = direction * self.unit if leaf.is_complex() else direction
        expected = self._differences_along(leaf, along)
        results = [host(tangent).ravel() for tangent in self.tangents({position: along})]
        for number, (want, have) in enumerate(zip(expected, results, strict=True)):
            if self.results[number].requires_grad:
                scale = 1.0
                if weights is not None:
                    scale = direction.sum() * weights[number].sum()
                    want, have = (np.asarray(weights[number].ravel() @ each) for each in (want, have))
                if not self._is_close(have, want, self.settings.atol * scale):
                    raise self._mismatch_along(number, position, have, want)

    def _mismatch_along(self, output: int, input_: int, actual, expected) -> GradcheckError:
        prefix = f"While considering the {self.part} part of complex inputs only, " if self.part else ""
        return GradcheckError(
            f"{prefix}Jacobian computed with forward mode mismatch for output {output} with respect to input "
            f"{input_},\n"
            f"numerical:{from_array(expected)}\nanalytical:{from_array(np.asarray(actual))}\n"
        )

    def tangents(self, along: dict) -> list[Tensor]:
        """Returns the tangents of the results for arrays as tangents of some inputs; None is no tangent."""
        directions = {
            number: None if array is None else from_array(array.astype(self.leaves[number]._array.dtype))
            for number, array in along.items()
        }
        return tangents_of(self.function, self.inputs, directions)

    def check_undefined(self) -> None:
        """Raises GradcheckError if an input without a tangent does not count as one with a tangent of zeros."""
        generator = np.random.default_rng(0)
        along = {number: unit_vector(leaf._array.shape, generator) for number, leaf in enumerate(self.leaves)}
        for number, leaf in enumerate(self.leaves):
            zeros = self.tangents({**along, number: np.zeros(leaf._array.shape)})
            absent = self.tangents({**along, number: None})
            for position, (one, other) in enumerate(zip(zeros, absent, strict=True)):
                if not np.allclose(host(one), host(other)):
                    raise GradcheckError(
                        f"Mismatch in tangent values for output with index: {position} when input: {leaf} has an "
                        f"undefined tangent value. Got: {one} but expected: {other}"
                    )


def tangents_of(function: Callable, inputs: tuple, directions: dict) -> list[Tensor]:
    """Returns the tangents of the results of a function, zeros where there is none.

    `directions` are tangents for the inputs that require grad, by their number among these: zeros where there is
    none, and no tangent for None.
    """
    leaves = {id(leaf): number for number, leaf in enumerate(differentiable(inputs))}
    with forward_ad.dual_level():
        duals = []
        for value in inputs:
            plain = value.detach() if isinstance(value, Tensor) else value
            tangent = directions.get(leaves[id(value)], ABSENT) if id(value) in leaves else None
            tangent = zeros_like(plain) if tangent is ABSENT else tangent
            duals.append(plain if tangent is None else forward_ad.make_dual(plain, tangent))
        pairs = [forward_ad.unpack_dual(result) for result in results_of(function(*duals))]
    return [zeros_like(primal) if tangent is None else tangent for primal, tangent in pairs]


def results_of(value) -> Iterator[Tensor]:
    """Yields the results that are tensors."""
    return (result for result in as_tuple(value) if isinstance(result, Tensor))


def check_batched(function: Callable, inputs: tuple) -> None:
    """Compares the derivatives along a batch of tangents with the same ones by one. Raises GradcheckError."""
    generator = np.random.default_rng(0)
    for position, leaf in enumerate(differentiable(inputs)):
        shape = (2, *leaf._array.shape)
        directions = from_array(generator.standard_normal(shape).astype(leaf._array.dtype))
        each = [tangents_of(function, inputs, {position: direction}) for direction in directions]
        expected = [functions.stack(list(rows)) for rows in zip(*each, strict=True)]
        try:
            with batch_level(2) as level:
                tangents = tangents_of(function, inputs, {position: batched(level, directions, 0)})
                result = [unbatched(level, tangent, 0) for tangent in tangents]
        except RuntimeError as error:
            raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{BATCHED}") from error
        for number, (one, other) in enumerate(zip(result, expected, strict=True)):
            if not np.allclose(host(one), host(other), rtol=1e-5, atol=1e-8):
                raise GradcheckError(
                    f"For output {number} and input {number}:\n\n{BATCHED}\n\nGot:\n{one}\n\nExpected:\n{other}"
                )
