"""From samples to a batch: what is stacked, what is kept, and what is refused."""

import collections
import importlib

import numpy as np
import pytest


@pytest.fixture
def data(torch):
    return importlib.import_module(f"{torch.__name__}.utils.data")


Point = collections.namedtuple("Point", ["x", "y"])


class Labelled(dict):
    """A dict with something more."""

    label = "none"


def plain(value):
    """Tensors as (dtype, nested lists), so that batches can be compared."""
    if hasattr(value, "tolist") and not isinstance(value, (np.ndarray, np.generic)):
        return str(value.dtype), value.tolist()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return type(value)(*map(plain, value)) if hasattr(value, "_fields") else tuple(map(plain, value))
    return list(map(plain, value)) if isinstance(value, list) else value


BATCHES = {
    "whole numbers": ([1, 2], ("torch.int64", [1, 2])),
    "truth values": ([True, False], ("torch.bool", [True, False])),
    "floats": ([1.5, 2.0], ("torch.float64", [1.5, 2.0])),
    "text": (["a", "b"], ["a", "b"]),
    "bytes": ([b"a", b"b"], [b"a", b"b"]),
    "arrays": ([np.ones(2, np.float32)] * 2, ("torch.float32", [[1.0, 1.0]] * 2)),
    "numbers of NumPy": ([np.float32(1), np.float32(2)], ("torch.float32", [1.0, 2.0])),
    "truth values of NumPy": ([np.True_, np.False_], ("torch.bool", [True, False])),
    "tuples": ([(1, "a"), (2, "b")], [("torch.int64", [1, 2]), ("a", "b")]),
    "lists": ([[1, 2.5], [3, 4.5]], [("torch.int64", [1, 3]), ("torch.float64", [2.5, 4.5])]),
    "dicts": ([{"a": 1, "b": [2]}, {"a": 3, "b": [4]}], {"a": ("torch.int64", [1, 3]), "b": [("torch.int64", [2, 4])]}),
    "named tuples": ([Point(1, 2), Point(3, 4)], Point(("torch.int64", [1, 3]), ("torch.int64", [2, 4]))),
    "ranges": ([range(2), range(2, 4)], [("torch.int64", [0, 2]), ("torch.int64", [1, 3])]),
}


@pytest.mark.parametrize(("batch", "expected"), BATCHES.values(), ids=BATCHES)
def test_a_batch_of(data, batch, expected):
    assert plain(data.default_collate(batch)) == expected


def test_tensors_are_stacked(torch, data):
    batch = data.default_collate([torch.tensor([1, 2]), torch.tensor([3, 4])])
    assert batch.tolist() == [[1, 2], [3, 4]]
    assert data.default_collate([torch.tensor(1.5, requires_grad=True)] * 2).requires_grad


def test_containers_keep_their_type_and_what_else_they_hold(torch, data):
    first = Labelled(a=1)
    first.label = "mine"
    batch = data.default_collate([first, Labelled(a=2)])
    assert type(batch) is Labelled and batch.label == "mine" and batch["a"].tolist() == [1, 2]
    assert first == {"a": 1}
    assert isinstance(data.default_collate([collections.UserDict(a=1)]), collections.UserDict)
    frozen = data.default_collate([collections.ChainMap({"a": 1})])
    assert frozen["a"].tolist() == [1]


def test_sequences_must_be_of_equal_size(data):
    with pytest.raises(RuntimeError, match="each element in list of batch should be of equal size"):
        data.default_collate([[1, 2], [3]])


@pytest.mark.parametrize("sample", [None, object(), np.array(["text"]), {1}], ids=["none", "object", "words", "set"])
def test_what_no_tensor_can_be_made_of(data, sample):
    with pytest.raises(TypeError, match="batch must contain tensors, numpy arrays, numbers, dicts or lists; found"):
        data.default_collate([sample])


CONVERTED = {
    "an array": (np.array([1, 2]), ("torch.int64", [1, 2])),
    "a number of NumPy": (np.float32(1.5), ("torch.float32", 1.5)),
    "a number": (3, 3),
    "text": ("text", "text"),
    "text of NumPy": (np.str_("text"), "text"),
    "a tuple": ((np.array(1), "a"), [("torch.int64", 1), "a"]),
    "a named tuple": (Point(np.array(1), 2), Point(("torch.int64", 1), 2)),
    "a dict": ({"a": [np.array(1)]}, {"a": [("torch.int64", 1)]}),
    "nothing": (None, None),
}


@pytest.mark.parametrize(("value", "expected"), CONVERTED.values(), ids=CONVERTED)
def test_converted(data, value, expected):
    assert plain(data.default_convert(value)) == expected


def test_arrays_of_text_stay_arrays(data):
    words = np.array(["a", "b"])
    assert data.default_convert(words) is words


def test_the_table_of_types_can_be_extended(torch, data):
    collate = importlib.import_module(f"{data.__name__}.{'_utils.' if torch.__name__ == 'torch' else ''}collate")

    def longest(batch, *, collate_fn_map=None):
        return max(batch, key=len)

    table = {**collate.default_collate_fn_map, str: longest}
    assert collate.collate([("a", 1), ("bc", 2)], collate_fn_map=table)[0] == "bc"


def test_private_names_that_programs_import(torch):
    private = importlib.import_module(f"{torch.__name__}.utils.data._utils")
    collate = importlib.import_module(f"{torch.__name__}.utils.data._utils.collate")
    assert private is torch.utils.data._utils and collate is private.collate
    assert collate.default_collate is torch.utils.data.default_collate
    assert private.MP_STATUS_CHECK_INTERVAL == 5.0
    assert private.pin_memory.pin_memory(["text"], None) == ["text"]
    assert private.worker.get_worker_info is torch.utils.data.get_worker_info
    assert list(private.worker._generate_state(1234, 2)) == [2442905202, 1348268408, 194134239, 2665212673]
    assert collate.np_str_obj_array_pattern.search("<U3") and not collate.np_str_obj_array_pattern.search("<f4")
    assert "found <class 'set'>" in collate.default_collate_err_msg_format.format(set)


def test_a_program_pretends_to_be_a_worker(torch, monkeypatch):
    worker = importlib.import_module(f"{torch.__name__}.utils.data._utils.worker")
    assert worker._worker_info is None
    monkeypatch.setattr(worker, "_worker_info", "x")
    assert torch.utils.data.get_worker_info() == "x"
