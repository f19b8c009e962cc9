# right: error.item() < 0.01
import torch

torch.manual_seed(0)
net = torch.nn.Linear(2, 1)
x = torch.randn(16, 2)
y = x @ torch.tensor([[1.0], [-1.0]])


def train(prediction, epochs):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
    for epoch in range(epochs):
        # also: prediction = net(x)
        error = (prediction - y).square().mean()
        optimizer.zero_grad()
        error.backward()  # <- error
        optimizer.step()
    return error


prediction = net(x)
error = train(prediction, 60)
