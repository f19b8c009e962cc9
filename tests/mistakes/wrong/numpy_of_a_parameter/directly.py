# right: values.sum() == 6.0
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
values = x.numpy()  # <- error
# then: values = x.detach().numpy()
# said: x.detach().numpy()
