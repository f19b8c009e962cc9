"""Programs derive classes from these and name their attributes as they like: ours have no public names that PyTorch's
have not, since `self.rank = 4` in a class made of Conv2d would change what a convolution is."""

import inspect

import pytest

import rushlight as ours

theirs = pytest.importorskip("torch")

NAMESPACES = ("nn", "optim", "optim.lr_scheduler", "utils.data")


def in_namespace(library, namespace):
    for name in namespace.split("."):
        library = getattr(library, name)
    return library


def classes():
    for namespace in NAMESPACES:
        for name, there in inspect.getmembers(in_namespace(theirs, namespace), inspect.isclass):
            here = getattr(in_namespace(ours, namespace), name, None)
            if inspect.isclass(here) and not issubclass(there, theirs.Tensor):
                yield pytest.param(here, there, id=f"{namespace}.{name}")


def public(kind):
    return {name for name in dir(kind) if not name.startswith("_")}


@pytest.mark.parametrize(("here", "there"), list(classes()))
def test_classes_have_no_public_names_of_their_own(here, there):
    annotated = {name for base in there.__mro__ for name in vars(base).get("__annotations__", ())}
    constant = {name for base in there.__mro__ for name in vars(base).get("__constants__", ())}
    assert public(here) <= public(there) | annotated | constant


def test_programs_name_what_they_derive():
    torch = ours

    class Adapted(torch.nn.Conv2d):
        def __init__(self, *arguments, rank, **keywords):
            super().__init__(*arguments, **keywords)
            self.rank, self.convolution, self._hooked = rank, "adapted", True

    layer = Adapted(2, 3, 3, rank=4, padding=1, padding_mode="circular")
    seen = []
    handle = layer.register_forward_hook(lambda *_: seen.append(1))
    expected = torch.nn.functional.conv2d(
        torch.nn.functional.pad(torch.ones(1, 2, 5, 5), (1, 1, 1, 1), mode="circular"), layer.weight, layer.bias
    )
    assert torch.equal(layer(torch.ones(1, 2, 5, 5)), expected) and seen == [1]
    handle.remove()
    assert layer(torch.ones(1, 2, 5, 5)).shape == (1, 3, 5, 5) and seen == [1]
    assert repr(layer) == "Adapted(2, 3, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), padding_mode=circular)"


def test_optimizers_that_are_derived_keep_their_formula():
    results = []
    for torch in (ours, theirs):

        class Slow(torch.optim.Adam):
            def __init__(self, *arguments, **keywords):
                super().__init__(*arguments, **keywords)
                self.kept, self.counters, self.late = 3, 4, 5

            def update(self):
                raise AssertionError("nobody calls it")

            prepare = settle = begin = update

        parameter = torch.tensor([1.0, -2.0], requires_grad=True)
        optimizer = Slow([parameter], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (parameter**2).sum().backward()
            optimizer.step()
        results.append(parameter.tolist())
    assert results[0] == pytest.approx(results[1], rel=1e-6)
