# right: rows.sum(1).tolist() == [0.0, 3.0, 6.0, 9.0]
import numpy as np
import torch


def read(count):
    buffer, rows = np.empty(3), []
    for number in range(count):
        buffer[:] = number
        rows.append(torch.as_tensor(buffer))  # <- numpy_source_written
        # instead: rows.append(torch.tensor(buffer))
    return torch.stack(rows)


rows = read(4)
