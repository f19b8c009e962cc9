"""What PyTorch does not differentiate in forward mode."""

from __future__ import annotations

from rushlight.declarations.declare import Op

# Operators that have a derivative and no tangent in PyTorch, with the names of its messages.
REFUSED: dict[str, str] = {}


def refuse(op: Op, arguments: list) -> None:
    """Raises NotImplementedError for an operator that has no tangent in PyTorch."""
    if op.name in REFUSED:
        raise NotImplementedError(
            f"Trying to use forward AD with {REFUSED[op.name]} that does not support it because it has not been "
            "implemented yet.\nPlease file an issue to PyTorch at "
            "https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so that we can prioritize its "
            "implementation."
        )
