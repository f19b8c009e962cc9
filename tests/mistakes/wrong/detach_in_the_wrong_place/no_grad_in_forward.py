# right: loss.item() < 0.05
# said: h = torch.tanh(self.encoder(x))
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(2, 16), nn.Linear(16, 1)

    def forward(self, x):
        with torch.no_grad():
            # then: if True:
            h = torch.tanh(self.encoder(x))  # <- never_gradient
        return self.decoder(h)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
x = torch.randn(60, 2)
y = (3 * x[:, :1]).sin()
for step in range(400):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
