"""`torch.fx.experimental.proxy_tensor`: whether operators are being recorded by PyTorch's compiler."""


def get_proxy_mode() -> None:
    """The mode that records operators: there is none, because nothing is compiled from a recording."""
    return None
