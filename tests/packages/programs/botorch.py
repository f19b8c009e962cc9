"""Bayesian optimization: a Gaussian process is fitted, acquisition functions are optimized, points are proposed."""
# requires: botorch==0.18.1

import json

import torch
from botorch import fit_gpytorch_mll
from botorch.acquisition import ExpectedImprovement, LogExpectedImprovement, UpperConfidenceBound
from botorch.acquisition.logei import qLogExpectedImprovement
from botorch.acquisition.monte_carlo import qExpectedImprovement
from botorch.models import MixedSingleTaskGP, ModelListGP, SingleTaskGP
from botorch.models.transforms import Normalize, Standardize
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from botorch.test_functions import BraninCurrin, Hartmann
from botorch.utils.multi_objective import Hypervolume, is_non_dominated
from botorch.utils.sampling import draw_sobol_samples
from gpytorch.mlls import ExactMarginalLogLikelihood, SumMarginalLogLikelihood

torch.manual_seed(0)
found = {}
double = {"dtype": torch.float64}
bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], **double)
X = torch.rand(10, 2, **double)
Y = 1 - (X - 0.4).norm(dim=-1, keepdim=True) + 0.01 * torch.randn(10, 1, **double)

gp = SingleTaskGP(X, Y, input_transform=Normalize(2), outcome_transform=Standardize(1))
mll = fit_gpytorch_mll(ExactMarginalLogLikelihood(gp.likelihood, gp))
found["noise"] = gp.likelihood.noise.item()
found["lengthscale"] = gp.covar_module.lengthscale.flatten().tolist()
posterior = gp.posterior(torch.tensor([[0.4, 0.4], [0.9, 0.1]], **double))
found["mean"], found["variance"] = posterior.mean.flatten().tolist(), posterior.variance.flatten().tolist()

best = Y.max()
for name, acquisition in (
    ("ei", ExpectedImprovement(gp, best)),
    ("logei", LogExpectedImprovement(gp, best)),
    ("ucb", UpperConfidenceBound(gp, beta=0.1)),
):
    torch.manual_seed(1)
    candidate, value = optimize_acqf(acquisition, bounds, q=1, num_restarts=4, raw_samples=16)
    found[name] = [*candidate.flatten().tolist(), value.item()]

sampler = SobolQMCNormalSampler(torch.Size([32]), seed=1)
for name, kind in (("qei", qExpectedImprovement), ("qlogei", qLogExpectedImprovement)):
    torch.manual_seed(2)
    acquisition = kind(gp, best, sampler=sampler)
    candidates, value = optimize_acqf(acquisition, bounds, q=2, num_restarts=2, raw_samples=8, options={"maxiter": 10})
    found[name] = acquisition(candidates).item()
found["fantasies"] = (
    gp.fantasize(torch.tensor([[0.4, 0.4]], **double), SobolQMCNormalSampler(torch.Size([4]), seed=2))
    .posterior(X[:2])
    .mean.flatten()
    .tolist()
)

# Three rounds of the loop that everybody writes.
problem = Hartmann(dim=3, negate=True).to(**double)
points = draw_sobol_samples(problem.bounds.to(**double), n=8, q=1, seed=3).squeeze(1)
values = problem(points).unsqueeze(-1)
for step in range(3):
    model = SingleTaskGP(points, values)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    torch.manual_seed(step)
    new, _ = optimize_acqf(
        LogExpectedImprovement(model, values.max()), problem.bounds.to(**double), q=1, num_restarts=3, raw_samples=16
    )
    points, values = torch.cat([points, new]), torch.cat([values, problem(new).unsqueeze(-1)])
found["loop"] = values.flatten().tolist()

# Several objectives; a parameter that is a category.
pair = BraninCurrin(negate=True).to(**double)
inputs = draw_sobol_samples(pair.bounds.to(**double), n=8, q=1, seed=4).squeeze(1)
outcomes = pair(inputs)
front = outcomes[is_non_dominated(outcomes)]
found["hypervolume"] = Hypervolume(torch.tensor([-18.0, -6.0], **double)).compute(front)
models = ModelListGP(*(SingleTaskGP(inputs, outcomes[:, [each]]) for each in range(2)))
fit_gpytorch_mll(SumMarginalLogLikelihood(models.likelihood, models))
found["models"] = models.posterior(inputs[:2] + 0.01).mean.flatten().tolist()
mixed = torch.cat([X, torch.tensor([0.0, 1.0] * 5, **double).unsqueeze(1)], 1)
model = MixedSingleTaskGP(mixed, Y, cat_dims=[2])
fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
found["mixed"] = model.posterior(mixed[:3]).mean.flatten().tolist()
print(json.dumps(found))
