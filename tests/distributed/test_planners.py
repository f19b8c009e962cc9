"""Planners decide what is saved and loaded; without collectives each process does so for itself."""

PROGRAM = """
from rushlight.distributed import checkpoint as dcp
from rushlight.distributed.device_mesh import init_device_mesh
from rushlight.distributed.tensor import Shard, distribute_tensor
path = os.environ["FOLDER"]
start()
mesh = init_device_mesh("cpu", (world,))

def spread(values):
    return distribute_tensor(torch.tensor(values), mesh, [Shard(0)])

def reported(call):
    try:
        call()
    except dcp.CheckpointException as error:
        print(str(error).splitlines()[1])
"""


def test_planners_rename_convert_and_leave_out(outputs, tmp_path):
    program = (
        PROGRAM
        + """
class Renamed(dcp.DefaultSavePlanner):
    def set_up_planner(self, state_dict, storage_meta=None, is_coordinator=False):
        renamed = {"old_" + name: value for name, value in state_dict.items()}
        super().set_up_planner(renamed, storage_meta, is_coordinator)

class Doubled(dcp.DefaultSavePlanner):
    def lookup_object(self, index):
        value = super().lookup_object(index)
        return value * 2 if index.fqn in ("x", "number") else value

    def transform_object(self, item, value):
        value = super().transform_object(item, value)
        return value.double() if item.tensor_data is not None else value

class Old(dcp.DefaultLoadPlanner):
    def set_up_planner(self, state_dict, metadata=None, is_coordinator=False):
        super().set_up_planner({"old_" + name: value for name, value in state_dict.items()}, metadata, is_coordinator)
        self.original_state_dict = state_dict

    def load_bytes(self, item, value):
        self.original_state_dict[item.dest_index.fqn[4:]] = torch.load(value)

class Halved(dcp.DefaultLoadPlanner):
    def resolve_tensor(self, item):
        return torch.empty_like(super().resolve_tensor(item), dtype=torch.float64)

    def commit_tensor(self, item, tensor):
        super().resolve_tensor(item).copy_(tensor / 2)

dcp.save({"x": spread([1.0, 2.0, 3.0]), "number": 7}, checkpoint_id=path + "/a", planner=Renamed())
state = {"x": spread([0.0, 0.0, 0.0]), "number": 0}
dcp.load(state, checkpoint_id=path + "/a", planner=Old())
print(state["x"].full_tensor().tolist(), state["number"])

dcp.save({"x": spread([1.0, 2.0, 3.0]), "y": torch.ones(2), "number": 7}, checkpoint_id=path + "/b", planner=Doubled())
state = {"x": torch.zeros(3), "y": torch.zeros(2), "number": 0}
dcp.load(state, checkpoint_id=path + "/b", planner=Halved())
print(state["x"].tolist(), state["y"].tolist(), state["number"])

nested = {"model": {"x": torch.ones(2), "steps": [1, 2]}, "text": "a"}
dcp.save(nested, checkpoint_id=path + "/c", planner=dcp.DefaultSavePlanner(flatten_state_dict=False))
state = {"model": None, "text": None}
dcp.load(state, checkpoint_id=path + "/c", planner=dcp.DefaultLoadPlanner(flatten_state_dict=False))
print(state)

dcp.save({"x": torch.ones(2)}, checkpoint_id=path + "/d")
state = {"x": torch.zeros(2), "new": torch.zeros(1), "lr": 0.5}
reported(lambda: dcp.load(state, checkpoint_id=path + "/d"))
dcp.load(state, checkpoint_id=path + "/d", planner=dcp.DefaultLoadPlanner(allow_partial_load=True))
print(state)

class Cut(dcp.DefaultSavePlanner):
    def resolve_data(self, item):
        return super().resolve_data(item)[:1]

reported(lambda: dcp.save({"x": torch.ones(2)}, checkpoint_id=path + "/e", planner=Cut()))
reported(lambda: dcp.load({"x": torch.ones(2)}, checkpoint_id=path + "/e"))
"""
    )
    lines = [
        "[1.0, 2.0, 3.0] 7",
        "[1.0, 2.0, 3.0] [0.5, 0.5] 14",
        "{'model': {'x': tensor([1., 1.]), 'steps': [1, 2]}, 'text': 'a'}",
        "rank 0: RuntimeError: Missing key in checkpoint state_dict: new.",
        "{'x': tensor([1., 1.]), 'new': tensor([0.]), 'lr': 0.5}",
        "rank 0: ValueError: resolve_data of x must return a tensor of shape (2,), and gave (1,)",
    ]
    for output in outputs(program, FOLDER=tmp_path):
        assert output.splitlines()[:-1] == lines
        assert output.splitlines()[-1].startswith("rank 0: FileNotFoundError: ")


def test_the_first_process_decides_what_each_writes(outputs, tmp_path):
    program = (
        PROGRAM
        + """
from dataclasses import replace

class Last(dcp.DefaultSavePlanner):
    def create_global_plan(self, all_plans):
        assert rank == 0 and self.is_coordinator
        moved = [replace(plan, items=[]) for plan in all_plans[:-1]]
        return super().create_global_plan([*moved, all_plans[-1]])

def sizes(name):
    return [os.path.getsize(f"{path}/{name}/__{each}_0.distcp") for each in range(world)]

state = {"x": torch.ones(4), "y": torch.ones(4)}
dcp.save(state, checkpoint_id=path + "/default")
dcp.save(state, checkpoint_id=path + "/lowest", planner=dcp.DefaultSavePlanner(dedup_save_to_lowest_rank=True))
dcp.async_save(state, checkpoint_id=path + "/last", planner=Last()).result()
print(sizes("default"), sizes("lowest"), sizes("last"))
"""
    )
    assert outputs(program, FOLDER=tmp_path) == ["[16, 16] [32, 0] [0, 32]\n"] * 2


def test_processes_save_and_load_without_each_other(outputs, tmp_path):
    program = (
        PROGRAM
        + """
state = {"x": spread([1.0, 2.0, 3.0]), "own": torch.full((2,), rank + 5.0), "rank": rank}
if rank == 1:
    time.sleep(0.2)
dcp.save(state, checkpoint_id=path, use_collectives=False)
fresh = {"x": spread([0.0, 0.0, 0.0]), "own": torch.zeros(2), "rank": None}
if rank == 1:
    dist.barrier()
dcp.load(fresh, checkpoint_id=path)
if rank == 0:
    dist.barrier()  # the other one loads after this
print(fresh["x"].full_tensor().tolist(), fresh["own"].tolist(), fresh["rank"])
reported(lambda: dcp.load({"x": torch.zeros(3)}, checkpoint_id=path))
"""
    )
    wrong = "rank {0}: ValueError: The checkpoint has only some elements of x for this process."
    expected = ["[1.0, 2.0, 3.0] [{1}, {1}] {0}", wrong]
    for rank, output in enumerate(outputs(program, FOLDER=tmp_path / "checkpoint")):
        assert output.splitlines() == [line.format(rank, rank + 5.0) for line in expected]
