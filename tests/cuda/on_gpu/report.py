"""What a stage of `run_on_gpu` finds, written while it runs: a stage that is killed leaves what it had."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MOST_FAILURES = 50  # that are listed


class Stage:
    """One stage: checks are counted, failures told, timings kept."""

    def __init__(self, name: str, seconds: float, file: Path):
        self.name, self.file = name, file
        self.begun = self.saved = time.monotonic()
        self.ends = self.begun + seconds
        self.passed = self.counted = 0
        self.failures: list[str] = []
        self.notes: dict[str, Any] = {}
        self.timings: list[dict[str, Any]] = []
        self.status = "cut off"

    @property
    def left(self) -> float:
        return self.ends - time.monotonic()

    def check(self, what: str, passed: bool, detail: object = "") -> None:
        """Counts a check."""
        self.counted += 1
        self.passed += bool(passed)
        if not passed and len(self.failures) < MOST_FAILURES:
            self.failures.append(f"{what}: {detail}"[:400])
        if time.monotonic() - self.saved > 1:
            self.save()

    @contextlib.contextmanager
    def checking(self, what: str) -> Iterator[None]:
        """Counts what is done in the block as one check, which an exception fails."""
        try:
            yield
        except Exception as error:  # told in the report, whatever it is
            self.check(what, False, f"{type(error).__name__}: {error}")
        else:
            self.check(what, True)

    def each(self, items) -> Iterator:
        """Yields items while there is time; notes how many were left out."""
        items = list(items)
        for number, item in enumerate(items):
            if self.left < 0:
                self.notes["left out"] = len(items) - number
                return
            yield item

    def time(self, case: str, ours_us: float, torch_us: float | None = None, **more) -> None:
        self.timings.append({"case": case, "ours_us": ours_us, "torch_us": torch_us, **more})

    def skip(self, reason: str) -> None:
        self.status, self.notes["reason"] = "skipped", reason

    def end(self) -> None:
        if self.status != "skipped":
            self.status = "passed" if self.passed == self.counted else "failed"
            if not self.counted:
                self.status = "failed"
                self.failures.append("nothing was checked")
        self.save()

    def save(self) -> None:
        self.saved = time.monotonic()
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps(self.data()))
        part.replace(self.file)

    def data(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "status": self.status,
            "seconds": round(time.monotonic() - self.begun, 2),
            "passed": self.passed,
            "counted": self.counted,
            "failures": self.failures,
            "notes": self.notes,
            "timings": self.timings,
        }


def table(report: dict[str, Any]) -> str:
    """Returns the report as lines for people, at most 40."""
    lines = [f"device: {report['device']}"]
    for stage in report["stages"]:
        reason = stage["notes"].get("reason") or "; ".join(stage["failures"][:1])
        counts = f"{stage['passed']}/{stage['counted']}"
        lines.append(f"{stage['name']:<14} {stage['status']:<8} {stage['seconds']:7.1f} s {counts:>11}  {reason[:70]}")
    for timing in report["timings"][: 38 - len(lines)]:
        theirs = "" if timing["torch_us"] is None else f"torch {timing['torch_us']:10.1f} us"
        more = ", ".join(f"{name} {value}" for name, value in timing.items() if name not in TOLD and value is not None)
        lines.append(f"{timing['case']:<28} {timing['ours_us']:10.1f} us  {theirs}  {more}")
    every = report["summary"]["all"]
    return "\n".join([*lines, f"all: {every['pass']} of {every['counted']}"])


TOLD = ("case", "ours_us", "torch_us")
