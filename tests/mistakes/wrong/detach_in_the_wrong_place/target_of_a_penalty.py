# right: (scale - 2).abs().item() < 0.05
import torch

torch.manual_seed(0)
scale = torch.ones(1, requires_grad=True)
shift = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([scale, shift], lr=0.1)
x = torch.randn(50)
for step in range(100):
    scaled = scale * x
    values = scaled.detach().numpy()  # <- never_gradient
    # then: values = scaled
    prediction = torch.tensor(values) + shift
    # then: prediction = values + shift
    loss = (prediction - (2 * x + 1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
