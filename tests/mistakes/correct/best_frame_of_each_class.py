import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(8):
    frames, label = torch.randn(3, 10, 6), torch.randint(4, (3,))
    probabilities = torch.softmax(model(frames), dim=-1)  # (clips, frames, classes)
    clip = probabilities.max(dim=1).values
    loss = -torch.log(clip.gather(1, label.unsqueeze(1))).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
scores = torch.softmax(model(torch.randn(9, 6)), dim=1)
print(scores.argmax(dim=0))  # the sample that is the surest of each class
first_weight = model.weight.data
for _ in range(2):
    optimizer.step()
