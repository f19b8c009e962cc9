# right: torch.allclose(probabilities.sum(1), torch.ones(30))
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
x = torch.randn(30, 4)
model.eval()
with torch.no_grad():
    probabilities = nn.functional.softmax(model(x), dim=0)  # <- softmax_dim
    # instead: probabilities = nn.functional.softmax(model(x), dim=1)
    best, classes = probabilities.max(dim=1)
