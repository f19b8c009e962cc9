# right: loss.item() < 0.02
import torch


class Memory:
    def __init__(self):
        self.cell = torch.nn.GRUCell(1, 8)
        self.head = torch.nn.Linear(8, 1)
        self.state = {"h": torch.zeros(1, 8)}

    def __call__(self, x):
        # also: self.state['h'] = self.state['h'].detach()
        self.state["h"] = self.cell(x, self.state["h"])
        return self.head(self.state["h"])


torch.manual_seed(0)
memory = Memory()
optimizer = torch.optim.Adam([*memory.cell.parameters(), *memory.head.parameters()], lr=0.01)
for step in range(400):
    x = torch.tensor([[float(step % 2)]])
    loss = (memory(x) - (1 - x)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()  # <- error
    optimizer.step()
