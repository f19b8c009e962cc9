# right: loss.item() > 0
import torch
import torch.nn.functional as F


def loss_of(scores, labels):
    return F.binary_cross_entropy_with_logits(scores, target=labels)  # <- error
    # instead: return F.binary_cross_entropy_with_logits(scores, target=labels.float())


loss = loss_of(torch.randn(5), torch.tensor([0, 1, 1, 0, 1]))
