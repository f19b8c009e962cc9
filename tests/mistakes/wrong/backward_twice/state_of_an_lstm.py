# right: loss.item() < 0.05
# said: through `state`, which was computed before that call
import torch
from torch import nn

torch.manual_seed(0)
lstm, head = nn.LSTM(1, 8, batch_first=True), nn.Linear(8, 1)
parameters = [*lstm.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.02)
wave = torch.sin(torch.linspace(0, 60, 601)).reshape(1, -1, 1)
state = None
for start in range(0, 600, 10):
    out, state = lstm(wave[:, start : start + 10], state)
    loss = nn.functional.mse_loss(head(out), wave[:, start + 1 : start + 11])
    optimizer.zero_grad()
    loss.backward()  # <- error
    # then: loss.backward()
    # also: state = tuple(each.detach() for each in state)
    optimizer.step()
