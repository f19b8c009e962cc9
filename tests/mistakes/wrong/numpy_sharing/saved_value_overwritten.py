# right: torch.equal(weight.grad, torch.tensor([4.0, 6.0]))
import torch

weight = torch.tensor([2.0, 3.0], requires_grad=True)
loss = (weight * weight).sum()
shown = weight.detach().numpy()  # <- shared_array_written
# instead: shown = weight.detach().numpy().copy()
shown *= 100
loss.backward()
