"""Facts about the machine: processor, load, memory bandwidth, matrix product and NumPy call speed."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rushlight.arrays.threads import bundled_blas
from rushlight.benchmark.case import Speed
from rushlight.version import __version__

COPIED = 4 * 1024 * 1024  # float32 elements: an array of the large cases
SIDE = 1024
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
PACKAGES = ("numpy", "scipy", "ml_dtypes", "llvmlite", "torch")


class Load(NamedTuple):
    """The load of a machine: the average of a minute, and processor seconds of all processes and of this one."""

    average: float | None
    all_seconds: float | None
    own_seconds: float
    wall: float


def load() -> Load:
    average = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    own = os.times()
    return Load(average, busy_seconds(), sum(own[:4]), time.monotonic())


def busy_seconds() -> float | None:
    """Returns processor seconds of all processes since boot; None without Linux."""
    try:
        user, nice, system, _, _, irq, softirq, *_ = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:])
    except OSError:
        return None
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def cores_of_others(before: Load, after: Load) -> float | None:
    """Returns how many cores other programs kept busy between two measurements."""
    if before.all_seconds is None or after.all_seconds is None:
        return None
    others = (after.all_seconds - before.all_seconds) - (after.own_seconds - before.own_seconds)
    return max(0.0, others / (after.wall - before.wall))


def processor() -> str:
    """Returns the processor's name from the system."""
    try:
        return named_processor(Path("/proc/cpuinfo").read_text())
    except OSError:
        return platform.processor() or platform.machine()


def named_processor(text: str) -> str:
    """Returns the first processor's name in Linux's table; its family if the name has no number, as of virtual ones.

    >>> named_processor("cpu family\\t: 25\\nmodel\\t\\t: 1\\nmodel name\\t: AMD EPYC")
    'AMD EPYC, family 25 model 1'
    """
    pairs = [line.partition(":")[::2] for line in text.partition("\n\n")[0].splitlines()]
    facts = {key.strip(): value.strip() for key, value in pairs}
    name = facts.get("model name", platform.machine())
    if re.search(r"\d", name.partition("@")[0]) or not {"cpu family", "model"} <= facts.keys():
        return name
    return f"{name}, family {facts['cpu family']} model {facts['model']}"


def cores() -> tuple[int, int]:
    """Returns the number of processors that this process may use, and of all."""
    there = os.cpu_count() or 1
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else there), there


def numpy_configuration() -> dict:
    """Returns NumPy's configuration: BLAS and processor features."""
    return np.show_config(mode="dicts")  # type: ignore[return-value]


def blas_name() -> str:
    blas = numpy_configuration()["Build Dependencies"]["blas"]
    return f"{blas['name']} {blas['version']}"


def vector_features() -> list[str]:
    extensions = numpy_configuration()["SIMD Extensions"]
    return [*extensions["baseline"], *extensions.get("found", [])]


def blas_threads() -> int | None:
    """Returns the number of threads of the BLAS in NumPy's wheels; None for another BLAS."""
    for file in bundled_blas():
        function = getattr(ctypes.CDLL(file), "scipy_openblas_get_num_threads64_", None)
        if function is not None:
            return int(function())
    return None


def version_of(name: str) -> str | None:
    """Returns the version of an installed distribution."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def facts(threads: int) -> dict:
    """Returns the facts that readers of measurements need about the machine."""
    usable, there = cores()
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "processor": processor(),
        "cores": there,
        "usable_cores": usable,
        "vector_features": vector_features(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": ".".join(map(str, sys.version_info[:3])),
        "rushlight": __version__,
        **{name: version for name in PACKAGES if (version := version_of(name))},
        "blas": blas_name(),
        "blas_threads": blas_threads(),
        "threads": threads,
    }


def best_seconds(step: Callable[[], object], seconds: float = 0.2) -> float:
    """Returns the best time of a step, from as many runs as fit into a duration."""
    best, end = float("inf"), time.perf_counter() + seconds
    step()
    while best == float("inf") or time.perf_counter() < end:
        start = time.perf_counter()
        step()
        best = min(best, time.perf_counter() - start)
    return best


def bytes_per_second(threads: int) -> float:
    """Returns the copy bandwidth with a number of threads; reads and writes are counted."""
    source, target = np.ones(COPIED, np.float32), np.ones(COPIED, np.float32)
    parts = list(zip(np.array_split(source, threads), np.array_split(target, threads), strict=True))
    with ThreadPoolExecutor(threads) as pool:
        seconds = best_seconds(lambda: list(pool.map(lambda part: np.copyto(part[1], part[0]), parts)))
    return 2 * source.nbytes / seconds


def flops_per_second() -> float:
    """Returns the speed of the BLAS for two large float32 matrices, with its own number of threads."""
    first, out = np.full((SIDE, SIDE), 0.5, np.float32), np.empty((SIDE, SIDE), np.float32)
    return 2 * SIDE**3 / best_seconds(lambda: np.matmul(first, first, out=out), 0.5)


def seconds_per_call() -> float:
    """Returns the time of NumPy's addition of two arrays of four elements."""
    x, y, add = np.ones(4, np.float32), np.ones(4, np.float32), np.add

    def thousand():
        for _ in range(1000):
            add(x, y)

    return best_seconds(thousand) / 1000


def speed(threads: int) -> Speed:
    """Measures this machine's best speed, which is the basis of floors; takes a second."""
    return Speed(bytes_per_second(threads), flops_per_second(), seconds_per_call())
