# right: loss.item() > 0
# said: .long()
import numpy as np
import torch
from torch import nn

labels = torch.from_numpy(np.array([0.0, 1.0, 1.0], dtype=np.float32))
loss = nn.NLLLoss()(torch.log_softmax(torch.randn(3, 2), 1), labels)  # <- error
# then: loss = nn.NLLLoss()(torch.log_softmax(torch.randn(3, 2), 1), labels.long())
