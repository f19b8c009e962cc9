# right: distances.tolist() == [5.0, 0.0, 1.0]
import torch
from torch.func import vmap


def distance(point, center):
    return (point - center).norm()


of_all = vmap(distance)
# instead: of_all = vmap(distance, in_dims=(0, None))
center = torch.zeros(2)
distances = of_all(torch.tensor([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]]), center)  # <- error
