"""Integrates ODEs by fixed and adaptive steps, and trains a neural ODE through the solver and by the adjoint."""
# requires: torchdiffeq==0.2.5

import json

import torch
from torchdiffeq import odeint, odeint_adjoint, odeint_event

torch.manual_seed(0)
found = {}

# A spiral, whose matrix is to be found again.
truth = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
start = torch.tensor([[2.0, 0.0]])
times = torch.linspace(0.0, 2.0, 20)
with torch.no_grad():
    spiral = odeint(lambda t, y: (y**3) @ truth, start, times, method="dopri5")
found["spiral"] = spiral[::4].flatten().tolist()
for method in ("euler", "midpoint", "rk4", "explicit_adams", "bosh3", "adaptive_heun", "dopri8"):
    end = odeint(
        lambda t, y: -y * t, torch.ones(3, dtype=torch.float64), torch.linspace(0, 1, 5).double(), method=method
    )
    found[method] = end[-1].tolist()


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))

    def forward(self, t, y):
        return self.net(y**3)


for name, solve in (("direct", odeint), ("adjoint", odeint_adjoint)):
    torch.manual_seed(1)
    field = Field()
    optimizer = torch.optim.Adam(field.parameters(), lr=0.01)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        guess = solve(field, start, times, method="rk4")
        loss = (guess - spiral).abs().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    found[name] = losses
    found[f"{name} gradient"] = field.net[0].weight.grad.flatten().tolist()

# The adjoint with adaptive steps: the gradient with respect to the start and the times too.
field = Field().double()
point = torch.tensor([[0.5, -0.3]], dtype=torch.float64, requires_grad=True)
when = torch.tensor([0.0, 0.5, 1.0], dtype=torch.float64, requires_grad=True)
end = odeint_adjoint(field, point, when, rtol=1e-8, atol=1e-8)
end.square().sum().backward()
found["start gradient"], found["time gradient"] = point.grad.flatten().tolist(), when.grad.tolist()

# When does a falling ball reach the ground?
fall = (torch.tensor([10.0], dtype=torch.float64), torch.tensor([0.0], dtype=torch.float64))
moment, _ = odeint_event(
    lambda t, state: (state[1], torch.full_like(state[1], -9.81)),
    fall,
    torch.tensor(0.0, dtype=torch.float64),
    event_fn=lambda t, state: state[0].squeeze(),
    rtol=1e-8,
    atol=1e-8,
)
found["fall"] = moment.item()
print(json.dumps(found))
