"""Writes what is read of the package and not run; with --check, only says what is stale.

    python -m rushlight.describe            writes the files
    python -m rushlight.describe --check    fails if they are not what would be written
"""

from __future__ import annotations

import sys
from pathlib import Path

from rushlight.describe import operators

PACKAGE = Path(__file__).resolve().parents[1]
DOCS = PACKAGE.parents[1] / "docs"


def texts() -> dict[Path, str]:
    """The text of every file."""
    return {DOCS / "operators.md": operators.page()}


def main(arguments: list[str]) -> int:
    """Writes the files, or with `--check` says which are stale; returns the exit status."""
    stale = 0
    for path, text in texts().items():
        if path.exists() and path.read_text("utf-8") == text:
            continue
        if "--check" in arguments:
            print(f"{path.relative_to(PACKAGE.parents[1])} is not what the declarations say: run scripts/generate")
            stale = 1
        else:
            path.write_text(text, "utf-8")
            print(f"wrote {path.relative_to(PACKAGE.parents[1])}")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
