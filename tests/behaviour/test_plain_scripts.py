"""Programs run as `python train.py`, with nothing switched on: errors name the lines that made, overwrote and freed."""

import json
import os
import re
import subprocess
import sys
import textwrap
import weakref

import pytest

import rushlight as torch
from rushlight.core.origin import Place
from rushlight.core.source_lines import MOST_FILES, OURS, PROGRAM, outside
from rushlight.explain.graph import freed_by
from rushlight.explain.records import made_of

# What stands around each story: its error's note and the numbers of its marked lines go out as JSON.
AROUND = """
import json, sys
import rushlight as torch
from torch_story import story

def numbers(file):
    return {line.partition("# ")[2].strip(): n for n, line in enumerate(open(file), 1) if "# " in line}

try:
    story(torch)
except RuntimeError as error:
    print(json.dumps(["\\n".join(error.__notes__), numbers("torch_story.py")]))
"""


def told(folder, text, **environment):
    """The note of the error that `story(torch)` raises when it is run from a file, and its marked lines."""
    (folder / "torch_story.py").write_text(textwrap.dedent(text))
    (folder / "train.py").write_text(AROUND)
    source = os.path.dirname(os.path.dirname(torch.__file__))
    done = subprocess.run(
        [sys.executable, "train.py"], capture_output=True, text=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": source, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


SECOND = {
    "a function": """
        def model(w):
            return w * w  # made
        def story(torch):
            loss = model(torch.ones(3, requires_grad=True)).sum()
            loss.backward()  # freed
            loss.backward()
    """,
    "the forward of a module": """
        def story(torch):
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.inner = torch.nn.Linear(3, 3)
                def forward(self, x):
                    return self.inner(x)  # made
            loss = torch.nn.Sequential(Net())(torch.ones(1, 3)).sum()
            loss.backward()  # freed
            loss.backward()
    """,
    "a layer": """
        def story(torch):
            net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3, 3))
            loss = net(torch.ones(1, 3)).sum()  # made
            loss.backward()  # freed
            loss.backward()
    """,
    "a recurrent layer": """
        def story(torch):
            out, _ = torch.nn.LSTM(3, 3)(torch.ones(2, 1, 3))  # made
            loss = out.sum()
            loss.backward()  # freed
            loss.backward()
    """,
    "a composite": """
        def story(torch):
            x = torch.ones(3, requires_grad=True)
            y = torch.nn.functional.huber_loss(x, torch.zeros(3))  # made
            y.backward()  # freed
            y.backward()
    """,
    "a product of matrices": """
        def story(torch):
            w = torch.ones(3, 3, requires_grad=True)
            y = w @ w[0]  # made
            torch.autograd.grad(y.sum(), w)  # freed
            y.sum().backward()
    """,
    "a number in front": """
        def story(torch):
            x = torch.ones(3, requires_grad=True)
            y = 1 / x  # made
            y.sum().backward()  # freed
            y.sum().backward()
    """,
    "a mixture of dtypes": """
        def story(torch):
            x = torch.ones(3, requires_grad=True)
            y = x * torch.ones(3, dtype=torch.float64)  # made
            y.sum().backward()  # freed
            y.sum().backward()
    """,
    "several lines for one call": """
        def story(torch):
            x = torch.ones(3, requires_grad=True)
            y = sum([
                each * each  # made
                for each in (x,)
            ])
            y.sum().backward()  # freed
            y.sum().backward()
    """,
    "a thread": """
        import threading
        def story(torch):
            x, found = torch.ones(3, requires_grad=True), []
            def work():
                found.append(x * x)  # made
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            found[0].sum().backward()  # freed
            found[0].sum().backward()
    """,
    "a generator": """
        def values(x):
            while True:
                x = x * x  # made
                yield x
        def story(torch):
            y = next(values(torch.ones(3, requires_grad=True)))
            y.sum().backward()  # freed
            y.sum().backward()
    """,
    "a hook": """
        def story(torch):
            net = torch.nn.Linear(3, 3)
            net.register_forward_hook(lambda module, x, y: y * y)  # made
            loss = net(torch.ones(1, 3)).sum()
            loss.backward()  # freed
            loss.backward()
    """,
    "a custom function": """
        def story(torch):
            class Square(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x * x
                @staticmethod
                def backward(ctx, g):
                    return 2 * g * ctx.saved_tensors[0]
            y = Square.apply(torch.ones(3, requires_grad=True))  # made
            y.sum().backward()  # freed
            y.sum().backward()
    """,
}


@pytest.mark.parametrize("way", SECOND)
def test_a_second_backward_names_the_lines_of(way, tmp_path):
    note, marks = told(tmp_path, SECOND[way])
    assert f"That graph was made at torch_story.py:{marks['made']} " in note
    freed = rf"at torch_story.py:{marks['freed']} has already freed\.\n.*: \d+ operations?\."
    assert re.search(freed, note)


OVERWRITTEN = {
    "an operator": "b += 1  # written",
    "a method": "b.mul_(2)  # written",
    "an index": "b[0] = 1  # written",
    "several indices": "b[torch.tensor([0, 1])] = 1  # written",
    "a view": "b.view(3)[:2].fill_(0)  # written",
    "a copy": "b.copy_(torch.ones(3))  # written",
    "out=": "torch.add(torch.ones(3), 1, out=b.detach())  # written",
    "an initializer": "torch.nn.init.zeros_(b.detach())  # written",
    "random numbers": "b.detach().normal_()  # written",
}


@pytest.mark.parametrize("way", OVERWRITTEN)
def test_what_overwrote_a_saved_value_is_named(way, tmp_path):
    note, marks = told(
        tmp_path,
        f"""
        def change(torch, b):
            {OVERWRITTEN[way]}
        def story(torch):
            a = torch.ones(3, requires_grad=True)
            b = a.exp()  # saved
            change(torch, b)
            b.sum().backward()
        """,
    )
    assert note.startswith(f"exp() at torch_story.py:{marks['saved']} ")
    assert f"saved its result for backward, and torch_story.py:{marks['written']} " in note


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "Adagrad", "Rprop"])
def test_the_step_of_an_optimizer_that_came_too_early_is_named(optimizer, tmp_path):
    note, marks = told(
        tmp_path,
        f"""
        def story(torch):
            net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
            optimizer = torch.optim.{optimizer}(net.parameters(), lr=0.1)
            out = net(torch.ones(2))  # saved
            out.sum().backward(retain_graph=True)
            optimizer.step()  # written
            out.sum().backward()
        """,
    )
    assert f" at torch_story.py:{marks['saved']} " in note
    assert f"torch_story.py:{marks['written']} (`optimizer.step()" in note
    assert "before the optimizer's step()" in note


def test_a_state_that_is_carried_over_is_named(tmp_path):
    note, marks = told(
        tmp_path,
        """
        def story(torch):
            cell, h = torch.nn.GRUCell(2, 2), torch.zeros(1, 2)
            for step in range(3):
                h = cell(torch.ones(1, 2), h)  # made
                h.sum().backward()  # freed
        """,
    )
    assert f"made at torch_story.py:{marks['made']} " in note
    assert f"at torch_story.py:{marks['freed']} has already freed" in note
    assert "through `h`, which was computed before that call" in note and "Cure: h = h.detach()" in note
    assert note.endswith("(retain_graph=True would keep the graph of every pass in memory: 1 operation so far)")


LOST = {
    "detach": ("prediction = net(x).detach()  # cut", "detach() returns the values without the graph"),
    "data": ("prediction = net(x).data  # cut", ".data returns the values without the graph"),
    "item": ("prediction = torch.tensor(net(x).sum().item())  # cut", "item() returns the values without the graph"),
    "argmax": ("prediction = (net(x).argmax(1) == 1).float()  # cut", "argmax() returns integers or booleans"),
    "comparison": ("prediction = (net(x) > 0).float()  # cut", "a comparison returns integers or booleans"),
    "no_grad": (
        "with torch.no_grad():\n        prediction = net(x)  # cut",
        "`no_grad` is on, and autograd records nothing",
    ),
}


@pytest.mark.parametrize("way", LOST)
def test_what_cut_the_history_of_a_loss_is_read_from_the_text(way, tmp_path):
    line, words = LOST[way]
    text = (
        "def story(torch):\n"
        "    net, x, target = torch.nn.Linear(3, 4), torch.ones(2, 3), torch.ones(1)\n"
        f"    {line}\n"
        "    error = prediction - target.detach()\n"
        "    loss = (error**2).mean()  # computed\n"
        "    loss.backward()\n"
    )
    note, marks = told(tmp_path, text)
    assert note.startswith(f"`loss` is computed at torch_story.py:{marks['computed']} ")
    assert f"from `prediction` at torch_story.py:{marks['cut']} (" in note
    assert words in note and "Cure: " in note


def test_what_is_cut_on_the_line_that_fails_is_read_there(tmp_path):
    note, marks = told(
        tmp_path,
        """
        def story(torch):
            net = torch.nn.Linear(3, 4)
            net(torch.ones(1, 3)).detach().sum().backward()  # cut
        """,
    )
    assert (
        note.startswith(f"It is computed at torch_story.py:{marks['cut']} ")
        and "detach() returns the values without" in note
    )


def test_a_loss_of_data_accuses_nobody(tmp_path):
    note, _ = told(
        tmp_path,
        """
        def story(torch):
            x, target = torch.ones(3), torch.zeros(3)
            loss = (x - target.detach()).sum()
            loss.backward()
        """,
    )
    assert note.startswith("No tensor that requires grad leads to this one")


def test_code_without_a_file_and_cells_of_a_notebook_are_named():
    x = torch.ones(3, requires_grad=True)
    for file, shown in (("<string>", "<string>:2"), ("<ipython-input-12-3f2a>", "In [12]:2")):
        space = {"x": x}
        exec(compile("\ny = x * x", file, "exec"), space)
        assert made_of(space["y"].grad_fn).place.short == shown


def test_it_is_switched_off(tmp_path):
    text = """
        def story(torch):
            x = torch.ones(3, requires_grad=True)
            y = x * x
            y.sum().backward()
            assert y.grad_fn._place is None and x.add(1).add_(1)._storage.last is None
            y.sum().backward()
    """
    note, _ = told(tmp_path, text, RUSHLIGHT_LINES="0")
    assert "torch_story.py" not in note and note.startswith("Two losses share one graph")


def test_what_saves_nothing_notes_nothing():
    x = torch.ones(3, requires_grad=True)
    assert (x + 1).grad_fn._place is None and x.sum().grad_fn._place is None


def test_no_frame_is_kept():
    class Large:
        pass

    def model(x):
        large = Large()
        y = torch.nn.functional.gelu(torch.nn.Linear(3, 3)(x * x))
        y.mul_(2)
        return y, weakref.ref(large)

    y, large = model(torch.ones(3, requires_grad=True))
    assert large() is None
    y.sum().backward()
    assert freed_by(y.grad_fn).place.text == "y.sum().backward()"


def test_columns_tell_which_of_several_steps_on_a_line():
    x = torch.ones(3, requires_grad=True)
    y = (x * x).exp() + x.sin()
    (exp, sin) = (each for each, _ in y.grad_fn.next_functions)
    assert made_of(exp).place.expression == "(x * x).exp()"
    assert made_of(sin).place.expression == "x.sin()"
    assert made_of(exp.next_functions[0][0]).place.expression == "x * x"


def test_the_files_that_are_remembered_are_not_ever_more():
    for number in range(MOST_FILES + 10):
        space = {"outside": outside, "sys": sys}
        exec(compile("found = outside(sys._getframe())", f"<cell {number}>", "exec"), space)
    assert Place(*space["found"]).file == f"<cell {number}>"
    assert len(PROGRAM) <= MOST_FILES + 1 and len(OURS) < 1000


def test_a_thread_that_starts_in_an_operation_has_no_line():
    program = (
        "import _thread, time, rushlight as torch\n"
        "x = torch.ones(3, requires_grad=True)\n"
        "net = torch.nn.Linear(3, 3)\n"
        "for call, given in ((torch.exp, (x,)), (net, (x,)), (x.detach().add_, (1,)), (x.sum().backward, ())):\n"
        "    _thread.start_new_thread(call, given)\n"
        "time.sleep(0.2)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
