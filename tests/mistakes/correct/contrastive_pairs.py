import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
images, texts = nn.Linear(6, 4), nn.Linear(5, 4)
optimizer = torch.optim.Adam([*images.parameters(), *texts.parameters()], lr=0.01)
for step in range(15):
    a, b = F.normalize(images(torch.randn(8, 6)), dim=1), F.normalize(texts(torch.randn(8, 5)), dim=1)
    scores = a @ b.t() / 0.1
    target = torch.arange(8)
    loss = (F.cross_entropy(scores, target) + F.cross_entropy(scores.t(), target)) / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
