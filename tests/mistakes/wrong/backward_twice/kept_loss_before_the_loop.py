# right: (model.weight.abs() - 3).abs().item() < 0.01
# said: `loss` was computed once, before the loop
import torch

torch.manual_seed(0)
model = torch.nn.Linear(1, 1, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.linspace(-1, 1, 20).unsqueeze(1)
hidden = model(x)
loss = ((model(hidden) - 9 * x) ** 2).mean()
for epoch in range(200):
    # also: hidden = model(x)
    # also: loss = ((model(hidden) - 9 * x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # <- error
    # instead: loss.backward()
    optimizer.step()
