"""Modules that are called with other tensors, also under transforms: whatever changes in them is seen."""

import pytest

import rushlight as torch
from rushlight.func import functional_call, grad, grad_and_value, stack_module_state, vmap


def x():
    return torch.arange(6.0).reshape(2, 3).clone()


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3)
        self.register_buffer("scale", torch.ones(3))
        self.factor, self.calls = 2, 0

    def forward(self, x):
        return self.inner(x) * self.scale * self.factor


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count = self.count + 1
        return x * self.count


def filled(module, value=0.5):
    with torch.no_grad():
        for each in module.parameters():
            each.fill_(value)
    return module


def others(module, value):
    return {name: torch.full_like(tensor, value) for name, tensor in module.state_dict().items()}


def a_call_and_a_loss(compile):
    net = filled(torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1)))

    def f(tensors, x):
        return torch.nn.functional.mse_loss(functional_call(net, tensors, (x,)), x[:, :1])

    f = compile(f)
    seen = [f(others(net, value), x()) for value in (1.0, 2.0, 3.0)]
    seen.append(f({"0.weight": torch.zeros(3, 3)}, x()))
    filled(net, 0.25)
    seen.append(f({"0.weight": torch.zeros(3, 3)}, x()))
    net[1] = torch.nn.Tanh()
    seen.append(f(others(net, 1.0), x()))
    net[2].bias = None
    return [*seen, f({"0.weight": torch.ones(3, 3)}, x()), f({"0.weight": torch.ones(3, 3)}, x() + 1)]


def a_step_by_grad(compile):
    net = filled(Scaled())
    own = {name: each.detach().clone() for name, each in net.named_parameters()}

    def loss(tensors, x):
        return (functional_call(net, tensors, (x,)) ** 2).mean()

    def step(tensors, x):
        gradients, value = grad_and_value(loss)(tensors, x)
        return {name: tensors[name] - 0.1 * gradients[name] for name in tensors}, value

    step = compile(step)
    seen = []
    for number in range(6):
        own, value = step(own, x())
        seen.append((own, value))
        if number == 2:
            net.factor = 3
        if number == 3:
            net.scale = torch.zeros(3)
    return seen, net.state_dict()


def gradients_by_example(compile):
    net = filled(torch.nn.Linear(3, 1))

    def loss(tensors, x, y):
        return ((functional_call(net, (tensors,), (x,)) - y) ** 2).sum()

    f = compile(lambda tensors, x, y: vmap(grad(loss), (None, 0, 0))(tensors, x, y))
    seen = [f(dict(net.named_parameters()), x() + change, torch.ones(2, 1)) for change in range(3)]
    filled(net, 2.0)
    return [*seen, f(dict(net.named_parameters()), x(), torch.ones(2, 1))]


def an_ensemble(compile):
    nets = [filled(torch.nn.Linear(3, 2), value) for value in (1.0, 2.0)]
    tensors, buffers = stack_module_state(nets)
    f = compile(lambda tensors, x: vmap(lambda each: functional_call(nets[0], (each, buffers), (x,)))(tensors))
    return [f(tensors, x()), f(tensors, x() + 1), f({name: each * 2 for name, each in tensors.items()}, x())]


def tied_weights(compile):
    net = filled(torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)))
    f = compile(lambda tensors, x: functional_call(net, tensors, (x,)) + 1)
    tensors = {"0.weight": torch.eye(3) * 2}
    seen = [f(tensors, x()), f(tensors, x() + 1)]
    net[1].weight = net[0].weight
    seen += [f(tensors, x()), f(tensors, x() + 1)]
    net[1].weight = torch.nn.Parameter(torch.zeros(3, 3))
    return [*seen, f(tensors, x())]


def statistics(compile):
    net = filled(torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3)))
    f = compile(lambda tensors, x: functional_call(net, tensors, (x,)) * 2)
    seen = []
    for training in (True, True, False, False, True):
        net.train(training)
        tensors = {name: each.clone() for name, each in net.state_dict().items()}
        seen += [f(tensors, x()), f(tensors, x()), tensors]
    return seen, net.state_dict()


def a_buffer_that_is_replaced(compile):
    net = Counting()
    f = compile(lambda tensors, x: functional_call(net, tensors, (x,)) * 2 + tensors["count"])
    tensors = {"count": torch.ones(1)}
    return [f(tensors, x()), f(tensors, x()), f(tensors, x()), tensors, net.count]


def hooks(compile):
    net = filled(torch.nn.Linear(3, 3))
    f = compile(lambda tensors, x: functional_call(net, tensors, (x,)) + 1)
    tensors = others(net, 1.0)
    seen = [f(tensors, x()), f(tensors, x())]
    handle = net.register_forward_hook(lambda module, inputs, output: output * 3)
    seen += [f(tensors, x()), f(tensors, x())]
    handle.remove()
    return [*seen, f(tensors, x())]


def arguments_by_name(compile):
    net = filled(torch.nn.Linear(3, 3))

    def f(tensors, x):
        called = functional_call(module=net, parameter_and_buffer_dicts=tensors, args=(x,))
        return called * functional_call(net, tensors, args=None, kwargs={"input": x})

    f = compile(f)
    seen = [f(others(net, value), x()) for value in (1.0, 2.0)]
    net.bias = net.weight  # tied, and of another shape
    return [*seen, f({"weight": torch.eye(3)}, x())]


def names_that_are_not_there(compile):
    net = filled(torch.nn.Linear(3, 3))
    f = compile(lambda tensors, x: functional_call(net, tensors, (x,), strict=True))
    seen = []
    for tensors in (others(net, 1.0), others(net, 2.0), {"weight": torch.ones(3, 3)}, {"none": torch.ones(1)}):
        try:
            seen.append(f(tensors, x()))
        except (RuntimeError, KeyError, AttributeError) as error:
            seen.append(str(error))
    return seen


def test_functional_calls(agree, story):
    agree(story)


@pytest.mark.parametrize("story", [a_call_and_a_loss, a_step_by_grad, gradients_by_example, an_ensemble])
def test_functional_calls_are_replayed(agree, story):
    agree(story, replays=1)
