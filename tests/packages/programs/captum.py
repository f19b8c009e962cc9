"""captum: attributions of a small convolutional network and a text-like model to inputs, layers and neurons."""
# requires: captum==0.9.0

import json

import torch
from captum import attr
from captum.metrics import infidelity, sensitivity_max
from torch import nn

found = {}
generator = torch.Generator().manual_seed(0)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 3, 3, padding=1)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2)
        self.second = nn.Conv2d(3, 4, 3, padding=1)
        self.relu2 = nn.ReLU()
        self.head = nn.Linear(4 * 4 * 4, 3)

    def forward(self, image):
        hidden = self.pool(self.relu(self.first(image)))  # (batch, 3, 4, 4)
        return self.head(self.relu2(self.second(hidden)).flatten(1))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(12, 5)
        self.head = nn.Linear(5, 3)

    def forward(self, words):
        return self.head(self.embedding(words).tanh().mean(1))


def refill(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.4)
    return model.eval()


def note(name, attributions):
    outs = attributions if isinstance(attributions, tuple) else (attributions,)
    found[name] = [value for each in outs for value in each.detach().flatten()[::5].tolist()]


network, words = refill(Network()), refill(Words())
image = torch.randn(2, 1, 8, 8, generator=generator)
baseline = torch.zeros_like(image)
target = torch.tensor([0, 2])

attributions, delta = attr.IntegratedGradients(network).attribute(
    image, baseline, target=target, n_steps=20, return_convergence_delta=True
)
note("integrated gradients", attributions)
note("convergence", delta)
note("saliency", attr.Saliency(network).attribute(image, target=target))
note("input x gradient", attr.InputXGradient(network).attribute(image, target=target))
attributions, delta = attr.DeepLift(network).attribute(image, baseline, target=target, return_convergence_delta=True)
note("deep lift", (attributions, delta))
note("guided", attr.GuidedBackprop(network).attribute(image, target=target))
note("deconvolution", attr.Deconvolution(network).attribute(image, target=target))
note("occlusion", attr.Occlusion(network).attribute(image, (1, 3, 3), target=target, strides=(1, 2, 2)))
regions = torch.arange(64).reshape(1, 1, 8, 8) // 16
note("ablation", attr.FeatureAblation(network).attribute(image, target=target, feature_mask=regions))
note("shapley", attr.ShapleyValues(network).attribute(image, target=target, feature_mask=regions))
note(
    "permutation",
    attr.FeaturePermutation(network, lambda x, mask: torch.where(mask, x.flip(0), x)).attribute(
        image, target=target, feature_mask=regions
    ),
)
note("relevance", attr.LRP(network).attribute(image, target=target))
note(
    "kernel",
    attr.GradientShap(network).attribute(image, baseline[:1], n_samples=3, stdevs=0.0, target=target).shape
    and attr.NoiseTunnel(attr.Saliency(network)).attribute(image, nt_samples=2, stdevs=0.0, target=target),
)

layer = network.second
note("layer conductance", attr.LayerConductance(network, layer).attribute(image, target=target, n_steps=10))
note("layer activation", attr.LayerActivation(network, layer).attribute(image))
note("layer gradients", attr.LayerIntegratedGradients(network, layer).attribute(image, target=target, n_steps=10))
cam = attr.LayerGradCam(network, layer).attribute(image, target=target)
note("grad cam", attr.LayerAttribution.interpolate(cam, (8, 8), "bilinear"))
note("guided cam", attr.GuidedGradCam(network, layer).attribute(image, target=target))
note("layer deep lift", attr.LayerDeepLift(network, layer).attribute(image, target=target))
note("internal influence", attr.InternalInfluence(network, layer).attribute(image, target=target, n_steps=10))
note("neuron gradient", attr.NeuronGradient(network, layer).attribute(image, (1, 2, 2)))
note("neuron conductance", attr.NeuronConductance(network, layer).attribute(image, (1, 2, 2), target=target, n_steps=5))
note("neuron deep lift", attr.NeuronDeepLift(network, layer).attribute(image, (0, 1, 1)))

sentence = torch.tensor([[1, 4, 7, 2], [3, 3, 0, 11]])
integrated = attr.LayerIntegratedGradients(words, words.embedding)
note("words", integrated.attribute(sentence, torch.zeros_like(sentence), target=1, n_steps=10))
interpretable = attr.configure_interpretable_embedding_layer(words, "embedding")
embedded = interpretable.indices_to_embeddings(sentence)
note("embedded", attr.IntegratedGradients(words).attribute(embedded, target=1, n_steps=10))
attr.remove_interpretable_embedding_layer(words, interpretable)

note(
    "infidelity",
    infidelity(
        network,
        lambda x, b: (torch.full_like(x, 0.1), x - 0.1),
        image,
        attributions,
        target=target,
        baselines=baseline,
        n_perturb_samples=2,
    ),
)
torch.manual_seed(1)
note("sensitivity", sensitivity_max(attr.Saliency(network).attribute, image, lambda x: x + 0.01, target=target))
print(json.dumps(found))
