"""`rushlight.watch`: reports mistakes that PyTorch accepts silently, while a program runs."""

from __future__ import annotations

import atexit
import sys
from multiprocessing import parent_process

from rushlight.core.errors import noted
from rushlight.explain.watch.finding import Finding
from rushlight.explain.watch.traps import TRAPS
from rushlight.explain.watch.watching import Watching, warn

__all__ = ["Finding", "TRAPS", "watch"]


class watch:
    """Watches a program inside the block, and warns of mistakes that raise no error.

    Losses that keep their graphs, gradients that are never cleared, layers that are never trained, a loss that
    broadcasts, the first NaN: each finding names the line and says what to write instead, once per line. Results do not
    change. Findings are warnings, `rushlight.watch.Finding`, and are collected in the list `findings`. `raises` raises
    the first one as an error; `ignore` names kinds that are not reported.

    >>> import rushlight as torch
    >>> import warnings
    >>> layer = torch.nn.Linear(3, 1)
    >>> optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    >>> with warnings.catch_warnings(), torch.watch() as watched:
    ...     warnings.simplefilter("ignore")
    ...     for step in range(4):
    ...         layer(torch.ones(2, 3)).sum().backward()
    ...         optimizer.step()
    >>> [finding.kind for finding in watched.findings]
    ['no_zero_grad']
    """

    Finding = Finding

    _on: list[watch] = []  # the active watches; the first does the work
    _watching: Watching | None = None

    def __init__(self, raises: bool = False, *, ignore: tuple[str, ...] = ()):
        unknown = set(ignore) - {trap.kind for trap in TRAPS}
        if unknown:
            raise noted(
                ValueError(f"watch(): no trap is called {sorted(unknown)[0]!r}"),
                f"The traps are {', '.join(trap.kind for trap in TRAPS)}.",
            )
        self.raises = raises
        self.ignore = frozenset(ignore)
        self.findings: list[Finding] = []

    def __enter__(self) -> watch:
        watch._on.append(self)
        if watch._watching is None:
            watch._watching = Watching(TRAPS, found)
            watch._watching.begin()
        return self

    def __exit__(self, kind, *exception) -> None:
        try:
            if watch._on == [self] and watch._watching is not None:
                watching, watch._watching = watch._watching, None
                watching.end(failed=kind is not None)
        finally:
            watch._on.remove(self)

    def summary(self) -> str:
        """Returns the findings as text, one per line."""
        if not self.findings:
            return "rushlight.watch: nothing found."
        lines = [f"  {finding.where}  {finding.kind}: {finding.text}" for finding in self.findings]
        count = f"{len(lines)} finding{'s' if len(lines) > 1 else ''}"
        return "\n".join([f"rushlight.watch: {count}", *lines])


def found(finding: Finding) -> None:
    """Reports a finding to all active watches; raises it if one of them has `raises`."""
    listening = [x for x in watch._on if finding.kind not in x.ignore]
    for watching in listening:
        watching.findings.append(finding)
    if any(x.raises for x in listening):
        finding.add_note(f"The line: {finding.where}")
        raise finding
    if listening:
        warn(finding)


def switch_on() -> None:
    """Watches until the program ends, then prints a summary. Does nothing in worker processes."""
    if parent_process() is None:
        watched = watch().__enter__()
        atexit.register(_finish, watched)


def _finish(watched: watch) -> None:
    """Prints a summary at exit; nothing after an exception, when "nothing found" would mislead."""
    error = getattr(sys, "last_value", None)
    watched.__exit__(type(error) if error is not None else None)
    if watched.findings or error is None:
        print(watched.summary(), file=sys.stderr)
