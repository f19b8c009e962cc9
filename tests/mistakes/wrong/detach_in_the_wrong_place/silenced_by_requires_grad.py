# right: loss.item() < 0.01
import torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(40, 2)
y = x[:, :1] - x[:, 1:]
for epoch in range(80):
    output = model(x).detach()  # <- never_gradient
    # instead: output = model(x)
    output.requires_grad_()
    # leave out
    loss = ((output - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
