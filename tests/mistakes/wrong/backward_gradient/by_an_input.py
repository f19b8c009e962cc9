# right: derivatives.tolist() == [3.0, 12.0]
import torch


def derivative(function, at):
    value = function(at)
    value.backward(at)  # <- gradient_weights
    # instead: value.sum().backward()
    return at.grad


derivatives = derivative(lambda x: x**3, torch.tensor([1.0, 2.0], requires_grad=True))
