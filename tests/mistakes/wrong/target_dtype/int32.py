# right: loss.item() > 0
# said: target.long()
import torch

scores = torch.randn(4, 3)
target = torch.tensor([0, 2, 1, 0], dtype=torch.int32)
loss = torch.nn.functional.cross_entropy(scores, target)  # <- error
# then: loss = torch.nn.functional.cross_entropy(scores, target.long())
