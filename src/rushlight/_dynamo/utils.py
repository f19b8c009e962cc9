"""`torch._dynamo.utils`: checks of packages before they call `torch.compile`."""


def is_compile_supported(device_type: str) -> bool:
    """Whether `torch.compile` supports a device type: only the CPU."""
    return device_type == "cpu"
