# right: loss.item() < 0.3
import torch

torch.manual_seed(0)
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
inputs = torch.randn(16, 2)
targets = torch.tanh(inputs @ torch.tensor([[1.0], [-1.0]]))
features = torch.tanh(net(inputs))


def step():
    # also: features = torch.tanh(net(inputs))
    loss = (features - targets).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()  # <- error
    optimizer.step()
    return loss


for _ in range(40):
    loss = step()
