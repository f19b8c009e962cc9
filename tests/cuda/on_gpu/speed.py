"""Stage 8: times in turns with torch.cuda, by CUDA's events."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import rushlight

REPEATS, CALLS = 15, 20


def run(stage, options) -> None:
    if options.fake:
        stage.skip("times of a simulation mean nothing")
        return
    import torch

    theirs = torch if torch.cuda.is_available() else None
    for name, make, more in stage.each(CASES):
        with stage.checking(name):
            functions = [make(library) for library in (rushlight, theirs) if library is not None]
            times = in_turns(functions)
            stage.time(name, times[0], times[1] if len(times) > 1 else None, **more)


def in_turns(functions: list[Callable[[], Any]]) -> list[float]:
    """Returns the median time of a call of each function, in microseconds; they are called in turns."""
    import cupy

    times_of: list[list[float]] = [[] for _ in functions]
    for function in functions:
        for _ in range(5):
            function()
    for _ in range(REPEATS):
        for times, function in zip(times_of, functions, strict=True):
            cupy.cuda.runtime.deviceSynchronize()
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            for _ in range(CALLS):
                function()
            end.record()
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(begin, end) / CALLS * 1e3)
    return [statistics.median(times) for times in times_of]


def add_tracked(library):
    x, y = (library.ones(10, device="cuda", requires_grad=True) for _ in range(2))
    return lambda: x + y


def chain(library):
    x = library.ones(1000, device="cuda", requires_grad=True)

    def step():
        y = x
        for _ in range(10):
            y = (y * 1.01).sin()
        y.sum().backward()

    return step


def gelu_chain(library):
    x = library.ones(64 << 20, device="cuda")
    return lambda: library.nn.functional.gelu(x * 1.5 + 0.5)


def rows(name: str, length: int):
    def make(library):
        x = library.ones((1 << 24) // length, length, device="cuda")
        function = library.nn.functional
        if name == "layer_norm":
            return lambda: function.layer_norm(x, (length,))
        return lambda: function.softmax(x, -1)

    return make


def cross_entropy(length: int, count: int = 1 << 24):
    """A loss of rows of scores, forward and backward."""

    def make(library):
        x = library.ones(count // length, length, device="cuda", requires_grad=True)
        target = library.zeros(count // length, dtype=library.int64, device="cuda")

        def step():
            x.grad = None
            library.nn.functional.cross_entropy(x, target).backward()

        return step

    return make


def convolution(channels: int, size: int, batch: int = 32, dtype: str = "bfloat16"):
    """A layer of 3 by 3 as in ResNet-50, forward and backward."""

    def make(library):
        options = {"device": "cuda", "dtype": getattr(library, dtype)}
        x = library.ones(batch, channels, size, size, requires_grad=True, **options)
        layer = library.nn.Conv2d(channels, channels, 3, padding=1, bias=False, **options)
        return lambda: layer(x).sum().backward()

    return make


def batch_norm(channels: int = 256, size: int = 56, batch: int = 32):
    """Batch norm in training, forward and backward."""

    def make(library):
        x = library.ones(batch, channels, size, size, device="cuda", requires_grad=True)
        layer = library.nn.BatchNorm2d(channels, device="cuda")
        return lambda: layer(x).sum().backward()

    return make


def attention(length: int, causal: bool = True, batch: int = 8, heads: int = 16, size: int = 64):
    """Attention of several heads, forward and backward."""

    def make(library):
        options = {"device": "cuda", "dtype": library.bfloat16, "requires_grad": True}
        q, k, v = (library.ones(batch, heads, length, size, **options) for _ in range(3))
        attend = library.nn.functional.scaled_dot_product_attention
        return lambda: attend(q, k, v, is_causal=causal).sum().backward()

    return make


def product(dtype: str):
    def make(library):
        x = library.ones(8192, 8192, device="cuda", dtype=getattr(library, dtype))
        return lambda: x @ x

    return make


def equations(count: int, size: int):
    def make(library):
        A = 2 * library.eye(size, device="cuda").repeat(count, 1, 1)
        B = library.ones(count, size, 4, device="cuda")
        return lambda: library.linalg.solve_ex(A, B)

    return make


def adam(library):
    params = [library.ones(64, device="cuda", requires_grad=True) for _ in range(1000)]
    for param in params:
        param.grad = library.ones_like(param)
    return library.optim.Adam(params).step


def perceptron(library):
    nn = library.nn
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
    optimizer = library.optim.SGD(model.parameters(), lr=0.01)
    x, target = library.ones(128, 256, device="cuda"), library.zeros(128, dtype=library.int64, device="cuda")

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), target).backward()
        optimizer.step()

    return step


def small_convolutions(library):
    nn = library.nn
    layers = (
        nn.Conv2d(1, 16, 3),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * 13**2, 10),
    )
    model = nn.Sequential(*layers).cuda()
    optimizer = library.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, target = library.ones(64, 1, 28, 28, device="cuda"), library.zeros(64, dtype=library.int64, device="cuda")

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), target).backward()
        optimizer.step()

    return step


def captured(make: Callable) -> Callable:
    """The same work, replayed from a captured graph."""

    def made(library):
        step, side = make(library), library.cuda.Stream()
        side.wait_stream(library.cuda.current_stream())
        with library.cuda.stream(side):
            for _ in range(3):
                step()
        library.cuda.current_stream().wait_stream(side)
        graph = library.cuda.CUDAGraph()
        with library.cuda.graph(graph):
            step()
        return graph.replay

    return made


CASES: list[tuple[str, Callable, dict[str, Any]]] = [
    ("add, tracked, 10", add_tracked, {}),
    ("chain of 20, and backward", chain, {}),
    ("gelu(x * a + b), 64 Mi", gelu_chain, {"bytes": 2 * 4 * (64 << 20)}),
    *[(f"{name}, rows of {n}", rows(name, n), {"bytes": 2 * 4 << 24})
      for name in ("softmax", "layer_norm") for n in (1024, 8192, 32768)],
    *[(f"cross entropy and backward, rows of {n}", cross_entropy(n), {"bytes": 3 * 4 << 24})
      for n in (1024, 8192, 32768)],
    *[(f"convolution of {channels} channels, {size} by {size}, and backward", convolution(channels, size), {})
      for channels, size in ((64, 56), (256, 14), (512, 7))],
    ("batch norm and backward, 256 channels", batch_norm(), {"bytes": 6 * 4 * 32 * 256 * 56**2}),
    *[(f"attention and backward, {n}", attention(n), {}) for n in (1024, 4096)],
    *[(f"product of 8192, {dtype}", product(dtype), {"flops": 2 * 8192**3}) for dtype in ("float32", "bfloat16")],
    *[(f"equations of {count} matrices of {size}", equations(count, size), {})
      for count, size in ((1, 4096), (16, 1024), (10_000, 16))],
    ("Adam, 1,000 parameters", adam, {}),
    ("perceptron, a step", perceptron, {}),
    ("small CNN, a step", small_convolutions, {}),
    ("chain of 20, and backward, captured", captured(chain), {}),
    ("perceptron, a step, captured", captured(perceptron), {}),
    ("small CNN, a step, captured", captured(small_convolutions), {}),
]  # fmt: skip
