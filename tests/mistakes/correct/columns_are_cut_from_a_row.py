import torch

numbers = torch.arange(12.0)
table = numbers.view(3, 4)
print(table.reshape(4, 3), table.view(-1, 6), table.reshape(2, 6))
w = torch.ones(12, requires_grad=True)
pairs = w.view(6, 2)
(pairs.prod(1).sum() + w.reshape(3, 4).sum(0).max()).backward()
