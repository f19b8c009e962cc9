"""Stage 7: ten thousand steps take no more memory than ten, and a program survives that memory runs out."""

from __future__ import annotations

import resource

import rushlight as torch
from rushlight import nn

GROWTH = 64 << 20  # bytes of the process that are no leak: caches of kernels, the allocator's own


def run(stage, options) -> None:
    steps = 300 if options.quick else 10_000
    with stage.checking("steps are flat"):
        steps_are_flat(stage, steps)
    with stage.checking("out of memory is told and survived"):
        out_of_memory(options)
    with stage.checking("what is freed is free"):
        freed()
    if not options.fake:
        with stage.checking("peaks are those of torch"):
            peaks()


def steps_are_flat(stage, steps: int) -> None:
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8)).cuda()
    optimizer, x = torch.optim.Adam(model.parameters()), torch.randn(16, 32).cuda()

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    for _ in range(20):
        step()
    torch.cuda.synchronize()
    there, here = torch.cuda.memory_allocated(), process()
    for number in range(steps):
        step()
        if stage.left < 0:
            stage.notes["steps"] = number
            break
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() <= there, f"{torch.cuda.memory_allocated() - there} bytes more on the GPU"
    assert process() - here < GROWTH, f"{process() - here} bytes more in the process"


def process() -> int:
    """Returns the most memory that the process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def out_of_memory(options) -> None:
    """More than any GPU has. The simulation of today raises the CPU's error, a RuntimeError too."""
    kept = torch.ones(1000, device="cuda")
    kind = RuntimeError if options.fake else torch.cuda.OutOfMemoryError
    try:
        torch.empty(1 << 50, dtype=torch.uint8, device="cuda")
    except kind as error:
        assert "memory" in str(error)
    else:
        raise AssertionError("a petabyte was allocated")
    assert kept.sum().item() == 1000 and (kept + 1).sum().item() == 2000


def freed() -> None:
    before = torch.cuda.memory_allocated()
    x = torch.ones(1 << 20, device="cuda")
    del x
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == before


def peaks() -> None:
    import torch as theirs

    ours_peak, their_peak = peak(torch), peak(theirs)
    assert abs(ours_peak - their_peak) <= 0.05 * their_peak, f"{ours_peak} bytes, and {their_peak} in torch"


def peak(library) -> int:
    """Returns the most memory that a small program takes beyond what was taken before."""
    library.cuda.synchronize()
    library.cuda.reset_peak_memory_stats()
    before = library.cuda.memory_allocated()
    x = library.ones(4 << 20, device="cuda", requires_grad=True)
    (x.sin() * x).sum().backward()
    library.cuda.synchronize()
    return library.cuda.max_memory_allocated() - before
