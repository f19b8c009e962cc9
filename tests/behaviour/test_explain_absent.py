"""`why_no_grad(parameter, loss)`: the exact cut, and its line; `explain_nan(loss)`: the step where it was born."""

import math

import pytest

import rushlight as torch
from rushlight.explain.recording import lines


@pytest.fixture(autouse=True)
def recorded():
    with lines():
        yield


def model():
    return torch.nn.Linear(3, 4), torch.ones(2, 3)


@pytest.mark.parametrize(
    ("reason", "cut"),
    [
        ("detach", lambda y: y.detach()),
        ("detach", lambda y: y.data),
        ("not differentiable", lambda y: y.argmax(1)),
        ("not differentiable", lambda y: y > 0),
        ("not differentiable", lambda y: y.long()),
        ("no_grad", lambda y: torch.no_grad()(torch.exp)(y)),
        ("detach", lambda y: torch.nn.Parameter(y)),
    ],
)
def test_the_cut_is_named_with_its_line(reason, cut):
    net, x = model()
    seen = cut(net(x))
    loss = (seen.float() * torch.ones(1, requires_grad=True)).mean()
    result = torch.why_no_grad(net.weight, loss)
    assert result.facts["reason"] == reason
    assert result.facts["file"] == __file__
    assert "lambda y" in result.facts["source"]
    assert "Cure: " in str(result)


def test_a_loss_computed_under_no_grad():
    net, x = model()
    with torch.no_grad():
        scores = net(x)
    result = torch.why_no_grad(net.weight, scores.sum())
    assert (result.facts["reason"], result.facts["source"]) == ("no_grad", "scores = net(x)")
    assert "outside `with torch.no_grad():`" in str(result)


def test_another_way_that_is_not_cut_counts():
    net, x = model()
    scores = net(x)
    loss = (scores.detach() * scores).sum()
    result = torch.why_no_grad(net.weight, loss)
    assert result.facts["reason"] == "no backward yet" and "through 3 operations" in str(result)
    loss.backward()
    assert torch.why_no_grad(net.weight, loss).facts["reason"] == "reached"


def test_numbers_that_left_and_came_back():
    net, x = model()
    loss = torch.tensor(net(x).sum().item()) * torch.ones(1, requires_grad=True)
    result = torch.why_no_grad(net.weight, loss.sum())
    assert result.facts["reason"] == "not in the graph"
    assert "item(), tolist() or numpy()" in str(result)
    assert result.facts["source"].startswith("loss = torch.tensor(")


def test_what_was_not_used():
    net, x = model()
    unused = torch.ones(3, requires_grad=True)
    assert torch.why_no_grad(unused, net(x).sum()).facts["reason"] == "not in the graph"


@pytest.mark.parametrize(
    ("reason", "make"),
    [
        ("integer dtype", lambda: torch.ones(3, dtype=torch.int64)),
        ("requires_grad is False", lambda: torch.ones(3)),
    ],
)
def test_what_the_parameter_itself_lacks(reason, make):
    parameter = make()
    loss = (parameter * torch.ones(3, requires_grad=True)).sum()
    assert torch.why_no_grad(parameter, loss).facts["reason"] == reason


def test_a_result_keeps_no_gradient():
    w = torch.ones(3, requires_grad=True)
    result = w * 2
    actual = torch.why_no_grad(result, result.sum())
    assert actual.facts["reason"] == "not a leaf" and "retain_grad()" in str(actual)
    result.retain_grad()
    assert torch.why_no_grad(result, result.sum()).facts["reason"] == "no backward yet"


def test_another_tensor_on_the_same_memory_was_used():
    w = torch.ones(3, requires_grad=True)
    twin = w.data.requires_grad_()
    assert torch.why_no_grad(w, (twin * 2).sum()).facts["reason"] == "another tensor"


def test_without_lines_it_says_how_to_find_the_line():
    with lines(False):
        net, x = model()
        loss = (net(x).detach() * torch.ones(1, requires_grad=True)).sum()
        result = torch.why_no_grad(net.weight, loss)
    assert result.facts["reason"] == "not in the graph" and "RUSHLIGHT_LINES=1" in str(result)


def test_only_tensors_are_asked_about():
    with pytest.raises(TypeError, match=r"why_no_grad\(\): expected two tensors"):
        torch.why_no_grad(torch.nn.Linear(1, 1), torch.ones(1))


# ---- NaN


def born(loss):
    facts = torch.explain_nan(loss).facts
    return facts["born"], facts["op"]


@pytest.mark.parametrize(
    ("op", "index", "make"),
    [
        ("log", (0,), lambda x: (x - 4).log().sum() * 2),
        ("log", (0,), lambda x: torch.log(x).mean()),
        ("sqrt", (0,), lambda x: (x - 1).sqrt().sum()),
        ("true_divide", (0,), lambda x: (x / (x * 1)).sum()),
        ("exp", (1,), lambda x: torch.exp(x * 100).sum()),
    ],
)
def test_a_number_that_is_born_going_forward(op, index, make):
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    loss = make(x)
    result = torch.explain_nan(loss)
    assert (result.facts["born"], result.facts["op"], result.facts["index"]) == ("forward", op, index)
    assert result.facts["file"] == __file__
    assert ("which was not kept" if op == "sqrt" else "from finite operands") in str(result)


def test_the_steps_that_come_into_question_are_named():
    x = torch.ones(2, 3, requires_grad=True)
    y = torch.nn.functional.layer_norm(x, (3,), eps=0.0)  # its result is not kept
    result = torch.explain_nan((y * 1.0).sum())
    assert [each["op"] for each in result.facts["suspects"]] == ["native_layer_normalization", "mul"]
    line = result.facts["line"]
    assert [each["line"] for each in result.facts["suspects"]] == [line - 1, line]
    assert "It may have begun earlier, in layer_norm()" in str(result)


def test_a_first_result_of_several_is_computed_again():
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    result = torch.explain_nan((x * 3e38 * 2).max(1)[0].sum())
    assert (result.facts["op"], result.facts["suspects"]) == ("mul", [])


@pytest.mark.parametrize(
    ("op", "make"),
    [
        ("sqrt", lambda x: torch.where(x > 0, x.sqrt(), torch.zeros(2)).sum()),
        ("sqrt", lambda x: x.sqrt().sum()),
        ("pow", lambda x: (x**0.5).sum()),
        ("true_divide", lambda x: (torch.where(x > 0, 1 / (x + 1e-30), x)).sum() * 0),
    ],
)
def test_a_gradient_that_is_born_going_back(op, make):
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    result = torch.explain_nan(make(x))
    assert result.facts["born"] == "backward"
    assert result.facts["index"] == (0,)
    assert result.facts["file"] == __file__


def test_the_branch_that_was_not_taken_is_distinguished():
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    words = "torch.where did not choose this branch"
    chosen = torch.explain_nan(torch.where(x > 0, x.sqrt(), torch.zeros(2)).sum())
    assert words in str(chosen) and "torch.where(mask, x, 1.0)" in str(chosen)
    taken = torch.explain_nan(x.sqrt().sum())
    assert words not in str(taken) and "The derivative at 0 is infinite" in str(taken)


def test_a_leaf_that_is_not_finite():
    weight = torch.tensor([1.0, math.nan], requires_grad=True)
    result = torch.explain_nan((weight * 2).sum())
    assert result.facts["born"] == "leaf" and "`weight` is not finite before anything is computed" in str(result)


def test_what_is_finite_is_said_to_be_so():
    net, x = model()
    assert born(torch.nn.functional.cross_entropy(net(x), torch.tensor([0, 1]))) == (None, None)


def test_nothing_is_left_behind():
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    loss = (x + 1).sqrt().sum()
    torch.explain_nan(loss)
    assert x.grad is None
    loss.backward()
    assert x.grad.tolist() == pytest.approx([0.5, 0.5 / math.sqrt(5)])


def test_a_graph_that_was_freed_is_asked_for_again():
    x = torch.tensor([1.0], requires_grad=True)
    loss = x.sqrt().sum()
    loss.backward()
    assert "Compute the loss again" in str(torch.explain_nan(loss))


def test_layers_of_every_kind_can_be_looked_through():
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Conv2d(1, 3, 3), torch.nn.BatchNorm2d(3), torch.nn.MaxPool2d(2), torch.nn.Flatten(),
        torch.nn.LayerNorm(27), torch.nn.Dropout(), torch.nn.GELU(), torch.nn.Linear(27, 2), torch.nn.LogSoftmax(1),
    )  # fmt: skip
    assert born(net(torch.randn(4, 1, 8, 8)).std()) == (None, None)
    outputs, _ = torch.nn.LSTM(3, 4)(torch.randn(5, 2, 3))
    assert born(torch.cat([outputs, outputs]).norm()) == (None, None)


def test_a_mask_of_infinity_is_put_in_on_purpose():
    scores = torch.ones(2, 3, requires_grad=True)
    shares = torch.softmax(scores.masked_fill(torch.ones(2, 3, dtype=torch.bool), float("-inf")) + 1, 1)
    assert torch.explain_nan(shares.sum()).facts["op"] == "softmax"
    infinite = scores.masked_fill(scores > 0, float("inf")) * scores
    assert torch.explain_nan(infinite.sum()).facts["op"] == "fill_mask_with_number"
