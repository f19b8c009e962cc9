"""accelerate: a loop by Accelerator, accumulation, clipping, bfloat16, saved states, big models by dispatch."""
# requires: accelerate==1.15.0 safetensors==0.8.0

import json
import os

import torch
from accelerate import (
    Accelerator,
    cpu_offload,
    dispatch_model,
    infer_auto_device_map,
    init_empty_weights,
    load_checkpoint_and_dispatch,
)
from accelerate.state import AcceleratorState
from accelerate.utils import compute_module_sizes, find_tied_parameters, send_to_device, set_seed

results = {}


class Net(torch.nn.Module):
    """Two layers, a norm and shared weights."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 16)
        self.norm = torch.nn.LayerNorm(16)
        self.last = torch.nn.Linear(16, 4)

    def forward(self, x):
        return self.last(self.norm(torch.relu(self.first(x))))


def data():
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(64, 8, generator=generator)
    return torch.utils.data.TensorDataset(x, x[:, :4].argmax(1))


def train(steps=12, **options):
    set_seed(3)
    AcceleratorState._reset_state(reset_partial_state=True)
    accelerator = Accelerator(cpu=True, **options)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    loader = torch.utils.data.DataLoader(data(), batch_size=8, shuffle=True)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    losses = []
    while len(losses) < steps:
        for x, y in loader:
            with accelerator.accumulate(model):
                loss = torch.nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
            losses.append(accelerator.gather(loss.detach()).mean().item())
    return accelerator, model, optimizer, losses[:steps]


accelerator, model, optimizer, results["losses"] = train()
results["state"] = [accelerator.num_processes, str(accelerator.device), accelerator.is_main_process]
accelerator.save_state("state")
results["saved"] = sorted(os.listdir("state"))
before = {name: each.clone() for name, each in accelerator.unwrap_model(model).state_dict().items()}
with torch.no_grad():
    for parameter in model.parameters():
        parameter.zero_()
drawn = torch.rand(3)
accelerator.load_state("state")
results["restored"] = all(torch.equal(before[name], each) for name, each in model.state_dict().items())
results["drawn again"] = torch.equal(drawn, torch.rand(3))
accelerator.save_model(model, "model", max_shard_size="1KB")
results["shards"] = sorted(os.listdir("model"))
accelerator.free_memory()
_, _, _, results["accumulated"] = train(gradient_accumulation_steps=2)

_, half, _, losses = train(mixed_precision="bf16")
results["bfloat16"] = [round(loss, 1) for loss in losses]
results["dtype out of autocast"] = str(half(torch.ones(1, 8)).dtype)

# ---- big models
with init_empty_weights():
    empty = Net()
results["empty"] = sorted({each.device.type for each in empty.parameters()})
results["sizes"] = dict(compute_module_sizes(empty))
results["map"] = {name: str(place) for name, place in infer_auto_device_map(empty, max_memory={"cpu": 10**6}).items()}
filled = load_checkpoint_and_dispatch(empty, "model", device_map={"": "cpu"})
x = torch.linspace(-1, 1, 16).reshape(2, 8)
results["filled"] = filled(x).flatten().tolist()
results["same"] = torch.allclose(filled(x), accelerator.unwrap_model(model)(x))
on_disk = dispatch_model(
    filled,
    {"first": "cpu", "norm": "cpu", "last": "disk"},
    main_device="cpu",
    offload_dir="offloaded",
    force_hooks=True,
)
results["from disk"] = [on_disk(x).flatten().tolist(), on_disk.last.weight.device.type]
plain = Net()
expected = plain(x)
offloaded = cpu_offload(plain, execution_device=torch.device("cpu"))
results["offloaded"] = [torch.allclose(offloaded(x), expected), offloaded.first.weight.device.type]
plain = Net()
plain.last.bias = plain.norm.bias
results["tied"] = find_tied_parameters(torch.nn.ModuleDict({"a": plain.norm, "b": plain.norm}))
sent = send_to_device({"x": x, "more": [x, (x, 3)]}, "cpu")
results["sent"] = [sent["more"][1][1], sent["x"].shape == x.shape]
print(json.dumps(results))
