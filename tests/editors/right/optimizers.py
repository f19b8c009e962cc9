"""Every optimizer, groups of parameters, schedules, closures and averaged models."""

import math

import rushlight as torch
from rushlight import nn
from rushlight.optim import lr_scheduler
from rushlight.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, LinearLR, ReduceLROnPlateau, SequentialLR
from rushlight.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
x, y = torch.randn(16, 4), torch.randn(16, 1)
criterion = nn.MSELoss()

optimizers = [
    torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, dampening=0.1, weight_decay=1e-4),
    torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9, amsgrad=True),
    torch.optim.AdamW(model.parameters(), lr=torch.tensor(1e-3), weight_decay=0.01, foreach=False),
    torch.optim.RMSprop(model.parameters(), lr=0.01, alpha=0.9, momentum=0.5, centered=True),
    torch.optim.Adagrad(model.parameters(), lr=0.01, lr_decay=1e-6, initial_accumulator_value=0.1),
    torch.optim.Adadelta(model.parameters(), rho=0.95, weight_decay=0.1),
    torch.optim.NAdam(model.parameters(), momentum_decay=4e-3),
    torch.optim.RAdam(model.parameters(), weight_decay=0.1),
    torch.optim.Adamax(model.parameters()),
    torch.optim.ASGD(model.parameters(), lambd=1e-3, t0=1e5),
    torch.optim.Rprop(model.parameters(), etas=(0.5, 1.1), step_sizes=(1e-6, 10)),
]
groups = torch.optim.AdamW(
    [
        {"params": [p for n, p in model.named_parameters() if n.endswith("weight")], "weight_decay": 0.01},
        {"params": [p for n, p in model.named_parameters() if n.endswith("bias")], "weight_decay": 0.0, "lr": 1e-2},
    ],
    lr=3e-4,
)
named = torch.optim.Adam(model.named_parameters(), lr=1e-3)
groups.add_param_group({"params": nn.Parameter(torch.zeros(1))})
for group in groups.param_groups:
    group["lr"] *= 0.5
    group.setdefault("initial_lr", group["lr"])

optimizer = optimizers[0]
schedulers = [
    lr_scheduler.StepLR(optimizer, 10),
    lr_scheduler.MultiStepLR(optimizer, milestones=[2, 4], gamma=0.5),
    lr_scheduler.ExponentialLR(optimizer, gamma=0.95),
    CosineAnnealingLR(optimizer, T_max=50, eta_min=1e-5),
    lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=10, T_mult=2),
    lr_scheduler.OneCycleLR(optimizer, max_lr=0.5, steps_per_epoch=10, epochs=2, pct_start=0.25),
    lr_scheduler.CyclicLR(optimizer, base_lr=0.01, max_lr=0.1, step_size_up=20, mode="triangular2"),
    lr_scheduler.PolynomialLR(optimizer, total_iters=10, power=2.0),
    lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=3),
    LambdaLR(optimizer, lr_lambda=lambda epoch: 0.5 * (1 + math.cos(math.pi * epoch / 10))),
    LambdaLR(optimizer, lambda step: min(1.0, step / 100), last_epoch=-1),
]
warmup = LinearLR(optimizer, start_factor=0.1, total_iters=5)
sequence = SequentialLR(optimizer, schedulers=[warmup, CosineAnnealingLR(optimizer, 10)], milestones=[5])
plateau = ReduceLROnPlateau(optimizer, mode="min", factor=0.5, patience=3, min_lr=1e-6)
averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
swa = SWALR(optimizer, swa_lr=0.05, anneal_strategy="linear", anneal_epochs=5)

for epoch in range(3):
    loss = criterion(model(x), y)
    for opt in optimizers:
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        opt.step()
    for schedule in schedulers:
        schedule.step()
    sequence.step()
    plateau.step(loss)
    plateau.step(float(loss))
    averaged.update_parameters(model)
    swa.step()
    print(epoch, sequence.get_last_lr(), plateau.num_bad_epochs, optimizer.state_dict()["param_groups"][0]["lr"])

lbfgs = torch.optim.LBFGS(model.parameters(), lr=1, max_iter=5, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    return loss


print(lbfgs.step(closure), optimizer.step(lambda: criterion(model(x), y)))
checkpoint = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scheduler": sequence.state_dict()}
optimizer.load_state_dict(checkpoint["optimizer"])
sequence.load_state_dict(checkpoint["scheduler"])
torch.optim.swa_utils.update_bn([x], averaged)
handle = optimizer.register_step_post_hook(lambda opt, args, kwargs: None)
handle.remove()
