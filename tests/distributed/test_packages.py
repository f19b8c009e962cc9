"""What packages that train in several processes use of PyTorch beyond its documented names: as PyTorch has it."""

PROGRAM = """
import importlib
library = os.environ["LIBRARY"]
torch, dist = importlib.import_module(library), importlib.import_module(library + ".distributed")
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)

def module(path):
    return importlib.import_module(f"{library}.{path}")
"""
END = "\ndist.barrier()\ndist.destroy_process_group()\n"


def same_as_pytorch(outputs, program, size=2):
    ours = outputs(PROGRAM + program + END, size, LIBRARY="rushlight")
    assert ours == outputs(PROGRAM + program + END, size, LIBRARY="torch")
    return ours


PARTS = {
    "modules become those of a rank": """
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
with torch.no_grad():
    for at, each in enumerate([*net.parameters(), *net.buffers()]):
        each.fill_(10 * rank + at)
module("distributed.utils")._sync_module_states(net, dist.group.WORLD, 20, 1, {"0.bias", "1.running_var"})
print([each.flatten()[0].item() for each in net.state_dict().values()])
with torch.no_grad():
    net[1].running_mean.fill_(rank)
module("distributed.utils")._sync_module_states(net, dist.group.WORLD, 20, 0, (), broadcast_buffers=False)
print([each.flatten()[0].item() for each in net.state_dict().values()])
""",
    "a group has a monitored barrier with a timeout of years": """
group = dist.new_group(backend="gloo", timeout=timedelta(days=10000))
print(group.monitored_barrier())
print(group.monitored_barrier(timedelta(seconds=20), wait_all_ranks=True))
""",
    "a backward pass inside forward is reduced when it is prepared": """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1, bias=False)
        torch.nn.init.ones_(self.layer.weight)

    def forward(self, x, reduces):
        loss = self.layer(x).sum()
        if reduces:
            model.require_forward_param_sync = True
            model.reducer._rebuild_buckets()
            model.reducer.prepare_for_backward([])
            loss.backward()
        else:
            with model.no_sync():
                loss.backward()
        model.require_backward_grad_sync = False  # the gradients are there: forward has nothing to prepare
        return loss.detach()

model = module("nn.parallel").DistributedDataParallel(Model())
assert isinstance(model.reducer, torch._C._distributed_c10d.Reducer)
for step in range(6):
    model(torch.ones(1, 2) * (rank + 1), step % 3 == 2)
    model.require_backward_grad_sync = True
    print(model.module.layer.weight.grad.tolist(), model.require_forward_param_sync)
    if step == 4:  # one pass more without a reduction, by the plain loss of the module
        (model.module.layer(torch.ones(1, 2)) * (rank + 1)).sum().backward()
        print(model.module.layer.weight.grad.tolist())
    if step == 2:
        model.zero_grad()
""",
    "functional all to all has gradients": """
functional = module("distributed._functional_collectives")
x = (torch.arange(8.0).reshape(4, 2) + 100 * rank).requires_grad_()
even = functional.wait_tensor(functional.all_to_all_single(x, None, None, dist.group.WORLD))
taken, sent = ([1, 3], [1, 3]) if rank == 0 else ([3, 1], [3, 1])
uneven = functional.all_to_all_single_autograd(x, taken, sent, dist.group.WORLD)
print(even.tolist(), uneven.tolist())
(functional.wait_tensor(uneven) * torch.arange(1.0, 5)[:, None] * (rank + 1)).sum().backward()
print(x.grad.tolist())
print(of(lambda: functional.all_to_all_single(x, None, sent, dist.group.WORLD)))
""",
    "names at older addresses": """
older, newer = module("distributed._composable.fsdp"), module("distributed.fsdp")
print([getattr(older, each) is getattr(newer, each) for each in ("FSDPModule", "fully_shard", "CPUOffloadPolicy")])
""",
}


def test_two_processes(pytorch, outputs):
    """One run for all parts. In the third the module decides in forward whether gradients are reduced, as it does in
    Lightning's manual optimization.
    """
    first, second = same_as_pytorch(outputs, "".join(f"print({name!r})\n{part}" for name, part in PARTS.items()))
    assert first != second and all(name in first for name in PARTS)


def test_parts_of_tensors_on_a_mesh(pytorch, outputs):
    same_as_pytorch(
        outputs,
        """
types, utils = module("distributed.tensor.placement_types"), module("distributed.tensor._utils")
mesh = module("distributed.device_mesh").init_device_mesh("cpu", (2, 2))
S, R, SS = types.Shard, types.Replicate, types._StridedShard
for shape in ((8, 6), (5, 3), (1, 6), (3, 1)):
    for placements in ([S(0), S(1)], [S(1), R()], [S(0), S(0)], [R(), S(0)], [R(), types.Partial()]):
        print(shape, placements, *utils.compute_local_shape_and_global_offset(shape, mesh, placements))
print(utils.compute_local_shape_and_global_offset((8, 6), mesh, [SS(0, split_factor=2), S(0)]))
print(utils.compute_local_shape_and_global_offset((8, 6), mesh, [S(0), S(1)], skip_offset=True))
""",
        4,
    )
