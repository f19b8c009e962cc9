# right: loss.item() < 0.5
import torch
import torch.nn as nn

torch.manual_seed(0)
encoder = nn.Linear(3, 4)
decoder = nn.Linear(4, 1)
opt = torch.optim.SGD(list(encoder.parameters()) + list(decoder.parameters()), lr=0.1)
x = torch.randn(100, 3)
y = x @ torch.tensor([[1.0], [2.0], [3.0]])
for epoch in range(200):
    h = torch.tanh(encoder(x)).detach()  # <- never_gradient
    # instead: h = torch.tanh(encoder(x))
    loss = nn.functional.mse_loss(decoder(h), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
