"""fastai: Learners on synthetic tables and images: fit, one cycle, callbacks, freezing, saving, predicting."""
# requires: fastai==2.8.12 torchvision==0.28.0

import json
import random
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from fastai.callback.core import Callback
from fastai.callback.schedule import combined_cos
from fastai.callback.tracker import EarlyStoppingCallback, SaveModelCallback
from fastai.data.core import DataLoaders
from fastai.data.load import DataLoader
from fastai.learner import Learner, load_learner
from fastai.losses import CrossEntropyLossFlat, FocalLoss, LabelSmoothingCrossEntropyFlat
from fastai.metrics import F1Score, accuracy, error_rate
from fastai.optimizer import SGD, Adam, Lookahead, RAdam, ranger
from fastai.tabular.all import Categorify, CategoryBlock, FillMissing, Normalize, TabularDataLoaders, tabular_learner
from fastai.torch_core import TensorImage, set_seed
from fastai.vision.augment import Resize, aug_transforms
from fastai.vision.models.xresnet import xresnet18
from torch import nn

warnings.simplefilter("ignore")
found = {}
generator = torch.Generator().manual_seed(0)
features = torch.randn(64, 6, generator=generator)
labels = (features[:, 0] > 0).long() + (features[:, 1] > 0.5).long()


class Losses(Callback):
    def before_fit(self):
        self.seen = []

    def after_batch(self):
        if self.training:
            self.seen.append(self.loss.item())


def refill(model):
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                drawn = torch.randn(parameter.shape, generator=torch.Generator().manual_seed(7))
                parameter.copy_(drawn / parameter[0].numel() ** 0.5)
    return model


def loaders(folder, inputs=features, targets=labels):
    pairs = list(zip(inputs, targets, strict=True))
    train, held_out = DataLoader(pairs[:48], bs=8, num_workers=0), DataLoader(pairs[48:], bs=8, num_workers=0)
    return DataLoaders(train, held_out, path=folder)


def table_of_numbers(folder):
    model = refill(nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3)))
    losses = Losses()
    learner = Learner(
        loaders(folder), model, loss_func=CrossEntropyLossFlat(), opt_func=Adam, cbs=[losses],
        metrics=[accuracy, error_rate, F1Score(average="macro")],
    )  # fmt: skip
    with learner.no_bar(), learner.no_logging():
        learner.fit_one_cycle(3, 0.02)
        found["one cycle"] = losses.seen
        found["recorded"] = [float(value) for row in learner.recorder.values for value in row]
        found["rates"] = learner.recorder.lrs[::4]
        learner.save("kept")
        learner.fit(1, 0.01, wd=0.1, cbs=[SaveModelCallback(monitor="valid_loss", fname="best")])
        found["fit"] = losses.seen
        learner.load("kept")
        found["validated"] = [float(value) for value in learner.validate()]
        predictions, targets = learner.get_preds()
        found["predictions"] = predictions.flatten()[::3].tolist() + targets.tolist()
        learner.fit_flat_cos(1, 0.01)
        learner.fit_sgdr(2, 1, 0.01, cbs=[EarlyStoppingCallback(patience=1)])
        found["more"] = [float(value) for value in learner.recorder.values[-1]]


def optimizers(folder):
    for name, optimizer in {
        "sgd": lambda parameters, lr: SGD(parameters, lr, mom=0.9),
        "radam": RAdam,
        "lookahead": lambda parameters, lr: Lookahead(SGD(parameters, lr)),
        "ranger": ranger,
    }.items():
        losses = Losses()
        model = refill(nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)))
        learner = Learner(loaders(folder), model, LabelSmoothingCrossEntropyFlat(), opt_func=optimizer, cbs=[losses])
        with learner.no_bar(), learner.no_logging():
            learner.fit(1, 0.05)
        found[name] = losses.seen
    found["focal"] = FocalLoss()(features[:4, :3], labels[:4]).item()
    found["schedule"] = [float(combined_cos(0.25, 0.1, 1.0, 0.0)(step / 8)) for step in range(9)]


def images(folder):
    pictures = TensorImage(torch.rand(24, 3, 32, 32, generator=generator))
    targets = torch.arange(24) % 3
    pictures[:, 0] += targets[:, None, None]
    pairs = [(TensorImage(picture), target) for picture, target in zip(pictures, targets, strict=True)]
    data = DataLoaders(DataLoader(pairs[:16], bs=8, num_workers=0), DataLoader(pairs[16:], bs=8, num_workers=0))
    data.path = Path(folder)
    losses = Losses()
    model = refill(xresnet18(n_out=3, p=0.0))
    learner = Learner(data, model, CrossEntropyLossFlat(), metrics=accuracy, cbs=[losses])
    with learner.no_bar(), learner.no_logging():
        learner.fit_one_cycle(1, 1e-3)
    found["images"] = losses.seen
    set_seed(2, reproducible=True)
    batch = TensorImage(torch.rand(2, 3, 24, 24, generator=generator))
    for each in aug_transforms(size=16, max_rotate=10.0, max_lighting=0.1, p_affine=1.0, p_lighting=1.0):
        batch = each(batch, split_idx=0)
    found["augmented"] = [type(batch).__name__, *batch.shape, batch.mean().item(), batch.std().item()]
    assert Resize(16).size == (16, 16)


def tabular(folder):
    frame = pd.DataFrame({
        "a": np.arange(60) % 4, "b": np.sin(np.arange(60.0)), "c": np.cos(np.arange(60.0)),
        "y": np.where(np.sin(np.arange(60.0)) > 0, "up", "down"),
    })  # fmt: skip
    frame.loc[3, "c"] = np.nan
    data = TabularDataLoaders.from_df(
        frame, folder, procs=[Categorify, FillMissing, Normalize], cat_names=["a"], cont_names=["b", "c"], y_names="y",
        y_block=CategoryBlock(), valid_idx=list(range(40, 60)), bs=10, shuffle=False, num_workers=0,
    )  # fmt: skip
    set_seed(3)
    learner = tabular_learner(data, path=folder, layers=[10, 5], metrics=accuracy)
    refill(learner.model)
    with learner.no_bar(), learner.no_logging():
        found["tabular"] = [float(value) for value in learner.validate()]
        row, choice, probabilities = learner.predict(frame.iloc[0])
    found["row"] = [choice.item(), *probabilities.tolist()]
    learner.export("learner.pkl")
    again = load_learner(Path(folder, "learner.pkl"))
    with again.no_bar(), again.no_logging():
        found["exported"] = again.predict(frame.iloc[1])[2].tolist()
    learner.freeze()
    found["frozen"] = sum(parameter.numel() for parameter in learner.model.parameters() if parameter.requires_grad)


random.seed(0)
torch.manual_seed(0)
with tempfile.TemporaryDirectory() as folder:
    table_of_numbers(folder)
    optimizers(folder)
    images(folder)
    tabular(folder)
print(json.dumps(found))
