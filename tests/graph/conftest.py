"""Compares a segment with the calls that it replaces: results, views, versions, and gradients of both orders."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.device import host
from rushlight.core.tensor import Tensor, wrap
from rushlight.graph.segment import Segment, example_of


def again(tensors):
    """Returns leaves with the elements and strides of tensors, in memory of their own."""
    return [example_of(tensor) for tensor in tensors]


def like(tensors, seed=0):
    """Returns tensors like some with other elements, of the same range."""
    generator = np.random.default_rng(seed)
    made = again(tensors)
    for tensor in made:
        tensor._array[...] = generator.permutation(tensor._array.reshape(-1)).reshape(tensor._array.shape)
    return made


def assert_like(made, wanted, tolerance=0.0):
    """Asserts that a tensor is like another: elements, dtype, layout, history."""
    if wanted is None:
        assert made is None
        return
    assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
    assert_equal(made, wanted, tolerance)


def assert_equal(made, wanted, tolerance):
    """Asserts that elements are equal, or close if there is a tolerance."""
    one, other = [np.asarray(host(each.float() if each.itemsize == 2 else each)) for each in (made, wanted)]
    inexact = one.dtype.kind in "fc"
    if inexact:
        # Without a tolerance too: eager calls go from NumPy's loops to kernels as a process warms up, and functions of
        # these differ by two units in the last place.
        relative = max(tolerance, 8 * np.finfo(one.dtype).eps)
        np.testing.assert_allclose(
            one, other, rtol=relative, atol=relative if tolerance == 0 else tolerance, equal_nan=True
        )
    else:
        assert np.array_equal(one, other, equal_nan=inexact), (one, other)


def assert_same_results(made, wanted, passed, of_eager, tolerance):
    """Asserts that lists of results agree, also in what is a view, an input, or the same object twice."""
    assert len(made) == len(wanted)
    for position, (one, other) in enumerate(zip(made, wanted, strict=True)):
        assert_like(one, other, tolerance)
        if other is None:
            continue
        assert one.requires_grad == other.requires_grad, position
        assert one.is_leaf == other.is_leaf, position
        assert one.stride() == other.stride(), position
        assert one._version == other._version, position
        assert positions(one, made) == positions(other, wanted)
        assert positions(one, passed) == positions(other, of_eager)
        assert sharing(one, [*passed, *made]) == sharing(other, [*of_eager, *wanted]), position
    for one, other in zip(passed, of_eager, strict=True):
        assert_like(one, other, tolerance)
        assert one._version == other._version


def positions(tensor, tensors):
    """Returns where a tensor is in a list."""
    return [at for at, each in enumerate(tensors) if each is tensor]


def sharing(tensor, tensors):
    """Returns which tensors have the same storage."""
    return [at for at, each in enumerate(tensors) if each is not None and each._storage is tensor._storage]


def differentiable(results):
    """Returns the results of which a gradient can be taken: some require grad, and have none."""
    return [each for each in results if isinstance(each, Tensor) and each.grad_fn is not None]


def weights_of(results, seed=1):
    """Returns a random weight for each result that requires grad."""
    generator = np.random.default_rng(seed)
    return [
        wrap(np.asarray(generator.standard_normal(each.shape)).astype(np.dtype(each._array.dtype)))
        for each in differentiable(results)
    ]


def gradients(results, inputs, weights, **keywords):
    """Returns the gradients of the results that require grad."""
    leaves = [each for each in inputs if each.requires_grad]
    return torch.autograd.grad(differentiable(results), leaves, weights, allow_unused=True, **keywords)


def compare(function, inputs, others=None, tolerance=1e-9, second=True, kernels=False):
    """Compiles a function for some inputs, and compares it with itself on others. Returns the segment.

    Results are close, also without kernels: eager calls get kernels of their own as soon as these are compiled.
    """
    segment = Segment(function, inputs, options={"kernels": kernels})
    for passed in (inputs, like(inputs) if others is None else others, inputs):
        mine, eager = again(passed), again(passed)
        made, wanted = segment(*mine), list(function(*eager))
        assert_same_results(made, wanted, mine, eager, tolerance)
        if not differentiable(wanted) or not [each for each in passed if each.requires_grad]:
            continue
        weights = weights_of(wanted)
        for one, other in zip(
            gradients(made, mine, weights, retain_graph=True),
            gradients(wanted, eager, weights, retain_graph=True),
            strict=True,
        ):
            assert_like(one, other, tolerance)
        if second:
            compare_second(made, wanted, mine, eager, weights, tolerance)
    return segment


def compare_second(made, wanted, mine, eager, weights, tolerance):
    """Compares gradients of gradients, with respect to the inputs and the weights."""
    pairs = []
    for results, inputs in ((made, mine), (wanted, eager)):
        vectors = [weight.detach().requires_grad_() for weight in weights]
        first = gradients(results, inputs, vectors, create_graph=True)
        defined = [each for each in first if each is not None and each.requires_grad]
        leaves = [each for each in (*inputs, *vectors) if each.requires_grad]
        pulls = [torch.ones_like(each) * (number + 1) for number, each in enumerate(defined)]
        second = torch.autograd.grad(defined, leaves, pulls, allow_unused=True) if defined else ()
        pairs.append([*first, *second])
    for one, other in zip(*pairs, strict=True):
        assert_like(one, other, tolerance)


@pytest.fixture
def agree():
    """Returns a function that compiles a function for inputs, compares the two, and returns the segment."""
    return compare
