"""Transformed functions that are called often: they run as if each call ran as it is written, only faster."""

import sys
import threading
import warnings

import pytest

import rushlight as torch
from rushlight.capture.often import PROGRAMS, OftenCalled
from rushlight.core.policy import LONG_CALL, OFTEN
from rushlight.func import grad, grad_and_value, hessian, jacfwd, jacrev, vmap
from rushlight.utils._pytree import tree_leaves

X = torch.linspace(-1, 1, 6).reshape(3, 2)
TRANSFORMS = {
    "grad": lambda f: grad(lambda *args: f(*args).sum()),
    "grad_and_value": lambda f: grad_and_value(lambda *args: f(*args).sum()),
    "hessian": lambda f: hessian(lambda *args: f(*args).sum()),
    "jacfwd": jacfwd,
    "jacrev": jacrev,
    "vmap": vmap,
}


def squared(x):
    return (x * x).sum()


def often(function, *args, times=OFTEN + 20):
    """Calls a function until its calls are replayed, if they ever are."""
    for _ in range(times):
        result = function(*args)
    return result


def runs(function, *args, name="squared"):
    """Returns how often the code of that name runs in a call of a function."""
    entered = []
    sys.setprofile(lambda frame, event, _: entered.append(frame.f_code.co_name) if event == "call" else None)
    try:
        function(*args)
    finally:
        sys.setprofile(None)
    return entered.count(name)


def outcome(function, args):
    """Returns what a call gives or raises."""
    try:
        return [
            (each, each.stride(), each.requires_grad) if isinstance(each, torch.Tensor) else each
            for each in tree_leaves(function(*args))
        ]
    except (RuntimeError, ValueError, TypeError, IndexError, AttributeError) as error:
        return type(error), str(error)


def alike(one, other):
    """Whether two outcomes are equal, but for last digits."""
    if type(one) is not list or type(other) is not list:
        return one == other
    return len(one) == len(other) and all(map(alike_result, one, other))


def close(one, other):
    return torch.allclose(one, other, rtol=1e-5, atol=1e-6, equal_nan=True)


def alike_result(one, other):
    if type(one) is not tuple:
        return one == other
    return one[1:] == other[1:] and one[0].dtype is other[0].dtype and close(one[0], other[0])


@pytest.mark.parametrize("transform", [grad, grad_and_value, hessian, jacfwd, jacrev])
def test_its_python_runs_no_more(transform):
    function = transform(squared)
    expected = outcome(function, (X,))
    assert runs(function, X) == 1
    often(function, X)
    assert runs(function, X) == 0
    assert alike(outcome(function, (X,)), expected)
    assert alike(outcome(function, (X * 3,)), outcome(transform(squared), (X * 3,)))


def test_a_batch_and_gradients_of_a_dictionary():
    net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    parameters = {name: each.detach() for name, each in net.named_parameters()}

    def loss(parameters, row):
        return squared(torch.func.functional_call(net, parameters, (row,)))

    gradients = vmap(grad(loss), in_dims=(None, 0))
    expected = gradients(parameters, X)
    result = often(gradients, parameters, X)
    assert runs(gradients, parameters, X) == 0
    assert list(result) == list(expected)
    assert all(close(result[name], expected[name]) for name in expected)
    result["0.weight"].zero_()  # is the caller's alone
    assert close(gradients(parameters, X)["0.weight"], expected["0.weight"])
    parameters["0.bias"] = parameters["0.bias"] + 1
    assert close(gradients(parameters, X)["2.bias"], vmap(grad(loss), (None, 0))(parameters, X)["2.bias"])


def test_calls_inside_other_transforms_are_part_of_them():
    inner = grad(squared)
    outer = vmap(lambda row: inner(row) * 2)
    assert torch.equal(often(outer, X), 4 * X)
    assert runs(outer, X) == 0
    assert runs(inner, X) == 1


# ---- what the program changes between calls


class Holder:
    """Something that a function reads."""


def story(make):
    """Each transform of a function, called often, gives what a new one gives after each change of what it reads."""
    for name, transform in TRANSFORMS.items():
        function, changes = make()
        called_often = transform(function)
        often(called_often, X)
        for number, change in enumerate([lambda: None, *changes]):
            other = change()
            args = other if type(other) is tuple else (X,)
            expected = outcome(transform(function), args)
            for _ in range(3):
                assert alike(outcome(called_often, args), expected), f"{name}, after change {number}"


def test_tensors_that_it_reads_change():
    def make():
        w = torch.ones(2)
        view = w[:1]
        return lambda x: torch.sin(x * w), [
            lambda: w.mul_(2),
            lambda: view.fill_(3),
            lambda: w.requires_grad_(),
            lambda: w.requires_grad_(False),
            lambda: setattr(w, "data", torch.tensor([5.0, 6.0])),
        ]

    story(make)


def test_numbers_and_containers_that_it_reads_change():
    def make():
        held = Holder()
        held.power, held.numbers, held.table, held.functions = 2, [1.0, 2.0], {"a": 1.0}, [torch.sin]

        def function(x):
            return held.functions[0](x**held.power) * sum(held.numbers) * held.table["a"]

        return function, [
            lambda: setattr(held, "power", 3),
            lambda: held.numbers.append(4.0),
            lambda: held.table.update(a=7.0),
            lambda: held.functions.insert(0, torch.cos),
            lambda: setattr(held, "power", torch.tensor(2.0)),
        ]

    story(make)


def test_a_module_changes():
    def make():
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Dropout(0.5), torch.nn.Tanh(), torch.nn.Linear(3, 2))
        net.eval().requires_grad_(False)
        return net, [
            lambda: net[0].weight.mul_(2),
            lambda: setattr(net[0], "weight", torch.nn.Parameter(torch.ones(3, 2))),
            lambda: setattr(net, "2", torch.nn.ReLU()),
            lambda: net[0].register_forward_hook(lambda module, args, result: result * 2),
            lambda: net.requires_grad_(),
        ]

    story(make)


def test_arguments_change():
    def make():
        def function(x, power=2):
            return x**power

        return function, [
            lambda: (X.double(),),
            lambda: (X[:2],),
            lambda: (X.t(),),
            lambda: (X[0:0],),
            lambda: (X.clone().requires_grad_(),),
            lambda: (X.numpy(),),
            lambda: (X, torch.full((2,), 3)),
            lambda: setattr(function, "__defaults__", (3,)),
        ]

    story(make)


def test_the_library_and_its_settings_change(monkeypatch):
    def make():
        monkeypatch.undo()
        return lambda x: torch.sin(x) * torch.ones(2), [
            lambda: torch.set_default_dtype(torch.float64),
            lambda: torch.set_default_dtype(torch.float32),
            lambda: monkeypatch.setattr(torch, "sin", torch.cos),
        ]

    story(make)


def test_a_branch_on_what_changes():
    def make():
        w, state = torch.ones(2), {"steps": 0}

        def function(x):
            return x**3 if w.sum() > 3 or state["steps"] > 2 else x**2

        return function, [lambda: state.update(steps=3), lambda: state.update(steps=0), lambda: w.mul_(2)]

    story(make)


def test_the_default_device_changes():
    function = vmap(lambda row: row * torch.ones(2))
    often(function, X)
    with torch.device("meta"):
        with pytest.raises(RuntimeError, match="meta"):
            function(X)
    assert torch.equal(function(X), X)


# ---- what a function does besides computing


def test_effects_happen_at_each_call(capsys):
    seen, total = [], torch.zeros(2)

    def noting(x):
        seen.append(x.shape)
        print(".", end="")
        total.add_(1)
        return squared(x)

    often(grad(noting), X, times=OFTEN + 50)
    assert len(seen) == OFTEN + 50
    assert capsys.readouterr().out == "." * (OFTEN + 50)
    assert total.tolist() == [OFTEN + 50] * 2


def test_warnings_are_given_at_each_call():
    def warning(x):
        warnings.warn("as written", stacklevel=1)
        return squared(x)

    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        often(grad(warning), X)
    assert len(raised) == OFTEN + 20


def test_draws_go_on():
    def noisy(row):
        return row + torch.randn(2)

    function = vmap(noisy, randomness="different")
    often(function, X)
    torch.manual_seed(3)
    drawn = [function(X) for _ in range(3)]
    torch.manual_seed(3)
    fresh = vmap(noisy, randomness="different")
    assert all(torch.equal(fresh(X), each) for each in drawn)
    assert not torch.equal(drawn[0], drawn[1])


def test_an_error_comes_when_it_is_due():
    held = Holder()
    held.fails = False

    def failing(x):
        if held.fails:
            raise ValueError("now")
        return squared(x)

    function = grad(failing)
    often(function, X)
    held.fails = True
    with pytest.raises(ValueError, match="now"):
        function(X)


def test_results_that_are_inputs_stay_the_same_objects():
    function = vmap(lambda row: row)
    result = often(function, X)
    assert result.data_ptr() == X.data_ptr()
    pair = grad(lambda a, b: (a + b).sum(), argnums=(0, 1))
    first, second = often(pair, X, X.clone())
    first.zero_()
    assert second.tolist() == [[1, 1]] * 3


# ---- who looks on


def test_a_debugger_sees_each_call():
    function = grad(squared)
    often(function, X)
    seen = []

    def trace(frame, event, _):
        seen.append(frame.f_code.co_name)

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(X)
    finally:
        sys.settrace(before)
    assert "squared" in seen


def test_modes_watches_and_hooks_see_each_call():
    function = grad(squared)
    often(function, X)
    calls = []

    class Seeing(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            calls.append(function)
            return function(*args, **(kwargs or {}))

    with Seeing():
        function(X)
    assert calls
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda each: packed.append(each) or each, lambda each: each):
        function(X)
    assert packed
    with torch.watch(), torch.profiler.profile() as profile:
        assert runs(function, X) == 1
    assert any(event.name == "aten::sum" for event in profile.events())
    assert runs(function, X) == 0


def test_reports_of_compiling_do_not_have_it():
    torch.compiler.reset()
    before = torch.compiler.report()
    function = grad(squared)
    often(function, X)
    assert torch.compiler.report() == before
    with torch.compiler.set_stance("fail_on_recompile"):
        assert function(X[:2]).shape == (2, 2)
    with torch.compiler.set_stance("force_eager"):
        assert runs(function, X) == 1
    assert runs(function, X) == 0


def test_it_is_watched_in_a_program_of_one_thread_only():
    function, waiting, go = grad(squared), threading.Event(), threading.Event()

    def work():
        waiting.set()
        go.wait()

    other = threading.Thread(target=work)
    other.start()
    waiting.wait()
    often(function, X)
    assert runs(function, X) == 1
    go.set()
    other.join()
    often(function, X)
    assert runs(function, X) == 0


def test_long_calls_run_as_written(monkeypatch):
    clock = iter(range(0, 1 << 62, LONG_CALL + 1))
    monkeypatch.setattr("rushlight.func.repeated.perf_counter_ns", lambda: next(clock))
    function = grad(squared)
    often(function, X)
    assert runs(function, X) == 1


def test_many_shapes_make_few_programs():
    function = OftenCalled(lambda x: grad(squared)(x))
    for size in (*range(1, 12), *range(1, 12)):
        x = torch.linspace(0, 1, size)
        for _ in range(OFTEN):
            assert torch.equal(function.front.call((x,), {}), 2 * x)
    assert [len(programs) for programs in function.programs.values()] == [PROGRAMS]
