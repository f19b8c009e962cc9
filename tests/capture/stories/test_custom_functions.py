"""Custom functions in compiled functions: their methods are watched, and a training step with them is one program."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.autograd.function import once_differentiable
from rushlight.utils.checkpoint import checkpoint

SETTINGS = {"scale": 2.0}
SHIFT = torch.tensor([0.5, -0.5])


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return x * x * k

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return (2 * x if ctx.k > 1 else -x) * g * ctx.k, None


class Apart(torch.autograd.Function):
    @staticmethod
    def forward(x, k=3.0):
        return x.sin() * k, x > 0

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.k = inputs
        ctx.save_for_backward(x)
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, g, _):
        return g * ctx.saved_tensors[0].cos() * ctx.k, None


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x, y)
        return x * y, x + y

    @staticmethod
    @once_differentiable
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        to_x = to_y = None
        if g is not None:
            to_x, to_y = g * y if ctx.needs_input_grad[0] else None, g * x
        return (to_x, to_y) if h is None else (None if to_x is None else to_x + h, h if to_y is None else to_y + h)


class Reads(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * SETTINGS["scale"] + SHIFT

    @staticmethod
    def backward(ctx, g):
        return g * SETTINGS["scale"] + SHIFT


class Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def vjp(ctx, g):
        return g.clamp(-1, 1)


class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


USES = {
    "square": lambda x: Square.apply(x, 3.0).sum(),
    "twice": lambda x: (Square.apply(x, 3.0) + Square.apply(x, 0.5)).sum(),
    "apart": lambda x: torch.mul(*Apart.apply(x)).sum(),
    "once": lambda x: Once.apply(x, x * 2)[0].sum() + Once.apply(SHIFT, x)[1].square().sum(),
    "reads": lambda x: Reads.apply(x).square().sum(),
    "straight": lambda x: (Straight.apply(x) * x).sum(),
    "dirty": lambda x: Dirty.apply(x * 3).sum(),
}
WHOLE = ("square", "twice", "apart", "once", "reads", "straight")  # nothing that is there before is written to


def made(use):
    """Returns a training step, its weights and its optimizer."""
    torch.manual_seed(0)
    net = nn.Linear(2, 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.05)

    def step(x):
        optimizer.zero_grad()
        loss = use(net(x))
        loss.backward()
        optimizer.step()
        return loss

    return step, net, optimizer


def data(number):
    return torch.tensor([[1.0, -2.0], [0.3, 0.1 * number]])


@pytest.mark.parametrize("name", USES)
def test_training_agrees(agree, name):
    def story(compile):
        step, net, _ = made(USES[name])
        step = compile(step)
        return [step(data(number)) for number in range(6)], list(net.parameters())

    agree(story, replays=0 if name == "dirty" else 4)


@pytest.mark.parametrize("name", WHOLE)
def test_a_training_step_is_one_program(name):
    step, _, _ = made(USES[name])
    compiled = torch.compile(step, options={"trial": False})
    compiled(data(0)), compiled(data(1))
    (program,) = torch.compiler.explain(compiled)(data(2)).programs
    (part,) = [text for _, text in program.parts]
    assert "one training step" in part


def other_backward(ctx, g):
    return -g


CHANGES = {
    "a number that both methods read": lambda: SETTINGS.update(scale=SETTINGS["scale"] + 1),
    "elements that both methods read": lambda: SHIFT.mul_(2),
    "a tensor that both methods read": lambda: globals().update(SHIFT=SHIFT + 1),
    "backward": lambda: setattr(Reads, "backward", staticmethod(other_backward)),
    "forward": lambda: setattr(Reads, "forward", staticmethod(lambda ctx, x: x + 1)),
    "the code of backward": lambda: setattr(Reads.backward, "__code__", other_backward.__code__),
}


@pytest.fixture
def surroundings():
    """Puts back what the stories change."""
    methods, backward = {name: vars(Reads)[name] for name in ("forward", "backward")}, Reads.backward.__code__
    shift, elements = SHIFT, SHIFT.clone()

    def put_back():
        globals()["SHIFT"] = shift
        shift.copy_(elements)
        SETTINGS["scale"] = 2.0
        for name, method in methods.items():
            setattr(Reads, name, method)
        Reads.backward.__code__ = backward

    yield put_back
    put_back()


@pytest.mark.parametrize("change", CHANGES)
def test_what_methods_read_is_guarded(agree, surroundings, change):
    def story(compile):
        surroundings()
        step, net, _ = made(USES["reads"])
        step = compile(step)
        seen = [step(data(number)) for number in range(3)]
        CHANGES[change]()
        return seen + [step(data(number)) for number in range(3)], list(net.parameters())

    agree(story)


@pytest.mark.parametrize("change", CHANGES)
def test_what_methods_read_is_read_anew_when_a_step_is_recorded_again(agree, surroundings, change):
    """Gradients that are None now have a step recorded again."""

    def story(compile):
        surroundings()
        step, net, optimizer = made(USES["reads"])
        step, seen = compile(step), []
        for number in range(9):
            if number % 3 == 2:
                CHANGES[change]()
                optimizer.zero_grad(set_to_none=number != 5)
                net.bias.grad = torch.ones(2) if number == 5 else None
            seen += [step(data(number))]
        return seen, list(net.parameters())

    agree(story)


def test_two_tensors_that_methods_read_are_exchanged(agree, surroundings):
    def story(compile):
        surroundings()
        tensors = [torch.tensor([1.0, 2.0]), torch.tensor([-3.0, 0.5])]

        class Both(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * tensors[0] + tensors[1]

            @staticmethod
            def backward(ctx, g):
                return g * tensors[0] - tensors[1]

        step, net, optimizer = made(lambda x: Both.apply(x).square().sum())
        step, seen = compile(step), []
        for number in range(8):
            if number in (3, 6):
                tensors.reverse()
                optimizer.zero_grad(set_to_none=True)
            seen.append(step(data(number)))
        return seen, list(net.parameters())

    agree(story)


@pytest.mark.parametrize("change", CHANGES)
def test_a_backward_pass_outside_runs_the_code_of_then(agree, surroundings, change):
    def story(compile):
        surroundings()
        f, seen = compile(lambda x: Reads.apply(x * 2).square().sum()), []
        for number in range(5):
            x = data(number).requires_grad_()
            loss = f(x)
            if number == 3:
                CHANGES[change]()
            loss.backward()
            seen += [loss, x.grad]
        return seen

    agree(story)


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_without_gradients(agree, name, mode):
    def story(compile):
        def f(x):
            with mode():
                return USES[name](x * 1)

        f = compile(f)
        return [f(data(number)) for number in range(4)]

    agree(story)


def test_a_call_whose_backward_does_not_run(agree):
    """The second call is no part of the loss of the step, and its gradient is computed afterwards."""

    def story(compile):
        torch.manual_seed(0)
        net = nn.Linear(2, 2)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

        def step(x, y):
            optimizer.zero_grad()
            other = Reads.apply(y).sum()
            loss = Reads.apply(net(x)).square().sum()
            loss.backward()
            optimizer.step()
            return loss, other

        step, seen = compile(step), []
        for number in range(4):
            y = data(number).requires_grad_()
            loss, other = step(data(number), y)
            SETTINGS["scale"] += 1
            other.backward()
            seen += [loss, y.grad]
        SETTINGS["scale"] = 2.0
        return seen

    agree(story)


@pytest.mark.parametrize("name", ["square", "apart"])
def test_second_derivatives(agree, name):
    def story(compile):
        def f(x):
            (slope,) = torch.autograd.grad(USES[name](x * 1.5), x, create_graph=True)
            return slope.square().sum()

        f, seen = compile(f), []
        for number in range(4):
            x = data(number).requires_grad_()
            f(x).backward()
            seen.append(x.grad)
        return seen

    agree(story)


def test_an_error_of_a_method_is_that_of_the_function(agree, attempt):
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g, g

    def story(compile):
        step, net, _ = made(lambda x: Fails.apply(x).sum())
        step = compile(step)
        return [attempt(step, data(number)) for number in range(3)], list(net.parameters())

    agree(story)


@pytest.mark.parametrize("change", CHANGES)
def test_inside_a_checkpoint_the_code_of_then_runs(agree, surroundings, change):
    """Its methods are those of a call outside of the checkpoint, too; both backward passes come later."""

    def story(compile):
        surroundings()
        f = compile(
            lambda x: Reads.apply(x).sum() + checkpoint(lambda x: Reads.apply(x * 2), x, use_reentrant=False).sum()
        )
        seen = []
        for number in range(6):
            x = data(number).requires_grad_()
            if number == 2:
                CHANGES[change]()
            loss = f(x)
            if number == 4:
                CHANGES[change]()
            loss.backward()
            seen += [loss, x.grad]
        return seen

    agree(story)
