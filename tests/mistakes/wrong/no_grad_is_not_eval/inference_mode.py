# right: model[1].num_batches_tracked.item() == 6
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))
opt = torch.optim.Adam(model.parameters())
train, test = torch.randn(30, 4), torch.randn(10, 4)
for epoch in range(3):
    model.train()
    for batch in train.split(15):
        opt.zero_grad()
        model(batch).square().mean().backward()
        opt.step()
    with torch.inference_mode():
        # also: model.eval()
        score = model(test).mean()  # <- validation_in_training_mode
