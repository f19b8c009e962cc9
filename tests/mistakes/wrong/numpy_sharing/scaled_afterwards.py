# right: torch.equal(x, torch.tensor([1.0, 2.0, 3.0]))
import numpy as np
import torch

data = np.array([1.0, 2.0, 3.0], dtype=np.float32)
x = torch.from_numpy(data)  # <- numpy_source_written
# instead: x = torch.tensor(data)
data *= 10
scaled = torch.tensor(data)
model = torch.nn.Linear(3, 1)
result = model(x)
