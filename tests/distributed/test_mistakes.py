"""Mistakes that all ranks make alike: each raises what PyTorch raises, and the group goes on."""

import importlib

import pytest

PROGRAM = """
import importlib, warnings
torch, dist = (importlib.import_module(os.environ["LIBRARY"] + each) for each in ("", ".distributed"))
warnings.simplefilter("ignore")  # PyTorch warns of unknown backends
for name in ("ucc", "xccl", "nccl", "other"):
    print(of(lambda: dist.init_process_group(name, store=dist.HashStore(), rank=0, world_size=1)))
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
for call in (
    lambda: dist.new_group([1, 0, 1]),
    lambda: dist.new_group([0, 7]),
    lambda: dist.new_group([-1, 0]),
    lambda: dist.all_gather_object([None], "each"),
    lambda: dist.gather_object("each", [None] if rank == 0 else None),
    lambda: dist.all_gather([torch.empty(3), torch.empty(3, dtype=torch.int64)], torch.ones(3)),
    lambda: dist.all_to_all_single(torch.empty(3), torch.ones(3), [1, 1], [1, 2]),
    lambda: dist.all_to_all_single(torch.empty(3), torch.ones(3), [3], [3]),
    lambda: dist.broadcast(torch.ones(1), 5),
):
    print(of(call))
total = torch.tensor(rank + 1.0)
dist.all_reduce(total)
print(total.item())
for dtype in (torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64):
    print(of(lambda: dist.all_reduce(torch.ones(2, dtype=dtype), dist.ReduceOp.AVG)))
of(dist.barrier)  # PyTorch raises the last error again
dist.destroy_process_group()
"""


@pytest.mark.parametrize("kind", ["HashStore", "TCPStore", "FileStore", "PrefixStore"])
def test_stores_take_text_and_bytes_only(torch, tmp_path, kind):
    dist = importlib.import_module(f"{torch.__name__}.distributed")
    store = {
        "HashStore": lambda: dist.HashStore(),
        "TCPStore": lambda: dist.TCPStore("127.0.0.1", 0, is_master=True),
        "FileStore": lambda: dist.FileStore(str(tmp_path / torch.__name__), 1),
        "PrefixStore": lambda: dist.PrefixStore("part", dist.HashStore()),
    }[kind]()
    for call in (lambda: store.set("key", 3), lambda: store.get(3), lambda: store.set(3, "value")):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            call()
    assert not store.check(["key"])


MESHES = """
import importlib
torch, mesh = (importlib.import_module(os.environ["LIBRARY"] + each) for each in ("", ".distributed.device_mesh"))
dist = importlib.import_module(os.environ["LIBRARY"] + ".distributed")
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
print(mesh.init_device_mesh("cpu", (2,)))
print(mesh.init_device_mesh("cpu", (2,), mesh_dim_names=("rows",)))
print(of(lambda: mesh.init_device_mesh("cpu", (2, 1), mesh_dim_names=("rows",))))
dist.barrier()
dist.destroy_process_group()
"""


def test_meshes_are_shown_as_in_pytorch(pytorch, outputs):
    def lines(library):
        return [[line for line in text.splitlines() if "esh" in line] for text in outputs(MESHES, LIBRARY=library)]

    assert lines("rushlight") == lines("torch")


def test_mistakes_raise_what_pytorch_raises(pytorch, outputs):
    def lines(library):
        """What each rank has printed: of each error the first line, up to what is not the same in two calls."""
        texts = outputs(PROGRAM, LIBRARY=library)
        return [[line for line in text.splitlines() if ": " in line or line[0].isdigit()] for text in texts]

    ours, theirs = lines("rushlight"), lines("torch")
    assert len(ours[0]) > 15
    assert ours == theirs
