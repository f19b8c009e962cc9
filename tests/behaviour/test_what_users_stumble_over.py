"""What users of PyTorch stumble over, as their programs: what is said, and the lines that it names.

Each program is a plain script, run from a file with nothing switched on. A line that the answer has to name ends in a
comment, `# made`; what is expected names it in braces, `{made}`.
"""

import gc
import io
import re
import sys
import textwrap
import threading
import traceback
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import rushlight
from rushlight.declarations.declare import Op
from rushlight.explain.watch import watch
from rushlight.explain.watch.finding import Finding


@pytest.fixture
def run(tmp_path):
    """Runs a program from a file of its own: gives what it prints, with the words of the error that ends it."""

    def run(text):
        text = textwrap.dedent(text).lstrip()
        file = tmp_path / "train.py"
        file.write_text(text)
        said = io.StringIO()
        with redirect_stdout(said):
            try:
                exec(compile(text, str(file), "exec"), {"torch": rushlight, "__name__": "__main__"})
            except (RuntimeError, TypeError, ValueError, IndexError, Finding) as error:
                said.write("".join(traceback.format_exception_only(error)))
        return said.getvalue()

    return run


def check(run, program, *expected):
    """That a program is answered in these words, and with the lines that are marked in it."""
    said = run(program)
    marks = {mark: f"train.py:{n}" for n, mark in numbered(program)}
    for each in expected:
        assert each.format(**marks) in said, said


def numbered(program):
    lines = textwrap.dedent(program).lstrip().splitlines()
    return [(n, result[1]) for n, line in enumerate(lines, 1) if (result := re.search(r"# (\w+)$", line))]


# ---- memory that grows: `rushlight.graphs()`


def test_losses_that_are_collected_with_their_graphs(run):
    program = """
        net = torch.nn.Linear(3, 1)
        losses = []
        for step in range(12):
            loss = net(torch.ones(4, 3)).pow(2).mean()  # made
            loss.backward()
            losses.append(loss)
        print(torch.graphs())
    """
    check(
        run, program, "{made}", "`loss = net(torch.ones(4, 3)).pow(2).mean()  # made`",
        "12 graphs of 36 operations. Kept for backward: nothing, backward() has freed it.",
        "Held by the list `losses` (12) and `loss`.", "To write: collect loss.item(), a number",
    )  # fmt: skip


def test_a_sum_that_grows_with_every_pass(run):
    program = """
        w = torch.ones(3, requires_grad=True)
        total = 0
        for step in range(7):
            loss = (w * w).sum()
            loss.backward()
            total += loss
        print(torch.graphs())
    """
    check(
        run, program, "1 graph of 21 operations.", "7 calls of backward() have run through it, and it grows with each.",
        "Held by `total`.", "To write: ",
    )  # fmt: skip


def test_graphs_that_wait_in_attributes_and_containers(run):
    program = """
        class Trainer:
            def run(self, w):
                self.logs = {"loss": [(w * w).sum() for _ in range(3)]}
                self.best = w.exp()
        trainer = Trainer()
        trainer.run(torch.ones(3, requires_grad=True))
        print(torch.graphs())
    """
    check(run, program, "Held by `.logs` of a Trainer (3).", "Held by `.best` of a Trainer.", "Kept for backward: 12 ")


def test_a_graph_that_a_buffer_keeps_is_held_by_the_name_of_the_buffer(run):
    program = """
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("running", torch.zeros(1))
            def forward(self, x):
                self.running = self.running * 0.9 + x.mean()
        model = Model()
        model(torch.ones(3, requires_grad=True))
        print(torch.graphs())
    """
    check(run, program, "Held by `.running` of a Model.")


def test_thousands_of_graphs_are_counted_in_one_pass(run, monkeypatch):
    asked, find = [], gc.get_referrers
    monkeypatch.setattr(gc, "get_referrers", lambda *given: asked.append(given) or find(*given))
    program = """
        w = torch.ones(3, requires_grad=True)
        h, kept = w, []
        for step in range(1000):
            h = h.tanh()
            kept.append(h.sum())
        print(torch.graphs())
    """
    check(run, program, "1,000 graphs of 2,000 operations", "Held by the list `kept` (1000)")
    assert len(asked) < 20  # each looks at every object there is


def test_the_memory_of_parameters_is_not_counted(run):
    program = """
        w = torch.ones(1000, requires_grad=True)
        kept = w * w  # made
        print(torch.graphs())
    """
    check(run, program, "{made}", "1 graph of 1 operation. Kept for backward: nothing.", "Held by `kept`.")


def test_a_node_holds_its_graph_too(run):
    check(run, "kept = torch.ones(3, requires_grad=True).exp().grad_fn\nprint(torch.graphs())", "Held by `kept`.")


def test_graphs_of_which_nothing_is_left_are_not_counted():
    before = rushlight.graphs().facts["count"]
    w = rushlight.ones(3, requires_grad=True)
    kept = [w.exp(), (w * 2).sum()]
    assert rushlight.graphs().facts["count"] == before + 2
    kept.append(kept[1] * 2)  # a later step of the same graph
    assert rushlight.graphs().facts["count"] == before + 2
    del kept
    assert rushlight.graphs().facts["count"] == before


# ---- mistakes as errors: `rushlight.strict()`

STRICT = {
    "a loss that broadcasts": (
        """
        with torch.strict():
            prediction = torch.zeros(8, 1, requires_grad=True)
            loss = ((prediction - torch.zeros(8)) ** 2).mean()  # line
            loss.backward()
        """,
        "broadcast to (8, 8)", "loss = ((prediction - torch.zeros(8).unsqueeze(1)) ** 2).mean()",
    ),
    "a forgotten zero_grad": (
        """
        with torch.strict():
            net = torch.nn.Linear(3, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for step in range(3):
                net(torch.ones(3)).sum().backward()
                optimizer.step()  # line
        """,
        "has added the new gradients to those of earlier steps", "optimizer.zero_grad()",
    ),
    "a write through .data": (
        """
        with torch.strict():
            w = torch.ones(3, requires_grad=True)
            y = w.exp()
            y.data[0] = 0  # line
            y.sum().backward()
        """,
        "write through .data changes a value that exp()", "under `with torch.no_grad():`",
    ),
    "layers in a plain list": (
        """
        with torch.strict():
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.head = torch.nn.Linear(3, 1)
                    self.layers = [torch.nn.Linear(3, 3)]  # line
                def forward(self, x):
                    return self.head(self.layers[0](x))
            net = Net()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for step in range(5):
                optimizer.zero_grad()
                net(torch.ones(3)).sum().backward()
                optimizer.step()
        """,
        "`layers` of Net is a plain list", "nn.ModuleList",
    ),
}  # fmt: skip


@pytest.mark.usefixtures("functions_of_numpy")
@pytest.mark.parametrize("name", STRICT)
def test_strict_raises(run, name):
    program, *expected = STRICT[name]
    check(run, program, "rushlight.watch.Finding: ", *expected, "The line: {line}")
    said = run(program.replace("torch.strict()", "torch.enable_grad()"))
    assert "Finding" not in said  # nothing is raised by default


def test_strict_lasts_until_it_is_ended(run):
    before = list(watch._on)
    rushlight.strict()
    try:
        with rushlight.strict():  # once more changes nothing
            assert len(watch._on) == len(before) + 1
        assert len(watch._on) == len(before) + 1
    finally:
        rushlight.strict(False)
    assert watch._on == before


def test_strict_lets_pass_what_is_only_wasteful(run):
    program = """
        with torch.strict():
            w = torch.ones(3, requires_grad=True)
            losses = []
            for step in range(15):
                loss = (w * w).sum()
                loss.backward()
                losses.append(loss)
            print("done")
    """
    check(run, program, "done")


# ---- dtypes that do not fit


def test_numpy_numbers_in_a_layer_are_traced_to_the_line_they_came_from(run):
    program = """
        import numpy as np
        data = np.random.normal(size=(8, 3))  # numbers
        x = torch.from_numpy(data)  # tensor
        net = torch.nn.Linear(3, 2)
        net(x)
    """
    check(
        run, program, "RuntimeError: mat1 and mat2 must have the same dtype, but got Double and Float",
        "`x` is float64, made at {tensor} (`x = torch.from_numpy(data)", "from `data` at {numbers} (`data = np.random",
        "Cure: x = torch.from_numpy(data).float()", "in net = Linear(",
    )  # fmt: skip


def test_they_are_traced_through_the_functions_that_are_running(run):
    program = """
        import numpy as np
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(3, 2)
            def forward(self, x):
                x = x.flatten(1)  # inside
                return self.layer(x)
        def main():
            data = np.ones((8, 3))  # numbers
            inputs = torch.tensor(data)  # tensor
            return Net()(inputs)
        main()
    """
    check(
        run, program, "`x` is float64, made at {inside}", "from `inputs` at {tensor}", "from `data` at {numbers}",
        "Cure: inputs = torch.tensor(data).float()",
    )  # fmt: skip


def test_classes_of_a_wrong_kind_are_named(run):
    program = """
        labels = torch.tensor([0, 1], dtype=torch.int32)  # labels
        torch.nn.functional.cross_entropy(torch.zeros(2, 3), labels)
    """
    check(
        run, program, "expected target dtype to be Long or Byte, but got Int", "`labels` is int32, made at {labels}",
        "Cure: torch.nn.functional.cross_entropy(torch.zeros(2, 3), labels.long())",
    )  # fmt: skip


def test_a_tensor_without_a_name_gets_the_usual_note(run):
    said = run("torch.ones(2, 2) @ torch.ones(2, dtype=torch.float64)")
    assert "Matrix products do not promote" in said and "made at" not in said


# ---- nodes that say what they are


def test_the_docstring_of_a_node_has_its_formula_and_what_it_keeps():
    y = rushlight.ones(2, requires_grad=True).exp()
    said = y.grad_fn.__doc__
    assert said == type(y.grad_fn).__doc__
    assert said.startswith("The recorded step of exp().")
    assert "The gradient of `input`:\n\n    g * F.conj(out)\n" in said
    assert "Kept for backward, as far as it is needed: `out` (a result)." in said
    assert "Declared in declarations/exponential.py." in said


def test_of_several_results_the_gradients_have_their_names():
    said = rushlight.linalg.qr(rushlight.eye(2, requires_grad=True))[0].grad_fn.__doc__
    assert "`g_Q` and `g_R` are the gradients of `Q` and `R`" in said and "qr_gradient(F, g_Q, g_R, Q, R)" in said


def test_help_shows_it(capsys):
    import pydoc

    said = pydoc.plain(pydoc.render_doc(rushlight.ones(2, requires_grad=True).sin().grad_fn))
    assert "The recorded step of sin()." in said and "g * F.conj(F.cos(input))" in said


def test_the_docstrings_that_were_written_are_as_they_were():
    leaf = rushlight.ones(2, requires_grad=True).exp().grad_fn.next_functions[0][0]
    assert leaf.__doc__.startswith("The end of the graph at a tensor that requires grad")
    assert rushlight.autograd.graph.Node.__doc__.startswith("A recorded step.")

    class Doubled(rushlight.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    node = Doubled.apply(rushlight.ones(2, requires_grad=True)).grad_fn
    assert node.__doc__ == "The recorded step of Doubled, a Function of the program."


def test_every_node_says_what_it_is():
    kinds = [rushlight.autograd.graph.Node]
    for each in kinds:
        kinds += each.__subclasses__()
    said = [each.__doc__ for each in kinds if isinstance(getattr(each, "op", None), Op)]
    assert len(said) > 300
    for each in said:
        assert (
            each.startswith("The recorded step of ") and "for backward" in each and "Declared in declarations/" in each
        )


# ---- what there is in a tensor, in a line


def test_a_tensor_in_a_line(run):
    program = """
        w = torch.linspace(-1, 1, 24, requires_grad=True)
        y = (w * w).view(4, 6)  # made
        print(torch.explain(y, summary=True))
        print(torch.explain(w.detach().log(), summary=True))
        print(torch.explain(torch.nn.Linear(3, 2), summary=True))
        print(y)
    """
    check(
        run, program, "y: 4 x 6, torch.float32, on cpu, 96 bytes; from 0.00189 to 1, mean 0.3623",
        "gradient: goes back through", "█", "; 12 NaN; gradient: none, it does not require grad",
        "Linear: 8 of 8 parameters trained, 32 bytes, in training mode", "tensor([[1.0000",
    )  # fmt: skip


def test_there_is_no_summary_of_an_error():
    with pytest.raises(TypeError, match="a summary of tensors and modules, not of ValueError"):
        rushlight.explain(ValueError("no"), summary=True)


# ---- NumPy's reductions of tensors

ARRAY = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]], dtype=np.float32)
REDUCTIONS = "sum mean prod max min amax amin std var any all".split()


@pytest.mark.parametrize("keywords", [{}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"keepdims": True}], ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_of_numpy_gives_a_tensor_and_keeps_the_gradient(name, keywords):
    x = rushlight.tensor(ARRAY, requires_grad=True)
    got, expected = getattr(np, name)(x, **keywords), getattr(np, name)(ARRAY, **keywords)
    assert type(got) is rushlight.Tensor and got.requires_grad == (name not in ("any", "all"))
    np.testing.assert_allclose(got.detach().numpy(), expected, rtol=1e-6)
    assert got.shape == np.shape(expected)


def test_their_other_arguments():
    x = rushlight.tensor(ARRAY, requires_grad=True)
    np.testing.assert_allclose(np.std(x, ddof=1).item(), np.std(ARRAY, ddof=1), rtol=1e-6)
    assert np.sum(x, dtype=np.float64).dtype is rushlight.float64
    for refused in ({"where": ARRAY > 1}, {"initial": 3.0}, {"out": ARRAY}):
        with pytest.raises(TypeError, match="unexpected keyword argument"):
            np.sum(x, **refused)


def test_a_plot_of_a_tracked_tensor_says_what_to_write(run):
    program = """
        import numpy as np
        w = torch.ones(3, requires_grad=True)
        y = w * 2  # made
        np.asarray(y)
    """
    check(
        run, program, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        "`y` requires grad, because mul() at {made}", "NumPy arrays have no gradients",
        "Cure: y.detach().numpy()",
    )  # fmt: skip


# ---- dtypes that PyTorch has and NumPy knows


def test_bfloat16_goes_to_numpy_on_the_same_memory():
    x = rushlight.tensor([1.0, 2.5], dtype=rushlight.bfloat16)
    array = x.numpy()
    assert str(array.dtype) == "bfloat16" and array.astype(np.float32).tolist() == [1.0, 2.5]
    array[0] = 3
    assert x[0].item() == 3.0


@pytest.mark.parametrize("name", ["uint16", "uint32", "uint64"])
def test_integers_without_a_sign_are_computed_with(name):
    x = rushlight.tensor([1, 250], dtype=getattr(rushlight, name))
    results = x + 1, x * x, x // 2, x.max(), x.sort()[0], x > 2
    numpy = x.numpy()
    expected = numpy + 1, numpy * numpy, numpy // 2, numpy.max(), np.sort(numpy), numpy > 2
    for one, other in zip(results, expected, strict=True):
        assert one.tolist() == other.tolist()
    assert results[0].dtype is x.dtype


# ---- errors that name the lines


def test_a_hidden_state_that_is_carried_over(run):
    program = """
        w = torch.ones(3, 3, requires_grad=True)
        h = torch.zeros(3)
        for step in range(3):
            h = torch.tanh(w @ h)  # made
            loss = h.sum()
            loss.backward()  # freed
    """
    check(
        run, program, "Trying to backward through the graph a second time", "made at {made} (`h = torch.tanh",
        "at {freed} has already freed", "It reaches that graph through `h`, which was computed before",
        "Cure: h = h.detach()", "retain_graph=True would keep the graph of every pass",
    )  # fmt: skip


def test_labels_that_were_computed_from_a_parameter(run):
    program = """
        scale = torch.ones(3, requires_grad=True)
        labels = scale.exp()  # made
        w = torch.ones(3, requires_grad=True)
        for step in range(2):
            loss = ((w - labels) ** 2).mean()
            loss.backward()  # freed
    """
    check(
        run,
        program,
        "made at {made}",
        "at {freed} has already freed",
        "`labels`",
        "Cure: labels = scale.exp().detach()",
    )


def test_a_value_that_was_overwritten(run):
    program = """
        a = torch.ones(3, requires_grad=True)
        b = a.exp()  # saved
        b += 1  # changed
        b.sum().backward()
    """
    check(run, program, "exp() at {saved}", "saved its result for backward, and {changed}", "Cure: b = b + 1")


@pytest.mark.parametrize(
    ("line", "because", "cure"),
    [
        ("seen = net(x).detach()", "detach() returns the values without the graph", "Cure: seen = net(x)"),
        ("seen = net(x).argmax(1).float()", "argmax() returns integers or booleans", "scores, not their argmax"),
    ],
)
def test_a_loss_that_was_cut_off(run, line, because, cure):
    program = f"""
        net, x = torch.nn.Linear(3, 2), torch.ones(4, 3)
        {line}  # cut
        loss = (seen - 1).pow(2).mean()  # loss
        print(torch.why_no_grad(net.weight, loss))
        loss.backward()
    """
    check(
        run, program, "The gradient of `net.weight` from `loss`:", "At {cut} (`" + line, because, cure,
        "element 0 of tensors does not require grad and does not have a grad_fn", "`loss` is computed at {loss}",
    )  # fmt: skip


def test_a_parameter_that_was_not_used_has_no_line(run):
    said = run("print(torch.why_no_grad(torch.ones(1, requires_grad=True), torch.ones(3).sum()))")
    assert "The loss does not depend on it. Either it was not used" in said


def test_a_layer_that_does_not_fit_is_named_by_its_path(run):
    program = """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.ReLU(), torch.nn.Linear(4, 2))
            def forward(self, x):
                return self.body(x)
        net = Net()
        net(torch.ones(8, 3))
    """
    check(
        run, program, "mat1 and mat2 shapes cannot be multiplied (8x5 and 4x2)", "in net.body.2 = Linear(",
        "the input is (8, 5); its last dimension must be 4", "The input came from net.body.1 (ReLU) <- net.body.0",
    )  # fmt: skip


def test_a_row_that_the_table_has_not(run):
    program = """
        table = torch.nn.Embedding(3, 2)
        table(torch.tensor([[0, 5]]))
    """
    check(run, program, "index out of range in self", "in table = Embedding(3, 2)", "from 0 to 5, and the table has")


def test_a_gradient_that_is_nan_from_the_branch_not_taken(run):
    program = """
        x = torch.tensor([0.0, 4.0], requires_grad=True)
        loss = torch.where(x > 0, x.sqrt(), 0.0).sum()  # born
        print(torch.explain_nan(loss))
    """
    check(
        run,
        program,
        "sqrt() at {born}",
        "sends nan to `input` at [0]",
        "torch.where did not choose this branch",
        "torch.where(",
    )


def test_backward_of_more_than_one_number(run):
    program = """
        y = torch.ones(32, requires_grad=True) * 2  # made
        y.backward()
    """
    check(
        run, program, "grad can be implicitly created only for scalar outputs", "`y`, made at {made}",
        "has shape (32,)", "Cure: y.mean().backward() or y.sum().backward(), or y.backward(gradient)",
    )  # fmt: skip


def test_a_parameter_that_is_changed_in_place(run):
    program = """
        net = torch.nn.Linear(2, 1)
        net.weight += 1  # line
    """
    check(
        run, program, "a leaf Variable that requires grad is being used in an in-place operation", "{line}",
        "Cure: with torch.no_grad():\n          net.weight += 1",
    )  # fmt: skip


def test_a_step_backwards_says_what_to_write(run):
    check(run, "torch.arange(3)[::-1]", "step must be greater than zero", "tensor.flip(dim)")


def test_a_checkpoint_with_more_than_weights_names_all_that_it_asks_for(tmp_path):
    import argparse
    import pickle

    file = tmp_path / "a.pt"
    rushlight.save({"loss": np.float64(3), "args": argparse.Namespace(lr=1)}, file)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed") as reported:
        rushlight.load(file)
    (note,) = reported.value.__notes__
    assert "argparse.Namespace" in note and "multiarray.scalar" in note and "rushlight.inspect(file)" in note


def test_the_readme_shows_what_comes(run):
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    program, shown = re.search(r"```python\n(import torch\n.*?)```.*?```text\n(.*?)```", readme, re.DOTALL).groups()
    first, *note = shown.splitlines()
    said = run(program.replace("import torch\n", "import rushlight as torch\n")).splitlines()
    assert said[0].startswith(first.removesuffix("...").rstrip()) and said[1:] == note


def test_looking_for_tensors_leaves_other_threads_alone():
    """A reference to a tuple that is just being built lets its thread fail with SystemError; tensors are half made."""
    failed, done = [], threading.Event()

    def build():
        while not done.is_set():
            try:
                tuple(number for number in range(200))
                rushlight.zeros(2)[1:].detach()
            except SystemError as error:
                failed.append(error)

    thread = threading.Thread(target=build)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread.start()
    try:
        for _ in range(100):
            x = rushlight.zeros(3)
            kept = x[1:]
            x.untyped_storage().resize_(32)
    finally:
        done.set()
        thread.join()
        sys.setswitchinterval(interval)
    assert not failed and kept.tolist() == [0, 0]


def test_a_tensor_that_another_thread_is_just_making_is_passed_over():
    half = object.__new__(rushlight.Tensor)
    x = rushlight.zeros(3)
    half._array = x._array[1:]
    kept = x[1:]
    x.untyped_storage().resize_(32)
    assert kept.tolist() == [0, 0]
