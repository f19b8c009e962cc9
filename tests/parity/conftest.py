"""Random streams of both libraries, and graphs of both, for tests that compare with PyTorch."""

import re

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


# PyTorch names a function where it is defined; rushlight where programs find it.
ADDRESSES = [
    (r"torch\._C\._nn\.", "torch.nn.functional."),
    (r"torch\._C\._(linalg|fft|special)\.\1_", r"torch.\1."),
    (r"torch\.functional\.", "torch."),
]


def public_names(text):
    for pattern, public in ADDRESSES:
        text = re.sub(pattern, public, text)
    return re.sub(r"0x[0-9a-f]+", "0x", text)


@pytest.fixture
def in_public_names():
    """A function: PyTorch's text of a graph with the names of functions that rushlight writes."""
    return public_names


@pytest.fixture
def assert_same():
    """A function that compares a graph module with PyTorch's."""
    return compare_graph_modules


def compare_graph_modules(ours, theirs):
    assert str(ours.graph) == public_names(str(theirs.graph))
    assert ours.code == public_names(theirs.code)
    for one, other in zip(ours.graph.nodes, theirs.graph.nodes, strict=True):
        assert (one.op, one.name, str(one.args), str(one.kwargs)) == (
            other.op, other.name, str(other.args), str(other.kwargs),
        )  # fmt: skip
        assert [user.name for user in one.users] == [user.name for user in other.users]
        if one.name != "_assert_is_none":  # here this check is not dead code
            assert one.is_impure() == other.is_impure()
