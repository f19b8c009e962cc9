import torch

torch.manual_seed(0)
w = torch.randn(3, 5, requires_grad=True)
x = torch.randn(5, 40)
y = x[:3].argmax(0)
for step in range(30):
    p = torch.softmax(w @ x, dim=0)  # (classes, batch)
    loss = -torch.log(p.gather(0, y.unsqueeze(0))).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.5 * w.grad
        w.grad = None
print((torch.softmax(w @ x, dim=0).argmax(0) == y).float().mean())
