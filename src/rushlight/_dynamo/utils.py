"""`torch._dynamo.utils`: what packages ask before they call `torch.compile`."""


def is_compile_supported(device_type: str) -> bool:
    """Whether `torch.compile` takes functions for a type of device: for the CPU."""
    return device_type == "cpu"
