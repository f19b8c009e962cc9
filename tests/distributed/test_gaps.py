"""Tensors with gaps in memory, whose strides gloo overlooks: its numbers, and a warning with a cure."""

PROGRAM = """
import importlib, warnings
torch, dist = (importlib.import_module(os.environ["LIBRARY"] + each) for each in ("", ".distributed"))
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
warnings.simplefilter("ignore", UserWarning)
VIEWS = {
    "columns": lambda x: x[:, ::2], "other columns": lambda x: x[:, 1::2], "rows": lambda x: x[::3],
    "a block": lambda x: x[1:3, 2:4], "transposed columns": lambda x: x[:, ::2].t(), "a column": lambda x: x[:, 1],
    "dense": lambda x: x.t(), "a row": lambda x: x[2], "nothing": lambda x: x[:, 3:3],
}
for dtype in (torch.float32, torch.int64, torch.bool, torch.bfloat16, torch.complex64):
    for name, view in VIEWS.items():
        for call in (dist.all_reduce, lambda x: dist.broadcast(x, 1)):
            base = ((torch.arange(24).reshape(4, 6) + 10 * rank) % (2 if dtype == torch.bool else 30)).to(dtype)
            call(view(base))
            print(dtype, name, base.flatten().tolist())
dist.barrier()
dist.destroy_process_group()
"""


def test_numbers_are_those_of_gloo(pytorch, outputs):
    ours, theirs = (outputs(PROGRAM, LIBRARY=library) for library in ("rushlight", "torch"))
    lines = [[line for line in text.splitlines() if line.startswith("torch.")] for text in ours]
    assert len(lines[0]) == 90
    assert lines == [[line for line in text.splitlines() if line.startswith("torch.")] for text in theirs]


def test_a_warning_names_the_line_to_write(outputs):
    for text in outputs(
        """
        import warnings
        start()
        base = torch.ones(2, 4)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            dist.all_reduce(base[:, ::2])
            (warning,) = caught
            x = torch.ones(2, 4)[:, ::2]
            exec(str(warning.message).partition("write ")[2].partition(" before")[0])
            dist.all_reduce(x)
            dist.all_reduce(base.t())
            dist.all_gather([torch.ones(2, 2) for _ in range(world)], base[:, ::2])
        print(base.tolist(), x.tolist(), len(caught))
        print(warning.filename == __file__, warning.lineno, warning.message)
        by_mpi = dist.new_group(backend="mpi")
        y = torch.ones(2, 4)
        dist.all_reduce(y[:, ::2], group=by_mpi)
        print(y.tolist())
        dist.destroy_process_group()
        """
    ):
        first, second, third = text.splitlines()
        assert first == f"{[[4.0] * 4, [2.0] * 4]} {[[2.0] * 2] * 2} 1"
        assert second.startswith("True ") and "shape [2, 2] and strides (4, 2) has gaps in memory" in second
        assert third == f"{[[2.0, 1.0, 2.0, 1.0]] * 2}"
