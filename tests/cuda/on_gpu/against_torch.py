"""Stage 4: the samples against torch.cuda, and the streams of random numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.lower.nvptx.draws import GpuDraws
from rushlight.testing import declared

ALLOWED = 0.01  # of the samples may differ: torch is of another version there
SIZES = (1, 1000, 1_000_000)  # a thread draws several times for the last
# What is PyTorch's to the bit, of either library.
DRAWS: dict[str, Callable[[Any], Any]] = {
    **{f"randperm {n}": lambda t, n=n: t.randperm(n, device="cuda") for n in (1, 1000, 40_000)},
    **{f"randint {n}": lambda t, n=n: t.randint(-5, 1000, (n,), device="cuda") for n in SIZES},
    **{f"randint of two words {n}": lambda t, n=n: t.randint(0, 1 << 40, (n,), device="cuda") for n in SIZES},
    **{f"random_ of {dtype}": lambda t, dtype=dtype: t.empty(1000, device="cuda", dtype=getattr(t, dtype)).random_()
       for dtype in ("int64", "int32", "uint8", "bool", "float32")},
    **{f"dropout {n} {dtype}": lambda t, n=n, dtype=dtype: t.nn.functional.dropout(
        t.ones(n, device="cuda", dtype=getattr(t, dtype)), 0.3)
       for n in (*SIZES, 1001) for dtype in ("float32", "float64", "float16", "bfloat16")},
    "dropout of channels": lambda t: t.nn.functional.dropout2d(t.ones(8, 16, 5, 5, device="cuda"), 0.3),
    **{f"bernoulli {n}": lambda t, n=n: t.bernoulli(t.full((n,), 0.3, device="cuda")) for n in SIZES},
    "bernoulli_ 1000": lambda t: t.empty(1000, device="cuda").bernoulli_(0.3),
}  # fmt: skip


def run(stage, options) -> None:
    if options.fake:
        stage.skip("no GPU to compare with")
        return
    import torch

    if not torch.cuda.is_available():
        stage.skip("torch has no GPU")
        return
    lazy_modules.load_all()
    differing, counted = [], 0
    for op in stage.each([op for op in OPS.values() if op.function is not None and hasattr(torch, op.name)]):
        for case in declared.cases(op):
            counted += 1
            if not alike(torch, op.name, case):
                differing.append(repr(case))
    stage.notes["differing"] = differing[:100]
    stage.check("samples", len(differing) <= ALLOWED * counted, f"{len(differing)} of {counted} differ")
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for count in (1, 1000, 1_000_000):
            with stage.checking(f"random numbers {dtype} {count}"):
                random_numbers(torch, dtype, count)
    for name, draw in stage.each(DRAWS.items()):
        with stage.checking(f"random numbers {name}"):
            same_draws(torch, draw)


def alike(torch, name: str, case) -> bool:
    """Returns whether a call gives the same in both libraries, or fails in both."""
    try:
        ours = case.results([x.detach().to("cuda") for x in case.tensors])
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
        ours = None
    try:
        tensors = [torch.from_numpy(x.detach().numpy().copy()).cuda() for x in case.tensors]
        arguments, keywords = case.filled(tensors)
        theirs = declared.flat(getattr(torch, name)(*arguments, **keywords))
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
        return ours is None
    if ours is None or len(ours) != len(theirs):
        return False
    return all(near(a, b) for a, b in zip(ours, theirs, strict=True) if isinstance(a, rushlight.Tensor))


def near(ours, theirs) -> bool:
    one, other = ours.detach().cpu().numpy(), theirs.detach().cpu().numpy()
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    eps = np.finfo(one.dtype).eps if one.dtype.kind in "fc" else 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.allclose(one, other, rtol=64 * eps, atol=64 * eps, equal_nan=True)


def random_numbers(torch, dtype, count: int) -> None:
    """Compares uniform numbers bit by bit, and how far the offset has moved; normal ones to some digits."""
    import cupy

    from rushlight.lower.nvptx.cuda import CudaGpu

    draws = GpuDraws(CudaGpu(cupy))
    for distribution in ("uniform", "normal"):
        torch.cuda.manual_seed(123)
        theirs = torch.empty(count, dtype=dtype, device="cuda")
        theirs.uniform_(0, 1) if distribution == "uniform" else theirs.normal_(0, 1)
        offset = int.from_bytes(bytes(torch.cuda.get_rng_state()[8:16].tolist()), "little")
        ours = torch.empty(count, dtype=dtype, device="cuda")
        view = cupy.from_dlpack(ours)
        reached = draws.fill(distribution, view, 123, 0, 0.0, 1.0)
        torch.cuda.synchronize()
        assert reached == offset, f"the offset is {reached}, and {offset} in torch"
        if distribution == "uniform":
            assert torch.equal(ours, theirs), f"{(ours != theirs).sum().item()} numbers differ"
        else:
            assert torch.allclose(ours.double(), theirs.double(), rtol=1e-3, atol=1e-3)


def same_draws(torch, draw: Callable[[Any], Any]) -> None:
    """Compares what both libraries draw twice after the same seed, and the states of their generators."""
    for (one, state), (other, expected) in zip(drawn(rushlight, draw), drawn(torch, draw), strict=True):
        assert one.shape == other.shape
        assert np.array_equal(one, other), f"{(one != other).sum()} of {one.size} numbers differ"
        assert state == expected, f"the state is {state.hex()}, and {expected.hex()} in torch"


def drawn(library, draw: Callable[[Any], Any]) -> list[tuple[np.ndarray, bytes]]:
    """Returns what a library draws, twice, and the state of its generator after that."""
    library.cuda.manual_seed(123)
    return [(draw(library).cpu().double().numpy(), bytes(library.cuda.get_rng_state().tolist())) for _ in range(2)]
