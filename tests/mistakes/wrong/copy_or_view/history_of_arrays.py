# right: history[0][1] < history[1][1] < history[4][1]
import torch

w = torch.zeros(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
history = []
for step in range(5):
    loss = ((w - torch.tensor([1.0, 2.0])) ** 2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(w.detach().numpy())  # <- shared_copy
    # instead: history.append(w.detach().numpy().copy())
