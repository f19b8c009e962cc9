"""What may require grad: part of a model, the input itself, two losses at once, an intermediate result."""

import warnings

import torch
from torch import nn

torch.manual_seed(13)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
for parameter in model[0].parameters():
    parameter.requires_grad = False
trainable = [parameter for parameter in model.parameters() if parameter.requires_grad]
optimizer = torch.optim.SGD(trainable, lr=0.1)
frozen, moving = model[0].weight.clone(), model[2].weight.detach().clone()
data, target = torch.randn(5, 3), torch.tensor([0, 1, 0, 1, 1])
nn.functional.cross_entropy(model(data), target).backward()
optimizer.step()
print(len(trainable), [parameter.grad is None for parameter in model.parameters()])  # 2 [True, True, False, False]
print(torch.equal(frozen, model[0].weight), torch.equal(moving, model[2].weight))  # True False

x = torch.randn(5, 3)
print(x.requires_grad_() is x, x.is_leaf)  # True True
loss = nn.functional.cross_entropy(model(x), target)
loss.backward()
attacked = x.detach() + 0.1 * x.grad.sign()
print((nn.functional.cross_entropy(model(attacked), target) > loss).item())  # True

w = torch.tensor([1.0, 2.0], requires_grad=True)
hidden = w.exp()
first, second = hidden.sum(), (hidden**2).mean()
first.backward(retain_graph=True)
second.backward()
one_by_one, w.grad = w.grad, None
hidden = w.exp()
(hidden.sum() + (hidden**2).mean()).backward()
print(torch.allclose(one_by_one, w.grad))  # True

intermediate = w * 3
intermediate.sum().backward()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(intermediate.grad)  # None
print(caught[0].category.__name__)  # UserWarning
print(str(caught[0].message).split(". ")[0])
# The .grad attribute of a Tensor that is not a leaf Tensor is being accessed

intermediate = w * 3
intermediate.retain_grad()
(intermediate**2).sum().backward()
print(intermediate.retains_grad, intermediate.grad)  # True tensor([ 6., 12.])
