# right: loss.item() > 0
# said: float
import torch
from torch import nn

criterion = nn.BCELoss()
y = torch.tensor([1, 0, 1])
probabilities = torch.sigmoid(torch.randn(3))
loss = criterion(probabilities, y)  # <- error
# then: loss = criterion(probabilities, y.float())
