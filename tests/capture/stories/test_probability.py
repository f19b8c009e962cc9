"""Distributions in compiled functions: their methods are watched, and their operators are part of the program."""

import subprocess
import sys

import pytest

import rushlight as torch
from rushlight import distributions as D
from rushlight import nn

MADE = {
    "bernoulli": lambda a: D.Bernoulli(logits=a),
    "bernoulli of probabilities": lambda a: D.Bernoulli(probs=a.sigmoid()),
    "beta": lambda a: D.Beta(a.exp(), a.exp() + 1),
    "binomial": lambda a: D.Binomial(5, logits=a),
    "categorical": lambda a: D.Categorical(logits=a),
    "categorical of probabilities": lambda a: D.Categorical(probs=a.softmax(-1)),
    "cauchy": lambda a: D.Cauchy(a, a.exp()),
    "chi2": lambda a: D.Chi2(a.exp()),
    "continuous bernoulli": lambda a: D.ContinuousBernoulli(logits=a + 6),  # it cancels near 0
    "dirichlet": lambda a: D.Dirichlet(a.exp()),
    "exponential": lambda a: D.Exponential(a.exp()),
    "gamma": lambda a: D.Gamma(a.exp(), a.exp()),
    "geometric": lambda a: D.Geometric(logits=a),
    "gumbel": lambda a: D.Gumbel(a, a.exp()),
    "half cauchy": lambda a: D.HalfCauchy(a.exp()),
    "half normal": lambda a: D.HalfNormal(a.exp()),
    "independent": lambda a: D.Independent(D.Normal(a, a.exp()), 1),
    "inverse gamma": lambda a: D.InverseGamma(a.exp(), a.exp()),
    "kumaraswamy": lambda a: D.Kumaraswamy(a.exp(), a.exp()),
    "laplace": lambda a: D.Laplace(a, a.exp()),
    "log normal": lambda a: D.LogNormal(a, a.exp()),
    "logistic normal": lambda a: D.LogisticNormal(a, a.exp()),
    "low rank": lambda a: D.LowRankMultivariateNormal(a, a.unsqueeze(-1), a.exp()),
    "mixture": lambda a: D.MixtureSameFamily(D.Categorical(logits=a), D.Normal(a, a.exp())),
    "multinomial": lambda a: D.Multinomial(4, logits=a),
    "multivariate normal": lambda a: D.MultivariateNormal(a, scale_tril=torch.diag_embed(a.exp())),
    "negative binomial": lambda a: D.NegativeBinomial(3.0, logits=a),
    "normal": lambda a: D.Normal(a, a.exp()),
    "one hot": lambda a: D.OneHotCategorical(logits=a),
    "pareto": lambda a: D.Pareto(a.exp(), a.exp()),
    "poisson": lambda a: D.Poisson(a.exp()),
    "relaxed bernoulli": lambda a: D.RelaxedBernoulli(torch.tensor(0.7), logits=a),
    "relaxed one hot": lambda a: D.RelaxedOneHotCategorical(torch.tensor(0.7), logits=a),
    "student": lambda a: D.StudentT(a.exp() + 2, a, a.exp()),
    "transformed": lambda a: D.TransformedDistribution(D.Normal(a, a.exp()), [D.TanhTransform()]),
    "uniform": lambda a: D.Uniform(a, a + 1),
    "von mises": lambda a: D.VonMises(a, a.exp()),
    "weibull": lambda a: D.Weibull(a.exp(), a.exp()),
}
METHODS = ("log_prob", "entropy", "mean", "sample", "rsample")
LEFT = {  # that read elements, and run as written
    ("binomial", "entropy"), ("multinomial", "entropy"), ("negative binomial", "sample"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def compile_was_used():
    """The first use of `torch.compile` in a process switches the checks of arguments off."""
    D.Distribution.set_default_validate_args(False)


def called(make, method):
    def function(a, value):
        made = make(a)
        if method == "log_prob":
            return made.log_prob(value).sum()
        return made.mean if method == "mean" else getattr(made, method)()

    return function


def inputs_of(make):
    a = torch.randn(3, 4).requires_grad_()
    with torch.no_grad():
        return a, make(a).sample()


def has(function, inputs):
    try:
        function(*inputs)
    except NotImplementedError:
        return False
    return True


@pytest.mark.parametrize("name", MADE)
def test_every_method_agrees(name, agree):
    for method in METHODS:
        function = called(MADE[name], method)
        if not has(function, inputs_of(MADE[name])):
            continue

        def story(compile, function=function):
            compiled, seen = compile(function), []
            for _ in range(6):
                a, value = inputs_of(MADE[name])
                result = compiled(a, value)
                if result.requires_grad:
                    result.sum().backward()
                seen.append((result, a.grad))
            return seen

        agree(story)


@pytest.mark.parametrize("name", MADE)
def test_no_method_breaks_a_function(name):
    for method in METHODS:
        function, inputs = called(MADE[name], method), inputs_of(MADE[name])
        if has(function, inputs) and (name, method) not in LEFT:
            assert not torch.compiler.explain(function)(*inputs).breaks, method


PAIRS = [
    (D.Normal, D.Normal), (D.Normal, D.Laplace), (D.Gamma, D.Gamma), (D.Uniform, D.Normal), (D.LogNormal, D.LogNormal),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_divergences_agree(first, second, agree):
    def divergence(a, b):
        return D.kl_divergence(first(a.exp(), a.exp() + 1), second(b.exp(), b.exp() + 1)).sum()

    def story(compile):
        compiled, seen = compile(divergence), []
        for _ in range(5):
            a, b = torch.randn(3).requires_grad_(), torch.randn(3).requires_grad_()
            compiled(a, b).backward()
            seen.append((a.grad, b.grad))
        return seen

    agree(story, replays=2)


def test_a_divergence_that_is_registered_later_is_used(agree):
    class Own(D.Normal):
        """A normal distribution of the program."""

    def divergence(a):
        return D.kl_divergence(Own(a, a.exp()), D.Normal(a, 1.0)).sum()

    def story(compile):
        compiled, a = compile(divergence), torch.ones(3)
        before = [compiled(a) for _ in range(4)]
        D.register_kl(Own, D.Normal)(lambda p, q: torch.full((3,), 7.0))
        try:
            return before, [compiled(a) for _ in range(4)]
        finally:
            del D.kl._KL_REGISTRY[Own, D.Normal]
            D.register_kl(D.Normal, D.Normal)(D.kl._KL_REGISTRY[D.Normal, D.Normal])

    agree(story)


class Autoencoder(nn.Module):
    """A variational autoencoder."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(6, 4), nn.Linear(2, 6)

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, -1)
        code = D.Normal(mean, (0.5 * log_variance).exp())
        prior = D.Normal(torch.zeros_like(mean), torch.ones_like(mean))
        image = D.Bernoulli(logits=self.decoder(code.rsample()))
        return (D.kl_divergence(code, prior).sum(-1) - image.log_prob(x).sum(-1)).mean()


def autoencoder():
    model = Autoencoder()
    return model, lambda x: model((x > 0).float())


def policy():
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))

    def loss(x):
        choice = D.Categorical(logits=model(x))
        action = torch.arange(len(x)) % 3
        return -(choice.log_prob(action) * x[:, 0]).mean() - 0.01 * choice.entropy().mean()

    return model, loss


def clipped():
    model = nn.Linear(6, 2)

    def loss(x):
        chosen = D.Independent(D.Normal(model(x), torch.ones(2)), 1)
        ratio = (chosen.log_prob(x[:, :2]) - x[:, 2]).exp()
        return -torch.min(ratio * x[:, 3], ratio.clamp(0.8, 1.2) * x[:, 3]).mean()

    return model, loss


def trained(make, compile):
    torch.manual_seed(0)
    model, loss_of = make()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def step(x):
        optimizer.zero_grad()
        loss = loss_of(x)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return compile(step), model


@pytest.mark.parametrize("make", [autoencoder, policy, clipped])
def test_training_agrees(make, agree):
    def story(compile):
        step, model = trained(make, compile)
        return [step(torch.randn(5, 6)) for _ in range(12)], [*model.parameters()]

    agree(story)


@pytest.mark.parametrize("make", [autoencoder, policy, clipped])
def test_a_training_step_is_one_program(make):
    step, _ = trained(make, lambda function: torch.compile(function, options={"trial": False}))
    x = torch.randn(5, 6)
    step(x), step(x)
    (program,) = torch.compiler.explain(step)(x).programs
    (part,) = [text for _, text in program.parts]
    assert "one training step" in part


# ---- checks of arguments


SWITCHES = """
import rushlight as torch
BEFORE
torch.compile(torch.relu)
AFTER
torch.distributions.Normal(0.0, -1.0)
torch.distributions.Distribution.set_default_validate_args(True)
torch.compile(torch.relu)
try:
    torch.distributions.Normal(0.0, -1.0)
except ValueError as error:
    print(str(error)[:30])
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [("import rushlight.distributions", ""), ("", "import rushlight.distributions"), ("torch.compile()", "")],
)
def test_the_first_use_of_compile_switches_the_checks_off(before, after):
    program = SWITCHES.replace("BEFORE", before).replace("AFTER", after)
    actual = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert actual.stdout == "Expected parameter scale (Tens\n", actual.stderr


def test_arguments_are_checked_where_the_program_asks_for_it(agree):
    def likelihood(a, value):
        return D.Normal(a, a, validate_args=True).log_prob(value)

    def story(compile):
        compiled = compile(likelihood)
        for number in range(6):
            compiled(torch.full((2,), 1.0 + number), torch.zeros(2))
        return compiled(torch.tensor([1.0, -1.0]), torch.zeros(2))

    agree(story)


# ---- sizes of what was drawn


def noise_of_a_size(x):
    noise = torch.empty(4, 8).normal_()
    return noise + torch.rand(noise.shape), noise.size(0)


def noise_like(x):
    noise = torch.randn_like(x * 2)
    return torch.rand(noise.shape) + noise


def noise_in_another_place(x):
    noise = torch.empty(3)
    noise.data = x[x > 0].clone()
    return torch.rand(noise.shape), noise


def noise_that_grows(x):
    noise = torch.randn(2)
    noise.resize_(int((x > 0).sum()))
    return torch.rand(noise.shape)


def some_noise(x):
    noise = torch.randn_like(x[x > 0])
    return torch.rand(noise.shape)


@pytest.mark.parametrize(
    "function", [noise_of_a_size, noise_like, noise_in_another_place, noise_that_grows, some_noise]
)
def test_sizes_after_a_draw_agree(function, agree):
    def story(compile):
        compiled, weight, seen = compile(function_after_a_change(function)), torch.zeros(1), []
        for number in range(8):
            seen.append(compiled(torch.arange(-3.0, 5.0) + number // 3, weight))
        return seen, weight

    agree(story)


def function_after_a_change(function):
    def changed(x, weight):
        weight.add_(1)
        return function(x)

    return changed


def test_the_size_of_noise_does_not_break_a_function():
    for function in (noise_of_a_size, noise_like):
        explained = torch.compiler.explain(function_after_a_change(function))(torch.ones(4, 8), torch.zeros(1))
        assert not explained.breaks


# ---- `vars`, sizes and limits of dtypes that the program makes


class Settings:
    """An object of the program."""

    def __init__(self, **named):
        vars(self).update(named)

    def scaled(self, x):
        return x * vars(self)["scale"]


def with_vars(x, settings):
    made = Settings(scale=3.0, shift=x)
    vars(settings)["seen"] = x
    return settings.scaled(x) + made.scaled(x) + vars(made)["shift"], vars(settings).get("none", 0)


def with_sizes(x, settings):
    size = torch.Size([*x.shape, 1])
    return x.reshape(size), torch.Size((2, 3)).numel(), size


def with_limits(x, settings):
    limits = torch.finfo(x.dtype)
    return x.clamp(min=limits.eps, max=limits.max), torch.iinfo(torch.int8).max, limits.min


@pytest.mark.parametrize("function", [with_vars, with_sizes, with_limits])
def test_functions_with_vars_sizes_and_limits_agree(function, agree):
    def story(compile):
        compiled, settings, seen = compile(function), Settings(scale=2.0), []
        for number in range(8):
            if number == 4:
                settings.scale = 5.0
            seen.append(compiled(torch.ones(2, 3) * number, settings))
        return seen, settings

    agree(story, replays=2)
    assert not torch.compiler.explain(function)(torch.ones(2, 3), Settings(scale=2.0)).breaks
