"""nn.functional and layers with the arguments that people write."""

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn

images = torch.randn(2, 3, 8, 8)
logits, target = torch.randn(4, 5), torch.tensor([1, 0, 4, 2])
weight, bias = torch.randn(6, 3, 3, 3), torch.zeros(6)

x = F.conv2d(images, weight, bias, stride=1, padding=1, dilation=1, groups=1)
x = F.max_pool2d(F.relu(x, inplace=True), 2) + F.avg_pool2d(x, kernel_size=2) + F.max_pool2d(x, (2, 2), stride=2)
pooled, where = F.max_pool2d(x, 2, return_indices=True)
x = F.adaptive_avg_pool2d(x, (1, 1)).flatten(1) + F.adaptive_avg_pool2d(x, 1).flatten(1)
x = F.layer_norm(x, [6]) + F.layer_norm(x, (x.shape[-1],)) + F.gelu(x) + F.silu(x) + F.leaky_relu(x, 0.2)
x = F.dropout(x, p=0.5, training=False) + F.linear(x, torch.eye(6), torch.zeros(6)) + F.normalize(x, dim=-1)
big = F.interpolate(images, scale_factor=2, mode="bilinear", align_corners=False)
small = F.interpolate(images, size=(4, 4), mode="nearest") + F.interpolate(images, size=4)
padded = F.pad(images, (1, 1, 1, 1), mode="reflect") + F.pad(images, [1, 1, 1, 1], value=0.0)
one_hot = F.one_hot(target, num_classes=5).float()
losses = [
    F.cross_entropy(logits, target, label_smoothing=0.1), F.cross_entropy(logits, one_hot, reduction="sum"),
    F.nll_loss(F.log_softmax(logits, dim=-1), target, ignore_index=-100), F.mse_loss(logits, one_hot),
    F.binary_cross_entropy_with_logits(logits, one_hot, pos_weight=torch.ones(5)), F.smooth_l1_loss(logits, one_hot),
    F.kl_div(F.log_softmax(logits, 1), F.softmax(logits, 1), reduction="batchmean"), F.l1_loss(logits, one_hot),
    F.huber_loss(logits, one_hot, delta=0.5), F.triplet_margin_loss(logits, logits, logits, margin=0.5),
    F.cosine_embedding_loss(logits, logits, torch.ones(4)), F.hinge_embedding_loss(logits, one_hot * 2 - 1),
]  # fmt: skip
attended = F.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=None, dropout_p=0.0, is_causal=True)
embedded = F.embedding(target, torch.randn(5, 3), padding_idx=0) @ torch.ones(3)
similar = F.cosine_similarity(logits, logits, dim=1) + F.pairwise_distance(logits, logits)
patches = F.unfold(images, kernel_size=2, stride=2)
folded = F.fold(patches, output_size=(8, 8), kernel_size=(2, 2), stride=(2, 2))
sampled = F.grid_sample(images, F.affine_grid(torch.zeros(2, 2, 3), [2, 3, 8, 8], align_corners=False))
gumbel = F.gumbel_softmax(logits, tau=0.5, hard=True) + F.softplus(logits, beta=2) + F.elu(logits)
halved = F.glu(logits[:, :4], dim=-1)

layers = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16, momentum=0.01), nn.LeakyReLU(0.2, inplace=True),
    nn.ConvTranspose2d(16, 8, kernel_size=4, stride=2, padding=1, output_padding=0), nn.InstanceNorm2d(8, affine=True),
    nn.GroupNorm(2, 8), nn.AvgPool2d((2, 2), stride=2), nn.AdaptiveAvgPool2d((4, None)), nn.AdaptiveMaxPool2d(2),
    nn.Upsample(scale_factor=2.0, mode="bilinear", align_corners=True), nn.ReflectionPad2d((1, 1, 1, 1)),
    nn.ZeroPad2d(1), nn.Dropout2d(0.1), nn.PReLU(), nn.Softplus(), nn.Hardtanh(-1, 1), nn.ELU(alpha=0.5),
    nn.Flatten(start_dim=1), nn.LazyLinear(10, bias=True), nn.LayerNorm([10]), nn.RMSNorm(10), nn.Unflatten(1, (2, 5)),
    nn.Softmax(dim=-1), nn.Identity(),
)  # fmt: skip
print(layers(images).shape, layers[0].weight.shape, len(layers), [type(layer).__name__ for layer in layers])
criteria = [
    nn.CrossEntropyLoss(weight=torch.ones(5), label_smoothing=0.1), nn.BCEWithLogitsLoss(reduction="sum"), nn.NLLLoss(),
    nn.MSELoss(reduction="none"), nn.SmoothL1Loss(beta=0.5), nn.KLDivLoss(reduction="batchmean", log_target=True),
    nn.TripletMarginLoss(margin=1.0, p=2), nn.CTCLoss(blank=0, zero_infinity=True), nn.HuberLoss(delta=2.0),
]  # fmt: skip
print(losses, attended, embedded, similar, folded, sampled, gumbel, big, small, padded, pooled, where, criteria, halved)
