"""Whole training steps as one trace: thirty steps as programs against as many as written, number for number.

Machine code may round the last bit differently in the two. So numbers have to be close here, and equal without it: the
last test runs the others again so.
"""

import os
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight.core.traced import RecordedArray, Untraceable
from rushlight.graph.training import record_whole
from rushlight.graph.whole_call import Stale
from rushlight.graph.whole_step import WholeStep, compile_whole
from rushlight.nn import functional

EXACT = os.environ.get("RUSHLIGHT_JIT") == "0"

OPTIMIZERS = {
    "sgd": lambda params: torch.optim.SGD(params, lr=0.1),
    "sgd momentum": lambda params: torch.optim.SGD(params, lr=0.1, momentum=0.9, dampening=0.1, maximize=True),
    "sgd nesterov": lambda params: torch.optim.SGD(params, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
    "adam": lambda params: torch.optim.Adam(params, lr=0.01, weight_decay=0.1),
    "adamw": lambda params: torch.optim.AdamW(params, lr=0.01, amsgrad=True, maximize=True),
    "adam high betas": lambda params: torch.optim.Adam(params, lr=0.01, betas=(0.3, 0.4)),
    "rmsprop": lambda params: torch.optim.RMSprop(params, momentum=0.9, centered=True),
    "adagrad": lambda params: torch.optim.Adagrad(params, lr_decay=0.1, weight_decay=0.1),
    "adadelta": lambda params: torch.optim.Adadelta(params),
    "nadam": lambda params: torch.optim.NAdam(params, decoupled_weight_decay=True, weight_decay=0.1),
    "radam": lambda params: torch.optim.RAdam(params, lr=0.01),
    "adamax": lambda params: torch.optim.Adamax(params),
    "asgd": lambda params: torch.optim.ASGD(params, t0=5),
    "rprop": lambda params: torch.optim.Rprop(params),
}


def network(sizes=(5, 8, 3), dtype=torch.float32):
    torch.manual_seed(3)
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:], strict=False):
        layers += [torch.nn.Linear(inputs, outputs, dtype=dtype), torch.nn.Tanh()]
    return torch.nn.Sequential(*layers[:-1])


def batches(count, dtype=torch.float32):
    torch.manual_seed(7)
    return [(torch.randn(4, 5, dtype=dtype), torch.randint(0, 3, (4,))) for _ in range(count)]


class Program:
    """A training program: `step(x, y)` returns a list of tensors; `between` is called after each step."""

    def __init__(self, step, tensors, optimizers, between=lambda: None):
        self.step, self.tensors, self.optimizers, self.between = step, list(tensors), optimizers, between

    def state(self):
        found = [each for tensor in self.tensors for each in (tensor.detach(), tensor.grad)]
        for optimizer in self.optimizers:
            found += [value for state in optimizer.state.values() for value in state.values()]
        return found


def plain(make_optimizer, network=network, dtype=torch.float32):
    def program():
        net = network(dtype=dtype)
        optimizer = make_optimizer(net.parameters())

        def step(x, y):
            optimizer.zero_grad()
            loss = functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            return [loss]

        return Program(step, net.parameters(), [optimizer])

    return program


def facts(tensors):
    return [
        None if tensor is None else (tensor.detach().tolist(), tensor._version, tensor.stride(), tensor.dtype)
        for tensor in tensors
    ]


def agree(made, wanted):
    """Asserts that tensors are alike: elements, versions, layouts."""
    assert [each and each[1:] for each in facts(made)] == [each and each[1:] for each in facts(wanted)]
    if EXACT:
        assert facts(made) == facts(wanted)
    else:
        torch.testing.assert_close(made, wanted, rtol=1e-3, atol=1e-4)


def recorded_step(program, batch, formulas=True, **options):
    """Records a step of a program; its operators run one by one."""
    whole = record_whole(program.step, batch, program.tensors, program.optimizers, formulas)
    return WholeStep(whole, {"kernels": False, **options})


def compare(make, count=30, recordings=1, dtype=torch.float32, formulas=True):
    """Runs a program as written and its twin as recorded steps: all numbers are equal."""
    written, compiled = make(), make()
    whole = None
    recorded = 0
    for number, batch in enumerate(batches(count, dtype)):
        expected = written.step(*batch)
        if number == 0:
            results = compiled.step(*batch)
        else:
            try:
                if whole is None:
                    raise Stale
                results = whole(*batch)
            except Stale:
                before = facts(compiled.state())
                whole = recorded_step(compiled, batch, formulas)
                assert facts(compiled.state()) == before
                recorded += 1
                results = whole(*batch)
        assert [result.requires_grad for result in results] == [result.requires_grad for result in expected]
        agree([*results, *compiled.state()], [*expected, *written.state()])
        written.between()
        compiled.between()
    assert recorded == recordings


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name):
    compare(plain(OPTIMIZERS[name]), recordings={"radam": 2, "asgd": 3}.get(name, 1))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_that_make_the_step_themselves(name):
    compare(plain(OPTIMIZERS[name]), formulas=False)


def test_machine_code_of_a_small_step():
    written, compiled = plain(OPTIMIZERS["adam"])(), plain(OPTIMIZERS["adam"])()
    first, *others = batches(30)
    written.step(*first), compiled.step(*first)
    whole = compile_whole(compiled.step, first, compiled.tensors, compiled.optimizers)
    for batch in others:
        torch.testing.assert_close(whole(*batch), written.step(*batch))
    torch.testing.assert_close(compiled.state(), written.state(), rtol=1e-4, atol=1e-5)


def test_updates_in_the_middle_of_a_step():
    def program():
        net = network()
        average = [parameter.detach().clone() for parameter in net.parameters()]
        optimizer = torch.optim.Adam(net.parameters(), lr=0.01)

        def step(x, y):
            optimizer.zero_grad()
            loss = functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for mean, parameter in zip(average, net.parameters(), strict=True):
                    mean.lerp_(parameter, 0.1)
                after = functional.cross_entropy(net(x), y)
            return [loss, after]

        return Program(step, [*net.parameters(), *average], [optimizer])

    compare(program)
    compare(program, formulas=False)


def test_updates_read_gradients_that_are_gone_afterwards():
    def program():
        net = network()
        optimizer = torch.optim.Adam(net.parameters(), lr=0.01)

        def step(x, y):
            loss = functional.cross_entropy(net(x), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
            optimizer.step()
            optimizer.zero_grad()
            return [loss]

        return Program(step, net.parameters(), [optimizer])

    compare(program)
    compare(program, formulas=False)


def test_options_that_change_are_read_by_a_step_of_the_optimizer():
    def program():
        made = plain(OPTIMIZERS["adam"])()
        scheduler = torch.optim.lr_scheduler.OneCycleLR(made.optimizers[0], max_lr=0.1, total_steps=40)
        made.between = scheduler.step
        return made

    compare(program, formulas=False)


def test_float64():
    compare(plain(OPTIMIZERS["adam"], dtype=torch.float64), dtype=torch.float64)


def test_a_rate_that_a_scheduler_changes_is_an_input():
    def program():
        made = plain(OPTIMIZERS["adam"])()
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(made.optimizers[0], 20)
        made.between = scheduler.step
        return made

    compare(program)


@pytest.mark.parametrize("name", ["adam", "sgd nesterov"])  # betas, and momentum
def test_options_that_a_scheduler_changes_become_inputs(name):
    def program():
        made = plain(OPTIMIZERS[name])()
        scheduler = torch.optim.lr_scheduler.OneCycleLR(made.optimizers[0], max_lr=0.1, total_steps=40)
        made.between = scheduler.step
        return made

    compare(program, recordings=2)


def test_groups_with_options_of_their_own():
    def program():
        net = network()
        first, *others = net.parameters()
        optimizer = torch.optim.AdamW([{"params": [first], "lr": 0.5, "weight_decay": 0.0}, {"params": others}])

        def step(x, y):
            optimizer.zero_grad()
            loss = functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            return [loss.detach()]

        return Program(step, net.parameters(), [optimizer])

    compare(program)


@pytest.mark.parametrize("set_to_none", [True, False])
def test_gradients_are_clipped(set_to_none):
    def program():
        net = network()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)

        def step(x, y):
            optimizer.zero_grad(set_to_none=set_to_none)
            loss = functional.cross_entropy(net(x), y)
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
            torch.nn.utils.clip_grad_value_(net.parameters(), 0.05)
            optimizer.step()
            return [loss, norm]

        return Program(step, net.parameters(), [optimizer])

    compare(program)


def test_gradients_of_several_passes_add_up():
    def program():
        net = network()
        optimizer = torch.optim.Adam(net.parameters(), lr=0.01)

        def step(x, y):
            optimizer.zero_grad()
            total = 0
            for half, classes in ((x[:2], y[:2]), (x[2:], y[2:])):
                loss = functional.cross_entropy(net(half), classes) / 2
                loss.backward()
                total = total + loss.detach()
            optimizer.step()
            return [total]

        return Program(step, net.parameters(), [optimizer])

    compare(program)


def test_gradients_that_are_never_cleared_stay_the_same_objects():
    def program():
        net = network()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

        def step(x, y):
            loss = functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            return [loss]

        return Program(step, net.parameters(), [optimizer])

    made = program()
    x, y = batches(1)[0]
    made.step(x, y)
    whole = recorded_step(made, (x, y))
    gradients = [tensor.grad for tensor in made.tensors]
    whole(x, y)
    assert all([tensor.grad is gradient for tensor, gradient in zip(made.tensors, gradients, strict=True)])
    compare(program)


def two_networks():
    generator, discriminator = network((5, 8, 5)), network((5, 8, 1))
    optimizers = [
        torch.optim.Adam(generator.parameters(), lr=0.01),
        torch.optim.RMSprop(discriminator.parameters(), lr=0.01),
    ]

    def step(x, y):
        made = generator(x)
        optimizers[1].zero_grad()
        real = functional.softplus(-discriminator(x)).mean()
        fake = functional.softplus(discriminator(made.detach())).mean()
        (real + fake).backward()
        optimizers[1].step()
        optimizers[0].zero_grad()
        fooled = functional.softplus(-discriminator(made)).mean()
        fooled.backward()
        optimizers[0].step()
        return [real, fake, fooled]

    return Program(step, [*generator.parameters(), *discriminator.parameters()], optimizers)


def test_two_networks_that_play_against_each_other():
    compare(two_networks)


@pytest.mark.filterwarnings("error:.*made no kernels")
def test_an_optimizer_that_makes_its_own_step_stands_between_kernels():
    written, compiled = two_networks(), two_networks()
    batch = batches(1)[0]
    for program in (written, compiled):
        program.step(*batch)
    whole = recorded_step(compiled, batch, formulas=False, kernels=True)
    for _ in range(5):
        agree([*whole(*batch), *compiled.state()], [*written.step(*batch), *written.state()])


def test_batch_norm_updates_its_buffers():
    def program():
        net = torch.nn.Sequential(network((5, 8)), torch.nn.BatchNorm1d(8), network((8, 3)))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

        def step(x, y):
            optimizer.zero_grad()
            loss = functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            return [loss]

        return Program(step, [*net.parameters(), *net.buffers()], [optimizer])

    written, compiled = program(), program()
    (first, second) = batches(2)
    written.step(*first), written.step(*second), compiled.step(*first)
    recorded_step(compiled, second)(*second)
    # The gradient is computed by the formulas of its parts, as written by a kernel.
    torch.testing.assert_close(compiled.state(), written.state())
    versions = [[each._version for each in program.state() if each is not None] for program in (compiled, written)]
    assert versions[0] == versions[1]


@pytest.mark.parametrize("formulas", [True, False])
def test_dropout_draws_the_same_numbers(formulas):
    def program():
        net = torch.nn.Sequential(network((5, 8)), torch.nn.Dropout(0.4), network((8, 3)))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)

        def step(x, y):
            optimizer.zero_grad()
            loss = functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            return [loss]

        return Program(step, net.parameters(), [optimizer])

    written, compiled = program(), program()
    first, *others = batches(10)
    for each in (written, compiled):
        torch.manual_seed(1)
        each.step(*first)
    state = torch.get_rng_state()
    whole = recorded_step(compiled, first, formulas)
    assert torch.equal(torch.get_rng_state(), state)
    for number, batch in enumerate(others):
        torch.manual_seed(number)
        expected, following = written.step(*batch), torch.rand(3)
        torch.manual_seed(number)
        agree(whole(*batch), expected)
        assert torch.rand(3).tolist() == following.tolist()
    agree(compiled.state(), written.state())


def test_second_derivatives():
    def program():
        net = network((1, 8, 8, 1))
        x = torch.linspace(0, 1, 6)[:, None].requires_grad_()
        optimizer = torch.optim.Adam(net.parameters(), lr=0.01)

        def step(*batch):
            optimizer.zero_grad()
            u = net(x)
            (first,) = torch.autograd.grad(u.sum(), x, create_graph=True)
            (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
            loss = ((second + x.detach().sin()) ** 2).mean()
            loss.backward()
            optimizer.step()
            return [loss]

        return Program(step, [*net.parameters(), x], [optimizer])

    compare(program)


def test_parameters_without_a_gradient_and_frozen_ones():
    def program():
        net, unused = network(), network((2, 2))
        next(net.parameters()).requires_grad_(False)
        params = [*net.parameters(), *unused.parameters(), torch.ones((), requires_grad=True)]
        optimizer = torch.optim.Adam(params, lr=0.01, weight_decay=0.1)

        def step(x, y):
            optimizer.zero_grad()
            loss = functional.cross_entropy(net(x) * params[-1], y)
            loss.backward()
            optimizer.step()
            return [loss]

        return Program(step, params, [optimizer])

    compare(program)


def test_one_weight_in_two_layers():
    def program():
        net = network((5, 5, 5, 3))
        net[2].weight = net[0].weight
        optimizer = torch.optim.Adagrad(net.parameters(), lr=0.01)

        def step(x, y):
            optimizer.zero_grad()
            loss = functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            return [loss]

        return Program(step, net.parameters(), [optimizer])

    compare(program)


def test_gradients_do_not_share_memory():
    a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)

    def step():
        a.grad = b.grad = None
        (a + b).sum().backward()
        return []

    step()
    whole = WholeStep(record_whole(step, [], [a, b]))
    whole()
    a.grad.mul_(5)
    assert b.grad.tolist() == [1, 1, 1]
    whole()
    assert a.grad.tolist() == [1, 1, 1]


def test_a_result_is_the_gradient_itself():
    weight = torch.ones(3, requires_grad=True)

    def step():
        weight.grad = None
        (weight * 2).sum().backward()
        return [weight.grad, weight]

    step()
    gradient, same = WholeStep(record_whole(step, [], [weight]))()
    assert gradient is weight.grad
    assert same is weight


def test_a_second_pass_raises_as_written():
    made = plain(OPTIMIZERS["sgd"])()
    x, y = batches(1)[0]
    made.step(x, y)
    (loss,) = recorded_step(made, (x, y))(x, y)
    assert loss.grad_fn.name() == "NllLossBackward0"
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        loss.backward()


def ready(name="adam"):
    """Returns a program, its recorded step and a batch."""
    made = plain(OPTIMIZERS[name])()
    x, y = batches(1)[0]
    made.step(x, y)
    return made, recorded_step(made, (x, y)), (x, y)


def hook_a_leaf(made):
    made.tensors[0].register_hook(lambda gradient: gradient)


def hook_the_step(made):
    made.optimizers[0].register_step_pre_hook(lambda *arguments: None)


def load_state(made):
    made.optimizers[0].load_state_dict(made.optimizers[0].state_dict())


def add_a_group(made):
    made.optimizers[0].add_param_group({"params": [torch.ones(1, requires_grad=True)]})


def change_an_option(made):
    made.optimizers[0].param_groups[0]["weight_decay"] = 0.5


def change_a_counter(made):
    made.optimizers[0].state[made.tensors[0]]["step"] += 1


def replace_a_state(made):
    state = made.optimizers[0].state[made.tensors[0]]
    state["exp_avg"] = state["exp_avg"].clone()


def freeze(made):
    made.tensors[0].requires_grad_(False)


def clear_a_gradient(made):
    made.tensors[0].grad = None


def change_the_dtype(made):
    made.tensors[0].data = made.tensors[0].data.double()


CHANGES = [
    hook_a_leaf, hook_the_step, load_state, add_a_group, change_an_option, change_a_counter, replace_a_state, freeze,
    clear_a_gradient, change_the_dtype,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_changed_program_is_noticed_before_anything_is_written(change):
    made, whole, batch = ready()
    change(made)
    before = facts(made.state())
    with pytest.raises(Stale):
        whole(*batch)
    assert facts(made.state()) == before


def test_replaced_memory_is_used():
    made, whole, batch = ready()
    twin, _, _ = ready()
    for program in (made, twin):
        for tensor in program.tensors:
            tensor.data = tensor.data * 2
    whole(*batch)
    twin.step(*batch)
    agree(made.state(), twin.state())


def refused(function, tensors=(), optimizers=(), inputs=()):
    before = [(tensor._array, tensor._version, tensor.grad, tensor.tolist()) for tensor in tensors]
    with pytest.raises(Untraceable):
        record_whole(function, inputs, tensors, optimizers)
    after = [(tensor._array, tensor._version, tensor.grad, tensor.tolist()) for tensor in tensors]
    assert all([now[0] is was[0] and now[1:] == was[1:] for now, was in zip(after, before, strict=True)])


def weight_and_optimizer(kind=torch.optim.SGD, **options):
    weight = torch.ones(2, requires_grad=True)
    return weight, kind([weight], lr=0.1, **options)


def training(weight, optimizer):
    def step():
        (weight * weight).sum().backward()
        optimizer.step()
        return []

    return step


def test_what_makes_the_state_is_not_recorded():
    weight, optimizer = weight_and_optimizer(torch.optim.Adam)
    refused(training(weight, optimizer), [weight], [optimizer])
    assert not optimizer.state
    weight, optimizer = weight_and_optimizer(momentum=0.9)
    refused(training(weight, optimizer), [weight], [optimizer])


def test_steps_without_a_formula_are_not_recorded():
    weight, optimizer = weight_and_optimizer(torch.optim.LBFGS)
    refused(training(weight, optimizer), [weight], [optimizer])
    weight, optimizer = weight_and_optimizer()
    refused(training(weight, optimizer), [weight])


def test_hooks_elements_and_graphs_are_not_recorded():
    weight, optimizer = weight_and_optimizer()
    refused(lambda: [(weight * weight).sum()], [weight])
    refused(lambda: [weight[0]], [weight])
    refused(lambda: [weight.detach()], [weight])
    refused(lambda: [weight.sum().item()], [weight])
    refused(lambda: [weight * 2], [], [], [])
    weight.register_hook(lambda gradient: gradient * 2)
    refused(training(weight, optimizer), [weight], [optimizer])


def test_an_error_of_the_function_leaves_everything_as_it_was():
    weight, optimizer = weight_and_optimizer()
    training(weight, optimizer)()
    array, gradient, leaf = weight._array, weight.grad, weight._edge

    def step():
        training(weight, optimizer)()
        raise KeyError("mine")

    with pytest.raises(KeyError):
        record_whole(step, [], [weight], [optimizer])
    assert (weight._array, weight._edge, weight.grad) == (array, leaf, gradient)
    assert leaf.array is array
    assert type(gradient._array) is not RecordedArray


def test_an_optimizers_options_are_put_back():
    weight, optimizer = weight_and_optimizer()

    def step():
        training(weight, optimizer)()
        optimizer.param_groups[0]["lr"] = 7
        return []

    refused(step, [weight], [optimizer])
    assert optimizer.param_groups[0]["lr"] == 0.1


def test_views_and_overlaps_of_tensors():
    base = torch.ones(4)
    weight = base[1:3].requires_grad_()
    optimizer = torch.optim.SGD([weight], lr=0.25)
    step = training(weight, optimizer)
    step()
    WholeStep(record_whole(step, [], [weight], [optimizer]))()
    assert base.tolist() == [1, -0.25, -0.25, 1]
    refused(step, [weight, base], [optimizer])


def test_an_input_that_is_written_to():
    weight, optimizer = weight_and_optimizer()
    totals = [torch.zeros(()), torch.zeros(())]

    def step(total):
        optimizer.zero_grad()
        loss = (weight * weight).sum()
        loss.backward()
        optimizer.step()
        total += loss.detach()
        return [loss]

    step(totals[0])
    with torch.no_grad():
        weight.fill_(1)
    whole = WholeStep(record_whole(step, [totals[1]], [weight], [optimizer]))
    assert facts(totals)[1][:2] == (0, 0)
    whole(totals[1])
    agree(totals[:1], totals[1:])
    with pytest.raises(Stale):
        whole(weight.detach()[0])
    with torch.no_grad(), pytest.raises(Stale):
        whole(totals[1])


def test_the_trace_of_a_step_has_no_copies():
    made, whole, _ = ready("sgd momentum")
    names = [step.op.name for step in whole.whole.trace.steps if step.op is not None]
    assert not {"clone", "copy_values"} & set(names)
    assert len([step for step in whole.whole.trace.steps if step.op is None]) == 2 * len(made.tensors)


@pytest.mark.skipif(EXACT, reason="runs the tests of this file")
def test_all_numbers_are_equal_without_machine_code():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", __file__]
    ran = subprocess.run(command, env={**os.environ, "RUSHLIGHT_JIT": "0"}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:]
