"""`nn.parallel` where there are not several GPUs: `DataParallel` is the model, under the name `module`."""

import importlib
from collections import namedtuple

import pytest

Pair = namedtuple("Pair", "first second")


def test_the_names_and_numbers_are_those_of_the_model(torch):
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
    wrapped = torch.nn.DataParallel(model, dim=0)
    x = torch.randn(4, 3)
    assert torch.equal(wrapped(x), model(x))
    assert list(wrapped.state_dict()) == ["module.0.weight", "module.0.bias"]
    assert wrapped.module is model
    assert repr(wrapped).startswith("DataParallel(\n  (module): Sequential(")
    assert wrapped.eval().module.training is False


def test_a_checkpoint_of_a_wrapped_model(torch):
    model, wrapped = torch.nn.Linear(2, 1), torch.nn.DataParallel(torch.nn.Linear(2, 1))
    wrapped.load_state_dict({f"module.{name}": value for name, value in model.state_dict().items()})
    assert torch.equal(wrapped.module.weight, model.weight)
    wrapped(torch.ones(1, 2)).sum().backward()
    assert wrapped.module.weight.grad.tolist() == [[1.0, 1.0]]
    assert importlib.import_module(f"{torch.__name__}.nn.parallel").DataParallel is torch.nn.DataParallel


def test_on_the_simulated_gpu():
    torch = importlib.import_module("rushlight")
    with torch.cuda.simulate():
        wrapped = torch.nn.DataParallel(torch.nn.Linear(2, 1))
        assert wrapped.device_ids == [0]
        assert wrapped(torch.ones(1, 2)).device.type == "cuda"


@pytest.fixture
def parallel(torch):
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    return importlib.import_module(f"{torch.__name__}.nn.parallel")


@pytest.mark.parametrize(
    "inputs", [[1, "a"], (1, "a"), {"k": 1, "l": [2]}, Pair(1, "a"), [], (), {}, 5, None, [(1, {"a": None})]]
)
@pytest.mark.parametrize("devices", [[0], [0, 1], ["cpu"], []])
def test_what_is_no_tensor_is_there_for_each_device(torch, parallel, inputs, devices):
    result = parallel.scatter(inputs, devices)
    if isinstance(inputs, list | tuple | dict) and inputs and not devices:
        assert result == []
    else:
        assert result == [inputs] * len(devices) and all(type(each) is type(inputs) for each in result)


def test_arguments_by_position_and_by_name_are_as_many(torch, parallel):
    scatter_kwargs = parallel.scatter_gather.scatter_kwargs
    assert scatter_kwargs((1,), {"a": 2}, [0, 1]) == (((1,), (1,)), ({"a": 2}, {"a": 2}))
    assert scatter_kwargs((1, 2), {}, [0, 1]) == (((1, 2), (1, 2)), ({}, {}))
    assert scatter_kwargs((), {"a": 2}, [0, 1]) == (((), ()), ({"a": 2}, {"a": 2}))


@pytest.mark.parametrize(
    ("call", "error", "first_line"),
    [
        ("P.scatter(x, ['cpu', 'cpu'])", ValueError, "^Expected a non cpu device, but got: cpu$"),
        ("P.gather([x, x], 'cpu')", AssertionError, "^Gather function not implemented for CPU tensors$"),
        ("P.gather([{'a': x}, {}], -1)", ValueError, "^All dicts must have the same number of keys$"),
        ("P.gather([1, 2], -1)", TypeError, "^'int' object is not iterable$"),
        ("P.replicate(m, [0])", AssertionError, "^Broadcast function not implemented for CPU tensors$"),
        ("P.replicate(m, ['cpu'])", ValueError, "^Expected a non cpu device, but got: cpu$"),
        ("P.parallel_apply([m], [x])", RuntimeError, "^Cannot access accelerator device when none is available"),
        ("P.parallel_apply([m, m], [x])", AssertionError, "^The number of modules 2 is not equal to the number of in"),
        ("P.parallel_apply([m], [x], [])", AssertionError, "^The number of modules 1 is not equal to the number of k"),
        ("P.data_parallel(m, x)", RuntimeError, "^device type could not be determined$"),
        ("P.DistributedDataParallel(m)", ValueError, "^Default process group has not been initialized, please make s"),
    ],
)
def test_what_needs_several_devices_says_so(torch, parallel, call, error, first_line):
    with pytest.raises(error, match=first_line):
        eval(call, {"P": parallel, "x": torch.ones(4, 2), "m": torch.nn.Linear(2, 2)})


def test_outputs_without_tensors_are_gathered(torch, parallel):
    assert parallel.gather([None, None], -1) is None
    assert parallel.gather([[None], [None]], -1) == [None]
    assert parallel.gather([{"a": None}, {"a": None}], -1) == {"a": None}
    assert parallel.gather([Pair(None, None)] * 2, -1) == Pair(None, None)


def test_a_package_asks_whether_a_model_is_wrapped(torch, parallel):
    model = torch.nn.Linear(2, 1)
    kinds = (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)
    assert not isinstance(model, kinds) and isinstance(torch.nn.DataParallel(model), kinds)
    assert parallel.distributed.DistributedDataParallel is parallel.DistributedDataParallel


def test_replicas_on_the_simulated_gpu_compute_what_the_model_does():
    torch = importlib.import_module("rushlight")
    parallel = torch.nn.parallel
    with torch.cuda.simulate():
        model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)).cuda()
        x = torch.randn(5, 3)
        replicas = parallel.replicate(model, [0, 0])
        parts = parallel.scatter({"input": x}, ["cuda:0", "cuda:0"])
        assert [part["input"].shape[0] for part in parts] == [3, 2]
        outputs = parallel.parallel_apply(replicas, [()] * 2, parts)
        joined = parallel.gather(outputs, "cpu")
        joined.square().sum().backward()
        results = [parameter.grad.cpu() for parameter in model.parameters()]
        model.zero_grad()
        expected = model(x.cuda())
        expected.square().sum().backward()
        assert torch.allclose(joined, expected.cpu())
        assert all(torch.allclose(a, b.grad.cpu()) for a, b in zip(results, model.parameters(), strict=True))
        assert torch.allclose(parallel.data_parallel(model, x).cpu(), joined)
        assert list(replicas[0].parameters()) == []
        with pytest.warns(UserWarning, match="^Was asked to gather along dimension 0"):
            assert parallel.gather([torch.ones((), device="cuda")] * 2, -1).tolist() == [1, 1]
