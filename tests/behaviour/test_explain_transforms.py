"""Errors, explanations and pictures inside `vmap`, `grad` and `jvp`."""

import copy
import io
import pickle

import pytest

import rushlight as torch
from rushlight.func import grad, hessian, jacrev, jvp, vjp, vmap

X = torch.ones(4, 3)


def notes(run):
    """The notes of the error that a function raises."""
    with pytest.raises((RuntimeError, ValueError, IndexError)) as failure:
        run()
    return failure.value.__notes__


def product(a, b):
    return a @ b


def test_an_error_says_which_level_which_dimensions_and_which_line():
    *_, note = notes(lambda: vmap(product, in_dims=(0, 1))(torch.ones(4, 3), torch.ones(5, 4, 2)))
    first, a, b = note.splitlines()
    assert first.startswith("in level 1, vmap of `product` over 4 samples with in_dims=(0, 1), at test_explain_trans")
    assert first.endswith("(`return a @ b`):")
    assert a == "  `a` has shape (4, 3), with the samples along dimension 0: one has shape (3,)"
    assert b == "  `b` has shape (5, 4, 2), with the samples along dimension 1: one has shape (5, 2)"


def test_each_transform_adds_a_note_and_the_innermost_has_the_line():
    def loss(w, x):
        return product(x, w).sum()

    per_sample = vmap(grad(loss), in_dims=(None, 0))
    *_, inner, outer = notes(lambda: per_sample(torch.ones(2), torch.ones(4, 3)))
    assert inner.startswith("in level 2, grad of `loss`, at ")
    assert "`w` has shape (2,)\n" in inner
    assert "`x` has shape (3,), a constant" in inner
    assert outer.startswith("in level 1, vmap of `loss` over 4 samples with in_dims=(None, 0):")
    assert "return a @ b" not in outer
    assert "`w` has shape (2,), the same for all samples" in outer


def test_leaves_of_trees_have_their_path():
    def loss(parameters, x):
        return (parameters["w"] @ x).sum()

    note = notes(lambda: grad(loss)({"w": torch.ones(2), "b": [torch.ones(1)]}, torch.ones(3)))[-1]
    assert "`parameters['w']` has shape (2,)" in note
    assert "`parameters['b'][0]` has shape (1,)" in note


@pytest.mark.parametrize("transform", ["vjp", "jvp"])
def test_vjp_and_jvp_add_notes(transform):
    x = torch.ones(3)
    runs = {
        "vjp": lambda: vjp(lambda x: x @ torch.ones(2), x),
        "jvp": lambda: jvp(lambda x: x @ torch.ones(2), (x,), (x,)),
    }
    assert notes(runs[transform])[-1].startswith(f"in level 1, {transform} of a lambda, at ")


def test_errors_of_the_program_itself_get_no_note():
    def refuse(x):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine") as failure:
        vmap(refuse)(torch.ones(3))
    assert not hasattr(failure.value, "__notes__")


def test_the_text_of_an_error_stays_and_it_can_be_copied():
    with pytest.raises(RuntimeError) as failure:
        vmap(lambda x: x.item())(torch.ones(3))
    assert str(failure.value).startswith("vmap: It looks like you're calling .item() on a Tensor.")
    assert str(pickle.loads(pickle.dumps(failure.value))) == str(copy.copy(failure.value)) == str(failure.value)


def test_the_level_that_refuses_random_numbers_is_named():
    def noisy(x):
        return x + torch.randn(2)

    def both(x):
        return vmap(noisy, randomness="error")(x)

    said = notes(lambda: vmap(both, randomness="different")(torch.ones(4, 3, 2)))
    assert "return vmap(noisy, randomness='different')(x)" in said[0]


def test_without_source_the_notes_are_general():
    program = "def f(x):\n    return x - x.max().item()\ntorch.vmap(f)(torch.ones(2, 2))"
    said = notes(lambda: exec(program, {"torch": torch}))
    assert said[0] == "There is one number for each sample. Compute with the tensor itself, without item()."


def test_a_branch_of_several_statements_is_answered_in_general():
    def f(x):
        if x.sum() > 0:
            y = x * 2
            y = y + 1
        else:
            y = x
        return y

    assert "torch.cond(condition, one, other, (x,))" in notes(lambda: vmap(f)(torch.ones(2, 2)))[0]


def test_cond_chooses_for_each_sample(pytorch):
    def run(torch):
        x = torch.tensor([[1.0, 2.0], [-3.0, 1.0]])
        return torch.vmap(lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)))(x)

    assert torch.allclose(run(torch), torch.tensor(run(pytorch).tolist()))


def test_cond_chooses_in_trees():
    x = torch.tensor([1.0, -2.0])
    out = vmap(lambda x: torch.cond(x > 0, lambda x: {"y": (x, x + 1)}, lambda x: {"y": (-x, x)}, (x,)))(x)
    assert [each.tolist() for each in out["y"]] == [[1.0, 2.0], [2.0, -2.0]]
    slope = grad(lambda x: vmap(lambda x: torch.cond(x > 0, torch.square, torch.neg, (x,)))(x).sum())(x)
    assert slope.tolist() == [2.0, -1.0]


@pytest.mark.parametrize(
    "read",
    [
        lambda torch, x: x.data_ptr(),
        lambda torch, x: x.untyped_storage(),
        lambda torch, x: torch.save(x, io.BytesIO()),
        lambda torch, x: pickle.dumps(x),
    ],
    ids=["data_ptr", "untyped_storage", "save", "pickle"],
)
def test_the_memory_of_a_sample_is_refused(read, pytorch):
    """What would be written or shown is that of one sample, or of all."""

    def failure(torch, transform):
        with pytest.raises((RuntimeError, NotImplementedError)) as caught:
            transform(lambda x: read(torch, x))
        return type(caught.value), str(caught.value).split("\n")[0]

    assert failure(torch, lambda f: vmap(f)(X)) == failure(pytorch, lambda f: pytorch.vmap(f)(pytorch.ones(4, 3)))
    failure(torch, lambda f: vmap(lambda x: jvp(f, (x,), (x,)))(X))


# ---- explain


def explained(transform, *args):
    """The explanation of the argument of a function under a transform."""
    seen = []

    def look(x):
        seen.append(torch.explain(x))
        return x.sin().sum()

    transform(look)(*args)
    return seen[0]


def test_a_sample_is_explained():
    result = explained(vmap, X)
    assert result.facts["transforms"] == [
        {"level": 1, "alive": True, "shape": (3,), "transform": "vmap", "batched": True, "samples": 4, "whole": (4, 3)}
    ]
    assert "Level 1, vmap: one of 4 samples of shape (3,); all are (4, 3)." in str(result)
    assert "`torch.where(x > 0, a, b)`" in str(result)


def test_a_tensor_with_a_tangent_is_explained():
    result = explained(lambda f: lambda x: jvp(f, (x,), (2 * x,)), X)
    assert result.facts["transforms"] == [
        {"level": 1, "alive": True, "shape": (4, 3), "transform": "jvp", "has_tangent": True}
    ]
    assert "of norm 6.928" in str(result)
    assert "`x.item()`" in str(result)


def test_levels_are_listed_from_the_highest():
    result = explained(lambda f: lambda x: jvp(vmap(f), (x,), (x,)), X)
    assert [each["transform"] for each in result.facts["transforms"]] == ["vmap", "jvp"]
    assert [each["level"] for each in result.facts["transforms"]] == [2, 1]


def test_an_input_of_grad_is_explained():
    result = explained(grad, X)
    assert result.facts["transforms"] == []
    assert "`grad`, `vjp` or `jacrev` asks for its gradient: it is an input of it." in str(result)


def test_what_has_no_batch_and_no_tangent_is_said():
    shared, still = [], []
    weight = torch.ones(3)

    def look(x):
        y = torch.zeros_like(weight)
        shared.append(torch.explain(x.detach() * 0))
        return y + x

    jvp(look, (weight,), (weight,))
    vmap(lambda x: still.append(torch.explain(torch.ones_like(x).sum() * 0)) or x)(X)
    assert "no tangent" in str(shared[0])
    assert still[0].facts["transforms"][0]["transform"] == "vmap"


def test_a_tensor_whose_level_has_ended_is_explained():
    kept = []
    vmap(lambda x: kept.append(x) or x)(X)
    assert "The transform has ended" in str(torch.explain(kept[0]))
    assert "return it from the function" in str(torch.explain(kept[0]))


def test_a_summary_is_of_all_samples():
    said = []
    vmap(lambda x: said.append(str(torch.explain(x, summary=True))) or x)(torch.arange(12.0).reshape(4, 3))
    assert "; one of 4 samples at level 1; from 0 to 11, " in said[0]


# ---- draw


def titles(picture):
    return [box.title for box in picture.sheet.boxes]


def test_a_function_is_drawn_on_its_inputs():
    def f(w, x):
        return (w @ x).tanh()

    w, x = torch.ones(3), torch.ones(3)
    picture = torch.draw(f, w, x)
    assert titles(picture) == ["w", "x", "dot", "tanh"]
    assert not w.requires_grad


def test_what_vmap_computes_is_drawn_on_whole_batches():
    picture = torch.draw(vmap(lambda x: x.sin() * 2), X)
    assert [box.lines[0] for box in picture.sheet.boxes if box.title == "sin"] == ["(4, 3)"]
    assert picture.svg().startswith("<svg")


def test_primals_and_tangents_are_drawn_in_one_picture():
    picture = torch.draw(lambda x, v: jvp(torch.sin, (x,), (v,)), X, X)
    assert {"x", "v", "sin", "cos", "mul"} <= set(titles(picture))


@pytest.mark.parametrize("transform", [grad, jacrev, hessian], ids=["grad", "jacrev", "hessian"])
def test_derivatives_are_drawn(transform):
    picture = torch.draw(transform(lambda x: (x**3).sum()), torch.ones(2))
    assert "mul" in titles(picture)
    assert picture.html()


def test_a_sample_is_drawn_inside_vmap():
    pictures = []

    def look(x):
        pictures.append(torch.draw(x.sin()))
        return x

    vmap(look)(X)
    (box,) = pictures[0].sheet.boxes
    assert box.lines == ("(3,)",)
    assert ("transform", "one of 4 samples at level 1") in box.facts


def test_a_graph_inside_vmap_is_drawn():
    pictures = []

    def loss(x):
        y = x.sin().sum()
        pictures.append(torch.draw(y))
        return y

    vmap(grad(loss))(X)
    assert titles(pictures[0]) == ["x", "sin", "sum"]


def test_trees_of_inputs_are_drawn_by_name():
    picture = torch.draw(lambda parameters, x: parameters["w"] * x, {"w": torch.ones(3)}, torch.ones(3))
    assert titles(picture)[:2] == ["parameters['w']", "x"]


def test_inputs_for_something_else_are_refused():
    with pytest.raises(TypeError, match="inputs are for a module or a function"):
        torch.draw(torch.ones(3), torch.ones(3))


# ---- watch


def test_the_watch_lets_gradients_of_samples_pass():
    with torch.watch():
        assert vmap(grad(lambda x: x.sum()))(X).tolist() == [[1.0] * 3] * 4
