"""`rushlight.watch` itself: what it changes while it is on, how findings come, and variants of the traps."""

import gc
import os
import subprocess
import sys
import threading
import types
import warnings
import weakref
from pathlib import Path

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.dispatch.methods import LaterMethod
from rushlight.nn import functional as F

pytestmark = pytest.mark.usefixtures("functions_of_numpy")

SOURCE = str(Path(torch.__file__).parents[1])


def line():
    """The number of the line that calls this."""
    return sys._getframe(1).f_lineno


@pytest.fixture
def watch():
    torch.manual_seed(0)
    with warnings.catch_warnings(), torch.watch() as watch:
        warnings.simplefilter("ignore")
        yield watch


def kinds(watch):
    return [each.kind for each in watch.findings]


def places(watch):
    return [(each.kind, each.line) for each in watch.findings]


def forget_zero_grad(model=None, count=4):
    model = model or nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(count):
        model(torch.ones(2, 3)).sum().backward()
        optimizer.step()


# ---- on and off


def everything_in_the_library():
    """Every function, class attribute and value of the library, by name: what a watch may exchange."""
    results = {}
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] == "rushlight" and isinstance(module, types.ModuleType):
            for key, value in vars(module).items():
                results[name, key] = value
                if isinstance(value, type) and value.__module__.startswith(("rushlight", "torch")):
                    results.update({(name, key, inner): each for inner, each in vars(value).items()})
    return results


def test_the_library_is_left_as_it_was_found():
    forget_zero_grad(count=1)
    before = everything_in_the_library()
    with torch.watch():
        during = everything_in_the_library()
        forget_zero_grad(count=1)
        torch.fft.fft(torch.ones(4))
    after = everything_in_the_library()
    assert sum(during[key] is not before[key] for key in before) > 20
    caches = ("__warningregistry__", "__abstractmethods__", "_abc_impl")
    left = [key for key in before if not is_left(before[key], after[key]) and key[-1] not in caches]
    assert left == []


def is_left(before, after):
    """Whether a value is the one from before, or the method that it makes at its first call."""
    return after is before or (type(before) is LaterMethod and after in before.methods.values())


def test_nothing_of_the_program_is_kept_alive(watch):
    model = nn.Linear(3, 1)
    forget_zero_grad(model, 1)
    reference = weakref.ref(model)
    del model
    gc.collect()
    assert reference() is None


def test_neither_parameters_nor_gradients_of_an_optimizer_are_kept_alive(watch):
    model = nn.Sequential(nn.Linear(3, 5000), nn.Linear(5000, 1), nn.Linear(1, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(5):
        optimizer.zero_grad()
        model[:2](torch.ones(2, 3)).sum().backward()
        optimizer.step()
    references = [weakref.ref(each) for each in (*model.parameters(), model[0].weight.grad)]
    del model, optimizer
    gc.collect()
    assert [each() for each in references] == [None] * 7


def test_graphs_are_freed_as_without_a_watch(watch):
    gc.disable()
    try:
        x = torch.ones(3, requires_grad=True)
        loss = (x * x).sum()
        node = weakref.ref(loss.grad_fn)
        loss.backward()
        del loss
        assert node() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "LBFGS"])
def test_losses_are_the_same_to_the_last_bit(optimizer):
    def losses():
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 3))
        chosen = getattr(torch.optim, optimizer)(model.parameters(), lr=0.05)
        results = []
        for _ in range(25):
            x, y = torch.randn(16, 4), torch.randint(3, (16,))

            def closure(x=x, y=y):
                chosen.zero_grad()
                loss = F.cross_entropy(model(x), y)
                loss.backward()
                return loss

            results.append(chosen.step(closure).item())
        return results

    plain = losses()
    with torch.watch() as watch:
        assert losses() == plain
    assert watch.findings == []


def test_an_error_of_the_program_goes_through_and_the_watch_ends():
    backward = torch.autograd.backward
    with pytest.raises(RuntimeError, match="does not require grad"), torch.watch():
        torch.ones(1).backward()
    assert torch.autograd.backward is backward


def test_threads_at_the_same_time(watch):
    errors = []

    def program():
        try:
            forget_zero_grad(count=20)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=program) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert errors == []
    assert set(kinds(watch)) == {"no_zero_grad"}


def test_lines_may_be_recorded_at_the_same_time(watch):
    with torch.explain.lines():
        forget_zero_grad()
    forget_zero_grad(count=4)
    assert kinds(watch) == ["no_zero_grad"]


# ---- findings


def test_a_finding_is_a_warning_at_its_line():
    with warnings.catch_warnings(record=True) as caught, torch.watch() as watch:
        warnings.simplefilter("always")
        forget_zero_grad(count=9)
    (warning,) = caught
    (finding,) = watch.findings
    assert warning.message is finding and issubclass(warning.category, torch.watch.Finding)
    assert (warning.filename, warning.lineno) == (finding.file, finding.line) and finding.file == __file__
    assert str(finding) == f"{finding.text}\n  Instead: {finding.advice}"
    assert "optimizer.step()" in Path(finding.file).read_text().splitlines()[finding.line - 1]


def test_one_finding_per_line_and_kind(watch):
    forget_zero_grad()
    forget_zero_grad()
    assert kinds(watch) == ["no_zero_grad"]


def test_raises():
    with pytest.raises(torch.watch.Finding, match="zero_grad"), torch.watch(raises=True):
        forget_zero_grad()


def test_what_an_end_finds_is_raised_too():
    model = nn.Sequential(nn.Linear(3, 1), nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with pytest.raises(torch.watch.Finding) as caught, torch.watch(raises=True):
        for _ in range(4):
            optimizer.zero_grad()
            model[0](torch.ones(2, 3)).sum().backward()
            optimizer.step()
    assert caught.value.kind == "never_gradient"


def test_a_watch_within_a_watch():
    with warnings.catch_warnings(), torch.watch() as outer:
        warnings.simplefilter("ignore")
        with torch.watch(ignore=("no_zero_grad",)) as ignoring, torch.watch() as inner:
            forget_zero_grad()
        backward = torch.tensor(1.0, requires_grad=True)
        backward.backward()
    assert (kinds(outer), kinds(inner), kinds(ignoring)) == (["no_zero_grad"], ["no_zero_grad"], [])


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="no trap is called 'zero_gard'") as caught:
        torch.watch(ignore=("zero_gard",))
    assert "no_zero_grad" in caught.value.__notes__[0]


def test_the_summary(watch):
    assert watch.summary() == "rushlight.watch: nothing found."
    forget_zero_grad()
    first, second = watch.summary().splitlines()
    assert first == "rushlight.watch: 1 finding"
    assert second.split()[:2] == [f"test_watch.py:{watch.findings[0].line}", "no_zero_grad:"]


PROGRAM = """
import torch
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(4):
    model(torch.ones(3, 2)).sum().backward()
    optimizer.step()
print("done")
"""


@pytest.mark.parametrize("way", ["variable", "option"])
def test_a_whole_program_is_watched(way, tmp_path):
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": SOURCE, "RUSHLIGHT_WATCH": "1" if way == "variable" else "0"}
    option = ["--watch"] if way == "option" else []
    command = [sys.executable, "-m", "rushlight", *option, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert f"{script}:7: Finding: backward() has added the new gradients" in done.stderr
    assert done.stderr.splitlines()[-2:][0] == "rushlight.watch: 1 finding"
    assert done.stderr.splitlines()[-1].startswith("  train.py:7  no_zero_grad: ")


# ---- variants of the traps


def train(loss_of, *modules, count=12):
    """Trains modules; returns what `loss_of` gave at each step."""
    optimizer = torch.optim.SGD([each for module in modules for each in module.parameters()], lr=0.01)
    for _ in range(count):
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        yield loss


def test_a_buffer_that_collects_losses_is_named(watch):
    class Trainer(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 1)
            self.register_buffer("total", torch.zeros(()))

        def fit(self):
            for loss in train(lambda: self.layer(torch.randn(2, 3)).pow(2).mean(), self):
                self.total = self.total + loss

    Trainer().fit()
    (finding,) = watch.findings
    assert finding.kind == "collected_losses" and finding.text.startswith("`self.total` keeps")


@pytest.mark.parametrize("container", ["list", "dict", "attribute", "pairs", "sum"])
def test_losses_are_collected_in_many_ways(watch, container):
    model = nn.Linear(3, 1)
    log = types.SimpleNamespace(losses=[])
    kept, table, mean = [], {}, torch.zeros(())
    here = line() + 3
    for number, loss in enumerate(train(lambda: model(torch.randn(2, 3)).pow(2).mean(), model)):
        if container == "list":
            kept.append(loss)
        if container == "dict":
            table[number] = loss
        if container == "attribute":
            log.losses.append(loss)
        if container == "pairs":
            kept.append((number, loss))
        if container == "sum":
            mean = 0.9 * mean + 0.1 * loss
    (finding,) = watch.findings
    assert finding.kind == "collected_losses"
    names = {"list": "kept", "dict": "table", "pairs": "kept", "sum": "mean"}
    if container in names:
        assert finding.text.startswith(f"`{names[container]}` keeps")
    assert here <= finding.line <= here + 10 or container == "attribute"


def test_a_mean_squared_error_of_a_column_and_a_row(watch):
    model = nn.Linear(1, 1)
    x, y = torch.randn(8, 1), torch.randn(8)
    for _ in train(lambda: F.mse_loss(model(x), y), model, count=3):
        pass
    assert places(watch) == [("broadcast_loss", line() - 2)]
    assert "(8, 1) and (8,) broadcast to (8, 8)" in watch.findings[0].text


def test_layers_in_a_dictionary(watch):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(3, 1)
            self.blocks = {"first": [nn.Linear(3, 3)]}

        def forward(self, x):
            return self.head(self.blocks["first"][0](x))

    model = Net()
    for _ in train(lambda: model(torch.randn(4, 3)).pow(2).mean(), model):
        pass
    (finding,) = watch.findings
    assert (
        finding.kind == "unregistered_layers"
        and "`blocks` of Net is a plain dict: the module does not register the 2 parameters" in finding.text
    )
    assert finding.advice == "self.blocks = nn.ModuleDict({'first': nn.ModuleList([nn.Linear(3, 3)])})"
    assert finding.line == Net.__init__.__code__.co_firstlineno + 3


def test_a_step_before_the_backward(watch):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(4):
        optimizer.zero_grad()
        loss = model(torch.randn(2, 3)).pow(2).mean()
        optimizer.step()
        loss.backward()
    assert places(watch) == [("step_without_gradients", line() - 2)]


def test_a_model_clears_gradients_between_backward_and_step(watch):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(4):
        model(torch.randn(2, 3)).pow(2).mean().backward()
        model.zero_grad()
        optimizer.step()
    assert places(watch) == [("step_without_gradients", line() - 1)]
    assert f"zero_grad() at line {line() - 3} cleared the gradients" in watch.findings[0].text


# ---- NaN


def only(watch):
    (finding,) = watch.findings
    return finding


def test_a_logarithm_of_zero_among_the_data(watch):
    w = torch.ones(2, requires_grad=True)
    x = torch.log(torch.tensor([1.0, 0.0]))
    assert not torch.isfinite(x).all()
    (w * x).sum().backward()
    assert places(watch) == [("nan", line() - 3)]
    assert only(watch).text == "The loss is -inf. It began here: log(0) is -inf."


def test_a_division_of_zero_by_zero(watch):
    w = torch.zeros(3, requires_grad=True)
    share = w / w.sum()
    share.sum().backward()
    assert places(watch) == [("nan", line() - 2)]
    assert only(watch).text == "The loss is nan. It began here: true_divide(0, 0) is nan."


def test_an_exponential_that_overflows(watch):
    w = torch.tensor([1.0, 100.0], requires_grad=True)
    odds = w.exp()
    (odds / odds.sum()).sum().backward()
    assert places(watch) == [("nan", line() - 2)]
    assert only(watch).text == "The loss is nan. It began here: exp(100) is inf."


def test_a_slope_that_is_infinite(watch):
    w = torch.tensor([4.0, 0.0], requires_grad=True)
    length = w.sqrt()
    length.sum().backward()
    assert places(watch) == [("nan", line() - 2)]
    assert "It began here: the gradient of sqrt() is inf where its result is 0." in only(watch).text


def test_the_branch_that_where_did_not_take(watch):
    w = torch.tensor([4.0, 0.0], requires_grad=True)
    root = w.sqrt()
    torch.where(w > 0, root, torch.zeros(2)).sum().backward()
    assert places(watch) == [("nan", line() - 2)]
    assert "the gradient of sqrt() is nan where its result is 0" in only(watch).text


def test_a_number_that_came_with_the_data(watch):
    w = torch.ones(2, requires_grad=True)
    x = torch.tensor([1.0, float("nan")])
    (w * x).sum().backward()
    assert places(watch) == [("nan", line() - 1)]
    assert "comes with the data: in `other` of mul()" in only(watch).text


def test_a_parameter_that_is_broken_already(watch):
    w = torch.tensor([1.0, float("inf")], requires_grad=True)
    w.sum().backward()
    assert places(watch) == [("nan", line() - 1)]
    assert "is not finite already before this step" in only(watch).text


def test_only_the_first_is_reported(watch):
    w = torch.tensor([0.0], requires_grad=True)
    for _ in range(3):
        torch.log(w).sum().backward()
        torch.sqrt(w).sum().backward()
    assert kinds(watch) == ["nan"]


@pytest.mark.parametrize("kind", [torch.float64, torch.bfloat16])
def test_other_dtypes_go_by_the_general_path(watch, kind):
    w = torch.zeros(2, dtype=kind, requires_grad=True)
    torch.log(w).sum().backward()
    assert places(watch) == [("nan", line() - 1)]
    assert "log(0) is -inf" in only(watch).text


def test_a_slope_of_large_tensors_that_is_infinite(watch):
    w = torch.ones(2_000_000, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    w.data[7] = 0.0
    root = w.sqrt()
    root.mean().backward()
    optimizer.step()
    (finding,) = watch.findings
    assert finding.kind == "nan" and finding.line in (line() - 4, line() - 3)
