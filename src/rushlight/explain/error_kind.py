"""One kind of error in the table of common errors."""

from __future__ import annotations

import re
from typing import Any, NamedTuple


class Kind(NamedTuple):
    """One error: its pattern, its meaning, and two short programs."""

    name: str
    title: str
    type: type[Exception]
    pattern: str  # matches the beginning of the first line
    meaning: str
    failing: str  # `torch` is imported; the last line raises
    repaired: str
    when: str = ""  # text of the note that tells kinds with the same first line apart

    def matches(self, error: BaseException) -> bool:
        return isinstance(error, self.type) and re.match(self.pattern, str(error)) is not None


def kinds_in(names: dict[str, Any]) -> tuple[Kind, ...]:
    """Returns the kinds among the names of a module, in their order."""
    return tuple([value for value in names.values() if isinstance(value, Kind)])
