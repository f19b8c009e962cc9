"""Parameters, buffers and submodules: how they get into a module, are found again, and leave it."""

import pytest


@pytest.fixture
def nn(torch):
    return torch.nn


def parameter(torch, *shape):
    return torch.nn.Parameter(torch.ones(*shape))


def test_assigned_parameters_modules_and_buffers_are_members_in_the_order_of_assignment(torch, nn):
    module = nn.Module()
    module.second = parameter(torch, 2)
    module.first = parameter(torch, 3)
    module.child = nn.Linear(1, 1)
    module.register_buffer("mean", torch.zeros(2))
    module.plain = torch.ones(4)
    assert [name for name, _ in module.named_parameters()] == ["second", "first", "child.weight", "child.bias"]
    assert [name for name, _ in module.named_buffers()] == ["mean"]
    assert [name for name, _ in module.named_children()] == ["child"]
    assert list(module.state_dict()) == ["second", "first", "mean", "child.weight", "child.bias"]


def test_a_member_is_the_object_that_was_assigned(torch, nn):
    module, weight, child = nn.Module(), parameter(torch, 2), nn.Identity()
    module.weight, module.child = weight, child
    assert module.weight is weight and module._parameters["weight"] is weight
    assert module.child is child and module._modules["child"] is child


def test_assigning_again_replaces_and_keeps_the_place(torch, nn):
    module = nn.Module()
    module.a, module.b = parameter(torch, 1), parameter(torch, 1)
    module.a = newer = parameter(torch, 5)
    assert [name for name, _ in module.named_parameters()] == ["a", "b"]
    assert module.a is newer


def test_a_change_of_the_dictionaries_is_seen_by_the_attributes(torch, nn):
    module = nn.Module()
    module.weight, module.child = parameter(torch, 1), nn.Identity()
    module.register_buffer("mean", torch.zeros(1))
    module._parameters["weight"] = weight = parameter(torch, 2)
    module._modules["child"] = child = nn.ReLU()
    module._buffers["mean"] = mean = torch.ones(1)
    assert module.weight is weight and module.child is child and module.mean is mean
    module._modules.pop("child")
    del module._parameters["weight"]
    module._buffers.clear()
    for name in ("child", "weight", "mean"):
        assert not hasattr(module, name)
    module._parameters.update(late=weight)
    assert module._parameters.setdefault("late") is weight and module.late is weight
    assert module._parameters.popitem() == ("late", weight) and not hasattr(module, "late")


def test_replacing_a_dictionary_replaces_the_attributes(torch, nn):
    module = nn.Module()
    module.old = nn.Identity()
    module._modules = {"new": nn.ReLU()}
    assert not hasattr(module, "old") and isinstance(module.new, nn.ReLU)
    assert [name for name, _ in module.named_children()] == ["new"]


def test_none_keeps_the_name_of_a_parameter(torch, nn):
    module = nn.Linear(2, 2)
    module.bias = None
    assert module.bias is None and "bias" in module._parameters
    assert list(module.state_dict()) == ["weight"]
    module.bias = parameter(torch, 2)
    assert list(module.state_dict()) == ["weight", "bias"]


def test_a_name_is_free_for_another_kind_once_its_member_is_deleted(torch, nn):
    module = nn.Module()
    module.thing = parameter(torch, 1)
    del module.thing
    module.thing = nn.Identity()
    module.thing = None
    assert "thing" in module._modules and module.thing is None and not module._parameters


def test_a_parameter_replaces_a_buffer_and_a_plain_attribute_of_its_name(torch, nn):
    module = nn.Module()
    module.register_buffer("value", torch.zeros(1))
    module.other = 3
    module.value, module.other = parameter(torch, 1), parameter(torch, 1)
    assert not module._buffers and sorted(module._parameters) == ["other", "value"]


def test_a_tensor_assigned_over_a_buffer_stays_a_buffer(torch, nn):
    module = nn.Module()
    module.register_buffer("kept", torch.zeros(1))
    module.register_buffer("dropped", torch.zeros(1), persistent=False)
    module.kept, module.dropped = torch.ones(1), torch.ones(1)
    assert [name for name, _ in module.named_buffers()] == ["kept", "dropped"]
    assert list(module.state_dict()) == ["kept"]
    module.kept = None
    assert list(module.state_dict()) == [] and module.kept is None


def test_a_buffer_object_becomes_a_buffer(torch, nn):
    module = nn.Module()
    module.kept, module.dropped = nn.Buffer(torch.zeros(2)), nn.Buffer(torch.zeros(1), persistent=False)
    assert isinstance(module.kept, nn.Buffer) and not isinstance(torch.zeros(1), nn.Buffer)
    assert [name for name, _ in module.named_buffers()] == ["kept", "dropped"] and list(module.state_dict()) == ["kept"]
    with pytest.raises(AttributeError, match="cannot assign buffer before Module.__init__"):
        nn.Module.__new__(nn.Module).mean = nn.Buffer(torch.zeros(1))


def test_registering_a_buffer_again_as_persistent_brings_it_into_the_state(torch, nn):
    module = nn.Module()
    module.register_buffer("value", torch.zeros(1), persistent=False)
    module.register_buffer("value", torch.zeros(1))
    assert list(module.state_dict()) == ["value"]


def test_deleting_members(torch, nn):
    module = nn.Module()
    module.weight, module.child, module.plain = parameter(torch, 1), nn.Identity(), 1
    module.register_buffer("mean", torch.zeros(1), persistent=False)
    for name in ("weight", "child", "mean", "plain"):
        delattr(module, name)
        assert not hasattr(module, name)
    module.register_buffer("mean", torch.zeros(1))
    assert list(module.state_dict()) == ["mean"]
    with pytest.raises(AttributeError, match="nothing"):
        del module.nothing


def test_a_class_attribute_hides_a_module_of_its_name(nn):
    class Model(nn.Module):
        layer = None

    model = Model()
    model.layer = nn.Identity()
    assert model.layer is None and isinstance(model._modules["layer"], nn.Identity)


def test_a_property_is_not_disturbed_by_members(torch, nn):
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.raw = torch.nn.Parameter(torch.ones(1))

        @property
        def weight(self):
            return 2 * self.raw

    assert Scaled().weight.item() == 2


def test_an_attribute_put_past_the_module_hides_a_parameter_until_it_is_deleted(torch, nn):
    module = nn.Module()
    module.weight = own = parameter(torch, 1)
    object.__setattr__(module, "weight", "other")
    assert module.weight == "other"
    del module.__dict__["weight"]
    assert module.weight is own


@pytest.mark.parametrize(
    ("statement", "kind", "message"),
    [
        ("m.nothing", AttributeError, "'Module' object has no attribute 'nothing'"),
        ("m.weight = torch.ones(1)", TypeError, "cannot assign 'torch.FloatTensor' as parameter 'weight'"),
        ("m.weight = 3", TypeError, "cannot assign 'int' as parameter 'weight' (torch.nn.Parameter or None expected)"),
        ("m.child = 'x'", TypeError, "cannot assign 'str' as child module 'child' (torch.nn.Module or None expected)"),
        ("m.mean = 3", TypeError, "cannot assign 'int' as buffer 'mean' (torch.nn.Buffer, torch.Tensor or None"),
        ("m.register_parameter('a.b', None)", KeyError, 'parameter name can\'t contain "."'),
        ("m.register_parameter('', None)", KeyError, 'parameter name can\'t be empty string ""'),
        ("m.register_parameter(3, None)", TypeError, "parameter name should be a string. Got int"),
        ("m.register_parameter('child', None)", KeyError, "attribute 'child' already exists"),
        (
            "m.register_parameter('p', torch.ones(1))",
            TypeError,
            "cannot assign 'torch.FloatTensor' object to parameter",
        ),
        (
            "m.register_parameter('p', 3)",
            TypeError,
            "cannot assign 'int' object to parameter 'p' (torch.nn.Parameter or",
        ),
        ("m.register_buffer('a.b', None)", KeyError, 'buffer name can\'t contain "."'),
        ("m.register_buffer('', None)", KeyError, 'buffer name can\'t be empty string ""'),
        ("m.register_buffer(3, None)", TypeError, "buffer name should be a string. Got int"),
        ("m.register_buffer('weight', None)", KeyError, "attribute 'weight' already exists"),
        ("m.register_buffer('b', [1])", TypeError, "cannot assign 'list' object to buffer 'b' (torch Tensor or None"),
        ("m.add_module('a.b', None)", KeyError, 'module name can\'t contain ".", got: a.b'),
        ("m.add_module('', None)", KeyError, 'module name can\'t be empty string ""'),
        ("m.add_module(3, None)", TypeError, "module name should be a string. Got int"),
        ("m.add_module('weight', None)", KeyError, "attribute 'weight' already exists"),
        ("m.register_module('x', 'y')", TypeError, "str is not a Module subclass"),
        ("m.get_submodule('child.nothing')", AttributeError, "Identity has no attribute `nothing`"),
        ("m.get_submodule('weight')", AttributeError, "`weight` is not an nn.Module"),
        ("m.get_parameter('child')", AttributeError, "`child` is not an nn.Parameter"),
        ("m.get_parameter('child.weight')", AttributeError, "Identity has no attribute `weight`"),
        ("m.get_buffer('weight')", AttributeError, "`weight` is not a buffer"),
        ("m.set_submodule('', m)", ValueError, "Cannot set the submodule without a target name!"),
        ("m.set_submodule('child.new', m, strict=True)", AttributeError, "Identity has no attribute `new`"),
        ("m.set_submodule('weight', m)", AttributeError, "`weight` is not an nn.Module"),
        ("m.set_submodule('child', 3)", ValueError, "`module` is not an nn.Module, found <class 'int'>"),
        ("torch.nn.Module(3)", TypeError, "Module.__init__() takes 1 positional argument but 2 were given"),
        ("torch.nn.Module(a=3)", TypeError, "Module.__init__() got an unexpected keyword argument 'a'"),
        ("m(1)", NotImplementedError, 'Module [Module] is missing the required "forward" function'),
        ("m.train(3)", ValueError, "training mode is expected to be boolean"),
    ],
)
def test_what_a_module_refuses(torch, nn, statement, kind, message):
    module = nn.Module()
    module.weight, module.child = parameter(torch, 1), nn.Identity()
    module.register_buffer("mean", torch.zeros(1))
    with pytest.raises(kind) as caught:
        exec(statement, {"m": module, "torch": torch})
    assert message in str(caught.value.args[0])


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("m.weight = torch.nn.Parameter(torch.ones(1))", "cannot assign parameters before Module.__init__() call"),
        ("m.child = torch.nn.Identity()", "cannot assign module before Module.__init__() call"),
        ("m.register_buffer('b', None)", "cannot assign buffer before Module.__init__() call"),
        ("m.register_parameter('b', None)", "cannot assign parameter before Module.__init__() call"),
        ("m(1)", "'Late' object has no attribute '_backward_hooks'"),
        ("m.missing", "'Late' object has no attribute 'missing'"),
    ],
)
def test_members_before_init(torch, nn, statement, message):
    class Late(nn.Module):
        def __init__(self):
            pass

    with pytest.raises(AttributeError) as caught:
        exec(statement, {"m": Late(), "torch": torch})
    assert str(caught.value) == message


def test_a_parameter_must_be_a_leaf(torch, nn):
    result = parameter(torch, 1) * 2
    result.__class__ = nn.Parameter
    with pytest.raises(ValueError, match="Cannot assign non-leaf Tensor to parameter 'weight'. Model parameters must"):
        nn.Module().weight = result


def test_paths_lead_to_members(torch, nn):
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.BatchNorm1d(2)))
    assert model.get_submodule("") is model and model.get_submodule("1.0") is model[1][0]
    assert model.get_parameter("1.0.weight") is model[1][0].weight
    assert model.get_buffer("1.0.running_mean") is model[1][0].running_mean
    model.set_submodule("1.0", nn.ReLU())
    model.set_submodule("1.extra", nn.Tanh())
    assert repr(model[1][0]) == "ReLU()" and repr(model[1].extra) == "Tanh()"


def test_shared_members_are_visited_once(torch, nn):
    shared = nn.Linear(2, 2, bias=False)
    model = nn.ModuleDict({"a": shared, "b": shared, "c": nn.Linear(2, 2, bias=False)})
    model["c"].weight = shared.weight
    assert [name for name, _ in model.named_parameters()] == ["a.weight"]
    assert [name for name, _ in model.named_parameters(remove_duplicate=False)] == ["a.weight", "b.weight", "c.weight"]
    assert [name for name, _ in model.named_modules()] == ["", "a", "c"]
    assert [name for name, _ in model.named_modules(remove_duplicate=False)] == ["", "a", "b", "c"]
    assert [name for name, _ in model.named_children()] == ["a", "c"]
    assert len(list(model.modules())) == 3 and len(list(model.modules(remove_duplicate=False))) == 4
    assert list(model.state_dict()) == ["a.weight", "b.weight", "c.weight"]


def test_prefix_and_recurse(torch, nn):
    model = nn.Sequential(nn.BatchNorm1d(2))
    assert [name for name, _ in model.named_parameters("net")] == ["net.0.weight", "net.0.bias"]
    assert [name for name, _ in model.named_modules(prefix="net")] == ["net", "net.0"]
    assert list(model.parameters(recurse=False)) == [] and list(model.buffers(recurse=False)) == []
    assert [name for name, _ in model.named_buffers(prefix="x")] == [
        "x.0.running_mean",
        "x.0.running_var",
        "x.0.num_batches_tracked",
    ]


def test_a_subclass_may_name_its_parameters_otherwise(torch, nn):
    class Renamed(nn.Linear):
        def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
            for name, member in super().named_parameters(prefix, recurse, remove_duplicate):
                yield name.upper(), member

    assert [name for name, _ in Renamed(1, 1).named_parameters()] == ["WEIGHT", "BIAS"]


def test_registration_hooks_of_all_modules(torch, nn):
    seen = []
    from_modules = torch.nn.modules.module

    def note(kind):
        return lambda module, name, member: seen.append((kind, name))

    handles = [
        from_modules.register_module_parameter_registration_hook(note("parameter")),
        from_modules.register_module_buffer_registration_hook(note("buffer")),
        from_modules.register_module_module_registration_hook(note("module")),
    ]
    try:
        module = nn.Module()
        module.weight, module.child = parameter(torch, 1), nn.Identity()
        module.register_buffer("mean", None)
    finally:
        for handle in handles:
            handle.remove()
    module.after = parameter(torch, 1)
    assert seen == [("parameter", "weight"), ("module", "child"), ("buffer", "mean")]


def test_a_registration_hook_may_replace_the_member(torch, nn):
    replacement = nn.ReLU()
    hook = torch.nn.modules.module.register_module_module_registration_hook(lambda module, name, child: replacement)
    with hook:
        module = nn.Module()
        module.child = nn.Identity()
    assert module.child is replacement


def test_call_super_init_passes_arguments_on(nn):
    class Named:
        def __init__(self, name):
            self.name = name

    class Model(nn.Module, Named):
        call_super_init = True

        def __init__(self, name):
            super().__init__(name)

    assert Model("net").name == "net"


def test_dir_names_members_but_no_numbers(torch, nn):
    module = nn.Sequential(nn.Linear(1, 1))
    module.weight = parameter(torch, 1)
    module.register_buffer("mean", None)
    names = dir(module)
    assert {"weight", "mean", "training", "forward"} <= set(names) and "0" not in names
    assert len(names) == len(set(names))


def test_getattr_may_be_extended(torch, nn):
    class Wrapper(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(self.inner, name)

    wrapped = Wrapper(nn.Linear(3, 1))
    assert wrapped.in_features == 3 and wrapped.weight is wrapped.inner.weight
    assert nn.Module.__getattr__(wrapped, "inner") is wrapped.inner


def members_asked_for(nn, kind, *arguments):
    """A subclass of a layer that notes which names come to its own `__getattr__`, and such a layer."""
    asked = []

    class Noting(kind):
        def __getattr__(self, name):
            asked.append(name)
            return super().__getattr__(name)

    layer = Noting(*arguments)
    asked.clear()
    return layer, asked


def test_an_own_getattr_is_asked_for_members(torch, nn):
    module, asked = members_asked_for(nn, nn.Module)
    module.weight, module.child, module.plain = parameter(torch, 1), nn.Identity(), 3
    module.register_buffer("mean", torch.zeros(1))
    asked.clear()
    assert [module.weight is None, module.child is None, module.mean is None, module.plain] == [False] * 3 + [3]
    assert asked == ["weight", "child", "mean"]


@pytest.mark.parametrize(
    ("name", "arguments", "shape"),
    [
        ("Linear", (2, 2), (3, 2)), ("Conv1d", (2, 2, 1), (1, 2, 3)), ("LayerNorm", (2,), (3, 2)),
        ("GroupNorm", (1, 2), (3, 2)), ("BatchNorm1d", (2,), (3, 2)), ("ConvTranspose1d", (2, 2, 1), (1, 2, 3)),
        ("RNNCell", (2, 2), (3, 2)), ("PReLU", (), (3, 2)), ("LSTM", (2, 2), (3, 2)),
    ],
)  # fmt: skip
def test_a_layer_asks_the_getattr_of_its_subclass(torch, nn, name, arguments, shape):
    layer, asked = members_asked_for(nn, getattr(nn, name), *arguments)
    layer(torch.ones(shape))
    assert set(layer._parameters) <= set(asked)


@pytest.mark.parametrize("name", ["weight", "bias"])
def test_a_getattr_that_changes_a_member_changes_the_layer(torch, nn, name):
    class Doubled(nn.Linear):
        def __getattr__(self, asked):
            value = super().__getattr__(asked)
            return value * 2 if asked == name else value

    layer = Doubled(1, 1)
    with torch.no_grad():
        layer._parameters["weight"].fill_(3)
        layer._parameters["bias"].fill_(5)
    assert layer(torch.ones(1)).item() == (11 if name == "weight" else 13)


def test_a_getattr_given_to_all_modules_later_is_asked(torch, nn, monkeypatch):
    layers = nn.Linear(2, 2), nn.LayerNorm(2), nn.Conv1d(2, 2, 1)
    asked, before = [], nn.Module.__getattr__

    def noting(self, name):
        asked.append((type(self).__name__, name))
        return before(self, name)

    monkeypatch.setattr(nn.Module, "__getattr__", noting)
    for layer in layers:
        layer(torch.ones(2, 2))
    assert {(kind, name) for kind in ("Linear", "LayerNorm", "Conv1d") for name in ("weight", "bias")} <= set(asked)


def test_what_hides_a_parameter_hides_it_from_the_layer(torch, nn):
    layer = nn.Linear(1, 1)
    layer.__dict__["weight"] = torch.full((1, 1), 3.0)
    object.__setattr__(layer, "bias", torch.full((1,), 4.0))
    assert layer(torch.ones(1)).item() == 7
    assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]

    class Fixed(nn.Linear):
        weight = property(lambda self: torch.full((1, 1), 10.0))
        bias = None

    fixed = Fixed.__new__(Fixed)
    nn.Module.__init__(fixed)
    fixed._parameters.update(weight=None, bias=parameter(torch, 1))
    assert fixed(torch.ones(1)).item() == 10


def test_a_layer_without_its_parameter_fails_as_an_attribute_does(torch, nn):
    layer = nn.Linear(1, 1)
    del layer.bias
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'bias'"):
        layer(torch.ones(1))


def test_an_attribute_error_of_a_property_goes_through_getattr(nn):
    class Model(nn.Module):
        @property
        def size(self):
            return self.missing

    with pytest.raises(AttributeError, match="'Model' object has no attribute 'size'"):
        _ = Model().size


def test_members_stand_in_their_tables_and_not_in_the_dict(torch, nn):
    layer = nn.BatchNorm1d(2)
    layer.child = nn.Identity()
    assert not {"weight", "running_mean", "child"} & set(vars(layer))
    assert vars(layer)["_parameters"]["weight"] is layer.weight
    table = vars(layer)["_parameters"] = {"other": layer.weight}
    assert layer.other is table["other"] and not hasattr(layer, "weight")
    table["late"] = None
    assert layer.late is None


def test_hooks_written_to_the_dict_are_called(torch, nn):
    layer = nn.Identity()
    vars(layer)["_forward_hooks"] = {0: lambda module, args, output: output + 1}
    vars(layer)["_forward_pre_hooks"] = {0: lambda module, args: args[0] * 3}
    assert layer(torch.ones(1)).item() == 4
    with torch.no_grad():
        assert layer(torch.ones(1)).item() == 4


def test_a_face_without_init_takes_everything_from_another_module(torch, nn):
    class Face(nn.Module):
        def __init__(self, inner):
            self.__dict__["inner"] = inner

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def forward(self, x):
            return self.inner(x) + 1

    inner = nn.Identity()
    face = Face(inner)
    assert face(torch.ones(1)).item() == 2
    inner.register_forward_hook(lambda module, args, output: output * 2)
    assert face(torch.ones(1)).item() == 6


def test_a_mode_that_is_a_property(nn):
    class Model(nn.Module):
        @property
        def training(self):
            return self.mode == "train"

        @training.setter
        def training(self, value):
            self.mode = "train" if value else "eval"

    model = Model()
    assert model.training and model.mode == "train"
    assert not model.eval().training


def test_an_operator_in_the_body_of_a_class_is_no_method(torch, nn):
    class Layer(nn.Module):
        activation = torch.relu
        convolve = torch.conv2d
        zeros = torch.zeros

        def own(self):
            return self

        def forward(self, x):
            return self.convolve(self.activation(x), weight=torch.ones(1, 1, 1, 1)) + self.zeros(1)

    layer = Layer()
    assert layer(torch.tensor([[[[-1.0, 2.0]]]])).tolist() == [[[[0.0, 2.0]]]]
    assert layer.own() is layer


def test_a_class_that_a_program_makes_by_exec(torch):
    names = {"torch": torch}  # without `__name__`: functions in it belong to no module
    exec("class Double(torch.nn.Module):\n    def forward(self, x):\n        return 2 * x\n", names)
    assert names["Double"]()(torch.ones(2)).tolist() == [2, 2]


def test_a_class_may_make_its_calls_otherwise(torch, nn):
    class Counting(nn.Linear):
        calls = 0

        def _call_impl(self, *args, **kwargs):
            self.calls += 1
            return super()._call_impl(*args, **kwargs)

    class Answering(nn.Module):
        def _call_impl(self, x, *, scale=1):
            return x * scale

    counting = Counting(2, 1)
    assert nn.Sequential(counting, Answering())(torch.ones(3, 2)).shape == (3, 1)
    assert counting.calls == 1 and Answering()(torch.ones(1), scale=3).item() == 3
