"""`use_deterministic_algorithms(True)`: undefined values are filled, and some operators are refused."""

import math

import pytest

DTYPES = (
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
    "float64", "complex64", "complex128", "float8_e5m2",
)  # fmt: skip


@pytest.fixture(autouse=True)
def deterministic(torch):
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)
    torch.utils.deterministic.fill_uninitialized_memory = True


def is_filled(torch, tensor) -> bool:
    if tensor.is_floating_point() or tensor.is_complex():
        return all(math.isnan(complex(each).real) for each in tensor.reshape(-1).tolist())
    largest = True if tensor.dtype is torch.bool else torch.iinfo(tensor.dtype).max
    return all(each == largest for each in tensor.reshape(-1).tolist())


@pytest.mark.parametrize("name", DTYPES)
def test_what_makes_tensors_of_undefined_values_fills_them(torch, name):
    kind = getattr(torch, name)
    like = torch.zeros(2, 3, dtype=kind)
    made = [
        torch.empty(3, 4, dtype=kind), torch.empty(2, 3, 1, 1, dtype=kind, memory_format=torch.channels_last),
        torch.empty_like(like), torch.empty_like(like.t()), torch.empty_strided((2, 2), (1, 3), dtype=kind),
        torch.empty_permuted((2, 3), (1, 0), dtype=kind), like.new_empty(5), like.new_empty_strided((2,), (2,)),
        torch.empty(2, dtype=kind, out=torch.zeros(2, dtype=kind)),
    ]  # fmt: skip
    assert all(is_filled(torch, each) for each in made)
    assert torch.empty(2, dtype=kind, device="meta").is_meta
    assert torch.empty(0, dtype=kind).shape == (0,)
    torch.utils.deterministic.fill_uninitialized_memory = False
    large = torch.empty(1000, dtype=kind)
    large.zero_()
    assert not is_filled(torch, large)


def test_the_constructors_of_old(torch):
    for made in (torch.Tensor(3), torch.FloatTensor(2, 2), torch.LongTensor(3), torch.zeros(1).new(4)):
        assert is_filled(torch, made)


@pytest.mark.parametrize("name", [name for name in DTYPES if name != "float8_e5m2"])
def test_elements_that_resize_adds_are_filled(torch, name):
    kind = getattr(torch, name)
    for start in (0, 1):
        x = torch.tensor([1, 0, 1]).to(kind)[start:]
        before = x.tolist()
        x.resize_(7)
        assert x[: len(before)].tolist() == before
        assert is_filled(torch, x[len(before) :])
    x = torch.tensor([1, 0, 1]).to(kind)
    assert x.resize_(2).resize_(3).tolist() == torch.tensor([1, 0, 1]).to(kind).tolist()
    x.resize_as_(torch.zeros(2, 3))
    assert is_filled(torch, x.reshape(-1)[3:])


def refused(torch):
    x, at, one = torch.zeros(3), torch.tensor([0]), torch.ones(1)
    nn, position = torch.nn, torch.zeros(1, 1, 1, dtype=torch.long)
    return {
        "put_": (lambda: x.put_(at, one), lambda: torch.put(x, at, one)),
        "max_unpooling2d_forward_out": (
            lambda: nn.MaxUnpool1d(2)(torch.ones(1, 1, 1), position),
            lambda: nn.MaxUnpool2d(2)(torch.ones(1, 1, 1, 1), position[None]),
        ),
        "max_unpooling3d_forward_out": (
            lambda: nn.functional.max_unpool3d(torch.ones(1, 1, 1, 1, 1), position[None, None], 2),
        ),
    }  # fmt: skip


def test_operators_that_pytorch_cannot_do_deterministically_are_refused(torch):
    for name, calls in refused(torch).items():
        words = f"{name} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms"
        for call in calls:
            with pytest.raises(RuntimeError, match=f"^{words}"):
                call()
            torch.use_deterministic_algorithms(True, warn_only=True)
            with pytest.warns(UserWarning, match=f"^{words}") as caught:
                call()
            assert torch.__name__ == "torch" or caught[0].filename == __file__
            torch.use_deterministic_algorithms(False)
            call()
            torch.use_deterministic_algorithms(True)


def test_what_is_deterministic_goes_on(torch):
    x = torch.zeros(3)
    x.put_(torch.tensor([0, 0]), torch.ones(2), accumulate=True)
    x.index_put_((torch.tensor([1]),), torch.ones(1))
    x.scatter_add_(0, torch.tensor([2]), torch.ones(1))
    assert x.tolist() == [2, 1, 1]
    assert not torch.nn.Linear(2, 2).weight.isnan().any()


def test_the_switch_takes_nothing_but_bools(torch):
    assert torch.utils.deterministic.fill_uninitialized_memory is True
    with pytest.raises(RuntimeError):
        torch.utils.deterministic.fill_uninitialized_memory = "yes"


def test_the_switch_has_a_second_name_in_the_compiled_module(torch):
    torch._C._set_deterministic_fill_uninitialized_memory(False)
    assert torch.utils.deterministic.fill_uninitialized_memory is False
    torch.utils.deterministic.fill_uninitialized_memory = True
    assert torch._C._get_deterministic_fill_uninitialized_memory() is True
    with pytest.raises(RuntimeError, match="expected a bool, but got int"):
        torch._C._set_deterministic_fill_uninitialized_memory(1)
