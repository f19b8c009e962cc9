"""Batch norm by cuDNN, which here is a stand-in: values, gradients, running statistics and strides are the CPU's."""

import copy

import pytest

import rushlight as torch

F = torch.nn.functional
CALLS = {
    "1d": ((4, 3, 5), "in order"),
    "2d": ((2, 3, 4, 5), "in order"),
    "2d, channels last": ((2, 3, 4, 5), "last"),
    "3d": ((2, 3, 2, 3, 2), "in order"),
    "3d, channels last": ((2, 3, 2, 3, 2), "last"),
    "one image": ((1, 3, 2, 2), "last"),
    "one channel": ((3, 1, 2, 2), "last"),
    "one position": ((3, 2, 1, 1), "last"),
}
LAYOUTS = {4: torch.channels_last, 5: torch.channels_last_3d}
ERRORS = {torch.float32: 2e-5, torch.float16: 5e-3, torch.bfloat16: 5e-2}
FORWARD, FIXED, BACKWARD = "batchnorm", "batchnorm_inference", "batchnorm_backward"


def image(shape, dtype, order, seed):
    """Numbers that are not centred, in order or with channels last."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(seed)) * 2 + 1
    x = x.to(dtype)
    return x.to(memory_format=LAYOUTS[x.ndim]) if order == "last" else x


def module_of(channels, **settings):
    """A module whose weight, bias and running statistics are no ones and zeros."""
    torch.manual_seed(3)
    module = torch.nn.BatchNorm2d(channels, **settings)
    module._check_input_dim = lambda input: None
    for each in (*module.parameters(), module.running_mean, module.running_var):
        with torch.no_grad():
            each.uniform_(0.5, 1.5)
    return module


def computed(device, module, x, training=True):
    """Result, gradients and running statistics of one call."""
    module, x = copy.deepcopy(module).to(device).train(training), x.to(device).requires_grad_()
    result = module(x)
    weight = image(result.shape, torch.float32, "", 6).to(device)
    gradients = torch.autograd.grad((result * weight).sum(), [x, *module.parameters()])
    return [result.detach(), *gradients, module.running_mean, module.running_var, module.num_batches_tracked]


def layout(tensor):
    """The steps of dimensions of more than one element; that of one is another on the CPU and on a GPU."""
    return [step for size, step in zip(tensor.shape, tensor.stride(), strict=True) if size > 1]


def compare(got, expected, error):
    for one, other in zip(got, expected, strict=True):
        assert (one.shape, one.dtype, layout(one)) == (other.shape, other.dtype, layout(other))
        assert torch.allclose(one.cpu().double(), other.double(), rtol=error, atol=error)


@pytest.mark.parametrize("dtype", ERRORS)
@pytest.mark.parametrize(("shape", "order"), CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("training", [True, False])
def test_results_gradients_and_running_statistics_are_those_of_the_cpu(counts, shape, order, dtype, training):
    module, x = module_of(shape[1]), image(shape, dtype, order, 5)
    got, expected = (computed(device, module, x, training) for device in ("cuda", "cpu"))
    compare(got, expected, ERRORS[dtype])
    assert counts.executed == ([FORWARD, BACKWARD] if training else [FIXED])


def test_gaps_in_memory(counts):
    module, x = module_of(3), image((4, 6, 3, 4), torch.float32, "last", 5)
    got, expected = (computed(device, module, x.to(device)[::2, ::2]) for device in ("cuda", "cpu"))
    compare(got, expected, 2e-5)
    assert counts.executed == [FORWARD, BACKWARD]


@pytest.mark.parametrize("order", ["in order", "last"])
def test_images_that_begin_at_other_addresses_are_copied(counts, order):
    module, x = module_of(3), image((3, 3, 3, 1), torch.float32, order, 5)
    got, expected = (computed(device, module, x.to(device)[1:]) for device in ("cuda", "cpu"))
    compare(got, expected, 2e-5)
    assert counts.executed == [FORWARD, BACKWARD]


def test_running_statistics_that_begin_at_other_addresses_are_left_to_the_language(counts):
    x, weight = image((2, 3, 4, 4), torch.float32, "", 5), torch.rand(3)
    results = []
    for device in ("cuda", "cpu"):
        running = torch.ones(7, device=device)[1:].unflatten(0, (2, 3))
        operands = [x.to(device), *running, *[weight.to(device)] * 2]
        results.append([F.batch_norm(*operands, training=True), running])
    compare(*results, 2e-5)
    assert counts.executed == []


def test_without_running_statistics(counts):
    x, (weight, bias) = image((2, 3, 4, 4), torch.float32, "", 5), torch.rand(2, 3)
    got, expected = (
        F.batch_norm(x.to(device), None, None, weight.to(device), bias.to(device), True) for device in ("cuda", "cpu")
    )
    compare([got], [expected], 2e-5)
    assert counts.executed == [FORWARD]


def test_saved_statistics_are_those_of_the_cpu(counts):
    x, (weight, bias) = image((2, 3, 4, 4), torch.float16, "", 5), torch.rand(2, 3)
    got, expected = (
        torch.native_batch_norm(*(each.to(device) for each in (x, weight, bias)), None, None, True, 0.1, 1e-3)
        for device in ("cuda", "cpu")
    )
    compare(got, expected, 5e-3)
    assert counts.executed == [FORWARD]


def test_epsilon_and_momentum_are_no_part_of_a_graph(counts):
    x = image((2, 3, 4, 4), torch.float32, "", 5)
    for eps, momentum in ((1e-5, 0.1), (1e-2, 0.5), (1e-1, 1.0)):
        module = module_of(3, eps=eps, momentum=momentum)
        compare(computed("cuda", module, x), computed("cpu", module, x), 2e-5)
    assert counts.built == 2 and counts.executed == 3 * [FORWARD, BACKWARD]


def test_second_derivatives(counts):
    x = torch.randn(2, 2, 3, 2, device="cuda", requires_grad=True)
    weight, bias = (torch.rand(2, device="cuda", requires_grad=True) for _ in range(2))
    twice = []
    for device in ("cuda", "cpu"):
        leaves = [each.detach().to(device).requires_grad_() for each in (x, weight, bias)]
        loss = F.batch_norm(leaves[0], None, None, *leaves[1:], True).pow(3).sum()
        first = torch.autograd.grad(loss, leaves, create_graph=True)
        twice.append(torch.autograd.grad(sum(each.pow(2).sum() for each in first), leaves))
    compare(*twice, 1e-3)
    assert counts.executed == [FORWARD, BACKWARD]  # one for the values of the second pass, the first one is formulas


@pytest.mark.parametrize("shape", [(4, 3), (0, 3, 2, 2)])
def test_rows_and_empty_images_are_left_to_the_language(counts, shape):
    module, x = module_of(3), torch.ones(shape)
    compare(computed("cuda", module, x), computed("cpu", module, x), 2e-5)
    assert counts.executed == []


def test_what_cudnn_does_not_take_is_left_to_the_language(counts):
    x, weight = image((2, 3, 4, 4), torch.float32, "", 5), torch.rand(3)
    calls = [
        (x.double(), None, None, weight.double(), weight.double(), True),  # float64
        (x, None, None, None, None, True),  # neither weight nor bias
    ]
    for each in calls:
        on_gpu = [value.to("cuda") if isinstance(value, torch.Tensor) else value for value in each]
        compare([F.batch_norm(*on_gpu)], [F.batch_norm(*each)], 1e-5)
    one = x[:1, :, :1, :1], weight, weight, None, None, True, 0.1, 1e-5  # one number for each channel
    on_gpu = [value.to("cuda") if isinstance(value, torch.Tensor) else value for value in one]
    compare(torch.native_batch_norm(*on_gpu), torch.native_batch_norm(*one), 1e-5)
    with torch.backends.cudnn.flags(enabled=False):
        compare(computed("cuda", module_of(3), x), computed("cpu", module_of(3), x), 2e-5)
    assert counts.executed == []


def test_vmap_and_tangents(counts):
    x, weight = torch.randn(3, 2, 3, 2, 2), torch.rand(3)

    def norm(x, weight):
        return F.batch_norm(x, None, None, weight, weight, True)

    for device in ("cuda", "cpu"):
        results = [torch.func.vmap(norm, (0, None))(x.to(device), weight.to(device))]
        results += torch.func.jvp(norm, (x[0].to(device), weight.to(device)), (x[1].to(device), weight.to(device)))
        if device == "cuda":
            got = results
    compare(got, results, 1e-4)
    assert FORWARD in counts.executed


def test_a_captured_step(counts):
    module, x = module_of(3), image((2, 3, 4, 4), torch.float32, "", 5)
    on_gpu, fixed = copy.deepcopy(module).to("cuda"), x.to("cuda").requires_grad_()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = on_gpu(fixed)
        gradients = torch.autograd.grad(result.pow(3).sum(), [fixed, *on_gpu.parameters()])
    module.load_state_dict(on_gpu.state_dict())  # a capture computes once
    for seed in range(2):
        x = image((2, 3, 4, 4), torch.float32, "", seed).requires_grad_()
        with torch.no_grad():
            fixed.copy_(x)
        graph.replay()
        expected = module(x)
        wanted = torch.autograd.grad(expected.pow(3).sum(), [x, *module.parameters()])
        compare([result.detach(), *gradients], [expected.detach(), *wanted], 1e-4)
        compare([on_gpu.running_mean, on_gpu.running_var], [module.running_mean, module.running_var], 1e-5)
    assert counts.executed == 3 * [FORWARD, BACKWARD]
