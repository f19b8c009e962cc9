"""Values of the wrong type."""

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.optim.lr_scheduler import CosineAnnealingLR, StepLR
from rushlight.utils.data import DataLoader, TensorDataset, random_split

x = torch.ones(2, 3)
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.add(x, "one")  # error
x + "one"  # error
x * None  # error
"one" + x  # error
x @ 3  # error
x[0] = 1.0 + "a"  # error
torch.zeros("2")  # error
torch.zeros(2, dtype="float32")  # error
torch.zeros(2, dtype=32)  # error
torch.ones(2, device=1.5)  # error
torch.cat(x, dim="rows")  # error
torch.stack(3)  # error
torch.randn(2.5)  # error
x.view("2", 3)  # error
x.sum(dim="rows")  # error
x.unsqueeze("first")  # error
x.softmax(dim=1, dtype=3)  # error
x.clamp(min="low")  # error
x.to(1.5)  # error
torch.linalg.cross(x, x, dim="rows")  # error
F.relu(3)  # error
F.cross_entropy(x, [0, 1])  # error
F.mse_loss(x, 1.0)  # error
F.dropout(x, p="half")  # error
F.softmax([1.0, 2.0], dim=0)  # error
nn.Linear("3", 2)  # error
nn.Linear(3.0, 2)  # error
nn.Conv2d(3, "8", 3)  # error
nn.Conv2d(3, 8, kernel_size="3")  # error
nn.Embedding("words", 4)  # error
nn.LSTM("3", 4)  # error
nn.Dropout("0.5")  # error
nn.Sequential(nn.Linear(3, 2), 3)  # error
nn.Sequential([nn.Linear(3, 2)])  # error
nn.ModuleList(3)  # error
nn.CrossEntropyLoss(weight=[1.0, 2.0])  # error
nn.Parameter([1.0])  # error
torch.optim.SGD(model.parameters(), lr="0.1")  # error
torch.optim.SGD(model, lr=0.1)  # error: pyright
torch.optim.Adam(model.parameters(), betas=0.9)  # error
StepLR(model, step_size=1)  # error
StepLR(optimizer, step_size="one")  # error
CosineAnnealingLR(optimizer, T_max=1.5)  # error
DataLoader(5)  # error
DataLoader(TensorDataset(x), batch_size="2")  # error
TensorDataset([1, 2])  # error
random_split(3, [1, 2])  # error
torch.manual_seed("zero")  # error
number: str = x.dim()  # error
size: str = x.shape  # error
name: int = x.device  # error
values: list[int] = x.sum()  # error
model.train("yes")  # error
model.register_parameter("b", x)  # error
model.load_state_dict("model.pt")  # error
nn.init.uniform_(model.weight, a="low")  # error
torch.distributions.Normal("zero", 1.0)  # error
torch.distributions.Normal(0.0, 1.0).log_prob(1.0)  # error
optimizer.load_state_dict(3)  # error
torch.einsum(x, "ij->i")  # error
torch.set_grad_enabled("no")  # error
torch.autocast(1)  # error
