"""`torch._subclasses.fake_tensor`: whether a tensor is one that PyTorch's compiler traces with."""


def is_fake(x: object) -> bool:
    """Whether `x` is a fake tensor: never, as nothing here traces with them.

    A tensor that has a shape and no numbers is one on the device `meta`; PyTorch says False of those, too.
    """
    return False
