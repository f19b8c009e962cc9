# right: (model[0].weight - frozen).abs().max().item() == 0
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
x, y = torch.randn(50, 4), torch.randn(50, 1)
for epoch in range(10):
    if epoch == 5:
        for p in model[0].parameters():
            p.requires_grad = False  # <- frozen_moved
            # then: p.requires_grad = False
            # also: p.grad = None
        frozen = model[0].weight.clone()
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad(set_to_none=False)
    loss.backward()
    opt.step()
