"""Every distribution against PyTorch: moments, densities, entropies, quantiles, samples, and their gradients.

A row names a distribution and its parameters; a parameter is drawn from a region, in the batch shape of the case.
"""

import itertools
import warnings

import numpy as np
import pytest

import rushlight
import rushlight.distributions
import rushlight.distributions.kl

pytorch = pytest.importorskip("torch")

REGIONS = {
    "real": lambda r, shape: r.normal(size=shape),
    "positive": lambda r, shape: r.uniform(0.3, 4.0, size=shape),
    "above": lambda r, shape: r.uniform(5.0, 9.0, size=shape),
    "chance": lambda r, shape: r.uniform(0.05, 0.95, size=shape),
    "chances": lambda r, shape: r.dirichlet(np.ones(4), size=shape),
    "shares": lambda r, shape: r.uniform(0.5, 3.0, size=(*shape, 4)),
    "logits": lambda r, shape: r.normal(size=(*shape, 4)),
    "vector": lambda r, shape: r.normal(size=(*shape, 3)),
    "spreads": lambda r, shape: r.uniform(0.5, 2.0, size=(*shape, 3)),
    "factor": lambda r, shape: r.normal(size=(*shape, 3, 2)),
    "triangle": lambda r, shape: np.tril(r.normal(size=(*shape, 3, 3)), -1) + np.eye(3) * r.uniform(0.5, 2, (3,)),
    "matrix": lambda r, shape: np.eye(3) * 2.0 + np.full((*shape, 3, 3), 0.3) * r.uniform(size=(*shape, 1, 1)),
    "count": lambda r, shape: np.full(shape, 7.0),
    "low": lambda r, shape: r.uniform(-2.0, 0.2, size=shape),
    "high": lambda r, shape: r.uniform(0.4, 3.0, size=shape),
    "temperature": lambda r, shape: np.asarray(0.7),
}
ROWS = {
    "Bernoulli": [{"probs": "chance"}, {"logits": "real"}],
    "Beta": [{"concentration1": "positive", "concentration0": "positive"}],
    "Binomial": [{"total_count": "count", "probs": "chance"}, {"total_count": "count", "logits": "real"}],
    "Categorical": [{"probs": "chances"}, {"logits": "logits"}],
    "Cauchy": [{"loc": "real", "scale": "positive"}],
    "Chi2": [{"df": "positive"}],
    "ContinuousBernoulli": [{"probs": "chance"}, {"logits": "real"}],
    "Dirichlet": [{"concentration": "shares"}],
    "Exponential": [{"rate": "positive"}],
    "FisherSnedecor": [{"df1": "positive", "df2": "positive"}, {"df1": "above", "df2": "above"}],
    "Gamma": [{"concentration": "positive", "rate": "positive"}],
    "GeneralizedPareto": [{"loc": "real", "scale": "positive", "concentration": "real"}],
    "Geometric": [{"probs": "chance"}, {"logits": "real"}],
    "Gumbel": [{"loc": "real", "scale": "positive"}],
    "HalfCauchy": [{"scale": "positive"}],
    "HalfNormal": [{"scale": "positive"}],
    "InverseGamma": [{"concentration": "positive", "rate": "positive"}],
    "Kumaraswamy": [{"concentration1": "positive", "concentration0": "positive"}],
    "LKJCholesky": [{"dim": 3, "concentration": "positive"}],
    "Laplace": [{"loc": "real", "scale": "positive"}],
    "LogNormal": [{"loc": "real", "scale": "positive"}],
    "LogisticNormal": [{"loc": "vector", "scale": "spreads"}],
    "LowRankMultivariateNormal": [{"loc": "vector", "cov_factor": "factor", "cov_diag": "spreads"}],
    "Multinomial": [{"total_count": 7, "probs": "chances"}, {"total_count": 7, "logits": "logits"}],
    "MultivariateNormal": [
        {"loc": "vector", "scale_tril": "triangle"},
        {"loc": "vector", "covariance_matrix": "matrix"},
        {"loc": "vector", "precision_matrix": "matrix"},
    ],
    "NegativeBinomial": [{"total_count": "positive", "probs": "chance"}, {"total_count": "count", "logits": "real"}],
    "Normal": [{"loc": "real", "scale": "positive"}],
    "OneHotCategorical": [{"probs": "chances"}, {"logits": "logits"}],
    "OneHotCategoricalStraightThrough": [{"probs": "chances"}],
    "Pareto": [{"scale": "positive", "alpha": "positive"}],
    "Poisson": [{"rate": "positive"}],
    "RelaxedBernoulli": [{"temperature": "temperature", "probs": "chance"}],
    "RelaxedOneHotCategorical": [{"temperature": "temperature", "logits": "logits"}],
    "StudentT": [{"df": "positive", "loc": "real", "scale": "positive"}],
    "Uniform": [{"low": "low", "high": "high"}],
    "VonMises": [{"loc": "real", "concentration": "positive"}],
    "Weibull": [{"scale": "positive", "concentration": "positive"}],
    "Wishart": [
        {"df": "above", "scale_tril": "triangle"},
        {"df": "above", "covariance_matrix": "matrix"},
        {"df": "above", "precision_matrix": "matrix"},
    ],
}
CASES = [
    pytest.param(name, row, shape, id=f"{name}-{'-'.join(row)}-{'x'.join(map(str, shape))}")
    for name, rows in ROWS.items()
    for row, shape in itertools.product(rows, [(), (2, 3)])
]
# PyTorch computes a part of these with fewer digits, in float32 or with polynomials of six or nine digits.
COARSE = {"VonMises": 1e-5, "Multinomial": 1e-6, "StudentT": 1e-8, "GeneralizedPareto": 1e-4}
DTYPES = {"GeneralizedPareto": "float32"}  # PyTorch takes nothing else
# The gradients of these draws PyTorch has with three digits, rushlight with all.
GRADIENTS_OF_DRAWS = {name: 2e-3 for name in ("Beta", "Chi2", "Dirichlet", "FisherSnedecor", "Gamma", "InverseGamma")}
GRADIENTS_OF_DRAWS |= {"StudentT": 2e-3}


class Sides:
    """The same distribution in both libraries, and the parameters that it was made of."""

    def __init__(self, name, row, shape, seed=0):
        random = np.random.default_rng(seed)
        given = {key: REGIONS[each](random, shape) if isinstance(each, str) else each for key, each in row.items()}
        self.tolerance = COARSE.get(name, 1e-9)
        self.pairs = [self._made(library, name, given) for library in (rushlight, pytorch)]

    def _made(self, library, name, given):
        dtype = getattr(library, DTYPES.get(name, "float64"))
        parameters = {
            key: library.tensor(each.tolist(), dtype=dtype, requires_grad=True)
            if isinstance(each, np.ndarray)
            else each
            for key, each in given.items()
        }
        # Only the lower half has a gradient; PyTorch's has numbers in the other half too, which nothing reads.
        taken = {key: each.tril() if key == "scale_tril" else each for key, each in parameters.items()}
        return getattr(library.distributions, name)(**taken), parameters

    def ask(self, question):
        """What a question says of each: a value, or the exception that it raises."""
        return [
            _answer(library, question, *pair) for library, pair in zip((rushlight, pytorch), self.pairs, strict=True)
        ]

    def agree(self, question, tolerance=None):
        tolerance = tolerance or self.tolerance
        ours, theirs = self.ask(question)
        if isinstance(theirs, type):
            assert ours is theirs
            return False
        for mine, other in zip(ours, theirs, strict=True):
            assert (mine is None) == (other is None)
            if other is not None:
                assert mine.dtype == other.dtype and mine.shape == other.shape
                np.testing.assert_allclose(mine, other, rtol=tolerance, atol=tolerance)
        return True


def _answer(library, question, distribution, parameters):
    """The value, and its gradients by the parameters, as arrays."""
    library.manual_seed(3)
    try:
        return _value_and_gradients(library, question(library, distribution), parameters)
    except NotImplementedError as error:
        return type(error)


def _value_and_gradients(library, value, parameters):
    if not isinstance(value, library.Tensor):
        value = library.tensor(value)
    results = [value.detach().numpy()]
    if value.requires_grad:
        weight = library.linspace(0.5, 1.5, value.numel(), dtype=value.dtype).reshape(value.shape)
        leaves = [each for each in parameters.values() if isinstance(each, library.Tensor)]
        results += library.autograd.grad((value * weight).sum(), leaves, allow_unused=True, retain_graph=True)
    return [each if each is None or isinstance(each, np.ndarray) else each.numpy() for each in results]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Singular sample detected")
        yield


@pytest.mark.parametrize(("name", "row", "shape"), CASES)
def test_shapes_and_text(name, row, shape):
    (ours, _), (theirs, _) = Sides(name, row, shape).pairs
    assert repr(ours) == repr(theirs)
    assert (tuple(ours.batch_shape), tuple(ours.event_shape)) == (tuple(theirs.batch_shape), tuple(theirs.event_shape))
    assert (ours.has_rsample, ours.has_enumerate_support) == (theirs.has_rsample, theirs.has_enumerate_support)
    assert repr(ours.support) == repr(theirs.support)
    assert {key: repr(each) for key, each in ours.arg_constraints.items()} == {
        key: repr(each) for key, each in theirs.arg_constraints.items()
    }


@pytest.mark.parametrize(("name", "row", "shape"), CASES)
def test_moments_and_entropy(name, row, shape):
    sides = Sides(name, row, shape)
    for moment in ("mean", "mode", "variance", "stddev"):
        sides.agree(lambda library, each, moment=moment: getattr(each, moment))
    sides.agree(lambda library, each: each.entropy())
    sides.agree(lambda library, each: each.perplexity())


@pytest.mark.parametrize(("name", "row", "shape"), CASES)
def test_samples_from_the_same_seed(name, row, shape):
    sides = Sides(name, row, shape)
    assert sides.agree(lambda library, each: each.sample())
    assert sides.agree(lambda library, each: each.sample((2, 3)))
    ours, _ = sides.pairs[0]
    if ours.has_rsample and name != "Wishart":  # PyTorch's cannot be differentiated: it changes its own mask in place
        sides.agree(lambda library, each: each.rsample((3,)), GRADIENTS_OF_DRAWS.get(name))


@pytest.mark.parametrize(("name", "row", "shape"), CASES)
def test_densities_and_quantiles(name, row, shape):
    sides = Sides(name, row, shape)
    assert sides.agree(lambda library, each: each.log_prob(each.sample((4,))))
    sides.agree(lambda library, each: each.cdf(each.sample((4,))))
    sides.agree(lambda library, each: each.icdf(library.full(each.batch_shape, 0.3, dtype=each.sample().dtype)))
    sides.agree(lambda library, each: each.enumerate_support())
    sides.agree(lambda library, each: each.enumerate_support(expand=False))


@pytest.mark.parametrize(("name", "row", "shape"), CASES)
def test_larger_batches(name, row, shape):
    sides = Sides(name, row, shape)
    sides.agree(lambda library, each: each.expand((4, *shape)).sample((2,)))
    sides.agree(lambda library, each: each.expand((4, *shape)).log_prob(each.sample()))
    assert tuple(sides.pairs[0][0].expand((4, *shape)).batch_shape) == (4, *shape)


PAIRS = [
    (p, q)
    for p, q in itertools.product(ROWS, ROWS)
    if any(
        issubclass(getattr(pytorch.distributions, p), known[0])
        and issubclass(getattr(pytorch.distributions, q), known[1])
        for known in pytorch.distributions.kl._KL_REGISTRY
    )
]


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_divergences(p, q):
    for row_p, row_q, shape in itertools.product(ROWS[p], ROWS[q], [(), (2, 3)]):
        first, second = Sides(p, row_p, shape, seed=1), Sides(q, row_q, shape, seed=2)
        both = Sides.__new__(Sides)
        both.tolerance = max(first.tolerance, second.tolerance)
        both.pairs = [
            ((a, b), {f"p.{key}": value for key, value in own.items()} | other)
            for (a, own), (b, other) in zip(first.pairs, second.pairs, strict=True)
        ]
        both.agree(lambda library, each: library.distributions.kl_divergence(*each))


def test_as_many_divergences_as_pytorch():
    named = {tuple(each.__name__ for each in pair) for pair in pytorch.distributions.kl._KL_REGISTRY}
    assert {tuple(each.__name__ for each in pair) for pair in rushlight.distributions.kl._KL_REGISTRY} == named


FAMILIES = [
    case
    for case in CASES
    if issubclass(getattr(pytorch.distributions, case.values[0]), pytorch.distributions.ExponentialFamily)
]


@pytest.mark.parametrize(("name", "row", "shape"), FAMILIES)
def test_entropies_and_divergences_of_exponential_families(name, row, shape):
    sides = Sides(name, row, shape)
    sides.agree(lambda library, each: library.distributions.ExponentialFamily.entropy(each))
    sides.agree(lambda library, each: each._log_normalizer(*each._natural_params))


@pytest.mark.parametrize("question", ["log_survival_function", "log_cdf", "log_prob"])
@pytest.mark.parametrize("concentration", [-1.0, -0.5, 0.0, 0.5])
def test_generalized_pareto(concentration, question):
    def answer(library):
        made = library.distributions.GeneralizedPareto(1.0, 2.0, concentration)
        return getattr(made, question)(library.tensor([1.0, 1.5, 2.5])).numpy()

    np.testing.assert_allclose(answer(rushlight), answer(pytorch), rtol=1e-6)


def test_float32_samples():
    for name, rows in ROWS.items():
        random = np.random.default_rng(1)
        given = {k: REGIONS[v](random, (2,)) if isinstance(v, str) else v for k, v in rows[0].items()}
        results = []
        for library in (rushlight, pytorch):
            tensors = {k: library.tensor(v.tolist()) if isinstance(v, np.ndarray) else v for k, v in given.items()}
            library.manual_seed(5)
            results.append(getattr(library.distributions, name)(**tensors).sample((3,)).numpy())
        assert results[0].dtype == results[1].dtype, name
        np.testing.assert_allclose(*results, rtol=2e-4, atol=1e-5, err_msg=name)
