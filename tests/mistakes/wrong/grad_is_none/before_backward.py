# right: w.grad.tolist() == [2.0, 4.0]
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w**2).sum()
# then: loss = (w**2).sum(); loss.backward()
step = 0.1 * w.grad  # <- error
# said: backward()
