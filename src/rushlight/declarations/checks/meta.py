"""What PyTorch says of operators that cannot run on meta."""

from __future__ import annotations


def no_meta_kernel(name: str) -> NotImplementedError:
    """The error of an operator that needs elements, called with tensors on meta."""
    return NotImplementedError(
        f"aten::{name}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
        "registered. You may have run into this message while using an operator with PT2 compilation APIs "
        "(torch.compile/torch.export); in order to use this operator with those APIs you'll need to add a fake impl. "
        "Please see the following for next steps:  "
        "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
    )
