# right: abs(change - 1.2) < 1e-3
import torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
start = w.detach()  # <- shared_copy
# instead: start = w.detach().clone()
x = torch.tensor([1.0, 1.0, 1.0])
opt = torch.optim.SGD([w], lr=0.1)
for step in range(4):
    loss = (w * x).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
change = (w - start).abs().sum().item()
