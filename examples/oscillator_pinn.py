"""Find friction and stiffness of a swinging body from a few noisy measurements, with a network that obeys physics.

    python -m rushlight examples/oscillator_pinn.py      # without PyTorch
    python examples/oscillator_pinn.py                   # with it

It needs `tqdm`. Raissi and others, "Physics-informed neural networks" (2019): the network u(t) is fitted to the
measurements and, everywhere between them, to u'' + friction u' + stiffness u = 0. Its own derivatives by time come from
autograd, so that each step differentiates derivatives.
"""

import argparse
import math
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

FRICTION, STIFFNESS = 0.4, 9.0
DURATION = 4.0
MEASUREMENTS = 50
NOISE = 0.02
PHYSICS = 0.003  # the weight of the equation relative to the measurements


def swing(time):
    """The solution of u'' + FRICTION u' + STIFFNESS u = 0 that starts at 1 with the velocity -FRICTION / 2."""
    frequency = math.sqrt(STIFFNESS - FRICTION**2 / 4)
    return torch.exp(-FRICTION / 2 * time) * torch.cos(frequency * time)


class Body(nn.Module):
    """Where the body is at a time, and what it is like: two numbers, learned with the weights."""

    def __init__(self, size=32):
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(1, size), nn.Tanh(), nn.Linear(size, size), nn.Tanh(), nn.Linear(size, 1)
        )
        self.friction = nn.Parameter(torch.tensor(0.0))
        self.stiffness = nn.Parameter(torch.tensor(1.0))

    def forward(self, time):
        return self.network(2 * time / DURATION - 1)

    def residual(self, time):
        """What is left of u'' + friction u' + stiffness u, (count, 1); nothing where the physics is right."""
        position = self(time)
        (velocity,) = torch.autograd.grad(position.sum(), time, create_graph=True)
        (acceleration,) = torch.autograd.grad(velocity.sum(), time, create_graph=True)
        return acceleration + self.friction * velocity + self.stiffness * position


def train(model, times, positions, steps):
    """Fit measurements and physics together; the loss of every step."""
    optimizer = torch.optim.Adam(
        [
            {"params": model.network.parameters(), "lr": 0.005},
            {"params": [model.friction, model.stiffness], "lr": 0.05},
        ]
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
    everywhere = torch.linspace(0, DURATION, 64)[:, None].requires_grad_()  # (64, 1)
    losses = []
    progress = tqdm(range(steps), desc="training", unit="step")
    for _ in progress:
        optimizer.zero_grad()
        loss = F.mse_loss(model(times), positions) + PHYSICS * model.residual(everywhere).square().mean()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        progress.set_postfix(stiffness=f"{model.stiffness.item():.3f}", loss=f"{losses[-1]:.5f}", refresh=False)
    return losses


def main():
    parser = argparse.ArgumentParser(description="Find friction and stiffness of a swinging body.")
    parser.add_argument("--quick", action="store_true", help="a quarter of the training, for a first look")
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default: %(default)s)")
    parser.add_argument("--losses", type=Path, help="write the loss of every step to this file")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    torch.set_default_dtype(torch.float64)  # second derivatives deserve it
    times = DURATION * torch.rand(MEASUREMENTS, 1)
    positions = swing(times) + NOISE * torch.randn(MEASUREMENTS, 1)
    model = Body()
    losses = train(model, times, positions, steps=1000 if options.quick else 4000)
    if options.losses:
        options.losses.write_text("\n".join(map(str, losses)))
    with torch.no_grad():
        dense = torch.linspace(0, DURATION, 200)[:, None]
        error = F.mse_loss(model(dense), swing(dense)).sqrt().item()
    print(f"friction: {model.friction.item():.3f}, in truth {FRICTION}")
    print(f"stiffness: {model.stiffness.item():.3f}, in truth {STIFFNESS}")
    print(f"error of the position: {error:.4f}, of one measurement {NOISE}")


if __name__ == "__main__":
    main()
