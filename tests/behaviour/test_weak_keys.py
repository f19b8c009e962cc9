"""Dictionaries whose keys are tensors: told apart by identity, forgotten with the tensor."""

import copy
import importlib

import pytest


@pytest.fixture
def weak(torch):
    return importlib.import_module(f"{torch.__name__}.utils.weak")


@pytest.fixture
def keys(torch):
    return [torch.ones(2), torch.ones(2), torch.zeros(3)]


@pytest.fixture
def names(weak, keys):
    return weak.WeakTensorKeyDictionary(dict(zip(keys, "abc", strict=True)))


def test_equal_tensors_are_two_keys(torch, names, keys):
    assert [names[key] for key in keys] == ["a", "b", "c"] and len(names) == 3
    assert keys[0] in names and torch.ones(2) not in names and names.get(torch.ones(2)) is None
    assert [key for key in names][1] is keys[1] and list(names.values()) == ["a", "b", "c"]
    with pytest.raises(KeyError):
        names[torch.ones(2)]


def test_an_entry_goes_with_its_tensor(names, keys):
    references = names.keyrefs()
    keys.pop(0)
    assert list(names.values()) == ["b", "c"] and [reference() is None for reference in references] == [
        True,
        False,
        False,
    ]


def test_tensors_may_go_while_a_program_walks_through_the_dictionary(names, keys):
    seen = []
    for _, name in names.items():
        seen.append(name)
        keys.clear()
    assert seen[0] == "a" and len(seen) < 3


def test_entries_are_changed_as_in_any_dictionary(torch, names, keys):
    names[keys[0]] = "x"
    assert names.setdefault(keys[1], "y") == "b" and names.pop(keys[2]) == "c" and names.pop(keys[2], None) is None
    del names[keys[1]]
    assert list(names.items())[0][1] == "x" and len(names) == 1
    assert names.popitem()[0] is keys[0] and not names
    with pytest.raises(KeyError):
        names.popitem()


def test_union_and_equality(weak, names, keys):
    other = weak.WeakIdKeyDictionary({keys[0]: "z"})
    assert list((names | other).values()) == ["z", "b", "c"] and list((other | names).values()) == ["a", "b", "c"]
    assert (names | {keys[2]: "d"})[keys[2]] == "d" and ({keys[2]: "d"} | names)[keys[2]] == "c"
    assert names == dict(names.items()) and names != other
    other |= names
    assert other == names


def test_copies_have_the_same_keys(names, keys):
    names[keys[0]] = ["list"]
    for copied, shared in ((names.copy(), True), (copy.copy(names), True), (copy.deepcopy(names), False)):
        assert copied == names and type(copied) is type(names) and (copied[keys[0]] is names[keys[0]]) is shared


def test_keys_that_cannot_be_referred_to_weakly_are_refused(names):
    with pytest.raises(TypeError, match="cannot create weak reference"):
        names[3] = "c"
    assert 3 not in names


def test_references(torch, weak):
    x = torch.ones(1)
    by_id, of_tensor = weak.WeakIdRef(x), weak.TensorWeakRef(x)
    assert by_id == weak.WeakIdRef(x) and hash(by_id) == id(x) and not by_id == weak.WeakIdRef(torch.ones(1))
    assert by_id() is x and of_tensor() is x
    del x
    assert by_id() is None and of_tensor() is None and by_id == by_id
    with pytest.raises(AssertionError, match=r"expected torch.Tensor, got <class 'int'>\."):
        weak.TensorWeakRef(3)


def test_other_keys_by_their_own_hash(weak):
    class Name:
        def __init__(self, text):
            self.text = text

        def __hash__(self):
            return hash(self.text)

        def __eq__(self, other):
            return self.text == other.text

    first, second = Name("a"), Name("a")
    by_value = weak.WeakIdKeyDictionary({first: 1}, ref_type=weak._WeakHashRef)
    assert by_value[second] == 1 and len(by_value) == 1
    del first
    assert second not in by_value
