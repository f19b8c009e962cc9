"""`python -m rushlight doctor`: shows the environment of rushlight on this machine, and tests it."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import shutil
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from rushlight.benchmark import machine
from rushlight.cli.selftest import CHECKS, Check
from rushlight.core.policy import LARGE
from rushlight.lower import cache, llvm
from rushlight.version import __version__

DESCRIPTION = """Say what rushlight finds on this machine, and test in about ten seconds whether it works here. The exit
status is 1 where a test fails."""
REQUIRED = ("numpy", "scipy", "ml_dtypes")
# By extra: its packages, and their purpose.
EXTRAS = {
    "jit": (("llvmlite",), "machine code for large arrays"),
    "viz": (("pillow",), "pictures of graphs as PNG files"),
    "safetensors": (("safetensors",), "files of weights"),
    "onnx": (("onnx",), "models as ONNX files"),
    "einsum": (("opt_einsum",), "long einsums in the best order"),
    "tensorboard": (("tensorboard", "pillow"), "`torch.utils.tensorboard`"),
    "bench": (("tqdm",), "a progress bar for `bench`"),
    "distributed": (("mpi4py", "mpich"), "several processes and machines"),
    "cuda": (("cupy-cuda13x", "llvmlite"), "a GPU of NVIDIA's, on which no release has run yet"),
    "cudnn": (("nvidia-cudnn-frontend", "nvidia-cudnn-cu13"), "convolutions of a GPU by cuDNN"),
    "nccl": (("nvidia-nccl-cu13",), "collectives between GPUs by NCCL"),
}
VARIABLES = (
    *machine.THREAD_VARIABLES,
    "PYTHONHASHSEED",
    "PYTHONPATH",
    "RUSHLIGHT_CACHE",
    "RUSHLIGHT_JIT",
    "RUSHLIGHT_SIMULATE_CUDA",
    "RUSHLIGHT_WATCH",
    "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD",
    "TORCH_FORCE_WEIGHTS_ONLY_LOAD",
    "XDG_CACHE_HOME",
)
WIDTH = 80
LABEL = 18


class Outcome(NamedTuple):
    """The result of a check of the self-test; `finding` is one line, `details` explain a failure."""

    name: str
    passed: bool
    finding: str
    seconds: float
    details: str = ""


def main(arguments: Sequence[str]) -> int:
    """Prints the environment, runs the self-test, prints its table; 1 if a check fails."""
    parser = argparse.ArgumentParser(prog="python -m rushlight doctor", description=DESCRIPTION)
    parser.add_argument("--no-test", action="store_true", help="only say what is there")
    options = parser.parse_args(arguments)
    torch = importlib.import_module("rushlight")
    print(f"rushlight {__version__} in {os.path.dirname(torch.__file__ or '')}")
    for title, lines in sections(torch):
        print(f"\n{title}")
        for label, words in lines:
            print(entry(label, words))
    return 0 if options.no_test else self_test(torch)


def entry(label: str, words: str) -> str:
    """Returns a label and its text, wrapped to 80 columns."""
    return textwrap.fill(words, WIDTH, initial_indent=f"  {label:<{LABEL}}", subsequent_indent=" " * (LABEL + 2))


def sections(torch: ModuleType) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    yield "Packages", [*packages()]
    yield "Extras", [*extras()]
    yield "Machine", [*hardware(torch)]
    yield "Devices", [*devices(torch)]
    yield "Kernels", [*kernels()]
    yield "Environment", [*environment()]


def packages() -> Iterator[tuple[str, str]]:
    yield "Python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
    for name in REQUIRED:
        yield name, machine.version_of(name) or "missing: pip install rushlight brings it"
    location = machine.version_of("torch")
    yield (
        "torch",
        f"{location}, not used: `bench` and the tests compare with it" if location else "not installed, not needed",
    )


def extras() -> Iterator[tuple[str, str]]:
    for extra, (names, purpose) in EXTRAS.items():
        versions = {name: machine.version_of(name) for name in names}
        if all(versions.values()):
            yield extra, f"{', '.join(f'{name} {number}' for name, number in versions.items())}: {purpose}"
        else:
            yield extra, f'for {purpose}: pip install "rushlight[{extra}]"'


def hardware(torch: ModuleType) -> Iterator[tuple[str, str]]:
    usable, there = machine.cores()
    yield "system", platform.platform()
    yield "processor", machine.processor()
    yield "instructions", " ".join(machine.vector_features())
    yield "cores", f"{usable} of {there} may be used by this process"
    average = machine.load().average
    yield "load", "unknown" if average is None else f"{average:.2f} of {there} cores in the last minute"
    yield "free disk", f"{shutil.disk_usage(os.getcwd()).free / 1e9:.0f} GB here"
    yield "BLAS", machine.blas_name()
    threads = machine.blas_threads()
    yield (
        "threads",
        f"{torch.get_num_threads()} for operators, {threads or 'unknown'} in the BLAS{too_many(threads, usable)}",
    )


def too_many(threads: int | None, usable: int) -> str:
    """Returns the advice for a BLAS with more threads than this process has cores."""
    if threads is None or threads <= usable:
        return ""
    return f": more than cores, which is slow; set OMP_NUM_THREADS={usable}"


def devices(torch: ModuleType) -> Iterator[tuple[str, str]]:
    yield "cpu", "always there"
    if torch.cuda.is_available():
        version = torch.backends.cudnn.version()
        yield "cuda", torch.cuda.get_device_name() + (f", cuDNN {version}" if version else "")
    else:
        yield "cuda", "no driver and CuPy; RUSHLIGHT_SIMULATE_CUDA=1 simulates a GPU, to learn and test with"
    yield "meta", "always there: shapes without numbers"


def kernels() -> Iterator[tuple[str, str]]:
    """Reports whether large arrays use compiled kernels, and the size of their cache on disk."""
    if os.environ.get("RUSHLIGHT_JIT") == "0":
        yield "machine code", "switched off by RUSHLIGHT_JIT=0: NumPy does everything"
    elif machine.version_of("llvmlite") is None:
        yield "machine code", 'none, NumPy does everything: pip install "rushlight[jit]"'
    else:
        yield "machine code", f"for {llvm.host().cpu}, from the first array of {LARGE:,} elements on, or many smaller"
    try:
        folder = cache.folder()
    except RuntimeError:
        yield "cache", "nowhere: this user has no home, and RUSHLIGHT_CACHE names no folder"
        return
    files = [file for file in folder.iterdir() if file.is_file()] if folder.is_dir() else []
    size = sum(file.stat().st_size for file in files)
    yield "cache", f"{folder}: {len(files)} files, {size / 1e6:.1f} MB, {writable(folder)}"


def writable(folder: Path) -> str:
    """Whether a folder, or its nearest existing parent, is writable."""
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return "writable" if os.access(there, os.W_OK) else "read-only: every process compiles anew"


def environment() -> Iterator[tuple[str, str]]:
    variables = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    yield from variables.items()
    if not variables:
        yield "-", "no variable is set that matters here"


def self_test(torch: ModuleType) -> int:
    """Runs every check, prints a line for each; 1 if one fails."""
    print(f"\nSelf-test\n  {'':<8}{'check':<22}{'finding':<40}{'seconds':>7}")
    start = time.perf_counter()
    outcomes = []
    for check in CHECKS:
        outcomes.append(outcome := examine(check, torch))
        print(outcome_lines(outcome), flush=True)
    failed = sum(not outcome.passed for outcome in outcomes)
    words = "all is well" if not failed else f"{failed} of {len(outcomes)} checks failed"
    print(f"\n{words} ({time.perf_counter() - start:.1f} s)")
    return int(bool(failed))


def examine(check: Check, torch: ModuleType) -> Outcome:
    """Runs one check. Catches every exception, to report it."""
    start = time.perf_counter()
    name = check.__name__.replace("_", " ")
    try:
        finding = check(torch)
    except Exception as error:
        details = "\n".join([str(error), *getattr(error, "__notes__", [])])
        return Outcome(name, False, type(error).__name__, time.perf_counter() - start, details)
    return Outcome(name, True, finding, time.perf_counter() - start)


def outcome_lines(outcome: Outcome) -> str:
    mark = "ok" if outcome.passed else "FAILED"
    line = f"  {mark:<8}{outcome.name:<22}{outcome.finding:<40}{outcome.seconds:>7.2f}"
    return "\n".join([line, *(textwrap.indent(text, " " * 10) for text in outcome.details.splitlines())])
