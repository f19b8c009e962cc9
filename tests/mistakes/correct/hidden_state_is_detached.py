import torch
from torch import nn

torch.manual_seed(0)
lstm = nn.LSTM(3, 8, num_layers=2, dropout=0.2, batch_first=True)
head = nn.Linear(8, 1)
opt = torch.optim.RMSprop([*lstm.parameters(), *head.parameters()])
seq = torch.randn(4, 60, 3)
tgt = seq.sum(2, keepdim=True)
for ep in range(3):
    hidden = None
    for i in range(0, 60, 10):
        out, hidden = lstm(seq[:, i : i + 10], hidden)
        hidden = tuple(h.detach() for h in hidden)
        loss = ((head(out) - tgt[:, i : i + 10]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(lstm.parameters(), 1.0)
        opt.step()
