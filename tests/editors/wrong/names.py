"""Names that are not there."""

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.optim import Adamm  # error
from rushlight.utils.data import DataLoader, TensorDatasets  # error

x = torch.ones(2, 3)
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.sume(x)  # error
torch.zeroes(2)  # error
x.sume()  # error
x.reshpae(3, 2)  # error
x.shapes  # error
x.grad.zeroo_()  # error
x.T.backwards()  # error
nn.Liner(3, 2)  # error
F.rellu(x)  # error
torch.optim.Adamw(model.parameters())  # error
torch.optim.lr_scheduler.StepLr(optimizer, 1)  # error
torch.utils.data.Dataloader([1])  # error
torch.linalg.inverse(x)  # error
torch.cuda.is_avaliable()  # error
torch.distributions.Norml(0.0, 1.0)  # error
torch.distributions.Normal(0.0, 1.0).logprob(x)  # error
torch.float31  # error
optimizer.zero_gradd()  # error
optimizer.steps()  # error
torch.topk(x, 2).vectors  # error
x.max(dim=1).value  # error
x.device.kind  # error
x.dtype.is_float  # error
x.size().numels()  # error
x.item().backward()  # error
torch.Generator().manualseed(0)  # error
model.load_state_dict(model.state_dict()).missing  # error
torch.backends.cudnn.determinstic  # error
torch.autograd.functional.jacobiann  # error
nn.init.kaiming_unform_(model.weight)  # error
torch.amp.GradScaler().scales(x)  # error
DataLoader([1, 2]).batchsize  # error
