"""What several files of kernels share."""

import pytest

from rushlight.arrays.threads import get_num_threads, set_num_threads


@pytest.fixture(params=[1, 3])
def threads(request):
    """One thread, and several."""
    before = get_num_threads()
    set_num_threads(request.param)
    yield
    set_num_threads(before)
