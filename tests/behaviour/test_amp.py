"""torch.amp: regions of autocast, and the scaling of losses."""

import pickle

import pytest

LOWER = ["bfloat16", "float16"]


def weights(torch, *shape):
    return torch.nn.Parameter(torch.linspace(-1, 1, torch.Size(shape).numel()).reshape(shape))


def test_nothing_is_cast_outside_a_region(torch):
    x = torch.ones(2, 2)
    with torch.autocast("cpu"):
        assert (x @ x).dtype is torch.bfloat16
    assert (x @ x).dtype is torch.float32


CASES = {
    "matmul of matrices": lambda t, g: g(2, 3) @ g(3, 2),
    "matmul with a vector": lambda t, g: g(2, 3) @ g(3),
    "matmul of vectors": lambda t, g: g(3) @ g(3),
    "matmul of a batch with a vector": lambda t, g: g(2, 2, 3) @ g(3),
    "mv": lambda t, g: t.mv(g(2, 3), g(3)),
    "dot": lambda t, g: t.dot(g(3), g(3)),
    "addmv": lambda t, g: t.addmv(g(2), g(2, 3), g(3)),
    "addmm": lambda t, g: t.addmm(g(2, 2), g(2, 3), g(3, 2)),
    "baddbmm": lambda t, g: t.baddbmm(g(1, 2, 2), g(1, 2, 3), g(1, 3, 2)),
    "linear": lambda t, g: t.nn.functional.linear(g(2, 3), g(4, 3), g(4)),
    "linear of rows apart": lambda t, g: t.nn.functional.linear(g(5, 2, 3).transpose(0, 1), g(4, 3), g(4)),
    "bilinear": lambda t, g: t.nn.functional.bilinear(g(2, 3), g(2, 4), g(5, 3, 4)),
    "einsum": lambda t, g: t.einsum("ij,jk->ik", g(2, 3), g(3, 2)),
    "conv2d": lambda t, g: t.nn.functional.conv2d(g(1, 2, 4, 4), g(3, 2, 2, 2), g(3)),
    "conv_transpose1d": lambda t, g: t.nn.functional.conv_transpose1d(g(1, 2, 4), g(2, 3, 2)),
    "prelu": lambda t, g: t.nn.functional.prelu(g(2, 3), g(1)),
    "attention": lambda t, g: t.nn.functional.scaled_dot_product_attention(g(2, 3, 4), g(2, 3, 4), g(2, 3, 4)),
    "vecdot": lambda t, g: t.linalg.vecdot(g(2, 3), g(2, 3)),
    "softmax": lambda t, g: t.nn.functional.softmax(g(2, 3), -1),
    "add": lambda t, g: g(2) + g(2),
    "mse_loss": lambda t, g: t.nn.functional.mse_loss(g(2), g(2)),
    "l1_loss": lambda t, g: t.nn.functional.l1_loss(g(2), g(2)),
    "cross_entropy": lambda t, g: t.nn.functional.cross_entropy(g(2, 3), t.tensor([0, 1])),
    "prod": lambda t, g: g(2, 3).prod(0),
    "quantile": lambda t, g: g(4).quantile(0.5),
    "cdist": lambda t, g: t.cdist(g(2, 3), g(2, 3)),
    "reflection": lambda t, g: t.nn.functional.pad(g(1, 2, 4), (1, 1), "reflect"),
    "zeros around": lambda t, g: t.nn.functional.pad(g(1, 2, 4), (1, 1)),
    "avg_pool2d": lambda t, g: t.nn.functional.avg_pool2d(g(1, 1, 2, 2), 2),
    "avg_pool3d": lambda t, g: t.nn.functional.avg_pool3d(g(1, 1, 2, 2, 2), 2),
    "local_response_norm": lambda t, g: t.nn.functional.local_response_norm(g(1, 3, 2, 2), 2),
    "fft": lambda t, g: t.fft.fft(g(4)),
    "svd": lambda t, g: t.linalg.svd(g(2, 3))[1],
    "index_copy": lambda t, g: t.index_copy(g(2, 3), 0, t.tensor([0]), t.ones(1, 3, dtype=t.bfloat16)),
    "cat": lambda t, g: t.cat([g(2), t.ones(2)]),
}
# dtype of the arguments -> operators whose result is not of the dtype named first
RESULTS = {
    "float32": {
        "bfloat16": {
            "matmul of matrices", "matmul with a vector", "matmul of vectors", "matmul of a batch with a vector",
            "addmm", "baddbmm", "linear", "linear of rows apart", "einsum", "conv2d", "conv_transpose1d", "prelu",
            "attention", "vecdot",
        },
        "complex64": {"fft"},
    },
    "bfloat16": {
        "float32": {
            "mse_loss", "l1_loss", "cross_entropy", "prod", "quantile", "cdist", "reflection", "avg_pool3d",
            "local_response_norm", "svd", "cat",
        },
        "complex64": {"fft"},
    },
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("given", RESULTS)
def test_each_operator_runs_in_the_dtype_of_its_list(torch, given, case):
    def made(*shape):
        return weights(torch, *shape).detach().to(getattr(torch, given))

    with torch.autocast("cpu"):
        result = CASES[case](torch, made)
    expected = next((kind for kind, names in RESULTS[given].items() if case in names), given)
    assert result.dtype is getattr(torch, expected)


LAYERS = ["RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"]


def first(result):
    """The outputs, or the hidden state."""
    return result[0] if isinstance(result, tuple) else result


@pytest.mark.parametrize("layer", LAYERS)
def test_recurrent_layers_take_what_layers_before_them_have_lowered(torch, layer):
    torch.manual_seed(0)
    model = getattr(torch.nn, layer)(3, 2)
    x = weights(torch, 2, 3) if layer.endswith("Cell") else weights(torch, 4, 2, 3)
    expected = first(model(x))
    with torch.autocast("cpu"):
        result = first(model(x.bfloat16()))
    assert layer == "GRU" or result.dtype is torch.bfloat16  # which computes in float32
    torch.testing.assert_close(result.float(), expected, rtol=0.05, atol=0.02)
    result.float().sum().backward()
    assert all(each.grad is not None for each in model.parameters())


@pytest.mark.parametrize("case", ["matmul of matrices", "linear", "mse_loss", "svd"])
def test_float64_is_left_alone(torch, case):
    with torch.autocast("cpu"):
        result = CASES[case](torch, lambda *shape: weights(torch, *shape).detach().double())
    assert result.dtype is torch.float64


@pytest.mark.parametrize("lower", LOWER)
def test_numbers_are_those_of_the_lower_precision(torch, lower):
    dtype = getattr(torch, lower)
    x, w, b = weights(torch, 3, 5), weights(torch, 4, 5), weights(torch, 4)
    with torch.autocast("cpu", dtype=dtype):
        result = torch.nn.functional.linear(x, w, b)
    assert torch.equal(result, torch.nn.functional.linear(x.to(dtype), w.to(dtype), b.to(dtype)))


def test_gradients_come_back_in_the_dtype_of_the_weights(torch):
    x, w = weights(torch, 3, 5), weights(torch, 5, 2)
    with torch.autocast("cpu"):
        result = x @ w
    result.float().sum().backward()
    expected = x.detach().bfloat16().T @ torch.ones(3, 2, dtype=torch.bfloat16)
    assert w.grad.dtype is torch.float32
    assert torch.equal(w.grad, expected.float())


def test_a_weight_is_cast_once_in_a_region(torch):
    x, w = torch.ones(2, 2), weights(torch, 2, 2)

    def casts_of_weight(caching):
        with torch.autocast("cpu", cache_enabled=caching):
            products = [x @ w, x @ w]
        return [each.grad_fn.next_functions[1][0] for each in products]

    first, second = casts_of_weight(True)
    assert first is second
    first, second = casts_of_weight(False)
    assert first is not second


def test_a_cast_made_under_no_grad_does_not_cut_the_graph(torch):
    x, w = torch.ones(2, 2), weights(torch, 2, 2)
    with torch.autocast("cpu"):
        with torch.no_grad():
            assert not (x @ w).requires_grad
        assert (x @ w).requires_grad


def test_the_cache_ends_with_the_outermost_region(torch):
    x, w = torch.ones(2, 2), weights(torch, 2, 2)
    with torch.autocast("cpu"):
        before = x @ w
    with torch.no_grad():
        w.zero_()
    with torch.autocast("cpu"):
        assert (x @ w).abs().sum() == 0
    assert before.abs().sum() > 0


def test_regions_nest_and_can_be_switched_off_inside(torch):
    x = torch.ones(2, 2)
    with torch.autocast("cpu"):
        with torch.autocast("cpu", enabled=False):
            assert not torch.is_autocast_enabled("cpu")
            assert (x @ x).dtype is torch.float32
        with torch.autocast("cpu", dtype=torch.float16):
            assert (x @ x).dtype is torch.float16
        assert (x @ x).dtype is torch.bfloat16
    assert not torch.is_autocast_enabled("cpu")


def test_an_exception_ends_the_region(torch):
    with pytest.raises(KeyError), torch.autocast("cpu"):
        raise KeyError
    assert not torch.is_autocast_enabled("cpu")


def test_it_decorates(torch):
    @torch.autocast("cpu")
    def product(x):
        return x @ x

    assert product(torch.ones(2, 2)).dtype is torch.bfloat16
    assert product.__name__ == "product"


def test_only_callables_can_be_decorated(torch):
    with pytest.raises(TypeError, match=r"autocast\(\)\(func\) requires a callable, but got int"):
        torch.autocast("cpu")(3)


def test_in_place_and_out_are_left_alone(torch):
    x = torch.full((2, 2), 1.001)
    expected = x @ x
    with torch.autocast("cpu"):
        assert torch.equal(torch.mm(x, x, out=torch.empty(2, 2)), expected)
        assert torch.equal(torch.matmul(x, x, out=torch.empty(2, 2)), expected)
        assert torch.equal(torch.zeros(2, 2).addmm_(x, x), expected)


def test_it_works_under_inference_mode(torch):
    x = torch.ones(2, 2)
    with torch.inference_mode(), torch.autocast("cpu"):
        result = x @ x
    assert result.dtype is torch.bfloat16
    assert result.is_inference()


def test_a_model_trains_in_lower_precision(torch):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.linspace(-1, 1, 40).reshape(10, 4)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        with torch.autocast("cpu"):
            prediction = model(x)
            loss = torch.nn.functional.mse_loss(prediction, x.sum(1, keepdim=True))
        assert prediction.dtype is torch.bfloat16
        assert loss.dtype is torch.float32
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 4
    assert all(each.dtype is torch.float32 for each in model.parameters())


# ---- switches


def test_switches_are_what_the_region_sets(torch):
    assert torch.get_autocast_dtype("cpu") is torch.bfloat16
    assert torch.get_autocast_dtype("cuda") is torch.float16
    with torch.autocast("cpu", dtype=torch.float16, cache_enabled=False):
        assert torch.is_autocast_enabled("cpu")
        assert not torch.is_autocast_enabled("cuda")
        assert not torch.is_autocast_enabled()
        assert torch.get_autocast_dtype("cpu") is torch.float16
        assert not torch.is_autocast_cache_enabled()
    assert torch.get_autocast_dtype("cpu") is torch.bfloat16
    assert torch.is_autocast_cache_enabled()


def test_switches_can_be_set_for_good(torch):
    x = torch.ones(2, 2)
    torch.set_autocast_enabled("cpu", True)
    torch.set_autocast_dtype("cpu", torch.float16)
    try:
        assert (x @ x).dtype is torch.float16
    finally:
        torch.set_autocast_enabled("cpu", False)
        torch.set_autocast_dtype("cpu", torch.bfloat16)
    assert (x @ x).dtype is torch.float32


def test_where_there_is_autocast(torch):
    assert torch.amp.is_autocast_available("cpu")
    assert torch.amp.is_autocast_available("cuda")
    assert not torch.amp.is_autocast_available("meta")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: t.autocast(3), ValueError, "Expected `device_type` of type `str`, got: `<class 'int'>`"),
        (lambda t: t.autocast("meta"), RuntimeError, "unsupported scalarType"),
        (lambda t: t.autocast("foo"), RuntimeError, "Expected one of cpu, cuda"),
        (lambda t: t.set_autocast_enabled("cpu", 1), TypeError, "must be bool, not int"),
        (lambda t: t.set_autocast_dtype("cpu", 3), TypeError, r"argument 'dtype' \(position 2\) must be torch.dtype"),
        (lambda t: t.is_autocast_enabled(3), TypeError, r"argument 'device_type' \(position 1\) must be str, not int"),
    ],
)
def test_refusals(torch, call, error, message):
    with pytest.raises(error, match=message):
        call(torch)


def test_other_dtypes_switch_it_off_with_a_warning(torch):
    with pytest.warns(UserWarning, match="In CPU autocast, but the target dtype is not supported. Disabling autocast."):
        region = torch.autocast("cpu", dtype=torch.float64)
    with region:
        assert not torch.is_autocast_enabled("cpu")


def test_without_a_gpu_its_autocast_is_off_with_a_warning(torch):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.warns(UserWarning, match="CUDA is not available or torch_xla is imported. Disabling autocast."):
        torch.autocast("cuda")


def test_deprecated_names_warn(torch):
    with pytest.warns(FutureWarning, match=r"`torch.cpu.amp.autocast\(args...\)` is deprecated"):
        region = torch.cpu.amp.autocast()
    with region:
        assert torch.is_autocast_enabled("cpu")
    with pytest.warns(FutureWarning, match=r"`torch.cpu.amp.GradScaler\(args...\)` is deprecated"):
        torch.cpu.amp.GradScaler()
    with pytest.warns(FutureWarning, match=r"`torch.cuda.amp.custom_bwd\(args...\)` is deprecated"):
        torch.cuda.amp.custom_bwd(lambda ctx, g: g)


# ---- autograd functions


def squared(torch, cast_inputs):
    seen = []

    class Square(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=cast_inputs)
        def forward(ctx, x):
            ctx.save_for_backward(x)
            seen.append((x.dtype, torch.is_autocast_enabled("cpu")))
            return x @ x

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            seen.append((g.dtype, torch.is_autocast_enabled("cpu")))
            return g @ x.T + x.T @ g

    return Square, seen


def test_backward_of_a_function_runs_under_the_autocast_of_its_forward(torch):
    function, seen = squared(torch, None)
    x = weights(torch, 2, 2)
    with torch.autocast("cpu"):
        result = function.apply(x)
    result.sum().backward()
    assert seen == [(torch.float32, True), (torch.bfloat16, True)]


def test_a_function_can_have_its_inputs_cast(torch):
    function, seen = squared(torch, torch.float32)
    x = weights(torch, 2, 2).detach().bfloat16().requires_grad_()
    with torch.autocast("cpu"):
        result = function.apply(x)
    result.sum().backward()
    assert seen == [(torch.float32, False), (torch.float32, False)]
    function.apply(x)
    assert seen[-1] == (torch.bfloat16, False)


# ---- scaling


def scaled_step(torch, scaler, gradient=1.0):
    """A parameter that is 1, after a step with learning rate 1."""
    parameter = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([parameter], lr=1.0)
    scaler.scale((parameter * gradient).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    return parameter


def test_gradients_are_unscaled_before_the_step(torch):
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    assert torch.equal(scaled_step(torch, scaler, 0.5), torch.full((2,), 0.5))
    assert scaler.get_scale() == 8.0


def test_a_step_with_infinite_gradients_is_skipped_and_the_scale_shrinks(torch):
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    assert torch.equal(scaled_step(torch, scaler, float("inf")), torch.ones(2))
    assert scaler.get_scale() == 4.0


def test_the_scale_grows_after_enough_steps(torch):
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    scales = []
    for gradient in (1.0, 1.0, 1.0, float("nan"), 1.0, 1.0):
        scaled_step(torch, scaler, gradient)
        scales.append((scaler.get_scale(), scaler.state_dict()["_growth_tracker"]))
    assert scales == [(8.0, 1), (16.0, 0), (16.0, 1), (8.0, 0), (8.0, 1), (16.0, 0)]


def test_unscaled_gradients_can_be_looked_at(torch):
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    parameter = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([parameter], lr=1.0)
    scaler.scale(parameter.sum()).backward()
    assert torch.equal(parameter.grad, torch.full((2,), 8.0))
    scaler.unscale_(optimizer)
    assert torch.equal(parameter.grad, torch.ones(2))
    with pytest.raises(RuntimeError, match=r"unscale_\(\) has already been called on this optimizer since the last"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    assert torch.equal(parameter, torch.zeros(2))
    with pytest.raises(RuntimeError, match=r"unscale_\(\) is being called after step\(\)"):
        scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called since the last update\(\)"):
        scaler.step(optimizer)


def test_outputs_may_be_a_container(torch):
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    first, (second,) = scaler.scale([torch.ones(1), (torch.ones(2),)])
    assert torch.equal(first, torch.full((1,), 4.0))
    assert torch.equal(second, torch.full((2,), 4.0))
    with pytest.raises(ValueError, match="outputs must be a Tensor or an iterable of Tensors"):
        scaler.scale(3)


def test_a_disabled_scaler_does_nothing(torch):
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    assert torch.equal(scaled_step(torch, scaler, float("-inf")), torch.full((2,), float("inf")))
    assert scaler.get_scale() == 1.0
    assert scaler.state_dict() == {}
    assert not scaler.is_enabled()


def test_the_scale_can_be_set(torch):
    scaler = torch.amp.GradScaler("cpu")
    scaled_step(torch, scaler)
    scaler.update(3.0)
    assert scaler.get_scale() == 3.0
    scaler.update(torch.tensor(5.0))
    assert scaler.get_scale() == 5.0


def test_state_comes_back(torch):
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_factor=3.0, backoff_factor=0.25, growth_interval=7)
    scaled_step(torch, scaler)
    known = scaler.state_dict()
    assert known == {
        "scale": 8.0, "growth_factor": 3.0, "backoff_factor": 0.25, "growth_interval": 7, "_growth_tracker": 1
    }  # fmt: skip
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(known)
    assert other.state_dict() == known
    assert pickle.loads(pickle.dumps(scaler)).state_dict() == known
    with pytest.raises(RuntimeError, match="The source state dict is empty, possibly because it was saved from a"):
        other.load_state_dict({})


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda s, o: s.step(o), AssertionError, "Attempted step but _scale is None"),
        (lambda s, o: s.unscale_(o), AssertionError, "Attempted unscale_ but _scale is None"),
        (lambda s, o: s.update(), AssertionError, "Attempted update but _scale is None"),
        (lambda s, o: s.step(o, closure=lambda: 1), RuntimeError, "Closure use is not currently supported"),
    ],
)
def test_a_scaler_that_has_not_scaled_refuses(torch, call, error, message):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))])
    with pytest.raises(error, match=message):
        call(torch.amp.GradScaler("cpu"), optimizer)


def test_gradients_in_float16_cannot_be_unscaled(torch):
    scaler = torch.amp.GradScaler("cpu")
    parameter = torch.nn.Parameter(torch.ones(2, dtype=torch.float16))
    optimizer = torch.optim.SGD([parameter])
    scaler.scale(parameter.float().sum() / 2**10).backward()
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients."):
        scaler.unscale_(optimizer)


def test_without_gradients_there_is_no_step(torch):
    scaler = torch.amp.GradScaler("cpu")
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))])
    scaler.scale(torch.ones(1))
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer"):
        scaler.step(optimizer)


class ScalingStep:
    """The part of an optimizer that divides by the scale itself."""

    _step_supports_amp_scaling = True

    def __init__(self, parameter):
        self.parameter, self.param_groups, self.seen = parameter, [{"params": [parameter]}], []


def scaled(torch, make):
    parameter = torch.ones(2, requires_grad=True)
    optimizer, scaler = make(parameter), torch.amp.GradScaler("cpu", init_scale=4.0)
    scaler.scale(parameter.sum()).backward()
    return optimizer, scaler


def test_an_optimizer_that_scales_reads_the_scale(torch):
    class Scaling(ScalingStep):
        def step(self):
            self.seen.append((self.grad_scale.item(), self.found_inf.item(), self.parameter.grad.tolist()))
            return "stepped"

    optimizer, scaler = scaled(torch, Scaling)
    assert scaler.step(optimizer) == "stepped" and optimizer.seen == [(4.0, 0.0, [4.0, 4.0])]
    assert not hasattr(optimizer, "grad_scale") and not hasattr(optimizer, "found_inf")
    scaler.update()
    optimizer.parameter.grad.fill_(float("inf"))
    scaler.step(optimizer)
    scaler.update()
    assert optimizer.seen[1][1] == 1.0 and scaler.get_scale() == 2.0


def test_gradients_that_are_divided_already_have_no_scale(torch):
    class Scaling(ScalingStep):
        def step(self):
            self.seen.append((self.grad_scale, self.parameter.grad.tolist()))

    optimizer, scaler = scaled(torch, Scaling)
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    assert optimizer.seen == [(None, [1.0, 1.0])]


def test_an_older_optimizer_gets_the_scaler(torch):
    class Older(ScalingStep):
        def step(self, grad_scaler=None):
            self.seen.append(grad_scaler)

    optimizer, scaler = scaled(torch, Older)
    with pytest.warns(FutureWarning, match="going to stop passing itself"):
        scaler.step(optimizer)
    assert optimizer.seen == [scaler]
    with pytest.raises(RuntimeError, match="step\\(\\) has already been called"):
        scaler.step(optimizer)


def test_the_state_of_a_scaler_for_one_optimizer(torch):
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    p = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([p], lr=0.5)
    scaler.scale(p.sum()).backward()
    assert not scaler._per_optimizer_states
    scaler.unscale_(optimizer)
    state = scaler._per_optimizer_states[id(optimizer)]
    assert state["stage"].name == "UNSCALED"
    assert {device.type: flag.item() for device, flag in state["found_inf_per_device"].items()} == {"cpu": 0.0}
    scaler.step(optimizer)
    assert state["stage"].name == "STEPPED" and p.tolist() == [0.5, 0.5]
    scaler.update()
    assert not scaler._per_optimizer_states
    p.grad = torch.tensor([1.0, float("nan")])
    assert [flag.item() for flag in scaler._check_inf_per_device(optimizer).values()] == [1.0]
    assert p.grad[0].item() == 1.0


def test_a_subclass_of_the_scaler_unscales_by_itself(torch):
    class Scaler(torch.amp.GradScaler):
        def _unscale_grads_(self, optimizer, inv_scale, found_inf, allow_fp16):
            seen.append((inv_scale.item(), found_inf.item(), allow_fp16))
            return super()._unscale_grads_(optimizer, inv_scale, found_inf, allow_fp16)

    seen = []
    scaler = Scaler("cpu", init_scale=4.0)
    p = torch.nn.Parameter(torch.ones(2))
    scaler.scale(p.sum()).backward()
    scaler.step(torch.optim.SGD([p], lr=0.5))
    assert seen == [(0.25, 0.0, False)] and p.grad.tolist() == [1.0, 1.0]


def test_sparse_gradients_are_unscaled(torch):
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    table = torch.nn.Embedding(3, 2, sparse=True)
    scaler.scale(table(torch.tensor([0, 2, 0])).sum()).backward()
    scaler.unscale_(torch.optim.SparseAdam(table.parameters()))
    assert table.weight.grad.to_dense().tolist() == [[2.0, 2.0], [0.0, 0.0], [1.0, 1.0]]


def test_gradients_are_unscaled_and_the_scale_adapted_by_functions(torch):
    flag, inverse = torch.zeros(1), torch.full((1,), 0.25)
    tensors = [torch.tensor([4.0, 8.0]), torch.tensor([2.0]).double()]
    torch._amp_foreach_non_finite_check_and_unscale_(tensors, flag, inverse)
    assert [x.tolist() for x in tensors] == [[1.0, 2.0], [0.5]] and flag.item() == 0.0
    torch._amp_foreach_non_finite_check_and_unscale_([torch.tensor([float("inf")])], flag, inverse)
    assert flag.item() == 1.0
    scale, tracker = torch.full((1,), 8.0), torch.ones(1, dtype=torch.int32)
    assert torch._amp_update_scale_(scale, tracker, torch.zeros(1), 2.0, 0.5, 2).item() == 16.0
    assert tracker.item() == 0
    torch._amp_update_scale_(scale, tracker, flag, 2.0, 0.5, 2)
    assert scale.item() == 8.0
    with pytest.raises(RuntimeError, match="^growth_tracker must be an int tensor."):
        torch._amp_update_scale_(scale, scale, flag, 2.0, 0.5, 2)
    with pytest.raises(RuntimeError, match="^found_inf must be a 1-element tensor."):
        torch._amp_foreach_non_finite_check_and_unscale_([scale], torch.zeros(2), inverse)
