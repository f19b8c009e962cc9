"""Distributions: sampling, densities, a policy gradient and a variational autoencoder."""

import rushlight as torch
from rushlight import Tensor, nn
from rushlight.distributions import Bernoulli, Categorical, Independent, MultivariateNormal, Normal, kl_divergence
from rushlight.distributions.normal import Normal as TheSame


class Policy(nn.Module):
    def __init__(self, states=4, actions=2):
        super().__init__()
        self.affine = nn.Linear(states, 16)
        self.head = nn.Linear(16, actions)
        self.log_probs: list[Tensor] = []

    def forward(self, x):
        return torch.softmax(self.head(torch.relu(self.affine(x))), dim=-1)

    def act(self, state: Tensor) -> int:
        m = Categorical(probs=self(state))
        action = m.sample()
        self.log_probs.append(m.log_prob(action))
        return action.item()


class VAE(nn.Module):
    def __init__(self, size: int, latent: int) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(size, 16), nn.ReLU(), nn.Linear(16, 2 * latent))
        self.decode = nn.Linear(latent, size)

    def forward(self, x: Tensor) -> tuple[Tensor, Normal]:
        mean, log_std = self.encode(x).chunk(2, dim=-1)
        q = Normal(mean, log_std.exp())
        return torch.sigmoid(self.decode(q.rsample())), q

    def loss(self, x: Tensor) -> Tensor:
        reconstruction, q = self(x)
        likelihood = Bernoulli(reconstruction).log_prob(x.round()).sum(-1)
        prior = Normal(torch.zeros_like(q.loc), torch.ones_like(q.scale))
        return (kl_divergence(q, prior).sum(-1) - likelihood).mean()


policy = Policy()
action = policy.act(torch.randn(4))
returns = torch.tensor([1.0])
loss = torch.stack([-p * r for p, r in zip(policy.log_probs, returns, strict=True)]).sum()
loss.backward()
VAE(8, 2).loss(torch.rand(4, 8)).backward()
normal = torch.distributions.Normal(0.0, 1.0)
samples = normal.sample((3, 2)) + normal.rsample(torch.Size([3, 2])) + normal.sample()
facts = normal.mean + normal.stddev + normal.variance + normal.entropy() + normal.cdf(torch.tensor(0.5)) + normal.loc
several = [
    torch.distributions.Uniform(0, 1), torch.distributions.Beta(2.0, 3.0), torch.distributions.Gamma(2.0, rate=1.0),
    torch.distributions.Exponential(rate=torch.tensor(1.0)), torch.distributions.Poisson(3.0),
    torch.distributions.Dirichlet(torch.ones(3)), torch.distributions.StudentT(df=3.0, loc=0.0, scale=2.0),
    torch.distributions.Laplace(loc=0.0, scale=1.0), torch.distributions.Binomial(10, probs=torch.tensor(0.3)),
    torch.distributions.Geometric(0.3), torch.distributions.LogNormal(0.0, 1.0), Bernoulli(logits=torch.zeros(2)),
    MultivariateNormal(torch.zeros(2), covariance_matrix=torch.eye(2)), Independent(Normal(torch.zeros(2), 1.0), 1),
]  # fmt: skip
mixture = torch.distributions.MixtureSameFamily(
    Categorical(torch.ones(2)), Independent(Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1)
)
flow = torch.distributions.TransformedDistribution(
    Normal(0.0, 1.0), [torch.distributions.transforms.AffineTransform(loc=1.0, scale=2.0)]
)
for distribution in several:
    draw = distribution.sample()
    print(type(distribution).__name__, distribution.batch_shape, distribution.log_prob(draw).shape, draw.dtype)
print(mixture.log_prob(torch.zeros(3)), flow.sample((2,)), samples.shape, facts, isinstance(normal, TheSame), action)
print(Categorical(logits=torch.zeros(3)).probs, Categorical(logits=torch.zeros(3)).logits.shape)
