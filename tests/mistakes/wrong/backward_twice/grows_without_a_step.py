# right: len(sizes) == 8 and sizes[-1] == sizes[1]
import torch

torch.manual_seed(0)
cell = torch.nn.RNNCell(3, 4)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.01)
state = torch.zeros(2, 4)
sizes = []


def steps_behind(node):
    return 1 + max((steps_behind(each) for each, _ in node.next_functions if each is not None), default=0)


for step in range(8):
    state = cell(torch.randn(2, 3), state)
    loss = state.pow(2).mean()
    sizes.append(steps_behind(loss.grad_fn))
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # <- growing_graph
    # instead: loss.backward()
    # also: state = state.detach()
