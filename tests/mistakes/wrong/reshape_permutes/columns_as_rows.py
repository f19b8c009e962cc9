# right: loss.item() < 0.01
import torch

torch.manual_seed(0)
data = torch.randn(2, 40)  # two features of forty samples
targets = data[0] + 2 * data[1]
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
for epoch in range(150):
    prediction = model(data.view(-1, 2)).squeeze(1)  # <- reshape_permutes
    # instead: prediction = model(data.permute(1, 0)).squeeze(1)
    loss = torch.nn.functional.mse_loss(prediction, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
