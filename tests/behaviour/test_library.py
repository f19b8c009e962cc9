"""Operators that programs define: `torch.library` and `torch.ops`, as a user's program meets them."""

import copy
import inspect
import itertools
import pickle
import warnings
from typing import List, Optional, Tuple  # noqa: UP035  programs write annotations so

import numpy as np
import pytest

import rushlight

NAMES = itertools.count()


@pytest.fixture
def namespace():
    """A namespace of this test alone: operators stay as long as the process."""
    return f"story{next(NAMES)}"


def sine(torch, namespace):
    """An operator that NumPy computes."""

    def forward(x):
        return torch.from_numpy(np.asarray(np.sin(x.detach().numpy())))

    return torch.library.custom_op(f"{namespace}::sine", forward, mutates_args=(), schema="(Tensor x) -> Tensor")


# ---- custom_op


def test_an_operator_of_a_program_is_found_by_its_name(torch, namespace):
    op = sine(torch, namespace)
    result = getattr(torch.ops, namespace).sine
    assert repr(op) == f"<CustomOpDef({namespace}::sine)>"
    assert repr(result) == f"<OpOverloadPacket(op='{namespace}.sine')>"
    assert repr(result.default) == f"<OpOverload(op='{namespace}.sine', overload='default')>"
    assert str(result.default._schema) == f"{namespace}::sine(Tensor x) -> Tensor"
    assert result.default.name() == f"{namespace}::sine"
    assert result.overloads() == ["default"]
    assert result.default.overloadpacket is result
    x = torch.tensor([0.0, 1.0])
    assert op(x).tolist() == result(x).tolist() == result.default(x).tolist()
    assert torch.allclose(op(x), torch.sin(x))


def test_it_has_a_gradient_once_a_formula_is_registered(torch, namespace):
    op = sine(torch, namespace)
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match=f"Trying to backward through {namespace}.sine.default but no autograd"):
        op(x).sum().backward()

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    op.register_autograd(lambda ctx, g: g * ctx.saved_tensors[0].cos(), setup_context=setup_context)
    y = op(x)
    assert y.grad_fn.name() == f"GeneratedBackwardFor_{namespace}_sine_defaultBackward"
    y.sum().backward()
    assert torch.allclose(x.grad, x.detach().cos())
    assert torch.autograd.gradcheck(op, torch.randn(3, dtype=torch.float64, requires_grad=True))


def test_a_formula_of_operators_has_a_derivative_itself(torch, namespace):
    op = sine(torch, namespace)
    op.register_autograd(
        lambda ctx, g: g * ctx.saved_tensors[0].cos(),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    )
    x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(op(x), x, create_graph=True)
    (curvature,) = torch.autograd.grad(slope, x)
    assert torch.allclose(curvature, -x.detach().sin())


def test_a_fake_tells_the_shape_of_what_is_not_computed(torch, namespace):
    op = sine(torch, namespace)
    meta = torch.empty(2, 3, device="meta")
    with pytest.raises(RuntimeError, match="There was no fake impl registered for <CustomOpDef"):
        op(meta)
    op.register_fake(lambda x: torch.empty_like(x))
    assert op(meta).shape == (2, 3)
    assert op(meta).device.type == "meta"


def test_lists_of_tensors_go_in_and_come_out_with_their_gradients(torch, namespace):
    @torch.library.custom_op(f"{namespace}::many", mutates_args=())
    def many(
        xs: List[torch.Tensor],  # noqa: UP006
        n: int = 2,
        *,
        s: float = 1.0,
    ) -> Tuple[torch.Tensor, List[torch.Tensor]]:  # noqa: UP006
        return xs[0] * n, [each * s for each in xs]

    def setup_context(ctx, inputs, keyword_only_inputs, output):
        xs, ctx.n = inputs
        ctx.count, ctx.s = len(xs), keyword_only_inputs["s"]
        assert isinstance(output[1], list)

    def backward(ctx, g, gs):
        assert ctx.needs_input_grad[0] == [True, True]
        return [each * ctx.s + (g * ctx.n if place == 0 else 0) for place, each in enumerate(gs)], None

    many.register_autograd(backward, setup_context=setup_context)
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    first, others = many([a, b], 3, s=5.0)
    assert isinstance(others, list)
    (first.sum() + others[1].sum()).backward()
    assert a.grad.tolist() == [3.0, 3.0]
    assert b.grad.tolist() == [5.0, 5.0]


def test_an_argument_may_be_absent(torch, namespace):
    @torch.library.custom_op(f"{namespace}::scaled", mutates_args=())
    def scaled(x: torch.Tensor, weight: Optional[torch.Tensor] = None) -> torch.Tensor:  # noqa: UP045
        return x + 1 if weight is None else x * weight

    assert scaled(torch.ones(2)).tolist() == [2.0, 2.0]
    assert scaled(torch.ones(2), torch.tensor(3.0)).tolist() == [3.0, 3.0]


def test_what_an_operator_writes_to_is_counted_and_noticed(torch, namespace):
    @torch.library.custom_op(f"{namespace}::fill", mutates_args=("x",))
    def fill(x: torch.Tensor) -> None:
        x.detach().numpy()[...] = 5

    x = torch.ones(2)
    before = x._version
    assert fill(x) is None
    assert x.tolist() == [5.0, 5.0]
    assert x._version > before
    leaf = torch.ones(2, requires_grad=True)
    saved = leaf.exp()
    loss = (saved * 1).sum()
    fill(saved.detach())
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        loss.backward()
    with pytest.raises(RuntimeError, match="Cannot register autograd formula for non-functional operator"):
        fill.register_autograd(lambda ctx: None)


def returned_input(x):
    return x


def returned_view(x):
    return x[0]


def test_a_result_that_shares_memory_is_refused(torch, namespace):
    for number, function in enumerate([returned_input, returned_view]):
        op = torch.library.custom_op(
            f"{namespace}::f{number}", function, mutates_args=(), schema="(Tensor x) -> Tensor"
        )
        with pytest.raises(RuntimeError, match="must not also be an input to this custom operator"):
            op(torch.ones(2))


def test_kernels_of_devices_can_be_switched_off(torch, namespace):
    @torch.library.custom_op(f"{namespace}::where", mutates_args=(), device_types="cuda")
    def where(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    with pytest.raises(NotImplementedError, match=f"Could not run '{namespace}::where' with arguments from the 'CPU'"):
        where(torch.ones(1))
    where.register_kernel("cpu")(lambda x: x + 2)
    assert where(torch.ones(1)).item() == 3
    with where.set_kernel_enabled("cpu", False):
        assert where(torch.ones(1)).item() == 2


def test_autocast_casts_the_arguments(torch, namespace):
    op = torch.library.custom_op(
        f"{namespace}::same", lambda x: x.clone(), mutates_args=(), schema="(Tensor x) -> Tensor"
    )
    op.register_autocast("cpu", torch.bfloat16)
    with torch.autocast("cpu"):
        assert op(torch.ones(1)).dtype == torch.bfloat16
        assert op(torch.ones(1, dtype=torch.float64)).dtype == torch.float64
    assert op(torch.ones(1)).dtype == torch.float32


def test_a_class_with_torch_function_sees_the_operator(torch, namespace):
    sine(torch, namespace)
    seen = []

    class Watching(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.ones(2).as_subclass(Watching)
    getattr(torch.ops, namespace).sine(x)
    getattr(torch.ops, namespace).sine.default(x)
    assert f"{namespace}.sine" in seen
    assert f"{namespace}.sine.default" in seen


# ---- Library


def test_a_library_defines_and_implements(torch, namespace):
    library = torch.library.Library(namespace, "DEF")
    assert library.define("price(Tensor x, int pieces=2, *, float discount=0.) -> Tensor") == "price"
    assert library.define("price.each(Tensor[] xs) -> Tensor[]") == "price"
    calls = []

    def price(*arguments, **keywords):
        calls.append((len(arguments), keywords))
        return arguments[0] * (arguments[1] if len(arguments) > 1 else 2)

    library.impl("price", price, "CPU")
    library.impl("price.each", lambda xs: xs, "CPU")
    packet = getattr(torch.ops, namespace).price
    assert packet.overloads() == ["default", "each"]
    assert packet(torch.ones(1)).item() == 2
    assert packet(torch.ones(1), pieces=3, discount=1).item() == 3
    # What is at its default is left to the kernel's own
    assert calls == [(1, {}), (2, {"discount": 1.0})]
    assert len(packet((torch.ones(1), torch.ones(1)))) == 2
    with pytest.raises(NotImplementedError, match="attempted to run this operator with Meta tensors"):
        packet(torch.ones(1, device="meta"))
    library._destroy()
    with pytest.raises(AttributeError, match=f"'_OpNamespace' '{namespace}' object has no attribute 'price'"):
        getattr(torch.ops, namespace).price  # noqa: B018


def test_a_namespace_has_one_definition(torch, namespace):
    library = torch.library.Library(namespace, "DEF")
    words = f"Only a single TORCH_LIBRARY can be used to register the namespace {namespace}; please put all of your "
    with pytest.raises(RuntimeError, match=words):
        torch.library.Library(namespace, "DEF")
    torch.library.Library(namespace, "FRAGMENT").define("more(Tensor x) -> Tensor")
    library._destroy()
    torch.library.Library(namespace, "DEF")  # of which the first is no more
    with pytest.raises(RuntimeError, match="register the namespace aten; "):
        torch.library.Library("aten", "DEF")


def test_the_arguments_that_are_written_are_named_in_a_sequence(torch, namespace):
    def written(x: torch.Tensor) -> None:
        x.add_(1)

    with pytest.raises(ValueError, match="mutates_args must either be a sequence of the names of the arguments "):
        torch.library.custom_op(f"{namespace}::written", written, mutates_args="x")


def test_operators_of_operators_have_derivatives_and_others_warn(torch, namespace):
    library = torch.library.Library(namespace, "DEF")
    library.define("composite(Tensor x) -> Tensor")
    library.impl("composite", lambda x: x.sin(), "CompositeImplicitAutograd")
    library.define("numpy(Tensor x) -> Tensor")
    library.impl("numpy", lambda x: torch.from_numpy(np.sin(x.detach().numpy())), "CPU")
    ops = getattr(torch.ops, namespace)
    x = torch.ones(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ops.composite(x).sum().backward()
    assert torch.allclose(x.grad, x.detach().cos())
    assert ops.composite(torch.ones(2, device="meta")).shape == (2,)
    y = ops.numpy(x)
    assert y.requires_grad
    with pytest.warns(UserWarning, match=f"{namespace}::numpy: an autograd kernel was not registered"):
        y.sum().backward()


def test_functions_define_implement_and_derive(torch, namespace):
    name = f"{namespace}::twice"
    with torch.library._scoped_library(namespace, "FRAGMENT") as library:
        torch.library.define(name, "(Tensor x) -> Tensor", lib=library)
        torch.library.impl(name, "cpu", lambda x: x * 2, lib=library)
        torch.library.register_fake(name, lambda x: torch.empty_like(x), lib=library)
        torch.library.register_autograd(name, lambda ctx, g: g * 2, lib=library)
        op = getattr(torch.ops, namespace).twice
        x = torch.ones(2, requires_grad=True)
        op(x).sum().backward()
        assert x.grad.tolist() == [2.0, 2.0]
        assert op(torch.ones(3, device="meta")).shape == (3,)
        assert op.default.has_kernel_for_dispatch_key("CPU")
        assert not op.default.has_kernel_for_dispatch_key("CUDA")
    with pytest.raises(AttributeError):
        getattr(torch.ops, namespace).twice  # noqa: B018


def test_a_kernel_of_another_library_counts_until_that_ends(torch, namespace):
    first = torch.library.Library(namespace, "DEF")
    first.define("f(Tensor x) -> Tensor")
    first.impl("f", lambda x: x + 1, "CPU")
    second = torch.library.Library(namespace, "IMPL", "CPU")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # PyTorch warns once that a kernel is overridden
        second.impl("f", lambda x: x + 2)
    op = getattr(torch.ops, namespace).f
    assert op(torch.zeros(1)).item() == 2
    second._destroy()
    assert op(torch.zeros(1)).item() == 1


# ---- opcheck


def test_opcheck_finds_what_an_operator_does_not_say(torch, namespace):
    op = sine(torch, namespace)
    op.register_fake(lambda x: torch.empty_like(x))
    assert set(torch.library.opcheck(op, (torch.ones(2),)).values()) == {"SUCCESS"}

    def writes(x):
        x.add_(1)
        return x.clone()

    bad = torch.library.custom_op(f"{namespace}::bad", writes, mutates_args=(), schema="(Tensor x) -> Tensor")
    bad.register_fake(lambda x: x.new_empty(3))
    result = torch.library.opcheck(bad, (torch.ones(2),), raise_exception=False)
    assert str(result["test_schema"]) == "Argument x is not defined as mutable but was mutated"
    assert "Shapes torch.Size([2]) and torch.Size([3]) are not equal!" in str(result["test_faketensor"])
    with pytest.raises(Exception, match="test_schema failed with Argument x is not defined as mutable"):
        torch.library.opcheck(bad, (torch.ones(2),))


def test_sizes_that_depend_on_data_are_known_after_the_call(torch, namespace):
    op = torch.library.custom_op(
        f"{namespace}::nonzero", lambda x: x.nonzero(), mutates_args=(), schema="(Tensor x) -> Tensor"
    )

    def fake(x):
        return x.new_empty([torch.library.get_ctx().new_dynamic_size(), x.dim()], dtype=torch.int64)

    op.register_fake(fake)
    with pytest.raises(RuntimeError, match="may return an output Tensor with data-dependent shape"):
        op(torch.ones(2, device="meta"))
    result = torch.library.opcheck(op, (torch.ones(3),), test_utils=("test_schema", "test_faketensor"))
    assert set(result.values()) == {"SUCCESS"}


# ---- what is refused

BAD_SCHEMAS = {
    "f(Tensor x) - Tensor": "expected arrow but found '-' here",
    "f(Tensor x": "expected ) but found 'eof' here",
    "f": "Tried to parse a function schema but only the operator name was given",
    "f(Bla x) -> Tensor": "unknown type specifier",
    "f(Tensor) -> Tensor": "expected ident but found ')' here",
    "f(int x=3, Tensor y) -> Tensor": "Non-default positional argument follows default argument",
    "f(Tensor x, int y=q) -> Tensor": "invalid numeric default value",
    "f.default(Tensor x) -> Tensor": "default is not a legal overload name for aten operators",
    "elsewhere::f(Tensor x) -> Tensor": "does not match namespace of enclosing TORCH_LIBRARY block",
}


@pytest.mark.parametrize("schema", BAD_SCHEMAS)
def test_what_is_no_schema_is_refused(torch, namespace, schema):
    with torch.library._scoped_library(namespace, "DEF") as library, pytest.raises(RuntimeError) as caught:
        library.define(schema)
    assert BAD_SCHEMAS[schema] in str(caught.value)


def test_arguments_that_do_not_fit_are_refused(torch, namespace):
    with torch.library._scoped_library(namespace, "DEF") as library:
        library.define("f(Tensor x, int[2] size=1, *, str name='a') -> Tensor".replace("'", '"'))
        library.impl("f", lambda x, size=(1, 1), name="a": x * size[0], "CPU")
        op = getattr(torch.ops, namespace).f
        x = torch.ones(1)
        assert op(x, 3).item() == 3
        calls = {
            f"{namespace}::f() is missing value for argument 'x'.": ((), {}),
            f"{namespace}::f() Expected a value of type 'Tensor' for argument 'x' but instead found type 'str'.": (
                ("a",),
                {},
            ),
            f"{namespace}::f() Expected a value of type 'List[int]' for argument 'size'": ((x, 1.5), {}),
            f"{namespace}::f() takes 2 positional argument(s) but 3 was/were given.": ((x, 1, "b"), {}),
            f"{namespace}::f() expected at most 3 argument(s) but received 4 argument(s).": ((x, 1, "b", 2), {}),
            f"Unknown keyword argument 'other' for operator '{namespace}::f'.": ((x,), {"other": 1}),
        }
        for words, (args, named) in calls.items():
            with pytest.raises(RuntimeError) as caught:
                op(*args, **named)
            assert str(caught.value).startswith(words)


def test_what_is_not_there_is_an_attribute_error(torch):
    with pytest.raises(AttributeError, match="'_OpNamespace' 'nowhere' object has no attribute 'nothing'"):
        torch.ops.nowhere.nothing  # noqa: B018
    with pytest.raises(RuntimeError, match="Tried to instantiate class 'nowhere.Nothing', but it does not exist!"):
        torch.classes.nowhere.Nothing  # noqa: B018


def test_a_native_library_that_cannot_be_loaded_is_an_os_error(torch, tmp_path):
    path = tmp_path / "absent.so"
    with pytest.raises(OSError, match="Could not load this library: .*absent.so"):
        torch.ops.load_library(path)
    assert str(path) not in torch.ops.loaded_libraries


def test_registering_under_a_wrong_name_is_refused(torch, namespace):
    with pytest.raises(ValueError, match='Expected `qualname` to be of the form "namespace::name"'):
        torch.library.define(namespace, "(Tensor x) -> Tensor")
    with pytest.raises(ValueError, match="expected schema to look like"):
        torch.library.define(f"{namespace}::f", "Tensor x) -> Tensor")
    with pytest.raises(ValueError, match="Unsupported kind: SOME"):
        torch.library.Library(namespace, "SOME")
    with pytest.raises(RuntimeError, match="could not parse dispatch key: SOMETHING"):
        torch.library.Library(namespace, "IMPL", "SOMETHING")
    with pytest.raises(RuntimeError, match=f"operator {namespace}::f does not exist"):
        torch.library.register_fake(f"{namespace}::f", lambda x: x)
    with pytest.raises(AttributeError, match=f"'_OpNamespace' '{namespace}' object has no attribute 'f'"):
        torch.library.register_autograd(f"{namespace}::f", lambda ctx, g: g)
    with pytest.raises(RuntimeError, match="Expected one of cpu, cuda"):
        torch.library.custom_op(
            f"{namespace}::g", lambda x: x, mutates_args=(), schema="(Tensor x) -> Tensor", device_types="bogus"
        )


# ---- schemas from annotations


def annotated(torch):
    """Functions by the schema that their annotations say, or by the words of the refusal."""

    def plain(x: torch.Tensor, y: int, z: float = 1.0, *, w: Optional[torch.Tensor] = None, s: str = "a"):  # noqa: UP045
        pass

    def lists(x: torch.Tensor, y: List[int], o: "list[float] | None" = None):  # noqa: UP006
        pass

    def objects(x: torch.Tensor, t: torch.dtype = torch.float32, d: Optional[torch.device] = None):  # noqa: UP045
        pass

    def bare(x):
        pass

    def variadic(x: torch.Tensor, *rest: int):
        pass

    def pair(x: torch.Tensor, y: Tuple[int, int]):  # noqa: UP006
        pass

    for function in (plain, lists, objects, bare, variadic, pair):
        function.__annotations__["return"] = torch.Tensor
    unreturned = lambda x: x  # noqa: E731
    unreturned.__annotations__ = {"x": torch.Tensor}
    return {
        '(Tensor x, SymInt y, float z=1.0, *, Tensor? w=None, str s="a") -> Tensor': plain,
        "(Tensor x, SymInt[] y, float[]? o=None) -> Tensor": lists,
        "(Tensor x, ScalarType t=float32, Device? d=None) -> Tensor": objects,
        "infer_schema(func): Parameter x must have a type annotation.": bare,
        "infer_schema(func): We do not support positional-only args, varargs, or varkwargs.": variadic,
        "infer_schema(func): Parameter y has unsupported type typing.Tuple[int, int]. We do not": pair,
        "infer_schema(func): No return type annotation was provided. Please add one.": unreturned,
    }


@pytest.mark.parametrize("place", range(7))
def test_a_schema_follows_from_annotations(torch, place):
    words, function = list(annotated(torch).items())[place]
    if words.startswith("("):
        assert torch.library.infer_schema(function, mutates_args=()) == words
        assert torch.library.infer_schema(function, mutates_args={"x"}).startswith("(Tensor(a0!) x")
        return
    with pytest.raises(ValueError) as caught:
        torch.library.infer_schema(function, mutates_args=())
    assert str(caught.value).startswith(words)


def test_tools_that_look_at_every_module_come_through():
    """`doctest` and reloading servers unwrap what they find in a module, and ask for its path."""
    assert inspect.unwrap(rushlight.classes) is rushlight.classes
    assert not hasattr(rushlight.classes, "__path__")


# ---- what is asked of the dispatcher


def test_a_function_recorded_by_hand_stands_above_the_kernel(torch, namespace):
    library = torch.library.Library(namespace, "DEF")
    library.define("sine(Tensor x) -> Tensor")
    library.impl("sine", lambda x: torch.from_numpy(np.sin(x.numpy())), "CPU")
    ops = getattr(torch.ops, namespace)

    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            with torch._C._AutoDispatchBelowAutograd():
                return ops.sine(x)

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0].cos()

    library.impl("sine", Sine.apply, "Autograd")
    x = torch.ones(2, requires_grad=True)
    ops.sine(x).sum().backward()
    assert torch.allclose(x.grad, x.detach().cos())


def test_a_kernel_for_autocast_goes_on_without_it(torch, namespace):
    library = torch.library.Library(namespace, "DEF")
    library.define("same(Tensor x) -> Tensor")
    library.impl("same", lambda x: x.clone(), "CPU")
    op = getattr(torch.ops, namespace).same
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)

    def cast(x):
        with torch._C._ExcludeDispatchKeyGuard(keys | torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCUDA)):
            return op(x.double())

    library.impl("same", cast, "AutocastCPU")
    with torch.autocast("cpu"):
        assert op(torch.ones(1)).dtype == torch.float64
    assert op(torch.ones(1)).dtype == torch.float32


def test_keys_and_kernels_can_be_asked_for(torch, namespace):
    key = torch._C.DispatchKey
    with torch.library._scoped_library(namespace, "DEF") as library:
        library.define("f(Tensor x) -> Tensor")
        library.impl("f", lambda x: x, "CPU")
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        assert torch._C._dispatch_has_kernel(f"{namespace}::f")
        assert has(f"{namespace}::f", "CPU")
        assert not has(f"{namespace}::f", "CUDA")
        schemas = torch._C._jit_get_schemas_for_operator(f"{namespace}::f")
        assert [str(each) for each in schemas] == [f"{namespace}::f(Tensor x) -> Tensor"]
    with pytest.raises(RuntimeError, match=f"operator {namespace}::g does not exist"):
        torch._C._dispatch_has_kernel_for_dispatch_key(f"{namespace}::g", "CPU")
    assert str(key.CPU) == "DispatchKey.CPU"
    assert torch._C._dispatch_key_name(torch._C._dispatch_key_parse("AutogradCPU")) == "AutogradCPU"
    assert (
        str(torch._C._dispatch_keys(torch.ones(1))) == "DispatchKeySet(CPU, ADInplaceOrView, AutogradCPU, AutocastCPU)"
    )
    assert str(torch._C.DispatchKeySet(key.CUDA) | torch._C.DispatchKeySet(key.CPU)) == "DispatchKeySet(CPU, CUDA)"
    assert torch._C._dispatch_keys(torch.ones(1, device="meta")).has(key.Meta)


def test_backward_may_be_an_operator_too(torch, namespace):
    """As packages write it, so that a compiler sees one operator in each direction."""

    def products(x, weight, ends):
        results = torch.zeros(x.size(0), weight.size(2))
        for start, end, matrix in zip([0, *ends.tolist()], ends.tolist(), weight, strict=False):
            torch.mm(x[start:end], matrix, out=results[start:end])
        return results

    def products_backward(x, weight, ends, g):
        by_x, by_weight = torch.zeros_like(x), torch.zeros_like(weight)
        for place, (start, end) in enumerate(zip([0, *ends.tolist()], ends.tolist(), strict=False)):
            by_x[start:end] = g[start:end] @ weight[place].T
            by_weight[place] = x[start:end].T @ g[start:end]
        return by_x, by_weight

    schema = "(Tensor x, Tensor weight, Tensor ends{}) -> {}"
    torch.library.custom_op(f"{namespace}::products", products, mutates_args=(), schema=schema.format("", "Tensor"))
    torch.library.custom_op(
        f"{namespace}::products_backward",
        products_backward,
        mutates_args=(),
        schema=schema.format(", Tensor g", "(Tensor, Tensor)"),
    )
    ops = getattr(torch.ops, namespace)

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])
        ctx.ends = inputs[2]

    def backward(ctx, g):
        return (*ops.products_backward(*ctx.saved_tensors, ctx.ends, g), None)

    torch.library.register_autograd(f"{namespace}::products", backward, setup_context=setup_context)
    x, weight = torch.randn(5, 3, requires_grad=True), torch.randn(2, 3, 4, requires_grad=True)
    ends = torch.tensor([2, 5], dtype=torch.int32)
    ops.products(x, weight, ends).square().sum().backward()
    result = x.grad.clone(), weight.grad.clone()
    x.grad = weight.grad = None
    torch.cat([x[:2] @ weight[0], x[2:] @ weight[1]]).square().sum().backward()
    assert torch.allclose(result[0], x.grad, atol=1e-5)
    assert torch.allclose(result[1], weight.grad, atol=1e-5)


def test_an_empty_list_of_results_is_one(torch, namespace):
    op = torch.library.custom_op(
        f"{namespace}::each",
        lambda x, ys: [x * y for y in ys],
        mutates_args=(),
        schema="(Tensor x, Tensor[] ys) -> Tensor[]",
    )
    op.register_autograd(lambda ctx, gs: (sum(gs), list(gs)))
    x = torch.ones(2, requires_grad=True)
    assert op(x, []) == []
    (result,) = op(x, [torch.ones(2)])
    result.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_kernel_may_go_on_with_the_keys_that_are_left(torch, namespace):
    library = torch.library.Library(namespace, "DEF")
    library.define("f(Tensor x) -> Tensor")
    seen = []

    def for_autograd(keyset, x):
        seen.append(keyset)
        op = getattr(torch.ops, namespace).f.default
        return op.redispatch(keyset & torch._C._after_autograd_keyset, x)

    def for_cpu(keyset, x):
        seen.append(keyset)
        return x * 2

    library.impl("f", for_autograd, "Autograd", with_keyset=True)
    library.impl("f", for_cpu, "CPU", with_keyset=True)
    assert getattr(torch.ops, namespace).f(torch.ones(1)).item() == 2
    assert seen[0].has(torch._C.DispatchKey.AutogradCPU)
    assert all(each.has(torch._C.DispatchKey.CPU) for each in seen)
    assert str(seen[1]) == "DispatchKeySet(CPU)"


def test_an_annotation_that_is_no_type_is_refused(torch):
    def unknown(x: "Nope") -> torch.Tensor:  # noqa: F821
        return x

    with pytest.raises(ValueError, match="Unsupported type annotation Nope. It is not a type. \\(name 'Nope' is not"):
        torch.library.infer_schema(unknown, mutates_args=())


def test_an_overload_says_what_it_is(torch, namespace):
    add = torch.ops.aten.add
    assert (add.Tensor.__name__, add.Tensor.namespace, str(add), str(add.Tensor)) == (
        "add.Tensor",
        "aten",
        "aten.add",
        "aten.add.Tensor",
    )
    assert torch.ops.aten.transpose.int.is_view
    assert not add.Tensor.is_view
    assert add._schemas["Tensor"] == add.Tensor._schema
    assert "Tensor" in dir(add)
    argument = add.Tensor._schema.arguments[2]
    assert (argument.name, argument.kwarg_only, argument.default_value) == ("alpha", True, 1)
    assert str(argument.type) == "number"
    assert not torch.ops.aten.add.Tensor._schema.is_mutable
    assert torch.ops.aten.add_.Tensor._schema.is_mutable
    assert torch.ops.aten.add.out._schema.arguments[3].is_out
    with torch.library._scoped_library(namespace, "DEF") as library:
        library.define("f(Tensor x) -> Tensor")
        library.impl("f", lambda x: x + 1, "CompositeImplicitAutograd")
        library.define("g(Tensor x) -> Tensor")
        library.impl("g", lambda x: x + 1, "CPU")
        assert getattr(torch.ops, namespace).f.default.decompose(torch.ones(1)).item() == 2
        assert getattr(torch.ops, namespace).g.default.decompose(torch.ones(1)) is NotImplemented


def test_sets_of_keys_are_sets(torch):
    key, keys = torch._C.DispatchKey, torch._C.DispatchKeySet
    both = keys(key.CPU) | keys(key.AutogradCPU)
    assert both.highestPriorityTypeId() == key.AutogradCPU
    assert (both - keys(key.AutogradCPU)) == keys(key.CPU)
    assert both.remove(key.CPU).add(key.CPU) == both
    assert not (both & keys(key.CUDA)).has(key.CPU)
    assert int(key.CPU) < int(key.AutogradCPU)


def test_an_operator_is_copied_as_itself(torch):
    op = torch.ops.aten.add
    assert copy.deepcopy([op, op.Tensor]) == [op, op.Tensor]


def test_an_operator_is_pickled_by_its_name():
    """PyTorch refuses to pickle one."""
    op = rushlight.ops.aten.add
    assert pickle.loads(pickle.dumps(op)) is op
    assert pickle.loads(pickle.dumps(op.Tensor)) is op.Tensor


def test_what_does_not_go_together_is_refused(torch, namespace):
    def same(x):
        return x.clone()

    def define(name, schema, mutates_args=()):
        return torch.library.custom_op(f"{namespace}::{name}", same, mutates_args=mutates_args, schema=schema)

    with pytest.raises(ValueError, match="The schema suggests that the op mutates {'x'}which is different"):
        define("f", "(Tensor(a!) x) -> Tensor")
    with pytest.raises(
        NotImplementedError, match="custom_op with kwarg-only Tensor args. Please make your tensors not"
    ):
        define("g", "(*, Tensor x) -> Tensor")
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`, got: `<class 'int'>`"):
        define("h", "(Tensor x) -> Tensor").register_autocast(3, torch.float16)


def test_a_gradient_has_the_structure_of_its_input(torch, namespace):
    op = torch.library.custom_op(
        f"{namespace}::sum", lambda xs: xs[0] + xs[1], mutates_args=(), schema="(Tensor[] xs) -> Tensor"
    )
    xs = [torch.ones(2, requires_grad=True) for _ in range(2)]
    op.register_autograd(lambda ctx, g: [g])
    with pytest.raises(RuntimeError) as caught:
        op(xs).sum().backward()
    assert str(caught.value) == (
        "Expected the return from backward to be of the same structure as the inputs. Got: TreeSpec(tuple, None, "
        "[TreeSpec(list, None, [*]),\n  *]) (return from backward), TreeSpec(tuple, None, [TreeSpec(list, None, [*,\n"
        "    *]),\n  *]) (inputs)"
    )
    op.register_autograd(lambda ctx, g: ([g, None],))
    op(xs).sum().backward()
    assert xs[0].grad.tolist() == [1.0, 1.0]
    assert xs[1].grad is None


def test_a_kernel_can_be_taken_out_and_called(torch, namespace):
    with torch.library._scoped_library(namespace, "DEF") as library:
        library.define("f(Tensor x) -> Tensor")
        library.impl("f", lambda x: x * 2, "CPU")
        kernel = torch.library.get_kernel(f"{namespace}::f", "CPU")
        keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
        assert kernel.call_boxed(keys, torch.ones(1)).item() == 2
        with pytest.raises(RuntimeError, match=f"no kernel for CUDA for {namespace}::f"):
            torch.library.get_kernel(f"{namespace}::f", "CUDA")
        with pytest.raises(ValueError, match="Invalid dispatch key: Some"):
            torch.library.get_kernel(f"{namespace}::f", "Some")
        with pytest.raises(ValueError, match="get_kernel\\(3\\): got unexpected type for op: <class 'int'>"):
            torch.library.get_kernel(3, "CPU")
    with pytest.raises(RuntimeError, match=f"operator {namespace}::f does not exist"):
        torch.library.get_kernel(f"{namespace}::f", "CPU")
