"""Small modules that packages import: older addresses, switches of libraries, masks of attention, marks of hooks."""

import importlib
import warnings

import pytest


def module_of(torch, name):
    return importlib.import_module(f"{torch.__name__}.{name}")


@pytest.mark.parametrize("corner", ["causal_upper_left", "causal_lower_right"])
@pytest.mark.parametrize("lengths", [(2, 4), (3, 3), (4, 4)])
def test_a_causal_mask_says_where_its_diagonal_begins(torch, corner, lengths):
    bias = module_of(torch, "nn.attention.bias")
    attention = torch.nn.functional.scaled_dot_product_attention
    queries, keys = lengths
    q, k = torch.randn(1, 2, queries, 4), torch.randn(1, 2, keys, 4)
    mask = getattr(bias, corner)(queries, keys)
    shift = keys - queries if corner == "causal_lower_right" else 0
    plain = torch.ones(queries, keys, dtype=torch.bool).tril(shift)
    assert mask._materialize().tolist() == plain.tolist() and repr(mask) == repr(plain)
    out = attention(q, k, k, attn_mask=mask)
    assert type(out) is torch.Tensor and torch.allclose(out, attention(q, k, k, attn_mask=plain), atol=1e-6)
    with pytest.raises(ValueError, match="^CausalBias should not be used with causal=True"):
        attention(q, k, k, attn_mask=mask, is_causal=True)


def test_sizes_of_a_causal_mask(torch):
    bias = module_of(torch, "nn.attention.bias")
    with pytest.raises(AssertionError, match="^causal_upper_left only supports 2D tensors"):
        bias.causal_upper_left(2, 3, 4)
    with pytest.warns(UserWarning, match="^Lower right causal bias will produce NaNs"):
        bias.causal_lower_right(4, 2)


def test_hooks_that_are_not_pickled(torch):
    hooks, p = module_of(torch, "utils.hooks"), torch.ones(1, requires_grad=True)
    p.register_hook(hooks.unserializable_hook(lambda grad: grad))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hooks.warn_if_has_hooks(p)
    p.register_hook(lambda grad: grad)
    with pytest.warns(UserWarning, match="^backward hook .* on tensor will not be serialized"):
        hooks.warn_if_has_hooks(p)


def test_the_search_for_an_order_can_be_switched(torch):
    switches, tensors = torch.backends.opt_einsum, [torch.randn(4, 4) for _ in range(3)]
    expected = tensors[0] @ tensors[1] @ tensors[2]
    for enabled in (False, True):
        enabled = enabled and switches.is_available()
        with switches.flags(enabled=enabled, strategy="greedy" if enabled else None):
            assert switches.enabled is enabled
            assert torch.allclose(torch.einsum("ij,jk,kl->il", *tensors), expected, atol=1e-5)


def test_what_means_nothing_for_the_search_is_refused(torch):
    switches = torch.backends.opt_einsum
    if switches.is_available():
        with pytest.raises(ValueError, match="^`strategy` must be one of the following"):
            switches.set_flags(True, "strange")
        with pytest.raises(ValueError, match="^opt_einsum is not enabled, so setting a `strategy` to greedy"):
            switches.set_flags(False, "greedy")
    else:
        with pytest.raises(ValueError, match="^opt_einsum is not available, so setting `enabled` to True"):
            switches.set_flags(True)
        with pytest.raises(ValueError, match="^opt_einsum is not available, so setting `strategy` to greedy"):
            switches.set_flags(None, "greedy")


def test_no_engine_computes_with_quantized_tensors(torch):
    engines = torch.backends.quantized
    before = engines.engine
    with pytest.raises(RuntimeError, match="^strange is not a valid value for quantized engine"):
        engines.engine = "strange"
    assert engines.engine == before and isinstance(engines.supported_engines, list)
    assert torch.backends.nnpack.is_available() in (True, False)


def test_older_addresses(torch):
    zoo, older = module_of(torch, "utils.model_zoo"), module_of(torch, "quantization")
    assert zoo.load_url is torch.hub.load_state_dict_from_url
    assert older.MinMaxObserver is module_of(torch, "ao.quantization").MinMaxObserver


def test_nothing_is_compiled_from_cpp():
    import rushlight

    extensions = module_of(rushlight, "utils.cpp_extension")
    assert extensions.CUDA_HOME is None and extensions.is_ninja_available() in (True, False)
    with pytest.raises(RuntimeError, match="^Error building extension 'fast'") as caught:
        extensions.load("fast", ["fast.cpp"])
    assert "torch.library.custom_op" in caught.value.__notes__[0]


def test_the_second_path_of_attention_layers_can_be_switched_off(torch):
    switch = torch.backends.mha
    assert switch.get_fastpath_enabled() is True
    switch.set_fastpath_enabled(False)
    try:
        assert switch.get_fastpath_enabled() is False
    finally:
        switch.set_fastpath_enabled(True)
