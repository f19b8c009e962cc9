# right: abs(model.weight.item() - 2) < 0.01
import torch

torch.manual_seed(0)
model = torch.nn.Linear(1, 1, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(4, 1)
for epoch in range(40):
    loss = (model(x) - 2).pow(2).mean()
    optimizer.zero_grad()
    loss.backward(loss)  # <- gradient_weights
    # instead: loss.sum().backward()
    optimizer.step()
