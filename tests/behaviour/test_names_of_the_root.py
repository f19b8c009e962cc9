"""Names of the root that programs read or call beside their work: symbolic numbers, streams, old names."""

import warnings

import pytest

import rushlight as torch


def test_functions_of_symbolic_numbers_take_plain_ones(torch):
    assert (torch.sym_int(-3.7), torch.sym_float(3), torch.sym_sqrt(4)) == (-3, 3.0, 2.0)
    assert [type(each) for each in (torch.sym_max(3, 2.0), torch.sym_max(3, 2), torch.sym_min(3, 2.0))] == [
        float,
        int,
        float,
    ]
    assert (torch.sym_not(True), torch.sym_ite(True, 1, 2), torch.sym_sum([1, 2.5])) == (False, 1, 3.5)
    with pytest.raises(AssertionError, match="expected SymBool or bool, got <class 'int'>"):
        torch.sym_ite(1, 1, 2)


@pytest.mark.parametrize("name", ["SymInt", "SymFloat", "SymBool"])
def test_no_number_is_symbolic(name):
    kind = getattr(torch, name)
    assert not any(isinstance(each, kind) for each in (3, 3.0, True, torch.ones(2).shape[0]))
    with pytest.raises(NotImplementedError, match=f"torch.{name} cannot be made"):
        kind(3)


@pytest.mark.parametrize("name", ["eig", "lstsq", "matrix_rank", "solve", "symeig"])
def test_what_pytorch_removed_says_what_to_write(torch, name):
    with pytest.raises(RuntimeError, match="deprecated since version 1.9 and is now removed") as caught:
        getattr(torch, name)(torch.eye(2), torch.eye(2))
    if torch.__name__ == "torch":
        return
    cure = caught.value.__notes__[0].removeprefix("Cure: ").partition("   ")[0]
    names = {"torch": torch, "A": torch.eye(2) * 2, "B": torch.ones(2, 1)}
    exec(cure, names)


@pytest.mark.parametrize(("kind", "device"), [("cpu", "cpu"), ("gpu", "cuda"), ("ipu", "ipu"), ("xla", "xla")])
def test_names_of_autocast_for_one_kind_of_device_warn_and_answer(torch, kind, device):
    with pytest.warns(DeprecationWarning, match=rf"Please use torch.get_autocast_dtype\('{device}'\) instead"):
        before = getattr(torch, f"get_autocast_{kind}_dtype")()
    assert before == torch.get_autocast_dtype(device)
    with pytest.warns(DeprecationWarning, match="is deprecated"):
        getattr(torch, f"set_autocast_{kind}_dtype")(torch.float32)
    try:
        assert torch.get_autocast_dtype(device) == torch.float32
    finally:
        torch.set_autocast_dtype(device, before)


def test_autocast_is_switched_by_its_old_name(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.set_autocast_cpu_enabled(True)
        try:
            assert torch.is_autocast_cpu_enabled() is torch.is_autocast_enabled("cpu") is True
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
        finally:
            torch.set_autocast_cpu_enabled(False)


def test_a_branch_is_chosen_by_a_number_in_a_tensor():
    x = torch.tensor([1.0, 4.0], requires_grad=True)
    result = torch.cond(x.sum() > 0, torch.sqrt, torch.neg, (x,))
    result.sum().backward()
    assert result.tolist() == [1.0, 2.0]
    assert x.grad.tolist() == [0.5, 0.25]
    assert torch.cond(False, lambda tree: tree["a"], lambda tree: tree["b"][0], ({"a": x, "b": [-x]},))[0] == -1
    ran = []
    torch.cond(torch.tensor(False), lambda: ran.append("true"), lambda: ran.append("false"))
    assert ran == ["false"]


@pytest.mark.parametrize(
    ("pred", "branch", "operands", "message"),
    [
        (torch.tensor([True, False]), abs, (), "Expected pred to be bool or single-element tensor"),
        ("yes", abs, (), "Expected pred to be bool or tensor, but got yes."),
        (True, 3, (), "Expect both branches to be callable."),
        (True, abs, (torch.ones(1), "a"), "only consists of tensor leaves"),
        (True, abs, torch.ones(1), "only consists of tensor leaves"),
    ],
)
def test_a_branch_is_refused(pred, branch, operands, message):
    with pytest.raises(RuntimeError, match=message):
        torch.cond(pred, branch, abs, operands)


def test_a_loop_carries_tensors_and_gradients():
    x = torch.tensor([1.5], requires_grad=True)
    count, result = torch.while_loop(lambda n, y: n < 3, lambda n, y: (n + 1, y * y), (torch.tensor(0), x))
    result.backward()
    assert (count, result) == (3, 1.5**8)
    assert x.grad.item() == pytest.approx(8 * 1.5**7)


@pytest.mark.parametrize(
    ("cond", "body", "carried", "message"),
    [
        (1, abs, (torch.tensor(0),), "callable"),
        (lambda n: n < 3, lambda n: (n + 1.5,), (torch.tensor(0),), "same metadata"),
        (lambda n: n < 3, lambda n: (n + 1, n), (torch.tensor(0),), "same metadata"),
        (lambda n: n < 3, lambda n: (n[None] + 1,), (torch.tensor(0),), "same metadata"),
        (lambda n: 1, lambda n: (n + 1,), (torch.tensor(0),), "cond_fn must return"),
        (lambda n: n < 3, lambda n: (n + 1,), 3, "tuple or a list"),
    ],
)
def test_a_loop_is_refused(cond, body, carried, message):
    with pytest.raises(RuntimeError, match=message):
        torch.while_loop(cond, body, carried)


def test_the_stream_of_the_cpu_has_done_everything(torch):
    stream, event = torch.Stream(device="cpu"), torch.Event("cpu")
    with stream:
        stream.wait_event(event)
        stream.synchronize()
    assert (stream.query(), event.query(), stream == torch.Stream()) == (True, True, True)
    assert repr(stream) == "torch.Stream device_type=cpu, device_index=-1, stream_id=0"
    with pytest.raises(RuntimeError, match="cpu backend doesn't support events."):
        event.record()
    with pytest.raises(RuntimeError, match="not linked with support for cuda devices"):
        torch.Stream(device="cuda")


def test_the_module_of_a_device():
    assert torch.get_device_module() is torch.get_device_module("cpu") is torch.cpu
    assert torch.get_device_module(torch.device("cuda")) is torch.cuda
    with pytest.raises(RuntimeError, match="does not have a corresponding module registered as 'torch.xla'"):
        torch.get_device_module("xla")
