"""Optimizer steps over 200 parameters of 1,000 elements with fixed gradients."""

from __future__ import annotations

import numpy as np

from rushlight.benchmark.case import Case, Floor

PARAMETERS, ELEMENTS = 200, 1000


def steps_of(name: str, optimizer: str, passes: int, **options) -> Case:
    """The case of one optimizer, whose step makes `passes` passes over every parameter and its state."""

    def program(torch):
        random = np.random.default_rng(0)
        drawn = random.normal(size=(2, PARAMETERS, ELEMENTS)).astype("float32")
        parameters = [torch.tensor(x, requires_grad=True) for x in drawn[0]]
        for parameter, gradient in zip(parameters, drawn[1], strict=True):
            parameter.grad = torch.tensor(gradient)
        step_once = getattr(torch.optim, optimizer)(parameters, **options).step

        def step():
            step_once()
            return parameters

        return step

    arguments = ", ".join(f"{key}={value}" for key, value in options.items())
    words = f"A step of {optimizer}({arguments}) over {PARAMETERS} parameters of {ELEMENTS:,}"
    return Case(name, program, words, 0.5, Floor(bytes=passes * 4 * PARAMETERS * ELEMENTS))


CASES = [
    steps_of("adam_200", "Adam", 7),
    steps_of("sgd_200", "SGD", 3, lr=0.01),
    steps_of("momentum_200", "SGD", 5, lr=0.01, momentum=0.9),
    steps_of("amsgrad_200", "AdamW", 9, amsgrad=True),
    steps_of("rmsprop_200", "RMSprop", 5),
]
