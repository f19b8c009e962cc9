"""Normalizing flows of several kinds: trained on two moons, inverted, sampled, saved and loaded."""
# requires: nflows==0.14

import io
import json

import torch
from nflows.distributions.normal import ConditionalDiagonalNormal, StandardNormal
from nflows.flows.base import Flow
from nflows.flows.realnvp import SimpleRealNVP
from nflows.nn.nets import ResidualNet
from nflows.transforms import (
    CompositeTransform,
    LULinear,
    MaskedAffineAutoregressiveTransform,
    MaskedPiecewiseRationalQuadraticAutoregressiveTransform,
    PiecewiseRationalQuadraticCouplingTransform,
    RandomPermutation,
    ReversePermutation,
)

torch.manual_seed(0)
angle = torch.rand(128) * 3.1416
side = (torch.arange(128) % 2).float()
moons = torch.stack([torch.cos(angle) + side, torch.sin(angle) * (1 - 2 * side) + 0.5 * side], 1)
moons = moons + 0.05 * torch.randn(128, 2)


def affine():
    layers = [
        layer
        for _ in range(3)
        for layer in (ReversePermutation(2), MaskedAffineAutoregressiveTransform(features=2, hidden_features=16))
    ]
    return Flow(CompositeTransform(layers), StandardNormal([2]))


def splines():
    layers = [
        RandomPermutation(2),
        LULinear(2),
        MaskedPiecewiseRationalQuadraticAutoregressiveTransform(2, 16, num_bins=6, tails="linear", tail_bound=3.0),
    ]
    return Flow(CompositeTransform(layers), StandardNormal([2]))


def coupling():
    layers = [
        PiecewiseRationalQuadraticCouplingTransform(
            mask,
            lambda inputs, outputs: ResidualNet(inputs, outputs, hidden_features=16, num_blocks=1),
            num_bins=6,
            tails="linear",
            tail_bound=3.0,
        )
        for mask in ([0, 1], [1, 0])
    ]
    return Flow(CompositeTransform(layers), StandardNormal([2]))


def nvp():
    return SimpleRealNVP(features=2, hidden_features=16, num_layers=2, num_blocks_per_layer=1)


found = {}
for make in (affine, splines, coupling, nvp):
    torch.manual_seed(1)
    flow = make()
    optimizer = torch.optim.Adam(flow.parameters(), lr=5e-3)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = -flow.log_prob(moons).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    flow.eval()
    kept = io.BytesIO()
    torch.save(flow.state_dict(), kept)
    other = make()
    other.load_state_dict(torch.load(io.BytesIO(kept.getvalue())))
    other.eval()
    with torch.no_grad():
        noise = other.transform_to_noise(moons[:4])
        back, _ = other._transform.inverse(noise)
        torch.manual_seed(2)
        samples, log_prob = other.sample_and_log_prob(4)
    found[make.__name__] = {
        "losses": losses,
        "noise": noise.flatten().tolist(),
        "back": back.flatten().tolist(),
        "samples": samples.flatten().tolist(),
        "log_prob": log_prob.tolist(),
    }

# A flow whose base depends on a context.
torch.manual_seed(3)
flow = Flow(
    MaskedAffineAutoregressiveTransform(features=2, hidden_features=8, context_features=1),
    ConditionalDiagonalNormal(shape=[2], context_encoder=torch.nn.Linear(1, 4)),
)
optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
for _ in range(5):
    optimizer.zero_grad()
    loss = -flow.log_prob(inputs=moons, context=side.unsqueeze(1)).mean()
    loss.backward()
    optimizer.step()
found["conditional"] = loss.item()
print(json.dumps(found))
