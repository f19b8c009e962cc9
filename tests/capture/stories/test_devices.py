"""Functions that make or move tensors to other devices: such calls are made one by one, in no program."""

import pytest

import rushlight as torch

FUNCTIONS = {
    "moved": lambda x: x.to("cuda") + 1,
    "there and back": lambda x: (x.cuda() * 2).cpu() + x,
    "made there": lambda x: torch.ones(2, device="cuda") * 2,
    "made on meta": lambda x: torch.ones(2, device="meta").sin(),
    "moved to meta": lambda x: x.to("meta") * 2,
    "both": lambda x: (x.sin() + 1, torch.zeros(2, device="cuda"), x.to("meta")),
    "transformed": lambda x: torch.vmap(lambda row: row.to("cuda") * 2)(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_on_the_device(agree, name):
    def story(compile):
        f = compile(FUNCTIONS[name])
        seen = []
        with torch.cuda.simulate():
            for number in range(3):
                for each in torch.utils._pytree.tree_leaves(f(torch.full((2,), float(number)))):
                    elements = None if each.is_meta else each.cpu()
                    seen.append((str(each.device), each.dtype, each.shape, elements))
        return seen

    agree(story)
