"""`rushlight.strict`: the mistakes that are always mistakes, as errors."""

from __future__ import annotations

from rushlight.explain.watch import TRAPS, watch

# Each of these spoils what is learnt, and no correct program does it. What is only wasteful, or may be meant, the watch
# warns of.
REFUSED = frozenset(("broadcast_loss", "data_written", "no_zero_grad", "unregistered_layers"))


class strict:
    """From the call on, or in a `with` block, four silent mistakes raise the error of the watch that finds them.

    A loss of shapes (n, 1) and (n,); gradients that an earlier step has used already; a write through `.data` over what
    backward needs; layers in a plain list, which are never trained. `strict(False)` ends it. Results do not change, and
    PyTorch has no such switch: the default is that nothing is raised.

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
    """The watch that `strict` puts on: it raises, and of the traps it has those that are refused."""

    def __init__(self):
        super().__init__(raises=True, ignore=tuple(trap.kind for trap in TRAPS if trap.kind not in REFUSED))
