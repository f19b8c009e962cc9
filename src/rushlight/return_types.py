"""`torch.return_types`: the result types of operators with several results.

>>> import rushlight as torch
>>> type(torch.tensor([2.0, 1.0]).sort()) is torch.return_types.sort
True
"""

from typing import TYPE_CHECKING

from rushlight.declarations import results as _results

if TYPE_CHECKING:  # the stub lists them
    from rushlight.declarations.results import *  # noqa: F403

all_return_types = [var for var in vars(_results).values() if isinstance(var, type) and hasattr(var, "n_fields")]
globals().update({type_.__name__: type_ for type_ in all_return_types})
