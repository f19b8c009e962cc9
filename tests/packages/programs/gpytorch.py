"""Exact, variational, deep-kernel and multitask Gaussian processes: trained, evaluated, sampled, saved."""
# requires: gpytorch==1.15.2

import io
import json

import gpytorch
import torch
from gpytorch.distributions import MultitaskMultivariateNormal, MultivariateNormal
from gpytorch.kernels import (
    LinearKernel,
    MaternKernel,
    MultitaskKernel,
    PeriodicKernel,
    RBFKernel,
    RFFKernel,
    RQKernel,
    ScaleKernel,
    SpectralMixtureKernel,
)  # fmt: skip
from gpytorch.likelihoods import BernoulliLikelihood, GaussianLikelihood, MultitaskGaussianLikelihood
from gpytorch.means import ConstantMean, LinearMean, MultitaskMean
from gpytorch.mlls import ExactMarginalLogLikelihood, PredictiveLogLikelihood, VariationalELBO

torch.manual_seed(0)
found = {}
x = torch.linspace(0, 1, 24)
y = torch.sin(x * 6.2832) + 0.1 * torch.randn(24)
query = torch.linspace(-0.1, 1.1, 7)


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood, kernel, mean=None):
        super().__init__(x, y, likelihood)
        self.mean_module = mean or ConstantMean()
        self.covar_module = kernel

    def forward(self, x):
        return MultivariateNormal(self.mean_module(x), self.covar_module(x))


def fit(model, likelihood, objective, inputs, targets, steps=10, lr=0.1):
    model.train()
    likelihood.train()
    own = {id(each): each for module in (model, likelihood) for each in module.parameters()}
    optimizer = torch.optim.Adam(own.values(), lr=lr)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = -objective(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    likelihood.eval()
    return losses


kernels = {
    "rbf": lambda: ScaleKernel(RBFKernel()),
    "matern": lambda: ScaleKernel(MaternKernel(nu=1.5)),
    "periodic": lambda: ScaleKernel(PeriodicKernel()),
    "rational": lambda: ScaleKernel(RQKernel()) + LinearKernel(),
    "product": lambda: ScaleKernel(RBFKernel() * LinearKernel()),
    "features": lambda: ScaleKernel(RFFKernel(num_samples=10, num_dims=1)),
    "mixture": lambda: SpectralMixtureKernel(num_mixtures=3),
}
for name, kernel in kernels.items():
    torch.manual_seed(1)
    likelihood = GaussianLikelihood()
    model = Exact(x, y, likelihood, kernel(), LinearMean(1) if name == "rational" else None)
    if name == "features":
        model.mean_module.initialize(constant=0.1)
    objective = ExactMarginalLogLikelihood(likelihood, model)
    losses = fit(model, likelihood, objective, x, y)
    with torch.no_grad(), gpytorch.settings.fast_pred_var():
        seen = likelihood(model(query))
        lower, upper = seen.confidence_region()
    found[name] = {"losses": losses, "mean": seen.mean.tolist(), "lower": lower.tolist(), "upper": upper.tolist()}

# Saved and loaded; conditioned on more data; gradients of the mean with respect to the inputs.
kept = io.BytesIO()


def with_prior(likelihood):
    return Exact(x, y, likelihood, ScaleKernel(RBFKernel(lengthscale_prior=gpytorch.priors.GammaPrior(3.0, 6.0))))


likelihood = GaussianLikelihood()
model = with_prior(likelihood)
found["prior"] = fit(model, likelihood, ExactMarginalLogLikelihood(likelihood, model), x, y, steps=5)
torch.save(model.state_dict(), kept)
other = with_prior(GaussianLikelihood())
other.load_state_dict(torch.load(io.BytesIO(kept.getvalue())))
other.eval()
points = query.clone().requires_grad_()
other(points).mean.sum().backward()
found["input gradient"] = points.grad.tolist()
fantasy = other.get_fantasy_model(torch.tensor([0.5]), torch.tensor([0.2]))
with torch.no_grad():
    found["fantasy"] = fantasy(query).mean.tolist()
    torch.manual_seed(2)
    found["samples"] = other(query[:3]).rsample(torch.Size([2])).flatten().tolist()


# Variational, one epoch of minibatches.
class Variational(gpytorch.models.ApproximateGP):
    def __init__(self, inducing, natural=False):
        kind = (
            gpytorch.variational.NaturalVariationalDistribution
            if natural
            else gpytorch.variational.CholeskyVariationalDistribution
        )
        strategy = gpytorch.variational.VariationalStrategy(
            self, inducing, kind(inducing.size(0)), learn_inducing_locations=True
        )
        super().__init__(strategy)
        self.mean_module = ConstantMean()
        self.covar_module = ScaleKernel(RBFKernel())

    def forward(self, x):
        return MultivariateNormal(self.mean_module(x), self.covar_module(x))


many = torch.rand(128, 2)
targets = torch.sin(many.sum(1) * 4) + 0.05 * torch.randn(128)
for name, objective in (("elbo", VariationalELBO), ("predictive", PredictiveLogLikelihood)):
    torch.manual_seed(3)
    likelihood, model = GaussianLikelihood(), Variational(many[:16].clone())
    loss_of = objective(likelihood, model, num_data=128)
    optimizer = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.02)
    losses = []
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(many, targets), batch_size=32, shuffle=True)
    for inputs, wanted in loader:
        optimizer.zero_grad()
        loss = -loss_of(model(inputs), wanted)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        found[name] = {"losses": losses, "mean": model(many[:4]).mean.tolist()}

# Classes, by a likelihood that is not Gaussian.
torch.manual_seed(4)
likelihood, model = BernoulliLikelihood(), Variational(x[::4].clone().unsqueeze(-1))
classes = (y > 0).float()
found["classes"] = fit(model, likelihood, VariationalELBO(likelihood, model, num_data=24), x.unsqueeze(-1), classes, 5)
with torch.no_grad():
    found["probabilities"] = likelihood(model(query.unsqueeze(-1))).probs.tolist()


# Several tasks at once.
class Multitask(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = MultitaskMean(ConstantMean(), num_tasks=2)
        self.covar_module = MultitaskKernel(RBFKernel(), num_tasks=2, rank=1)

    def forward(self, x):
        return MultitaskMultivariateNormal(self.mean_module(x), self.covar_module(x))


torch.manual_seed(5)
both = torch.stack([y, torch.cos(x * 6.2832)], -1)
likelihood = MultitaskGaussianLikelihood(num_tasks=2)
model = Multitask(x, both, likelihood)
found["tasks"] = fit(model, likelihood, ExactMarginalLogLikelihood(likelihood, model), x, both, 5)
with torch.no_grad():
    found["tasks mean"] = likelihood(model(query)).mean.flatten().tolist()
print(json.dumps(found))
