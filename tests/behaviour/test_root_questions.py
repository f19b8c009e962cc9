"""Functions of the root namespace beside methods: questions about a tensor, and tensors without history."""

import importlib

import numpy as np
import pytest

QUESTIONS = [
    ("torch.is_signed(x)", True),
    ("torch.is_signed(x.to(torch.uint8))", False),
    ("torch.is_conj(x)", False),
    ("torch.is_neg(x)", False),
    ("torch.is_inference(x)", False),
    ("torch.get_device(x)", -1),
    ("torch.is_same_size(x, x + 1)", True),
    ("x.is_same_size(x[0])", False),
    ("x[0, 0].is_nonzero()", True),
    ("torch.is_nonzero(x[:1, :1])", True),
    ("torch.typename(x)", "torch.FloatTensor"),
    ("torch.typename(x.long())", "torch.LongTensor"),
    ("torch.typename(torch.nn.Linear(1, 1))", "torch.nn.modules.linear.Linear"),
    ("torch.typename(torch.float32)", "torch.dtype"),
    ("torch.typename(torch)", "torch"),
    ("torch.typename(3)", "int"),
    ("torch.typename(int)", "int"),
    ("torch.typename(None)", "NoneType"),
]


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
def test_the_answers(torch, question, answer):
    assert eval(question, {"torch": torch, "x": torch.ones(2, 3)}) == answer


REFUSED = [
    ("torch.numel(array)", "numel(): argument 'input' (position 1) must be Tensor, not numpy.ndarray"),
    ("torch.detach(array)", "detach(): argument 'input' (position 1) must be Tensor, not numpy.ndarray"),
    ("torch.relu_(array)", "relu_(): argument 'input' (position 1) must be Tensor, not numpy.ndarray"),
    (
        "torch.set_grad_enabled(array)",
        "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not numpy.ndarray",
    ),
]


@pytest.mark.parametrize(("question", "complaint"), REFUSED)
def test_an_array_is_refused_by_its_full_name(torch, question, complaint):
    with pytest.raises(TypeError) as caught:
        eval(question, {"torch": torch, "array": np.ones(2)})
    assert str(caught.value).split("\n")[0] == complaint


def test_an_object_is_called_by_its_own_class(torch):
    class Layer(torch.nn.Module):
        pass

    assert torch.typename(Layer()) == torch.typename(Layer) == f"{__name__}.{Layer.__qualname__}"


@pytest.mark.parametrize("name", ["is_signed", "is_conj", "is_neg", "is_inference", "get_device", "detach"])
def test_what_is_no_tensor_is_refused(torch, name):
    with pytest.raises(TypeError, match=rf"^{name}\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        getattr(torch, name)(3)


def test_the_second_tensor_is_asked_for_too(torch):
    with pytest.raises(
        TypeError, match=r"^is_same_size\(\): argument 'other' \(position 2\) must be Tensor, not tuple"
    ):
        torch.is_same_size(torch.ones(1), (1,))
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        torch.ones(2).is_nonzero()


def test_detach_shares_memory_and_detach_copy_does_not(torch):
    x = torch.ones(2, requires_grad=True)
    shared, copied = torch.detach(x), torch.detach_copy(x.detach())
    shared.add_(1)
    assert (x.tolist(), copied.tolist()) == ([2, 2], [1, 1])
    assert not shared.requires_grad


def test_a_capsule_is_read_once(torch):
    x = torch.arange(3.0)
    y = torch.from_dlpack(torch.to_dlpack(x)) if torch.__name__ == "torch" else torch.from_dlpack(x)
    y[0] = 7
    assert x.tolist() == [7, 1, 2]
    assert type(torch.to_dlpack(x)).__name__ == "PyCapsule"
    with pytest.raises(TypeError, match=r"argument 'data' \(position 1\) must be Tensor, not int"):
        torch.to_dlpack(3)


def test_resize_out_of_place_reshapes(torch):
    x = torch.arange(6.0).reshape(2, 3)
    with pytest.warns(UserWarning, match="non-inplace resize is deprecated"):
        y = x.resize(3, 2)
    assert y.tolist() == [[0, 1], [2, 3], [4, 5]]
    with pytest.warns(UserWarning, match="non-inplace resize_as is deprecated"):
        assert x.resize_as(y).shape == (3, 2)
    with pytest.warns(UserWarning, match="non-inplace resize"):
        with pytest.raises(RuntimeError, match=r"^requested resize to 7 \(7 elements in total\), but the given tensor"):
            x.resize(7)


@pytest.mark.parametrize("name", ["upsample", "upsample_nearest", "upsample_bilinear"])
def test_the_old_names_of_interpolate_say_so(torch, name):
    words = f"^`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.$"
    with pytest.warns(UserWarning, match=words) as caught:
        getattr(torch.nn.functional, name)(torch.ones(1, 1, 2, 2), scale_factor=2)
    assert [each.category for each in caught] == [UserWarning]


def test_there_is_no_version_of_what_is_not_there():
    version = importlib.import_module("rushlight").version
    assert (version.cuda, version.hip, version.debug) == (None, None, False)


@pytest.mark.parametrize("length", [0, 1, 7, 5000])
def test_whether_any_or_all_are_true(torch, length):
    no, yes = torch.zeros(length, dtype=torch.bool), torch.ones(length, dtype=torch.bool)
    assert [each.item() for each in (no.any(), no.all(), yes.any(), yes.all())] == [False, not length, length > 0, True]
    assert no.any().dtype is torch.bool and no.any().shape == ()
    if length > 1:
        one = no.clone()
        one[-1] = True
        assert one.any() and not one.all() and one[::2][:1].any().item() is False
        assert not torch.equal(one, no) and torch.equal(one, one.clone())


def test_bytes_seen_as_bools_are_true_unless_zero(torch):
    seen = torch.tensor([2, 0], dtype=torch.uint8).view(torch.bool)
    assert seen.any() and not seen.all() and seen[:1].all()
    counted = torch.tensor([2, 0], dtype=torch.uint8)
    assert (counted.any().item(), counted.any().dtype) == (1, torch.uint8)


def test_closeness_of_what_is_infinite_or_no_number(torch):
    x = torch.tensor([float("nan"), 1.0, float("inf"), -float("inf"), float("inf")])
    y = torch.tensor([float("nan"), 1.0 + 1e-7, float("inf"), float("inf"), 1.0])
    assert torch.isclose(x, y).tolist() == [False, True, True, False, False]
    assert torch.isclose(x, y, equal_nan=True).tolist() == [True, True, True, False, False]
    assert torch.isclose(x, y, rtol=0, atol=0).tolist() == [False, False, True, False, False]
    assert torch.isclose(x.double(), y.double()).tolist() == [False, True, True, False, False]
    assert torch.allclose(x[1:3], y[1:3]) and not torch.allclose(x, y)
