"""Adam (Kingma, Ba 2015), with AMSGrad (Reddi et al. 2018) and decoupled weight decay (Loshchilov, Hutter 2019)."""

from __future__ import annotations

from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.core.tensor import Tensor
from rushlight.optim.checks import check_betas, check_exclusive_modes, check_not_negative, check_rate
from rushlight.optim.grouped import ElementwiseOptimizer


class Adam(ElementwiseOptimizer):
    """Divides a running mean of the gradient by the root of a running mean of its square.

    m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2, p -= lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps). With
    `amsgrad` v is the largest one so far. https://arxiv.org/abs/1412.6980, https://arxiv.org/abs/1904.09237 and
    https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html

    >>> import rushlight as torch
    >>> p = torch.ones(1, requires_grad=True)
    >>> (p * 2).sum().backward()
    >>> torch.optim.Adam([p], lr=0.1).step(); p
    tensor([0.9000], requires_grad=True)
    """

    _called, _instead = "Adam", ", please consider SparseAdam instead"
    _state_names = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1e-3,
        betas: tuple[TensorOrFloat, TensorOrFloat] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_rate(lr)
        check_not_negative("Invalid epsilon value: {}", eps)
        check_betas(betas)
        check_not_negative("Invalid weight_decay value: {}", weight_decay)
        check_beta_types(betas, foreach, capturable)
        betas = tuple(beta.squeeze() if isinstance(beta, Tensor) and beta.dim() else beta for beta in betas)  # type: ignore[assignment]
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        })  # fmt: skip
        check_exclusive_modes(fused, foreach, differentiable)

    def _state_names_for(self, group):
        return self._state_names if group["amsgrad"] else self._state_names[:2]

    def _check_step(self, group, params):
        super()._check_step(group, params)
        if group["foreach"] and isinstance(group["lr"], Tensor) and not group["capturable"]:
            raise RuntimeError("lr as a Tensor is not supported for capturable=False and foreach=True")

    def _prepare(self, o):
        o.step = o.step + 1
        o.step_size = o.lr / (1 - o.beta1**o.step)
        o.root_of_correction = (1 - o.beta2**o.step) ** 0.5

    def _update(self, F, o, param, gradient, mean, square, largest):
        if o.maximize:
            gradient = -gradient
        if o.weight_decay != 0:
            if o.decoupled_weight_decay:
                param = param * (1 - o.lr * o.weight_decay)
            else:
                gradient = F.add(gradient, param, o.weight_decay)
        mean = F.lerp(mean, gradient, 1 - o.beta1)
        square = F.addcmul(square * o.beta2, gradient, gradient, 1 - o.beta2)
        if o.amsgrad:
            largest = F.maximum(largest, square)
        denominator = F.sqrt(largest if o.amsgrad else square) / o.root_of_correction + o.eps
        return F.addcdiv(param, mean, denominator, -o.step_size), mean, square, largest


def check_beta_types(betas, foreach, capturable) -> None:
    """Raises ValueError unless the decay rates are two floats, or two tensors of one element each."""
    if [type(beta) for beta in betas] == [float, float]:
        return
    if not (all(isinstance(beta, float) for beta in betas) or all(isinstance(beta, Tensor) for beta in betas)):
        raise ValueError("betas must be either both floats or both Tensors")
    for index, beta in enumerate(betas):
        if isinstance(beta, Tensor):
            if foreach and not capturable:
                raise ValueError(f"betas[{index}] as a Tensor is not supported for capturable=False and foreach=True")
            if beta.numel() != 1:
                raise ValueError(f"Tensor betas[{index}] must be 1-element")
