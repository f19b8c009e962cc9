"""accelerate in two processes: prepared loops, accumulation, gathered and reduced tensors, saved states, bfloat16."""
# requires: accelerate==1.15.0 safetensors==0.8.0
# processes: 2

import json
import os
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from accelerate.utils import (
    DataLoaderConfiguration,
    DistributedDataParallelKwargs,
    broadcast,
    broadcast_object_list,
    gather_object,
    pad_across_processes,
    set_seed,
)

results = {}


class Net(torch.nn.Module):
    """Two layers and a norm; `spare` is not in every loss."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 16)
        self.norm = torch.nn.BatchNorm1d(16, eps=0.1)
        self.last = torch.nn.Linear(16, 4)
        self.spare = torch.nn.Linear(16, 4)

    def forward(self, x, spare=False):
        hidden = self.norm(torch.relu(self.first(x)))
        return self.last(hidden) + self.spare(hidden) if spare else self.last(hidden)


def data(count=64):
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(count, 8, generator=generator)
    return torch.utils.data.TensorDataset(x, x[:, :4].argmax(1))


def prepared(**options):
    """A fresh accelerator with a model, its optimizer, a loader of 64 rows in fours, and a schedule."""
    set_seed(3)
    AcceleratorState._reset_state(reset_partial_state=False)
    unused = DistributedDataParallelKwargs(find_unused_parameters=True)
    seeded = DataLoaderConfiguration(use_seedable_sampler=True)
    accelerator = Accelerator(cpu=True, kwargs_handlers=[unused], dataloader_config=seeded, **options)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    loader = torch.utils.data.DataLoader(data(), batch_size=4, shuffle=True)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 6, 0.5)
    return accelerator, *accelerator.prepare(model, optimizer, loader, schedule)


def train(accelerator, model, optimizer, loader, schedule, epochs=2):
    """The losses of both processes, the norms of gradients, and what is left of the rate."""
    losses, norms = [], []
    for epoch in range(epochs):
        loader.set_epoch(epoch)
        for x, y in loader:
            with accelerator.accumulate(model):
                loss = torch.nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    norms.append(accelerator.clip_grad_norm_(model.parameters(), 1.0).item())
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
            losses.append(accelerator.gather(loss.detach()).tolist())
    return [losses, norms, schedule.get_last_lr()]


def weights(accelerator, model):
    return [each.double().abs().sum().item() for each in accelerator.unwrap_model(model).parameters()]


def training(folder):
    accelerator, model, *others = everything = prepared()
    results["state"] = [accelerator.num_processes, str(accelerator.device), str(accelerator.distributed_type)]
    results["wrapped"] = [type(model).__name__, type(accelerator.unwrap_model(model)).__name__, len(others[1])]
    results["trained"] = train(*everything)
    results["weights"] = weights(accelerator, model)
    saved = accelerator.save_state(Path(folder, "state"))
    accelerator.wait_for_everyone()
    results["saved"] = sorted(os.listdir(saved))
    results["went on"] = train(*everything, epochs=1)
    results["drawn"] = accelerator.gather(torch.rand(2)).tolist()
    accelerator.load_state(Path(folder, "state"))
    results["went on again"] = train(*everything, epochs=1) == results["went on"]
    results["drawn again"] = accelerator.gather(torch.rand(2)).tolist() == results["drawn"]
    accelerator.save_model(model, Path(folder, "model"))
    accelerator.wait_for_everyone()
    results["model"] = sorted(os.listdir(Path(folder, "model")))
    skipped = accelerator.skip_first_batches(others[1], 6)
    results["skipped"] = [gathered.tolist() for gathered in (accelerator.gather(y) for _, y in skipped)]


def variations():
    everything = prepared(gradient_accumulation_steps=3)
    results["accumulated"] = train(*everything)
    results["accumulated weights"] = weights(*everything[:2])
    accelerator, model, optimizer, loader, _ = prepared()
    (x, y), (more, targets) = list(loader)[:2]
    with accelerator.no_sync(model):
        accelerator.backward(torch.nn.functional.cross_entropy(model(x, spare=True), y))
        results["before they meet"] = accelerator.gather(model.module.last.bias.grad).tolist()
    accelerator.backward(torch.nn.functional.cross_entropy(model(more), targets))
    results["after they have met"] = accelerator.gather(model.module.last.bias.grad).tolist()
    optimizer.step()
    everything = prepared(mixed_precision="bf16")
    losses, _, _ = train(*everything)
    results["bfloat16"] = [[round(loss, 1) for loss in row] for row in losses]
    results["dtype out of autocast"] = str(everything[1](torch.ones(2, 8)).dtype)
    synchronized = torch.nn.SyncBatchNorm.convert_sync_batchnorm(Net())
    results["norms of all ranks"] = [type(each).__name__ for each in synchronized.children()]


def collectives():
    accelerator = prepared()[0]
    rank = accelerator.process_index
    mine = torch.arange(6.0).reshape(2, 3) * (rank + 1)
    results["gathered"] = accelerator.gather({"a": mine, "b": [mine[0], mine[:, 1]]})["b"][1].tolist()
    results["reduced"] = [accelerator.reduce(mine.clone(), how).tolist() for how in ("sum", "mean")]
    results["scaled"] = accelerator.reduce(mine.clone(), "sum", 0.5).tolist()
    results["broadcast"] = accelerator.gather(broadcast(mine.clone(), from_process=1)).tolist()
    results["objects"] = broadcast_object_list([rank, {"rank": rank}], from_process=1)
    results["gathered objects"] = gather_object([{"rank": rank, "shape": tuple(mine.shape)}["rank"], "x" * rank])
    uneven = torch.full((2 + rank, 2), float(rank))
    results["padded"] = accelerator.gather(accelerator.pad_across_processes(uneven, pad_index=-1)).tolist()
    results["padded first"] = accelerator.gather(pad_across_processes(uneven, dim=0, pad_first=True)).tolist()
    for name, options in {"split": {}, "split with padding": {"apply_padding": True}}.items():
        with accelerator.split_between_processes(list(range(7)), **options) as part:
            results[name] = gather_object([part])
    with accelerator.split_between_processes({"x": torch.arange(6), "y": list("abcdef")}) as part:
        results["split dictionary"] = gather_object([[part["x"].tolist(), part["y"]]])
    accelerator.set_trigger() if rank == 1 else None
    results["trigger"] = [accelerator.check_trigger(), accelerator.check_trigger()]
    even = accelerator.prepare(torch.utils.data.DataLoader(data(6), batch_size=2))
    results["even batches"] = gather_object([sum(len(y) for _, y in even)])


def evaluation():
    accelerator, model, *_ = prepared()
    loader = accelerator.prepare(torch.utils.data.DataLoader(data(29), batch_size=4))
    model.eval()
    for name, gather in {"for metrics": accelerator.gather_for_metrics, "with repeats": accelerator.gather}.items():
        logits, targets = [], []
        for x, y in loader:
            with torch.no_grad():
                one, other = gather((model(x), y))
            logits.append(one)
            targets.append(other)
        targets = torch.cat(targets)
        loss = torch.nn.functional.cross_entropy(torch.cat(logits), targets)
        results[name] = [len(targets), loss.item(), targets.tolist()]


def order(folder):
    """What the first process does before the other one."""
    accelerator = prepared()[0]
    file = Path(folder, "order")
    with accelerator.main_process_first():
        before = file.exists()
        file.touch()
    results["came first"] = gather_object([before])
    called = []
    accelerator.on_main_process(called.append)("main")
    accelerator.on_last_process(called.append)("last")
    accelerator.on_process(called.append, process_index=1)("one")
    results["called"] = gather_object([called])
    results["who"] = gather_object([[accelerator.is_main_process, accelerator.is_last_process]])


accelerator = Accelerator(cpu=True)
with tempfile.TemporaryDirectory() as mine:
    folder = broadcast_object_list([mine])[0]
    training(folder)
    variations()
    collectives()
    evaluation()
    order(folder)
    accelerator.wait_for_everyone()
rank = dist.get_rank()
accelerator.end_training()
if rank == 0:
    print(json.dumps(results))
