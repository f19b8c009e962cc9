import torch
from torch import nn

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.mix, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)

    def forward(self, x):
        batch, time, size = x.shape
        q, k, v = self.mix(x).view(batch, time, 3, self.heads, size // self.heads).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-2, -1) / (size // self.heads) ** 0.5).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, time, size))


model = nn.Sequential(Attention(8, 2), nn.Linear(8, 5))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for step in range(8):
    x, y = torch.randn(4, 6, 8), torch.randint(5, (4, 6))
    loss = nn.functional.cross_entropy(model(x).reshape(-1, 5), y.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
