# right: loss.item() < 0.01
# said: targets[perm]
import torch

torch.manual_seed(0)
x = torch.randn(40, 2)
y = x.sum(1, keepdim=True)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(80):
    perm = torch.randperm(40)
    output = model(x[perm])  # <- shuffled_apart
    loss = ((output - y) ** 2).mean()
    # then: loss = ((output - y[perm]) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
