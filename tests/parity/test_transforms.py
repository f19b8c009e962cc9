"""Transforms and constraints against PyTorch: values, inverses, Jacobians, gradients, regions and registries."""

import numpy as np
import pytest

import rushlight
import rushlight.distributions

pytorch = pytest.importorskip("torch")

# A transform, as text for either library, and the shape of its argument.
TRANSFORMS = {
    "D.ExpTransform()": (2, 3),
    "D.SigmoidTransform()": (2, 3),
    "D.SoftplusTransform()": (2, 3),
    "D.TanhTransform()": (2, 3),
    "D.AbsTransform()": (2, 3),
    "D.SoftmaxTransform()": (2, 3),
    "D.StickBreakingTransform()": (2, 3),
    "D.CorrCholeskyTransform()": (2, 6),
    "D.LowerCholeskyTransform()": (2, 3, 3),
    "D.PositiveDefiniteTransform()": (2, 3, 3),
    "D.PowerTransform(torch.tensor(2.0, dtype=torch.float64))": (2, 3),
    "D.PowerTransform(torch.tensor([0.5, -1.0, 3.0], dtype=torch.float64))": (2, 3),
    "D.AffineTransform(1.5, -2.0)": (2, 3),
    "D.AffineTransform(1.5, torch.tensor([2.0, 1.0, -3.0], dtype=torch.float64), event_dim=1)": (2, 3),
    "D.ReshapeTransform((6,), (2, 3))": (4, 6),
    "D.IndependentTransform(D.ExpTransform(), 1)": (2, 3),
    "D.ComposeTransform([D.AffineTransform(0.5, 2.0), D.SigmoidTransform()])": (2, 3),
    "D.ComposeTransform([D.ExpTransform(), D.StickBreakingTransform(), D.ExpTransform()])": (2, 3),
    "D.ComposeTransform([])": (2, 3),
    "D.CatTransform([D.ExpTransform(), D.TanhTransform()], dim=-1, lengths=[1, 2])": (2, 3),
    "D.CatTransform([D.SoftmaxTransform(), D.IndependentTransform(D.ExpTransform(), 1)], dim=0)": (2, 3),
    "D.StackTransform([D.ExpTransform(), D.TanhTransform()], dim=0)": (2, 3),
    "D.CumulativeDistributionTransform(D.Normal(torch.tensor(0.5, dtype=torch.float64), 2.0))": (2, 3),
}


def made(library, text):
    return eval(text, {"torch": library, "D": library.distributions})


def argument(library, shape, positive):
    numbers = np.random.default_rng(5).normal(size=shape)
    return library.tensor((np.exp(numbers) if positive else numbers).tolist(), dtype=library.float64)


def traced(library, function, x):
    """The value at x, and its gradient there; the name of the exception if there is one."""
    x = x.detach().requires_grad_()
    try:
        value = function(x)
    except (NotImplementedError, ValueError, AssertionError) as error:
        return [type(error).__name__]
    results = [value.detach().numpy()]
    if value.requires_grad:
        weight = library.linspace(0.5, 1.5, value.numel(), dtype=value.dtype).reshape(value.shape)
        results.append(library.autograd.grad((value * weight).sum(), x, allow_unused=True)[0].numpy())
    return results


def same(ours, theirs):
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        if isinstance(other, str):
            assert mine == other
        else:
            assert mine.shape == other.shape
            np.testing.assert_allclose(mine, other, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("text", TRANSFORMS)
def test_values_and_jacobians(text):
    results = []
    for library in (rushlight, pytorch):
        transform = made(library, text)
        x = argument(library, TRANSFORMS[text], "Power" in text)
        y = transform(x)
        answers = [*traced(library, transform, x), *traced(library, transform.inv, y)]
        answers += traced(library, lambda x, t=transform, y=y: t.log_abs_det_jacobian(x, t(x)), x)
        answers += traced(library, lambda y, t=transform, x=x: t.inv.log_abs_det_jacobian(y, x), y)
        results.append(answers)
    same(*results)


def described(transform, shape):
    """What a transform says of itself."""

    def answer(question):
        try:
            return repr(question(transform))
        except (NotImplementedError, ValueError, AttributeError) as error:
            return type(error).__name__

    questions = [
        lambda t: t, lambda t: t.inv, lambda t: t.domain, lambda t: t.codomain, lambda t: t.inv.domain,
        lambda t: t.bijective, lambda t: t.sign, lambda t: t.inv.sign, lambda t: t.event_dim,
        lambda t: tuple(t.forward_shape(shape)), lambda t: tuple(t.inverse_shape(t.forward_shape(shape))),
        lambda t: t.with_cache()._cache_size, lambda t: t.with_cache(0) is t, lambda t: t.inv.inv is t,
    ]  # fmt: skip
    return [answer(each) for each in questions]


@pytest.mark.parametrize("text", TRANSFORMS)
def test_descriptions(text):
    shape = TRANSFORMS[text]
    ours, theirs = (
        described(made(library, text), library.Size(shape) if hasattr(library, "Size") else shape)
        for library in (rushlight, pytorch)
    )
    assert ours == theirs


def test_equality():
    texts = [*TRANSFORMS, *(f"{text}.inv" for text in TRANSFORMS)]
    ours, theirs = ([[made(library, text) for text in texts] for _ in range(2)] for library in (rushlight, pytorch))
    for row, (mine, other) in enumerate(zip(ours[0], theirs[0], strict=True)):
        for column in range(len(texts)):
            try:
                expected = other == theirs[1][column]
            except RuntimeError:  # tensors that cannot be broadcast
                continue
            assert (mine == ours[1][column]) == expected, (texts[row], texts[column])


CONSTRAINTS = [
    "boolean", "cat([positive, real], -1, [1, 2])", "corr_cholesky", "greater_than(0.5)", "greater_than_eq(1.0)",
    "half_open_interval(0.0, 1.0)", "independent(positive, 1)", "integer_interval(0, 2)", "interval(-1.0, 1.0)",
    "less_than(0.5)", "lower_cholesky", "lower_triangular", "multinomial(3)", "nonnegative", "nonnegative_integer",
    "one_hot", "positive", "positive_definite", "positive_integer", "positive_semidefinite", "real", "real_vector",
    "simplex", "square", "stack([positive, real, boolean], -1)", "symmetric", "unit_interval",
    "MixtureSameFamilyConstraint(positive)", "dependent", "dependent(is_discrete=True, event_dim=1)",
]  # fmt: skip
nan, root = float("nan"), 0.5**0.5
VALUES = [
    [[0.0, 1.0, 2.0], [1.0, nan, 0.5], [-1.0, 0.0, 0.0]],
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[1.0, 0.0, 0.0], [root, root, 0.0], [0.0, -root, root]],
    [[0.2, 0.3, 0.5], [0.0, 0.0, 1.0], [0.5, 0.5, 0.5]],
    [[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, -1e-9]],
    [[2.0, 1.0, 0.0], [1.0, 0.5, 0.0], [0.0, 0.0, 3.0]],
]


def constraint(library, text):
    return eval(text, vars(library.distributions.constraints))


@pytest.mark.parametrize("text", CONSTRAINTS)
def test_constraints(text):
    def answers(library):
        region = constraint(library, text)
        yield repr(region)
        for name in ("is_discrete", "event_dim"):
            try:
                yield getattr(region, name)
            except NotImplementedError as error:
                yield str(error)
        for value in VALUES:
            try:
                valid = region.check(library.tensor(value, dtype=library.float64))
                yield valid.tolist(), str(valid.dtype).rpartition(".")[2]
            except ValueError as error:
                yield str(error)

    assert list(answers(rushlight)) == list(answers(pytorch))


@pytest.mark.parametrize("text", CONSTRAINTS)
@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
def test_registries(registry, text):
    def answer(library):
        try:
            return repr(getattr(library.distributions, registry)(constraint(library, text)))
        except NotImplementedError as error:
            return str(error)

    assert answer(rushlight) == answer(pytorch)
