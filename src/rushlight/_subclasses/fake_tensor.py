"""`torch._subclasses.fake_tensor`: whether a tensor is a fake tensor of PyTorch's compiler."""


def is_fake(x: object) -> bool:
    """Returns False: nothing here traces with fake tensors.

    Tensors without data are on the device `meta`; PyTorch returns False for those, too.
    """
    return False
