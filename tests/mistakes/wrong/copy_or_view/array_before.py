# right: abs(before).sum() == 0
import torch

layer = torch.nn.Linear(3, 1)
torch.nn.init.zeros_(layer.weight)
before = layer.weight.detach().numpy()  # <- shared_copy
# instead: before = layer.weight.detach().numpy().copy()
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
loss = (layer(torch.ones(1, 3)) - 5).pow(2).sum()
loss.backward()
optimizer.step()
print("difference", abs(layer.weight.detach().numpy() - before).max())
