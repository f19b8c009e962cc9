"""Writes the generated descriptions; with --check, only reports stale ones.

python -m rushlight.describe            writes the files
python -m rushlight.describe --check    fails if they are not what would be written
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from rushlight._as_torch import distribution, finder
from rushlight.describe import golden, gpu, operators, stubs
from rushlight.dispatch.lazy_modules import load_all

PACKAGE = Path(__file__).resolve().parents[1]
DOCS = PACKAGE.parents[1] / "docs"
GOLDEN = PACKAGE.parents[1] / "tests" / "architecture" / "golden"
# Modules with generated or unannotated functions; for others, type checkers read the source.
NAMESPACES = ("rushlight", "rushlight.linalg", "rushlight.fft", "rushlight.special", "rushlight.nn.functional")


def texts() -> dict[Path, str]:
    """Returns the text of every file."""
    load_all()
    files = {
        PACKAGE / "core" / "tensor.pyi": stubs.tensor_module(),
        PACKAGE / "declarations" / "results.pyi": stubs.results_module(),
        PACKAGE / "cuda" / "__init__.pyi": gpu.stub(),
    }
    for name in NAMESPACES:
        module = importlib.import_module(name)
        files[Path(module.__file__ or "").with_suffix(".pyi")] = stubs.namespace(module)
    # Files that packaging tools read; their version is that of `version.py`.
    metadata = Path(finder.PATH, distribution.FOLDER)
    files |= {metadata / name: text for name, text in distribution.FILES.items()}
    files |= {GOLDEN / name: text for name, text in golden.examples().items()}
    return {**files, DOCS / "operators.md": operators.page()}


def main(arguments: list[str]) -> int:
    """Writes the files, or lists stale ones with `--check`; returns the exit status."""
    stale = 0
    for path, text in texts().items():
        if path.exists() and path.read_text("utf-8") == text:
            continue
        if "--check" in arguments:
            print(f"{path.relative_to(PACKAGE.parents[1])} is not what the declarations say: run scripts/generate")
            stale = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"wrote {path.relative_to(PACKAGE.parents[1])}")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
