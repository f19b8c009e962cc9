"""An error on its way from a worker to the program that waits for its batch."""

from __future__ import annotations

import pickle
import traceback
from dataclasses import dataclass

from rushlight.core.tracebacks import chain, program_only


@dataclass(frozen=True)
class Failure:
    """The type of an error, and its traceback as text: frames stay in the process where they are."""

    kind: type[BaseException]
    text: str
    where: str

    @classmethod
    def of(cls, error: BaseException, where: str) -> Failure:
        """An error that has just been caught; its traceback ends in the program."""
        for each in chain(error):
            each.__traceback__ = program_only(each.__traceback__)
        return cls(known_elsewhere(type(error)), "".join(traceback.format_exception(error)), where)

    def raise_again(self) -> None:
        """Raises an error of the same type, or RuntimeError where it takes more than a message to make one."""
        raise self._error()

    def _error(self) -> BaseException:
        message = f"Caught {self.kind.__name__} {self.where}.\nOriginal {self.text}"
        try:
            return self.kind(Verbatim(message) if issubclass(self.kind, KeyError) else message)
        except Exception:  # whatever a constructor that wants other arguments raises
            return RuntimeError(message)


class Verbatim(str):
    """Text that is shown as it is: a KeyError shows the repr of its argument."""

    def __repr__(self) -> str:
        return str(self)


def known_elsewhere(kind: type) -> type:
    """The type, or the nearest of its bases that another process can import."""
    for each in kind.__mro__:
        try:
            pickle.dumps(each)
            return each
        except (pickle.PicklingError, AttributeError):
            continue
    return RuntimeError
