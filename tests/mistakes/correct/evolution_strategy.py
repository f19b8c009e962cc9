import torch

torch.manual_seed(0)
w = torch.nn.Parameter(torch.zeros(3), requires_grad=False)
optimizer = torch.optim.SGD([w], lr=0.1)
target = torch.tensor([1.0, 2.0, 3.0])
with torch.no_grad():
    for generation in range(50):
        noise = torch.randn(20, 3)
        loss = ((w + 0.1 * noise - target) ** 2).sum(1)
        w.grad = ((loss - loss.mean()).unsqueeze(1) * noise).mean(0) / 0.1
        optimizer.step()
