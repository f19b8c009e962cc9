"""`FullyShardedDataParallel`: training, states and whole parameters are those of one process."""

import pytest

from .models import BLOCKS

MODEL = (
    BLOCKS
    + """
import copy
from functools import partial
from rushlight.distributed.fsdp import FullyShardedDataParallel as FSDP
from rushlight.distributed.fsdp import FullStateDictConfig, MixedPrecision, ShardingStrategy, StateDictType
from rushlight.distributed.fsdp.wrap import CustomPolicy, ModuleWrapPolicy, size_based_auto_wrap_policy
from rushlight.distributed.fsdp.wrap import transformer_auto_wrap_policy
blocks = partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})

def train(model, part, steps=3, optimizer=None):
    optimizer = optimizer or torch.optim.AdamW(model.parameters(), lr=0.01)
    for step in range(steps):
        x, y = batch(step)[part]
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        model.clip_grad_norm_(0.1) if part else nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
    return model

def apart(model, other):
    one, two = model.state_dict(), other.state_dict()
    assert list(one) == list(two), (list(one), list(two))
    return max((one[name] - two[name]).abs().max().item() for name in one)
"""
)


def test_training_equals_that_of_one_process(outputs):
    program = (
        MODEL
        + """
alone = train(network(), 0)
for strategy in ("FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD"):
    model = FSDP(network(), sharding_strategy=ShardingStrategy[strategy], auto_wrap_policy=blocks, use_orig_params=True)
    print(strategy, apart(train(model, 1), alone) < 1e-12, model[0].weight.to_local().shape[0])
"""
    )
    rows = [("4", "7"), ("3", "7")]
    expected = "FULL_SHARD True {0}\nSHARD_GRAD_OP True {0}\nNO_SHARD True {1}\nHYBRID_SHARD True {0}\n"
    assert outputs(program) == [expected.format(*each) for each in rows]


def test_policies_choose_what_is_wrapped(outputs):
    program = (
        MODEL
        + """
def wrapped(policy, **options):
    model = FSDP(network(), auto_wrap_policy=policy, **options)
    return [name.replace("_fsdp_wrapped_module", "*") for name, each in model.named_modules() if isinstance(each, FSDP)]

print(wrapped(None), wrapped(blocks), wrapped(ModuleWrapPolicy({Block, nn.LayerNorm}))[1:3])
print(wrapped(partial(size_based_auto_wrap_policy, min_num_params=150)))
print(wrapped(CustomPolicy(lambda module: isinstance(module, nn.Linear) and module.out_features == 3)))
print(of(lambda: wrapped(CustomPolicy(lambda module: 1))).split(",")[0])
left = network()
print(len(FSDP.fsdp_modules(FSDP(left, auto_wrap_policy=blocks, ignored_modules=[left[1]]))))
print(type(left[1].wide.weight).__name__)
"""
    )
    lines = [
        "[''] ['', '*.1', '*.2'] ['*.1', '*.1.*.norm']",
        "['', '*.1.wide', '*.1.back', '*.2.wide', '*.2.back']",  # 14 elements are left in a block
        "['', '*.3']",
        "ValueError: The lambda_fn passed to CustomPolicy should return False/True or a kwarg dict",
        "2",
        "Parameter",
    ]
    assert outputs(program) == ["\n".join(lines) + "\n"] * 2


@pytest.mark.parametrize("kind", ["FULL_STATE_DICT", "SHARDED_STATE_DICT", "LOCAL_STATE_DICT"])
def test_states_resume_training(outputs, kind):
    program = (
        MODEL
        + f"""
kind = StateDictType.{kind}
def made():
    model = FSDP(network(), auto_wrap_policy=blocks)
    return model, torch.optim.AdamW(model.parameters(), lr=0.01)

model, optimizer = made()
train(model, 1, optimizer=optimizer)
with FSDP.state_dict_type(model, kind):
    state, of_optimizer = copy.deepcopy((model.state_dict(), FSDP.optim_state_dict(model, optimizer)))
print(list(state) == list(network().state_dict()), type(state["1.wide.weight"]).__name__, len(state["1.wide.weight"]))
other, fresh = made()
with torch.no_grad():
    for parameter in other.parameters():
        parameter.zero_()
with FSDP.state_dict_type(other, kind):
    print(other.load_state_dict(state))
    fresh.load_state_dict(FSDP.optim_state_dict_to_load(other, fresh, of_optimizer))
print(apart(other, model), FSDP.get_state_dict_type(other).state_dict_type.name)
print(apart(train(other, 1, optimizer=fresh), train(model, 1, optimizer=optimizer)))
"""
    )
    shown = {"FULL_STATE_DICT": "Tensor 21", "SHARDED_STATE_DICT": "DTensor 21", "LOCAL_STATE_DICT": "Tensor {}"}
    lines = f"True {shown[kind]}\n<All keys matched successfully>\n0.0 FULL_STATE_DICT\n0.0\n"
    assert outputs(program) == [lines.format(rows) for rows in (11, 10)]


def test_rank_0_alone_has_the_whole_state(outputs):
    program = (
        MODEL
        + """
model = FSDP(network(), auto_wrap_policy=blocks)
config = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, config):
    print(len(model.state_dict()))
"""
    )
    assert outputs(program) == ["16\n", "0\n"]


def test_whole_parameters_in_a_block(outputs):
    program = (
        MODEL
        + """
model, alone = FSDP(network(), auto_wrap_policy=blocks), network()
for each, part in ((alone, 0), (model, 1)):
    x, y = batch(0)[part]
    F.mse_loss(each(x), y).backward()
with FSDP.summon_full_params(model, with_grads=True):
    print([name for name, _ in model.named_parameters()] == [name for name, _ in alone.named_parameters()])
    print(max((p.grad - q.grad).abs().max().item() for p, q in zip(model.parameters(), alone.parameters())) < 1e-12)
    with torch.no_grad():
        model[1].wide.weight.fill_(2.0)
with FSDP.summon_full_params(model, writeback=False), torch.no_grad():
    model[1].wide.bias.fill_(3.0)
state = model.state_dict()
print((state["1.wide.weight"] == 2).all().item(), (state["1.wide.bias"] == 3).any().item())
print(of(lambda: FSDP.summon_full_params(model, rank0_only=True).__enter__()))
"""
    )
    error = "NotImplementedError: writeback=True and rank0_only=True is not supported"
    assert outputs(program) == [f"True\nTrue\nTrue False\n{error}\n"] * 2


def test_gradients_accumulate_and_are_clipped_by_the_norm_of_all(outputs):
    program = (
        MODEL
        + """
alone, model = network(), FSDP(network(), auto_wrap_policy=blocks)
for step in range(2):
    x, y = batch(step)[0]
    F.mse_loss(alone(x), y).backward()
with model.no_sync():
    x, y = batch(0)[1]
    F.mse_loss(model(x), y).backward()
    print(model[0].weight.grad is None)
x, y = batch(1)[1]
F.mse_loss(model(x), y).backward()
print(abs(model.clip_grad_norm_(0.1) - nn.utils.clip_grad_norm_(alone.parameters(), 0.1)).item() < 1e-12)
print(all(torch.allclose(p.grad, q.grad.full_tensor()) for p, q in zip(alone.parameters(), model.parameters())))
"""
    )
    assert outputs(program) == ["True\nTrue\nTrue\n"] * 2


def test_mixed_precision_and_the_values_of_the_first_process(outputs):
    program = (
        MODEL
        + """
torch.manual_seed(rank)
plain = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Linear(6, 2))
seen = []
plain[0].register_forward_pre_hook(lambda module, inputs: seen.append((inputs[0].dtype, module.weight.dtype)))
policy = MixedPrecision(torch.bfloat16, torch.float32, torch.bfloat16)
model = FSDP(plain, mixed_precision=policy, sync_module_states=True)
model(torch.randn(8, 4)).float().sum().backward()
print(seen, model[0].weight.dtype, model[0].weight.grad.dtype, model[1].running_mean.dtype)
torch.manual_seed(0)
print((nn.Linear(4, 6).weight - model.state_dict()["0.weight"]).abs().max().item())
"""
    )
    line = "[(torch.bfloat16, torch.bfloat16)] torch.float32 torch.float32 torch.bfloat16\n0.0\n"
    assert outputs(program) == [line] * 2
