"""An error sent from a worker to the program that waits for its batch."""

from __future__ import annotations

import pickle
import traceback
from dataclasses import dataclass

from rushlight.core.tracebacks import chain, program_only


@dataclass(frozen=True)
class Failure:
    """The type of an error, and its traceback as text: frames stay in their process."""

    kind: type[BaseException]
    text: str
    where: str

    @classmethod
    def of(cls, error: BaseException, where: str) -> Failure:
        """Wraps an error that has just been caught; its traceback ends in the user's code."""
        for link in chain(error):
            link.__traceback__ = program_only(link.__traceback__)
        return cls(known_elsewhere(type(error)), "".join(traceback.format_exception(error)), where)

    def raise_again(self) -> None:
        """Raises an error of the same type, or RuntimeError if its constructor needs more than a message."""
        raise self._error()

    def _error(self) -> BaseException:
        message = f"Caught {self.kind.__name__} {self.where}.\nOriginal {self.text}"
        try:
            return self.kind(Verbatim(message) if issubclass(self.kind, KeyError) else message)
        except Exception:  # any error of a constructor that needs other arguments
            return RuntimeError(message)


class Verbatim(str):
    """Text that is shown unquoted: a KeyError shows the repr of its argument."""

    def __repr__(self) -> str:
        return str(self)


def known_elsewhere(cls: type) -> type:
    """Returns the type, or the nearest of its bases that another process can import."""
    for base in cls.__mro__:
        try:
            pickle.dumps(base)
            return base
        except (pickle.PicklingError, AttributeError):
            continue
    return RuntimeError
