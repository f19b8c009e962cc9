"""The stub of `torch.cuda`, whose names are imported on first use: type checkers cannot see them in its source."""

from __future__ import annotations

import inspect

from rushlight import cuda
from rushlight._on_first_use import LEGACY_TENSORS, OF_CUDA, OF_PACKAGES

HEAD = '''"""Written by `python -m rushlight.describe` from `_on_first_use.py`: do not edit."""

from typing import Any

from rushlight.core.errors import AcceleratorError as AcceleratorError
from rushlight.core.errors import OutOfMemoryError as OutOfMemoryError
from rushlight.core.generator import Generator
'''
VARIABLES = "has_half: bool\nhas_magma: bool\ndefault_generators: tuple[Generator, ...]\n"


def stub() -> str:
    """Returns the text of the stub."""
    modules = sorted(OF_PACKAGES["cuda"][0])
    lines = [f"from rushlight.cuda import {module} as {module}" for module in modules]
    for module, names in sorted(OF_CUDA.items()):
        lines += [f"from rushlight.cuda.{module} import {name} as {name}" for name in sorted(names.split())]
    written = [
        f"def {name}{inspect.signature(function)}: ...".replace("'", "")  # of annotations, which are text
        for name, function in sorted(vars(cuda).items())
        if inspect.isfunction(function) and function.__module__ == cuda.__name__
    ]
    typed = [f"{name}: Any" for name in LEGACY_TENSORS]
    return HEAD + "\n".join(lines) + "\n\n" + VARIABLES + "\n" + "\n".join([*typed, "", *written]) + "\n"
