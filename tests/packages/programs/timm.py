"""timm: tiny forms of four families, a training step, a learning-rate schedule, moving averages of weights."""
# requires: timm==1.0.31 torchvision==0.28.0

import io
import json
import warnings

import timm
import torch
from timm.data import Mixup, create_transform, resolve_data_config
from timm.loss import LabelSmoothingCrossEntropy, SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import ModelEmaV3, accuracy

TINY = {
    "test_resnet": {},
    "test_vit": {"img_size": 32, "patch_size": 8},
    "test_efficientnet": {},
    "test_convnext": {},
}


def refill(model):
    """Weights that do not depend on how many numbers the initialisation has drawn."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                fan_in = parameter[0].numel()
                parameter.copy_(torch.randn(parameter.shape, generator=generator) / fan_in**0.5)


def steps(name, options, found):
    model = timm.create_model(name, num_classes=5, drop_rate=0.0, **options)
    refill(model)
    images = torch.randn(4, 3, 32, 32, generator=torch.Generator().manual_seed(2))
    labels = torch.tensor([0, 1, 2, 4])
    found[f"{name} parameters"] = sum(parameter.numel() for parameter in model.parameters())
    model.eval()
    with torch.no_grad():
        found[f"{name} eval"] = model(images).flatten().tolist()
        found[f"{name} features"] = model.forward_features(images).abs().mean().item()
    model.train()
    optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05)
    schedule = CosineLRScheduler(optimizer, t_initial=4, warmup_t=1, warmup_lr_init=1e-4)
    average = ModelEmaV3(model, decay=0.9)
    loss_of = LabelSmoothingCrossEntropy(0.1)
    losses = []
    for step in range(3):
        optimizer.zero_grad()
        loss = loss_of(model(images), labels)
        loss.backward()
        if step == 0:
            gradients = [parameter.grad.abs().mean().item() for parameter in model.parameters()]
            found[f"{name} gradient"] = sum(gradients) / len(gradients)
        optimizer.step()
        schedule.step(step + 1)
        average.update(model)
        losses.append(loss.item())
    found[f"{name} losses"] = losses
    found[f"{name} rate"] = [group["lr"] for group in optimizer.param_groups]
    found[f"{name} average"] = sum(p.abs().sum().item() for p in average.module.parameters()) / 1000


def extras(found):
    network = timm.create_model("test_resnet", features_only=True, out_indices=(1, 3))
    refill(network)
    network.eval()
    images = torch.randn(2, 3, 32, 32, generator=torch.Generator().manual_seed(3))
    found["feature maps"] = [list(map_.shape) + [map_.mean().item()] for map_ in network(images)]
    found["reductions"] = network.feature_info.reduction()
    model = timm.create_model("test_vit", img_size=32)
    config = resolve_data_config({"input_size": (3, 32, 32)}, model=model)
    found["config"] = {key: list(value) if isinstance(value, tuple) else value for key, value in config.items()}
    found["transform"] = [type(step).__name__ for step in create_transform(**config).transforms]
    logits = torch.randn(6, 5, generator=torch.Generator().manual_seed(4))
    found["accuracy"] = [float(value) for value in accuracy(logits, torch.tensor([0, 1, 2, 3, 4, 0]), topk=(1, 3))]
    targets = torch.softmax(logits.flip(0), dim=1)
    found["soft targets"] = SoftTargetCrossEntropy()(logits, targets).item()
    mixed, smooth = Mixup(prob=0.0, label_smoothing=0.1, num_classes=5)(images, torch.tensor([1, 3]))
    found["mixup"] = [mixed.sum().item(), *smooth.flatten().tolist()]
    resized = timm.create_model("test_resnet", num_classes=0, global_pool="")
    found["without a head"] = list(resized(images).shape)
    found["names"] = len(timm.list_models("resnet*")) > 10


def graphs():
    """Models as graphs of torch.fx: the numbers of the module."""
    image = torch.randn(1, 3, 64, 64, generator=torch.Generator().manual_seed(5))
    for name in (
        "resnet10t", "efficientnet_lite0", "regnetx_002", "rexnet_100", "ghostnet_050", "mobilenetv3_small_050",
        "poolformer_s12", "darknet17", "tinynet_e", "hrnet_w18_small",
    ):  # fmt: skip
        model = timm.create_model(name).eval()
        traced = torch.fx.symbolic_trace(model)
        with torch.no_grad():
            wanted = model(image)
            for result in (traced, torch.fx.Interpreter(traced).run, torch.fx.Transformer(traced).transform()):
                assert torch.allclose(result(image), wanted, rtol=1e-4, atol=1e-5), name


def traces():
    """Models traced by torch.jit, saved and loaded: the numbers of the module, also for another batch size."""
    images = torch.randn(3, 3, 32, 32, generator=torch.Generator().manual_seed(6))
    for name, options in TINY.items():
        model = timm.create_model(name, **options).eval()
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            traced = torch.jit.trace(model, images[:2])
            file = io.BytesIO()
            torch.jit.save(traced, file)
            file.seek(0)
            for result in (traced, torch.jit.load(file)):
                assert torch.allclose(result(images), model(images), rtol=1e-4, atol=1e-5), name


def main():
    torch.manual_seed(0)
    results = {}
    for name, options in TINY.items():
        steps(name, options, results)
    extras(results)
    graphs()
    traces()
    print(json.dumps(results))


main()
