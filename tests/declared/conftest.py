"""What several files of declarations share."""

import pytest

from rushlight.declarations.declare import OPS
from rushlight.testing import declared


@pytest.fixture
def failing():
    """A function: which of some checks of an operator fail on its samples, and what each says of the first of these.

    One test of an operator makes all of its checks of a kind: tests of one check each take more time than the checks.
    """

    def found(name, checks, *more):
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

    return found
