# right: h.grad.norm().item() > 0
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
h = w * 3
# then: h = w * 3; h.retain_grad()
loss = (h**2).sum()
loss.backward()
size = h.grad.norm()  # <- error
# said: retain_grad()
