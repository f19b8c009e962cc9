"""What programs import from the modules of distributions beside the class that a module is named after."""

import importlib

import pytest

WITH_THE_BASE = [
    "binomial", "categorical", "geometric", "multinomial", "multivariate_normal", "negative_binomial",
    "relaxed_bernoulli", "relaxed_categorical", "transforms", "transformed_distribution",
]  # fmt: skip


@pytest.mark.parametrize("name", WITH_THE_BASE)
def test_the_base_class_is_imported_from_beside_its_heirs(torch, name):
    module = importlib.import_module(f"{torch.__name__}.distributions.{name}")
    assert module.Distribution is torch.distributions.Distribution


def test_a_program_tells_an_inverse_from_a_transform(torch):
    transforms = torch.distributions.transforms
    assert isinstance(transforms.ExpTransform().inv, transforms._InverseTransform)
    assert not isinstance(transforms.ExpTransform(), transforms._InverseTransform)
