# right: loss.item() < 0.01
import torch
from torch import nn


class Polynomial(nn.Module):
    def __init__(self, degree):
        super().__init__()
        self.coefficients = []  # <- unregistered_layers
        # instead: self.coefficients = nn.ParameterList([])
        for _ in range(degree):
            self.coefficients.append(nn.Parameter(torch.zeros(1)))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return self.bias + sum(c * x ** (k + 1) for k, c in enumerate(self.coefficients))


polynomial = Polynomial(2)
optimizer = torch.optim.SGD(polynomial.parameters(), lr=0.5)
x = torch.linspace(-1, 1, 9)
for step in range(60):
    loss = (polynomial(x) - x**2 - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
