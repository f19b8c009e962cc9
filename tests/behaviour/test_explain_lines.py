"""Recording lines: what is noted while it is on, that nothing is while it is off, and that it changes no number."""

import copy
import gc
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import weakref

import pytest

import rushlight as torch
from rushlight.core.origin import Place
from rushlight.core.tables import objects
from rushlight.explain.graph import freed_by, nearest_cut
from rushlight.explain.recording import DEEPEST, WRITES, lines
from rushlight.explain.records import record_of


def line_of(text):
    """The number of the line of this file that has a text, which must be there once beside this call."""
    with open(__file__, encoding="utf-8") as file:
        results = [number for number, line in enumerate(file, 1) if line.strip() == text]
    (number,) = results
    return number


def test_nothing_is_recorded_while_it_is_off():
    x = torch.ones(2, requires_grad=True) * 2
    assert x._made is None and x.grad_fn.made is None
    x.detach().add_(1)
    assert x._storage.writes == ()


def test_the_functions_are_put_back():
    before = objects.tensor
    with lines():
        assert objects.tensor is not before
        with lines(False):
            assert objects.tensor is before
        assert objects.tensor is not before
    assert objects.tensor is before


def test_a_family_that_is_loaded_while_it_is_on_is_put_back_too():
    program = """
        import rushlight as torch
        with torch.explain.lines():
            x = torch.ones(2, 2, requires_grad=True)
            y = torch.linalg.inv(x + torch.eye(2))
            assert y._made.op == "linalg_inv", y._made
        z = torch.linalg.inv(x + torch.eye(2))
        assert z._made is None
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


def test_a_tensor_and_its_node_know_their_line():
    with lines():
        x = torch.ones(2, requires_grad=True)
        product = x * 3
    made = product.grad_fn.made
    assert made is product._made
    assert made.op == "mul" and made.tracked
    assert (made.place.file, made.place.line) == (__file__, line_of("product = x * 3"))
    assert made.place.text == "product = x * 3"
    ((operand, source, tracked),) = made.sources
    assert (operand, source.op, tracked) == ("input", "ones", True)


def test_of_several_statements_on_a_line_the_one_is_shown(tmp_path):
    file = tmp_path / "short.py"
    file.write_text("x = torch.ones(2); y = x + 1; z = y\n")
    space = {"torch": torch}
    with lines():
        exec(compile(file.read_text(), str(file), "exec"), space)
    assert space["y"]._made.place.text == "y = x + 1"


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("folder/train.py", "train.py:1"),
        ("<ipython-input-12-3f2a>", "In [12]:1"),
        ("/var/ipykernel_81/2741.py", "cell:1"),
        ("<stdin>", "<stdin>:1"),
    ],
)
def test_a_place_is_shown_by_its_file_or_its_cell(file, shown):
    assert Place(compile("x", file, "exec"), 2).short == shown


def test_the_line_is_that_of_the_program_not_of_a_layer():
    with lines():
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        inside = net(torch.ones(1, 2))
    assert inside.grad_fn.made.place.text == "inside = net(torch.ones(1, 2))"
    assert inside.grad_fn.next_functions[0][0].made.op == "linear"


@pytest.mark.parametrize(
    ("op", "make"),
    [
        ("detach", lambda x: x.detach()),
        ("data", lambda x: x.data),
        ("argmax", lambda x: x.argmax()),
        ("cat", lambda x: torch.cat([x, x])),
        ("split_with_sizes", lambda x: x.split([1, 1])[0]),
        ("add", lambda x: x.double() + x),
        ("max", lambda x: x.max(0).values),
        ("max", lambda x: x.max(0).indices),
        ("max", lambda x: x.detach().half().view(2, 1).max(1).indices),
        ("topk", lambda x: x.detach().half().topk(1).values),
        ("randn", lambda x: torch.randn(2)),
    ],
)
def test_what_made_it_whichever_way(op, make):
    with lines():
        result = record_of(make(torch.ones(2, requires_grad=True)))
    assert result.op == op
    assert result.place.file == __file__


def test_a_custom_function_is_recorded_under_its_name():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    with lines():
        doubled = Double.apply(torch.ones(2, requires_grad=True))
    made = record_of(doubled)
    assert made.op == "Double" and made.place.text == "doubled = Double.apply(torch.ones(2, requires_grad=True))"
    assert made.sources[0][1].op == "ones"


@pytest.mark.parametrize(
    ("reason", "make"),
    [
        ("detach", lambda x: x.detach()),
        ("detach", lambda x: x.data),
        ("not differentiable", lambda x: x.argmax()),
        ("not differentiable", lambda x: x.long()),
        ("no_grad", lambda x: torch.no_grad()(torch.exp)(x)),
        ("not differentiable", lambda x: x.max(0).indices),
        (None, lambda x: x.max(0).values),
        (None, lambda x: x * 2),
        (None, lambda x: torch.ones(2) * 2),
    ],
)
def test_whether_and_why_the_gradient_is_cut(reason, make):
    with lines():
        cut = nearest_cut(record_of(make(torch.ones(2, requires_grad=True))))
    assert (None if cut is None else cut.cut) == reason


def test_writes_are_remembered_the_last_ones():
    with lines():
        x = torch.zeros(3)
        for _ in range(WRITES + 5):
            x.add_(1)
        x[0] = 5
        x.view(3).mul_(2)
    *_, assigned, multiplied = x._storage.writes
    assert len(x._storage.writes) == WRITES
    assert assigned[1].text == "x[0] = 5"
    assert multiplied == (x._version, multiplied[1], "mul_")


def test_the_place_of_backward_is_left_in_what_it_freed():
    with lines():
        x = torch.ones(2, requires_grad=True)
        loss = (x * x).sum()
        loss.backward()
    freed = freed_by(loss.grad_fn.next_functions[0][0])
    assert freed.place.text == "loss.backward()"


def test_a_record_keeps_no_tensor_alive():
    with lines():
        x = torch.ones(1000, requires_grad=True)
        memory = weakref.ref(x._array)
        y = (x * 2).detach()
        del x
    gc.collect()
    assert memory() is None
    assert y._made.sources[0][1].op == "mul"


def test_a_running_average_does_not_keep_its_whole_past():
    with lines():
        average = torch.zeros(1)
        for _ in range(3 * DEEPEST):
            average = average * 0.9
    length, made = 0, average._made
    while made.sources:
        made, length = made.sources[0][1], length + 1
    assert length <= DEEPEST


def test_a_long_chain_is_freed_without_recursion():
    with lines():
        x = torch.ones(1, requires_grad=True)
        for _ in range(30_000):
            x = x + 1
    del x


def test_threads_are_recorded_as_well():
    results = []
    with lines():
        thread = threading.Thread(target=lambda: results.append(torch.ones(2) + 1))
        thread.start()
        thread.join()
    assert results[0]._made.op == "add" and results[0]._made.place.file == __file__


def test_copies_and_pickles_leave_the_record_behind():
    with lines():
        x = torch.ones(2) + 1
    for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert torch.equal(other, x)
        assert other._made is None


def train(steps=5):
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Conv1d(1, 2, 3), torch.nn.BatchNorm1d(2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(12, 3)
    )
    optimizer = torch.optim.Adam(net.parameters())
    losses = []
    for _ in range(steps):
        x, y = torch.randn(4, 1, 8), torch.randint(3, (4,))
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_no_number_changes():
    plain = train()
    with lines():
        assert train() == plain


def run_with(environment, program):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(("value", "recorded"), [("1", "True"), ("0", "False"), ("", "False")])
def test_the_environment_switches_it_on(value, recorded):
    program = "import rushlight as torch; print((torch.ones(2) + 1)._made is not None)"
    assert run_with({"RUSHLIGHT_LINES": value}, program) == recorded


def test_an_interactive_session_switches_it_on():
    program = "import sys; sys.ps1 = '>>> '; import rushlight as torch; print((torch.ones(2) + 1)._made is not None)"
    assert run_with({}, program) == "True"


def test_a_program_that_does_not_ask_does_not_import_it():
    assert run_with({}, "import sys, rushlight; print('rushlight.explain' in sys.modules)") == "False"


@pytest.mark.parametrize("order", ["lines inside", "watch inside"])
def test_lines_and_the_watch_go_together(order):
    outer, inner = (torch.watch, lines) if order == "lines inside" else (lines, torch.watch)
    before = objects.tensor, torch.autograd.gradients.backward_of_scalar
    with outer(), inner():
        w = torch.ones(3, requires_grad=True)
        loss = (w * w).sum()
        loss.backward()
        assert loss.grad_fn.made.place.text == "loss = (w * w).sum()"
        assert freed_by(loss.grad_fn.next_functions[0][0]).place.text == "loss.backward()"
    assert (objects.tensor, torch.autograd.gradients.backward_of_scalar) == before
    assert w.grad.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("name", "call", "operands"),
    [
        ("getitem", lambda x: x[1], ["input"]),
        ("getitem", lambda x: x[1:], ["input"]),
        ("linear", lambda x: torch.nn.functional.linear(x, x, x[0]), ["input", "weight", "bias"]),
    ],
)
def test_what_is_written_out_as_a_primitive_keeps_its_name_and_operands(name, call, operands):
    x = torch.ones(2, 2, requires_grad=True)
    with lines():
        made = call(x)._made
    assert (made.op, [operand for operand, _, _ in made.sources]) == (name, operands)


WAYS_TO_WRITE = [
    lambda x, y: x.add_(y),
    lambda x, y: x.__iadd__(y),
    lambda x, y: x.sub_(y, alpha=2),
    lambda x, y: x.exp_(),
    lambda x, y: x.fill_(2.0),
    lambda x, y: x.zero_(),
    lambda x, y: x.copy_(y),
    lambda x, y: x.clamp_(0, 1),
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=["in short", "the long way"])
@pytest.mark.parametrize("way", WAYS_TO_WRITE)
def test_a_write_is_noted_with_the_line_that_called_it(dtype, way):
    x = torch.ones(2, dtype=dtype)
    way(x, torch.ones(2, dtype=dtype))
    version, (code, _), by = x._storage.last
    assert version == x._version == 1 and code is way.__code__ and callable(by)


def test_a_function_under_another_name_is_recorded_as_the_operator():
    import rushlight

    with rushlight.explain.lines():
        found = rushlight.special.i0(rushlight.ones(2))
    assert found._made.op == "i0"
