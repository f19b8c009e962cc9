# right: loss.item() < 0.01
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(30, 2)
target = x[:, 0] - x[:, 1]
net = nn.Linear(2, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
for epoch in range(150):
    output = net(x)
    loss = criterion(output, target)  # <- broadcast_loss
    # instead: loss = criterion(output, target.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
