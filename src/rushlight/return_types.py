"""`torch.return_types`: the types of what operators of several results return.

>>> import rushlight as torch
>>> type(torch.tensor([2.0, 1.0]).sort()) is torch.return_types.sort
True
"""

from rushlight.declarations import results as _results

all_return_types = [each for each in vars(_results).values() if isinstance(each, type) and hasattr(each, "n_fields")]
globals().update({each.__name__: each for each in all_return_types})
