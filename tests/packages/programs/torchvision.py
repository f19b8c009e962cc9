"""torchvision: classifiers trained, detectors, operators, feature extraction, transforms of both versions, datasets."""
# requires: torchvision==0.28.0

import json
import tempfile
from pathlib import Path

import torch
from PIL import Image
from torch.utils.data import DataLoader
from torchvision import datasets, models, ops, transforms, tv_tensors, utils
from torchvision.models import feature_extraction
from torchvision.transforms import functional, v2

found = {}


def draw(*shape, seed=0):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


def refill(model):
    """Weights that do not depend on how many numbers the initialisation has drawn."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                drawn = torch.randn(parameter.shape, generator=generator)
                parameter.copy_(drawn / parameter[0].numel() ** 0.5)
    return model


def classifiers():
    block = models.convnext.CNBlockConfig
    made = {
        "resnet": models.ResNet(models.resnet.BasicBlock, [1, 1, 1, 1], num_classes=5, width_per_group=64),
        "mobilenet": models.mobilenet_v2(width_mult=0.25, num_classes=5),
        "vit": models.VisionTransformer(64, 16, 2, 2, 16, 32, num_classes=5),
        "convnext": models.ConvNeXt([block(8, 16, 1), block(16, None, 1)], num_classes=5),
        "squeezenet": models.squeezenet1_1(num_classes=5),
    }  # fmt: skip
    images, labels = draw(8, 3, 64, 64, seed=2), torch.arange(8) % 5
    for name, model in made.items():
        # Under batch norms of so few pixels, float32 is little more than rounding
        dtype = torch.float64 if name == "mobilenet" else torch.float32
        refill(model).to(dtype).train()
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        losses = []
        for step in range(3):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(images.to(dtype)), labels)
            loss.backward()
            if step == 0:
                gradients = [parameter.grad.abs().mean().item() for parameter in model.parameters()]
            optimizer.step()
            losses.append(loss.item())
        found[f"{name} losses"] = losses
        found[f"{name} gradient"] = sum(gradients) / len(gradients)
        found[f"{name} parameters"] = sum(parameter.numel() for parameter in model.parameters())


def features():
    model = refill(models.resnet18(num_classes=5)).eval()
    _, names = feature_extraction.get_graph_node_names(model)
    found["nodes"] = names
    extractor = feature_extraction.create_feature_extractor(model, {"layer1": "low", "layer3.0.relu_1": "high"})
    found["features"] = {
        name: [*value.shape, value.mean().item()] for name, value in extractor(draw(1, 3, 32, 32)).items()
    }


def graphs():
    """Models as graphs of torch.fx, and traced by torch.jit: the numbers of the module."""
    sizes = {
        "resnet18": 64, "squeezenet1_1": 64, "densenet121": 64, "mobilenet_v2": 64, "mobilenet_v3_small": 64,
        "efficientnet_b0": 64, "regnet_y_400mf": 64, "shufflenet_v2_x0_5": 64, "mnasnet0_5": 64, "googlenet": 64,
        "convnext_tiny": 64, "swin_t": 64,
    }  # fmt: skip
    for name, size in sizes.items():
        options = {"init_weights": False} if name == "googlenet" else {}
        model = getattr(models, name)(weights=None, **options).eval()
        image = draw(1, 3, size, size, seed=3)
        traced = torch.fx.symbolic_trace(model)
        again = torch.fx.symbolic_trace(traced)
        with torch.no_grad():
            wanted = model(image)
            for result in (traced, torch.fx.Interpreter(traced).run, torch.fx.Transformer(traced).transform(), again):
                assert torch.allclose(result(image), wanted, rtol=1e-4, atol=1e-5), name
        assert [node.op for node in again.graph.nodes].count("call_module") == sum(
            node.op == "call_module" for node in traced.graph.nodes
        ), name


def operators():
    boxes = draw(12, 4, seed=3) * 20
    boxes[:, 2:] += boxes[:, :2] + 1
    scores, classes = draw(12, seed=4), torch.arange(12) % 3
    found["nms"] = ops.nms(boxes, scores, 0.3).tolist()
    found["batched nms"] = ops.batched_nms(boxes, scores, classes, 0.3).tolist()
    found["iou"] = ops.generalized_box_iou(boxes[:3], boxes[3:6]).flatten().tolist()
    maps = draw(2, 4, 16, 16, seed=5).requires_grad_()
    regions = torch.cat([torch.tensor([[0.0], [1], [1]]), boxes[:3] / 3], 1)
    for name, pooled in {
        "roi align": ops.roi_align(maps, regions, 3, 0.8, 2, aligned=True),
        "roi pool": ops.roi_pool(maps, regions, 2, 0.8),
        "ps roi align": ops.ps_roi_align(maps, regions, 2, 0.8, 2),
        "ps roi pool": ops.ps_roi_pool(maps, regions, 2, 0.8),
    }.items():
        (gradient,) = torch.autograd.grad(pooled.square().sum(), maps)
        found[name] = [*pooled.flatten()[::5].tolist(), gradient.abs().sum().item()]
    convolution = refill(ops.DeformConv2d(4, 2, 3, padding=1))
    offset = (draw(2, 18, 16, 16, seed=6) - 0.5).requires_grad_()
    out = convolution(maps, offset, draw(2, 9, 16, 16, seed=7))
    out.square().mean().backward()
    found["deformed"] = [*out.flatten()[::101].tolist(), *offset.grad.flatten()[::501].tolist()]
    found["focal"] = ops.sigmoid_focal_loss(draw(4, 3) - 0.5, torch.eye(4, 3), reduction="mean").item()
    found["giou loss"] = ops.generalized_box_iou_loss(boxes[:4], boxes[4:8], reduction="mean").item()
    pyramid = refill(ops.FeaturePyramidNetwork([4, 8], 6))
    levels = pyramid({"a": draw(1, 4, 8, 8), "b": draw(1, 8, 4, 4)})
    found["pyramid"] = {name: value.mean().item() for name, value in levels.items()}


def detector():
    backbone = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, 4, 1), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3, 2, 1), torch.nn.ReLU()
    )
    backbone.out_channels = 8
    anchors = models.detection.rpn.AnchorGenerator(((8, 16),), ((0.5, 1.0),))
    pooler = ops.MultiScaleRoIAlign(["0"], 3, 2)
    head = models.detection.faster_rcnn.TwoMLPHead(72, 16)
    model = models.detection.FasterRCNN(
        backbone, min_size=64, max_size=64, rpn_anchor_generator=anchors, box_roi_pool=pooler, box_head=head,
        box_predictor=models.detection.faster_rcnn.FastRCNNPredictor(16, 3),
        rpn_batch_size_per_image=10_000, box_batch_size_per_image=10_000,
    )  # fmt: skip
    refill(model)
    images = [draw(3, 64, 64, seed=8), draw(3, 48, 64, seed=9)]
    targets = [{"boxes": torch.tensor([[4.0, 4, 20, 24]]), "labels": torch.tensor([1])},
               {"boxes": torch.tensor([[8.0, 2, 30, 30], [1, 1, 12, 9]]), "labels": torch.tensor([2, 1])}]  # fmt: skip
    losses = model(images, targets)
    sum(losses.values()).backward()
    found["detector losses"] = {name: value.item() for name, value in losses.items()}
    found["detector gradient"] = backbone[0].weight.grad.abs().mean().item()
    model.eval()
    with torch.no_grad():
        best = model(images)[1]
    found["detected"] = [len(best["boxes"]), *best["boxes"][:3].flatten().tolist(), *best["scores"][:3].tolist()]


def changes():
    picture = functional.to_pil_image(draw(3, 20, 24, seed=10))
    pipeline = transforms.Compose([
        transforms.Resize(16), transforms.CenterCrop(14), transforms.ToTensor(),
        transforms.Normalize([0.5, 0.4, 0.3], [0.2, 0.3, 0.4]),
    ])  # fmt: skip
    found["pipeline"] = pipeline(picture).flatten()[::37].tolist()
    image = draw(3, 20, 24, seed=11)
    for name, changed in {
        "rotate": functional.rotate(image, 25, transforms.InterpolationMode.BILINEAR),
        "affine": functional.affine(image, 10, [1, 2], 0.9, [5.0, 0.0]),
        "perspective": functional.perspective(image, [[0, 0], [23, 0], [23, 19], [0, 19]],
                                              [[2, 1], [21, 0], [22, 18], [0, 17]]),
        "jitter": functional.adjust_hue(functional.adjust_saturation(image, 1.3), 0.1),
        "blur": functional.gaussian_blur(image, [5, 5], [1.1, 1.3]),
        "posterize": functional.posterize((image * 255).to(torch.uint8), 3).float(),
        "equalize": functional.equalize((image * 255).to(torch.uint8)).float(),
        "resized": functional.resize(image, [9, 13], antialias=True),
    }.items():  # fmt: skip
        found[name] = changed.flatten()[::29].tolist()
    torch.manual_seed(0)
    augmented = transforms.Compose([
        transforms.RandomHorizontalFlip(), transforms.RandomResizedCrop(12, antialias=True),
        transforms.ColorJitter(0.4), transforms.RandomErasing(1.0),
    ])(image)  # fmt: skip
    found["augmented"] = augmented.flatten()[::11].tolist()

    boxes = tv_tensors.BoundingBoxes([[2.0, 3, 10, 12]], format="XYXY", canvas_size=(20, 24))
    mask = tv_tensors.Mask((image[0] > 0.5).to(torch.uint8))
    together = v2.Compose([
        v2.ToImage(), v2.RandomHorizontalFlip(1.0), v2.Resize((10, 12), antialias=True), v2.RandomRotation((30, 30)),
        v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5], [0.25]),
    ])  # fmt: skip
    out, moved, cut = together(tv_tensors.Image(image), boxes, mask)
    found["together"] = [*out.flatten()[::17].tolist(), *moved.flatten().tolist(), cut.float().mean().item()]
    found["kinds"] = [type(each).__name__ for each in (out, moved, cut, moved + 1)]
    torch.manual_seed(1)
    batch, soft = v2.MixUp(num_classes=3)(draw(4, 3, 8, 8), torch.tensor([0, 1, 2, 1]))
    found["mixed"] = [batch.mean().item(), *soft.flatten().tolist()]


def data(folder):
    fake = datasets.FakeData(12, (3, 8, 8), 3, transforms.ToTensor())
    loader = DataLoader(fake, batch_size=4)
    found["fake"] = [[images.mean().item(), *labels.tolist()] for images, labels in loader]
    for kind in ("cat", "dog"):
        (folder_of_kind := folder / kind).mkdir()
        for number in range(2):
            pixels = (draw(8, 8, 3, seed=number) * 255).to(torch.uint8).numpy()
            Image.fromarray(pixels).save(folder_of_kind / f"{number}.png")
    pictures = datasets.ImageFolder(folder, transforms.ToTensor())
    found["folder"] = [pictures.classes, [label for _, label in pictures], pictures[3][0].mean().item()]
    grid = utils.make_grid(torch.stack([image for image, _ in pictures]), nrow=2, padding=1)
    found["grid"] = [*grid.shape, grid.mean().item()]
    painted = utils.draw_bounding_boxes(
        (grid * 255).to(torch.uint8), torch.tensor([[1.0, 1, 6, 6]]), colors="red", width=1
    )
    found["painted"] = painted.float().mean().item()


torch.manual_seed(0)
classifiers()
features()
operators()
detector()
changes()
with tempfile.TemporaryDirectory() as place:
    data(Path(place))
graphs()
print(json.dumps(found))
