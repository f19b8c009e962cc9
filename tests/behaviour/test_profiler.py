"""Where the time of a program goes, by `torch.profiler`.

What PyTorch calls the operators, and the fields of its trace, come from one run of PyTorch in a process of its own: its
profiler can end a process in which many are made.
"""

import gc
import gzip
import importlib
import inspect
import json
import subprocess
import sys
import threading
import time
import warnings
import weakref

import pytest

import rushlight as torch
from rushlight.benchmark.training import gpt_step
from rushlight.declarations.declare import OPS
from rushlight.dispatch.plan import ENTRIES
from rushlight.lower.install import calls_raw

# Expressions, each with an event of both libraries.
NAMES = {
    "x + x": "aten::add",
    "2 * x": "aten::mul",
    "torch.add(x, x)": "aten::add",
    "x.add(x)": "aten::add",
    "x.add_(1)": "aten::add_",
    "x / x": "aten::div",
    "x % x": "aten::remainder",
    "x @ x": "aten::matmul",
    "x == x": "aten::eq",
    "x**2": "aten::pow",
    "-x": "aten::neg",
    "x.T": "aten::numpy_T",
    "x.exp()": "aten::exp",
    "torch.nn.functional.gelu(x)": "aten::gelu",
    "torch.nn.functional.softmax(x, 1)": "aten::softmax",
    "torch.nn.functional.layer_norm(x, (2,))": "aten::layer_norm",
    "torch.cat([x, x])": "aten::cat",
    "torch.zeros(3)": "aten::zeros",
    "torch.rand(3)": "aten::rand",
    "torch.arange(3)": "aten::arange",
    "torch.zeros_like(x)": "aten::zeros_like",
    "x.double()": "aten::to",
    "x.normal_()": "aten::normal_",
    "x.detach()": "aten::detach",
    "x[0, 0].item()": "aten::item",
    "torch.linalg.inv(torch.eye(2))": "aten::linalg_inv",
    "torch.fft.fft(x)": "aten::fft_fft",
    "torch.special.erfcx(x)": "aten::special_erfcx",
    "torch.sort(x)": "aten::sort",
    "x.half() + x": "aten::add",
    "x.to(torch.complex64).abs()": "aten::abs",
    "torch.nn.functional.conv2d(x.view(1, 1, 2, 2), x.view(1, 1, 2, 2))": "aten::conv2d",
}
COUNTED = {
    "torch.mm(torch.ones(2, 3), torch.ones(3, 4))": "aten::mm",
    "torch.ones(2, 3) @ torch.ones(3, 4)": "aten::mm",
    "torch.bmm(torch.ones(5, 2, 3), torch.ones(5, 3, 4))": "aten::bmm",
    "torch.addmm(torch.ones(4), torch.ones(2, 3), torch.ones(3, 4))": "aten::addmm",
    "torch.ones(5, 2, 4).baddbmm(torch.ones(5, 2, 3), torch.ones(5, 3, 4))": "aten::baddbmm",
    "torch.ones(3, 4) + torch.ones(4)": "aten::add",
    "torch.ones(3, 4) * torch.ones(4)": "aten::mul",
    "torch.nn.functional.conv2d(torch.ones(2, 4, 9, 8), torch.ones(6, 2, 3, 3), None, 2, 1, 1, 2)": "aten::conv2d",
    "torch.nn.functional.conv2d(torch.ones(2, 3, 8, 8), torch.ones(6, 3, 3, 2), padding=1)": "aten::conv2d",
}
PYTORCH = """
import json, sys, tempfile, torch
names, counted, file = json.loads(sys.argv[1]), json.loads(sys.argv[2]), tempfile.mktemp()
found = {}
for text in names + counted:
    x = torch.ones(2, 2)
    with torch.profiler.profile(with_flops=text in counted) as prof:
        eval(text)
    found[text] = {event.name: event.flops for event in prof.events()}
with torch.profiler.profile(record_shapes=True, profile_memory=True) as prof:
    with torch.profiler.record_function("part"):
        torch.nn.functional.linear(torch.ones(3, 4), torch.ones(8, 4), torch.ones(8))
prof.export_chrome_trace(file)
table = prof.key_averages(group_by_input_shape=True).table(sort_by="cpu_time_total", row_limit=2)
print(json.dumps({"found": found, "trace": json.load(open(file)), "table": table}))
"""


@pytest.fixture(scope="module")
def theirs():
    """What PyTorch's profiler says."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    command = [sys.executable, "-c", PYTORCH, json.dumps([*NAMES]), json.dumps([*COUNTED])]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def training():
    """A function: a training step of a small network on a batch."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x, y):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


@pytest.fixture
def batch():
    return torch.ones(3, 4), torch.tensor([0, 1, 0])


def keys(prof):
    return {event.key for event in prof.key_averages()}


def test_a_training_step_shows_operators_nodes_and_ranges(training, batch):
    with torch.profiler.profile() as prof:
        training(*batch)
    expected = {
        "aten::linear", "aten::relu", "aten::log_softmax", "aten::nll_loss", "aten::item", "AddmmBackward0",
        "ReluBackward0", "NllLossBackward0", "LogSoftmaxBackward0", "torch::autograd::AccumulateGrad",
        "autograd::engine::evaluate_function: AddmmBackward0", "aten::mm", "Optimizer.step#SGD.step",
        "Optimizer.zero_grad#SGD.zero_grad", "aten::cross_entropy_loss",
        "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
    }  # fmt: skip
    assert expected <= keys(prof)


def test_calls_are_nested_as_they_ran(training, batch):
    with torch.profiler.profile() as prof:
        with torch.profiler.record_function("everything"):
            training(*batch)
    (everything,) = [event for event in prof.events() if event.name == "everything"]
    (loss,) = [event for event in prof.events() if event.name == "aten::cross_entropy_loss"]
    inside = {child.name for child in loss.cpu_children}
    assert {"aten::log_softmax"} <= inside
    assert loss.cpu_parent is everything
    assert loss.self_cpu_time_total == pytest.approx(
        loss.cpu_time_total - sum(x.cpu_time_total for x in loss.cpu_children)
    )
    (node,) = [event for event in prof.events() if event.name == "NllLossBackward0"]
    assert node.cpu_parent.name == "autograd::engine::evaluate_function: NllLossBackward0"
    starts = [event.time_range.start for event in prof.events()]
    assert starts == sorted(starts)
    assert all(event.time_range.elapsed_us() >= 0 for event in prof.events())


@pytest.mark.parametrize("text", NAMES)
def test_an_operator_has_the_name_that_pytorch_gives_it(text, theirs):
    assert NAMES[text] in theirs["found"][text]
    names = {"torch": torch, "x": torch.ones(2, 2)}
    with torch.profiler.profile() as prof:
        eval(text, names)
    assert NAMES[text] in keys(prof)


def test_names_that_are_first_used_inside_are_seen():
    with torch.profiler.profile() as prof:
        torch.ones(3).erfinv()
        torch.linalg.det(torch.eye(2))
    assert {"aten::erfinv", "aten::linalg_det"} <= keys(prof)


def test_an_error_inside_an_operator_is_that_of_the_operator():
    with torch.profiler.profile() as prof:
        with pytest.raises(RuntimeError, match="The size of tensor a"):
            torch.ones(2) + torch.ones(3)
    assert "aten::add" in keys(prof)
    with pytest.raises(RuntimeError, match="The size of tensor a"):
        torch.ones(2) + torch.ones(3)


def test_a_loader_is_a_range():
    data = torch.utils.data.TensorDataset(torch.arange(4.0))
    with torch.profiler.profile() as prof:
        for _ in torch.utils.data.DataLoader(data, batch_size=2):
            pass
    (average,) = [x for x in prof.key_averages() if x.key.startswith("enumerate(DataLoader)#")]
    assert average.key == "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    assert average.count == 3


def test_a_function_of_the_program_is_a_node():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.ones(2, requires_grad=True)
    with torch.profiler.profile() as prof:
        Double.apply(x).sum().backward()
    assert {"DoubleBackward", "SumBackward0", "aten::mul"} <= keys(prof)


def test_averages_add_up():
    with torch.profiler.profile(record_shapes=True) as prof:
        for size in (2, 3, 3):
            torch.ones(size) + 1
    (added,) = [x for x in prof.key_averages() if x.key == "aten::add"]
    events = [x for x in prof.events() if x.name == "aten::add"]
    assert added.count == 3
    assert added.cpu_time_total == pytest.approx(sum(x.cpu_time_total for x in events))
    assert added.cpu_time == pytest.approx(added.cpu_time_total / 3)
    shaped = [x for x in prof.key_averages(group_by_input_shape=True) if x.key == "aten::add"]
    assert sorted(x.count for x in shaped) == [1, 2]
    total = prof.events().total_average()
    assert total.self_cpu_time_total == pytest.approx(prof.events().self_cpu_time_total)
    assert total.key == "Total"


def test_shapes_of_arguments_are_recorded():
    x = torch.ones(2, 3)
    with torch.profiler.profile(record_shapes=True) as prof:
        torch.add(x, torch.ones(3), alpha=2)
    (event,) = [x for x in prof.events() if x.name == "aten::add"]
    assert event.input_shapes == [[2, 3], [3], []]
    assert event.concrete_inputs[2] == 2
    with torch.profiler.profile() as prof:
        torch.add(x, torch.ones(3))
    assert [x for x in prof.events() if x.name == "aten::add"][0].input_shapes == []


@pytest.mark.parametrize("text", COUNTED)
def test_operations_are_counted_as_pytorch_counts_them(text, theirs):
    with torch.profiler.profile(with_flops=True) as prof:
        eval(text)
    (counted,) = [event for event in prof.events() if event.flops]
    assert counted.flops == theirs["found"][text][COUNTED[text]] > 0


def test_operations_of_a_layer_are_counted_once():
    linear = torch.nn.Linear(4, 8)
    with torch.profiler.profile(with_flops=True) as prof:
        linear(torch.ones(3, 4))  # one call
        linear(torch.ones(1, 3, 4))  # calls inside
    assert prof.events().total_average().flops == 2 * (2 * 3 * 4 * 8)


def test_memory_of_results_is_counted_once():
    x = torch.ones(100, 10)
    linear = torch.nn.Linear(10, 50)
    with torch.profiler.profile(profile_memory=True) as prof:
        y = linear(x).detach()
        y.add_(1)
        y.view(50, 100)
    sums = {x.key: (x.cpu_memory_usage, x.self_cpu_memory_usage) for x in prof.key_averages()}
    assert sums["aten::linear"][0] == 100 * 50 * 4
    assert sums["aten::add_"] == (0, 0)
    assert sums["aten::view"] == (0, 0)
    assert sum(own for _, own in sums.values()) == 100 * 50 * 4


def titles_of(table):
    """Returns the titles of a table's columns, without the unit of operations."""
    return [each.strip() for each in table.splitlines()[1].split("  ") if each.strip()]


def test_the_table_has_the_columns_of_pytorch(theirs):
    with torch.profiler.profile(record_shapes=True, profile_memory=True) as prof:
        torch.nn.functional.linear(torch.ones(1, 3, 4), torch.ones(8, 4), torch.ones(8))
    text = prof.key_averages(group_by_input_shape=True).table(sort_by="cpu_time_total", row_limit=2)
    lines = text.splitlines()
    assert titles_of(text) == titles_of(theirs["table"])
    assert len(lines) == len(theirs["table"].splitlines())
    assert lines[0] == lines[2] == lines[5] and not lines[0].strip("- ")
    assert len({len(line) for line in lines[:6]}) == 1
    assert lines[6].startswith("Self CPU time total: ")
    with pytest.raises(AttributeError):
        prof.key_averages().table(sort_by="nothing")
    assert torch.autograd.profiler.EventList().table() == ""


def test_a_table_has_the_units_that_are_asked_for():
    with torch.profiler.profile(with_flops=True) as prof:
        torch.ones(100, 100) @ torch.ones(100, 100)
    text = prof.key_averages().table(time_unit="us")
    assert "Total MFLOPs" in text and "2.000" in text
    assert "ms" not in text.replace("items", "")
    assert prof.key_averages().table(row_limit=1, header="The header").startswith("The header\n")
    assert len(prof.events().table(top_level_events_only=True, row_limit=-1).splitlines()) == 5 + 3


def test_lines_of_the_program_are_recorded():
    with torch.profiler.profile(with_stack=True) as prof:
        x = torch.ones(2) * 3
        y = torch.nn.Linear(2, 2)(x)
        y.sum().backward()
    here = "test_lines_of_the_program_are_recorded"
    lines = {event.name: event.stack[0] for event in prof.events() if event.stack}
    assert lines["aten::mul"].endswith(f": {here}")
    numbers = {name: int(line.partition("(")[2].partition(")")[0]) for name, line in lines.items()}
    assert numbers["aten::linear"] == numbers["aten::mul"] + 1
    assert numbers["AddmmBackward0"] == numbers["aten::linear"]  # the line whose gradient it computes
    grouped = prof.key_averages(group_by_stack_n=1)
    assert "Source Location" in grouped.table()


def test_stacks_are_written_for_flame_graphs(tmp_path):
    with torch.profiler.profile() as prof:
        torch.ones(2)
    with pytest.raises(AssertionError, match=r"export_stacks\(\) requires with_stack=True"):
        prof.export_stacks(str(tmp_path / "stacks.txt"))
    with torch.profiler.profile(with_stack=True) as prof:
        for _ in range(20):
            torch.ones(200, 200) @ torch.ones(200, 200)
    prof.export_stacks(str(tmp_path / "stacks.txt"))
    stack, _, value = (tmp_path / "stacks.txt").read_text().splitlines()[-1].rpartition(" ")
    assert "test_stacks_are_written_for_flame_graphs" in stack.split(";")[-1]
    assert int(value) > 0
    with pytest.raises(ValueError, match="metric should be one of"):
        prof.events().export_stacks(str(tmp_path / "stacks.txt"), "nothing")


def test_a_trace_has_the_fields_of_pytorch(theirs, tmp_path):
    file = tmp_path / "trace.json"
    with torch.profiler.profile(record_shapes=True, profile_memory=True) as prof:
        with torch.profiler.record_function("part"):
            torch.nn.functional.linear(torch.ones(3, 4), torch.ones(8, 4), torch.ones(8))
        prof.add_metadata("model", "small")
        prof.add_metadata_json("sizes", "[4, 8, 2]")
    prof.export_chrome_trace(str(file))
    trace = json.loads(file.read_text())
    assert set(theirs["trace"]) <= set(trace)
    assert trace["record_shapes"] == trace["profile_memory"] == 1
    assert trace["model"] == "small" and trace["sizes"] == [4, 8, 2]
    for category in ("cpu_op", "user_annotation", "cpu_instant_event", "Trace"):
        own, known = [fields(each, category) for each in (trace, theirs["trace"])]
        assert known and own == known, category
    (linear,) = [x for x in trace["traceEvents"] if x["name"] == "aten::linear"]
    assert linear["args"]["Input Dims"] == [[3, 4], [8, 4], [8]]
    assert {"process_name", "thread_name"} <= {x["name"] for x in trace["traceEvents"] if x["ph"] == "M"}


def fields(trace, category):
    """The fields that all events of a category have, and the phases."""
    same = [x for x in trace["traceEvents"] if x.get("cat") == category]
    return set.intersection(*[set(x) for x in same]), {x["ph"] for x in same}


def test_a_compressed_trace_can_be_read(tmp_path):
    with torch.profiler.profile() as prof:
        torch.ones(2)
    prof.export_chrome_trace(str(tmp_path / "trace.json.gz"))
    with gzip.open(tmp_path / "trace.json.gz", "rt") as file:
        assert "aten::ones" in {x["name"] for x in json.load(file)["traceEvents"]}


def test_a_schedule_records_cycles():
    cycles = []
    with torch.profiler.profile(
        schedule=torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=2),
        on_trace_ready=lambda prof: cycles.append((prof.step_num, keys(prof))),
    ) as prof:
        for number in range(10):
            torch.ones(2).exp() if number in (2, 3) else torch.ones(2).log()
            prof.step()
    assert [number for number, _ in cycles] == [4, 8]
    assert {"ProfilerStep*", "aten::exp"} <= cycles[0][1] and "aten::log" not in cycles[0][1]
    assert "aten::log" in cycles[1][1] and "aten::exp" not in cycles[1][1]


def test_cycles_are_kept_if_that_is_asked_for():
    with torch.profiler.profile(schedule=torch.profiler.schedule(wait=0, warmup=1, active=1), acc_events=True) as prof:
        for number in range(4):
            torch.ones(2).exp() if number == 1 else torch.ones(2).log()
            prof.step()
    assert {"aten::exp", "aten::log"} <= {event.name for event in prof.events()}
    steps = [event.time_range for event in prof.events() if event.name == "ProfilerStep*"]
    assert len(steps) == 2 and steps[0].end < steps[1].start


def test_a_schedule_that_drops_what_it_recorded_warns():
    actions = [torch.profiler.ProfilerAction.RECORD, torch.profiler.ProfilerAction.NONE]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.profiler.profile(schedule=lambda step: actions[min(step, 1)]) as prof:
            prof.step()
    assert "Incorrect schedule: RECORD followed by NONE" in [str(each.message) for each in caught]


def test_a_handler_writes_a_file_for_each_cycle(tmp_path):
    handler = torch.profiler.tensorboard_trace_handler(str(tmp_path / "logs"), "worker", use_gzip=True)
    with torch.profiler.profile(on_trace_ready=handler):
        torch.ones(2)
    (file,) = (tmp_path / "logs").iterdir()
    assert file.name.startswith("worker.") and file.name.endswith(".pt.trace.json.gz")


def test_what_is_asked_for_too_early_is_refused():
    prof = torch.profiler.profile()
    with pytest.raises(AssertionError, match="Profiler must be initialized before accessing events"):
        prof.events()
    with pytest.raises(AssertionError, match="Profiler must be initialized before getting key averages"):
        prof.key_averages()
    with pytest.raises(AssertionError, match="Profiler must be initialized before exporting chrome trace"):
        prof.export_chrome_trace("nowhere.json")
    with pytest.raises(AssertionError, match="No valid profiler activities found"):
        torch.profiler.profile(activities=[])
    assert torch.profiler.supported_activities() == {torch.profiler.ProfilerActivity.CPU}


def test_the_older_profile():
    with torch.autograd.profiler.profile(enabled=False) as prof:
        torch.ones(2)
    assert prof is None
    prof = torch.autograd.profiler.profile(record_shapes=True)
    assert prof.function_events is None and str(prof) == ""
    with prof:
        with torch.autograd.profiler.record_function("part"):
            torch.ones(2) + 1
    assert {"part", "aten::ones", "aten::add"} <= keys(prof)
    assert "aten::add" in prof.table(sort_by="cpu_time_total") and "aten::add" in str(prof)
    assert prof.self_cpu_time_total > 0
    with pytest.raises(RuntimeError, match="Profiler context manager is not reentrant"):
        with prof:
            pass
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        with torch.autograd.profiler.emit_nvtx():
            pass
    with torch.autograd.profiler.emit_nvtx(enabled=False), torch.autograd.profiler.emit_itt(enabled=False):
        pass


def test_threads_of_the_program_are_apart():
    def work():
        with torch.profiler.record_function("in a thread"):
            torch.ones(3).exp()

    with torch.profiler.profile() as prof:
        thread = threading.Thread(target=work)
        thread.start()
        torch.ones(3).log()
        thread.join()
    numbers = {event.name: event.thread for event in prof.events()}
    assert numbers["in a thread"] == numbers["aten::exp"] != numbers["aten::log"]


def test_modules_are_ranges_with_stacks(batch):
    model = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Linear(2, 2))
    with torch.profiler.profile(with_modules=True) as prof:
        model(batch[0])
    (outer,) = [event for event in prof.events() if event.name == "nn.Module: Sequential_0"]
    assert [child.name for child in outer.cpu_children] == ["nn.Module: Linear_0", "nn.Module: Linear_1"]


def test_marks_cost_nothing_to_a_program_that_is_not_profiled():
    @torch.profiler.record_function("double")
    def double(x):
        return x * 2

    assert double(torch.ones(1)).item() == 2
    with torch.profiler.profile() as prof:
        double(torch.ones(1))
    assert "double" in keys(prof)


def test_a_replay_of_a_compiled_function_is_one_event():
    @torch.compile
    def energy(x):
        return (x * x + x.exp()).sum()

    x = torch.randn(100, requires_grad=True)
    for _ in range(12):  # until the trial of kernels has ended
        energy(x).backward()
    with torch.profiler.profile() as prof:
        energy(x).backward()
    name = energy.__qualname__
    assert [event.name for event in prof.events()][0] == f"Torch-Compiled Region: {name}"
    assert "aten::exp" not in keys(prof)


def test_a_function_may_be_compiled_under_a_profile():
    with torch.profiler.profile() as prof:
        compiled = torch.compile(lambda x: x.exp() + 1)
        results = [compiled(torch.zeros(3)).tolist() for _ in range(4)]
    assert results == [[2.0] * 3] * 4
    assert any(key.startswith("Torch-Compiled Region: ") for key in keys(prof))


def test_a_compiled_function_that_refers_to_itself_is_freed():
    """What profiles know of compiled functions does not keep them: a model may hold its own compiled `forward`."""
    model = torch.nn.Linear(2, 2)
    model.forward = torch.compile(model.forward)
    model(torch.ones(2))
    freed = weakref.ref(model)
    del model
    gc.collect()
    assert freed() is None


def test_watches_and_recorded_lines_go_on_under_a_profile():
    x = torch.ones(2, requires_grad=True)
    with warnings.catch_warnings(), torch.watch() as watched, torch.explain.lines():
        warnings.simplefilter("ignore")
        with torch.profiler.profile() as prof:
            optimizer = torch.optim.SGD([x], lr=0.1)
            for _ in range(4):
                loss = (x * 2).sum()
                loss.backward()
                optimizer.step()
    assert [finding.kind for finding in watched.findings] == ["no_zero_grad"]
    assert loss._made.op == "sum" and loss._made.place.text == "loss = (x * 2).sum()"
    assert {"aten::mul", "Optimizer.step#SGD.step"} <= keys(prof)


def test_a_mode_sees_the_same_calls_under_a_profile():
    class Seen(torch.overrides.TorchFunctionMode):
        def __init__(self):
            super().__init__()
            self.calls = []

        def __torch_function__(self, function, types, args=(), kwargs=None):
            self.calls.append((function, args, kwargs))
            return function(*args, **(kwargs or {}))

    def calls():
        with Seen() as seen:
            torch.zeros(2, dtype=torch.float64) + torch.arange(2)
            torch.full((2,), 3.0)
        return [(function, kwargs) for function, _, kwargs in seen.calls]

    with torch.profiler.profile():
        profiled = calls()
    assert profiled == calls()


def test_a_recorder_inside_another_takes_over():
    with torch.profiler.profile() as outer:
        torch.ones(2)
        with torch.profiler.profile() as inner:
            torch.ones(2).exp()
        torch.ones(2).log()
    assert "aten::exp" in keys(inner) and "aten::log" not in keys(inner)
    assert "aten::log" in keys(outer) and "aten::exp" not in keys(outer)


def test_readers_of_functions_see_no_difference_under_a_profile():
    """Signatures, what a trace writes of them, what may be overridden, what kernels are made for."""
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(), torch.nn.Softmax(-1)).eval()
    functions = [torch.zeros, torch.add, torch.Tensor.exp, torch.nn.functional.interpolate, torch.empty_like]

    def read():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            traced = torch.jit.trace(model, torch.ones(2, 2)).code
        symbolic = torch.fx.symbolic_trace(lambda x: torch.nn.functional.interpolate(x, 4)).code
        overridable = [x.__name__ for each in torch.overrides.get_overridable_functions().values() for x in each]
        by_kernels = [name for name, op in OPS.items() if calls_raw(op)]
        return [str(inspect.signature(x)) for x in functions], traced, symbolic, overridable, by_kernels

    before = read()
    with torch.profiler.profile():
        inside = read()
    assert before == inside
    assert "__signature__" not in vars(torch.zeros)


def test_profiles_that_overlap_end_in_any_order():
    before = torch.add.__code__, len(ENTRIES)
    first, second = torch.profiler.profile(), torch.profiler.profile()
    first.start()
    torch.ones(2)
    second.start()
    torch.ones(2).exp()
    first.stop()
    torch.ones(2).log()
    second.stop()
    assert (torch.add.__code__, len(ENTRIES)) == before
    assert keys(first) == {"aten::ones"} and keys(second) == {"aten::ones", "aten::exp", "aten::log"}


def test_a_profile_that_starts_again_begins_anew():
    code, prof = torch.add.__code__, torch.profiler.profile()
    prof.start()
    torch.ones(2).exp()
    prof.start()
    torch.ones(2).log()
    prof.stop()
    assert torch.add.__code__ is code
    assert keys(prof) == {"aten::ones", "aten::log"}


def test_the_events_of_a_step_are_nearly_all_of_its_time():
    step = gpt_step.program(torch)

    def share():
        with torch.profiler.profile() as prof:
            start = time.perf_counter()
            step()
            wall = 1e6 * (time.perf_counter() - start)
        return sum(event.cpu_time_total for event in prof.events() if event.cpu_parent is None) / wall

    share()
    assert 0.95 < max(share() for _ in range(10)) <= 1  # other processes may stop this one between two events


def test_nothing_of_a_profile_keeps_tensors_alive():
    x = torch.ones(3)
    alive = weakref.ref(x)
    with torch.profiler.profile(record_shapes=True, profile_memory=True, with_stack=True) as prof:
        x.exp()
    del x
    assert alive() is None and "aten::exp" in keys(prof)


def test_arguments_of_a_failing_call_do_not_hide_its_error():
    with torch.profiler.profile(record_shapes=True, profile_memory=True):
        with pytest.raises(TypeError, match="must be torch.dtype, not type"):
            torch.zeros(2, dtype=float.__class__)


def test_bytes_are_those_of_operands_and_results():
    from rushlight.profiler.details import bytes_moved

    x, y = torch.ones(10), torch.ones(10)
    assert bytes_moved((x, y), x + y) == 120
    assert bytes_moved((x, 1), x.add_(1)) == 40
    assert bytes_moved((x[:5], 1), x[:5]) == 0  # another view of the memory
    part = x[:5]
    assert bytes_moved((part, 1), part.add_(1)) == 20
    assert bytes_moved(([x, y],), torch.cat([x, y])) == 160
    assert bytes_moved((x.numpy(),), x.numpy()[2:]) == 0


def test_a_compiled_training_step_is_replayed_under_a_profile():
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.compile
    def step(x, y):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    x, y = torch.ones(3, 4), torch.tensor([0, 1, 0])
    for _ in range(12):
        step(x, y)
    before = torch.compiler.report()
    with torch.profiler.profile(with_modules=True) as prof:
        for _ in range(3):
            step(x, y)
    after = torch.compiler.report()
    assert (after["recompiles"], after["replays"]) == (before["recompiles"], before["replays"] + 3)
    (region,) = [x for x in prof.key_averages() if x.key.startswith("Torch-Compiled Region: ")]
    assert region.count == 3


def test_steps_of_a_class_of_the_program_are_ranges():
    with torch.profiler.profile() as prof:

        class Halving(torch.optim.Optimizer):
            def __init__(self, params):
                super().__init__(params, {})

            def step(self, closure=None):
                for parameter in self.param_groups[0]["params"]:
                    parameter.data.mul_(0.5)

        optimizer = Halving([torch.nn.Parameter(torch.ones(2))])
        optimizer.step()
    assert {"Optimizer.step#Halving.step", "aten::mul_"} <= keys(prof)


def test_older_addresses_of_the_profiler(torch):
    assert torch.autograd.kineto_available() is True
    util = importlib.import_module(f"{torch.__name__}.autograd.profiler_util")
    assert torch.autograd._profiler_enabled() is False
    with torch.autograd.profiler.profile() as prof:
        assert torch.autograd._profiler_enabled() is True
        torch.ones(2) + 1
    assert isinstance(prof.function_events, util.EventList)
    assert isinstance(prof.function_events[0], util.FunctionEvent)
    assert isinstance(prof.key_averages()[0], util.FunctionEventAvg)


def test_marks_for_the_profiler_of_intel_are_refused_without_it(torch):
    itt = torch.profiler.itt
    if itt.is_available():
        return
    for call in (lambda: itt.mark("a"), lambda: itt.range_push("a"), itt.range_pop):
        with pytest.raises(RuntimeError, match="ITT functions not installed"):
            call()


WRONG_CALLS = [
    "torch.add(x)", "torch.softmax(x)", "torch.exp(x, 3)", "torch.cumsum(x, 0, foo=2)", "torch.cat()", "x.exp(3)",
    "x.sum(0, False, 2, 3)", "torch.nn.functional.linear(x)",
]  # fmt: skip


@pytest.mark.parametrize("call", WRONG_CALLS)
def test_wrong_arguments_raise_what_they_raise_without_a_profile(call):
    names = {"torch": torch, "x": torch.ones(3)}
    with pytest.raises(TypeError) as plain:
        eval(call, names)
    with torch.profiler.profile(), pytest.raises(TypeError) as profiled:
        eval(call, names)
    assert str(profiled.value) == str(plain.value)
