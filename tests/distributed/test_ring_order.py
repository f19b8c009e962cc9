"""Sums of three and more ranks have the bits of PyTorch's gloo, which depend on the order of the terms."""

import pytest

PROGRAM = """
import hashlib, importlib, warnings
import numpy as np
warnings.simplefilter("ignore", FutureWarning)  # older names
torch, dist = (importlib.import_module(os.environ["LIBRARY"] + each) for each in ("", ".distributed"))
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)

def drawn(count, dtype):
    generator = np.random.default_rng(rank)
    values = generator.standard_normal(count)
    return torch.from_numpy(values + 1j * generator.standard_normal(count) if "complex" in dtype else values).to(
        getattr(torch, dtype))

def show(what, tensor):
    wide = torch.complex128 if tensor.is_complex() else torch.float64
    print(what, hashlib.sha1(tensor.to(wide).numpy().tobytes()).hexdigest())

for count in (1, 2, 3, 7, 12, 1000, 1001, 70_000, 300_001):
    for dtype in ("float32", "float64", "float16", "bfloat16", "complex64"):
        x = drawn(count, dtype)
        dist.all_reduce(x)
        show(f"all_reduce {count} {dtype}", x)
for count in (1, 3, 10, 5001):
    for dtype in ("float32", "bfloat16"):
        x = drawn(count, dtype)
        dist.reduce(x, 1)
        if rank == 1:
            show(f"reduce {count} {dtype}", x)
        out = torch.empty(count, dtype=getattr(torch, dtype))
        dist.reduce_scatter_tensor(out, drawn(count * world, dtype))
        show(f"reduce_scatter {count} {dtype}", out)
dist.barrier()
dist.destroy_process_group()
"""


@pytest.mark.parametrize("size", [3, *(pytest.param(size, marks=pytest.mark.nightly) for size in (4, 5))])
def test_sums_have_the_bits_of_gloo(pytorch, outputs, size):
    def lines(library):
        texts = outputs(PROGRAM, size=size, LIBRARY=library)
        return [[line for line in text.splitlines() if "reduce" in line] for text in texts]

    ours, theirs = lines("rushlight"), lines("torch")
    assert len(ours[0]) > 45
    assert ours == theirs
