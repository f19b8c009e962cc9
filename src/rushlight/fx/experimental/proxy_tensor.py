"""`torch.fx.experimental.proxy_tensor`: whether PyTorch's compiler is recording operators."""


def get_proxy_mode() -> None:
    """Returns the recording mode: None, because there is no such compiler."""
    return None
