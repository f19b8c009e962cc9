# right: abs(model.weight.item() - lowest_weight) < 1e-6
import copy

import torch

torch.manual_seed(0)
model = torch.nn.Linear(1, 1, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=2.2)
best, lowest = None, float("inf")
x = torch.tensor([[0.7]])
for epoch in range(6):
    loss = (model(x) - 0.7).pow(2).mean()
    if loss.item() < lowest:
        lowest, lowest_weight = loss.item(), model.weight.item()
        best = model.state_dict()  # <- shared_state_dict
        # instead: best = copy.deepcopy(model.state_dict())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.load_state_dict(best)
