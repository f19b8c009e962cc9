# right: (w - 2).abs().item() < 0.01
import torch

w = torch.zeros((), requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.2)
average = torch.zeros(())
for step in range(100):
    loss = (w - 2) ** 2
    average = 0.5 * average + 0.5 * loss
    optimizer.zero_grad()
    average.backward()  # <- error
    # then: average.backward()
    # also: average = average.detach()
    optimizer.step()
