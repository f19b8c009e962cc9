"""Losses of classes: targets that are ignored, all of them or beside scores that are no numbers, and smoothed ones."""

import math

import numpy as np
import pytest


def loss_and_gradient(torch, scores, target, **settings):
    """The loss of scores, and its gradient."""
    scores = torch.tensor(scores, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(scores, torch.tensor(target), **settings)
    loss.sum().backward()
    return loss.tolist(), scores.grad.tolist()


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_batch_of_padding_sends_no_nan_back(torch, weighted, smoothing):
    weight = torch.ones(2) if weighted else None
    settings = {"weight": weight, "ignore_index": 0, "label_smoothing": smoothing}
    loss, gradient = loss_and_gradient(torch, [[1.0, 2.0], [3.0, 4.0]], [0, 0], **settings)
    assert math.isnan(loss)
    assert gradient == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_what_is_ignored_may_be_no_number(torch, smoothing):
    scores = [[0.0, 0.0], [math.nan, 1.0]]
    settings = {"ignore_index": 1, "label_smoothing": smoothing, "reduction": "sum"}
    loss, gradient = loss_and_gradient(torch, scores, [0, 1], **settings)
    np.testing.assert_allclose(loss, math.log(2), rtol=1e-6)
    np.testing.assert_allclose(gradient[0], [smoothing / 2 - 0.5, 0.5 - smoothing / 2], rtol=1e-6)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_smoothing_is_a_share_for_all_classes(torch, reduction):
    F, scores = torch.nn.functional, torch.linspace(-2, 3, 12).reshape(3, 4).requires_grad_()
    target = torch.tensor([3, 1, 1])
    loss = F.cross_entropy(scores, target, ignore_index=3, reduction=reduction, label_smoothing=0.2)
    logs = scores.log_softmax(1)[1:]  # the first target is ignored
    expected = -(0.8 * logs[:, 1] + 0.2 * logs.mean(1))
    if reduction == "none":
        expected = torch.cat([torch.zeros(1), expected])
    else:
        expected = expected.mean() if reduction == "mean" else expected.sum()
    assert torch.allclose(loss, expected)
    result, wanted = (torch.autograd.grad(each.sum(), scores, retain_graph=True)[0] for each in (loss, expected))
    assert torch.allclose(result, wanted, atol=1e-6)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_shapes_alone(torch, smoothing):
    scores, target = torch.empty(3, 4, device="meta"), torch.empty(3, device="meta", dtype=torch.long)
    settings = {"label_smoothing": smoothing}
    assert torch.nn.functional.cross_entropy(scores, target, **settings).shape == ()
    assert torch.nn.functional.cross_entropy(scores, target, reduction="none", **settings).shape == (3,)


def test_losses_with_margins_of_integers(torch):
    F = torch.nn.functional
    input, target = torch.tensor([0, -1, 3, 1]), torch.tensor([-1, -1, -1, 1])
    losses = F.hinge_embedding_loss(input, target, margin=1.5, reduction="none")
    assert losses.dtype is torch.int64 and losses.tolist() == [1, 2, 0, 1]
    with pytest.raises(RuntimeError, match="could not infer output dtype"):
        F.hinge_embedding_loss(input, target)
    ranked = F.margin_ranking_loss(input, target, target, reduction="none")
    assert ranked.dtype is torch.float32 and ranked.tolist() == [1.0, 0.0, 4.0, 0.0]


@pytest.mark.parametrize("many", [1, 5000])
@pytest.mark.parametrize("wrong", [-0.001, 1.001, math.nan, math.inf])
def test_probabilities_are_from_0_to_1(torch, wrong, many):
    right = torch.tensor([0.0, 1.0, 0.5]).repeat(many)
    beyond = right.clone()
    beyond[-1] = wrong
    loss = torch.nn.functional.binary_cross_entropy
    torch.testing.assert_close(loss(right, right), torch.tensor(math.log(2) / 3))
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        loss(beyond, right)
    with pytest.raises(RuntimeError, match="all elements of target should be between 0 and 1"):
        loss(right, beyond)


@pytest.mark.parametrize("name", ["binary_cross_entropy", "nll_loss", "mse_loss", "smooth_l1_loss"])
@pytest.mark.parametrize("reduction", ["average", None, 1, "Mean"])
def test_a_reduction_is_one_of_three_words(torch, name, reduction):
    x = torch.full((2, 2), 0.5)
    with pytest.raises(ValueError, match=f"{reduction} is not a valid value for reduction"):
        getattr(torch.nn.functional, name)(x, torch.tensor([0, 1]) if name == "nll_loss" else x, reduction=reduction)


def test_complex_numbers_are_no_probabilities(torch):
    x = torch.ones(3, dtype=torch.complex64)
    with pytest.raises(NotImplementedError, match="\"binary_cross_entropy\" not implemented for 'ComplexFloat'"):
        torch.nn.functional.binary_cross_entropy(x, x)
    with pytest.raises(RuntimeError, match="Found dtype Float but expected ComplexFloat"):
        torch.nn.functional.binary_cross_entropy(x, torch.ones(3))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
@pytest.mark.parametrize("shape", [(2, 0), (0, 0), (0, 4), (2, 4, 0), (2, 0, 3)])
def test_cross_entropy_of_nothing_and_of_no_classes(torch, shape, smoothing, reduction):
    scores = torch.zeros(shape, requires_grad=True)
    result = torch.nn.functional.cross_entropy(
        scores, torch.zeros(shape), reduction=reduction, label_smoothing=smoothing
    )
    result.sum().backward()
    assert scores.grad.shape == shape
    if reduction == "none":
        assert result.shape == (shape[0], *shape[2:])
    elif reduction == "mean":
        assert torch.isnan(result)
    else:
        assert result.item() == 0


def test_smoothed_cross_entropy_of_no_rows_and_no_classes(torch):
    result = torch.nn.functional.cross_entropy(torch.zeros(0, 0), torch.zeros(0, dtype=torch.long), label_smoothing=0.3)
    assert torch.isnan(result)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("ignore_index", [-100, 0, 1])
@pytest.mark.parametrize("loss", ["cross_entropy", "nll_loss"])
def test_of_no_classes_every_target_may_be_ignored(torch, loss, ignore_index, reduction):
    scores = torch.zeros(2, 0, requires_grad=True)
    settings = {"ignore_index": ignore_index, "reduction": reduction}
    loss = getattr(torch.nn.functional, loss)
    result = loss(scores, torch.tensor([ignore_index, ignore_index]), **settings)
    result.sum().backward()
    assert scores.grad.shape == (2, 0)
    expected = {"mean": math.nan, "sum": 0.0, "none": [0.0, 0.0]}[reduction]
    torch.testing.assert_close(result.detach(), torch.tensor(expected), equal_nan=True)
    with pytest.raises(IndexError, match=r"^Target 2 is out of bounds\."):
        loss(scores, torch.tensor([ignore_index, 2]), **settings)
