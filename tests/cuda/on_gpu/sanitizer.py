"""Stage 9: stage 5 on small sizes under NVIDIA's compute-sanitizer, which sees reads out of bounds and races."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "run_on_gpu"


def run(stage, options) -> None:
    program = shutil.which("compute-sanitizer")
    if options.fake or program is None:
        stage.skip("no GPU" if options.fake else "compute-sanitizer is not installed")
        return
    for tool in ("memcheck", "racecheck"):
        file = str(stage.file.with_suffix(f".{tool}"))
        inner = [sys.executable, str(SCRIPT), "--one", "5", "--quick", "--file", file]
        command = [program, "--tool", tool, "--error-exitcode", "99", *inner]
        done = subprocess.run(command, capture_output=True, text=True, timeout=max(stage.left, 5))
        stage.check(tool, done.returncode == 0, done.stdout[-300:] + done.stderr[-300:])
