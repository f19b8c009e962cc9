import torch

torch.manual_seed(0)
w = torch.tensor([0.5], requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.01)
for task in range(10):
    slope = torch.rand(1) + 1
    x = torch.randn(16)
    fast = w
    for _ in range(3):
        inner = (fast * x - slope * x).pow(2).mean()
        (g,) = torch.autograd.grad(inner, fast, create_graph=True)
        fast = fast - 0.1 * g
    outer = (fast * x - slope * x).pow(2).mean()
    optimizer.zero_grad()
    outer.backward()
    optimizer.step()
