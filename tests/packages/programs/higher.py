"""MAML: gradients through the steps of an inner optimizer, and a learning rate that is learned."""
# requires: higher==0.2.1

import json

import higher
import torch
import torch.nn.functional as F

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
outer = torch.optim.Adam(model.parameters(), lr=0.01)
inner = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
found = {"losses": []}
for _ in range(3):
    outer.zero_grad()
    for _ in range(2):
        shift = torch.rand(1) * 3
        x, y = torch.randn(8, 1), torch.randn(8, 1)
        with higher.innerloop_ctx(model, inner, copy_initial_weights=False) as (fmodel, diffopt):
            for _ in range(2):
                diffopt.step(F.mse_loss(fmodel(x), torch.sin(x + shift)))
            loss = F.mse_loss(fmodel(y), torch.sin(y + shift))
            loss.backward()
            found["losses"].append(loss.item())
    found["gradient"] = model[0].weight.grad.flatten().tolist()
    outer.step()

# Every optimizer of torch that it has a differentiable form of.
x, y = torch.randn(16, 1), torch.randn(16, 1)
for kind in ("Adam", "Adamax", "Adagrad", "Adadelta", "ASGD", "RMSprop", "Rprop"):
    optimizer = getattr(torch.optim, kind)(model.parameters(), lr=0.01)
    with higher.innerloop_ctx(model, optimizer) as (fmodel, diffopt):
        for _ in range(3):
            diffopt.step(F.mse_loss(fmodel(x), y))
        loss = F.mse_loss(fmodel(x), y)
        gradients = torch.autograd.grad(loss, fmodel.parameters(time=0), allow_unused=True)
        found[kind] = [loss.item(), sum(each.abs().sum() for each in gradients if each is not None).item()]

# The learning rate of the inner loop, by its own gradient.
rate = torch.tensor(0.1, requires_grad=True)
with higher.innerloop_ctx(model, torch.optim.SGD(model.parameters(), lr=0.1), override={"lr": [rate]}) as (
    fmodel,
    diffopt,
):
    for _ in range(2):
        diffopt.step(F.mse_loss(fmodel(x), y))
    F.mse_loss(fmodel(x), y).backward()
found["rate"] = rate.grad.item()

# A model with buffers, and gradients of one example at a time.
network = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
functional = higher.patch.monkeypatch(network)
weights = [each.detach().clone().requires_grad_() for each in network.parameters()]
out = functional(x, params=weights)
found["patched"] = out.flatten().tolist()
found["patched gradient"] = torch.autograd.grad(out.sum(), weights[0])[0].flatten().tolist()
print(json.dumps(found))
