"""Random streams of both libraries, for tests that compare with PyTorch."""

import pytest

from rushlight.core.generator import Generator


@pytest.fixture(scope="module")
def streams(pytorch):
    """Makes two random streams of a seed: ours and PyTorch's."""

    def of_seed(seed):
        theirs = pytorch.Generator()
        theirs.manual_seed(seed)
        return Generator().manual_seed(seed), theirs

    return of_seed
