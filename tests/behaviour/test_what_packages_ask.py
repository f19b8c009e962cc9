"""What packages ask before they do one thing or the other: of tensors, and of what there is beside them."""

import importlib
import warnings

import pytest


def test_a_store_of_parameters_tells_whether_two_names_hold_one_tensor(torch):
    weight = torch.nn.Parameter(torch.ones(2))
    layer = torch.nn.Linear(1, 1)
    layer.shared = weight
    assert layer.shared._cdata == weight._cdata and isinstance(weight._cdata, int)
    assert layer.weight._cdata != weight._cdata
    assert weight.detach()._cdata != weight._cdata


def test_a_model_asks_whether_it_is_written_as_a_file(torch):
    assert importlib.import_module(f"{torch.__name__}.onnx").is_in_onnx_export() is False
    assert torch.onnx.is_in_onnx_export() is False


def test_functions_of_other_processes_are_asked_for_first(torch):
    assert torch.distributed.rpc.is_available() in (torch.distributed.is_available(), False)
    assert not torch.distributed.is_initialized()


@pytest.mark.parametrize("wanted", [1, 0, None, "yes"])
def test_a_number_is_no_switch_of_a_parameter(torch, wanted):
    class Marked(torch.Tensor):
        pass

    kind = type(wanted).__name__
    with pytest.raises(TypeError, match=rf"argument 'require_grad' \(position 3\) must be bool, not {kind}$"):
        torch.nn.Parameter(torch.ones(2), requires_grad=wanted)
    with pytest.raises(TypeError, match=rf"argument 'requires_grad' \(position 1\) must be bool, not {kind}$"):
        torch.nn.Parameter(torch.ones(2).as_subclass(Marked), requires_grad=wanted)


def test_the_compiled_module_tells_whether_tensors_share_a_storage(torch):
    base, out = torch.ones(4), torch.empty(())
    assert torch._C._is_alias_of(base, base[1:].detach()) and not torch._C._is_alias_of(base, base.clone())
    assert torch._C._is_alias_of(out, torch.mean(base, (0,), out=out))


def test_the_flags_of_the_compiler_are_text(torch):
    assert isinstance(torch.__config__._cxx_flags(), str)


def test_a_guard_saves_which_overrides_are_disabled_and_sets_them_again(torch):
    compiled = importlib.import_module(f"{torch.__name__}._C")
    assert compiled._get_torch_function_state() == compiled._TorchFunctionState.ENABLED
    with compiled.DisableTorchFunctionSubclass():
        saved = compiled._get_torch_function_state()
        assert saved.name == "SUBCLASSES_DISABLED"
    with compiled.DisableTorchFunction():
        assert compiled._get_torch_function_state().name == "ALL_DISABLED"
    compiled._set_torch_function_state(saved)
    try:
        assert not compiled._is_torch_function_enabled()
    finally:
        compiled._set_torch_function_state(compiled._TorchFunctionState.ENABLED)
    assert compiled._is_torch_function_enabled()
    with pytest.raises(TypeError, match=r"^_set_torch_function_state\(\): incompatible function arguments"):
        compiled._set_torch_function_state(1)


def test_layers_of_packages_find_the_questions_of_overrides_next_to_functions(torch):
    functional = torch.nn.functional
    x = torch.ones(2)
    assert not functional.has_torch_function((x,)) and not functional.has_torch_function_unary(x)
    assert not functional.has_torch_function_variadic(x, x)
    assert callable(functional.handle_torch_function)


def test_a_library_silences_the_warnings_of_traces_in_its_modules(torch):
    with warnings.catch_warnings():
        warnings.resetwarnings()
        torch.jit.TracerWarning.ignore_lib_warnings()
        ignored = [(action, kind) for action, _, kind, *_ in warnings.filters]
    assert ("ignore", torch.jit.TracerWarning) in ignored and ("ignore", Warning) in ignored


def test_functorch_records_functions(torch):
    name = "functorch" if torch.__name__ == "torch" else "rushlight._functorch.functorch"
    make_fx = importlib.import_module(name).make_fx
    assert "sin" in make_fx(lambda x: x.sin())(torch.ones(2)).code


def test_quantized_weights_multiply_bytes(torch):
    bytes_, weights = torch.full((4, 3), 127, dtype=torch.int8), torch.full((3, 2), -128, dtype=torch.int8)
    product = torch._int_mm(bytes_, weights)
    assert product.dtype is torch.int32 and product.tolist() == [[-48768] * 2] * 4
    assert torch._int_mm(torch.full((1, 3), 255, dtype=torch.uint8), weights).tolist() == [[-97920] * 2]
    out = torch.empty(4, 2, dtype=torch.int32)
    assert torch._int_mm(bytes_, weights, out=out) is out and torch.equal(out, product)
    for words, call in (
        ("Expected self to be of dimension 2 but got 1", lambda: torch._int_mm(bytes_[0], weights)),
        (r"self.size\(1\) needs to match mat2.size\(0\) but got 3 and 4", lambda: torch._int_mm(bytes_, bytes_)),
        ("Expected self dtype to be int8 or uint8 but got float", lambda: torch._int_mm(bytes_.float(), weights)),
        ("Expected mat2 dtype to be of type int8 but got double", lambda: torch._int_mm(bytes_, weights.double())),
        (r"Expected result.size\(0\) to be 4 but got 1", lambda: torch._int_mm(bytes_, weights, out=out[:1])),
        ("Expected result dtype to be of type kInt", lambda: torch._int_mm(bytes_, weights, out=out.float())),
    ):
        with pytest.raises(RuntimeError, match=f"int_mm_out_cpu: {words}"):
            call()


def test_a_program_asks_for_warnings_of_vmap(torch):
    compiled = importlib.import_module(f"{torch.__name__}._C")
    before = compiled._debug_only_are_vmap_fallback_warnings_enabled()
    compiled._debug_only_display_vmap_fallback_warnings(True)
    assert compiled._debug_only_are_vmap_fallback_warnings_enabled()
    compiled._debug_only_display_vmap_fallback_warnings(before)


def test_an_exported_graph_checks_its_inputs(torch):
    x, check = torch.ones(2, 3), torch._assert_tensor_metadata
    check(x)
    check(x, [2, 3], [3, 1], torch.float32, device="cpu", layout=torch.strided)
    for words, wanted in (
        (r"sizes mismatch! Expected: \[3, 2\], Got: \[2, 3\]", {"size": [3, 2]}),
        (r"strides mismatch! Expected: \[1, 1\], Got: \[3, 1\]", {"stride": [1, 1]}),
        ("dtype mismatch! Expected: Int, Got: float", {"dtype": torch.int32}),
        ("device mismatch! Expected: meta, Got: cpu", {"device": torch.device("meta")}),
        ("layout mismatch! Expected: SparseCsr, Got: Strided", {"layout": torch.sparse_csr}),
    ):
        with pytest.raises(RuntimeError, match=f"Tensor {words}"):
            check(x, **wanted)
    with pytest.raises(TypeError, match=r"argument 'a' \(position 1\) must be Tensor, not int"):
        check(3)


def test_a_schema_is_read_from_its_text(torch):
    text = "any.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"
    schema = importlib.import_module(f"{torch.__name__}._C").parse_schema(text)
    assert str(schema) == text and schema.arguments[-1].is_out
