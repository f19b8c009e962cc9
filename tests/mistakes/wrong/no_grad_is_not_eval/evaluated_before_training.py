# right: net[1].num_batches_tracked.item() == 5
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)


def evaluate():
    net.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(net(x), y).item()


for epoch in range(5):
    optimizer.zero_grad()
    # also: net.train()
    loss = nn.functional.mse_loss(net(x), y)  # <- training_in_eval_mode
    loss.backward()
    optimizer.step()
    evaluate()
