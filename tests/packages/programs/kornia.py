"""kornia: filters, colors, geometry, morphology, losses, metrics, features and augmentation, with their gradients."""
# requires: kornia==0.9.0

import json

import kornia
import torch
from kornia import augmentation
from kornia.geometry import transform

found = {}


def draw(*shape, seed=0):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


def note(name, function, image):
    """What a function gives for an image, and the gradient of its mean of squares."""
    image = image.clone().requires_grad_()
    out = function(image)
    outs = out if isinstance(out, (tuple, list)) else [out]
    found[name] = [value for each in outs for value in each.detach().flatten()[::97].tolist()]
    if any(each.requires_grad for each in outs):
        sum(each.square().mean() for each in outs if each.requires_grad).backward()
        found[f"{name} gradient"] = [image.grad.mean().item(), image.grad.abs().mean().item()]


image = draw(2, 3, 16, 20)
gray = draw(2, 1, 16, 20, seed=1)
FILTERS = {
    "gaussian": lambda x: kornia.filters.gaussian_blur2d(x, (5, 5), (1.2, 1.2)),
    "box": lambda x: kornia.filters.box_blur(x, (3, 5)),
    "median": lambda x: kornia.filters.median_blur(x, (3, 3)),
    "sobel": kornia.filters.sobel,
    "laplacian": lambda x: kornia.filters.laplacian(x, 3),
    "spatial gradient": kornia.filters.spatial_gradient,
    "bilateral": lambda x: kornia.filters.bilateral_blur(x, (3, 3), 0.2, (1.5, 1.5)),
    "unsharp": lambda x: kornia.filters.unsharp_mask(x, (3, 3), (1.0, 1.0)),
    "motion": lambda x: kornia.filters.motion_blur(x, 5, 35.0, 0.5),
    "guided": lambda x: kornia.filters.guided_blur(x, x, 3, 0.1),
}
COLORS = {
    "hsv": kornia.color.rgb_to_hsv,
    "lab": kornia.color.rgb_to_lab,
    "yuv": kornia.color.rgb_to_yuv,
    "gray": kornia.color.rgb_to_grayscale,
    "xyz": kornia.color.rgb_to_xyz,
    "ycbcr": kornia.color.rgb_to_ycbcr,
    "brightness": lambda x: kornia.enhance.adjust_brightness(x, 0.1),
    "gamma": lambda x: kornia.enhance.adjust_gamma(x, 0.7),
    "contrast": lambda x: kornia.enhance.adjust_contrast(x, 0.6),
    "saturation": lambda x: kornia.enhance.adjust_saturation(x, 1.4),
    "normalize": lambda x: kornia.enhance.normalize(x, torch.tensor([0.4]), torch.tensor([0.2])),
}
matrix = torch.tensor([[[1.0, 0.1, 1.0], [0.05, 0.9, -1.0]]]).expand(2, 2, 3)
homography = torch.tensor([[[1.0, 0.1, 1.0], [0.05, 0.9, -1.0], [0.001, 0.002, 1.0]]]).expand(2, 3, 3)
GEOMETRY = {
    "warp affine": lambda x: transform.warp_affine(x, matrix, (14, 18)),
    "warp perspective": lambda x: transform.warp_perspective(x, homography, (16, 20)),
    "rotate": lambda x: transform.rotate(x, torch.tensor([30.0, -20.0])),
    "scale": lambda x: transform.scale(x, torch.tensor([1.2, 0.8])),
    "resize": lambda x: transform.resize(x, (9, 11), antialias=True),
    "pyramid": lambda x: transform.build_pyramid(x, 2),
    "crop": lambda x: transform.center_crop(x, (8, 8)),
    "elastic": lambda x: transform.elastic_transform2d(x, torch.linspace(-1, 1, 1280).reshape(2, 2, 16, 20)),
}
for functions in (FILTERS, COLORS, GEOMETRY):
    for name, function in functions.items():
        note(name, function, image)
note("canny", lambda x: kornia.filters.canny(x, 0.1, 0.2)[0], gray)
note("dilation", lambda x: kornia.morphology.dilation(x, torch.ones(3, 3)), gray)
note("erosion", lambda x: kornia.morphology.erosion(x, torch.ones(3, 3)), gray)
note("harris", lambda x: kornia.feature.harris_response(x), gray)
note("equalize", lambda x: kornia.enhance.equalize_clahe(x, 20.0, (2, 2)), gray)
note("histogram", lambda x: kornia.enhance.histogram(x.flatten(1), torch.linspace(0, 1, 8), torch.tensor(0.1)), gray)
note("ssim", lambda x: kornia.metrics.ssim(x, image.flip(0), 5), image)
note("ssim loss", lambda x: kornia.losses.ssim_loss(x, image.flip(0), 5), image)
note("total variation", lambda x: kornia.losses.total_variation(x), image)
note("focal", lambda x: kornia.losses.focal_loss(x, torch.ones(2, 16, 20).long(), 0.5, 2.0, "mean"), image)
note("dice", lambda x: kornia.losses.dice_loss(x, torch.ones(2, 16, 20).long()), image)

points = draw(2, 8, 2, seed=2) * 10
moved = kornia.geometry.transform_points(homography, points)
found["homography"] = kornia.geometry.find_homography_dlt(points, moved).flatten().tolist()
rotation = kornia.geometry.axis_angle_to_rotation_matrix(draw(2, 3, seed=3))
found["rotation"] = rotation.flatten().tolist()
found["quaternion"] = kornia.geometry.rotation_matrix_to_quaternion(rotation).flatten().tolist()
camera = torch.tensor([[20.0, 0, 10], [0, 20, 8], [0, 0, 1]])
found["depth"] = kornia.geometry.depth_to_3d_v2(draw(1, 16, 20, seed=4), camera[None]).flatten()[::50].tolist()
sift = kornia.feature.SIFTDescriptor(16)
found["sift"] = sift(draw(3, 1, 16, 16, seed=5)).flatten()[::40].tolist()
distances, matches = kornia.feature.match_mnn(draw(6, 8, seed=6), draw(7, 8, seed=7))
found["matches"] = [*distances.flatten().tolist(), *matches.flatten().tolist()]

AUGMENTATION = augmentation.AugmentationSequential(
    augmentation.RandomHorizontalFlip(p=1.0),
    augmentation.RandomAffine((15.0, 15.0), (0.1, 0.1), p=1.0),
    augmentation.ColorJitter((1.1, 1.1), (0.9, 0.9), (1.2, 1.2), (0.05, 0.05), p=1.0),
    augmentation.RandomErasing((0.1, 0.1), (1.0, 1.0), p=0.0),
    data_keys=["input", "mask"],
)
torch.manual_seed(3)
out, mask = AUGMENTATION(image, (gray > 0.5).float())
found["augmented"] = [out.mean().item(), mask.mean().item(), out.std().item()]
found["back"] = AUGMENTATION.inverse(out, mask)[0].mean().item()
torch.manual_seed(4)
crops = augmentation.RandomCrop((8, 8), p=1.0)(image)
found["crops"] = crops.mean(dim=(1, 2, 3)).tolist()
torch.manual_seed(5)
flipped = augmentation.RandomVerticalFlip(p=0.5)(image)
found["flipped"] = flipped[:, 0, 0].flatten().tolist()

model = torch.nn.Sequential(
    kornia.filters.GaussianBlur2d((3, 3), (1.0, 1.0)), torch.nn.Flatten(), torch.nn.Linear(960, 2)
)
with torch.no_grad():
    for parameter in model.parameters():
        parameter.copy_(torch.linspace(-0.1, 0.1, parameter.numel()).reshape(parameter.shape))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
losses = []
for _ in range(4):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(image), torch.tensor([0, 1]))
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
found["losses"] = losses
print(json.dumps(found))
