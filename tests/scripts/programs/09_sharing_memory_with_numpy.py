"""`torch.Tensor(array)` copies to float32, `.numpy()` and `from_numpy` share memory."""

import numpy
import torch

array = numpy.ones((2, 2))
tensor = torch.Tensor(array)
print(array.dtype, tensor.dtype)  # float64 torch.float32

window = tensor.numpy()
tensor.add_(1)
print(window.tolist(), window.dtype)  # [[2.0, 2.0], [2.0, 2.0]] float32
print(array.tolist())  # [[1.0, 1.0], [1.0, 1.0]]

shared = torch.from_numpy(array)
numpy.add(array, 1, out=array)
print(shared)
# tensor([[2., 2.],
#         [2., 2.]], dtype=torch.float64)
shared[0] = 9
print(array.tolist())  # [[9.0, 9.0], [2.0, 2.0]]
