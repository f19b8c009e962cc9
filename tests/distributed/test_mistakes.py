"""Mistakes that all ranks make alike: each raises what PyTorch raises, and the group goes on."""

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
for dtype in (torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64):
    print(of(lambda: dist.all_reduce(torch.ones(2, dtype=dtype), dist.ReduceOp.AVG)))
total = torch.tensor(rank + 1.0)
dist.all_reduce(total)
print(total.item())
dist.barrier()
dist.destroy_process_group()
"""


def test_mistakes_raise_what_pytorch_raises(pytorch, outputs):
    def lines(library):
        """What each rank has printed: of each error the first line, up to what is not the same in two calls."""
        texts = outputs(PROGRAM, LIBRARY=library)
        return [[line for line in text.splitlines() if ": " in line or line[0].isdigit()] for text in texts]

    ours, theirs = lines("rushlight"), lines("torch")
    assert len(ours[0]) > 15
    assert ours == theirs
