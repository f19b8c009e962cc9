"""Keywords that are not there, and arguments that are too many or missing."""

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.utils.data import DataLoader, TensorDataset

x = torch.ones(2, 3)
model = nn.Linear(3, 2)
optimizer = torch.optim.Adam(model.parameters())
torch.sum(x, dmi=1)  # error
torch.sum()  # error
x.sum(dim=0, keep_dim=True)  # error
x.mean(dims=1)  # error
torch.zeros(2, 3, dtyp=torch.float32)  # error
torch.exp(x, x)  # error
torch.matmul(x)  # error
x.unsqueeze()  # error
x.view(2, 3).transpose(0)  # error
torch.randn(2, requires_gradient=True)  # error
torch.cat([x, x], dm=0)  # error
nn.Linear(3)  # error
nn.Linear(3, 2, biass=False)  # error
nn.Conv2d(3, 8)  # error
nn.Conv2d(3, 8, kernel_size=3, pading=1)  # error
nn.LSTM(3, 4, batch_frist=True)  # error
nn.GRU(input_size=3)  # error
nn.MultiheadAttention(8, heads=2)  # error
nn.Dropout(0.5, False, True)  # error
nn.CrossEntropyLoss(label_smooth=0.1)  # error
nn.BatchNorm2d()  # error
nn.TransformerEncoderLayer(8, 2, batch_frist=True)  # error
torch.optim.SGD(model.parameters(), lr=0.1, momentums=0.9)  # error
torch.optim.Adam(model.parameters(), learning_rate=0.1)  # error
torch.optim.AdamW()  # error
torch.optim.lr_scheduler.StepLR(optimizer, stepsize=3)  # error
torch.optim.lr_scheduler.CosineAnnealingLR(optimizer)  # error
DataLoader(TensorDataset(x), batchsize=2)  # error
DataLoader(TensorDataset(x), batch_size=2, shufle=True)  # error
F.cross_entropy(x)  # error
F.relu(x, True, False)  # error
F.softmax(x, dimension=1)  # error
F.dropout(x, prob=0.5)  # error
optimizer.zero_grad(set_to_nan=True)  # error
torch.manual_seed()  # error
torch.save(model.state_dict())  # error
x.to("cpu", non_bloking=True)  # error
x.backward(retain_graphs=True)  # error
model.train(True, False)  # error
model.load_state_dict({}, stricts=False)  # error
model.register_buffer("b")  # error
torch.autograd.grad(x)  # error
torch.distributions.Normal(0.0, std=1.0)  # error
nn.utils.clip_grad_norm_(model.parameters(), maxnorm=1.0)  # error
torch.linalg.svd(x, full_matrice=False)  # error
torch.einsum()  # error
