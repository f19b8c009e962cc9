"""Hooks, modes as decorators, gradients by hand, buffers and containers."""

from collections.abc import Callable

import rushlight as torch
from rushlight import Tensor, nn

activations: dict[str, Tensor] = {}


def keep(name: str) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]:
    def hook(module: nn.Module, args: tuple[Tensor, ...], output: Tensor) -> None:
        activations[name] = output.detach()

    return hook


class Block(nn.Module):
    scale: Tensor

    def __init__(self, sizes: list[int], heads: int = 2) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(sizes, sizes[1:], strict=False)])
        self.branches = nn.ModuleDict({"relu": nn.ReLU(), "tanh": nn.Tanh()})
        self.weights = nn.ParameterList([torch.zeros(heads) for _ in range(3)])
        self.table = nn.ParameterDict({"a": nn.Parameter(torch.ones(1))})
        self.gain = nn.Parameter(torch.ones(sizes[-1]))
        self.register_parameter("bias", None)
        self.register_buffer("scale", torch.tensor(2.0))
        self.register_buffer("steps", torch.zeros((), dtype=torch.long), persistent=False)
        self.apply(self.reset)

    def reset(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight, gain=nn.init.calculate_gain("relu"))
            nn.init.zeros_(module.bias)
        elif isinstance(module, (nn.LayerNorm, nn.BatchNorm2d)):
            nn.init.constant_(module.weight, 1.0)

    def forward(self, x: Tensor, kind: str = "relu") -> Tensor:
        self.steps += 1
        for i, layer in enumerate(self.layers):
            x = self.branches[kind](layer(x)) * self.scale + i
        return x * self.gain + self.table["a"] + sum(self.weights[0])


@torch.no_grad()
def predict(model: nn.Module, x: Tensor, threshold: float = 0.5) -> Tensor:
    return (model(x).sigmoid() > threshold).long()


@torch.no_grad
def bare(x: Tensor) -> Tensor:
    return x * 2


@torch.inference_mode()
def infer(x: Tensor) -> Tensor:
    return x + 1


model = Block([3, 5, 4])
handles = [module.register_forward_hook(keep(name)) for name, module in model.named_modules()]
pre = model.register_forward_pre_hook(lambda module, args: None)
full = model.register_full_backward_hook(lambda module, grad_input, grad_output: None)
x = torch.randn(2, 3, requires_grad=True)
grads: list[Tensor] = []
tensor_hook = x.register_hook(lambda grad: grads.append(grad))
out = model(x, kind="tanh")
out.sum().backward(retain_graph=True)
for handle in [*handles, pre, full, tensor_hook]:
    handle.remove()
print(predict(model, x).shape, bare(x).requires_grad, infer(x).is_inference(), model.layers[0].weight.shape)
with torch.set_grad_enabled(False), torch.autocast("cpu", dtype=torch.bfloat16):
    model.layers.append(nn.Linear(4, 4))
    model.branches["gelu"] = nn.GELU(approximate="tanh")
if x.grad is not None:
    print(x.grad.norm().item(), x.grad.abs().max())
norms = {name: p.grad.norm() for name, p in model.named_parameters() if p.grad is not None}
model.gain.data.clamp_(min=0.0)
first, *rest = model.children()
print(first, len(rest), norms, sum(1 for _ in model.buffers()), [type(m).__name__ for m in model.modules()])
for layer in model.layers[:-1]:
    layer.weight.data.fill_(0.1)
model.train(False).double().to("cpu", torch.float32)
