"""Variational inference with autoguides, enumeration, NUTS, predictions, and the store of parameters."""
# requires: pyro-ppl==1.9.2

import io
import json

import pyro
import pyro.distributions as dist
import torch
from pyro import poutine
from pyro.infer import (
    MCMC,
    NUTS,
    SVI,
    Predictive,
    RenyiELBO,
    Trace_ELBO,
    TraceEnum_ELBO,
    TraceGraph_ELBO,
    TraceMeanField_ELBO,
    config_enumerate,
    infer_discrete,
)  # fmt: skip
from pyro.infer.autoguide import (
    AutoDelta,
    AutoDiagonalNormal,
    AutoIAFNormal,
    AutoLaplaceApproximation,
    AutoLowRankMultivariateNormal,
    AutoMultivariateNormal,
    AutoNormal,
)  # fmt: skip
from pyro.nn import PyroModule, PyroSample

pyro.set_rng_seed(0)
x = torch.randn(40, 2)
y = x @ torch.tensor([1.5, -0.5]) + 0.3 + 0.1 * torch.randn(40)
found = {}


def model(x, y=None):
    weight = pyro.sample("weight", dist.Normal(torch.zeros(2), 1.0).to_event(1))
    bias = pyro.sample("bias", dist.Normal(0.0, 1.0))
    scale = pyro.sample("scale", dist.LogNormal(-1.0, 1.0))
    with pyro.plate("data", len(x)):
        return pyro.sample("y", dist.Normal(x @ weight + bias, scale), obs=y)


def train(guide, elbo, steps=20, program=model, arguments=(x, y), lr=0.05):
    pyro.clear_param_store()
    pyro.set_rng_seed(1)
    svi = SVI(program, guide, pyro.optim.Adam({"lr": lr}), elbo)
    return [svi.step(*arguments) for _ in range(steps)]


for kind in (AutoNormal, AutoMultivariateNormal, AutoDiagonalNormal, AutoDelta, AutoLowRankMultivariateNormal):
    guide = kind(model)
    found[kind.__name__] = train(guide, Trace_ELBO())
    found[f"{kind.__name__} median"] = {name: value.flatten().tolist() for name, value in guide.median(x, y).items()}
for elbo in (TraceMeanField_ELBO(), TraceGraph_ELBO(), RenyiELBO(num_particles=2), Trace_ELBO(num_particles=3)):
    found[type(elbo).__name__ + " loss"] = train(AutoNormal(model), elbo, 5)
pyro.set_rng_seed(4)
found["flow"] = train(AutoIAFNormal(model, hidden_dim=[8], num_transforms=1), Trace_ELBO(), 4)

# To the end: the guide finds the weights that made the data.
guide = AutoNormal(model)
losses = train(guide, Trace_ELBO(), 400, lr=0.03)
weight = guide.median()["weight"]
found["converged"] = bool((weight - torch.tensor([1.5, -0.5])).abs().max() < 0.1 and losses[-1] < losses[0])
pyro.set_rng_seed(2)
predicted = Predictive(model, guide=guide, num_samples=3)(x[:2])
found["predicted"] = predicted["y"].shape == (3, 2)

# Laplace's approximation from a few steps to the mode.
guide = AutoLaplaceApproximation(model)
found["laplace"] = train(guide, Trace_ELBO(), 10)

# The store of parameters: saved and loaded.
pyro.clear_param_store()
kept = io.BytesIO()
pyro.param("positive", torch.tensor(2.0), constraint=dist.constraints.positive)
pyro.param("simplex", torch.tensor([0.2, 0.8]), constraint=dist.constraints.simplex)
torch.save(pyro.get_param_store().get_state(), kept)
pyro.clear_param_store()
kept.seek(0)
pyro.get_param_store().set_state(torch.load(kept, weights_only=False))
found["store"] = [pyro.param("positive").item(), *pyro.param("simplex").tolist()]


# A mixture: the assignments are summed over, then inferred.
data = torch.cat([torch.randn(15) - 2, torch.randn(15) + 2])


@config_enumerate
def mixture(data):
    weights = pyro.sample("weights", dist.Dirichlet(torch.full((2,), 5.0)))
    with pyro.plate("components", 2):
        place = pyro.sample("place", dist.Normal(0.0, 5.0))
    with pyro.plate("data", len(data)):
        which = pyro.sample("which", dist.Categorical(weights))
        pyro.sample("obs", dist.Normal(place[which], 1.0), obs=data)


guide = AutoDelta(
    poutine.block(mixture, expose=["weights", "place"]),
    init_loc_fn=lambda site: torch.tensor([-1.0, 1.0]) if site["name"] == "place" else torch.tensor([0.5, 0.5]),
)
found["mixture"] = train(guide, TraceEnum_ELBO(max_plate_nesting=1), 10, mixture, (data,))
trained = poutine.replay(mixture, poutine.trace(guide).get_trace(data))
inferred = infer_discrete(trained, temperature=0, first_available_dim=-2)
found["which"] = poutine.trace(inferred).get_trace(data).nodes["which"]["value"].tolist()


# A Bayesian network as a module.
class Network(PyroModule):
    def __init__(self):
        super().__init__()
        self.linear = PyroModule[torch.nn.Linear](2, 1)
        self.linear.weight = PyroSample(dist.Normal(0.0, 1.0).expand([1, 2]).to_event(2))

    def forward(self, x, y=None):
        mean = self.linear(x).squeeze(-1)
        with pyro.plate("data", len(x)):
            return pyro.sample("y", dist.Normal(mean, 0.5), obs=y)


pyro.set_rng_seed(3)
network = Network()
found["module"] = train(AutoDiagonalNormal(network), Trace_ELBO(), 10, network)

# A short chain; its path is chaotic, so only its first potential energy and a check of the posterior are compared.
pyro.set_rng_seed(5)
kernel = NUTS(model, max_tree_depth=4)
chain = MCMC(kernel, num_samples=40, warmup_steps=40, disable_progbar=True)
chain.run(x, y)
found["chain"] = bool((chain.get_samples()["weight"].mean(0) - torch.tensor([1.5, -0.5])).abs().max() < 0.15)
kernel = NUTS(model, adapt_step_size=False, adapt_mass_matrix=False, step_size=0.02, max_tree_depth=2)
pyro.set_rng_seed(6)
chain = MCMC(kernel, num_samples=3, warmup_steps=0, disable_progbar=True)
chain.run(x, y)
found["steps"] = chain.get_samples()["weight"].flatten().tolist()

# Distributions that Pyro adds, and transforms with parameters.
pyro.set_rng_seed(7)
flow = dist.transforms.spline_coupling(2, count_bins=4)
base = dist.Normal(torch.zeros(2), 1.0).to_event(1)
found["spline"] = dist.TransformedDistribution(base, [flow]).log_prob(x[:3] / 3).tolist()
found["hmm"] = (
    dist.DiscreteHMM(torch.zeros(2), torch.eye(2) + 0.1, dist.Normal(torch.tensor([-1.0, 1.0]), 1.0))
    .log_prob(data[:5])
    .item()
)
found["zero inflated"] = (
    dist.ZeroInflatedPoisson(torch.tensor(2.0), gate=torch.tensor(0.3)).log_prob(torch.tensor([0.0, 1.0, 4.0])).tolist()
)
found["delta"] = dist.Delta(torch.tensor(1.0), log_density=0.5).log_prob(torch.tensor(1.0)).item()
print(json.dumps(found))
