# right: torch.equal(w.grad, torch.tensor([2.0, 4.0]))
# said: leave out line
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w**2).sum()
loss.backward()
print(w.grad)
loss.backward()  # <- error
# leave out
