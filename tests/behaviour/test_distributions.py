"""Distributions as their users meet them: validation, batches, transforms that remember, mixtures, own divergences."""

import pickle
from functools import partial

import pytest


@pytest.fixture
def D(torch):
    return torch.distributions


@pytest.fixture
def constraints(torch):
    return torch.distributions.constraints


# ---- validation


def test_a_parameter_outside_its_constraint(torch, D):
    with pytest.raises(ValueError) as caught:
        D.Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, -1.0]))
    assert str(caught.value) == (
        "Expected parameter scale (Tensor of shape (2,)) of distribution Normal(loc: torch.Size([2]), scale: "
        "torch.Size([2])) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:\n"
        "tensor([ 1., -1.])"
    )


def test_a_value_outside_the_support(torch, D):
    with pytest.raises(ValueError) as caught:
        D.Bernoulli(torch.tensor(0.25)).log_prob(torch.tensor([0.0, 0.5]))
    assert str(caught.value) == (
        "Expected value argument (Tensor of shape (2,)) to be within the support (Boolean()) of the distribution "
        "Bernoulli(probs: 0.25), but found invalid values:\ntensor([0.0000, 0.5000])"
    )


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda t, D: D.Bernoulli(), ValueError, "Either `probs` or `logits` must be specified, but not both."),
        (lambda t, D: D.Bernoulli(0.5, 0.5), ValueError, "Either `probs` or `logits` must be specified"),
        (lambda t, D: D.Categorical(), ValueError, "Either `probs` or `logits` must be specified, but not both."),
        (lambda t, D: D.Categorical(t.tensor(1.0)), ValueError, "`probs` parameter must be at least one-dim"),
        (lambda t, D: D.Categorical(logits=t.tensor(1.0)), ValueError, "`logits` parameter must be at least one-dim"),
        (lambda t, D: D.Categorical(t.tensor([-0.5, 1.5])), ValueError, "Expected parameter probs"),
        (lambda t, D: D.Dirichlet(t.tensor(1.0)), ValueError, "`concentration` parameter must be at least one-dim"),
        (
            lambda t, D: D.Geometric(t.tensor([0.0, 0.5])),
            ValueError,
            "to be positive but found invalid values:\ntensor",
        ),
        (lambda t, D: D.Uniform(1.0, 0.0), ValueError, "Expected parameter low"),
        (lambda t, D: D.Normal("0", 1.0), ValueError, "Input arguments must all be instances of Number, torch.Tensor"),
        (lambda t, D: D.ContinuousBernoulli(1.5, validate_args=True), ValueError, "The parameter probs has invalid"),
        (lambda t, D: D.LKJCholesky(1), ValueError, "Expected dim to be an integer greater than or equal to 2"),
        (lambda t, D: D.Multinomial(t.tensor(3), t.ones(2)), NotImplementedError, "inhomogeneous total_count"),
        (lambda t, D: D.Independent(D.Normal(0.0, 1.0), 1), ValueError, "Expected reinterpreted_batch_ndims <="),
        (lambda t, D: D.MultivariateNormal(t.zeros(2)), ValueError, "Exactly one of covariance_matrix or precision"),
        (lambda t, D: D.MultivariateNormal(t.tensor(0.0), t.eye(2)), ValueError, "loc must be at least one-dim"),
        (lambda t, D: D.MultivariateNormal(t.zeros(2), t.ones(2)), ValueError, "covariance_matrix must be at least"),
        (lambda t, D: D.MultivariateNormal(t.zeros(2), -t.eye(2)), ValueError, "Expected parameter covariance_matrix"),
        (lambda t, D: D.LowRankMultivariateNormal(t.zeros(2), t.ones(3, 1), t.ones(2)), ValueError, "shape 2 x m"),
        (lambda t, D: D.Wishart(2.0), AssertionError, "Exactly one of covariance_matrix"),
        (lambda t, D: D.Wishart(1.0, t.eye(3)), ValueError, "Value of df=1.0 expected to be greater than ndim - 1 = 2"),
        (lambda t, D: D.TransformedDistribution(D.Normal(0.0, 1.0), 3), ValueError, "transforms must be a Transform"),
        (
            lambda t, D: D.TransformedDistribution(D.Normal(0.0, 1.0), D.SoftmaxTransform()),
            ValueError,
            "base_distribution needs to have shape with size at least 1, but got torch.Size([]).",
        ),
        (
            lambda t, D: D.MixtureSameFamily(D.Categorical(t.ones(3)), D.Normal(t.zeros(2), 1.0)),
            ValueError,
            "`mixture_distribution component` (3) does not equal `component_distribution.batch_shape[-1]` (2)",
        ),
        (lambda t, D: D.Normal(0.0, 1.0).log_prob(1.0), ValueError, "The value argument to log_prob must be a Tensor"),
        (
            lambda t, D: D.Normal(t.zeros(2), 1.0).log_prob(t.zeros(3)),
            ValueError,
            "Value is not broadcastable with batch_shape+event_shape: torch.Size([3]) vs torch.Size([2]).",
        ),
        (
            lambda t, D: D.Dirichlet(t.ones(2)).log_prob(t.ones(3) / 3),
            ValueError,
            "The right-most size of value must match event_shape: torch.Size([3]) vs torch.Size([2]).",
        ),
        (
            lambda t, D: D.Binomial(t.tensor([1.0, 2.0]), 0.5).entropy(),
            NotImplementedError,
            "Inhomogeneous total count",
        ),
        (lambda t, D: D.Poisson(1.0).entropy(), NotImplementedError, ""),
        (lambda t, D: D.Poisson(1.0).rsample(), NotImplementedError, ""),
        (lambda t, D: D.ExpTransform(cache_size=2), ValueError, "cache_size must be 0 or 1"),
        (lambda t, D: D.ReshapeTransform((2,), (3,)), ValueError, "in_shape, out_shape have different numbers"),
        (lambda t, D: D.CatTransform([D.ExpTransform()])(t.zeros(2)), AssertionError, "must equal length 1"),
        (lambda t, D: D.StackTransform([3]), AssertionError, "All elements of tseq must be Transform instances"),
        (lambda t, D: D.constraints.dependent.check(t.zeros(1)), ValueError, "Cannot determine validity of dependent"),
        (lambda t, D: D.constraints.independent(3, 1), AssertionError, "base_constraint must be a Constraint, got int"),
        (
            lambda t, D: D.constraints.real_vector.check(t.tensor(1.0)),
            ValueError,
            "Expected value.dim() >= 1 but got 0",
        ),
        (
            lambda t, D: D.transform_to(D.constraints.one_hot),
            NotImplementedError,
            "Cannot transform _OneHot constraints",
        ),
        (lambda t, D: D.transform_to.register(3), None, ""),
        (
            lambda t, D: D.transform_to.register(3, 4),
            TypeError,
            "Expected constraint to be either a Constraint subclass",
        ),
        (
            lambda t, D: D.kl_divergence(D.Poisson(1.0), D.Cauchy(0.0, 1.0)),
            NotImplementedError,
            "No KL(p || q) is implemented for p type Poisson and q type Cauchy",
        ),
        (
            lambda t, D: D.utils.vec_to_tril_matrix(t.ones(5)),
            ValueError,
            "The size of last dimension is 5 which cannot",
        ),
        (lambda t, D: D.utils.tril_matrix_to_vec(t.ones(2, 2), 2), ValueError, "diag (2) provided is outside [-2, 1]."),
    ],
)
def test_what_is_refused(torch, D, make, error, message):
    if error is None:
        assert callable(make(torch, D))  # a decorator, which complains later
        return
    with pytest.raises(error) as caught:
        make(torch, D)
    assert message in str(caught.value)


def test_validation_can_be_switched_off(torch, D):
    assert D.Normal(0.0, -1.0, validate_args=False).scale == -1
    try:
        D.Distribution.set_default_validate_args(False)
        assert D.Normal(0.0, -1.0).scale == -1
    finally:
        D.Distribution.set_default_validate_args(True)
    with pytest.raises(ValueError):
        D.Normal(0.0, -1.0)


def test_a_class_without_constraints_warns(torch, D):
    class Bare(D.Distribution):
        pass

    with pytest.warns(UserWarning, match="does not define `arg_constraints`"):
        made = Bare()
    with pytest.warns(UserWarning, match="does not define `support`"):
        made._validate_sample(torch.zeros(()))
    with pytest.raises(NotImplementedError):
        made.expand((2,))


# ---- batches and parameters


def test_a_subclass_with_a_constructor_of_its_own_must_expand_itself(torch, D):
    class Standard(D.Normal):
        def __init__(self):
            super().__init__(0.0, 1.0)

    with pytest.raises(NotImplementedError, match="Subclass Standard of Normal that defines a custom __init__ method"):
        Standard().expand((2,))


def test_expanded_distributions_keep_their_class_and_memory(torch, D):
    rate = torch.tensor([1.0, 2.0])
    expanded = D.Chi2(rate).expand((3, 2))
    assert type(expanded) is D.Chi2
    assert expanded.df.tolist() == [[1.0, 2.0]] * 3
    normal = D.Normal(rate, 1.0)
    assert normal.expand((3, 2)).loc.data_ptr() == rate.data_ptr()


def test_logits_are_computed_from_probs_once(torch, D):
    coin = D.Bernoulli(torch.tensor([0.25, 0.5]))
    assert repr(coin) == "Bernoulli(probs: torch.Size([2]))"
    assert coin.logits is coin.logits
    assert repr(coin) == "Bernoulli(probs: torch.Size([2]), logits: torch.Size([2]))"
    assert coin.logits.tolist() == pytest.approx([-1.0986123, 0.0])


def test_a_lazy_parameter_records_also_without_grad(torch, D):
    probs = torch.tensor([0.25, 0.5], requires_grad=True)
    coin = D.Bernoulli(probs)
    with torch.no_grad():
        coin.log_prob(torch.ones(2))
    assert coin.logits.requires_grad


def test_samples_have_no_gradient_and_reparametrized_ones_do(torch, D):
    loc = torch.zeros(2, requires_grad=True)
    normal = D.Normal(loc, 1.0)
    assert not normal.sample().requires_grad
    normal.rsample((3,)).sum().backward()
    assert loc.grad.tolist() == [3.0, 3.0]


def test_sample_n_is_deprecated(torch, D):
    with pytest.warns(FutureWarning, match="sample_n"):
        assert D.Normal(0.0, 1.0).sample_n(3).shape == (3,)


def test_events_of_several_dimensions(torch, D):
    base = D.Normal(torch.zeros(4, 3, 2), 1.0)
    made = D.Independent(base, 2)
    assert (made.batch_shape, made.event_shape) == ((4,), (3, 2))
    assert made.log_prob(torch.zeros(3, 2)).shape == (4,)
    assert repr(made) == "Independent(Normal(loc: torch.Size([4, 3, 2]), scale: torch.Size([4, 3, 2])), 2)"


def test_a_mixture(torch, D):
    mixture = D.MixtureSameFamily(D.Categorical(torch.tensor([0.25, 0.75])), D.Normal(torch.tensor([-2.0, 2.0]), 1.0))
    assert mixture.mean == 1.0
    assert mixture.variance == 4.0
    assert mixture.cdf(torch.tensor(0.0)) == pytest.approx(0.25 * 0.9772499 + 0.75 * 0.0227501)
    torch.manual_seed(0)
    assert float(mixture.sample((2000,)).mean()) == pytest.approx(1.0, abs=0.2)
    assert mixture.expand((3,)).sample((5,)).shape == (5, 3)
    assert repr(mixture).startswith("MixtureSameFamily(\n  Categorical(probs: torch.Size([2])")


def test_mixtures_of_vectors(torch, D):
    components = D.Independent(D.Normal(torch.arange(24.0).reshape(2, 3, 4), 1.0), 1)  # (batch, component, number)
    mixture = D.MixtureSameFamily(D.Categorical(torch.ones(2, 3)), components)
    assert (mixture.batch_shape, mixture.event_shape) == ((2,), (4,))
    assert mixture.mean.tolist() == [[4.0, 5.0, 6.0, 7.0], [16.0, 17.0, 18.0, 19.0]]
    assert mixture.sample((5,)).shape == (5, 2, 4)
    assert mixture.log_prob(mixture.sample((5,))).shape == (5, 2)


def test_seldom_impossible_things_have_no_nan(torch, D):
    assert D.Geometric(torch.tensor(1.0)).log_prob(torch.tensor(0.0)) == 0
    assert D.Multinomial(2, torch.tensor([1.0, 0.0])).log_prob(torch.tensor([2.0, 0.0])) == pytest.approx(0, abs=1e-6)
    assert D.NegativeBinomial(torch.tensor(0.0), 0.5).log_prob(torch.tensor(0.0)) == 0
    assert D.Uniform(0.0, 1.0, validate_args=False).log_prob(torch.tensor(2.0)) == -float("inf")
    near = D.ContinuousBernoulli(torch.tensor([0.4995, 0.5, 0.5005]))
    assert near.mean.tolist() == pytest.approx([0.5 - 0.0005 / 3, 0.5, 0.5 + 0.0005 / 3])


def test_second_derivatives_of_gamma_draws_are_refused(torch, D):
    shape = torch.tensor([1.0, 2.0], requires_grad=True)
    (slope,) = torch.autograd.grad(D.Gamma(shape, 1.0).rsample().sum(), shape, create_graph=True)
    with pytest.raises(NotImplementedError, match="derivative for '_standard_gamma_grad' is not implemented"):
        slope.sum().backward()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_gamma_draws_in_half_precision_are_refused(torch, D, dtype):
    shape = torch.ones(3, dtype=getattr(torch, dtype))
    with pytest.raises(NotImplementedError, match="\"gamma_cpu\" not implemented for '(Half|BFloat16)'"):
        D.Gamma(shape, 1.0).sample()
    with pytest.raises(NotImplementedError, match="\"dirichlet\" not implemented for '(Half|BFloat16)'"):
        D.Dirichlet(shape).sample()


# ---- transforms


def test_a_transform_remembers_its_last_pair(torch, D):
    x = torch.tensor([50.0])
    forgetful, remembering = D.TanhTransform(), D.TanhTransform(cache_size=1)
    assert forgetful.inv(forgetful(x)) == float("inf")
    assert remembering.inv(remembering(x)) is x
    assert remembering(x) is remembering(x)


def test_caches_of_a_chain(torch, D):
    chain = D.ComposeTransform([D.AffineTransform(0.0, 2.0), D.TanhTransform()], cache_size=1)
    x = torch.tensor([50.0])
    assert chain.inv(chain(x)) is x
    assert D.ComposeTransform(chain.parts) == chain


def test_a_pickled_transform_forgets_its_inverse(torch, D):
    transform = D.AffineTransform(1.0, 2.0)
    assert transform.inv.inv is transform
    copy = pickle.loads(pickle.dumps(transform))
    assert copy == transform
    assert copy.inv is not transform.inv


def test_samples_of_transformed_distributions(torch, D):
    made = D.TransformedDistribution(D.Normal(torch.zeros(2), 1.0), [D.ExpTransform(), D.AffineTransform(1.0, 2.0)])
    assert made.log_prob(torch.tensor([3.0, 3.0])).tolist() == pytest.approx([-1.6120857] * 2)
    assert made.cdf(torch.tensor([3.0, 3.0])).tolist() == pytest.approx([0.5, 0.5])
    assert made.icdf(torch.tensor([0.5, 0.5])).tolist() == pytest.approx([3.0, 3.0])
    assert made.expand((3, 2)).rsample((4,)).shape == (4, 3, 2)


def test_a_falling_transform_turns_quantiles_round(torch, D):
    made = D.TransformedDistribution(D.Exponential(1.0), D.AffineTransform(0.0, -1.0))
    assert made.cdf(torch.tensor(-1.0)) == pytest.approx(0.3678795)
    assert made.icdf(torch.tensor(0.3678795)) == pytest.approx(-1.0)


def test_a_transform_of_vectors_makes_events(torch, D):
    made = D.TransformedDistribution(D.Normal(torch.zeros(3, 2), 1.0), D.StickBreakingTransform())
    assert (made.batch_shape, made.event_shape) == ((3,), (3,))
    assert made.log_prob(made.sample()).shape == (3,)


def test_parameters_from_real_numbers(torch, D):
    scale = D.transform_to(D.Normal.arg_constraints["scale"])(torch.tensor([-50.0, 0.0, 2.0]))
    assert bool((scale > 0).all())
    assert D.biject_to(D.constraints.simplex)(torch.zeros(2)).tolist() == pytest.approx([1 / 3] * 3)


def test_a_registry_of_ones_own(torch, D, constraints):
    class Even(constraints.Constraint):
        def check(self, value):
            return value % 2 == 0

    @D.transform_to.register(Even)
    def to_even(constraint):
        return D.AffineTransform(0.0, 2.0)

    assert repr(Even()) == "ven()"  # PyTorch takes the first letter for an underscore
    assert D.transform_to(Even()) == D.AffineTransform(0.0, 2.0)
    with pytest.raises(NotImplementedError):
        D.biject_to(Even())


# ---- divergences


def test_the_most_specific_divergence_is_taken(torch, D):
    class Mine(D.Normal):
        pass

    p, q = Mine(0.0, 1.0), D.Normal(1.0, 1.0)
    assert D.kl_divergence(p, q) == 0.5

    @D.register_kl(Mine, D.Normal)
    def mine(p, q):
        return 7

    assert D.kl_divergence(p, q) == 7
    assert D.kl_divergence(q, p) == 0.5

    @D.register_kl(D.Normal, Mine)
    def other(p, q):
        return 8

    with pytest.warns(
        RuntimeWarning, match="Ambiguous kl_divergence\\(Mine, Mine\\). Please register_kl\\(Mine, Mine\\)"
    ):
        D.kl_divergence(p, p)


@pytest.mark.parametrize("order", [1, -1])
def test_impossible_values_make_a_divergence_infinite(torch, D, order):
    narrow, wide = D.Uniform(0.0, 1.0), D.Uniform(0.0, 2.0)
    result = float(D.kl_divergence(*(narrow, wide)[::order]))
    assert result == pytest.approx(0.6931472) if order == 1 else result == float("inf")
    sure, open_ = D.Bernoulli(torch.tensor(1.0)), D.Bernoulli(torch.tensor(0.5))
    result = float(D.kl_divergence(*(sure, open_)[::order]))
    assert result == pytest.approx(0.6931472) if order == 1 else result == float("inf")


def test_divergences_of_wrapped_distributions(torch, D):
    p, q = (partial(D.Normal, scale=torch.ones(2))(loc) for loc in (torch.zeros(2), torch.ones(2)))
    assert D.kl_divergence(D.Independent(p, 1), D.Independent(q, 1)) == 1.0
    exp = D.ExpTransform()
    moved = [D.TransformedDistribution(each, [exp]) for each in (p, q)]
    assert D.kl_divergence(*moved).tolist() == [0.5, 0.5]
    with pytest.raises(NotImplementedError):
        D.kl_divergence(moved[0], D.TransformedDistribution(q, [D.SigmoidTransform()]))
    with pytest.raises(NotImplementedError):
        D.kl_divergence(D.Independent(p, 1), D.Independent(q, 0))


@pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 3)], ids=str)
@pytest.mark.parametrize("drawn", [(), (3,), (2, 3), (4, 1, 1)], ids=str)
def test_categories_have_the_logarithms_of_their_shares(torch, D, batch, drawn):
    weights = torch.rand(*batch, 5).requires_grad_()
    values = torch.randint(0, 5, drawn)
    result = D.Categorical(weights).log_prob(values)
    shares = (weights / weights.sum(-1, keepdim=True)).expand(*torch.broadcast_shapes(batch, drawn), 5)
    picked = torch.nn.functional.one_hot(values, 5).expand(shares.shape)
    expected = (shares * picked).sum(-1).log()
    assert result.shape == expected.shape and torch.allclose(result, expected, atol=1e-6)
    gradients = [torch.autograd.grad(each.sum(), weights, retain_graph=True)[0] for each in (result, expected)]
    assert torch.allclose(*gradients, atol=1e-5)


@pytest.mark.parametrize("values", [[0, 2], [0.0, 2.0]], ids=str)
def test_only_integers_of_a_range_are_categories(torch, D, values):
    shares = D.Categorical(torch.ones(2, 3))
    assert shares.log_prob(torch.tensor(values)).shape == (2,)
    for wrong in ([0, 3], [-1, 0], [0.5, 1.0], [float("nan"), 1.0]):
        with pytest.raises(ValueError, match="^Expected value argument"):
            shares.log_prob(torch.tensor(wrong))


def test_a_divergence_may_be_registered_for_any_class(torch, D):
    class Own:  # of a package that has distributions of its own
        pass

    @D.register_kl(Own, D.Normal)
    def own(p, q):
        return q.loc

    assert D.kl_divergence(Own(), D.Normal(3.0, 1.0)) == 3
    with pytest.raises(NotImplementedError, match="^No KL"):
        D.kl_divergence(D.Normal(3.0, 1.0), Own())
    with pytest.raises(TypeError, match=r"^issubclass\(\) arg 1 must be a class$"):
        D.register_kl("Own", D.Normal)
    assert D.kl._KL_REGISTRY[Own, D.Normal] is own


def test_helpers_that_packages_import(torch, D):
    torch.manual_seed(3)
    drawn = D.utils._standard_normal(torch.Size([2, 3]), torch.float64, torch.device("cpu"))
    torch.manual_seed(3)
    assert torch.equal(drawn, torch.randn(2, 3, dtype=torch.float64))
    assert D.utils._sum_rightmost(torch.ones(2, 3, 4), 2).tolist() == [12, 12]
    assert D.utils._sum_rightmost(torch.ones(2), 0).tolist() == [1, 1]
