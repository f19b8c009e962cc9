# right: predictions[0].shape == (5, 2)
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return self.fc(x)


net = Net()
predictions = []
for batch in torch.randn(4, 5, 3):
    output = net(batch)
    predictions.append(output.numpy())  # <- error
    # instead: predictions.append(output.detach().numpy())
