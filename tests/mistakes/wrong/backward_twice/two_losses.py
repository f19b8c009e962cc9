# right: torch.equal(w.grad, torch.tensor([8.0, 16.0, 24.0]))
import torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = w * w
first = h.sum()
second = 3 * h.sum()
first.backward()
# leave out
second.backward()  # <- error
# instead: (first + second).backward()
