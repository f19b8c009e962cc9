# right: loss.item() < 0.4
# said: pass the scores to cross_entropy
import torch
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(60, 3)
y = x.argmax(1)
w = torch.zeros(3, 3, requires_grad=True)
for step in range(40):
    scores = x @ w
    exponentials = scores.exp()
    probabilities = exponentials / exponentials.sum(1, keepdim=True)
    loss = F.cross_entropy(probabilities, y)  # <- softmax_before_cross_entropy
    # then: loss = F.cross_entropy(scores, y)
    (slope,) = torch.autograd.grad(loss, [w])
    with torch.no_grad():
        w -= slope
