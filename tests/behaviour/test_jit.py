"""`torch.jit`: a model is traced with an example, printed, saved without its Python, and loaded elsewhere."""

import copy
import io
import pickle
import typing
import warnings

import pytest

pytestmark = [
    pytest.mark.filterwarnings("ignore:`torch.jit.:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:(Converting a tensor|Using len|Iterating over)"),  # PyTorch's sizes are tensors
]


class Saved:
    """A module or function after a file."""

    def __new__(cls, torch, module, **options):
        file = io.BytesIO()
        torch.jit.save(module, file, **options)
        file.seek(0)
        return torch.jit.load(file)


def convolutional(torch):
    nn = torch.nn

    class Digits(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2))
            self.head = nn.Linear(4, 3)
            self.register_buffer("scale", torch.tensor(2.0))

        def forward(self, x):
            x = self.body(x)
            x = x.mean((2, 3)).view(x.size(0), -1)
            return self.head(x) * self.scale

    return Digits().eval(), torch.randn(2, 1, 8, 8), torch.randn(5, 1, 8, 8)


def recurrent(torch):
    class Words(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.words = torch.nn.Embedding(9, 4)
            self.lstm = torch.nn.LSTM(4, 5, batch_first=True)

        def forward(self, x):
            y, (h, c) = self.lstm(self.words(x))
            return y[:, -1], (h, c)

    return Words(), torch.randint(0, 9, (2, 6)), torch.randint(0, 9, (2, 6))


def language(torch):
    nn, F = torch.nn, torch.nn.functional

    class Letters(nn.Module):
        def __init__(self):
            super().__init__()
            self.letters, self.positions = nn.Embedding(9, 8), nn.Embedding(16, 8)
            self.norm, self.qkv, self.out = nn.LayerNorm(8), nn.Linear(8, 24), nn.Linear(8, 9)

        def forward(self, x):
            batch, time = x.shape
            h = self.letters(x) + self.positions(torch.arange(time))
            q, k, v = self.qkv(self.norm(h)).view(batch, time, 3, 2, 4).permute(2, 0, 3, 1, 4)
            h = h + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, time, 8)
            return self.out(h)

    return Letters(), torch.randint(0, 9, (2, 5)), torch.randint(0, 9, (3, 7))


MODELS = {"convolutional": convolutional, "recurrent": recurrent, "language": language}


def flat(value):
    return [part for each in value for part in flat(each)] if isinstance(value, tuple) else [value]


def close(torch, one, other):
    return all(torch.allclose(a, b, atol=1e-6) for a, b in zip(flat(one), flat(other), strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_a_traced_model_runs_and_is_saved(torch, name):
    model, example, other = MODELS[name](torch)
    traced = torch.jit.trace(model, example)
    loaded = Saved(torch, traced)
    for x in (example, other):
        assert close(torch, traced(x), model(x))
        assert close(torch, loaded(x), model(x))
    assert isinstance(traced, torch.jit.ScriptModule) and isinstance(loaded, torch.jit.ScriptModule)
    assert list(loaded.state_dict()) == list(traced.state_dict()) == list(model.state_dict())
    assert traced.original_name == loaded.original_name == type(model).__name__
    assert "def forward" in loaded.code and "graph(" in str(traced.graph)
    assert repr(traced).startswith(f"{type(model).__name__}(\n  original_name={type(model).__name__}\n")


def test_a_loaded_model_is_trained(torch):
    model, example, _ = convolutional(torch)
    loaded = Saved(torch, torch.jit.trace(model, example))
    optimizer = torch.optim.SGD(loaded.parameters(), lr=0.1)
    before = loaded(example).square().mean()
    before.backward()
    optimizer.step()
    assert loaded(example).square().mean() < before
    assert not torch.equal(loaded.head.weight, model.head.weight)
    loaded.load_state_dict(model.state_dict())
    assert close(torch, loaded(example), model(example))


def test_parameters_are_shared_with_the_original(torch):
    model = torch.nn.Linear(2, 2)
    traced = torch.jit.trace(model, torch.ones(1, 2))
    with torch.no_grad():
        model.weight.zero_()
        model.bias.fill_(3.0)
    assert traced(torch.ones(1, 2)).tolist() == [[3.0, 3.0]]


def test_a_function_is_traced(torch, tmp_path):
    traced = torch.jit.trace(lambda x, y: torch.cat([x, y]).sum() * torch.ones(2), (torch.ones(2), torch.ones(3)))
    assert isinstance(traced, torch.jit.ScriptFunction)
    assert traced(torch.ones(4), torch.ones(1)).tolist() == [5.0, 5.0]
    assert traced(x=torch.ones(1), y=torch.ones(1)).tolist() == [2.0, 2.0]
    torch.jit.save(traced, str(tmp_path / "sum.pt"))
    assert torch.jit.load(tmp_path / "sum.pt")(torch.ones(4), torch.ones(1)).tolist() == [5.0, 5.0]
    traced.save(str(tmp_path / "again.pt"))
    assert torch.jit.load(str(tmp_path / "again.pt"))(torch.ones(1), torch.ones(1)).tolist() == [2.0, 2.0]


def test_nested_arguments_and_results(torch):
    def program(pair, named):
        return (pair[0] + named["a"], (pair[1] * 2,))

    example = ((torch.ones(1), torch.ones(2)), {"a": torch.ones(1)})
    traced = torch.jit.trace(program, example)
    first, (second,) = traced((torch.zeros(1), torch.ones(3)), {"a": torch.ones(1) * 5})
    assert first.tolist() == [5.0] and second.tolist() == [2.0] * 3
    by_name = torch.jit.trace(lambda x, y: x - y, example_kwarg_inputs={"x": torch.ones(1), "y": torch.ones(1)})
    assert by_name(x=torch.ones(1) * 3, y=torch.ones(1)).tolist() == [2.0]
    with pytest.raises(RuntimeError, match="Encountering a dict at the output of the tracer might cause the trace to"):
        torch.jit.trace(lambda x: {"y": x + 1}, torch.ones(1))
    named = torch.jit.trace(lambda x: {"y": x + 1}, torch.ones(1), strict=False)
    assert named(torch.ones(1))["y"].tolist() == [2.0]


def test_writes_are_recorded(torch):
    def program(x):
        y = x.clone()
        y[0] = 7
        y += 1
        y.mul_(2)
        return torch.relu(y)

    traced = torch.jit.trace(program, torch.zeros(2))
    for _ in range(2):
        assert traced(torch.ones(3)).tolist() == [16.0, 4.0, 4.0]


def test_writes_to_buffers_are_recorded(torch):
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("calls", torch.zeros(1))
            self.register_buffer("total", torch.zeros(2))
            self.norm = torch.nn.BatchNorm1d(2)

        def forward(self, x):
            self.calls += 1
            self.total.add_(x.sum(0))
            return self.norm(x) * self.calls

    model = Counting()
    calls = model.calls
    traced = torch.jit.trace(model, torch.randn(3, 2), check_trace=False)
    assert model.calls is calls and type(model.norm.num_batches_tracked) is torch.Tensor
    loaded = Saved(torch, traced)
    before = [loaded.calls.item(), loaded.total.tolist(), loaded.norm.num_batches_tracked.item()]
    loaded(torch.ones(4, 2))
    assert loaded.calls.item() == before[0] + 1
    assert loaded.total.tolist() == pytest.approx([each + 4 for each in before[1]])
    assert loaded.norm.num_batches_tracked.item() == before[2] + 1


def test_settings_of_calls_are_in_the_file(torch):
    def program(x):
        x = x.to(torch.float64).to(memory_format=torch.channels_last)
        x = x[:, 1:, ..., ::2].sum(dim=(2, 3), keepdim=False) * 1e-3
        return torch.full((2,), -1.5, dtype=torch.float64, device="cpu") + x.mul(float("inf")).nan_to_num(2.0)

    x = torch.randn(2, 3, 4, 4)
    loaded = Saved(torch, torch.jit.trace(program, x))
    assert torch.equal(loaded(x), program(x)) and loaded(x).dtype == torch.float64


def test_several_methods_are_traced(torch):
    class Coder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2))

        def forward(self, x):
            return x * self.weight

        def back(self, x):
            return x / self.weight

    traced = torch.jit.trace_module(Coder(), {"forward": torch.ones(2), "back": torch.ones(2)})
    loaded = Saved(torch, traced)
    assert loaded.back(loaded(torch.ones(2)) * 3).tolist() == [3.0, 3.0]


def test_what_a_trace_cannot_express_is_said(torch):
    with pytest.warns(torch.jit.TracerWarning, match="Converting a tensor to a Python boolean might cause the trace"):
        traced = torch.jit.trace(lambda x: x if x.sum() > 0 else -x, torch.ones(1))
    assert traced(-torch.ones(1)).tolist() == [-1.0]
    with pytest.warns(torch.jit.TracerWarning) as seen:
        torch.jit.trace(lambda x: x + torch.rand(1), torch.ones(1))
    texts = [str(each.message) for each in seen]
    assert any("Trace had nondeterministic nodes. Did you forget call .eval() on your model?" in text for text in texts)
    assert any("Output nr 1. of the traced function does not match" in text for text in texts)
    torch.jit.trace(lambda x: x + torch.rand(1), torch.ones(1), check_trace=False)


REFUSED = {
    "a number": (lambda torch: torch.jit.trace(lambda x, y: x, (torch.ones(1), 3)), "Type 'Tuple[Tensor, int]'"),
    "no tensor": (lambda torch: torch.jit.trace(lambda x: 3, torch.ones(1)), "Only tensors, lists, tuples of tensors"),
    "nothing": (lambda torch: torch.jit.trace(lambda x: None, torch.ones(1)), "The traced function didn't return any"),
    "no example": (lambda torch: torch.jit.trace(torch.nn.ReLU(), None), "example_kwarg_inputs should be a dict"),
    "no function": (lambda torch: torch.jit.trace(3, torch.ones(1)), "Could not get name of python class object"),
    "a parameter of nobody": (
        lambda torch: torch.jit.trace((lambda w: lambda x: x * w)(torch.ones(1, requires_grad=True)), torch.ones(1)),
        "Cannot insert a Tensor that requires grad as a constant.",
    ),
    "missing": (lambda torch: torch.jit.trace(lambda x: x + 1, torch.ones(1))(), "is missing value for argument 'x'."),
    "too many": (lambda torch: torch.jit.trace(torch.abs, torch.ones(1))(1, 2), "expected at most 1 argument"),
    "a plain module": (lambda torch: torch.jit.freeze(torch.nn.ReLU()), "Freezing expects a ScriptModule as input."),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_traced_is_refused(torch, name):
    program, words = REFUSED[name]
    with pytest.raises(RuntimeError) as raised:
        program(torch)
    assert words in str(raised.value)


def test_a_file_that_is_not_there(torch, tmp_path):
    with pytest.raises(ValueError, match="The provided filename .* does not exist"):
        torch.jit.load(tmp_path / "none.pt")
    with pytest.raises(ValueError, match="The provided filename .* is a directory"):
        torch.jit.load(tmp_path)


def test_further_texts_are_in_the_file(torch):
    file = io.BytesIO()
    torch.jit.save(torch.jit.trace(torch.nn.ReLU(), torch.ones(1)), file, _extra_files={"labels": "a, \u00e9"})
    file.seek(0)
    texts = {"labels": ""}
    torch.jit.load(file, _extra_files=texts)
    text = texts["labels"]
    assert (text if isinstance(text, str) else text.decode()) == "a, \u00e9"


def test_a_frozen_model_has_no_parameters(torch):
    model, example, other = convolutional(torch)
    frozen = torch.jit.freeze(torch.jit.trace(model, example))
    assert list(frozen.parameters()) == [] and list(frozen.state_dict()) == []
    assert close(torch, frozen(other), model(other))
    assert close(torch, Saved(torch, frozen)(other), model(other))
    with pytest.raises(RuntimeError, match="Freezing is currently only implemented for modules in eval mode."):
        torch.jit.freeze(torch.jit.trace(torch.nn.ReLU().train(), torch.ones(1)))


def test_types_of_containers(torch):
    List, Dict, Optional, Tuple = typing.List, typing.Dict, typing.Optional, typing.Tuple  # noqa: UP006
    of = torch.jit.isinstance
    assert of([torch.ones(1)], List[torch.Tensor]) and not of([1, "a"], List[int])
    assert of({"a": [1]}, Dict[str, List[int]]) and not of({"a": ["b"]}, Dict[str, List[int]])
    assert of((1, "a"), Tuple[int, str]) and not of((1,), Tuple[int, str])
    assert of(None, Optional[int]) and of(1, (str, int)) and not of("a", Optional[int])


def test_a_traced_model_is_copied(torch):
    model, example, _ = convolutional(torch)
    traced = torch.jit.trace(model, example)
    copied = copy.deepcopy(traced)
    with torch.no_grad():
        model.head.weight.zero_()
    assert not torch.equal(copied(example), traced(example))
    with pytest.warns(UserWarning, match="The input to trace is already a ScriptModule, tracing it is a no-op"):
        assert torch.jit.trace(traced, example) is traced


# What differs from PyTorch


def rushlight():
    import rushlight

    return rushlight


def test_a_scripted_model_runs_as_written_and_is_saved():
    torch = rushlight()
    model, example, other = convolutional(torch)
    scripted = torch.jit.script(model)
    assert isinstance(scripted, torch.jit.ScriptModule) and isinstance(scripted, type(model))
    assert scripted.head.weight is model.head.weight
    assert torch.equal(scripted(other), model(other))
    assert close(torch, Saved(torch, scripted)(other), model(other))
    copied = copy.deepcopy(scripted)
    assert torch.equal(copied(other), model(other)) and copied.head.weight is not model.head.weight

    def program(x):
        return x if x.sum() > 0 else -x

    assert torch.jit.script(program) is program
    with pytest.raises(
        RuntimeError, match="program cannot be written as a graph: symbolically traced variables"
    ) as raised:
        torch.jit.save(program, io.BytesIO())
    assert "torch.jit.trace(model, example)" in raised.value.__notes__[0]


def test_models_written_for_the_compiler_are_saved():
    torch = rushlight()

    class Model(torch.jit.ScriptModule):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2))
            self.plain = torch.ones(2)

        @torch.jit.script_method
        def forward(self, x):
            return x * self.weight + self.plain + torch.ones(2)

    model = Model()
    file = io.BytesIO()
    model.save(file)
    file.seek(0)
    assert torch.jit.load(file)(torch.ones(2)).tolist() == [3.0, 3.0]
    assert not [name for name in vars(model) if name.startswith("_tensor_constant")]
    assert torch.jit.load(io.BytesIO(saved_function(torch)))(torch.ones(1)).tolist() == [2.0]


def saved_function(torch):
    file = io.BytesIO()
    torch.jit.save(lambda x: torch.relu(x) + 1, file)
    return file.getvalue()


def test_a_function_that_does_something_else_each_time():
    torch, runs = rushlight(), []
    with pytest.raises(torch.jit.TracingCheckError, match="Graphs differed across invocations!"):
        torch.jit.trace(lambda x: [runs.append(1), x + 1, x - 1][1 + len(runs) % 2], torch.ones(1))


def test_a_traced_model_is_pickled():
    torch = rushlight()
    model, example, _ = convolutional(torch)
    traced = torch.jit.trace(model, example)
    assert torch.equal(pickle.loads(pickle.dumps(traced))(example), traced(example))
    scripted = torch.jit.script(torch.nn.Linear(2, 2))
    again = pickle.loads(pickle.dumps(scripted))
    assert (
        isinstance(again, torch.jit.ScriptModule) and again(torch.ones(2)).tolist() == scripted(torch.ones(2)).tolist()
    )


CALLS = [
    ("call_function", "os.system", ["tuple", [["value", "true"]]]),
    ("call_function", "torch.load", ["tuple", [["value", "file"]]]),
    ("call_function", "torch.save", ["tuple", [["value", 1], ["value", "file"]]]),
    ("call_function", "torch.from_file", ["tuple", [["value", "file"]]]),
    ("call_function", "torch.hub.load", ["tuple", []]),
    ("call_function", "torch.serialization.os.system", ["tuple", []]),
    ("call_function", "operator.attrgetter", ["tuple", [["value", "__class__"]]]),
    ("call_function", "operator.methodcaller", ["tuple", [["value", "system"]]]),
    ("call_function", "builtins.eval", ["tuple", [["value", "1"]]]),
    ("call_function", "eval", ["tuple", [["value", "1"]]]),
    ("call_function", "getattr", ["tuple", [["node", 0], ["value", "__class__"]]]),
    ("call_function", "getattr", ["tuple", [["node", 0], ["list", [["value", "shape"]]]]]),
    ("call_function", "getattr", ["tuple", [["node", 0], ["value", "shape"], ["value", 1]]]),
    ("call_method", "tofile", ["tuple", [["node", 0], ["value", "file"]]]),
    ("call_method", "__reduce__", ["tuple", [["node", 0]]]),
    ("call_method", "__class__", ["tuple", [["node", 0]]]),
    ("call_method", "register_hook", ["tuple", [["node", 0]]]),
    ("call_method", "apply_", ["tuple", [["node", 0]]]),
    ("call_method", "numpy", ["tuple", [["node", 0]]]),
    ("call_module", "layer", ["tuple", [["node", 0]]]),
    ("get_attr", "__class__.__init__.__globals__", ["tuple", []]),
    ("get_attr", 'a"); import os; ("', ["tuple", []]),
    ("placeholder", "x): import os; print(", ["tuple", []]),
    ("call_function", "torch.relu", ["tuple", [["node", 7]]]),
    ("call_function", "torch.relu", ["tuple", [["node", -1]]]),
    ("call_function", "torch.relu", ["pickle", "x"]),
    ("call_function", "torch.relu", [["tuple"]]),
    ("call_function", 3, ["tuple", []]),
]


@pytest.mark.parametrize("op, target, args", CALLS)
def test_a_hostile_file_runs_nothing(op, target, args):
    torch = rushlight()
    rows = [
        ["placeholder", "x", "x", ["tuple", []], ["dict", []]],
        [op, "y", target, args, ["dict", []]],
        ["output", "output", "output", ["tuple", [["node", 1]]], ["dict", []]],
    ]
    contents = {
        "format": "rushlight jit", "version": 1, "kind": "function", "name": "f", "training": False, "parts": {},
        "graphs": {"forward": rows}, "parameters": {}, "buffers": {}, "constants": {}, "extra": {},
    }  # fmt: skip
    file = io.BytesIO()
    torch.save(contents, file)
    file.seek(0)
    with pytest.raises((RuntimeError, AttributeError)):
        torch.jit.load(file)(torch.ones(1))


def test_other_files_are_refused(tmp_path):
    torch = rushlight()
    torch.save({"weight": torch.ones(1)}, tmp_path / "checkpoint.pt")
    with pytest.raises(RuntimeError, match="the file is no module saved by torch.jit.save"):
        torch.jit.load(tmp_path / "checkpoint.pt")

    class Evil:
        def __reduce__(self):
            return eval, ("1/0",)

    (tmp_path / "evil.pt").write_bytes(pickle.dumps(Evil(), protocol=2))
    with pytest.raises(pickle.UnpicklingError):
        torch.jit.load(tmp_path / "evil.pt")
    damaged = bytearray(saved_function(torch))
    damaged[len(damaged) // 2] ^= 255
    with pytest.raises((RuntimeError, pickle.UnpicklingError)):
        torch.jit.load(io.BytesIO(bytes(damaged)))


def test_the_archive_of_pytorch_is_explained(pytorch, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytorch.jit.save(pytorch.jit.trace(pytorch.nn.Linear(2, 2), pytorch.ones(1, 2)), tmp_path / "theirs.pt")
    with pytest.raises(RuntimeError, match="^rushlight cannot run TorchScript archives") as raised:
        rushlight().jit.load(tmp_path / "theirs.pt")
    assert "rushlight.inspect(path)" in raised.value.__notes__[0]


def test_a_call_of_other_code_is_not_saved():
    torch = rushlight()
    torch.library.define("jit_tests::twice", "(Tensor x) -> Tensor")
    torch.library.impl("jit_tests::twice", "cpu", lambda x: x * 2)
    traced = torch.jit.trace(lambda x: torch.ops.jit_tests.twice(x), torch.ones(1))
    assert traced(torch.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="Could not export Python function call 'twice'"):
        torch.jit.save(traced, io.BytesIO())


def test_modules_without_shapes_are_not_compiled(torch):
    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.nn.UninitializedBuffer())
            self.layer = torch.nn.LazyLinear(2)

        def forward(self, x):
            raise AssertionError("not reached")

    with pytest.raises(RuntimeError, match="LazyLinear' has uninitialized parameters weight. Did you forget to run"):
        torch.jit.script(torch.nn.Sequential(torch.nn.LazyLinear(2)))
    with pytest.raises(RuntimeError, match="Outer' has uninitialized buffers total. Did you forget to run a forward"):
        torch.jit.script(Outer())
    with pytest.raises(RuntimeError, match="QualnameWrapper' has uninitialized parameters weight"):
        torch.jit.trace(Outer(), torch.ones(2))


def test_functional_call_refuses_compiled_modules(torch):
    scripted = torch.jit.script(torch.nn.Linear(2, 2))
    traced = torch.jit.trace(torch.nn.Linear(2, 2), torch.ones(1, 2))
    for module in (scripted, traced):
        with pytest.raises(RuntimeError, match="The stateless API can't be used with Jitted modules"):
            torch.func.functional_call(module, {}, torch.ones(1, 2))
