"""The order of `.detach()`, `.cpu()`, `.numpy()` for a tensor that is on a device and requires grad."""

import numpy
import torch
from torch import nn

embeddings = torch.ones(2, 3, device="cuda", requires_grad=True)
print(embeddings.device, embeddings.is_cuda, embeddings.is_leaf)  # cuda:0 True True

try:
    embeddings.numpy()
except TypeError as error:
    print(str(error).split(".")[0])  # can't convert cuda:0 device type tensor to numpy
try:
    embeddings.cpu().numpy()
except RuntimeError as error:
    print(str(error).split(".")[0])  # Can't call numpy() on Tensor that requires grad
print(embeddings.detach().cpu().numpy().tolist())  # [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
print(embeddings.cpu().data.numpy().tolist())  # [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]

moved = embeddings.cpu()
print(moved.grad_fn.name(), moved.device)  # ToCopyBackward0 cpu
print(moved.detach().grad_fn, embeddings.detach().cpu().grad_fn)  # None None
print(moved.cpu() is moved, embeddings.cuda() is embeddings)  # True True

moved.sum().backward()
print(embeddings.grad.device, embeddings.grad.cpu().tolist())  # cuda:0 [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]

try:
    embeddings + torch.ones(2, 3)
except RuntimeError as error:
    print(str(error).split(",")[0])  # Expected all tensors to be on the same device

torch.manual_seed(10)
model = nn.Linear(3, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [torch.full((4, 3), float(number)).to("cuda") for number in range(3)]

outputs = []
for x in batches:
    outputs.append(model(x).detach().cpu().numpy())
collected = numpy.concatenate(outputs)
print(collected.shape, collected.dtype, type(collected).__name__)  # (12, 2) float32 ndarray

losses = []
for x in batches:
    optimizer.zero_grad()
    loss = (model(x) ** 2).mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(len(losses), {type(loss) for loss in losses})  # 3 {<class 'float'>}
print({parameter.device.type for parameter in model.parameters()})  # {'cuda'}
