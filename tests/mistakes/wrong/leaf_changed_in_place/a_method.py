# right: scale.tolist() == [0.5, 1.0]
import torch


def shrink(tensor):
    tensor.mul_(0.5)  # <- error
    # then: with torch.no_grad():
    # also:     tensor.mul_(0.5)


scale = torch.tensor([1.0, 2.0], requires_grad=True)
shrink(scale)
# said: with torch.no_grad():
