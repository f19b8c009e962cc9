"""What several files of this folder share."""

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WRITABLE = 0o200  # by its owner


@pytest.fixture
def checkout(tmp_path):
    """A copy of the sources, documentation and scripts that may be written to, where the checkout may not be."""
    for folder in ("src", "docs", "scripts"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(path.stat().st_mode | WRITABLE)
    return tmp_path
