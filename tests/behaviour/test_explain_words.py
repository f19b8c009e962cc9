"""`explain(x)`: for each question of the user, the fact and the sentence that answers it."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.explain.recording import lines
from rushlight.explain.result import Explanation


def relations(explanation):
    return {each["name"]: each["relation"] for each in explanation.facts["shares_memory"]}


def test_the_package_is_the_function():
    import rushlight.explain.graph

    assert torch.explain is rushlight.explain
    assert isinstance(torch.explain(torch.ones(2)), Explanation)
    assert rushlight.explain.graph.graph_of


def test_without_an_argument_it_is_about_the_last_exception(monkeypatch):
    try:
        torch.ones(2).view(3)
    except RuntimeError:
        assert torch.explain().facts["type"] == "RuntimeError"
    monkeypatch.setattr("sys.last_value", KeyError("x"), raising=False)
    assert torch.explain().facts["type"] == "KeyError"
    monkeypatch.delattr("sys.last_value")
    with pytest.raises(TypeError, match=r"explain\(\): expected"):
        torch.explain()


@pytest.mark.parametrize("x", [3, "x", None, [1.0]])
def test_anything_else_is_refused(x):
    with pytest.raises(TypeError, match=r"explain\(\): expected a tensor, module, optimizer"):
        torch.explain(x)


def test_a_leaf_with_its_line():
    with lines():
        weight = torch.ones(3, requires_grad=True)
    result = torch.explain(weight)
    assert result.facts["name"] == "weight"
    assert result.facts["is_leaf"] and result.facts["leaf_reason"] == "requires grad"
    assert result.facts["made"]["source"] == "weight = torch.ones(3, requires_grad=True)"
    assert "a leaf that requires grad" in str(result)


def test_a_result_says_what_made_it_and_what_that_is():
    with lines():
        w = torch.ones(3, requires_grad=True)
        result = w.exp()
    actual = torch.explain(result)
    assert actual.facts["made"]["op"] == "exp" and actual.facts["made"]["node"] == "ExpBackward0"
    assert actual.facts["made"]["doc"] == torch.exp.__doc__
    assert "exp() made it at test_explain_words.py" in str(actual)


def test_without_lines_it_says_how_to_get_them():
    result = torch.ones(3, requires_grad=True).sum()  # saves nothing, so nothing is noted of it
    actual = torch.explain(result)
    assert actual.facts["made"] | {"doc": None} == {
        "op": "sum", "doc": None, "file": None, "line": None, "source": None, "node": "SumBackward0"
    }  # fmt: skip
    assert "RUSHLIGHT_LINES=1" in str(actual)


def test_a_detached_tensor_says_where_its_history_ended():
    with lines():
        w = torch.ones(3, requires_grad=True)
        cut = (w * 2).detach()
        later = cut + 1
    result = torch.explain(later)
    assert result.facts["leaf_reason"] == "detach"
    assert "(`cut = (w * 2).detach()`)" in str(result)


def test_who_shares_its_memory():
    x = torch.zeros(4)
    view, whole = x[1:], x.detach()
    unwatched = x.data
    array = x.numpy()
    result = torch.explain(x)
    assert relations(result) == {"view": "view", "whole": "detached", "unwatched": "data", "array": "NumPy array"}
    assert relations(torch.explain(view)) == {
        "x": "base",
        "whole": "detached",
        "unwatched": "data",
        "array": "NumPy array",
    }
    assert "`array` is a NumPy array on its memory" in str(result)
    assert array.shape == (4,) and unwatched.shape == whole.shape


def test_memory_from_numpy_and_memory_of_its_own():
    array = np.zeros(3)
    assert relations(torch.explain(torch.from_numpy(array))) == {"array": "NumPy array"}
    assert "Nothing else is known to share its memory" in str(torch.explain(torch.zeros(3)))


def test_the_last_write_is_named():
    with lines():
        x = torch.zeros(3)
        x.add_(1)
    assert "The last write to it: add_() at test_explain_words.py" in str(torch.explain(x))


def test_what_backward_would_do():
    w, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    loss = (w * w + b).sum()
    result = torch.explain(loss)
    assert result.facts["backward"] == {
        "possible": True, "steps": 3, "leaves": ["`w`", "`b`"], "needs_gradient": False
    }  # fmt: skip
    loss.backward()
    result = torch.explain(loss)
    assert result.facts["backward"]["reason"] == "freed" and not result.facts["backward"]["possible"]
    assert torch.explain(torch.ones(2)).facts["backward"]["reason"] == "does not require grad"
    assert torch.explain(w * 2).facts["backward"]["needs_gradient"]


def test_the_line_that_freed_the_graph_is_named():
    with lines():
        w = torch.ones(3, requires_grad=True)
        loss = (w * w).sum()
        loss.backward()
    assert "an earlier backward() at test_explain_words.py" in str(torch.explain(loss))


def test_operands_that_get_no_gradient_are_named():
    with lines():
        w = torch.ones(3, requires_grad=True)
        loss = (w * w.detach()).sum()
    assert "Operand `other` of mul()" in str(torch.explain(loss))


def test_which_calls_a_gradient_was_added_up_by():
    with lines():
        w = torch.ones(3, requires_grad=True)
        for _ in range(2):
            (w * 2).sum().backward()
        w.sum().backward()
    result = torch.explain(w)
    first, second, third = result.facts["grad"]["contributions"]
    assert first == second and third["line"] == first["line"] + 1
    assert "3 calls of backward()" in str(result) and ", 2 times" in str(result)


def test_of_many_calls_the_last_are_known():
    with lines():
        w = torch.ones(3, requires_grad=True)
        for _ in range(20):
            w.sum().backward()
    assert "At least" in str(torch.explain(w))


def test_after_zero_grad_the_count_begins_anew():
    with lines():
        w = torch.nn.Parameter(torch.ones(3))
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
    assert len(torch.explain(w).facts["grad"]["contributions"]) == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda w: w, "no backward() has reached it"),
        (lambda w: w * 2, "backward() stores gradients in leaves only"),
        (lambda w: torch.ones(3), "does not require grad"),
    ],
)
def test_why_grad_is_none(make, words):
    result = torch.explain(make(torch.ones(3, requires_grad=True)))
    assert result.facts["grad"]["is_none"] and words in result.facts["grad"]["reason"]


def test_what_the_graph_keeps_alive():
    w = torch.ones(1000, requires_grad=True)
    result = w.exp().exp().sum()
    actual = torch.explain(result)
    assert actual.facts["graph"]["bytes"] == 8000 and actual.facts["graph"]["steps"] == 3
    assert [each["op"] for each in actual.facts["graph"]["largest"]] == ["exp", "exp"]
    assert "8.0 KB" in str(actual)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda w: w, "with torch.no_grad(): x -="),
        (lambda w: w.sum(), "x.item()"),
        (lambda w: w * 2, "x.detach().numpy()"),
        (lambda w: torch.ones(2), "x.requires_grad_()"),
        (lambda w: torch.tensor([1]), "x.float()"),
    ],
)
def test_what_to_write(make, words):
    x = make(torch.ones(3, requires_grad=True))
    assert words in " ".join(torch.explain(x).facts["advice"])


def test_explaining_changes_nothing(recwarn):
    w = torch.ones(3, requires_grad=True)
    y = w * w
    torch.explain(y)
    torch.explain(w)
    y.sum().backward()
    assert w.grad.tolist() == [2.0, 2.0, 2.0] and w._version == 0
    assert not recwarn.list


def test_every_kind_of_tensor_can_be_explained():
    for each in (
        torch.empty(0), torch.ones((), dtype=torch.bfloat16, requires_grad=True), torch.ones(2, dtype=torch.complex64),
        torch.ones(2, device="meta"), torch.eye(2).bool(), torch.nn.Parameter(torch.ones(2)),
        torch.ones(3).expand(2, 3),
    ):  # fmt: skip
        assert str(torch.explain(each)).count("\n") > 3
    with torch.inference_mode():
        assert "a tensor" in str(torch.explain(torch.ones(2)))


# ---- nodes, modules, optimizers


def test_a_node():
    w = torch.ones(3, requires_grad=True)
    result = torch.explain((w * w).grad_fn)
    assert result.facts["operands"] == ["input", "other"]
    assert "Its gradient goes to w." in str(result) and "g * " in str(result)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.used = torch.nn.Linear(2, 2)
        self.unused = torch.nn.Linear(2, 2)
        self.layers = [torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)]
        self.heads = {"a": torch.nn.Linear(2, 2)}

    def forward(self, x):
        return self.used(x)


def test_a_module_says_what_is_not_trained():
    model = Model()
    model.used.bias.requires_grad_(False)
    model(torch.ones(1, 2)).sum().backward()
    result = torch.explain(model)
    assert result.facts["name"] == "model" and result.facts["parameters"] == 12
    assert result.facts["unregistered"] == [("layers", "list", 2), ("heads", "dict", 1)]
    assert result.facts["frozen"] == ["used.bias"]
    assert result.facts["without_grad"] == ["unused.weight", "unused.bias"]
    assert "ModuleList" in str(result) and "ModuleDict" in str(result)


def test_an_optimizer_says_what_step_would_leave_alone():
    model = Model()
    optimizer = torch.optim.SGD([model.used.weight, model.unused.weight], lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    result = torch.explain(optimizer)
    assert result.facts["without_grad"] == ["model.unused.weight"]
    assert result.facts["not_given"] == ["model.used.bias", "model.unused.bias"]


# ---- forms


def test_as_html_code_is_marked_and_markup_is_escaped():
    said = Explanation("`x<y>` is it")
    said.say("origin", "made by `a < b`", None)
    page = said._repr_html_()
    assert "<b><code>x&lt;y&gt;</code> is it</b>" in page
    assert ">origin</th>" in page and ">made by <code>a &lt; b</code></td>" in page


def test_names_may_be_given():
    w = torch.ones(3, requires_grad=True)
    assert torch.explain(w, names={"weight": w}).facts["name"] == "weight"
    assert torch.explain(w, names={}).facts["name"] is None
