import torch
from torch import nn

torch.manual_seed(0)
lstm, head = nn.LSTM(1, 8, batch_first=True), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*lstm.parameters(), *head.parameters()], lr=0.01)
wave = torch.sin(torch.linspace(0, 30, 301)).reshape(1, -1, 1)
state = None
for start in range(0, 300, 10):
    out, state = lstm(wave[:, start : start + 10], state)
    state = tuple(each.detach() for each in state)
    loss = nn.functional.mse_loss(head(out), wave[:, start + 1 : start + 11])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
