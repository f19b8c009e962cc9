"""Communication hooks: what they send instead of the gradients, and that PyTorch computes the same."""

import pytest

PROGRAM = """
import importlib, warnings
torch = importlib.import_module(os.environ["LIBRARY"])
dist = importlib.import_module(os.environ["LIBRARY"] + ".distributed")
hooks = os.environ["LIBRARY"] + ".distributed.algorithms.ddp_comm_hooks"
default, power = (importlib.import_module(f"{hooks}.{name}") for name in ("default_hooks", "powerSGD_hook"))
warnings.simplefilter("ignore")
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)

def trained(state, hook, steps=6):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(12, 16), torch.nn.Tanh(), torch.nn.Linear(16, 10))
    model = torch.nn.parallel.DistributedDataParallel(model)
    model.register_comm_hook(state, hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    generator = torch.Generator().manual_seed(1)
    for step in range(steps):
        x, y = torch.randn(8, 12, generator=generator), torch.randn(8, 10, generator=generator)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x[4 * rank :][:4]), y[4 * rank :][:4]).backward()
        optimizer.step()
    return torch.cat([p.detach().flatten() for p in model.parameters()])

def shown(values):
    print(*(f"{each:.9g}" for each in values.tolist()))
"""
END = """
dist.barrier()
dist.destroy_process_group()
"""
WAYS = {
    "PowerSGD": "shown(trained(power.PowerSGDState(None, 2, 2, 1), power.powerSGD_hook))",
    "PowerSGD of rank 4": "shown(trained(power.PowerSGDState(None, 4, 2, 0.5), power.powerSGD_hook))",
    "without its memory": "shown(trained(power.PowerSGDState(None, 1, 0, 1, False, False), power.powerSGD_hook))",
    "float16": "shown(trained(None, default.fp16_compress_hook))",
    "float16 around another": "shown(trained(None, default.fp16_compress_wrapper(default.allreduce_hook)))",
}


@pytest.fixture
def values(outputs):
    """Runs a program in two processes with a library; returns the lines of numbers that each prints."""

    def run(library, program):
        texts = outputs(PROGRAM + program + END, LIBRARY=library)
        return [[list(map(float, line.split())) for line in text.splitlines()] for text in texts]

    return run


def test_hooks_compute_what_they_compute_in_pytorch(pytorch, values):
    program = "\n".join(WAYS.values())
    first, second = values("rushlight", program)
    assert first == second
    for way, ours, theirs in zip(WAYS, first, values("torch", program)[0], strict=True):
        assert ours == pytest.approx(theirs, rel=2e-3 if "float16" in way else 2e-5, abs=2e-6), way


def test_a_whole_bucket_of_full_rank_is_averaged_exactly(values):
    # Not compared: PyTorch 2.13 raises AssertionError for every bucket.
    exact = values("rushlight", "shown(trained(power.PowerSGDState(None, 20, 2), power.batched_powerSGD_hook))")
    full = values("rushlight", "shown(trained(None, default.allreduce_hook))")
    assert exact[0] == exact[1]
    assert exact[0][0] == pytest.approx(full[0][0], abs=1e-5)


def test_bfloat16_stays_near_to_float32(values):
    half = values("rushlight", "shown(trained(None, default.bf16_compress_hook))")
    full = values("rushlight", "shown(trained(None, default.allreduce_hook))")
    assert half[0] == half[1]
    assert half[0] != full[0]
    assert half[0][0] == pytest.approx(full[0][0], abs=2e-3)


def test_a_hook_registered_twice_is_refused(outputs):
    program = """
    from rushlight.distributed.algorithms.ddp_comm_hooks import DDPCommHookType, register_ddp_comm_hook
    start()
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))
    register_ddp_comm_hook(DDPCommHookType.FP16_COMPRESS, model)
    print(of(lambda: DDPCommHookType.POWER_SGD.value(model=model, state=None)))
    """
    words = "RuntimeError: register_comm_hook or register_builtin_comm_hook can only be called once.\n"
    assert outputs(program) == [words] * 2
