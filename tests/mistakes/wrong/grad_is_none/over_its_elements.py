# right: len(parts) == 2
# said: `w.grad` is None: backward() has not been called.
import torch

w = torch.randn(2, requires_grad=True)
loss = (w**2).sum()
# also: loss.backward()
parts = [each.item() for each in w.grad]  # <- error
