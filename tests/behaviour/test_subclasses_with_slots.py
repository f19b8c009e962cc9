"""Subclasses of Tensor with `__slots__`, and with a state of their own: operators, copies, pickles, checkpoints."""

import copy
import io
import pickle

import pytest


@pytest.fixture
def make_kind():
    """Returns a function that creates a class of tensors which can be pickled, on a base and with members."""

    def make(base, **members):
        kind = type("Named", (base,), {"__module__": __name__, **members})
        globals()["Named"] = kind
        return kind

    yield make
    globals().pop("Named", None)


def stored(torch, tensor, kind):
    """Returns what a checkpoint gives back for a tensor."""
    file = io.BytesIO()
    torch.save(tensor, file)
    file.seek(0)
    with torch.serialization.safe_globals([kind]):
        return torch.load(file)


COPIES = {
    "deepcopy": lambda torch, x, kind: copy.deepcopy(x),
    "copy": lambda torch, x, kind: copy.copy(x),
    "pickle": lambda torch, x, kind: pickle.loads(pickle.dumps(x)),
    "checkpoint": stored,
}


def test_operators_return_the_subclass(torch, make_kind):
    Named = make_kind(torch.Tensor, __slots__=["unit"])
    x = torch.tensor([1.0, 2.0]).as_subclass(Named)
    x.unit = "m"
    results = [x + 1, 2 * x, x[0], x.sum(), x.max(0).values, *x.split(1), torch.stack([x, x])]
    assert all(type(result) is Named for result in results)
    assert (x + 1).tolist() == [2.0, 3.0] and x.unit == "m"
    with pytest.raises(AttributeError):
        (x + 1).unit  # noqa: B018


def test_gradients_pass_through_a_subclass(torch, make_kind):
    Named = make_kind(torch.Tensor, __slots__=["unit"])
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    x = leaf.as_subclass(Named)
    part = (x * x)[0:1]
    part *= 5
    part.sum().backward()
    assert leaf.grad.tolist() == [10.0, 0.0]
    made = torch.Tensor._make_subclass(Named, torch.ones(2), True)
    (made * 3).sum().backward()
    assert made.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_has_the_slots_and_the_attributes(torch, make_kind, way):
    def new_empty(self, *size):  # PyTorch's deepcopy calls it
        return torch.empty(*size).as_subclass(type(self))

    Named = make_kind(torch.Tensor, __slots__=["unit", "unused"], new_empty=new_empty)
    x = torch.tensor([1.0, 2.0]).as_subclass(Named)
    x.unit, x.comment = ["m"], {"a": 1}
    result = COPIES[way](torch, x, Named)
    assert type(result) is Named and result.tolist() == [1.0, 2.0]
    assert result.unit == ["m"] and result.comment == {"a": 1} and not hasattr(result, "unused")
    assert (result.unit is x.unit) is (way == "copy")


@pytest.mark.parametrize("way", ["copy", "pickle", "checkpoint"])
def test_a_class_decides_about_its_state(torch, make_kind, way):
    def __getstate__(self):
        return "version 2", self.unit

    def __setstate__(self, state):
        version, self.unit = state
        assert version == "version 2"

    Named = make_kind(torch.Tensor, __getstate__=__getstate__, __setstate__=__setstate__)
    x = torch.tensor([1.0, 2.0]).as_subclass(Named)
    x.unit, x.cache = "m", "large"
    result = COPIES[way](torch, x, Named)
    assert type(result) is Named and result.unit == "m" and not hasattr(result, "cache")


def test_a_wrapper_without_memory_is_copied_with_what_it_wraps(torch, make_kind):
    def clone(self):  # as does this, for tensors without memory
        made = torch.Tensor._make_subclass(type(self), torch.empty(2, device="meta"))
        made.inner = self.inner.clone()
        return made

    Named = make_kind(torch.Tensor, __slots__=["inner"], clone=clone)
    x = torch.Tensor._make_subclass(Named, torch.empty(2, device="meta"))
    x.inner = torch.tensor([1.0, 2.0])
    for way in ("deepcopy", "checkpoint"):
        result = COPIES[way](torch, x, Named)
        assert type(result) is Named and result.is_meta and result.inner.tolist() == [1.0, 2.0]
        assert result.inner.data_ptr() != x.inner.data_ptr()
