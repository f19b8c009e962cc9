"""`rushlight.watch`: notices, while a program runs, the mistakes that PyTorch lets pass without a word."""

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
    """Watches what a program does inside the block, and warns of mistakes that go on without an error.

    Losses that keep their graphs, gradients that nobody clears, layers that are never trained, a loss that broadcast,
    the birth of a NaN: each finding names the line and says what to write instead, once per line. Results stay as they
    are. Findings are warnings, `rushlight.watch.Finding`, and stand in the list `findings`. With `raises` the first one
    is raised as an error; `ignore` names kinds that are not to be reported.

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

    _on: list[watch] = []  # those within the block of which the program is; the first does the work
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
        """What was found, one line for each finding."""
        if not self.findings:
            return "rushlight.watch: nothing found."
        lines = [f"  {finding.where}  {finding.kind}: {finding.text}" for finding in self.findings]
        count = f"{len(lines)} finding{'s' if len(lines) > 1 else ''}"
        return "\n".join([f"rushlight.watch: {count}", *lines])


def found(finding: Finding) -> None:
    """Tells every watch that is on; raises the finding if one of them wants that."""
    listening = [x for x in watch._on if finding.kind not in x.ignore]
    for watching in listening:
        watching.findings.append(finding)
    if any(x.raises for x in listening):
        finding.add_note(f"The line: {finding.where}")
        raise finding
    if listening:
        warn(finding)


def switch_on() -> None:
    """Watches until the end of the program, and then says what was found. Not in the workers that it starts."""
    if parent_process() is None:
        watched = watch().__enter__()
        atexit.register(_finish, watched)


def _finish(watched: watch) -> None:
    """Sums up at the end of the program. After an exception that ended it, "nothing found" would be misleading."""
    error = getattr(sys, "last_value", None)
    watched.__exit__(type(error) if error is not None else None)
    if watched.findings or error is None:
        print(watched.summary(), file=sys.stderr)
