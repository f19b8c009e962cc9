"""Stage 3: the samples of all operators on the CPU and on the GPU: values, dtypes, shapes and strides of results, and
the same of gradients and of internal operators but for strides, which no user sees. What draws on the GPU draws from
the GPU's generator, other numbers than on the CPU: only their layout is compared.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import rushlight as torch
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared


def run(stage, options) -> None:
    lazy_modules.load_all()
    chosen = [case for op in OPS.values() if op.function is not None for case in declared.cases(op)]
    chosen = [case for case in chosen if not has_other_default(case)]
    for case in stage.each(chosen):
        with stage.checking(repr(case)):
            compare(case)


def has_other_default(case) -> bool:
    """Whether a call leaves out what PyTorch chooses otherwise on a GPU: the driver of least squares."""
    return case.op.name == "linalg_lstsq" and case.keywords.get("driver") is None


def compare(case) -> None:
    """Raises AssertionError where a call differs between the devices."""
    seeded = torch.Generator().manual_seed(0).get_state()  # as a case seeds all generators
    here = outcome(case, "cpu")
    drew = not torch.equal(torch.get_rng_state(), seeded)
    there = outcome(case, "cuda")
    assert torch.equal(torch.get_rng_state(), seeded), "the call on the GPU drew from the CPU's generator"
    assert type(here) is type(there), f"{here!r} on the CPU, {there!r} on the GPU"
    if isinstance(here, Exception):
        return
    for name, one, other in zip(("result", "gradient"), here, there, strict=True):
        assert len(one) == len(other), f"{len(one)} and {len(other)} of {name}"
        for first, second in zip(one, other, strict=True):
            alike(name, first, second, strides=name == "result" and not case.op.internal, values=not drew)


def outcome(case, device: str):
    """Returns the results and gradients of a call on a device, or what it raises."""
    tensors = [x.detach().to(device).requires_grad_(x.requires_grad) for x in case.tensors]
    try:
        results = case.results(tensors)
        smooth = [x for x in results if declared.is_smooth(x) and x.requires_grad]
        leaves = [x for x in tensors if x.requires_grad and x.is_leaf]
        gradients = []
        if smooth and leaves:
            weights = [torch.ones_like(x) for x in smooth]
            gradients = list(torch.autograd.grad(smooth, leaves, weights, allow_unused=True))
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as error:
        return error.with_traceback(None)
    return list(numbers(results)), list(numbers(gradients))


def numbers(values) -> Iterator:
    """Yields what is compared of results: an array with its layout, or another value as it is."""
    for value in values:
        if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
            yield type(value).__name__
        else:
            steps = [step for step, size in zip(value.stride(), value.shape, strict=True) if size > 1]
            yield value.detach().cpu().resolve_conj().resolve_neg(), value.dtype, tuple(value.shape), steps


def alike(name: str, first, second, strides: bool, values: bool) -> None:
    assert type(first) is type(second), name
    if isinstance(first, str):
        assert first == second, name
        return
    (one, *kind), (other, *other_kind) = (first, second) if strides else (first[:-1], second[:-1])
    assert kind == other_kind, f"{name}: {kind} on the CPU, {other_kind} on the GPU"
    if not values:
        return
    if one.dtype.is_floating_point or one.dtype.is_complex:
        eps = max(torch.finfo(one.dtype).eps, 1e-12)
        wide = torch.complex128 if one.dtype.is_complex else torch.float64
        one, other = one.to(wide).numpy(), other.to(wide).numpy()
        np.testing.assert_allclose(other, one, rtol=64 * eps, atol=64 * eps, err_msg=name)
    else:
        assert torch.equal(one, other), f"{name}: {one} and {other}"
