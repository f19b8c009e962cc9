"""Fixtures of the tests of declarations."""

import pytest

from rushlight.declarations.declare import OPS
from rushlight.testing import declared


@pytest.fixture
def failing():
    """Returns a function: the checks of an operator that fail on its samples, each with its first error.

    One test of an operator makes all of its checks of a kind: tests of one check each take more time than the checks.
    """

    def failures_of(name, checks, *more):
        failures = {}
        for label, check in checks.items():
            try:
                for case in declared.cases(OPS[name]):
                    check(case, *more)
            except AssertionError as error:
                failures[label] = f"{name}-{label}: {error}"
            except Exception as error:
                error.add_note(f"found by {name}-{label}")
                raise
        return failures

    return failures_of
