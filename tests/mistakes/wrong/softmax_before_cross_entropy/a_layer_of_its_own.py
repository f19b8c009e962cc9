# right: loss.item() < 0.4
# said: leave line 16 out
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.activation = nn.Softmax(dim=1)

    def forward(self, x):
        x = self.fc(x)
        # ---- probabilities
        x = self.activation(x)
        # then: x = x
        return x


torch.manual_seed(0)
x = torch.randn(60, 4)
y = x[:, :3].argmax(1)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
for epoch in range(60):
    loss = nn.CrossEntropyLoss()(net(x), y)  # <- softmax_before_cross_entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
