"""`rushlight.strict`: raises errors for mistakes that are never intended."""

from __future__ import annotations

from rushlight.explain.watch import TRAPS, watch

# These spoil training, and no correct program does them. The watch only warns of what is wasteful or may be intended.
REFUSED = frozenset(("broadcast_loss", "data_written", "no_zero_grad", "unregistered_layers"))


class strict:
    """Raises errors for four silent mistakes, from the call on or in a `with` block.

    They are: a loss of shapes (n, 1) and (n,); gradients that an earlier step has used already; a write through `.data`
    over values that backward needs; layers in a plain list, which are never trained. `strict(False)` ends it. Results
    do not change. The default is off; PyTorch has no such switch.

    >>> import rushlight as torch
    >>> prediction = torch.zeros(4, 1, requires_grad=True)
    >>> with torch.strict():
    ...     try:
    ...         ((prediction - torch.ones(4)) ** 2).mean().backward()
    ...     except torch.watch.Finding as finding:
    ...         print(finding.text)
    Shapes (4, 1) and (4,) broadcast to (4, 4): the loss compares every prediction with every target.
    """

    def __init__(self, on: bool = True):
        watching = [x for x in watch._on if isinstance(x, StrictWatch)]
        self._entered = StrictWatch().__enter__() if on and not watching else None
        if not on:
            for active in watching:
                active.__exit__(None)

    def __enter__(self) -> strict:
        return self

    def __exit__(self, kind, *exception) -> None:
        if self._entered is not None:
            self._entered.__exit__(kind)


class StrictWatch(watch):
    """The watch behind `strict`: it raises, and has only the refused traps."""

    def __init__(self):
        super().__init__(raises=True, ignore=tuple(trap.kind for trap in TRAPS if trap.kind not in REFUSED))
