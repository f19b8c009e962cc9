"""Guards in machine code, compared with `paths.Checker`, which says what they mean; and which threads count."""

import sys

import pytest

from rushlight.capture.guard_machine import checker, is_available
from rushlight.capture.paths import ARGUMENT, Checker, Paths

TIMES = 3  # before a table is linked, after, and with dictionaries that are known to be unchanged


class Both:
    """The checker in machine code and the one in Python, on the same calls."""

    def __init__(self, guards, wanted=()):
        self.guards, self.paths = list(guards), list(wanted)
        self.fast, self.plain = checker(self.guards, self.paths), Checker(self.guards, self.paths)

    def __call__(self, *args, **kwargs):
        """Whether the guards hold for a call, of which both find the same values."""
        for _ in range(TIMES):
            expected, values = self.plain(args, kwargs), self.fast(args, kwargs)
            assert (values is None) == (expected is None), self.fast.failed(args, kwargs)
            if values is not None:
                assert type(values) is list
                assert len(values) == len(expected)
                assert all([one is other for one, other in zip(values, expected, strict=True)])
        return expected is not None

    @property
    def links(self):
        """How often a call was decided in Python and held."""
        return self.fast.check.__self__[1].__self__.links

    @property
    def left(self):
        """What the table leaves to Python at each call."""
        return self.fast.check.__self__[1].__self__.table.kept[-1]

    def by_machine(self, *args, **kwargs):
        """Whether the guards hold, and nothing is left to Python."""
        held = self(*args, **kwargs)
        if held and is_available():
            assert self.left is None
            links = self.links
            assert self(*args, **kwargs)
            assert self.links == links
        return held


@pytest.fixture
def both():
    return Both


@pytest.fixture
def path():
    """Makes paths: `path(ENTRY, "a", ITEM, 3)` begins at the first argument."""
    paths = Paths()

    def made(*steps, start=(ARGUMENT, 0)):
        place = paths.path(None, *start)
        for kind, key in zip(steps[::2], steps[1::2], strict=True):
            place = paths.path(place, kind, key)
        return place

    return made


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """The threads that run the tests do not count."""
    threads = len(sys._current_frames())
    monkeypatch.setattr("rushlight.capture.often.is_single_threaded", lambda: len(sys._current_frames()) == threads)
