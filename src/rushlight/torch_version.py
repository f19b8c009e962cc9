"""`torch.torch_version`: PyTorch's version, compared as a version."""

import operator
import re
from collections.abc import Callable, Iterable

__all__ = ["TorchVersion"]

# Patterns that few programs need are compiled on first use: a pattern takes up to a millisecond of the import.
WORDS = r"v?(\d+(?:\.\d+)*)(?:[._-]?(a|b|rc|dev|post)[a-z]*[._-]?(\d*))?(?:\+(.*))?"
STAGES = {"dev": -4, "a": -3, "b": -2, "rc": -1, "post": 1}


class TorchVersion(str):
    """A version that is a str: it compares with text, tuples and `packaging.version.Version` as versions.

    >>> TorchVersion("2.13.0") >= "2.9", TorchVersion("2.13.0") < (2, 4), "2.13.0" < "2.9"
    (True, False, True)
    """

    __slots__ = ()

    def __reduce__(self) -> tuple:
        return str, (str(self),)  # so that checkpoints do not need this class

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return compared(operator.eq, self, other)

    def __lt__(self, other: object) -> bool:
        return compared(operator.lt, self, other)

    def __le__(self, other: object) -> bool:
        return compared(operator.le, self, other)

    def __gt__(self, other: object) -> bool:
        return compared(operator.gt, self, other)

    def __ge__(self, other: object) -> bool:
        return compared(operator.ge, self, other)


def compared(how: Callable, version: str, other: object) -> bool:
    """Compares as versions; as text if `other` is not a version."""
    text = ".".join(map(str, other)) if isinstance(other, Iterable) and not isinstance(other, str) else str(other)
    one, two = order_of(version), order_of(text)
    return how(str(version), text) if one is None or two is None else how(one, two)


def order_of(version: str) -> tuple | None:
    """Returns the sort key of a version; None for other text."""
    match = re.fullmatch(WORDS, version.strip(), re.IGNORECASE)
    if match is None:
        return None
    release, stage, number, local = match.groups()
    numbers = [int(part) for part in release.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers, STAGES[stage.lower()] if stage else 0, int(number or 0), local or ""
