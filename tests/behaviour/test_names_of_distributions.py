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


@pytest.mark.parametrize("name", ["_parameters", "_check", "_arguments"])
def test_a_distribution_of_a_program_may_have_fields_of_its_own(torch, name):
    class Shifted(torch.distributions.Normal):
        def __init__(self, loc, scale, validate_args=None):
            super().__init__(loc, scale, validate_args=validate_args)
            setattr(self, name, "mine")

    shifted = Shifted(torch.tensor(1.0), torch.tensor(1.0), validate_args=True)
    expected = torch.distributions.Normal(1.0, 1.0).log_prob(torch.tensor(0.0))
    assert shifted.log_prob(torch.tensor(0.0)) == expected
    assert shifted.cdf(torch.tensor(1.0)).item() == 0.5 and getattr(shifted, name) == "mine"
