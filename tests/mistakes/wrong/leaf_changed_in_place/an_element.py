# right: model.weight[0, 0].item() == 1.0
import torch

model = torch.nn.Linear(2, 1)
model.weight[0, 0] = 1.0  # <- error
# then: with torch.no_grad():
# also:     model.weight[0, 0] = 1.0
# said: with torch.no_grad():
