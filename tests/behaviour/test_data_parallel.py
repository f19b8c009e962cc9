"""`nn.DataParallel` where there are not several GPUs: the model, under the name `module`."""

import importlib


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
