# right: moved.tolist() == [[1.0, 2.0], [3.0, 4.0]]
import torch


def move(start, step):
    start.add_(step)  # <- error
    # instead: start = start.add(step)
    return start


moved = torch.vmap(move, in_dims=(None, 0))(torch.zeros(2), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
