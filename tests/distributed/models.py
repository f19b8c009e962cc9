"""A model of two blocks and its batches, which programs of several tests shard and train."""

BLOCKS = """
from rushlight.distributed.tensor import DTensor
nn, F = torch.nn, torch.nn.functional
start()

class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm, self.wide, self.back = nn.LayerNorm(size), nn.Linear(size, 3 * size), nn.Linear(3 * size, size)

    def forward(self, x):
        return x + self.back(F.gelu(self.wide(self.norm(x))))

def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 7), Block(7), Block(7), nn.Linear(7, 3)).double()

def batch(step):
    torch.manual_seed(100 + step)
    x, y = torch.randn(4 * world, 5, dtype=torch.float64), torch.randn(4 * world, 3, dtype=torch.float64)
    return (x, y), (x[4 * rank :][:4], y[4 * rank :][:4])
"""
