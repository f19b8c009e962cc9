import torch

w = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
shown, curve = w.detach().numpy(), []  # a window on the memory of w
for step in range(10):
    loss = ((w - torch.tensor([1.0, 2.0])) ** 2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    curve.append(float(shown[0]))
    norm = w.detach().norm().item()
    array = w.detach().numpy()
    print(array.max())
assert curve == sorted(curve)
