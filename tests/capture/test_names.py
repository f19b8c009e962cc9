"""Names of `torch.compiler` and `torch._dynamo` as programs use them: as in PyTorch."""

import copy
import functools
import inspect
import logging
import operator
import os
import pickle

import pytest

import rushlight
from rushlight._dynamo import testing

torch = rushlight
dynamo = torch._dynamo


@pytest.fixture(autouse=True)
def fresh():
    torch.compiler.reset()
    yield
    torch.compiler.reset()
    torch.compiler.set_stance("default")


def scaled(x, n=2):
    "Doc."
    return x * n


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.linear(x).sum()


def test_a_compiled_function_has_the_attributes_of_the_function():
    compiled = torch.compile(scaled)
    assert compiled.__wrapped__ is scaled
    assert compiled._torchdynamo_orig_callable is scaled
    assert inspect.signature(compiled) == inspect.signature(scaled)
    assert (compiled.__name__, compiled.__doc__, compiled.__module__) == ("scaled", "Doc.", __name__)
    assert torch.compile(compiled)._torchdynamo_orig_callable is scaled


def test_methods_partials_callables_and_classes_are_compiled():
    net = Net()
    x = torch.ones(3, 2)
    assert torch.allclose(torch.compile(net.forward)(x), net(x))
    assert torch.compile(functools.partial(scaled, n=3))(x).sum().item() == 18
    whole = type("Whole", (Net,), {})
    assert torch.compile(whole) is whole
    assert whole()(x).shape == ()

    class Twice:
        def __call__(self, x):
            return x * 2

    assert torch.compile(Twice())(x).sum().item() == 12
    with pytest.raises(TypeError, match="cannot set '__call__' attribute of immutable type 'dict'"):
        torch.compile(dict)
    with pytest.raises(RuntimeError, match="Model can't be None"):
        torch.compile()(None)


def test_a_module_is_wrapped_once_and_copied():
    net = Net()
    compiled = torch.compile(net)
    assert torch.compile(compiled)._orig_mod is net
    x = torch.ones(3, 2)
    for made in (copy.deepcopy(compiled), pickle.loads(pickle.dumps(compiled))):
        assert list(made.state_dict()) == ["_orig_mod.linear.weight", "_orig_mod.linear.bias"]
        assert torch.allclose(made(x), compiled(x))
        assert made._orig_mod is not net
    assert {"linear", "_orig_mod"} <= set(dir(compiled))
    with pytest.raises(TypeError, match="Net does not support len"):
        len(compiled)


def test_a_module_compiled_in_place_keeps_its_state_and_pickles_as_it_was():
    net = Net()
    assert net._compiled_call_impl is None
    net.compile()
    x = torch.ones(3, 2)
    for _ in range(3):
        result = net(x)
    assert torch.compiler.report()["replays"] == 2
    assert torch.allclose(result, Net.forward(net, x))
    assert list(net.state_dict()) == ["linear.weight", "linear.bias"]
    for made in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert made._compiled_call_impl is None
        assert torch.allclose(made(x), result)
    net._compiled_call_impl = None
    net(x)
    assert torch.compiler.report()["replays"] == 2


def test_a_recurrent_layer_compiled_in_place_pickles():
    layer = torch.nn.LSTM(2, 3)
    layer.compile()
    x = torch.ones(4, 1, 2)
    assert torch.equal(pickle.loads(pickle.dumps(layer))(x)[0], layer(x)[0])


@pytest.mark.parametrize(
    "given, kind, message",
    [
        ({"options": {"zzz": 1}}, RuntimeError, "Unexpected optimization option zzz, known options are"),
        (
            {"options": {"max_autotune": 1}},
            RuntimeError,
            "Unexpected type of attr max_autotune, got int should be bool",
        ),
        ({"dynamic": "x"}, AssertionError, "Expected enable to be a bool, got <class 'str'>"),
        ({"backend": "nope"}, dynamo.exc.InvalidBackend, "Invalid backend: 'nope', see `torch._dynamo.list_backends"),
    ],
)
def test_wrong_arguments(given, kind, message):
    with pytest.raises(kind, match=message):
        torch.compile(scaled, **given)


@pytest.mark.parametrize("name", ["TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE"])
def test_the_environment_switches_it_off(monkeypatch, name):
    monkeypatch.setenv(name, "1")
    assert torch.compile(scaled) is scaled


def test_stances():
    x = torch.ones(2)
    compiled = torch.compile(scaled)
    with torch.compiler.set_stance("fail_on_recompile"):
        with pytest.raises(RuntimeError, match="Detected recompile when torch.compile stance is 'fail_on_recompile'"):
            compiled(x)
    compiled(x)
    with torch.compiler.set_stance("force_eager"):
        compiled(x)
    with torch.compiler.set_stance("eager_on_recompile"):
        compiled(x, 3)

    @torch.compiler.set_stance("force_eager")
    def as_written(x):
        return compiled(x)

    as_written(x)
    report = torch.compiler.report()
    assert (report["recorded"], report["replays"]) == (1, 0)
    compiled(x)
    assert torch.compiler.report()["replays"] == 1
    with pytest.raises(RuntimeError, match="non-default stance cannot have force_backend set"):
        torch.compiler.set_stance("force_eager", force_backend="eager")


def test_a_forced_backend_takes_the_place_of_others():
    counter = testing.CompileCounter()
    with torch.compiler.set_stance("default", force_backend=counter):
        torch.compile(scaled)(torch.ones(2))
    assert (counter.frame_count, counter.op_count) == (1, 1)


def test_settings_that_have_a_meaning():
    x = torch.ones(2)
    assert (dynamo.config.recompile_limit, dynamo.config.cache_size_limit) == (8, 8)
    with dynamo.config.patch(recompile_limit=2):
        assert dynamo.config.cache_size_limit == torch.compiler.config.recompile_limit == 2
        compiled = torch.compile(scaled)
        for number in range(5):
            compiled(x, number)
        assert torch.compiler.report()["graphs"] == 2
        with dynamo.config.patch("fail_on_recompile_limit_hit", True):
            with pytest.raises(dynamo.exc.FailOnRecompileLimitHit):
                compiled(x, 9)
    assert dynamo.config.recompile_limit == 8
    with dynamo.config.patch(error_on_recompile=True), pytest.raises(dynamo.exc.RecompileError, match="n == "):
        compiled(x, 10)
    torch.compiler.reset()
    with dynamo.config.patch({"disable": True}):
        compiled(x)
    assert torch.compiler.report()["recorded"] == 0


def test_settings_are_those_of_pytorch():
    config = torch._inductor.config
    assert (config.max_autotune, config.triton.cudagraphs) == (False, False)

    @config.patch({"triton.cudagraphs": True})
    def inside():
        return config.triton.cudagraphs

    assert inside() and not config.triton.cudagraphs
    config.coordinate_descent_tuning = True
    del config.coordinate_descent_tuning
    assert config.coordinate_descent_tuning is False
    for module in (config, dynamo.config, torch.compiler.config):
        with pytest.raises(AttributeError, match="config.zzz does not exist"):
            module.zzz  # noqa: B018
        with pytest.raises(AttributeError, match="config.zzz does not exist"):
            module.zzz = 1
    assert torch._functorch.config.donated_buffer in (True, False)


def test_backends_of_programs():
    @dynamo.register_backend(name="doubling")
    def doubling(graph, inputs, **options):
        seen.append(([node.op for node in graph.graph.nodes], options))
        return graph.forward

    seen: list = []
    try:
        assert "doubling" in torch.compiler.list_backends()
        x = torch.ones(2)
        made = torch.compile(lambda x: (1 - x * 2).sum(), backend="doubling", mode="reduce-overhead")
        assert made(x).item() == made(x).item() == -2
        operations = ["placeholder", "call_function", "call_function", "call_method", "output"]
        assert seen == [(operations, {"mode": "reduce-overhead"})]
    finally:
        del rushlight.compiler.REGISTERED["doubling"]


def test_graphs_have_operators_methods_and_values():
    graphs = testing.EagerAndRecordGraphs()
    x = torch.ones(2, 2)
    torch.compile(lambda x: (1 - x @ x).relu().sum(0), backend=graphs)(x)
    (graph,) = graphs.graphs
    assert "1 - matmul" in graph.code and ".relu()" in graph.code and "sum_1 = relu.sum(0)" in graph.code
    assert [tuple(node.meta["val"].shape) for node in graph.graph.nodes if node.op != "output"][-1] == (2,)
    assert torch.equal(torch.fx.Interpreter(graph).run(x)[0], (1 - x @ x).relu().sum(0))


def refusing(graph, inputs):
    raise ValueError("no")


@pytest.mark.parametrize("backend", [refusing, lambda graph, inputs: 3])
def test_errors_of_backends(backend):
    x = torch.ones(2)
    with pytest.raises(dynamo.exc.BackendCompilerFailed, match="raised:") as caught:
        torch.compile(scaled, backend=backend)(x)
    assert isinstance(caught.value.inner_exception, (ValueError, TypeError))
    with dynamo.config.patch(suppress_errors=True):
        assert torch.compile(scaled, backend=backend)(x).tolist() == [2, 2]


def test_default_backend():
    torch.compiler.set_default_backend("eager")
    try:
        assert torch.compiler.get_default_backend() == "eager"
    finally:
        torch.compiler.set_default_backend(None)
    assert torch.compiler.get_default_backend() == "inductor"
    with pytest.raises(dynamo.exc.InvalidBackend):
        torch.compiler.set_default_backend("zzz")


def test_a_graph_break_is_refused_only_in_a_full_graph():
    def broken(x):
        y = x + 1
        torch._dynamo.graph_break("here")
        return y * 2

    x = torch.ones(2)
    assert torch.compile(broken)(x).tolist() == [4, 4]
    with pytest.raises(dynamo.exc.Unsupported, match="torch._dynamo.graph_break"):
        torch.compile(broken, fullgraph=True)(x)
    torch._dynamo.graph_break()


def test_counters_and_what_was_counted():
    dynamo.utils.counters.clear()
    compiled = torch.compile(lambda x: (x * 2).sum())
    for _ in range(3):
        compiled(torch.ones(2))
    counters = dynamo.utils.counters
    assert (counters["frames"]["ok"], counters["stats"]["calls_captured"]) == (1, 2)
    counters.clear()


def test_substitutes_have_the_same_parameters():
    with pytest.raises(TypeError, match="Signature mismatch between"):
        torch.compiler.substitute_in_graph(scaled)(lambda x: x)
    with pytest.raises(TypeError, match="substitute_in_graph expects a function but got <class 'int'>"):
        torch.compiler.substitute_in_graph(3)
    assert torch.compiler.substitute_in_graph(scaled)(lambda x, n=2: x + x)(torch.ones(1)).item() == 2
    assert torch.compiler.substitute_in_graph(scaled)(lambda *args, **kwargs: args[0])(torch.ones(1)).item() == 2
    assert torch.compiler.substitute_in_graph(operator.indexOf)(lambda a, b: 1)([4, 5], 5) == 1


@pytest.fixture
def messages():
    """What the loggers of compiled functions say."""
    seen: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: seen.append(record.getMessage())
    yield seen, handler
    torch._logging.set_logs()


@pytest.mark.parametrize(
    "kind, wanted",
    [
        ("recompiles", "failed guard: n == 1, and was 2"),
        ("guards", "x is float32 (2,)"),
        ("graph_code", "TRACED GRAPH of scaled"),
        ("output_code", "def replay("),
        ("graph_breaks", "random.random()"),
    ],
)
def test_logs(messages, monkeypatch, kind, wanted):
    for name in ("TORCH_LOGS", "RUSHLIGHT_LOGS"):
        monkeypatch.delenv(name, raising=False)
    seen, handler = messages
    torch._logging.set_logs(**{kind: True})
    logger = torch._logging.artifact(kind)
    logger.addHandler(handler)
    try:
        compiled = torch.compile(scaled)
        for number in (1, 2):
            compiled(torch.ones(2), number)
        torch.compile(noisy)(torch.ones(2))
        assert wanted in "\n".join(seen)
        seen.clear()
        torch._logging.set_logs()
        torch.compile(scaled)(torch.ones(2), 3)
        assert not seen
    finally:
        logger.removeHandler(handler)


def noisy(x):
    import random

    return x * random.random()


def test_settings_of_logs():
    assert torch._logging.parsed("+dynamo,recompiles,-guards,code") == {
        "dynamo": 10, "recompiles": True, "guards": False, "output_code": True,
    }  # fmt: skip
    with pytest.raises(ValueError, match="Invalid log settings"):
        torch._logging.parsed("nonsense")
    for given, kind, message in (
        ({"zzz": True}, TypeError, r"set_logs\(\) got an unexpected keyword argument 'zzz'"),
        ({"dynamo": True}, ValueError, "Unrecognized log level for log dynamo: True, valid level values are: 50,40,30"),
        ({"recompiles": 3}, ValueError, "Expected bool to enable artifact recompiles, received 3"),
        ({"modules": {"nope": 1}}, ValueError, "Unrecognized log or artifact name passed to set_logs: nope"),
    ):
        with pytest.raises(kind, match=message):
            torch._logging.set_logs(**given)


def test_an_explanation_says_what_was_compiled_and_why_again():
    compiled = torch.compile(scaled)
    for number in (1, 2):
        compiled(torch.ones(2), number)
    explanation = torch.compiler.explain(compiled)(torch.ones(3), 2)
    assert (explanation.graph_count, explanation.graph_break_count, explanation.op_count) == (3, 0, 3)
    assert [(each.place, each.wanted, each.actual) for each in explanation.recompiles] == [
        ("n", "== 1", "2"),
        ("x", "is float32 (2,)", "float32 (3,)"),
    ]
    assert "x is float32 (3,)" in str(explanation)
    assert explanation.result.tolist() == [2, 2, 2]


def test_an_explanation_of_a_break_has_its_line():
    explanation = dynamo.explain(noisy)(torch.ones(2))
    (each,) = explanation.breaks
    assert each.source == "return x * random.random()"
    assert each.filename == __file__
    assert each.source in str(explanation)
    assert "break" in torch.draw(explanation).svg()


def test_a_picture_of_programs():
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    explanation = torch.compiler.explain(net)(torch.ones(4, 2))
    assert len(explanation.graphs) == 1
    picture = torch.draw(explanation)
    titles = [box.title for box in picture.sheet.boxes]
    assert titles == ["linear", "input", "self.0.weight", "self.0.bias", "relu"]
    frames = [group.title for group in picture.sheet.whole.walk()][1:]
    assert frames[0] == "program 0"
    assert frames[1].startswith("2 operations in")
    assert "program 0" in picture.svg()


def test_fullgraph_is_an_error_at_each_call_that_cannot_be_replayed():
    compiled = torch.compile(lambda x: (os.getpid(), x + 1)[1], fullgraph=True)
    for _ in range(20):
        with pytest.raises(dynamo.exc.Unsupported):
            compiled(torch.ones(2))


def test_the_error_of_fullgraph_has_the_line_and_what_to_write():
    def caught(x):
        try:
            if x.shape[0] == 2:
                x = x @ torch.ones(3)
        except RuntimeError:
            x = x + 1
        return x

    with pytest.raises(dynamo.exc.Unsupported, match="^an exception: RuntimeError\n") as info:
        torch.compile(caught, fullgraph=True)(torch.ones(2))
    (note,) = info.value.__notes__
    line = caught.__code__.co_firstlineno + 3
    assert f"{__file__}:{line}: an exception: RuntimeError" in note
    assert "x = x @ torch.ones(3)" in note
    assert "Test for the case before" in note


def test_a_forbidden_function_is_an_error_at_each_call():
    @dynamo.forbid_in_graph
    def twice(x):
        return x * 2

    compiled = torch.compile(lambda x: twice(x) + 1)
    for _ in range(20):
        with pytest.raises(AssertionError, match="Attempt to trace forbidden callable <function "):
            compiled(torch.ones(2))
    assert twice(torch.ones(1)).tolist() == [2.0]


def test_what_was_allowed_is_watched_again_after_disallow():
    @torch.compiler.allow_in_graph
    def impure(x):
        os.getpid()
        return x * 2

    def breaks():
        torch.compiler.reset()
        compiled = torch.compile(lambda x: impure(x))
        assert compiled(torch.ones(1)).tolist() == [2.0]
        return torch.compiler.report()["graph_breaks"]

    assert breaks() == 0
    assert dynamo.disallow_in_graph(impure) is impure
    assert breaks() == 1


def second_calls_are_replayed(compiled, marked=False):
    """Calls a function with 20 sizes, twice; returns whether the second calls were all replayed."""
    tensors = [torch.ones(size) for size in range(2, 22)]
    for each in tensors:
        if marked:
            torch._dynamo.mark_dynamic(each, 0)
        assert compiled(each).shape == each.shape
    before = torch.compiler.report()["replays"]
    assert all([compiled(each).eq(3).all() for each in tensors])
    return torch.compiler.report()["replays"] - before == len(tensors)


def tripled(x):
    return x * 2 + x.shape[0] / x.shape[0]


@pytest.mark.parametrize(
    ("settings", "marked", "all_replayed"),
    [({"dynamic": True}, False, True), ({}, True, True), ({}, False, False), ({"dynamic": False}, False, False),
     ({"dynamic": True, "recompile_limit": 2}, False, False)],
)  # fmt: skip
def test_sizes_that_vary_have_more_programs(settings, marked, all_replayed):
    torch.compiler.reset()
    compiled = torch.compile(lambda x: tripled(x), options={"trial": False}, **settings)
    assert second_calls_are_replayed(compiled, marked) is all_replayed


def test_a_module_compiled_in_place_keeps_its_limit():
    torch.compiler.reset()
    model = torch.nn.Hardtanh(-9, 9)
    model.compile(dynamic=True, options={"trial": False})
    tensors = [torch.ones(size) for size in range(2, 22)]
    for each in tensors * 2:
        model(each)
    assert torch.compiler.report()["replays"] == len(tensors)
