# right: not getattr(total, "requires_grad", False)
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    model.train()
    for step in range(3):
        loss = model(torch.randn(8, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    total = 0.0
    for batch in range(20):
        total += model(torch.randn(8, 4)).pow(2).mean()  # <- validation_with_graphs
        # then: total += model(torch.randn(8, 4)).pow(2).mean().item()
# said: with torch.no_grad():
