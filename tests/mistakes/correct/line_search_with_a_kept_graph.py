import torch

w = torch.tensor([3.0], requires_grad=True)
x = torch.linspace(-1, 1, 10)
hidden = torch.tanh(w * x)
first = hidden.pow(2).mean()
second = (hidden - x).abs().mean()
first.backward(retain_graph=True)
second.backward()
for _ in range(5):
    (g,) = torch.autograd.grad((w * x - x).pow(2).mean(), w)
    best = min((0.1, 0.5, 1.0), key=lambda rate: ((w - rate * g) * x - x).pow(2).mean().item())
    with torch.no_grad():
        w -= best * g
