"""The argument types that `dispatch/argument_errors.py` accepts, against the samples: it accepts all of them."""

import pytest

from rushlight.declarations.declare import OPS, VARIADIC
from rushlight.dispatch import lazy_modules
from rushlight.dispatch.argument_errors import check_arguments
from rushlight.testing import declared

lazy_modules.load_all()


def arguments_of(case):
    """Returns the arguments of a sample in the order of the declaration, with defaults for omitted ones."""
    arguments = case.op.arguments
    roles = [argument.role for argument in arguments]
    if VARIADIC in roles:
        rest = arguments[roles.index(VARIADIC) + 1 :]
        return (*case.arguments, *(case.keywords.get(x.name, x.default) for x in rest))
    values = dict(
        zip((argument.name for argument in arguments if not argument.keyword_only), case.arguments, strict=False)
    )
    values |= case.keywords
    return tuple(values.get(argument.name, argument.default) for argument in arguments)


@pytest.mark.parametrize("name", [name for name, op in sorted(OPS.items()) if op.samples is not None])
def test_the_arguments_of_samples_have_accepted_types(name):
    for case in declared.cases(OPS[name]):
        check_arguments(OPS[name], arguments_of(case))
