"""Stage 1: what is there, and the ceilings: bandwidth of a copy, rates of a product."""

from __future__ import annotations

import importlib.metadata
import platform

PACKAGES = ("cupy-cuda13x", "numpy", "torch", "llvmlite", "ml_dtypes", "scipy")
COPIED = 64 << 20  # float32
SIDE = 8192  # of the matrices


def run(stage, options) -> None:
    stage.notes["versions"] = versions()
    if options.fake:
        stage.notes["device"] = "simulated on the CPU"
        stage.check("a device", True)
        return
    import cupy

    with stage.checking("a device"):
        properties = cupy.cuda.runtime.getDeviceProperties(0)
        stage.notes["device"] = properties["name"].decode()
        stage.notes["capability"] = [properties["major"], properties["minor"]]
        stage.notes["processors"] = properties["multiProcessorCount"]
        stage.notes["driver"] = cupy.cuda.runtime.driverGetVersion()
    with stage.checking("the bandwidth of a copy"):
        stage.notes["copy_bytes_per_second"] = copied(stage)
    with stage.checking("the rate of a product"):
        product(stage)


def versions() -> dict[str, str | None]:
    versions: dict[str, str | None] = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = None
    return versions


def milliseconds(function, repeats: int = 20) -> float:
    """Returns the median time of a call on the GPU, by events."""
    import cupy

    times = []
    for _ in range(3):
        function()
    for _ in range(repeats):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        function()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end))
    return sorted(times)[len(times) // 2]


def copied(stage) -> float:
    import cupy

    source, target = cupy.zeros(COPIED, cupy.float32), cupy.zeros(COPIED, cupy.float32)
    taken = milliseconds(lambda: cupy.copyto(target, source))
    stage.time("copy of 64 Mi float32", taken * 1e3, bytes=2 * source.nbytes)
    return 2 * source.nbytes / taken * 1e3


def product(stage) -> None:
    import cupy

    for dtype in (cupy.float32, cupy.float16):
        x = cupy.ones((SIDE, SIDE), dtype)
        taken = milliseconds(lambda x=x: x @ x, 5)
        stage.time(f"product of {SIDE}, {x.dtype}", taken * 1e3, flops=2 * SIDE**3)
