# right: loss.item() > 0
import torch
from torch import nn

x, y = torch.randn(10, 4), torch.randint(0, 3, (10,)).float()
net = nn.Linear(4, 3)
criterion = nn.CrossEntropyLoss()
loss = criterion(net(x), y)  # <- error
# instead: loss = criterion(net(x), y.long())
