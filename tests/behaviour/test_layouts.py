"""Layouts: names that programs compare with. Every tensor here is strided, and another one is refused."""

import copy
import inspect
import io
import pickle
from functools import partial

import pytest

import rushlight

NAMES = ["strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged", "_mkldnn"]

# What a function needs beside the layout, where it is not one size.
ARGUMENTS = {
    "empty_strided": ((2,), (1,)),
    "empty_permuted": ((2,), (0,)),
    "from_file": ("nowhere",),
    "full": ((2,), 1.0),
    "linspace": (0, 1, 3),
    "logspace": (0, 1, 3),
    "normal": (0.0, 1.0, (2,)),
    "randint": (3, (2,)),
    "range": (0, 3),
    **{f"{name}_like": (rushlight.ones(2),) for name in ("zeros", "ones", "empty", "rand", "randn")},
    "tril_indices": (2, 2),
    "triu_indices": (2, 2),
    "full_like": (rushlight.ones(2), 1.0),
    "randint_like": (rushlight.ones(2), 3),
    "new_tensor": ([1.0],),
    "new_full": ((2,), 1.0),
    "new_empty_strided": ((2,), (1,)),
    "sparse_compressed_tensor": ([0, 1], [0], [1.0]),
}


def takes_a_layout(function):
    try:
        return "layout" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


NAMES_OF = (
    (rushlight, [name for name in dir(rushlight) if not name.startswith("_")]),
    (rushlight.fft, dir(rushlight.fft)),
    (rushlight.ones(2), [name for name in dir(rushlight.Tensor) if name.startswith("new_")]),
)
MAKERS = [
    pytest.param(partial(function, *ARGUMENTS.get(name, (2,))), name, id=name)
    for holder, names in NAMES_OF
    for name in names
    if takes_a_layout(function := getattr(holder, name)) and name != "sparse_compressed_tensor"  # which makes blocks
]


@pytest.mark.parametrize("name", NAMES)
def test_a_layout_is_one_object_with_a_name(torch, name):
    layout = getattr(torch, name)
    assert repr(layout) == f"torch.{name}" and isinstance(layout, torch.layout)
    assert copy.deepcopy(layout) is layout and pickle.loads(pickle.dumps(layout)) is layout


def test_a_program_asks_for_the_layout_before_it_takes_a_sparse_path(torch):
    adjacency = torch.eye(3)
    assert adjacency.layout == torch.strided
    assert adjacency.layout not in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc)
    assert not (adjacency.is_sparse or adjacency.is_sparse_csr or adjacency.is_nested or adjacency.is_mkldnn)
    assert not (adjacency.is_xla or adjacency.is_mtia or adjacency.is_ipu or adjacency.is_maia or adjacency.is_vulkan)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "_mkldnn"])
def test_a_checkpoint_may_hold_a_layout(torch, name):
    kept = io.BytesIO()
    torch.save({"layout": getattr(torch, name)}, kept)
    kept.seek(0)
    assert torch.load(kept)["layout"] is getattr(torch, name)


def test_something_else_is_no_layout(torch):
    with pytest.raises(TypeError, match=r"zeros\(\): argument 'layout' must be torch.layout, not int"):
        torch.zeros(2, layout=3)
    assert torch.zeros(2, layout=None).tolist() == torch.zeros(2, layout=torch.strided).tolist() == [0.0, 0.0]


def test_there_are_functions_that_take_a_layout():
    assert {"zeros", "arange", "rand_like", "fftfreq", "new_zeros"} <= {each.values[1] for each in MAKERS}


@pytest.mark.parametrize(("make", "name"), MAKERS)
def test_a_layout_that_is_not_here_is_refused(make, name):
    with pytest.raises(NotImplementedError, match=rf"^{name}\(\): rushlight has no tensors of layout torch\.sparse_"):
        make(layout=rushlight.sparse_bsr)
