"""Each error that people meet: the failing program fails so in PyTorch too, and the note names the lines."""

import linecache
import textwrap

import pytest

import rushlight
from rushlight.core.errors import EXPLAINER
from rushlight.explain.errors import KINDS, kind_of
from rushlight.explain.recording import lines


def by_name(kind):
    return kind.name


def run(torch, text):
    text = textwrap.dedent(text)
    name = f"<example {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)  # so that it can be read
    exec(compile(text, name, "exec"), {"torch": torch})


def program(tmp_path, text):
    """Runs a program from a file with lines recorded; the exception it raises, and the numbers of its marked lines.

    A line is marked by a comment: `# made`, `# freed`.
    """
    text = textwrap.dedent(text).lstrip("\n")
    file = tmp_path / "train.py"
    file.write_text(text)
    linecache.checkcache(str(file))
    marks = {line.partition("# ")[2]: number for number, line in enumerate(text.split("\n"), 1) if "# " in line}
    with lines(), pytest.raises(Exception) as failure:
        exec(compile(text, str(file), "exec"), {"torch": rushlight})
    return failure.value, marks


def note(error):
    return "\n".join(error.__notes__)


@pytest.mark.parametrize("kind", KINDS, ids=by_name)
def test_the_failing_example_fails_as_described(torch, kind):
    with pytest.raises(kind.type) as failure:
        run(torch, kind.failing)
    assert kind.matches(failure.value)


@pytest.mark.parametrize("kind", KINDS, ids=by_name)
def test_the_repaired_example_runs(torch, kind):
    run(torch, kind.repaired)


@pytest.mark.parametrize("kind", KINDS, ids=by_name)
def test_an_example_is_recognised_and_explained(kind):
    with lines(), pytest.raises(kind.type) as failure:
        run(rushlight, kind.failing)
    result = rushlight.explain(failure.value)
    assert result.facts["error"] == kind.name
    assert kind.meaning in str(result)


def test_another_exception_is_of_no_kind():
    assert kind_of(KeyError("x")) is None
    assert rushlight.explain(KeyError("x")).facts["error"] is None


def test_names_are_unique():
    assert len({kind.name for kind in KINDS}) == len(KINDS)


# ---- the lines that notes name


def test_a_second_backward_names_where_the_graph_was_made_and_freed(tmp_path):
    error, marks = program(
        tmp_path,
        """
        w = torch.ones(3, requires_grad=True)
        loss = (w * w).sum()  # made
        loss.backward()  # freed
        loss.backward()
        """,
    )
    assert f"made at train.py:{marks['made']} " in note(error)
    assert f"at train.py:{marks['freed']} has already freed" in note(error)
    assert f"Cure: leave out line {marks['freed'] + 1} (`loss.backward()`)" in note(error)


def test_a_state_that_is_carried_over_is_named(tmp_path):
    error, marks = program(
        tmp_path,
        """
        w = torch.ones(3, 3, requires_grad=True)
        h = torch.zeros(3)
        for step in range(2):
            h = torch.tanh(w @ h)  # made
            loss = h.sum()
            loss.backward()  # freed
        """,
    )
    assert f"train.py:{marks['made']} (`h = torch.tanh(w @ h)" in note(error)
    assert f"at train.py:{marks['freed']} has already freed" in note(error)
    assert "through `h`, which was computed before that call" in note(error)
    assert "Cure: h = h.detach()" in note(error)


def test_what_was_freed_is_counted(tmp_path):
    error, marks = program(
        tmp_path,
        """
        w = torch.ones(50, requires_grad=True)
        first = w.exp()
        second = w.exp()  # made
        first.sum().backward()
        second.sum().backward()  # freed
        (first * second * w).sum().backward()
        """,
    )
    # Each exp keeps its result, 50 numbers of 4 bytes
    assert f"`second.sum().backward()` at train.py:{marks['freed']} has already freed.\n" in (note(error))


def test_the_line_that_overwrote_a_saved_value_is_named(tmp_path):
    error, marks = program(
        tmp_path,
        """
        a = torch.ones(3, requires_grad=True)
        b = a.exp()  # saved
        b += 1  # written
        b.sum().backward()
        """,
    )
    assert f"exp() at train.py:{marks['saved']} (`b = a.exp()" in note(error)
    assert f"saved its result for backward, and train.py:{marks['written']} (`b += 1" in note(error)
    assert note(error).endswith("Cure: b = b + 1")


def test_the_first_of_several_writes_is_named(tmp_path):
    error, marks = program(
        tmp_path,
        """
        a = torch.ones(3, requires_grad=True)
        b = a * 2
        b.mul_(3)
        c = b * b
        b.add_(1)  # written
        b.zero_()
        c.sum().backward()
        """,
    )
    assert f"train.py:{marks['written']} " in note(error)
    assert "Cure: b = b.add(1)" in note(error)


def test_a_step_between_two_backwards_is_named(tmp_path):
    error, marks = program(
        tmp_path,
        """
        w = torch.nn.Parameter(torch.ones(3))
        optimizer = torch.optim.SGD([w], lr=0.1)
        loss = (w * w).sum()
        loss.backward(retain_graph=True)
        optimizer.step()  # written
        loss.backward()
        """,
    )
    assert f"train.py:{marks['written']} " in note(error)
    assert "before the optimizer's step()" in note(error)


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "LBFGS"])
def test_the_step_of_an_optimizer_is_called_so(optimizer):
    w = rushlight.nn.Parameter(rushlight.ones(3))
    with lines():
        chosen = getattr(rushlight.optim, optimizer)([w], lr=0.1)

        def closure():
            chosen.zero_grad()
            loss = (w * w).sum()
            loss.backward()
            return loss

        chosen.step(closure)
    assert w._storage.writes[-1][2] == "step"


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        ("net(x).detach()", "detach() at"),
        ("net(x).data", ".data at"),
        ("net(x).argmax(1).float()", "argmax() at"),
        ("net(x).long().float()", "at"),
        ("(net(x) > 0).float()", "gt() at"),
    ],
)
def test_what_cut_the_history_of_a_loss_is_named(tmp_path, cut, words):
    error, marks = program(
        tmp_path,
        f"""
        net, x = torch.nn.Linear(3, 4), torch.ones(2, 3)
        prediction = {cut}  # cut
        loss = (prediction - 1).mean()  # loss
        loss.backward()
        """,
    )
    assert f"`loss` was computed at train.py:{marks['loss']} " in note(error)
    assert f"{words} train.py:{marks['cut']} " in note(error)


def test_no_grad_is_named(tmp_path):
    error, marks = program(
        tmp_path,
        """
        net, x = torch.nn.Linear(3, 4), torch.ones(2, 3)
        with torch.no_grad():
            prediction = net(x)  # cut
        loss = (prediction - 1).mean()
        loss.backward()
        """,
    )
    assert f"linear() at train.py:{marks['cut']} (`prediction = net(x)" in note(error)
    assert "ran under no_grad" in note(error)


def test_a_loss_of_constants_names_where_they_came_from(tmp_path):
    error, marks = program(
        tmp_path,
        """
        x = torch.ones(3)  # constant
        loss = (x * 2).sum()
        loss.backward()
        """,
    )
    assert f"`x` comes from ones() at train.py:{marks['constant']} " in note(error)


def test_the_shape_and_the_line_of_what_is_no_scalar(tmp_path):
    error, marks = program(
        tmp_path,
        """
        x = torch.ones(32, requires_grad=True)
        y = x * 2  # made
        y.backward()
        """,
    )
    assert f"`y`, made at train.py:{marks['made']} " in note(error)
    assert "(32,)" in note(error) and "y.mean().backward()" in note(error)


def test_numpy_names_what_made_the_tensor_require_grad(tmp_path):
    error, marks = program(
        tmp_path,
        """
        x = torch.ones(3, requires_grad=True)
        y = x * 2  # made
        y.numpy()
        """,
    )
    assert f"mul() at train.py:{marks['made']} " in note(error)
    assert "Cure: y.detach().numpy()" in note(error)


def test_a_leaf_in_place_names_the_line_and_shows_it_repaired(tmp_path):
    error, marks = program(
        tmp_path,
        """
        w = torch.ones(3, requires_grad=True)  # made
        w -= 0.1  # written
        """,
    )
    assert f"train.py:{marks['written']} (`w -= 0.1" in note(error)
    assert f"made at train.py:{marks['made']} " in note(error)
    assert "with torch.no_grad():\n          w -= 0.1" in note(error)


def test_kernels_are_no_part_of_the_program(tmp_path):
    error, marks = program(
        tmp_path,
        """
        torch.ones(1 << 16) + 1
        a = torch.ones(8, 5)
        torch.cat([a, torch.zeros(4, 2)])  # joined
        """,
    )
    assert rushlight.explain(error).facts["line"] == marks["joined"]


@pytest.mark.parametrize("wrong", ["a @ b", "a + b", "torch.cat([a, b])", "torch.mv(a, b)"])
def test_operands_that_do_not_fit_are_named_with_their_lines(tmp_path, wrong):
    error, marks = program(
        tmp_path,
        f"""
        a = torch.ones(8, 5)  # first
        b = torch.zeros(4, 2)  # second
        {wrong}
        """,
    )
    result = rushlight.explain(error)
    text = f"{result}"
    if "cat" not in wrong:
        assert f"ones() at train.py:{marks['first']} " in text
        assert f"zeros() at train.py:{marks['second']} " in text
    assert result.facts["line"] == 3


def test_the_usual_note_stands_where_lines_are_switched_off(monkeypatch):
    monkeypatch.setattr(EXPLAINER, "explain", None)  # as RUSHLIGHT_LINES=0 does
    w = rushlight.ones(3, requires_grad=True)
    loss = (w * w).sum()
    loss.backward()
    with pytest.raises(RuntimeError) as failure:
        loss.backward()
    assert "Two losses share one graph" in note(failure.value)
    result = rushlight.explain(failure.value)
    assert result.facts["error"] == "second-backward"
    assert result.facts["source"] == "loss.backward()"


def test_an_exception_can_be_copied_and_pickled_without_what_it_is_about():
    import copy
    import pickle

    w = rushlight.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError) as failure:
        w.numpy()
    for other in (copy.copy(failure.value), pickle.loads(pickle.dumps(failure.value))):
        assert str(other) == str(failure.value)
        assert rushlight.explain(other).facts["error"] == "numpy-of-tracked"


def test_what_a_custom_function_saved_is_reported_as_well(tmp_path):
    error, marks = program(
        tmp_path,
        """
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, gradient):
                (x,) = ctx.saved_tensors
                return 2 * x * gradient

        x = torch.ones(3, requires_grad=True) * 2
        y = Square.apply(x)  # saved
        x.add_(1)  # written
        y.sum().backward()
        """,
    )
    assert f"Square() at train.py:{marks['saved']} " in note(error)
    assert f"saved an operand for backward, and train.py:{marks['written']} " in note(error)
    assert note(error).endswith("Cure: x = x.add(1)")


def test_where_float64_came_from_is_named(tmp_path):
    error, marks = program(
        tmp_path,
        """
        import numpy as np
        data = torch.from_numpy(np.ones((8, 3)))  # data
        net = torch.nn.Linear(3, 1)
        net(data)
        """,
    )
    assert f"shape (8, 3) and dtype float64; it comes from from_numpy() at train.py:{marks['data']} " in str(
        rushlight.explain(error)
    )
    assert "in net = Linear(in_features=3, out_features=1, bias=True): the input is (8, 3); it holds float64" in note(
        error
    )


def test_an_error_explained_later_has_the_note_of_its_own_line(tmp_path):
    error, _ = program(
        tmp_path,
        """
        w = torch.ones(3, requires_grad=True)
        w -= 0.1
        """,
    )
    with lines():
        assert "history" not in str(rushlight.explain(error))  # a second note, of the line of this call
        assert "rushlight.explain(error)" not in str(rushlight.explain(error))
