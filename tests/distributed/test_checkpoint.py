"""`torch.distributed.checkpoint`: what some processes have saved, others load, as many as they are."""

import pytest

PROGRAM = """
from rushlight.distributed import checkpoint as dcp
from rushlight.distributed.checkpoint.state_dict import (
    StateDictOptions, get_model_state_dict, get_optimizer_state_dict, get_state_dict, set_model_state_dict,
    set_optimizer_state_dict, set_state_dict,
)
from rushlight.distributed.fsdp import fully_shard
nn, F = torch.nn, torch.nn.functional
start()
path = os.environ["FOLDER"]

def network(seed):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(5, 7), nn.BatchNorm1d(7), nn.Tanh(), nn.Linear(7, 3)).double()
    fully_shard(model[0])
    fully_shard(model)
    return model, torch.optim.AdamW(model.parameters(), lr=0.01)

def step(model, optimizer):
    torch.manual_seed(3)
    x, y = torch.randn(4, 5, dtype=torch.float64), torch.randn(4, 3, dtype=torch.float64)
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()

def show(model):
    state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
    print(*(f"{each:.12g}" for value in state.values() for each in value.double().flatten().tolist()))
"""
SAVE = (
    PROGRAM
    + """
model, optimizer = network(0)
step(model, optimizer)
step(model, optimizer)
states = get_state_dict(model, optimizer)
more = {"step": 2, "betas": (0.9, None), "half": torch.arange(3.0).bfloat16(), "nested": {"list": [torch.ones(2), 5]}}
dcp.save({"model": states[0], "optimizer": states[1], **more}, checkpoint_id=path)
step(model, optimizer)
show(model)
"""
)
LOAD = (
    PROGRAM
    + """
model, optimizer = network(5)
states = get_state_dict(model, optimizer)
more = {"step": 0, "betas": 0, "half": torch.zeros(3).bfloat16(), "nested": {"list": [torch.zeros(2), 0]}}
state = {"model": states[0], "optimizer": states[1], **more}
dcp.load(state, checkpoint_id=path)
assert (state["step"], state["betas"], state["half"].tolist()) == (2, (0.9, None), [0.0, 1.0, 2.0])
assert (state["nested"]["list"][0].tolist(), state["nested"]["list"][1]) == ([1.0, 1.0], 5)
set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
step(model, optimizer)
show(model)
"""
)


def numbers(output):
    return list(map(float, output.split()))


@pytest.mark.parametrize(("saving", "loading"), [(4, 2), (2, 3)])
def test_training_goes_on_with_another_number_of_processes(outputs, tmp_path, saving, loading):
    saved = outputs(SAVE, saving, FOLDER=tmp_path / "checkpoint")
    loaded = outputs(LOAD, loading, FOLDER=tmp_path / "checkpoint")
    assert len({*saved}) == 1
    for each in loaded:
        assert numbers(each) == pytest.approx(numbers(saved[0]), rel=1e-9, abs=1e-12)


def test_one_process_loads_without_a_group(outputs, tmp_path):
    saved = outputs(SAVE, FOLDER=tmp_path / "checkpoint")
    program = """
    from rushlight.distributed import checkpoint as dcp
    nn = torch.nn
    model = nn.Sequential(nn.Linear(5, 7), nn.BatchNorm1d(7), nn.Tanh(), nn.Linear(7, 3)).double()
    dcp.load({"model": model}, checkpoint_id=os.environ["FOLDER"])
    print(model[1].num_batches_tracked.item(), model[0].weight.abs().sum().item() > 0)
    """
    assert saved
    assert outputs(program, 1, FOLDER=tmp_path / "checkpoint") == ["2 True\n"]


def test_failures_are_raised_in_every_process(outputs, tmp_path):
    program = (
        PROGRAM
        + """
def reported(call):
    try:
        call()
    except dcp.CheckpointException as error:
        print(sorted(error.failures), "|", str(error).splitlines()[1])

reported(lambda: dcp.load({"x": torch.ones(2)}, checkpoint_id=path + "/none"))
dcp.save({"x": torch.ones(2)}, checkpoint_id=path)
reported(lambda: dcp.load({"y": torch.ones(2)}, checkpoint_id=path))
kept = torch.ones(3)
reported(lambda: dcp.load({"x": kept}, checkpoint_id=path))
print(kept.tolist())
reported(lambda: dcp.save({"x": torch.ones(2 + rank)}, checkpoint_id=path))
reported(lambda: dcp.save({"x": lambda: 1}, checkpoint_id=path))
reported(lambda: dcp.load({"x": kept}, checkpoint_id=path))
"""
    )
    for output in outputs(program, FOLDER=tmp_path / "checkpoint"):
        lines = output.splitlines()
        assert lines[0].startswith("[0, 1] | rank 0: FileNotFoundError: ")
        assert lines[1] == "[0, 1] | rank 0: RuntimeError: Missing key in checkpoint state_dict: y."
        assert lines[2] == "[0, 1] | rank 0: ValueError: Size mismatch between saved (2,) and current: (3,) for x"
        assert lines[3] == "[1.0, 1.0, 1.0]"
        assert lines[4].startswith("[0] | rank 0: ValueError: x has shape ")
        assert lines[5].startswith("[0] | rank 0: ")
        assert lines[6].startswith("[0, 1] | rank 0: FileNotFoundError: ")  # what failed is no checkpoint


def test_a_copy_is_saved_while_training_goes_on(outputs, tmp_path):
    program = (
        PROGRAM
        + """
import time
from rushlight.distributed.checkpoint.files import FileSystemWriter

class Slow(FileSystemWriter):
    def write(self, rank, values):
        time.sleep(0.3)
        return super().write(rank, values)

def values(model):
    return torch.cat([p.full_tensor().flatten() for p in model.parameters()])

model, optimizer = network(0)
note = {"steps": []}
before = []
for number in range(2):
    step(model, optimizer)
    note["steps"].append(number)
    before.append(values(model))
    last = dcp.async_save({"model": model, "note": note}, storage_writer=Slow(f"{path}/{number}"))
for _ in range(3):
    step(model, optimizer)  # its collectives go on beside those of the thread
    total = torch.ones(3)
    dist.all_reduce(total)
print(last.done(), total.tolist())
print(last.result())
for number in range(2):
    state = {"model": model, "note": {"steps": []}}
    dcp.load(state, checkpoint_id=f"{path}/{number}")
    print(torch.equal(values(model), before[number]), state["note"])
"""
    )
    expected = "False [2.0, 2.0, 2.0]\nNone\nTrue {'steps': [0]}\nTrue {'steps': [0, 1]}\n"
    assert outputs(program, FOLDER=tmp_path / "checkpoint") == [expected] * 2


def test_saving_in_a_thread_fails_in_every_process_and_ends_with_the_program(outputs, tmp_path):
    program = (
        PROGRAM
        + """
from rushlight.distributed.checkpoint.files import FileSystemWriter

class Full(FileSystemWriter):
    def write(self, rank, values):
        if rank:
            raise OSError("the disk is full")
        return super().write(rank, values)

class Broken:
    def state_dict(self):
        if rank == 0:
            raise RuntimeError("no state")
        return {}
    def load_state_dict(self, state): ...

def reported(call):
    try:
        call()
    except (dcp.CheckpointException, NotImplementedError) as error:
        print(str(error).splitlines()[-1])

saving = dcp.async_save({"x": torch.ones(2)}, storage_writer=Full(path))
reported(saving.result)
reported(lambda: dcp.async_save({"x": Broken()}, checkpoint_id=path))
reported(lambda: dcp.async_save({}, checkpoint_id=path, async_checkpointer_type="process"))
x = torch.ones(2)
dcp.async_save({"x": x}, checkpoint_id=path)
x.zero_()
"""
    )
    expected = [
        "rank 1: OSError: the disk is full",
        "rank 0: RuntimeError: no state",
        "torch.distributed.checkpoint.async_save supports threads only, without a stager.",
    ]
    folder = tmp_path / "checkpoint"
    assert [each.splitlines() for each in outputs(program, FOLDER=folder)] == [expected] * 2
    alone = """
    from rushlight.distributed import checkpoint as dcp
    x = torch.zeros(2)
    dcp.load({"x": x}, checkpoint_id=os.environ["FOLDER"])
    dcp.async_save({"x": x + 1}, checkpoint_id=os.environ["FOLDER"]).result()
    dcp.load({"x": x}, checkpoint_id=os.environ["FOLDER"])
    print(x.tolist())
    """
    assert outputs(alone, 1, FOLDER=folder) == ["[2.0, 2.0]\n"]


def test_names_are_those_of_the_plain_model(outputs):
    program = (
        PROGRAM
        + """
plain = nn.Linear(3, 2)
wrapped = nn.parallel.DistributedDataParallel(plain)
state = get_model_state_dict(wrapped)
print(list(state))
set_model_state_dict(wrapped, {name: torch.full_like(value, 2.0) for name, value in state.items()})
print(plain.weight.sum().item())
model, _ = network(0)
whole = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
print(len(whole) == (7 if rank == 0 else 0) or sorted(whole))
other, _ = network(4)
set_model_state_dict(other, whole, options=StateDictOptions(full_state_dict=True, broadcast_from_rank0=True))
same = zip(other.parameters(), model.parameters())
print(all(torch.equal(p.full_tensor(), q.full_tensor()) for p, q in same))
try:
    lacking = {name: value for name, value in whole.items() if name != "0.bias"}
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(other, lacking, options=options)
except RuntimeError as error:
    print("Missing key(s) in state_dict: \\"0.bias\\"" in str(error))
"""
    )
    ours = outputs(program, FOLDER="unused")
    assert [each.splitlines()[:2] for each in ours] == [["['weight', 'bias']", "12.0"]] * 2
    assert [each.splitlines()[3:] for each in ours] == [["True", "True"]] * 2


def test_rank_0_gives_the_state_of_an_optimizer_to_all(outputs):
    program = (
        PROGRAM
        + """
model, optimizer = network(0)
optimizer.param_groups[0]["lr"] = 0.25
model(torch.ones(2, 5, dtype=torch.float64)).sum().backward()
optimizer.step()
whole = get_optimizer_state_dict(model, optimizer, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
print(sorted(whole))
other, fresh = network(4)
options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
set_optimizer_state_dict(other, fresh, whole, options=options)
pairs = list(zip(other.parameters(), model.parameters()))
same = lambda name: all(torch.equal(fresh.state[p][name], optimizer.state[q][name]) for p, q in pairs)
print(fresh.param_groups[0]["lr"], same("step"), all(
    torch.equal(fresh.state[p]["exp_avg"].full_tensor(), optimizer.state[q]["exp_avg"].full_tensor()) for p, q in pairs
))
"""
    )
    rest = ["0.25 True True"]
    first, second = (each.splitlines() for each in outputs(program, FOLDER="unused"))
    assert (first, second) == (["['param_groups', 'state']", *rest], ["[]", *rest])


def test_states_of_optimizers_are_flat_and_find_their_parameters(outputs):
    program = (
        PROGRAM
        + """
def grouped(seed):
    model, _ = network(seed)
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    groups = [{"params": matrices[:1]}, {"params": matrices[1:], "lr": 0.5}]
    return model, torch.optim.AdamW(groups, lr=0.01), torch.optim.SGD(vectors, lr=0.25, momentum=0.9)

def trained(model, *optimizers):
    model(torch.ones(2, 5, dtype=torch.float64)).sum().backward()
    for each in optimizers:
        each.step()
        each.zero_grad()
    return model, *optimizers

def same(one, other):
    return all(
        torch.equal(one.state[p][k].full_tensor() if k != "step" else one.state[p][k],
                    other.state[q][k].full_tensor() if k != "step" else other.state[q][k])
        for g, h in zip(one.param_groups, other.param_groups) for p, q in zip(g["params"], h["params"])
        for k in one.state[p] if isinstance(one.state[p][k], torch.Tensor)
    ) and [g["lr"] for g in one.param_groups] == [g["lr"] for g in other.param_groups]

model, adam, sgd = trained(*grouped(0))
flat = StateDictOptions(flatten_optimizer_state_dict=True)
state = get_optimizer_state_dict(model, [adam, sgd], options=flat)
print(sorted(state)[-3:], state["param_groups.3.weight.lr"], len(state) > 50)
for given in (state, get_optimizer_state_dict(model, [adam, sgd])):
    other, adam2, sgd2 = grouped(1)
    set_optimizer_state_dict(other, [sgd2, adam2], given)  # in another order
    print(same(adam, adam2), same(sgd, sgd2))
    lacking = dict(given)
    if "state" in given:
        lacking["state"] = {k: v for k, v in given["state"].items() if k != "3.weight"}
    else:
        lacking = {k: v for k, v in given.items() if not k.startswith("state.3.weight")}
    print(of(lambda: set_optimizer_state_dict(other, adam2, lacking))[:65])
    set_optimizer_state_dict(other, adam2, lacking, options=StateDictOptions(strict=False))
changed = dict(state)
changed["param_groups.1.bias.lr"] = 7.0
print(of(lambda: set_optimizer_state_dict(other, sgd2, changed))[-70:])
print(of(lambda: get_optimizer_state_dict(model, [])))
print(of(lambda: get_optimizer_state_dict(model, adam, options=StateDictOptions(broadcast_from_rank0=True))))
"""
    )
    missing = "RuntimeError: Missing optimizer state for parameter '3.weight' in"
    expected = [
        "['state.3.weight.exp_avg', 'state.3.weight.exp_avg_sq', 'state.3.weight.step'] 0.5 True",
        *["True True", missing[:65]] * 2,
        "param_group value. But 0.bias.lr is 0.25 while other(s) is 7.0."[-70:],
        "RuntimeError: Optimizers are not passed in but optim_only is set to True.",
        "ValueError: full_state_dict must be True when broadcast_from_rank0 is True.",
    ]
    for output in outputs(program, FOLDER="unused"):
        lines = output.splitlines()
        assert lines[5].endswith(expected[5])
        assert lines[:5] + lines[6:] == expected[:5] + expected[6:]


def test_only_wrappers_lose_their_names(outputs):
    program = (
        PROGRAM
        + """
import warnings
class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.module = nn.Linear(2, 1)
        self.inner = nn.parallel.DistributedDataParallel(torch.compile(nn.Linear(1, 1)))

model = Own()
names = ["module.weight", "module.bias", "inner.weight", "inner.bias"]
optimizer = torch.optim.Adam(model.parameters())
of_optimizer = get_optimizer_state_dict(model, optimizer)["param_groups"][0]["params"]
print(list(get_model_state_dict(model)) == names, of_optimizer == names)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)
    for options in (None, StateDictOptions(keep_submodule_prefixes=False)):
        print(list(get_model_state_dict(model, submodules={model.module}, options=options)))
"""
    )
    assert (
        outputs(program, FOLDER="unused") == ["True True\n['module.weight', 'module.bias']\n['weight', 'bias']\n"] * 2
    )
