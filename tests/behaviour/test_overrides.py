"""`torch.overrides`: functions of a program's own that others may override, and modes that see every operator."""

import importlib

import pytest


@pytest.fixture
def overrides(torch):
    return importlib.import_module(f"{torch.nn.__name__.partition('.')[0]}.overrides")


class Taker:
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        return "taken", function.__name__, types, arguments, keywords


class Refuser:
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        return NotImplemented


def scaled(x, factor=1):
    return "computed", x, factor


def mode_of(overrides, answer):
    class Answering(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return answer(func, types, args, kwargs or {})

    return Answering()


def test_what_is_asked_before_a_call(torch, overrides):
    class Plain(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    class Overriding(torch.Tensor):
        pass

    x = torch.ones(2)
    asked = [(x,), (torch.nn.Parameter(x),), (x.as_subclass(Plain),), (1, "x"), (x.as_subclass(Overriding),), [Taker()]]
    assert [overrides.has_torch_function(each) for each in asked] == [False, False, False, False, True, True]
    assert overrides.has_torch_function_unary(Taker()) and overrides.has_torch_function_variadic(x, Taker())
    with mode_of(overrides, lambda *call: None):
        assert overrides.has_torch_function((x,))


def test_a_function_hands_its_call_to_whoever_takes_it(overrides):
    taker = Taker()
    result = overrides.handle_torch_function(scaled, (taker,), taker, factor=2)
    assert result == ("taken", "scaled", (Taker,), (taker,), {"factor": 2})


def test_a_call_that_nobody_takes_names_all_who_were_asked(torch, overrides):
    words = (
        r"no implementation found for '.*scaled' on types that implement __torch_function__: \[<class '.*Refuser'>\]"
    )
    with pytest.raises(TypeError, match=f"{words}$"):
        overrides.handle_torch_function(scaled, (Refuser(),), 1)
    with pytest.raises(TypeError, match=f"{words} nor in mode "), mode_of(overrides, lambda *call: NotImplemented):
        overrides.handle_torch_function(scaled, (Refuser(),), 1)


def test_a_wrapped_function_is_overridden_by_the_arguments_that_its_dispatcher_names(overrides):
    wrapped = overrides.wrap_torch_function(lambda x, factor=1: (x,))(scaled)
    taker = Taker()
    assert wrapped(3, factor=2) == ("computed", 3, 2)
    assert wrapped(taker, factor=2) == ("taken", "scaled", (Taker,), (taker,), {"factor": 2})


def test_a_mode_sees_operators_in_order_and_those_around_it_see_what_it_calls(torch, overrides):
    seen = []

    def noting(name):
        def answer(func, types, args, kwargs):
            seen.append((name, func.__name__, types))
            return func(*args, **kwargs)

        return mode_of(overrides, answer)

    with noting("outer"), noting("inner"):
        assert torch.add(torch.ones(2).clone(), 1).sum().item() == 4
    names = [each for each in seen if each[1] in ("clone", "add", "sum")]
    assert names == [(mode, name, ()) for name in ("clone", "add", "sum") for mode in ("inner", "outer")]


def test_a_mode_may_answer_in_the_place_of_the_operator(torch, overrides):
    x = torch.ones(2)
    with mode_of(overrides, lambda func, types, args, kwargs: -1):
        assert torch.add(x, x) == -1
        assert torch.nn.init.uniform_(x) == -1
    assert torch.add(x, x).tolist() == [2, 2]


def test_a_mode_sees_what_makes_tensors(torch, overrides):
    made = {
        "randn": lambda: torch.randn(3),
        "tensor": lambda: torch.tensor([1.0]),
        "ones": lambda: torch.ones(2, dtype=torch.float64),
        "arange": lambda: torch.arange(3),
        "zeros_like": lambda: torch.zeros_like(x),
        "empty": lambda: torch.empty(2, device="cpu"),
        "linspace": lambda: torch.linspace(0, 1, 3),
    }
    x = torch.zeros(2)
    reported = []

    def answer(func, types, args, kwargs):
        reported.append((func.__name__, args, kwargs))
        return -1

    with mode_of(overrides, answer):
        assert [call() for call in made.values()] == [-1] * len(made)
    assert [name for name, _, _ in reported] == list(made)
    assert reported[2][1:] == ((2,), {"dtype": torch.float64}) and reported[5][1:] == ((2,), {"device": "cpu"})
    assert [tuple(call().shape) for call in made.values()] == [(3,), (1,), (2,), (3,), (2,), (2,), (3,)]


CONSTRUCTORS = {
    "zeros": ((2, 3), {}), "ones": ((2,), {"device": "cpu"}), "empty": ((), {"size": (2,)}), "full": (((2,), 1.0), {}),
    "scalar_tensor": ((1.0,), {}), "empty_strided": (((2,), (1,)), {}), "empty_permuted": (((2,), (0,)), {}),
    "eye": ((2, 3), {}), "tensor": (([1, 2],), {"requires_grad": True}), "as_tensor": (([1.0],), {"device": "cpu"}),
    "asarray": (([1],), {"copy": True}), "rand": ((2,), {}), "randn": ((2,), {"requires_grad": True}),
    "randint": ((10,), {"size": (3,)}), "randperm": ((3,), {}), "normal": ((0.0, 1.0, (2,)), {}),
    "arange": ((0, 5), {}), "linspace": ((0, 1, 3), {}), "logspace": ((0, 1, 3), {}),
    "bartlett_window": ((5, False), {}), "blackman_window": ((5,), {}), "hamming_window": ((5, True, 0.5), {}),
    "hann_window": ((5,), {}), "kaiser_window": ((5, True, 2.0), {}),
    "rand_like": (("x",), {"device": "cpu"}), "randn_like": (("x",), {}), "randint_like": (("x", 3), {}),
    "bernoulli": (("x",), {}), "multinomial": (("x", 1, True), {}), "poisson": (("x",), {}),
    "binomial": (("x", "x"), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_a_mode_gets_the_arguments_of_a_constructor(torch, overrides, name):
    x, seen = torch.full((2,), 0.5), []
    args, kwargs = CONSTRUCTORS[name]
    args = tuple(x if type(value) is str else value for value in args)
    with mode_of(overrides, lambda func, types, args, kwargs: seen.append((func, args, kwargs)) or -1):
        assert getattr(torch, name)(*args, **kwargs) == -1
    assert [(func, each, named or {}) for func, each, named in seen] == [(getattr(torch, name), args, kwargs)]


@pytest.mark.parametrize(("name", "arguments"), [("bernoulli", ()), ("multinomial", (1,))])
def test_a_mode_sees_methods_that_draw(torch, overrides, name, arguments):
    x = torch.full((2,), 0.5)
    seen = []
    with mode_of(overrides, lambda func, types, args, kwargs: seen.append((func, args)) or func(*args, **kwargs)):
        getattr(x, name)(*arguments)
    assert seen == [(getattr(torch.Tensor, name), (x, *arguments))]


def test_a_mode_decides_where_layers_get_their_memory(torch, overrides):
    def on_meta(func, types, args, kwargs):
        if func in (torch.empty, torch.ones):
            kwargs["device"] = "meta"
        return func(*args, **kwargs)

    with mode_of(overrides, on_meta):
        layer = torch.nn.Linear(2, 3)
    assert layer.weight.is_meta and not torch.nn.Linear(2, 3).weight.is_meta


def test_a_mode_that_declines_leaves_the_call_to_subclasses(torch, overrides):
    x = torch.ones(2)
    taker = Taker()
    with mode_of(overrides, lambda *call: NotImplemented):
        assert torch.add(x, taker)[:2] == ("taken", "add")
        with pytest.raises(
            TypeError, match="Multiple dispatch failed for 'torch.add'; all __torch_function__ handlers"
        ):
            torch.add(x, x)


def test_initializers_tell_a_mode_their_arguments_by_name(torch, overrides):
    reported = []
    weight = torch.ones(2, 2)
    with mode_of(
        overrides, lambda func, types, args, kwargs: reported.append((func.__module__, func.__name__, kwargs))
    ):
        torch.nn.init.kaiming_uniform_(weight, a=2)
        torch.nn.init.constant_(weight, 3)
    assert [(module, name) for module, name, _ in reported] == [
        ("torch.nn.init", "kaiming_uniform_"),
        ("torch.nn.init", "constant_"),
    ]
    assert reported[0][2]["a"] == 2 and reported[0][2]["tensor"] is weight and reported[0][2]["mode"] == "fan_in"
    assert weight.tolist() == [[1, 1], [1, 1]]


def test_the_two_switches(torch, overrides):
    class Sub(torch.Tensor):
        pass

    x = torch.ones(2)
    sub = x.as_subclass(Sub)
    with torch._C.DisableTorchFunctionSubclass():
        assert type(sub + 1) is torch.Tensor
        assert not torch._C._is_torch_function_enabled() and not torch._C._is_torch_function_all_disabled()
    assert type(sub + 1) is Sub and torch._C._is_torch_function_enabled()
    with mode_of(overrides, lambda *call: -1):
        with torch._C.DisableTorchFunctionSubclass():
            assert torch.add(x, x) == -1
        with torch._C.DisableTorchFunction():
            assert torch.add(x, x).tolist() == [2, 2]
            assert torch._C._is_torch_function_all_disabled()


def test_a_subclass_that_disables_overriding_gets_plain_results(torch):
    class Plain(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    x = torch.ones(2).as_subclass(Plain)
    assert Plain.__torch_function__ is torch._C._disabled_torch_function_impl
    assert {type(each) for each in (x + 1, torch.add(x, x), x.clone(), x[0], x.t(), x.detach())} == {torch.Tensor}
    assert type(x.add_(1)) is Plain


def test_redispatch_skips_one_call_and_sees_what_is_inside(torch, overrides):
    seen = []

    class Logging(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return overrides.redispatch_function(func, types, args, kwargs)

    def product(a, b):
        if overrides.has_torch_function((a, b)):
            return overrides.handle_torch_function(product, (a, b), a, b)
        return torch.mul(a, b)

    x = torch.tensor([3.0]).as_subclass(Logging)
    result = product(x, x)
    assert seen == ["product", "mul"] and result.as_subclass(torch.Tensor).item() == 9


def test_names_of_functions(torch, overrides):
    named = {
        "torch.add": torch.add,
        "torch.Tensor.add": torch.Tensor.add,
        "torch.functional.einsum": torch.functional.einsum,
        "torch.nn.functional.gelu": torch.nn.functional.gelu,
    }
    assert {overrides.resolve_name(each) for each in named.values()} == named.keys()
    assert overrides.resolve_name(scaled) is None
    methods = [torch.Tensor.add, torch.Tensor.shape.__get__, torch.add, torch.nn.functional.relu]
    assert [overrides.is_tensor_method_or_property(each) for each in methods] == [True, True, False, False]
    assert [overrides.is_tensor_like(each) for each in (torch.ones(1), Taker(), 3)] == [True, True, False]


def test_every_function_that_can_be_overridden_has_a_dummy_that_takes_its_arguments(torch, overrides):
    dummies = overrides.get_testing_overrides()
    functions = overrides.get_overridable_functions()
    assert torch.add in functions[torch] and torch.Tensor.add in functions[torch.Tensor]
    assert dummies[torch.add](1, 2) == -1
    with pytest.raises(TypeError):
        dummies[torch.add]()
    assert torch.get_rng_state in overrides.get_ignored_functions()


def test_a_mode_that_refuses_is_no_permission(torch, overrides):
    x = torch.ones(1)
    calls = {"add": lambda: torch.add(x, 1), "zeros": lambda: torch.zeros(2), "tensor": lambda: torch.tensor([1.0])}
    for name, call in calls.items():
        with mode_of(overrides, lambda *asked: NotImplemented), pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value).startswith(f"Multiple dispatch failed for 'torch.{name}'; all __torch_function__ ")
    assert torch.zeros(2).tolist() == [0, 0]


def test_a_function_that_makes_tensors_is_offered_to_its_arguments_inside_a_mode(torch, overrides):
    taker, reported = Taker(), []
    with mode_of(overrides, lambda func, types, args, kwargs: reported.append((func, types)) or func(*args, **kwargs)):
        made = torch.zeros(taker), torch.full((2, taker), 1.0), torch.full((2,), fill_value=taker)
    assert [each[:2] for each in made] == [("taken", "zeros"), ("taken", "full"), ("taken", "full")]
    assert [types for _, types in reported] == [(Taker,)] * 3


def test_a_mode_sees_writes_as_writes(torch):
    seen = []

    class Log(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Log():
        x.add_(1)
        x.mul_(torch.ones(2))
        x.clamp_(0)
    assert seen == ["add_", "ones", "mul_", "clamp_"]
    assert x.tolist() == [2.0, 2.0]


@pytest.mark.filterwarnings("ignore:Defining your `__torch_function__")
def test_an_override_may_be_a_method_of_the_object(torch):
    class Standing:
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return self, func.__name__, types, len(args)

    class Marked(torch.Tensor):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func.__name__

    x = Standing()
    assert torch.abs(x) == (x, "abs", (Standing,), 1)
    assert torch.add(torch.ones(1), x) == (x, "add", (Standing,), 2)
    assert torch.ones(2).as_subclass(Marked) + 1 == "add"


def test_such_a_method_is_deprecated(torch):
    class Standing:
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return 1

    def own(x):
        return torch.overrides.handle_torch_function(own, (x,), x)

    with pytest.warns(DeprecationWarning, match="as a plain method is deprecated and will be an error in future"):
        assert own(Standing()) == 1
