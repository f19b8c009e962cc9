"""Startup: the time of `import`, and the installed size."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from rushlight.benchmark.case import Reading, Sides

TIMED_IMPORT = "import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
BOUND_TO_NUMPY = 2.0
PACKAGE = Path(__file__).parents[1]
REQUIRED = ("numpy", "ml_dtypes", "scipy", "llvmlite")  # dependencies of rushlight[jit]


def import_seconds(module: str, environment: dict[str, str]) -> float:
    """Returns the seconds of one `import module` in a separate process, without the interpreter's start."""
    command = [sys.executable, "-c", TIMED_IMPORT.format(module=module)]
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def with_byte_code(folder: str) -> dict[str, str]:
    """Returns an environment with a byte code folder, so that modules are compiled once, as in an installed package."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def import_times(modules: list[str], rounds: int) -> list[list[float]]:
    """Returns the seconds of each import, one row per round; the modules take turns, so load affects all of them."""
    with tempfile.TemporaryDirectory() as folder:
        environment = with_byte_code(folder)
        for module in modules:
            import_seconds(module, environment)  # compiles
        return [[import_seconds(module, environment) for module in modules] for _ in range(rounds)]


def import_beside(other: str, rounds: int, compare: bool) -> list[Sides]:
    """Times `import rushlight` and another import in `rounds` rounds."""
    modules = ["rushlight", other] if compare else ["rushlight"]
    return [Sides(times[0], times[1] if compare else None) for times in import_times(modules, rounds)]


def size_of_folder(folder: Path) -> int:
    """Returns the bytes in a folder's files, without byte code."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def size_of_distribution(name: str) -> int:
    """Returns the bytes in an installed distribution's files, without byte code; 0 if it is not installed."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return 0
    paths = [Path(str(file.locate())) for file in files if "__pycache__" not in file.parts]
    return sum(path.stat().st_size for path in paths if path.is_file())


def required_by(name: str) -> Iterator[str]:
    """Returns a distribution and its installed requirements, without extras."""
    waiting, seen = [name], set()
    while waiting:
        requirement = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if requirement in seen:
            continue
        seen.add(requirement)
        yield requirement
        try:
            requirements = distribution(requirement).requires or []
        except PackageNotFoundError:
            continue
        waiting += [re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in requirements if "extra ==" not in text]


def installed_sizes(rounds: int, compare: bool) -> list[Sides]:
    """Returns the bytes of rushlight with the extra `jit`, and of PyTorch, each with its requirements."""
    ours = size_of_folder(PACKAGE) + sum(size_of_distribution(name) for name in REQUIRED)
    return [Sides(ours, sum(map(size_of_distribution, required_by("torch"))) if compare else None)]


def import_beside_torch(rounds: int, compare: bool) -> list[Sides]:
    return import_beside("torch", rounds, compare)


def import_beside_numpy(rounds: int, compare: bool) -> list[Sides]:
    return import_beside("numpy", rounds, compare=True)


def has_torch() -> bool:
    """Whether PyTorch is installed; does not import it."""
    return importlib.util.find_spec("torch") is not None


CASES = [
    Reading("import", import_beside_torch, "`import`, in fresh processes", 0.15),
    Reading(
        "import_to_numpy",
        import_beside_numpy,
        "`import rushlight` beside `import numpy`",
        BOUND_TO_NUMPY,
        other="numpy",
    ),
    Reading("installed_size", installed_sizes, "Installed files, with `jit` and all that is required", 0.5, unit="B"),
]
