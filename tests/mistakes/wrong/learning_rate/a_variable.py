# right: losses[-1] < 0.01
import torch

learning_rate = 0.5
# instead: learning_rate = 0.01
torch.manual_seed(0)
x = torch.linspace(0, 10, 50)
y = 2 * x
w = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=learning_rate)
losses = []
for epoch in range(40):
    error = x * w - y
    loss = (error**2).mean()  # <- nan
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
